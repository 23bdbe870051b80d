"""Phrases about schemas, in the words a reader of the violations would use. All of it is text, none of it source."""

import json
from collections.abc import Iterable, Sequence

from .model import Json, Node, Numbers, Objects, Strings
from .source import number

NOUNS = {
    "null": "null", "boolean": "true or false", "integer": "an integer", "number": "a number", "string": "a string",
    "array": "an array", "object": "an object",
}  # fmt: skip
"""What a value of a type is called."""

MAX_VALUES = 12
"""Most values of an ``enum`` that are named."""

MAX_OPTIONS = 4
"""Most alternatives, or property names, that are spelt out."""

MAX_TEXT = 80
"""Longest text quoted from a schema, in characters."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 item", "3 properties"."""
    plural = {"property": "properties"}.get(noun, f"{noun}s")
    return f"{shown_number(count)} {noun if count == 1 else plural}"


def listed(words: Iterable[str]) -> str:
    """Words as a phrase: "a, b or c"."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "nothing"


def shown_number(value: float) -> str:
    """Return a number as it was written, or nearly; a very long one only by its size."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"{'minus ' * (value < 0)}2**{abs(value).bit_length() - 1} or a little more"
    return number(value)


def shortened(text: str) -> str:
    """Return a text in one line of limited length."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."


def shown_json(value: Json) -> str:
    """Return a JSON value in one line of limited length."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return shown_number(value)
    return shortened(json.dumps(value, ensure_ascii=False))


def shortlist(values: Sequence[Json]) -> str:
    """Values as a phrase, the first of them if they are many."""
    words = [shown_json(value) for value in values[:MAX_VALUES]]
    return listed(words) if len(values) <= MAX_VALUES else f"{', '.join(words)} and {len(values) - MAX_VALUES} more"


def any_value(values: Sequence[Json]) -> str:
    """Return the members of an ``enum``, or of a ``const``, as a phrase."""
    if not values:
        return "nothing: no value is allowed"
    return f"{'one of ' if len(values) > 1 else ''}{shortlist(values)}"


def named(node: Node, index: int) -> str:
    """Return what to call an alternative: by its title, by what it asks for, or by its number."""
    return f'"{shortened(node.title)}"' if node.title else described(node, unknown=f"alternative {index}")


def described(node: Node, *, unknown: str = "a value that fits the schema", depth: int = 2) -> str:
    """Return what a schema expects, as a short phrase with an article; ``unknown`` if that takes more words."""
    if node.verdict is not None:
        return "any value" if node.verdict else "nothing: no value is allowed"
    if node.values:
        return any_value(node.values[0])
    if node.types is not None:
        names = [name for name in NOUNS if name in node.types]
        return listed(_described_type(node, name, depth) for name in names)
    if node.objects is not None and (details := _details(node.objects, depth)):
        return f"an object {details}"
    options = node.any_of or node.one_of
    if depth and options and len(options) <= MAX_OPTIONS:
        phrases = [described(option, unknown="", depth=depth - 1) for option in options]
        return listed(dict.fromkeys(phrases)) if all(phrases) else unknown
    if depth and len(node.refs) == 1:
        return described(node.refs[0], unknown=unknown, depth=depth - 1)
    if node.numbers is not None:
        return _described_number("a number", node.numbers)
    if node.strings is not None:
        return _described_string(node.strings)
    if depth and len(node.all_of) == 1:
        return described(node.all_of[0], unknown=unknown, depth=depth - 1)
    return unknown


def _described_type(node: Node, name: str, depth: int) -> str:
    if name in {"integer", "number"} and node.numbers is not None:
        return _described_number(NOUNS[name], node.numbers)
    if name == "string" and node.strings is not None:
        return _described_string(node.strings)
    if name == "object" and node.objects is not None and (details := _details(node.objects, depth)):
        return f"an object {details}"
    if name == "array" and node.arrays is not None and node.arrays.items is not None and depth:
        items = described(node.arrays.items, unknown="", depth=0)
        return f"an array where each item is {items}" if items and items != "any value" else NOUNS[name]
    return NOUNS[name]


def _described_number(noun: str, rules: Numbers) -> str:
    if rules.minimum is not None and rules.maximum is not None and rules.multiple_of is None:
        return f"{noun} from {shown_number(rules.minimum)} to {shown_number(rules.maximum)}"
    bounds = [
        f"{words} {shown_number(bound)}"
        for words, bound in (
            ("at least", rules.minimum),
            ("more than", rules.exclusive_minimum),
            ("at most", rules.maximum),
            ("less than", rules.exclusive_maximum),
        )
        if bound is not None
    ]
    if rules.multiple_of is not None:
        bounds.append(f"a multiple of {shown_number(rules.multiple_of)}")
    return f"{noun}, {' and '.join(bounds)}" if bounds else noun


def _described_string(rules: Strings) -> str:
    if rules.format is not None:
        return f"a string in the format {rules.format}"
    if rules.pattern is not None:
        return f"a string that matches {shortened(rules.pattern.source)}"
    least, most = rules.min_length, rules.max_length
    if least and most is not None:
        return (
            f"a string of {least} to {counted(most, 'character')}"
            if least < most
            else f"a string of {counted(most, 'character')}"
        )
    if least == 1:
        return "a string that is not empty"
    if least:
        return f"a string of at least {counted(least, 'character')}"
    return "a string" if most is None else f"a string of at most {counted(most, 'character')}"


def _details(rules: Objects, depth: int) -> str:
    """Return what tells objects of a kind from others: fixed values of properties, else the names of required ones."""
    fixed = [
        f'"{shortened(name)}" is {shown_json(child.values[0][0])}'
        for name, child in rules.properties.items()
        if child.values and len(child.values[0]) == 1
    ]
    if fixed and depth:
        return f"where {' and '.join(fixed[:2])}"
    if rules.required and len(rules.required) <= MAX_OPTIONS:
        return f"with {' and '.join(json.dumps(shortened(name), ensure_ascii=False) for name in rules.required)}"
    return ""
