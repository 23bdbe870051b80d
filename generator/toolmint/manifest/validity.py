"""A schema held against its dialect's meta-schema, each violation said in the words of a manifest."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError

from toolmint.manifest.bundling import Place
from toolmint.manifest.wording import did_you_mean, found, kinds, nearest, one_of, shown
from toolmint.problems import Problem

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_OTHER_TYPES = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "map": "object",
    "none": "null",
}
"""What other languages call a type."""


@cache
def _validator(dialect: str) -> Any:
    validator = Draft202012Validator if dialect == DRAFT_2020_12 else Draft7Validator
    return validator(validator.META_SCHEMA)


def check_validity(place: Place, schema: Any) -> Iterator[Problem]:
    """Yield what makes the schema at a place no schema of its dialect."""
    dialect = schema.get("$schema", DRAFT_2020_12) if isinstance(schema, dict) else DRAFT_2020_12
    if not isinstance(dialect, str) or dialect.removesuffix("#") not in (DRAFT_2020_12, DRAFT_07.removesuffix("#")):
        yield place.text.problem(
            "unsupported-dialect",
            f"$schema is {shown(dialect)}; supported are JSON Schema 2020-12 and draft-07",
            (*place.path, "$schema"),
            f"leave $schema out for 2020-12, or write {DRAFT_2020_12} or {DRAFT_07}",
        )
        return
    for error in _validator(DRAFT_07 if "draft-07" in dialect else DRAFT_2020_12).iter_errors(schema):
        message, hint = _say(error)
        yield place.text.problem("invalid-schema", message, (*place.path, *error.absolute_path), hint)


def _say(error: ValidationError) -> tuple[str, str]:
    value, expected = error.instance, error.validator_value
    name = next((str(step) for step in reversed(error.absolute_path) if isinstance(step, str)), "the schema")
    if name == "type" and error.validator == "anyOf":
        wrong = next((item for item in value if item not in _TYPES), value) if isinstance(value, list) else value
        meant = _OTHER_TYPES.get(wrong.lower()) or nearest(wrong, _TYPES) if isinstance(wrong, str) else None
        hint = f'did you mean "{meant}"?' if meant else ""
        return f"type is {shown(value)}; expected {one_of(_TYPES)}, or a list of these", hint
    if error.validator == "type":
        if expected == ["object", "boolean"]:
            hint = f"write {{type: {value}}}" if isinstance(value, str) and value in _TYPES else ""
            return f"{name} must be a schema: a mapping, true or false; found {found(value)}", hint
        hint = "list the required properties in the schema that has them" if name == "required" else ""
        return f"{name} must be {kinds(expected)}; found {found(value)}", hint
    if error.validator == "enum":
        hint = did_you_mean(value, expected) if isinstance(value, str) else ""
        return f"{name} is {shown(value)}; expected {one_of(expected)}", hint if hint.startswith("did") else ""
    if error.validator in ("minimum", "exclusiveMinimum"):
        return (
            f"{name} is {shown(value)}; expected {'at least' if error.validator == 'minimum' else 'more than'} {expected}",
            "",
        )
    if error.validator == "uniqueItems":
        return f"{name} has an item twice: {shown(value)}", "keep one of them"
    if error.validator == "minItems":
        return f"{name} is an empty list; expected at least one item", ""
    if error.validator == "pattern":
        return f"{name} is {shown(value)}, which does not match {expected}", ""
    return f"{name} is {shown(value)}, which is not valid there", ""
