"""What must not be told: values in the log, and the texts of exceptions to the client."""

import hmac
import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import META, Server, call, make_project, request

MODULE = "discreet_mcp"
VALUE = "value-4711"
"""What comes with requests, and is in results and in the environment: nothing of it may be in the log."""
TEXT = "text-0815"
"""What is in exceptions: it may be in the log, and must not reach the client."""

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: discreet, version: 0.1.0}
tools:
  - name: strict
    description: Takes little.
    inputSchema: &strict
      type: object
      properties: {n: {type: integer, maximum: 3}, word: {enum: [a, b]}, list: {type: array, uniqueItems: true}}
      additionalProperties: false
  - {name: fails, description: Fails., inputSchema: &open {type: object}}
  - {name: async_fails, description: Fails., inputSchema: *open}
  - {name: breaks, description: Breaks its contract., inputSchema: *open, outputSchema: *strict}
  - {name: content, description: Returns what is no content., inputSchema: *open}
  - {name: late, description: Takes long., inputSchema: *open, x-toolmint: {timeoutMs: 50}}
  - {name: unimportable, description: Cannot be loaded., inputSchema: *open}
  - {name: shares, description: Needs what cannot be had., inputSchema: *open}
  - {name: not_yet, description: Is a stub., inputSchema: *open}
  - name: asks
    description: Asks.
    inputSchema: *open
    elicits:
      - {key: pin, message: What is your PIN?, requestedSchema: {type: object, properties: {pin: {type: integer}}, required: [pin]}}
resources:
  - {uri: "doc://fails", name: failing}
  - {uri: "doc://number", name: numbered}
resourceTemplates:
  - {uriTemplate: "item://{id}", name: item, complete: {id: handler}}
prompts:
  - {name: prompting, arguments: [{name: word, required: true}]}
