"""Python source as data: literals, names and lines, safe whatever text a schema holds.

A schema is not trusted. Its text reaches the source only as a string literal made here, in printable ASCII, or as a
name reduced to ``[a-z0-9_]``. Nothing depends on the running Python's Unicode tables or on the order of a set.
"""

import keyword
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .model import Json
from .patterns import Category, Pattern

MAX_NAME = 40
"""Longest part of a name that is taken from a schema, in characters."""

_PIECE = 72
_LOWEST_HEX = 10**1000
_RESERVED = frozenset(keyword.kwlist) | frozenset(
    {
        "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes",
        "callable", "chr", "classmethod", "compile", "complex", "copyright", "credits", "delattr", "dict", "dir",
        "divmod", "enumerate", "eval", "exec", "exit", "filter", "float", "format", "frozenset", "getattr",
        "globals", "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len",
        "license", "list", "locals", "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord",
        "pow", "print", "property", "quit", "range", "repr", "reversed", "round", "set", "setattr", "slice",
        "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip", "match", "case", "l",
    }
)  # fmt: skip
"""Keywords, and builtins as of any supported Python: no local variable takes such a name."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A statement that gives up unless a value passes: ``if FAILS: return False``.

    Attributes:
        fails: conditions of which none may hold.
        passes: the same conditions the other way round; all must hold.
        level: how far it is indented.
    """

    fails: tuple[str, ...]
    passes: tuple[str, ...]
    level: int = 0


Line = str | Guard
"""A line of source, or a statement that is not written out yet."""


def loop(key: str, value: str, container: str, body: Sequence[Line]) -> list[Line]:
    """Return a loop over an object's properties, or an array's items, that binds only what the body mentions.

    ``key`` is the variable for a property's name, or empty for an array; an empty body needs no loop.
    """
    if not body:
        return []
    if list(body) == ["return False"]:
        return [Guard((container,), (f"not {container}",))]
    wants_key, wants_value = bool(key) and mentioned(key, body), mentioned(value, body)
    if not wants_key and not wants_value and isinstance(body[0], Guard):
        return when(container, body)
    if not key:
        return [f"for {value} in {container}:", *indent(body)]
    target = f"{key}, {value}" if wants_key and wants_value else value if wants_value else key
    method = ".items()" if wants_key and wants_value else ".values()" if wants_value else ""
    return [f"for {target} in {container}{method}:", *indent(body)]


def mentioned(name: str, lines: Iterable[Line]) -> bool:
    """Whether a local variable occurs in the lines."""
    return any(re.search(rf'(?<![\w"]){name}(?![\w"])', line) for line in written(lines))


def until_return(lines: list[Line]) -> list[Line]:
    """Return the lines up to one that gives up in any case."""
    return lines[: lines.index("return False") + 1] if "return False" in lines else lines


def indent(lines: Iterable[Line]) -> list[Line]:
    """Return the same lines one level deeper."""
    return [
        Guard(line.fails, line.passes, line.level + 1) if isinstance(line, Guard) else f"    {line}" for line in lines
    ]


def when(condition: str, body: Sequence[Line]) -> list[Line]:
    """Return the body under an ``if``; a single statement that is conditional itself takes the condition in."""
    if not body:
        return []
    if list(body) == ["return False"]:
        return [Guard((condition,), (negated(condition),))]
    if len(body) == 1 and isinstance(guard := body[0], Guard) and not guard.level:
        fails = all_of([condition, any_of(guard.fails)])
        return [Guard((fails,), (negated(fails),))]
    if is_one_if(body) and not any(str(line).startswith("el") for line in body):
        inner, *rest = written(body)
        return [f"if {all_of([condition, inner[len('if ') : -1]])}:", *rest]
    return [f"if {condition}:", *indent(body)]


def is_one_if(body: Sequence[Line]) -> bool:
    """Whether the lines are a single ``if`` statement, with or without other branches."""
    texts = list(written(body))
    inside = ("    ", "elif ", "else:")
    return bool(texts) and texts[0].startswith("if ") and all(text.startswith(inside) for text in texts[1:])


def either(conditions: Iterable[str]) -> str:
    """Return the conditions joined by ``or``, in parentheses where something else follows or goes before."""
    conditions = tuple(conditions)
    return conditions[0] if len(conditions) == 1 and not _loose(conditions[0]) else f"({any_of(conditions)})"


def any_of(conditions: Iterable[str]) -> str:
    """Return the conditions joined by ``or``."""
    conditions = tuple(conditions)
    if len(conditions) == 1:
        return conditions[0]
    return " or ".join(
        f"({condition})" if " and " in condition and not _closes_last(condition) else condition
        for condition in conditions
    )


def all_of(conditions: Iterable[str]) -> str:
    """Return the conditions joined by ``and``."""
    conditions = tuple(conditions)
    return conditions[0] if len(conditions) == 1 else " and ".join(f"({c})" if _loose(c) else c for c in conditions)


_OPPOSITES = {
    " not in ": " in ", " in ": " not in ", " is not ": " is ", " is ": " is not ", " == ": " != ", " != ": " == ",
}  # fmt: skip


def negated(condition: str) -> str:
    """Return the opposite of a condition."""
    found = [operator for operator in _OPPOSITES if operator in condition]
    compound = " and " in condition or " or " in condition
    if not compound and condition.startswith("not "):
        return condition.removeprefix("not ")
    operator = max(found, key=len, default="")
    if not compound and operator and all(other in operator for other in found) and condition.count(operator) == 1:
        return condition.replace(operator, _OPPOSITES[operator])
    if condition.startswith("not (") and _closes_last(condition.removeprefix("not ")):
        return condition.removeprefix("not (")[:-1]
    return f"not ({condition})" if compound or found else f"not {condition}"


