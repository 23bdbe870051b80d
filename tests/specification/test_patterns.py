"""Cancellation, progress and subscriptions: what is sent beside the replies, and when it must not be."""

import re
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from servers import Server, call, request
from specification.rules_server import MODULE
from specification.talking import (
    PREFIX,
    SUBSCRIPTION,
    able,
    asked,
    cancel,
    code_of,
    listen,
    prompt,
    quick,
    read,
    text_of,
    until_reply,
    with_meta,
)

TOKEN = {"progressToken": "token", PREFIX + "logLevel": "debug"}


def chatty(id_: object, end: str) -> dict[str, Any]:
    return with_meta(call(id_, "chatty", {"end": end}), **TOKEN)


# Cancellation


@pytest.mark.parametrize("tool", ["slow", "slow_async"])
def test_cancelled_request_gets_no_reply(fresh: Server, tool: str) -> None:
    fresh.send(call(1, tool, {"seconds": 0.2}), cancel(1), request(2, "server/discover"))
    assert fresh.receive()["id"] == 2
    fresh.send(call(3, tool, {"seconds": 0.2}))
    quick(fresh)
    fresh.send(cancel(3, reason="not needed"))
    assert fresh.silent_for(0.4)
    assert fresh.rest() == []


def test_nothing_more_is_said_for_a_cancelled_request(fresh: Server) -> None:
    fresh.send(chatty(1, "never"))
    assert fresh.receive()["method"] == "notifications/progress"
    fresh.send(cancel(1), request(2, "server/discover"))
    notifications, reply = until_reply(fresh)  # what was on its way
    assert reply["id"] == 2
    assert {message["method"] for message in notifications} <= {"notifications/progress", "notifications/message"}
    assert fresh.silent_for(0.4)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_cancelled_work_stops_and_leaves_nothing_behind(fresh: Server, tmp_path: Path) -> None:
    file = tmp_path / "progress"
    fresh.send(call(1, "works", {"file": str(file)}))
    while not file.exists() or not file.stat().st_size:
        time.sleep(0.01)
    fresh.send(cancel(1))
    quick(fresh)
    time.sleep(0.1)
    size = file.stat().st_size
    time.sleep(0.2)
    assert file.stat().st_size == size
    threads = memory = 0
    for round_ in range(400):
        fresh.send(call(round_, "slow_async", {"seconds": 60}), cancel(round_))
        if round_ in (50, 399):
            quick(fresh)
            time.sleep(0.3)
            status = Path(f"/proc/{fresh.process.pid}/status").read_text(encoding="utf-8")
            now = int(re.findall(r"Threads:\s+(\d+)", status)[0]), int(re.findall(r"VmRSS:\s+(\d+)", status)[0])
            if round_ == 399:
                assert now[0] <= threads + 2
                assert now[1] < memory * 1.2
            threads, memory = now


def test_cancelling_may_cross_with_the_reply(fresh: Server) -> None:
    ids = range(300)
    for n in ids:
        fresh.send(call(n, "slow_async" if n % 2 else "slow", {"seconds": 0.003}))
        time.sleep((0, 0.001, 0.003, 0.005)[n % 4])
        fresh.send(cancel(n))
    fresh.send(request("end", "server/discover"))
    received = []
    while (reply := fresh.receive())["id"] != "end":
        received.append(reply["id"])
    assert len(received) == len(set(received))
    for n in ids:  # every id can be used again
        assert fresh.ask(call(n, "echo", {"value": "again"}))["id"] == n


def test_reason_of_a_cancellation_is_logged(fresh: Server) -> None:
    fresh.send(call(1, "slow_async", {"seconds": 60}), cancel(1, reason="because\nof\u2028that"))
    log = fresh.await_stderr("because")
    (line,) = [line for line in log.split("\n") if "because" in line]
    assert "slow_async" in line


@pytest.mark.parametrize(
    "params",
    [
        {"requestId": "nobody"},
        {"requestId": 1},
        {},
        *({"requestId": id_} for id_ in (None, {}, [1], True, 1.0)),
        {"requestId": "1", "reason": 5},
        *(None, 7, []),
    ],
    ids=repr,
)
def test_cancellation_of_nothing_is_ignored(server: Server, params: object) -> None:
    assert server.ask(call(1, "echo", {"value": "x"}))["id"] == 1
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    quick(server)


