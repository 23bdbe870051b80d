# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What a server allows itself: how many calls at once, how often, and how much in a result.

A limit is wrapped around the handlers that it holds for when they are loaded, so what has no limit pays nothing. What
goes beyond one is a ToolError, whose text says what to do: a result with ``isError`` for a tool, and an error with code
-32603 for a prompt, a resource or a completion. A handler counts until it has really ended, even if its call has been
cancelled or has timed out.
"""

from __future__ import annotations

import threading
import time
from types import CoroutineType

from .context import Interruption
from .results import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .context import Context
    from .middleware import Handler


class Limit:
    """A limit on what is called, and how much of it is used up.

    Args:
        what: What it counts, as in "too many ...": ``calls of NAME``.
        calls: How many may run at once; 0 for any number.
        per_minute: How many may begin in a minute, on average; 0 for any number.
        burst: How many of those may begin in a row, after a pause.
        result_bytes: How many bytes the line with a result may have; 0 for any number.
    """

    def __init__(
        self, what: str, *, calls: int = 0, per_minute: float = 0.0, burst: int = 1, result_bytes: int = 0
    ) -> None:
        """Start with nothing used up."""
        self.result_bytes = result_bytes
        self._what = what
        self._calls = calls
        self._per_minute = per_minute
        self._burst = burst
        self._changing = threading.Lock()
        self._running = 0
        self._tokens = float(burst)
        self._since = time.monotonic()

    def enter(self) -> None:
        """Count a call that begins.

        Raises:
            ToolError: It is one too many.
        """
        with self._changing:
            if self._calls and self._running >= self._calls:
                raise ToolError(f"Too many {self._what} at once: at most {self._calls}; try again when one has ended")
            if self._per_minute:
                self._take_token()
            self._running += 1

    def leave(self) -> None:
        """Count a call that has ended."""
        with self._changing:
            self._running -= 1

    def _take_token(self) -> None:
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._since) * self._per_minute / 60)
        self._since = now
        if self._tokens < 1:
            seconds = (1 - self._tokens) * 60 / self._per_minute
            raise ToolError(
                f"Too many {self._what}: at most {self._per_minute:g} a minute, and {self._burst} in a row;"
                f" try again in {seconds:.1f} s"
            )
        self._tokens -= 1


class Limits:
    """The limits of a server.

    Args:
        total: Holds for everything together.
        tools: Limits of single tools, by name.
        result_bytes: How many bytes the line with a result of anything but a tool may have; 0 for any number.
    """

    def __init__(self, total: Limit, tools: Mapping[str, Limit], *, result_bytes: int) -> None:
        """Hold limits."""
        self._total = total
        self._tools = tools
        self._other = Limit("calls", result_bytes=result_bytes)

    def wrap(self, handler: Handler, kind: str, name: str) -> Handler:
        """Return a handler that runs another one within its limits.

        Args:
            handler: The handler.
            kind: ``tool``, ``resource``, ``prompt`` or ``completion``.
            name: What it handles.
        """
        own = self._tools.get(name) if kind == "tool" else self._other
        limits = (self._total,) if own is None else (own, self._total)
        result_bytes = 0 if own is None else own.result_bytes

        def limited(arguments: Any, context: Context) -> Any:
            _enter(limits)
            handed_on = False
            try:
                value = handler(arguments, context)
                if type(value) is CoroutineType:
                    handed_on = True
                    return _finish(value, context, limits, result_bytes)
                return _bounded(context, value, result_bytes)
            finally:
                if not handed_on:
                    _leave(limits)

        return limited


async def _finish(coroutine: Any, context: Context, limits: Sequence[Limit], result_bytes: int) -> Any:
    try:
        return _bounded(context, await coroutine, result_bytes)
    finally:
        _leave(limits)


def _enter(limits: Sequence[Limit]) -> None:
    entered: list[Limit] = []
    try:
        for limit in limits:
            limit.enter()
            entered.append(limit)
    except ToolError:
        _leave(entered)
        raise


def _leave(limits: Sequence[Limit]) -> None:
    for limit in limits:
        limit.leave()


def _bounded(context: Context, value: object, result_bytes: int) -> object:
    """Return a handler's result, if the line that carries it is not too long."""
    if not result_bytes:
        return value
    owner: Any = context.owner
    reply: str = owner.reply(context, value)
    if len(reply) > result_bytes:
        size = f"{len(reply)} bytes, more than the {result_bytes} allowed"
        raise ToolError(f"The result of {context.name} has {size}: ask for less")
    # It is written already, and writing it again would cost as much: this hands it on as it is.
    raise Interruption(reply[len('{"jsonrpc":"2.0","id":' + context.id_text) :])
