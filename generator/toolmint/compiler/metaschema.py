"""Whether a schema obeys its dialect's metaschema.

The published metaschemas describe a schema together with everything nested in it. Here each subschema is checked by
itself, against a copy of the metaschema in which a nested schema is just "an object or a boolean": the caller walks
the subschemas anyway, a fault is reported exactly where it is, and depth is no concern.
"""

import difflib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from .dialects import DRAFT_07, DRAFT_2020_12, Dialect
from .model import TYPES

_NESTED = {"type": ["object", "boolean"]}
_VALIDATORS: dict[str, type[Validator]] = {DRAFT_2020_12: Draft202012Validator, DRAFT_07: Draft7Validator}


def bundled(uri: str) -> dict[str, Any] | None:
    """Return the metaschema of a supported dialect, or one of its vocabularies, by absolute URI without a fragment."""
    if uri != DRAFT_07 and not uri.startswith(DRAFT_2020_12.removesuffix("schema")):
        return None
    resource = REGISTRY.get(uri) or REGISTRY.get(f"{uri}#")
    return None if resource is None else resource.contents


def metaschema_faults(schema: dict[str, Any], dialect: Dialect) -> Iterator[tuple[list[str | int], str, str]]:
    """Yield the keywords of one schema that its metaschema forbids; nested schemas are not looked into.

    Each is the path from the schema to the offending value, what is wrong with it, and what to do about it.
    """
    for error in sorted(_flat_validator(dialect.uri).iter_errors(schema), key=lambda error: list(map(str, error.path))):
        path = list(error.path)
        if path[:1] == ["type"]:
            near = difflib.get_close_matches(str(error.instance), TYPES, n=1)
            message = f"type is {_shown(error.instance)}, expected one of {', '.join(TYPES)} or an array of them"
            yield path, message, f"did you mean {near[0]!r}?" if near else ""
        elif error.validator == "type":
            expected = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
            keyword = next((str(part) for part in reversed(path) if isinstance(part, str)), "the schema")
            yield path, f"{keyword} is {_shown(error.instance)}, expected {' or '.join(map(_noun, expected))}", ""
        else:
            yield path, " ".join(error.message.split()), ""


def _noun(name: str) -> str:
    return f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@cache
def _flat_validator(uri: str) -> Validator:
    return _VALIDATORS[uri](flat_metaschema(uri))


def flat_metaschema(uri: str) -> dict[str, Any]:
    """Return a dialect's metaschema in one piece, with every nested schema reduced to "an object or a boolean"."""
    root = REGISTRY.contents(uri if uri == DRAFT_2020_12 else f"{uri}#")
    properties: dict[str, Any] = {}
    for part in root.get("allOf", []):
        vocabulary = REGISTRY.contents(f"{uri.removesuffix('schema')}{part['$ref']}")
        properties |= _flattened(vocabulary["properties"], vocabulary)
    properties |= _flattened(root["properties"], root)
    return {"$schema": root["$schema"], "type": ["object", "boolean"], "properties": properties}


def _flattened(part: Any, document: dict[str, Any]) -> Any:
    """Return a copy with references into a document inlined and references to the metaschema itself cut short."""
    if isinstance(part, list):
        return [_flattened(item, document) for item in part]
    if not isinstance(part, dict):
        return part
    if part.get("$dynamicRef") == "#meta" or part.get("$ref") == "#":
        return _NESTED
    if isinstance(reference := part.get("$ref"), str):
        if not reference.startswith("#/"):  # the root names its vocabularies' definitions only for deprecated keywords
            name, _, reference = reference.partition("#/")
            document = REGISTRY.contents(f"{DRAFT_2020_12.removesuffix('schema')}{name}")
        target: Any = document
        for token in reference.removeprefix("#/").split("/"):
            target = target[token]
        beside = {keyword: value for keyword, value in part.items() if keyword != "$ref"}
        return _flattened(target, document) | _flattened(beside, document)
    return {keyword: _flattened(value, document) for keyword, value in part.items()}
