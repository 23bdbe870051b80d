"""The bridge by itself, without the suite: what HTTP asks for beyond what the server says. Takes 2 s."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from conformance.bridge import serving
from conformance.suite import SERVER, SOURCE
from recording import assert_all_valid, recorded
from servers import META, request

TOOL = {"Mcp-Method": "tools/call", "Mcp-Name": "test_mirrored_header", "Mcp-Param-Region": "Hello"}
CALL = request(7, "tools/call", name="test_mirrored_header", arguments={"region": "Hello"})


def with_bridge(use: Callable[[str], Awaitable[None]], file: Path) -> None:
    async def run() -> None:
        async with asyncio.timeout(30), serving(recorded(SERVER, file), {"PYTHONPATH": str(SOURCE)}) as address:
            await use(address)

    asyncio.run(run())


def connect(address: str) -> HTTPConnection:
    parts = urlsplit(address)
    return HTTPConnection("127.0.0.1", parts.port or 0, timeout=20)


def send(connection: HTTPConnection, body: object, headers: Mapping[str, str], method: str = "POST") -> HTTPResponse:
    given = {"MCP-Protocol-Version": "2026-07-28", "Host": "localhost", **headers}
    connection.request(method, "/mcp", body if isinstance(body, bytes) else json.dumps(body).encode(), given)
    return connection.getresponse()


def post(address: str, body: object, headers: Mapping[str, str], method: str = "POST") -> tuple[int, Any]:
    connection = connect(address)
    try:
        response = send(connection, body, headers, method)
        content = response.read()
        return response.status, json.loads(content) if content else None
    finally:
        connection.close()


def without(header: str) -> dict[str, str]:
    return {name: value for name, value in TOOL.items() if name != header}


CASES: list[tuple[object, Mapping[str, str], str, int, int | None]] = [
    # body, headers, HTTP method, status, code of the error if there is one
    (CALL, TOOL, "POST", 200, None),
    (CALL, {**TOOL, "Mcp-Param-Region": "=?base64?SGVsbG8=?="}, "POST", 200, None),
    (CALL, {**TOOL, "Mcp-Param-Region": "=?base64?SGVsbG8?="}, "POST", 400, -32020),
    (CALL, {**TOOL, "Mcp-Param-Region": "hello"}, "POST", 400, -32020),
    (CALL, without("Mcp-Param-Region"), "POST", 400, -32020),
    (CALL, without("Mcp-Name"), "POST", 400, -32020),
    (CALL, {**TOOL, "Mcp-Method": "TOOLS/CALL"}, "POST", 400, -32020),
    (CALL, {**TOOL, "MCP-Protocol-Version": "2025-11-25"}, "POST", 400, -32020),
    (CALL, {**TOOL, "Origin": "https://evil.example.com"}, "POST", 403, None),
    (CALL, {**TOOL, "Host": "evil.example.com"}, "POST", 403, None),
    (CALL, TOOL, "GET", 405, None),
    (b"{", TOOL, "POST", 400, -32700),
    ({**CALL, "id": None}, TOOL, "POST", 400, -32600),
    ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}, {}, "POST", 202, None),
    (request(8, "no/such"), {"Mcp-Method": "no/such"}, "POST", 404, -32601),
    (request(9, "server/discover", {}), {"Mcp-Method": "server/discover"}, "POST", 400, -32602),
    (request(10, "prompts/get", name="none"), {"Mcp-Method": "prompts/get", "Mcp-Name": "none"}, "POST", 200, -32602),
]


def test_statuses_and_headers(tmp_path: Path) -> None:
    async def use(address: str) -> None:
        for body, headers, method, status, code in CASES:
            got, answer = await asyncio.to_thread(post, address, body, headers, method)
            assert (got, (answer or {}).get("error", {}).get("code")) == (status, code), (body, headers, answer)
            if answer and code not in (-32700, -32600):
                assert isinstance(body, dict)
                assert answer["id"] == body["id"]

    with_bridge(use, tmp_path / "messages")
    assert_all_valid(tmp_path / "messages")


@pytest.mark.parametrize("token", ["a token", 5])
def test_requests_with_one_id_and_token_do_not_meet(tmp_path: Path, token: object) -> None:
    body = request(1, "tools/call", {**META, "progressToken": token}, name="test_tool_with_progress")
    headers = {"Mcp-Method": "tools/call", "Mcp-Name": "test_tool_with_progress"}

    def events(address: str) -> list[Any]:
        connection = connect(address)
        try:
            response = send(connection, body, headers)
            assert response.getheader("Content-Type") == "text/event-stream"
            lines = response.read().decode().splitlines()
        finally:
            connection.close()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    async def use(address: str) -> None:
        for *told, answer in await asyncio.gather(*(asyncio.to_thread(events, address) for _ in range(3))):
            assert [message["params"]["progress"] for message in told] == [0, 50, 100]
            assert {message["params"]["progressToken"] for message in told} == {token}
            assert answer["id"] == 1

    with_bridge(use, tmp_path / "messages")


def test_a_closed_connection_cancels_its_request(tmp_path: Path) -> None:
    file = tmp_path / "messages"

    async def use(address: str) -> None:
        connection = connect(address)
        body = request(1, "subscriptions/listen", notifications={"toolsListChanged": True})
        response = await asyncio.to_thread(send, connection, body, {"Mcp-Method": "subscriptions/listen"})
        assert b"message" in response.fp.readline()
        acknowledged = json.loads(response.fp.readline().removeprefix(b"data: "))
        assert acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 1
        response.close()
        connection.close()
        while b"notifications/cancelled" not in file.read_bytes():
            await asyncio.sleep(0.01)

    with_bridge(use, file)
