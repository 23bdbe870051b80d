"""Keeps a server busy for a long time with everything at once; ``python soak.py --seconds 3600`` for an hour.

Quick, slow, failing, limited and cancelled calls, lists, streams that come and go, and lines that are no messages. Every
id gets its one answer, or none where it was cancelled, and in the end nothing is held that was not held after the first
tenth: no memory, no thread, no descriptor.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from hostile.fuzz import Wire
from hostile.test_load import HANDLERS, MANIFEST, MODULE, call, cancel, memory
from servers import make_project, request

WINDOW = 100
"""How many requests are open at once, about."""


class Soak:
    """One server under load.

    Args:
        source: The ``src`` folder of the project.
        seed: Where chance begins.
    """

    def __init__(self, source: Path, seed: int) -> None:
        self._source = source
        self._chance = random.Random(seed)
        self._due: set[object] = set()
        self._cancelled: set[object] = set()  # an answer to one of these may come, or not
        self._count = 0
        self.held: list[tuple[int, int, int]] = []
        """Memory in bytes, threads and descriptors, at even intervals."""

    def run(self, seconds: float, samples: int = 20) -> int:
        """Run for some seconds; return how many requests were answered.

        Raises:
            AssertionError: An answer is not as it must be.
        """
        began = time.monotonic()
        with Wire(self._source, MODULE) as wire:
            while (passed := time.monotonic() - began) < seconds:
                while len(self._due) < WINDOW:
                    wire.send(b"".join(self._lines() for _ in range(20)))
                self._take(wire.receive())
                if passed > seconds * len(self.held) / samples:
                    self._drain(wire)
                    self.held.append(held(wire.pid))
            self._drain(wire)
            self.held.append(held(wire.pid))
            assert wire.ended_well()
        return self._count

    def _lines(self) -> bytes:
        chance, id_ = self._chance, self._count
        self._count += 1
        kind = chance.random()
        if kind < 0.03:
            return chance.choice((b"\n", b"nonsense\n", b'{"id":' + b"[" * 300 + b"\n", b"\xff\n"))
        if kind < 0.06 and self._due:
            cancelled = chance.choice(list(self._due))
            self._due.discard(cancelled)
            self._cancelled.add(cancelled)
            return line(cancel(cancelled))
        self._due.add(id_)
        if kind < 0.12:
            return line(request(id_, chance.choice(("tools/list", "server/discover", "no/such"))))
        if kind < 0.14:
            self._due.discard(id_)
            wanted = request(id_, "subscriptions/listen", notifications={"toolsListChanged": True})
            return line(wanted) + line(cancel(id_))
        tool = chance.choices(
            ("quick", "async_quick", "slow", "async_slow", "stubborn", "limited", "fails", "none"),
            (60, 10, 2, 5, 3, 1, 5, 2),
        )[0]
        size = 100_000 if chance.random() < 0.01 else 10
        seconds = 0.3 if tool == "limited" else chance.choice((0, 0, 0.001, 0.005, 0.02, 0.1))
        return line(call(id_, tool, {"seconds": seconds} | ({"text": "x" * size} if tool == "quick" else {})))

    def _take(self, message: Any) -> None:
        if "method" in message:
            assert message["method"] == "notifications/subscriptions/acknowledged", message
            return
        id_ = message["id"]
        if id_ is None:
            assert message["error"]["code"] == -32700, message
            return
        assert id_ in self._due or id_ in self._cancelled, message
        self._due.discard(id_)
        self._cancelled.discard(id_)

    def _drain(self, wire: Wire) -> None:
        """Take all answers that are due."""
        while self._due:
            self._take(wire.receive())
        time.sleep(0.3)  # for handlers that were cancelled to end
        last = f"last {self._count}"
        wire.send(line(request(last, "server/discover")))
        while (message := wire.receive()).get("id") != last:
            self._take(message)
        self._cancelled.clear()


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def held(pid: int) -> tuple[int, int, int]:
    """Return what a process holds: memory in bytes, threads, descriptors."""
    process = Path(f"/proc/{pid}")
    return memory(pid), sum(1 for _ in (process / "task").iterdir()), sum(1 for _ in (process / "fd").iterdir())


def assert_nothing_grows(samples: list[tuple[int, int, int]]) -> None:
    """Hold the end to the state after the first tenth of the time, or the first two samples."""
    warm, last = samples[max(2, len(samples) // 10)], samples[-1]
    assert last[0] < warm[0] * 1.1, samples
    assert last[1] <= warm[1] + 5, samples
    assert last[2] <= warm[2] + 2, samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(make_project(Path(folder), MANIFEST, HANDLERS), seed)
        count = soak.run(options.seconds)
    for memory_held, threads, descriptors in soak.held:
        print(f"{memory_held / (1 << 20):6.1f} MB, {threads} threads, {descriptors} descriptors")
    print(f"{count} lines")
    assert_nothing_grows(soak.held)


if __name__ == "__main__":
    main()
