"""Requests stand alone: what each must say, what is made of it, and that nothing of it is remembered."""

import json
import re
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from servers import REVISION, Server, call, request
from specification.rules_server import MODULE
from specification.talking import (
    EVERYTHING,
    PREFIX,
    PROJECTS,
    able,
    asked,
    code_of,
    listen,
    open_project,
    quick,
    read,
    text_of,
    until_reply,
    with_meta,
)
from toolmint import commands


@pytest.mark.parametrize("name", PROJECTS)
def test_core_methods_are_there_on_every_server(name: str) -> None:
    with open_project(name) as server:
        for _ in range(2):
            result = server.ask(request("d", "server/discover"))["result"]
            assert result["supportedVersions"][0] == REVISION
            assert result["capabilities"]["tools"] == {"listChanged": True}
            server.ask(request("t", "tools/list"))
        old = with_meta(request(1, "server/discover"), **{PREFIX + "protocolVersion": "1900-01-01"})
        assert code_of(server.ask(old)) == -32022
        wanted: dict[str, Any] = {"toolsListChanged": True}
        for kind in ("prompts", "resources"):
            if result["capabilities"].get(kind, {}).get("listChanged"):
                wanted[f"{kind}ListChanged"] = True
        if result["capabilities"].get("resources", {}).get("subscribe"):
            wanted["resourceSubscriptions"] = ["a:b"]
        acknowledged = server.ask(listen("s", **wanted))
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == wanted


@pytest.mark.parametrize("drop", ["protocolVersion", "clientCapabilities", "clientInfo"])
def test_only_client_info_may_be_left_out(server: Server, drop: str) -> None:
    reply = server.ask(with_meta(request(1, "server/discover"), drop=drop))
    assert code_of(reply) == (None if drop == "clientInfo" else -32602)


@pytest.mark.parametrize("params", [{}, {"_meta": {}}, {"_meta": None}, None, [], "x"], ids=repr)
def test_request_without_metadata_is_refused(server: Server, params: object) -> None:
    assert code_of(server.ask({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params})) == -32602


@pytest.mark.parametrize("key", ["protocolVersion", "clientCapabilities", "clientInfo", "logLevel", "progressToken"])
@pytest.mark.parametrize("value", [5, [], "", {"sampling": 1}, {"name": 1}, None, True, 1.5], ids=repr)
def test_metadata_of_a_wrong_shape_is_refused_and_nothing_worse(server: Server, key: str, value: object) -> None:
    name = key if key == "progressToken" else PREFIX + key
    reply = server.ask(with_meta(call(1, "echo", {"value": "x"}), **{name: value}))
    fits = (key, value) in [("progressToken", 5), ("progressToken", "")]
    expected = -32022 if (key, value) == ("protocolVersion", "") else None if fits else -32602
    assert code_of(reply) == expected
    quick(server)


