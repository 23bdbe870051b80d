"""The method table of a revision, from its definitions and from what earlier tables know.

Shapes and names follow the conventions of the published schemas: unions such as ``ClientRequest`` list the messages of
each side, ``XRequest`` is answered by the result in ``XResultResponse`` or by ``XResult``, and an error's definition
fixes its code. What no definition says (the capability that gates a method, what HTTP mirrors, what may precede the
handshake, codes that only the specification's text has) is taken from the tables of earlier revisions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolmint.revision import (
    Era,
    ErrorCode,
    Method,
    Revision,
    RevisionError,
    Schema,
    capability_holders,
    has_capability,
)
from toolmint.revisioning.schemas import constant, field, fields, name_of, options, structure, walk

_REQUESTS = {"ClientRequest": "client-to-server", "ServerRequest": "server-to-client"}
_NOTIFICATIONS = {"ClientNotification": "client-to-server", "ServerNotification": "server-to-client"}
_INPUT_REQUESTS = {"InputRequest": "server-to-client"}
_UNFINISHED = "InputRequiredResult"


@dataclass(frozen=True, slots=True)
class Table:
    """A method table as ``methods.json`` has it, and what had to be guessed for it.

    Attributes:
        document: Valid by ``schema/methods.schema.json``; an error's ``data`` is a reference within the merged
            definitions, without a file.
        notes: What a person should check, a sentence each.

    """

    document: dict[str, Any]
    notes: tuple[str, ...]


def era_of(definitions: Mapping[str, Schema]) -> Era:
    """Tell a revision's era from its definitions.

    Raises:
        RevisionError: There is neither a per-request protocol version nor ``initialize``.

    """
    for definition in definitions.values():
        for part in walk(definition):
            if any(name.endswith("/protocolVersion") for name in part.get("properties", {})):
                return "modern"
    if any(method_of(definitions, name) == "initialize" for name in _members(definitions, "ClientRequest")):
        return "handshake"
    raise RevisionError(
        "neither a _meta key .../protocolVersion nor a request initialize: how a revision is agreed on is not clear",
        "give the schema.json that the specification publishes for a revision",
    )


def derive_table(name: str, definitions: Mapping[str, Schema], known: Sequence[Revision]) -> Table:
    """Derive the method table of a revision.

    Args:
        name: The revision's name.
        definitions: All of its definitions; references have the form ``#/$defs/X``.
        known: Revisions whose tables may fill in what no definition says, the closest first.

    Raises:
        RevisionError: The definitions do not say how a revision is agreed on, or a message's method.

    """
    era = era_of(definitions)
    relatives = [revision for revision in known if revision.era == era]
    notes: list[str] = []
    messages = _messages(definitions)
    order = [method for revision in known[:1] for method in revision.methods if method in messages]
    order += [method for method in messages if method not in order]
    methods = [_method(method, messages[method], definitions, era, known, notes) for method in order]
    in_unions = {entry["message"] for entry in methods}
    notes += [
        f"{message} is in no union of messages, so it is not in the table"
        for message in definitions
        if message.endswith(("Request", "Notification"))
        and method_of(definitions, message) is not None
        and message not in (*in_unions, *_REQUESTS, *_NOTIFICATIONS, *_INPUT_REQUESTS)
    ]
    sampling = "SamplingMessage" if "SamplingMessage" in definitions else "CreateMessageResult"
    document = {
        "$schema": "../methods.schema.json",
        "revision": name,
        "era": era,
        "jsonrpc": "2.0",
        "batches": _accepts_arrays(definitions.get("JSONRPCMessage", {}), definitions),
        "methods": methods,
        "errors": _errors(definitions, relatives[:1] or known[:1]),
        "metaKeys": _meta_keys(definitions, relatives[:1]),
        "contentKinds": _content_kinds(field(definitions.get("CallToolResult"), definitions, "content"), definitions),
        "samplingContentKinds": _content_kinds(field(definitions.get(sampling), definitions, "content"), definitions),
    }
    return Table(document, tuple(notes))


def method_of(definitions: Mapping[str, Schema], message: str) -> str | None:
    """Give the method of a message by the name of its definition; None for any other definition."""
    method = constant(field(definitions.get(message), definitions, "method"))
    return method if isinstance(method, str) else None


def error_code(definition: Any) -> int | None:
    """Give the code that an error's definition fixes; None for any other definition."""
    place = _error_place(definition)
    return constant(place[1]["properties"]["code"]) if place else None


