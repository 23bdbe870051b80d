from pathlib import Path
from typing import Any

import pytest

from models.built import an_object, build, hints
from toolmint.models import ToolSchemas, plan_models
from toolmint.models.planning import MAX_DEPTH, MAX_WEIGHT


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        ({"type": "string"}, "str"),
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "null"}, "None"),
        ({}, "Any"),
        (True, "Any"),
        ({"description": "anything"}, "Any"),
        ({"type": "array"}, "list[Any]"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "list[list[int]]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": "object", "properties": {}, "additionalProperties": False}, "dict[str, Any]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
        ({"type": "object", "patternProperties": {"^x": {"type": "integer"}}}, "dict[str, Any]"),
        (
            {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
            "dict[str, int]",
        ),
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": ["null", "string", "integer"]}, "str | int | None"),
        ({"type": ["integer", "number"]}, "float"),
        ({"enum": ["a", "b"]}, 'Literal["a", "b"]'),
        ({"enum": ["a", None]}, 'Literal["a"] | None'),
        ({"type": "string", "enum": ["a", None]}, 'Literal["a"]'),
        ({"enum": [1, "1", True]}, 'Literal[1, "1", True]'),
        ({"enum": [True, False]}, "bool"),
        ({"enum": [1.0, 2.0], "type": "integer"}, "Literal[1, 2]"),
        ({"enum": [1.5, 2]}, "float"),
        ({"enum": [{"a": 1}, [1]]}, "dict[str, Any] | list[Any]"),
        ({"const": "a"}, 'Literal["a"]'),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None"),
        ({"anyOf": [{"type": "string"}, {}]}, "Any"),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, 'Literal["a", "b"]'),
        ({"anyOf": [{"const": "a"}, {"type": "string"}]}, "str"),
        ({"type": "string", "anyOf": [{"format": "date"}, {"pattern": "x"}]}, "str"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "float"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, "tuple[str, int]"),
        ({"type": "array", "items": [{"type": "string"}, {"type": "string"}]}, "tuple[str, str]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "minItems": 0}, "list[Any]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, "list[str | int]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, "tuple[str]"),
        ({"allOf": [{"type": "integer"}, {"type": "number", "maximum": 3}]}, "int"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "Any"),
        ({"not": {"type": "string"}}, "Any"),
        ({"$ref": "#/nowhere"}, "Any"),
        ({"$ref": "https://example.org/schema"}, "Any"),
        ({"$ref": "#/properties/it"}, "Any"),
        ({"properties": {"a": {"type": "string"}}}, "Any"),
        ({"type": ["array", "string"], "items": {"type": "string"}}, "list[str] | str"),
    ],
)
def test_a_schema_has_the_type_a_person_would_write(schema: Any, annotation: str) -> None:
    assert hints(an_object({"it": schema}, "it")) == {"it": annotation}


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"type": "string"}, "str | None = None"),
        ({"type": "string", "default": "x"}, 'str = "x"'),
        ({"type": "string", "default": None}, "str | None = None"),
        ({"type": "integer", "minimum": 1, "default": 0}, "int | None = None"),
        ({"type": "integer", "default": 5.0}, "int = 5"),
        ({"type": ["string", "null"]}, "str | Absent | None = ABSENT"),
        ({"type": ["string", "null"], "default": None}, "str | None = None"),
        ({}, "Any = ABSENT"),
        ({"default": {"a": 1}}, 'Any = dataclasses.field(default_factory=lambda: {"a": 1})'),
        ({"type": "array"}, "list[Any] | None = None"),
        ({"type": "array", "default": []}, "list[Any] = dataclasses.field(default_factory=list)"),
        ({"type": "array", "items": {"type": "string"}, "default": [1]}, "list[str] | None = None"),
        ({"type": "object", "default": {}}, "dict[str, Any] = dataclasses.field(default_factory=dict)"),
        ({"enum": ["a", "b"], "default": "b"}, 'Literal["a", "b"] = "b"'),
        ({"enum": ["a", "b"], "default": "c"}, 'Literal["a", "b"] | None = None'),
        ({"type": "boolean", "default": "true"}, "bool | None = None"),
        ({"type": "integer", "default": True}, "int | None = None"),
        ({"type": "number", "default": float("inf")}, "float | None = None"),
        ({"type": "string", "pattern": "(?<=a)\\p{L}", "default": "x"}, 'str = "x"'),
    ],
)
def test_an_optional_property_is_its_valid_default_or_what_cannot_be_sent(schema: Any, field: str) -> None:
    assert hints(an_object({"it": schema})) == {"it": field}


