# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Ends calls that take longer than they may: one thread that sleeps until the next deadline.

Only calls that have been running for some milliseconds get here, so that quick ones pay nothing for their limits.
"""

from __future__ import annotations

import heapq
from threading import Condition  # by name, so that what a handler puts in its place is not used here
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from .context import Context


_AGAIN = 1.0
"""Seconds, at least, until a call that waits for its client is looked at again."""
_TIDY_SIZE = 64
"""How many contexts are kept before those are looked for that have been answered long before their time."""


class Deadlines:
    """Calls something for each context whose time is up, in whichever thread ``run`` is called in.

    Args:
        expire: Must not raise.
    """

    def __init__(self, expire: Callable[[Context], None]) -> None:
        """Start without any."""
        self._expire = expire
        self._due: list[tuple[float, int, Context, float]] = []  # the last: when it is due if it waits for nobody
        self._count = 0
        self._tidy_at = _TIDY_SIZE
        self._changed = Condition()

    def add(self, context: Context) -> None:
        """Have a context expire when its timeout, counted from now, is over."""
        with self._changed:
            if len(self._due) >= self._tidy_at:  # or else quick calls with large arguments and long limits pile up
                self._due = [entry for entry in self._due if not entry[2].answered]
                heapq.heapify(self._due)
                self._tidy_at = max(_TIDY_SIZE, 2 * len(self._due))
            self._count += 1  # heap entries must never compare contexts
            due = monotonic() + context.timeout
            heapq.heappush(self._due, (due, self._count, context, due - context.idle))
            self._changed.notify()

    def run(self) -> NoReturn:
        """Wait for one deadline after the other."""
        while True:
            with self._changed:
                while not self._due:
                    self._changed.wait()
                due, count, context, base = self._due[0]
                now = monotonic()
                if not context.answered and due > now:
                    self._changed.wait(due - now)
                    continue
                heapq.heappop(self._due)
                postponed = base + context.idle > now and not context.answered
                if postponed:
                    heapq.heappush(self._due, (max(base + context.idle, now + _AGAIN), count, context, base))
            if not context.answered and not postponed:
                self._expire(context)
