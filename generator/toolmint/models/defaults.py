"""Which ``default`` of a schema counts, and how it is written in Python."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import jsonschema
import referencing.exceptions

from toolmint.models.literals import literal, string_literal
from toolmint.models.types import (
    Alias,
    Class,
    Default,
    DictOf,
    ListOf,
    Literals,
    Primitive,
    TupleOf,
    Type,
    Union,
    expand,
)

if TYPE_CHECKING:
    from toolmint.models.references import Document, Node


class Defaults:
    """Judges the defaults of one schema document."""

    def __init__(self, document: Document) -> None:
        dialect = jsonschema.Draft7Validator if document.draft7 else jsonschema.Draft202012Validator
        self._validator = dialect(document.root)

    def default(self, node: Node, value: object, type_: Type) -> Default | None:
        """Return the default in Python, or None where it is no valid value of its own schema.

        Servers advertise ``default: null`` where null is not allowed; a handler must not be given what a caller may
        not send.
        """
        if not self._valid(node, value) or not fits(type_, value):
            return None
        return Default(expression(type_, value), shared=not isinstance(value, (list, dict)))

    def _valid(self, node: Node, value: object) -> bool:
        try:
            return bool(self._validator.evolve(schema=node).is_valid(value))
        except (re.error, RecursionError, referencing.exceptions.Unresolvable):
            # A pattern of ECMA-262 that Python has no equivalent for: the type alone decides.
            return True


def fits(type_: Type, value: Any) -> bool:
    """Whether a JSON value has the structure that a type describes."""
    match expand(type_):
        case Primitive("Any"):
            return _is_json(value)
        case Primitive("None"):
            return value is None
        case Primitive("str"):
            return isinstance(value, str)
        case Primitive("bool"):
            return isinstance(value, bool)
        case Primitive("int"):
            return _is_number(value) and (isinstance(value, int) or value.is_integer())
        case Primitive():
            return _is_number(value)
        case Literals(values):
            return any(value == item and isinstance(value, bool) == isinstance(item, bool) for item in values)
        case ListOf(item):
            return isinstance(value, list) and all(fits(item, element) for element in value)
        case TupleOf(items):
            return isinstance(value, list) and len(value) == len(items) and all(map(fits, items, value))
        case DictOf(item):
            return isinstance(value, dict) and all(fits(item, element) for element in value.values())
        case Union(branches):
            return any(fits(branch, value) for branch in branches)
        case Class() as class_:
            return isinstance(value, dict) and _fits_class(class_, value)
        case Alias():
            return False


def _fits_class(class_: Class, value: dict[str, Any]) -> bool:
    for field in class_.fields:
        if field.wire_name not in value:
            if field.required:
                return False
        elif not fits(field.type, value[field.wire_name]):
            return False
    beyond = [item for key, item in value.items() if all(key != field.wire_name for field in class_.fields)]
    if class_.extra is not None:
        return all(fits(class_.extra, item) for item in beyond)
    return not (class_.closed and beyond)


def _is_number(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_json(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return value is None or isinstance(value, (str, bool)) or _is_number(value)


def expression(type_: Type, value: Any) -> str:
    """Return a Python expression for a JSON value that fits the type, made the way a decoder makes it."""
    match expand(type_):
        case Primitive("int"):
            return repr(int(value))
        case Literals(values):
            return literal(next(item for item in values if fits(Literals((item,)), value)))
        case ListOf(item):
            return f"[{', '.join(expression(item, element) for element in value)}]"
        case TupleOf(items):
            inner = ", ".join(map(expression, items, value))
            return f"({inner},)" if len(items) == 1 else f"({inner})"
        case DictOf(item):
            return (
                "{"
                + ", ".join(f"{string_literal(key)}: {expression(item, element)}" for key, element in value.items())
                + "}"
            )
        case Union(branches):
            return expression(next(branch for branch in branches if fits(branch, value)), value)
        case Class() as class_:
            return f"{class_.name}({', '.join(_arguments(class_, value))})"
        case _:
            return literal(value)


def _arguments(class_: Class, value: dict[str, Any]) -> list[str]:
    rest = dict(value)
    arguments = [
        f"{field.name}={expression(field.type, rest.pop(field.wire_name))}"
        for field in class_.fields
        if field.wire_name in rest
    ]
    if rest and class_.extra is not None:
        arguments.append(f"extra={expression(DictOf(class_.extra), rest)}")
    return arguments
