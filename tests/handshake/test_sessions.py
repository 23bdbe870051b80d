"""Sessions of the handshake era: how one begins, what it serves in each revision, and how it stands beside the modern era."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handshake.hosts import ALL, HANDSHAKES, PROTOCOL, Host, initialize, notification, plain
from servers import META, Server, call, make_project, request

MANIFEST = f"""\
toolmint: 1
{PROTOCOL}
server:
  name: both
  title: Both eras
  version: 0.1.0
  description: Speaks to everybody.
  websiteUrl: https://example.com/
  icons: [{{src: "https://example.com/icon.png", mimeType: image/png}}]
  instructions: Call what you like.
defaults: {{pageSize: 9, ttlMs: 1000}}
$defs:
  Point:
    type: object
    properties: {{x: {{type: number}}, y: {{type: number}}}}
    required: [x, y]
    additionalProperties: false
tools:
  - name: add
    title: Add
    description: Adds.
    annotations: {{readOnlyHint: true}}
    icons: [{{src: "https://example.com/add.png"}}]
    inputSchema:
      type: object
      properties: {{a: {{type: number}}, b: {{type: number}}, anything: true}}
      required: [a, b]
    outputSchema: {{type: number}}
  - name: mirror
    description: Mirrors a point.
    inputSchema: {{type: object, properties: {{point: {{$ref: "#/$defs/Point"}}}}, required: [point]}}
    outputSchema: {{$ref: "#/$defs/Point"}}
  - {{name: blocks, description: Returns every kind of content.}}
  - {{name: full, description: Says everything itself., outputSchema: {{type: array, items: {{type: integer}}}}}}
  - {{name: tell, description: Tells how far it is and logs.}}
  - {{name: about, description: Tells what it knows of the client.}}
  - {{name: slow, description: Runs until it is cancelled., x-toolmint: {{timeoutMs: 500}}}}
  - {{name: slow_async, description: Runs until it is cancelled.}}
  - {{name: hide, description: Hides a tool and shows it again.}}
  - {{name: touch, description: Changes a resource.}}
  - {{name: fails, description: Fails., x-toolmint: {{aliases: [failed]}}}}
prompts:
  - name: greet
    title: Greet
    description: Greets somebody.
    arguments: [{{name: name, title: Name, description: Whom., required: true, complete: [Ada, Alan, Grace]}}]
    messages: [{{role: user, content: "Greet {{{{name}}}}"}}]
  - name: media
    description: Shows a sound and a link.
    messages:
      - {{role: user, content: {{type: audio, data: UklGRg==, mimeType: audio/wav}}}}
      - {{role: user, content: {{type: resource_link, uri: "notes://1", name: note, title: A note}}}}
  - {{name: written, description: Written by a handler.}}
resources:
  - {{uri: "notes://fixed", name: fixed, title: Fixed, text: Hello, mimeType: text/plain, annotations: {{priority: 1}}}}
  - {{uri: "notes://handled", name: handled, description: By a handler.}}
resourceTemplates:
  - {{uriTemplate: "notes://by/{{id}}", name: note, title: Note, complete: {{id: [one, two]}}}}
"""
HANDLERS = {
    "add": "def add(args, ctx): return args.a + args.b",
    "mirror": "from both_mcp.api import Point\ndef mirror(args, ctx): return Point(x=-args.point.x, y=-args.point.y)",
    "blocks": """
from both_mcp.api import Annotations, Icon, audio, embedded_text, image, resource_link, text

def blocks(args, ctx):
    hints = Annotations(audience=["user"], priority=0.5, last_modified="2026-07-28T00:00:00Z")
    return [
        text("plain", annotations=hints, meta={"example.com/key": 1}),
        image(b"\\x89PNG\\r\\n\\x1a\\n"),
        audio(b"RIFF\\x00\\x00\\x00\\x00WAVE"),
        resource_link("notes://fixed", "fixed", title="Fixed", description="What it is", mime_type="text/plain",
                      size=5, icons=[Icon("https://example.com/i.png")], annotations=hints),
        embedded_text("notes://fixed", "Hello"),
    ]
