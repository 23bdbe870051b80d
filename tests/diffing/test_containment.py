"""Single questions of containment, each with the answer that follows from what the keywords mean."""

from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from toolmint.diffing.containment import Containment, contains
from toolmint.diffing.documents import Document

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def obj(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


LIST_OF = {
    "$ref": "#/$defs/node",
    "$defs": {"node": obj(properties={"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}})},
}
WIDER_LIST = {
    "$ref": "#/$defs/cell",
    "$defs": {"cell": obj(properties={"next": {"$ref": "#/$defs/cell"}, "value": {"type": "number"}})},
}
SHAPES = [
    obj(properties={"kind": {"const": "circle"}, "radius": {"type": "number"}}, required=["kind", "radius"]),
    obj(properties={"kind": {"const": "square"}, "side": {"type": "number"}}, required=["kind", "side"]),
]

EQUIVALENT = [
    ({"type": ["string", "null"]}, {"anyOf": [{"type": "null"}, {"type": "string"}]}),
    ({"const": "a"}, {"enum": ["a"]}),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    ({"type": "integer", "minimum": 0.5}, {"type": "integer", "exclusiveMinimum": 0}),
    ({"type": "integer"}, {"type": "number", "multipleOf": 1}),
    ({"enum": [1, 2.0]}, {"enum": [2, 1.0]}),
    ({"type": "boolean"}, {"enum": [True, False]}),
    ({"type": "null"}, {"const": None}),
    ({"type": "string", "minLength": 3}, {"type": "string", "minLength": 3.0}),
    (obj(), obj(additionalProperties=True)),
    (obj(), obj(additionalProperties={})),
    (obj(properties={"a": False}), {"type": "object", "properties": {"a": {"not": {}}}}),
    ({"allOf": [{"minimum": 1}, {"maximum": 5}]}, {"minimum": 1, "maximum": 5}),
    ({"allOf": [{"type": "string"}, {"maxLength": 5}, {"maxLength": 9}]}, {"type": "string", "maxLength": 5}),
    ({}, True),
    ({"not": {}}, False),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}, {"type": "string"}),
    ({"$ref": "#name", "$defs": {"x": {"$anchor": "name", "type": "string"}}}, {"type": "string"}),
    ({"anyOf": SHAPES}, {"oneOf": SHAPES}),
    ({"oneOf": [{"minimum": 3}, {"maximum": 5}]}, {"oneOf": [{"maximum": 5}, {"minimum": 3}]}),
    ({"type": "array", "items": {"type": "string"}, "maxItems": 0}, {"type": "array", "maxItems": 0}),
    ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, {
        "$schema": DRAFT_07, "type": "array", "items": [{"type": "string"}], "additionalItems": False,
    }),
    ({"dependentRequired": {"a": ["b"]}}, {"$schema": DRAFT_07, "dependencies": {"a": ["b"]}}),
    ({"title": "One", "type": "string", "x-own": 1}, {"type": "string", "description": "Another."}),
    ({"if": {"type": "string"}, "then": {"minLength": 1}}, {"then": {"minLength": 1}, "if": {"type": ["string"]}}),
    (obj(propertyNames={"enum": ["a"]}, additionalProperties={"type": "string"}),
     obj(properties={"a": {"type": "string"}}, additionalProperties=False)),
]  # fmt: skip

NARROWER = [
    ({"type": "string", "maxLength": 5}, {"type": "string", "maxLength": 100}),
    ({"type": "string", "minLength": 2}, {"type": "string", "minLength": 1}),
    ({"type": "integer"}, {"type": "number"}),
    ({"type": "number", "minimum": 3}, {"type": "number", "exclusiveMinimum": 2}),
    ({"type": "number", "exclusiveMinimum": 2}, {"type": "number", "minimum": 2}),
    ({"type": "integer", "multipleOf": 6}, {"type": "integer", "multipleOf": 3}),
    ({"enum": ["a"]}, {"enum": ["a", "b"]}),
    ({"enum": ["a", "bc"]}, {"type": "string", "pattern": "^[abc]+$"}),
    ({"type": "string", "pattern": "^a"}, {"type": "string"}),
    ({"type": "string"}, {"type": ["string", "integer"]}),
    (obj(properties={"a": {"type": "string"}}, required=["a"]), obj(properties={"a": {"type": "string"}})),
    (obj(properties={"a": {"type": "string"}}), obj()),
    (obj(properties={"a": {}}, additionalProperties=False), obj(properties={"a": {}, "b": {}})),
    (obj(additionalProperties={"type": "integer"}), obj(additionalProperties={"type": "number"})),
    (obj(patternProperties={"^x": {"const": 1}}), obj(patternProperties={"^x": {"type": "integer"}})),
    (obj(properties={"xa": {"const": "a"}}), obj(properties={"xa": {"type": "string"}})),
    (obj(minProperties=2), obj(minProperties=1)),
    (obj(maxProperties=1), obj(maxProperties=2)),
    (obj(required=["a", "b"]), obj(minProperties=2)),
    (obj(propertyNames={"maxLength": 2}), obj(propertyNames={"maxLength": 3})),
    (obj(required=["a", "b"]), obj(dependentRequired={"a": ["b"]})),
    (obj(dependentSchemas={"a": {"required": ["b", "c"]}}), obj(dependentRequired={"a": ["b"]})),
    ({"type": "array", "items": {"const": 1}}, {"type": "array", "items": {"type": "integer"}}),
    ({"type": "array", "maxItems": 1}, {"type": "array", "uniqueItems": True}),
    ({"type": "array", "minItems": 2}, {"type": "array", "minItems": 1}),
    ({"type": "array", "items": {"const": 1}, "minItems": 1}, {"contains": {"type": "integer"}}),
    ({"contains": {"const": 1}, "minContains": 2}, {"contains": {"type": "integer"}}),
    ({"type": "array", "prefixItems": [{"const": 1}], "items": False}, {"type": "array", "maxItems": 1}),
    ({"anyOf": SHAPES[:1]}, {"anyOf": SHAPES}),
    (SHAPES[0], {"oneOf": SHAPES}),
    (obj(properties={"k": {"enum": ["x", "y"]}}, required=["k"]),
     {"anyOf": [obj(properties={"k": {"const": "x"}}), obj(properties={"k": {"const": "y"}})]}),
    ({"not": {"type": ["string", "null"]}}, {"not": {"type": "string"}}),
    ({"type": "integer"}, {"not": {"type": "string"}}),
    ({"if": {"type": "string"}, "then": {"minLength": 3}}, {"if": {"type": "string"}, "then": {"minLength": 2}}),
    ({"const": 5}, {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 3}}),
    (LIST_OF, WIDER_LIST),
    ({"type": "string", "format": "uuid"}, {"type": "string"}),
    (False, {"type": "string"}),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), EQUIVALENT)
