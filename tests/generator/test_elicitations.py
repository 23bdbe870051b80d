"""The module of the questions that a manifest declares."""

import ast
from pathlib import Path

import pytest

from servers import make_project

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: questions, version: 0.1.0}
tools:
  - name: ask
    elicits:
      - {key: KEY, message: What?, requestedSchema: {type: object, properties: {a: {type: string}}}}
      - {key: place, mode: url, message: Where?, url: "https://example.com/"}
"""


@pytest.mark.parametrize("key", ["form", "page", "questions", "elicitation"])
def test_a_question_hides_nothing_that_its_module_needs(tmp_path: Path, key: str) -> None:
    source = make_project(tmp_path / key, MANIFEST.replace("KEY", key))
    tree = ast.parse((source / "questions_mcp" / "elicitations.py").read_text(encoding="utf-8"))
    bound = [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    bound += [
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    bound += [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert len(bound) == len(set(bound)), bound
    assert {key.upper(), key.title(), "PLACE"} <= set(bound)
