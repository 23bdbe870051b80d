"""Prompts and completion over real pipes: fixed messages, handlers, and values offered while somebody types."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from protocol_schema import assert_valid
from reference import ROOT
from servers import Server, make_project, request

MODULE = "talk_mcp"

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: talk, version: 0.1.0}
defaults: {ttlMs: 1000, cacheScope: public, pageSize: 5}
tools:
  - name: set_visible
    inputSchema: {type: object, properties: {name: {type: string}, visible: {type: boolean}}, required: [name, visible]}
prompts:
  - name: simple
    description: Says something simple.
    messages: [{role: user, content: Say something simple.}]
  - name: filled
    title: Filled in
    icons: [{src: "https://example.com/i.png"}]
    arguments:
      - {name: topic, description: What about., required: true, complete: [Leases, loans, Lemons, small leaks, alpes]}
      - {name: tone, default: plain}
      - {name: If-Match, complete: [MANY]}
    messages:
      - {role: user, content: 'About {{topic}}, {{ tone }} ({{If-Match}}); \\{{topic}}, \\\\{{topic}}, {topic}, \\n'}
      - {role: assistant, content: {type: text, text: "{{topic}}{{topic}}", annotations: {priority: 1}}}
      - {role: user, content: {type: image, mimeType: image/png, data: AAEC}}
  - name: embedded
    arguments: [{name: uri, required: true}]
    messages:
      - {role: user, content: {type: resource, resource: {uri: "{{uri}}", mimeType: text/plain, text: "At {{uri}}."}}}
      - {role: user, content: {type: resource_link, uri: "a:b", name: "{{uri}}"}}
  - name: 紹介
    messages:
      - {role: user, content: 自己紹介}
      - {role: user, content: {type: resource, resource: {uri: "a:b", text: x}}}
  - name: review
    description: Reviews code.
    arguments:
      - {name: class, description: What to review., required: true, complete: handler}
      - {name: style, default: strict}
      - {name: note, complete: handler}
  - {name: any, arguments: [{name: what, required: true}]}
  - {name: stub}
  - {name: slow, x-toolmint: {timeoutMs: 150}}
resourceTemplates:
  - uriTemplate: item://{kind}/{id}
    name: item
    complete: {kind: [book, film], id: handler}
resources: [{uri: "item://fixed", name: fixed, text: x}]
""".replace("MANY", ", ".join(f"v{number}" for number in range(150)))

