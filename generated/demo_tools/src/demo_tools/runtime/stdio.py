# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""The stdio transport: one JSON-RPC message a line, in and out.

The protocol owns private duplicates of the process's original input and output. Before any handler is imported,
descriptor 0 becomes empty and descriptor 1 becomes stderr, so nothing that a handler, a C extension or a child process
reads or prints can touch the frame.

One thread holds the turn to read. It answers what it reads itself, which costs no hand-over, and writes all answers
to one chunk of input at once. While it runs a handler the turn lies on the table: when a handler has run for some
milliseconds, a watcher gives the turn to a fresh thread, which writes what was answered so far and reads on. So a slow
call delays nobody, and a fast one pays nothing for that.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque

from .dispatcher import Pending
from .jsontext import ParseError, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .context import Context
    from .coroutines import Coroutines
    from .deadlines import Deadlines
    from .dispatcher import Dispatcher

LINE_LIMIT = 16 * 1024 * 1024
"""How many bytes a line may have; a longer one is answered with -32700 and never held whole."""

CALLS_LIMIT = 256
"""How many calls may run at once; reading waits while there are more."""

_CHUNK = 1 << 16
_WATCH_INTERVAL = 0.005
"""Seconds between two looks of the watcher, so a handler is relieved of the turn after one to two of them."""
_WATCH_QUIET = 200
"""How many looks without traffic until the watcher sleeps and uses no time at all."""
_ENDING = 0.9
"""Seconds that calls in flight get to finish once the input has ended."""
_STOPPING = 0.5
"""Seconds that they get after being cancelled."""
_CLEANING = 0.2
"""Seconds that the package's own cleaning up may take, so that all ends within two."""


