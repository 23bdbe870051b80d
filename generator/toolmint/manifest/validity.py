"""Schemas held against what the compiler can make validators of, each violation at its place in the manifest.

The compiler decides. What breaks a dialect's meta-schema is said here once more, in the words of a manifest.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from toolmint.compiler import DRAFT_07, DRAFT_2020_12, check_schema
from toolmint.manifest.bundling import Bundle
from toolmint.manifest.references import value_at
from toolmint.manifest.text import Place
from toolmint.manifest.wording import did_you_mean, found, kinds, nearest, one_of, shown
from toolmint.problems import Problem

_DIALECTS = {"json-schema.org/draft/2020-12/schema": DRAFT_2020_12, "json-schema.org/draft-07/schema": DRAFT_07}
"""The dialects by their address without scheme and fragment, which people write in several ways."""

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


class Usability:
    """Checks the schemas of one manifest; what several carry is checked with the first of them."""

    def __init__(self) -> None:
        self._checked: set[tuple[Place, str]] = set()

    def problems(self, bundle: Bundle) -> Iterator[Problem]:
        """Yield what makes a schema, or one that it carries, unusable."""
        dialect = DRAFT_2020_12
        for place in bundle.units.values():
            named = _named_dialect(place)
            if isinstance(named, Problem):
                yield named
                return
            if place == bundle.place:
                dialect = named or dialect
            elif named not in (None, dialect):
                yield _mixed(place, bundle.place)
                return
        known = {name for name, place in bundle.carried.items() if (place, dialect) in self._checked}
        self._checked.update((place, dialect) for place in bundle.carried.values())
        errors = check_schema(bundle.without(known))
        if errors:
            for place in [place for name, place in bundle.units.items() if name not in known]:
                yield from _violations(place, value_at(place.text.value, place.path), dialect)
        for error in errors:
            text, path = bundle.origin(error.pointer)
            yield text.problem("unusable-schema", error.message, path, error.hint)


def _named_dialect(place: Place) -> str | Problem | None:
    """Return the dialect that a schema names; None where it names none, a problem where it is not supported."""
    schema = value_at(place.text.value, place.path)
    if not isinstance(schema, dict) or "$schema" not in schema:
        return None
    return _dialect(schema["$schema"]) or _unsupported(place, schema["$schema"])


def _dialect(name: Any) -> str | None:
    """Return the dialect that ``$schema`` names; with or without ``#``, over http or https, are the same."""
    return _DIALECTS.get(re.sub(r"^https?://|#$", "", name)) if isinstance(name, str) else None


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
        if error.instance is None and place.text.commented_out(path):
            hint = "a # behind a space starts a comment; put the value in quotes"
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