HANDLERS = {
    "prompts/review.py": (
        "from talk_mcp.api import Context, PromptMessage, ReviewPromptInput, assistant, user\n"
        "async def review(args: ReviewPromptInput, ctx: Context) -> list[PromptMessage]:\n"
        "    return [user(f'{args.class_} {args.style} {args.note}'), assistant('Well.')]\n"
    ),
    "prompts/any_.py": (
        "from talk_mcp.api import *\n"
        "def any_(args: AnyPromptInput, ctx: Context) -> object:\n    return eval(args.what)\n"
    ),
    "prompts/slow.py": (
        "import asyncio\nfrom talk_mcp.api import Context, SlowPromptInput\n"
        "async def slow(args: SlowPromptInput, ctx: Context) -> str:\n    await asyncio.sleep(60); return 'late'\n"
    ),
    "completions/review_class.py": (
        "from talk_mcp.api import CompletionInput, Context\n"
        "def review_class(args: CompletionInput, ctx: Context) -> list[str]:\n"
        "    return [f'{args.argument} {args.value} {sorted(args.arguments.items())}']\n"
    ),
    "completions/review_note.py": (
        "import asyncio\nfrom talk_mcp.api import *\n"
        "async def review_note(args: CompletionInput, ctx: Context) -> object:\n"
        "    if args.value == 'wait':\n        await asyncio.sleep(0.5)\n"
        "    return eval(args.value)\n"
    ),
    "tools/set_visible.py": (
        "from talk_mcp.api import Context, SetVisibleInput\n"
        "def set_visible(args: SetVisibleInput, ctx: Context) -> str:\n"
        "    (ctx.server.show if args.visible else ctx.server.hide)('prompts', args.name); return 'done'\n"
    ),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = make_project(tmp_path_factory.mktemp("talk"), MANIFEST)
    for name, text in HANDLERS.items():
        assert (source / MODULE / name).exists(), f"no stub {name}"
        (source / MODULE / name).write_text(text)
    return source


@pytest.fixture(scope="module")
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


@pytest.fixture
def fresh(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


def get(server: Server, name: str, arguments: object = None) -> Any:
    given = {} if arguments is None else {"arguments": arguments}
    reply = server.ask(request(1, "prompts/get", name=name, **given))
    assert_valid(reply, "prompts/get")
    return reply


def texts(reply: Any) -> list[str]:
    return [message["content"].get("text") for message in reply["result"]["messages"]]


def complete(server: Server, name: str, argument: str, value: str = "", **more: Any) -> Any:
    kind = {"uri": name} if "://" in name else {"name": name}
    reference = {"type": "ref/resource" if "uri" in kind else "ref/prompt", **kind}
    asked = request(1, "completion/complete", ref=reference, argument={"name": argument, "value": value}, **more)
    reply = server.ask(asked)
    assert_valid(reply, "completion/complete")
    return reply.get("error") or reply["result"]["completion"]


def test_capabilities(server: Server) -> None:
    capabilities = server.ask(request(1, "server/discover"))["result"]["capabilities"]
    assert capabilities["prompts"] == {"listChanged": True}
    assert capabilities["completions"] == {}


def test_list_is_paged_in_the_order_of_the_manifest(server: Server) -> None:
    first = server.ask(request(1, "prompts/list"))
    second = server.ask(request(1, "prompts/list", cursor=first["result"]["nextCursor"]))
    for reply in (first, second):
        assert_valid(reply, "prompts/list")
        assert (reply["result"]["ttlMs"], reply["result"]["cacheScope"]) == (1000, "public")
    listed = first["result"]["prompts"] + second["result"]["prompts"]
    names = ["simple", "filled", "embedded", "紹介", "review", "any", "stub", "slow"]
    assert [prompt["name"] for prompt in listed] == names
    assert listed[1] == {
        "name": "filled",
        "title": "Filled in",
        "icons": [{"src": "https://example.com/i.png"}],
        "arguments": [
            {"name": "topic", "description": "What about.", "required": True},
            {"name": "tone", "default": "plain"},
            {"name": "If-Match"},
        ],
    }


def test_fixed_messages(server: Server) -> None:
    result = get(server, "simple")["result"]
    assert result["description"] == "Says something simple."
    assert result["messages"] == [{"role": "user", "content": {"type": "text", "text": "Say something simple."}}]
    assert get(server, "simple", {})["result"] == result
    first, second = get(server, "紹介")["result"]["messages"]
    assert first["content"]["text"] == "自己紹介"
    assert second["content"]["resource"] == {"uri": "a:b", "text": "x", "mimeType": "text/plain"}


def test_arguments_go_in_where_their_names_stand(server: Server) -> None:
    reply = get(server, "filled", {"topic": "tea"})
    assert texts(reply) == ["About tea, plain (); {{topic}}, \\tea, {topic}, \\n", "teatea", None]
    assert reply["result"]["messages"][1]["content"]["annotations"] == {"priority": 1}
    assert reply["result"]["messages"][2]["content"] == {"type": "image", "mimeType": "image/png", "data": "AAEC"}
    reply = get(server, "filled", {"topic": "", "tone": "dry", "If-Match": "*"})
    assert texts(reply)[0] == "About , dry (*); {{topic}}, \\, {topic}, \\n"


@pytest.mark.parametrize(
    "value",
    ["{{tone}}", "\\{{tone}}", '"}}],"x":[{"', "${x}", "../../etc/passwd", "\n\r\t\0\u2028\ud800", "</s>", "{{"],
)
def test_a_value_is_text_and_nothing_else(server: Server, value: str) -> None:
    assert texts(get(server, "filled", {"topic": value}))[1] == value * 2


def test_an_argument_in_a_uri_must_make_one(server: Server) -> None:
    messages = get(server, "embedded", {"uri": "a:b"})["result"]["messages"]
    assert messages[0]["content"]["resource"] == {"uri": "a:b", "mimeType": "text/plain", "text": "At a:b."}
    assert messages[1]["content"]["name"] == "a:b"
    error = get(server, "embedded", {"uri": "no uri"})["error"]
    assert error["code"] == -32602
    assert "/0/content/resource/uri" in error["message"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (None, "the argument class is required"),
        ({}, "the argument class is required"),
        ({"class": "a", "clas": "b"}, "no argument clas; it has class, style, note"),
        ({"class": 5}, "/class"),
        ({"class": None}, "/class"),
        ([], "arguments"),
        ("class", "arguments"),
    ],
)
def test_arguments_are_checked(server: Server, arguments: object, words: str) -> None:
    error = get(server, "review", arguments)["error"]
    assert error["code"] == -32602
    assert words in error["message"]


def test_handler_gets_typed_arguments(server: Server) -> None:
    reply = get(server, "review", {"class": "C"})
    assert texts(reply) == ["C strict None", "Well."]
    assert [message["role"] for message in reply["result"]["messages"]] == ["user", "assistant"]
    assert reply["result"]["description"] == "Reviews code."
    assert texts(get(server, "review", {"class": "", "style": "", "note": "n"}))[0] == "  n"


@pytest.mark.parametrize(
    ("expression", "messages"),
    [
        ("'hi'", [("user", {"type": "text", "text": "hi"})]),
        ("text('hi')", [("user", {"type": "text", "text": "hi"})]),
        ("b'GIF89a'", [("user", {"type": "image", "mimeType": "image/gif", "data": "R0lGODlh"})]),
        ("{'role': 'assistant', 'content': text('x')}", [("assistant", {"type": "text", "text": "x"})]),
        (
            "['a', assistant(audio(b'OggS')), user(resource_link('a:b', 'b'))]",
            [
                ("user", {"type": "text", "text": "a"}),
                ("assistant", {"type": "audio", "mimeType": "audio/ogg", "data": "T2dnUw=="}),
                ("user", {"type": "resource_link", "uri": "a:b", "name": "b"}),
            ],
        ),
        (
            "user(embedded_text('a:b', 'x'))",
            [("user", {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "x"}})],
        ),
    ],
)
def test_what_a_handler_may_return(server: Server, expression: str, messages: list[tuple[str, Any]]) -> None:
    result = get(server, "any", {"what": expression})["result"]
    assert [(message["role"], message["content"]) for message in result["messages"]] == messages
    assert "description" not in result


