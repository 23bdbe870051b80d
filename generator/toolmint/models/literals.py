"""Text from a manifest in Python source, the same on every version of Python.

``repr`` and ``str.isprintable`` follow the Unicode tables of the Python that runs; these rules do not.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff\U000e0000-\U0010ffff]"
)
"""Control and format characters, spaces that look like another, surrogates, noncharacters and private planes."""

_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def string_literal(text: str) -> str:
    """Return a string as a Python literal in double quotes; what cannot be seen or stored is escaped."""
    escaped = "".join(_SHORT.get(char, char) for char in text)
    return f'"{_UNSAFE.sub(_escape, escaped)}"'


def visible(text: str) -> str:
    """Return a text with a space for each line break or character that cannot be seen or stored."""
    return _UNSAFE.sub(" ", text)


def literal(value: object) -> str:
    """Return a JSON value as a Python expression."""
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{string_literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
