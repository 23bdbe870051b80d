"""A manifest as its reviewers look at it: every schema and every text that reaches a model, with its path."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from toolmint.manifest import Manifest, Tool
from toolmint.manifest.positions import Path, path_of
from toolmint.manifest.references import Scope, descend, value_at

JSONObject = dict[str, Any]

_UNSEEN = frozenset(("_meta", "icons", "blob", "data", "execution", "id", "mimeType", "size", "url"))
"""Members whose text no model reads: for programs, images, encoded content."""

_PATTERNS = frozenset(("pattern", "patternProperties"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule has to say, and about which value of the manifest.

    Attributes:
        code: A code of ``WARNINGS``.
        path: The value; what does not stand in the manifest stands for its nearest parent.
        key: Whether it is about the key that names the value.
    """

    code: str
    path: Path
    message: str
    hint: str
    key: bool = False


class Passage(NamedTuple):
    """A text that a model reads; ``prompt`` where it is a prompt's message, which may well give instructions."""

    path: Path
    text: str
    prompt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaUnderReview:
    """A schema of the manifest.

    Attributes:
        tool: Whose it is; None for a shared definition.
        path: Where it stands.
        root: The schema that references in it are resolved in.
        parts: Its subschemas, and itself, by their path in ``root``, without what it carries of shared definitions.
    """

    tool: Tool | None
    path: Path
    root: JSONObject
    parts: Mapping[Path, JSONObject]

    def resolve(self, schema: Any) -> Any:
        """Return what a schema's ``$ref`` means, or the schema."""
        for _ in range(10):
            reference = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(reference, str) or not reference.startswith("#"):
                break
            target = descend(self.root, path_of(reference[1:]))
            if target is None:
                break
            schema = value_at(self.root, target)
        return schema


class Contract:
    """A manifest under review."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest

    @cached_property
    def inputs(self) -> tuple[SchemaUnderReview, ...]:
        """The input schema of each tool."""
        return tuple(self._schema(tool, "inputSchema", tool.input_schema) for tool in self.manifest.tools)

    @cached_property
    def outputs(self) -> tuple[SchemaUnderReview, ...]:
        """The output schemas that there are."""
        return tuple(
            self._schema(tool, "outputSchema", tool.output_schema)
            for tool in self.manifest.tools
            if isinstance(tool.output_schema, dict)
        )

    @cached_property
    def definitions(self) -> tuple[SchemaUnderReview, ...]:
        """The shared definitions that some tool's input uses, as one schema."""
        shared = self.manifest.definitions
        used = {name for tool in self.manifest.tools for name in _own_definitions(tool.input_schema) if name in shared}
        if not used:
            return ()
        root: JSONObject = {"$defs": dict(shared)}
        scope = Scope(root)
        for name in shared:
            if name in used:
                scope.walk(("$defs", name))
        return (SchemaUnderReview(tool=None, path=(), root=root, parts=scope.schemas),)

    @cached_property
    def asked(self) -> tuple[SchemaUnderReview, ...]:
        """Everything that describes arguments: the input schemas, and the shared definitions that they use."""
        return self.inputs + self.definitions

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Every text that a model may read."""
        manifest = self.manifest
        passages: list[Passage] = []

        def add(value: Any, path: Path, *, prompt: bool = False) -> None:
            passages.extend(self._passages(value, path, prompt=prompt))

        server = manifest.server
        add({"title": server.title, "description": server.description}, ("server",))
        add(server.instructions, ("server", "instructions"))
        for name, definition in manifest.definitions.items():
            add(definition, ("$defs", name))
        for entry in manifest.entries:
            path = entry_path(entry.pointer)
            add(entry.wire(), path)
            for index, elicitation in enumerate(entry.elicits):
                asked = {"message": elicitation.message, "requestedSchema": elicitation.requested_schema}
                add(asked, (*path, "elicits", index))
        for index, resource in enumerate(manifest.resources):
            if isinstance(resource.content, str):
                passages.append(Passage(("resources", index, "text"), resource.content, prompt=True))
        for index, prompt in enumerate(manifest.prompts):
            for number, message in enumerate(prompt.messages or ()):
                add(message.content, ("prompts", index, "messages", number, "content"), prompt=True)
        return tuple(passages)

    def _schema(self, tool: Tool, key: str, schema: JSONObject) -> SchemaUnderReview:
        scope = Scope(schema)
        scope.walk()
        carried = {name for name, value in _own_definitions(schema).items() if self._is_shared(name, value)}
        parts = scope.schemas
        if carried:
            parts = {path: part for path, part in parts.items() if path[:1] != ("$defs",) or path[1] not in carried}
        return SchemaUnderReview(tool=tool, path=(*entry_path(tool.pointer), key), root=schema, parts=parts)

    def _is_shared(self, name: str, definition: Any) -> bool:
        """Say whether a definition in a schema is one of the manifest's, which is reviewed where it stands."""
        shared = self.manifest.definitions
        return name in shared and (shared[name] is definition or shared[name] == definition)

    def _passages(self, value: Any, path: Path, *, prompt: bool) -> Iterator[Passage]:
        pending: list[tuple[Path, Any]] = [(path, value)]
        while pending:
            at, part = pending.pop()
            if isinstance(part, str):
                yield Passage(at, part, prompt)
            elif isinstance(part, list):
                pending += (((*at, index), item) for index, item in enumerate(part))
            elif isinstance(part, dict):
                for key, item in part.items():
                    if key in _UNSEEN and len(at) <= len(path) + 1:
                        continue
                    if at[-1:] == ("$defs",) and len(at) == len(path) + 2 and self._is_shared(key, item):
                        continue
                    if key not in _PATTERNS or not isinstance(item, str):
                        pending.append(((*at, key), item))
                    if not key.isascii():
                        yield Passage((*at, key), key, prompt)


Rule = Callable[[Contract], Iterator[Finding]]
"""Looks at a contract from one side."""


def entry_path(pointer: str) -> Path:
    """Return the path of a tool, resource, template or prompt: its section and its index there."""
    section, index = path_of(pointer)
    return (str(section), int(index))


def _own_definitions(schema: JSONObject) -> JSONObject:
    definitions = schema.get("$defs")
    return definitions if isinstance(definitions, dict) else {}