def test_a_required_property_stays_required_with_a_default() -> None:
    assert hints(an_object({"it": {"type": "integer", "default": 3}}, "it")) == {"it": "int"}


def test_a_default_is_judged_with_the_definitions_it_refers_to() -> None:
    schema = an_object({"it": {"$ref": "#/$defs/Size", "default": 9}}, **{"$defs": {"Size": {"enum": [1, 2]}}})
    assert hints(schema) == {"it": "FindInputSize | None = None"}


def test_an_object_in_a_default_is_built() -> None:
    inner = an_object({"sortBy": {"type": "string"}, "n": {"type": "integer"}}, "sortBy")
    schema = an_object({"it": {**inner, "default": {"sortBy": "x"}}})
    factory = 'dataclasses.field(default_factory=lambda: FindInputIt(sort_by="x"))'
    assert hints(schema) == {"it": f"FindInputIt = {factory}"}


def test_classes_are_named_after_their_place() -> None:
    def leaf() -> dict[str, Any]:
        return an_object({"x": {"type": "string"}})

    schema = an_object(
        {
            "filter": leaf(),
            "hits": {"type": "array", "items": leaf()},
            "byId": {"type": "object", "additionalProperties": leaf()},
            "pair": {"type": "array", "prefixItems": [leaf(), leaf()], "minItems": 2, "maxItems": 2},
            "maybe": {"anyOf": [leaf(), {"type": "null"}]},
        },
        "filter", "hits", "byId", "pair", "maybe",
    )  # fmt: skip
    assert hints(schema) == {
        "filter": "FindInputFilter",
        "hits": "list[FindInputHitsItem]",
        "by_id": "dict[str, FindInputByIdValue]",
        "pair": "tuple[FindInputPairItem1, FindInputPairItem2]",
        "maybe": "FindInputMaybe | None",
    }


def test_branches_are_named_by_their_constants() -> None:
    cat = an_object({"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "kind")
    dog = an_object({"kind": {"enum": ["dog"]}}, "kind")
    schema = an_object({"pet": {"oneOf": [cat, dog]}}, "pet")
    assert hints(schema) == {"pet": "FindInputPetCat | FindInputPetDog"}


def test_branches_without_a_constant_are_numbered() -> None:
    branches = [an_object({"a": {"type": "string"}}), {"type": "string"}, an_object({"b": {"type": "string"}})]
    assert hints(an_object({"it": {"anyOf": branches}}, "it")) == {
        "it": "FindInputItOption1 | str | FindInputItOption3"
    }


def test_branches_of_an_object_type_need_not_repeat_it() -> None:
    branches = [{"properties": {"k": {"const": word}}, "required": ["k"]} for word in ("a", "b")]
    schema = an_object({"it": {"type": "object", "oneOf": branches}}, "it")
    assert hints(schema) == {"it": "FindInputItA | FindInputItB"}


def test_branches_that_only_require_change_no_type() -> None:
    schema = an_object(
        {"a": {"type": "string"}, "b": {"type": "string"}}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]
    )
    assert hints(schema) == {"a": "str | None = None", "b": "str | None = None"}


def test_properties_of_branches_beside_properties_are_optional() -> None:
    schema = an_object(
        {"mode": {"type": "string"}},
        "mode",
        oneOf=[
            {"properties": {"mode": {"const": "a"}, "x": {"const": 1}}, "required": ["x"]},
            {"properties": {"mode": {"const": "b"}, "x": {"const": 2}, "y": {"type": "string"}}},
        ],
        then={"properties": {"z": {"type": "boolean"}}},
    )
    assert hints(schema) == {
        "mode": "str",
        "x": "Literal[1, 2] | None = None",
        "y": "str | None = None",
        "z": "bool | None = None",
    }


def test_all_of_merges_objects() -> None:
    schema = {
        "allOf": [
            an_object({"a": {"type": "string"}}, "a"),
            {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"minLength": 2}}, "required": ["b"]},
        ]
    }
    assert hints(an_object({"it": schema}, "it"), class_="FindInputIt") == {"a": "str", "b": "int"}


def test_a_reference_with_properties_beside_it_is_merged_but_not_in_draft_07() -> None:
    schema = an_object(
        {"it": {"$ref": "#/$defs/Base", "properties": {"b": {"type": "integer"}}}},
        "it",
        **{"$defs": {"Base": an_object({"a": {"type": "string"}})}},
    )
    assert hints(schema, class_="FindInputIt") == {"b": "int | None = None", "a": "str | None = None"}
    draft7 = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    assert hints(draft7) == {"it": "FindInputBase"}


