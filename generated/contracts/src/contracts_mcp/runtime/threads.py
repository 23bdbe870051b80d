# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Threads of the runtime's own: they run, whatever handlers have set up for threads."""

from __future__ import annotations

from _thread import start_new_thread
from threading import Lock, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 0.001
"""Seconds between two looks whether a thread that has not begun is still going to."""


def start_thread(name: str, target: Callable[[], object]) -> None:
    """Run a function in a thread that does not keep the process from ending.

    Tracers and profilers that are there for all threads (``threading.settrace``) see it, and so what handlers do in it.
    One that fails does not keep it from running.

    Raises:
        Exception: There is no thread to be had.
    """
    begun = Lock()
    begun.acquire()

    def run() -> None:
        begun.release()
        target()

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    while not begun.acquire(timeout=_PATIENCE):
        if not thread.is_alive() and not begun.acquire(blocking=False):
            start_new_thread(target, ())
            return