def test_equivalent_spellings_contain_each_other(one: Any, other: Any) -> None:
    assert contains(one, other).answer == "yes"
    assert contains(other, one).answer == "yes"


@pytest.mark.parametrize(("narrow", "wide"), NARROWER)
def test_a_narrower_schema_is_contained(narrow: Any, wide: Any) -> None:
    assert contains(narrow, wide).answer == "yes"


@pytest.mark.parametrize(("narrow", "wide"), [pair for pair in NARROWER if "format" not in str(pair)])
def test_a_wider_schema_is_not_contained_and_the_witness_shows_it(narrow: Any, wide: Any) -> None:
    verdict = contains(wide, narrow)
    assert verdict.answer == "no"
    assert _valid(wide, verdict.witness)
    assert not _valid(narrow, verdict.witness)


def _valid(schema: Any, value: Any) -> bool:
    draft_07 = isinstance(schema, dict) and schema.get("$schema") == DRAFT_07
    return bool((Draft7Validator if draft_07 else Draft202012Validator)(schema).is_valid(value))


UNDECIDABLE = [
    ({"pattern": "^a"}, {"pattern": "^(a|b)"}, "patterns"),
    ({"type": "string"}, {"type": "string", "format": "uuid"}, "format"),
    ({"type": "string"}, {"$ref": "https://example.com/schema"}, "leads nowhere"),
    ({"type": "string"}, {"$ref": "#/$defs/missing"}, "leads nowhere"),
    ({"type": "strin"}, {"type": "string"}, "invalid"),
    ({"type": "string"}, {"type": "string", "minLength": "1"}, "invalid"),
    ({"$schema": "http://json-schema.org/draft-04/schema#"}, {"type": "string"}, "dialect"),
    ({"$dynamicRef": "#x"}, {"$dynamicRef": "#y", "$defs": {"y": {"$dynamicAnchor": "y"}}}, ""),
]