def test_a_reference_may_lead_anywhere() -> None:
    leaf = an_object({"x": {"type": "string"}})
    schema = an_object(
        {"b": {"$ref": "#/properties/a/items"}, "a": {"type": "array", "items": leaf}, "c": {"$ref": "#leaf"}},
        "a", "b", "c", **{"$defs": {"L": {"$anchor": "leaf", "type": "integer"}}},
    )  # fmt: skip
    assert hints(schema) == {"b": "FindInputAItem", "a": "list[FindInputAItem]", "c": "FindInputL"}


def test_extra_properties_are_kept_where_the_schema_speaks_of_them() -> None:
    properties = {"a": {"type": "string"}}
    extra = "dataclasses.field(default_factory=dict)"
    assert hints(an_object(properties, "a")) == {"a": "str"}
    assert hints(an_object(properties, "a", additionalProperties=False)) == {"a": "str"}
    assert hints(an_object(properties, "a", additionalProperties=True)) == {
        "a": "str",
        "extra": f"dict[str, Any] = {extra}",
    }
    typed = an_object(
        properties, "a", additionalProperties={"type": "integer"}, patternProperties={"^n": {"type": "null"}}
    )
    assert hints(typed) == {"a": "str", "extra": f"dict[str, int | None] = {extra}"}


def test_a_required_name_without_a_schema_is_a_field() -> None:
    assert hints({"type": "object", "required": ["b", "a"]}) == {"a": "Any", "b": "Any"}


def test_a_property_that_may_not_be_sent_is_no_field() -> None:
    assert hints(an_object({"a": False, "b": {"type": "string"}}, "b")) == {"b": "str"}


def test_an_input_is_a_class_whatever_its_schema() -> None:
    for schema in ({"type": "object"}, {}, {"type": "object", "additionalProperties": False}):
        planned = plan_models([ToolSchemas(name="t", identifier="t", input_schema=schema)], {})
        assert planned.tools["t"].input_class == "TInput"
        assert "class TInput:" in planned.source


@pytest.mark.parametrize(
    ("schema", "annotation", "names", "typing_names"),
    [
        (None, None, ("FindInput",), ()),
        ({"type": "number"}, "float", ("FindInput",), ()),
        ({"enum": ["a"]}, 'Literal["a"]', ("FindInput",), ("Literal",)),
        ({"type": "object"}, "dict[str, Any]", ("FindInput",), ("Any",)),
        (an_object({"a": {"type": "string"}}), "FindOutput", ("FindInput", "FindOutput"), ()),
        ({"type": "array", "items": {"$ref": "#/$defs/Hit"}}, "list[Hit]", ("FindInput", "Hit"), ()),
        ({"$ref": "#/$defs/Hit"}, "Hit", ("FindInput", "Hit"), ()),
        ({"type": "object", "$ref": "#/$defs/Hit"}, "Hit", ("FindInput", "Hit"), ()),
    ],
)
def test_an_output_is_an_annotation(schema: Any, annotation: Any, names: Any, typing_names: Any) -> None:
    definitions = {"Hit": an_object({"id": {"type": "string"}})}
    output = schema if schema is None else {**schema, "$defs": definitions}
    tool = ToolSchemas(name="find", identifier="find", input_schema={"type": "object"}, output_schema=output)
    types = plan_models([tool], definitions).tools["find"]
    assert (types.output_annotation, types.names, types.typing_names) == (annotation, names, typing_names)


def test_a_definition_is_shared_only_if_all_it_refers_to_is() -> None:
    definitions = {"A": an_object({"b": {"$ref": "#/$defs/B"}}), "B": {"type": "string"}, "C": {"const": 1}}
    own = {**definitions, "B": {"type": "integer"}}
    schema = an_object({"a": {"$ref": "#/$defs/A"}, "c": {"$ref": "#/$defs/C"}}, "a", "c", **{"$defs": own})
    assert hints(schema, definitions=definitions) == {"a": "FindInputA", "c": "C"}
    schema = {**schema, "$defs": definitions}
    assert hints(schema, definitions=definitions) == {"a": "A", "c": "C"}


