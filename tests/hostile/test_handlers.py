"""Nothing that a handler does breaks the frame, another call or the server; each is tried while others are in flight."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import SECONDS, Server, call, make_project

MODULE = "rough_mcp"

PREAMBLE = """
import asyncio, contextvars, ctypes, decimal, logging, os, resource, signal, subprocess, sys, threading, time, warnings
from rough_mcp.api import Context, ToolError, ToolResult

libc = ctypes.CDLL(None)
VARIABLE = contextvars.ContextVar('VARIABLE', default='unset')
class Base(BaseException): pass
class Unprintable(Exception):
    def __str__(self): raise ValueError('no text')
    __repr__ = __str__
class Nameless(type):
    @property
    def __name__(cls): raise ValueError('no name')
class Untold(Exception, metaclass=Nameless):
    __cause__ = property(lambda self: 1 / 0)
    __traceback__ = property(lambda self: 1 / 0)
class Numb(str):
    def __str__(self): return 7
class Liar(ToolError):
    def __str__(self): raise SystemExit('no text')
class Imposter(Exception):
    __class__ = property(lambda self: 1 / 0)
class Quitting:
    def __del__(self): raise SystemExit('in a destructor')
def endless(): threading.Event().wait()
def FAIL(*_): raise ZeroDivisionError('replaced')
def TAKE_DESCRIPTORS():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    sys.taken = []
    try:
        while True: sys.taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError: pass
