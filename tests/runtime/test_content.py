"""What handlers of tools return becomes the right content, and anything else never reaches the wire."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol_schema import assert_valid
from servers import Server, call, make_project

MODULE = "content_mcp"
PNG = b"\x89PNG\r\n\x1a\n"
BLOB = base64.b64encode(b"\0\1").decode()

CONSTRUCTED = (
    "[text('t', annotations=Annotations(audience=['user'], priority=1, last_modified='2026-01-01T00:00:00Z'),"
    " meta={'a/b': 1}), image(b'GIF89a'), audio(FOLDER / 'a.png', 'audio/flac'),"
    " embedded_text('a:b', 'x'), embedded_blob('a:c', b'OggS'),"
    " resource_link('a:d', 'd', title='D', size=3, icons=[Icon('https://e.com/i.png', sizes=['any'])])]"
)

GOOD: dict[str, tuple[str, list[dict[str, Any]]]] = {
    # what a handler returns, and the content that comes of it
    "none": ("None", []),
    "text": ("'hi'", [{"type": "text", "text": "hi"}]),
    "texts": ("['a', 'b']", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    "number": ("7", [{"type": "text", "text": "7"}]),
    "an_object": ("{'a': 1}", [{"type": "text", "text": '{"a":1}'}]),
    "dataclass": ("ArgsInput(what='x')", [{"type": "text", "text": '{"what":"x"}'}]),
    "own_block": ("{'type': 'text', 'text': 'hi'}", [{"type": "text", "text": "hi"}]),
    "png": (f"{PNG!r}", [{"type": "image", "mimeType": "image/png", "data": base64.b64encode(PNG).decode()}]),
    "a_bytearray": ("bytearray(b'GIF89a')", [{"type": "image", "mimeType": "image/gif", "data": "R0lGODlh"}]),
    "wav": (
        "b'RIFF....WAVE'",
        [{"type": "audio", "mimeType": "audio/wav", "data": base64.b64encode(b"RIFF....WAVE").decode()}],
    ),
    "some_bytes": (
        "b'\\0\\1'",
        [
            {
                "type": "resource",
                "resource": {
                    "uri": "resource:///b413f47d13ee2fe6",
                    "mimeType": "application/octet-stream",
                    "blob": BLOB,
                },
            }
        ],
    ),
    "path_png": (
        "FOLDER / 'a.png'",
        [{"type": "image", "mimeType": "image/png", "data": base64.b64encode(PNG).decode()}],
    ),
    "path_text": ("FOLDER / 'a.md'", [{"type": "text", "text": "# é"}]),
    "path_bytes": (
        "FOLDER / 'a b.bin'",
        [
            {
                "type": "resource",
                "resource": {"uri": "resource:///a%20b.bin", "mimeType": "application/octet-stream", "blob": BLOB},
            }
        ],
    ),
    "path_no_text": (
        "FOLDER / 'wrong.md'",
        [
            {
                "type": "resource",
                "resource": {"uri": "resource:///wrong.md", "mimeType": "text/markdown", "blob": "6Q=="},
            }
        ],
    ),
    "constructed": (
        CONSTRUCTED,
        [
            {
                "type": "text",
                "text": "t",
                "annotations": {"audience": ["user"], "priority": 1, "lastModified": "2026-01-01T00:00:00Z"},
                "_meta": {"a/b": 1},
            },
            {"type": "image", "mimeType": "image/gif", "data": "R0lGODlh"},
            {"type": "audio", "mimeType": "audio/flac", "data": base64.b64encode(PNG).decode()},
            {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "x"}},
            {"type": "resource", "resource": {"uri": "a:c", "mimeType": "audio/ogg", "blob": "T2dnUw=="}},
            {
                "type": "resource_link",
                "uri": "a:d",
                "name": "d",
                "title": "D",
                "size": 3,
                "icons": [{"src": "https://e.com/i.png", "sizes": ["any"]}],
            },
        ],
    ),
    "untyped": (
        "{'type': 'resource', 'resource': {'uri': 'a:b', 'text': 'x'}}",
        [{"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "x"}}],
    ),
    "result": (
        "ToolResult(['a', b'GIF89a'], meta={'a/b': 1})",
        [
            {"type": "text", "text": "a"},
            {"type": "image", "mimeType": "image/gif", "data": "R0lGODlh"},
        ],
    ),
}

BAD: dict[str, tuple[str, str]] = {
    # what a handler returns, and what the log says of it
    "no_text": ("{'type': 'text'}", "text"),
    "unknown_type": ("{'type': 'video', 'data': 'AA=='}", "type"),
    "text_a_number": ("text(7)", "text"),
    "no_base64": ("{'type': 'image', 'data': 'not base64', 'mimeType': 'image/png'}", "/0/data: is not base64"),
    "text_and_blob": ("{'type': 'resource', 'resource': {'uri': 'a:b', 'text': 'x', 'blob': ''}}", "/0/resource/blob"),
    "no_media_type": ("['ok', {'type': 'image', 'data': 'AA==', 'mimeType': 'png'}]", "/1/mimeType"),
    "no_uri": ("embedded_text('no uri', 'x')", "uri"),
    "blob_no_base64": ("{'type': 'resource', 'resource': {'uri': 'a:b', 'blob': '?'}}", "/0/resource/blob"),
    "priority_too_high": ("text('x', annotations=Annotations(priority=2))", "priority"),
    "meta_a_list": ("text('x', meta=[1])", "meta"),
    "nan": ("[float('nan')]", "ValueError"),
    "a_set": ("[{1}]", "TypeError"),
    "cycle": ("CYCLE", "Error"),
    "unknown_image": ("image(b'??')", "no known format"),
    "image_that_is_audio": ("image(b'OggS')", "audio/ogg"),
    "missing_file": ("FOLDER / 'missing.txt'", "FileNotFoundError"),
    "folder": ("FOLDER", "IsADirectoryError"),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("content")
    files = folder / "data"
    files.mkdir()
    (files / "a.png").write_bytes(PNG)
    (files / "a.md").write_text("# é", encoding="utf-8")
    (files / "wrong.md").write_bytes(b"\xe9")
    (files / "a b.bin").write_bytes(b"\0\1")
    names = [*GOOD, *BAD]
    manifest = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: content, version: 0.1.0}\ntools:\n'
    manifest += "  - {name: args, inputSchema: {type: object, properties: {what: {type: string}}}}\n"
    manifest += "".join(f"  - {{name: {name}, description: Returns something.}}\n" for name in names)
    manifest += "  - {name: structured, outputSchema: {type: array, items: {type: string}}}\n"
    bodies = {name: expression for name, (expression, _) in (GOOD | BAD).items()}
    bodies["structured"] = "ToolResult(b'GIF89a', structured=['x'])"
    handlers = {
        name: (
            "from pathlib import Path\nfrom content_mcp.api import *\n"
            f"FOLDER = Path({str(files)!r})\nCYCLE: list[object] = []\nCYCLE.append(CYCLE)\n\n"
            f"def {name}(args: object, ctx: Context) -> object:\n    return {body}\n"
        )
        for name, body in bodies.items()
    }
    return make_project(folder, manifest, handlers)


@pytest.fixture(scope="module")
def server(source: Path) -> Iterator[Server]:
    with Server(source, MODULE) as running:
        yield running


@pytest.mark.parametrize("name", GOOD)
def test_content(server: Server, name: str) -> None:
    reply = server.ask(call(1, name))
    assert_valid(reply, "tools/call")
    assert "isError" not in reply["result"]
    assert reply["result"]["content"] == GOOD[name][1]


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_content_is_told_in_neutral_words_and_logged(server: Server, name: str) -> None:
    reply = server.ask(call(1, name))
    assert_valid(reply, "tools/call")
    assert reply["result"]["isError"] is True
    assert reply["result"]["content"] == [{"type": "text", "text": f"Error executing tool {name}"}]
    server.await_stderr(f"tool {name} failed")
    (line,) = [line for line in server.stderr().splitlines() if f"tool {name} failed" in line]
    assert BAD[name][1] in line


def test_content_beside_a_structured_result(server: Server) -> None:
    reply = server.ask(call(1, "structured"))
    assert_valid(reply, "tools/call")
    assert reply["result"]["structuredContent"] == ["x"]
    assert [block["type"] for block in reply["result"]["content"]] == ["image"]


def test_metadata_of_a_result_comes_beside_the_servers_own(server: Server) -> None:
    meta = server.ask(call(1, "result"))["result"]["_meta"]
    assert meta["a/b"] == 1
    assert "io.modelcontextprotocol/serverInfo" in meta


def test_checks_are_loaded_only_when_content_is_more_than_text(source: Path) -> None:
    program = (
        "import sys, content_mcp.dispatch as d\n"
        f"dispatch = d.make_dispatcher(); dispatch({call(1, 'text')!r})\n"
        "print('content_mcp.validators._content_2026_07_28' in sys.modules)\n"
        f"dispatch({call(1, 'png')!r})\n"
        "print('content_mcp.validators._content_2026_07_28' in sys.modules)\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["False", "True"]


USE = """\
from pathlib import Path
from content_mcp.api import Annotations, ContentBlock, Icon, PromptMessage, ResourceContents
from content_mcp.api import assistant, audio, embedded_blob, embedded_text, image, resource_link, text, user

hints = Annotations(audience=["user"], priority=0.5)
blocks: list[ContentBlock] = [
    text("x", annotations=hints),
    image(b""),
    image(Path("a")),
    audio(b"", "audio/x"),
    embedded_text("a:b", "x"),
    embedded_blob("a:b", b""),
    resource_link("a:b", "b", icons=[Icon("https://e")]),
]
messages: list[PromptMessage] = [user("x"), assistant(text("x")), user(b""), user(Path("a"))]
contents = ResourceContents(Path("a"), mime_type="a/b")
text(5)  # wrong
"""


def test_constructors_are_typed(tmp_path: Path, source: Path) -> None:
    (tmp_path / "use.py").write_text(USE)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--output", "json", str(tmp_path / "use.py")],
        env={"MYPYPATH": str(source), "PATH": "/usr/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    problems = [json.loads(line) for line in checked.stdout.splitlines()]
    found = [(problem["line"], problem["code"]) for problem in problems if problem["file"].endswith("use.py")]
    assert found == [(USE.splitlines().index("text(5)  # wrong") + 1, "arg-type")]
