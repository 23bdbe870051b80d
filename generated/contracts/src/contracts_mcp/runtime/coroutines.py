# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Runs ``async def`` handlers, all on one event loop in a thread of its own that starts with the first of them.

A handler that keeps the loop waiting, by doing slow work without ``await``, keeps all others on it waiting too. Those
that have not started after a while get another loop; the kept one goes on with what it has, and ends with that.
"""

from __future__ import annotations

import asyncio
import os
from threading import Lock, get_ident  # by name, in case that a handler puts something in their place
from time import monotonic

from .threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .context import Context
    from .dispatcher import Pending
    from .log import Log

    Conclude = Callable[[Context, object, BaseException | None], str | None]
    Deliver = Callable[[str | None], None]

_PATIENCE = 1.0
"""Seconds that a handler waits for a loop that is kept before it gets another one."""


class Coroutines:
    """Event loops for handlers: as a rule, one.

    Args:
        conclude: Makes the reply of a request, its handler's result, and the exception it raised instead.
        deliver: Called in the loop's thread with each reply (or None) when its handler has ended.
        log: Where to complain about a handler that keeps the loop.
    """

    def __init__(self, conclude: Conclude, deliver: Deliver, log: Log) -> None:
        """Start a loop."""
        self._conclude = conclude
        self._deliver = deliver
        self._log = log
        self._changing = Lock()
        self._loop = self._new_loop()

    def start(self, pending: Pending) -> None:
        """Run a handler to its end; a cancelled request raises CancelledError where it waits.

        Raises:
            Exception: The loop is broken, and there cannot be another one.
        """
        with self._changing:
            if self._loop.broken:
                self._loop = self._new_loop()
            self._loop.start(pending)

    @property
    def waiting(self) -> bool:
        """Whether some handlers wait for the loop to start them."""
        return bool(self._loop.waiting)

    def look(self) -> None:
        """Give the handlers that wait another loop, if theirs has been kept from them for too long."""
        with self._changing:
            kept = self._loop
            since = min(list(kept.waiting.values()), default=None)
            if since is None or monotonic() - since < _PATIENCE:
                return
            try:
                self._loop = self._new_loop()
            except (OSError, RuntimeError, MemoryError):  # neither descriptors nor threads: they have to wait
                return
            text = f"the event loop is kept by {kept.labels}: do slow work in a thread, or in a plain def"
            self._log("warning", text)
            for pending in list(kept.waiting):
                if kept.waiting.pop(pending, None) is not None:  # not started just now
                    self._loop.start(pending)
            kept.retire()

    def leave_to_parent(self) -> None:
        """In a process that a handler has forked: run nothing more when that handler lets go."""
        self._loop.leave_to_parent()

    def _new_loop(self) -> _Loop:
        return _Loop(self._conclude, self._deliver, self._log, self._broke)

    def _broke(self, loop: _Loop, error: Exception) -> None:
        """Go on without a loop that runs no more; what it had to run has failed."""
        with self._changing:
            loop.broken = True
            lost = {*loop.begun, *loop.waiting}
            loop.waiting.clear()
        self._log("critical", "an event loop is broken, because something that it needs has been closed or replaced")
        for pending in lost:
            self._deliver(self._conclude(pending.context, None, error))


class _Loop:
    """One event loop and its thread."""

    def __init__(
        self, conclude: Conclude, deliver: Deliver, log: Log, broke: Callable[[_Loop, Exception], None]
    ) -> None:
        self._conclude = conclude
        self._deliver = deliver
        self._log = log
        self._broke = broke
        self.broken = False
        """Whether it runs no more, because a handler has closed it, or what it needs."""
        self._tasks: dict[asyncio.Task[None], Pending] = {}
        self._retired = False
        self._process = os.getpid()
        self.waiting: dict[Pending, float] = {}
        """The handlers that have not begun, and since when; whoever takes one away from here runs it."""
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._failed)
        self._thread = 0
        """What the system calls the loop's thread."""
        start_thread("coroutines", self._live)

    @property
    def begun(self) -> list[Pending]:
        """What runs on the loop."""
        return [pending for pending in list(self._tasks.values()) if pending not in self.waiting]

    @property
    def labels(self) -> str:
        """What runs on the loop, for log lines."""
        names = {pending.context.name for pending in self.begun}
        return ", ".join(sorted(names)) or "something that a handler left behind"

    def start(self, pending: Pending) -> None:
        """Run a handler as soon as the loop gets to it."""
        self.waiting[pending] = monotonic()
        try:
            self._loop.call_soon_threadsafe(self._start, pending)
        except BaseException:
            del self.waiting[pending]
            raise

    def retire(self) -> None:
        """End the loop when nothing runs on it any more."""
        self._retired = True
        self._loop.call_soon_threadsafe(self._end_if_retired)

    def leave_to_parent(self) -> None:
        """Run nothing more in this process, if it is the loop's own thread that has been forked."""
        if get_ident() == self._thread:
            self._loop.stop()

    def _live(self) -> None:
        self._thread = get_ident()
        while True:
            try:
                self._loop.run_forever()
            except Exception as error:  # noqa: BLE001 - the loop's own: those of callbacks end before they get here
                self._broke(self, error)
                return
            except BaseException as error:  # noqa: BLE001 - what a handler's own task raised to end the process
                self._log.failure("a task that a handler has left behind failed", error)
            if os.getpid() != self._process:
                os._exit(0)
            if self._retired and not self._tasks:
                self._loop.close()
                return

    def _start(self, pending: Pending) -> None:
        task = self._loop.create_task(self._run(pending))
        self._tasks[task] = pending
        task.add_done_callback(self._done)

        def cancel() -> None:
            self._loop.call_soon_threadsafe(task.cancel)

        pending.context._on_cancel(cancel)

    async def _run(self, pending: Pending) -> None:
        if self.waiting.pop(pending, None) is None:  # it has got another loop
            return
        context = pending.context
        try:
            value = await pending.coroutine
        except BaseException as error:  # noqa: BLE001 - an ending handler never ends the loop, whatever it raises
            reply = self._conclude(context, None, error)
        else:
            reply = self._conclude(context, value, None)
        if not self.broken:  # or else it has been answered already, and this is its coroutine being thrown away
            self._deliver(reply)

    def _done(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        self._end_if_retired()

    def _end_if_retired(self) -> None:
        if self._retired and not self._tasks:
            self._loop.stop()

    def _failed(self, _: object, problem: dict[str, Any]) -> None:
        error = problem.get("exception")
        if error is None:
            self._log("error", f"event loop: {problem['message']}")
        else:
            self._log.failure(f"event loop: {problem['message']}", error)
