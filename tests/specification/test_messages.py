"""Everything that a server writes while it is driven through all that it has, and all that can go wrong."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from protocol_schema import SERVER_INFO
from servers import REVISION, Server, call, request
from specification.rules_server import MODULE
from specification.talking import (
    EVERYTHING,
    PREFIX,
    PROJECTS,
    SUBSCRIPTION,
    able,
    accept,
    asked,
    code_of,
    complete,
    listed,
    listen,
    open_project,
    prompt,
    read,
    retry,
    said,
    with_meta,
)

TOKEN = {"progressToken": "token", PREFIX + "logLevel": "debug"}

TRAFFIC: list[Any] = [
    request("discover", "server/discover"),
    *(request(f"list {n}", method) for n, method in enumerate(("tools/list", "prompts/list", "resources/list"))),
    request("templates", "resources/templates/list"),
    call("echo", "echo", {"value": "line\nbreak \u2028"}),
    with_meta(call("chatty", "chatty", {"end": "return"}), **TOKEN),
    with_meta(call("chatty error", "chatty", {"end": "raise"}), **TOKEN),
    with_meta(call("logs", "logs", {"times": 1}), **TOKEN),
    *(call(name, name) for name in ("fails", "refuses", "limited", "noisy", "embeds", "uses_secret")),
    call("structured", "structured", {"value": {"a": [1, None]}}),
    call("misfit", "misfit", {"value": {"n": "one"}}),
    call("bad arguments", "integers", {"n": "one"}),
    *(read(uri, uri) for uri in ("rules://text", "rules://blob", "rules://bytes", "rules://fails", "rules://missing")),
    *(read(uri, uri) for uri in ("rules://file", "item://first", "item://third", "tree:///notes.txt")),
    prompt("fixed", "fixed", {"topic": "x"}),
    prompt("media", "media"),
    prompt("prompt fails", "fails"),
    prompt("no prompt", "missing"),
    prompt("no argument", "fixed"),
    complete("complete", "fixed", "topic", "py"),
    complete("complete many", "fails", "many"),
    complete("complete broken", "fails", "broken"),
    complete("complete nothing", "missing", "x"),
    *(
        able(call(name, name, arguments))
        for name, arguments in (
            ("ask_form", {}),
            ("ask_page", {}),
            ("ask_either", {}),
            ("ask_model", {}),
            ("ask_model_with_tools", {}),
            ("ask_roots", {"file": "x"}),
            ("ask_all", {}),
        )
    ),
    able(prompt("asking prompt", "asks")),
    able(read("asking resource", "rules://asks")),
    call("not able", "ask_form"),
    call("no tool", "missing"),
    request("no method", "no/such"),
    request("initialize", "initialize"),
    {"jsonrpc": "2.0", "id": "no params", "method": "tools/list"},
    with_meta(request("bad meta", "tools/list"), **{PREFIX + "clientInfo": 5}),
    with_meta(request("old", "tools/list"), **{PREFIX + "protocolVersion": "1900-01-01"}),
    request("cursor", "tools/list", cursor="x"),
    b"not JSON\n",
    b'{"jsonrpc": "2.0", "id": "cut off\n',
    b"[]\n",
    {"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"},
    {"id": "no version", "method": "tools/list"},
    {"jsonrpc": "2.0", "id": "no method at all"},
]
"""One of everything; each but the tools that take long is answered before the next is sent."""


@pytest.fixture(scope="module")
def messages(source: Path) -> list[Any]:
    """All that a server has written, in its order; every line has been parsed strictly and held to the schema."""
    with Server(source, MODULE, env={"RULES_SECRET": "a credential"}) as server:
        found = []
        server.send(listen("stream", toolsListChanged=True, promptsListChanged=True, resourceSubscriptions=["a:b"]))
        found.append(server.receive())
        for message in TRAFFIC:
            server.send(message)
            while "method" in (received := server.receive()):
                found.append(received)
            found.append(received)
        changed = call("hide", "set_visible", {"kind": "tools", "name": "stuck", "visible": False})
        server.send(changed, call("touch", "touch", {"uri": "a:b"}))
        question = able(call("round 1", "ask_model"))
        server.send(question)
        found += [server.receive() for _ in range(5)]
        server.send(retry(question, "round 2", found[-1], model=said("Three.")))
        return found + server.rest()


@pytest.fixture(scope="module")
def replies(messages: list[Any]) -> dict[Any, Any]:
    return {message["id"]: message for message in messages if "method" not in message}


@pytest.fixture(scope="module")
def results(messages: list[Any]) -> list[Any]:
    return [message["result"] for message in messages if "result" in message]


@pytest.fixture(scope="module")
def errors(messages: list[Any]) -> list[Any]:
    return [message["error"] for message in messages if "error" in message]


def test_every_request_is_answered_once(messages: list[Any]) -> None:
    ids = [message["id"] for message in messages if "method" not in message]
    sent = [message["id"] for message in TRAFFIC if isinstance(message, dict) and isinstance(message["id"], str)]
    others = [None] * 4
    assert sorted(map(str, ids)) == sorted(map(str, [*sent, *others, "hide", "touch", "round 1", "round 2", "stream"]))


def test_every_message_is_one_of_json_rpc(messages: list[Any]) -> None:
    for message in messages:
        assert message["jsonrpc"] == "2.0"
        assert sum(key in message for key in ("method", "result", "error")) == 1


def test_the_server_sends_no_requests(messages: list[Any]) -> None:
    notifications = [message for message in messages if "method" in message]
    assert all("id" not in message for message in notifications)
    assert {message["method"] for message in notifications} == {
        "notifications/progress",
        "notifications/message",
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        "notifications/resources/updated",
        "notifications/cancelled",
    }


def test_every_result_says_what_it_is(results: list[Any]) -> None:
    assert {result["resultType"] for result in results} == {"complete", "input_required"}
    assert all(isinstance(result, dict) for result in results)


def test_every_result_says_which_server_it_is_from(results: list[Any]) -> None:
    for result in results:
        info = result["_meta"][SERVER_INFO]
        assert (info["name"], info["version"]) == ("rules", "0.1.0")


def test_every_error_has_an_integer_code_and_a_short_message(errors: list[Any]) -> None:
    for error in errors:
        assert type(error["code"]) is int
        assert 0 < len(error["message"]) <= 200
        assert "\n" not in error["message"]
        assert "Traceback" not in error["message"]


def test_no_code_is_used_but_those_of_the_revision(errors: list[Any]) -> None:
    assert {error["code"] for error in errors} == {-32700, -32600, -32601, -32602, -32603, -32021, -32022}


@pytest.mark.parametrize(
    ("id_", "code"),
    [
        ("no params", -32602),
        ("bad meta", -32602),
        ("no tool", -32602),
        ("no prompt", -32602),
        ("rules://missing", -32602),
        ("item://third", -32602),
        ("cursor", -32602),
        ("no method", -32601),
        ("rules://fails", -32603),
        ("prompt fails", -32603),
        ("complete broken", -32603),
        ("old", -32022),
        ("not able", -32021),
        ("no version", -32600),
    ],
)
def test_each_code_means_one_thing(replies: dict[Any, Any], id_: str, code: int) -> None:
    assert code_of(replies[id_]) == code


def test_initialize_is_told_which_versions_there_are(replies: dict[Any, Any]) -> None:
    error = replies["initialize"]["error"]
    assert REVISION in error["message"]
    assert error["data"] == {"supported": [REVISION]}


def test_metadata_has_no_keys_but_the_revisions_own(messages: list[Any]) -> None:
    assert set(_meta_keys(messages)) == {SERVER_INFO, SUBSCRIPTION}


def _meta_keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value.get("_meta", {})
        for member in value.values():
            yield from _meta_keys(member)
    elif isinstance(value, list):
        for item in value:
            yield from _meta_keys(item)


def test_every_input_request_is_of_one_of_three_kinds(replies: dict[Any, Any]) -> None:
    kinds = set()
    for reply in replies.values():
        if reply.get("result", {}).get("resultType") == "input_required":
            kinds |= {question["method"] for question in asked(reply).values()}
    assert kinds == {"elicitation/create", "sampling/createMessage", "roots/list"}


def test_nothing_of_an_exception_reaches_the_client(messages: list[Any]) -> None:
    assert not re.search("hunter2|/etc/rules|ValueError|Traceback", repr(messages))


@pytest.mark.parametrize("name", [*PROJECTS, "rules"])
def test_schemas_handed_out_are_valid_in_their_dialect(server: Server, name: str) -> None:
    with nullcontext(server) if name == "rules" else open_project(name) as running:
        schemas = []
        for tool in listed(running, "tools/list", "tools"):
            schemas += [tool["inputSchema"], *([tool["outputSchema"]] if "outputSchema" in tool else [])]
        for schema in schemas:
            dialect = schema.get("$schema", "https://json-schema.org/draft/2020-12/schema")
            assert dialect.startswith(("https://json-schema.org/draft/2020-12", "http://json-schema.org/draft-07"))
            validator = Draft7Validator if "draft-07" in dialect else Draft202012Validator
            validator.check_schema(schema)
            if name != "rules":  # which has a tool to show draft-07
                assert "2020-12" in dialect


def test_forms_handed_out_are_valid_schemas(replies: dict[Any, Any]) -> None:
    forms = [
        question["params"]["requestedSchema"]
        for reply in replies.values()
        if reply.get("result", {}).get("resultType") == "input_required"
        for question in asked(reply).values()
        if "requestedSchema" in question.get("params", {})
    ]
    assert forms
    for form in forms:
        Draft202012Validator.check_schema(form)


def test_no_list_and_no_other_request_asks_for_input(server: Server) -> None:
    more = {"inputResponses": {"form": accept(count=1)}, "requestState": "x"}
    for method, params in {
        "server/discover": {},
        "tools/list": {},
        "prompts/list": {},
        "resources/list": {},
        "resources/templates/list": {},
        "completion/complete": {
            "ref": {"type": "ref/prompt", "name": "fixed"},
            "argument": {"name": "topic", "value": ""},
        },
    }.items():
        message = with_meta(request(1, method, **params, **more), capabilities=EVERYTHING)
        assert server.ask(message)["result"]["resultType"] == "complete"
    assert server.ask(able(listen("s")))["method"] == "notifications/subscriptions/acknowledged"
