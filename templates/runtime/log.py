"""Diagnostics on stderr: one line each, at or above the level that TOOLMINT_LOG_LEVEL names.

Lines are handed to a thread of their own, so a host that never reads stderr cannot stall the protocol; when it lags
by more than a thousand lines, the oldest are dropped. What handlers print goes out at once, and is dropped where it
would have to wait for long. Unless a handler logs them itself or puts them into an
exception's text, argument values appear at no level above ``debug``.
"""

from __future__ import annotations

import os
from collections import deque
from io import RawIOBase, TextIOWrapper
from os import write  # by name, so that what a handler puts in their place in these modules is not used here
from threading import Event, Lock, Semaphore
from time import gmtime, strftime, time

from .threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""The protocol's log levels, least severe first (RFC 5424, section 6.2.1)."""

SEVERITY = {level: number for number, level in enumerate(LEVELS)}

_ENVIRONMENT_VARIABLE = "TOOLMINT_LOG_LEVEL"
_BACKLOG = 1000
_PATIENCE_MS = 500
"""How long what a handler prints waits for somebody to read what was printed before."""
_PIECE = 4096
"""How many bytes a pipe takes without making the writer wait, when it can be written to (pipe(7): PIPE_BUF)."""
_MAX_CAUSES = 5
_MAX_TEXT = 1 << 15
"""How many characters a line may have; all lines of the backlog together are held in memory."""


class Log:
    """Writes diagnostic lines to a descriptor without ever making the caller wait."""

    def __init__(self, descriptor: int = 2, level: str | None = None) -> None:
        """Write to a descriptor; the level is taken from the environment where it is not given."""
        name = (level or os.environ.get(_ENVIRONMENT_VARIABLE, "")).strip().lower() or "info"
        self.descriptor = descriptor
        """Where lines are written to."""
        self._threshold = SEVERITY.get(name, SEVERITY["info"])
        self._lines: deque[bytes | Event] = deque(maxlen=_BACKLOG)
        self._waiting = Semaphore(0)
        self._started = False
        self._starting = Lock()
        if name not in SEVERITY:
            self("warning", f"{_ENVIRONMENT_VARIABLE} names no level: use one of {', '.join(LEVELS)}")

    def __call__(self, level: str, message: str) -> None:
        """Log one message as one line: line breaks in it are written as escapes."""
        if SEVERITY[level] < self._threshold:
            return
        try:
            self._say(level, message)
        except Exception:  # noqa: BLE001 - no memory, most likely: nothing that is logged is worth failing for
            return

    def _say(self, level: str, message: str) -> None:
        if len(message) > _MAX_TEXT:
            message = f"{message[:_MAX_TEXT]}... ({len(message)} characters in all)"
        now = time()
        stamp = strftime("%Y-%m-%dT%H:%M:%S", gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
        text = f"{stamp} {level.upper()} {message}".replace("\r", "\\r").replace("\n", "\\n")
        self._hand_over(text.encode("utf-8", "backslashreplace") + b"\n")

    def failure(self, message: str, error: BaseException, level: str = "error") -> None:
        """Log a message with an exception, what caused it, and the calls that led to each, innermost last."""
        parts: list[str] = []
        cause: BaseException | None = error
        try:
            while cause is not None and len(parts) < _MAX_CAUSES:
                calls = " > ".join(_frames(cause.__traceback__))
                parts.append(f"{type(cause).__name__}: {_text_of(cause)}" + (f" [{calls}]" if calls else ""))
                cause = cause.__cause__
        except BaseException:  # noqa: BLE001 - a handler's exception class may do anything
            parts.append("an exception that cannot be looked at")
        self(level, f"{message}: {', caused by '.join(parts)}")

    def flush(self, seconds: float) -> None:
        """Wait until everything said so far is written, but no longer than the seconds given."""
        if self._started:
            reached = Event()
            self._hand_over(reached)
            reached.wait(seconds)

    def restart(self) -> None:
        """Begin anew in a process that has just been forked: its thread has stayed behind, and so have its lines."""
        self._lines.clear()
        self._waiting = Semaphore(0)
        self._started = False
        self._starting = Lock()

    def _hand_over(self, line: bytes | Event) -> None:
        self._lines.append(line)
        if not self._started:
            with self._starting:
                if not self._started:
                    try:
                        start_thread("log", self._write)
                    except Exception:  # noqa: BLE001 - no thread to be had now: the next line tries again
                        return
                    self._started = True
                    for _ in range(len(self._lines) - 1):
                        self._waiting.release()
        self._waiting.release()

    def _write(self) -> None:
        while True:
            self._waiting.acquire()
            try:
                line = self._lines.popleft()
            except IndexError:  # dropped because the backlog was full
                continue
            if isinstance(line, Event):
                line.set()
                continue
            try:
                while line:
                    line = line[write(self.descriptor, line) :]
            except OSError:  # nobody can read it: there is nowhere left to complain
                continue


class _Printing(RawIOBase):
    """Where handlers print to: descriptor 2, or nowhere while nobody reads that."""

    def __init__(self) -> None:
        super().__init__()
        self._unread = False
        self._restart()
        os.register_at_fork(after_in_child=self._restart)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def isatty(self) -> bool:
        return os.isatty(2)

    def write(self, data: Any, /) -> int:
        view = memoryview(data).cast("B")
        with self._writing:
            for start in range(0, len(view), _PIECE):
                self._unread = not _is_read(0 if self._unread else _PATIENCE_MS)
                if self._unread:
                    break
                write(2, view[start : start + _PIECE])
        return len(view)

    def _restart(self) -> None:
        self._writing = Lock()  # so that no two threads fill what there is room for


def _is_read(milliseconds: int) -> bool:
    """Say whether descriptor 2 takes a piece without making the writer wait, now or after some milliseconds."""
    try:
        from select import POLLOUT, poll  # only now: most servers never print, and start sooner without it
    except (ImportError, OSError):  # no descriptor to be had to load it with
        return True
    waiting = poll()
    waiting.register(2, POLLOUT)
    return bool(waiting.poll(milliseconds))


def printing() -> TextIOWrapper:
    """Return a text stream that writes to descriptor 2, and drops what would have to wait for long."""
    # A raw stream is enough: all that is asked of it is to write, and it always writes everything.
    raw: Any = _Printing()
    return TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _frames(traceback: TracebackType | None) -> list[str]:
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"{code.co_filename}:{traceback.tb_lineno} in {code.co_name}")
        traceback = traceback.tb_next
    return frames[-12:]


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as second:  # noqa: BLE001 - a handler's exception class may do anything
        return f"(its text cannot be had: {type(second).__name__})"
