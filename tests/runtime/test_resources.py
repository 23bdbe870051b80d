"""Resources and templates over real pipes: fixed, from files, and from handlers."""

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from protocol_schema import assert_valid
from servers import Server, make_project, request

MODULE = "store_mcp"
FAILED = "resource any://{+what} failed"
PNG = b"\x89PNG\r\n\x1a\n"

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: store, version: 0.1.0}
defaults: {ttlMs: 1000, cacheScope: public, pageSize: 4}
tools:
  - name: set_visible
    inputSchema: {type: object, properties: {uri: {type: string}, visible: {type: boolean}}, required: [uri, visible]}
  - name: touch
    inputSchema: {type: object, properties: {uri: {type: string}}, required: [uri]}
resources:
  - {uri: "doc://text", name: text, text: "Hello \\u2028 <é>", mimeType: text/html}
  - {uri: "doc://plain", name: plain, text: ""}
  - {uri: "doc://blob", name: blob, blob: iVBORw0KGgo=, mimeType: image/png,
     x-toolmint: {ttlMs: 7, cacheScope: private}}
  - {uri: "doc://file", name: file, file: guide/intro.md}
  - {uri: "doc://typed-file", name: typed file, file: data.bin, mimeType: application/x-ours}
  - {uri: "doc://picture", name: picture, file: picture}
  - {uri: "doc://live", name: live, description: What is live., mimeType: application/vnd.ours+json}
  - {uri: "doc://stub", name: stub}
  - {uri: "doc://slow", name: slow, x-toolmint: {timeoutMs: 150}}
  - {uri: "doc://slow-async", name: slow async, x-toolmint: {timeoutMs: 150}}
  - {uri: "doc://unimportable", name: unimportable}
resourceTemplates:
  - {uriTemplate: "item://{id}/{class}{?page}", name: item, mimeType: text/plain}
  - {uriTemplate: "tree:///{+path}", name: tree}
  - {uriTemplate: "any://{+what}", name: anything}