def _members(definitions: Mapping[str, Schema], union: str) -> tuple[str, ...]:
    """Name the messages of a union, and of the unions in it."""
    found: dict[str, None] = {}
    pending = options(definitions[union])[::-1] if union in definitions else []
    seen = {union}
    while pending:
        option = pending.pop()
        name = name_of(option) or _original(option, union, definitions)
        if method_of(definitions, name) is not None:
            found[name] = None
        elif len(options(definitions[name])) < 2 or name in seen:
            raise RevisionError(f"{union} has {name}, whose method is not fixed", "a message's method is a const")
        else:
            seen.add(name)
            pending += options(definitions[name])[::-1]
    return tuple(found)


def _original(message: Any, union: str, definitions: Mapping[str, Schema]) -> str:
    """Name the definition that a message is a copy of, which is how a union of a single message is published."""
    if method_of({"": message}, "") is not None:
        shape = structure(message)
        for name, definition in definitions.items():
            if name != union and structure(definition) == shape:
                return name
    raise RevisionError(
        f"{union} has an alternative that is no message of its own: {structure(message)}",
        "a union of messages refers to the definition of each",
    )


@dataclass(frozen=True, slots=True)
class _Message:
    name: str
    direction: str
    kind: str


def _messages(definitions: Mapping[str, Schema]) -> dict[str, _Message]:
    """Find every message by its method."""
    found: dict[str, _Message] = {}
    for kind, unions in (("request", _REQUESTS), ("notification", _NOTIFICATIONS), ("input-request", _INPUT_REQUESTS)):
        for union, direction in unions.items():
            for name in _members(definitions, union):
                method = str(method_of(definitions, name))
                earlier = found.get(method)
                if earlier is None:
                    found[method] = _Message(name, direction, kind)
                elif earlier.kind == kind and earlier.direction != direction:
                    found[method] = _Message(earlier.name, "both", kind)
    return found


def _method(
    method: str,
    message: _Message,
    definitions: Mapping[str, Schema],
    era: Era,
    known: Sequence[Revision],
    notes: list[str],
) -> dict[str, Any]:
    params = field(definitions[message.name], definitions, "params")
    entries = [revision.methods[method] for revision in known if method in revision.methods]
    relatives = [revision.methods[method] for revision in known if revision.era == era and method in revision.methods]
    params_fields = fields(params, definitions)
    notification = message.kind == "notification"
    results = () if notification else _results(message, definitions, entries)
    complete = [result for result in results if result != _UNFINISHED]
    result = complete[0] if complete else None
    if not notification and (result == "EmptyResult" or len(complete) > 1) and not entries:
        notes.append(f"{method}: its result is taken to be {result}")
    result_fields = fields(definitions.get(result or ""), definitions)
    mirrored = next((entry.mirrored for entry in relatives if entry.mirrored in params_fields), None)
    return {
        "method": method,
        "direction": message.direction,
        "kind": message.kind,
        "message": message.name,
        "params": name_of(params),
        "result": result,
        "capability": _capability(method, message, definitions, entries, notes),
        "paginated": not notification and "cursor" in params_fields and "nextCursor" in result_fields,
        "cacheable": "ttlMs" in result_fields and "cacheScope" in result_fields,
        "inputRequired": _UNFINISHED in results,
        "mirrored": mirrored,
        "beforeInitialize": era == "modern" or any(entry.before_initialize for entry in relatives[:1]),
    }


def _results(message: _Message, definitions: Mapping[str, Schema], entries: Sequence[Method]) -> tuple[str, ...]:
    stem = message.name.removesuffix("Request")
    response = definitions.get(f"{stem}ResultResponse")
    if response is not None:
        named = [name_of(option) for option in options(field(response, definitions, "result"))]
        results = tuple(name for name in named if name is not None and name in definitions)
        if any(result != _UNFINISHED for result in results):
            return results
    candidates = [f"{stem}Result", *(entry.result for entry in entries), "EmptyResult", "Result"]
    return tuple(name for name in candidates if name in definitions and name is not None)[:1]


def _capability(
    method: str, message: _Message, definitions: Mapping[str, Schema], entries: Sequence[Method], notes: list[str]
) -> str | None:
    holders = capability_holders(message.direction, message.kind)

    def exists(path: str) -> bool:
        return any(has_capability(definitions, holder, path) for holder in holders)

    if entries:
        return next((entry.capability for entry in entries if entry.capability and exists(entry.capability)), None)
    first, *rest = method.removeprefix("notifications/").split("/")
    paths = [".".join([first, *(_camel(part) for part in rest[:count])]) for count in range(len(rest), -1, -1)]
    capability = next((path for path in paths if exists(path)), None)
    gate = f"taken to be gated by the capability {capability}" if capability else "taken to be always there"
    notes.append(f"{method}: {gate}")
    return capability


