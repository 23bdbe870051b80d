"""One decoded message in, one reply or nothing out.

Nothing here reads or writes: the order in which a message is checked, what each failure is answered with, and which
requests are in flight are the whole of it. What a method needs of the protocol is data (``Method``), made from the
revision's method table; what it does is a function of the request.

The order, for every line (JSON-RPC 2.0, and the revision's pages on messages and versioning):

1. the envelope: an object, ``jsonrpc`` "2.0", a response is ignored, ``method`` a string, ``id`` a string or integer
2. without ``id`` it is a notification, which is never answered
3. an id that is in flight, a method that is not offered
4. ``params`` and ``_meta``, then the version, then the rest of ``params``
5. the method's own checks
"""

from __future__ import annotations

from .context import Context
from .jsontext import encode, encode_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any, TypeAlias

    from .log import Log
    from .validation import Violation

    Id: TypeAlias = str | int
    Answer: TypeAlias = "str | Pending | None"
    Serve: TypeAlias = Callable[[Id, str, dict[str, Any]], Answer]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_PROTOCOL_VERSION = -32022

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


class Pending:
    """A reply that is not there yet: an ``async def`` handler to be run, and what makes the reply of its outcome.

    Attributes:
        context: The request.
        coroutine: What to run.
        conclude: Takes (result, None) or (None, exception) and returns the reply, or None if none is due any more.
    """

    __slots__ = ("conclude", "context", "coroutine")

    def __init__(
        self,
        context: Context,
        coroutine: Any,
        conclude: Callable[[object, BaseException | None], str | None],
    ) -> None:
        """Hold a reply to come."""
        self.context = context
        self.coroutine = coroutine
        self.conclude = conclude


class Method:
    """One request method that a server offers.

    Args:
        serve: What it does, called as serve(id, id_text, params) with valid params.
        accepts: For each revision that has the method, the yes/no check of its params.
        explains: For each revision, a function that returns every violation of the params.
    """

    __slots__ = ("accepts", "explains", "serve")

    def __init__(
        self,
        serve: Serve,
        accepts: Mapping[str, Callable[[Any], bool]],
        explains: Mapping[str, Callable[[Any], list[Violation]]],
    ) -> None:
        """Hold a row of the method table."""
        self.serve = serve
        self.accepts = accepts
        self.explains = explains


