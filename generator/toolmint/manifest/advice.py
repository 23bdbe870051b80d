"""What works but is probably not meant, or not taken by some clients: the manifest's warnings."""

import re
from collections.abc import Iterator
from functools import cache

from toolmint.manifest.bundling import Bundler
from toolmint.manifest.model import JSONObject
from toolmint.manifest.positions import Path
from toolmint.manifest.text import Place, Text
from toolmint.manifest.wording import did_you_mean, nearest, shown
from toolmint.problems import Problem

_LONGEST_NAME = 64
"""The longest tool name, and property name, that the large model APIs take."""

_PROPERTY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")

_KEYWORDS = frozenset(
    (
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
    )
)
_NO_TYPING_ERRORS = frozenset(("example", "enumNames", "enumDescriptions", "optional", "nullable"))
"""Keywords of other vocabularies that look like one of these."""


def warnings(text: Text, bundler: Bundler) -> Iterator[Problem]:
    """Yield the warnings of a manifest that has no problem, once all its schemas are bundled."""
    for position in text.dates:
        written = text.source.token_at(position)
        yield text.source.problem(
            "unquoted-date",
            f"{written} without quotes is a date to YAML 1.1 readers; toolmint reads it as text",
            position,
            f'write "{written}" in quotes',
        )
    for index, tool in enumerate(text.value.get("tools", ())):
        yield from _tool(text, ("tools", index), tool)
    for place, schema in bundler.schemas():
        yield from _schema(place, schema)


@cache
def _near(keyword: str) -> str | None:
    return nearest(keyword, sorted(_KEYWORDS), cutoff=0.85)


def _tool(text: Text, path: Path, tool: JSONObject) -> Iterator[Problem]:
    if not tool.get("description"):
        yield text.problem(
            "no-description",
            f"the tool {shown(tool['name'])} has no description; a model has nothing else to choose it by",
            path,
            "say what it does and when to use it",
        )
    if len(tool["name"]) > _LONGEST_NAME:
        yield text.problem(
            "long-name",
            f"the tool's name is {len(tool['name'])} characters long; several model APIs take at most {_LONGEST_NAME}",
            (*path, "name"),
            "choose a shorter one",
        )
    schema = tool.get("inputSchema", {})
    for keyword in ("oneOf", "anyOf", "allOf"):
        if keyword in schema:
            yield text.problem_at_key(
                "root-combinator",
                f"inputSchema has {keyword} at its root, which several model APIs refuse",
                (*path, "inputSchema", keyword),
                "describe the alternatives in one property, or in several tools",
            )
    for name in schema.get("properties", {}):
        if not _PROPERTY_NAME.fullmatch(name):
            yield text.problem_at_key(
                "property-name",
                f"several model APIs refuse the property name {shown(name)}",
                (*path, "inputSchema", "properties", name),
                f"use 1 to {_LONGEST_NAME} letters, digits, `_`, `.` and `-`",
            )


def _schema(place: Place, schema: JSONObject) -> Iterator[Problem]:
    text, path = place
    for keyword in schema.keys() - _KEYWORDS - _NO_TYPING_ERRORS:
        near = _near(keyword)
        if near is not None:
            yield text.problem_at_key(
                "unknown-keyword",
                f"{shown(keyword)} is no JSON Schema keyword and has no effect",
                (*path, keyword),
                f'did you mean "{near}"?',
            )
    if "properties" not in schema or schema.get("additionalProperties") is not False or "patternProperties" in schema:
        return
    for index, name in enumerate(schema.get("required", ())):
        if name not in schema["properties"]:
            yield text.problem(
                "unknown-required",
                f"{shown(name)} is required, but no such property is allowed: nothing fits this schema",
                (*path, "required", index),
                did_you_mean(name, schema["properties"], otherwise="its properties are"),
            )
