# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""The stdio transport: one JSON-RPC message a line, in and out.

The protocol owns private duplicates of the process's original input and output. Before any handler is imported,
descriptor 0 becomes empty and descriptor 1 becomes stderr, so nothing that a handler, a C extension or a child process
reads or prints can touch the frame.

One thread holds the turn to read. It answers what it reads itself, which costs no hand-over, and writes all answers
to one chunk of input at once. While it runs a handler the turn lies on the table: when a handler has run for some
milliseconds, a watcher passes the turn to another thread, which writes what was answered so far and reads on. So a slow
call delays nobody, and a fast one pays nothing for that. A handler that was slow once passes the turn on by itself the
next times, before it does anything else, until it has become fast.

Only so many calls run at once. While there are that many, requests that would run a handler are held back in their
order, up to a limit; everything else is answered as ever, and what is held back can be cancelled.
"""

from __future__ import annotations

import os
import sys
import threading
from _thread import start_new_thread  # by name, as the next ones: what a handler puts in their place is not used
from collections import deque
from os import read, write
from threading import Lock, Semaphore
from time import monotonic, sleep

from .dispatcher import Pending
from .jsontext import ParseError, decode
from .log import printing
from .threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from .context import Context
    from .coroutines import Coroutines
    from .deadlines import Deadlines
    from .dispatcher import Dispatcher
    from .middleware import Handler

LINE_LIMIT = 16 * 1024 * 1024
"""How many bytes a line may have where nothing else is said; a longer one gets -32700 and is never held whole."""

CALLS_LIMIT = 256
"""How many calls may run at once where nothing else is said."""

HELD_LIMIT = 1024
"""How many requests are held back at most; their lines together are not longer than one line may be either."""

_CHUNK = 1 << 14
"""How many bytes are read at once. Answers to a chunk are written at once too; larger blocks fragment the heap."""
_WATCH_INTERVAL = 0.005
"""Seconds between two looks of the watcher, so a handler is relieved of the turn after one to two of them."""
_WATCH_AGAIN = 0.5
"""Seconds until the watcher looks again after it has failed."""
_WATCH_QUIET = 200
"""How many looks without traffic until the watcher sleeps and uses no time at all."""
_FAST = 0.001
"""Seconds that a handler known as slow may take to be fast again, once it has done so some times in a row."""
_FAST_TIMES = 5
_SPARE_THREADS = 4
"""How many threads are kept, asleep, to take the turn when it is passed on next."""
_ENDING_INTERVAL = 50
"""Milliseconds between two looks whether it is time to stop, while the input has ended and there is no room."""
_ENDING = 0.8
"""Seconds that calls in flight get to finish once the input has ended."""
_STOPPING = 0.4
"""Seconds that they get after being cancelled."""
_CLEANING = 0.2
"""Seconds that the package's own cleaning up may take, so that all ends within two."""
_DESCRIPTORS = 1024
"""How large the numbers of the protocol's own descriptors may be; ``select`` takes none above."""
_LAST = 1.7
"""Seconds from the end of service to the end of the process, whatever may still be stuck."""


