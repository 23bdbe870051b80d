"""Protocol revisions, which are data: a folder of definitions by subject and a method table (``schema/REVISION/``).

A revision's folder holds ``methods.json``, described by ``schema/methods.schema.json``, and any number of JSON Schema
2020-12 files whose ``$defs`` are the protocol's definitions. A definition refers to another as ``#/$defs/X`` in its own
file and as ``tools.json#/$defs/X`` in a neighbouring one. Loading merges them into one namespace.
"""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from toolmint.assets import SCHEMAS

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema object. Shared between callers: copy it before changing it."""

Era: TypeAlias = Literal["modern", "handshake"]
"""How revision and capabilities are agreed on: stated by every request, or settled once by ``initialize``."""

METHODS = "methods.json"
"""The file that makes a folder a revision's folder."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DEFINITION = re.compile(r"(?P<file>[\w-]+\.json)?#/\$defs/(?P<name>\w+)(?P<rest>(?:/[^/]+)*)")


class RevisionError(Exception):
    """A revision that is not there or that cannot be used.

    Attributes:
        message: What was found and what was expected; a line for each problem.
        hint: What to do about it.
        file: The file or folder at fault, or None where no revision of that name was found.

    """

    def __init__(self, message: str, hint: str, file: Path | None = None) -> None:
        super().__init__(f"{message}\n{hint}" if file is None else f"{file}: {message}\n{hint}")
        self.message = message
        self.hint = hint
        self.file = file


@dataclass(frozen=True, slots=True)
class Method:
    """One method of a revision, as its method table has it.

    Attributes:
        method: The name on the wire, such as ``tools/call``.
        direction: Who sends it to whom.
        kind: A request is answered by a response, a notification never; an input request travels inside an
            ``input_required`` result and is answered by the retry of the request.
        message: The definition of the whole message.
        params: The definition of its params; None where the message spells them out itself.
        result: The definition of the complete result; None for a notification.
        capability: A dotted path into the capabilities of the side that has to offer the method (the receiver of a
            request, the sender of a notification), or None where nothing gates it.
        paginated: Whether the params take a cursor.
        cacheable: Whether a complete result carries caching hints.
        input_required: Whether the answer may be an ``input_required`` result.
        mirrored: The field of the params that HTTP repeats in the ``Mcp-Name`` header, or None.
        before_initialize: Whether it may be sent before the handshake is complete; always where there is none.

    """

    method: str
    direction: Literal["client-to-server", "server-to-client", "both"]
    kind: Literal["request", "notification", "input-request"]
    message: str
    params: str | None
    result: str | None
    capability: str | None
    paginated: bool
    cacheable: bool
    input_required: bool
    mirrored: str | None
    before_initialize: bool


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One error code of a revision.

    Attributes:
        name: The name in the method table, such as ``unsupportedProtocolVersion``.
        code: The number on the wire.
        definition: The definition that describes the error, or None.
        data: The self-contained schema of the error's ``data``, or None where the revision fixes none.

    """

    name: str
    code: int
    definition: str | None
    data: Schema | None


@dataclass(frozen=True, slots=True)
class Revision:
    """A protocol revision.

    Attributes:
        name: The name on the wire, such as ``2026-07-28``.
        era: ``modern`` where every request states revision and capabilities, ``handshake`` where ``initialize`` does.
        definitions: Every definition by name; references have the form ``#/$defs/X``.
        subjects: The names of the definitions in each file, by the file's name without its suffix.
        methods: Every method by its name on the wire.
        errors: Every error code by its name in the method table.
        meta_keys: The reserved ``_meta`` keys by what they hold, such as ``clientInfo``.
        batches: Whether a line may hold an array of messages.
        content_kinds: The definition of each kind of block in tool results and prompt messages, by its ``type``.
        sampling_content_kinds: The same for messages to and from the client's model.

    """

    name: str
    era: Era
    definitions: Mapping[str, Schema]
    subjects: Mapping[str, tuple[str, ...]]
    methods: Mapping[str, Method]
    errors: Mapping[str, ErrorCode]
    meta_keys: Mapping[str, str]
    batches: bool
    content_kinds: Mapping[str, str]
    sampling_content_kinds: Mapping[str, str]

    @property
    def identifier(self) -> str:
        """The name as a part of Python's names, such as ``2026_07_28``."""
        return re.sub(r"\W", "_", self.name)

    def schema(self, name: str) -> Schema:
        """Give a definition as a schema that stands alone.

        Args:
            name: The name of a definition.

        Returns:
            The definition with its dialect and, under ``$defs``, the definitions it reaches and no others.

        Raises:
            RevisionError: There is no such definition; the nearest name is in the hint.

        """
        if name not in self.definitions:
            raise RevisionError(f"revision {self.name} has no definition {name!r}", _nearest(name, self.definitions))
        return _self_contained(self.definitions[name], self.definitions)


