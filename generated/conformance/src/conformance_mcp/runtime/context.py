# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What a handler is given besides its arguments: the request it serves, and the ways to speak while serving it."""

from __future__ import annotations

import time

from .jsontext import encode, encode_string
from .log import SEVERITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal, TypeVar

    from .asking import Asker
    from .dispatcher import Dispatcher, Owner
    from .questions import Ask, AskAsync, Elicitation, Page, Root, Sample
    from .server import Server

    T = TypeVar("T")

_PREFIX = "io.modelcontextprotocol/"
_PROGRESS_INTERVAL = 0.02
"""Seconds between two notifications of progress, at least."""
_MESSAGES_AT_ONCE = 100
"""How many log messages of one request a client gets in one go."""
_MESSAGES_A_SECOND = 20.0
"""How many more each second."""


class Cancelled(BaseException):
    """Raised by ``Context.check_cancelled()``; no ``except Exception`` in a handler swallows it."""


class Interruption(BaseException):
    """Ends a handler early, with a response of its own; no ``except Exception`` in a handler swallows it.

    Args:
        rest: The response as JSON text, from behind its id to the line's end. It may hold what no log should, so it
            is not part of the exception's text.
    """

    def __init__(self, rest: str) -> None:
        """Hold a response."""
        super().__init__()
        self.rest = rest