def test_result_with_a_description_and_metadata_of_its_own(server: Server) -> None:
    result = get(server, "any", {"what": "PromptResult('x', description='D', meta={'a/b': 1})"})["result"]
    assert result["description"] == "D"
    assert result["_meta"]["a/b"] == 1


@pytest.mark.parametrize(
    "expression",
    [
        "1/0",
        "None",
        "[]",
        "7",
        "{'role': 'system', 'content': text('x')}",
        "{'role': 'user', 'content': [text('x')]}",
        "{'role': 'user'}",
        "user({'type': 'text'})",
        "user({'type': 'image', 'data': '?', 'mimeType': 'image/png'})",
        "user(text({1}))",
    ],
)
def test_failure_is_told_in_neutral_words_and_logged(server: Server, expression: str) -> None:
    logged = server.stderr().count("prompt any failed")
    error = get(server, "any", {"what": expression})["error"]
    assert error == {"code": -32603, "message": "Internal error in the prompt any"}
    deadline = time.monotonic() + 5
    while server.stderr().count("prompt any failed") == logged:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_refusals_of_a_handler(server: Server) -> None:
    error = get(server, "any", {"what": "(_ for _ in ()).throw(InvalidParams('no such topic'))"})["error"]
    assert error == {"code": -32602, "message": "no such topic"}
    assert get(server, "stub")["error"]["message"] == "The prompt stub is not implemented yet"
    assert "0.15 s" in get(server, "slow")["error"]["message"]


@pytest.mark.parametrize("name", ["nope", "", "Simple", "x" * 10_000])
def test_unknown_prompt(server: Server, name: str) -> None:
    error = get(server, name)["error"]
    assert error["code"] == -32602
    assert len(error["message"]) < 300


