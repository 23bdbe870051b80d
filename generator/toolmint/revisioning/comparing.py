"""What is different in one revision compared with another."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from toolmint.revision import ErrorCode, Method, Revision, Schema
from toolmint.revisioning.schemas import name_of, options, structure

_T = TypeVar("_T")
_Requirement: TypeAlias = Literal["now required", "now optional"]
_LONGEST_SHAPE = 80
_NESTED = ("properties", "required", "items", "additionalProperties")
_COLUMNS = {
    "direction": "direction",
    "kind": "kind",
    "message": "message",
    "params": "params",
    "result": "result",
    "capability": "capability",
    "paginated": "paginated",
    "cacheable": "cacheable",
    "input_required": "inputRequired",
    "mirrored": "mirrored",
    "before_initialize": "beforeInitialize",
}
"""The fields of a Method by what the method table calls them."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is there in one revision and not in the other, and what is there in both but different.

    Attributes:
        added: Names only the newer revision has.
        removed: Names only the older revision has.
        changed: Names both have, each with what is different about it in words.

    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def to_json(self) -> dict[str, Any]:
        """Return the three as JSON."""
        return {"added": list(self.added), "removed": list(self.removed), "changed": dict(self.changed)}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One property of a definition that both revisions have.

    Attributes:
        definition: The definition.
        field: The way to the property within it: names with dots between, ``[]`` for the items of an array and ``.*``
            for properties without a name of their own; empty for the definition itself.
        change: What happened to it; ``changed`` is a different type, reference or other constraint.
        required: Whether the newer revision requires it; for one that is removed, whether the older did.
        detail: How a changed one was and is; else empty.

    """

    definition: str
    field: str
    change: Literal["added", "removed", "now required", "now optional", "changed"]
    required: bool
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the attributes as JSON."""
        return {
            "definition": self.definition,
            "field": self.field,
            "change": self.change,
            "required": self.required,
            "detail": self.detail,
        }

    def __str__(self) -> str:
        text = f"{self.field} {self.change}"
        if not self.field:
            return self.detail
        if self.change in ("added", "removed"):
            return f"{text} (required)" if self.required else text
        return f"{text}: {self.detail}" if self.detail else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is different in a revision since another, and what a person should check about it.

    Attributes:
        revision: The newer revision's name.
        era: Its era.
        since: The name of the one it is compared with.
        methods: Methods by name.
        definitions: Definitions by name.
        fields: Properties of definitions that both have.
        errors: Error codes by their name in the method table.
        meta_keys: Reserved ``_meta`` keys.
        content_kinds: Kinds of block in tool results and prompt messages.
        sampling_content_kinds: Kinds of block in messages to and from the client's model.
        facts: Other differences, in words.
        notes: What was guessed, in words.
        path: The folder that was written, or None.

    """

    revision: str
    era: str
    since: str
    methods: Changes
    definitions: Changes
    fields: tuple[FieldChange, ...]
    errors: Changes
    meta_keys: Changes
    content_kinds: Changes
    sampling_content_kinds: Changes
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    path: Path | None = None

    @property
    def different(self) -> bool:
        """Whether anything but annotations differs."""
        return bool(self.facts) or any(changes for _, changes in self._groups())

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "revision": self.revision,
            "era": self.era,
            "since": self.since,
            "different": self.different,
            "methods": self.methods.to_json(),
            "definitions": self.definitions.to_json(),
            "fields": [change.to_json() for change in self.fields],
            "errors": self.errors.to_json(),
            "metaKeys": self.meta_keys.to_json(),
            "contentKinds": self.content_kinds.to_json(),
            "samplingContentKinds": self.sampling_content_kinds.to_json(),
            "facts": list(self.facts),
            "notes": list(self.notes),
            "path": None if self.path is None else str(self.path),
        }

    def lines(self) -> list[str]:
        """Return the report for a person, a line each."""
        lines = [f"{self.revision} ({self.era}) is in {self.path}"] if self.path else []
        if not self.different:
            lines.append(f"no difference to {self.since} but in wording")
        else:
            lines.append(f"since {self.since}:")
            lines += [f"  {fact}" for fact in self.facts]
            for title, changes in self._groups():
                lines += [f"  {title:<22} added    {name}" for name in changes.added]
                lines += [f"  {title:<22} removed  {name}" for name in changes.removed]
                lines += [f"  {title:<22} changed  {name}: {what}" for name, what in changes.changed.items()]
        lines += [f"note: {note}" for note in self.notes]
        return lines

    def _groups(self) -> tuple[tuple[str, Changes], ...]:
        return (
            ("method", self.methods),
            ("error", self.errors),
            ("_meta key", self.meta_keys),
            ("content kind", self.content_kinds),
            ("sampling content kind", self.sampling_content_kinds),
            ("definition", self.definitions),
        )


def compare_revisions(old: Revision, new: Revision) -> Report:
    """Say what is different in one revision compared with another.

    Titles, descriptions and other annotations do not count, nor does the order of anything.

    Args:
        old: The older revision, or any other.
        new: The newer one.

    """
    changed = {
        name: tuple(
            _field_changes(name, old.definitions[name], new.definitions[name], old.definitions, new.definitions)
        )
        for name in new.definitions
        if name in old.definitions
    }
    facts = []
    if old.era != new.era:
        facts.append(f"the era is {new.era}, and was {old.era}")
    if old.batches != new.batches:
        facts.append(f"batches are {'accepted' if new.batches else 'no longer accepted'}")
    return Report(
        revision=new.name,
        era=new.era,
        since=old.name,
        methods=_changes(old.methods, new.methods, _method_difference),
        definitions=Changes(
            added=tuple(name for name in new.definitions if name not in old.definitions),
            removed=tuple(name for name in old.definitions if name not in new.definitions),
            changed={name: "; ".join(map(str, changes)) for name, changes in changed.items() if changes},
        ),
        fields=tuple(change for changes in changed.values() for change in changes),
        errors=_changes(old.errors, new.errors, _error_difference),
        meta_keys=_changes(_by_value(old.meta_keys), _by_value(new.meta_keys), _difference),
        content_kinds=_changes(old.content_kinds, new.content_kinds, _difference),
        sampling_content_kinds=_changes(old.sampling_content_kinds, new.sampling_content_kinds, _difference),
        facts=tuple(facts),
    )


def _changes(old: Mapping[str, _T], new: Mapping[str, _T], describe: Callable[[_T, _T], str]) -> Changes:
    described = {name: describe(old[name], new[name]) for name in new if name in old}
    return Changes(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        changed={name: text for name, text in described.items() if text},
    )


def _by_value(roles: Mapping[str, str]) -> dict[str, str]:
    return {key: role for role, key in roles.items()}


def _difference(old: str, new: str) -> str:
    return "" if old == new else f"{old}, now {new}"


def _method_difference(old: Method, new: Method) -> str:
    pairs = ((column, getattr(old, name), getattr(new, name)) for name, column in _COLUMNS.items())
    return "; ".join(f"{column} {_text(was)}, now {_text(now)}" for column, was, now in pairs if was != now)


def _error_difference(old: ErrorCode, new: ErrorCode) -> str:
    parts = []
    if old.code != new.code:
        parts.append(f"code {old.code}, now {new.code}")
    if old.definition != new.definition:
        parts.append(f"described by {_text(old.definition)}, now by {_text(new.definition)}")
    was, now = old.data or {}, new.data or {}
    for change in _field_changes(new.name, was, now, was.get("$defs", {}), now.get("$defs", {})):
        name = f"data.{change.field}" if change.field else "data"
        parts.append(str(replace(change, field=name)))
    return "; ".join(parts)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "none" if value is None else json.dumps(value)


def _field_changes(
    definition: str, old: Schema, new: Schema, before: Mapping[str, Schema], after: Mapping[str, Schema]
) -> Iterator[FieldChange]:
    """Compare two schemas property by property, nested ones too.

    Where one side refers to a definition and the other spells it out, what is referred to is compared.

    Args:
        definition: What the changes are reported under.
        old: The older schema.
        new: The newer schema.
        before: The definitions that the older one refers to.
        after: The definitions that the newer one refers to.

    """

    def compare(path: str, was: Any, now: Any, *, required: bool) -> Iterator[FieldChange]:
        if (name_of(was) is None) != (name_of(now) is None):
            was, now = _resolved(was, before), _resolved(now, after)
        was, now = _merged(was), _merged(now)
        if was == now:
            return
        shapes = [{key: value for key, value in side.items() if key not in _NESTED} for side in (was, now)]
        if shapes[0] != shapes[1]:
            detail = _shape_difference(*shapes)
            yield FieldChange(definition=definition, field=path, change="changed", required=required, detail=detail)
        yield from compare_properties(path, was, now)
        for keyword, mark in (("items", "[]"), ("additionalProperties", ".*")):
            if keyword in was or keyword in now:
                yield from compare(f"{path}{mark}", was.get(keyword, {}), now.get(keyword, {}), required=False)

    def compare_properties(path: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[FieldChange]:
        properties = [side.get("properties", {}) for side in (was, now)]
        for name in dict.fromkeys([*properties[1], *properties[0]]):
            field = f"{path}.{name}" if path else name
            requirements = [name in side.get("required", []) for side in (was, now)]
            if name not in properties[0]:
                yield FieldChange(definition=definition, field=field, change="added", required=requirements[1])
                continue
            if name not in properties[1]:
                yield FieldChange(definition=definition, field=field, change="removed", required=requirements[0])
                continue
            if requirements[0] != requirements[1]:
                change: _Requirement = "now required" if requirements[1] else "now optional"
                yield FieldChange(definition=definition, field=field, change=change, required=requirements[1])
            yield from compare(field, properties[0][name], properties[1][name], required=requirements[1])

    return compare("", structure(_without_definitions(old)), structure(_without_definitions(new)), required=False)


def _without_definitions(schema: Schema) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("$schema", "$defs")}


def _resolved(schema: Any, definitions: Mapping[str, Schema]) -> Any:
    name = name_of(schema)
    return structure(definitions[name]) if name is not None and name in definitions else schema


def _merged(schema: Any) -> dict[str, Any]:
    """Take the properties of what a schema combines by ``allOf`` for its own, and drop what allows everything."""
    if not isinstance(schema, dict):
        return {} if schema is True else {"not": {}}
    whole = {key: value for key, value in schema.items() if key not in _NESTED[2:] or value not in ({}, True)}
    for part in whole.pop("allOf", []):
        if name_of(part) is not None:
            whole["allOf"] = [*whole.get("allOf", []), part]
            continue
        inner = _merged(part)
        properties = {**inner.pop("properties", {}), **whole.get("properties", {})}
        required = [*whole.get("required", []), *inner.pop("required", [])]
        whole = {**inner, **whole, "properties": properties, "required": required}
    return whole


def _shape_difference(old: Any, new: Any) -> str:
    if all("anyOf" in side or "oneOf" in side for side in (old, new)):
        before, after = [[_shape(option) for option in options(side)] for side in (old, new)]
        more = [text for text in after if text not in before]
        less = [text for text in before if text not in after]
        return "; ".join(f"{verb} {', '.join(texts)}" for verb, texts in (("adds", more), ("drops", less)) if texts)
    return f"{_shape(old)}, now {_shape(new)}"


def _shape(shape: Any) -> str:
    if shape in ({}, True):
        return "anything"
    name = name_of(shape)
    text = name if name is not None and len(shape) == 1 else json.dumps(shape, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHAPE else f"{text[: _LONGEST_SHAPE - 1]}…"