""",
    "full": """
from both_mcp.api import ToolResult
def full(args, ctx): return ToolResult("three", structured=[1, 2], meta={"example.com/key": 2})
""",
    "tell": """
import time
def tell(args, ctx):
    ctx.progress(1, 2, "half")
    time.sleep(0.03)
    ctx.progress(2, 2)
    for level in ("debug", "info", "error"):
        ctx.log(level, {"level": level})
    return "told"
""",
    "about": """
import json
def about(args, ctx):
    return json.dumps([ctx.revision, ctx.client_info, ctx.client_capabilities, ctx.can_elicit(), ctx.can_elicit("url"),
                       ctx.can_sample, ctx.can_list_roots, ctx.traceparent])
""",
    "slow": """
import time
def slow(args, ctx):
    while not ctx.cancelled:
        time.sleep(0.005)
    print("slow has ended", flush=True)
""",
    "slow_async": """
import asyncio
async def slow_async(args, ctx):
    try:
        await asyncio.sleep(60)
    finally:
        print("slow_async has ended", flush=True)
""",
    "hide": """
def hide(args, ctx):
    ctx.server.hide("tools", "mirror")
    ctx.server.hide("prompts", "greet")
    return "hidden"
""",
    "touch": """
def touch(args, ctx):
    ctx.server.resource_updated("notes://fixed")
    ctx.server.resource_updated("notes://by/one")
    return "touched"
""",
    "fails": """
from both_mcp.api import ToolError
def fails(args, ctx): raise ToolError("try the other one")
""",
    "../prompts/written": """
from both_mcp.api import assistant, audio, user
def written(args, ctx): return [user(audio(b"RIFF\\x00\\x00\\x00\\x00WAVE")), assistant("Yes")]
""",
    "../resources/handled": """
from both_mcp.api import ResourceContents
def handled(args, ctx): return [ResourceContents("a", meta={"example.com/k": 1}), b"\\x00\\x01"]
""",
    "../resources/note": """
from both_mcp.api import ResourceNotFound
def note(args, ctx):
    if args.id == "none":
        raise ResourceNotFound
    return f"note {args.id}"