def _closes_last(condition: str) -> bool:
    """Whether a condition's first parenthesis is closed by its last character; no if there is any string in it."""
    depth = 0
    for index, char in enumerate(condition):
        depth += (char == "(") - (char == ")")
        if not depth:
            return index == len(condition) - 1 and '"' not in condition
    return False


def _loose(condition: str) -> bool:
    """Whether a condition may fall apart beside ``and``; strings in it only make it look so, which does no harm."""
    return " or " in condition and not _closes_last(condition)


def written(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the lines with every guard written out."""
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            yield f"{'    ' * line.level}if {any_of(line.fails)}:"
            yield f"{'    ' * line.level}    return False"


def returning(lines: list[Line]) -> list[str]:
    """Return the body of a function that is True unless a line says otherwise."""
    if lines and isinstance(last := lines[-1], Guard) and not last.level:
        passes = all_of(last.passes)
        is_bool = all(map(_is_bool, last.passes))
        return [*written(lines[:-1]), f"return {passes}" if is_bool else f"return bool({passes})"]
    if len(lines) > 1 and isinstance(last, Guard) and last.level == 1 and str(lines[-2]).startswith("for "):
        # the same as all(...), at a third of its cost
        loop = [*written(lines[:-1]), f"    if {any_of(last.fails)}:", "        break"]
        return [*loop, "else:", "    return True", "return False"]
    if lines and lines[-1] == "return False":
        return [*written(lines)]
    return [*written(lines), "return True"]


def _is_bool(condition: str) -> bool:
    """Whether a type checker sees that a condition on something of type Any is a bool."""
    return condition.startswith(("not ", "type(", "len(")) or bool(re.search(r" in | is |^_?\w+\(", condition))


def string(text: str) -> str:
    """Return a string literal in printable ASCII; a long one in parentheses, in pieces on lines of their own."""
    if len(text) <= _PIECE:
        return _quoted(text)
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    return "(" + "\n".join(_quoted(piece) for piece in pieces) + ")"


def _quoted(text: str) -> str:
    body = "".join(
        char if 0x20 <= ord(char) < 0x7F and char not in '"\\' else _ESCAPES.get(char) or _escape(ord(char))
        for char in text
    )
    return f'"{body}"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def formatted(parts: Sequence[str | tuple[str]]) -> str:
    """Text in which one-element tuples are expressions to be filled in: an f-string, or something shorter."""
    if len(parts) == 1 and isinstance(parts[0], tuple):
        return parts[0][0]
    if all(isinstance(part, str) for part in parts):
        return string("".join(part for part in parts if isinstance(part, str)))
    pieces = [""]
    for part in parts:
        if isinstance(part, tuple):
            pieces[-1] += f"{{{part[0]}}}"
        else:
            for start in range(0, len(part), _PIECE):
                if start:
                    pieces.append("")
                pieces[-1] += _quoted(part[start : start + _PIECE])[1:-1].replace("{", "{{").replace("}", "}}")
    if len(pieces) == 1:
        return f'f"{pieces[0]}"'
    return "(" + "\n".join(f'f"{piece}"' for piece in pieces) + ")"


def number(value: float) -> str:
    """Return a number literal; an integer of over a thousand digits in hexadecimal, as Python limits decimals."""
    if isinstance(value, int):
        return int.__repr__(value) if abs(value) < _LOWEST_HEX else hex(value)
    if math.isfinite(value):
        return float.__repr__(value)
    return f'float("{float.__repr__(value)}")'


def literal(value: Json) -> str:
    """Return a JSON value as an expression; only as deep as a schema may be."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return "{" + ", ".join(f"{string(key)}: {literal(child)}" for key, child in value.items()) + "}"


def pattern_literal(pattern: Pattern) -> str:
    """Return a translated pattern as an expression; members of Unicode categories are added when it is evaluated."""
    parts = []
    for piece in pattern.pieces:
        if isinstance(piece, Category):
            negated = ", negated=True" if piece.negated else ""
            parts.append(f'category_members("{piece.name}"{negated})')
        else:
            parts.append(_raw(piece))
    return " + ".join(parts) or '""'


def _raw(text: str) -> str:
    """Return a raw string literal of text that has neither a bare double quote nor a control character."""
    pieces, start = [], 0
    while start < len(text):
        end = min(start + _PIECE, len(text))
        while end < len(text) and (end - len(text[:end].rstrip("\\"))) % 2:  # no raw string ends in a lone backslash
            end += 1
        pieces.append(f'r"{text[start:end]}"')
        start = end
    return pieces[0] if len(pieces) == 1 else "(" + "\n".join(pieces or ['""']) + ")"


def snake(text: str) -> str:
    """Return some text as a lower-case name without leading or trailing underscores; empty if nothing is left of it."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text[: 4 * MAX_NAME])
    return re.sub(r"[^a-z0-9]+", "_", text.lower().encode("ascii", "replace").decode()).strip("_")[:MAX_NAME].strip("_")


def variable(text: str) -> str:
    """Return some text as the name of a local variable."""
    name = snake(text)
    return name if name[:1].isalpha() else f"entry_{name}".rstrip("_")


class Names:
    """Hands out names that are not taken yet."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, wanted: str) -> str:
        """Return the wanted name, or one like it."""
        name, count = wanted, 1
        while name in self._taken or name in _RESERVED:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name