"""

SETS_CONTEXT = "found = f'{decimal.getcontext().prec} {VARIABLE.get()}'; decimal.getcontext().prec = 5; VARIABLE.set('set'); return found"
"""Precision and another thing that belong to one flow of control (PEP 567)."""

ANSWERED = {
    # tools whose call is answered by a result that says "done"
    "prints": "print('stray'); print('stray', file=sys.__stdout__, flush=True); return 'done'",
    "writes": "sys.stdout.write('stray'); sys.stdout.flush(); return 'done'",
    "writes_bytes": "sys.stdout.buffer.write(b'stray\\n'); sys.stdout.buffer.flush(); return 'done'",
    "writes_descriptor": "os.write(1, b'stray\\n'); return 'done'",
    "opens_descriptor": "open('/dev/stdout', 'w').write('stray\\n'); return 'done'",
    "opens_process": "open('/proc/self/fd/1', 'w').write('stray\\n'); return 'done'",
    "child": "subprocess.run([sys.executable, '-c', 'print(\"stray\")'], check=True); return 'done'",
    "child_of_shell": "os.system('echo stray; echo stray >&1'); return 'done'",
    "child_keeps_descriptors": "subprocess.run('echo stray', shell=True, close_fds=False, check=True); return 'done'",
    "child_stays": "subprocess.Popen(['sleep', '0.5']); return 'done'",
    "logs_to_stdout": "logging.basicConfig(stream=sys.stdout, force=True); logging.error('stray'); return 'done'",
    "logs_to_original": "logging.StreamHandler(sys.__stdout__).emit(logging.makeLogRecord({'msg': 'stray'})); return 'done'",
    "c_puts": "libc.puts(b'stray'); libc.fflush(None); return 'done'",
    "c_printf_unflushed": "libc.printf(b'stray %d\\n', 7); return 'done'",
    "c_write": "libc.write(1, b'stray\\n', 6); return 'done'",
    "replaces_stdout": "sys.stdout = open(os.devnull, 'w'); sys.stderr = None; sys.stdin = None; return 'done'",
    "closes_streams": "sys.stdout.close(); return 'done'",
    "closes_descriptors": "[os.close(n) for n in (0, 1, 2)]; return 'done'",
    "closes_and_opens": "[os.close(n) for n in (0, 1, 2)]; [open(os.devnull, 'w') for n in range(3)]; return 'done'",
    "blocks_stdout": "os.set_blocking(1, False); os.set_blocking(0, False); return 'done'",
    "reads_input": "assert sys.stdin.read() == ''; assert os.read(0, 1) == b''; return 'done'",
    "asks_person": "ask = __builtins__['input']\n    try: ask('stray')\n    except EOFError: return 'done'",
    "changes_directory": "os.chdir('/'); return 'done'",
    "changes_environment": "os.environ.clear(); return 'done'",
    "changes_arguments": "args.items.append(4); ctx.meta.clear(); return 'done'",
    "changes_limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])); return 'done'",
    "changes_recursion": "sys.setrecursionlimit(sys.getrecursionlimit() + 1000); return 'done'",
    "changes_switching": "sys.setswitchinterval(0.5); return 'done'",
    "changes_hooks": "sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *a: 1 / 0; return 'done'",
    "takes_threads_away": "threading.Thread.start = FAIL; return 'done'",
    "takes_locks_away": "threading.Lock = threading.RLock = threading.Event = threading.Condition = FAIL; return 'done'",
    "takes_descriptors": "TAKE_DESCRIPTORS(); return 'done'",
    "takes_descriptors_and_forks": (
        "TAKE_DESCRIPTORS(); pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    return 'stray child'"
    ),
    "replaces_functions": "os.read = os.write = os.getpid = time.time = FAIL; return 'done'",
    "replaces_modules": "sys.modules['json'] = sys.modules['re'] = sys.modules['select'] = None; return 'done'",
    "lowers_recursion": "sys.setrecursionlimit(60); return 'done'",
    "traces_badly": "threading.settrace(FAIL); threading.setprofile(FAIL); return 'done'",
    "audits_badly": "sys.addaudithook(lambda event, args: event.startswith('open') and FAIL()); return 'done'",
    "collects_badly": "import gc; gc.callbacks.append(FAIL); gc.set_threshold(1); return 'done'",
    "registers_bad_exit": "import atexit; atexit.register(sys.exit, 7); atexit.register(FAIL); return 'done'",
    "turns_off_collection": "import gc; gc.disable(); return 'done'",
    "leaves_cycle": "quitting = Quitting(); quitting.me = quitting; del quitting; import gc; gc.collect(); return 'done'",
    "warns": "warnings.warn('stray'); return 'done'",
    "starts_daemon": "threading.Thread(target=endless, daemon=True).start(); return 'done'",
    "starts_threads": "[threading.Thread(target=endless).start() for n in range(20)]; return 'done'",
    "fails_in_thread": "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join(); return 'done'",
    "registers_exit": "import atexit; atexit.register(time.sleep, 60); return 'done'",
    "sets_alarm": "signal.setitimer(signal.ITIMER_REAL, 0); return 'done'",
    "profiles": "sys.setprofile(lambda *a: None); sys.settrace(lambda *a: None); return 'done'",
    "forks": "pid = os.fork()\n    if pid == 0: os._exit(0)\n    os.waitpid(pid, 0); return 'done'",
    "forks_and_returns": "pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    return 'stray child'",
    "forks_and_raises": "pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    raise ToolError('stray child')",
    "forks_and_exits": "pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    sys.exit('stray child')",
    "forks_and_talks": (
        "pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n"
        "    print('stray', flush=True); ctx.progress(1); ctx.log('error', 'child'); return 'stray child'"
    ),
    "forks_slowly": "time.sleep(0.05); pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    return 'stray child'",
    "forks_in_thread": (
        "t = threading.Thread(target=lambda: os.fork() or os._exit(0)); t.start(); t.join(); return 'done'"
    ),
    "pools": (
        "import multiprocessing\n    with multiprocessing.get_context('fork').Pool(1) as pool: assert pool.map(abs, [-1]) == [1]\n"
        "    return 'done'"
    ),
    "recovers_from_recursion": (
        "def deeper(): deeper()\n    try: deeper()\n    except RecursionError: return 'done'"
    ),
    "catches_memory": "try: bytearray(1 << 60)\n    except (MemoryError, OverflowError): return 'done'",
}  # fmt: skip

FAILED = {
    # tools whose call is answered by a result that says that it failed, in neutral words
    "exits": "sys.exit('secret')",
    "exits_zero": "raise SystemExit(0)",
    "quits": "raise SystemExit",
    "interrupts": "raise KeyboardInterrupt",
    "stops": "raise StopIteration('secret')",
    "stops_async": "raise StopAsyncIteration('secret')",
    "leaves_generator": "raise GeneratorExit('secret')",
    "is_cancelled": "raise asyncio.CancelledError('secret')",
    "raises_base": "raise Base('secret')",
    "raises_group": "raise BaseExceptionGroup('secret', [SystemExit('secret'), ValueError('secret')])",
    "raises_class_without_text": "raise Unprintable",
    "raises_class_without_anything": "raise Untold('secret')",
    "raises_cycle": "a, b = ValueError('secret'), ValueError('secret'); a.__cause__ = b; b.__cause__ = a; raise a",
    "raises_much": "raise ValueError('secret' * 1_000_000)",
    "raises_nothing": "raise",
    "raises_lines": "raise ValueError('secret\\n{\"jsonrpc\":\"2.0\"}\\n')",
    "raises_halves": "raise ValueError('secret \\ud800')",
    "asserts": "assert False, 'secret'",
    "recurses": "return RECURSE(args, ctx)",
    "overflows": "def deeper(): deeper()\n    deeper()",
    "out_of_memory": "raise MemoryError('secret')",
    "really_out_of_memory": "return 'x' * (1 << 60)",
    "returns_nan": "return [float('nan')]",
    "returns_infinity": "return {'a': float('inf')}",
    "returns_set": "return {1, 2}",
    "returns_object": "return object()",
    "returns_cycle": "cycle = []; cycle.append(cycle); return cycle",
    "returns_cyclic_dict": "cycle = {}; cycle['a'] = cycle; return cycle",
    "returns_deep": "deep = []\n    for n in range(100_000): deep = [deep]\n    return deep",
    "returns_generator": "return (n for n in 'ab')",
    "returns_async_generator": "async def produce(): yield 1\n    return produce()",
    "returns_awaitable": "class Later:\n        def __await__(self): yield\n    return Later()",
    "returns_class": "return dict",
    "returns_text_that_is_none": "return Numb('odd')",
    "returns_module": "return os",
    "returns_context": "return ctx",
    "returns_exception": "return ValueError('secret')",
    "returns_lock": "return threading.Lock()",
    "returns_wrong_result": "return ToolResult(content=[{'type': 'no such type'}])",
    "removes_descriptor_of_handler": "os.fdopen(99).read()",
}  # fmt: skip

SPOKEN = {
    # tools that say something in particular
    "says_error": ("raise ToolError('try again')", "try again"),
    "says_half_error": ("raise ToolError('half \\ud800')", "half \ud800"),
    "says_liar": ("raise Liar", "Liar"),
    "says_nothing": ("raise ToolError", ""),
    "shows_arguments": ("text = str(args.items); args.items.append(4); return text", "[1, 2, 3]"),
    "returns_text": ("return 'text'", "text"),
    "returns_half": ("return 'half \\ud800'", "half \ud800"),
    "returns_controls": ("return '\\0\\x1b\\r\\n\\u2028\\x7f'", "\0\x1b\r\n\u2028\x7f"),
    "returns_much": ("return 'é' * 10_000_000", "é" * 10_000_000),
}  # fmt: skip

ASYNC_ANSWERED = {
    "async_prints": "print('stray'); os.write(1, b'stray\\n'); return 'done'",
    "async_child": (
        "child = await asyncio.create_subprocess_exec('echo', 'stray'); await child.wait(); return 'done'"
    ),
    "async_stops_loop": "asyncio.get_running_loop().stop(); await asyncio.sleep(0.01); return 'done'",
    "async_leaves_task": "asyncio.create_task(asyncio.sleep(60)); return 'done'",
    "async_task_exits": "asyncio.create_task(QUIT()); await asyncio.sleep(0.01); return 'done'",
    "async_callback_fails": "asyncio.get_running_loop().call_soon(lambda: 1 / 0); await asyncio.sleep(0.01); return 'done'",
    "async_callback_exits": "asyncio.get_running_loop().call_soon(sys.exit); await asyncio.sleep(0.01); return 'done'",
    "async_in_thread": "return await asyncio.to_thread(lambda: 'done')",
    "async_changes_handler": (
        "asyncio.get_running_loop().set_exception_handler(lambda *a: 1 / 0)\n"
        "    asyncio.get_running_loop().call_soon(lambda: 1 / 0); await asyncio.sleep(0.01); return 'done'"
    ),
    "async_forks_and_returns": "pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    return 'stray child'",
    "async_forks_and_waits": (
        "pid = os.fork()\n    if pid: os.waitpid(pid, 0); return 'done'\n    await asyncio.sleep(0.01); return 'stray child'"
    ),
    "async_swallows": "asyncio.current_task().cancel()\n    try: await asyncio.sleep(1)\n    except asyncio.CancelledError: return 'done'",
}  # fmt: skip

ASYNC_FAILED = {
    "async_exits": "sys.exit('secret')",
    "async_interrupts": "raise KeyboardInterrupt('secret')",
    "async_stops": "raise StopIteration('secret')",
    "async_is_cancelled": "raise asyncio.CancelledError('secret')",
    "async_cancels_itself": "asyncio.current_task().cancel(); await asyncio.sleep(1)",
    "async_leaves_generator": "raise GeneratorExit",
    "async_closes_loop": "asyncio.get_running_loop().close()",
    "async_group": "async with asyncio.TaskGroup() as group: group.create_task(GO_WRONG())",
    "async_runs_loop": "asyncio.run(asyncio.sleep(0))",
    "async_returns_coroutine": "return QUIT()",
    "async_raises_class_without_anything": "raise Untold('secret')",
    "async_recurses": "return await ASYNC_RECURSE(args, ctx)",
}  # fmt: skip

ENDLESS = {
    # tools that never end; their calls are never answered, but all others are
    "waits_for_ever": "threading.Event().wait()",
    "sleeps": "time.sleep(1000)",
    "burns": "n = 0\n    while True: n += 1",
    "locks_itself": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "reads_pipe": "os.read(os.pipe()[0], 1)",
    "waits_for_child": "subprocess.run(['sleep', '3'])",
    "async_waits_for_ever": "await asyncio.Event().wait()",
    "async_burns": "while True: await asyncio.sleep(0)",
    "async_blocks": "threading.Event().wait()",
    "async_ignores_cancellation": "while True:\n        try: await asyncio.sleep(1)\n        except asyncio.CancelledError: pass",
}  # fmt: skip

DAMAGES = {
    # what costs the async calls in flight, and no more than these
    "async_closes_selector": "asyncio.get_running_loop()._selector._selector.close(); return 'done'",
    "closes_many_descriptors": "os.closerange(3, 100); return 'done'",
}
ODD = {"raises_imposter": "raise Imposter('secret')"}
QUICK = {"quick": "return 'quick'", "async_quick": "return 'quick'"}
SLOW = {"slow": "time.sleep(0.05); return 'slow'", "async_slow": "await asyncio.sleep(0.05); return 'slow'"}
BODIES = (
    ANSWERED | FAILED | {name: body for name, (body, _) in SPOKEN.items()} | ASYNC_ANSWERED | ASYNC_FAILED | ENDLESS
    | {"sets_context": SETS_CONTEXT, "async_sets_context": SETS_CONTEXT} | ODD | DAMAGES | {"closes_everything": "os.closerange(3, 1 << 16); return 'done'"} | QUICK | SLOW
)  # fmt: skip

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: rough, version: 0.1.0}
tools:
  - {name: plain, description: Does what it is asked to., inputSchema: &input {type: object, properties: {
      what: {type: string}, items: {type: array, items: {type: integer}, default: [1, 2, 3]}}}}
  - {name: flexible, description: Does what it is asked to., inputSchema: *input}
  - {name: breaks_output, description: Breaks its contract., outputSchema: &output {
      type: object, properties: {n: {type: integer}}, required: [n]}}
  - {name: breaks_output_type, description: Breaks its contract., outputSchema: *output}
  - {name: slow_to_import, description: Takes long to load.}
  - {name: unimportable, description: Cannot be loaded.}
  - {name: exits_when_imported, description: Cannot be loaded.}
"""
BROKEN = ("breaks_output", "breaks_output_type", "unimportable", "exits_when_imported")
BEGIN = "async def QUIT(): sys.exit('secret')\nasync def GO_WRONG(): raise ValueError('secret')\n"


