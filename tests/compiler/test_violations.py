"""What a caller reads when a value does not fit: one line each, where, what was expected, what was there."""

from typing import Any

import pytest

from compiler.loading import validators
from runtime.validation import Violation

SHAPE = {
    "oneOf": [
        {
            "title": "Circle",
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "radius": {"type": "number", "exclusiveMinimum": 0}},
            "required": ["kind", "radius"],
            "additionalProperties": False,
        },
        {
            "title": "Square",
            "type": "object",
            "properties": {"kind": {"const": "square"}, "side": {"type": "number"}},
            "required": ["kind", "side"],
            "additionalProperties": False,
        },
    ]
}
VALUE = {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}
CONDITIONAL = {
    "if": {"properties": {"c": {"const": "red"}}, "required": ["c"]},
    "then": {"required": ["x"]},
    "else": {"properties": {"c": {"maxLength": 3}}},
}


@pytest.mark.parametrize(
    ("schema", "value", "lines"),
    [
        ({"properties": {"a": {"type": "number"}}}, {"a": "x"}, ['/a: expected a number, got the string "x"']),
        (
            {"properties": {"a": {"type": "number"}}},
            {"a": "2"},
            ['/a: expected a number, got the string "2" (pass it without the quotes)'],
        ),
        ({"type": "integer", "minimum": 1, "maximum": 5}, True, ["(root): expected an integer from 1 to 5, got true"]),
        ({"type": "integer", "minimum": 1}, 0, ["(root): expected a number of at least 1, got the number 0"]),
        ({"multipleOf": 0.01}, 0.005, ["(root): expected a multiple of 0.01, got the number 0.005"]),
        ({"type": "string", "minLength": 1}, "", ['(root): expected a string that is not empty, got the string ""']),
        (
            {"enum": ["open", "closed"]},
            "opne",
            ['(root): expected one of "open" or "closed", got the string "opne" (did you mean "open"?)'],
        ),
        ({"const": None}, [], ["(root): expected null, got an empty array"]),
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
            {},
            ["/a: expected a string, got nothing (it is required)"],
        ),
        (
            {"required": ["userId"], "properties": {"userId": {"type": "string"}}},
            {"user_id": "x"},
            ['/userId: expected a string, got nothing (it is required; "user_id" is spelt differently)'],
        ),
        (
            {"properties": {"query": {}}, "additionalProperties": False},
            {"qurey": "x", "more": 1},
            [
                '/qurey: expected no property of this name, got the string "x" (did you mean "query"?)',
                '/more: expected no property of this name, got the number 1 (allowed here: "query")',
            ],
        ),
        ({"properties": {"a": False}}, {"a": 1}, ["/a: expected no property of this name, got the number 1"]),
        (
            {"properties": {"a/b~": {"items": {"type": "null"}}}},
            {"a/b~": [0]},
            ["/a~1b~0/0: expected null, got the number 0"],
        ),
        (
            {"dependentRequired": {"a": ["b"]}},
            {"a": 1},
            ['/b: expected a value, got nothing (it is required beside "a")'],
        ),
        (
            {"propertyNames": {"maxLength": 2}},
            {"abc": 1},
            [
                '/abc: expected a string of at most 2 characters, got the string "abc" (this is about the property\'s name)'
            ],
        ),
        (
            {"uniqueItems": True},
            [1, "1", True, 1.0],
            ["(root): expected an array without equal items, got an array of 4 items (items 0 and 3 are equal)"],
        ),
        (
            {"contains": {"type": "integer"}, "minContains": 2},
            [1],
            ["(root): expected an array with at least 2 items that can be an integer, got an array of 1 item"],
        ),
        ({"not": {"type": "string"}}, "x", ['(root): expected anything but a string, got the string "x"']),
        (False, {"a": 1}, ['(root): expected nothing here: no value is allowed, got an object with "a"']),
        (
            VALUE,
            {},
            ["(root): expected a string, an integer or an array where each item is a string, got an empty object"],
        ),
        (VALUE, [1, "x"], ["/0: expected a string, got the number 1"]),
        (
            {"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}]},
            9,
            ["(root): expected a number of at most 5, got the number 9"],
        ),
        (SHAPE, {"kind": "sqare"}, ['/kind: expected "circle" or "square", got the string "sqare"']),
        (SHAPE, {}, ['/kind: expected "circle" or "square", got nothing (it is required)']),
        (
            SHAPE,
            {"kind": "circle", "radius": -1},
            [
                '/radius: expected a number greater than 0, got the number -1 (to be "Circle", the closest of 2 alternatives)'
            ],
        ),
        (
            {"oneOf": [{"minLength": 2}, {"maxLength": 4}]},
            "abc",
            [
                (
                    '(root): expected a value that fits only one alternative, got the string "abc"'
                    " (it fits a string of at least 2 characters and a string of at most 4 characters)"
                )
            ],
        ),
        (
            CONDITIONAL,
            {"c": "red"},
            [
                '/x: expected a value, got nothing (it is required; this applies because the value is an object where "c" is "red")'
            ],
        ),
        (
            CONDITIONAL,
            {"c": "blue"},
            [
                (
                    '/c: expected a string of at most 3 characters, got the string "blue"'
                    ' (this applies because the value is not an object where "c" is "red")'
                )
            ],
        ),
        ({"unevaluatedItems": False, "prefixItems": [True]}, [1, 2], ["/1: expected no item here, got the number 2"]),
        (
            {"properties": {"name": {}}, "unevaluatedProperties": False},
            {"nam": 1},
            ['/nam: expected no property of this name, got the number 1 (did you mean "name"?)'],
        ),
    ],
)
def test_told_in_one_line_each(schema: Any, value: Any, lines: list[str]) -> None:
    compiled = validators(schema)
    assert not compiled.agree(value)
    assert compiled.lines(value) == lines


