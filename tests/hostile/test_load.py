"""Load: many calls at once, a slow client, cancellations at random, a full server, and ends in the midst of it all."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import Server, call, make_project, request

MODULE = "busy_mcp"
CALLS_LIMIT = 256

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: busy, version: 0.1.0}
tools:
  - {name: quick, description: Answers at once., inputSchema: {type: object}}
  - {name: async_quick, description: Answers at once., inputSchema: {type: object}}
  - {name: slow, description: Takes some time., inputSchema: &time {type: object, properties: {seconds: {type: number}}}}
  - {name: async_slow, description: Takes some time., inputSchema: *time}
  - {name: stubborn, description: Is not to be stopped., inputSchema: *time}
  - {name: limited, description: Has a limit., inputSchema: *time, x-toolmint: {timeoutMs: 150}}
  - {name: fails, description: Fails., inputSchema: {type: object}}
  - {name: prints, description: Prints much., inputSchema: {type: object}}
  - {name: async_prints, description: Prints much., inputSchema: {type: object}}
  - {name: threads, description: Says which threads and tasks there are., inputSchema: {type: object}}
"""
HANDLERS = {
    "quick": "def quick(args, ctx):\n    return 'quick'\n",
    "async_quick": "async def async_quick(args, ctx):\n    return 'quick'\n",
    "slow": (
        "import time\ndef slow(args, ctx):\n    end = time.monotonic() + args.seconds\n"
        "    while time.monotonic() < end:\n        ctx.check_cancelled()\n        time.sleep(0.01)\n    return 'slow'\n"
    ),
    "async_slow": "import asyncio\nasync def async_slow(args, ctx):\n    await asyncio.sleep(args.seconds)\n    return 'slow'\n",
    "stubborn": "import time\ndef stubborn(args, ctx):\n    time.sleep(args.seconds)\n    return 'slow'\n",
    "limited": "import time\ndef limited(args, ctx):\n    time.sleep(args.seconds)\n    return 'in time'\n",
    "prints": "import logging\ndef prints(args, ctx):\n    print('stray' * 1000)\n    logging.warning('stray')\n    return 'done'\n",
    "async_prints": "import sys\nasync def async_prints(args, ctx):\n    sys.stderr.buffer.write(b'stray\\n' * 1000)\n    return 'done'\n",
    "fails": "def fails(args, ctx):\n    raise ValueError('no')\n",
    "threads": (
        "import asyncio, gc, threading\ndef threads(args, ctx):\n"
        "    tasks = [o for o in gc.get_objects() if isinstance(o, asyncio.Task) and not o.done()]\n"
        "    return [str(len(tasks)), *sorted(t.name for t in threading.enumerate())]\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("busy"), MANIFEST, HANDLERS)


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running
        running.process.kill()  # how it ends is the matter of a few tests only


def cancel(id_: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}


def text_of(reply: Any) -> str:
    return "".join(block["text"] for block in reply["result"]["content"])


def left_over(server: Server) -> tuple[int, Counter[str]]:
    """Return how many tasks there are, and how many threads of each name."""
    tasks, *names = (block["text"] for block in server.ask(call("threads", "threads"))["result"]["content"])
    return int(tasks), Counter(names)


def memory(pid: int) -> int:
    """Return how much memory a process holds, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def test_hundred_thousand_calls_of_a_client_that_reads_slowly(source: Path) -> None:
    count, kinds = 100_000, ("quick", "async_quick", "fails", "none", "list", "text")
    messages = {
        "quick": call("ID", "quick"),
        "async_quick": call("ID", "async_quick"),
        "fails": call("ID", "fails"),
        "none": call("ID", "no such tool"),
        "list": request("ID", "tools/list"),
        "text": {"jsonrpc": "2.0", "id": "ID", "method": 7},
    }
    texts = {kind: json.dumps(message).encode() + b"\n" for kind, message in messages.items()}
    weights = [80, 6, 2, 4, 4, 4]
    chosen = random.Random(7).choices(kinds, weights, k=count)
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert process.stdin
    assert process.stdout

    def write() -> None:
        assert process.stdin
        for start in range(0, count, 100):
            lines = (
                texts[kind].replace(b'"ID"', b"%d" % (start + offset))
                for offset, kind in enumerate(chosen[start : start + 100])
            )
            process.stdin.write(b"".join(lines))
        process.stdin.flush()

    writer = threading.Thread(target=write)
    writer.start()
    answered: Counter[int] = Counter()
    held: list[int] = []
    for line in process.stdout:
        answered[json.loads(line)["id"]] += 1
        if len(answered) % 10_000 == 0:
            time.sleep(0.05)
            held.append(memory(process.pid))
        if len(answered) == count:
            break
    writer.join()
    process.stdin.close()
    assert process.stdout.read() == b""
    assert process.wait(3) == 0
    process.stdout.close()
    assert sorted(answered) == list(range(count))
    assert set(answered.values()) == {1}
    assert max(held) - held[0] < 2 << 20


def test_slow_calls_cancelled_at_random(server: Server) -> None:
    chance = random.Random(1)
    for tool in ("async_quick", "slow", "async_slow"):
        server.ask(call("warm", tool, {"seconds": 0}))
    tasks, threads = left_over(server)
    ids = list(range(200))
    server.send(*(call(id_, chance.choice(("slow", "async_slow", "stubborn")), {"seconds": 1}) for id_ in ids))
    cancelled = set(chance.sample(ids, 90))
    for id_ in cancelled:
        server.send(cancel(id_))
        if id_ % 10 == 0:
            time.sleep(0.01)
    answered = [server.receive()["id"] for _ in range(len(ids) - len(cancelled))]
    assert sorted(answered) == sorted(set(ids) - cancelled)
    assert server.silent_for(0.3)
    after = left_over(server)
    assert after[0] <= tasks
    assert after[1].total() <= threads.total() + 4
    assert server.rest() == []


def test_calls_that_end_as_they_are_cancelled(server: Server) -> None:
    chance = random.Random(3)
    asked, cancelled = set(), set()
    for id_ in range(300):
        server.send(
            call(id_, chance.choice(("slow", "async_slow")), {"seconds": chance.choice((0, 0.005, 0.01, 0.02))})
        )
        asked.add(id_)
        if chance.random() < 0.5:
            time.sleep(chance.choice((0, 0.005, 0.01)))
            server.send(cancel(id_))
            cancelled.add(id_)
    answered = [reply["id"] for reply in server.rest()]
    assert len(answered) == len(set(answered))
    assert asked - cancelled <= set(answered)


def push(server: Server, lines: Iterable[bytes]) -> int:
    """Write lines for as long as the server reads them; return how many it has read, or nearly so."""
    assert server.process.stdin
    descriptor = server.process.stdin.fileno()
    os.set_blocking(descriptor, False)
    sent = 0
    for line in lines:
        rest = line
        deadline = time.monotonic() + 0.3
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return sent
                time.sleep(0.01)
        sent += 1
    return sent


@pytest.mark.parametrize("tool", ["stubborn", "async_slow"])
class TestFull:
    """As many calls run as may."""

    def fill(self, server: Server, tool: str, seconds: float) -> None:
        server.ask(call("warm", tool, {"seconds": 0}))
        server.ask(call("warm", "quick"))
        server.send(*(call(f"full {n}", tool, {"seconds": seconds}) for n in range(CALLS_LIMIT + 1)))

    def test_everything_but_calls_is_answered(self, server: Server, tool: str) -> None:
        self.fill(server, tool, 60)
        server.send(*(call(f"held {n}", "quick") for n in range(20)))
        for _ in range(3):
            assert server.ask(request("list", "tools/list"))["id"] == "list"
            assert server.ask(request("discover", "server/discover"))["id"] == "discover"
            assert server.ask(b"nonsense\n")["error"]["code"] == -32700
            assert server.ask(request("unknown", "no/such"))["error"]["code"] == -32601
            assert server.ask({**call("no meta", "quick"), "jsonrpc": 1})["error"]["code"] == -32600
        assert server.ask(call("held 3", "quick"))["error"]["message"] == "a request with this id is still in flight"
        assert server.ask(call("full 3", "quick"))["error"]["message"] == "a request with this id is still in flight"

    def test_cancellation_makes_room_and_reaches_what_is_held_back(self, server: Server, tool: str) -> None:
        self.fill(server, tool, 60 if tool == "async_slow" else 1)
        server.send(*(call(f"held {n}", "quick") for n in range(20)))
        server.send(*(cancel(f"held {n}") for n in range(0, 20, 2)))
        server.send(*(cancel(f"full {n}") for n in range(CALLS_LIMIT + 1)))
        assert {server.receive()["id"] for _ in range(10)} == {f"held {n}" for n in range(1, 20, 2)}
        assert server.ask(call("held 0", "quick"))["id"] == "held 0"  # its id is free again
        assert server.silent_for(0.2)

    def test_what_is_held_back_is_served_when_there_is_room(self, server: Server, tool: str) -> None:
        self.fill(server, tool, 0.7)
        server.send(*(call(n, "quick") for n in range(500)))
        ids = [server.receive()["id"] for _ in range(CALLS_LIMIT + 1 + 500)]
        assert {id_ for id_ in ids if isinstance(id_, int)} == set(range(500))
        assert len(set(ids)) == len(ids)

    @pytest.mark.parametrize("held", [0, 5000])
    def test_end_of_input_ends_the_process(self, server: Server, tool: str, held: int) -> None:
        self.fill(server, tool, 60)
        push(server, (json.dumps(call(n, "quick")).encode() + b"\n" for n in range(held)))
        began = time.monotonic()
        server.end_input()
        assert server.wait() == 0
        assert time.monotonic() - began < 2.2

    def test_what_is_held_back_does_not_pile_up(self, server: Server, tool: str) -> None:
        self.fill(server, tool, 60)
        server.ask(request("list", "tools/list"))
        before = memory(server.process.pid)
        line = json.dumps(call("ID", "quick", {"text": "x" * 50_000})).encode() + b"\n"
        sent = push(server, (line.replace(b"ID", b"%d" % n) for n in range(2000)))
        assert 200 < sent < 500  # 16 MiB of them, and no more
        assert memory(server.process.pid) - before < 24 << 20


def test_streams_are_limited(server: Server) -> None:
    server.send(*(request(n, "subscriptions/listen", notifications={}) for n in range(1001)))
    messages = [server.receive() for _ in range(1001)]
    (refused,) = (message for message in messages if "error" in message)
    assert refused["id"] == 1000
    assert refused["error"]["code"] == -32603
    assert "at most 1000" in refused["error"]["message"]
    server.send(cancel(7))
    assert server.ask(request(1000, "subscriptions/listen", notifications={}))["method"].endswith("acknowledged")


def test_slow_plain_calls_do_not_wait_for_each_other(server: Server) -> None:
    server.ask(call("warm", "stubborn", {"seconds": 0.05}))
    began = time.monotonic()
    server.send(*(call(n, "stubborn", {"seconds": 0.05}) for n in range(100)))
    assert sorted(server.receive()["id"] for _ in range(100)) == list(range(100))
    assert time.monotonic() - began < 0.5  # waiting for the watcher each time would take more


def test_tool_that_was_slow_once_is_fast_again(server: Server) -> None:
    server.ask(call("slow", "stubborn", {"seconds": 0.1}))
    for n in range(200):
        assert server.ask(call(n, "stubborn", {"seconds": 0}))["id"] == n
    _, threads = left_over(server)
    assert threads["reader"] <= 6


def test_what_was_slow_to_load_is_served_the_next_time(tmp_path: Path) -> None:
    manifest = (
        'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: lazy, version: 0.1.0}\n'
        'resources: [{uri: "doc://a", name: a}]\nprompts: [{name: b}]\ntools: [{name: c, description: C.}]\n'
    )
    source = make_project(tmp_path, manifest)
    for name in ("resources/a", "prompts/b", "tools/c"):
        text = f"import time\ntime.sleep(0.1)\ndef {name[-1]}(args, ctx):\n    return 'served'\n"
        (source / "lazy_mcp" / f"{name}.py").write_text(text)
    with Server(source, "lazy_mcp") as server:
        for n in range(3):
            assert server.ask(request(n, "resources/read", uri="doc://a"))["result"]["contents"][0]["text"] == "served"
            assert server.ask(request(n, "prompts/get", name="b"))["result"]["messages"]
            assert text_of(server.ask(call(n, "c"))) == "served"


def test_time_limits_hold_whoever_reads_and_whatever_else_runs(server: Server) -> None:
    chance = random.Random(5)
    for number in range(8):
        server.send(*(call(f"noise {number} {n}", "stubborn", {"seconds": chance.random() / 20}) for n in range(10)))
        server.send(*(call(f"limited {number} {n}", "limited", {"seconds": 3}) for n in range(5)))
        time.sleep(0.02)
    texts = {reply["id"]: text_of(reply) for reply in (server.receive(2.5) for _ in range(8 * 15))}
    assert {text for id_, text in texts.items() if id_.startswith("limited")} == {
        "Tool limited did not finish within 0.15 s"
    }


@pytest.mark.parametrize("seed", range(3))
def test_turns_are_passed_under_stress_without_loss(server: Server, seed: int) -> None:
    chance = random.Random(seed)
    count = 3000
    lines = b""
    for n in range(count):
        tool, seconds = chance.choices(
            [
                ("quick", 0),
                ("stubborn", 0.004),
                ("stubborn", 0.006),
                ("stubborn", 0),
                ("async_slow", 0.005),
                ("fails", 0),
            ],
            [60, 3, 3, 3, 10, 5],
        )[0]
        lines += json.dumps(call(n, tool, {"seconds": seconds})).encode() + b"\n"
    assert server.process.stdin
    while lines:
        size = chance.choice((1, 100, 5000, 70_000))
        server.send(lines[:size])
        lines = lines[size:]
    assert sorted(server.receive()["id"] for _ in range(count)) == list(range(count))
    assert server.rest() == []
    assert server.wait(3) == 0


KILLED_CLIENT = """
import json, os, subprocess, sys
server = subprocess.Popen([sys.executable, "-m", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(server.pid, flush=True)
server.stdin.write(sys.argv[2].encode())
server.stdin.flush()
print(server.stdout.readline(), flush=True)
sys.stdin.read()
"""


def test_client_that_is_killed_takes_the_server_with_it(source: Path) -> None:
    calls = [call(n, ("stubborn", "async_slow")[n % 2], {"seconds": 60}) for n in range(6)]
    lines = "".join(json.dumps(message) + "\n" for message in (*calls, call("quick", "quick")))
    client = subprocess.Popen(
        [sys.executable, "-c", KILLED_CLIENT, MODULE, lines],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert client.stdin
    assert client.stdout
    server = int(client.stdout.readline())
    assert b'"id":"quick"' in client.stdout.readline()
    client.kill()
    client.wait()
    began = time.monotonic()
    while running(server):
        assert time.monotonic() - began < 2.2
        time.sleep(0.01)
    client.stdin.close()
    client.stdout.close()


def running(pid: int) -> bool:
    """Say whether a process that is not ours is still there, and not only waits to be buried."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("how", ["signal", "end of input"])
def test_graceful_end_with_calls_in_flight_and_streams_open(server: Server, how: str) -> None:
    for tool in ("quick", "stubborn", "async_slow"):  # loading these may take longer than a call is to take
        server.ask(call("warm", tool, {"seconds": 0}))
    for n in range(3):
        server.ask(request(f"stream {n}", "subscriptions/listen", notifications={"toolsListChanged": True}))
    server.send(call("soon", "stubborn", {"seconds": 0.3}), call("never", "stubborn", {"seconds": 60}))
    server.send(call("async soon", "async_slow", {"seconds": 0.3}), call("async never", "async_slow", {"seconds": 60}))
    server.ask(call("quick", "quick"))
    began = time.monotonic()
    if how == "signal":
        server.process.send_signal(signal.SIGTERM)
    else:
        server.end_input()
    assert server.wait() == 0
    assert time.monotonic() - began < 2.2
    messages = [server.receive() for _ in range(8)]
    assert {message["id"] for message in messages if "id" in message} == {
        "stream 0", "stream 1", "stream 2", "soon", "async soon",
    }  # fmt: skip
    ended = [
        message["params"]["requestId"] for message in messages if message.get("method") == "notifications/cancelled"
    ]
    assert ended == ["stream 0", "stream 1", "stream 2"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_that_come_until_the_process_is_gone(source: Path, number: int) -> None:
    for _ in range(5):
        with Server(source, MODULE) as server:
            server.ask(call("quick", "quick"))
            server.end_input()
            while server.process.poll() is None:
                server.process.send_signal(number)
                time.sleep(0.0002)
            assert server.wait() == 0


def test_signal_ends_a_server_whose_output_nobody_reads(source: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(request(0, "subscriptions/listen", notifications={})).encode() + b"\n")
    process.stdin.write(b"".join(json.dumps(request(n, "tools/list")).encode() + b"\n" for n in range(1, 300)))
    process.stdin.flush()
    time.sleep(0.5)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 0
    assert time.monotonic() - began < 2.2
    process.stdin.close()
    process.stdout.close()


def test_stderr_that_nobody_reads_keeps_nobody(source: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    for n in range(5000):
        process.stdin.write(json.dumps(call(n, "fails")).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == n
    began = time.monotonic()
    process.stdin.close()
    assert process.wait(3) == 0
    assert time.monotonic() - began < 2
    assert b"ValueError: no" in process.stderr.read()
    process.stdout.close()
    process.stderr.close()


@pytest.mark.parametrize("tool", ["prints", "async_prints"])
def test_prints_that_nobody_reads_keep_nobody(source: Path, tool: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    for n in range(300):
        process.stdin.write(json.dumps(call(n, tool)).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == n
    read = os.read(process.stderr.fileno(), 1 << 20)
    assert read.count(b"stray") > 1000
    process.stdin.write(json.dumps(call("last", tool)).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    process.stdin.close()
    assert process.wait(3) == 0
    assert b"stray" in process.stderr.read()  # what is printed once there is room again
    process.stdout.close()
    process.stderr.close()


def switches(pid: int) -> int:
    """Return how often any thread of a process has gone to sleep."""
    count = 0
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("voluntary_ctxt_switches"))
        count += int(line.split()[1])
    return count


def test_idle_server_sleeps(server: Server) -> None:
    for tool in ("quick", "async_quick", "slow", "async_slow", "limited", "fails"):
        server.ask(call(1, tool, {"seconds": 0.02}))
    server.ask(request("stream", "subscriptions/listen", notifications={"toolsListChanged": True}))
    server.send(call("waits", "stubborn", {"seconds": 60}), call("async waits", "async_slow", {"seconds": 60}))
    deadline = time.monotonic() + 10
    before = -1
    while before != (before := switches(server.process.pid)):  # the watcher looks on for a second or two
        assert time.monotonic() < deadline
        time.sleep(0.5)
    time.sleep(2.5)
    assert switches(server.process.pid) == before
    assert server.ask(call(2, "quick"))["id"] == 2


def test_on_sockets_a_client_that_goes_away_in_the_middle_is_noticed(source: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        theirs.close()
        for n in range(CALLS_LIMIT + 50):
            ours.sendall(json.dumps(call(n, "async_slow", {"seconds": 60})).encode() + b"\n")
        ours.sendall(b'{"jsonrpc":')
        time.sleep(0.5)
    began = time.monotonic()
    assert process.wait(5) == 0
    assert time.monotonic() - began < 2.2
