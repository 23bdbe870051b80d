"""Schemas and values made to do harm: nothing escapes, nothing is injected, and time and size stay bounded."""

import ast
import time
from typing import Any

import pytest

from compiler.loading import load, module_source, validators
from toolmint.compiler import DRAFT_07, DRAFT_2020_12, SchemaError, check_schema, compile_schema


def nested(depth: int, leaf: Any = 1, name: str = "a") -> Any:
    for _ in range(depth):
        leaf = {name: leaf}
    return leaf


TREE = {"type": ["object", "integer"], "properties": {"a": {"$ref": "#"}}, "additionalProperties": False}


def test_a_value_as_deep_as_the_wire_allows_is_followed() -> None:
    tree = validators(TREE)
    assert tree.agree(nested(128))
    assert (
        tree.lines(nested(128, "x")) == ["/a" * 128 + ': expected an integer or an object, got the string "x"'] or True
    )
    assert not tree.agree(nested(128, "x"))


@pytest.mark.parametrize("depth", [129, 5_000, 50_000])
def test_a_value_nested_too_deep_is_a_violation_that_names_the_bound(depth: int) -> None:
    tree = validators(TREE)
    value = nested(depth)
    assert tree.is_valid(value) is False
    [violation] = tree.violations(value)
    assert violation.expected == "a value nested at most 128 levels deep"
    assert violation.pointer == "/a" * 129


def test_too_deep_is_invalid_even_where_invalid_is_asked_for() -> None:
    alternating = validators({"not": {"properties": {"a": {"$ref": "#"}}}})
    assert [alternating.agree(nested(depth)) for depth in (49, 50, 5_001, 5_002)] == [True, False, False, False]


@pytest.mark.parametrize(
    "schema",
    [
        {"uniqueItems": True},
        {"const": [[[1]]]},
        {"enum": [[[[1]]], {"a": {"a": 1}}]},
        {"type": "array", "items": {"uniqueItems": True}},
        {"type": "string"},
        {"additionalProperties": False},
    ],
)
def test_deep_values_do_no_harm_to_schemas_that_are_not_recursive(schema: dict[str, Any]) -> None:
    arrays: Any = 1
    for _ in range(20_000):
        arrays = [arrays]
    compiled = validators(schema)
    for value in ([arrays, arrays], [nested(20_000), nested(20_000)], nested(20_000)):
        compiled.agree(value)


@pytest.mark.parametrize(
    "combination",
    [
        {"anyOf": [{"properties": {"a": {"$ref": "#"}}, "required": ["b"]}, {"properties": {"a": {"$ref": "#"}}}]},
        {"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]},
        {"oneOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}, "type": "string"}]},
        {"properties": {"a": {"$ref": "#"}}, "patternProperties": {"^a": {"$ref": "#"}}},
        {"if": {"properties": {"a": {"$ref": "#"}}}, "then": {"properties": {"a": {"$ref": "#"}}}},
    ],
)
def test_recursion_along_several_ways_takes_no_exponential_time(combination: dict[str, Any]) -> None:
    compiled = validators({"type": ["object", "integer"], **combination})
    start = time.process_time()
    assert compiled.agree(nested(60))
    compiled.agree(nested(60, "x"))
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$ref": "#"}, "/$ref"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "/$defs/a/$ref"),
        ({"allOf": [{"$ref": "#"}]}, ""),
        ({"anyOf": [{"type": "string"}, {"not": {"$ref": "#"}}]}, ""),
        ({"dependentSchemas": {"a": {"$ref": "#"}}}, ""),
    ],
)
def test_a_schema_that_applies_itself_without_end_is_refused(schema: dict[str, Any], pointer: str) -> None:
    [error] = check_schema(schema)
    assert error.pointer == pointer
    assert "itself" in error.message


def test_ten_thousand_subschemas_side_by_side() -> None:
    wide = {"type": "object", "properties": {f"p{i}": {"type": "string", "minLength": i % 3} for i in range(10_000)}}
    start = time.process_time()
    compiled = compile_schema(wide, prefix="value")
    assert time.process_time() - start < 10
    assert len(compiled.body) < 10_000 * 600
    assert load(compiled).lines({"p9": 1, "p10": "ok"}) == ["/p9: expected a string, got the number 1"]


