"""The changes between what callers were told and what they are told now."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from toolmint.diffing.changes import Change, Classification, Kind, member, shown
from toolmint.diffing.documents import identity
from toolmint.diffing.failures import ABSENT
from toolmint.diffing.schemas import Side, compare_schemas
from toolmint.diffing.told import LISTS, Told
from toolmint.manifest.positions import pointer_of

Entry = Mapping[str, Any]

# ToolAnnotations of the protocol's schema: what a hint is worth where it is not given, and whether True is the promise.
_HINTS = {
    "readOnlyHint": (False, True),
    "destructiveHint": (True, False),
    "idempotentHint": (False, True),
    "openWorldHint": (True, False),
}

_TASK_SUPPORT = ("forbidden", "optional", "required")

_COMPARED = {
    "tool": frozenset(("name", "inputSchema", "outputSchema", "annotations", "execution")),
    "prompt": frozenset(("name", "arguments")),
    "resource": frozenset(("uri", "mimeType")),
    "resourceTemplate": frozenset(("uriTemplate", "mimeType")),
}
"""Members of an entry whose changes are more than wording."""


def compare_surfaces(old: Told, new: Told) -> list[Change]:
    """Return every change between two versions of what callers are told, in the order of the old one.

    Lists of which only one side speaks are not compared, see ``uncompared``.
    """
    if old.only_digest or new.only_digest:
        return [*_digests(old, new)]
    changes = [*_server(old, new), *_protocol(old, new)]
    for key, compare in _LISTS.items():
        if key in old.lists and key in new.lists:
            changes += compare(old, new)
    return changes


def uncompared(old: Told, new: Told) -> list[str]:
    """Return what could not be compared, one line for each list of which only one side speaks."""
    if old.only_digest or new.only_digest:
        label = old.label if old.only_digest else new.label
        return [f"{label} has only a digest of what callers are told: what changed cannot be said, only whether"]
    notes = []
    for key in LISTS:
        if (key in old.lists) != (key in new.lists):
            silent = new if key in old.lists else old
            notes.append(f"{key} were not compared: {silent.label} does not say which there are")
    return notes


def _digests(old: Told, new: Told) -> Iterator[Change]:
    yield from _protocol(old, new)
    if old.digest is None or new.digest is None or old.digest != new.digest:
        known = old.digest is not None and new.digest is not None
        message = "what callers are told is not what it was" if known else "whether anything changed cannot be said"
        yield Change(
            code="surface-changed",
            classification="cannot-tell",
            kind="server",
            name=_name(new) or _name(old),
            pointer="",
            message=f"{message}; a lock file with only a digest does not say what",
            old=ABSENT if old.digest is None else old.digest,
            new=ABSENT if new.digest is None else new.digest,
        )


def _name(told: Told) -> str:
    return str(told.server.get("name", ""))


def _server(old: Told, new: Told) -> Iterator[Change]:
    if not old.server or not new.server:
        return
    for name in sorted({*old.server, *new.server} - {"version"}):
        yield from _worded("server", _name(new), name, old.server, new.server)


def _protocol(old: Told, new: Told) -> Iterator[Change]:
    if old.protocol is None or new.protocol is None:
        return
    name = _name(new) or _name(old)
    for revision in old.protocol:
        if revision not in new.protocol:
            message = f"revision {revision} is no longer spoken: clients that know no other cannot connect"
            yield _change("revision-dropped", "breaking", "server", name, "/protocol", message, old=revision)
    for revision in new.protocol:
        if revision not in old.protocol:
            message = f"revision {revision} is spoken too"
            yield _change("revision-added", "compatible", "server", name, "/protocol", message, new=revision)


# -- tools ------------------------------------------------------------------------------------------------------------


def _tools(old: Told, new: Told) -> Iterator[Change]:
    before, after = old.lists["tools"], new.lists["tools"]
    for name, entry in before.items():
        target = name if name in after else new.aliases.get(name)
        if target is None:
            yield _removed_tool(name, entry, old, new)
            continue
        if target != name:
            message = f"is called {shown(target)} now; the former name still works"
            yield _change("tool-renamed", "compatible", "tool", name, "/name", message, old=name, new=target)
        yield from _tool(name, target, entry, after[target], old, new)
    for alias, name in old.aliases.items():
        yield from _alias(alias, name, new)
    continued = {name if name in after else new.aliases.get(name) for name in before}
    for name in after:
        if name not in continued and name not in old.aliases:
            yield _change("tool-added", "compatible", "tool", name, "", "is a new tool")
    for alias, name in new.aliases.items():
        if alias not in before and alias not in old.aliases and name in before:
            message = f"also answers to {shown(alias)}"
            yield _change("alias-added", "compatible", "tool", name, "", message, new=alias)


def _removed_tool(name: str, entry: Entry, old: Told, new: Told) -> Change:
    message = "is gone"
    input_schema = identity(entry.get("inputSchema"))
    heirs = [
        other
        for other, candidate in new.lists["tools"].items()
        if other not in old.lists["tools"] and identity(candidate.get("inputSchema")) == input_schema
    ]
    if len(heirs) == 1:
        message += (
            f"; if {shown(heirs[0])}, which takes the same arguments, is its new name, list this one as its alias"
        )
    return _change("tool-removed", "breaking", "tool", name, "", message)


def _alias(alias: str, name: str, new: Told) -> Iterator[Change]:
    """Return what became of a former name that still worked."""
    after = new.lists["tools"]
    target = alias if alias in after else new.aliases.get(alias)
    if target is None:
        message = f"no longer answers to {shown(alias)}"
        yield _change("alias-removed", "breaking", "tool", name, "", message, old=alias)
    elif target not in (name, new.aliases.get(name)):
        message = f"{shown(alias)} was another name of this tool and is one of {shown(target)} now"
        code = "alias-moved"
        if target == alias:
            message = f"{shown(alias)} was another name of this tool and is a tool of its own now"
        yield _change(code, "cannot-tell", "tool", name, "", message, old=alias, new=target)


def _tool(name: str, target: str, before: Entry, after: Entry, old: Told, new: Told) -> Iterator[Change]:
    old_settings, new_settings = old.settings.get(name), new.settings.get(target)
    formats = new_settings["assertFormats"] if new_settings else None
    empty = {"type": "object"}
    input_schemas = before.get("inputSchema", empty), after.get("inputSchema", empty)
    yield from _schema(name, "inputSchema", *input_schemas, "input", formats_asserted=formats)
    yield from _output(name, before, after)
    yield from _hints(name, before, after)
    yield from _tasks(name, before, after)
    if old_settings and new_settings:
        yield from _strictness(name, old_settings, new_settings, before)
    yield from _questions("tool", name, target, old, new)
    yield from _wording("tool", name, before, after)


def _schema(
    name: str, key: str, before: Any, after: Any, side: Side, *, formats_asserted: bool | None = None
) -> Iterator[Change]:
    for change in compare_schemas(before, after, side, formats_asserted=formats_asserted):
        yield Change(
            code=change.code,
            classification=change.classification,
            kind="tool",
            name=name,
            pointer=f"/{key}{change.pointer}",
            message=change.message,
            old=change.old,
            new=change.new,
            witness=change.witness,
        )


def _output(name: str, before: Entry, after: Entry) -> Iterator[Change]:
    was, now = member(before, "outputSchema"), member(after, "outputSchema")
    if was is not ABSENT and now is not ABSENT:
        yield from _schema(name, "outputSchema", was, now, "output")
    elif was is not ABSENT:
        message = "structured results are no longer promised"
        yield _change("output-schema-removed", "breaking", "tool", name, "/outputSchema", message)
    elif now is not ABSENT:
        message = "structured results are promised now"
        yield _change("output-schema-added", "compatible", "tool", name, "/outputSchema", message)


def _hints(name: str, before: Entry, after: Entry) -> Iterator[Change]:
    was, now = _annotations(before), _annotations(after)
    effective = {hint: (_worth(was, hint), _worth(now, hint)) for hint in _HINTS}
    # A tool that only reads neither destroys nor minds being called again: the other two mean nothing beside that.
    read_only = effective["readOnlyHint"]
    if read_only[0] or read_only[1]:
        del effective["destructiveHint"], effective["idempotentHint"]
    for hint, (old, new) in effective.items():
        if old != new:
            riskier = new != _HINTS[hint][1]
            pointer, message = f"/annotations/{hint}", f"{hint}: {shown(old)} -> {shown(new)}"
            if riskier:
                message += "; hosts that rely on it may call without asking"
                yield _change("hint-withdrawn", "breaking", "tool", name, pointer, message, old=old, new=new)
            else:
                yield _change("hint-given", "compatible", "tool", name, pointer, message, old=old, new=new)
    said = {hint for hint, (old, new) in effective.items() if old != new}
    for key in sorted({*was, *now} - said):
        yield from _worded("tool", name, key, was, now, ("annotations",))


def _annotations(entry: Entry) -> Entry:
    annotations = entry.get("annotations")
    return annotations if isinstance(annotations, dict) else {}


def _worth(annotations: Entry, hint: str) -> bool:
    given = annotations.get(hint)
    return given if isinstance(given, bool) else _HINTS[hint][0]


def _tasks(name: str, before: Entry, after: Entry) -> Iterator[Change]:
    """Compare ``execution.taskSupport``: whether a call may, must or must not be a task (2025-11-25, Tool)."""
    was, now = _task_support(before), _task_support(after)
    if was == now:
        return
    allowed = {"forbidden": {False}, "optional": {False, True}, "required": {True}}
    message = f"task support: {was} -> {now}"
    pointer = "/execution/taskSupport"
    if allowed[was] <= allowed[now]:
        yield _change("task-support-widened", "compatible", "tool", name, pointer, message, old=was, new=now)
    else:
        yield _change("task-support-narrowed", "breaking", "tool", name, pointer, message, old=was, new=now)


def _task_support(entry: Entry) -> str:
    execution = entry.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, dict) else None
    return support if support in _TASK_SUPPORT else "forbidden"


def _strictness(name: str, before: Mapping[str, bool], after: Mapping[str, bool], entry: Entry) -> Iterator[Change]:
    stricter = {
        "strictArguments": "an array or object that arrives as its JSON text is refused now",
        "assertFormats": "what is not of its format is refused now",
    }
    for setting, effect in stricter.items():
        was, now = before[setting], after[setting]
        if was == now or (setting == "assertFormats" and not _mentions(entry.get("inputSchema"), "format")):
            continue
        pointer = f"/x-toolmint/{setting}"
        message = f"{setting}: {shown(was)} -> {shown(now)}"
        if now:
            message += f"; {effect}"
            yield _change("checks-tightened", "breaking", "tool", name, pointer, message, old=was, new=now)
        else:
            yield _change("checks-loosened", "compatible", "tool", name, pointer, message, old=was, new=now)


def _mentions(value: Any, key: str) -> bool:
    if isinstance(value, dict):
        return key in value or any(_mentions(item, key) for item in value.values())
    return isinstance(value, list) and any(_mentions(item, key) for item in value)


def _questions(kind: Kind, name: str, target: str, old: Told, new: Told) -> Iterator[Change]:
    """Compare what the client must be able to be asked; it is refused where it is not (-32021)."""
    if (kind, name) not in old.asks or (kind, target) not in new.asks:
        return
    was, now = old.asks[kind, name], new.asks[kind, target]
    pointer = "/elicits"
    for capability in sorted(now - was):
        message = f"asks the client for {capability} now: clients that cannot be asked are refused"
        yield _change("question-added", "breaking", kind, name, pointer, message, new=capability)
    for capability in sorted(was - now):
        message = f"no longer asks the client for {capability}"
        yield _change("question-removed", "compatible", kind, name, pointer, message, old=capability)


# -- the other lists --------------------------------------------------------------------------------------------------


def _prompts(old: Told, new: Told) -> Iterator[Change]:
    def compare(name: str, before: Entry, after: Entry) -> Iterator[Change]:
        yield from _arguments(name, before, after)
        yield from _questions("prompt", name, name, old, new)

    return _entries(old, new, "prompts", compare)


def _arguments(name: str, before: Entry, after: Entry) -> Iterator[Change]:
    was, now = _by_name(before), _by_name(after)
    for argument, entry in was.items():
        pointer = pointer_of(("arguments", argument))
        if argument not in now:
            yield _change("argument-removed", "breaking", "prompt", name, pointer, "is no argument any more")
            continue
        required = bool(entry.get("required")), bool(now[argument].get("required"))
        if required == (False, True):
            yield _change("argument-required", "breaking", "prompt", name, pointer, "is now required")
        elif required == (True, False):
            yield _change("argument-optional", "compatible", "prompt", name, pointer, "is no longer required")
        for key in sorted({*entry, *now[argument]} - {"name", "required"}):
            yield from _worded("prompt", name, key, entry, now[argument], ("arguments", argument))
    for argument, entry in now.items():
        pointer = pointer_of(("arguments", argument))
        if argument in was:
            continue
        if entry.get("required"):
            yield _change("argument-required", "breaking", "prompt", name, pointer, "is a new argument, and required")
        else:
            yield _change("argument-added", "compatible", "prompt", name, pointer, "is a new argument")


def _by_name(entry: Entry) -> dict[str, Entry]:
    arguments = entry.get("arguments")
    listed = arguments if isinstance(arguments, list) else []
    return {str(argument["name"]): argument for argument in listed if isinstance(argument, dict) and "name" in argument}


def _resources(key: str) -> Callable[[Told, Told], Iterator[Change]]:
    kind, _ = LISTS[key]

    def compare_all(old: Told, new: Told) -> Iterator[Change]:
        def compare(name: str, before: Entry, after: Entry) -> Iterator[Change]:
            yield from _media_type(kind, name, before, after)
            yield from _questions(kind, name, name, old, new)

        return _entries(old, new, key, compare)

    return compare_all


def _media_type(kind: Kind, name: str, before: Entry, after: Entry) -> Iterator[Change]:
    was, now = member(before, "mimeType"), member(after, "mimeType")
    if was == now:
        return
    message = f"media type: {shown(was)} -> {shown(now)}"
    if was is ABSENT:
        yield _change("media-type-added", "compatible", kind, name, "/mimeType", message, new=now)
    else:
        yield _change("media-type-changed", "breaking", kind, name, "/mimeType", message, old=was, new=now)


def _entries(
    old: Told, new: Told, key: str, compare: Callable[[str, Entry, Entry], Iterator[Change]]
) -> Iterator[Change]:
    kind, _ = LISTS[key]
    slug = "template" if kind == "resourceTemplate" else kind
    before, after = old.lists[key], new.lists[key]
    for name, entry in before.items():
        if name not in after:
            yield _change(f"{slug}-removed", "breaking", kind, name, "", "is gone")
            continue
        yield from compare(name, entry, after[name])
        yield from _wording(kind, name, entry, after[name])
    for name in after:
        if name not in before:
            yield _change(f"{slug}-added", "compatible", kind, name, "", f"is a new {slug}")


_LISTS: Mapping[str, Callable[[Told, Told], Iterable[Change]]] = {
    "tools": _tools,
    "prompts": _prompts,
    "resources": _resources("resources"),
    "resourceTemplates": _resources("resourceTemplates"),
}


# -- wording ----------------------------------------------------------------------------------------------------------


def _wording(kind: Kind, name: str, before: Entry, after: Entry) -> Iterator[Change]:
    for key in sorted({*before, *after} - _COMPARED[kind]):
        yield from _worded(kind, name, key, before, after)


def _worded(
    kind: Kind, name: str, key: str, before: Entry, after: Entry, within: tuple[str, ...] = ()
) -> Iterator[Change]:
    was, now = member(before, key), member(after, key)
    if (was is ABSENT) != (now is ABSENT) or (was is not ABSENT and identity(was) != identity(now)):
        code = f"{'meta' if key == '_meta' else key}-changed"
        message = f"{key}: {shown(was)} -> {shown(now)}"
        yield _change(code, "wording", kind, name, pointer_of((*within, key)), message, old=was, new=now)


def _change(
    code: str,
    classification: Classification,
    kind: Kind,
    name: str,
    pointer: str,
    message: str,
    *,
    old: Any = ABSENT,
    new: Any = ABSENT,
) -> Change:
    return Change(
        code=code,
        classification=classification,
        kind=kind,
        name=name,
        pointer=pointer,
        message=message,
        old=old,
        new=new,
    )
