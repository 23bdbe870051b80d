"""``schema/manifest.schema.json``: complete, closed, described, and in accord with the model."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reference import REFERENCE, needs_reference
from toolmint.assets import SCHEMAS
from toolmint.manifest import Defaults, identifier

SCHEMA = json.loads((SCHEMAS / "manifest.schema.json").read_text(encoding="utf-8"))


def objects(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema with properties."""
    if isinstance(node, dict):
        if "properties" in node and node.get("type") == "object":
            yield path, node
        for key, value in node.items():
            yield from objects(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from objects(value, f"{path}/{index}")


def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_property_is_described() -> None:
    for path, schema in objects(SCHEMA):
        for name, value in schema["properties"].items():
            described = value if "description" in value else SCHEMA["$defs"][value["$ref"].rpartition("/")[2]]
            assert described["description"].endswith("."), f"{path}/properties/{name}"


def test_every_object_is_closed_but_for_keys_of_ones_own() -> None:
    for path, schema in objects(SCHEMA):
        if path.endswith(("/ContentBlock", "/FormField")):
            continue  # each of their kinds is closed
        assert schema["additionalProperties"] is False, path
        assert "^x-" in schema.get("patternProperties", {}) or path.endswith("ChoicesField/properties/items"), path


def test_defaults_are_those_of_the_model() -> None:
    declared = SCHEMA["$defs"]["Defaults"]["properties"]
    assert asdict(Defaults()) == {identifier(name): schema.get("default") for name, schema in declared.items()}


PUBLISHED = {
    "Tool": "Tool",
    "ToolAnnotations": "ToolAnnotations",
    "Resource": "Resource",
    "ResourceTemplate": "ResourceTemplate",
    "Prompt": "Prompt",
    "PromptArgument": "PromptArgument",
    "Icon": "Icon",
    "Annotations": "Annotations",
    "Implementation": "Server",
    "TextContent": "TextContent",
    "ImageContent": "MediaContent",
    "AudioContent": "MediaContent",
    "ResourceLink": "ResourceLink",
    "EmbeddedResource": "EmbeddedResource",
    "StringSchema": "TextField",
    "LegacyTitledEnumSchema": "TextField",
    "UntitledSingleSelectEnumSchema": "TextField",
    "TitledSingleSelectEnumSchema": "TextField",
    "NumberSchema": "NumberField",
    "BooleanSchema": "BooleanField",
    "UntitledMultiSelectEnumSchema": "ChoicesField",
    "TitledMultiSelectEnumSchema": "ChoicesField",
}
"""The protocol's definitions, and those of the manifest's schema that are pasted into the same place."""


@needs_reference
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_it_has_every_member_that_a_revision_publishes(revision: str) -> None:
    document = json.loads((REFERENCE / "mcp" / revision / "schema.json").read_text(encoding="utf-8"))
    definitions = document.get("$defs") or document["definitions"]
    published = definitions.keys() & PUBLISHED.keys()
    assert {"Tool", "Resource", "ResourceTemplate", "Prompt", "PromptArgument"} <= published
    for name in published:
        members = SCHEMA["$defs"][PUBLISHED[name]]["properties"]
        assert definitions[name]["properties"].keys() <= members.keys(), name
