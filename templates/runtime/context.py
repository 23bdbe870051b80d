"""What a handler is given besides its arguments: the request it serves, and the ways to speak while serving it."""

from __future__ import annotations

from .jsontext import encode, encode_string
from .log import SEVERITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from .dispatcher import Dispatcher, Owner
    from .server import Server

    T = TypeVar("T")

_PREFIX = "io.modelcontextprotocol/"


class Cancelled(BaseException):
    """Raised by ``Context.check_cancelled()``; no ``except Exception`` in a handler swallows it."""


class Context:
    """One request in flight.

    A handler may use it from any thread. Nothing it says is sent once the request has been answered or cancelled.
    """

    __slots__ = (
        "_cancel_hooks",
        "_dispatcher",
        "_open",
        "_params",
        "_progress",
        "called",
        "cancelled",
        "id",
        "id_text",
        "name",
        "owner",
        "timeout",
    )

    def __init__(
        self,
        dispatcher: Dispatcher,
        owner: Owner | None,
        id_: str | int,
        id_text: str,
        name: str,
        params: Mapping[str, Any],
    ) -> None:
        """Make the context of a request; the dispatcher does this.

        Args:
            dispatcher: Keeps the requests in flight, sends and logs.
            owner: What serves the request, where that is a handler.
            id_: The request's id.
            id_text: The same as JSON text.
            name: What is called, for log lines.
            params: The request's params, already validated.
        """
        self.name = name
        self.id = id_
        self.id_text = id_text
        self.owner = owner
        self.called: Any = None
        """What is called: the owner's business."""
        self.timeout = 0.0
        """Seconds that the request may take; 0 for any."""
        self.cancelled = False
        """Whether the client has cancelled the request, it has timed out, or the server is stopping."""
        self._dispatcher = dispatcher
        self._params = params
        self._progress: float | None = None
        self._cancel_hooks: list[Callable[[], None]] | None = None
        # Holds one item while the request may still be answered: pop() is atomic, so exactly one of the handler's
        # end, a timeout and a cancellation gets it.
        self._open = [True]

    def check_cancelled(self) -> None:
        """Raise Cancelled if the request has been cancelled; call it between steps of long work."""
        if self.cancelled:
            raise Cancelled

    def progress(self, value: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the work is, if it asked to be told.

        Args:
            value: How much is done; a value that is not above the last one is left out, as the protocol asks.
            total: How much there is to do, if known.
            message: What is going on, for a person.
        """
        token = self._params["_meta"].get("progressToken")
        if token is None or not self._open or (self._progress is not None and value <= self._progress):
            return
        self._progress = value
        params: dict[str, object] = {"progressToken": token, "progress": value}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        self._notify("notifications/progress", params)

    def log(self, level: str, data: object) -> None:
        """Write to stderr, and to the client if this request asked for messages of this level.

        Args:
            level: debug, info, notice, warning, error, critical, alert or emergency.
            data: Any JSON value.

        Raises:
            ValueError: There is no such level.
        """
        if level not in SEVERITY:
            raise ValueError(f"no log level {level!r}: use one of {', '.join(SEVERITY)}")
        self._dispatcher.log(level, f"{self.label}: {data if isinstance(data, str) else encode(data)}")
        wanted = self._params["_meta"].get(_PREFIX + "logLevel")
        if wanted is not None and self._open and SEVERITY[level] >= SEVERITY[wanted]:
            self._notify("notifications/message", {"level": level, "logger": self.name, "data": data})

    @property
    def meta(self) -> Mapping[str, Any]:
        """The request's ``_meta`` as it came."""
        meta: Mapping[str, Any] = self._params["_meta"]
        return meta

    @property
    def client_info(self) -> Mapping[str, Any] | None:
        """What the client says it is (name, version, ...), if it says so; not verified by anyone."""
        return self.meta.get(_PREFIX + "clientInfo")

    @property
    def client_capabilities(self) -> Mapping[str, Any]:
        """What the client says it can do, for this request."""
        capabilities: Mapping[str, Any] = self.meta[_PREFIX + "clientCapabilities"]
        return capabilities

    @property
    def server(self) -> Server:
        """The server itself: what it lists, and the news it tells. It outlives the request."""
        return self._dispatcher.server

    def shared(self, kind: type[T]) -> T:
        """Return what the package's own ``lifespan`` module makes for all handlers.

        Args:
            kind: The class of the shared object.

        Raises:
            LifespanError: It could not be made; left alone, the caller is told so.
            TypeError: It is of another class.
        """
        return self._dispatcher.lifespan(kind)

    @property
    def traceparent(self) -> str | None:
        """The caller's span (W3C Trace Context), if it sent one."""
        return self._trace("traceparent")

    @property
    def tracestate(self) -> str | None:
        """What tracing systems along the way noted (W3C Trace Context), if anything."""
        return self._trace("tracestate")

    @property
    def baggage(self) -> str | None:
        """Properties that travel with the trace (W3C Baggage), if any."""
        return self._trace("baggage")

    @property
    def label(self) -> str:
        """What log lines call the request: what is called, and the trace it belongs to."""
        trace = self.traceparent
        return f"{self.name} [{trace}]" if trace else self.name

    @property
    def answered(self) -> bool:
        """Whether nothing more can be said: the request has been answered, cancelled or timed out."""
        return not self._open

    def _trace(self, key: str) -> str | None:
        value = self._params["_meta"].get(key)
        return value if isinstance(value, str) else None

    def _notify(self, method: str, params: dict[str, object]) -> None:
        self._dispatcher.send(f'{{"jsonrpc":"2.0","method":{encode_string(method)},"params":{encode(params)}}}\n')

    def _claim(self) -> bool:
        """Take the right to answer; False when somebody else has it already."""
        try:
            self._open.pop()
        except IndexError:
            return False
        return True

    def _cancel(self) -> None:
        """Mark the work as no longer wanted and wake what waits for that."""
        self.cancelled = True
        for hook in self._cancel_hooks or ():
            hook()
        self._cancel_hooks = None  # what a hook holds on to is free when the request is

    def _on_cancel(self, hook: Callable[[], None]) -> None:
        """Have a function called when the request is cancelled; at once if it already is."""
        hooks = self._cancel_hooks = self._cancel_hooks or []
        hooks.append(hook)
        if self.cancelled:
            hook()
