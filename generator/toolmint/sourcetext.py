"""Untrusted text made safe inside emitted Python source: literals, docstrings, identifiers' plain spelling."""

import json
import textwrap
from typing import Any

_WIDTH = 110


def literal(value: Any) -> str:
    """Return a Python expression for a value made of str, int, float, bool, None, tuples, lists and dicts.

    Text is written in ASCII, so that no manifest can hide or reorder what a reader of the source sees.
    """
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
    return ascii(value)


def _string(text: str) -> str:
    # repr() picks single quotes unless the text has some; text that is itself JSON reads best in single quotes, and
    # everything else in double quotes, which is also how the formatter leaves them.
    quoted = ascii(text)
    if '"' in text or quoted[0] == '"':
        return quoted
    return f'"{quoted[1:-1]}"'


def docstring(text: str) -> str:
    """Return a docstring, quotes included, whose lines after the first are not indented.

    Args:
        text: Any text. Control characters and line separators are dropped or become spaces; long lines are wrapped.
    """
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        clean = "".join(character if character.isprintable() else " " for character in line).rstrip()
        lines += textwrap.wrap(clean, _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    body = "\n".join(lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if body.endswith('"'):
        body = body[:-1] + '\\"'
    return f'"""{body}\n"""' if "\n" in body else f'"""{body}"""'


def json_text(value: Any) -> str:
    """Return the compact JSON text of a value, in ASCII, as it goes out on the wire."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
