"""Schemas: what hosts and model APIs are known to refuse, and what contradicts itself."""

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from referencing.exceptions import Unresolvable

from toolmint.manifest import identifier
from toolmint.manifest.positions import Path
from toolmint.manifest.wording import one_of, shown
from toolmint.review.contract import Contract, Finding, SchemaUnderReview
from toolmint.review.effects import reads

_AT_ROOT = {
    "$ref": "write the definition out in its place",
    "not": "check it in the handler",
    "enum": "describe the alternatives in one property",
}

_LIMIT = re.compile(
    r"(?:.*_)?limit|(?:max|num|n)_(?:results|items|rows|entries|records|matches)|page_size|per_page|top_[kn]|max_count"
)
_NO_LIMIT_OF_RESULTS = re.compile(
    r"(?:rate|time|spend(?:ing)?|credit|memory|cpu|budget|price|char(?:acter)?|token)s?_limit"
)
_MANY = re.compile(r"(?:.*_)?(?:ids|urls|paths|files|queries|names|keys|uris|symbols|tickers|pages)")

_UNCHECKED = frozenset(("default", "description", "examples", "title"))


def type_lists(contract: Contract) -> Iterator[Finding]:
    """``type`` is one type: APIs that have a single-valued field for it refuse a list."""
    for schema in contract.asked:
        lists = [(path, part["type"]) for path, part in schema.parts.items() if isinstance(part.get("type"), list)]
        if not lists:
            continue
        path, types = lists[0]
        also = (
            f", and so {'is' if len(lists) == 2 else 'are'} {len(lists) - 1} more in this schema" if lists[1:] else ""
        )
        named = [name for name in types if name != "null"]
        if len(named) > 1:
            hint = "use one type, or anyOf with a schema for each"
        elif len(named) < len(types):
            hint = "take null out, and the property out of `required`, or use anyOf with a schema for null"
        else:
            hint = f"write `type: {named[0]}`"
        yield Finding(
            code="type-list",
            path=(*schema.path, *path, "type"),
            message=f"type is the list {shown(types)}{also}; some model APIs take a single type only",
            hint=hint,
        )


def no_properties(contract: Contract) -> Iterator[Finding]:
    """The root of an input schema has ``properties``, if only empty ones."""
    for schema in contract.inputs:
        if "properties" not in schema.root and "$ref" not in schema.root:
            yield Finding(
                code="no-properties",
                path=schema.path,
                message="inputSchema has no properties; some model APIs refuse an object schema without",
                hint="add `properties: {}`, or leave inputSchema out for a tool without parameters",
                key=True,
            )


def no_items(contract: Contract) -> Iterator[Finding]:
    """An array says what its items are."""
    for schema in contract.asked:
        for path, part in schema.parts.items():
            types = part.get("type")
            if "array" not in (types if isinstance(types, list) else [types]):
                continue
            if not part.keys() & {"items", "prefixItems", "$ref"} and path[-2:-1] != ("allOf",):
                yield Finding(
                    code="array-without-items",
                    path=(*schema.path, *path),
                    message=f"{_named(path)} is an array of anything; some model APIs and hosts refuse arrays without"
                    " items",
                    hint="say what the items are, as in `items: {type: string}`",
                    key=True,
                )


def root_keywords(contract: Contract) -> Iterator[Finding]:
    """The root of an input schema is a plain object; combinators there are found on loading."""
    for schema in contract.inputs:
        for keyword, hint in _AT_ROOT.items():
            if keyword in schema.root:
                yield Finding(
                    code="root-keyword",
                    path=(*schema.path, keyword),
                    message=f"inputSchema has {keyword} at its root, which several model APIs refuse or overlook",
                    hint=hint,
                    key=True,
                )


def unbounded(contract: Contract) -> Iterator[Finding]:
    """Where an argument decides how much comes back, there is a most."""
    for schema in contract.inputs:
        properties = schema.root.get("properties")
        if schema.tool is None or not isinstance(properties, dict) or not reads(schema.tool):
            continue
        for name, value in properties.items():
            path = (*schema.path, "properties", name)
            word = identifier(name)
            if _LIMIT.fullmatch(word) and not _NO_LIMIT_OF_RESULTS.fullmatch(word):
                for number in _alternatives(schema, value, {"integer", "number", "string"}):
                    if not number.keys() & {"maximum", "exclusiveMaximum", "enum", "const", "pattern", "maxLength"}:
                        yield Finding(
                            code="unbounded-limit",
                            path=path,
                            message=f"{shown(name)} has no maximum; one call may ask for more than a model can read",
                            hint="add `maximum`, which is then enforced and shown",
                            key=True,
                        )
            elif _MANY.fullmatch(word) and name in schema.root.get("required", ()):
                for array in _alternatives(schema, value, {"array"}):
                    if not array.keys() & {"maxItems", "enum", "const"} and "enum" not in _items(array):
                        yield Finding(
                            code="unbounded-batch",
                            path=path,
                            message=f"{shown(name)} takes any number of items, each of which adds to what comes back",
                            hint="add `maxItems`, which is then enforced and shown",
                            key=True,
                        )


