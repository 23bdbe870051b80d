"""Arrays and objects that arrive as the JSON text of themselves."""

import json
from typing import Any

import pytest

from compiler.loading import validators

FILTER = {
    "type": "object",
    "properties": {"field": {"type": "string"}, "values": {"type": "array"}},
    "required": ["field"],
}
TOOL = {
    "type": "object",
    "properties": {
        "filters": {"type": "array", "items": {"$ref": "#/$defs/Filter"}},
        "one": {"$ref": "#/$defs/Filter"},
        "maybe": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
        "text": {"type": "string"},
        "either": {"type": ["string", "array"]},
        "anything": {},
        "count": {"type": "integer"},
        "inside": {"type": "object", "properties": {"list": {"type": "array"}}},
    },
    "$defs": {"Filter": FILTER},
}


@pytest.mark.parametrize(
    ("given", "mended"),
    [
        ({"filters": '[{"field": "a"}]'}, {"filters": [{"field": "a"}]}),
        ({"filters": " \n[]"}, {"filters": []}),
        ({"one": '{"field": "a"}', "text": "[1]"}, {"one": {"field": "a"}, "text": "[1]"}),
        ({"maybe": "[1, 2]"}, {"maybe": [1, 2]}),
        ({"inside": {"list": "[1]"}}, {"inside": {"list": [1]}}),
        ({"filters": ['{"field": "a"}', {"field": "b"}]}, {"filters": [{"field": "a"}, {"field": "b"}]}),
        ({"filters": '[{"field": "a", "values": "[1]"}]'}, {"filters": [{"field": "a", "values": [1]}]}),
        ({"one": json.dumps({"field": "a", "values": "[1]"})}, {"one": {"field": "a", "values": [1]}}),
    ],
)
def test_text_is_parsed_where_only_an_array_or_object_can_be(given: Any, mended: Any) -> None:
    tool = validators(TOOL, destringify=True)
    before = json.dumps(given)
    assert tool.destringified(given) == mended
    assert json.dumps(given) == before
    assert tool.agree(mended)


@pytest.mark.parametrize(
    "given",
    [
        {"filters": '[{"feld": "a"}]'},  # parses, but does not fit
        {"filters": "[1"},
        {"filters": "none"},
        {"maybe": "null"},
        {"maybe": "[NaN]"},
        {"maybe": "[1.5]"},
        {"either": "[1]"},
        {"anything": "[1]"},
        {"count": "1"},
        {"one": "[" * 100_000},
        {"one": '{"a":' * 5_000},
        {"text": 5},
        {"unknown": "[1]"},
        "[1]",
        [],
        None,
    ],
)
def test_anything_else_stays_as_it_is(given: Any) -> None:
    assert validators(TOOL, destringify=True).destringified(given) == given


def test_it_is_emitted_only_on_request() -> None:
    assert "destringified" not in validators(TOOL).source


def test_recursive_schemas_are_mended_above_the_recursion() -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": False}
    tool = validators({**tree, "$defs": {"node": node}}, destringify=True)
    assert tool.destringified({"children": '[{"next": {}}]'}) == {"children": [{"next": {}}]}
    deep = '[{"next": ' * 1 + '{"next": ' * 500 + "{}" + "}" * 501 + "]"
    assert tool.destringified({"children": deep}) == {"children": deep}


def test_a_property_described_in_several_places_has_to_fit_them_all() -> None:
    parts = [
        {"properties": {"a": {"type": ["array", "string"]}}},
        {"properties": {"a": {"type": "array", "minItems": 2}}},
    ]
    tool = validators({"allOf": parts}, destringify=True)
    assert tool.destringified({"a": "[1, 2]"}) == {"a": [1, 2]}
    assert tool.destringified({"a": "[1]"}) == {"a": "[1]"}
