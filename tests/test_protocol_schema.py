"""What every message in a test is held to: each of these would not get through."""

import json
from typing import Any

import pytest

from protocol_schema import Exchange
from servers import request

META = {"io.modelcontextprotocol/serverInfo": {"name": "x", "version": "1"}}
TOOLS = {"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private", "_meta": META}
ERROR = {"code": -32602, "message": "wrong"}


def received(message: Any) -> Any:
    exchange = Exchange()
    exchange.sent(json.dumps(request(1, "tools/list")).encode() + b"\n")
    line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
    return exchange.received(line)


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "result": TOOLS},
        {"id": 1, "error": ERROR},
        {"id": None, "error": ERROR},
        {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 2.5}},
    ],
    ids=str,
)
def test_passes(message: Any) -> None:
    assert received(message) == {"jsonrpc": "2.0", **message}


@pytest.mark.parametrize(
    "message",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\xff"}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":NaN}}\n',
        b'{"jsonrpc":"2.0","id":1,"id":1,"error":{"code":-32602,"message":"x"}}\n',
        b"[]\n",
        b"stray output\n",
        {"id": 1, "method": "roots/list", "params": {}},
        {"id": 1, "result": TOOLS, "error": ERROR},
        {"id": 1.5, "result": TOOLS},
        {"id": None, "result": TOOLS},
        {"result": TOOLS},
        {"jsonrpc": "1.0", "id": 1, "result": TOOLS},
        {"id": 1, "result": {**TOOLS, "_meta": {}}},
        {"id": 1, "result": {**TOOLS, "_meta": {**META, "-odd": 1}}},
        {"id": 1, "result": {**TOOLS, "_meta": {**META, "1.odd/x": 1}}},
        {"id": 1, "result": {**TOOLS, "tools": {}}},
        {"id": 1, "result": {**TOOLS, "ttlMs": -1}},
        {"id": 1, "result": {**TOOLS, "resultType": "input_required", "requestState": "x"}},
        {"id": 1, "error": {**ERROR, "code": -32602.5}},
        {"id": 1, "error": {**ERROR, "code": -32002}},
        {"id": 1, "error": {**ERROR, "code": -32020}},
        {"id": 1, "error": {**ERROR, "message": "two\nlines"}},
        {"id": 1, "error": {"code": -32602}},
        {"method": "notifications/progress", "params": {"progress": 1}},
        {"method": "notifications/odd", "params": {}},
    ],
    ids=str,
)
def test_does_not_pass(message: Any) -> None:
    with pytest.raises((AssertionError, KeyError, ValueError)):
        received(message)
