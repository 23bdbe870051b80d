"""The transport over real pipes: slow calls delay nobody, nothing a handler does breaks the frame, the end is quick."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Server, call, make_project, request

MODULE = "odd_mcp"

TOOL = """
  - name: {name}
    description: A tool that behaves oddly.
    inputSchema: {{type: object, properties: {{seconds: {{type: number}}}}, additionalProperties: false}}
"""

HANDLERS = {
    # what a tool does, as the body of its handler; each is called while a slow call is in flight
    "quick": "return 'quick'",
    "slow": "time.sleep(args.seconds or 0); return 'slow'",
    "prints": "print('stray output'); sys.stdout.write('more\\n'); sys.stdout.flush(); return 'done'",
    "prints_to_original": "print('stray', file=sys.__stdout__, flush=True); return 'done'",
    "writes_descriptor": "os.write(1, b'stray bytes\\n'); return 'done'",
    "child_prints": "subprocess.run([sys.executable, '-c', 'print(\"stray child\")'], check=True); return 'done'",
    "child_reads": "return str(subprocess.run(['cat'], capture_output=True, check=True).stdout)",
    "reads_input": "return repr(sys.stdin.read())",
    "exits": "sys.exit(3)",
    "interrupts": "raise KeyboardInterrupt",
    "recurses": "return recurses(args, ctx)",
    "out_of_memory": "raise MemoryError",
    "stops_iteration": "raise StopIteration",
    "raises_base": "raise Base('odd')",
    "text_of_error_raises": "raise Unprintable",
    "returns_nan": "return [float('nan')]",
    "returns_set": "return {1, 2}",
    "returns_cycle": "cycle = []; cycle.append(cycle); return cycle",
    "returns_bytes_in_list": "return [b'x']",
    "returns_surrogate": "return '\\ud800'",
    "returns_generator": "return (n for n in 'ab')",
    "closes_descriptors": "[os.close(n) for n in (0, 1, 2)]; return 'done'",
    "changes_directory": "os.chdir('/'); return 'done'",
    "stub": "raise NotImplementedError",
}

ASYNC_HANDLERS = {
    "async_quick": "return 'async quick'",
    "async_slow": "await asyncio.sleep(args.seconds or 0); return 'async slow'",
    "async_fails": "raise ValueError('secret')",
    "async_exits": "sys.exit(3)",
}

PREAMBLE = """
import asyncio, os, subprocess, sys, time
from odd_mcp.api import Context

class Base(BaseException): pass
class Unprintable(Exception):
    def __str__(self): raise ValueError('no text')