def test_cancelled_is_sent_for_streams_alone(fresh: Server) -> None:
    fresh.send(call(1, "limited"), call(2, "fails"), call(3, "slow_async", {"seconds": 60}), cancel(3))
    assert {fresh.receive()["id"], fresh.receive()["id"]} == {1, 2}
    fresh.send(call(4, "slow_async", {"seconds": 60}), listen("s"))
    assert fresh.receive()["method"] == "notifications/subscriptions/acknowledged"
    methods = [(message.get("method"), message.get("params", {}).get("requestId")) for message in fresh.rest()]
    assert methods == [(None, None), ("notifications/cancelled", "s")]


# Progress


@pytest.mark.parametrize("token", [0, "", "0", 7])
def test_progress_carries_the_requests_token_and_only_grows(server: Server, token: object) -> None:
    message = with_meta(call(1, "progress", {"values": [1, 1, 0.5, 2.5, 2.5, 3]}), progressToken=token)
    server.send(message)
    notifications, reply = until_reply(server)
    assert text_of(reply) == "done"
    tokens = [notification["params"]["progressToken"] for notification in notifications]
    assert set(map(repr, tokens)) == {repr(token)}
    values = [notification["params"]["progress"] for notification in notifications]
    assert values == sorted(set(values))
    assert values[0] == 1


def test_no_progress_without_a_token(server: Server) -> None:
    assert server.ask(call(1, "progress", {"values": [1, 2, 3]}))["id"] == 1


def test_calls_side_by_side_have_progress_of_their_own(fresh: Server) -> None:
    fresh.send(*(with_meta(call(n, "chatty", {"end": "never"}), progressToken=n) for n in range(2)))
    tokens = {fresh.receive()["params"]["progressToken"] for _ in range(4)}
    assert tokens == {0, 1}
    fresh.send(cancel(0), request("d", "server/discover"))
    until_reply(fresh)
    told = []
    while not fresh.silent_for(0.1):
        told.append(fresh.receive()["params"]["progressToken"])
    assert set(told) <= {1}


@pytest.mark.parametrize("end", ["return", "raise"])
def test_no_progress_and_no_log_after_the_reply(fresh: Server, end: str) -> None:
    fresh.send(chatty(1, end))
    _, reply = until_reply(fresh)
    assert reply["id"] == 1
    assert fresh.silent_for(0.5)


def test_progress_is_told_at_a_bounded_rate(server: Server) -> None:
    values = list(range(20_000))
    server.send(with_meta(call(1, "progress", {"values": values}), progressToken="t"))
    began = time.monotonic()
    notifications, _ = until_reply(server)
    assert len(notifications) <= 2 + (time.monotonic() - began) / 0.02


# Subscriptions


def set_visible(id_: object, kind: str, name: str, visible: bool) -> dict[str, Any]:
    return call(id_, "set_visible", {"kind": kind, "name": name, "visible": visible})


KINDS = {"tools": "stuck", "prompts": "hidden", "resources": "rules://text"}


@pytest.mark.parametrize("kind", KINDS)
def test_change_of_a_list_is_told_to_those_who_asked(fresh: Server, kind: str) -> None:
    others = {f"{other}ListChanged": other == kind for other in KINDS}
    fresh.send(listen("all", **others), listen("none"), listen("false", **{f"{kind}ListChanged": False}))
    for honoured in ({f"{kind}ListChanged": True}, {}, {}):
        assert fresh.receive()["params"]["notifications"] == honoured
    for visible in (False, True):
        fresh.send(set_visible("change", kind, KINDS[kind], visible))
        notifications, reply = until_reply(fresh)
        assert text_of(reply) == "done"
        assert [message["method"] for message in notifications] == [f"notifications/{kind}/list_changed"]
        assert notifications[0]["params"]["_meta"][SUBSCRIPTION] == "all"
    for other in KINDS.keys() - {kind}:
        fresh.send(set_visible("other", other, KINDS[other], False))
        notifications, _ = until_reply(fresh)
        assert notifications == []