def defined(name: str) -> str:
    kind = "async def" if name.startswith("async_") else "def"
    body = BODIES[name].replace("ASYNC_RECURSE", name).replace("RECURSE", name)
    return f"{kind} {name}(args, ctx):\n    {body}\n"


def module(tool: str, names: list[str]) -> str:
    """Return a handler's module that does whichever thing it is asked to do."""
    kind, wait = ("async def", "await ") if tool == "flexible" else ("def", "")
    functions = "\n".join(map(defined, names))
    end = f"{kind} {tool}(args, ctx):\n    return {wait}globals()[args.what](args, ctx)\n"
    return f"{PREAMBLE}\n{BEGIN}\n{functions}\n{end}"


def handlers() -> dict[str, str]:
    return {
        "plain": module("plain", [name for name in BODIES if not name.startswith("async_")]),
        "flexible": module("flexible", [name for name in BODIES if name.startswith("async_")]),
        "breaks_output": "def breaks_output(args, ctx):\n    return {'n': 'secret'}\n",
        "breaks_output_type": "def breaks_output_type(args, ctx):\n    return 7\n",
        "slow_to_import": "import time\ntime.sleep(1.5)\ndef slow_to_import(args, ctx):\n    return 'imported'\n",
        "unimportable": "import no_such_module_anywhere\n",
        "exits_when_imported": "import sys\nsys.exit('secret')\n",
    }