"""
RAISE = f"raise ValueError('{TEXT}')"
HANDLERS = {
    "tools/strict.py": "def strict(args, ctx):\n    return 'fine'\n",
    "tools/fails.py": f"def fails(args, ctx):\n    {RAISE}\n",
    "tools/async_fails.py": f"async def async_fails(args, ctx):\n    {RAISE}\n",
    "tools/breaks.py": f"def breaks(args, ctx):\n    return {{'n': '{VALUE}', 'word': '{VALUE}', 'list': ['{VALUE}'] * 2}}\n",
    "tools/content.py": f"def content(args, ctx):\n    return [{{'type': 'image', 'data': '{VALUE}', 'mimeType': 7}}]\n",
    "tools/late.py": "import time\ndef late(args, ctx):\n    time.sleep(0.3)\n    return 'late'\n",
    "tools/unimportable.py": f"{RAISE}\n",
    "tools/shares.py": "def shares(args, ctx):\n    return ctx.shared(dict)\n",
    "tools/asks.py": "from discreet_mcp.api import PIN\ndef asks(args, ctx):\n    ctx.elicit(PIN)\n    return 'fine'\n",
    "resources/failing.py": f"def failing(args, ctx):\n    {RAISE}\n",
    "resources/numbered.py": "from discreet_mcp.api import ResourceContents\ndef numbered(args, ctx):\n    return ResourceContents(None)\n",
    "resources/item.py": f"async def item(args, ctx):\n    {RAISE}\n",
    "completions/item_id.py": f"def item_id(args, ctx):\n    {RAISE}\n",
    "prompts/prompting.py": f"def prompting(args, ctx):\n    {RAISE}\n",
    "lifespan.py": f"def lifespan():\n    {RAISE}\n    yield {{}}\n",
}  # fmt: skip

ARGUMENTS = {"secret": VALUE, "deep": {"list": [VALUE]}}
CAPABLE = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
ASK = request("asks", "tools/call", CAPABLE, name="asks", arguments=ARGUMENTS)

REQUESTS: dict[str, Any] = {
    "arguments that break the schema": call(1, "strict", {"n": VALUE, "word": VALUE, "list": [VALUE, VALUE], VALUE: VALUE}),
    "too many problems": call(1, "strict", {f"{VALUE}-{n}": VALUE for n in range(50)}),
    **{f"tool {name}": call(1, name, ARGUMENTS) for name in (
        "fails", "async_fails", "breaks", "content", "late", "unimportable", "shares", "not_yet",
    )},
    "unknown tool": call(1, VALUE, ARGUMENTS),
    "resource that fails": request(1, "resources/read", uri="doc://fails"),
    "resource of no kind": request(1, "resources/read", uri="doc://number"),
    "template that fails": request(1, "resources/read", uri=f"item://{VALUE}"),
    "unknown resource": request(1, "resources/read", uri=f"doc://{VALUE}"),
    "prompt that fails": request(1, "prompts/get", name="prompting", arguments={"word": VALUE}),
    "prompt with an unknown argument": request(1, "prompts/get", name="prompting", arguments={VALUE: VALUE, "word": VALUE}),
    "completion that fails": request(
        1, "completion/complete", ref={"type": "ref/resource", "uri": "item://{id}"}, argument={"name": "id", "value": VALUE}
    ),
    "state made up": {**ASK, "params": {**ASK["params"], "requestState": f"{VALUE}.{VALUE}"}},
    "answer that does not fit": {**ASK, "params": {**ASK["params"], "inputResponses": {
        "pin": {"action": "accept", "content": {"pin": VALUE}},
    }}},
    "answer of no shape": {**ASK, "params": {**ASK["params"], "inputResponses": {"pin": {"action": VALUE}}}},
    "metadata of no shape": request(1, "tools/list", {**META, "io.modelcontextprotocol/logLevel": VALUE}),
    "cursor made up": request(1, "tools/list", cursor=VALUE),
    "not json": f'{{"a":"{VALUE}"'.encode() + b"\n",
    "not utf-8": VALUE.encode() + b"\xff\n",
    "unknown method": request(1, VALUE, secret=VALUE),
    "id of no kind": {"jsonrpc": "2.0", "id": [VALUE], "method": "tools/list"},
}  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = make_project(tmp_path_factory.mktemp("discreet"), MANIFEST)
    for name, text in HANDLERS.items():
        (source / MODULE / name).write_text(text, encoding="utf-8")
    return source


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    environment = {"SECRET": VALUE, "TOOLMINT_STATE_KEY": VALUE, "TOOLMINT_LOG_LEVEL": VALUE, VALUE: VALUE}
    with Server(source, MODULE, env=environment) as running:
        yield running


def test_no_value_is_in_the_log_and_no_text_of_an_exception_is_in_an_answer(server: Server) -> None:
    answers = {}
    for name, message in REQUESTS.items():
        answers[name] = server.ask(message)
    assert server.rest() == []
    assert server.wait() == 0
    told = [name for name, answer in answers.items() if TEXT in json.dumps(answer)]
    assert told == []
    lines = server.stderr().splitlines()
    assert [line for line in lines if VALUE in line] == []
    assert len(lines) >= 12  # there has been something to log


@pytest.mark.parametrize("name", [name for name in REQUESTS if "fails" in name])
def test_what_failed_is_in_the_log_in_full(server: Server, name: str) -> None:
    server.ask(REQUESTS[name])
    assert "Traceback" not in server.await_stderr(f"ValueError: {TEXT}")


def test_state_that_is_carried_shows_nothing_in_the_log(server: Server) -> None:
    asked = server.ask(ASK)["result"]
    state = asked["requestState"]
    answer = {"pin": {"action": "accept", "content": {"pin": 1234}}}
    for presented in (state, state[:-1], state + "A"):
        params = {**ASK["params"], "requestState": presented, "inputResponses": answer}
        server.ask({**ASK, "params": params})
    server.rest()
    server.wait()
    assert "1234" not in server.stderr()
    assert state[:20] not in server.stderr()
    assert VALUE not in server.stderr()


def test_a_seal_is_compared_in_constant_time(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(source))
    state = importlib.import_module(f"{MODULE}.runtime.state")
    seal = state.Seal(MODULE, 60.0, lambda *_: None)
    compared = []
    compare = hmac.compare_digest

    def watched(one: str, other: str) -> bool:
        compared.append((one, other))
        return compare(one, other)

    monkeypatch.setattr(state.hmac, "compare_digest", watched)
    text = seal.close(state.State({}, {}, {}), "tools/call", {"name": "asks"})
    seal.open(text, "tools/call", {"name": "asks"})
    for wrong in (text[:-1], "", "é", text + "A"):
        with pytest.raises(state.StateError):
            seal.open(wrong, "tools/call", {"name": "asks"})
    assert len(compared) == 5
    for name in [name for name in sys.modules if name.startswith(MODULE)]:
        del sys.modules[name]


def test_level_that_is_none_is_complained_about_without_showing_it(source: Path) -> None:
    with Server(source, MODULE, env={"TOOLMINT_LOG_LEVEL": VALUE}) as server:
        server.await_stderr("TOOLMINT_LOG_LEVEL names no level")
        assert VALUE not in server.stderr()
    assert VALUE not in os.environ.values()