@pytest.mark.parametrize(("left", "right", "reason"), UNDECIDABLE)
def test_what_cannot_be_decided_is_said_so_with_a_reason(left: Any, right: Any, reason: str) -> None:
    verdict = contains(left, right)
    assert verdict.answer == "cannot tell"
    assert reason in verdict.failures[0].reason


def test_what_is_written_alike_is_contained_even_if_it_cannot_be_understood() -> None:
    schema = obj(properties={"a": {"$dynamicRef": "#x"}, "b": {"$ref": "urn:elsewhere"}}, unevaluatedProperties=False)
    assert contains({**schema, "properties": {**schema["properties"], "b": {}}}, schema).answer != "yes"
    assert (
        contains(obj(unevaluatedProperties=False, anyOf=SHAPES), obj(anyOf=SHAPES, unevaluatedProperties=False)).answer
        == "yes"
    )


def test_a_reference_to_itself_ends_and_is_no_yes() -> None:
    assert contains({"type": "string"}, {"$ref": "#"}).answer == "cannot tell"


def test_a_pattern_against_none_is_decided_by_a_value() -> None:
    verdict = contains({"type": "string"}, {"type": "string", "pattern": r"^\d{3}$"})
    assert verdict.answer == "no"
    assert not verdict.witness.isdigit()


def test_a_pattern_counts_as_ecma_262_has_it() -> None:
    # Python takes an Arabic digit for \d; ECMA-262, which JSON Schema means, does not.
    assert contains({"const": "\u0663"}, {"pattern": r"^\d$"}).answer == "no"
    assert contains({"const": "3"}, {"pattern": r"^\d$"}).answer == "yes"


def test_a_witness_obeys_the_pattern_of_the_left_side() -> None:
    left = {"type": "string", "pattern": r"^[A-Z]{2,}-\d+$"}
    assert contains(left, {"type": "string", "maxLength": 4}).answer == "no"


def test_every_break_of_an_object_is_found_with_its_own_witness() -> None:
    old = obj(properties={"a": {"type": "string"}, "b": {"enum": ["x", "y"]}, "c": {"type": "integer"}})
    new = obj(
        properties={"a": {"type": "string", "maxLength": 2}, "b": {"enum": ["x"]}, "c": {"minimum": 0}}, required=["c"]
    )
    failures = contains(old, new).failures
    assert {(failure.keyword, failure.right.pointer) for failure in failures} == {
        ("maxLength", "/properties/a"),
        ("enum", "/properties/b"),
        ("minimum", "/properties/c"),
        ("required", ""),
    }
    assert all(failure.proven for failure in failures)


def test_a_break_inside_a_union_is_found_where_it_is() -> None:
    old = {"oneOf": SHAPES}
    changed = {**SHAPES[0], "properties": {**SHAPES[0]["properties"], "radius": {"type": "number", "minimum": 0}}}
    (failure,) = contains(old, {"oneOf": [SHAPES[1], changed]}).failures
    assert failure.right.pointer == "/oneOf/1/properties/radius"
    assert failure.witness["kind"] == "circle"


def test_what_can_never_occur_breaks_nobody() -> None:
    old = obj(properties={"a": False, "b": {"type": "string"}})
    new = obj(properties={"a": {"type": "string"}, "b": {"type": "string"}}, dependentRequired={"a": ["c"]})
    assert contains(old, new).answer == "yes"
    impossible = obj(properties={"a": {"type": "string", "minLength": 5, "maxLength": 2}}, required=["a"])
    assert contains(impossible, {"type": "null"}).answer == "yes"


