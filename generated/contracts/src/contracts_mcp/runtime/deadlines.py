# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Ends calls that take longer than they may: one thread that sleeps until the next deadline, started by the first one.

Only calls that have been running for some milliseconds get here, so that quick ones pay nothing for their limits.
"""

from __future__ import annotations

import heapq
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .context import Context


class Deadlines:
    """Calls something for each context whose time is up.

    Args:
        expire: Called in the thread of the deadlines; must not raise.
    """

    def __init__(self, expire: Callable[[Context], None]) -> None:
        """Start the thread."""
        self._expire = expire
        self._due: list[tuple[float, int, Context]] = []
        self._count = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="deadlines", daemon=True).start()

    def add(self, context: Context) -> None:
        """Have a context expire when its timeout, counted from now, is over."""
        with self._changed:
            self._count += 1  # heap entries must never compare contexts
            heapq.heappush(self._due, (time.monotonic() + context.timeout, self._count, context))
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._due:
                    self._changed.wait()
                due, _, context = self._due[0]
                seconds = due - time.monotonic()
                if context.answered or seconds <= 0:
                    heapq.heappop(self._due)
                else:
                    self._changed.wait(seconds)
                    continue
            if not context.answered:
                self._expire(context)
