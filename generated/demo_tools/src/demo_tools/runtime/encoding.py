# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""From what a handler returns to pure JSON values: dict, list, str, int, float, bool and None.

What is accepted, at any depth and in any mixture: the generated dataclasses and their subclasses, mappings with string
keys, lists, tuples, enumeration members, and subclasses of the JSON types themselves. ``ABSENT`` is left out.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from .absent import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Property: TypeAlias = tuple[str, str | None, object]
    """An attribute, its name on the wire (None: its items are properties), and the value that is left out."""

    Properties: TypeAlias = Mapping[type, tuple[Property, ...]]

MAX_DEPTH = 256
"""How many arrays and objects may be inside one another: far beyond any real answer, far below Python's stack."""

ATOMS = frozenset({str, int, float, bool, type(None)})
"""The types of the values that are JSON values as they are."""


def encode(value: object, properties: Properties) -> Any:
    """Return ``value`` as JSON values of exact types.

    ``properties`` gives the dataclasses that may occur in it. Raises TypeError for anything that has no JSON form (a
    set, bytes, any other object, a key that is no string) and ValueError for a value that contains itself or is
    nested deeper than MAX_DEPTH; both messages begin with the JSON pointer (RFC 6901) of the culprit.
    """
    try:
        return _encode(value, properties, MAX_DEPTH)
    except _UnencodableError as error:
        error_type, text = error.args
        pointer = "".join(f"/{_escape(key)}" for key in reversed(error.path)) or "(root)"
        raise error_type(f"{pointer}: {text}") from None


class _UnencodableError(Exception):
    """Collects the path to the culprit, innermost key first, on the way out."""

    def __init__(self, error_type: type[Exception], text: str) -> None:
        super().__init__(error_type, text)
        self.path: list[object] = []


def _escape(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _encode(value: Any, properties: Properties, depth: int) -> Any:
    kind = type(value)
    if kind in ATOMS:
        return value
    if not depth:
        raise _UnencodableError(ValueError, f"contains itself, or is nested deeper than {MAX_DEPTH} levels")
    table = properties.get(kind)
    if table is not None:
        return _encode_properties(value, table, properties, depth - 1)
    if kind is dict:
        return _encode_items(value.items(), properties, depth - 1)
    if kind is list or kind is tuple:
        return _encode_array(value, properties, depth - 1)
    return _encode_other(value, properties, depth)


def _encode_properties(value: object, table: tuple[Property, ...], properties: Properties, depth: int) -> Any:
    encoded: dict[str, Any] = {}
    for attribute, name, left_out in table:
        item = getattr(value, attribute)
        if item is left_out or item is ABSENT:
            continue
        if name is None:
            # A declared property is never overridden by one among the extra ones.
            encoded = {**_encode_items(item.items(), properties, depth), **encoded}
            continue
        if type(item) in ATOMS:
            encoded[name] = item
            continue
        try:
            encoded[name] = _encode(item, properties, depth)
        except _UnencodableError as error:
            error.path.append(name)
            raise
    return encoded


def _encode_items(items: Any, properties: Properties, depth: int) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for key, item in items:
        if item is ABSENT:
            continue
        if not isinstance(key, str):
            found = f"the key {key!r} is {_a(key)}"
            raise _UnencodableError(TypeError, f"{found}; the keys of a JSON object are strings")
        plain = key if type(key) is str else _plain(key)
        if type(item) in ATOMS:
            encoded[plain] = item
            continue
        try:
            encoded[plain] = _encode(item, properties, depth)
        except _UnencodableError as error:
            error.path.append(key)
            raise
    return encoded


def _encode_array(value: Any, properties: Properties, depth: int) -> list[Any]:
    items = list(value)
    if ATOMS.issuperset(map(type, items)):
        return items
    encoded: list[Any] = []
    for index, item in enumerate(items):
        try:
            encoded.append(_encode(item, properties, depth))
        except _UnencodableError as error:
            error.path.append(index)
            raise
    return encoded


def _encode_other(value: Any, properties: Properties, depth: int) -> Any:
    if value is ABSENT:
        raise _UnencodableError(TypeError, "ABSENT can only be left out of an object; use None for null")
    if isinstance(value, enum.Enum):
        return _encode(value.value, properties, depth - 1)
    if isinstance(value, (str, int, float)):
        return _plain(value)
    for kind in type(value).__mro__:
        if kind in properties:
            return _encode_properties(value, properties[kind], properties, depth - 1)
    if isinstance(value, Mapping):
        return _encode_items(value.items(), properties, depth - 1)
    if isinstance(value, (list, tuple)):
        return _encode_array(value, properties, depth - 1)
    expected = "a dataclass of models.py, a dict, a list, a string, a number, True, False or None"
    raise _UnencodableError(TypeError, f"{_a(value)} has no JSON form; return {expected}")


def _plain(value: Any) -> Any:
    """Return a str, int or float of the exact type: ``str()`` of a subclass may print something else."""
    if isinstance(value, str):
        return str.__str__(value)
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)


def _a(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