class Stdio:
    """Serves one dispatcher on a pair of descriptors.

    Args:
        dispatcher: Answers the messages.
        source: The descriptor to read from.
        sink: The descriptor to write to.
    """

    def __init__(self, dispatcher: Dispatcher, source: int, sink: int) -> None:
        """Prepare to serve; nothing runs yet."""
        self._dispatcher = dispatcher
        self._source = source
        self._sink = sink
        self._writing = threading.Lock()
        self._ended = threading.Lock()  # held until there is nothing more to serve
        self._ended.acquire()

        # All of these belong to the thread that has the turn.
        self._lines: deque[bytes] = deque()
        self._replies: list[str] = []
        self._partial: list[bytes] = []  # pieces of a line whose end has not been read
        self._partial_size = 0
        self._overlong = False

        # The turn itself: an item lies here while its holder runs a handler, and whoever takes it away has the turn.
        self._turn: list[None] = []
        self._lines_served = 0
        self._overdue = False  # set by the watcher: answers have been waiting for the rest of their chunk
        self._watching = False
        self._work = threading.Semaphore(0)
        self._watcher_started = False

        self._coroutines: Coroutines | None = None
        self._deadlines: Deadlines | None = None
        self._running = 0  # handlers that run besides the turn holder's
        self._running_changed = threading.Condition()
        dispatcher.send = self._write

    def serve(self) -> None:
        """Serve until the input ends, the output is closed or a signal asks to stop; return when all is answered."""
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        self._ended.acquire()
        self._dispatcher.server.close()
        if not self._drain(time.monotonic() + _ENDING):
            self._dispatcher.cancel_all()
            self._drain(time.monotonic() + _STOPPING)

    def end(self) -> None:
        """Stop serving; callable from any thread and from a signal handler, any number of times."""
        try:
            self._ended.release()
        except RuntimeError:  # somebody else was first
            return

    @property
    def busy(self) -> bool:
        """Whether a handler is still running."""
        return bool(self._running or self._turn)

    def _drain(self, deadline: float) -> bool:
        while self.busy:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    # Reading

    def _read(self) -> None:
        """Answer lines for as long as this thread has the turn."""
        lines, replies, turn, answer = self._lines, self._replies, self._turn, self._answer
        while True:
            while lines:
                line = lines.popleft()
                self._lines_served += 1
                turn.append(None)
                if not self._watching:
                    self._watching = True
                    self._wake_watcher()
                reply = answer(line)
                try:
                    turn.pop()
                except IndexError:  # relieved meanwhile: another thread reads now
                    if reply is not None:
                        self._write(reply)
                    self._count(-1)
                    return
                if reply is not None:
                    replies.append(reply)
                if self._overdue or self._running >= CALLS_LIMIT:
                    self._flush()
                    self._wait_for_room()
            if replies:
                self._flush()
            if not self._fill():
                self.end()
                return

    def _flush(self) -> None:
        """Write the answers that this chunk of input has got so far."""
        self._overdue = False
        self._write(self._collected())

    def _collected(self) -> str:
        """Take the answers that wait to be written; only for whoever has the turn."""
        text = "".join(self._replies)
        self._replies.clear()
        return text

    def _wait_for_room(self) -> None:
        """Wait while too many calls run; give up when the client has gone and none of them ends."""
        patience = 0
        while self._running >= CALLS_LIMIT:
            with self._running_changed:
                if self._running_changed.wait_for(lambda: self._running < CALLS_LIMIT, timeout=0.1):
                    return
            patience = patience + 1 if _hung_up(self._source) else 0
            if patience * 0.1 >= _ENDING:
                self.end()
                return

    def _fill(self) -> bool:
        """Read some input into lines; False when there will never be more."""
        try:
            chunk = os.read(self._source, _CHUNK)
        except OSError as error:
            self._dispatcher.log("error", f"reading failed, so this is taken as the end of input: {error}")
            chunk = b""
        if not chunk:
            self._lines.extend(self._end_of_line(b""))
            return bool(self._lines)
        first, newline, rest = chunk.partition(b"\n")
        if not newline:
            self._keep(chunk)
            return True
        lines = rest.split(b"\n")
        last = lines.pop()
        self._lines.extend(self._end_of_line(first))
        self._lines.extend(lines)
        if last:
            self._keep(last)
        return True

    def _keep(self, piece: bytes) -> None:
        """Keep a piece of a line whose end is still to come, unless the line is too long already."""
        self._partial_size += len(piece)
        if self._partial_size > LINE_LIMIT:
            self._overlong = True
            self._partial.clear()
        else:
            self._partial.append(piece)

    def _end_of_line(self, piece: bytes) -> list[bytes]:
        """Return the line that ends with a piece, in a list; or nothing, where there was only an overlong line."""
        if not self._partial_size:
            return [piece] if piece else []
        self._keep(piece)
        line, overlong = b"".join(self._partial), self._overlong
        self._partial.clear()
        self._partial_size = 0
        self._overlong = False
        if overlong:
            self._replies.append(self._dispatcher.unreadable(f"a line of more than {LINE_LIMIT} bytes"))
            return []
        return [line]

    def _answer(self, line: bytes) -> str | None:
        try:
            message = decode(line)
        except ParseError as error:
            return self._dispatcher.unreadable(str(error)) if line.strip() else None
        reply = self._dispatcher.receive(message)
        if type(reply) is Pending:
            self._start(reply)
            return None
        return reply  # type: ignore[return-value]

    # Writing

    def _write(self, text: str) -> None:
        """Write complete lines; a closed output ends the service quietly."""
        with self._writing:
            self._write_out(text)

    def _write_out(self, text: str) -> None:
        data = text.encode("ascii")
        try:
            while data:
                data = data[os.write(self._sink, data) :]
        except OSError:
            self.end()

    # Slow handlers

    def _wake_watcher(self) -> None:
        if not self._watcher_started:
            self._watcher_started = True
            threading.Thread(target=self._watch, name="watcher", daemon=True).start()
        self._work.release()

    def _watch(self) -> None:
        """Give the turn to a fresh thread when a handler has kept it for a look's length; sleep when all is quiet."""
        while True:
            self._work.acquire()
            quiet = 0
            while quiet < _WATCH_QUIET:
                seen = self._lines_served
                time.sleep(_WATCH_INTERVAL)
                if self._lines_served != seen:
                    quiet = 0
                    self._overdue = True
                elif self._turn:
                    self._relieve()
                else:
                    quiet += 1
            self._watching = False
            if self._turn and not self._watching:  # a line came in just now and found the watcher awake
                self._watching = True
                self._work.release()

    def _relieve(self) -> None:
        # Counted before the turn is taken, so that nobody can see a handler that neither runs nor has the turn.
        self._count(+1)
        context = self._dispatcher.latest
        with self._writing:  # what was answered before goes out before what the relieved handler will answer
            try:
                self._turn.pop()
            except IndexError:  # it ended just now
                self._count(-1)
                return
            self._write_out(self._collected())
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        if context is not None:
            self._limit(context)

    def _limit(self, context: Context) -> None:
        """Have a request end when its time is up; one that is still running has hardly used any of it."""
        if context.timeout and not context.answered:
            if self._deadlines is None:
                from .deadlines import Deadlines

                self._deadlines = Deadlines(self._expire)
            self._deadlines.add(context)

    def _expire(self, context: Context) -> None:
        reply = self._dispatcher.expire(context)
        if reply is not None:
            self._write(reply)

    def _start(self, pending: Pending) -> None:
        if self._coroutines is None:
            from .coroutines import Coroutines

            self._coroutines = Coroutines(self._dispatcher.conclude, self._deliver)
        self._count(+1)
        self._coroutines.start(pending)
        self._limit(pending.context)

    def _deliver(self, reply: str | None) -> None:
        if reply is not None:
            self._write(reply)
        self._count(-1)

    def _count(self, change: int) -> None:
        with self._running_changed:
            self._running += change
            self._running_changed.notify()


