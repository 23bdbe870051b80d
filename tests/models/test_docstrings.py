import ast
import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmint.models.docstrings import WIDTH, attribute_docstring, docstring

NASTY = [
    '"""',
    '""""',
    '\\"""',
    "\\",
    'ends with a quote"',
    '"starts with one',
    "ends with a backslash\\",
    "two\\\\",
    "'''",
    "a\x00b",
    "a\rb\x0cc\u2028d",
    "\ud800",
    "\u202e right to left",
    "\\N{no such name} \\x \\u12",
    "{{ jinja }} {% raw %}",
    "%s {0}",
    '\n"""\nimport os\n"""\n',
]


def parsed(source: str) -> str:
    (statement,) = ast.parse(f"class C:\n    {source}\n").body[0].body  # type: ignore[attr-defined]
    assert isinstance(statement.value.value, str)
    source.encode("utf-8")
    return statement.value.value


@pytest.mark.parametrize("text", NASTY)
def test_no_text_ends_the_literal(text: str) -> None:
    parsed(docstring(text, summary="Summary."))
    parsed(docstring("First. " + text, summary=text))
    if literal := attribute_docstring(text):
        parsed(literal)


@given(st.text(alphabet=st.sampled_from("\"'\\ \n\rab.{}\ud800\u2029"), max_size=30))
def test_no_text_whatever_ends_the_literal(text: str) -> None:
    value = inspect.cleandoc(parsed(docstring(text, summary="Summary.")))
    assert value.split("\n")[0].endswith(".")
    if literal := attribute_docstring(text):
        parsed(literal)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["Summary."]),
        ("Finds contracts", ["Finds contracts."]),
        ("Finds contracts. Newest first.", ["Finds contracts.", "", "Newest first."]),
        ("Finds things, e.g. contracts. More.", ["Finds things, e.g. contracts.", "", "More."]),
        ("Finds\ncontracts.\n\nMore.", ["Finds contracts.", "", "More."]),
        ("Which?", ["Summary.", "", "Which?"]),
        ("No period\n- a list", ["Summary.", "", "No period", "- a list"]),
        ("Say \\d or \\w.", ["Say \\d or \\w."]),
    ],
)
def test_the_first_line_is_a_sentence(text: str, lines: list[str]) -> None:
    assert inspect.cleandoc(parsed(docstring(text, summary="Summary."))).split("\n") == lines


def test_long_lines_are_wrapped() -> None:
    text = "word " * 100
    for source in (docstring(text, summary="S."), attribute_docstring(text)):
        assert max(map(len, source.split("\n"))) <= WIDTH + 8


def test_no_text_is_no_docstring_of_an_attribute() -> None:
    values: list[Any] = ["", " \n ", "\x00"]
    assert [attribute_docstring(value) for value in values] == ["", "", ""]