def tool_of(name: str) -> str:
    if name not in BODIES:
        return name
    return "flexible" if name.startswith("async_") else "plain"


def do(id_: object, name: str, /, **arguments: object) -> dict[str, Any]:
    """Return a call of the tool that does something."""
    return call(id_, tool_of(name), {"what": name, **arguments} if name in BODIES else {})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("rough"), MANIFEST, handlers())


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE, env={"PYTHONWARNINGS": "ignore::DeprecationWarning"}) as running:
        yield running


def text_of(reply: Any) -> str:
    return "".join(block["text"] for block in reply["result"]["content"])


@pytest.fixture(scope="module")
def shared(source: Path) -> Iterator[Server]:
    """One server for all that must leave no trace."""
    with Server(source, MODULE, env={"PYTHONWARNINGS": "ignore::DeprecationWarning"}) as running:
        yield running
        assert running.rest() == []
        assert running.wait(3) == 0


def among_others(server: Server, name: str) -> Any:
    """Call a tool while slow calls are in flight; return its reply when those have been answered, and others too."""
    server.send(do("slow", "slow"), do("async", "async_slow"), do("odd", name), do("after", "quick"))
    replies = {}
    for _ in range(4):
        reply = server.receive()
        assert reply["id"] not in replies
        replies[reply["id"]] = reply
    assert text_of(replies["slow"]) == "slow"
    assert text_of(replies["async"]) == "slow"
    assert text_of(replies["after"]) == "quick"
    for tool in QUICK:
        assert text_of(server.ask(do("last", tool))) == "quick"
    return replies["odd"]


