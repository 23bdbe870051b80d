"""What every line on the wire gets, on a generated server over real pipes: each answer exact, the next line served."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from reference import ROOT
from servers import META, REVISION, Server, call, request

DEMO = ROOT / "generated" / "demo_tools" / "src"
PARSE, INVALID, NOT_FOUND, PARAMS, VERSION = -32700, -32600, -32601, -32602, -32022
NO_META = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def meta(**changes: Any) -> dict[str, Any]:
    """Return valid metadata with some keys changed; None removes one."""
    changed = {**META, **{f"io.modelcontextprotocol/{key}": value for key, value in changes.items()}}
    return {key: value for key, value in changed.items() if value is not None}


def line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


ERRORS: dict[str, tuple[bytes | object, int, object, str]] = {
    # what is sent, the error's code, the id that comes back, a part of the message
    "not json": (b"hello\n", PARSE, None, "Parse error"),
    "not utf-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', PARSE, None, "UTF-8"),
    "truncated": (b'{"jsonrpc":"2.0","id":1\n', PARSE, None, ""),
    "two values": (b'{"jsonrpc":"2.0","id":1,"method":"x"}{}\n', PARSE, None, "after the JSON value"),
    "NaN": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}\n', PARSE, None, "NaN"),
    "Infinity": (b'{"a":-Infinity}\n', PARSE, None, "Infinity"),
    "number out of range": (b'{"a":1e999}\n', PARSE, None, "too large"),
    "integer of 5,000 digits": (b'{"a":' + b"1" * 5000 + b"}\n", PARSE, None, "digits"),
    "nested too deep": (b"[" * 100_000 + b"\n", PARSE, None, "nested"),
    "nested too deep and closed": (b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}\n", PARSE, None, "nested"),
    "byte order mark": (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"x"}\n', PARSE, None, ""),
    "array": (b"[]\n", INVALID, None, "array"),
    "batch": ([request(1, "tools/list")], INVALID, None, "array"),
    "scalar": (b"7\n", INVALID, None, "object"),
    "string": (b'"tools/list"\n', INVALID, None, "object"),
    "null": (b"null\n", INVALID, None, "object"),
    "no jsonrpc": ({"id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    "jsonrpc 1.0": ({"jsonrpc": "1.0", "id": "a", "method": "tools/list"}, INVALID, "a", "jsonrpc"),
    "jsonrpc a number": ({"jsonrpc": 2.0, "id": 4, "method": "tools/list"}, INVALID, 4, "jsonrpc"),
    "no jsonrpc, no id": ({"method": "tools/list"}, INVALID, None, "jsonrpc"),
    "no method": ({"jsonrpc": "2.0", "id": 4}, INVALID, 4, "method"),
    "method a number": ({"jsonrpc": "2.0", "id": 4, "method": 7}, INVALID, 4, "method"),
    "method null": ({"jsonrpc": "2.0", "id": "x", "method": None}, INVALID, "x", "method"),
    "method a number, id an object": ({"jsonrpc": "2.0", "id": {}, "method": 7}, INVALID, None, "method"),
    "id null": ({"jsonrpc": "2.0", "id": None, "method": "tools/list"}, INVALID, None, "id"),
    "id true": ({"jsonrpc": "2.0", "id": True, "method": "tools/list"}, INVALID, None, "id"),
    "id a fraction": ({"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}, INVALID, None, "id"),
    "id an object": ({"jsonrpc": "2.0", "id": {}, "method": "tools/list"}, INVALID, None, "id"),
    "id an array": ({"jsonrpc": "2.0", "id": [1], "method": "tools/list"}, INVALID, None, "id"),
    "unknown method": (request(1, "no/such"), NOT_FOUND, 1, "no/such"),
    "unknown method without params": ({"jsonrpc": "2.0", "id": 1, "method": "no/such"}, NOT_FOUND, 1, "no/such"),
    "method of another era": (request(1, "ping"), NOT_FOUND, 1, "ping"),
    "method behind a capability": (request(1, "prompts/list"), NOT_FOUND, 1, "prompts/list"),
    "no params": ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, PARAMS, 1, "params"),
    "params an array": ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}, PARAMS, 1, "params"),
    "params null": ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": None}, PARAMS, 1, "params"),
    "no _meta": (NO_META, PARAMS, 1, "_meta"),
    "_meta a string": ({**NO_META, "params": {"_meta": "x"}}, PARAMS, 1, "_meta"),
    "no version": (request(1, "tools/list", meta(protocolVersion=None)), PARAMS, 1, "protocolVersion"),
    "version a number": (request(1, "tools/list", meta(protocolVersion=20260728)), PARAMS, 1, "protocolVersion"),
    "version a list": (request(1, "tools/list", meta(protocolVersion=[REVISION])), PARAMS, 1, "protocolVersion"),
    "no capabilities": (request(1, "tools/list", meta(clientCapabilities=None)), PARAMS, 1, "clientCapabilities"),
    "capabilities a list": (request(1, "tools/list", meta(clientCapabilities=[])), PARAMS, 1, "clientCapabilities"),
    "capability true": (
        request(1, "tools/list", meta(clientCapabilities={"sampling": True})),
        PARAMS,
        1,
        "clientCapabilities",
    ),
    "unknown capability true": (
        request(1, "tools/list", meta(clientCapabilities={"flying": True})),
        PARAMS,
        1,
        "clientCapabilities",
    ),
    "bad metadata before a bad version": (
        request(1, "tools/list", meta(clientCapabilities=[], protocolVersion="1900-01-01")),
        PARAMS,
        1,
        "clientCapabilities",
    ),
    "client info a string": (request(1, "tools/list", meta(clientInfo="me")), PARAMS, 1, "clientInfo"),
    "client info without version": (request(1, "tools/list", meta(clientInfo={"name": "x"})), PARAMS, 1, "clientInfo"),
    "unknown log level": (request(1, "tools/list", meta(logLevel="loud")), PARAMS, 1, "logLevel"),
    "progress token an object": (request(1, "tools/list", {**META, "progressToken": {}}), PARAMS, 1, "progressToken"),
    "progress token a fraction": (request(1, "tools/list", {**META, "progressToken": 1.5}), PARAMS, 1, "progressToken"),
    "cursor a number": (request(1, "tools/list", cursor=5), PARAMS, 1, "cursor"),
    "cursor null": (request(1, "tools/list", cursor=None), PARAMS, 1, "cursor"),
    "cursor empty": (request(1, "tools/list", cursor=""), PARAMS, 1, "cursor"),
    "cursor made up": (request(1, "tools/list", cursor="abc"), PARAMS, 1, "cursor"),
    "no tool name": (request(1, "tools/call", arguments={}), PARAMS, 1, "name"),
    "tool name a number": (request(1, "tools/call", name=7), PARAMS, 1, "name"),
    "unknown tool": (call(1, "subtract"), PARAMS, 1, "subtract"),
    "arguments an array": (call(1, "add", [1, 2]), PARAMS, 1, "arguments"),
    "arguments a string": (call(1, "add", '{"a":1,"b":2}'), PARAMS, 1, "arguments"),
    "arguments null": (request(1, "tools/call", name="add", arguments=None), PARAMS, 1, "arguments"),
}


@pytest.fixture(scope="module")
def demo() -> Iterator[Server]:
    with Server(DEMO, "demo_tools") as server:
        yield server


def assert_still_serving(server: Server) -> None:
    reply = server.ask(call("next", "add", {"a": 2, "b": 3}))
    assert reply["id"] == "next"
    assert reply["result"]["structuredContent"] == 5


@pytest.mark.parametrize("case", ERRORS)
def test_error(demo: Server, case: str) -> None:
    sent, code, id_, words = ERRORS[case]
    reply = demo.ask(sent)
    assert reply.keys() == {"jsonrpc", "id", "error"}
    assert reply["jsonrpc"] == "2.0"
    assert reply["id"] == id_
    assert type(reply["id"]) is type(id_)
    assert reply["error"]["code"] == code
    assert words in reply["error"]["message"]
    assert_still_serving(demo)


@pytest.mark.parametrize("version", ["1900-01-01", "2099-01-01", "2025-11-25", "", "2026-07-28 "])
def test_unsupported_version_names_the_supported_ones_and_a_retry_succeeds(demo: Server, version: str) -> None:
    reply = demo.ask(request(1, "tools/list", meta(protocolVersion=version)))
    assert reply["error"]["code"] == VERSION
    assert reply["error"]["data"] == {"supported": [REVISION], "requested": version}
    retry = meta(protocolVersion=reply["error"]["data"]["supported"][0])
    assert demo.ask(request(1, "tools/list", retry))["result"]["tools"]


def test_unknown_method_comes_before_an_unsupported_version(demo: Server) -> None:
    assert demo.ask(request(1, "no/such", meta(protocolVersion="1900-01-01")))["error"]["code"] == NOT_FOUND


def test_unsupported_version_comes_before_params_of_the_method(demo: Server) -> None:
    reply = demo.ask(request(1, "tools/call", meta(protocolVersion="1900-01-01"), name=7))
    assert reply["error"]["code"] == VERSION


@pytest.mark.parametrize(
    "sent",
    [
        {"jsonrpc": "2.0", "method": "tools/call", "params": 7},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/unheard-of", "params": []},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": None},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        b"\n",
        b"   \t \r\n",
    ],
    ids=str,
)
def test_never_answered(demo: Server, sent: object) -> None:
    demo.send(sent)
    assert_still_serving(demo)


@pytest.mark.parametrize("id_", [1, "1", 0, "", -7, 9007199254740993, "\u2028\ud800é"], ids=repr)
def test_id_comes_back_with_value_and_type(demo: Server, id_: object) -> None:
    reply = demo.ask(request(id_, "server/discover"))
    assert reply["id"] == id_
    assert type(reply["id"]) is type(id_)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"  \n"])
def test_line_endings(demo: Server, ending: bytes) -> None:
    assert demo.ask(json.dumps(request(1, "tools/list")).encode() + ending)["result"]["tools"]


def test_line_separator_is_data(demo: Server) -> None:
    message = request("a\u2028b", "tools/list")
    assert demo.ask(line(message))["id"] == "a\u2028b"


def test_last_line_without_newline_is_answered() -> None:
    with Server(DEMO, "demo_tools") as server:
        server.send(json.dumps(request(1, "tools/list")).encode())
        (reply,) = server.rest()
        assert reply["id"] == 1
        assert server.wait() == 0


def test_line_longer_than_the_limit() -> None:
    with Server(DEMO, "demo_tools") as server:
        for _ in range(17):
            server.send(b"x" * (1 << 20))
        server.send(b"\n")
        reply = server.receive()
        assert reply["error"]["code"] == PARSE
        assert reply["id"] is None
        assert "16777216" in reply["error"]["message"]
        assert_still_serving(server)


def test_discover(demo: Server) -> None:
    result = demo.ask(request(1, "server/discover"))["result"]
    assert result["resultType"] == "complete"
    assert result["supportedVersions"] == [REVISION]
    assert result["capabilities"] == {"logging": {}, "tools": {"listChanged": True}}
    assert result["ttlMs"] == 3600000
    assert result["cacheScope"] == "public"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "demo_tools"
    assert "add" in result["instructions"]


def test_list_keeps_the_order_of_the_manifest(demo: Server) -> None:
    result = demo.ask(request(1, "tools/list"))["result"]
    assert [tool["name"] for tool in result["tools"]] == ["add", "divide"]
    assert result["resultType"] == "complete"
    assert result["ttlMs"] == 3600000
    assert result["cacheScope"] == "public"
    assert "nextCursor" not in result
    assert result == demo.ask(request(2, "tools/list"))["result"]


def test_call(demo: Server) -> None:
    result = demo.ask(call(1, "add", {"a": 2, "b": 3.5}))["result"]
    assert result["content"] == [{"type": "text", "text": "5.5"}]
    assert result["structuredContent"] == 5.5
    assert result["resultType"] == "complete"
    assert not result.get("isError")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == {"name": "demo_tools", "version": "0.1.0"}


def test_arguments_that_break_the_schema_are_a_result_that_names_each_place(demo: Server) -> None:
    result = demo.ask(call(1, "add", {"a": "2", "b": None, "c": 1}))["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    text = result["content"][0]["text"]
    assert "/a" in text
    assert "/b" in text
    assert "c" in text


def test_tool_error_reaches_the_model(demo: Server) -> None:
    result = demo.ask(call(1, "divide", {"a": 1, "b": 0}))["result"]
    assert result["isError"] is True
    assert "zero" in result["content"][0]["text"]
