"""The words in which problems name values, kinds of values and the nearest known name."""

import difflib
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

_KINDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


# Comparing is slow, and a manifest may have any number of names of any length.
_MOST_COMPARED = 500
_LONGEST_COMPARED = 200

_MOST_LISTED = 20
"""How many names a hint lists."""


def kinds(types: str | Iterable[str]) -> str:
    """Return what a JSON Schema ``type`` expects: "text", or "a list or a mapping"."""
    return one_of((_KINDS[name] for name in ([types] if isinstance(types, str) else types)), quote=False)


def found(value: Any) -> str:
    """Return a value as a message shows it: its kind, and what it is where that is short."""
    match value:
        case None:
            return "nothing (null)"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {shown(value)}"
        case str():
            return f"the text {shown(value)}" if value else "an empty text"
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case _:
            return "a mapping" if value else "an empty mapping"


def shown(value: Any) -> str:
    """Return a value as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:56]}…" + ('"' if isinstance(value, str) else "")


def shortened(message: str) -> str:
    """Return what a validator says, which may quote a whole value, in a length that can be read."""
    return message if len(message) <= 200 else f"{message[:120]} … {message[-76:]}"


def one_of(names: Iterable[Any], *, quote: bool = True) -> str:
    """Return names joined as alternatives: ``"a", "b" or "c"``."""
    words = [shown(name) if quote else str(name) for name in names]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.7) -> str | None:
    """Return the known name that was most likely meant, if one is near enough: 1 is the same but for case."""
    names = list(known)
    folded = {_folded(candidate): candidate for candidate in reversed(names)}
    if _folded(name) in folded:
        return folded[_folded(name)]
    candidates = list(folded)[-_MOST_COMPARED:]
    close = difflib.get_close_matches(_folded(name)[:_LONGEST_COMPARED], candidates, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "known here") -> str:
    """Return a hint: the nearest known name, or else all of them."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f'did you mean "{near}"?'
    shortened = [*names[:_MOST_LISTED], "…"] if len(names) > _MOST_LISTED else names
    return f"{otherwise}: {', '.join(shortened)}" if names else ""


@lru_cache(maxsize=100_000)
def _folded(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()