class Refusal(Exception):
    """A request that gets a JSON-RPC error: code, message and data."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        """Hold an error object."""
        super().__init__(message)
        self.code = code
        self.data = data


def error_reply(id_text: str, code: int, message: str, data: object = None) -> str:
    """Return an error response as one line of JSON text.

    Args:
        id_text: The request's id as JSON text, ``null`` where it could not be read.
        code: The error's code.
        message: What was wrong and what to do, for whoever wrote the client.
        data: Any JSON value, or None for no data.
    """
    more = "" if data is None else ',"data":' + encode(data)
    return f'{{"jsonrpc":"2.0","id":{id_text},"error":{{"code":{code},"message":{encode_string(message)}{more}}}}}\n'


class Dispatcher:
    """Answers messages for one server.

    Args:
        revisions: The protocol revisions it speaks, the preferred one first.
        log: Where diagnostics go.
    """

    def __init__(self, revisions: Sequence[str], log: Log) -> None:
        """Make a dispatcher that offers nothing yet; ``methods`` is filled by the generated module."""
        self.revisions = tuple(revisions)
        self.log = log
        self.methods: dict[str, Method] = {}
        self.in_flight: dict[Id, Context] = {}
        self.send: Callable[[str], None] = _nowhere

    def __call__(self, message: Any) -> Answer:
        """Return the reply to a decoded message: one line of JSON text, a reply to come, or None for no reply."""
        if type(message) is not dict or message.get("jsonrpc") != "2.0":
            return self._invalid(message)
        method = message.get("method")
        if type(method) is not str:
            if "method" not in message and ("result" in message or "error" in message):
                return None
            return self._invalid(message)
        if "id" not in message:
            self._notified(method, message.get("params"))
            return None
        id_ = message["id"]
        kind = type(id_)
        if kind is int:
            id_text = str(id_)
        elif kind is str:
            id_text = encode_string(id_)
        else:
            return error_reply("null", INVALID_REQUEST, f"id must be a string or an integer, not {encode(id_)[:80]}")
        if id_ in self.in_flight:
            return error_reply(id_text, INVALID_REQUEST, "a request with this id is still in flight")
        offered = self.methods.get(method)
        if offered is None:
            return self._unknown(id_text, method)
        params: Any = message.get("params")
        try:
            accepted = offered.accepts[params["_meta"][VERSION_KEY]](params)
        except (KeyError, TypeError, IndexError):
            accepted = False
        try:
            if not accepted:
                self._refuse(method, offered, params)
            return offered.serve(id_, id_text, params)
        except Refusal as refusal:
            return error_reply(id_text, refusal.code, str(refusal), refusal.data)
        except Exception as error:
            self.log.exception(f"{method} failed", error)
            return error_reply(id_text, INTERNAL_ERROR, "Internal error")

    def cancel_all(self) -> None:
        """Mark every request in flight as cancelled: nothing more is sent for any of them."""
        for id_, context in list(self.in_flight.items()):
            if self.leave(id_, context):
                context._cancel()

    def unreadable(self, reason: str) -> str:
        """Return the reply to a line that holds no message at all."""
        return error_reply("null", PARSE_ERROR, f"Parse error: {reason}")

    def enter(self, id_: Id, id_text: str, name: str, params: dict[str, Any]) -> Context:
        """Put a request in flight and return its context."""
        context = self.in_flight[id_] = Context(name, id_text, params, self.send, self.log)
        return context

    def leave(self, id_: Id, context: Context) -> bool:
        """Take a request out of flight; False when it has been answered or cancelled meanwhile."""
        if not context._claim():
            return False
        del self.in_flight[id_]
        return True

    def _notified(self, method: str, params: Any) -> None:
        if method == "notifications/cancelled" and type(params) is dict:
            id_: Any = params.get("requestId")
            context = self.in_flight.get(id_) if type(id_) in (int, str) else None
            if context is not None and self.leave(id_, context):
                context._cancel()

    def _invalid(self, message: Any) -> str:
        """Return the error for something that is JSON but no JSON-RPC message."""
        if type(message) is not dict:
            found = "an array: this revision has no batches" if type(message) is list else f"{encode(message)[:80]}"
            return error_reply("null", INVALID_REQUEST, f"a message must be an object, not {found}")
        id_ = message.get("id")
        id_text = encode(id_) if type(id_) in (int, str) else "null"
        if message.get("jsonrpc") != "2.0":
            return error_reply(id_text, INVALID_REQUEST, 'jsonrpc must be "2.0"')
        return error_reply(id_text, INVALID_REQUEST, "method must be a string")

    def _unknown(self, id_text: str, method: str) -> str:
        spoken = ", ".join(self.revisions)
        if method == "initialize":
            text = f"There is no handshake here: this server speaks {spoken}; open with server/discover"
            return error_reply(id_text, METHOD_NOT_FOUND, text, {"supported": list(self.revisions)})
        return error_reply(id_text, METHOD_NOT_FOUND, f"Method not found: {method[:200]}")

    def _refuse(self, method: str, offered: Method, params: Any) -> None:
        """Raise the first refusal that is due for params that were not accepted, in the documented order."""
        if type(params) is not dict:
            raise Refusal(INVALID_PARAMS, "params must be an object that holds _meta")
        meta: Any = params.get("_meta")
        if type(meta) is not dict:
            raise Refusal(INVALID_PARAMS, "params._meta must be an object")
        version: Any = meta.get(VERSION_KEY)
        # Metadata is judged by the revision it names; where that is none of ours, by the one we prefer.
        revision = version if type(version) is str and version in offered.accepts else next(iter(offered.accepts))
        violations = offered.explains[revision](params)
        for violation in violations:
            if violation.pointer.startswith("/_meta"):
                raise Refusal(INVALID_PARAMS, f"params{violation}")
        if version not in self.revisions:
            raise Refusal(
                UNSUPPORTED_PROTOCOL_VERSION,
                f"Unsupported protocol version {version[:80]}: this server speaks {', '.join(self.revisions)}",
                {"supported": list(self.revisions), "requested": version},
            )
        if version not in offered.accepts:
            raise Refusal(METHOD_NOT_FOUND, f"Method not found in revision {version}: {method}")
        raise Refusal(INVALID_PARAMS, "; ".join(f"params{violation}" for violation in violations))


def _nowhere(_: str) -> None:
    """Take what a handler says while no transport is there to carry it."""


def load(package: str, module: str) -> ModuleType:
    """Import a module of the generated package by its dotted name within it."""
    import sys

    name = f"{package}.{module}"
    __import__(name)
    return sys.modules[name]