class Stdio:
    """Serves one dispatcher on a pair of descriptors.

    Args:
        dispatcher: Answers the messages.
        source: The descriptor to read from.
        sink: The descriptor to write to.
        line_limit: How many bytes a line may have.
        calls_limit: How many calls may run at once.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        source: int,
        sink: int,
        *,
        line_limit: int = LINE_LIMIT,
        calls_limit: int = CALLS_LIMIT,
    ) -> None:
        """Prepare to serve; nothing runs yet."""
        self._dispatcher = dispatcher
        self._source = source
        self._sink = sink
        self._line_limit = line_limit
        self._chunk = min(_CHUNK, line_limit)  # so that no line that is too long is ever read in one piece
        self._calls_limit = calls_limit
        self._writing = Lock()
        self._over = False  # there is nothing more to serve
        self.guarded = False
        """Whether a thread sees to it that the process ends in time."""
        # The main thread sleeps on a pipe, which signals write to. Waiting for a lock, it could miss one that comes
        # just before it falls asleep.
        self._sleeper, self.waker = map(_out_of_the_way, os.pipe())
        os.set_blocking(self.waker, False)
        self._stopped = False  # nothing more is read, started or waited for
        self._in_child = False  # in a process that a handler has forked

        # All of these belong to the thread that has the turn.
        self._lines: deque[bytes] = deque()
        self._replies: list[str] = []
        self._partial: list[bytes] = []  # pieces of a line whose end has not been read
        self._partial_size = 0
        self._overlong = False
        self._input_over = False
        self._held: deque[tuple[Context, bytes]] = deque()
        self._held_size = 0

        # The turn itself: while its holder answers a line, that line's number lies here, and whoever takes it away has
        # the turn. A number is never used twice, so nobody can take what was put there for a later line.
        self._turn: list[int] = []
        self._lines_served = 0
        self._spare: list[Lock] = []  # threads asleep; each wakes with the turn when its lock is released
        self._attention = False  # something is to be done before the next line is answered
        self._watching = False
        self._work = Semaphore(0)
        self._watcher_started = False
        self._short_of_threads = False

        self._coroutines: Coroutines | None = None
        self._deadlines: Deadlines | None = None
        self._starting = Lock()  # held while one of the two is started
        self._running = 0  # handlers that run besides the turn holder's
        self._counting = Lock()
        # A pipe that wakes the turn holder when a call has ended. Later there may be no descriptors to be had.
        self._bell, self._clapper = map(_out_of_the_way, os.pipe())
        for descriptor in (self._bell, self._clapper):
            os.set_blocking(descriptor, False)
        self._listening = False  # whether the turn holder waits for that
        dispatcher.send = self._write

    def serve(self) -> None:
        """Serve until the input ends, the output is closed or a signal asks to stop; return when all is answered."""
        os.register_at_fork(after_in_child=self._leave_to_parent)
        start_thread("reader", self._live)
        self._sleep()
        self.guarded = _watch_over_the_end()
        self._dispatcher.end_streams()
        if not self._drain(monotonic() + _ENDING):
            self._stopped = True
            self._dispatcher.cancel_all()
            self._drain(monotonic() + _STOPPING)
        self._stopped = True

    def _sleep(self) -> None:
        """Sleep until there is nothing more to serve."""
        while not self._over:
            try:
                woken = read(self._sleeper, 1)
            except OSError:
                woken = b""
            if not woken:  # a handler has closed what is not its own
                self._over = True

    def end(self) -> None:
        """Stop serving; callable from any thread and from a signal handler, any number of times."""
        self._over = True
        try:
            write(self.waker, b"!")
        except OSError:  # it has been written often enough
            return

    @property
    def busy(self) -> bool:
        """Whether a handler is still running, or waits to."""
        return bool(self._running or self._turn or (self._held and not self._stopped))

    def _drain(self, deadline: float) -> bool:
        while self.busy:
            if monotonic() > deadline:
                return False
            sleep(0.002)
        return True

    # Reading

    def _live(self, asleep: Lock | None = None) -> None:
        """Read while having the turn; sleep without it; end when enough other threads sleep.

        Args:
            asleep: A lock that is held until this thread gets the turn; without one it has the turn from the start.
        """
        if asleep is not None:
            asleep.acquire()
        try:
            while self._read():
                self._count(-1)
                if len(self._spare) >= _SPARE_THREADS:
                    return
                asleep = Lock()
                asleep.acquire()
                self._spare.append(asleep)
                asleep.acquire()
        except BaseException as error:  # noqa: BLE001 - no memory, most likely: better an end than silence
            try:
                self._dispatcher.log.failure("reading cannot go on", error, "critical")
            finally:
                self.end()

    def _read(self) -> bool:
        """Answer lines for as long as this thread has the turn; False when there will never be more."""
        lines, replies, turn, dispatcher, answer = (
            self._lines, self._replies, self._turn, self._dispatcher, self._answer
        )  # fmt: skip
        while True:
            while lines:
                if self._attention and not self._attend():
                    break
                line = lines.popleft()
                self._lines_served = number = self._lines_served + 1
                dispatcher.latest = None
                turn.append(number)
                if not self._watching:
                    self._watching = True
                    self._wake_watcher()
                reply = answer(line)
                try:
                    turn.remove(number)
                except ValueError:  # relieved meanwhile: another thread reads now
                    if self._in_child:
                        os._exit(0)
                    if reply is not None:
                        self._write(reply)
                    return True
                if reply is not None:
                    replies.append(reply)
            if self._attention and (self._attend() or not self._input_over):
                continue
            if replies:
                self._write(self._collected())
            if not self._fill():
                self.end()
                return False

    def _attend(self) -> bool:
        """Do what is due before the next line; False when no line is left then.

        Write the answers so far; then, while as many calls run as may, answer only what runs no handler, hold back the
        rest, and wait for a call to end or for more input.
        """
        self._attention = False
        lines, held = self._lines, self._held
        while True:
            if self._stopped:
                return False
            if self._running < self._calls_limit:
                if held:
                    self._attention = True
                    context, line = held.popleft()
                    self._held_size -= len(line)
                    if not self._dispatcher.leave(context):  # cancelled while it waited
                        continue
                    lines.appendleft(line)
                if self._replies:
                    self._write(self._collected())
                return bool(lines)
            while lines:
                self._answer_or_hold(lines.popleft())
            if self._replies:
                self._write(self._collected())
            self._wait_for_room()

    def _answer_or_hold(self, line: bytes) -> None:
        """Answer a line that runs no handler; hold back one that does."""
        dispatcher = self._dispatcher
        try:
            message = decode(line)
        except BaseException:  # noqa: BLE001 - answering it tells what is wrong
            message = None
        if type(message) is list and dispatcher.receive is not dispatcher:  # a batch of the handshake era
            self._hold(f"\ud800held {id(line)}", line)
            return
        if type(message) is dict and message.get("jsonrpc") == "2.0":
            id_ = message.get("id")
            method = message.get("method")
            offered = dispatcher.methods.get(method) if type(method) is str else None
            has_handlers = offered is not None and offered.has_handlers
            if has_handlers and (type(id_) is int or type(id_) is str) and id_ not in dispatcher.in_flight:
                self._hold(id_, line)
                return
        reply = self._answer(line)
        if reply is not None:
            self._replies.append(reply)

    def _hold(self, id_: str | int, line: bytes) -> None:
        """Hold back a line; in flight from here on, so that it can be cancelled and its id not be used again."""
        self._held.append((self._dispatcher.enter(None, id_, "", "a request held back", {}), line))
        self._held_size += len(line)

    def _wait_for_room(self) -> None:
        """Wait until fewer calls run, or something more has been read."""
        try:
            import select
        except (ImportError, OSError):  # not a descriptor to be had to load it with: the input has to wait, too
            sleep(_ENDING_INTERVAL / 1000)
            return
        self._listening = True
        if self._running < self._calls_limit:  # before anybody could know that this thread listens
            return
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        full = len(self._held) >= HELD_LIMIT or self._held_size >= self._line_limit
        if not self._input_over:
            poll.register(self._source, 0 if full else select.POLLIN)
        heard = poll.poll(_ENDING_INTERVAL if self._input_over else None)
        self._listening = False
        for descriptor, _ in heard:
            if descriptor == self._bell:
                read(descriptor, _CHUNK)
            elif full:  # the client has gone; what it left in the pipe is read when there is room
                self._input_over = True
                self.end()
            elif not self._fill():
                self.end()

    def _collected(self) -> str:
        """Take the answers that wait to be written; only for whoever has the turn."""
        text = "".join(self._replies)
        self._replies.clear()
        return text

    def _fill(self) -> bool:
        """Read some input into lines; False when there will never be more."""
        try:
            chunk = b"" if self._stopped else read(self._source, self._chunk)
        except BlockingIOError:  # another process has changed the mode of what it shares with this one
            _wait_for(self._source, reading=True)
            return True
        except OSError as error:
            self._dispatcher.log("error", f"reading failed, so this is taken as the end of input: {error}")
            chunk = b""
        if not chunk:
            self._input_over = True
            self._lines.extend(self._end_of_line(b""))
            return bool(self._lines)
        first, newline, rest = chunk.partition(b"\n")
        if not newline:
            self._keep(chunk)
            return True
        if not rest and not self._partial_size:  # one whole line, as nearly always
            self._lines.append(first)
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
        if self._partial_size > self._line_limit:
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
            self._replies.append(self._dispatcher.unreadable(f"a line of more than {self._line_limit} bytes"))
            return []
        return [line]

    def _answer(self, line: bytes) -> str | None:
        try:
            message = decode(line)
        except ParseError as error:
            return self._dispatcher.unreadable(str(error)) if line.strip() else None
        except MemoryError:
            return self._dispatcher.unreadable(f"a line of {len(line)} bytes needs more memory than there is")
        except BaseException as error:  # noqa: BLE001 - a handler has put something in place of what this needs
            self._dispatcher.log.failure("a line could not be read", error, "critical")
            return self._dispatcher.unreadable("the server cannot read this line")
        try:
            reply = self._dispatcher.receive(message)
            return self._start(reply) if type(reply) is Pending else reply  # type: ignore[return-value]
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is not worth the server
            return self._dispatcher.give_up(message, error)

    # Writing

    def _write(self, text: str) -> None:
        """Write complete lines; a closed output ends the service quietly."""
        with self._writing:
            self._write_out(text)

    def _write_out(self, text: str) -> None:
        try:
            data: bytes | memoryview = text.encode("ascii")
        except MemoryError:
            if len(text) <= _CHUNK:
                raise
            for start in range(0, len(text), _CHUNK):
                self._write_out(text[start : start + _CHUNK])
            return
        while True:
            try:
                written = write(self._sink, data)
            except BlockingIOError:  # another process has changed the mode of what it shares with this one
                _wait_for(self._sink, reading=False)
                continue
            except OSError:
                self.end()
                return
            if written == len(data):
                return
            data = memoryview(data)[written:]

    # Slow handlers

    def _wake_watcher(self) -> None:
        if not self._watcher_started:
            self._watcher_started = self._start_thread("watcher", self._watch)
        self._work.release()

    def _watch(self) -> None:
        """Pass the turn on when a handler has kept it for a look's length; sleep when all is quiet."""
        turn = self._turn
        while True:
            self._work.acquire()
            quiet = 0
            while quiet < _WATCH_QUIET:
                seen = self._lines_served
                sleep(_WATCH_INTERVAL)
                try:
                    quiet = 0 if self._look(seen) else quiet + 1
                except BaseException as error:  # noqa: BLE001 - no memory, most likely; there may be some again
                    self._dispatcher.log.failure("a slow call keeps others waiting", error, "critical")
                    sleep(_WATCH_AGAIN)
            self._watching = False
            if turn and not self._watching:  # a line came in just now and found the watcher awake
                self._watching = True
                self._work.release()

    def _look(self, seen: int) -> bool:
        """Do what the watcher has to do after a look's length; say whether anything is going on.

        Args:
            seen: How many lines had been served at the look before.
        """
        coroutines = self._coroutines
        waiting = coroutines is not None and coroutines.waiting
        if coroutines is not None and waiting:
            coroutines.look()
        if self._lines_served != seen:
            self._attention = True
        elif self._turn:
            # Taken in this order: a context that is there belongs to this very line, if it can be taken away.
            context = self._dispatcher.latest
            if context is not None and self._pass_turn(seen, context):
                self._remember(context)
            elif self._short_of_threads and self._hung_up():
                self.end()
        else:
            return waiting
        return True

    def _hung_up(self) -> bool:
        """Say whether the client has gone, when nobody may ever read to the end of what it has sent."""
        import select

        poll = select.poll()
        poll.register(self._source, 0)
        return bool(poll.poll(0))

    def _pass_turn(self, number: int, context: Context) -> bool:
        """Take the turn away from the holder, who runs a handler, and have another thread read on.

        Args:
            number: The number of the line that the holder answers.
            context: The request in that line.

        Returns:
            Whether that was done; the holder may be ready just now, or no thread can be started.
        """
        try:
            successor = self._spare.pop()
        except IndexError:
            successor = Lock()
            successor.acquire()
            if not self._start_thread("reader", lambda: self._live(successor)):
                return False
        # Counted before the turn is taken, so that nobody can see a handler that neither runs nor has the turn.
        self._count(+1)
        with self._writing:  # what was answered before goes out before what the relieved handler will answer
            try:
                self._turn.remove(number)
            except ValueError:  # it ended just now
                self._count(-1)
                self._spare.append(successor)
                return False
            if self._replies:
                self._write_out(self._collected())
        successor.release()
        self._limit(context)
        return True

    def _start_thread(self, name: str, target: Callable[[], object]) -> bool:
        """Start a thread; False when the system has none to give, which is no reason to stop serving."""
        try:
            start_thread(name, target)
        except Exception as error:  # noqa: BLE001 - none to be had, or a handler has replaced what starts them
            if not self._short_of_threads:
                self._short_of_threads = True
                text = f"no thread can be started ({name}), so for now calls wait for others: {error}"
                self._dispatcher.log("warning", text)
            return False
        self._short_of_threads = False
        return True

    def _remember(self, context: Context) -> None:
        """Have the handler that a request runs pass the turn on by itself from now on."""
        called = context.called
        if called is None:  # loading it is what took so long
            return
        handler = called.handler
        if handler is not None and type(handler) is not _Slow:
            called.handler = _Slow(called, handler, self._yield_turn)

    def _yield_turn(self, context: Context) -> None:
        """Pass the turn on for a request whose handler is about to run, unless that has been done already."""
        try:
            number = self._turn[0]
        except IndexError:
            return
        # The number was there first: if it is not this request's, then latest is not either any more.
        if self._dispatcher.latest is context:
            self._pass_turn(number, context)

    def _limit(self, context: Context) -> None:
        """Have a request end when its time is up; one that is still running has hardly used any of it."""
        if not context.timeout or context.answered:
            return
        try:
            with self._starting:
                if self._deadlines is None:
                    from .deadlines import Deadlines

                    deadlines = Deadlines(self._expire)
                    if not self._start_thread("deadlines", deadlines.run):
                        return
                    self._deadlines = deadlines
            self._deadlines.add(context)
        except Exception as error:  # noqa: BLE001 - neither descriptors nor memory to be had, most likely
            self._dispatcher.log.failure(f"{context.label} has no limit to its time", error, "critical")

    def _expire(self, context: Context) -> None:
        try:
            reply = self._dispatcher.expire(context)
            if reply is not None:
                self._write(reply)
        except BaseException as error:  # noqa: BLE001 - other calls have limits too
            self._dispatcher.log.failure(f"{context.label} could not be ended in time", error, "critical")

    def _start(self, pending: Pending) -> str | None:
        """Have an ``async def`` handler run; return a reply if it cannot be started at all."""
        self._count(+1)
        try:
            with self._starting:
                if self._coroutines is None:
                    from .loading import load

                    load("asyncio")  # which a handler may be importing too
                    from .coroutines import Coroutines

                    self._coroutines = Coroutines(self._dispatcher.conclude, self._deliver, self._dispatcher.log)
            self._coroutines.start(pending)
        except Exception as error:  # noqa: BLE001 - neither descriptors nor threads to be had, most likely
            self._count(-1)
            pending.coroutine.close()
            return self._dispatcher.conclude(pending.context, None, error)
        self._limit(pending.context)
        return None

    def _deliver(self, reply: str | None) -> None:
        if self._in_child:
            os._exit(0)
        try:
            if reply is not None:
                self._write(reply)
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._counting:
            self._running += change
            if self._running >= self._calls_limit:
                self._attention = True
        if change < 0 and self._listening:
            try:
                write(self._clapper, b"!")
            except OSError:  # it is ringing already
                return

    def _leave_to_parent(self) -> None:
        """In a process that a handler has forked: neither read nor speak on the wire, and end like any other."""
        self._in_child = True
        for descriptor in (self._source, self._sink, self._sleeper, self.waker):
            _close(descriptor)
        self._source = self._sink = self._sleeper = self.waker = -1
        _on_termination("SIG_DFL", -1)  # or else who forked it could not stop it
        self._stopped = True
        self._turn.clear()  # so that whoever runs the handler finds itself relieved
        self._writing = Lock()
        self._counting = Lock()
        self._dispatcher.log.restart()
        if self._coroutines is not None:
            self._coroutines.leave_to_parent()