def test_hidden_prompt_is_unknown_until_it_is_shown(fresh: Server) -> None:
    fresh.send(request("listen", "subscriptions/listen", notifications={"promptsListChanged": True}))
    assert_valid(fresh.receive())
    for visible in (False, True):
        fresh.send(request(2, "tools/call", name="set_visible", arguments={"name": "filled", "visible": visible}))
        replies = [fresh.receive(), fresh.receive()]
        (notification,) = (reply for reply in replies if "method" in reply)
        assert_valid(notification)
        assert notification["method"] == "notifications/prompts/list_changed"
        names = [prompt["name"] for prompt in fresh.ask(request(3, "prompts/list"))["result"]["prompts"]]
        assert ("filled" in names) is visible
        assert ("result" in get(fresh, "filled", {"topic": "x"})) is visible
        assert ("values" in complete(fresh, "filled", "topic")) is visible


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", ["Leases", "loans", "Lemons", "small leaks", "alpes"]),
        ("le", ["Leases", "Lemons", "small leaks", "alpes"]),
        ("LEA", ["Leases", "small leaks"]),
        ("lns", ["loans", "Lemons"]),
        ("x", []),
        ("leases and more", []),
    ],
)
def test_fixed_values_best_first(server: Server, typed: str, values: list[str]) -> None:
    assert complete(server, "filled", "topic", typed) == {"values": values, "total": len(values), "hasMore": False}


def test_a_hundred_values_at_most(server: Server) -> None:
    found = complete(server, "filled", "If-Match", "V")
    assert found == {"values": [f"v{number}" for number in range(100)], "total": 150, "hasMore": True}


def test_arguments_without_values(server: Server) -> None:
    for name, argument in (("filled", "tone"), ("review", "style"), ("any", "what")):
        assert complete(server, name, argument) == {"values": [], "total": 0, "hasMore": False}


def test_variables_of_templates(server: Server) -> None:
    assert complete(server, "item://{kind}/{id}", "kind", "b")["values"] == ["book"]
    assert complete(server, "item://{kind}/{id}", "id")["message"].endswith("is not implemented yet")


def test_handler_is_told_what_is_known(server: Server) -> None:
    known = {"arguments": {"style": "s", "note": "n"}}
    found = complete(server, "review", "class", "C", context=known)
    assert found["values"] == ["class C [('note', 'n'), ('style', 's')]"]
    assert complete(server, "review", "class", "C", context={})["values"] == ["class C []"]


@pytest.mark.parametrize(
    ("expression", "total", "more", "count"),
    [
        ("[]", 0, False, 0),
        ("('a', 'b')", 2, False, 2),
        ("[str(n) for n in range(100)]", 100, False, 100),
        ("[str(n) for n in range(250)]", 250, True, 100),
        ("CompletionResult(['a'], total=7)", 7, True, 1),
        ("CompletionResult(['a'], total=1)", 1, False, 1),
        ("CompletionResult(['a'], has_more=True)", None, True, 1),
        ("CompletionResult(['a'] * 200, total=1000)", 1000, True, 100),
    ],
)
def test_totals(server: Server, expression: str, total: int | None, more: bool, count: int) -> None:
    found = complete(server, "review", "note", expression)
    assert (found.get("total"), found["hasMore"], len(found["values"])) == (total, more, count)


@pytest.mark.parametrize("expression", ["1/0", "None", "'text'", "[1]", "CompletionResult(['a'], total='x')"])
def test_failing_completer(server: Server, expression: str) -> None:
    error = complete(server, "review", "note", expression)
    assert error == {"code": -32603, "message": "Internal error in the completion note of review"}