def _alternatives(schema: SchemaUnderReview, value: Any, types: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the schema of a property, or the first of its alternatives, that has one of some types."""
    value = schema.resolve(value)
    if not isinstance(value, dict):
        return
    branches = [value]
    for keyword in ("anyOf", "oneOf"):
        if isinstance(value.get(keyword), list):
            branches += [schema.resolve(branch) for branch in value[keyword]]
    for branch in branches:
        kinds = branch.get("type") if isinstance(branch, dict) else None
        if types & set(kinds if isinstance(kinds, list) else [kinds]):
            yield branch
            return


def _items(array: dict[str, Any]) -> dict[str, Any]:
    items = array.get("items")
    return items if isinstance(items, dict) else {}


def values(contract: Contract) -> Iterator[Finding]:
    """Defaults, examples, enumerated values and constants fit the schema that they stand in."""
    for schema in (*contract.asked, *contract.outputs):
        dialect = str(schema.root.get("$schema", ""))
        validators = (Draft7Validator if "draft-07" in dialect else Draft202012Validator)(schema.root)
        for path, part in schema.parts.items():
            if not part.keys() & {"default", "examples", "enum", "const"}:
                continue
            yield from _values(schema, path, part, validators)


def _values(schema: SchemaUnderReview, path: Path, part: dict[str, Any], validator: Validator) -> Iterator[Finding]:
    at = (*schema.path, *path)
    if "default" in part:
        error = _mismatch(validator, part, part["default"])
        if error is not None:
            yield Finding(
                code="default-mismatch",
                path=(*at, "default"),
                message=f"the default {shown(part['default'])} does not fit its own schema: {_why(error)}",
                hint="leave the default out; what is not required needs none"
                if part["default"] is None
                else "correct the default, or allow it",
            )
    examples = part.get("examples")
    for index, example in enumerate(examples if isinstance(examples, list) else ()):
        error = _mismatch(validator, part, example)
        if error is not None:
            yield Finding(
                code="example-mismatch",
                path=(*at, "examples", index),
                message=f"the example {shown(example)} does not fit its own schema: {_why(error)}",
                hint="correct the example, or the schema; a model copies examples",
            )
    if "type" in part:
        typed = {"type": part["type"]}
        listed = part.get("enum")
        options: list[tuple[Path, Any]] = [
            (("enum", index), option) for index, option in enumerate(listed if isinstance(listed, list) else ())
        ]
        if "const" in part:
            options.append((("const",), part["const"]))
        for below, option in options:
            if _mismatch(validator, typed, option) is not None:
                types = part["type"] if isinstance(part["type"], list) else [part["type"]]
                yield Finding(
                    code="enum-mismatch",
                    path=(*at, *below),
                    message=f"{shown(option)} is listed, but is not of type {one_of(types, quote=False)}: no call can"
                    " use it",
                    hint="correct the value, or the type",
                )


def _mismatch(validator: Validator, schema: dict[str, Any], value: Any) -> ValidationError | None:
    """Return what a value breaks of a schema; None where that cannot be told, as of a pattern that is not Python's."""
    try:
        return next(validator.evolve(schema=schema).iter_errors(value), None)
    except (re.error, OverflowError, RecursionError, Unresolvable):
        return None


def _why(error: ValidationError) -> str:
    """Say which keyword a value breaks, and what it says."""
    where = f" at {error.json_path[2:]}" if error.absolute_path else ""
    return f"{error.validator} is {shown(error.validator_value)}{where}"


def _named(path: Path) -> str:
    """Return what a subschema is called: by the property it describes, if it is one's."""
    if len(path) > 1 and path[-2] in ("properties", "$defs", "definitions"):
        return shown(path[-1])
    return "this" if not path else f"what {path[-1]} describes" if isinstance(path[-1], str) else "an alternative here"
