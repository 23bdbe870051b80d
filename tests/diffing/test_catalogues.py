"""Edits of published tools whose meaning is known, each of which has to be classified by it."""

import copy
import functools
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from reference import REFERENCE, needs_reference
from toolmint.diffing.containment import contains
from toolmint.diffing.schemas import compare_schemas

Schema = dict[str, Any]
Edit = Callable[[Schema], bool]
"""Changes a tool's input schema in place; says whether it found something to change."""

pytestmark = needs_reference


@functools.cache
def published() -> list[tuple[str, Schema]]:
    """Return the tools with their input schemas, those that say nothing left out."""
    found = []
    for path in sorted((REFERENCE / "tools-list").glob("*.json")):
        tools = json.loads(path.read_text())["tools"]
        found += [(f"{path.stem}/{tool['name']}", tool["inputSchema"]) for tool in tools]
    return [(name, schema) for name, schema in found if schema.get("properties")]


def sample(count: int, seed: int) -> list[tuple[str, Schema]]:
    return random.Random(seed).sample(published(), count)


def properties(schema: Schema) -> Iterator[tuple[str, Schema]]:
    return ((name, part) for name, part in schema["properties"].items() if isinstance(part, dict))


def of_type(schema: Schema, name: str) -> Iterator[Schema]:
    return (
        part
        for _, part in properties(schema)
        if part.get("type") == name and "enum" not in part and "const" not in part
    )


def lower_max_length(schema: Schema) -> bool:
    for part in of_type(schema, "string"):
        if "pattern" not in part and "format" not in part:
            part["maxLength"] = max(part.get("maxLength", 10) - 5, part.get("minLength", 0))
            return True
    return False


def require_a_property(schema: Schema) -> bool:
    optional = [name for name, _ in properties(schema) if name not in schema.get("required", [])]
    schema["required"] = [*schema.get("required", []), *optional[:1]]
    return bool(optional)


def remove_an_enum_value(schema: Schema) -> bool:
    for _, part in properties(schema):
        if len(part.get("enum", [])) > 1:
            part["enum"] = part["enum"][1:]
            return True
    return False


def close_the_object(schema: Schema) -> bool:
    was_open = schema.get("additionalProperties") in (None, True, {})
    schema["additionalProperties"] = False
    return was_open


def remove_a_property_of_a_closed_object(schema: Schema) -> bool:
    optional = [name for name, _ in properties(schema) if name not in schema.get("required", [])]
    if schema.get("additionalProperties") is not False or not optional:
        return False
    del schema["properties"][optional[0]]
    return True


def narrow_a_number(schema: Schema) -> bool:
    for part in of_type(schema, "number"):
        if "multipleOf" not in part:
            part["type"] = "integer"
            return True
    return False


def raise_a_minimum(schema: Schema) -> bool:
    for part in of_type(schema, "integer"):
        if part.get("maximum", 10) > part.get("minimum", 0) and "exclusiveMinimum" not in part:
            part["minimum"] = part.get("minimum", 0) + 1
            return True
    return False


def refuse_null(schema: Schema) -> bool:
    for _, part in properties(schema):
        if {"type": "null"} in part.get("anyOf", []) and len(part["anyOf"]) > 1:
            part["anyOf"] = [one for one in part["anyOf"] if one != {"type": "null"}]
            return True
    return False


def type_the_items(schema: Schema) -> bool:
    for part in of_type(schema, "array"):
        items = part.get("items")
        if isinstance(items, dict) and items.get("type") == "string":
            part["items"] = {**items, "type": "integer"} if "enum" not in items else {"enum": items["enum"][:-1]}
            return "enum" not in items or len(items["enum"]) > 1
    return False


def change_the_type(schema: Schema) -> bool:
    for part in of_type(schema, "boolean"):
        part["type"] = "string"
        return True
    return False


def add_an_optional_property(schema: Schema) -> bool:
    schema["properties"]["entirely_new"] = {"type": "integer", "minimum": 3}
    return schema.get("additionalProperties") in (None, True, False, {})


def make_a_property_optional(schema: Schema) -> bool:
    return bool(schema.get("required")) and bool(schema.update(required=schema["required"][1:]) or True)


