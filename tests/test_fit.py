"""Handlers are held to their contracts by reading them: what no longer fits is named with its line and what to do."""

import json
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
        ("def search(ctx: Context, args): ...\n", "handler-signature", 1, "in this order"),
        ("def search(args, ctx: 'SearchInput'): ...\n", "handler-signature", 1, "in this order"),
        ("def search(args: SearchInputFiltersItem, ctx): ...\n", "handler-signature", 1, "called with SearchInput"),
        ("def search(args, ctx):\n    return args.qeury\n", "handler-field", 2, "args.query"),
        ("@traced\ndef search(db, args: SearchInput, ctx):\n    return args.qeury\n", "handler-field", 3, "args.query"),
        ("from fit_mcp.api import SearchInputs\n\ndef search(args, ctx): ...\n", "handler-import", 1, "SearchInput"),
        (
            "from ..api import (\n    SearchInputs,\n)\n\ndef search(args, ctx): ...\n",
            "handler-import",
            2,
            "SearchInput",
        ),
        ("x = '\0'\ndef search(args, ctx): ...\n", "handler-syntax", 1, "null bytes"),
        (f"x = {'+'.join('1' * 20000)}\ndef search(args, ctx): ...\n", "handler-syntax", 1, "nested too deeply"),
        ("def search(args, ctx):\n    '\f\u2028'\n    return args.qeury\n", "handler-field", 3, "args.query"),
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
        "def search(args, ctx):\n    def inner(args): return args.anything\n    return [lambda args: args.anything]\n",
        "from elsewhere import *\n",
        "if fast:\n    def search(args, ctx): return []\nelse:\n    async def search(args, ctx): return []\n",
        "@with_database\ndef search(args, ctx, database): return []\n",
        "@with_database\ndef search(database, args, ctx): return database.anything\n",
        "from elsewhere.api import Client\ndef search(args, ctx): return []\n",
        "from .api import Client\ndef search(args, ctx): return []\n",
        "\ufeffdef search(args, ctx): return []\n",
    ],
)
def test_handler_made_in_any_way_that_works_is_left_alone(manifest: Path, source: str) -> None:
    handler(manifest).write_text(source, encoding="utf-8")
    assert commands.check(manifest).problems == []


def test_handler_is_read_in_the_encoding_that_it_names(manifest: Path) -> None:
    source = "# -*- coding: latin-1 -*-\ndef search(args, ctx): return ['\u00e9']\n"
    handler(manifest).write_bytes(source.encode("latin-1"))
    assert commands.check(manifest).problems == []
    handler(manifest).write_bytes(source.partition("\n")[2].encode("latin-1"))
    (problem,) = commands.check(manifest).problems
    assert (problem.code, problem.line) == ("handler-unreadable", 1)
    assert "UTF-8" in problem.message


def test_link_to_nothing_and_folder_in_the_place_of_a_handler(manifest: Path) -> None:
    handler(manifest).unlink()
    handler(manifest).symlink_to("nowhere.py")
    assert about_handlers(commands.check(manifest)) == [("handler-unreadable", 1)]
    handler(manifest).unlink()
    handler(manifest).mkdir()
    assert about_handlers(commands.check(manifest)) == [("handler-unreadable", 1)]


def test_handler_is_read_and_never_imported(manifest: Path) -> None:
    handler(manifest).write_text(f"raise SystemExit('imported')\n{HANDLER}", encoding="utf-8")
    assert commands.check(manifest).problems == []


def test_handler_may_become_a_package(manifest: Path) -> None:
    package = handler(manifest).with_suffix("")
    package.mkdir()
    handler(manifest).rename(package / "__init__.py")
    assert commands.check(manifest).problems == []
    assert commands.generate(manifest).facts["written"] == []
    (package / "__init__.py").write_text(HANDLER.replace("fit_mcp.api", "...api"), encoding="utf-8")
    change(manifest, "limit: {type: integer", "limit: {type: number")
    commands.generate(manifest)
    (problem,) = commands.check(manifest).problems
    assert (problem.code, problem.line) == ("handler-contract", 6)
    assert problem.file == str(package / "__init__.py")
    assert not commands.generate(manifest, accept=True).problems
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
    assert about_handlers(commands.check(manifest)) == [("handler-field", 6)]
    commands.generate(manifest)
    assert about_handlers(commands.check(manifest)) == [("handler-field", 6)]


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