ENDS_ALONE = (
    "replaces_stdout", "closes_streams", "closes_descriptors", "closes_and_opens", "blocks_stdout", "changes_environment",
    "changes_limits", "changes_switching", "changes_hooks", "takes_threads_away", "starts_threads", "registers_exit",
    "profiles", "async_changes_handler", "child_stays", "logs_to_stdout", "takes_locks_away", "takes_descriptors",
    "takes_descriptors_and_forks", "replaces_functions", "replaces_modules", "lowers_recursion", "traces_badly",
    "audits_badly", "collects_badly", "registers_bad_exit",
)  # fmt: skip
"""What changes the process for good, or how it ends."""


@pytest.mark.parametrize("name", [name for name in {**ANSWERED, **ASYNC_ANSWERED} if name not in ENDS_ALONE])
def test_call_is_answered_whatever_else_its_handler_does(shared: Server, name: str) -> None:
    reply = among_others(shared, name)
    assert text_of(reply) == "done"
    assert "isError" not in reply["result"]


@pytest.mark.parametrize("name", ENDS_ALONE)
def test_call_is_answered_and_the_process_ends_as_ever(server: Server, name: str) -> None:
    server.ask(do("warm", "async_quick"))
    reply = among_others(server, name)
    assert text_of(reply) == "done"
    assert "isError" not in reply["result"]
    assert text_of(among_others(server, "quick")) == "quick"
    began = time.monotonic()
    assert server.rest() == []
    assert server.wait() == 0
    assert time.monotonic() - began < 2.5