""",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("both"), MANIFEST, HANDLERS)


@pytest.fixture(params=HANDSHAKES)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def host(source: Path, revision: str) -> Iterator[Host]:
    with Host(source, "both_mcp", revision) as one:
        yield one


def later(revision: str, than: str) -> bool:
    return revision >= than


def test_initialize_introduces_the_server_in_the_terms_of_the_revision(host: Host, revision: str) -> None:
    told = host.introduction
    assert told["protocolVersion"] == revision
    assert told["instructions"] == "Call what you like."
    assert told["capabilities"] == {
        "logging": {},
        "tools": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "prompts": {"listChanged": True},
        **({"completions": {}} if later(revision, "2025-03-26") else {}),
    }
    members = {"name", "version"}
    members |= {"title"} if later(revision, "2025-06-18") else set()
    members |= {"description", "websiteUrl", "icons"} if later(revision, "2025-11-25") else set()
    assert set(told["serverInfo"]) == members


@pytest.mark.parametrize("asked", ["2026-07-28", "2099-01-01", "1.0.0", ""])
def test_an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake(source: Path, asked: str) -> None:
    with Server(source, "both_mcp") as server:
        assert server.ask(initialize(1, asked))["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"protocolVersion": "2025-11-25", "capabilities": {}},
        {"protocolVersion": 1, "capabilities": {}, "clientInfo": {"name": "n", "version": "v"}},
        {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": {"name": "n", "version": "v"}},
        {"protocolVersion": "2025-11-25", "capabilities": {"roots": 1}, "clientInfo": {"name": "n", "version": "v"}},
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "n"}},
    ],
)
def test_a_faulty_initialize_opens_nothing(source: Path, params: Any) -> None:
    with Server(source, "both_mcp") as server:
        faulty = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        assert server.ask(faulty)["error"]["code"] == -32602
        assert server.ask(plain(2, "tools/list"))["error"]["code"] == -32602
        assert "result" in server.ask(initialize(3, "2025-06-18"))
        assert "result" in server.ask(plain(4, "tools/list"))


def test_before_initialize_only_ping_is_answered(source: Path, revision: str) -> None:
    with Server(source, "both_mcp") as server:
        assert server.ask(plain(1, "tools/list"))["error"]["code"] == -32602
        server.send(notification("notifications/initialized"))
        assert server.ask(plain("p", "ping")) == {"jsonrpc": "2.0", "id": "p", "result": {}}
        assert server.ask(plain(2, "tools/call", name="add", arguments={"a": 1, "b": 2}))["error"]["code"] == -32602
        assert server.ask(plain(3, "logging/setLevel", level="debug"))["error"]["code"] == -32601
        assert server.ask(plain(1.5, "ping"))["error"]["code"] == -32600
        assert "result" in server.ask(initialize(4, revision))
        assert server.ask(plain(5, "ping"))["result"] == {}


def test_a_second_initialize_is_refused_and_changes_nothing(host: Host, revision: str) -> None:
    other = next(name for name in HANDSHAKES if name != revision)
    error = host.ask(initialize(9, other))["error"]
    assert error["code"] == -32600
    assert revision in error["message"]
    assert json.loads(host.call("about")["content"][0]["text"])[0] == revision


def test_modern_only_server_still_refuses_initialize(tmp_path: Path) -> None:
    manifest = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: new, version: 0.1.0}\ntools: [{name: t, description: T.}]\n'
    source = make_project(tmp_path, manifest)
    assert not (source / "new_mcp" / "handshake.py").exists()
    assert not (source / "new_mcp" / "runtime" / "handshake").exists()
    with Server(source, "new_mcp") as server:
        error = server.ask(initialize(1, "2025-11-25"))["error"]
        assert error["code"] == -32601
        assert "2026-07-28" in error["message"]
        assert server.ask(plain(2, "ping"))["error"]["code"] == -32601


def test_discovery_and_version_errors_name_modern_revisions_only(host: Host) -> None:
    assert host.ask(request(1, "server/discover"))["result"]["supportedVersions"] == ["2026-07-28"]
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "2025-11-25"}
    error = host.ask(request(2, "tools/list", meta))["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    modern = host.ask(request(3, "initialize"))["error"]
    assert modern["code"] == -32601


def test_both_eras_are_interleaved(host: Host) -> None:
    for number in range(3):
        modern = host.ask(call(f"m{number}", "add", {"a": number, "b": 1}))["result"]
        assert modern["resultType"] == "complete"
        assert modern["structuredContent"] == number + 1
        earlier = host.call("add", {"a": number, "b": 1})
        assert earlier == {"content": [{"type": "text", "text": str(number + 1)}]}
    assert host.ask(request("l", "tools/list"))["result"]["ttlMs"] == 1000


def test_ids_are_shared_by_the_eras(host: Host) -> None:
    host.send(call("same", "slow_async"))
    assert host.ask(plain("same", "tools/call", name="add", arguments={"a": 1, "b": 1}))["error"]["code"] == -32600
    host.send(notification("notifications/cancelled", requestId="same"))
    host.await_stderr("slow_async has ended")
    assert host.ask(plain("same", "ping"))["result"] == {}


def test_lists_hold_what_the_revision_knows(host: Host, revision: str) -> None:
    first = host.request("tools/list")
    assert len(first["tools"]) == 9
    rest = host.request("tools/list", cursor=first["nextCursor"])
    tools = {tool["name"]: tool for tool in first["tools"] + rest["tools"]}
    assert list(tools)[:3] == ["add", "mirror", "blocks"]
    add = tools["add"]
    assert ("title" in add) == later(revision, "2025-06-18")
    assert ("icons" in add) == later(revision, "2025-11-25")
    assert ("annotations" in add) == later(revision, "2025-03-26")
    assert "outputSchema" not in add, "its root is no object"
    assert add["inputSchema"]["properties"]["anything"] == {}
    assert ("outputSchema" in tools["mirror"]) == later(revision, "2025-06-18")
    assert tools["mirror"]["inputSchema"]["$defs"]["Point"]["required"] == ["x", "y"]
    assert host.error("tools/list", cursor="nonsense")["code"] == -32602

    (greet, *_) = host.request("prompts/list")["prompts"]
    assert greet["arguments"][0]["required"] is True
    assert ("title" in greet) == ("title" in greet["arguments"][0]) == later(revision, "2025-06-18")
    fixed, handled = host.request("resources/list")["resources"]
    assert fixed["annotations"] == {"priority": 1}
    assert ("title" in fixed) == later(revision, "2025-06-18")
    assert handled["uri"] == "notes://handled"
    (template,) = host.request("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "notes://by/{id}"


def test_structured_results_are_shown_where_they_may_be(host: Host, revision: str) -> None:
    mirrored = host.call("mirror", {"point": {"x": 1, "y": 2}})
    assert json.loads(mirrored["content"][0]["text"]) == {"x": -1, "y": -2}
    shown = {"x": -1, "y": -2} if later(revision, "2025-06-18") else None
    assert mirrored.get("structuredContent") == shown
    assert host.call("full") == {"content": [{"type": "text", "text": "three"}], "_meta": {"example.com/key": 2}}


def test_content_is_left_out_or_replaced(host: Host, revision: str) -> None:
    text, image, audio, link, embedded = host.call("blocks")["content"]
    assert (text["type"], image["type"], embedded["type"]) == ("text", "image", "resource")
    assert text["annotations"]["audience"] == ["user"]
    assert ("lastModified" in text["annotations"]) == later(revision, "2025-06-18")
    assert ("_meta" in text) == later(revision, "2025-06-18")
    if later(revision, "2025-03-26"):
        assert audio["type"] == "audio"
    else:
        assert audio["resource"]["mimeType"] == "audio/wav"
        assert audio["resource"]["blob"] == "UklGRgAAAABXQVZF"
    if later(revision, "2025-06-18"):
        assert link["uri"] == "notes://fixed"
        assert ("icons" in link) == later(revision, "2025-11-25")
    else:
        assert link["text"] == "Fixed: notes://fixed (text/plain)\nWhat it is"


def test_errors_of_tools(host: Host) -> None:
    assert host.call("fails") == {"content": [{"type": "text", "text": "try the other one"}], "isError": True}
    assert host.call("failed")["isError"]
    wrong = host.call("add", {"a": "x", "b": 1})
    assert wrong["isError"]
    assert "/a: expected a number" in wrong["content"][0]["text"]
    assert host.error("tools/call", name="nothing")["code"] == -32602
    assert host.error("tools/call")["code"] == -32602
    assert host.error("tools/call", name="add", arguments=[1])["code"] == -32602
    assert host.error("sampling/createMessage")["code"] == -32601
    assert host.error("server/discover")["code"] == -32601
    assert host.error("subscriptions/listen", notifications={})["code"] == -32601


def test_prompts(host: Host, revision: str) -> None:
    greeting = host.request("prompts/get", name="greet", arguments={"name": 'A "B"'})
    assert greeting["messages"] == [{"role": "user", "content": {"type": "text", "text": 'Greet A "B"'}}]
    assert host.error("prompts/get", name="greet")["code"] == -32602
    assert host.error("prompts/get", name="greet", arguments={"name": 1})["code"] == -32602
    assert host.error("prompts/get", name="none")["code"] == -32602
    sound, link = (message["content"] for message in host.request("prompts/get", name="media")["messages"])
    assert sound["type"] == ("audio" if later(revision, "2025-03-26") else "resource")
    assert link["type"] == ("resource_link" if later(revision, "2025-06-18") else "text")
    written = host.request("prompts/get", name="written")["messages"]
    assert written[0]["content"]["type"] == sound["type"]
    assert written[1] == {"role": "assistant", "content": {"type": "text", "text": "Yes"}}


def test_resources(host: Host, revision: str) -> None:
    fixed = host.request("resources/read", uri="notes://fixed")
    assert fixed == {"contents": [{"uri": "notes://fixed", "mimeType": "text/plain", "text": "Hello"}]}
    text, data = host.request("resources/read", uri="notes://handled")["contents"]
    assert text["text"] == "a"
    assert ("_meta" in text) == later(revision, "2025-06-18")
    assert data["blob"] == "AAE="
    assert host.request("resources/read", uri="notes://by/one")["contents"][0]["text"] == "note one"
    for uri in ("notes://none", "notes://by/none"):
        error = host.error("resources/read", uri=uri)
        assert (error["code"], error["data"]) == (-32002, {"uri": uri})


def test_completion(host: Host) -> None:
    prompt = {"type": "ref/prompt", "name": "greet"}
    found = host.request("completion/complete", ref=prompt, argument={"name": "name", "value": "a"})["completion"]
    assert found == {"values": ["Ada", "Alan", "Grace"], "total": 3, "hasMore": False}
    template = {"type": "ref/resource", "uri": "notes://by/{id}"}
    found = host.request("completion/complete", ref=template, argument={"name": "id", "value": "tw"})["completion"]
    assert found["values"] == ["two"]
    assert host.error("completion/complete", ref=prompt, argument={"name": "x", "value": ""})["code"] == -32602
    assert host.error("completion/complete", ref=prompt)["code"] == -32602


def test_members_of_params_that_the_revision_does_not_know_mean_nothing(host: Host) -> None:
    told = host.call("tell", inputResponses={"a": 1}, requestState="forged", task={})
    assert told["content"][0]["text"] == "told"


def test_progress_and_log_messages(host: Host, revision: str) -> None:
    host.call("tell", _meta={"progressToken": "p"})
    progress = [one["params"] for one in host.notified if one["method"] == "notifications/progress"]
    half = {"progressToken": "p", "progress": 1, "total": 2}
    assert progress == [half | ({"message": "half"} if later(revision, "2025-03-26") else {}), {**half, "progress": 2}]

    def levels() -> list[str]:
        logged = [one["params"]["level"] for one in host.notified if one["method"] == "notifications/message"]
        host.notified.clear()
        return logged

    assert levels() == ["info", "error"], "what is sent before the client has said anything"
    assert host.request("logging/setLevel", level="debug") == {}
    host.call("tell")
    assert levels() == ["debug", "info", "error"]
    assert host.request("logging/setLevel", level="emergency") == {}
    host.call("tell")
    assert levels() == []
    assert host.error("logging/setLevel", level="loud")["code"] == -32602


def test_handlers_are_told_of_the_client(host: Host, revision: str) -> None:
    about = json.loads(host.call("about", _meta={"traceparent": "00-1-2-3"})["content"][0]["text"])
    assert about[:2] == [revision, {"name": "host", "version": "1"}]
    assert about[3:] == [
        later(revision, "2025-06-18"), later(revision, "2025-11-25"), True, True, "00-1-2-3",
    ]  # fmt: skip


def test_cancellation_and_timeouts(host: Host) -> None:
    host.send(plain("c", "tools/call", name="slow_async", arguments={}))
    host.send(notification("notifications/cancelled", requestId="c", reason="no"))
    host.await_stderr("slow_async has ended")
    late = host.call("slow")
    assert late["isError"]
    assert "did not finish within 0.5 s" in late["content"][0]["text"]
    host.await_stderr("slow has ended")
    assert host.request("ping") == {}


def test_news_of_lists(source: Path, revision: str) -> None:
    with Host(source, "both_mcp", revision) as host:
        host.call("hide")
        news = [one["method"] for one in host.notified]
        assert news == ["notifications/tools/list_changed", "notifications/prompts/list_changed"]
        assert "mirror" not in [tool["name"] for tool in host.request("tools/list")["tools"]]
        assert host.error("tools/call", name="mirror")["code"] == -32602
        assert host.error("prompts/get", name="greet", arguments={"name": "x"})["code"] == -32602


def test_news_of_resources_for_subscribers(host: Host) -> None:
    host.call("touch")
    assert host.notified == []
    assert host.request("resources/subscribe", uri="notes://fixed") == {}
    assert host.request("resources/subscribe", uri="notes://by/one") == {}
    host.call("touch")
    assert [one["params"] for one in host.notified] == [{"uri": "notes://fixed"}, {"uri": "notes://by/one"}]
    assert host.request("resources/unsubscribe", uri="notes://fixed") == {}
    host.notified.clear()
    host.call("touch")
    assert [one["params"] for one in host.notified] == [{"uri": "notes://by/one"}]
    assert host.error("resources/subscribe", uri="notes://none")["code"] == -32002
    assert host.error("resources/subscribe")["code"] == -32602


def test_news_waits_until_the_client_is_initialized(source: Path) -> None:
    with Server(source, "both_mcp") as server:
        server.ask(initialize(1, "2025-11-25"))
        assert server.ask(plain(2, "tools/call", name="hide"))["result"]["content"][0]["text"] == "hidden"
        assert server.ask(notification("notifications/initialized"))["method"] == "notifications/tools/list_changed"
        assert server.receive()["method"] == "notifications/prompts/list_changed"


def test_a_modern_stream_and_a_session_get_the_same_news(host: Host) -> None:
    host.send(request("s", "subscriptions/listen", notifications={"toolsListChanged": True}))
    host.receive()
    host.send(plain("h", "tools/call", name="hide"))
    messages = [host.receive() for _ in range(4)]
    news = [one for one in messages if one.get("method") == "notifications/tools/list_changed"]
    assert sorted("_meta" in one.get("params", {}) for one in news) == [False, True]


def test_envelopes(host: Host, revision: str) -> None:
    assert host.ask(b"{\n")["error"]["code"] == -32700
    assert host.ask({"id": 1, "method": "ping"})["error"]["code"] == -32600
    assert host.ask({"jsonrpc": "2.0", "id": 1})["error"]["code"] == -32600
    assert host.ask({"jsonrpc": "2.0", "id": 1, "method": 5})["error"]["code"] == -32600
    assert host.ask({"jsonrpc": "2.0", "id": None, "method": "ping"})["error"]["code"] == -32600
    assert host.ask({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None})["error"]["code"] == -32602
    host.send(
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": "x", "error": {"code": -1, "message": "no"}},
        {"jsonrpc": "2.0", "id": None, "result": {}},
        {"jsonrpc": "2.0", "result": {}},
        notification("notifications/unknown"),
        notification("notifications/cancelled", requestId=[1]),
        notification("tools/call", name="add"),
    )
    assert host.request("ping") == {}
    if revision != "2025-03-26":
        assert host.ask([plain(1, "ping")])["error"]["code"] == -32600


def test_batches(source: Path) -> None:
    with Host(source, "both_mcp", "2025-03-26") as host:
        answers = host.ask(
            [
                plain(1, "ping"),
                notification("notifications/unknown"),
                plain(2, "tools/call", name="add", arguments={"a": 1, "b": 2}),
                plain(3, "nothing"),
                initialize(4, "2025-03-26"),
                request(5, "tools/list"),
                [],
                7,
                plain(6, "tools/call", name="slow"),
            ]
        )
        assert isinstance(answers, list)
        by_id = {answer["id"]: answer for answer in answers}
        assert by_id[1]["result"] == {}
        assert by_id[2]["result"]["content"][0]["text"] == "3"
        assert by_id[3]["error"]["code"] == -32601
        assert by_id[4]["error"]["code"] == by_id[5]["error"]["code"] == -32600
        assert sum(answer["id"] is None for answer in answers) == 2
        assert by_id[6]["result"]["isError"], "its time is up"
        assert host.ask([])["error"]["code"] == -32600
        assert host.ask([plain(n, "ping") for n in range(257)])["error"]["code"] == -32600
        host.send([notification("notifications/unknown")], [{"jsonrpc": "2.0", "id": 1, "result": {}}])
        host.send([plain("x", "tools/call", name="slow_async"), plain("y", "ping")])
        time.sleep(0.1)
        host.send(notification("notifications/cancelled", requestId="x"))
        assert host.receive() == [{"jsonrpc": "2.0", "id": "y", "result": {}}]
        assert host.request("ping") == {}


def test_adapter_is_imported_by_the_first_initialize_only(source: Path) -> None:
    program = """
