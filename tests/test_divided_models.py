"""Projects with many dataclasses: each tool's are in a module of their own, loaded when they are first needed."""

import subprocess
import sys
from pathlib import Path

import pytest

from servers import Server, call, make_project
from toolmint import commands
from toolmint.models import MAX_CLASSES

PROGRAMS = Path(sys.executable).parent
TOOLS = MAX_CLASSES // 2
MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: many, version: 0.1.0}
$defs:
  Hit:
    type: object
    properties: {id: {type: string}, next: {$ref: "#/$defs/Hit"}}
    required: [id]
tools:
""" + "".join(
    f"""\
  - name: find_{number}
    inputSchema:
      type: object
      properties:
        query: {{type: string}}
        near: {{$ref: "#/$defs/Hit", default: {{id: here}}}}
        page: {{type: object, properties: {{number: {{type: integer}}}}, additionalProperties: false}}
    outputSchema: {{type: array, items: {{$ref: "#/$defs/Hit"}}}}
"""
    for number in range(TOOLS)
)
# Of the tool's own, shared by all, and another tool's.
HANDLER = """\
import sys

from many_mcp.api import Context, Find0Input, Hit


def find_0(args: Find0Input, ctx: Context) -> list[Hit]:
    assert args.near is not None
    loaded = sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith("many_mcp.models."))
    return [args.near, Hit(id=" ".join(loaded)), Hit(id="a", next=Hit(id="b"))]
"""
OTHER = """\
from typing import Any

from many_mcp.api import Context, Find0InputPage, Find1Input, Hit


def find_1(args: Find1Input, ctx: Context) -> list[Hit]:
    found: list[Any] = [{"id": "c", "page": Find0InputPage(number=1)}]
    return found
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("many"), MANIFEST, {"find_0": HANDLER, "find_1": OTHER})


def test_a_call_loads_the_classes_it_needs_and_no_others(source: Path) -> None:
    with Server(source, "many_mcp") as server:
        hits = server.ask(call(1, "find_0"))["result"]["structuredContent"]
        assert hits == [{"id": "here"}, {"id": "_definitions _find_0"}, {"id": "a", "next": {"id": "b"}}]


def test_a_result_may_hold_classes_of_another_tool(source: Path) -> None:
    with Server(source, "many_mcp") as server:
        hits = server.ask(call(1, "find_1"))["result"]["structuredContent"]
        assert hits == [{"id": "c", "page": {"number": 1}}]


def test_every_name_is_there_and_no_other(source: Path) -> None:
    program = (
        "import many_mcp.api as api, many_mcp.models as models\n"
        "names = [name for name in api.__all__ if name.startswith(('Find', 'Hit'))]\n"
        "for name in names:\n"
        "    assert getattr(models, name).__name__ == name and getattr(api, name) in models.PROPERTIES\n"
        f"assert len(names) > {MAX_CLASSES} and len(models.PROPERTIES) == len(names)\n"
        "try:\n"
        "    from many_mcp.api import Mistyped\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=source, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.startswith("cannot import name 'Mistyped' from 'many_mcp.api'")


def test_type_checkers_see_the_names(source: Path, tmp_path: Path) -> None:
    mistyped = tmp_path / "mistyped.py"
    mistyped.write_text("from many_mcp.api import Find0Input, Mistyped\nreveal_type(Find0Input(query='').query)\n")
    command = [PROGRAMS / "mypy", "--strict", "--cache-dir", tmp_path / "cache"]
    for more, expected in (((source,), ["Success"]), ((mistyped,), ['no attribute "Mistyped"', 'is "str | None"'])):
        done = subprocess.run(
            [*command, *more],
            env={"MYPYPATH": str(source)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert all(text in done.stdout for text in expected), done.stdout + done.stderr


def test_the_project_is_as_generated_and_its_handlers_fit(source: Path) -> None:
    assert not commands.check(source.parent / "tools.yaml").problems
