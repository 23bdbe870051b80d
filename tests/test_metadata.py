"""Package metadata is handwritten, and held to the manifest: its name, its version, and the modules that it names."""

import json
import shutil
from pathlib import Path

import pytest

from toolmint import commands

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: shipped, version: 1.2.0-rc.1}
tools:
  - name: greet
    description: Greet.
    annotations: {readOnlyHint: true}
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "tools.yaml"
    path.write_text(MANIFEST, encoding="utf-8")
    assert not commands.generate(path).problems
    assert commands.check(path).problems == []
    return path


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('dynamic = ["version"]', 'version = "1.2.1"', 7, ("1.2.1", "1.2.0-rc.1", "dynamic")),
        ('name = "shipped-mcp"', 'name = "posted-mcp"', 6, ("posted-mcp", "shipped-mcp", "package.name")),
        ('"shipped-mcp" = ', '"posted" = ', 16, ("no script", "shipped_mcp.__main__:main")),
        ("shipped_mcp.__main__", "posted_mcp.__main__", 17, ("posted_mcp.__main__", "not there")),
        ("src/shipped_mcp/__init__.py", "src/posted_mcp/__init__.py", 20, ("src/posted_mcp/__init__.py", "not there")),
        ('packages = ["src/shipped_mcp"]', 'packages = ["src/posted_mcp"]', 23, ("src/shipped_mcp",)),
        ("[project]", "[project", None, ("not TOML",)),
    ],
)
def test_metadata_that_does_not_belong_to_the_manifest(
    manifest: Path, old: str, new: str, line: int | None, words: tuple[str, ...]
) -> None:
    path = manifest.parent / "pyproject.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    (problem,) = commands.check(manifest).problems
    assert (problem.code, problem.file, problem.line) == ("metadata", str(path), line)
    for word in words:
        assert word in problem.message + problem.hint
    outcome = commands.generate(manifest)
    assert not outcome.problems
    assert [warning.code for warning in outcome.warnings] == ["metadata"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('dynamic = ["version"]', 'version = "1.2.0rc1"'),
        ('dynamic = ["version"]', 'version = "1.2rc1"'),
        ('name = "shipped-mcp"', 'name = "Shipped.MCP"'),
        ("[project]", "[tool.elsewhere]"),
    ],
)
def test_metadata_in_other_words(manifest: Path, old: str, new: str) -> None:
    path = manifest.parent / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert commands.check(manifest).problems == []


def test_what_generate_is_about_to_write_is_there(manifest: Path) -> None:
    shutil.rmtree(manifest.parent / "src")
    outcome = commands.generate(manifest)
    assert not outcome.problems
    assert outcome.warnings == []


def test_registry_entry_has_no_longer_texts_than_the_registry_takes(manifest: Path) -> None:
    long = "word " * 40
    manifest.write_text(
        MANIFEST.replace("name: shipped,", f'name: shipped, title: "{long}", description: "{long}",'), encoding="utf-8"
    )
    commands.generate(manifest)
    entry = json.loads((manifest.parent / "server.json").read_bytes())
    assert 90 < len(entry["title"]) <= 100
    assert 90 < len(entry["description"]) <= 100


def test_renamed_server_is_told_what_still_has_its_former_name(manifest: Path) -> None:
    manifest.write_text(MANIFEST.replace("name: shipped", "name: posted"), encoding="utf-8")
    warnings = [warning for warning in commands.generate(manifest).warnings if warning.code == "metadata"]
    problems = commands.check(manifest).problems
    assert warnings == problems
    assert len(problems) == 5
