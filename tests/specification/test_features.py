"""Tools, prompts and resources, and what helps to use them: lists, caching, completion, logging."""

import base64
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from servers import Server, call, make_project, request
from specification.rules_server import MODULE
from specification.talking import (
    PREFIX,
    PROJECTS,
    SUBSCRIPTION,
    able,
    accept,
    code_of,
    complete,
    listed,
    listen,
    open_project,
    pages,
    prompt,
    quick,
    read,
    retry,
    text_of,
    until_reply,
    with_meta,
)

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}

# Lists, of whatever


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Servers that have one kind of thing each."""
    head = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: bare, version: 0.1.0}\n'
    kinds = {
        "tools": "tools: [{name: t}]",
        "prompts": "prompts: [{name: p, messages: [{role: user, content: Hello.}]}]",
        "resources": 'resourceTemplates: [{uriTemplate: "a:{b}", name: r}]',
    }
    folder = tmp_path_factory.mktemp("bare")
    return {kind: make_project(folder / kind, f"{head}{text}\n") for kind, text in kinds.items()}


METHODS = {
    "tools": ["tools/list", "tools/call"],
    "prompts": ["prompts/list", "prompts/get"],
    "resources": ["resources/list", "resources/templates/list", "resources/read"],
    "completions": ["completion/complete"],
}


@pytest.mark.parametrize("kind", ["tools", "prompts", "resources"])
def test_what_a_server_has_is_declared_and_what_it_has_not_is_unknown(bare: dict[str, Path], kind: str) -> None:
    with Server(bare[kind], "bare_mcp") as server:
        capabilities = server.ask(request(1, "server/discover"))["result"]["capabilities"]
        assert capabilities.keys() == {"logging", kind}
        for other, methods in METHODS.items():
            for method in methods:
                known = code_of(server.ask(request(1, method))) != -32601
                assert known is (other == kind)
        for method in METHODS[kind]:
            if method in LISTS:
                entries = server.ask(request(1, method))["result"][LISTS[method]]
                assert len(entries) == (0 if method == "resources/list" else 1)


def test_capabilities_of_the_rules_server(server: Server) -> None:
    capabilities = server.ask(request(1, "server/discover"))["result"]["capabilities"]
    assert capabilities == {
        "logging": {},
        "completions": {},
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
    }


@pytest.mark.parametrize("method", LISTS)
def test_list_is_the_same_everywhere_and_always(server: Server, source: Path, method: str) -> None:
    before = pages(server, method, LISTS[method])
    server.send(*(call(n, "fails") for n in range(100)))
    for _ in range(100):
        server.receive()
    assert pages(server, method, LISTS[method]) == before
    for seed in ("1", "2"):
        with Server(source, MODULE, env={"PYTHONHASHSEED": seed}) as other:
            assert pages(other, method, LISTS[method]) == before


def test_cursor_is_good_twice_and_in_another_process(server: Server, source: Path) -> None:
    cursor = server.ask(request(1, "tools/list"))["result"]["nextCursor"]
    message = request(1, "tools/list", cursor=cursor)
    reply = server.ask(message)
    assert reply["result"]["tools"]
    assert server.ask(message) == reply
    with Server(source, MODULE) as other:
        assert other.ask(message) == reply


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize(
    "cursor", ["", "x", "0", "x" * 1_000_000, "\0", 5, None, [], {}, True], ids=lambda c: repr(c)[:9]
)
def test_cursor_that_was_not_given_out_is_refused(server: Server, method: str, cursor: object) -> None:
    assert code_of(server.ask(request(1, method, cursor=cursor))) == -32602
    quick(server)


def test_cursor_of_another_list_is_refused(server: Server) -> None:
    cursor = server.ask(request(1, "tools/list"))["result"]["nextCursor"]
    for method in LISTS.keys() - {"tools/list"}:
        assert code_of(server.ask(request(1, method, cursor=cursor))) == -32602


# Caching


CACHEABLE = [
    request(1, "server/discover"),
    *(request(1, method) for method in LISTS),
    *(read(1, uri) for uri in ("rules://text", "rules://file", "rules://bytes", "item://first", "tree:///notes.txt")),
]


@pytest.mark.parametrize("message", CACHEABLE, ids=lambda message: str(message["params"].get("uri", message["method"])))
def test_what_can_be_kept_says_how_long_and_for_whom(server: Server, message: dict[str, Any]) -> None:
    result = server.ask(message)["result"]
    assert type(result["ttlMs"]) is int
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] in ("public", "private")


@pytest.mark.parametrize("method", LISTS)
def test_all_pages_of_a_list_may_be_kept_alike(server: Server, method: str) -> None:
    found = set()
    cursor: dict[str, str] = {}
    while True:
        result = server.ask(request(1, method, **cursor))["result"]
        found.add((result["ttlMs"], result["cacheScope"]))
        if "nextCursor" not in result:
            break
        cursor = {"cursor": result["nextCursor"]}
    assert found == {(60000, "public")}


def test_only_what_is_said_to_be_public_is(server: Server, bare: dict[str, Path]) -> None:
    assert server.ask(read(1, "rules://private"))["result"]["cacheScope"] == "private"
    assert server.ask(read(1, "rules://text"))["result"]["cacheScope"] == "public"
    with Server(bare["resources"], "bare_mcp") as unsaid:
        for message in (request(1, "server/discover"), request(1, "resources/list")):
            result = unsaid.ask(message)["result"]
            assert (result["ttlMs"], result["cacheScope"]) == (0, "private")


def test_question_is_not_kept_and_neither_is_what_an_answer_gave(server: Server) -> None:
    message = able(read(1, "rules://asks"))
    question = server.ask(message)
    assert not {"ttlMs", "cacheScope"} & question["result"].keys()
    result = server.ask(retry(message, 2, question, form=accept(count=1)))["result"]
    assert result["resultType"] == "complete"
    assert result["ttlMs"] == 0


# Tools


@pytest.mark.parametrize("name", [*PROJECTS, "rules"])
def test_tools_have_names_and_schemas_that_clients_can_use(source: Path, name: str) -> None:
    with Server(source, MODULE) if name == "rules" else open_project(name) as server:
        tools = listed(server, "tools/list", "tools")
    names = [tool["name"] for tool in tools]
    assert len(set(names)) == len(names)
    for tool in tools:
        assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", tool["name"])
        assert tool["inputSchema"]["type"] == "object"


def test_tool_names_are_case_sensitive(server: Server) -> None:
    assert code_of(server.ask(call(1, "Echo", {"value": "x"}))) == -32602


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def marks(schema: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Return every subschema with an x-mcp-header, wherever it stands, and the keys that lead there."""
    found = []
    if isinstance(schema, dict):
        if isinstance(schema.get("x-mcp-header"), str):
            found.append((path, schema))
        for key, value in schema.items():
            found += marks(value, (*path, key))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            found += marks(value, (*path, str(index)))
    return found