"""

HANDLERS = {
    "resources/live.py": (
        "from store_mcp.api import Context, ResourceInput\n"
        "def live(args: ResourceInput, ctx: Context) -> dict[str, str]:\n"
        "    return {'asked': args.uri}\n"
    ),
    "resources/slow.py": (
        "import time\nfrom store_mcp.api import Context, ResourceInput\n"
        "def slow(args: ResourceInput, ctx: Context) -> str:\n    time.sleep(1); return 'late'\n"
    ),
    "resources/slow_async.py": (
        "import asyncio\nfrom store_mcp.api import Context, ResourceInput\n"
        "async def slow_async(args: ResourceInput, ctx: Context) -> str:\n    await asyncio.sleep(60); return 'late'\n"
    ),
    "resources/unimportable.py": "import no_such_module_anywhere\n",
    "resources/item.py": (
        "from store_mcp.api import Context, ItemResourceInput\n"
        "async def item(args: ItemResourceInput, ctx: Context) -> str:\n"
        "    return repr((args.id, args.class_, args.page, args.uri))\n"
    ),
    "resources/tree.py": (
        "from pathlib import Path\nfrom store_mcp.api import Context, TreeResourceInput, safe_path\n"
        "def tree(args: TreeResourceInput, ctx: Context) -> Path:\n"
        "    return safe_path(Path(__file__).parent.parent / 'files', args.path)\n"
    ),
    "resources/anything.py": (
        "from pathlib import Path\nfrom store_mcp.api import *\n"
        "def anything(args: AnythingResourceInput, ctx: Context) -> object:\n"
        "    return eval(args.what)\n"
    ),
    "tools/set_visible.py": (
        "from store_mcp.api import Context, SetVisibleInput\n"
        "def set_visible(args: SetVisibleInput, ctx: Context) -> str:\n"
        "    (ctx.server.show if args.visible else ctx.server.hide)('resources', args.uri); return 'done'\n"
    ),
    "tools/touch.py": (
        "from store_mcp.api import Context, TouchInput\n"
        "def touch(args: TouchInput, ctx: Context) -> str:\n"
        "    ctx.server.resource_updated(args.uri); return 'done'\n"
    ),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    files = folder / "src" / MODULE / "files"
    (files / "guide").mkdir(parents=True)
    (files / "guide" / "intro.md").write_text("# é", encoding="utf-8")
    (files / "data.bin").write_bytes(b"\0\xff")
    (files / "picture").write_bytes(PNG)
    (folder / "secret.txt").write_text("secret")
    (files / "link.txt").symlink_to(folder / "secret.txt")
    source = make_project(folder, MANIFEST)
    for name, text in HANDLERS.items():
        (source / MODULE / name).write_text(text)
    return source


@pytest.fixture(scope="module")
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


@pytest.fixture
def fresh(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


def read(server: Server, uri: str, **more: Any) -> Any:
    reply = server.ask(request(1, "resources/read", uri=uri, **more))
    assert_valid(reply, "resources/read")
    return reply


def anything(server: Server, expression: str) -> Any:
    """Read a resource whose handler returns what an expression says."""
    return read(server, f"any://{quote(expression, safe='')}")


def assert_missing(server: Server, uri: str) -> None:
    reply = server.ask(request(1, "resources/read", uri=uri))
    assert_valid(reply)
    assert reply["error"]["code"] == -32602
    assert reply["error"]["data"] == {"uri": uri}


def test_capabilities_say_what_can_be_done(server: Server) -> None:
    capabilities = server.ask(request(1, "server/discover"))["result"]["capabilities"]
    assert capabilities["resources"] == {"listChanged": True, "subscribe": True}
    assert "prompts" not in capabilities
    assert "completions" not in capabilities
    for method in ("prompts/list", "prompts/get", "completion/complete"):
        assert server.ask(request(2, method))["error"]["code"] == -32601


def test_list_is_paged_in_the_order_of_the_manifest(server: Server) -> None:
    uris, cursor, pages = [], {}, 0
    while True:
        reply = server.ask(request(1, "resources/list", **cursor))
        assert_valid(reply, "resources/list")
        result = reply["result"]
        assert (result["ttlMs"], result["cacheScope"]) == (1000, "public")
        uris += [entry["uri"] for entry in result["resources"]]
        pages += 1
        if "nextCursor" not in result:
            break
        cursor = {"cursor": result["nextCursor"]}
    names = ["text", "plain", "blob", "file", "typed-file", "picture", "live", "stub", "slow", "slow-async"]
    assert uris == [f"doc://{name}" for name in [*names, "unimportable"]]
    assert pages == 3


def test_content_is_not_told_in_the_list(server: Server) -> None:
    entry = server.ask(request(1, "resources/list"))["result"]["resources"][0]
    assert entry == {"uri": "doc://text", "name": "text", "mimeType": "text/html"}


def test_templates_are_listed(server: Server) -> None:
    reply = server.ask(request(1, "resources/templates/list"))
    assert_valid(reply, "resources/templates/list")
    templates = [entry["uriTemplate"] for entry in reply["result"]["resourceTemplates"]]
    assert templates == ["item://{id}/{class}{?page}", "tree:///{+path}", "any://{+what}"]


def test_cursor_of_another_list_is_refused(server: Server) -> None:
    cursor = server.ask(request(1, "resources/list"))["result"]["nextCursor"]
    for method, given in (("resources/templates/list", cursor), ("resources/list", "x"), ("resources/list", "")):
        assert server.ask(request(1, method, cursor=given))["error"]["code"] == -32602
    with_cursor = request(1, "resources/list", cursor=cursor)
    assert server.ask(with_cursor) == server.ask(with_cursor)


@pytest.mark.parametrize(
    ("uri", "contents"),
    [
        ("doc://text", {"mimeType": "text/html", "text": "Hello \u2028 <é>"}),
        ("doc://plain", {"mimeType": "text/plain", "text": ""}),
        ("doc://blob", {"mimeType": "image/png", "blob": base64.b64encode(PNG).decode()}),
        ("doc://file", {"mimeType": "text/markdown", "text": "# é"}),
        ("doc://typed-file", {"mimeType": "application/x-ours", "blob": "AP8="}),
        ("doc://picture", {"mimeType": "image/png", "blob": base64.b64encode(PNG).decode()}),
        ("doc://live", {"mimeType": "application/vnd.ours+json", "text": '{"asked":"doc://live"}'}),
        ("tree:///guide/intro.md", {"mimeType": "text/markdown", "text": "# é"}),
        ("tree:///guide%2Fintro.md", {"mimeType": "text/markdown", "text": "# é"}),
        (
            "item://a%20b/c",
            {"mimeType": "text/plain", "text": repr(("a b", "c", None, "item://a%20b/c"))},
        ),
        (
            "item://1/c?page=2",
            {"mimeType": "text/plain", "text": repr(("1", "c", "2", "item://1/c?page=2"))},
        ),
    ],
)
def test_read(server: Server, uri: str, contents: dict[str, str]) -> None:
    result = read(server, uri)["result"]
    assert result["contents"] == [{"uri": uri, **contents}]
    private = uri == "doc://blob"
    assert (result["ttlMs"], result["cacheScope"]) == ((7, "private") if private else (1000, "public"))


@pytest.mark.parametrize("raw", ["item://é ñ/c", "item://é/c\ud800"])
def test_what_cannot_be_made_a_uri(server: Server, raw: str) -> None:
    assert_missing(server, raw)


def test_iri_is_taken_for_the_uri_it_stands_for(server: Server) -> None:
    (contents,) = read(server, "item://é/ñ")["result"]["contents"]
    assert contents["uri"] == "item://%C3%A9/%C3%B1"
    assert contents["text"] == repr(("é", "ñ", None, "item://%C3%A9/%C3%B1"))


def test_file_is_read_when_it_is_asked_for(server: Server, source: Path) -> None:
    path = source / MODULE / "files" / "guide" / "intro.md"
    before = path.read_text(encoding="utf-8")
    read(server, "doc://file")
    try:
        path.write_text("changed")
        assert read(server, "doc://file")["result"]["contents"][0]["text"] == "changed"
        path.write_bytes(b"\xe9")
        assert read(server, "doc://file")["result"]["contents"][0]["blob"] == "6Q=="
        path.unlink()
        assert_missing(server, "doc://file")
        path.symlink_to("/etc/passwd")
        assert_missing(server, "doc://file")
    finally:
        path.unlink()
        path.write_text(before, encoding="utf-8")


@pytest.mark.parametrize(
    ("expression", "contents"),
    [
        ("'text'", [{"mimeType": "text/plain", "text": "text"}]),
        ("b'GIF89a'", [{"mimeType": "image/gif", "blob": "R0lGODlh"}]),
        ("b'?'", [{"mimeType": "application/octet-stream", "blob": "Pw=="}]),
        ("[1, 'a']", [{"mimeType": "application/json", "text": '[1,"a"]'}]),
        ("[]", [{"mimeType": "application/json", "text": "[]"}]),
        ("{'a': None}", [{"mimeType": "application/json", "text": '{"a":null}'}]),
        ("SetVisibleInput(uri='a', visible=True)", [{"mimeType": "application/json", "text": None}]),
        ("[b'GIF89a', 'text']", [{"mimeType": "image/gif"}, {"mimeType": "text/plain", "text": "text"}]),
        (
            "[ResourceContents('a', uri='any://a', mime_type='text/x', meta={'a/b': 1}), ResourceContents(b'b')]",
            [
                {"uri": "any://a", "mimeType": "text/x", "text": "a", "_meta": {"a/b": 1}},
                {"mimeType": "application/octet-stream", "blob": "Yg=="},
            ],
        ),
        ("ResourceContents({'a': 1})", [{"mimeType": "application/json", "text": '{"a":1}'}]),
    ],
)
def test_what_a_handler_may_return(server: Server, expression: str, contents: list[dict[str, Any]]) -> None:
    reply = anything(server, expression)
    found = reply["result"]["contents"]
    assert len(found) == len(contents)
    for one, expected in zip(found, contents, strict=True):
        assert {key: one[key] for key in expected if expected[key] is not None}.items() <= expected.items()
        assert one["uri"] == expected.get("uri") or one["uri"].startswith("any://")


def test_result_with_hints_and_metadata_of_its_own(server: Server) -> None:
    result = anything(server, "ResourceResult('x', ttl_ms=5, cache_scope='private', meta={'a/b': 1})")["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (5, "private")
    assert result["_meta"]["a/b"] == 1
    assert "io.modelcontextprotocol/serverInfo" in result["_meta"]


def test_what_depends_on_answers_is_not_kept(server: Server) -> None:
    assert read(server, "doc://live", inputResponses={})["result"]["ttlMs"] == 0


@pytest.mark.parametrize(
    "expression",
    [
        "1/0",
        "None",
        "{1}",
        "[float('nan')]",
        "ResourceContents('x', uri='no uri')",
        "ResourceContents('x', mime_type='text')",
        "ResourceContents('x', meta=[1])",
        "ResourceResult('x', ttl_ms=-1)",
        "ResourceResult('x', ttl_ms=1.5)",
        "ResourceResult('x', cache_scope='everyone')",
        "ResourceContents(Path('/no/such/file'))",
        "(_ for _ in ()).throw(KeyboardInterrupt)",
    ],
)
def test_failure_is_told_in_neutral_words_and_logged(server: Server, expression: str) -> None:
    logged = server.stderr().count(FAILED)
    reply = anything(server, expression)
    assert reply["error"] == {"code": -32603, "message": "Internal error in the resource any://{+what}"}
    deadline = time.monotonic() + 5
    while server.stderr().count(FAILED) == logged:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_refusals_of_a_handler(fresh: Server) -> None:
    refuse = "(_ for _ in ()).throw({})".format
    reply = anything(fresh, refuse("ResourceNotFound('no such item')"))
    assert (reply["error"]["code"], reply["error"]["message"]) == (-32602, "no such item")
    assert reply["error"]["data"]["uri"].startswith("any://")
    reply = anything(fresh, refuse("InvalidParams('odd')"))
    assert reply["error"] == {"code": -32602, "message": "odd"}
    reply = anything(fresh, refuse("ToolError('try later')"))
    assert reply["error"] == {"code": -32603, "message": "try later"}
    assert "failed" not in fresh.stderr()


def test_stub_says_that_it_is_one(server: Server) -> None:
    assert read(server, "doc://stub")["error"]["message"] == "The resource doc://stub is not implemented yet"
    assert read(server, "doc://unimportable")["error"]["code"] == -32603


@pytest.mark.parametrize("uri", ["doc://slow", "doc://slow-async"])
def test_time_limit(server: Server, uri: str) -> None:
    reply = read(server, uri)
    assert reply["error"] == {"code": -32603, "message": f"The resource {uri} did not finish within 0.15 s"}
    assert read(server, "doc://plain")["result"]


def test_cancelled_read_is_not_answered(fresh: Server) -> None:
    fresh.send(request(5, "resources/read", uri="doc://slow-async"))
    fresh.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
    assert read(fresh, "doc://plain")["id"] == 1
    assert fresh.silent_for(0.3)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "no scheme",
        "doc://none",
        "DOC://text",
        "doc://text/",
        "doc://text\0",
        "item://1/%zz",
        "item://1/%00",
        "item://1/2/3",
        "item://1/2?other=1",
        "tree:///",
        "tree:///../secret.txt",
        "tree:///../../../secret.txt",
        "tree:///..%2F..%2F..%2Fsecret.txt",
        "tree:///%2e%2e/%2e%2e/%2e%2e/secret.txt",
        "tree:////etc/passwd",
        "tree:///%2Fetc%2Fpasswd",
        "tree:///..%5C..%5Csecret.txt",
        "tree:///..\\..\\secret.txt",
        "tree:///link.txt",
        "tree:///guide",
        "tree:///guide/intro.md%00.png",
        "tree:///" + "x" * 100_000,
        "tree:///" + "x" * 5_000,
    ],
)
def test_no_such_resource(server: Server, uri: str) -> None:
    assert_missing(server, uri)


@pytest.mark.parametrize("uri", [5, None, ["doc://text"], {}])
def test_uri_of_another_type(server: Server, uri: object) -> None:
    reply = server.ask(request(1, "resources/read", uri=uri))
    assert reply["error"]["code"] == -32602


def test_hidden_resource_is_unknown_until_it_is_shown(fresh: Server) -> None:
    fresh.send(request("listen", "subscriptions/listen", notifications={"resourcesListChanged": True}))
    assert_valid(fresh.receive())
    for visible in (False, True):
        fresh.send(request(2, "tools/call", name="set_visible", arguments={"uri": "doc://text", "visible": visible}))
        replies = [fresh.receive(), fresh.receive()]
        assert any(reply.get("method") == "notifications/resources/list_changed" for reply in replies)
        uris = [entry["uri"] for entry in fresh.ask(request(3, "resources/list"))["result"]["resources"]]
        assert ("doc://text" in uris) is visible
        if not visible:
            assert_missing(fresh, "doc://text")
    assert read(fresh, "doc://text")["result"]


def test_updates_are_told_to_who_asked(fresh: Server) -> None:
    fresh.send(request(9, "subscriptions/listen", notifications={"resourceSubscriptions": ["doc://live"]}))
    assert fresh.receive()["params"]["notifications"] == {"resourceSubscriptions": ["doc://live"]}
    fresh.send(request(2, "tools/call", name="touch", arguments={"uri": "doc://live"}))
    notification = next(message for message in (fresh.receive(), fresh.receive()) if "method" in message)
    assert_valid(notification)
    assert notification["params"]["uri"] == "doc://live"


def test_routes_are_loaded_when_first_needed(source: Path) -> None:
    program = (
        "import sys, json, store_mcp.dispatch as d\n"
        f"dispatch = d.make_dispatcher(); dispatch({request(1, 'resources/list')!r})\n"
        "print(json.dumps([name for name in sys.modules if name.startswith('store_mcp.')]))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(source)}
    printed = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("store_mcp.") for name in json.loads(printed.stdout)}
    assert not loaded & {
        "models",
        "routes",
        "routes.resources",
        "runtime.prompts",
        "runtime.completion",
        "runtime.content",
    }


def test_only_templates(tmp_path: Path) -> None:
    manifest = MANIFEST[: MANIFEST.index("tools:")] + 'resourceTemplates: [{uriTemplate: "a:{b}", name: b}]\n'
    with Server(make_project(tmp_path, manifest), MODULE) as server:
        reply = server.ask(request(1, "resources/list"))
        assert_valid(reply, "resources/list")
        assert reply["result"]["resources"] == []


def test_only_fixed_resources(tmp_path: Path) -> None:
    manifest = MANIFEST[: MANIFEST.index("tools:")] + 'resources: [{uri: "a:b", name: b, text: c}]\n'
    source = make_project(tmp_path, manifest)
    assert not (source / MODULE / "resources").exists()
    with Server(source, MODULE) as server:
        reply = server.ask(request(1, "resources/templates/list"))
        assert_valid(reply, "resources/templates/list")
        assert reply["result"]["resourceTemplates"] == []
        assert read(server, "a:b")["result"]["contents"][0]["text"] == "c"
