"""What a server tells its callers, read from whatever records it: a manifest, answers to list requests, a lock file."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolmint.diffing.changes import Kind, shown
from toolmint.manifest import Manifest, ManifestError, load_project_manifest
from toolmint.manifest.document import MAX_DEPTH
from toolmint.manifest.source import read_bytes
from toolmint.problems import Problem
from toolmint.revision import RevisionError, load_revision
from toolmint.surface import SERVER_INFO_KEY, describe, unlisted

LISTS: Mapping[str, tuple[Kind, str]] = {
    "tools": ("tool", "name"),
    "prompts": ("prompt", "name"),
    "resources": ("resource", "uri"),
    "resourceTemplates": ("resourceTemplate", "uriTemplate"),
}
"""The lists of the protocol by the member that holds them: what an entry is, and which member identifies it."""

_DETAIL = ("told", "surface_detail")
"""Members of a lock file that may hold the lists themselves."""


class UnreadableSurface(Exception):
    """An input that does not say what callers are told; ``problems`` says why."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.render() for problem in self.problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What callers are told.

    Attributes:
        label: The input as the user named it.
        lists: Entries by list and identity, see ``LISTS``, as they go out; a list that the input does not speak of is
            not there.
        aliases: Current name of each tool by the former names that still work.
        settings: What tools do beyond what is told, by their name: ``strictArguments`` and ``assertFormats``. Empty
            where it is not known.
        asks: For each kind and identity, what the client has to be able to be asked; not there where it is not known.
        server: Members of ``serverInfo`` that are known, and ``instructions``.
        protocol: Revisions, the preferred one first; None where it is not known.
        digest: SHA-256 of all that is told, hexadecimal; None where it is not known.
        only_digest: There is nothing but the digest.
    """

    label: str
    lists: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    asks: Mapping[tuple[Kind, str], frozenset[str]] = field(default_factory=dict)
    server: Mapping[str, Any] = field(default_factory=dict)
    protocol: tuple[str, ...] | None = None
    digest: str | None = None
    only_digest: bool = False

    @property
    def version(self) -> str | None:
        """The server's version, where it is known."""
        version = self.server.get("version")
        return version if isinstance(version, str) else None


def read_told(path: Path) -> Told:
    """Read what callers are told.

    Args:
        path: A manifest (YAML, or JSON with the member ``toolmint``), a ``toolmint.lock``, or JSON: a result of
            ``tools/list`` or another list, a whole response, several of either in an array or under one object's
            ``tools``, ``prompts``, ``resources`` and ``resourceTemplates``.

    Raises:
        UnreadableSurface: It is none of these, or cannot be used.
    """
    label = os.fspath(path)
    try:
        data = read_bytes(path, label)
        value = _json(data)
        if value is None or (isinstance(value, dict) and "toolmint" in value):
            return of_manifest(load_project_manifest(path))
    except ManifestError as error:
        raise UnreadableSurface(error.problems) from None
    except RevisionError as error:
        raise _unreadable(str(error.file or label), "revision", error.message, error.hint) from None
    if _deep(value):
        message = f"nested more than {MAX_DEPTH} levels deep"
        raise _unreadable(label, "nested-too-deep", message, "check how it was made")
    if isinstance(value, dict) and "surface" in value and "files" in value:
        return _of_lock(label, value)
    return _of_answers(label, value)


def of_manifest(manifest: Manifest) -> Told:
    """Return what callers of a manifest's server are told."""
    entries: dict[str, list[Any]] = {
        "tools": [*manifest.tools],
        "prompts": [*manifest.prompts],
        "resources": [*manifest.resources],
        "resourceTemplates": [*manifest.resource_templates],
    }
    lists: dict[str, dict[str, Mapping[str, Any]]] = {}
    for key, items in entries.items():
        wires = [item.wire() for item in items]
        lists[key] = {wire[LISTS[key][1]]: wire for wire in wires}
    server = manifest.server.wire()
    if manifest.server.instructions:
        server["instructions"] = manifest.server.instructions
    told = Told(
        label=os.fspath(manifest.path),
        lists=lists,
        server=server,
        protocol=manifest.protocol,
        digest=_digest(manifest),
    )
    return _with_unlisted(told, unlisted(manifest))


def _digest(manifest: Manifest) -> str:
    own = manifest.path.parent / "schema"
    return describe(manifest, [load_revision(name, own) for name in manifest.protocol]).digest


def _json(data: bytes) -> Any:
    """Return the value of a text that is JSON; None where it is not, so that it may be YAML."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    def finite(text: str) -> float:
        if not math.isfinite(float(text)):
            raise ValueError(text)
        return float(text)

    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _deep(value: Any) -> bool:
    """Return whether a value is nested deeper than a manifest may be."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [part for part in level if isinstance(part, dict | list)]
        level = [item for part in containers for item in (part.values() if isinstance(part, dict) else part)]
    return bool(level)


