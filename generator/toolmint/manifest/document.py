"""YAML 1.2 (and so JSON) text to plain JSON values and the position of each.

Events come from the C parser. It follows YAML 1.1 in what may stand unquoted between brackets, and so refuses
``{url: https://example.com}``; a text that it refuses is parsed again by the slower YAML 1.2 parser. Scalars are
resolved here by the core schema (YAML 1.2.2 section 10.3), in which ``no`` and ``on`` are text and a date is text too.
What JSON cannot hold is a problem: NaN, infinities, keys that are collections, application tags.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.cyaml import CParser  # type: ignore[attr-defined]  # it is there, only not in __all__
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from toolmint.manifest.positions import MappingMarks, Marks, Positions, SequenceMarks, pack, unpack
from toolmint.manifest.source import MAX_PROBLEMS, ManifestError, Position, Source
from toolmint.manifest.standins import StandIns
from toolmint.problems import Problem

MAX_NODES = 500_000
"""The most values of a document, each alias counted as everything it stands for."""

MAX_DEPTH = 100
"""The deepest nesting of a document."""

_MAX_DIGITS = 1000
"""The longest number that is read, in characters; far below what Python refuses to convert."""

_MAX_REPARSED = 2 * 1024 * 1024
"""The longest text, in characters, that is parsed a second time."""

_MAX_KEY = 1024
"""The longest key, in characters (YAML 1.2.2 section 8.2.2, an implicit key)."""

_CONSTANTS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_PERHAPS_NO_TEXT = frozenset("~nNtTfF+-.0123456789")
"""First characters of the plain scalars that may be something else than text."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEXADECIMAL = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONG_KEY = re.compile(r"\S{1023,}\s*:")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_CORE = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed text.

    Attributes:
        value: JSON values only: dict, list, str, int, float, bool, None. What an alias stands for is shared, so nothing
            in it may be changed.
        positions: Where each key and value stands.
        problems: What is wrong although a value could be made of it, such as a key given twice.
        dates: Where a date stands without quotes: text here, but a date to a reader of YAML 1.1.
    """

    value: Any
    positions: Positions
    problems: tuple[Problem, ...]
    dates: tuple[Position, ...]


def parse_document(source: Source) -> Document:
    """Parse a text that holds exactly one document.

    Raises:
        ManifestError: It is no YAML, holds no document or several, or exceeds ``MAX_NODES`` or ``MAX_DEPTH``.
    """
    stand_ins = StandIns(source.text)
    text = stand_ins.put(source.text)
    try:
        return _Composer(source, stand_ins, CParser(text).get_event).compose()
    except YAMLError as error:
        refused = error
    if len(text) <= _MAX_REPARSED:
        try:
            return _Composer(source, stand_ins, partial(next, YAML(typ="safe", pure=True).parse(text))).compose()
        except YAMLError:
            pass  # the first error says as much, and may be known to explain better
    raise ManifestError([_syntax(source, refused)])


@dataclass(frozen=True, slots=True)
class _Node:
    """A value that has an anchor, to be used again by its aliases; ``size`` counts the values in it."""

    value: Any
    marks: Marks
    size: int


class _Composer:
    """Composes a document of a parser's events.

    Raises:
        YAMLError: The parser's, unchanged.
        ManifestError: The document exceeds a bound, or is not the only one.
    """

    def __init__(self, source: Source, stand_ins: StandIns, get_event: Callable[[], Any]) -> None:
        self._source = source
        self._stand_ins = stand_ins
        self._get_event = get_event
        self._problems: list[Problem] = []
        self._dates: list[int] = []
        self._anchors: dict[str, _Node] = {}
        self._size = 0

    def compose(self) -> Document:
        value, marks = self._document()
        return Document(
            value=value,
            positions=Positions(marks),
            problems=tuple(self._problems),
            dates=tuple(map(unpack, self._dates)),
        )

    def _document(self) -> tuple[Any, Marks]:
        self._get_event()
        first = self._get_event()
        if type(first) is StreamEndEvent:
            raise self._fatal("empty-document", "the file is empty", first, "a manifest starts with `toolmint: 1`")
        node = self._value(self._get_event(), 0)
        self._get_event()
        following = self._get_event()
        if type(following) is DocumentStartEvent:
            raise self._fatal(
                "several-documents",
                "a second YAML document starts here; a manifest is one",
                following,
                "remove the `---`, or keep each server's manifest in a file of its own",
            )
        return node

    def _value(self, event: Any, depth: int) -> tuple[Any, Marks]:
        self._size += 1
        if self._size > MAX_NODES:
            raise self._fatal(
                "too-many-values",
                f"more than {MAX_NODES} values, aliases counted as what they stand for",
                event,
                "split the server",
            )
        kind = type(event)
        if kind is ScalarEvent:
            return self._scalar(event), _mark(event)
        if kind is AliasEvent:
            return self._alias(event)
        if depth == MAX_DEPTH:
            raise self._fatal(
                "nested-too-deep",
                f"nested more than {MAX_DEPTH} levels deep",
                event,
                "give inner schemas names under $defs",
            )
        before = self._size
        value, marks = (self._mapping if kind is MappingStartEvent else self._sequence)(event, depth + 1)
        if event.anchor:
            self._anchors[event.anchor] = _Node(value, marks, self._size - before + 1)
        return value, marks

    def _alias(self, event: Any) -> tuple[Any, Marks]:
        node = self._anchors.get(event.anchor)
        if node is None:
            self._report(
                "unknown-alias",
                f"*{event.anchor} stands for nothing: no finished value before it has the anchor &{event.anchor}",
                event,
            )
            return None, _mark(event)
        self._size += node.size - 1
        return node.value, node.marks

    def _sequence(self, event: Any, depth: int) -> tuple[list[Any], Marks]:
        if event.tag and event.tag not in ("!", f"{_CORE}seq"):
            self._unknown_tag(event)
        values: list[Any] = []
        marks = SequenceMarks(_mark(event))
        get_event = self._get_event
        while type(item := get_event()) is not SequenceEndEvent:
            value, mark = self._value(item, depth)
            values.append(value)
            marks.items.append(mark)
        return values, marks

    def _mapping(self, event: Any, depth: int) -> tuple[dict[str, Any], Marks]:
        if event.tag and event.tag not in ("!", f"{_CORE}map"):
            self._unknown_tag(event)
        values: dict[str, Any] = {}
        marks = MappingMarks(_mark(event))
        get_event = self._get_event
        while type(item := get_event()) is not MappingEndEvent:
            key = self._key(item, depth)
            following = get_event()
            value, mark = self._value(following, depth)
            if value is None and type(following) is ScalarEvent and not following.value:
                mark = _mark(item)  # a value that is left out stands nowhere
            if key is None:
                continue
            if key in values:
                first = unpack(marks.keys[key])
                self._report(
                    "duplicate-key",
                    f'the key "{key}" stands here a second time, first in line {first.line}, column {first.column}',
                    item,
                    "keep one of them",
                )
                continue
            values[key] = value
            marks.keys[key] = _mark(item)
            marks.values[key] = mark
        return values, marks

    def _key(self, event: Any, depth: int) -> str | None:
        """Return a key as text: JSON has no other, so ``200`` and ``true`` are the text they are written with."""
        if type(event) is AliasEvent:
            key, _ = self._alias(event)
            if isinstance(key, str):
                return key
        elif type(event) is ScalarEvent:
            if event.value == "<<" and event.implicit[0]:
                self._report(
                    "merge-key",
                    "`<<` merges mappings in YAML 1.1 only; in YAML 1.2 it is a key like any other",
                    event,
                    "write the keys out, share a schema with $defs and $ref, or put `<<` in quotes if you mean it",
                )
                return None
            text = self._text(event)
            if event.anchor:
                self._anchors[event.anchor] = _Node(text, _mark(event), 1)
            return text
        else:
            self._value(event, depth)
        self._report("key-not-text", "a key must be text; here it is a list or a mapping", event)
        return None

    def _text(self, event: Any) -> str:
        text: str = event.value
        if self._stand_ins.any:
            try:
                return self._stand_ins.restore(text)
            except UnicodeError:
                self._report(
                    "lone-surrogate",
                    "the text has half of a surrogate pair, which UTF-8 cannot carry",
                    event,
                    "write both halves, or \\ufffd in its place",
                )
        return text

    def _scalar(self, event: Any) -> Any:
        text = self._text(event)
        value: Any = text
        tag = event.tag
        if tag and tag != "!":
            value = self._tagged(event, text)
        elif event.implicit[0] and not event.style and (not text or text[0] in _PERHAPS_NO_TEXT):
            value = self._plain(event, text)
        if event.anchor:
            self._anchors[event.anchor] = _Node(value, _mark(event), 1)
        return value

    def _tagged(self, event: Any, text: str) -> Any:
        if event.tag == f"{_CORE}str":
            return text
        value = self._plain(event, text)
        kinds = {bool: "bool", int: "int", float: "float", type(None): "null", str: "str"}
        named = event.tag.removeprefix(_CORE)
        if named not in kinds.values():
            self._unknown_tag(event)
        elif named == "float" and type(value) is int:
            return float(value)
        elif named != kinds[type(value)]:
            self._report("wrong-tag", f'"{text}" is not what its tag !!{named} says', event, "remove the tag")
        return value

    def _plain(self, event: Any, text: str) -> Any:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if len(text) > _MAX_DIGITS and _FLOAT.fullmatch(text):
            self._report(
                "number-too-long", f"a number of {len(text)} characters; at most {_MAX_DIGITS} are read", event
            )
            return 0
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if math.isinf(number):
                self._report("number-out-of-range", f"{text} is larger than any number JSON readers can hold", event)
                return 0
            return number
        if _OCTAL_OR_HEXADECIMAL.fullmatch(text):
            return int(text, 0)
        if _NOT_FINITE.fullmatch(text):
            self._report(
                "number-out-of-range", f"{text} is no number in JSON", event, f'if you mean the text, write "{text}"'
            )
        elif _DATE.fullmatch(text):
            self._dates.append(_mark(event))
        return text

    def _unknown_tag(self, event: Any) -> None:
        tag = event.tag.replace(_CORE, "!!", 1)
        self._report(
            "unknown-tag", f"the tag {tag} has no meaning here; a manifest holds what JSON can hold", event, "remove it"
        )

    def _report(self, code: str, message: str, event: Any, hint: str = "") -> None:
        self._problems.append(self._source.problem(code, message, unpack(_mark(event)), hint))
        if len(self._problems) > MAX_PROBLEMS:
            raise ManifestError(self._problems)

    def _fatal(self, code: str, message: str, event: Any, hint: str = "") -> ManifestError:
        self._report(code, message, event, hint)
        return ManifestError(self._problems)


def _syntax(source: Source, error: YAMLError) -> Problem:
    """Say in a person's words what the parser could not read."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return source.problem("not-yaml", f"this is not YAML: {error}", Position(1, 1))
    mark = error.problem_mark
    lines = source.lines
    at_end = mark.line >= len(lines)
    position = Position(len(lines), len(lines[-1]) + 1) if at_end else Position(mark.line + 1, mark.column + 1)
    line = "" if at_end else lines[mark.line]
    found = line[mark.column : mark.column + 1]
    message, hint = f"this is not YAML: {error.problem}", ""
    start = error.context_mark
    if error.context and start:
        message += f" ({error.context} that starts in line {start.line + 1})"
    if _LONG_KEY.search(line[: mark.column + 2]):
        hint = f"a key has at most {_MAX_KEY} characters"
    elif "Unicode character escape" in str(error.problem):
        hint = "write a character beyond U+FFFF as itself or as \\U and eight hexadecimal digits"
    elif error.problem == "found unexpected ':'":
        hint = "put a text that holds a colon in quotes"
    elif found == "\t":
        message, hint = "a tab stands where YAML allows only spaces", "indent with spaces"
    elif found and found in "@`%":
        message, hint = f"a value cannot start with {found} in YAML", "put the value in quotes"
    elif error.problem == "mapping values are not allowed in this context":
        message = "a second `: ` in one line, or a line indented further than the one it belongs to"
        hint = "put a text that holds `: ` in quotes; line up the keys of one mapping"
    elif error.problem == "did not find expected key":
        hint = "line up the keys of one mapping, and put a text that starts with a quote in quotes as a whole"
    elif error.context in ("while parsing a flow sequence", "while parsing a flow mapping") and start:
        message = f"the brackets that open in line {start.line + 1}, column {start.column + 1}, are not closed here"
        hint = "put a comma between two items, and the closing bracket behind the last"
    elif str(error.problem).startswith("did not find expected node content"):
        message, hint = "a value is missing here", 'write one; an empty text is ""'
    elif error.context == "while scanning a quoted scalar" and start:
        position = Position(start.line + 1, start.column + 1)
        message, hint = "this quoted text has no closing quote", "close it"
    return source.problem("not-yaml", message, position, hint)


def _mark(event: Any) -> int:
    start = event.start_mark
    return pack(start.line, start.column)
