"""The changes between two versions of an input or output schema, each with what it means for callers.

What narrows and what widens is decided by containment, asked in both directions; this module says which of the two is
the break (narrowing an input, widening an output) and what to call it. Annotations are compared where both versions
have the same place.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, NamedTuple

from toolmint.diffing.changes import Classification, shown
from toolmint.diffing.containment import Containment
from toolmint.diffing.documents import ANNOTATIONS, ASSERTIONS, Document, Node, identity, subschemas
from toolmint.diffing.failures import ABSENT, Failure
from toolmint.manifest.positions import Path, pointer_of
from toolmint.manifest.references import value_at

Side = Literal["input", "output"]
"""Whether callers send the values or receive them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChange:
    """One change in a schema; the members are those of ``toolmint.diffing.changes.Change``."""

    code: str
    classification: Classification
    pointer: str
    message: str
    old: Any = ABSENT
    new: Any = ABSENT
    witness: Any = ABSENT


class _Codes(NamedTuple):
    narrowed: str
    widened: str


# By the rule of a failure (``toolmint.diffing.containment``); "type" also stands for a kind that no alternative takes.
_CODES = {
    "anyOf": _Codes("alternative-removed", "alternative-added"),
    "bound": _Codes("bound-tightened", "bound-loosened"),
    "closed": _Codes("object-closed", "object-opened"),
    "described": _Codes("property-described", "property-undescribed"),
    "false": _Codes("value-refused", "value-allowed"),
    "format": _Codes("format-added", "format-removed"),
    "invalid": _Codes("schema-invalid", "schema-invalid"),
    "oneOf": _Codes("alternative-removed", "alternative-added"),
    "pattern": _Codes("pattern-added", "pattern-removed"),
    "removed": _Codes("property-removed", "property-added"),
    "required": _Codes("property-required", "property-optional"),
    "type": _Codes("type-narrowed", "type-widened"),
    "value": _Codes("enum-value-removed", "enum-value-added"),
    "values": _Codes("enum-introduced", "enum-lifted"),
}
_OTHER_CODES = _Codes("condition-tightened", "condition-loosened")

_SAYS_NOTHING = frozenset(("effort", "invalid", "$ref"))
"""Rules that fail without saying what differs: of no use in the direction in which nothing breaks."""

_OF_PROPERTIES = frozenset(("described", "removed", "required"))
"""Rules whose failure is about one property of an object."""

_STRUCTURE = frozenset(("$anchor", "$defs", "$dynamicAnchor", "$id", "$vocabulary", "definitions"))
"""Keywords that only name or keep schemas."""


def compare_schemas(old: Any, new: Any, side: Side, *, formats_asserted: bool | None = None) -> list[SchemaChange]:
    """Return the changes between two versions of a schema.

    Args:
        old: A JSON Schema, draft-07 by its ``$schema`` or else 2020-12.
        new: The same schema now.
        side: ``input``: callers send such values; ``output``: they receive them.
        formats_asserted: Whether the new server refuses what is not of its ``format``; None: it is not known.
    """
    if identity(old) == identity(new):
        return []
    before, after = Document(old), Document(new)
    narrowed = _Direction(before, after, side, narrowed=True, formats_asserted=formats_asserted)
    widened = _Direction(before, after, side, narrowed=False, formats_asserted=formats_asserted)
    first, second = (narrowed, widened) if side == "input" else (widened, narrowed)
    breaks = first.failures()
    taken = {(failure.rule, failure.right.path) for failure in breaks if failure.rule != "value"}
    further = [
        failure
        for failure in second.failures()
        if (failure.rule, failure.right.path) not in taken and failure.rule not in _SAYS_NOTHING
    ]
    found = [*map(first.breaking, breaks), *map(second.harmless, further)]
    pointers = {change.pointer for change in found}
    found += (change for change in _annotations(before.node, after.node, side) if change.pointer not in pointers)
    if not found:
        message = "is written another way and means the same"
        found.append(SchemaChange(code="schema-rewritten", classification="wording", pointer="", message=message))
    return _distinct(found)


