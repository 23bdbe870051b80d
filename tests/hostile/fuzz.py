"""Throws made-up lines at a server and holds every answer to the oracle; ``python fuzz.py --seconds 3600`` for an hour.

Lines are made from requests that are right, by changing values, members, text and bytes, and are sent in random pieces.
Each must get exactly what the oracle says, in any order, and the server must end in order. A seed makes all of it again.
"""

import argparse
import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from hostile.everything import MODULE, make_everything
from hostile.oracle import METHODS, PREFIX, Expected, UnsureError, expected
from servers import META, SECONDS, request

PARAMS: dict[str, list[dict[str, Any]]] = {
    "tools/call": [
        {"name": "add", "arguments": {"a": 1, "b": 2.5}},
        {"name": "add", "arguments": {"a": "1"}},
        {"name": "anything", "arguments": {"a": [{"b": None}], "c": "x"}},
        {"name": "anything"},
        {"name": "anything", "inputResponses": {"q": {"action": "cancel"}}},
    ],
    "prompts/get": [
        {"name": "greet", "arguments": {"who": "x"}},
        {"name": "plain"},
        {"name": "written", "arguments": {}},
    ],
    "resources/read": [{"uri": "doc://fixed"}, {"uri": "doc://live"}, {"uri": "item://one"}, {"uri": "doc://none"}],
    "completion/complete": [
        {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": "a"}},
        {
            "ref": {"type": "ref/resource", "uri": "item://{id}"},
            "argument": {"name": "id", "value": "o"},
            "context": {"arguments": {"x": "y"}},
        },
    ],
    "subscriptions/listen": [
        {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["doc://live"]}},
        {"notifications": {}},
    ],
}
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 1.5, 2**63, 10**30, 1e300, "", "x", "2.0", "\u2028", "\ud800", "\0", "é" * 50,
    [], {}, [[]], [None], {"": None}, {"a": {"b": [1]}}, "doc://live", "add", "tools/list", "2026-07-28", "1900-01-01",
    ["x"] * 20, "info", "ref/prompt",
]  # fmt: skip
KEYS = [
    "id", "method", "params", "jsonrpc", "_meta", "name", "uri", "arguments", "cursor", "ref", "argument", "context",
    "notifications", "requestState", "inputResponses", "result", "error", "progressToken", PREFIX + "protocolVersion",
    PREFIX + "clientCapabilities", PREFIX + "clientInfo", PREFIX + "logLevel", "toolsListChanged", "value", "type", "x",
]  # fmt: skip
PIECES = [
    b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\0", b"\r", b"\t", b'"', b"\\", b"\\u00", b"\\ud800", b"{", b"}", b"[", b"]",
    b",", b":", b"NaN", b"Infinity", b"-", b"1e999", b"9" * 4400, b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"[" * 200, b"]" * 200,
    b'{"a":' * 130, b"{}", b"null", b"true", b" ", b'\\"', b'"\\n\\"[', b"//",
]  # fmt: skip


