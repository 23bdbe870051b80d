"""What the changes of a schema are called and what they mean, on the side callers send and on the side they receive."""

from typing import Any

import pytest

from toolmint.diffing.schemas import SchemaChange, Side, compare_schemas

Row = tuple[str, str, str]


def obj(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


def of(schema: Any) -> dict[str, Any]:
    return obj(properties={"p": schema})


def rows(changes: list[SchemaChange]) -> set[Row]:
    return {(change.classification, change.code, change.pointer) for change in changes}


TEXT = {"type": "string"}
ONE_CLOSED = {**of(TEXT), "additionalProperties": False}
TWO_CLOSED = obj(properties={"p": TEXT, "q": TEXT}, additionalProperties=False)

# Old and new schema; what the change is on an input; what it is on an output.
BOTH_SIDES: list[tuple[Any, Any, set[Row], set[Row]]] = [
    (
        of({**TEXT, "maxLength": 100}), of({**TEXT, "maxLength": 5}),
        {("breaking", "bound-tightened", "/properties/p/maxLength")},
        {("compatible", "bound-tightened", "/properties/p/maxLength")},
    ),
    (
        of(TEXT), of({**TEXT, "minLength": 1}),
        {("breaking", "bound-tightened", "/properties/p/minLength")},
        {("compatible", "bound-tightened", "/properties/p/minLength")},
    ),
    (
        of({"type": "integer", "minimum": 3}), of({"type": "integer"}),
        {("compatible", "bound-loosened", "/properties/p/minimum")},
        {("breaking", "bound-loosened", "/properties/p/minimum")},
    ),
    (
        of({"type": ["string", "null"]}), of(TEXT),
        {("breaking", "type-narrowed", "/properties/p/type")},
        {("compatible", "type-narrowed", "/properties/p/type")},
    ),
    (
        of({"type": "integer"}), of({"type": "number"}),
        {("compatible", "type-widened", "/properties/p/type")},
        {("breaking", "type-widened", "/properties/p/type")},
    ),
    (
        of(TEXT), of({"type": "integer"}),
        {("breaking", "type-narrowed", "/properties/p/type")},
        {("breaking", "type-widened", "/properties/p/type")},
    ),
    (
        of({"enum": ["a", "b"]}), of({"enum": ["a", "c"]}),
        {
            ("breaking", "enum-value-removed", "/properties/p/enum"),
            ("compatible", "enum-value-added", "/properties/p/enum"),
        },
        {
            ("compatible", "enum-value-removed", "/properties/p/enum"),
            ("breaking", "enum-value-added", "/properties/p/enum"),
        },
    ),
    (
        of(TEXT), of({"enum": ["a"]}),
        {("breaking", "enum-introduced", "/properties/p/enum")},
        {("compatible", "enum-introduced", "/properties/p/enum")},
    ),
    (
        of(TEXT), obj(properties={"p": TEXT}, required=["p"]),
        {("breaking", "property-required", "/properties/p")},
        {("compatible", "property-required", "/properties/p")},
    ),
    (
        of(TEXT), obj(properties={"p": TEXT, "q": TEXT}),
        {("compatible", "property-added", "/properties/q")},
        {("compatible", "property-added", "/properties/q")},
    ),
    (
        of(TEXT), obj(properties={"p": TEXT, "q": TEXT}, required=["q"]),
        {("breaking", "property-required", "/properties/q")},
        {("compatible", "property-required", "/properties/q")},
    ),
    (
        obj(properties={"p": TEXT, "q": TEXT}), of(TEXT),
        {("compatible", "property-undescribed", "/properties/q")},
        {("breaking", "property-undescribed", "/properties/q")},
    ),
    (
        obj(properties={"p": TEXT, "q": TEXT}, required=["q"]), of(TEXT),
        {("compatible", "property-optional", "/properties/q"), ("compatible", "property-undescribed", "/properties/q")},
        {("breaking", "property-optional", "/properties/q"), ("breaking", "property-undescribed", "/properties/q")},
    ),
    (
        TWO_CLOSED, ONE_CLOSED,
        {("breaking", "property-removed", "/properties/q")},
        {("compatible", "property-removed", "/properties/q")},
    ),
    (
        ONE_CLOSED, TWO_CLOSED,
        {("compatible", "property-added", "/properties/q")},
        {("breaking", "property-added", "/properties/q")},
    ),
    (
        of(TEXT), {**of(TEXT), "additionalProperties": False},
        {("breaking", "object-closed", "/additionalProperties")},
        {("compatible", "object-closed", "/additionalProperties")},
    ),
    (
        {**of(TEXT), "additionalProperties": False}, of(TEXT),
        {("compatible", "object-opened", "/additionalProperties")},
        {("breaking", "object-opened", "/additionalProperties")},
    ),
    (
        of({"anyOf": [TEXT, {"type": "integer"}]}), of({"anyOf": [TEXT]}),
        {("breaking", "type-narrowed", "/properties/p/anyOf")},
        {("compatible", "type-narrowed", "/properties/p/anyOf")},
    ),
    (
        of({**TEXT, "pattern": "^a"}), of({**TEXT, "pattern": "^[a-b]"}),
        {("cannot-tell", "pattern-changed", "/properties/p/pattern")},
        {("breaking", "pattern-changed", "/properties/p/pattern")},  # "b" shows it
    ),
    (
        of({**TEXT, "format": "uuid"}), of(TEXT),
        {("compatible", "format-removed", "/properties/p/format")},
        {("cannot-tell", "format-removed", "/properties/p/format")},
    ),
    (
        of({**TEXT, "description": "One."}), of({**TEXT, "description": "Two."}),
        {("wording", "description-changed", "/properties/p/description")},
        {("wording", "description-changed", "/properties/p/description")},
    ),
    (
        of({**TEXT, "default": "a"}), of({**TEXT, "default": "b"}),
        {("compatible", "default-changed", "/properties/p/default")},
        {("wording", "default-changed", "/properties/p/default")},
    ),
    (
        of({**TEXT, "contentEncoding": "base64"}), of(TEXT),
        {("cannot-tell", "content-changed", "/properties/p/contentEncoding")},
        {("cannot-tell", "content-changed", "/properties/p/contentEncoding")},
    ),
    (
        of({"anyOf": [TEXT, {"type": "null"}]}), of({"type": ["null", "string"]}),
        {("wording", "schema-rewritten", "")},
        {("wording", "schema-rewritten", "")},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sent", "received"), BOTH_SIDES)
def test_a_change_means_the_opposite_on_the_other_side(old: Any, new: Any, sent: set[Row], received: set[Row]) -> None:
    assert rows(compare_schemas(old, new, "input")) == sent
    assert rows(compare_schemas(old, new, "output")) == received


@pytest.mark.parametrize("side", ["input", "output"])
def test_nothing_changed_gives_no_change(side: Side) -> None:
    schema = obj(properties={"a": TEXT, "b": {"$ref": "#/$defs/x"}}, **{"$defs": {"x": {"type": "null"}}})
    reordered = {key: schema[key] for key in reversed(schema)}
    assert compare_schemas(schema, reordered, side) == []


def test_a_change_gives_the_values_and_proves_the_break() -> None:
    (change,) = compare_schemas(of({**TEXT, "maxLength": 100}), of({**TEXT, "maxLength": 5}), "input")
    assert (change.old, change.new) == (100, 5)
    assert change.message == "maxLength: 100 -> 5"
    assert len(change.witness["p"]) > 5


def test_several_values_of_an_enumeration_are_several_changes() -> None:
    changes = compare_schemas({"enum": ["a", "b", "c", 1]}, {"enum": ["a"]}, "input")
    assert [change.old for change in changes] == [1, "b", "c"]


def test_a_change_of_a_shared_definition_is_one_change_where_it_is_defined() -> None:
    def schema(limit: int) -> dict[str, Any]:
        reference = {"$ref": "#/$defs/Name"}
        return obj(properties={"a": reference, "b": reference}, **{"$defs": {"Name": {**TEXT, "maxLength": limit}}})

    assert rows(compare_schemas(schema(9), schema(8), "input")) == {
        ("breaking", "bound-tightened", "/$defs/Name/maxLength")
    }


def test_moving_a_definition_is_wording() -> None:
    old = obj(properties={"a": {"$ref": "#/definitions/Name"}}, definitions={"Name": TEXT})
    new = obj(properties={"a": {"$ref": "#/$defs/Title"}}, **{"$defs": {"Title": TEXT}})
    assert rows(compare_schemas(old, new, "input")) == {("wording", "schema-rewritten", "")}


@pytest.mark.parametrize(
    ("asserted", "classification"), [(None, "cannot-tell"), (True, "breaking"), (False, "compatible")]
)
def test_what_a_new_format_means_is_up_to_whether_the_server_asserts_it(
    asserted: bool | None, classification: str
) -> None:
    (change,) = compare_schemas(of(TEXT), of({**TEXT, "format": "email"}), "input", formats_asserted=asserted)
    assert (change.code, change.classification) == ("format-added", classification)


def test_describing_what_a_free_map_holds_narrows_it() -> None:
    free, described = of(obj()), of(obj(properties={"a": {"type": "integer"}}))
    assert rows(compare_schemas(free, described, "input")) == {
        ("breaking", "property-described", "/properties/p/properties/a")
    }


def test_a_new_mirrored_header_breaks_callers_over_http() -> None:
    plain, mirrored = of(TEXT), of({**TEXT, "x-mcp-header": "Region"})
    assert rows(compare_schemas(plain, mirrored, "input")) == {
        ("breaking", "header-changed", "/properties/p/x-mcp-header")
    }
    assert rows(compare_schemas(mirrored, plain, "input")) == {
        ("compatible", "header-changed", "/properties/p/x-mcp-header")
    }


def test_an_invalid_schema_is_not_taken_for_compatible() -> None:
    (change,) = compare_schemas(of(TEXT), of({"type": "strin"}), "input")
    assert (change.classification, change.code) == ("cannot-tell", "schema-invalid")
    assert "strin" in change.message


def test_what_cannot_be_told_inside_a_union_is_said_where_it_is() -> None:
    old = of({"anyOf": [TEXT, {"type": "null"}]})
    new = of({"anyOf": [{**TEXT, "format": "uri"}, {"type": "null"}]})
    assert rows(compare_schemas(old, new, "input")) == {("cannot-tell", "format-added", "/properties/p/anyOf/0/format")}