def known_revisions(extra: Path | None = None, *, era: Era | None = None) -> tuple[str, ...]:
    """Name the revisions that can be loaded, oldest first.

    Args:
        extra: A project's own ``schema`` folder, whose revisions come in addition; it need not exist.
        era: Name those of this era only.

    Raises:
        RevisionError: An era is asked for, and a method table does not say its own.

    """
    folders = _folders(extra)
    return tuple(name for name in sorted(folders) if era is None or _era(folders[name]) == era)


def load_revision(name: str, extra: Path | None = None) -> Revision:
    """Load a revision, once for as long as its files stay the same.

    Args:
        name: The revision's name, such as ``2026-07-28``.
        extra: A project's own ``schema`` folder. A revision there goes before the bundled one of the same name, and is
            checked against ``schema/methods.schema.json``.

    Raises:
        RevisionError: There is no such revision (the hint has the nearest name), or its files contradict themselves.

    """
    folders = _folders(extra)
    if name not in folders:
        known = ", ".join(sorted(folders))
        raise RevisionError(f"unknown protocol revision {name!r}; known: {known}", _nearest(name, folders))
    folder = folders[name]
    files = tuple((path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.json")))
    return _load(folder, files, bundled=folder.parent == SCHEMAS)


def capability_holders(direction: str, kind: str) -> tuple[str, ...]:
    """Name the definitions of the capabilities that can gate a method.

    Those are the capabilities of a request's receiver or of a notification's sender.

    Args:
        direction: As in ``Method``.
        kind: As in ``Method``.

    """
    if direction == "both":
        return ("ClientCapabilities", "ServerCapabilities")
    from_server = direction == "server-to-client"
    return ("ServerCapabilities",) if from_server == (kind == "notification") else ("ClientCapabilities",)


def has_capability(definitions: Mapping[str, Schema], holder: str, path: str) -> bool:
    """Say whether a definition of capabilities has a property by a dotted path such as ``tools.listChanged``."""
    schema: Any = definitions.get(holder, {})
    for key in path.split("."):
        schema = schema.get("properties", {}).get(key)
        if schema is None:
            return False
    return True


def schema_faults(document: Any, dialect: str = _DIALECT) -> Iterator[str]:
    """Yield what makes a document no JSON Schema of its dialect, each with the JSON pointer to it.

    Args:
        document: A decoded JSON document.
        dialect: The metaschema's address without a fragment, of 2020-12 or draft-07.

    """
    # Imported here because that takes longer than to load a revision.
    from toolmint.compiler.dialects import DIALECTS
    from toolmint.compiler.metaschema import metaschema_faults

    keywords = DIALECTS[dialect]
    pending = [("", document)]
    while pending:
        place, schema = pending.pop()
        if not isinstance(schema, dict):  # a boolean, or a fault of the schema around it
            continue
        for path, message, hint in metaschema_faults(schema, keywords):
            yield f"at {'/'.join((place, *map(str, path)))}: {message}{f' ({hint})' if hint else ''}"
        for keyword, value in schema.items():
            if keyword in keywords.named and isinstance(value, dict):
                pending += ((f"{place}/{keyword}/{name}", item) for name, item in value.items())
            elif keyword in keywords.many and isinstance(value, list):
                pending += ((f"{place}/{keyword}/{index}", item) for index, item in enumerate(value))
            elif keyword in keywords.one:
                pending.append((f"{place}/{keyword}", value))


def _folders(extra: Path | None) -> dict[str, Path]:
    parents = [SCHEMAS] if extra is None else [SCHEMAS, extra]
    return {path.parent.name: path.parent for parent in parents for path in parent.glob(f"*/{METHODS}")}


def _era(folder: Path) -> Era:
    table = _read_json(folder / METHODS)
    era: Era | None = table.get("era") if isinstance(table, dict) else None
    if era is None:
        raise RevisionError("the table does not say its era", 'put "modern" or "handshake" there', folder / METHODS)
    return era


def _nearest(name: str, names: Mapping[str, Any]) -> str:
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
    return f"did you mean {nearest[0]!r}?" if nearest else "there are none"


@lru_cache(maxsize=32)
def _load(folder: Path, files: tuple[tuple[Path, int], ...], *, bundled: bool) -> Revision:
    table_path = folder / METHODS
    table = _read_json(table_path)
    documents = {path.name: _read_json(path) for path, _ in files if path.name != METHODS}
    if not bundled:
        _check(table, documents, folder)
    definitions, subjects = _merge(documents, folder)
    revision = Revision(
        name=table["revision"],
        era=table["era"],
        definitions=MappingProxyType(definitions),
        subjects=MappingProxyType(subjects),
        methods=MappingProxyType({entry["method"]: _method(entry) for entry in table["methods"]}),
        errors=MappingProxyType(
            {name: _error_code(name, entry, definitions, table_path) for name, entry in table["errors"].items()}
        ),
        meta_keys=MappingProxyType(table["metaKeys"]),
        batches=table["batches"],
        content_kinds=MappingProxyType(table["contentKinds"]),
        sampling_content_kinds=MappingProxyType(table["samplingContentKinds"]),
    )
    problems = list(_contradictions(revision, folder, len(table["methods"])))
    if problems:
        raise RevisionError("\n".join(problems), f"correct the entries in {METHODS} or the definitions", table_path)
    return revision


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise RevisionError(f"not a JSON document: {error}", "correct the file", path) from None


def _check(table: Any, documents: Mapping[str, Any], folder: Path) -> None:
    # Imported here because that takes longer than to load a revision, and bundled ones are checked by the tests.
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped, unused-ignore]

    validator = Draft202012Validator(_read_json(SCHEMAS / "methods.schema.json"))
    problems = [f"{METHODS}, at {error.json_path}: {error.message}" for error in validator.iter_errors(table)]
    problems += [f"{file}, {fault}" for file, document in documents.items() for fault in schema_faults(document)]
    if problems:
        hint = f"{METHODS} has to be valid by methods.schema.json, and every other file a JSON Schema 2020-12"
        raise RevisionError("\n".join(problems), hint, folder)


def _merge(documents: Mapping[str, Any], folder: Path) -> tuple[dict[str, Schema], dict[str, tuple[str, ...]]]:
    homes: dict[str, str] = {}
    subjects: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for file, document in documents.items():
        if not isinstance(document, dict) or not isinstance(document.get("$defs"), dict):
            problems.append(f"{file}: expected an object with $defs")
            continue
        subjects[file.removesuffix(".json")] = tuple(document["$defs"])
        for name, definition in document["$defs"].items():
            if name in homes:
                problems.append(f"{file}: {name} is defined in {homes[name]} already")
            elif not isinstance(definition, dict):
                problems.append(f"{file}: {name} is {definition!r}, not an object")
            else:
                homes[name] = file

    definitions: dict[str, Schema] = {name: documents[file]["$defs"][name] for name, file in homes.items()}
    for name, file in homes.items():
        for place in _references(definitions[name]):
            match = _DEFINITION.fullmatch(place["$ref"])
            if match is None or homes.get(match["name"]) != (match["file"] or file) or match["rest"]:
                problems.append(f"{file}: {name} refers to {place['$ref']!r}, which is no definition of this revision")
            else:
                place["$ref"] = f"#/$defs/{match['name']}"
    if problems:
        hint = 'a reference to a definition looks like "#/$defs/X" or, in another file, "tools.json#/$defs/X"'
        raise RevisionError("\n".join(problems), hint, folder)
    return definitions, subjects


def _references(schema: Any) -> Iterator[dict[str, Any]]:
    pending = [schema]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):  # a property may be called $ref: then its value is a schema
                yield value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)