def test_mirrored_arguments_are_ones_that_a_header_can_hold(server: Server) -> None:
    with open_project("conformance") as conformance:
        tools = [*listed(server, "tools/list", "tools"), *listed(conformance, "tools/list", "tools")]
    all_marks = 0
    for tool in tools:
        found = marks(tool["inputSchema"])
        headers = [part["x-mcp-header"] for _, part in found]
        assert len({header.lower() for header in headers}) == len(headers)
        for path, part in found:
            assert TOKEN.fullmatch(part["x-mcp-header"])
            assert part["type"] in ("string", "boolean", "integer")
            assert set(path[::2]) == {"properties"}
            assert not re.search("password|token|secret|api.?key|ssn", path[-1], re.IGNORECASE)
        all_marks += len(found)
    assert all_marks >= 4


@pytest.mark.parametrize("value", [None, 0, 1.5, "text", [], [1, "a"], {"a": None}], ids=repr)
def test_structured_content_goes_out_as_text_too(server: Server, value: object) -> None:
    result = server.ask(call(1, "structured", {"value": value}))["result"]
    assert result["structuredContent"] == value
    (block,) = result["content"]
    assert json.loads(block["text"]) == value


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, {"n": "one"}, {"n": None}, {"n": 1.5}], ids=repr)
def test_result_that_breaks_its_contract_is_not_sent(server: Server, value: object) -> None:
    result = server.ask(call(1, "misfit", {"value": value}))["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert text_of({"result": result}) == "Error executing tool misfit"
    assert server.ask(call(2, "misfit", {"value": {"n": 1}}))["result"]["structuredContent"] == {"n": 1}


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({"n": 5}, True),
        ({"n": 5.0}, True),
        ({"n": 2**53 - 1}, True),
        ({"n": 2**53 + 1}, False),
        ({"n": -1}, False),
        ({"n": 5.5}, False),
        ({"n": "5"}, False),
        ({"n": True}, False),
        ({"n": None}, False),
        ({"n": 1, "flag": 1}, False),
        ({"n": 1, "flag": True}, True),
        ({"n": 1, "other": 1}, False),
        ({}, False),
    ],
    ids=repr,
)
def test_arguments_are_held_to_their_schema(server: Server, arguments: dict[str, Any], fits: bool) -> None:
    reply = server.ask(call(1, "integers", arguments))
    assert reply["result"].get("isError", False) is not fits
    if not fits:
        assert "/" in text_of(reply)