def _distinct(changes: Iterable[SchemaChange]) -> list[SchemaChange]:
    """Return changes without repetitions, and without a property that is new where it is said to be required."""
    found: dict[Any, SchemaChange] = {}
    for change in changes:
        found.setdefault((change.code, change.pointer, identity(_pair(change.old, change.new))), change)
    required = {change.pointer for change in found.values() if change.code == "property-required"}
    return [change for change in found.values() if change.pointer not in required or change.code != "property-added"]


def _pair(old: Any, new: Any) -> list[Any]:
    return [[] if value is ABSENT else [value] for value in (old, new)]


@dataclass(frozen=True, slots=True)
class _Direction:
    """One of the two questions: whether the new schema takes less (narrowed), or more."""

    before: Document
    after: Document
    side: Side
    _: KW_ONLY
    narrowed: bool
    formats_asserted: bool | None

    def failures(self) -> tuple[Failure, ...]:
        left, right = (self.before, self.after) if self.narrowed else (self.after, self.before)
        breaks = self.narrowed == (self.side == "input")
        excuse = self.narrowed and self.side == "input"
        return Containment(excuse_undescribed=excuse, prove=breaks).compare(left, right).failures

    def breaking(self, failure: Failure) -> SchemaChange:
        """Return the change that a failure is in the direction in which callers break."""
        if failure.excused:
            return replace(self._change(failure, "compatible"), code="property-added")
        if failure.proven:
            return self._change(failure, "breaking")
        if failure.rule == "format" and self.side == "input" and self.formats_asserted is not None:
            if not self.formats_asserted:
                return self._change(failure, "compatible")
            if failure.left_value is ABSENT:
                return self._change(failure, "breaking")
        return self._change(failure, "cannot-tell")

    def harmless(self, failure: Failure) -> SchemaChange:
        """Return the change that a failure is in the other direction."""
        change = self._change(failure, "compatible")
        if failure.rule == "described" and self.narrowed:
            change = replace(change, code="property-added")
        return replace(change, witness=ABSENT)

    def _change(self, failure: Failure, classification: Classification) -> SchemaChange:
        codes = _CODES.get(failure.rule, _OTHER_CODES)
        path = self._path(failure)
        old, new = self._values(failure, path)
        message = self._message(failure, old, new)
        if classification == "cannot-tell":
            message += f"; {failure.reason}"
        code = codes.narrowed if self.narrowed else codes.widened
        if failure.rule in ("pattern", "format") and failure.left_value is not ABSENT:
            code = f"{failure.rule}-changed"
        return SchemaChange(
            code=code,
            classification=classification,
            pointer=pointer_of(path),
            message=message,
            old=old,
            new=new,
            witness=failure.witness if classification == "breaking" else ABSENT,
        )

    def _path(self, failure: Failure) -> Path:
        path = failure.right.path
        if failure.rule in _OF_PROPERTIES:
            return (*path, "properties", failure.item)
        return (*path, failure.keyword) if failure.keyword in failure.right.keywords else path

    def _values(self, failure: Failure, path: Path) -> tuple[Any, Any]:
        """Return the old and the new value of what a failure is about."""
        if failure.rule == "value":
            return (failure.item, ABSENT) if self.narrowed else (ABSENT, failure.item)
        if failure.right_value is ABSENT:
            return ABSENT, ABSENT
        left = self.before if self.narrowed else self.after
        other = value_at(left.root, path) if left.exists(path) else failure.left_value
        other = list(other) if isinstance(other, tuple) else other
        return (other, failure.right_value) if self.narrowed else (failure.right_value, other)

    def _message(self, failure: Failure, old: Any, new: Any) -> str:
        keyword, narrowed = failure.keyword, self.narrowed
        no_longer = "no longer" if narrowed else "now also"
        match failure.rule:
            case "required":
                return "is now required" if narrowed else "is no longer required"
            case "described" if narrowed:
                return "is a new property" if failure.excused or self.side == "output" else "is described now"
            case "removed":
                return (
                    ("is gone, and refused" if self.side == "input" else "is gone") if narrowed else "is a new property"
                )
            case "described":
                return "is no longer described; anything may stand there"
            case "closed":
                return (
                    "properties that are not listed are refused now"
                    if narrowed
                    else "properties that are not listed may stand there now"
                )
            case "value":
                enumerated = f" ({keyword})" if keyword not in ("enum", "const") else ""
                return f"the value {shown(failure.item)} is {no_longer} allowed{enumerated}"
            case "values":
                return f"only {shown(failure.right_value)} " + ("is allowed now" if narrowed else "was allowed before")
            case "type" if failure.right_value is ABSENT:
                return f"{' and '.join(failure.left_value)} is {no_longer} allowed"
            case "false":
                return "nothing is allowed here any more" if narrowed else "something is allowed here now"
            case "anyOf" | "oneOf":
                return "an alternative is gone or takes less" if narrowed else "an alternative is new or takes more"
            case "invalid":
                return "cannot be compared"
            case _ if failure.right_value is not ABSENT:
                return f"{keyword}: {shown(old)} -> {shown(new)}"
            case _:
                about = f" about {shown(failure.item)}" if failure.item is not ABSENT else ""
                return f"what {keyword or 'the schema'} says{about} is " + ("stricter" if narrowed else "less strict")


