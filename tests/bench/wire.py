"""One server process, measured from outside: how long it takes to answer, how much memory it takes."""

import json
import os
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REVISION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
STARTS = 3
"""How many times a server is started; the last one is measured further."""
PIPELINED = 3
"""How many times as many calls are sent at once as one after the other."""
PATIENCE = 2.0
"""Seconds that slow servers get for either; what they have done by then counts."""
DEADLINE = 60.0
"""Seconds after which a server that does not answer is given up."""

# Byte code is cached, as it is for every installed package, and output is buffered, whatever this shell has set.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A server that is measured.

    Attributes:
        name: What the table calls it.
        command: How it is started.
        path: Its PYTHONPATH.
        tool: The tool that is called.
        arguments: What it is called with.
        expected: A part of each answer's text, by which it is known to be right.
        handshake: The revision for the handshake that the server wants first; None where it wants none.
    """

    name: str
    command: Sequence[str]
    path: str = ""
    tool: str
    arguments: Mapping[str, Any]
    expected: str
    handshake: str | None = None

    def request(self, id_: int, method: str, **params: object) -> bytes:
        """Return a request as a line; metadata is in each where there is no handshake."""
        more = {} if self.handshake else {"_meta": META}
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, **more}}
        return json.dumps(message).encode() + b"\n"

    def call(self, id_: int) -> bytes:
        return self.request(id_, "tools/call", name=self.tool, arguments=self.arguments)


class WrongAnswerError(Exception):
    """A server that did not do what it was measured by; the text has what it answered."""


@dataclass(slots=True)
class _Pipes:
    """A server process and its descriptors."""

    process: subprocess.Popen[bytes]
    source: int
    sink: int

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.sink, data) :]

    def read_line(self) -> bytes:
        pieces: list[bytes] = []
        while True:
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise WrongAnswerError(f"the server ended; it had written {b''.join(pieces)[-300:]!r}")
            pieces.append(piece)
            if piece.endswith(b"\n"):
                return b"".join(pieces)

    def read_lines(self, count: int) -> bytes:
        """Read a number of lines and return all that was read."""
        pieces: list[bytes] = []
        while count > 0:
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise WrongAnswerError(f"the server ended; {count} answers are missing")
            count -= piece.count(b"\n")
            pieces.append(piece)
        return b"".join(pieces)


def measure(contestant: Contestant, calls: int) -> dict[str, float]:
    """Run a server.

    Returns:
        ``start``: ms until the first tools/list is answered, the median of some starts in a row; ``first call``: ms that
        the first tools/call takes then; ``round trip p50`` and ``p99``: µs of one call after the other; ``calls/s``: of
        calls sent all at once; ``memory``: MB held at most.
    """
    starts = []
    for _ in range(STARTS - 1):
        with _running(contestant) as (_, start):
            starts.append(start)
    with _running(contestant) as (pipes, start):
        starts.append(start)
        began = time.perf_counter()
        pipes.write(contestant.call(1))
        answer = pipes.read_line()
        first = time.perf_counter() - began
        _check(contestant, answer)
        trips = _trips(contestant, pipes, calls)
        p50 = statistics.median(trips)
        rate = _rate(contestant, pipes, max(20, min(PIPELINED * calls, int(PATIENCE / p50))))
        memory = peak_memory(pipes.process.pid)
    return {
        "start": statistics.median(starts) * 1e3,
        "first call": first * 1e3,
        "round trip p50": p50 * 1e6,
        "round trip p99": sorted(trips)[int(len(trips) * 0.99)] * 1e6,
        "calls/s": rate,
        "memory": memory,
    }


@contextmanager
def _running(contestant: Contestant) -> Iterator[tuple[_Pipes, float]]:
    """Start a server and end it again; give its pipes and the seconds until it had answered tools/list."""
    environment = {**ENVIRONMENT, "PYTHONPATH": contestant.path} if contestant.path else ENVIRONMENT
    began = time.perf_counter()
    process = subprocess.Popen(
        contestant.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        bufsize=0,
    )
    guard = threading.Timer(DEADLINE, process.kill)
    guard.start()
    assert process.stdin
    assert process.stdout
    pipes = _Pipes(process, process.stdout.fileno(), process.stdin.fileno())
    try:
        yield pipes, _open(contestant, pipes) - began
        process.stdin.close()
        process.wait(DEADLINE)
    finally:
        guard.cancel()
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def _open(contestant: Contestant, pipes: _Pipes) -> float:
    """Have tools/list answered, shaking hands first where the server wants that; return when the answer was there."""
    if contestant.handshake:
        client = {
            "protocolVersion": contestant.handshake,
            "capabilities": {},
            "clientInfo": {"name": "b", "version": "1"},
        }
        pipes.write(contestant.request(0, "initialize", **client))
        pipes.read_line()
        pipes.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    pipes.write(contestant.request(0, "tools/list"))
    line = pipes.read_line()
    answered = time.perf_counter()
    answer = json.loads(line)
    if "result" not in answer:
        raise WrongAnswerError(f"{contestant.name} answered tools/list with {str(answer)[:300]}")
    return answered


def _trips(contestant: Contestant, pipes: _Pipes, calls: int) -> list[float]:
    trips: list[float] = []
    answers: list[bytes] = []
    finished = time.perf_counter() + PATIENCE
    for number in range(calls):
        data = contestant.call(number)
        began = time.perf_counter()
        pipes.write(data)
        answer = pipes.read_line()
        ended = time.perf_counter()
        trips.append(ended - began)
        answers.append(answer)
        if ended > finished:
            break
    _check(contestant, b"".join(answers))
    return trips


def _rate(contestant: Contestant, pipes: _Pipes, count: int) -> float:
    data = b"".join(map(contestant.call, range(count)))
    writer = threading.Thread(target=pipes.write, args=(data,))
    began = time.perf_counter()
    writer.start()
    answers = pipes.read_lines(count)
    elapsed = time.perf_counter() - began
    writer.join()
    _check(contestant, answers)
    return count / elapsed


def _check(contestant: Contestant, answers: bytes) -> None:
    """Look at every answer, once the clock has stopped."""
    for answer in answers.splitlines():
        if contestant.expected not in json.dumps(json.loads(answer)):
            raise WrongAnswerError(f"{contestant.name} answered {answer[:300]!r}")


def peak_memory(pid: int) -> float:
    """Return the most memory that a process has held (MB), from Linux's /proc; the parent's is not counted in."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
