"""A manifest from what an existing server answers to the list methods."""

import json
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolmint.importing.answers import SECTIONS, Answers, read_answers, unwritable
from toolmint.importing.yamltext import WIDTH, document
from toolmint.manifest import Manifest, ManifestError, load_manifest
from toolmint.manifest.members import manifest_schema
from toolmint.manifest.wording import shown
from toolmint.problems import Problem

__all__ = ["import_manifest"]

JSONObject = dict[str, Any]

_ORDER = (
    "uri",
    "uriTemplate",
    "name",
    "title",
    "version",
    "description",
    "mimeType",
    "size",
    "websiteUrl",
    "icons",
    "instructions",
    "annotations",
    "arguments",
    "inputSchema",
    "outputSchema",
)
"""What a reader looks for first in the server and in an entry; other members follow as they came."""

_ARGUMENT = 4
"""The length of the path of a prompt's argument, the deepest object that is not given over to a schema or metadata."""

_SCHEMA_KEYS = ("inputSchema", "outputSchema")
_FIRST_VERSION = "0.1.0"

_MANIFEST_ONLY = frozenset(("blob", "complete", "elicits", "file", "messages", "text", "x-toolmint"))
"""Members of an entry that say what a server does, or what the generator is to do: none that an answer has a say in."""

_Place = tuple[str | int, ...]
"""The path of an entry, its list and its index; or of the whole, which is empty."""


def import_manifest(
    texts: Mapping[str, str], *, name: str | None = None, version: str | None = None, protocol: Sequence[str]
) -> str:
    """Return a manifest, as YAML text, of what a server's saved answers list.

    Every entry goes out as it came in: schemas keep all keywords and their order, except that definitions which several
    schemas carry alike are written once, in the manifest's ``$defs``. What a manifest cannot hold, and what it will
    refuse (a name that clients or Python would not take, say), is explained in a comment above the entry.

    Args:
        texts: JSON by what it is called in problems: results or JSON-RPC responses of the list methods, several one
            behind the other, or one object that has the lists ``tools``, ``prompts``, ``resources`` and
            ``resourceTemplates``.
        name: The server's name; the one in the answers where it is None.
        version: The server's version; the one in the answers, or else 0.1.0, where it is None.
        protocol: The revisions of the manifest, the preferred one first.

    Raises:
        ManifestError: There is nothing to import, or nothing that says what the server is called.
    """
    answers = read_answers(texts)
    source = next(iter(texts))
    named = list(protocol) if len(protocol) > 1 else protocol[0]
    value: JSONObject = {"toolmint": 1, "protocol": named, "server": _server(answers, source, name, version)}
    if answers.caching:
        value["defaults"] = answers.caching
    value.update({name: [_ordered(entry) for entry in entries] for name, entries in answers.entries.items() if entries})

    notes: defaultdict[_Place, list[str]] = defaultdict(list)
    for section in sorted(answers.unfinished):
        notes[section,].append("The last page of this list named a further one that was not in the answers.")
    value = _manifest_keys_only(value, notes)
    refused = _refusals(value, protocol)
    shared = _share_definitions(value, set(refused), protocol)
    for place, problems in refused.items():
        notes[place] += [f"`toolmint check` refuses this: {problem}" for problem in problems]
    return document(shared, {place: _wrapped(lines) for place, lines in notes.items()})


def _server(answers: Answers, source: str, name: str | None, version: str | None) -> JSONObject:
    server = dict(answers.server)
    server["name"] = name or server.get("name")
    server["version"] = version or server.get("version") or _FIRST_VERSION
    if not server["name"]:
        problem = Problem(
            code="no-server-name",
            message="nothing here says what the server is called",
            file=source,
            hint="name it with --name, or add the answer to server/discover or initialize",
        )
        raise ManifestError([problem])
    refusal = unwritable([server, answers.caching])
    if refusal is not None:
        code, what, hint = refusal
        raise ManifestError([Problem(code=code, message=f"what is said of the server {what}", file=source, hint=hint)])
    return _ordered(server)


def _ordered(members: JSONObject) -> JSONObject:
    return {key: members[key] for key in dict.fromkeys((*_ORDER, *members)) if key in members}


def _wrapped(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, WIDTH - 4, break_on_hyphens=False)]


