"""The benchmark's own parts: what it measures is measured, and the documentation shows the figures that were."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import chart, contestants, report, wire

DOCS = Path(__file__).parent.parent / "docs"
FIGURES = json.loads((DOCS / "benchmark.json").read_text(encoding="utf-8"))


def test_a_generated_server_and_the_bare_loop_are_measured() -> None:
    bare = contestants.bare_loop("add", contestants.ADD, 5)
    for one in (bare, contestants.demo()):
        figures = wire.measure(one, 20)
        assert set(figures) == set(report.UNITS)
        assert all(figure > 0 for figure in figures.values())
        assert figures["round trip p50"] <= figures["round trip p99"]


def test_a_wrong_answer_is_no_figure() -> None:
    bare = contestants.bare_loop("add", contestants.ADD, 6)
    wrong = wire.Contestant(
        name="wrong", command=bare.command, tool="add", arguments=contestants.ADD, expected='"structuredContent": 5'
    )
    with pytest.raises(wire.WrongAnswerError, match="wrong answered"):
        wire.measure(wrong, 1)


@pytest.mark.parametrize(("page", "tables"), [("docs/performance.md", report.markdown), ("README.md", report.summary)])
def test_the_documented_tables_are_those_of_the_figures(page: str, tables: Callable[[Any], str]) -> None:
    text = (DOCS.parent / page).read_text(encoding="utf-8")
    assert text.count(report.BEGIN) == text.count(report.END) == 1
    assert report.inserted(text, tables(FIGURES)) == text


def test_the_chart_is_that_of_the_figures() -> None:
    assert (DOCS / "benchmark.svg").read_text(encoding="utf-8") == chart.render(FIGURES)
