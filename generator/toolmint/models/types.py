"""The types a schema is given in Python, as a small closed family; everything downstream only reads these."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolmint.models.literals import literal

Scalar: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class Primitive:
    """A type that needs no argument."""

    name: Literal["str", "int", "float", "bool", "None", "Any"]


@dataclass(frozen=True, slots=True, eq=False)
class Literals:
    """One of some constants. Equality tells 1 from True."""

    values: tuple[Scalar, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literals) and repr(self.values) == repr(other.values)

    def __hash__(self) -> int:
        return hash(repr(self.values))


@dataclass(frozen=True, slots=True)
class ListOf:
    """An array whose items have one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class TupleOf:
    """An array whose items each have their own type."""

    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class DictOf:
    """An object used as a map."""

    value: Type


@dataclass(frozen=True, slots=True)
class Union:
    """One of several types, at least two, without repetition, None last."""

    branches: tuple[Type, ...]
    place: str = dataclasses.field(compare=False, default="")
    """A CapWords name for the place it stands at, for the function that decodes it."""


@dataclass(slots=True, eq=False)
class Class:
    """A dataclass; filled in after it has been created, so that it can refer to itself."""

    name: str
    description: str
    """The text of its docstring; a first sentence at least."""
    fields: tuple[Field, ...] = ()
    extra: Type | None = None
    """The type of the properties beyond ``fields``, kept in the field ``extra``; None: there are none to keep."""
    closed: bool = False
    """No property beyond ``fields`` is valid."""


@dataclass(slots=True, eq=False)
class Alias:
    """A named type that is not a class of its own."""

    name: str
    description: str
    target: Type = Primitive("Any")


Type: TypeAlias = Primitive | Literals | ListOf | TupleOf | DictOf | Union | Class | Alias

ANY = Primitive("Any")
NONE = Primitive("None")
STR = Primitive("str")
INT = Primitive("int")
FLOAT = Primitive("float")
BOOL = Primitive("bool")
ANY_OBJECT = DictOf(ANY)
ANY_ARRAY = ListOf(ANY)


@dataclass(frozen=True, slots=True)
class Default:
    """What a property is when it was not sent: a Python expression, in models.py and in a decoder alike."""

    expression: str
    shared: bool
    """One immutable object will do for every instance; else each needs its own."""


@dataclass(frozen=True, slots=True)
class Field:
    """One property of a class."""

    name: str
    wire_name: str
    type: Type
    description: str
    required: bool
    default: Default | None = None
    """Only of an optional property, and only where the schema gives a default that is valid."""

    @property
    def sentinel(self) -> bool:
        """Whether it is ``ABSENT`` when not sent, because None would mean the null that the schema allows."""
        return not self.required and self.default is None and admits_none(self.type)


EXTRA = "extra"
"""The field that keeps the properties a schema allows without naming them."""


def expand(type_: Type) -> Type:
    """Return the type behind any number of aliases."""
    seen: set[int] = set()
    while isinstance(type_, Alias) and id(type_) not in seen:
        seen.add(id(type_))
        type_ = type_.target
    return type_


def admits_none(type_: Type) -> bool:
    """Whether None is a value of the type."""
    seen: set[Alias] = set()
    pending = [type_]
    while pending:
        current = pending.pop()
        if current in (ANY, NONE):
            return True
        if isinstance(current, Union):
            pending.extend(current.branches)
        elif isinstance(current, Alias) and current not in seen:
            seen.add(current)
            pending.append(current.target)
    return False