# -- annotations ------------------------------------------------------------------------------------------------------


def _annotations(old: Node, new: Node, side: Side) -> Iterator[SchemaChange]:
    """Return what changed of that which refuses nothing, in every place that both versions have."""
    before, after = old.value, new.value
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    for name in sorted({*before, *after} - ASSERTIONS - _STRUCTURE):
        was, now = before.get(name, ABSENT), after.get(name, ABSENT)
        if _differ(was, now):
            yield _annotation(name, was, now, pointer_of((*new.path, name)), side)
    for name in _keys(after, "properties") - _keys(before, "properties"):
        pointer = new.below("properties", name).pointer
        message = "is a new property"
        yield SchemaChange(code="property-added", classification="compatible", pointer=pointer, message=message)
    for name in _keys(before, "properties") - _keys(after, "properties"):
        pointer = new.below("properties", name).pointer
        message = "is no longer described"
        yield SchemaChange(code="property-undescribed", classification="compatible", pointer=pointer, message=message)
    for steps in subschemas(before, old.document.dialect):
        if new.document.exists(new.path + steps):
            yield from _annotations(old.below(*steps), new.below(*steps), side)


def _differ(was: Any, now: Any) -> bool:
    return was is not now and (was is ABSENT or now is ABSENT or identity(was) != identity(now))


def _keys(schema: Mapping[str, Any], keyword: str) -> set[str]:
    value = schema.get(keyword)
    return set(value) if isinstance(value, dict) else set()


def _annotation(name: str, was: Any, now: Any, pointer: str, side: Side) -> SchemaChange:
    code = f"{name}-changed"
    classification: Classification = "wording"
    message = f"{name}: {shown(was)} -> {shown(now)}"
    if name == "default" and side == "input":
        classification = "compatible"
        message += "; calls that leave it out mean another value now"
    elif name in ("contentEncoding", "contentMediaType", "contentSchema"):
        code, classification = "content-changed", "cannot-tell"
        message += "; what the text holds is not asserted by a schema"
    elif name == "x-mcp-header" and side == "input":
        code, classification = "header-changed", "compatible" if now is ABSENT else "breaking"
        message += "" if now is ABSENT else "; requests over HTTP without the header are refused"
    elif name == "$schema":
        code = "dialect-changed"
    elif name == "$comment":
        code = "comment-changed"
    elif name not in ANNOTATIONS:
        code = "extension-changed"
    return SchemaChange(code=code, classification=classification, pointer=pointer, message=message, old=was, new=now)
