"""A manifest file to a ``Manifest``, or to everything that is wrong with it."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import Any, TypeVar

from toolmint.manifest import advice, building, rules
from toolmint.manifest.bundling import Bundle, Bundler
from toolmint.manifest.model import JSONObject, Manifest, Prompt, Resource
from toolmint.manifest.positions import Path
from toolmint.manifest.source import ManifestError
from toolmint.manifest.structure import check_structure
from toolmint.manifest.text import Text, read_text
from toolmint.manifest.validity import Validity
from toolmint.manifest.wording import shown
from toolmint.problems import Problem

_Entry = TypeVar("_Entry")


def load_manifest(path: str | os.PathLike[str], *, revisions: Sequence[str]) -> Manifest:
    """Load a manifest, its schemas self-contained and its defaults filled in.

    Args:
        path: The file; problems name it as it is given here.
        revisions: Names of the protocol revisions that can be generated.

    Raises:
        ManifestError: It cannot be used; every problem is listed, in the order of the file.
    """
    text = read_text(FilePath(path), os.fspath(path))
    violations = list(check_structure(text))
    problems = [*text.problems, *(problem for _, problem in violations)]
    if not isinstance(text.value, dict):
        raise ManifestError(problems)
    loader = _Loader(text, [path for path, problem in violations if problem.code != "unknown-key"])
    problems += loader.problems(revisions)
    if problems:
        raise ManifestError(sorted(dict.fromkeys(problems), key=_order))
    return loader.manifest(FilePath(path))


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

    def problems(self, revisions: Sequence[str]) -> list[Problem]:
        """Return everything that is wrong beyond shape."""
        problems: list[Problem] = []
        text, value = self._text, self._value
        if "protocol" in value and self._sound(("protocol",)):
            problems += rules.protocol(text, revisions)
        if "server" in value and self._sound(("server",)) and {"name", "version"} <= value["server"].keys():
            problems += rules.version(text)
            problems += rules.package(text) if self._sound(("package",)) else ()
        for rule in (rules.tool_names, rules.resource_names, rules.prompts, rules.elicitations):
            problems += rule(text, self._sound)
        problems += self._schemas()
        self._resources = self._built("resources", building.resource, problems)
        self._prompts = self._built("prompts", building.prompt, problems)
        return problems

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
            definitions=self._bundler.definitions(),
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
        validity = Validity()
        for path in self._schema_paths():
            bundle = self._bundles[path] = self._bundler.bundle(path)
            yield from validity.problems(bundle)
            if path[-1] == "inputSchema":
                yield from _input_root(self._text, path, bundle.schema)
        yield from self._bundler.problems

    def _schema_paths(self) -> Iterator[Path]:
        """Yield where the tools' schemas are, and then the definitions."""
        tools, definitions = self._value.get("tools"), self._value.get("$defs")
        for index, tool in enumerate(tools if isinstance(tools, list) else ()):
            for key in ("inputSchema", "outputSchema"):
                if isinstance(tool, dict) and isinstance(tool.get(key), dict):
                    yield "tools", index, key
        for name, definition in (definitions if isinstance(definitions, dict) else {}).items():
            if isinstance(definition, dict | bool):
                yield "$defs", name

    def _built(self, section: str, build: Callable[..., _Entry], problems: list[Problem]) -> list[_Entry]:
        """Return the entries of a section, and add what is wrong with what they look up."""
        entries = self._value.get(section)
        built = []
        for index, value in enumerate(entries if isinstance(entries, list) else ()):
            path = (section, index)
            if self._sound(path):
                try:
                    built.append(build(value, path, self._text, self._defaults))
                except ManifestError as error:
                    problems += error.problems
        return built


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
