"""Around the calls: subscriptions and changing lists, what handlers share, and middleware, over real pipes."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import Server, call, make_project, request

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: around, version: 0.1.0}
defaults: {pageSize: 2}
tools:
  - {name: hide, description: Hides a tool., inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}}
  - {name: show, description: Shows a tool., inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}}
  - {name: shared, description: Uses what is shared.}
  - {name: async_shared, description: Uses what is shared.}
  - {name: guarded, description: Is refused by the middleware.}
  - {name: fails, description: Fails; the middleware makes a result of it.}
  - {name: async_fails, description: Fails; the middleware makes a result of it.}
  - {name: plain, description: Says something.}
"""
PREAMBLE = "from around_mcp.api import Context, ToolError\n"
HANDLERS = {
    "hide": "ctx.server.hide('tools', args.name); return 'hidden'",
    "show": "ctx.server.show('tools', args.name); return 'shown'",
    "shared": "return ctx.shared(dict)['value']",
    "async_shared": "return ctx.shared(dict)['value']",
    "guarded": "return 'never'",
    "fails": "raise ToolError('failed')",
    "async_fails": "raise ToolError('failed')",
    "plain": "return 'secret plain'",
}
LIFESPAN = """
import os, sys, time
from collections.abc import Iterator
from pathlib import Path

def lifespan() -> Iterator[dict[str, str]]:
    if os.environ.get("SLOW"): time.sleep(0.5)
    marker = Path(os.environ["MARKER"])
    if not marker.exists():
        marker.write_text("tried")
        raise ConnectionError("no database at secret-host")
    yield {"value": "one connection"}
    print("cleaned up", file=sys.stderr)
"""
MIDDLEWARE = """
from collections.abc import Generator
from around_mcp.api import ToolError
from around_mcp.runtime.middleware import Call

def outer(call: Call) -> Generator[None, object, object]:
    call.context.log("info", f"outer before {call.kind} {call.name} {call.arguments!r}")
    try:
        result = yield
    except ToolError as error:
        return f"rescued: {error}"
    call.context.log("info", "outer after")
    return None

def inner(call: Call) -> Generator[None, object, object]:
    if call.name == "guarded":
        raise ToolError("not allowed")
    result = yield
    return result.replace("secret", "***") if isinstance(result, str) else None

MIDDLEWARE = [outer, inner]
"""


def project(folder: Path, **files: str) -> Path:
    handlers = {}
    for name, body in HANDLERS.items():
        kind = "async def" if name.startswith("async_") else "def"
        handlers[name] = f"{PREAMBLE}\n{kind} {name}(args, ctx: Context) -> object:\n    {body}\n"
    source = make_project(folder, MANIFEST, handlers)
    for name, text in files.items():
        (source / "around_mcp" / f"{name}.py").write_text(text, encoding="utf-8")
    return source


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def wrapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("wrapped"), middleware=MIDDLEWARE)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("lasting"), lifespan=LIFESPAN)


@pytest.fixture
def server(source: Path) -> Iterator[Server]:
    with Server(source, "around_mcp") as running:
        yield running


def text_of(reply: Any) -> str:
    return "".join(block["text"] for block in reply["result"]["content"])


def listen(id_: object, **wanted: Any) -> dict[str, Any]:
    return request(id_, "subscriptions/listen", notifications=wanted)


def names(server: Server) -> list[str]:
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = server.ask(request("list", "tools/list", **cursor))["result"]
        found += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            return found
        cursor = {"cursor": page["nextCursor"]}


SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


@pytest.mark.parametrize("id_", [7, "7", 0])
def test_stream_is_acknowledged_first_and_carries_only_what_was_asked_for(server: Server, id_: object) -> None:
    acknowledged = server.ask(
        listen(id_, toolsListChanged=True, promptsListChanged=True, resourceSubscriptions=["x:y"])
    )
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}  # it has no prompts and no resources
    assert acknowledged["params"]["_meta"] == {SUBSCRIPTION: id_}
    assert type(acknowledged["params"]["_meta"][SUBSCRIPTION]) is type(id_)
    server.send(call("hide", "hide", {"name": "plain"}))
    changed, reply = server.receive(), server.receive()
    assert changed["method"] == "notifications/tools/list_changed"
    assert changed["params"]["_meta"] == {SUBSCRIPTION: id_}
    assert text_of(reply) == "hidden"


