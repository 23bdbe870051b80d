"""A project moves to another revision of the protocol: added from its published schema, served, handlers untouched."""

import json
from pathlib import Path

import pytest

from reference import REFERENCE, needs_reference
from servers import META, Server, call, request
from toolmint import commands
from toolmint.assets import SCHEMAS
from toolmint.revision import known_revisions

REVISION, NEXT = "2026-07-28", "2027-03-01"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    assert not commands.init(tmp_path / "moving").problems
    path = tmp_path / "moving" / "tools.yaml"
    handler = path.parent / "src" / "moving_mcp" / "tools" / "greet.py"
    text = handler.read_text(encoding="utf-8").replace("raise NotImplementedError", 'return f"Hello, {args.name}!"')
    handler.write_text(text, encoding="utf-8")
    return path


def published(path: Path, change: object = None) -> Path:
    """Write our own definitions of the newest revision as one published schema.json; ``change`` edits them."""
    definitions: dict[str, object] = {}
    for file in sorted((SCHEMAS / REVISION).glob("*.json")):
        if file.name != "methods.json":
            text = file.read_text(encoding="utf-8")
            definitions |= json.loads(text)["$defs"]
    text = json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions})
    for file in (SCHEMAS / REVISION).glob("*.json"):
        text = text.replace(f'"{file.name}#/$defs/', '"#/$defs/')
    schema = json.loads(text)
    if callable(change):
        change(schema["$defs"])
    path.write_text(json.dumps(schema), encoding="utf-8")
    return path


def handwritten(manifest: Path) -> dict[str, str]:
    files = ["tools.yaml", "pyproject.toml", "Makefile", "README.md", "src/moving_mcp/tools/greet.py"]
    return {name: (manifest.parent / name).read_text(encoding="utf-8") for name in files}


@needs_reference
def test_draft_is_added_and_both_versions_are_served_with_the_handlers_untouched(manifest: Path) -> None:
    outcome = commands.add_revision(REFERENCE / "mcp" / "draft" / "schema.json", NEXT, manifest.parent)
    assert not outcome.problems
    text = manifest.read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("protocol:"))
    manifest.write_text(text.replace(line, f'protocol: ["{REVISION}", "{NEXT}"]'), encoding="utf-8")
    before = handwritten(manifest)
    assert not commands.generate(manifest).problems
    assert handwritten(manifest) == before
    assert not commands.check(manifest).problems
    with Server(manifest.parent / "src", "moving_mcp") as server:
        for version in (REVISION, NEXT):
            meta = {**META, VERSION_KEY: version}
            assert server.ask(request(1, "server/discover", meta))["result"]["supportedVersions"] == [REVISION, NEXT]
            message = call(2, "greet", {"name": "you"})
            message["params"]["_meta"] = meta
            assert server.ask(message)["result"]["content"][0]["text"] == "Hello, you!"
        refused = server.ask(request(3, "tools/list", {**META, VERSION_KEY: "2030-01-01"}))
        assert refused["error"]["data"]["supported"] == [REVISION, NEXT]


def test_moving_changes_one_line_of_the_manifest_and_says_what_changes(manifest: Path, tmp_path: Path) -> None:
    def change(definitions: dict[str, dict[str, dict[str, object]]]) -> None:
        definitions["Tool"]["properties"]["color"] = {"type": "string", "description": "A colour."}

    assert not commands.add_revision(published(tmp_path / "next.json", change), NEXT, manifest.parent).problems
    before = handwritten(manifest)
    outcome = commands.move(manifest, NEXT)
    assert not outcome.problems
    assert any("color" in line for line in outcome.lines)
    after = handwritten(manifest)
    changed = [
        (a, b)
        for a, b in zip(before["tools.yaml"].splitlines(), after["tools.yaml"].splitlines(), strict=True)
        if a != b
    ]
    kept = ", ".join(f'"{name}"' for name in reversed(known_revisions(era="handshake")))
    assert [new for _, new in changed] == [f'protocol: ["{NEXT}", {kept}]']
    assert {name for name in before if before[name] != after[name]} == {"tools.yaml"}
    with Server(manifest.parent / "src", "moving_mcp") as server:
        discovered = server.ask(request(1, "server/discover", {**META, VERSION_KEY: NEXT}))
        assert discovered["result"]["supportedVersions"] == [NEXT]


@pytest.mark.parametrize(("name", "words"), [("2031-01-01", "unknown protocol revision"), ("2025-11-25", "2025-11-25")])
def test_revision_that_cannot_be_moved_to_leaves_the_project_as_it_was(manifest: Path, name: str, words: str) -> None:
    before = {str(path): path.read_bytes() for path in manifest.parent.rglob("*") if path.is_file()}
    outcome = commands.move(manifest, name)
    assert outcome.exit_code in (1, 2)
    assert words in str(outcome.problems[0])
    assert {str(path): path.read_bytes() for path in manifest.parent.rglob("*") if path.is_file()} == before


def test_unusable_schema_is_explained(manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{}", encoding="utf-8")
    outcome = commands.add_revision(tmp_path / "no.json", NEXT, manifest.parent)
    assert outcome.exit_code == 2
    assert outcome.problems[0].file.endswith("no.json")
    assert not (manifest.parent / "schema").exists()
