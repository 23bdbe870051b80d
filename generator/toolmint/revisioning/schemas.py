"""Looking at JSON Schema 2020-12 as the protocol's definitions use it."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolmint.compiler.dialects import DIALECTS, DRAFT_2020_12, Dialect
from toolmint.revision import Schema

REFERENCE = "#/$defs/"
"""What a reference to a definition begins with, in a merged set of definitions."""

_KEYWORDS = DIALECTS[DRAFT_2020_12]
_ANNOTATIONS = frozenset({"$comment", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"})


def subschemas(keyword: str, value: Any) -> Iterator[Any]:
    """Yield the schemas directly under one keyword of a schema; the names in ``properties`` are no keywords."""
    if keyword in _KEYWORDS.one:
        yield value
    elif keyword in _KEYWORDS.many and isinstance(value, list):
        yield from value
    elif keyword in _KEYWORDS.named and isinstance(value, dict):
        yield from value.values()


def change_subschemas(schema: Mapping[str, Any], change: Callable[[Any], Any], dialect: Dialect) -> dict[str, Any]:
    """Copy a schema with each schema directly under it changed.

    Args:
        schema: A schema that is an object.
        change: Gives the new one for each.
        dialect: Says which keywords hold schemas.

    """
    changed: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in dialect.many and isinstance(value, list):
            changed[keyword] = [change(item) for item in value]
        elif keyword in dialect.named and isinstance(value, dict):
            changed[keyword] = {name: change(item) for name, item in value.items()}
        else:
            changed[keyword] = change(value) if keyword in dialect.one else value
    return changed


def walk(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema within it, boolean ones apart."""
    pending = [schema]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            yield current
            for keyword, value in current.items():
                pending.extend(subschemas(keyword, value))


def structure(schema: Any) -> Any:
    """Reduce a schema to what decides validity and defaults: no annotations, lists without an order sorted."""
    if not isinstance(schema, Mapping):
        return schema
    bare = {keyword: value for keyword, value in schema.items() if keyword not in _ANNOTATIONS}
    reduced = change_subschemas(bare, structure, _KEYWORDS)
    for keyword in ("enum", "required", "type"):
        if isinstance(reduced.get(keyword), list):
            reduced[keyword] = sorted(reduced[keyword], key=json.dumps)
    return reduced


def referred(schema: Any) -> tuple[str, ...]:
    """Name the definitions that a schema refers to itself, each once, in order."""
    names = (part["$ref"] for part in walk(schema) if isinstance(part.get("$ref"), str))
    return tuple(dict.fromkeys(name.removeprefix(REFERENCE) for name in names))


def name_of(schema: Any) -> str | None:
    """Name the definition that a schema is a reference to; None where it is no reference."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    return reference.removeprefix(REFERENCE) if isinstance(reference, str) else None


def options(schema: Any) -> list[Any]:
    """List the alternatives of a union; a schema that is no union is its only alternative."""
    if isinstance(schema, dict):
        for keyword in ("anyOf", "oneOf"):
            if isinstance(schema.get(keyword), list):
                return list(schema[keyword])
    return [schema]


def fields(schema: Any, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    """Merge the properties that a schema gives its object itself, through references and through ``allOf``."""
    merged: dict[str, Any] = {}
    pending, seen = [schema], set()
    while pending:
        current = pending.pop()
        if not isinstance(current, Mapping):
            continue
        name = name_of(current)
        if name is not None and name not in seen:
            seen.add(name)
            pending.append(definitions.get(name))
        merged = {**_mapping(current.get("properties")), **merged}
        pending.extend(reversed(current.get("allOf", [])))
    return merged


def field(schema: Any, definitions: Mapping[str, Schema], *path: str) -> Any:
    """Find the schema of a property by the names that lead to it; an empty schema where there is none."""
    for name in path:
        schema = fields(schema, definitions).get(name, {})
    return schema


def constant(schema: Any) -> Any:
    """Give the one value that a schema allows, by ``const`` or an ``enum`` of one; None where there is none such."""
    if not isinstance(schema, Mapping):
        return None
    allowed = schema.get("enum")
    return allowed[0] if isinstance(allowed, list) and len(allowed) == 1 else schema.get("const")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
