"""Schemas go out self-contained: with the definitions they use, no others, and nothing else changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from manifest.manifests import HEAD, load


def schemas(
    folder: Path, tools: list[dict[str, Any]], definitions: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the tools' input schemas as they go out; each is given as the properties of its root, or as a whole."""
    entries = [
        {"name": f"t{index}", "inputSchema": tool if "type" in tool else {"type": "object", "properties": tool}}
        for index, tool in enumerate(tools)
    ]
    head = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "a", "version": "1"}}
    manifest = load(folder, json.dumps({**head, "$defs": definitions or {}, "tools": entries}))
    return [tool.input_schema for tool in manifest.tools]


def test_used_definitions_are_carried_with_all_they_use(folder: Path) -> None:
    definitions = {
        "Hit": {"type": "object", "properties": {"by": {"$ref": "#/$defs/Party"}}},
        "Unused": {"type": "integer"},
        "Party": {"type": "string"},
    }
    (schema,) = schemas(folder, [{"a": {"$ref": "#/$defs/Hit"}}], definitions)
    assert schema["$defs"] == {"Hit": definitions["Hit"], "Party": definitions["Party"]}
    assert list(schema) == ["type", "properties", "$defs"]


def test_a_schema_that_uses_none_is_left_as_it_is(folder: Path) -> None:
    own = {"$defs": {"A": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/A"}}, "type": "object"}
    (schema,) = schemas(folder, [own], {"A": {"type": "integer"}})
    assert schema == own
    assert list(schema) == list(own)


def test_own_definitions_come_first_and_keep_their_names(folder: Path) -> None:
    definitions = {"Hit": {"items": {"$ref": "#/$defs/Party"}}, "Party": {"type": "string"}}
    own = {
        "$defs": {"Party": {"type": "boolean"}},
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Hit"}, "b": {"$ref": "#/$defs/Party"}},
    }
    (schema,) = schemas(folder, [own], definitions)
    assert schema["properties"] == own["properties"]
    assert schema["$defs"] == {
        "Party": {"type": "boolean"},
        "Hit": {"items": {"$ref": "#/$defs/Party_2"}},
        "Party_2": {"type": "string"},
    }
    assert list(schema) == ["$defs", "type", "properties"]


def test_references_of_a_definition_into_itself_follow_it(folder: Path) -> None:
    definition = {
        "$id": "https://example.com/node",
        "$defs": {"Name": {"type": "string"}},
        "properties": {
            "name": {"$ref": "#/$defs/Name"},
            "parent": {"$ref": "#"},
            "next": {"$ref": "https://example.com/node#/properties/parent"},
        },
    }
    (schema,) = schemas(folder, [{"a": {"$ref": "#/$defs/Node/properties/name"}}], {"Node": definition})
    assert schema["properties"] == {"a": {"$ref": "#/$defs/Node/properties/name"}}
    assert schema["$defs"] == {
        "Node": {
            "$defs": {"Name": {"type": "string"}},
            "properties": {
                "name": {"$ref": "#/$defs/Node/$defs/Name"},
                "parent": {"$ref": "#/$defs/Node"},
                "next": {"$ref": "#/$defs/Node/properties/parent"},
            },
        }
    }


def test_a_file_is_bundled_with_the_files_it_uses(folder: Path) -> None:
    Path("parts").mkdir()
    Path("common.json").write_text(
        json.dumps(
            {
                "$id": "https://example.com/common.json",
                "$defs": {
                    "Hit": {"properties": {"by": {"$ref": "#party"}, "up": {"$ref": "#/$defs/Hit"}}},
                    "Party": {"$anchor": "party", "items": {"$ref": "parts/money.yaml"}},
                },
            }
        )
    )
    Path("parts/money.yaml").write_text('type: object\nproperties: {hit: {$ref: "../common.json#/$defs/Hit"}}\n')
    (schema,) = schemas(folder, [{"a": {"$ref": "./common.json#/$defs/Hit"}}], {"Hit": {"type": "null"}})
    assert schema["properties"] == {"a": {"$ref": "#/$defs/Hit"}}
    assert schema["$defs"] == {
        "Hit": {"properties": {"by": {"$ref": "#/$defs/Party"}, "up": {"$ref": "#/$defs/Hit"}}},
        "Party": {"$anchor": "party", "items": {"$ref": "#/$defs/money"}},
        "money": {"type": "object", "properties": {"hit": {"$ref": "#/$defs/Hit"}}},
    }


def test_a_reference_is_only_where_a_schema_is(folder: Path) -> None:
    properties = {
        "$ref": {"type": "string"},
        "a": {"enum": [{"$ref": "#/nowhere"}], "default": {"$ref": "x:y"}, "const": {"$ref": "#/nowhere"}},
    }
    (schema,) = schemas(folder, [{"type": "object", "properties": properties, "required": ["$ref"]}])
    assert schema["properties"] == properties


def test_embedded_resources_keep_their_references(folder: Path) -> None:
    properties = {
        "a": {"$id": "https://example.com/a", "$defs": {"B": {"type": "string"}}, "items": {"$ref": "#/$defs/B"}},
        "b": {"$ref": "https://example.com/a#/items"},
        "c": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    }
    (schema,) = schemas(folder, [properties], {"B": {"type": "integer"}})
    assert schema == {"type": "object", "properties": properties}


def test_draft_07_definitions_and_anchors(folder: Path) -> None:
    own = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"A": {"$id": "#a", "items": [{"type": "string"}]}},
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/A"}, "b": {"$ref": "#a"}, "c": {"$ref": "#/$defs/Pair"}},
    }
    (schema,) = schemas(folder, [own], {"Pair": {"items": [{}, {}]}})
    assert schema == {**own, "$defs": {"Pair": {"items": [{}, {}]}}}


@pytest.mark.parametrize("name", ["a/b", "a~b", "a b", "日本", "%41", 'q"uote'])
def test_names_that_pointers_and_uris_escape(folder: Path, name: str) -> None:
    pointer = name.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace(" ", "%20")
    (schema,) = schemas(folder, [{"a": {"$ref": f"#/$defs/{pointer}"}}], {name: {"type": "string"}})
    assert schema["properties"] == {"a": {"$ref": f"#/$defs/{pointer}"}}
    assert schema["$defs"] == {name: {"type": "string"}}


def test_the_manifest_lists_its_definitions_as_schemas_carry_them(folder: Path) -> None:
    Path("common.yaml").write_text("type: string\n")
    manifest = load(
        folder,
        f"""{HEAD}
$defs:
  Hit: {{items: {{$ref: "#"}}}}
  Any: true
  Far: {{$ref: common.yaml}}
tools:
  - name: a
    inputSchema: {{type: object, properties: {{a: {{$ref: "#/$defs/Hit"}}, b: {{$ref: "#/$defs/Far"}}}}}}
""",
    )
    assert manifest.definitions == {
        "Hit": {"items": {"$ref": "#/$defs/Hit"}},
        "Any": True,
        "Far": {"$ref": "#/$defs/common"},
        "common": {"type": "string"},
    }
    carried = manifest.tools[0].input_schema["$defs"]
    assert carried == {name: manifest.definitions[name] for name in ("Hit", "Far", "common")}
