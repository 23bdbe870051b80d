"""A schema held against its dialect's meta-schema, each violation said in the words of a manifest."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from toolmint.manifest.bundling import Bundle
from toolmint.manifest.references import value_at
from toolmint.manifest.text import Place
from toolmint.manifest.wording import did_you_mean, found, kinds, nearest, one_of, shown
from toolmint.problems import Problem

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
_DIALECTS = (DRAFT_2020_12, DRAFT_07)

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
def _validator(dialect: str) -> Validator:
    validator = Draft202012Validator if dialect == DRAFT_2020_12 else Draft7Validator
    return validator(validator.META_SCHEMA)


class Validity:
    """Checks the schemas of one manifest, those that several carry once."""

    def __init__(self) -> None:
        self._checked: set[tuple[Place, str]] = set()

    def problems(self, bundle: Bundle) -> Iterator[Problem]:
        """Yield what makes a schema, or one that it carries, no schema of its dialect."""
        dialect = DRAFT_2020_12
        for place in (bundle.place, *bundle.carried.values()):
            schema = value_at(place.text.value, place.path)
            if isinstance(schema, dict) and "$schema" in schema:
                named = _dialect(schema["$schema"])
                if named is None:
                    yield _unsupported(place, schema["$schema"])
                    continue
                if place == bundle.place:
                    dialect = named
                elif named != dialect:
                    yield _mixed(place, bundle.place)
                    continue
            if (place, dialect) not in self._checked:
                self._checked.add((place, dialect))
                yield from _violations(place, schema, dialect)


def _dialect(name: Any) -> str | None:
    """Return the dialect that ``$schema`` names; with or without ``#``, and over https, are the same."""
    known = {
        dialect.removesuffix("#").removeprefix("https://").removeprefix("http://"): dialect for dialect in _DIALECTS
    }
    return known.get(re.sub(r"^https?://|#$", "", name)) if isinstance(name, str) else None


def _unsupported(place: Place, name: Any) -> Problem:
    return place.text.problem(
        "unsupported-dialect",
        f"$schema is {shown(name)}; supported are JSON Schema 2020-12 and draft-07",
        (*place.path, "$schema"),
        f"leave $schema out for 2020-12, or write {DRAFT_2020_12} or {DRAFT_07}",
    )


def _mixed(place: Place, user: Place) -> Problem:
    line, _ = user.text.positions.value(user.path)
    return place.text.problem(
        "mixed-dialects",
        f"the schema in line {line} of {user.text.source.label} uses this one but is of another dialect",
        (*place.path, "$schema"),
        "give both the same $schema, or leave it out here",
    )


def _violations(place: Place, schema: Any, dialect: str) -> Iterator[Problem]:
    for error in _validator(dialect).iter_errors(schema):
        message, hint = _say(error)
        path = (*place.path, *error.absolute_path)
        yield place.text.problem("invalid-schema", message, path, hint)


def _say(error: ValidationError) -> tuple[str, str]:
    value: Any = error.instance
    expected: Any = error.validator_value
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
        bound = "at least" if error.validator == "minimum" else "more than"
        return f"{name} is {shown(value)}; expected {bound} {expected}", ""
    if error.validator == "uniqueItems":
        return f"{name} has an item twice: {shown(value)}", "keep one of them"
    if error.validator == "minItems":
        return f"{name} is an empty list; expected at least one item", ""
    if error.validator == "pattern":
        return f"{name} is {shown(value)}, which does not match {expected}", ""
    return f"{name} is {shown(value)}, which is not valid there", ""
