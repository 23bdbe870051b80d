"""A host of the handshake era, as tests play it."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from protocol_schema import Exchange, parse
from servers import SECONDS, Server

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ALL = ("2026-07-28", *reversed(HANDSHAKES))
PROTOCOL = f"protocol: [{', '.join(map(repr, ALL))}]"
"""The line of a manifest that names all revisions."""

EVERYTHING: dict[str, dict[str, Any]] = {
    "2024-11-05": {"sampling": {}, "roots": {"listChanged": True}},
    "2025-03-26": {"sampling": {}, "roots": {"listChanged": True}},
    "2025-06-18": {"sampling": {}, "roots": {"listChanged": True}, "elicitation": {}},
    "2025-11-25": {"sampling": {"tools": {}}, "roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}},
}
"""What a client can do that can do all that a revision knows of."""


def initialize(id_: object, revision: str, capabilities: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the request that opens a session."""
    params = {
        "protocolVersion": revision,
        "capabilities": EVERYTHING.get(revision, {}) if capabilities is None else capabilities,
        "clientInfo": {"name": "host", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": params}


def plain(id_: object, method: str, **params: Any) -> dict[str, Any]:
    """Return a request of the handshake era."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": id_, "method": method}
    return {**message, "params": params} if params else message


def notification(method: str, **params: Any) -> dict[str, Any]:
    """Return a notification of the handshake era."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return {**message, "params": params} if params else message


class _Indulgent(Exchange):
    def sent(self, data: bytes) -> None:
        """Note nothing."""

    def received(self, line: bytes) -> Any:
        return parse(line)


class Host(Server):
    """A server process and a session with it.

    Args:
        source: The ``src`` folder of the project.
        module: Its package.
        revision: What is asked for.
        capabilities: What the host can do; all that the revision knows of where it is not said.
        judged: Whether what comes is held to the revision.
    """

    def __init__(
        self,
        source: Path,
        module: str,
        revision: str,
        capabilities: Mapping[str, Any] | None = None,
        *,
        judged: bool = True,
        **more: Any,
    ) -> None:
        super().__init__(source, module, **more)
        if not judged:
            self._exchange = _Indulgent()
        self._count = 0
        self.answers: dict[str, Callable[[dict[str, Any]], Any]] = {}
        """What is answered to requests by the server: their method, and a function of their params."""
        self.asked: list[dict[str, Any]] = []
        self.notified: list[dict[str, Any]] = []
        self.introduction = self.ask(initialize("init", revision, capabilities))["result"]
        self.send(notification("notifications/initialized"))

    def request(self, method: str, **params: Any) -> Any:
        """Send a request, answer what is asked meanwhile, and return its result; fail on an error."""
        response = self.response(method, **params)
        assert "result" in response, response
        return response["result"]

    def error(self, method: str, **params: Any) -> Any:
        """Send a request and return its error."""
        response = self.response(method, **params)
        assert "error" in response, response
        return response["error"]

    def response(self, method: str, **params: Any) -> Any:
        """Send a request, answer what is asked meanwhile, and return the response."""
        self._count += 1
        self.send(plain(self._count, method, **params))
        while True:
            message = self.receive()
            if "method" not in message:
                assert message["id"] == self._count, message
                return message
            self.take(message)

    def take(self, message: dict[str, Any]) -> None:
        """Take a notification, or a request and answer it."""
        if "id" not in message:
            self.notified.append(message)
            return
        self.asked.append(message)
        result = self.answers[message["method"]](message.get("params", {}))
        self.send({"jsonrpc": "2.0", "id": message["id"], **result})

    def call(self, name: str, arguments: object = None, **more: Any) -> Any:
        """Call a tool and return the result."""
        return self.request("tools/call", name=name, arguments=arguments or {}, **more)

    def await_count(self, text: str, number: int) -> None:
        """Wait until stderr holds a text a number of times; fail if it holds it more often."""
        deadline = time.monotonic() + SECONDS
        while self.stderr().count(text) < number:
            assert time.monotonic() < deadline, f"{text!r} is not {number} times in {self.stderr()!r}"
            time.sleep(0.01)
        assert self.stderr().count(text) == number