def raise_max_length(schema: Schema) -> bool:
    for part in of_type(schema, "string"):
        if "maxLength" in part:
            part["maxLength"] += 1
            return True
    return False


def add_an_enum_value(schema: Schema) -> bool:
    for _, part in properties(schema):
        if "enum" in part and part.get("type") == "string":
            part["enum"] = [*part["enum"], "entirely new"]
            return True
    return False


def allow_null(schema: Schema) -> bool:
    for part in of_type(schema, "string"):
        part["type"] = ["string", "null"]
        return True
    return False


def widen_an_integer(schema: Schema) -> bool:
    for part in of_type(schema, "integer"):
        part["type"] = "number"
        return True
    return False


def open_the_object(schema: Schema) -> bool:
    return schema.pop("additionalProperties", None) is False


def drop_a_pattern(schema: Schema) -> bool:
    return any(part.pop("pattern", None) for _, part in properties(schema))


def reword(schema: Schema) -> bool:
    for _, part in properties(schema):
        part["description"] = "Another description."
    return True


def respell(schema: Schema) -> bool:
    changed = False
    for name, part in list(properties(schema)):
        if isinstance(part.get("type"), str):
            schema["properties"][name] = {**{k: part[k] for k in reversed(part) if k != "type"}, "type": [part["type"]]}
            changed = True
    return changed


BREAKING = [
    lower_max_length,
    require_a_property,
    remove_an_enum_value,
    close_the_object,
    remove_a_property_of_a_closed_object,
    narrow_a_number,
    raise_a_minimum,
    refuse_null,
    type_the_items,
    change_the_type,
]
COMPATIBLE = [
    add_an_optional_property,
    make_a_property_optional,
    raise_max_length,
    add_an_enum_value,
    allow_null,
    widen_an_integer,
    open_the_object,
    drop_a_pattern,
]
WORDING = [reword, respell]


def edited(edit: Edit, seed: int, count: int = 12) -> Iterator[tuple[str, Schema, Schema]]:
    """Return some published schemas that an edit applies to, before and after it."""
    found = 0
    for name, old in sample(len(published()), seed):
        new = copy.deepcopy(old)
        if len(json.dumps(old)) < 20_000 and edit(new):
            found += 1
            yield name, old, new
        if found == count:
            return
    assert found, "no published schema has what this edit changes"


@pytest.mark.parametrize("edit", BREAKING)
def test_an_edit_that_refuses_what_was_taken_breaks_and_is_proven(edit: Edit) -> None:
    for name, old, new in edited(edit, seed=1):
        breaks = [change for change in compare_schemas(old, new, "input") if change.classification == "breaking"]
        assert len(breaks) == 1, name
        draft = Draft7Validator if "draft-07" in old.get("$schema", "") else Draft202012Validator
        assert draft(old).is_valid(breaks[0].witness), name
        assert not draft(new).is_valid(breaks[0].witness), name
        received = compare_schemas(new, old, "output")
        assert "breaking" in {change.classification for change in received}, name


@pytest.mark.parametrize("edit", COMPATIBLE)
def test_an_edit_that_takes_more_is_compatible(edit: Edit) -> None:
    for name, old, new in edited(edit, seed=2):
        assert {change.classification for change in compare_schemas(old, new, "input")} == {"compatible"}, name


@pytest.mark.parametrize("edit", WORDING)
def test_an_edit_of_words_or_spelling_is_wording(edit: Edit) -> None:
    for name, old, new in edited(edit, seed=3, count=25):
        assert {change.classification for change in compare_schemas(old, new, "input")} <= {"wording"}, name
        assert {change.classification for change in compare_schemas(new, old, "output")} <= {"wording"}, name


def test_every_published_schema_contains_itself_without_being_recognized() -> None:
    for name, schema in sample(120, seed=4):
        disguised = copy.deepcopy(schema)
        respell(disguised)
        assert contains(schema, {"allOf": [disguised], **_definitions(disguised)}).answer == "yes", name


def _definitions(schema: Schema) -> Schema:
    """Return what the references of a schema lead to, which stay where they pointed, and its dialect."""
    return {key: schema[key] for key in ("$schema", "$defs", "definitions", "properties") if key in schema}
