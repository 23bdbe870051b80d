"""Python source that makes JSON values of what a handler returns: straight lines for what it is expected to be.

An encoder is written from the types of a tool's output. Where a value is one of their dataclasses, or of JSON's own
types, it is taken apart in place. Whatever else comes (a mapping, a tuple, a subclass, something that has no JSON form)
goes to the one function that knows them all, ``encode`` of the runtime, which also says where it is that something went
wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmint.models.literals import string_literal
from toolmint.models.names import numbered, snake
from toolmint.models.types import EXTRA, Class, ListOf, Type, Union, expand, named, reachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmint.models.types import Field

_MOST_CASES = 4
"""How many dataclasses are told apart in place."""

_ANYTHING = "encode({}, PROPERTIES)"


class EncoderSource:
    """The functions that encode a type and the dataclasses in it."""

    def __init__(self, root: Type) -> None:
        self.classes: dict[Class, str] = {}
        """What models.py has to provide, and the name of the function that encodes each."""
        self.uses_absent = False
        self._functions: dict[str, str] = {}
        self.expression = self._encode(root, "value")

    def source(self) -> str:
        """Return the functions that ``expression`` calls, callers before what they call."""
        return "\n\n".join(self._functions.values())

    def _encode(self, type_: Type, value: str, depth: int = 0) -> str:
        """Return an expression for the encoded value; ``value`` is a name."""
        expanded = expand(type_)
        shapes = [expand(branch) for branch in expanded.branches] if isinstance(expanded, Union) else [expanded]
        cases = []
        classes = [shape for shape in shapes if isinstance(shape, Class) and not _contains_itself(shape)]
        if len(classes) <= _MOST_CASES:
            cases += [f"{self._class(class_)}({value}) if type({value}) is {class_.name}" for class_ in classes]
        arrays = [shape for shape in shapes if isinstance(shape, ListOf)]
        if len(arrays) == 1 and _holds_classes(arrays[0].item):
            item = f"item{depth or ''}"
            inner = self._encode(arrays[0].item, item, depth + 1)
            cases.append(f"[{inner} for {item} in {value}] if type({value}) is list")
        if not cases or len(shapes) > len(cases):
            cases.append(f"{value} if type({value}) in ATOMS")
        return f"({' else '.join([*cases, _ANYTHING.format(value)])})"

    def _class(self, class_: Class) -> str:
        """Return the name of the function that encodes instances of a class, but not of its subclasses."""
        if class_ not in self.classes:
            name = numbered(f"_encode_{snake(class_.name)}", set(self.classes.values()), separator="_")
            self.classes[class_] = name
            self._functions[name] = ""
            lines = [line for field in class_.fields for line in self._field(field)]
            if class_.extra is not None:
                # A declared property is never overridden by one among the extra ones.
                extra = _ANYTHING.format("dict(item.items())")
                lines += [f"item = value.{EXTRA}", "if item != {}:", f"    encoded = {{**{extra}, **encoded}}"]
            body = "\n    ".join(["encoded: dict[str, Any] = {}", *lines, "return encoded"])
            self._functions[name] = f"def {name}(value: Any) -> dict[str, Any]:\n    {body}\n"
        return self.classes[class_]

    def _field(self, field: Field) -> Iterator[str]:
        """Yield the lines that put one property into ``encoded``, unless it stands for not sent."""
        put = f"encoded[{string_literal(field.wire_name)}] = {self._encode(field.type, 'item', 1)}"
        yield f"item = value.{field.name}"
        if field.required:  # and so never ABSENT; if it is, that has no JSON form
            yield put
            return
        self.uses_absent = True
        left_out = [] if field.default or field.sentinel else ["item is not None"]
        yield f"if {' and '.join([*left_out, 'item is not ABSENT'])}:"
        yield f"    {put}"


def _contains_itself(class_: Class) -> bool:
    """Whether instances of a class can be inside one another, to any depth."""
    return class_ in reachable(Union(tuple(_parts(class_))))


def _parts(class_: Class) -> Iterator[Type]:
    yield from (field.type for field in class_.fields)
    if class_.extra is not None:
        yield class_.extra


def _holds_classes(type_: Type) -> bool:
    return any(isinstance(expand(part), Class) for part in named(type_))