def test_failure_of_a_tool_is_a_result_and_of_finding_it_an_error(server: Server) -> None:
    for name, text in (("refuses", "Try another one."), ("fails", "Error executing tool fails")):
        reply = server.ask(call(1, name))
        assert reply["result"]["isError"] is True
        assert text_of(reply) == text
    assert code_of(server.ask(call(1, "missing"))) == -32602


@pytest.mark.parametrize(
    "value", ["\x00\x1b[2J\x7f", "\ud800", "\ufffe", "a\r\nb\u0085c\u2028d\u2029e", "𝄞 日本 é"], ids=ascii
)
def test_text_of_any_kind_is_valid_on_the_wire(server: Server, value: str) -> None:
    assert text_of(server.ask(call(1, "echo", {"value": value}))) == value


def test_flood_of_calls_is_bounded_and_holds_nothing_else_up(fresh: Server) -> None:
    quick(fresh)
    fresh.send(*(call(n, "slow", {"seconds": 1}) for n in range(400)), request("other", "server/discover"))
    tasks = Path(f"/proc/{fresh.process.pid}/task")
    most = 0
    replies = []
    while len(replies) < 401:
        replies.append(fresh.receive()["id"])
        if tasks.is_dir() and len(replies) % 20 == 0:
            most = max(most, len(list(tasks.iterdir())))
    assert replies.index("other") < 200
    replies.remove("other")
    assert sorted(replies) == list(range(400))
    assert most < 300


def test_tool_that_embeds_goes_with_resources(server: Server) -> None:
    (block,) = server.ask(call(1, "embeds"))["result"]["content"]
    assert block["type"] == "resource"
    assert "resources" in server.ask(request(2, "server/discover"))["result"]["capabilities"]


# Prompts


def test_content_of_prompts_says_what_it_is(server: Server) -> None:
    messages = server.ask(prompt(1, "media"))["result"]["messages"]
    text, image, audio, embedded, binary = (message["content"] for message in messages)
    assert text["type"] == "text"
    assert (image["mimeType"], base64.b64decode(image["data"], validate=True)[:4]) == ("image/png", b"\x89PNG")
    assert audio["mimeType"].startswith("audio/")
    assert base64.b64decode(audio["data"], validate=True)[:4] == b"RIFF"
    for block in (embedded, binary):
        resource = block["resource"]
        assert re.fullmatch(r"[a-z]+:\S+", resource["uri"])
        assert resource["mimeType"]
        assert len({"text", "blob"} & resource.keys()) == 1
    assert base64.b64decode(binary["resource"]["blob"], validate=True) == b"\x00\x01\xff"


