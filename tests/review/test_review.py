"""The review as a whole: order, places, silences, the page that documents every warning, speed."""

import ast
import dataclasses
import inspect
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

import toolmint.manifest.advice
from reference import REFERENCE, ROOT, needs_reference
from review.reviewing import REVISION, Reviewing, described, schema, tool
from toolmint.importing import import_manifest
from toolmint.manifest import load_manifest
from toolmint.manifest.document import parse_document
from toolmint.manifest.source import Source
from toolmint.review import RULES, WARNINGS, review

PAGE = ROOT / "docs" / "warnings.md"
CATALOGUES = sorted((REFERENCE / "tools-list").glob("*.json"))


def test_a_sound_contract_gives_no_warning(reviewing: Reviewing) -> None:
    assert (
        reviewing(tool(), tool("list_contracts"), tool("delete_contract", annotations={"destructiveHint": True})) == ()
    )


def test_warnings_come_in_the_order_of_the_file_with_their_line(reviewing: Reviewing) -> None:
    manifest = reviewing.load_text(
        f"""\
toolmint: 1
protocol: "{REVISION}"
server: {{name: contracts, version: 1.0.0}}
tools:
  - name: get_contract
    description: Return a contract.
    inputSchema:
      type: object
      properties:
        id: {{type: string, default: 1}}
  - name: delete_contract
    title: "a\\u200bb"
"""
    )
    problems = review(manifest)
    assert [(problem.code, problem.line, problem.column) for problem in problems] == [
        ("undescribed-parameter", 10, 9),
        ("default-mismatch", 10, 37),
        ("no-description", 11, 5),
        ("unannounced-write", 11, 11),
        ("invisible-character", 12, 12),
    ]
    assert problems[0].excerpt == "        id: {type: string, default: 1}"
    assert all(problem.file == str(reviewing.path) for problem in problems)


def test_a_manifest_that_changed_since_is_reviewed_without_excerpts(reviewing: Reviewing) -> None:
    manifest = reviewing.load(tool(description=""))
    reviewing.path.unlink()
    (problem,) = [problem for problem in review(manifest) if problem.code == "no-description"]
    assert problem.line is not None
    manifest = reviewing.load(tool(title="a\u200bb"))
    reviewing.path.unlink()
    assert [(problem.code, problem.excerpt) for problem in review(manifest)] == [("invisible-character", "")]


class TestSilences:
    REASON = "Hosts of ours take it."

    def test_the_manifest_silences_a_warning_everywhere(self, reviewing: Reviewing) -> None:
        silence = {"silence": {"dotted-name": self.REASON, "no-description": self.REASON}}
        assert reviewing.codes(tool("a.b"), tool("c.d", description=""), **{"x-toolmint": silence}) == []

    def test_an_entry_silences_its_own_warnings_and_no_others(self, reviewing: Reviewing) -> None:
        entry = """\
  - name: {name}
    description: Return a contract by its id.
    annotations: {{readOnlyHint: true}}
    inputSchema: {{type: object, properties: {{}}, anyOf: [{{required: []}}]}}
"""
        head = f"toolmint: 1\nprotocol: '{REVISION}'\nserver: {{name: contracts, version: 1.0.0}}\ntools:\n"
        text = head + entry.format(name="contracts.get") + entry.format(name="contracts.read")
        manifest = reviewing.load_text(text)
        assert [problem.code for problem in review(manifest)] == [
            *["dotted-name", "root-combinator"],
            *["dotted-name", "repeated-description", "root-combinator"],
        ]
        codes = "{dotted-name: Ours take it., root-combinator: Ours take it., many-tools: There are few.}"
        text += f"    x-toolmint: {{silence: {codes}}}\n"
        # The loaded manifest, with a silence behind its last line that it was not loaded with.
        reviewing.path.write_text(text, encoding="utf-8")
        source = Source("tools.yaml", text.encode(), text)
        manifest = dataclasses.replace(manifest, digest=source.digest, positions=parse_document(source).positions)
        assert [(problem.code, problem.line) for problem in review(manifest)] == [
            ("dotted-name", 5),
            ("root-combinator", 8),
            ("repeated-description", 10),
            ("silence-without-effect", 13),
        ]

    def test_a_silence_needs_a_reason(self, reviewing: Reviewing) -> None:
        for reason in ("", " ", None, True):
            silence = {"silence": {"dotted-name": reason}}
            (problem,) = reviewing(tool("a.b"), **{"x-toolmint": silence})
            assert problem.code == "silence-without-reason"
            assert reviewing.text_of(problem).startswith('"dotted-name"')

    def test_a_silence_without_effect_is_reported(self, reviewing: Reviewing) -> None:
        silence = {"silence": {"dotted-name": self.REASON, "dotted-nam": self.REASON}}
        idle, unknown = reviewing(tool(), **{"x-toolmint": silence})
        assert idle.code == unknown.code == "silence-without-effect"
        assert unknown.hint == 'did you mean "dotted-name"?'

    def test_settings_of_another_shape_are_passed_over(self, reviewing: Reviewing) -> None:
        shapes: list[Any] = [[], {"silence": ["dotted-name"]}, {"silence": None}, {"contextBudget": "many"}]
        for settings in shapes:
            assert reviewing.codes(tool("a.b"), **{"x-toolmint": settings}) == ["dotted-name"]


