import json
import timeit
from pathlib import Path
from typing import Any

import pytest

from models import generated
from models.built import an_object, build
from toolmint.models import ToolSchemas, plan_models

INTEGER = {"type": "integer"}
STRING = {"type": "string"}


def branch(kind: str, **properties: Any) -> dict[str, Any]:
    return an_object({"kind": {"const": kind}, **properties}, "kind")


def test_arguments_become_a_dataclass_with_defaults(tmp_path: Path) -> None:
    schema = an_object(
        {
            "query": STRING,
            "limit": {**INTEGER, "default": 10},
            "tags": {"type": "array", "items": STRING, "default": ["a"]},
            "orderBy": STRING,
            "note": {"type": ["string", "null"]},
            "filter": {**an_object({"field": STRING, "n": INTEGER}, "field"), "default": {"field": "f", "n": 2.0}},
        },
        "query",
    )
    built = build(tmp_path, schema)
    models = built.models
    few = built.decode({"query": "q"})
    assert few == models.FindInput(query="q")
    assert few == models.FindInput(
        query="q",
        limit=10,
        tags=["a"],
        order_by=None,
        note=models.ABSENT,
        filter=models.FindInputFilter(field="f", n=2),
    )
    assert few.note is models.ABSENT
    assert few.tags is not built.decode({"query": "q"}).tags
    assert few.filter is not built.decode({"query": "q"}).filter
    many = {"query": "q", "limit": 3, "tags": [], "orderBy": "x", "note": None, "filter": {"field": "g"}}
    assert built.decode(many) == models.FindInput(
        query="q", limit=3, tags=[], order_by="x", note=None, filter=models.FindInputFilter(field="g")
    )


@pytest.mark.parametrize(
    ("schema", "sent", "decoded"),
    [
        (INTEGER, 5.0, 5),
        ({"type": ["integer", "null"]}, 5.0, 5),
        ({"type": ["integer", "null"]}, None, None),
        ({"type": ["integer", "string"]}, 5.0, 5),
        ({"type": ["integer", "string"]}, "5", "5"),
        ({"type": "number"}, 5.0, 5.0),
        ({"type": ["integer", "number"]}, 5.5, 5.5),
        ({"enum": [1, 2]}, 2.0, 2),
        ({"enum": ["a", 2, True]}, 2.0, 2),
        ({"enum": ["a", 2, True]}, True, True),
        ({"type": "array", "items": INTEGER}, [1.0, 2], [1, 2]),
        ({"type": "object", "additionalProperties": INTEGER}, {"a": 1.0}, {"a": 1}),
        ({"type": "object", "additionalProperties": {"type": "array", "items": INTEGER}}, {"a": [1.0]}, {"a": [1]}),
        ({"anyOf": [{"type": "array", "items": INTEGER}, STRING]}, [1.0], [1]),
        ({"anyOf": [{"type": "array", "items": INTEGER}, STRING]}, "x", "x"),
        ({"type": "array", "prefixItems": [INTEGER, STRING]}, [1.0, "x"], (1, "x")),
        ({"type": "array", "prefixItems": [INTEGER, STRING]}, [1.0], (1,)),
        ({"type": "array", "prefixItems": [INTEGER, STRING]}, [1.0, "x", None], (1, "x", None)),
        ({"type": "array", "prefixItems": [INTEGER, INTEGER]}, [1.0, 2.0], (1, 2)),
        ({"type": "array", "prefixItems": [STRING, STRING]}, ["a", "b"], ("a", "b")),
        ({}, {"a": 5.0}, {"a": 5.0}),
        ({"anyOf": [{"type": "array", "items": INTEGER}, {"type": "array", "items": STRING}]}, [1.0], [1]),
        ({"anyOf": [{"type": "array", "items": INTEGER}, {"type": "array", "items": STRING}]}, ["x"], ["x"]),
    ],
)
def test_a_value_is_exactly_of_its_type(tmp_path: Path, schema: Any, sent: Any, decoded: Any) -> None:
    result = build(tmp_path, an_object({"it": schema})).decode({"it": sent}).it
    assert (result, repr(result)) == (decoded, repr(decoded))


