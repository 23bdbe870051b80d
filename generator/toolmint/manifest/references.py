"""What a JSON Schema document holds that references depend on: subschemas, anchors, embedded resources, references."""

from typing import Any
from urllib.parse import unquote, urljoin

from toolmint.manifest.positions import Path, path_of

# Where subschemas are (JSON Schema 2020-12 core section 10, and draft-07): one, a list of them, or a mapping to them.
_ONE = frozenset(
    (
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
_LIST = frozenset(("allOf", "anyOf", "items", "oneOf", "prefixItems"))
_MAPPING = frozenset(("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"))
_APPLICATORS = _ONE | _LIST | _MAPPING


class Scope:
    """A document, seen as what its references can mean.

    Attributes:
        root: The document.
        references: Path of each ``$ref`` found, with what it says and the resource it is in.
        anchors: Path of the schema that an anchor names, by the resource it is in and its name.
        resources: Path of each schema resource, by its address; the document itself is one, see JSON Schema core 8.2.1.
        bases: Address of each resource, by its path.
        faults: Path of each ``$id`` that is no URI reference, and why.
        schemas: Every object schema taken in, by its path.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        self.references: dict[Path, tuple[str, Path]] = {}
        self.anchors: dict[tuple[Path, str], Path] = {}
        self.resources: dict[str, Path] = {"": ()}
        self.bases: dict[Path, str] = {(): ""}
        self.faults: dict[Path, str] = {}
        self.schemas: dict[Path, dict[str, Any]] = {}

    def walk(self, start: Path = ()) -> None:
        """Take in a schema and all below it; schemas taken in before are passed over."""
        resource = max((path for path in self.bases if start[: len(path)] == path), key=len)
        pending = [(start, value_at(self.root, start), resource)]
        while pending:
            path, node, resource = pending.pop()
            if not isinstance(node, dict) or path in self.schemas:
                continue
            self.schemas[path] = node
            if "$id" in node and isinstance(node["$id"], str):
                resource = self._identified(path, node["$id"], resource)
            for keyword in ("$anchor", "$dynamicAnchor"):
                if keyword in node and isinstance(node[keyword], str):
                    self.anchors[resource, node[keyword]] = path
            if "$ref" in node and isinstance(node["$ref"], str):
                self.references[(*path, "$ref")] = node["$ref"], resource
            for keyword in reversed(node):
                if keyword in _APPLICATORS:
                    pending += ((below, value, resource) for below, value in _parts(path, keyword, node[keyword]))

    def locate(self, resource: Path, fragment: str) -> Path | None:
        """Return the path that a reference's fragment means within a resource: a JSON pointer or an anchor's name."""
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self.anchors.get((resource, fragment))
        return descend(self.root, resource + path_of(fragment))

    def _identified(self, path: Path, identifier: str, resource: Path) -> Path:
        """Take in an ``$id`` and return the resource it starts; draft-07 writes an anchor as ``$id: "#name"``."""
        if identifier.startswith("#"):
            self.anchors[resource, identifier[1:]] = path
            return resource
        try:
            address = urljoin(self.bases[resource], identifier).removesuffix("#")
        except ValueError as error:
            self.faults[(*path, "$id")] = str(error)
            return resource
        self.bases[path] = address
        self.resources.setdefault(address, path)
        return path


def _parts(path: Path, keyword: str, value: Any) -> list[tuple[Path, Any]]:
    """Return the subschemas of a keyword, last one first."""
    if isinstance(value, dict):
        if keyword in _MAPPING:
            return [((*path, keyword, name), part) for name, part in reversed(value.items())]
        return [((*path, keyword), value)] if keyword in _ONE else []
    if isinstance(value, list) and keyword in _LIST:
        return [((*path, keyword, index), part) for index, part in reversed(list(enumerate(value)))]
    return []


def descend(value: Any, path: Path) -> Path | None:
    """Return a path with list indices as numbers; None where it leads nowhere."""
    taken: list[str | int] = []
    for step in path:
        if isinstance(value, dict) and step in value:
            taken.append(step)
        elif isinstance(value, list) and str(step).isdecimal() and int(step) < len(value):
            taken.append(int(step))
        else:
            return None
        value = value[taken[-1]]
    return tuple(taken)


def value_at(value: Any, path: Path) -> Any:
    """Return the value at a path that exists."""
    for step in path:
        value = value[step]
    return value