def _self_contained(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    reached: set[str] = set()
    pending = [schema]
    while pending:
        for place in _references(pending.pop()):
            name = place["$ref"].removeprefix("#/$defs/")
            if name not in reached:
                reached.add(name)
                pending.append(definitions[name])
    whole = {"$schema": _DIALECT, **schema}
    if reached:
        whole["$defs"] = {name: definition for name, definition in definitions.items() if name in reached}
    return whole


def _method(entry: Mapping[str, Any]) -> Method:
    return Method(
        method=entry["method"],
        direction=entry["direction"],
        kind=entry["kind"],
        message=entry["message"],
        params=entry["params"],
        result=entry["result"],
        capability=entry["capability"],
        paginated=entry["paginated"],
        cacheable=entry["cacheable"],
        input_required=entry["inputRequired"],
        mirrored=entry["mirrored"],
        before_initialize=entry["beforeInitialize"],
    )


def _error_code(name: str, entry: Mapping[str, Any], definitions: Mapping[str, Schema], table_path: Path) -> ErrorCode:
    reference = entry["data"]
    if reference is None:
        return ErrorCode(name, entry["code"], entry["definition"], None)
    match = _DEFINITION.fullmatch(reference)
    schema: Any = definitions
    try:
        for token in (match["name"] + match["rest"]).split("/") if match else ("",):
            schema = schema[int(token)] if isinstance(schema, list) else schema[token]
        data = _self_contained({**schema}, definitions)
    except (LookupError, TypeError, ValueError):
        raise RevisionError(
            f"errors.{name}.data is {reference!r}, which is no schema in this revision",
            'refer to one, as in "errors.json#/$defs/X/properties/data", or put null',
            table_path,
        ) from None
    return ErrorCode(name, entry["code"], entry["definition"], data)


def _contradictions(revision: Revision, folder: Path, entries: int) -> Iterator[str]:
    if revision.name != folder.name:
        yield f"the revision calls itself {revision.name!r}, but its folder is {folder.name!r}"
    if len(revision.methods) != entries:
        yield f"{entries} entries under methods, but {len(revision.methods)} different methods"
    for method in revision.methods.values():
        for role in ("message", "params", "result"):
            name = getattr(method, role)
            if name is not None and name not in revision.definitions:
                yield f"{method.method}: {role} is {name!r}, not a definition: {_nearest(name, revision.definitions)}"
        fields = revision.definitions.get(method.params or "", {}).get("properties", {})
        if method.mirrored is not None and method.mirrored not in fields:
            yield f"{method.method}: mirrored is {method.mirrored!r}, which is no property of {method.params}"
        holders = capability_holders(method.direction, method.kind)
        if method.capability and not any(
            has_capability(revision.definitions, holder, method.capability) for holder in holders
        ):
            yield f"{method.method}: capability {method.capability!r} is not in {' or '.join(holders)}"
    for error in revision.errors.values():
        if error.definition is not None and error.definition not in revision.definitions:
            yield f"errors.{error.name}: {error.definition!r} is not defined"
    for kind, name in (*revision.content_kinds.items(), *revision.sampling_content_kinds.items()):
        definition = revision.definitions.get(name, {})
        if definition.get("properties", {}).get("type", {}).get("const") != kind:
            yield f"content kind {kind!r}: {name!r} is no definition with that type"