class TestPage:
    def rows(self) -> dict[str, list[str]]:
        rows = {}
        for line in PAGE.read_text(encoding="utf-8").split("\n"):
            if line.startswith("| `"):
                code, *cells = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
                assert code.strip("`") not in rows, code
                rows[code.strip("`")] = cells
        return rows

    def test_every_warning_is_explained_and_every_explained_one_exists(self) -> None:
        assert set(self.rows()) == set(WARNINGS)

    def test_every_explanation_says_what_why_and_how_to_fix(self) -> None:
        assert {code: len(list(filter(None, cells))) for code, cells in self.rows().items()} == dict.fromkeys(
            WARNINGS, 3
        )

    def test_codes_are_in_order(self) -> None:
        assert list(self.rows()) == sorted(WARNINGS)
        assert list(WARNINGS) == sorted(WARNINGS)

    def test_every_code_that_the_source_gives_is_a_warning_and_every_warning_is_given(self) -> None:
        package = Path(inspect.getfile(review)).parent
        given = set()
        for path in (*package.glob("*.py"), package.parent / "gaps.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.keyword) and node.arg == "code" and isinstance(node.value, ast.Constant):
                    given.add(node.value.value)
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_found":
                    given.update(item.value for item in node.args if isinstance(item, ast.Constant))
        loading = ast.parse(inspect.getsource(toolmint.manifest.advice))
        for node in ast.walk(loading):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "").startswith("problem"):
                given.update(item.value for item in node.args[:1] if isinstance(item, ast.Constant))
        assert given == set(WARNINGS)

    def test_every_rule_is_applied(self) -> None:
        package = Path(inspect.getfile(review)).parent
        rules = set()
        for path in package.glob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and [
                    ast.unparse(item.annotation or node) for item in node.args.args
                ] == ["Contract"]:
                    rules.add(node.name)
        assert {rule.__name__ for rule in RULES} == rules


def large(count: int) -> list[dict[str, Any]]:
    properties = {
        "query": described(type="string", minLength=1, default="all"),
        "limit": described(type="integer", maximum=50, default=10),
        "sort": described(enum=["name", "date"], default="name"),
        "parties": described(type="array", items={"$ref": "#/$defs/Party"}, maxItems=10),
    }
    text = "Search contracts by words in the title or a party's name, newest first. " * 5
    return [
        tool(f"search_contracts_{number}", description=f"{text} {number}", inputSchema=schema(**properties))
        for number in range(count)
    ]


@pytest.mark.parametrize(("count", "bound"), [(50, 0.05), (1000, 1.0)])
def test_speed(count: int, bound: float, reviewing: Reviewing) -> None:
    manifest = reviewing.load(*large(count), **{"$defs": {"Party": schema(name=described(type="string"))}})
    review(manifest)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        problems = review(manifest)
        seconds.append(time.process_time() - start)
    assert {problem.code for problem in problems} <= {"many-tools", "list-size"}
    assert min(seconds) < bound


@needs_reference
@pytest.mark.parametrize("path", CATALOGUES[::10], ids=lambda path: path.stem)
def test_published_servers_can_be_reviewed(path: Path, tmp_path: Path) -> None:
    """Warnings of published servers have a place and a known code; a budget holds them to what can be defended."""
    text = path.read_text(encoding="utf-8")
    manifest_path = tmp_path / "tools.yaml"
    manifest_path.write_text(import_manifest({path.name: text}, protocol=[REVISION]), encoding="utf-8")
    problems = review(load_manifest(manifest_path, revisions=[REVISION]))
    count = len(json.loads(text)["tools"])
    assert all(problem.code in WARNINGS and problem.line and problem.hint for problem in problems)
    assert len(problems) <= 2 * count
