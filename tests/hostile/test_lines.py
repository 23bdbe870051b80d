"""Every row of the table of what a line gets, on a server that has everything: each answer exact, the next line served."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hostile.everything import MODULE, make_everything
from servers import META, REVISION, Server, call, request

PARSE, INVALID, NOT_FOUND, PARAMS, VERSION = -32700, -32600, -32601, -32602, -32022
PREFIX = "io.modelcontextprotocol/"
NOTHING = object()
"""Stands for: never any answer."""

Case = tuple[str, object, int | object, object, str]


def meta(**changes: Any) -> dict[str, Any]:
    """Return valid metadata with some keys changed; None removes one."""
    changed = {**META, **{PREFIX + key: value for key, value in changes.items()}}
    return {key: value for key, value in changed.items() if value is not None}


def wrapped(text: bytes) -> bytes:
    """Return a valid call of ``anything`` that has some JSON text as an argument."""
    message = json.dumps(call(1, "anything", {"a": "HERE"})).encode()
    return message.replace(b'"HERE"', text) + b"\n"


def envelope(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **members}


def complete(ref: object, argument: object = None, **more: Any) -> dict[str, Any]:
    return request(1, "completion/complete", ref=ref, argument=argument or {"name": "who", "value": ""}, **more)


GREET = {"type": "ref/prompt", "name": "greet"}
ITEM = {"type": "ref/resource", "uri": "item://{id}"}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
METHODS = {
    "server/discover": {},
    **{method: {} for method in LISTS},
    "tools/call": {"name": "anything", "arguments": {}},
    "prompts/get": {"name": "plain"},
    "resources/read": {"uri": "doc://fixed"},
    "completion/complete": {"ref": GREET, "argument": {"name": "who", "value": ""}},
    "subscriptions/listen": {"notifications": {}},
}
SHALLOW = b'{"a":' * 60 + b"1" + b"}" * 60

UNREADABLE: list[tuple[str, bytes, str]] = [
    ("text", b"hello\n", "Parse error"),
    ("HTTP", b"POST / HTTP/1.1\r\n", "Parse error"),
    ("header of another framing", b"Content-Length: 20\r\n", "Parse error"),
    ("byte FF", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', "0xff at offset 34"),
    ("overlong encoding", b'{"a":"\xc0\xaf"}\n', "UTF-8"),
    ("surrogate encoded as UTF-8", b'{"a":"\xed\xa0\x80"}\n', "UTF-8"),
    ("code point beyond Unicode", b'{"a":"\xf4\x90\x80\x80"}\n', "UTF-8"),
    ("character cut in half", b'{"a":"\xe2\x82"}\n', "UTF-8"),
    ("lone continuation byte", b"\x80\n", "UTF-8"),
    ("Latin-1", '{"a":"é"}\n'.encode("latin-1"), "UTF-8"),
    ("UTF-16 with a mark", '{"a":1}'.encode("utf-16").replace(b"\n", b"") + b"\n", "UTF-8"),
    ("UTF-16 without a mark", '{"a":1}'.encode("utf-16-le") + b"\n", "Parse error"),
    ("byte order mark", b'\xef\xbb\xbf{"a":1}\n', "Parse error"),
    ("NUL", b"\0\n", "Parse error"),
    ("NUL in a string", b'{"a":"\0"}\n', "control character"),
    ("NUL after the value", b"{}\0\n", "after the JSON value"),
    ("tab in a string", b'{"a":"\t"}\n', "control character"),
    ("carriage return in a string", b'{"a":"\r"}\n', "control character"),
    ("vertical tab as a space", b'\x0b{"a":1}\n', "Parse error"),
    ("no-break space as a space", '\u00a0{"a":1}\n'.encode(), "Parse error"),
    ("only a line separator", "\u2028\n".encode(), "Parse error"),
    ("truncated object", b'{"jsonrpc":"2.0","id":1\n', "Parse error"),
    ("truncated string", b'{"jsonrpc":"2.0","id":"1\n', "Parse error"),
    ("truncated escape", b'{"a":"\\u12"}\n', "Parse error"),
    ("string that ends in a backslash", b'{"a":"\\"}\n', "Parse error"),
    ("unknown escape", b'{"a":"\\x41"}\n', "Parse error"),
    ("opening brace", b"{\n", "Parse error"),
    ("closing brace", b"}\n", "Parse error"),
    ("two values", b'{"jsonrpc":"2.0","id":1,"method":"x"}{}\n', "after the JSON value"),
    ("two values and a space", b"1 2\n", "after the JSON value"),
    ("trailing comma in an object", b'{"a":1,}\n', "Parse error"),
    ("trailing comma in an array", b"[1,]\n", "Parse error"),
    ("single quotes", b"{'a':1}\n", "Parse error"),
    ("bare key", b"{a:1}\n", "Parse error"),
    ("comment", b'{"a":1} // one\n', "after the JSON value"),
    ("NaN", b'{"a":NaN}\n', "NaN"),
    ("Infinity", b'{"a":Infinity}\n', "Infinity"),
    ("-Infinity", b'{"a":-Infinity}\n', "-Infinity"),
    ("NaN alone", b"NaN\n", "NaN"),
    ("undefined", b'{"a":undefined}\n', "Parse error"),
    ("True", b'{"a":True}\n', "Parse error"),
    ("number out of range", b'{"a":1e999}\n', "too large"),
    ("negative number out of range", b'{"a":-1e999}\n', "too large"),
    ("number of 5,000 digits", b'{"a":' + b"1" * 5000 + b"}\n", "digits"),
    ("leading zero", b'{"a":01}\n', "Parse error"),
    ("leading plus", b'{"a":+1}\n', "Parse error"),
    ("trailing point", b'{"a":1.}\n', "Parse error"),
    ("leading point", b'{"a":.5}\n', "Parse error"),
    ("hexadecimal", b'{"a":0x10}\n', "Parse error"),
    ("digit separators", b'{"a":1_000}\n', "Parse error"),
    ("digits of another script", '{"a":\u0661}\n'.encode(), "Parse error"),
    ("129 open arrays", b"[" * 129 + b"]" * 129 + b"\n", "nested deeper than 128"),
    ("129 open objects", b'{"a":' * 129 + b"1" + b"}" * 129 + b"\n", "nested deeper than 128"),
    ("a hundred thousand open arrays", b"[" * 100_000 + b"\n", "nested deeper"),
    ("deep behind a quote in a string", b'["\\"",' + b"[" * 200 + b"]" * 200 + b"]\n", "nested deeper"),
    ("deep behind a newline and a quote", b'["\\n\\"",' + b"[" * 200 + b"]" * 200 + b"]\n", "nested deeper"),
    ("deep and not closed", b"[" * 129 + b"\n", "nested deeper"),
]

ENVELOPES: list[Case] = [
    ("empty array", [], INVALID, None, "array"),
    ("batch", [request(1, "tools/list")], INVALID, None, "batches"),
    ("batch of notifications", [envelope(method="x")], INVALID, None, "batches"),
    ("number", 7, INVALID, None, "object"),
    ("string", "tools/list", INVALID, None, "object"),
    ("null", None, INVALID, None, "object"),
    ("true", True, INVALID, None, "object"),
    ("long string", "x" * 5000, INVALID, None, "object"),
    ("empty object", {}, INVALID, None, "jsonrpc"),
    ("no jsonrpc", {"id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    ("jsonrpc 1.0", {"jsonrpc": "1.0", "id": "a", "method": "tools/list"}, INVALID, "a", "jsonrpc"),
    ("jsonrpc 2", {"jsonrpc": 2, "id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    ("jsonrpc 2.0 as a number", {"jsonrpc": 2.0, "id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    ("jsonrpc null", {"jsonrpc": None, "id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    ("jsonrpc with a space", {"jsonrpc": "2.0 ", "id": 4, "method": "x"}, INVALID, 4, "jsonrpc"),
    ("key in capitals", {"JSONRPC": "2.0", "id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    ("no jsonrpc and an id that is none", {"id": {}, "method": "x"}, INVALID, None, "jsonrpc"),
    ("response without jsonrpc", {"id": 1, "result": {}}, INVALID, 1, "jsonrpc"),
    ("no method", envelope(id=4), INVALID, 4, "method"),
    ("no method, no id", envelope(params={}), INVALID, None, "method"),
    ("method a number", envelope(id=4, method=7), INVALID, 4, "method"),
    ("method null", envelope(id="x", method=None), INVALID, "x", "method"),
    ("method null and a result", envelope(id="x", method=None, result={}), INVALID, "x", "method"),
    ("method a list", envelope(id=4, method=["tools/list"]), INVALID, 4, "method"),
    ("method a number, id true", envelope(id=True, method=7), INVALID, None, "method"),
    ("id null", envelope(id=None, method="tools/list"), INVALID, None, "id must be"),
    ("id true", envelope(id=True, method="tools/list"), INVALID, None, "id must be"),
    ("id a fraction", envelope(id=1.5, method="tools/list"), INVALID, None, "id must be"),
    ("id with a point", envelope(id=1.0, method="tools/list"), INVALID, None, "id must be"),
    ("id with an exponent", b'{"jsonrpc":"2.0","id":1e2,"method":"tools/list"}\n', INVALID, None, "id must be"),
    ("id an object", envelope(id={}, method="tools/list"), INVALID, None, "id must be"),
    ("id an array", envelope(id=[1], method="tools/list"), INVALID, None, "id must be"),
    ("id a long array", envelope(id=["x" * 9999], method="tools/list"), INVALID, None, "id must be"),
    ("wrong id before an unknown method", envelope(id=None, method="no/such"), INVALID, None, "id must be"),
    ("last id of two", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"no/such"}\n', NOT_FOUND, 2, "no/such"),
    ("unknown method", request(1, "no/such"), NOT_FOUND, 1, "no/such"),
    ("empty method", request(1, ""), NOT_FOUND, 1, "Method not found"),
    ("method of a thousand characters", request(1, "m" * 1000), NOT_FOUND, 1, "m" * 200),
    ("method with a line separator", request(1, "\u2028"), NOT_FOUND, 1, "Method not found"),
    ("method with half a character", request(1, "\ud800"), NOT_FOUND, 1, "Method not found"),
    ("method in capitals", request(1, "Tools/List"), NOT_FOUND, 1, "Tools/List"),
    ("method with a space", request(1, "tools/list "), NOT_FOUND, 1, "tools/list"),
    ("unknown method without params", envelope(id=1, method="no/such"), NOT_FOUND, 1, "no/such"),
    ("unknown method with params of no shape", envelope(id=1, method="no/such", params=7), NOT_FOUND, 1, "no/such"),
    ("notification with an id", request(1, "notifications/cancelled", requestId=1), NOT_FOUND, 1, "cancelled"),
    *((f"removed: {name}", request(1, name), NOT_FOUND, 1, name) for name in (
        "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/get", "tasks/list",
        "tasks/cancel", "tasks/result",
    )),
    *((f"the client's: {name}", request(1, name), NOT_FOUND, 1, name) for name in (
        "elicitation/create", "sampling/createMessage", "roots/list",
    )),
    ("initialize", envelope(id=0, method="initialize", params={"protocolVersion": "2025-06-18"}), NOT_FOUND, 0, REVISION),
    ("initialize without params", envelope(id="i", method="initialize"), NOT_FOUND, "i", REVISION),
]  # fmt: skip

METADATA: list[Case] = [
    *((f"{method} without params", envelope(id=1, method=method), PARAMS, 1, "params") for method in METHODS),
    ("params an array", envelope(id=1, method="tools/list", params=[]), PARAMS, 1, "params"),
    ("params null", envelope(id=1, method="tools/list", params=None), PARAMS, 1, "params"),
    ("params a string", envelope(id=1, method="tools/list", params="x"), PARAMS, 1, "params"),
    ("params a number", envelope(id=1, method="tools/list", params=0), PARAMS, 1, "params"),
    ("params true", envelope(id=1, method="tools/list", params=True), PARAMS, 1, "params"),
    ("no _meta", envelope(id=1, method="tools/list", params={}), PARAMS, 1, "_meta"),
    ("_meta null", envelope(id=1, method="tools/list", params={"_meta": None}), PARAMS, 1, "_meta"),
    ("_meta a string", envelope(id=1, method="tools/list", params={"_meta": "x"}), PARAMS, 1, "_meta"),
    ("_meta an array", envelope(id=1, method="tools/list", params={"_meta": []}), PARAMS, 1, "_meta"),
    ("_meta empty", request(1, "tools/list", {}), PARAMS, 1, "protocolVersion"),
    ("_meta beside the params", envelope(id=1, method="tools/list", params={}, _meta=META), PARAMS, 1, "_meta"),
    ("no version", request(1, "tools/list", meta(protocolVersion=None)), PARAMS, 1, "protocolVersion"),
    *((
        f"version {value!r:.20}", request(1, "tools/list", {**META, PREFIX + "protocolVersion": value}),
        PARAMS, 1, "protocolVersion",
    ) for value in (20260728, [REVISION], {}, True, None)),
    ("version without its prefix", request(1, "tools/list", {
        "protocolVersion": REVISION, PREFIX + "clientCapabilities": {},
    }), PARAMS, 1, "protocolVersion"),
    ("no capabilities", request(1, "tools/list", meta(clientCapabilities=None)), PARAMS, 1, "clientCapabilities"),
    *((
        f"capabilities {value!r:.20}", request(1, "tools/list", meta(clientCapabilities=value)),
        PARAMS, 1, "clientCapabilities",
    ) for value in (
        [], "x", 1, True, {"sampling": True}, {"flying": True}, {"elicitation": []}, {"experimental": {"x": 1}},
        {"elicitation": {"form": 1}}, {"extensions": []},
    )),
    *((f"client info {value!r:.30}", request(1, "tools/list", meta(clientInfo=value)), PARAMS, 1, "clientInfo") for value in (
        "me", [], {}, {"name": "x"}, {"version": "1"}, {"name": 1, "version": "1"}, {"name": "x", "version": 1},
        {"name": "x", "version": "1", "icons": {}}, {"name": "x", "version": "1", "icons": [{}]},
    )),
    *((f"log level {value!r}", request(1, "tools/list", {**META, PREFIX + "logLevel": value}), PARAMS, 1, "logLevel") for value in (
        "loud", "INFO", "", 3, None, ["info"],
    )),
    *((f"progress token {value!r}", request(1, "tools/list", {**META, "progressToken": value}), PARAMS, 1, "progressToken") for value in (
        {}, [], 1.5, True, None,
    )),
    *((f"unsupported version {value!r:.20}", request(1, method, meta(protocolVersion=value)), VERSION, 1, "Unsupported") for value, method in (
        ("1900-01-01", "tools/list"), ("2099-01-01", "server/discover"), ("2025-11-25", "tools/call"),
        ("", "resources/read"), (REVISION + " ", "prompts/get"), ("x" * 200, "completion/complete"),
        ("\ud800", "subscriptions/listen"), ("draft", "tools/list"),
    )),
    ("bad metadata before a bad version", request(
        1, "tools/list", meta(clientCapabilities=[], protocolVersion="1900-01-01")
    ), PARAMS, 1, "clientCapabilities"),
    ("bad version before bad params", request(1, "tools/call", meta(protocolVersion="1900-01-01"), name=7), VERSION, 1, ""),
    ("unknown method before a bad version", request(1, "x/y", meta(protocolVersion="1900-01-01")), NOT_FOUND, 1, "x/y"),
]  # fmt: skip

PARAMETERS: list[Case] = [
    *((f"cursor {value!r:.20} of {method}", request(1, method, cursor=value), PARAMS, 1, "cursor") for method in LISTS for value in (
        5, None, {}, [], "", "abc", "2", "0.0", "\ud800", "x" * 5000,
    )),
    ("no tool name", request(1, "tools/call", arguments={}), PARAMS, 1, "name"),
    *((f"tool name {value!r}", request(1, "tools/call", name=value), PARAMS, 1, "name") for value in (7, None, ["add"], {})),
    *((f"unknown tool {value[:10]!r}", call(1, value), PARAMS, 1, "Unknown tool") for value in (
        "subtract", "", "ADD", "add ", "\ud800", "__class__", "../add", "x" * 5000,
    )),
    *((f"tool arguments {value!r}", request(1, "tools/call", name="add", arguments=value), PARAMS, 1, "arguments") for value in (
        [1, 2], "x", '{"a":1,"b":2}', None, 7, True,
    )),
    ("input responses an array", call(1, "add", {"a": 1, "b": 2}, inputResponses=[]), PARAMS, 1, "inputResponses"),
    ("state a number", call(1, "add", {"a": 1, "b": 2}, requestState=7), PARAMS, 1, "requestState"),
    ("state made up", call(1, "add", {"a": 1, "b": 2}, requestState="e30.AAAA"), PARAMS, 1, "requestState"),
    ("state empty", call(1, "add", {"a": 1, "b": 2}, requestState=""), PARAMS, 1, "requestState"),
    ("no prompt name", request(1, "prompts/get"), PARAMS, 1, "name"),
    *((f"prompt name {value!r}", request(1, "prompts/get", name=value), PARAMS, 1, "name") for value in (7, None, [])),
    *((f"unknown prompt {value!r}", request(1, "prompts/get", name=value), PARAMS, 1, "Unknown prompt") for value in ("x", "", "add")),
    *((f"prompt arguments {value!r}", request(1, "prompts/get", name="greet", arguments=value), PARAMS, 1, "arguments") for value in (
        [], "x", None, {"who": 1}, {"who": None}, {"who": ["x"]}, {}, {"who": "x", "whom": "y"},
    )),
    ("prompt without its argument", request(1, "prompts/get", name="greet"), PARAMS, 1, "who"),
    ("no URI", request(1, "resources/read"), PARAMS, 1, "uri"),
    *((f"URI {value!r}", request(1, "resources/read", uri=value), PARAMS, 1, "uri") for value in (7, None, [], {})),
    *((f"unknown resource {value!r:.20}", request(1, "resources/read", uri=value), PARAMS, 1, "Resource not found") for value in (
        "doc://none", "", "not a URI", "file:///etc/passwd", "doc://fixed#part", "item://a/b", "\ud800", "x:" + "y" * 5000,
    )),
    *((f"completion of {value!r:.30}", complete(value), PARAMS, 1, "ref") for value in (
        None, 7, [], {}, {"type": "ref/prompt"}, {"type": "ref/other", "name": "greet"}, {"type": "ref/prompt", "name": 7},
        {"type": "ref/resource"}, {"type": "ref/prompt", "name": "none"}, {"type": "ref/resource", "uri": "none://{x}"},
        {"type": "ref/resource", "uri": 7}, {"name": "greet"},
    )),
    *((f"completion for {value!r:.30}", complete(GREET, value), PARAMS, 1, "argument") for value in (
        7, [1], "who", {"name": "who"}, {"value": "x"}, {"name": "who", "value": 7}, {"name": 7, "value": "x"},
        {"name": "none", "value": ""},
    )),
    ("completion of an unknown variable", complete(ITEM, {"name": "none", "value": ""}), PARAMS, 1, "none"),
    *((f"completion in {value!r}", complete(GREET, context=value), PARAMS, 1, "context") for value in (
        7, [], {"arguments": []}, {"arguments": {"a": 1}},
    )),
    ("no subscriptions", request(1, "subscriptions/listen"), PARAMS, 1, "notifications"),
    *((f"subscription to {value!r}", request(1, "subscriptions/listen", notifications=value), PARAMS, 1, "notifications") for value in (
        7, [], None, "all", {"toolsListChanged": 1}, {"toolsListChanged": "yes"}, {"resourceSubscriptions": "doc://live"},
        {"resourceSubscriptions": [1]}, {"resourceSubscriptions": None},
    )),
]  # fmt: skip

UNANSWERED: list[tuple[str, object]] = [
    ("empty line", b"\n"),
    ("carriage return", b"\r\n"),
    ("spaces", b"  \t \r\n"),
    *((f"notification {method}", envelope(method=method)) for method in (*METHODS, "ping", "no/such", "", "\ud800")),
    *((f"notification with params {value!r}", envelope(method="tools/call", params=value)) for value in (7, [], None, "x")),
    *((f"cancellation of {value!r}", envelope(method="notifications/cancelled", params={"requestId": value})) for value in (
        1, "1", None, True, 1.0, [1], {"a": 1}, "\ud800", 10**400,
    )),
    *((f"cancellation with {value!r}", envelope(method="notifications/cancelled", params=value)) for value in (
        7, [], None, {}, "x", {"requestId": 1, "reason": 7},
    )),
    ("cancellation without params", envelope(method="notifications/cancelled")),
    ("progress from the client", envelope(method="notifications/progress", params={"progressToken": 1, "progress": 1})),
    ("initialized", envelope(method="notifications/initialized")),
    ("result", envelope(id=1, result={})),
    ("result null", envelope(id=1, result=None)),
    ("error", envelope(id=1, error={"code": 1, "message": "x"})),
    ("error of no shape", envelope(id=None, error=7)),
    ("both", envelope(id=1, result={}, error={})),
    ("result with an id that is none", envelope(id=[], result={})),
]  # fmt: skip

SERVED: list[tuple[str, object, object]] = [
    *((f"id {value!r:.30}", request(value, "server/discover"), value) for value in (
        1, "1", 0, -0, "", -7, 2**53 + 1, 10**4000, "\u2028", "\ud800", "é", "null", '"', "\\", "\0", "x" * 100_000,
    )),
    *((f"{method} with members nobody knows", {
        **request(1, method, {**META, "x": [None, {"y": 1.5}]}, **params, unknown={"z": [1]}), "more": 1
    }, 1) for method, params in METHODS.items() if method != "subscriptions/listen"),
    ("128 levels", wrapped(b"[" * 124 + b"]" * 124), 1),
    ("a thousand brackets side by side", wrapped(b"[" + b"[]," * 999 + b"{}]"), 1),
    ("brackets in strings", wrapped(json.dumps("[" * 5000).encode()), 1),
    ("brackets behind a newline and a quote in a string", wrapped(json.dumps(['a\n"[b'] * 200).encode()), 1),
    ("brackets behind a backslash at a string's end", wrapped(json.dumps(["\\", "[", '\\"['] * 200).encode()), 1),
    ("moderately deep objects", wrapped(SHALLOW), 1),
    ("line separators", json.dumps(call("a\u2028b\u2029c\x85", "anything"), ensure_ascii=False).encode() + b"\n", "a\u2028b\u2029c\x85"),
    ("half characters", wrapped(b'"\\ud800 \\udfff"'), 1),
    ("large integer", wrapped(b"9" * 4300), 1),
    ("float of many digits", wrapped(b"0." + b"3" * 5000), 1),
    ("number that underflows", wrapped(b"1e-999"), 1),
    ("negative zero", wrapped(b"-0"), 1),
    ("same key twice", wrapped(b'{"a":1,"a":2}'), 1),
    ("key of a prototype", wrapped(b'{"__proto__":{"x":1},"__class__":1,"":2}'), 1),
    ("CR LF", json.dumps(call(1, "anything")).encode() + b"\r\n", 1),
    ("spaces around", b" \t" + json.dumps(call(1, "anything")).encode() + b" \t\r\n", 1),
    ("carriage returns inside", json.dumps(call(1, "anything")).replace(", ", ",\r").encode() + b"\n", 1),
    ("metadata with empty capabilities inside", call(1, "anything"), 1),
    ("unknown capability", request(1, "tools/list", meta(clientCapabilities={"flying": {}, "sampling": {"x": 1}})), 1),
    ("progress token zero", request(1, "tools/list", {**META, "progressToken": 0}), 1),
    ("progress token empty", request(1, "tools/list", {**META, "progressToken": ""}), 1),
    ("no client info", request(1, "tools/list", meta(clientInfo=None)), 1),
    ("no arguments", request(1, "tools/call", name="anything"), 1),
    ("prompt arguments that are not needed", request(1, "prompts/get", name="written"), 1),
    ("resource by a template", request(1, "resources/read", uri="item://%C3%A9"), 1),
    ("completion with a context", complete(GREET, context={"arguments": {"a": "b"}}), 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_everything(tmp_path_factory.mktemp("everything"))


@pytest.fixture(scope="module")
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


def assert_next_is_served(server: Server) -> None:
    reply = server.ask(call("next", "add", {"a": 2, "b": 3}))
    assert reply["id"] == "next"
    assert reply["result"]["structuredContent"] == 5


def assert_error(reply: Any, code: object, id_: object, words: str) -> None:
    assert reply.keys() == {"jsonrpc", "id", "error"}
    assert reply["jsonrpc"] == "2.0"
    assert reply["id"] == id_
    assert type(reply["id"]) is type(id_)
    assert reply["error"]["code"] == code
    assert words in reply["error"]["message"]
    assert len(reply["error"]["message"]) < 3000


@pytest.mark.parametrize(("sent", "words"), [case[1:] for case in UNREADABLE], ids=[case[0] for case in UNREADABLE])
def test_unreadable(server: Server, sent: bytes, words: str) -> None:
    assert_error(server.ask(sent), PARSE, None, words)
    assert_next_is_served(server)


WRONG = [*ENVELOPES, *METADATA, *PARAMETERS]


@pytest.mark.parametrize(
    ("sent", "code", "id_", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG]
)
def test_refused(server: Server, sent: object, code: object, id_: object, words: str) -> None:
    assert_error(server.ask(sent), code, id_, words)
    assert_next_is_served(server)


def test_unsupported_version_says_what_is_supported(server: Server) -> None:
    error = server.ask(request(1, "tools/list", meta(protocolVersion="1900-01-01")))["error"]
    assert error["data"] == {"supported": [REVISION], "requested": "1900-01-01"}


def test_missing_resource_is_named(server: Server) -> None:
    assert server.ask(request(1, "resources/read", uri="doc://none"))["error"]["data"] == {"uri": "doc://none"}


@pytest.mark.parametrize("sent", [case[1] for case in UNANSWERED], ids=[case[0] for case in UNANSWERED])
def test_never_answered(server: Server, sent: object) -> None:
    server.send(sent)
    assert_next_is_served(server)


@pytest.mark.parametrize(("sent", "id_"), [case[1:] for case in SERVED], ids=[case[0] for case in SERVED])
def test_served(server: Server, sent: object, id_: object) -> None:
    reply = server.ask(sent)
    assert reply["id"] == id_
    assert type(reply["id"]) is type(id_)
    assert reply["result"]["resultType"] == "complete"
    assert "isError" not in reply["result"]
    assert_next_is_served(server)


@pytest.mark.parametrize("value", [{"a": 1}, {"a": "1", "b": []}, {"a": 1, "b": 2, "c": 3}, {"a": True, "b": None}])
def test_arguments_that_break_the_schema_are_a_result(server: Server, value: object) -> None:
    result = server.ask(call(1, "add", value))["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert "expected" in result["content"][0]["text"]
    assert_next_is_served(server)


def test_id_that_is_in_flight(server: Server) -> None:
    server.send(call(1, "waits", {"seconds": 0.2}), call(1, "anything"), call("1", "anything"))
    replies = [server.receive() for _ in range(3)]
    assert_error(next(reply for reply in replies if "error" in reply), INVALID, 1, "in flight")
    assert [reply["id"] for reply in replies if "result" in reply] == ["1", 1]


@pytest.mark.parametrize("cut", [1, 5, 20, 60])
def test_line_that_comes_in_pieces(server: Server, cut: int) -> None:
    data = json.dumps(call(1, "add", {"a": 1, "b": 2})).encode() + b"\n"
    server.send(data[:cut])
    assert server.silent_for(0.02)
    assert server.ask(data[cut:])["result"]["structuredContent"] == 3


def test_lines_that_come_byte_by_byte(server: Server) -> None:
    for byte in json.dumps(call(1, "anything")).encode() + b"\r\n\n":
        server.send(bytes([byte]))
    assert server.receive()["id"] == 1
    assert_next_is_served(server)


@pytest.mark.parametrize(
    ("rest", "answers"),
    [
        (json.dumps(call(1, "anything")).encode(), [1]),
        (json.dumps(call(1, "anything")).encode() + b"\r", [1]),
        (json.dumps(call(1, "anything")).encode()[:-5], [None]),
        (b'{"a', [None]),
        (b"\xf0\x9f", [None]),
        (b"  ", []),
        (b"", []),
    ],
)
def test_end_of_input_in_the_middle_of_a_line(source: Path, rest: bytes, answers: list[object]) -> None:
    with Server(source, MODULE) as server:
        server.send(call(0, "anything"), rest)
        assert {reply["id"] for reply in server.rest()} == {0, *answers}
        assert server.wait() == 0