def test_refusal_of_a_completer(server: Server) -> None:
    error = complete(server, "review", "note", "(_ for _ in ()).throw(InvalidParams('odd'))")
    assert error == {"code": -32602, "message": "odd"}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "filled"}},
        {"argument": {"name": "topic", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "filled"}, "argument": {"name": "topic"}},
        {"ref": {"type": "ref/prompt", "name": "filled"}, "argument": {"name": "topic", "value": 5}},
        {"ref": {"type": "ref/prompt", "name": "filled"}, "argument": {"name": "nope", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "topic", "value": ""}},
        {"ref": {"type": "ref/prompt", "uri": "item://{kind}/{id}"}, "argument": {"name": "kind", "value": ""}},
        {"ref": {"type": "ref/resource", "name": "filled"}, "argument": {"name": "topic", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "item://nope"}, "argument": {"name": "kind", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "item://fixed"}, "argument": {"name": "kind", "value": ""}},
        {"ref": {"type": "ref/tool", "name": "filled"}, "argument": {"name": "topic", "value": ""}},
        {
            "ref": {"type": "ref/prompt", "name": "filled"},
            "argument": {"name": "topic", "value": ""},
            "context": {"arguments": [1]},
        },
        {
            "ref": {"type": "ref/prompt", "name": "filled"},
            "argument": {"name": "topic", "value": ""},
            "context": {"arguments": {"tone": 1}},
        },
    ],
)
def test_what_cannot_be_completed(server: Server, params: dict[str, Any]) -> None:
    reply = server.ask(request(1, "completion/complete", **params))
    assert_valid(reply)
    assert reply["error"]["code"] == -32602


def test_a_flood_of_completions_is_bounded_and_delays_nobody(fresh: Server) -> None:
    reference = {"type": "ref/prompt", "name": "review"}
    ask = {"ref": reference, "argument": {"name": "note", "value": "wait"}}
    fresh.ask(request("warm", "completion/complete", ref=reference, argument={"name": "note", "value": "[]"}))
    fresh.send(*(request(number, "completion/complete", **ask) for number in range(200)))
    fresh.send(request("other", "prompts/get", name="simple"))
    replies = [fresh.receive() for _ in range(201)]
    refused = [reply for reply in replies if "Too many completions" in reply.get("error", {}).get("message", "")]
    assert len(refused) >= 150
    order = [reply["id"] for reply in replies]
    assert order.index("other") < len(order) - 8


def test_stubs_and_generated_code_are_clean(source: Path) -> None:
    folder = make_project(source.parent / "stubs", MANIFEST).parent
    handlers = [f"src/{MODULE}/{name}" for name in ("prompts", "completions", "resources", "routes")]
    emitted = ["tests", f"src/{MODULE}/validators", f"src/{MODULE}/dispatch.py", *handlers]
    for command in (
        ["mypy", "--strict", "src"],
        ["ruff", "check", *emitted],
        ["ruff", "check", "--config", str(ROOT / "pyproject.toml"), *handlers],
        ["ruff", "format", "--check", *emitted],
        ["pytest", "-q", "-p", "no:cacheprovider"],
    ):
        checked = subprocess.run(
            [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr


async def _use(source: Path) -> dict[str, Any]:
    parameters = StdioServerParameters(command=sys.executable, args=["-m", MODULE], env={"PYTHONPATH": str(source)})
    async with Client(parameters) as client:
        prompts = (await client.list_prompts()).prompts
        filled = await client.get_prompt("filled", {"topic": "tea"})
        templates = (await client.list_resource_templates()).resource_templates
        resource = await client.read_resource("item://fixed")
        return {
            "prompts": [prompt.name for prompt in prompts],
            "text": filled.messages[1].content.text,  # type: ignore[union-attr]
            "templates": [template.uri_template for template in templates],
            "resource": resource.contents[0].text,  # type: ignore[union-attr]
        }


def test_the_official_client_uses_them(source: Path) -> None:
    found = asyncio.run(_use(source))
    assert found["prompts"][:2] == ["simple", "filled"]
    assert found["text"] == "teatea"
    assert found["templates"] == ["item://{kind}/{id}"]
    assert found["resource"] == "x"


def test_only_what_completes_is_advertised(tmp_path: Path) -> None:
    manifest = (
        MANIFEST[: MANIFEST.index("tools:")]
        + "prompts: [{name: a, arguments: [{name: b}], messages: [{role: user, content: x}]}]\n"
    )
    source = make_project(tmp_path, manifest)
    for folder in ("prompts", "completions", "resources"):
        assert not (source / MODULE / folder).exists()
    with Server(source, MODULE) as server:
        assert server.ask(request(1, "server/discover"))["result"]["capabilities"].keys() == {"logging", "prompts"}
        asked = request(
            2, "completion/complete", ref={"type": "ref/prompt", "name": "a"}, argument={"name": "b", "value": ""}
        )
        assert server.ask(asked)["error"]["code"] == -32601
        assert json.dumps(get(server, "a")["result"]["messages"])
