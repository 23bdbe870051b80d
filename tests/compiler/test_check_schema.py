"""Everything that makes a schema unusable is told at once, each with a pointer, a reason and what to do."""

from typing import Any

import pytest

from compiler.loading import validators
from toolmint.compiler import DRAFT_07, SchemaError, check_schema, compile_schema


def faults(schema: Any, **options: Any) -> list[tuple[str, str]]:
    return [(error.pointer, error.message) for error in check_schema(schema, **options)]


def test_all_faults_at_once_in_the_order_of_the_document() -> None:
    schema = {
        "properties": {
            "a/b": {"type": "strng"},
            "c": {"minLength": -1, "pattern": "("},
            "d": {"$ref": "#/$defs/Fliter"},
            "e": {"$ref": "https://example.com/schema.json"},
            "f": {"properties": {"g": {"required": "name"}}},
        },
        "$defs": {"Filter": {}},
    }
    assert [error.pointer for error in check_schema(schema)] == [
        "/properties/a~1b/type",
        "/properties/c/minLength",
        "/properties/c/pattern",
        "/properties/d/$ref",
        "/properties/e/$ref",
        "/properties/f/properties/g/required",
    ]
    with pytest.raises(SchemaError, match="type is"):
        compile_schema(schema, prefix="value")


@pytest.mark.parametrize(
    ("schema", "pointer", "message", "hint"),
    [
        ({"type": "strng"}, "/type", 'type is "strng", expected one of null, boolean', "did you mean 'string'?"),
        ({"properties": []}, "/properties", "properties is [], expected an object", ""),
        ({"items": 5}, "/items", "items is 5, expected an object or a boolean", ""),
        ({"required": ["a", 1]}, "/required/1", "required is 1, expected a string", ""),
        (
            {"$ref": "#/$defs/Fliter", "$defs": {"Filter": {}}},
            "/$ref",
            "$ref '#/$defs/Fliter' leads to nothing: there is no 'Fliter' in /$defs",
            "did you mean 'Filter'?",
        ),
        ({"$ref": "#Fliter", "$anchor": "Filter"}, "/$ref", "there is no such anchor", "did you mean 'Filter'?"),
        ({"$ref": "https://example.com/a.json"}, "/$ref", "leads to the network, which is never asked", "$defs"),
        ({"$ref": "other.json#/a"}, "/$ref", "leads to another document, 'other.json'", "$defs"),
        ({"$ref": "#/properties", "properties": {"a": {}}}, "/$ref", "", ""),
        ({"$ref": "#/required/0", "required": ["a"]}, "/$ref", "leads to a string, which is no schema", "point at"),
        (
            {"$schema": "http://json-schema.org/draft-04/schema#"},
            "/$schema",
            "is not supported",
            "2020-12/schema and http",
        ),
        ({"pattern": "(?P<a>b)"}, "/pattern", "only other languages have", "(?<name>...)"),
        ({"patternProperties": {"a/(": {}}}, "/patternProperties/a~1(", "not closed", ""),
        ({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}, "/$defs/b/$anchor", "used twice", "rename"),
        ({"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}, "/$defs/b/$id", "used twice", "rename"),
        ({"minimum": float("nan")}, "/minimum", "cannot be written in JSON", "finite"),
        ({"const": {1: 2}}, "/const", "the name 1 is no string", "quotes"),
        ({"const": (1, 2)}, "/const", "a Python tuple is no JSON value", "quotes"),
        ([], "", "a schema is an object or a boolean, this is an array", "{}"),
        ("string", "", "this is a string", "{}"),
    ],
)
def test_fault(schema: Any, pointer: str, message: str, hint: str) -> None:
    errors = check_schema(schema)
    if not message:
        assert errors == []
        return
    [error] = errors
    assert error.pointer == pointer
    assert message in error.message
    assert hint in error.hint
    assert str(error).startswith(error.message)


def test_a_schema_that_is_fine_has_no_faults() -> None:
    for schema in (True, False, {}, {"type": "object", "default": None, "x-more": 1, "format": "unheard-of"}):
        assert check_schema(schema) == []


def test_what_is_hidden_beside_a_draft_07_reference_is_not_looked_at() -> None:
    schema = {
        "$schema": f"{DRAFT_07}#",
        "$ref": "#/definitions/a",
        "pattern": "(",
        "definitions": {"a": {"minimum": 1}},
    }
    assert faults(schema) == []
    assert validators(schema).is_valid("anything")


def test_the_default_dialect_decides_where_the_schema_does_not() -> None:
    tuple_items = {"items": [{"type": "string"}]}
    assert faults(tuple_items) == [("/items", 'items is [{"type": "string"}], expected an object or a boolean')]
    assert faults(tuple_items, default_dialect=DRAFT_07) == []
    with pytest.raises(ValueError, match="default_dialect"):
        check_schema({}, default_dialect="draft-04")


def test_a_dialect_may_differ_in_an_embedded_resource() -> None:
    schema = {
        "$defs": {"old": {"$id": "old", "$schema": DRAFT_07, "items": [{"type": "string"}], "additionalItems": False}},
        "properties": {"a": {"$ref": "old"}},
    }
    compiled = validators(schema)
    assert compiled.agree({"a": ["x"]})
    assert not compiled.agree({"a": ["x", "y"]})
    assert not compiled.agree({"a": [1]})


@pytest.mark.parametrize(
    "uri", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
)
def test_a_reference_to_a_metaschema_needs_no_network(uri: str) -> None:
    compiled = validators({"properties": {"schema": {"$ref": uri}}})
    assert compiled.agree({"schema": {"properties": {"a": {"type": "string", "minLength": 1}}}})
    assert not compiled.agree({"schema": {"properties": {"a": {"type": "strng"}}}})


def test_the_metaschema_compiles_itself() -> None:
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    metaschema = REGISTRY.contents("https://json-schema.org/draft/2020-12/schema")
    assert check_schema(metaschema) == []
    assert validators(metaschema).agree(metaschema)