def test_nothing_is_remembered_between_requests(fresh: Server) -> None:
    first = fresh.ask(able(call(1, "ask_model")))
    assert asked(first)
    second = fresh.ask(call(2, "ask_model"))
    assert second["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}
    third = fresh.ask({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {}})
    assert code_of(third) == -32602


def test_interleaved_conversations_do_not_affect_each_other(fresh: Server) -> None:
    sent = []
    for n in range(50):
        info = {PREFIX + "clientInfo": {"name": f"client {n}", "version": "1"}}
        message = call(n, "ask_model") if n % 3 == 0 else call(n, "slow", {"seconds": 0.05}) if n % 3 == 1 else None
        message = message or call(n, "echo", {"value": f"for {n}"})
        sent.append(with_meta(message, capabilities=EVERYTHING if n % 2 else {}, **info))
    fresh.send(*sent)
    replies = {reply["id"]: reply for reply in (fresh.receive() for _ in sent)}
    assert len(replies) == 50
    for n, reply in replies.items():
        if n % 3 == 0:
            assert code_of(reply) == (None if n % 2 else -32021)
        else:
            assert text_of(reply) == ("slow" if n % 3 == 1 else f"for {n}")


@pytest.mark.parametrize(
    "message",
    [call("x", "echo", {"value": "x"}), call("x", "ask_form"), call("x", "missing")],
    ids=["ok", "asks", "no"],
)
def test_client_info_changes_nothing(server: Server, message: dict[str, Any]) -> None:
    infos = [{"name": "a", "version": "1"}, {"name": "admin", "version": "9"}]
    replies = [server.ask(with_meta(message, **{PREFIX + "clientInfo": info})) for info in infos]
    replies.append(server.ask(with_meta(message, drop="clientInfo")))
    assert len({json.dumps(reply) for reply in replies}) == 1


def test_credentials_come_from_the_environment(source: Path) -> None:
    with Server(source, MODULE, env={"RULES_SECRET": "a credential"}) as server:
        reply = server.ask(call(1, "uses_secret"))
        assert text_of(reply) == "12 characters"
        capabilities = server.ask(request(2, "server/discover"))["result"]["capabilities"]
        assert not re.search("token|401|oauth", json.dumps([reply, capabilities]), re.IGNORECASE)


def test_the_server_opens_no_socket(fresh: Server) -> None:
    quick(fresh)
    descriptors = Path(f"/proc/{fresh.process.pid}/fd")
    if not descriptors.is_dir():
        pytest.skip("there is no /proc to look into")
    assert not [link for link in descriptors.iterdir() if str(link.readlink()).startswith("socket:")]


PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_no_trace_context_is_sent_back(server: Server) -> None:
    trace = {"traceparent": PARENT, "tracestate": "a=1", "baggage": "b=2"}
    server.send(with_meta(call(1, "chatty", {"end": "return"}), progressToken=1, **trace))
    notifications, reply = until_reply(server)
    assert not re.search("traceparent|tracestate|baggage|0af765", json.dumps([*notifications, reply]))


# Extensions: this server has none, whatever its client has.


@pytest.mark.parametrize("name", PROJECTS)
def test_no_extension_is_offered(name: str) -> None:
    with open_project(name) as server:
        capabilities = server.ask(request(1, "server/discover"))["result"]["capabilities"]
        assert "extensions" not in capabilities
        assert "tasks" not in capabilities


TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.mark.parametrize("capabilities", [{}, TASKS, {"tasks": {"requests": {}}}], ids=["none", "extension", "old"])
def test_extension_of_the_client_alone_changes_nothing(server: Server, capabilities: dict[str, Any]) -> None:
    message = call(1, "slow", {"seconds": 0.02}, task={"ttl": 60000})
    reply = server.ask(with_meta(message, capabilities=capabilities))
    assert reply["result"]["resultType"] == "complete"
    assert text_of(reply) == "slow"


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"])
def test_methods_of_the_tasks_extension_are_unknown(server: Server, method: str) -> None:
    assert code_of(server.ask(with_meta(request(1, method, taskId="x"), capabilities=TASKS))) == -32601


# Schemas


@pytest.mark.parametrize(
    ("tool", "arguments", "fits"),
    [
        ("newer", {"pair": [1, "a"]}, True),
        ("newer", {"pair": [1, "a", 2]}, False),
        ("newer", {"pair": ["a", 1]}, False),
        ("newer", {"tree": {"label": 1, "left": {"label": 2}}}, True),
        ("newer", {"tree": {"label": 1, "left": {"left": {}}}}, False),
        ("newer", {"card": {"number": "1", "owner": "x"}}, True),
        ("newer", {"card": {"number": "1"}}, False),
        ("newer", {"closed": {"a": 1}}, True),
        ("newer", {"closed": {"a": 1, "b": 2}}, False),
        ("older", {"pair": [1, "a"]}, True),
        ("older", {"pair": [1, "a", 2]}, False),
        ("older", {"pair": ["a"]}, False),
    ],
)
def test_schema_is_judged_by_its_own_dialect(server: Server, tool: str, arguments: object, fits: bool) -> None:
    result = server.ask(call(1, tool, arguments))["result"]
    assert result.get("isError", False) is not fits


HEAD = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: bad, version: 0.1.0}\n'


