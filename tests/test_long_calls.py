"""Calls that take a while: progress, cancellation, time limits, log messages, traces, over real pipes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import META, Server, call, make_project

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: long, version: 0.1.0}
defaults: {timeoutMs: 5000}
tools:
  - {name: steps, description: Works in steps.}
  - {name: async_steps, description: Works in steps.}
  - {name: bursts, description: Tells progress very often.}
  - {name: waits, description: Waits until it is cancelled., x-toolmint: {timeoutMs: 0}}
  - {name: async_waits, description: Waits until it is cancelled., x-toolmint: {timeoutMs: 0}}
  - {name: polls, description: Looks whether it is cancelled., x-toolmint: {timeoutMs: 0}}
  - {name: limited, description: Takes longer than it may., x-toolmint: {timeoutMs: 100}}
  - {name: async_limited, description: Takes longer than it may., x-toolmint: {timeoutMs: 100}}
  - {name: logs, description: Logs at every level.}
  - {name: tells_late, description: Says something after its end.}
  - {name: traced, description: Shows the trace it belongs to.}
  - {name: who, description: Shows who is asking.}
  - {name: renamed, description: Had another name., x-toolmint: {aliases: [old_name]}}
  - {name: quick, description: Does nothing.}
"""
PREAMBLE = "import asyncio, threading, time\nfrom pathlib import Path\nfrom long_mcp.api import Cancelled, Context\n"
BODIES = {
    "steps": "for n in range(4):\n        ctx.progress(n, 3, f'step {n}'); time.sleep(0.03)\n    return 'done'",
    "async_steps": "for n in range(4):\n        ctx.progress(n, 3, f'step {n}'); await asyncio.sleep(0.03)\n    return 'done'",
    "bursts": "for n in range(10000): ctx.progress(n, 9999)\n    ctx.progress(5); ctx.progress(9999)\n    return 'done'",
    "waits": """try:
        while True:
            ctx.check_cancelled(); time.sleep(0.01)
    except Cancelled:
        ctx.log('error', 'waits was cancelled'); raise""",
    "async_waits": """try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        ctx.log('error', 'async_waits was cancelled'); raise""",
    "polls": "while not ctx.cancelled: time.sleep(0.01)\n    ctx.log('error', 'polls was cancelled'); return 'too late'",
    "limited": "time.sleep(0.6); ctx.log('error', f'limited ended, cancelled: {ctx.cancelled}'); return 'too late'",
    "async_limited": "await asyncio.sleep(60); return 'too late'",
    "logs": "for level in ('debug', 'info', 'warning', 'error'): ctx.log(level, {'level': level})\n    return 'done'",
    "tells_late": """def late() -> None:
        time.sleep(0.2); ctx.progress(9); ctx.log('error', 'late words')
    threading.Thread(target=late).start(); return 'done'""",
    "traced": "ctx.log('info', 'in a trace'); return [ctx.traceparent or '', ctx.tracestate or '', ctx.baggage or '']",
    "who": "return [str(ctx.client_info), str(ctx.client_capabilities), str(sorted(ctx.meta))]",
    "renamed": "return 'served'",
    "quick": "return 'quick'",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    handlers = {}
    for name, body in BODIES.items():
        kind = "async def" if name.startswith("async_") else "def"
        handlers[name] = f"{PREAMBLE}\n{kind} {name}(args: object, ctx: Context) -> object:\n    {body}\n"
    return make_project(tmp_path_factory.mktemp("long"), MANIFEST, handlers)


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, "long_mcp") as running:
        yield running


def with_meta(id_: object, tool: str, **meta: Any) -> dict[str, Any]:
    message = call(id_, tool)
    message["params"]["_meta"] = {**META, **meta}
    return message


def until_reply(server: Server) -> tuple[list[Any], Any]:
    """Return the notifications that come before the next response, and the response."""
    notifications = []
    while "method" in (message := server.receive()):
        notifications.append(message)
    return notifications, message


