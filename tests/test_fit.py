"""Handlers are held to their contracts by reading them: what no longer fits is named with its line and what to do."""

from pathlib import Path

import pytest

from toolmint import commands
from toolmint.commands import Outcome

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: fit, version: 0.1.0}
tools:
  - name: search
    description: Search.
    annotations: {readOnlyHint: true}
    inputSchema:
      type: object
      properties:
        query: {type: string, description: Words., maxLength: 10}
        limit: {type: integer, description: How many., minimum: 1, maximum: 5, default: 5}
        filters:
          type: array
          description: What to leave out.
          maxItems: 3
          items: {type: object, properties: {field: {type: string, description: Which.}}, required: [field]}
      required: [query]
      additionalProperties: false
    outputSchema: {type: array, items: {type: string}}
"""
HANDLER = '''\
from fit_mcp.api import Context, SearchInput


def search(args: SearchInput, ctx: Context) -> list[str]:
    """Search."""
    found = [args.query] * args.limit
    return [word for word in found if word not in [other.field for other in args.filters or []]]
'''


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "tools.yaml"
    path.write_text(MANIFEST, encoding="utf-8")
    assert not commands.generate(path).problems
    handler(path).write_text(HANDLER, encoding="utf-8")
    assert commands.check(path).problems == []
    return path


def handler(manifest: Path, name: str = "search") -> Path:
    return manifest.parent / "src" / "fit_mcp" / "tools" / f"{name}.py"


def change(manifest: Path, old: str, new: str) -> None:
    text = manifest.read_text(encoding="utf-8")
    assert old in text
    manifest.write_text(text.replace(old, new), encoding="utf-8")


def about_handlers(outcome: Outcome) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in outcome.problems if "/tools/" in problem.file]


@pytest.mark.parametrize(
    ("source", "code", "line", "words"),
    [
        ("def search(args, ctx:\n", "handler-syntax", 1, "never closed"),
        ("def serach(args, ctx): ...\n", "handler-undefined", 1, "rename serach"),
        ("x = 1\n\ndef search(args): ...\n", "handler-signature", 3, "two arguments"),
        ("def search(args, ctx, more): ...\n", "handler-signature", 1, "two arguments"),
        ("def search(*, args, ctx): ...\n", "handler-signature", 1, "two arguments"),
        ("def search(args, ctx):\n    return args.qeury\n", "handler-field", 2, "args.query"),
        ("from fit_mcp.api import SearchInputs\n\ndef search(args, ctx): ...\n", "handler-import", 1, "SearchInput"),
    ],
)
def test_handler_that_cannot_work(manifest: Path, source: str, code: str, line: int, words: str) -> None:
    handler(manifest).write_text(source, encoding="utf-8")
    outcome = commands.check(manifest)
    assert outcome.exit_code == 1
    (problem,) = outcome.problems
    assert (problem.code, problem.line) == (code, line)
    assert words in problem.message + problem.hint


@pytest.mark.parametrize(
    "source",
    [
        "async def search(args, ctx): return []\n",
        "def search(args, ctx=None): return []\n",
        "def search(*args): return []\n",
        "search = lambda args, ctx: []\n",
        "from elsewhere import search\n",
        "class Search:\n    def __call__(self, args, ctx): ...\nsearch = Search()\n",
        "def search(args, ctx):\n    args = vars(args)\n    return args.anything\n",
    ],
)
def test_handler_made_in_any_way_that_works_is_left_alone(manifest: Path, source: str) -> None:
    handler(manifest).write_text(source, encoding="utf-8")
    assert commands.check(manifest).problems == []


def test_handler_is_read_and_never_imported(manifest: Path) -> None:
    handler(manifest).write_text(f"raise SystemExit('imported')\n{HANDLER}", encoding="utf-8")
    assert commands.check(manifest).problems == []


def test_stub_is_reported_as_such(manifest: Path) -> None:
    handler(manifest).unlink()
    commands.generate(manifest)
    outcome = commands.check(manifest)
    assert [warning.code for warning in outcome.warnings if "/tools/" in warning.file] == ["stub"]
    assert outcome.exit_code == 0
    assert commands.check(manifest, strict=True).exit_code == 1


def test_missing_handler_is_reported_and_its_stub_written(manifest: Path) -> None:
    handler(manifest).unlink()
    assert about_handlers(commands.check(manifest)) == [("missing", None)]
    commands.generate(manifest)
    assert handler(manifest).exists()


def test_removed_field_is_reported_where_it_is_used(manifest: Path) -> None:
    change(manifest, "        limit: {type: integer, description: How many., minimum: 1, maximum: 5, default: 5}\n", "")
    assert ("handler-field", 6) in about_handlers(commands.check(manifest))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            "query: {type: string, description: Words., maxLength: 10}",
            "query: {type: integer, description: Words.}",
            6,
            "was str",
        ),
        (
            "field: {type: string, description: Which.}",
            "field: {type: integer, description: Which.}",
            7,
            "SearchInputFiltersItem.field",
        ),
        ("outputSchema: {type: array, items: {type: string}}", "outputSchema: {type: string}", 4, "returns list[str]"),
    ],
)
def test_changed_type_is_reported_until_the_handler_is_said_to_fit(
    manifest: Path, old: str, new: str, line: int, words: str
) -> None:
    change(manifest, old, new)
    assert ("handler-contract", line) in about_handlers(commands.check(manifest))
    commands.generate(manifest)
    outcome = commands.check(manifest)
    (problem,) = outcome.problems
    assert (problem.code, problem.line) == ("handler-contract", line)
    assert words in problem.message
    assert "--accept" in problem.hint
    assert not commands.generate(manifest, accept=True).problems
    assert commands.check(manifest).problems == []


def test_change_that_the_handler_does_not_use_settles_by_itself(manifest: Path) -> None:
    change(manifest, "required: [field]", "required: [field], title: Filter")
    change(
        manifest,
        "      required: [query]\n",
        "        more: {type: string, description: More., maxLength: 9}\n      required: [query]\n",
    )
    commands.generate(manifest)
    change(
        manifest, "more: {type: string, description: More., maxLength: 9}", "more: {type: integer, description: More.}"
    )
    commands.generate(manifest)
    assert commands.check(manifest).problems == []


def test_renamed_tool_keeps_its_handler_and_names_the_probable_successor(manifest: Path) -> None:
    change(manifest, "name: search", "name: search_words")
    commands.generate(manifest)
    warnings = {warning.file.rpartition("/")[2]: warning for warning in commands.check(manifest).warnings}
    assert warnings["search.py"].code == "handler-orphan"
    assert "search_words" in warnings["search.py"].hint
    assert handler(manifest).read_text(encoding="utf-8") == HANDLER
    assert warnings["search_words.py"].code == "stub"
