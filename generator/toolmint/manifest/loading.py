"""A manifest file to a ``Manifest``, or to everything that is wrong with it."""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path as FilePath
from typing import Any, TypeVar

from toolmint.manifest import advice, building, rules
from toolmint.manifest.bundling import Bundle, Bundler
from toolmint.manifest.headers import header_problems
from toolmint.manifest.members import extended_schema, listed_problems
from toolmint.manifest.model import JSONObject, Manifest, Prompt, Resource
from toolmint.manifest.positions import Path
from toolmint.manifest.references import value_at
from toolmint.manifest.source import MAX_PROBLEMS, ManifestError
from toolmint.manifest.structure import check_structure
from toolmint.manifest.text import Place, Text, read_text
from toolmint.manifest.validity import Usability
from toolmint.manifest.wording import shown
from toolmint.problems import Problem
from toolmint.revision import Revision, known_revisions, load_revision

MAX_CARRIED = 100_000
"""The most definitions that a manifest's schemas carry, each counted once per schema: what is generated grows by it."""

_Entry = TypeVar("_Entry")


def load_manifest(
    path: str | os.PathLike[str],
    *,
    revisions: Sequence[str],
    modern: Sequence[str] | None = None,
    load: Callable[[str], Revision] | None = None,
) -> Manifest:
    """Load a manifest, its schemas self-contained and its defaults filled in.

    Args:
        path: The file; problems name it as it is given here.
        revisions: Names of the protocol revisions that can be generated.
        modern: Those of them that need no handshake, of which the manifest must name one; all where it is None.
        load: Loads one of them. What the modern ones that the manifest names define is then allowed in what it lists,
            and required; without it, only what the manifest's format knows is.

    Raises:
        ManifestError: It cannot be used; every problem is listed, in the order of the file.
    """
    text = read_text(FilePath(path), os.fspath(path))
    modern = revisions if modern is None else modern
    spoken = [] if load is None else [load(name) for name in _named(text.value) if name in modern]
    violations = list(islice(check_structure(text, extended_schema(spoken)), MAX_PROBLEMS))
    problems = [*text.problems, *(problem for _, problem in violations)]
    if not isinstance(text.value, dict):
        raise ManifestError(problems)
    loader = _Loader(text, [path for path, problem in violations if problem.code != "unknown-key"])
    problems += islice(loader.problems(revisions, modern), MAX_PROBLEMS)
    if problems:
        raise ManifestError(sorted(dict.fromkeys(problems), key=_order)[:MAX_PROBLEMS])
    manifest = loader.manifest(FilePath(path))
    problems += islice(listed_problems(text, manifest, spoken), MAX_PROBLEMS)
    if problems:
        raise ManifestError(sorted(problems, key=_order))
    return manifest


def load_project_manifest(path: FilePath) -> Manifest:
    """Load a manifest with the revisions that are known in its folder: toolmint's, and those in ``schema`` beside it.

    Raises:
        ManifestError: It cannot be used.
        RevisionError: A revision that it names cannot be used.
    """
    own = path.parent / "schema"
    return load_manifest(
        path,
        revisions=known_revisions(own),
        modern=known_revisions(own, era="modern"),
        load=lambda name: load_revision(name, own),
    )


def _named(value: Any) -> list[Any]:
    """Return what a manifest, whatever it is, names as its revisions."""
    named = value.get("protocol") if isinstance(value, dict) else None
    return named if isinstance(named, list) else [named]