"""


def handler(name: str, body: str, kind: str = "def") -> str:
    argument = "".join(part.title() for part in name.split("_")) + "Input"
    signature = f"{kind} {name}(args: {argument}, ctx: Context) -> object:"
    return f"{PREAMBLE}\nfrom odd_mcp.api import {argument}\n\n{signature}\n    {body}\n"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [*HANDLERS, *ASYNC_HANDLERS, "unimportable"]
    manifest = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: odd, version: 0.1.0}\ntools:' + "".join(
        TOOL.format(name=name) for name in names
    )
    handlers = {name: handler(name, body) for name, body in HANDLERS.items()}
    handlers |= {name: handler(name, body, "async def") for name, body in ASYNC_HANDLERS.items()}
    handlers["unimportable"] = "import no_such_module_anywhere\n"
    return make_project(tmp_path_factory.mktemp("odd"), manifest, handlers)


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


def text_of(reply: dict[str, dict[str, list[dict[str, str]]]]) -> str:
    return "".join(block["text"] for block in reply["result"]["content"])


@pytest.mark.parametrize("slow", ["slow", "async_slow"])
@pytest.mark.parametrize("quick", ["quick", "async_quick"])
def test_slow_call_delays_nobody(server: Server, slow: str, quick: str) -> None:
    server.ask(call("warm", quick))
    began = time.monotonic()
    server.send(call("slow", slow, {"seconds": 1.5}))
    for number in range(20):
        assert server.ask(call(number, quick))["id"] == number
    assert time.monotonic() - began < 1
    assert server.receive()["id"] == "slow"


def test_slow_calls_run_side_by_side(server: Server) -> None:
    server.ask(call("warm", "slow"))
    began = time.monotonic()
    server.send(*(call(number, "slow", {"seconds": 1}) for number in range(20)))
    assert sorted(server.receive()["id"] for _ in range(20)) == list(range(20))
    assert time.monotonic() - began < 3


def test_answers_before_a_slow_call_are_not_held_back(server: Server) -> None:
    server.send(call(1, "quick"), call(2, "slow", {"seconds": 2}), call(3, "quick"))
    began = time.monotonic()
    assert {server.receive()["id"], server.receive()["id"]} == {1, 3}
    assert time.monotonic() - began < 1.5
    assert server.receive()["id"] == 2


@pytest.mark.parametrize("name", [*HANDLERS, *ASYNC_HANDLERS, "unimportable"])
def test_whatever_a_handler_does_it_is_answered_and_so_are_others(server: Server, name: str) -> None:
    server.send(call("slow", "slow", {"seconds": 0.3}), call("odd", name))
    replies = {reply["id"]: reply for reply in (server.receive(), server.receive())}
    assert text_of(replies["slow"]) == "slow"
    assert replies["odd"]["result"]["resultType"] == "complete"
    assert "secret" not in json.dumps(replies)
    assert text_of(server.ask(call("after", "quick"))) == "quick"
    assert server.rest() == []
    assert server.wait() == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("prints", "stray output"),
        ("prints_to_original", "stray"),
        ("writes_descriptor", "stray bytes"),
        ("child_prints", "stray child"),
    ],
)
def test_output_of_a_handler_lands_on_stderr(server: Server, name: str, words: str) -> None:
    assert text_of(server.ask(call(1, name))) == "done"
    server.await_stderr(words)


@pytest.mark.parametrize(("name", "text"), [("child_reads", "b''"), ("reads_input", "''")])
def test_handler_cannot_take_the_protocols_input(server: Server, name: str, text: str) -> None:
    server.send(call(1, name), call(2, "quick"))
    assert {text_of(server.receive()), text_of(server.receive())} == {text, "quick"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("exits", "Error executing tool exits"),
        ("async_fails", "Error executing tool async_fails"),
        ("text_of_error_raises", "Error executing tool text_of_error_raises"),
        ("unimportable", "Error executing tool unimportable"),
        ("returns_cycle", "Error executing tool returns_cycle"),
        ("returns_nan", "Error executing tool returns_nan"),
        ("stub", "Tool stub is not implemented yet"),
    ],
)
def test_failure_is_told_in_neutral_words_and_logged_in_full(server: Server, name: str, text: str) -> None:
    reply = server.ask(call(1, name))
    assert reply["result"]["isError"] is True
    assert text_of(reply) == text
    (logged,) = [line for line in server.await_stderr(f"tool {name}").splitlines() if f"tool {name}" in line]
    assert " ERROR " in logged or logged.endswith(" WARNING tool stub is still a stub")


def test_traceback_is_one_line_on_stderr(server: Server) -> None:
    server.ask(call(1, "async_fails"))
    (logged,) = server.await_stderr("secret").splitlines()
    assert "ValueError: secret" in logged
    assert "async_fails.py" in logged


def test_log_level_from_the_environment(source: Path) -> None:
    with Server(source, MODULE, env={"TOOLMINT_LOG_LEVEL": "critical"}) as server:
        server.ask(call(1, "async_fails"))
        server.rest()
        server.wait()
        assert server.stderr() == ""


def test_two_requests_with_one_id(server: Server) -> None:
    server.send(call(1, "slow", {"seconds": 0.5}), call(1, "quick"), call("1", "quick"))
    replies = [server.receive(), server.receive(), server.receive()]
    (refused,) = (reply for reply in replies if "error" in reply)
    assert refused["error"]["code"] == -32600
    assert refused["id"] == 1
    served = [(reply["id"], text_of(reply)) for reply in replies if reply is not refused]
    assert served == [("1", "quick"), (1, "slow")]
    assert text_of(server.ask(call(1, "quick"))) == "quick"


@pytest.mark.parametrize("slow", ["slow", "async_slow"])
def test_nothing_is_sent_for_a_cancelled_id(server: Server, slow: str) -> None:
    server.send(call(7, slow, {"seconds": 0.3}))
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    assert server.ask(call("7", "quick"))["id"] == "7"
    assert server.silent_for(0.6)


@pytest.mark.parametrize("stuck", ["slow", "async_slow"])
def test_end_of_input_ends_the_process_even_with_a_handler_stuck(server: Server, stuck: str) -> None:
    server.send(call(1, stuck, {"seconds": 60}))
    assert server.ask(call(2, "quick"))["id"] == 2
    began = time.monotonic()
    server.end_input()
    assert server.wait() == 0
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("slow", ["slow", "async_slow"])
def test_calls_that_end_soon_are_answered_after_the_end_of_input(server: Server, slow: str) -> None:
    server.send(call(1, slow, {"seconds": 0.3}))
    (reply,) = server.rest()
    assert reply["id"] == 1
    assert server.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_process(server: Server, number: int) -> None:
    server.send(call(1, "slow", {"seconds": 60}))
    server.ask(call(2, "quick"))
    began = time.monotonic()
    server.process.send_signal(number)
    assert server.wait() == 0
    assert time.monotonic() - began < 2


def test_closed_output_ends_the_process_quietly(source: Path) -> None:
    with Server(source, MODULE) as server:
        server.ask(call(1, "quick"))
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        assert process.stdout
        process.stdout.close()
        _, errors = process.communicate(json.dumps(call(1, "quick")).encode() + b"\n", timeout=10)
        assert process.returncode == 0
        assert errors == b""


def test_calls_in_flight_are_bounded_and_the_reader_waits(server: Server) -> None:
    server.send(*(call(number, "async_slow", {"seconds": 0.5}) for number in range(600)))
    assert sorted(server.receive()["id"] for _ in range(600)) == list(range(600))


def test_ten_thousand_pipelined_calls_are_each_answered_once(server: Server) -> None:
    count = 10_000
    server.send(b"".join(json.dumps(call(number, "quick")).encode() + b"\n" for number in range(count)))
    assert sorted(server.receive()["id"] for _ in range(count)) == list(range(count))


def test_started_in_a_closed_environment(source: Path) -> None:
    process = subprocess.run(
        ["sh", "-c", f'exec "$0" -m {MODULE} 2>&-', sys.executable],
        input=json.dumps(call(1, "prints")).encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(source)},
        timeout=20,
        check=False,
    )
    assert process.returncode == 0
    assert json.loads(process.stdout)["id"] == 1


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--version", 0), ("--port", 2)])
def test_arguments(source: Path, argument: str, code: int) -> None:
    process = subprocess.run(
        [sys.executable, "-m", MODULE, argument],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
        timeout=20,
        check=False,
    )
    assert process.returncode == code
    assert "odd" in process.stdout + process.stderr


def test_first_list_imports_nothing_slow(source: Path) -> None:
    program = (
        "import sys; sys.argv = ['x']; import odd_mcp.dispatch as d; from odd_mcp.runtime import stdio; "
        f"d.make_dispatcher()({request(1, 'tools/list')!r}); print('\\n'.join(sys.modules))"
    )
    bare = "import sys, json; print('\\n'.join(sys.modules))"
    env = {**os.environ, "PYTHONPATH": str(source)}
    modules, floor = (
        set(
            subprocess.run(
                [sys.executable, "-c", text], capture_output=True, text=True, env=env, check=True
            ).stdout.split()
        )
        for text in (program, bare)
    )
    new = {name for name in modules - floor if not name.startswith("odd_mcp")}
    assert not new & {"dataclasses", "asyncio", "inspect", "typing", "logging", "pathlib", "importlib.resources"}
    assert len(new) <= 8, sorted(new)
    assert not any(name.startswith(("odd_mcp.models", "odd_mcp.protocol", "odd_mcp.tools.")) for name in modules)