@pytest.mark.parametrize("tool", ["steps", "async_steps"])
@pytest.mark.parametrize("token", ["a token", 0])
def test_progress(server: Server, tool: str, token: object) -> None:
    server.send(with_meta(1, tool, progressToken=token))
    notifications, reply = until_reply(server)
    assert [message["method"] for message in notifications] == ["notifications/progress"] * 4
    assert [message["params"] for message in notifications] == [
        {"progressToken": token, "progress": n, "total": 3, "message": f"step {n}"} for n in range(4)
    ]
    assert reply["id"] == 1


def test_no_progress_without_a_token(server: Server) -> None:
    assert server.ask(call(1, "steps"))["id"] == 1


def test_progress_is_rate_limited_increasing_and_ends_with_the_total(server: Server) -> None:
    server.send(with_meta(1, "bursts", progressToken="t"))
    notifications, _ = until_reply(server)
    values = [message["params"]["progress"] for message in notifications]
    assert values == sorted(set(values))
    assert values[0] == 0
    assert values[-1] == 9999
    assert len(values) < 60


def test_nothing_is_said_for_a_request_that_was_answered(server: Server) -> None:
    server.send(with_meta(1, "tells_late", progressToken="t", **{"io.modelcontextprotocol/logLevel": "debug"}))
    assert server.receive()["id"] == 1
    server.await_stderr("late words")
    assert server.silent_for(0.2)


@pytest.mark.parametrize("tool", ["waits", "async_waits", "polls"])
def test_cancellation_reaches_the_handler_and_nothing_is_sent(server: Server, tool: str) -> None:
    server.send(call("c", tool))
    assert server.ask(call(2, "quick"))["id"] == 2
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c", "reason": "x"}})
    server.await_stderr(f"{tool} was cancelled")
    assert server.ask(call("c", "quick"))["id"] == "c"  # the id is free again
    assert server.silent_for(0.2)
    assert "failed" not in server.stderr()


def test_late_cancellation_is_harmless(server: Server) -> None:
    assert server.ask(call(1, "quick"))["id"] == 1
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    assert server.ask(call(1, "quick"))["id"] == 1


@pytest.mark.parametrize("tool", ["limited", "async_limited"])
def test_time_limit_of_a_tool(server: Server, tool: str) -> None:
    server.ask(call(0, "quick"))
    reply = server.ask(call(1, tool))
    assert reply["result"]["isError"] is True
    assert reply["result"]["content"][0]["text"] == f"Tool {tool} did not finish within 0.1 s"
    assert server.ask(call(1, "quick"))["result"]["content"][0]["text"] == "quick"
    if tool == "limited":
        server.await_stderr("limited ended, cancelled: True")
    assert server.silent_for(0.1)


def test_log_messages_reach_stderr_always_and_the_client_when_it_asks(server: Server) -> None:
    assert server.ask(call(1, "logs"))["id"] == 1
    server.send(with_meta(2, "logs", **{"io.modelcontextprotocol/logLevel": "warning"}))
    notifications, reply = until_reply(server)
    assert [message["method"] for message in notifications] == ["notifications/message"] * 2
    assert [message["params"] for message in notifications] == [
        {"level": level, "logger": "logs", "data": {"level": level}} for level in ("warning", "error")
    ]
    assert reply["id"] == 2
    assert server.await_stderr('{"level":"error"}').count('{"level":"error"}') >= 1


def test_trace_is_readable_and_in_the_log_lines(server: Server) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    reply = server.ask(with_meta(1, "traced", traceparent=parent, tracestate="a=1", baggage="k=v"))
    assert [block["text"] for block in reply["result"]["content"]] == [parent, "a=1", "k=v"]
    assert f"traced [{parent}]: in a trace" in server.await_stderr("in a trace")


def test_what_the_client_says_of_itself(server: Server) -> None:
    texts = [block["text"] for block in server.ask(call(1, "who"))["result"]["content"]]
    assert "'name': 'test'" in texts[0]
    assert texts[1] == "{}"
    assert "clientInfo" in texts[2]


def test_former_name_is_served_logged_and_not_listed(server: Server) -> None:
    assert server.ask(call(1, "old_name"))["result"]["content"][0]["text"] == "served"
    assert "old_name" in server.await_stderr("former name")
    server.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": META}})
    assert "old_name" not in json.dumps(server.receive())