class _Loader:
    """Looks into the parts of a manifest that are of the right shape, whatever is wrong with the others."""

    def __init__(self, text: Text, violations: Sequence[Path]) -> None:
        self._text = text
        self._value: JSONObject = text.value
        self._unsound = {path[:size] for path in violations for size in range(len(path) + 1)}
        self._bundler = Bundler(text)
        self._bundles: dict[Path, Bundle] = {}
        self._defaults = building.defaults(self._value.get("defaults", {}) if self._sound(("defaults",)) else {})
        self._resources: list[Resource] = []
        self._prompts: list[Prompt] = []

    def _sound(self, path: Path) -> bool:
        """Say whether the value at a path, if there is one, and all in it are of the right shape."""
        return path not in self._unsound

    def problems(self, revisions: Sequence[str], modern: Sequence[str]) -> Iterator[Problem]:
        """Yield everything that is wrong beyond shape."""
        text, value = self._text, self._value
        if "protocol" in value and self._sound(("protocol",)):
            yield from rules.protocol(text, revisions, modern)
        if "server" in value and self._sound(("server",)) and {"name", "version"} <= value["server"].keys():
            yield from rules.version(text)
            if self._sound(("package",)):
                yield from rules.package(text)
        for rule in (rules.tool_names, rules.resource_names, rules.prompts, rules.completers, rules.elicitations):
            yield from rule(text, self._sound)
        yield from self._schemas()
        yield from self._build("resources", building.resource, self._resources)
        yield from self._build("prompts", building.prompt, self._prompts)

    def manifest(self, path: FilePath) -> Manifest:
        """Return the model of a manifest without problems."""
        value, defaults = self._value, self._defaults
        server = building.server(value["server"])
        return Manifest(
            path=path,
            protocol=(value["protocol"],) if isinstance(value["protocol"], str) else tuple(value["protocol"]),
            server=server,
            package=building.package(value.get("package", {}), server.name),
            defaults=defaults,
            definitions=building.definitions(self._bundler.definitions(value.get("$defs", ()))),
            tools=tuple(
                building.tool(tool, ("tools", index), self._bundles, defaults)
                for index, tool in enumerate(value.get("tools", ()))
            ),
            resources=tuple(self._resources),
            resource_templates=tuple(
                building.resource_template(template, ("resourceTemplates", index), defaults)
                for index, template in enumerate(value.get("resourceTemplates", ()))
            ),
            prompts=tuple(self._prompts),
            digest=self._text.source.digest,
            positions=self._text.positions,
            warnings=tuple(sorted(advice.warnings(self._text, self._bundler), key=_order)),
        )

    def _schemas(self) -> Iterator[Problem]:
        """Bundle every schema, and yield what is wrong with any."""
        said: set[tuple[str, int | None, int | None]] = set()
        usability = Usability()
        carried: set[Place] = set()
        total = 0
        readable = True
        for path, bundle in self._each_bundle(carried):
            problems = self._bundler.take_problems()
            readable = readable and all(problem.code != "bad-reference" for problem in problems)
            if readable:
                problems += usability.problems(bundle)
            if path[-1:] == ("inputSchema",):
                problems += _input_root(self._text, path, bundle.schema)
            if path:
                written = value_at(self._value, path)
                problems += header_problems(self._text, path, written, arguments=path[-1] == "inputSchema")
            for problem in problems:
                place = problem.file, problem.line, problem.column
                if place not in said:
                    said.add(place)
                    yield problem
            carried.update(bundle.carried.values())
            total += len(bundle.carried)
            if total > MAX_CARRIED:
                yield self._text.problem(
                    "too-many-definitions",
                    f"the schemas up to this one carry more than {MAX_CARRIED} definitions, each counted per schema",
                    path,
                    "let tools use fewer definitions, or split the server",
                )
                return
        definitions = self._value.get("$defs")
        for name, definition in (definitions if isinstance(definitions, dict) else {}).items():
            yield from header_problems(self._text, ("$defs", name), definition, arguments=False)

    def _each_bundle(self, carried: set[Place]) -> Iterator[tuple[Path, Bundle]]:
        """Bundle the tools' schemas one by one, and then the definitions that none of them has carried."""
        tools, definitions = self._value.get("tools"), self._value.get("$defs")
        for index, tool in enumerate(tools if isinstance(tools, list) else ()):
            for key in ("inputSchema", "outputSchema"):
                if isinstance(tool, dict) and isinstance(tool.get(key), dict):
                    path: Path = ("tools", index, key)
                    self._bundles[path] = self._bundler.bundle(path)
                    yield path, self._bundles[path]
        unused = [
            name
            for name, definition in (definitions if isinstance(definitions, dict) else {}).items()
            if isinstance(definition, dict | bool) and Place(self._text, ("$defs", name)) not in carried
        ]
        yield (), self._bundler.definitions(unused)

    def _build(self, section: str, build: Callable[..., _Entry], built: list[_Entry]) -> Iterator[Problem]:
        """Build the entries of a section, and yield what is wrong with what they look up."""
        entries = self._value.get(section)
        for index, value in enumerate(entries if isinstance(entries, list) else ()):
            path = (section, index)
            if self._sound(path):
                try:
                    built.append(build(value, path, self._text, self._defaults))
                except ManifestError as error:
                    yield from error.problems


def _input_root(text: Text, path: Path, schema: Any) -> Iterator[Problem]:
    """Yield a problem unless a tool's arguments are an object, which every revision of the protocol requires."""
    if schema.get("type") == "object":
        return
    if "type" in schema:
        message = f"the root of an inputSchema has type {shown(schema['type'])}; arguments are always an object"
        yield text.problem(
            "input-not-object", message, (*path, "type"), "make this the schema of a property of an object"
        )
    else:
        yield text.problem("input-not-object", "an inputSchema needs `type: object` at its root", path, "add it")


def _order(problem: Problem) -> tuple[str, int, int]:
    return problem.file, problem.line or 0, problem.column or 0