@pytest.mark.parametrize(
    ("branches", "sent", "class_name"),
    [
        ([branch("a"), branch("b")], {"kind": "a"}, "FindInputItA"),
        ([branch("a"), branch("b")], {"kind": "b"}, "FindInputItB"),
        ([branch("a"), branch("b"), {"type": "null"}], None, "NoneType"),
        ([branch("a"), branch("b"), {"type": "object"}], {"kind": "c"}, "dict"),
        ([branch("a"), STRING, branch("b")], "a", "str"),
        ([an_object({"a": STRING}, "a"), an_object({"b": STRING}, "b")], {"b": "x"}, "FindInputItOption2"),
        ([an_object({"a": STRING}, "a"), an_object({"a": INTEGER}, "a")], {"a": 1}, "FindInputItOption2"),
        ([an_object({"a": {"enum": [1]}}), an_object({"a": {"enum": [True]}})], {"a": True}, "FindInputItTrue"),
        (
            [an_object({"a": STRING}, additionalProperties=False), an_object({"a": STRING, "b": STRING})],
            {"a": "x", "b": "y"},
            "FindInputItOption2",
        ),
        (
            [
                an_object({"in": an_object({"x": STRING}, "x")}, "in"),
                an_object({"in": an_object({"y": STRING}, "y")}, "in"),
            ],
            {"in": {"y": "z"}},
            "FindInputItOption2",
        ),
        ([an_object({"a": STRING}, "a"), {"type": "array", "items": STRING}], ["a"], "list"),
        ([an_object({"a": STRING}, "a"), STRING, INTEGER], {"a": "x"}, "FindInputIt"),
    ],
)
def test_a_union_is_decoded_by_constant_or_structure(tmp_path: Path, branches: Any, sent: Any, class_name: str) -> None:
    built = build(tmp_path, an_object({"it": {"anyOf": branches}}))
    decoded = built.decode({"it": sent}).it
    assert type(decoded).__name__ == class_name
    assert built.encode(decoded) == sent


def test_unions_inside_lists_and_maps_are_decoded(tmp_path: Path) -> None:
    schema = an_object(
        {
            "it": {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {"oneOf": [branch("a"), branch("b")]}},
            }
        }
    )
    decoded = build(tmp_path, schema).decode({"it": [{"x": {"kind": "a"}, "y": {"kind": "b"}}]}).it
    assert [type(value).__name__ for value in decoded[0].values()] == ["FindInputItItemValueA", "FindInputItItemValueB"]


def test_a_recursive_value_is_decoded_to_the_bottom(tmp_path: Path) -> None:
    definitions = {
        "Tree": an_object({"n": INTEGER, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}, "n"),
        "Nested": {"anyOf": [INTEGER, {"type": "array", "items": {"$ref": "#/$defs/Nested"}}]},
    }
    schema = an_object(
        {"tree": {"$ref": "#/$defs/Tree"}, "nested": {"$ref": "#/$defs/Nested"}}, **{"$defs": definitions}
    )
    built = build(tmp_path, schema, definitions=definitions)
    decoded = built.decode({"tree": {"n": 1, "children": [{"n": 2.0}]}, "nested": [1.0, [2.0]]})
    assert repr(decoded.tree.children[0].n) == "2"
    assert repr(decoded.nested) == "[1, [2]]"


def test_extra_properties_are_kept_apart(tmp_path: Path) -> None:
    schema = an_object({"extra": STRING, "b": STRING}, additionalProperties=INTEGER)
    built = build(tmp_path, schema)
    decoded = built.decode({"b": "x", "extra": "e", "other": 2.0})
    assert (decoded.b, decoded.extra_, decoded.extra) == ("x", "e", {"other": 2})
    assert built.encode(decoded) == {"b": "x", "extra": "e", "other": 2}
    assert built.decode({}).extra == {}


def test_only_extra_properties_are_a_copy(tmp_path: Path) -> None:
    built = build(tmp_path, {"type": "object", "additionalProperties": True})
    sent = {"a": 1}
    decoded = built.decode(sent)
    assert decoded.extra == sent
    assert decoded.extra is not sent