def _manifest_keys_only(value: JSONObject, notes: defaultdict[_Place, list[str]]) -> JSONObject:
    """Return the manifest without the members that it has no place for or that are its author's; notes say which."""

    def leave_out(path: _Place, key: str, member: Any, why: str) -> None:
        within = "".join(f"{step}." for step in path[2:])
        place = path[:2] if path[:1] and path[0] in SECTIONS else path[:1]
        notes[place].append(f"Left out, since {why}: {within}{key}: {shown(member)}")

    def keep(item: Any, schema: JSONObject, path: _Place) -> Any:
        if "$ref" in schema:
            schema = manifest_schema()["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        if isinstance(item, list) and "items" in schema:
            return [keep(entry, schema["items"], (*path, index)) for index, entry in enumerate(item)]
        if not isinstance(item, dict) or "properties" not in schema:
            return item
        kept = {}
        for key, member in item.items():
            if path[:1] and path[0] in SECTIONS and key in _MANIFEST_ONLY and len(path) <= _ARGUMENT:
                leave_out(path, key, member, "only a manifest's author says that")
            elif key in schema["properties"] and member is not None:
                kept[key] = keep(member, schema["properties"][key], (*path, key))
            elif schema.get("additionalProperties", True) is not False:
                kept[key] = member
            else:
                leave_out(path, key, member, "a manifest has no place for it")
        return kept

    kept: JSONObject = keep(value, manifest_schema(), ())
    return kept


def _load(value: JSONObject, protocol: Sequence[str]) -> tuple[Manifest | None, tuple[Problem, ...], str]:
    """Load a manifest from its value; return it, or what is wrong with it, and the text it was loaded from."""
    text = document(value, {})
    with tempfile.TemporaryDirectory(prefix="toolmint-") as folder:
        path = Path(folder) / "tools.yaml"
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return load_manifest(path, revisions=protocol), (), text
        except ManifestError as error:
            return None, error.problems, text


def _refusals(value: JSONObject, protocol: Sequence[str]) -> dict[_Place, list[str]]:
    """Return what the manifest's own checks say, by the entry that they say it against."""
    _, problems, text = _load(value, protocol)
    if not problems:
        return {}
    starts: list[tuple[int, _Place]] = list(_entry_lines(value, text))
    refusals: defaultdict[_Place, list[str]] = defaultdict(list)
    for problem in problems:
        place = next((place for line, place in reversed(starts) if line <= (problem.line or 0)), ())
        refusals[place].append(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
    return refusals


def _entry_lines(value: JSONObject, text: str) -> Iterator[tuple[int, _Place]]:
    """Yield the line that each entry starts in."""
    section, index = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if line[:1] not in (" ", ""):
            section, index = line.rstrip(":"), 0
        elif line.startswith("  - ") and section in SECTIONS and section in value:
            yield number, (section, index)
            index += 1


def _share_definitions(value: JSONObject, refused: set[_Place], protocol: Sequence[str]) -> JSONObject:
    """Return the manifest with the definitions that schemas have in common written once.

    A definition is shared if every schema that has one of its name has the same, and there are at least two. A tool
    whose schemas would not go out as before keeps its own.
    """
    tools: list[JSONObject] = value.get("tools", [])
    sound = [index for index in range(len(tools)) if ("tools", index) not in refused]
    keeping = {index for index in range(len(tools)) if index not in sound}
    while True:
        shared = _common(tools, keeping)
        if not shared:
            return value
        lifted = _lifted(value, shared, keeping)
        trial = {
            **{key: lifted[key] for key in ("toolmint", "protocol", "server", "$defs")},
            "tools": [lifted["tools"][index] for index in sound],
        }
        manifest, _, _ = _load(trial, protocol)
        if manifest is None:
            return value
        changed = {
            index
            for index, tool in zip(sound, manifest.tools, strict=True)
            if any(tool.wire().get(key) != tools[index].get(key) for key in _SCHEMA_KEYS if key in tools[index])
        }
        if not changed:
            return lifted
        keeping |= changed


def _common(tools: Sequence[JSONObject], keeping: set[int]) -> JSONObject:
    """Return the definitions that are alike in all schemas that have them, by name."""
    variants: defaultdict[str, list[str]] = defaultdict(list)
    definitions: JSONObject = {}
    users: Counter[str] = Counter()
    for index, tool in enumerate(tools):
        for schema in _schemas(tool):
            for name, definition in schema["$defs"].items():
                variants[name].append(json.dumps(definition))
                users[name] += index not in keeping
                definitions.setdefault(name, definition)
    return {name: definitions[name] for name, texts in variants.items() if len(set(texts)) == 1 and users[name] > 1}


def _schemas(tool: JSONObject) -> Iterator[JSONObject]:
    for key in _SCHEMA_KEYS:
        schema = tool.get(key)
        if isinstance(schema, dict) and isinstance(schema.get("$defs"), dict):
            yield schema


def _lifted(value: JSONObject, shared: Mapping[str, Any], keeping: set[int]) -> JSONObject:
    """Return the manifest with shared definitions taken out of the schemas of all tools but some."""
    tools = []
    for index, tool in enumerate(value["tools"]):
        taken = {id(schema) for schema in _schemas(tool)} if index not in keeping else set()
        tools.append({key: _without(item, shared) if id(item) in taken else item for key, item in tool.items()})
    lifted: JSONObject = {}
    for key, item in value.items():
        if key in SECTIONS and "$defs" not in lifted:
            lifted["$defs"] = dict(shared)
        lifted[key] = tools if key == "tools" else item
    return lifted


def _without(schema: JSONObject, shared: Mapping[str, Any]) -> JSONObject:
    own = {name: definition for name, definition in schema["$defs"].items() if name not in shared}
    return {key: own if key == "$defs" else item for key, item in schema.items() if key != "$defs" or own}