class _Slow:
    """A handler that was slow, and so passes the turn on before it starts; the plain one again once it is fast.

    Args:
        called: What has the handler as its attribute.
        handler: The handler.
        yield_turn: Passes the turn on.
    """

    __slots__ = ("called", "fast", "handler", "yield_turn")

    def __init__(self, called: Any, handler: Handler, yield_turn: Any) -> None:
        self.called = called
        self.handler = handler
        self.yield_turn = yield_turn
        self.fast = 0

    def __call__(self, arguments: Any, context: Context) -> Any:
        self.yield_turn(context)
        began = monotonic()
        try:
            return self.handler(arguments, context)
        finally:
            self.fast = self.fast + 1 if monotonic() - began < _FAST else 0
            if self.fast >= _FAST_TIMES:
                self.called.handler = self.handler


def serve(
    dispatcher: Dispatcher, title: str, *, line_limit: int = LINE_LIMIT, calls_limit: int = CALLS_LIMIT
) -> NoReturn:
    """Serve a dispatcher on this process's stdin and stdout until the input ends, then exit with code 0.

    Args:
        dispatcher: Answers the messages.
        title: What to call the server when a person starts it in a terminal.
        line_limit: How many bytes a line may have.
        calls_limit: How many calls may run at once; further ones wait.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        dispatcher.log("notice", f"{title} waits for JSON-RPC messages, one a line; end the input (Ctrl-D) to stop it")
    source, sink, errors = _take_over_descriptors()
    dispatcher.log.descriptor = errors
    stdio = Stdio(dispatcher, source, sink, line_limit=line_limit, calls_limit=calls_limit)
    _on_termination(stdio.end, stdio.waker)
    try:
        stdio.serve()
    except BaseException as error:  # noqa: BLE001 - no memory, most likely: what is left to do is to end
        dispatcher.log.failure("calls in flight could not be ended in good order", error, "critical")
    _exit(dispatcher, stdio)


def _wait_for(descriptor: int, *, reading: bool) -> None:
    """Wait until a descriptor can be read from or written to."""
    import select

    poll = select.poll()
    poll.register(descriptor, select.POLLIN if reading else select.POLLOUT)
    poll.poll()


def _on_termination(reaction: Callable[[], None] | str, waker: int) -> None:
    """Say what happens when a signal asks the process to stop.

    Args:
        reaction: A function, which is called in the main thread; ``SIG_DFL`` or ``SIG_IGN`` for what these stand for.
        waker: The descriptor that something is written to first, to wake the main thread; -1 for none.
    """
    try:
        # What the module signal is made of, less its enumerations: making those takes long.
        import _signal as signal  # type: ignore[import-not-found]
    except ImportError:
        import signal

    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    handler = getattr(signal, reaction) if isinstance(reaction, str) else lambda *_: reaction()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)


def _take_over_descriptors() -> tuple[int, int, int]:
    """Return private duplicates of stdin, stdout and stderr; leave /dev/null and stderr in place of the first two."""
    nothing = os.open(os.devnull, os.O_RDWR)
    while nothing <= 2:  # the parent closed a standard descriptor: no file opened later may land on it
        nothing = os.dup(nothing)
    source, sink, errors = (_out_of_the_way(os.dup(descriptor)) for descriptor in (0, 1, 2))
    for descriptor in (source, sink):
        os.set_blocking(descriptor, True)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - empty, for the life of the process
    sys.stdout = sys.stderr = printing()
    return source, sink, errors


def _out_of_the_way(descriptor: int) -> int:
    """Give a descriptor the largest number that is free, and return that.

    Code that closes all descriptors up to some number, as code does that makes a daemon of a process, mostly spares it.
    If it does not, the number is not soon that of another file, which the protocol would be written into.
    """
    most = os.sysconf("SC_OPEN_MAX")
    for number in range((min(most, _DESCRIPTORS) if most > 0 else _DESCRIPTORS) - 1, descriptor, -1):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(descriptor, number, inheritable=False)
            os.close(descriptor)
            return number
    return descriptor


def _close(descriptor: int) -> None:
    """Close a descriptor, unless a handler has done so."""
    try:
        os.close(descriptor)
    except OSError:
        return


def _watch_over_the_end() -> bool:
    """Have the process end in time; False when there is no thread to be had for that."""
    try:
        # Not by Thread, which waits for the new thread to say that it runs: where memory is short, for ever.
        start_new_thread(_exit_at_last, ())
    except RuntimeError:
        return False
    return True


def _spare_a_descriptor() -> None:
    """Free a descriptor if there is none: Python ends threads by a library that it may have to load, or else aborts."""
    try:
        os.close(os.dup(1))
    except OSError:
        _close(0)


def _exit_at_last() -> None:
    """End the process after a while, whatever hangs: an output that nobody reads, a handler's exit function."""
    sleep(_LAST)
    os._exit(0)


def _exit(dispatcher: Dispatcher, stdio: Stdio) -> NoReturn:
    """End the process: in the ordinary way if nothing is left running, at once if something is stuck."""
    clean = Lock()
    clean.acquire()

    def tidy() -> None:
        try:
            dispatcher.close()
        finally:
            clean.release()

    try:
        start_thread("cleaning", tidy)
    except Exception:  # noqa: BLE001 - not a thread to be had: better no cleaning than one that may never end
        os._exit(0)
    stuck = (
        not clean.acquire(timeout=_CLEANING)
        or stdio.busy
        or not stdio.guarded
        or any(thread is not threading.current_thread() and not thread.daemon for thread in threading.enumerate())
    )
    dispatcher.log.flush(0.1)
    if stuck:
        os._exit(0)
    _on_termination("SIG_IGN", -1)  # while Python ends, it would give back to a signal what it does by default
    _spare_a_descriptor()
    sys.exit(0)