def test_update_of_a_resource_is_told_to_those_who_asked_for_it(fresh: Server) -> None:
    fresh.ask(listen(1, resourceSubscriptions=["rules://text", "item://first"]))
    for uri, told in (("rules://blob", []), ("rules://text", ["rules://text"]), ("item://first", ["item://first"])):
        fresh.send(call("touch", "touch", {"uri": uri}))
        notifications, _ = until_reply(fresh)
        assert [message["params"]["uri"] for message in notifications] == told


@pytest.mark.parametrize("id_", [7, "7", 0, ""], ids=repr)
def test_stream_carries_its_requests_id_with_its_type(fresh: Server, id_: object) -> None:
    acknowledged = fresh.ask(listen(id_, toolsListChanged=True, resourceSubscriptions=["a:b"]))
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    fresh.send(set_visible("change", "tools", "stuck", False), call("touch", "touch", {"uri": "a:b"}))
    received = [acknowledged, *(fresh.receive() for _ in range(4)), *fresh.rest()]
    notifications = [message for message in received if "method" in message]
    assert len(notifications) == 4  # the last one says that the server stops
    for message in notifications[:3]:
        assert repr(message["params"]["_meta"][SUBSCRIPTION]) == repr(id_)
    assert repr(notifications[3]["params"]["requestId"]) == repr(id_)


def test_acknowledgement_leaves_out_what_is_not_honoured(server: Server) -> None:
    reply = server.ask(listen("u", toolsListChanged=True, taskIds=["x"], rootsListChanged=True))
    assert reply["params"]["notifications"] == {"toolsListChanged": True}
    server.send(cancel("u"))
    quick(server)


def test_acknowledgement_comes_first_on_every_stream(fresh: Server) -> None:
    done = threading.Event()

    def change() -> None:
        for n in range(100):
            fresh.send(set_visible(f"c{n}", "tools", "stuck", bool(n % 2)))
        done.set()

    changing = threading.Thread(target=change)
    changing.start()
    for n in range(100):
        fresh.send(listen(n, toolsListChanged=True))
    changing.join()
    seen: set[Any] = set()
    answered = 0
    while answered < 100 or len(seen) < 100:
        message = fresh.receive()
        if "method" not in message:
            answered += 1
        elif message["method"] == "notifications/subscriptions/acknowledged":
            seen.add(message["params"]["_meta"][SUBSCRIPTION])
        else:
            assert message["params"]["_meta"][SUBSCRIPTION] in seen


@pytest.mark.parametrize("how", ["signal", "end of input", "cancelled by the client"])
def test_stream_ended_by_the_server_is_answered_and_then_cancelled(fresh: Server, how: str) -> None:
    fresh.ask(listen(5, toolsListChanged=True))
    if how == "signal":
        fresh.process.send_signal(signal.SIGTERM)
        received = [fresh.receive(), fresh.receive()]
    else:
        if how == "cancelled by the client":
            fresh.send(cancel(5))
        received = fresh.rest()
    if how == "cancelled by the client":
        assert received == []
    else:
        reply, cancelled = received
        assert (reply["id"], reply["result"]["resultType"]) == (5, "complete")
        assert reply["result"]["_meta"][SUBSCRIPTION] == 5
        assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", 5)
    assert fresh.wait() == 0


# The end


@pytest.mark.parametrize("busy", ["idle", "in flight", "stuck", "stream", "asked"])
def test_end_of_input_ends_the_server(source: Path, busy: str) -> None:
    with Server(source, MODULE) as server:
        quick(server)
        if busy == "in flight":
            server.send(call(1, "slow", {"seconds": 30}))
        elif busy == "stuck":
            server.send(call(1, "stuck"))
        elif busy == "stream":
            server.ask(listen(1, toolsListChanged=True))
        elif busy == "asked":
            assert asked(server.ask(able(call(1, "ask_form"))))
        began = time.monotonic()
        server.end_input()
        assert server.wait() == 0
        assert time.monotonic() - began < 2.5


def test_errors_of_every_kind_leave_streams_alone(fresh: Server) -> None:
    fresh.ask(listen("s", toolsListChanged=True))
    for message, code in ((call(1, "missing"), -32602), (read(2, "rules://fails"), -32603), (prompt(3, "no"), -32602)):
        assert code_of(fresh.ask(message)) == code
    fresh.send(set_visible("c", "tools", "stuck", False))
    assert fresh.receive()["method"] == "notifications/tools/list_changed"