def test_exception_that_cannot_be_told_from_others_is_an_error(shared: Server) -> None:
    assert among_others(shared, "raises_imposter")["error"] == {"code": -32603, "message": "Internal error"}


@pytest.mark.parametrize("name", ["sets_context", "async_sets_context"])
def test_what_a_call_sets_for_itself_is_not_there_in_the_next(shared: Server, name: str) -> None:
    assert [text_of(shared.ask(do(number, name))) for number in range(4)] == ["28 unset"] * 4


@pytest.mark.parametrize("name", [*FAILED, *ASYNC_FAILED, *BROKEN])
def test_failure_is_answered_in_neutral_words(shared: Server, name: str) -> None:
    reply = among_others(shared, name)
    assert reply["result"]["isError"] is True
    assert text_of(reply) == f"Error executing tool {tool_of(name)}"
    assert "structuredContent" not in reply["result"]


@pytest.mark.parametrize("name", SPOKEN)
def test_text_arrives_as_it_is(shared: Server, name: str) -> None:
    assert text_of(among_others(shared, name)) == SPOKEN[name][1]


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_calls_that_never_end_keep_nobody_and_not_the_process(server: Server, kind: str) -> None:
    for name in ENDLESS:
        if name.startswith("async_") == (kind == "async def"):
            server.send(do(name, name), do(f"{name} again", name))
    for number in range(5):
        for tool in QUICK:
            assert text_of(server.ask(do(number, tool))) == "quick"
    began = time.monotonic()
    assert server.rest() == []
    assert server.wait() == 0
    assert time.monotonic() - began < 2.5


def test_output_of_all_kinds_lands_on_stderr(source: Path) -> None:
    names = ("prints", "writes_descriptor", "child", "c_puts", "c_printf_unflushed", "async_child", "logs_to_stdout")
    with Server(source, MODULE) as server:
        for name in names:
            server.ask(do(1, name))
        server.rest()
        server.wait()
        assert server.stderr().count("stray") >= len(names)


def test_module_that_is_slow_to_import_keeps_nobody(server: Server) -> None:
    server.send(do("import", "slow_to_import"), do("import too", "slow_to_import"))
    began = time.monotonic()
    for number in range(5):
        assert text_of(server.ask(do(number, "quick"))) == "quick"
    assert time.monotonic() - began < 1.2
    assert {server.receive()["id"], server.receive()["id"]} == {"import", "import too"}


def test_default_that_a_handler_has_changed_is_whole_for_the_next_call(server: Server) -> None:
    server.ask(do(1, "changes_arguments"))
    server.ask(do(2, "changes_arguments"))
    assert text_of(server.ask(do(3, "shows_arguments"))) == "[1, 2, 3]"
    assert text_of(server.ask(do(4, "shows_arguments"))) == "[1, 2, 3]"


