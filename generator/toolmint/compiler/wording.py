"""Phrases about schemas, in the words a reader of the violations would use. All of it is text, none of it source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from .model import Json
from .source import number

NOUNS = {
    "null": "null", "boolean": "true or false", "integer": "an integer", "number": "a number", "string": "a string",
    "array": "an array", "object": "an object",
}  # fmt: skip
"""What a value of a type is called."""

MAX_VALUES = 12
"""Most values of an ``enum`` that are named."""

MAX_TEXT = 80
"""Longest text quoted from a schema, in characters."""


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 item", "3 properties"."""
    plural = {"property": "properties"}.get(noun, f"{noun}s")
    return f"{shown_number(count)} {noun if count == 1 else plural}"


def listed(words: Iterable[str]) -> str:
    """Words as a phrase: "a, b or c"."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing"


def shown_number(value: float) -> str:
    """A number as it was written, or nearly; a very long one only by its size."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"{'minus ' * (value < 0)}2**{abs(value).bit_length() - 1} or a little more"
    return number(value)


def shortened(text: str) -> str:
    """A text in one line of limited length."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."


def shown_json(value: Json) -> str:
    """A JSON value in one line of limited length."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return shown_number(value)
    return shortened(json.dumps(value, ensure_ascii=False))


def shortlist(values: Sequence[Json]) -> str:
    """Values as a phrase, the first of them if they are many."""
    words = [shown_json(value) for value in values[:MAX_VALUES]]
    return listed(words) if len(values) <= MAX_VALUES else f"{', '.join(words)} and {len(values) - MAX_VALUES} more"