def union(branches: list[Type], place: str) -> Type:
    """Return the simplest type that covers the branches: no repetition, nothing that another branch covers."""
    flat: list[Type] = []
    for branch in branches:
        flat.extend(branch.branches if isinstance(branch, Union) else (branch,))
    types = dict.fromkeys(_without_literals(flat))
    if ANY in types or not flat:
        return ANY
    values = {(type(value), value): value for type_ in flat if isinstance(type_, Literals) for value in type_.values}
    if (bool, True) in values and (bool, False) in values:
        types = dict.fromkeys(_without_literals([BOOL if _is_literal_bool(type_) else type_ for type_ in flat]))
        types.setdefault(BOOL)
    covered = {str: STR in types, int: INT in types or FLOAT in types, bool: BOOL in types}
    kept = tuple(value for value in values.values() if not covered[type(value)])
    if FLOAT in types:
        types.pop(INT, None)
    for wide, narrow in ((ANY_ARRAY, ListOf), (ANY_OBJECT, DictOf)):
        if wide in types:
            types = {type_: None for type_ in types if type_ == wide or not isinstance(type_, narrow)}
    nullable = NONE in types
    types.pop(NONE, None)
    result = list(types)
    result = [Literals(kept) if type_ == _LITERALS else type_ for type_ in result if type_ != _LITERALS or kept]
    if nullable:
        result.append(NONE)
    return result[0] if len(result) == 1 else Union(tuple(result), place)


_LITERALS = Literals(())
"""Where the constants of a union go."""


def _without_literals(types: list[Type]) -> list[Type]:
    return [_LITERALS if isinstance(type_, Literals) else type_ for type_ in types]


def _is_literal_bool(type_: Type) -> bool:
    return isinstance(type_, Literals) and all(isinstance(value, bool) for value in type_.values)


def weighs_at_most(type_: Type, limit: int) -> bool:
    """Whether no more than so many types make up an annotation, each counted as often as it occurs."""
    weight = 0
    pending = [type_]
    while pending:
        current = pending.pop()
        weight += 1
        if weight > limit:
            return False
        if not isinstance(current, (Class, Alias)):
            pending.extend(children(current))
    return True


def annotation(type_: Type) -> str:
    """Return the type as Python source, in the form of PEP 604 and PEP 585."""
    match type_:
        case Primitive(name):
            return name
        case Literals(values):
            return f"Literal[{', '.join(map(literal, values))}]"
        case ListOf(item):
            return f"list[{annotation(item)}]"
        case TupleOf(items):
            return f"tuple[{', '.join(map(annotation, items)) or '()'}]"
        case DictOf(value):
            return f"dict[str, {annotation(value)}]"
        case Union(branches):
            return " | ".join(map(annotation, branches))
        case Class() | Alias():
            return type_.name


def field_annotation(field: Field) -> str:
    """Return a field's annotation, what it is when not sent included."""
    text = annotation(field.type)
    if field.required or field.default is not None or field.type == ANY:
        return text
    if not field.sentinel:
        return f"{text} | None"
    return f"{text.removesuffix(' | None')} | Absent | None" if text.endswith(" | None") else f"{text} | Absent"


def children(type_: Type) -> tuple[Type, ...]:
    """Return the types a type is directly made of."""
    match type_:
        case ListOf(item):
            return (item,)
        case TupleOf(items):
            return items
        case DictOf(value):
            return (value,)
        case Union(branches):
            return branches
        case Alias():
            return (type_.target,)
        case Class():
            return (*(field.type for field in type_.fields), *((type_.extra,) if type_.extra is not None else ()))
        case _:
            return ()


def named(type_: Type) -> list[Class | Alias]:
    """Return the classes and aliases that a type's annotation names, in order, without those inside them."""
    if isinstance(type_, (Class, Alias)):
        return [type_]
    return list(dict.fromkeys(name for child in children(type_) for name in named(child)))


def reachable(type_: Type) -> list[Class | Alias]:
    """Return every class and alias a value of the type can contain, in order of first occurrence."""
    found: dict[Class | Alias, None] = {}
    pending = named(type_)[::-1]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found[current] = None
        pending.extend(name for child in reversed(children(current)) for name in reversed(named(child)))
    return list(found)


def constructed(type_: Type, expression: str) -> list[Class]:
    """Return the classes that the expression of a default of the type constructs."""
    called = set(re.findall(r"\b([^\W\d]\w*)\(", expression))
    if not called:
        return []
    return [found for found in reachable(type_) if isinstance(found, Class) and found.name in called]