def test_streams_have_filters_of_their_own(server: Server) -> None:
    server.send(listen(1, toolsListChanged=True), listen(2), listen("1", toolsListChanged=True))
    assert [server.receive()["params"]["notifications"] for _ in range(3)] == [
        {"toolsListChanged": True},
        {},
        {"toolsListChanged": True},
    ]
    server.send(call("hide", "hide", {"name": "plain"}))
    told = [server.receive()["params"]["_meta"][SUBSCRIPTION] for _ in range(2)]
    assert told == [1, "1"]
    assert text_of(server.receive()) == "hidden"


def test_client_ends_a_stream_by_cancelling_it(server: Server) -> None:
    server.ask(listen(1, toolsListChanged=True))
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    assert text_of(server.ask(call(2, "hide", {"name": "plain"}))) == "hidden"
    assert server.ask(listen(1, toolsListChanged=True))["params"]["_meta"] == {SUBSCRIPTION: 1}


@pytest.mark.parametrize("how", ["signal", "end of input"])
def test_server_ends_streams_gracefully(server: Server, how: str) -> None:
    server.ask(listen("s", toolsListChanged=True))
    if how == "signal":
        server.process.send_signal(signal.SIGTERM)
        messages = [server.receive(), server.receive()]
    else:
        messages = server.rest()
    result, cancelled = messages
    assert result["id"] == "s"
    assert result["result"]["resultType"] == "complete"
    assert result["result"]["_meta"][SUBSCRIPTION] == "s"
    assert "io.modelcontextprotocol/serverInfo" in result["result"]["_meta"]
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == "s"
    assert server.wait() == 0


def test_hidden_tool_is_neither_listed_nor_served_until_it_is_shown(server: Server) -> None:
    everything = names(server)
    server.ask(call(1, "hide", {"name": "plain"}))
    assert names(server) == [name for name in everything if name != "plain"]
    assert server.ask(call(2, "plain"))["error"]["code"] == -32602
    server.ask(call(3, "show", {"name": "plain"}))
    assert names(server) == everything
    assert text_of(server.ask(call(4, "plain"))) == "secret plain"


def test_cursor_is_stale_once_the_list_has_changed_and_survives_a_restart(server: Server, source: Path) -> None:
    cursor = server.ask(request(1, "tools/list"))["result"]["nextCursor"]
    with Server(source, "around_mcp") as another:
        assert another.ask(request(1, "tools/list", cursor=cursor))["result"]["tools"][0]["name"] == "shared"
    server.ask(call(2, "hide", {"name": "plain"}))
    assert server.ask(request(3, "tools/list", cursor=cursor))["error"]["code"] == -32602


def test_hiding_what_is_not_there_is_the_handlers_fault(server: Server) -> None:
    assert text_of(server.ask(call(1, "hide", {"name": "no such tool"}))) == "Error executing tool hide"
    assert "no such tool" in server.await_stderr("LookupError")


def test_shared_object_is_made_when_needed_retried_after_a_failure_and_cleaned_up(
    lasting: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    with Server(lasting, "around_mcp", env={"MARKER": str(marker), "SLOW": "1"}) as server:
        began = time.monotonic()
        server.ask(request(0, "server/discover"))
        assert time.monotonic() - began < 0.5
        failed = server.ask(call(1, "shared"))
        assert failed["result"]["isError"] is True
        assert "secret-host" not in json.dumps(failed)
        assert "not ready" in text_of(failed)
        assert "secret-host" in server.await_stderr("secret-host")
        assert text_of(server.ask(call(2, "shared"))) == "one connection"
        assert text_of(server.ask(call(3, "async_shared"))) == "one connection"
        server.rest()
        assert server.wait() == 0
        assert "cleaned up" in server.stderr()


def test_without_the_module_what_is_shared_cannot_be_had(server: Server) -> None:
    reply = server.ask(call(1, "shared"))
    assert reply["result"]["isError"] is True
    assert "around_mcp.lifespan" in server.await_stderr("lifespan")


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("plain", "*** plain"),
        ("guarded", "rescued: not allowed"),
        ("fails", "rescued: failed"),
        ("async_fails", "rescued: failed"),
    ],
)
def test_middleware_sees_refuses_and_changes_calls(wrapped: Path, tool: str, text: str) -> None:
    with Server(wrapped, "around_mcp") as server:
        assert text_of(server.ask(call(1, tool))) == text
        assert f"outer before tool {tool}" in server.await_stderr("outer before")


def test_middleware_that_cannot_be_loaded_lets_nobody_through(tmp_path: Path) -> None:
    source = project(tmp_path, middleware="import no_such_module\n")
    with Server(source, "around_mcp") as server:
        assert server.ask(call(1, "plain"))["result"]["isError"] is True
        server.await_stderr("no_such_module")