@pytest.mark.parametrize(
    "message",
    [
        prompt(1, "missing"),
        prompt(1, "Fixed", {"topic": "x"}),
        prompt(1, "fixed"),
        prompt(1, "fixed", {"topic": "x", "unknown": "y"}),
        *(prompt(1, "fixed", {"topic": value}) for value in (5, None, [], {})),
        *(prompt(1, "fixed", arguments) for arguments in ([], "x", 5)),
        request(1, "prompts/get", name=5),
        request(1, "prompts/get"),
    ],
    ids=lambda message: json.dumps(message["params"])[:60],
)
def test_prompt_that_cannot_be_got_is_refused(server: Server, message: dict[str, Any]) -> None:
    assert code_of(server.ask(message)) == -32602


def test_failure_inside_is_neutral(server: Server) -> None:
    for message in (prompt(1, "fails"), read(1, "rules://fails"), complete(1, "fails", "broken")):
        error = server.ask(message)["error"]
        assert error["code"] == -32603
        assert not re.search("hunter2|ValueError|Traceback", json.dumps(error))


@pytest.mark.parametrize("value", ["{{tone}}", "${HOME}", "../../etc/passwd", "{0}%s", '"}]', "\n\u2028", "{% raw %}"])
def test_argument_of_a_prompt_stays_text(server: Server, value: str) -> None:
    messages = server.ask(prompt(1, "fixed", {"topic": value, "tone": "T"}))["result"]["messages"]
    assert messages == [{"role": "user", "content": {"type": "text", "text": f"About {value} in T."}}]


# Resources


@pytest.mark.parametrize(
    "uri",
    [
        *("rules://missing", "item://third", "tree:///missing.txt", "other:thing", "", "no scheme", "x" * 100_000),
        *("item://\0", "item://%00", "item://%zz", "item://%ff", "item://a/b", "tree:///"),
    ],
    ids=lambda uri: uri[:20],
)
def test_resource_that_is_not_there_is_an_error_that_names_it(server: Server, uri: str) -> None:
    reply = server.ask(read(1, uri))
    assert code_of(reply) == -32602
    assert reply["error"]["data"] == {"uri": uri}


@pytest.mark.parametrize("uri", [5, None, [], {}, True], ids=repr)
def test_uri_that_is_no_text_is_refused(server: Server, uri: object) -> None:
    assert code_of(server.ask(request(1, "resources/read", uri=uri))) == -32602
    assert code_of(server.ask(request(1, "resources/read"))) == -32602


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../outside.txt",
            "../../../../../../../../etc/passwd",
            "files/../../outside.txt",
            "a/../../outside.txt",
            ".",
        ),
        *("%2e%2e%2foutside.txt", "..%2foutside.txt", "%2E%2E/outside.txt", "%252e%252e/outside.txt"),
        *("/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "link.txt", "..\\outside.txt"),
        *("notes.txt%00.png", "\u2025/outside.txt"),
    ],
)
def test_nothing_outside_of_the_served_files_is_read(server: Server, path: str) -> None:
    assert code_of(server.ask(read(1, f"tree:///{path}"))) == -32602
    assert server.ask(read(2, "tree:///notes.txt"))["result"]["contents"][0]["text"] == "Some notes."


def test_bytes_come_as_base64_and_text_as_text(server: Server) -> None:
    def content(uri: str) -> dict[str, Any]:
        (found,) = server.ask(read(1, uri))["result"]["contents"]
        assert len({"text", "blob"} & found.keys()) == 1
        return found  # type: ignore[no-any-return]

    assert content("rules://bytes")["blob"] == base64.b64encode(bytes(range(256))).decode()
    assert content("rules://blob")["blob"] == "AAH/"
    assert content("rules://text")["text"] == "Some text."
    assert base64.b64decode(content("rules://not-utf-8")["blob"], validate=True) == b"caf\xe9"


URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]*")


@pytest.mark.parametrize("name", ["contracts", "conformance"])
def test_uris_have_schemes_of_their_own(server: Server, name: str) -> None:
    with open_project(name) as project:
        for running in (server, project):
            uris = [entry["uri"] for entry in listed(running, "resources/list", "resources")]
            uris += [
                re.sub(r"\{[^}]*\}", "x", entry["uriTemplate"])
                for entry in listed(running, "resources/templates/list", "resourceTemplates")
            ]
            for uri in uris:
                assert URI.fullmatch(uri)
                assert not uri.startswith(("https:", "http:"))  # what a client could fetch by itself


# Completion


def values(reply: Any) -> list[str]:
    found: list[str] = reply["result"]["completion"]["values"]
    return found


def test_values_that_fit_best_come_first(server: Server) -> None:
    assert values(server.ask(complete(1, "fixed", "topic", "py"))) == ["python", "pytorch", "happy", "numpy"]
    assert values(server.ask(complete(1, "fixed", "topic", "PYT"))) == ["python", "pytorch"]
    assert values(server.ask(complete(1, "fixed", "topic", "zzz"))) == []
    context = {"arguments": {"topic": "x"}}
    assert values(server.ask(complete(1, "fixed", "tone", "v", context=context)))[0] == "v0 {'topic': 'x'}"


def test_no_more_than_a_hundred_values(server: Server) -> None:
    completion = server.ask(complete(1, "fails", "many"))["result"]["completion"]
    assert len(completion["values"]) == 100
    assert completion["hasMore"] is True
    assert completion["total"] == 250


REFERENCE = {"type": "ref/prompt", "name": "fixed"}
ARGUMENT = {"name": "topic", "value": ""}