def problems_of(folder: Path, schema: str) -> str:
    path = folder / "tools.yaml"
    path.write_text(f"{HEAD}tools:\n  - name: t\n    inputSchema: {schema}\n", encoding="utf-8")
    return "\n".join(map(str, commands.generate(path).problems))


def test_dialect_that_is_not_known_is_refused_by_name(tmp_path: Path) -> None:
    schema = '{$schema: "http://json-schema.org/draft-04/schema#", type: object}'
    problems = problems_of(tmp_path, schema)
    assert "draft-04" in problems
    assert "2020-12" in problems
    assert not (tmp_path / "src").exists()


def test_reference_to_the_network_is_refused_and_never_followed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/x.json"
        problems = problems_of(tmp_path, f'{{type: object, properties: {{a: {{$ref: "{url}"}}}}}}')
        assert url in problems
        assert not (tmp_path / "src").exists()
        with pytest.raises(TimeoutError):
            listening.accept()


def test_costly_arguments_are_judged_within_a_second(server: Server) -> None:
    nested: Any = "leaf"
    for _ in range(60):
        nested = [nested]
    began = time.monotonic()
    assert server.ask(call(1, "bushy", {"value": nested}))["result"]["isError"] is True
    assert time.monotonic() - began < 1
    began = time.monotonic()
    depth = 10_000
    line = json.dumps(call(2, "bushy", {"value": 0})).replace('"value": 0', f'"value": {"[" * depth}{"]" * depth}')
    assert code_of(server.ask(line.encode() + b"\n")) == -32700
    quick(server)
    assert time.monotonic() - began < 1


def test_error_messages_stay_short_whatever_is_wrong(server: Server) -> None:
    sent: list[Any] = [
        request(1, "m" * 5000),
        call(1, "t" * 5000),
        read(1, "u:" + "u" * 5000),
        request(1, "prompts/get", name="p" * 5000),
        request(1, "tools/call", name=5, arguments=5, cursor=5),
        request(1, "completion/complete", ref={"type": "x" * 500}, argument=5, context=5),
        with_meta(request(1, "tools/list"), **{PREFIX + "protocolVersion": "v" * 5000}),
        request(1, "tools/list", {PREFIX + key: 5 for key in ("protocolVersion", "clientInfo", "logLevel")}),
        request(1, "prompts/get", name="fixed", arguments={f"argument {n}": "x" for n in range(200)}),
        request(1, "prompts/get", name="fixed", arguments={f"argument {n}": 5 for n in range(200)}),
        {"jsonrpc": "2.0", "id": ["x" * 5000], "method": "x"},
        ["x" * 5000],
    ]
    for message in sent:
        error = server.ask(message)["error"]
        assert len(error["message"]) <= 250, error["message"]


def test_state_between_requests_has_a_handle_that_cannot_be_guessed() -> None:
    with open_project("contracts") as server:
        handles = [
            server.ask(call(n, "create_shortlist"))["result"]["structuredContent"]["shortlistId"] for n in range(300)
        ]
        assert server.ask(call("none", "read_shortlist"))["result"]["isError"] is True
        assert server.ask(call("wrong", "read_shortlist", {"shortlist_id": "x"}))["result"]["isError"] is True
    assert len(set(handles)) == 300
    assert min(map(len, handles)) * 6 >= 122  # each character holds six bits
    for place in range(10):
        assert len({handle[place] for handle in handles}) > 40


# Several eras of one process: whatever two clients do at once, each gets its own.


def test_requests_from_several_threads_of_a_client(fresh: Server) -> None:
    lock = threading.Lock()

    def ask(start: int) -> None:
        for n in range(start, start + 40):
            with lock:
                fresh.send(call(n, "echo", {"value": str(n)}))

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 40, 80)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((reply["id"], text_of(reply)) for reply in (fresh.receive() for _ in range(120))) == [
        (n, str(n)) for n in range(120)
    ]
