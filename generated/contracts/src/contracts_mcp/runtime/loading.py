# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Imports while other threads import too.

Two threads that import parts of one package at the same time can find it half made: Python prefers that to waiting for
each other for ever. A moment later it is whole.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Seconds to wait before each new attempt; a module that imports itself in a circle never gets whole."""


def load(name: str) -> ModuleType:
    """Import a module by its full name, again if another thread was just importing what it needs.

    Raises:
        Exception: Whatever importing it raises.
    """
    for pause in _PAUSES:
        try:
            __import__(name)
            return sys.modules[name]
        except (ImportError, AttributeError, KeyError, RuntimeError) as error:
            if not _is_half_made(error):
                raise
        time.sleep(pause)
    __import__(name)
    return sys.modules[name]


def _is_half_made(error: BaseException) -> bool:
    if isinstance(error, KeyError):  # a module that was there has been taken away, since importing it failed elsewhere
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        file = "" if traceback is None else traceback.tb_frame.f_code.co_filename
        return file == __file__ or file.startswith("<frozen importlib")
    return "partially initialized module" in str(error) or type(error).__name__ == "_DeadlockError"