class Lines:
    """Makes lines.

    Args:
        chance: Where chance comes from.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._ids = iter(range(1, 1 << 60))

    def __iter__(self) -> Iterator[bytes]:
        chance = self._chance
        while True:
            message: Any = self._message()
            for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 4))):
                message = self._changed(message)
            line = json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
            for _ in range(chance.choice((0, 0, 0, 0, 1, 2))):
                line = self._broken(line)
            line = line.replace(b"\n", b" ")
            yield line + chance.choice((b"", b"", b"\r", b" "))

    def _message(self) -> dict[str, Any]:
        chance = self._chance
        method = chance.choice(METHODS)
        id_: Any = next(self._ids)
        if chance.random() < 0.3:
            id_ = f"id {id_}"
        message = request(id_, method, META, **chance.choice(PARAMS.get(method, [{}])))
        message = json.loads(json.dumps(message))
        kind = chance.random()
        if kind < 0.05:
            del message["id"]
        elif kind < 0.08:
            message = {"jsonrpc": "2.0", "id": id_, "result": {}}
        elif kind < 0.12:
            message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"none {id_}"}}
        elif kind < 0.14:
            message["method"] = chance.choice(("initialize", "ping", "no/such", "notifications/cancelled"))
        return message

    def _changed(self, message: Any) -> Any:
        """Change one value, or one member, somewhere."""
        chance = self._chance
        places = list(_places(message))
        if not places or chance.random() < 0.01:
            return deepcopy(chance.choice((*VALUES, [message])))
        holder, key = chance.choice(places)
        what = chance.random()
        if what < 0.45:
            holder[key] = deepcopy(chance.choice(VALUES))
        elif what < 0.65:
            del holder[key]
        elif isinstance(holder, dict):
            holder[chance.choice(KEYS)] = deepcopy(chance.choice(VALUES))
        else:
            holder.append(deepcopy(chance.choice(VALUES)))
        return message

    def _broken(self, line: bytes) -> bytes:
        """Change the text: put something in, take something out, cut it off, say it twice."""
        chance = self._chance
        start = chance.randrange(len(line) + 1)
        end = min(len(line), start + chance.choice((0, 1, 2, 8, 50)))
        what = chance.random()
        if what < 0.5:
            return line[:start] + chance.choice(PIECES) + line[start:]
        if what < 0.7:
            return line[:start] + line[end:]
        if what < 0.8:
            return line[:start]
        if what < 0.9:
            return line[:start] + line[start:end] * chance.choice((2, 3)) + line[end:]
        return line[:start] + bytes(chance.randrange(256) for _ in range(3)) + line[end:]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _places(value[key])


def fuzz(source: Path, seed: int, seconds: float, per_round: int = 300) -> int:
    """Fuzz for some seconds; return how many lines that were.

    Raises:
        AssertionError: An answer is not as it must be; the message holds what makes it again.
    """
    chance = random.Random(seed)
    lines = iter(Lines(chance))
    count = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with Wire(source) as server:
            for _ in range(20):
                if time.monotonic() >= end:
                    break
                some = [next(lines) for _ in range(per_round)]
                one_round(server, chance, some, f"seed {seed}, after {count} lines")
                count += per_round
            assert server.ended_well(), f"seed {seed}, after {count} lines"
    return count


class Wire:
    """A server process and its pipes, for any bytes; a context manager that ends it."""

    def __init__(self, source: Path, module: str = MODULE) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            assert stream
            with suppress(BrokenPipeError):  # what the server has not taken
                stream.close()

    def send(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert self._process.stdin
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise AssertionError(f"the server has ended: {self._process.wait(5)}\n{self.stderr()[-2000:]}") from None

    def receive(self) -> Any:
        """Return the next message, which has to be one line of ASCII that is JSON."""
        line = self._lines.get(timeout=SECONDS)
        assert line.endswith(b"\n"), (line, self.stderr())
        return json.loads(line.decode("ascii"), parse_constant=_refuse)

    def ended_well(self) -> bool:
        """End the input; say whether nothing more comes and the process ends as it should."""
        assert self._process.stdin
        self._process.stdin.close()
        return (
            self._lines.get(timeout=SECONDS) == b"" and self._process.wait(5) == 0 and "CRITICAL" not in self.stderr()
        )

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def stderr(self) -> str:
        """Return what has come on stderr."""
        self._errors.seek(0)
        return self._errors.read().decode()


def one_round(server: Wire, chance: random.Random, some: list[bytes], label: str) -> None:
    """Send some lines in pieces, and hold what comes back to the oracle."""
    sure: Counter[Expected] = Counter()
    in_flight: set[tuple[type, object]] = set()
    used: dict[tuple[type, object], bytes] = {}
    sent = []
    for line in some:
        try:
            due = expected(line)
        except UnsureError:
            continue
        if due is not None and due[1] is not None:
            key = (type(due[1]), due[1])
            if key in used:  # what one id gets twice depends on which is served first
                continue
            used[key] = line
            if due[0] == "stream":
                in_flight.add(key)
        sent.append(line)
        sure[due] += 1
    data = b"\n".join(sent) + b"\n"
    while data:
        size = chance.choice((1, 7, 100, 1000, 20_000, 100_000))
        server.send(data[:size])
        data = data[size:]
    got: Counter[Expected] = Counter()
    for _ in range(sum(count for due, count in sure.items() if due is not None)):
        got[kind_of(server.receive())] += 1
    del sure[None]
    if got != sure:
        time.sleep(0.1)  # for the log to be complete
        lines = [used.get((type(due[1]), due[1])) for due in sure - got if due]
        log = server.stderr()[-2000:]
        raise AssertionError(f"{label}: missing {sure - got}, too much {got - sure}\n{lines}\n{log}")
    for _, id_ in in_flight:
        cancellation = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}
        server.send(json.dumps(cancellation).encode() + b"\n")
    server.send(json.dumps(request("sentinel", "server/discover")).encode() + b"\n")
    assert server.receive()["id"] == "sentinel", label


def _refuse(text: str) -> Any:
    raise AssertionError(f"{text} in an answer")


def kind_of(message: Any) -> Expected:
    """Return a message in the oracle's words."""
    if message.get("method") == "notifications/subscriptions/acknowledged":
        return ("stream", message["params"]["_meta"][PREFIX + "subscriptionId"], None)
    if "error" in message:
        return ("error", message["id"], message["error"]["code"])
    return ("result", message["id"], None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        source = make_everything(Path(folder))
        end = time.monotonic() + options.seconds
        count = 0
        while (left := end - time.monotonic()) > 0:
            count += fuzz(source, seed, min(60, left))
            seed += 1
            print(f"{count} lines", flush=True)


if __name__ == "__main__":
    main()
