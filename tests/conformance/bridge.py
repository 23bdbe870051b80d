"""Puts a server on stdio behind Streamable HTTP on this machine, so that a suite that speaks HTTP can examine it.

Each POST becomes a line of the server's input. What belongs to HTTP alone is done here: Origin and Host, the headers
that repeat parts of the body, status codes, event streams, and that a closed connection cancels its request
(revision 2026-07-28, Streamable HTTP). Every answer is the server's own; only ids and progress tokens are replaced on
the way in and restored on the way out, since requests that know nothing of each other share one pipe.
"""

import argparse
import asyncio
import base64
import binascii
import contextlib
import io
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from email.message import Message
from http import HTTPStatus
from http.client import parse_headers
from typing import IO, Any, Self
from urllib.parse import urlsplit

REVISION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
VERSION = PREFIX + "protocolVersion"
CAPABILITIES = PREFIX + "clientCapabilities"
SUBSCRIPTION = PREFIX + "subscriptionId"
LOG_LEVEL = PREFIX + "logLevel"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
BAD_REQUESTS = {PARSE_ERROR, INVALID_REQUEST, HEADER_MISMATCH, -32021, -32022}

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The methods whose requests carry Mcp-Name, and the member of their params that it repeats."""

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
LINE_LIMIT = 1 << 26
ENCODED = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)


class HeaderMismatch(Exception):
    """A header that does not say what the body says."""


class Exchange:
    """A request on its way.

    Attributes:
        message: The request as it came.
        meta: Its ``_meta``; empty where it has none that can be read.
        arrived: What the server has sent for it, the response last; None where the server has ended.
    """

    def __init__(self, message: Mapping[str, Any]) -> None:
        self.message = message
        params = _object(message.get("params"))
        self.meta = _object(params.get("_meta"))
        self.arrived: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    @property
    def token(self) -> Any:
        """The progress token, if there is one that a server can use."""
        token = self.meta.get("progressToken")
        return token if type(token) in (str, int) else None


class Backend:
    """A server process, and the requests it has not answered yet."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin
        assert process.stdout
        self._process = process
        self._input = process.stdin
        self._output = process.stdout
        self._exchanges: dict[int, Exchange] = {}
        self._last_id = 0
        self._reading = asyncio.create_task(self._read())

    @classmethod
    @contextlib.asynccontextmanager
    async def running(
        cls, command: Sequence[str], environment: Mapping[str, str] | None = None, errors: IO[bytes] | None = None
    ) -> AsyncIterator[Self]:
        """Run a server until the context ends; what it prints to stderr goes where ours does, or to a file."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=environment,
            limit=LINE_LIMIT,
        )
        backend = cls(process)
        try:
            yield backend
        finally:
            backend._input.close()
            try:
                await asyncio.wait_for(process.wait(), 5)
            except TimeoutError:
                process.kill()
                await process.wait()
            await backend._reading

    @contextlib.contextmanager
    def exchange(self, message: Mapping[str, Any]) -> Iterator[Exchange]:
        """Send a request on, and cancel it if the context ends before it is answered."""
        exchange = Exchange(message)
        self._last_id += 1
        id_ = self._last_id
        self._exchanges[id_] = exchange
        sent = {**message, "id": id_}
        if exchange.token is not None:
            sent["params"] = {**message["params"], "_meta": {**exchange.meta, "progressToken": id_}}
        self.send(sent)
        try:
            yield exchange
        finally:
            if self._exchanges.pop(id_, None) and not self._reading.done():
                self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}})

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a line to the server."""
        self._input.write(json.dumps(message).encode() + b"\n")

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request of the bridge's own."""
        meta = {VERSION: REVISION, CAPABILITIES: {}}
        request = {"jsonrpc": "2.0", "id": 0, "method": method, "params": {**params, "_meta": meta}}
        with self.exchange(request) as exchange:
            response = await exchange.arrived.get()
        assert response is not None, "the server has ended"
        return _object(response.get("result"))

    async def _read(self) -> None:
        async for line in self._output:
            self._route(json.loads(line))
        for exchange in self._exchanges.values():
            exchange.arrived.put_nowait(None)

    def _route(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            exchange = self._exchanges.pop(message["id"], None)
            if exchange is not None:
                meta = _object(_object(message.get("result")).get("_meta"))
                if SUBSCRIPTION in meta:
                    meta[SUBSCRIPTION] = exchange.message["id"]
                exchange.arrived.put_nowait({**message, "id": exchange.message["id"]})
            return
        params = _object(message.get("params"))
        meta = _object(params.get("_meta"))
        if SUBSCRIPTION in meta:
            exchange = self._exchanges.get(meta[SUBSCRIPTION])
            if exchange is not None:
                meta[SUBSCRIPTION] = exchange.message["id"]
        elif "progressToken" in params:
            exchange = self._exchanges.get(params["progressToken"])
            if exchange is not None:
                params["progressToken"] = exchange.token
        else:  # nothing in a log message says whose it is: it goes to the latest request that asked for any
            asking = (exchange for exchange in reversed(self._exchanges.values()) if LOG_LEVEL in exchange.meta)
            exchange = next(asking, None) if message["method"] == "notifications/message" else None
        if exchange is not None:
            exchange.arrived.put_nowait(message)


class Bridge:
    """Serves HTTP connections from one backend."""

    def __init__(self, backend: Backend, mirrored: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self._backend = backend
        self._mirrored = mirrored

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, request after request."""
        try:
            while await self._serve(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone, which needs no answer
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return whether the connection can take another."""
        head = await reader.readuntil(b"\r\n\r\n")
        request_line, _, rest = head.partition(b"\r\n")
        method, path, _ = request_line.decode("latin-1").split(" ", 2)
        headers = parse_headers(io.BytesIO(rest))
        body = await reader.readexactly(int(headers.get("Content-Length", 0)))
        if path != "/mcp":
            return _answer(writer, HTTPStatus.NOT_FOUND)
        if method != "POST":
            return _answer(writer, HTTPStatus.METHOD_NOT_ALLOWED, Allow="POST")
        if not _is_local(headers):
            return _answer(writer, HTTPStatus.FORBIDDEN)
        try:
            message = json.loads(body, parse_constant=_no_constant)
        except ValueError:
            return _refuse(writer, PARSE_ERROR, "Parse error")
        if type(message) is not dict or type(message.get("method")) is not str:
            return _refuse(writer, INVALID_REQUEST, "the body must be one request or notification")
        if "id" not in message:
            self._backend.send(message)
            return _answer(writer, HTTPStatus.ACCEPTED)
        if type(message["id"]) not in (str, int):
            return _refuse(writer, INVALID_REQUEST, "id must be a string or an integer")
        try:
            self._compare(message, headers)
        except HeaderMismatch as problem:
            return _refuse(writer, HEADER_MISMATCH, f"Header mismatch: {problem}", message["id"])
        return await self._exchange(message, reader, writer)

    def _compare(self, message: Mapping[str, Any], headers: Message) -> None:
        """Require the headers to say what the body says."""
        method = message["method"]
        params = _object(message.get("params"))
        _compare("MCP-Protocol-Version", headers, _object(params.get("_meta")).get(VERSION))
        _compare("Mcp-Method", headers, method)
        if method not in NAMED_BY:
            return
        name = params.get(NAMED_BY[method])
        _compare("Mcp-Name", headers, name, encoded=True)
        mirrored = self._mirrored.get(name, {}) if method == "tools/call" and type(name) is str else {}
        for header, path in mirrored.items():
            value = params.get("arguments")
            for key in path:
                value = _object(value).get(key)
            if value is not None:
                _compare(f"Mcp-Param-{header}", headers, value, encoded=True)

    async def _exchange(
        self, message: Mapping[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Hand a request to the server and what comes of it to the client, as one object or as a stream of events."""
        streaming = False
        with self._backend.exchange(message) as exchange:
            gone = asyncio.create_task(_end_of(reader))
            try:
                while True:
                    next_one = asyncio.create_task(exchange.arrived.get())
                    await asyncio.wait((next_one, gone), return_when=asyncio.FIRST_COMPLETED)
                    if not next_one.done():
                        next_one.cancel()
                        return False
                    arrived = next_one.result()
                    if arrived is None:
                        return not streaming and _refuse(writer, INTERNAL_ERROR, "the server has ended", message["id"])
                    final = "method" not in arrived
                    if final and not streaming:
                        return _answer(writer, _status(arrived, exchange), arrived)
                    if not streaming:
                        streaming = True
                        writer.write(_STREAM)
                    writer.write(b"event: message\ndata: " + json.dumps(arrived).encode() + b"\n\n")
                    await writer.drain()
                    if final:
                        return False
            finally:
                gone.cancel()
                await asyncio.wait((gone,))  # one task at a time may wait for what the client sends


_STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    b"X-Accel-Buffering: no\r\nConnection: close\r\n\r\n"
)


@contextlib.asynccontextmanager
async def serving(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    port: int = 0,
    errors: IO[bytes] | None = None,
) -> AsyncIterator[str]:
    """Serve a command over HTTP until the context ends, which yields the address; port 0 takes a free one."""
    async with Backend.running(command, environment, errors) as backend:
        bridge = Bridge(backend, await mirrored_parameters(backend))
        server = await asyncio.start_server(bridge.connect, "127.0.0.1", port, limit=LINE_LIMIT)
        try:
            yield f"http://localhost:{server.sockets[0].getsockname()[1]}/mcp"
        finally:
            server.close()


async def mirrored_parameters(backend: Backend) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return for each tool of a server the headers that repeat arguments, and where in the arguments each one is."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    page = await backend.ask("tools/list")
    while True:
        for tool in page.get("tools", ()):
            found[tool["name"]] = dict(_annotated(tool["inputSchema"], ()))
        if "nextCursor" not in page:
            return found
        page = await backend.ask("tools/list", cursor=page["nextCursor"])


def _annotated(schema: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, property_ in _object(schema.get("properties")).items():
        here = (*path, name)
        if "x-mcp-header" in _object(property_):
            yield property_["x-mcp-header"], here
        yield from _annotated(_object(property_), here)


def _compare(header: str, headers: Message, value: Any, *, encoded: bool = False) -> None:
    """Require a header to be there once and to repeat a value; what the body lacks is for the server to miss."""
    given = headers.get_all(header, [])
    if len(given) != 1:
        raise HeaderMismatch(f"{header} must be there once, not {len(given)} times")
    text = given[0].strip(" \t")
    if not text.isascii() or not text.replace("\t", " ").isprintable():
        raise HeaderMismatch(f"{header} has characters that no header may have")
    said = _decoded(header, text) if encoded else text
    if type(value) is bool:
        same = said == ("true" if value else "false")
    elif type(value) in (int, float):
        try:
            same = float(said) == value
        except ValueError:
            same = False
    else:
        same = type(value) is not str or said == value
    if not same:
        raise HeaderMismatch(f"{header} is {text!r}, and the body says {value!r}")


def _decoded(header: str, text: str) -> str:
    encoded = ENCODED.fullmatch(text)
    if encoded is None:
        return text
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise HeaderMismatch(f"{header} holds no base64 of UTF-8 text") from None


def _is_local(headers: Message) -> bool:
    """Say whether a request was made to this machine, and not by a page from elsewhere (DNS rebinding)."""
    origin = headers.get("Origin")
    return urlsplit(f"//{headers.get('Host', '')}").hostname in LOCAL_HOSTS and (
        origin is None or urlsplit(origin).hostname in LOCAL_HOSTS
    )


def _status(response: Mapping[str, Any], exchange: Exchange) -> HTTPStatus:
    code = _object(response.get("error")).get("code")
    without_metadata = type(exchange.meta.get(VERSION)) is not str or type(exchange.meta.get(CAPABILITIES)) is not dict
    if code in BAD_REQUESTS or (code == INVALID_PARAMS and without_metadata):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.NOT_FOUND if code == METHOD_NOT_FOUND else HTTPStatus.OK


async def _end_of(reader: asyncio.StreamReader) -> None:
    """Return when a client has closed its connection; until it is answered it has nothing more to send."""
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


def _refuse(writer: asyncio.StreamWriter, code: int, text: str, id_: str | int | None = None) -> bool:
    status = HTTPStatus.BAD_GATEWAY if code == INTERNAL_ERROR else HTTPStatus.BAD_REQUEST
    return _answer(writer, status, {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": text}})


def _answer(writer: asyncio.StreamWriter, status: HTTPStatus, body: object = None, **headers: str) -> bool:
    """Write a whole response; return True, since the connection can take another request."""
    data = b"" if body is None else json.dumps(body).encode()
    lines = {"Content-Type": "application/json"} if data else {}
    lines |= {"Content-Length": str(len(data)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {status.value} {status.phrase}\r\n{head}\r\n".encode() + data)
    return True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


async def _forever(command: Sequence[str], port: int) -> None:
    async with serving(command, port=port) as address:
        print(address, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("command", nargs="+", help="the server's command, behind --")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_forever(options.command, options.port))


if __name__ == "__main__":
    main()
