"""Python names for what has a name on the wire, by rules that depend on that name alone.

A class is CapWords: the words of the name run together, each with a capital first letter and the rest as it was
(``search_contracts`` and ``searchContracts`` give ``SearchContracts``). A field is snake_case (``orderBy``,
``If-Match``, ``_meta``, ``$and`` give ``order_by``, ``if_match``, ``meta``, ``and_``). What Python or the generated
module needs for itself is set apart: a class by ``Model`` after it, a field by ``_``. Of two that are still the same,
the later one gets a number from 2 on, so that adding a name at the end never changes an earlier one.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNNAMED = "unnamed"

MAX_LENGTH = 80
"""Characters of a name that are used; some names on the wire are a novel."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))")
"""Between the words of camelCase. An acronym is one word (``HTTPServer``), with its plural too (``issueIDs``)."""

RESERVED_CLASSES = frozenset(dir(builtins)) | {
    "ABSENT", "Absent", "Any", "Final", "Literal", "PROPERTIES", "Properties", "TypeAlias",
    "Context", "ToolError", "ToolResult",
}  # fmt: skip
"""Names a generated class may not have: builtins, what models.py imports, and what a handler imports beside it."""

RESERVED_FIELDS = frozenset(keyword.kwlist) | {
    "bool", "dataclasses", "dict", "float", "int", "list", "str", "tuple",  # annotations after it would mean the field
    "self",
    "l",  # reads as 1 or I: ambiguous by PEP 8
}  # fmt: skip
"""Names a field may not have."""


def _normalized(name: str) -> str:
    """Return the form that Python itself gives an identifier, by tables that are the same in every Python."""
    return unicodedata.ucd_3_2_0.normalize("NFKC", name)


def _words(name: str) -> list[str]:
    """Return the runs of letters and digits in a name; a mark above or below a letter is dropped."""
    kept = []
    for char in _normalized(name):
        category = unicodedata.ucd_3_2_0.category(char)
        if category[0] == "L" or category == "Nd":
            kept.append(char if ("a" + char).isidentifier() else " ")
        elif category[0] != "M":
            kept.append(" ")
    return "".join(kept).split()


def class_name(name: str) -> str:
    """Return the CapWords form of a name; a string that is an identifier beginning with a capital letter."""
    joined = capitalized(name)
    return joined if joined[0].isupper() and joined.isidentifier() else f"Model{joined}"


def capitalized(name: str) -> str:
    """Return the words of a name run together with capital first letters, to be put after another class's name."""
    words = _words(name) or [_UNNAMED]
    return "".join(word[0].upper() + word[1:] for word in words)[:MAX_LENGTH]


def field_name(name: str) -> str:
    """Return the snake_case form of a name; an identifier that is not reserved."""
    words = _words(_CAMEL.sub("_", _normalized(name)))
    joined = "_".join(word for upper in words for word in _words(upper.lower()))[:MAX_LENGTH].rstrip("_") or _UNNAMED
    if not joined.isidentifier():
        joined = f"field_{joined}"
    return f"{joined}_" if joined in RESERVED_FIELDS else joined


def field_names(names: Iterable[str], *, reserved: Iterable[str] = ()) -> dict[str, str]:
    """Return a distinct field name for each name on the wire, in order; ``reserved`` are set apart like keywords."""
    taken: set[str] = set(reserved)
    fields: dict[str, str] = {}
    for name in names:
        field = field_name(name)
        if field in taken:
            field = numbered(field if field not in reserved else f"{field}_", taken, separator="_")
        taken.add(field)
        fields[name] = field
    return fields


def numbered(name: str, taken: set[str], *, separator: str = "") -> str:
    """Return the name itself or, where it is taken, with the first free number from 2 on."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}{separator}{number}"
    return candidate


def snake(class_name: str) -> str:
    """Return the snake_case form of a class name; two names may have the same."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", class_name).lower()


class ClassNames:
    """Gives out class names, each once."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = RESERVED_CLASSES.union(reserved)
        self._taken: set[str] = set(self._reserved)

    def claim(self, name: str) -> str:
        """Return ``name``, a class name, or the nearest free one, and take it."""
        name = numbered(f"{name}Model" if name in self._reserved else name, self._taken)
        self._taken.add(name)
        return name
