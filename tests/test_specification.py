"""docs/specification.md names a test for every rule, and each of these tests exists."""

import ast
import csv
import re
from functools import cache
from pathlib import Path

import pytest

from reference import REFERENCE, ROOT

TABLE = ROOT / "docs" / "specification.md"
RULES = REFERENCE.parent / "design" / "spec-must.tsv"
"""All rules of the specification, where they are at hand."""

_ROW = re.compile(r"\| ([a-z0-9-]+) \| (.+) \| (.+) \|")
_TEST = re.compile(r"`(tests/[a-z_/]+\.py)::(test_[a-z0-9_]+)`")
_REASON = re.compile(r"does not apply: \w.{20,}\.")

_LINES = map(_ROW.fullmatch, TABLE.read_text(encoding="utf-8").splitlines())
ROWS = [match.groups() for match in _LINES if match and match[1] != "rule"]


@cache
def _functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_rule_has_a_test_that_exists_or_a_reason() -> None:
    for rule, _, cell in ROWS:
        test = _TEST.fullmatch(cell)
        if test is None:
            assert _REASON.fullmatch(cell), f"{rule}: neither a test nor a reason: {cell}"
        else:
            assert test[2] in _functions(ROOT / test[1]), f"{rule}: {test[1]} has no {test[2]}"


def test_every_rule_is_there_once() -> None:
    rules = [rule for rule, _, _ in ROWS]
    assert len(rules) == len(set(rules)) > 200


@pytest.mark.skipif(not RULES.is_file(), reason=f"the list of all rules is not at {RULES}")
def test_every_rule_that_can_be_seen_on_stdio_is_there() -> None:
    with RULES.open(encoding="utf-8", newline="") as file:
        rules = {
            row["id"]
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["transport"] in ("stdio", "both") and row["wire_check"] != "not observable"
        }
    assert {rule for rule, _, _ in ROWS} == rules
