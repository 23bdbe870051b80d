"""The limits that a manifest sets: each with the error that says what to do, for plain and async handlers."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import META, Server, call, make_project, request

MODULE = "bounded_mcp"

MANIFEST = """\
toolmint: 1
protocol: ["2026-07-28", "2025-11-25"]
server: {name: bounded, version: 0.1.0}
defaults: {maxCalls: 2, maxResultBytes: 2000, maxTotalCalls: 6, maxLineBytes: 4096}
tools:
  - {name: waits, description: Waits., inputSchema: &input {type: object, properties: {n: {type: number}}}}
  - {name: async_waits, description: Waits., inputSchema: *input, x-toolmint: {maxCalls: 3}}
  - {name: free, description: Waits., inputSchema: *input, x-toolmint: {maxCalls: 0, maxResultBytes: 0}}
  - {name: stubborn, description: Waits., inputSchema: *input, x-toolmint: {maxCalls: 1, timeoutMs: 100}}
  - {name: rare, description: Is called now and then., x-toolmint: {rate: {perMinute: 600, burst: 3}}}
  - {name: never, description: Fails to load., x-toolmint: {maxCalls: 1}}
  - {name: fails, description: Fails., x-toolmint: {maxCalls: 1}}
  - {name: async_fails, description: Fails., x-toolmint: {maxCalls: 1}}
  - {name: says, description: Says much., inputSchema: *input}
  - {name: async_says, description: Says much., inputSchema: *input}
  - {name: structured, description: Says much., inputSchema: *input, outputSchema: {type: string}}
resources:
  - {uri: "doc://waits", name: reading}
  - {uri: "doc://large", name: large}
prompts:
  - {name: writing}