def test_a_definition_that_contains_itself_is_shared() -> None:
    definitions = {"Tree": an_object({"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}, "children")}
    schema = an_object({"tree": {"$ref": "#/$defs/Tree"}}, "tree", **{"$defs": definitions})
    assert hints(schema, definitions=definitions) == {"tree": "Tree"}
    assert hints(schema, class_="Tree", definitions=definitions) == {"children": "list[Tree]"}


def test_an_input_may_contain_itself() -> None:
    schema = an_object({"all": {"type": "array", "items": {"$ref": "#"}}}, "all")
    assert hints(schema) == {"all": "list[FindInput]"}


@pytest.mark.parametrize(
    ("definitions", "aliases"),
    [
        ({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, {"A": "Any", "B": "Any"}),
        ({"A": {"$ref": "#/$defs/A"}}, {"A": "Any"}),
        ({"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}, {"A": "str"}),
        ({"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}}, {"A": '"list[A]"'}),
        ({"A": {"allOf": [{"$ref": "#/$defs/A"}]}}, {"A": "Any"}),
        ({"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}, {"A": "str"}),
        (
            {
                "A": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "null"}]},
                "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"const": 1}]},
            },
            {"A": "Literal[1] | None", "B": "Literal[1] | None"},
        ),
    ],
)
def test_references_in_a_circle_end(definitions: Any, aliases: dict[str, str]) -> None:
    source = plan_models([], definitions).source
    assert {name: source.split(f"\n{name}: TypeAlias = ")[1].split("\n")[0] for name in aliases} == aliases


def test_schemas_nested_beyond_the_bound_are_any() -> None:
    schema: Any = {"type": "string"}
    for _ in range(3000):
        schema = {"type": "array", "items": schema}
    assert hints(an_object({"it": schema}, "it")) == {"it": "list[" * MAX_DEPTH + "Any" + "]" * MAX_DEPTH}


def test_names_of_tools_come_before_names_of_places() -> None:
    inner = an_object({"input": an_object({"x": {"type": "string"}})}, "input")
    tools = [
        ToolSchemas(name="a", identifier="a", input_schema=an_object({"b_input": inner}, "b_input")),
        ToolSchemas(name="a_input_b", identifier="a_input_b", input_schema={"type": "object"}),
    ]
    planned = plan_models(tools, {"AInput": {"type": "string"}})
    assert planned.tools["a_input_b"].input_class == "AInputBInput"
    assert planned.tools["a"].input_class == "AInput2"
    assert len(set(planned.names)) == len(planned.names)


def test_a_default_that_would_build_its_own_class_forever_is_none() -> None:
    node = an_object({"n": {"type": "integer"}, "next": {"$ref": "#/$defs/Node", "default": {"n": 1}}}, "n")
    schema = an_object({"node": {"$ref": "#/$defs/Node"}}, "node", **{"$defs": {"Node": node}})
    assert hints(schema, class_="FindInputNode") == {"n": "int", "next": "FindInputNode | None = None"}


def test_a_default_of_a_recursive_alias_is_built(tmp_path: Path) -> None:
    definitions = {
        "Leaf": an_object({"n": {"type": "integer"}}, "n"),
        "Tree": {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "array", "items": {"$ref": "#/$defs/Tree"}}]},
    }
    schema = an_object({"tree": {"$ref": "#/$defs/Tree", "default": [{"n": 1}, []]}}, **{"$defs": definitions})
    built = build(tmp_path, schema)
    assert built.decode({}).tree == built.models.FindInput().tree == [built.models.FindInputLeaf(n=1), []]


def test_branches_that_refer_to_each_other_are_looked_at_once() -> None:
    names = [f"B{number}" for number in range(30)]
    branches = [{"$ref": f"#/$defs/{name}"} for name in names]
    definitions = {name: {"properties": {name: {"type": "string"}}, "anyOf": branches} for name in names}
    schema = an_object({"a": {"type": "string"}}, "a", anyOf=branches, **{"$defs": definitions})
    assert list(hints(schema)) == ["a", *(f"b{number}" for number in range(30))]


def test_definitions_may_refer_to_each_other_beyond_the_depth_of_the_stack() -> None:
    last = 1100
    definitions: dict[str, Any] = {
        f"D{number}": an_object({"next": {"$ref": f"#/$defs/D{number + 1}"}}, "next") for number in range(last)
    }
    definitions[f"D{last}"] = {"type": "array", "items": {"$ref": "#/$defs/D0"}}
    schema = an_object({"first": {"$ref": "#/$defs/D0"}}, "first", **{"$defs": definitions})
    planned = plan_models([ToolSchemas(name="find", identifier="find", input_schema=schema)], definitions)
    assert len(planned.names) == last + 2
    assert planned.tools["find"].decoder.body.count("def _build_") == last + 2


def test_an_annotation_has_a_bound() -> None:
    schema: Any = {"type": "string"}
    for _ in range(40):
        schema = {"anyOf": [{"type": "array", "items": schema}, {"type": "object", "additionalProperties": schema}]}
    assert len(hints(an_object({"it": schema}, "it"))["it"]) < 20 * MAX_WEIGHT