class Context:
    """One request in flight.

    A handler may use it from any thread. Nothing it says is sent once the request has been answered or cancelled.
    """

    __slots__ = (
        "_asker",  # set by the first question: most requests ask nothing
        "_cancel_hooks",
        "_debt",
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
        timeout: float,
    ) -> None:
        """Make the context of a request; the dispatcher does this.

        Args:
            dispatcher: Keeps the requests in flight, sends and logs.
            owner: What serves the request, where that is a handler.
            id_: The request's id.
            id_text: The same as JSON text.
            name: What is called, for log lines.
            params: The request's params, already validated.
            timeout: Seconds that the request may take; 0 for any.
        """
        self.name = name
        self.id = id_
        self.id_text = id_text
        self.owner = owner
        self.called: Any = None
        """What is called: the owner's business."""
        self.timeout = timeout
        """Seconds that the request may take; 0 for any."""
        self.cancelled = False
        """Whether the client has cancelled the request, it has timed out, or the server is stopping."""
        self._dispatcher = dispatcher
        self._params = params
        self._progress: tuple[float, float] | None = None  # the last value told, and when
        self._debt: tuple[float, float] | None = None  # how many messages were told of late, and when the last one was
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

        Left out are values that are not above the last one, as the protocol asks, and those that follow it within
        20 ms, unless they are the total.

        Args:
            value: How much is done.
            total: How much there is to do, if known.
            message: What is going on, for a person.
        """
        token = self._params["_meta"].get("progressToken")
        if token is None or not self._open:
            return
        now = time.monotonic()
        if self._progress is not None:
            last, told = self._progress
            if value <= last or (now - told < _PROGRESS_INTERVAL and value != total):
                return
        self._progress = value, now
        params: dict[str, object] = {"progressToken": token, "progress": value}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        self._notify("notifications/progress", params)

    def log(self, level: str, data: object) -> None:
        """Write to stderr, and to the client if this request asked for messages of this level.

        The client gets a hundred messages a request at once and then twenty a second; what is beyond is left out there.

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
        if wanted is not None and self._open and SEVERITY[level] >= SEVERITY[wanted] and self._may_tell():
            self._notify("notifications/message", {"level": level, "logger": self.name, "data": data})

    def elicit(self, question: Elicitation[T], *, message: str | None = None, key: str | None = None) -> T:
        """Return the user's answer to a question that the manifest declares; see ``ask`` for what happens meanwhile.

        Args:
            question: One of the constants that ``api`` has for the manifest's ``elicits``.
            message: What to ask in place of the manifest's message. An answer counts for the words it was given to.
            key: What the question travels under, in place of the manifest's key: needed to ask it more than once.

        Returns:
            What the user filled in, Declined or Dismissed; for a page to visit Accepted, Declined or Dismissed.
        """
        return self.ask(question.replace(message=message, key=key))[0]

    async def elicit_async(self, question: Elicitation[T], *, message: str | None = None, key: str | None = None) -> T:
        """Do as ``elicit`` does, for an ``async def`` handler."""
        return (await self.ask_async(question.replace(message=message, key=key)))[0]

    def sample(self, key: str, messages: str | Sequence[Mapping[str, Any]], *, max_tokens: int, **more: Any) -> Sample:
        """Return how the client's model continues a conversation; the arguments are those of ``sampling``."""
        from .questions import sampling

        return self.ask(sampling(key, messages, max_tokens=max_tokens, **more))[0]

    async def sample_async(
        self, key: str, messages: str | Sequence[Mapping[str, Any]], *, max_tokens: int, **more: Any
    ) -> Sample:
        """Do as ``sample`` does, for an ``async def`` handler."""
        from .questions import sampling

        return (await self.ask_async(sampling(key, messages, max_tokens=max_tokens, **more)))[0]

    def roots(self, key: str = "roots") -> tuple[Root, ...]:
        """Return the folders that the client works in."""
        from .questions import roots

        return self.ask(roots(key))[0]

    async def roots_async(self, key: str = "roots") -> tuple[Root, ...]:
        """Do as ``roots`` does, for an ``async def`` handler."""
        from .questions import roots

        return (await self.ask_async(roots(key)))[0]

    @property
    def ask(self) -> Ask:
        """Asks the client several things at once: ``ask(A, B, sampling(...), roots())`` returns a tuple of the answers.

        In a tool, a prompt or a resource. While an answer is missing this does not return: it ends the handler by an
        exception, the client is asked, and then the handler **runs again from its start** with all answers so far.
        So whatever stands before a question is done once for each time the client is asked: ask before changing
        anything, or use ``once``. An answer that does not fit its question is asked for again.

        Where the client has not declared that it can be asked, the request is refused, saying what the client lacks;
        ``can_elicit``, ``can_sample`` and ``can_list_roots`` tell beforehand.

        Raises ValueError where two different questions have the same key, or a question is not as the protocol has it.
        """
        return self._asking().ask

    @property
    def ask_async(self) -> AskAsync:
        """Does as ``ask`` does, for an ``async def`` handler."""
        return self._asking().ask_async

    def once(self, key: str, function: Callable[[], T]) -> T:
        """Return what a function gave in the first round that got here, instead of calling it in each.

        The value travels through the client, which can read it but not change it: no secrets. A call that the client
        starts anew starts anew here too.

        Args:
            key: What the value is kept under.
            function: Returns a value made of what JSON has: dict, list, str, int, float, bool and None.
        """
        return self._asking().once(key, function)

    def can_elicit(self, mode: Literal["form", "url"] = "form") -> bool:
        """Say whether the client can ask its user by a form, or to visit a page."""
        modes = self.client_capabilities.get("elicitation")
        return modes is not None and (mode in modes or (not modes and mode == "form"))

    @property
    def can_sample(self) -> bool:
        """Whether the client lets its model be used."""
        return "sampling" in self.client_capabilities

    @property
    def can_list_roots(self) -> bool:
        """Whether the client tells which folders it works in."""
        return "roots" in self.client_capabilities

    def require(self, **capabilities: Mapping[str, Any]) -> None:
        """Refuse the request unless its client has declared some capabilities.

        Args:
            capabilities: What is needed, by the names of ClientCapabilities: ``sampling={}``,
                ``elicitation={"url": {}}``.
        """
        self._asking().require(capabilities)

    def page_completed(self, page: Page) -> None:
        """Tell the client that what its user did on a page is over, where its revision knows of that (2025-11-25).

        Args:
            page: The question that this request has asked. In a revision without such news nothing happens.
        """

    @property
    def idle(self) -> float:
        """Seconds for which the request has waited for nothing but the client; no time limit counts them."""
        return 0.0

    @property
    def revision(self) -> str:
        """The protocol revision that the request is in."""
        revision: str = self._params["_meta"][_PREFIX + "protocolVersion"]
        return revision

    @property
    def meta(self) -> Mapping[str, Any]:
        """The request's ``_meta`` as it came."""
        meta: Mapping[str, Any] = self._params.get("_meta", {})  # a request that is held back has not been read yet
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

    def _asking(self) -> Asker:
        try:
            return self._asker
        except AttributeError:
            self._asker: Asker = self._dispatcher.asker(self, self._params)
            return self._asker

    def _may_tell(self) -> bool:
        """Say whether one more message is within what a client can be sent, and count it (Logging: security)."""
        now = time.monotonic()
        debt, since = self._debt or (0.0, now)
        debt = max(0.0, debt - (now - since) * _MESSAGES_A_SECOND)
        if debt > _MESSAGES_AT_ONCE - 1:
            return False
        self._debt = debt + 1, now
        return True

    def _trace(self, key: str) -> str | None:
        value = self.meta.get(key)
        return value if isinstance(value, str) else None

    def _notify(self, method: str, params: dict[str, object]) -> None:
        self._dispatcher.send(f'{{"jsonrpc":"2.0","method":{encode_string(method)},"params":{encode(params)}}}\n')

    def _cancel(self) -> None:
        """Mark the work as no longer wanted and wake what waits for that."""
        self.cancelled = True
        for hook in self._cancel_hooks or ():
            try:
                hook()
            except Exception as error:  # noqa: BLE001 - an event loop that a handler has broken, most likely
                self._dispatcher.log.failure(f"{self.label} could not be cancelled", error)
        self._cancel_hooks = None  # what a hook holds on to is free when the request is

    def _on_cancel(self, hook: Callable[[], None]) -> None:
        """Have a function called when the request is cancelled; at once if it already is."""
        hooks = self._cancel_hooks = self._cancel_hooks or []
        hooks.append(hook)
        if self.cancelled:
            hook()
