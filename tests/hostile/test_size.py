"""What size costs: lines beyond the limit, lines that are mostly brackets, and lines that come in many pieces."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.everything import MODULE, make_everything
from servers import Server, call

MEGABYTE = 1 << 20
LIMIT = 16 * MEGABYTE


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_everything(tmp_path_factory.mktemp("everything"))


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


def peak_memory(server: Server) -> int:
    """Return the most memory that the server has held so far, in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def test_a_line_of_a_gigabyte_costs_no_more_memory_than_the_limit(server: Server) -> None:
    server.ask(call(0, "anything"))
    before = peak_memory(server)
    assert server.process.stdin
    block = b"x" * MEGABYTE
    for _ in range(1024):
        written = 0
        while written < MEGABYTE:
            written += os.write(server.process.stdin.fileno(), block[written:])
    server.send(b"\n")
    error = server.receive()["error"]
    assert error["code"] == -32700
    assert str(LIMIT) in error["message"]
    assert server.ask(call(1, "anything"))["id"] == 1
    assert peak_memory(server) - before < LIMIT + 2 * MEGABYTE


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_the_limit_counts_the_bytes_of_a_line_without_its_end(server: Server, over: int) -> None:
    line = json.dumps(call(1, "anything", {"a": ""})).encode()
    line = line.replace(b'"a": ""', b'"a": "' + b"x" * (LIMIT + over - len(line)) + b'"')
    assert len(line) == LIMIT + over
    reply = server.ask(line + b"\n")
    assert ("result" in reply) is (over <= 0)


def processor_seconds(server: Server) -> float:
    """Return the processor time that a server has used, which other work on the machine does not add to."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    "line",
    [
        b"[" * LIMIT,
        b'{"a":' * (LIMIT // 5),
        b"[" * (LIMIT // 2) + b"]" * (LIMIT // 2),
        b"[" * 129 + b'"",' * (LIMIT // 3 - 129),
        b"[" + (b"[" * 100 + b"]" * 100 + b",") * (LIMIT // 201 - 1) + b"x",
        b'["' + b'\\"' * (LIMIT // 2 - 2),
        b'["' + b"\\" * (LIMIT - 2),
        b"1" * LIMIT,
        b"1e" + b"9" * (LIMIT - 2),
    ],
    ids=lambda line: line[:12].decode(),
)
def test_a_hostile_line_takes_a_time_that_grows_with_its_length_only(server: Server, line: bytes) -> None:
    before = processor_seconds(server)
    reply = server.ask(line + b"\n")
    assert reply["error"]["code"] in (-32700, -32600)
    assert server.ask(call(1, "anything"))["id"] == 1
    assert processor_seconds(server) - before < 5  # a fraction of that, in fact; squares would take minutes


def test_a_large_line_and_a_large_result_survive_the_pipe(server: Server) -> None:
    text = "\u2028é" * MEGABYTE
    assert server.ask(call(1, "anything", {"text": text}))["id"] == 1
    assert server.ask(call(text[:MEGABYTE], "anything"))["id"] == text[:MEGABYTE]