@pytest.mark.parametrize("name", DAMAGES)
def test_what_a_handler_breaks_is_made_anew(server: Server, name: str) -> None:
    server.ask(do("warm", "async_quick"))
    server.send(do("slow", "slow"), do("async", "async_slow"), do("odd", name), do("after", "quick"))
    replies = {reply["id"]: reply for reply in (server.receive() for _ in range(4))}
    assert text_of(replies["slow"]) == "slow"
    assert text_of(replies["odd"]) == "done"
    assert text_of(replies["after"]) == "quick"
    for tool in (*QUICK, *SLOW):
        assert text_of(server.ask(do(tool, tool))).endswith(tool.removeprefix("async_"))
    began = time.monotonic()
    assert server.rest() == []
    assert server.wait() == 0
    assert time.monotonic() - began < 2.5


def test_client_gets_an_end_when_a_handler_closes_everything(server: Server) -> None:
    server.ask(do("warm", "async_quick"))
    server.send(do("odd", "closes_everything"))
    began = time.monotonic()
    assert server.rest() == []
    assert server.wait() == 0
    assert time.monotonic() - began < 2.5


def test_lines_that_need_what_a_handler_has_replaced_are_answered(server: Server) -> None:
    server.ask(do(1, "replaces_modules"))
    assert server.ask(b"[" + b"[]," * 200 + b"[]]\n")["error"]["code"] == -32700
    assert server.ask(b"nonsense\n")["error"]["code"] == -32700
    assert text_of(server.ask(do(2, "quick"))) == "quick"


def test_end_of_input_is_seen_without_a_thread_to_read_it(server: Server) -> None:
    server.ask(do("odd", "takes_threads_away"))
    server.send(*(do(n, "waits_for_ever") for n in range(10)))
    time.sleep(0.1)
    began = time.monotonic()
    assert server.rest() == []
    assert server.wait() == 0
    assert time.monotonic() - began < 2.5


@pytest.mark.parametrize("name", ["kills", "async_kills"])
def test_handler_that_sends_its_own_process_a_signal_to_end(tmp_path: Path, name: str) -> None:
    manifest = (
        'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: dying, version: 0.1.0}\ntools:\n'
        f"  - {{name: {name}, description: Ends.}}\n  - {{name: slow, description: Slow.}}\n"
    )
    kind = "async def" if name.startswith("async") else "def"
    source = make_project(
        tmp_path,
        manifest,
        {
            name: f"import os, signal\n{kind} {name}(args, ctx):\n    os.kill(os.getpid(), signal.SIGTERM)\n    return 'x'\n",
            "slow": "import time\ndef slow(args, ctx):\n    time.sleep(0.3)\n    return 'slow'\n",
        },
    )
    with Server(source, "dying_mcp") as server:
        server.send(call(1, "slow"), call(2, name))
        assert {server.receive()["id"], server.receive()["id"]} == {1, 2}
        assert server.wait(2) == 0


def test_on_a_pair_of_sockets_as_some_hosts_use(source: Path) -> None:
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
        ours.settimeout(SECONDS)
        lines = ours.makefile("rb")
        ours.sendall(b"".join(json.dumps(do(n, "blocks_stdout")).encode() + b"\n" for n in range(2)))
        assert {json.loads(lines.readline())["id"] for _ in range(2)} == {0, 1}
        os.set_blocking(ours.fileno(), True)
        ours.sendall(json.dumps(do(2, "returns_much")).encode() + b"\n")
        assert len(text_of(json.loads(lines.readline()))) == 10_000_000
        ours.shutdown(socket.SHUT_RDWR)
        assert process.wait(2) == 0


def test_stderr_shared_with_the_output_and_made_non_blocking(source: Path) -> None:
    # One description for both, as 2>&1 makes it: a handler's child that turns blocking off does so for the output too.
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        theirs.close()
        ours.settimeout(SECONDS)
        assert process.stdin
        lines = ours.makefile("rb")
        for number, name in enumerate(["blocks_stdout", "returns_much", "quick"]):
            process.stdin.write(json.dumps(do(number, name)).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(lines.readline())["id"] == number
        process.stdin.close()
        assert process.wait(2) == 0