def test_an_undescribed_property_is_excused_only_where_that_is_asked_for() -> None:
    old, new = obj(properties={"a": {}}), obj(properties={"a": {}, "b": {"type": "integer"}})
    assert contains(old, new).answer == "no"
    verdict = Containment(excuse_undescribed=True).compare(Document(old), Document(new))
    assert [failure.excused for failure in verdict.failures] == [True]


def test_too_large_a_question_ends_and_is_no_yes() -> None:
    inner: Any = {"type": "integer"}
    other: Any = {"type": "number"}
    for depth in range(400):
        inner, other = {"items": inner, "minItems": 1, "title": str(depth)}, {"minItems": 1, "items": other}
    assert contains(inner, other).answer in ("yes", "cannot tell")
    assert contains(other, inner).answer in ("no", "cannot tell")


def test_an_assumption_that_fails_is_not_kept() -> None:
    # In the first alternative, `down` holds only if `up` does, which its leaf refutes afterwards; the second alternative
    # meets `down` again and must not go by what was found of it then.
    def definitions(leaf: str) -> dict[str, Any]:
        return {
            "Up": {"allOf": [{"$ref": "#/$defs/Down"}, {"properties": {"leaf": {"type": leaf}}}]},
            "Down": obj(properties={"down": {"$ref": "#/$defs/Start"}}),
            "Start": obj(properties={"up": {"$ref": "#/$defs/Up"}}),
        }

    old = {"$ref": "#/$defs/Start", "$defs": definitions("number")}
    second = obj(properties={"up": {"$ref": "#/$defs/Down"}})
    new = {"anyOf": [{"$ref": "#/$defs/Start"}, second], "$defs": definitions("integer")}
    witness = {"up": {"down": {"up": {"leaf": 0.5}}}}
    assert _valid(old, witness)
    assert not _valid(new, witness)
    assert contains(old, new).answer != "yes"


WIDER = [
    ({"type": "integer"}, {"not": {"minimum": 5}}),
    ({"not": {"type": "string"}}, {"not": {"type": ["string", "array"]}}),
    ({"type": "integer"}, {"if": {"minimum": 5}, "then": {"multipleOf": 2}}),
    ({"type": "integer"}, {"if": {"minimum": 5}, "else": {"multipleOf": 2}}),
    ({"type": "array", "items": {"type": "integer"}}, {"contains": {"minimum": 3}}),
    (obj(required=["a"]), obj(dependentRequired={"a": ["b"]})),
    (obj(), obj(propertyNames={"maxLength": 3})),
    (obj(properties={"a": {}}, additionalProperties=False), obj(properties={"b": {}}, additionalProperties=False)),
    ({"oneOf": [{"minimum": 3}, {"maximum": 5}]}, {"oneOf": [{"minimum": 3}, {"maximum": 6}]}),
    ({"type": "integer"}, {"oneOf": [{"minimum": 0}, {"maximum": 0}]}),
    (obj(patternProperties={"^x": {"type": "number"}}), obj(patternProperties={"^x": {"type": "integer"}})),
    (obj(additionalProperties={"type": "number"}), obj(properties={"a": {"type": "integer"}})),
    ({"prefixItems": [{"type": "number"}], "type": "array"}, {"prefixItems": [{"type": "integer"}]}),
    ({"type": "array", "prefixItems": [{}, {"type": "number"}]}, {"items": {"type": "integer"}}),
    ({"anyOf": [{"type": "string", "minLength": length} for length in range(250)]}, {"type": "string", "minLength": 1}),
    (LIST_OF, {**LIST_OF, "$defs": {"node": obj(properties={"next": {"$ref": "#/$defs/node"}}, required=["next"])}}),
]


@pytest.mark.parametrize(("wide", "narrow"), WIDER)
def test_what_is_not_contained_is_shown_by_a_value(wide: Any, narrow: Any) -> None:
    verdict = contains(wide, narrow)
    assert verdict.answer == "no"
    assert _valid(wide, verdict.witness)
    assert not _valid(narrow, verdict.witness)
