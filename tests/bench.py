"""Measures the generated demo_tools server beside a bare echo loop, interleaved in one run; prints ratios.

The bare loop reads a line, decodes it, encodes a constant answer and writes it: it checks nothing. The server is
asked for the same answers with everything validated. Every figure is the median of the rounds, with the spread of
the middle half beside it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

DEMO = Path(__file__).parent.parent / "generated" / "demo_tools" / "src"

BARE_LOOP = """\
import sys, json
for line in sys.stdin:
    message = json.loads(line)
    result = {"resultType": "complete", "content": [{"type": "text", "text": "5"}], "structuredContent": 5}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""

# Byte code is cached, as it is for every installed package, and output is buffered, whatever this shell has set.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
} | {"PYTHONPATH": str(DEMO)}

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
FIGURES = ("start", "round trip p50", "round trip p99", "calls/s", "memory")
UNITS = {"start": "ms", "round trip p50": "µs", "round trip p99": "µs", "calls/s": "/s", "memory": "MB"}


def message(id_: int, method: str, **params: object) -> bytes:
    return (
        json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, "_meta": META}}).encode()
        + b"\n"
    )


def call(id_: int) -> bytes:
    return message(id_, "tools/call", name="add", arguments={"a": 2, "b": 3})


def measure(command: Sequence[str], calls: int) -> dict[str, float]:
    """Run one server once: start to first answer (ms), round trips (µs), pipelined calls a second, peak memory (MB)."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
    assert process.stdin
    assert process.stdout
    process.stdin.write(message(0, "tools/list"))
    process.stdin.flush()
    process.stdout.readline()
    start = time.perf_counter() - began

    trips = []
    for number in range(calls):
        data = call(number)
        began = time.perf_counter()
        process.stdin.write(data)
        process.stdin.flush()
        process.stdout.readline()
        trips.append(time.perf_counter() - began)
    trips.sort()

    data = b"".join(map(call, range(3 * calls)))
    stdin = process.stdin
    writer = threading.Thread(target=lambda: (stdin.write(data), stdin.flush()))
    began = time.perf_counter()
    writer.start()
    for _ in range(3 * calls):
        process.stdout.readline()
    rate = 3 * calls / (time.perf_counter() - began)
    writer.join()
    memory = peak_memory(process.pid)
    process.stdin.close()
    process.wait()
    process.stdout.close()
    return {
        "start": start * 1e3,
        "round trip p50": statistics.median(trips) * 1e6,
        "round trip p99": trips[int(len(trips) * 0.99)] * 1e6,
        "calls/s": rate,
        "memory": memory,
    }


def peak_memory(pid: int) -> float:
    """Return the most memory that a process has held (MB), from Linux's /proc; the parent's is not counted in."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()

    commands = {"bare loop": [sys.executable, "-c", BARE_LOOP], "demo_tools": [sys.executable, "-m", "demo_tools"]}
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for command in commands.values():
        measure(command, 100)  # byte code and file caches
    for _ in range(options.rounds):
        for name, command in commands.items():
            rows[name].append(measure(command, options.calls))

    medians = {
        name: {figure: statistics.median(row[figure] for row in rows[name]) for figure in FIGURES} for name in rows
    }
    ratios = {figure: medians["demo_tools"][figure] / medians["bare loop"][figure] for figure in FIGURES}
    if options.json:
        print(json.dumps({"medians": medians, "ratios": ratios, "rounds": rows}, indent=2))
        return
    print(f"{'':16}{'bare loop':>14}{'demo_tools':>14}{'ratio':>8}   spread of the ratio")
    for figure in FIGURES:
        pairs = [mine[figure] / bare[figure] for mine, bare in zip(rows["demo_tools"], rows["bare loop"], strict=True)]
        low, _, high = statistics.quantiles(pairs, n=4)
        bare, mine = medians["bare loop"][figure], medians["demo_tools"][figure]
        print(
            f"{figure:16}{bare:>11,.0f} {UNITS[figure]:2}{mine:>11,.0f} {UNITS[figure]:2}{ratios[figure]:>8.2f}"
            f"   {low:.2f} to {high:.2f}"
        )


if __name__ == "__main__":
    main()