import sys, json
import both_mcp.dispatch as d
dispatcher = d.make_dispatcher()
def earlier(): return [name for name in sys.modules if "handshake" in name or "_20" in name and "2026" not in name]
for message in json.loads(sys.argv[1]):
    dispatcher.receive(message)
    print(message["method"], earlier())
"""
    messages = [
        request(1, "tools/list"),
        plain(2, "tools/list"),
        call(3, "add", {"a": 1, "b": 2}),
        request(4, "initialize"),
    ]
    lines = run(source, program, messages)
    assert all(line.endswith("[]") for line in lines[:3]), lines
    lines = run(source, program, [plain(1, "ping"), initialize(2, "2025-06-18")])
    assert lines[0].endswith("['both_mcp.runtime.handshake', 'both_mcp.runtime.handshake.eras']"), lines
    assert "_requests_2025_06_18" in lines[1]
    assert "2025_11_25" not in lines[1]
    assert "waiting" not in lines[1]


def test_asyncio_and_such_wait_until_they_are_needed(source: Path) -> None:
    program = """
import sys, json
import both_mcp.dispatch as d
dispatcher = d.make_dispatcher()
for message in json.loads(sys.argv[1]):
    dispatcher.receive(message)
print("\\n".join(sys.modules))
"""
    messages = [initialize(1, "2025-11-25"), notification("notifications/initialized"), plain(2, "tools/list")]
    modules = set(run(source, program, messages))
    assert modules & {"both_mcp.runtime.handshake.session"}
    late = modules & {"asyncio", "inspect", "typing", "pathlib", "hashlib", "uuid", "both_mcp.runtime.state"}
    assert not late


def run(source: Path, program: str, messages: Any) -> list[str]:
    command = [sys.executable, "-c", program, json.dumps(messages)]
    env = {"PYTHONPATH": str(source)}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout.splitlines()


def test_manifest_must_name_a_modern_revision(tmp_path: Path) -> None:
    from toolmint import commands

    (tmp_path / "tools.yaml").write_text(MANIFEST.replace(PROTOCOL, 'protocol: ["2025-11-25", "2025-06-18"]'))
    (problem,) = commands.generate(tmp_path / "tools.yaml").problems
    assert problem.code == "no-modern-revision"
    assert problem.line == 2


def test_init_names_all_revisions_newest_first(tmp_path: Path) -> None:
    from toolmint import commands

    commands.init(tmp_path / "new")
    text = (tmp_path / "new" / "tools.yaml").read_text()
    assert f"protocol: [{', '.join(json.dumps(name) for name in ALL)}]" in text
