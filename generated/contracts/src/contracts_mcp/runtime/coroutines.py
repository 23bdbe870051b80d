# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Runs ``async def`` handlers, all on one event loop in a thread of its own that starts with the first of them."""

from __future__ import annotations

import asyncio
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from .context import Context
    from .dispatcher import Pending


class Coroutines:
    """An event loop for handlers.

    Args:
        conclude: Makes the reply of a request, its handler's result, and the exception it raised instead.
        deliver: Called in the loop's thread with each reply (or None) when its handler has ended.
    """

    def __init__(
        self,
        conclude: Callable[[Context, object, BaseException | None], str | None],
        deliver: Callable[[str | None], None],
    ) -> None:
        """Start the loop."""
        self._conclude = conclude
        self._deliver = deliver
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        threading.Thread(target=self._loop.run_forever, name="coroutines", daemon=True).start()

    def start(self, pending: Pending) -> None:
        """Run a handler to its end; a cancelled request raises CancelledError where it waits."""
        self._loop.call_soon_threadsafe(self._start, pending)

    def _start(self, pending: Pending) -> None:
        task = self._loop.create_task(self._run(pending.coroutine, pending.context))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def cancel() -> None:
            self._loop.call_soon_threadsafe(task.cancel)

        pending.context._on_cancel(cancel)

    async def _run(self, coroutine: Coroutine[Any, Any, object], context: Context) -> None:
        try:
            value = await coroutine
        except BaseException as error:  # noqa: BLE001 - an ending handler never ends the loop, whatever it raises
            reply = self._conclude(context, None, error)
        else:
            reply = self._conclude(context, value, None)
        self._deliver(reply)