def _camel(text: str) -> str:
    words: list[str] = re.findall(r"[A-Za-z0-9]+", text)
    joined = "".join(word[0].upper() + word[1:] for word in words)
    return joined[:1].lower() + joined[1:]


def _accepts_arrays(message: Schema, definitions: Mapping[str, Schema]) -> bool:
    return any(
        isinstance(option, Mapping) and (option.get("type") == "array" or _is_array(option, definitions))
        for option in options(message)
    )


def _is_array(option: Mapping[str, Any], definitions: Mapping[str, Schema]) -> bool:
    return definitions.get(name_of(option) or "", {}).get("type") == "array"


def _errors(definitions: Mapping[str, Schema], known: Sequence[Revision]) -> dict[str, Any]:
    earlier = [error for revision in known for error in revision.errors.values()]
    errors: dict[str, Any] = {}
    for error in earlier:
        if error.definition is None or error_code(definitions.get(error.definition)) is not None:
            errors[error.name] = _error(error.definition, error.code, definitions)
    named = {error.definition for error in earlier}
    for name, definition in definitions.items():
        code = error_code(definition)
        if code is not None and name not in named:
            errors[_error_name(name, code, errors, earlier)] = _error(name, code, definitions)
    return errors


def _error(definition: str | None, code: int, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    if definition is None:
        return {"code": code, "definition": None, "data": None}
    place = _error_place(definitions[definition])
    data = None
    if place is not None:
        pointer, shape = place
        code = constant(shape["properties"]["code"])
        if structure(shape["properties"].get("data", {})):
            data = f"#/$defs/{definition}{pointer}/properties/data"
    return {"code": code, "definition": definition, "data": data}


def _error_name(definition: str, code: int, errors: Mapping[str, Any], earlier: Sequence[ErrorCode]) -> str:
    """Keep the name that a code had while no definition described it; else make one of the definition's."""
    for error in earlier:
        if error.code == code and errors.get(error.name, {}).get("definition") is None:
            return error.name
    name = definition.removesuffix("Error") or definition
    acronym = re.match(r"[A-Z]+(?=[A-Z][a-z])", name)
    return name[: acronym.end()].lower() + name[acronym.end() :] if acronym else name[0].lower() + name[1:]


def _error_place(definition: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Find the part of an error's definition that fixes the code, and the pointer to it."""
    for pointer, part in _object_parts(definition, ""):
        if isinstance(constant(part.get("properties", {}).get("code")), int):
            return pointer, part
    return None


def _object_parts(schema: Any, pointer: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects that an error may be spelled out in: itself, its ``error`` member, and what they combine."""
    if not isinstance(schema, Mapping):
        return
    yield pointer, schema
    for index, part in enumerate(schema.get("allOf", [])):
        yield from _object_parts(part, f"{pointer}/allOf/{index}")
    wrapped = schema.get("properties", {}).get("error")
    if wrapped is not None and "code" not in schema["properties"]:
        yield from _object_parts(wrapped, f"{pointer}/properties/error")


def _meta_keys(definitions: Mapping[str, Schema], known: Sequence[Revision]) -> dict[str, str]:
    named = _named_meta_keys(definitions)
    keys: dict[str, str] = {}
    for revision in known:
        before = _named_meta_keys(revision.definitions)
        keys |= {role: key for role, key in revision.meta_keys.items() if key in named or key not in before}
    for key in named:
        if key not in keys.values():
            short = _camel(key.rpartition("/")[2])
            keys[_camel(key) if short in keys else short] = key
    return keys


def _named_meta_keys(definitions: Mapping[str, Schema]) -> tuple[str, ...]:
    places = [definition for name, definition in definitions.items() if name.endswith("MetaObject")]
    places += [
        part["properties"]["_meta"]
        for definition in definitions.values()
        for part in walk(definition)
        if isinstance(part.get("properties", {}).get("_meta"), dict)
    ]
    return tuple(dict.fromkeys(key for place in places for key in place.get("properties", {})))


def _content_kinds(content: Any, definitions: Mapping[str, Schema]) -> dict[str, str]:
    kinds: dict[str, str] = {}
    pending, seen = [content], set()
    while pending:
        schema = pending.pop(0)
        name = name_of(schema)
        if name is not None:
            if name in seen:
                continue
            seen.add(name)
            kind = constant(field(schema, definitions, "type"))
            if isinstance(kind, str):
                kinds[kind] = name
            else:
                pending.append(definitions[name])
        elif isinstance(schema, Mapping):
            items = schema.get("items")
            pending += [option for option in options(schema) if option is not schema]
            pending += [items] if isinstance(items, Mapping) else []
    return kinds