def test_no_property_is_named_twice_in_a_call(tmp_path: Path) -> None:
    names = [
        "value",
        "item",
        "get",
        "type",
        "int",
        "str",
        "list",
        "tuple",
        "key",
        "field",
        "dataclasses",
        "None",
        "cls",
    ]
    schema = an_object({name: {"type": "array", "items": INTEGER, "default": [1]} for name in names})
    built = build(tmp_path, schema)
    encoded = built.encode(built.decode({name: [float(index)] for index, name in enumerate(names)}))
    assert encoded == {name: [index] for index, name in enumerate(names)}
    assert built.encode(built.decode({})) == {name: [1] for name in names}


def test_what_is_emitted_passes_mypy_and_ruff(tmp_path: Path) -> None:
    definitions = {
        "Nested": {"anyOf": [INTEGER, {"type": "array", "items": {"$ref": "#/$defs/Nested"}}]},
        "Pet": {"oneOf": [branch("a"), branch("b"), {"type": "object"}]},
        "Level": {"enum": [1, 2, "x"]},
    }
    references = {name: {"$ref": f"#/$defs/{name}"} for name in definitions}
    schema = an_object(
        {
            **references,
            "nullable": {"anyOf": [references["Pet"], {"type": "null"}]},
            "lists": {"anyOf": [{"type": "array", "items": INTEGER}, {"type": "array", "items": references["Pet"]}]},
            "tuple": {"type": "array", "prefixItems": [INTEGER, references["Pet"]]},
            "default": {**branch("c", n=INTEGER), "default": {"kind": "c", "n": 1}},
            "levels": {"type": "array", "items": references["Level"], "default": [1, "x"]},
            "list": {"type": "array", "items": STRING},
            "l": STRING,
            "any": {},
        },
        additionalProperties={"anyOf": [STRING, INTEGER]},
        **{"$defs": definitions},
    )
    built = build(tmp_path, schema, definitions=definitions, output={"$ref": "#/$defs/Pet", "$defs": definitions})
    package = Path(built.models.__file__ or "").parent
    generated.format_package(package)
    generated.check_package(package)


HANDLER = """
from narrowed.models import FindInput
from narrowed.runtime.absent import ABSENT, Absent


def note(args: FindInput) -> str:
    if args.note is ABSENT:
        return "was not sent"
    return "is null" if args.note is None else args.note.upper()


def size(args: FindInput) -> int:
    return 0 if isinstance(args.size, Absent) or args.size is None else args.size + 1
"""


def test_a_type_checker_narrows_absent_away(tmp_path: Path) -> None:
    schema = an_object({"note": {"type": ["string", "null"]}, "size": {"type": ["integer", "null"]}})
    tool = ToolSchemas(name="find", identifier="find", input_schema=schema)
    package = generated.write_package(tmp_path, "narrowed", plan_models([tool], {}))
    (package / "handler.py").write_text(HANDLER, encoding="utf-8")
    generated.check_sources([package / "handler.py"], package)


def test_building_costs_less_than_parsing_the_text(tmp_path: Path) -> None:
    part = an_object({"field": STRING, "op": {"enum": ["eq", "ne"]}, "value": {}}, "field", "op")
    schema = an_object(
        {"query": STRING, "limit": {**INTEGER, "default": 10}, "filters": {"type": "array", "items": part}}, "query"
    )
    built = build(tmp_path, schema)
    filters = [{"field": f"f{index}", "op": "eq", "value": index} for index in range(10)]
    text = json.dumps({"query": "lease", "limit": 20, "filters": filters})
    value = json.loads(text)
    parsing = min(timeit.repeat(lambda: json.loads(text), number=500, repeat=9))
    building = min(timeit.repeat(lambda: built.decode(value), number=500, repeat=9))
    assert building < 1.5 * parsing


def test_classes_whose_names_differ_in_case_alone_are_told_apart(tmp_path: Path) -> None:
    thing = {
        "IOThing": an_object({"x": {"type": "string"}}, "x"),
        "IoThing": an_object({"y": {"type": "integer"}}, "y"),
    }
    either = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in thing]}
    built = build(
        tmp_path,
        an_object({"a": {"$ref": "#/$defs/IOThing"}, "b": {"$ref": "#/$defs/IoThing"}, "c": either}) | {"$defs": thing},
    )
    args = built.decode({"a": {"x": "1"}, "b": {"y": 2}, "c": {"y": 3}})
    assert (args.a.x, args.b.y, args.c.y) == ("1", 2, 3)