def _of_lock(label: str, lock: Mapping[str, Any]) -> Told:
    protocol = lock.get("protocol")
    known = tuple(map(str, protocol)) if isinstance(protocol, list) else None
    digest = str(lock["surface"])
    detail = next((lock[name] for name in _DETAIL if isinstance(lock.get(name), dict)), None)
    if detail is None:
        return Told(label=label, protocol=known, digest=digest, only_digest=True)
    told = _collected(label, [_result(label, detail)], protocol=known, digest=digest)
    more = detail.get("unlisted")
    return _with_unlisted(told, more) if isinstance(more, dict) else told


def _with_unlisted(told: Told, more: Mapping[str, Any]) -> Told:
    """Return what callers are told with what no list says, in the form that a lock file has it in beside the lists."""
    settings = {
        name: {setting: name in more.get(setting, ()) for setting in ("strictArguments", "assertFormats")}
        for name in told.lists.get("tools", {})
    }
    asks: dict[tuple[Kind, str], frozenset[str]] = {
        (kind, identity): frozenset(more.get("asks", {}).get(key, {}).get(identity, ()))
        for key, (kind, _) in LISTS.items()
        for identity in told.lists.get(key, {})
    }
    return replace(told, aliases=more.get("aliases", {}), settings=settings, asks=asks)


def _of_answers(label: str, value: Any) -> Told:
    parts = value if isinstance(value, list) else [value]
    if parts and all(isinstance(part, dict) and "name" in part and "inputSchema" in part for part in parts):
        parts = [{"tools": parts}]
    results = [_result(label, part) for part in parts]
    if not any(key in result for result in results for key in LISTS):
        raise _unreadable(
            label,
            "not-a-surface",
            "there is no list of tools, prompts, resources or resource templates in it",
            "give a tools.yaml, a toolmint.lock, or the JSON of an answer to tools/list",
        )
    for key in LISTS:
        pages = [result for result in results if key in result]
        if pages and isinstance(pages[-1].get("nextCursor"), str):
            raise _unreadable(
                label,
                "incomplete-list",
                f"the list of {key} goes on after this page (nextCursor), and a part of it cannot be compared",
                "put the answers for all pages into one JSON array",
            )
    return _collected(label, results)


def _result(label: str, part: Any) -> Mapping[str, Any]:
    if not isinstance(part, dict):
        raise _unreadable(label, "not-a-surface", "an answer in it is no JSON object", "give whole answers or results")
    if isinstance(part.get("error"), dict):
        message = part["error"].get("message", "no message")
        raise _unreadable(
            label, "error-answer", f"it is an error, not an answer: {shown(message)}", "ask the server again"
        )
    result = part.get("result", part)
    if not isinstance(result, dict):
        return {}
    for key in LISTS:
        if key in result and not isinstance(result[key], list):
            message = f"{key} in it is no list: {shown(result[key])}"
            raise _unreadable(label, "not-a-surface", message, "give the answer as the server gave it")
    return result


def _collected(
    label: str,
    results: Iterable[Mapping[str, Any]],
    *,
    protocol: tuple[str, ...] | None = None,
    digest: str | None = None,
) -> Told:
    """Return what some results, each with one list or more, say together."""
    lists: dict[str, dict[str, Mapping[str, Any]]] = {}
    aliases: dict[str, str] = {}
    server: dict[str, Any] = {}
    for result in results:
        server |= _server(result)
        versions = result.get("supportedVersions")
        if isinstance(versions, list):
            protocol = tuple(map(str, versions))
        for key in LISTS:
            if key not in result:
                continue
            entries = lists.setdefault(key, {})
            for entry in result[key]:
                identity, wire, former = _entry(label, key, entry)
                entries[identity] = wire
                aliases |= dict.fromkeys(former, identity)
    return Told(label=label, lists=lists, aliases=aliases, server=server, protocol=protocol, digest=digest)


def _entry(label: str, key: str, entry: Any) -> tuple[str, Mapping[str, Any], list[str]]:
    """Return an entry's identity, what goes out of it, and the former names that it answers to."""
    _, member = LISTS[key]
    if not isinstance(entry, dict) or not isinstance(entry.get(member), str):
        raise _unreadable(label, "not-a-surface", f"an entry of {key} has no {member}", f"give each its {member}")
    own = entry.get("x-toolmint")
    former = own.get("aliases") if isinstance(own, dict) else None
    wire = {name: value for name, value in entry.items() if name != "x-toolmint"}
    return entry[member], wire, [str(alias) for alias in former] if isinstance(former, list) else []


def _server(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a result says of its server: under ``_meta``, ``serverInfo``, or a catalogue's plain members."""
    meta = result.get("_meta")
    known: dict[str, Any] = {}
    own = meta.get(SERVER_INFO_KEY) if isinstance(meta, dict) else None
    for source in (own, result.get("serverInfo"), result.get("server")):
        if isinstance(source, dict):
            known |= source
        elif isinstance(source, str):
            known["name"] = source
    if isinstance(result.get("server"), str) and isinstance(result.get("version"), str):
        known["version"] = result["version"]
    if isinstance(result.get("instructions"), str) and result["instructions"]:  # a lock has an empty text for none
        known["instructions"] = result["instructions"]
    return known


def _unreadable(label: str, code: str, message: str, hint: str) -> UnreadableSurface:
    return UnreadableSurface([Problem(code=code, message=message, file=label, hint=hint)])