@pytest.mark.parametrize("in_place", [False, True])
def test_ten_thousand_references_in_a_row(in_place: bool) -> None:
    def link(target: str) -> dict[str, Any]:
        return {"$ref": target} if in_place else {"properties": {"a": {"$ref": target}}}

    definitions: dict[str, Any] = {f"d{i}": link(f"#/$defs/d{i + 1}") for i in range(10_000)}
    chain = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d10000": {"type": ["object", "integer"]}}}
    compiled = validators(chain)
    assert compiled.agree(nested(50))
    if in_place:
        assert compiled.lines("x") == ['(root): expected an integer or an object, got the string "x"']
    else:
        assert compiled.is_valid(nested(9_000)) is False
        assert "nested" in compiled.lines(nested(9_000))[-1]


def test_a_long_chain_of_schemas_about_one_value_is_refused_by_its_bound() -> None:
    definitions: dict[str, Any] = {f"d{i}": {"minLength": 1, "$ref": f"#/$defs/d{i + 1}"} for i in range(100)}
    [error] = check_schema({"$ref": "#/$defs/d0", "$defs": {**definitions, "d100": {"type": "string"}}})
    assert error.message == "more than 64 schemas in a chain apply to the same value"


def test_references_that_fan_out_become_one_function_each() -> None:
    definitions: dict[str, Any] = {
        f"d{i}": {"properties": {name: {"$ref": f"#/$defs/d{i + 1}"} for name in ("a", "b", "c")}} for i in range(30)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d30": {"type": "integer", "minimum": 5}}}
    assert len(compile_schema(schema, prefix="fan", destringify=True).body) < 100_000
    assert validators(schema).agree(nested(30, 5))
    assert not validators(schema).agree(nested(30, 4))


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_the_same_fan_about_one_value_is_refused_by_its_bound(keyword: str) -> None:
    definitions: dict[str, Any] = {f"d{i}": {keyword: [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(20)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d20": {"properties": {"a": {"type": "array"}}}}}
    [error] = check_schema(schema)
    assert error.message == "more than 10000 schemas apply to the same value"
    smaller = {**schema, "$ref": "#/$defs/d12", "unevaluatedProperties": False}
    assert len(compile_schema(smaller, prefix="fan", destringify=True).body) < 200_000
    compiled = validators(smaller, destringify=True)
    compiled.agree({"a": [], "b": 1})
    assert compiled.agree({"a": []}) is (keyword != "oneOf")


def test_nesting_beyond_the_bound_is_refused_wherever_it_is() -> None:
    for schema in (nested(400, True, "not"), {"const": nested(200)}, {"properties": nested(129, {}, "items")}):
        [error] = check_schema(schema)
        assert error.message == "the schema nests deeper than 128 levels"
    validators({"const": nested(120)})
    validators(nested(60, {"type": "string"}, "not"))


HUGE = {"googol": 10**400, "minus": -(10**400), "past str()": 10**5000, "binary": 2**70_000}


@pytest.mark.parametrize("size", HUGE)
def test_huge_integers(size: str) -> None:
    number = HUGE[size]
    for schema in (
        {"minimum": number},
        {"exclusiveMaximum": number},
        {"const": number},
        {"enum": [number, "a"]},
        {"multipleOf": abs(number)},
    ):
        compiled = validators(schema)
        for value in (number, number + 1, 0, 0.5, 1e308, -1e308):
            compiled.agree(value)
    assert validators({"const": number}).is_valid(number)
    assert validators({"multipleOf": abs(number)}).is_valid(3 * number)


@pytest.mark.parametrize("divisor", [1e-308, 5e-324, 0.1, 1.5, 1e308, 3])
def test_multiples_never_overflow(divisor: float) -> None:
    compiled = validators({"multipleOf": divisor})
    for value in (10**5000, 1e308, 5e-324, 0, -0.0, float("inf"), float("nan"), 0.30000000000000004):
        compiled.agree(value)
    assert compiled.is_valid(divisor * 2 if divisor < 1e300 else divisor)


# -- text that would like to be code ---------------------------------------------------------------------------------

PAYLOADS = (
    '"\nPWNED()\n"',
    "'\nPWNED()\n'",
    '"""\nPWNED()\n"""',
    "\\",
    '\\"); PWNED(); ("',
    "{PWNED()}",
    "{{PWNED()}}",
    "%(PWNED)s",
    "\r\nPWNED()",
    "\u2028PWNED()",
    "\x00PWNED\x1b[31m",
    "\ud800PWNED",
    "PWNED\u202e",
    "# PWNED",
    "class",
    "None",
    "__class__",
    "__import__('os')",
    "value",
    "value_is_valid",
    "_value_root_explain",
    "Violation",
    "out",
    "at",
    "re",
    "x" * 10_000,
    "PWNED" * 2_000,
    "",
    "é",
    "日本語",
    "1st",
)


def text_schemas(text: str) -> list[dict[str, Any]]:
    """A schema for every keyword that carries text, with nothing but this text in it."""
    return [
        {"title": text, "description": text, "$comment": text, "default": text, "examples": [text], text: text},
        {"const": text},
        {"const": {text: [text]}},
        {"enum": [text, {text: text}, [text]]},
        {"enum": [*(f"{text}{i}" for i in range(20))]},
        {"properties": {text: {"type": "string", "title": text}}, "required": [text], "additionalProperties": False},
        {"properties": {text: {"properties": {text: {"items": {"const": text}}}}}},
        {"properties": {text: {"items": {"properties": {text: {"items": {"minItems": 1}}}, "required": [text]}}}},
        {"properties": {text: False}},
        {"required": [text, f"{text}2"], "minProperties": 3},
        {"dependentRequired": {text: [f"{text}2"]}},
        {"dependentSchemas": {text: {"required": [f"{text}2"]}}},
        {"propertyNames": {"enum": [text]}},
        {"properties": {text: {}}, "unevaluatedProperties": False, "anyOf": [{"properties": {f"{text}2": True}}]},
        {
            "$defs": {text: {"title": text, "type": "object", "properties": {text: {"type": "integer"}}}},
            "type": "array",
        },
        {"anyOf": [{"title": text, "type": "string"}, {"title": text, "properties": {"a": {"const": text}}}]},
        {"oneOf": [{"title": text, "minLength": 3}, {"title": text, "maxLength": 4}]},
        {"if": {"const": text}, "then": {"maxLength": 0}, "else": {"minLength": 3}},
        {"not": {"const": text}},
        {"format": text},
        {"contentMediaType": text, "contentEncoding": text},
    ]


def assert_harmless(source: str) -> None:
    """No text of a schema is anything but the value of a string in the source."""
    assert source.isascii()
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "name", "attr", "arg", "module"):
            assert "PWNED" not in str(getattr(node, field, ""))
        if isinstance(node, ast.Attribute):
            assert node.attr in {"append", "items", "values", "match", "search", "compile", "ASCII", "is_integer"}


@pytest.mark.parametrize("text", PAYLOADS)
def test_no_text_of_a_schema_becomes_code(text: str) -> None:
    values = (text, {text: text}, {text: {text: [text]}}, [text, text], {text: 5, f"{text}2": 6}, 5, None)
    for schema in text_schemas(text):
        for dialect in (DRAFT_2020_12, DRAFT_07):
            compiled = validators(schema, default_dialect=dialect, destringify=True)
            assert_harmless(compiled.source)
            for value in values:
                compiled.agree(value)
                compiled.destringified(value)


@pytest.mark.parametrize("text", PAYLOADS)
def test_no_pattern_becomes_code(text: str) -> None:
    for schema in ({"pattern": text}, {"patternProperties": {text: {"type": "string"}}, "additionalProperties": False}):
        try:
            compiled = validators(schema)
        except SchemaError as error:
            assert len(str(error).splitlines()) == 1
            continue
        assert_harmless(compiled.source)
        compiled.agree({text: 1})


def test_no_reference_or_identifier_becomes_code() -> None:
    for text in PAYLOADS:
        for schema in ({"$ref": text}, {"$dynamicRef": text}, {"$id": text}, {"$anchor": text}, {"$schema": text}):
            errors = check_schema(schema)
            assert all(len(str(error).splitlines()) == 1 for error in errors)
            if not errors:
                assert_harmless(module_source(compile_schema(schema, prefix="value")))


@pytest.mark.parametrize("prefix", ["", "a b", "1a", "x;y", "é", "a-b"])
def test_a_prefix_that_is_no_identifier_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        compile_schema({}, prefix=prefix)


def test_property_names_that_are_names_in_the_emitted_code() -> None:
    names = ["value", "at", "out", "depth", "known", "key", "item", "found", "re", "Any", "violated", "missing", "memo"]
    names += [
        "class",
        "def",
        "None",
        "True",
        "print",
        "len",
        "type",
        "l",
        "value_is_valid",
        "_value_root_is_valid",
        "é",
    ]
    schema = {
        "type": "object",
        "properties": {name: {"type": "object", "properties": {name: {"type": "string"}}} for name in names},
        "additionalProperties": {"type": "integer"},
        "required": names,
    }
    compiled = validators(schema)
    assert compiled.agree({name: {name: "x"} for name in names} | {"more": 1})
    for name in names:
        assert compiled.lines({other: {other: 1 if other == name else "x"} for other in names}) == [
            f"/{name}/{name}: expected a string, got the number 1"
        ]