def test_every_violation_is_listed() -> None:
    properties = {"a": {"type": "string"}, "b": {"enum": [1]}, "c": {"items": {"type": "integer"}}}
    compiled = validators({"properties": properties, "required": ["d", "e"], "maxProperties": 2})
    value = {"a": 1, "b": 2, "c": ["x", 1, "y"]}
    assert sorted(violation.pointer for violation in compiled.violations(value)) == [
        "", "/a", "/b", "/c/0", "/c/2", "/d", "/e"
    ]  # fmt: skip


def test_long_and_odd_values_are_shortened_and_stay_on_one_line() -> None:
    compiled = validators({"type": "integer"})
    for value, found in (
        ("x" * 1000, f'the string "{"x" * 57}..." of 1000 characters'),
        ("a\nb\u2028\x1b\ud800", 'the string "a\\nb\\u2028\\u001b\\ud800"'),
        ({f"k{i}": i for i in range(9)}, 'an object with "k0", "k1", "k2", "k3" and 5 more'),
        ((1,), "a Python tuple, which is no JSON value"),
        (0.5, "the number 0.5"),
    ):
        [line] = compiled.lines(value)
        assert line == f"(root): expected an integer, got {found}"
    [line] = compiled.lines([[1] * 9])
    assert line.endswith("an array of 1 item")
    assert validators({"type": "string"}).lines(10**100) == ["(root): expected a string, got an integer of 333 bits"]
    [line] = validators({"additionalProperties": {"type": "integer"}}).lines({"x" * 5000 + "\n": ""})
    assert len(line) < 300


def test_a_violation_holds_its_parts() -> None:
    [violation] = validators({"properties": {"a": {"type": "string"}}}).violations({"a": 1})
    assert isinstance(violation, Violation)
    assert (violation.pointer, violation.expected, violation.found) == ("/a", "a string", "the number 1")
    assert (violation.hint, violation.keyword) == ("", "type")
    assert repr(violation) == "<Violation of type: /a: expected a string, got the number 1>"


def test_a_violation_reached_in_two_ways_is_told_once() -> None:
    tree = {"allOf": [{"properties": {"a": {"$ref": "#"}}}] * 2, "type": ["object", "integer"]}
    assert validators(tree).lines({"a": {"a": "x"}}) == ['/a/a: expected an integer or an object, got the string "x"']