def _hung_up(descriptor: int) -> bool:
    """Say whether the other end of a pipe is closed, even while unread input is left in it."""
    import select

    poll = select.poll()
    poll.register(descriptor, 0)
    return bool(poll.poll(0))


def serve(dispatcher: Dispatcher, title: str) -> NoReturn:
    """Serve a dispatcher on this process's stdin and stdout until the input ends, then exit with code 0.

    Args:
        dispatcher: Answers the messages.
        title: What to call the server when a person starts it in a terminal.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        dispatcher.log("notice", f"{title} waits for JSON-RPC messages, one a line; end the input (Ctrl-D) to stop it")
    stdio = Stdio(dispatcher, *_take_over_descriptors())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stdio.end())
    stdio.serve()
    _exit(dispatcher, stdio)


def _take_over_descriptors() -> tuple[int, int]:
    """Return private duplicates of stdin and stdout; leave /dev/null and stderr in their places."""
    nothing = os.open(os.devnull, os.O_RDWR)
    while nothing <= 2:  # the parent closed a standard descriptor: no file opened later may land on it
        nothing = os.dup(nothing)
    source, sink = os.dup(0), os.dup(1)
    for descriptor in (source, sink):
        os.set_blocking(descriptor, True)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - empty, for the life of the process
    sys.stdout = sys.stderr
    return source, sink


def _exit(dispatcher: Dispatcher, stdio: Stdio) -> NoReturn:
    """End the process: in the ordinary way if nothing is left running, at once if something is stuck."""
    cleaning = threading.Thread(target=dispatcher.close, name="cleaning", daemon=True)
    cleaning.start()
    cleaning.join(_CLEANING)
    stuck = (
        stdio.busy
        or cleaning.is_alive()
        or any(thread is not threading.current_thread() and not thread.daemon for thread in threading.enumerate())
    )
    dispatcher.log.flush(0.1)
    if stuck:
        os._exit(0)
    sys.exit(0)
