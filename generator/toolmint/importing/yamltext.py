"""JSON values as the YAML 1.2 that a person would have written.

Block style throughout, but for empty collections and short lists of scalars; quotes only where a reader would take the
text for something else; text of several lines as a literal block, one long line folded. Readers of YAML 1.1 get the
same values: ``no``, ``1:30`` and ``2026-07-28`` are quoted although YAML 1.2 has them as text. What cannot be seen, or
ends a line for some readers, is escaped.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

WIDTH = 100
"""The column that folded text and lists in one line do not exceed, unless a single word does."""

_MAX_KEY = 1000
"""The longest key that is written in front of its colon; the limit is 1,024 (YAML 1.2.2 section 7.4)."""

# What readers of YAML 1.1 or 1.2 take for null, a boolean, a number, a date, or one of the keys `<<` and `=`.
_NO_TEXT = re.compile(
    r"~|null|true|false|yes|no|on|off|y|n|<<|="
    r"|[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-f_]+)"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[-+]?(?=\.?[0-9])[0-9_]*\.?[0-9_]*(?:e[-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|nan)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?",
    re.IGNORECASE,
)

_PLAIN = re.compile(r"(?![-?:](?:\s|$)|---|\.\.\.)[^\s,\[\]{}#&*!|>'\"%@`][^\t\n]*(?<![\s:])")
_ENDS_PLAIN = re.compile(r":\s|\s#")
_PLAIN_IN_LIST = re.compile(r"[^\W_](?:[\w $./+-]*[\w$./+-])?|[$_./][\w$./+-]*")

# Two spaces of width and the joiner of emoji are as good as visible; everything else that is not printable is not.
_SEEN = frozenset("\xa0\u3000\u200d")
_WITHOUT_SEEN = str.maketrans(dict.fromkeys(_SEEN, ""))

_BREAK = re.compile(r"(?<=\S) (?=\S)")
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
}


def document(value: Mapping[str, Any], comments: Mapping[tuple[str | int, ...], Sequence[str]]) -> str:
    """Return a mapping as a YAML document.

    Args:
        value: JSON values; text has no lone surrogates.
        comments: Lines of comment above the document (path ``()``), a key of it, or an item of a list under a key.
    """
    lines = [*_comment(comments.get((), ()), "")]
    for key, item in value.items():
        lines += _comment(comments.get((key,), ()), "")
        if isinstance(item, list) and item and isinstance(item[0], dict):
            lines.append(f"{_key(key)}:")
            for index, entry in enumerate(item):
                lines += _comment(comments.get((key, index), ()), "  ")
                lines += _item(entry, "  ")
        else:
            lines += _member(key, item, "")
    return "\n".join(lines) + "\n"


def _comment(lines: Iterable[str], indent: str) -> Iterator[str]:
    for line in lines:
        shown = "".join(character if character.isprintable() else " " for character in line)
        yield f"{indent}# {shown}" if shown else f"{indent}#"


def _member(key: str, value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of one key and its value."""
    name = _key(key)
    if len(name) > _MAX_KEY:
        yield f"{indent}? {name}"
        yield from _value(value, f"{indent}:", indent)
    else:
        yield from _value(value, f"{indent}{name}:", indent)


def _value(value: Any, start: str, indent: str) -> Iterator[str]:
    """Yield the lines of a value behind what its first line starts with; ``indent`` is its parent's."""
    if isinstance(value, dict) and value:
        yield start
        for key, item in value.items():
            yield from _member(key, item, f"{indent}  ")
    elif isinstance(value, list) and value:
        row = _row(value)
        if row is not None and len(start) + len(row) < WIDTH:
            yield f"{start} {row}"
            return
        yield start
        for item in value:
            yield from _item(item, f"{indent}  ")
    elif isinstance(value, str):
        yield from _text(value, start, f"{indent}  ")
    else:
        yield f"{start} {_scalar(value)}"


def _item(value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of a list's item; a mapping starts in the line of the dash."""
    if isinstance(value, dict) and value:
        lines = (line for key, item in value.items() for line in _member(key, item, f"{indent}  "))
        yield f"{indent}- {next(lines)[len(indent) + 2 :]}"
        yield from lines
    else:
        yield from _value(value, f"{indent}-", indent)


def _row(values: list[Any]) -> str | None:
    """Return a list of scalars in one line; None where it has anything else, or long text."""
    parts = []
    for value in values:
        if isinstance(value, dict | list) or (isinstance(value, str) and ("\n" in value or len(value) > WIDTH)):
            return None
        if isinstance(value, str):
            plain = _PLAIN_IN_LIST.fullmatch(value) and not _NO_TEXT.fullmatch(value)
            parts.append(value if plain else _quoted(value))
        else:
            parts.append(_scalar(value))
    return f"[{', '.join(parts)}]"


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case dict():
            return "{}"
        case list():
            return "[]"
        case float():
            digits, mark, exponent = repr(value).partition("e")
            return f"{digits}{'.0' if mark and '.' not in digits else ''}{mark}{exponent}"
        case _:
            return repr(value)


def _key(key: str) -> str:
    return key if _is_plain(key) else _quoted(key)


def _text(text: str, start: str, indent: str) -> Iterator[str]:
    """Yield text in the style that shows it best; ``indent`` is that of a block's lines."""
    if "\n" in text and (lines := _literal(text)) is not None:
        indentation = "2" if text[0] in " \n\t" else ""
        chomping = "+" if text.endswith("\n\n") else "" if text.endswith("\n") else "-"
        yield f"{start} |{indentation}{chomping}"
        yield from (f"{indent}{line}" if line else "" for line in lines)
        return
    if len(start) + len(text) >= WIDTH and (folded := _folded(text, WIDTH - len(indent))) is not None:
        yield f"{start} >-"
        yield from (f"{indent}{line}" for line in folded)
        return
    yield f"{start} {text if _is_plain(text) else _quoted(text)}"


def _literal(text: str) -> list[str] | None:
    """Return the lines of a literal block; None for text that must be quoted."""
    lines = text.removesuffix("\n").split("\n")
    if not text.strip() or not _is_visible(text.replace("\n", "").replace("\t", "")):
        return None
    return None if lines[-1] != "" and not lines[-1].strip() else lines


def _folded(text: str, width: int) -> list[str] | None:
    """Return the lines of a folded block; None for text that has no place to break, or must be quoted."""
    if not _is_visible(text) or text != text.strip():
        return None
    lines: list[str] = []
    line = ""
    for word in _BREAK.split(text):
        if line and len(line) + len(word) >= width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if lines else None


def _is_visible(text: str) -> bool:
    return text.isprintable() or text.translate(_WITHOUT_SEEN).isprintable()


def _is_plain(text: str) -> bool:
    return (
        _PLAIN.fullmatch(text) is not None
        and _ENDS_PLAIN.search(text) is None
        and _NO_TEXT.fullmatch(text) is None
        and _is_visible(text)
    )


def _quoted(text: str) -> str:
    """Return text in the quotes that need fewest escapes."""
    if ('"' in text or "\\" in text) and "'" not in text and _is_visible(text):
        return f"'{text}'"
    return f'"{"".join(_ESCAPES.get(character) or _escaped(character) for character in text)}"'


def _escaped(character: str) -> str:
    if character.isprintable() or character in _SEEN:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
