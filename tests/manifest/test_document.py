"""YAML 1.2 and JSON texts become JSON values, each with its place."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmint.manifest.document import Document, parse_document
from toolmint.manifest.source import Source


def parse(text: str) -> Document:
    return parse_document(Source("a.yaml", text.encode(), text))


# YAML 1.2.2 section 10.3.2, and what YAML 1.1 took for something else.
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("nULL", "nULL"),
        ("12", 12),
        ("-012", -12),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("1.", 1.0),
        (".5e1", 5.0),
        ("+1.5", 1.5),
        ("1.10", 1.1),
        ("1.2.3", "1.2.3"),
        ("2026-07-28", "2026-07-28"),
        ("'12'", "12"),
        ('"\\u00e9"', "é"),
        ("!!str 12", "12"),
        ("!!float 12", 12.0),
        ("|\n  a\n  b\n", "a\nb\n"),
        (">-\n  a\n  b\n", "a b"),
    ],
)
def test_core_schema(written: str, value: object) -> None:
    found = parse(f"a: {written}").value["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["https://example.com/a:b", "Which name?", "^a?b$", "12:30", "C:\\x", "::1", "b:"])
def test_plain_text_between_brackets(text: str) -> None:
    document = parse(f"a: 1\nb: [{{c: {text}, d: 2}}, {text}]\n")
    assert document.value == {"a": 1, "b": [{"c": text, "d": 2}, text]}
    assert document.positions.value("/b/1") == (2, 18 + len(text))


def test_keys_are_text_whatever_they_look_like() -> None:
    assert parse("{200: a, true: b, null: c, 1.0: d}").value == {"200": "a", "true": "b", "null": "c", "1.0": "d"}


def test_an_alias_is_the_value_of_its_anchor() -> None:
    document = parse("a: &x {b: 1}\nc: [*x, *x]\n&k d: *k\n")
    assert document.value == {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}], "d": "d"}
    assert document.positions.value("/c/1/b") == (1, 11)


def test_positions_of_keys_and_values() -> None:
    positions = parse('a:\n  - b: "é": 1\n'.replace(": 1", "") + '    "c/d": {e~f: [x,\n y]}\n').positions
    assert positions.value("") == (1, 1)
    assert positions.key("/a/0/b") == (2, 5)
    assert positions.value("/a/0/b") == (2, 8)
    assert positions.key("/a/0/c~1d/e~0f") == (3, 13)
    assert positions.value("/a/0/c~1d/e~0f/1") == (4, 2)
    assert positions.key(("a", 0, "c/d", "e~f", 1)) == (4, 2)
    assert positions.value("/a/0/none/deeper") == (2, 5)
    assert positions.value("/a/7") == (2, 3)


def test_dates_without_quotes_are_remembered() -> None:
    assert parse('a: 2026-07-28\nb: "2026-07-28"\nc: [2026-07-29]').dates == ((1, 4), (3, 5))


def test_characters_that_the_parser_would_take_for_line_ends() -> None:
    text = '{"a": "x\u2028y\u2029z\x85\ufeff", "b": 1}'
    document = parse(text)
    assert document.value == json.loads(text)
    assert document.positions.key("/b") == (1, text.index('"b"') + 1)


def test_escaped_surrogate_pairs_of_json() -> None:
    text = r'{"a": "\ud83d\ude00 \\ud83d \\\ud83d\ude00", "b": 1}'
    document = parse(text)
    assert document.value == json.loads(text)
    assert document.positions.key("/b") == (1, text.index('"b"') + 1)


def test_escaped_surrogate_pairs_beside_the_characters_that_stand_in_for_them() -> None:
    text = r'{"a": "\ue000 \ud83d\ude00"}'
    assert parse(text).value == json.loads(text)


def test_tabs_in_json() -> None:
    assert parse('{\n\t"a":\t1,\n\t"b/c":[\t2]}').value == {"a": 1, "b/c": [2]}


def test_line_ends_of_every_system() -> None:
    positions = parse("a: 1\r\nb: 2\rc: 3\n").positions
    assert [positions.key(f"/{name}").line for name in "abc"] == [1, 2, 3]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=5) | st.dictionaries(st.text(max_size=50), below, max_size=5),
    max_leaves=20,
)


@given(value=_JSON, ascii_only=st.booleans(), indent=st.none() | st.just(1))
def test_every_json_text_means_what_json_says(*, value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps([value], ensure_ascii=ascii_only, indent=indent)
    # Python's writer leaves these as they are; YAML has them only escaped (and the loader says so before parsing).
    text = "".join(f"\\u{ord(c):04x}" if c in _UNPRINTABLE else c for c in text)
    found = parse(text).value
    assert repr(found) == repr(json.loads(text))
    assert not any(isinstance(part, float) and math.isnan(part) for part in found)


_UNPRINTABLE = frozenset(map(chr, (*range(0x7F, 0x85), *range(0x86, 0xA0), 0xFFFE, 0xFFFF)))