def test_what_makes_a_class_is_held_to_its_fields(manifest: Path) -> None:
    change(
        manifest,
        "outputSchema: {type: array, items: {type: string}}",
        "outputSchema: {type: object, title: Found, properties: {id: {type: string}, title: {type: string}}, "
        "required: [id]}",
    )
    commands.generate(manifest)
    handler(manifest).write_text(
        "from fit_mcp.api import SearchInput, SearchOutput as Found\n"
        "from elsewhere import SearchOutput\n\n\n"
        "def search(args, ctx):\n"
        "    match args:\n"
        "        case SearchInput(qeury=_):\n"
        "            return SearchOutput(anything=1)\n"
        "    found = Found(**vars(args))\n"
        "    return Found(id=found.id)\n",
        encoding="utf-8",
    )
    commands.generate(manifest, accept=True)
    assert about_handlers(commands.check(manifest)) == [("handler-field", 7)]
    change(manifest, "required: [id]", "required: [id, title]")
    assert about_handlers(commands.check(manifest)) == [("handler-field", 7), ("handler-field", 10)]
    change(manifest, "{id: {type: string}, title", "{key: {type: string}, title")
    change(manifest, "required: [id, title]", "required: [title]")
    problems = [problem for problem in commands.check(manifest).problems if problem.code == "handler-field"]
    assert [(problem.line, problem.message) for problem in problems] == [
        (7, "SearchInput has no field qeury"),
        (10, "SearchOutput has no field id"),
        (10, "makes SearchOutput without title, which it has to have"),
    ]


DEFINED = """\
$defs:
  Level: {type: string, enum: [low, high]}
"""


def test_changed_definition_is_reported_where_a_field_of_it_is_used(manifest: Path) -> None:
    change(manifest, "tools:\n", f"{DEFINED}tools:\n")
    change(manifest, "      required: [query]\n", '        level: {$ref: "#/$defs/Level"}\n      required: [query]\n')
    handler(manifest).write_text("def search(args, ctx):\n    return [args.level or '']\n", encoding="utf-8")
    commands.generate(manifest)
    change(manifest, '{$ref: "#/$defs/Level"}', "{type: string, enum: [low, high]}")
    commands.generate(manifest)
    assert commands.check(manifest).problems == []
    change(manifest, "level: {type: string, enum: [low, high]}", 'level: {$ref: "#/$defs/Level"}')
    commands.generate(manifest)
    assert commands.check(manifest).problems == []
    change(manifest, "enum: [low, high]", "enum: [low, middle]")
    commands.generate(manifest)
    (problem,) = commands.check(manifest).problems
    assert (problem.code, problem.line) == ("handler-contract", 2)
    assert "'high'" in problem.message
    assert "'middle'" in problem.message


FORM = """\
    elicits:
      - key: sure
        mode: form
        message: Go on?
        requestedSchema: {type: object, properties: {why: {type: string, description: Why.}}}
"""
ASKING = """\
from fit_mcp.api import SURE, Declined, Dismissed


def search(args, ctx):
    answer = ctx.elicit(SURE)
    return [] if isinstance(answer, Declined | Dismissed) else [answer.why or ""]
"""