"""
WAIT = "import time\ndef {name}(args, ctx):\n    time.sleep(args.n)\n    return 'done'\n"
HANDLERS = {
    "tools/waits.py": WAIT.format(name="waits"),
    "tools/free.py": "import time\ndef free(args, ctx):\n    time.sleep(args.n)\n    return 'x' * 3000\n",
    "tools/stubborn.py": WAIT.format(name="stubborn"),
    "tools/async_waits.py": "import asyncio\nasync def async_waits(args, ctx):\n    await asyncio.sleep(args.n)\n    return 'done'\n",
    "tools/rare.py": "def rare(args, ctx):\n    return 'done'\n",
    "tools/never.py": "import no_such_module\n",
    "tools/fails.py": "def fails(args, ctx):\n    raise ValueError\n",
    "tools/async_fails.py": "async def async_fails(args, ctx):\n    raise ValueError\n",
    "tools/says.py": "def says(args, ctx):\n    return 'é' * int(args.n)\n",
    "tools/async_says.py": "async def async_says(args, ctx):\n    return 'é' * int(args.n)\n",
    "tools/structured.py": "def structured(args, ctx):\n    return 'é' * int(args.n)\n",
    "resources/reading.py": "import time\ndef reading(args, ctx):\n    time.sleep(0.4)\n    return 'done'\n",
    "resources/large.py": "def large(args, ctx):\n    return 'x' * 3000\n",
    "prompts/writing.py": "def writing(args, ctx):\n    return 'Write.'\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = make_project(tmp_path_factory.mktemp("bounded"), MANIFEST)
    for name, text in HANDLERS.items():
        (source / MODULE / name).write_text(text, encoding="utf-8")
    return source


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


def text_of(reply: Any) -> str:
    return "".join(block["text"] for block in reply["result"]["content"])


def answers(server: Server, count: int) -> dict[Any, Any]:
    return {reply["id"]: reply for reply in (server.receive() for _ in range(count))}


@pytest.mark.parametrize(("tool", "most"), [("waits", 2), ("async_waits", 3)])
def test_calls_of_one_tool_at_once(server: Server, tool: str, most: int) -> None:
    server.ask(call("warm", tool, {"n": 0}))
    server.send(*(call(n, tool, {"n": 0.3}) for n in range(most + 2)))
    replies = answers(server, most + 2)
    refused = [id_ for id_, reply in replies.items() if reply["result"].get("isError")]
    assert len(refused) == 2
    assert {text_of(replies[id_]) for id_ in refused} == {
        f"Too many calls of {tool} at once: at most {most}; try again when one has ended"
    }
    assert text_of(server.ask(call("again", tool, {"n": 0}))) == "done"


@pytest.mark.parametrize("tool", ["fails", "async_fails", "never"])
def test_calls_that_fail_count_no_longer(server: Server, tool: str) -> None:
    for n in range(3):
        assert text_of(server.ask(call(n, tool))) == f"Error executing tool {tool}"


def test_handler_counts_until_it_has_really_ended(server: Server) -> None:
    assert "did not finish" in text_of(server.ask(call(1, "stubborn", {"n": 0.6})))
    assert text_of(server.ask(call(2, "stubborn", {"n": 0}))).startswith("Too many calls of stubborn at once")
    deadline = time.monotonic() + 5
    while text_of(server.ask(call(3, "stubborn", {"n": 0}))) != "done":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_cancelled_async_call_makes_room(server: Server) -> None:
    server.send(*(call(n, "async_waits", {"n": 60}) for n in range(3)))
    server.ask(request("list", "tools/list"))
    for n in range(3):
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": n}})
    deadline = time.monotonic() + 5
    while text_of(server.ask(call("again", "async_waits", {"n": 0}))) != "done":
        assert time.monotonic() < deadline


def test_calls_of_everything_at_once(server: Server) -> None:
    for message in (call("warm", "free", {"n": 0}), request("warm", "prompts/get", name="writing")):
        server.ask(message)
    server.send(*(call(n, "free", {"n": 0.5}) for n in range(5)), request(5, "resources/read", uri="doc://waits"))
    server.ask(request("list", "tools/list"))
    text = "Too many calls at once: at most 6; try again when one has ended"
    refused = server.ask(call("one more", "waits", {"n": 0}))
    assert refused["result"]["isError"] is True
    assert text_of(refused) == text
    for message in (request(7, "prompts/get", name="writing"), request(8, "resources/read", uri="doc://large")):
        assert server.ask(message)["error"] == {"code": -32603, "message": text}
    assert answers(server, 6).keys() == set(range(6))
    assert server.ask(request(9, "prompts/get", name="writing"))["result"]["messages"]


def test_rate_of_one_tool(server: Server) -> None:
    replies = [server.ask(call(n, "rare")) for n in range(6)]
    refused = [text_of(reply) for reply in replies if reply["result"].get("isError")]
    assert 1 <= len(refused) <= 3
    assert refused[0].startswith("Too many calls of rare: at most 600 a minute, and 3 in a row; try again in 0.")
    time.sleep(0.25)  # ten a second
    assert text_of(server.ask(call("later", "rare"))) == "done"


def test_arguments_that_break_the_schema_do_not_count(server: Server) -> None:
    for n in range(6):
        assert "expected" in text_of(server.ask(call(n, "rare", {"unknown": 1})))
    assert text_of(server.ask(call("right", "rare"))) == "done"


@pytest.mark.parametrize("tool", ["says", "async_says", "structured"])
def test_size_of_a_result(server: Server, tool: str) -> None:
    small = server.ask(call(1, tool, {"n": 100}))
    assert text_of(small) == (json.dumps("é" * 100) if tool == "structured" else "é" * 100)
    assert ("structuredContent" in small["result"]) is (tool == "structured")
    large = server.ask(call(2, tool, {"n": 400}))
    assert large["result"]["isError"] is True
    assert "structuredContent" not in large["result"]
    assert text_of(large).startswith(f"The result of {tool} has ")
    assert text_of(large).endswith(" bytes, more than the 2000 allowed: ask for less")
    assert len(json.dumps(large)) < 2000


def test_size_of_a_result_of_something_else(server: Server) -> None:
    error = server.ask(request(1, "resources/read", uri="doc://large"))["error"]
    assert error["code"] == -32603
    assert "more than the 2000 allowed" in error["message"]
    assert len(text_of(server.ask(call(2, "free", {"n": 0})))) == 3000


def test_size_of_a_line(server: Server) -> None:
    line = json.dumps(call(1, "says", {"n": 1})).encode()
    assert server.ask(line + b" " * (4096 - len(line)) + b"\n")["id"] == 1
    error = server.ask(line + b" " * (4097 - len(line)) + b"\n")["error"]
    assert error == {"code": -32700, "message": "Parse error: a line of more than 4096 bytes"}


def test_in_the_handshake_era_they_hold_too(server: Server) -> None:
    client = {"name": "x", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    server.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def old(id_: object, tool: str, **arguments: object) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}

    assert text_of(server.ask(old(1, "says", n=1))) == "é"
    assert "more than the 2000 allowed" in text_of(server.ask(old(2, "says", n=1000)))
    server.send(*(old(n, "waits", n=0.3) for n in range(10, 14)))
    replies = answers(server, 4)
    assert sum(reply["result"].get("isError", False) for reply in replies.values()) == 2


def test_rate_and_calls_of_everything_above_what_the_transport_runs_by_itself(tmp_path: Path) -> None:
    manifest = (
        'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: wide, version: 0.1.0}\n'
        "defaults: {maxTotalCalls: 300, totalRate: {perMinute: 6, burst: 310}}\n"
        "tools:\n  - {name: waits, description: Waits.}\n"
    )
    handler = "import asyncio\nasync def waits(args, ctx):\n    await asyncio.sleep(0.5)\n    return 'done'\n"
    source = make_project(tmp_path, manifest, {"waits": handler})
    with Server(source, "wide_mcp") as server:
        server.send(*(call(n, "waits") for n in range(305)))
        texts = [text_of(reply) for reply in answers(server, 305).values()]
        assert texts.count("done") == 300
        assert texts.count("Too many calls at once: at most 300; try again when one has ended") == 5
        server.send(*(call(n, "waits") for n in range(11)))
        texts = [text_of(reply) for reply in answers(server, 11).values()]
        assert texts.count("done") == 10
        (refused,) = (text for text in texts if text != "done")
        assert refused.startswith("Too many calls: at most 6 a minute, and 310 in a row; try again in ")


def test_a_server_without_limits_loads_nothing_of_them(tmp_path: Path) -> None:
    manifest = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: free, version: 0.1.0}\ntools:\n  - {name: t, description: T.}\n'
    handler = "import sys\ndef t(args, ctx):\n    return str('free_mcp.runtime.limits' in sys.modules)\n"
    with Server(make_project(tmp_path, manifest, {"t": handler}), "free_mcp") as server:
        assert text_of(server.ask({**call(1, "t"), "params": {"name": "t", "arguments": {}, "_meta": META}})) == "False"