@pytest.mark.parametrize(
    "params",
    [
        {"ref": {"type": "ref/prompt", "name": "missing"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/resource", "uri": "item://first"}, "argument": {"name": "id", "value": ""}},
        {"ref": {"type": "ref/tool", "name": "fixed"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/prompt"}, "argument": ARGUMENT},
        {"ref": "fixed", "argument": ARGUMENT},
        {"argument": ARGUMENT},
        {"ref": REFERENCE},
        {"ref": REFERENCE, "argument": {"name": "topic"}},
        {"ref": REFERENCE, "argument": {"name": "topic", "value": 5}},
        {"ref": REFERENCE, "argument": {"name": "missing", "value": ""}},
        {"ref": REFERENCE, "argument": ARGUMENT, "context": {"arguments": [1]}},
        {"ref": REFERENCE, "argument": ARGUMENT, "context": {"arguments": {"tone": 5}}},
        {"ref": REFERENCE, "argument": ARGUMENT, "context": 5},
    ],
    ids=json.dumps,
)
def test_completion_of_what_there_is_not_is_refused(server: Server, params: dict[str, Any]) -> None:
    assert code_of(server.ask(request(1, "completion/complete", **params))) == -32602


def test_flood_of_completions_is_bounded(fresh: Server) -> None:
    fresh.send(*(complete(n, "fails", "slow") for n in range(100)))
    began = time.monotonic()
    fresh.send(request("other", "server/discover"))
    replies = {}
    while len(replies) < 101:
        reply = fresh.receive()
        replies[reply["id"]] = reply
        if reply["id"] == "other":
            assert time.monotonic() - began < 1
    served = [id_ for id_, reply in replies.items() if code_of(reply) is None]
    refused = [reply["error"] for reply in replies.values() if code_of(reply) == -32603]
    assert len(served) + len(refused) == 101
    assert refused
    assert "ask again" in refused[0]["message"]


# Logging

LOUD = {PREFIX + "logLevel": "debug"}


def test_messages_are_declared_and_sent_to_those_who_ask(fresh: Server) -> None:
    assert "logging" in fresh.ask(request(1, "server/discover"))["result"]["capabilities"]
    assert fresh.ask(call(2, "logs", {"times": 1}))["id"] == 2
    fresh.await_stderr('"n":0')
    levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
    for index, level in enumerate(levels):
        fresh.send(with_meta(call(3, "logs", {"times": 1}), **{PREFIX + "logLevel": level}))
        notifications, _ = until_reply(fresh)
        assert [message["params"]["level"] for message in notifications] == levels[index:]
        assert {message["params"]["logger"] for message in notifications} == {"logs"}


def test_messages_of_a_call_go_to_no_other(fresh: Server) -> None:
    fresh.ask(listen("s", toolsListChanged=True))
    quiet = call("quiet", "chatty", {"end": "never"})
    fresh.send(quiet, with_meta(call("loud", "logs", {"times": 2}), **LOUD))
    notifications, reply = until_reply(fresh)
    assert reply["id"] == "loud"
    for message in notifications:
        assert message["method"] == "notifications/message"
        assert message["params"]["logger"] == "logs"
        assert SUBSCRIPTION not in message["params"].get("_meta", {})


@pytest.mark.parametrize("level", ["loud", "INFO", "", 3, None, [], True], ids=repr)
def test_level_that_there_is_not_is_refused(server: Server, level: object) -> None:
    assert code_of(server.ask(with_meta(call(1, "logs", {"times": 1}), **{PREFIX + "logLevel": level}))) == -32602


def test_messages_are_sent_at_a_bounded_rate(fresh: Server) -> None:
    fresh.send(with_meta(call(1, "logs", {"times": 12_500}), **LOUD))
    began = time.monotonic()
    notifications, _ = until_reply(fresh)
    assert 100 <= len(notifications) <= 110 + 20 * (time.monotonic() - began)
    assert [message["params"]["data"] for message in notifications[:9]] == [{"n": 0}] * 8 + [{"n": 1}]


def test_no_secret_of_an_exception_is_told(server: Server) -> None:
    server.send(with_meta(call(1, "fails"), **LOUD))
    notifications, reply = until_reply(server)
    assert "hunter2" not in json.dumps([*notifications, reply])


# The transport


def test_invalid_utf_8_is_an_error_and_nothing_worse(server: Server) -> None:
    line = json.dumps(call(1, "echo", {"value": "PLACE"})).encode().replace(b"PLACE", b"\xff\xfe") + b"\n"
    assert code_of(server.ask(line)) == -32700
    quick(server)


def test_responses_of_the_client_are_taken_in_silence(server: Server) -> None:
    server.send(
        {"jsonrpc": "2.0", "id": 9, "result": {}}, {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}}
    )
    quick(server)


def test_nothing_but_messages_reaches_the_output(fresh: Server) -> None:
    assert text_of(fresh.ask(call(1, "noisy"))) == "done"
    quick(fresh)
    for words in ("stray print", "stray write", "stray original", "stray printf", "stray child"):
        fresh.await_stderr(words)
    assert fresh.rest() == []


def test_output_of_an_import_is_no_message(tmp_path: Path) -> None:
    manifest = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: loud, version: 0.1.0}\ntools: [{name: t}]\n'
    handler = (
        "import os\nprint('stray import', flush=True)\nos.write(1, b'stray')\n\ndef t(args, ctx):\n    return 'done'\n"
    )
    with Server(make_project(tmp_path / "loud", manifest, {"t": handler}), "loud_mcp") as server:
        assert text_of(server.ask(call(1, "t"))) == "done"
        server.await_stderr("stray import")
        assert server.rest() == []


def test_message_is_one_line_whatever_is_in_it(fresh: Server) -> None:
    value = "one\ntwo\r\nthree\u0085four\u2028five"
    assert text_of(fresh.ask(call(1, "echo", {"value": value}))) == value
    assert fresh.rest() == []