@pytest.mark.parametrize(
    ("old", "new", "problem", "words"),
    [
        ("Go on?", "Shall it go on?", None, ""),
        ("why: {type: string, ", "why: {type: integer, ", ("handler-contract", 6), "was str | None and is int | None"),
        ("{why: ", "{reason: ", ("handler-contract", 6), "uses why, which Sure no longer has"),
        ("key: sure", "key: agreed", ("handler-import", 1), "AGREED"),
        (FORM.partition("form\n")[2], "{url}", ("handler-contract", 5), "was a form and is a page to visit"),
        (FORM, "", ("handler-import", 1), "api has no SURE"),
    ],
)
def test_changed_elicitation_is_reported_where_it_is_used(
    manifest: Path, old: str, new: str, problem: tuple[str, int] | None, words: str
) -> None:
    manifest.write_text(manifest.read_text(encoding="utf-8") + FORM, encoding="utf-8")
    handler(manifest).write_text(ASKING, encoding="utf-8")
    commands.generate(manifest)
    assert commands.check(manifest).problems == []
    change(manifest, old, new.replace("{url}", "        message: Go on?\n        url: https://example.com/agree\n"))
    if "url:" in manifest.read_text(encoding="utf-8"):
        change(manifest, "mode: form", "mode: url")
    commands.generate(manifest)
    found = commands.check(manifest).problems
    assert [(one.code, one.line) for one in found] == ([problem] if problem else [])
    assert all(words in one.message + one.hint for one in found)


def test_lock_of_an_earlier_toolmint_raises_no_alarm(manifest: Path) -> None:
    change(manifest, "tools:\n", f"{DEFINED}tools:\n")
    change(manifest, "      required: [query]\n", '        level: {$ref: "#/$defs/Level"}\n      required: [query]\n')
    handler(manifest).write_text("def search(args, ctx):\n    return [args.level or '']\n", encoding="utf-8")
    commands.generate(manifest)
    lock = manifest.parent / "toolmint.lock"
    content = json.loads(lock.read_bytes())
    assert content["handlers"]["src/fit_mcp/tools/search.py"].pop("aliases")
    lock.write_text(json.dumps(content), encoding="utf-8")
    commands.generate(manifest)
    assert commands.check(manifest).problems == []


def test_tool_renamed_to_another_word_names_the_successor_that_has_what_the_handler_reads(manifest: Path) -> None:
    change(manifest, "name: search", "name: look_up")
    change(manifest, "tools:\n", "tools:\n  - {name: fetch, description: Fetch., annotations: {readOnlyHint: true}}\n")
    (warning,) = (one for one in commands.generate(manifest).warnings if one.code == "handler-orphan")
    assert warning.file == str(manifest.parent / "src/fit_mcp/tools/search.py")
    assert "look_up.py" in warning.hint


PROMPT = "prompts:\n  - {name: compose, description: Compose.}\n"


def test_last_handler_of_a_kind_is_reported_when_nothing_calls_it_any_more(manifest: Path) -> None:
    change(manifest, "tools:\n", f"{PROMPT}tools:\n")
    outcome = commands.generate(manifest)
    assert "stub     src/fit_mcp/prompts/compose.py" in outcome.lines
    change(manifest, PROMPT, "")
    for outcome in (commands.check(manifest), commands.generate(manifest), commands.check(manifest)):
        (warning,) = (one for one in outcome.warnings if one.code == "handler-orphan")
        assert warning.file == str(manifest.parent / "src/fit_mcp/prompts/compose.py")


def test_handlers_of_a_package_that_was_renamed_are_reported(manifest: Path) -> None:
    change(manifest, "name: fit,", "name: fitting,")
    other = manifest.parent / "src" / "elsewhere" / "tools"
    other.mkdir(parents=True)
    (other / "search.py").write_text("def search(args, ctx): ...\n", encoding="utf-8")
    outcome = commands.generate(manifest)
    (warning,) = (one for one in outcome.warnings if one.code == "handler-orphan")
    assert warning.file == str(manifest.parent / "src/fit_mcp/tools/search.py")
    assert "fitting_mcp.api" in warning.hint
    assert "package.module" in warning.hint
    assert handler(manifest).read_text(encoding="utf-8") == HANDLER


def test_module_that_handlers_share_is_no_handler(manifest: Path) -> None:
    handler(manifest, "words").write_text("def split(text):\n    return text.split()\n", encoding="utf-8")
    assert [one for one in commands.check(manifest).warnings if "words" in one.file] == []
