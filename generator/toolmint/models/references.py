"""Where a ``$ref`` leads within one schema document (JSON Schema 2020-12 core, section 8.2; draft-07, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

Node: TypeAlias = Any
"""A subschema: a dict or a boolean."""

SECTIONS = ("$defs", "definitions")

ANNOTATIONS = frozenset(
    {"$comment", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"}
)
"""Keywords that change nothing about which values are valid."""

CONTAINERS = frozenset({"$schema", "$defs", "definitions"})
"""Keywords of a root schema that change nothing about it either."""

_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas", *SECTIONS})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLES = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)


def subschemas(node: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield every subschema directly under a schema, with the reference tokens that lead to it."""
    if not isinstance(node, dict):
        return
    for keyword, value in node.items():
        if keyword in _MAPS and isinstance(value, dict):
            for name, child in value.items():
                yield (keyword, name), child
        elif isinstance(value, list) and (keyword in _LISTS or keyword == "items"):
            for index, child in enumerate(value):
                yield (keyword, str(index)), child
        elif keyword in _SINGLES:
            yield (keyword,), value


class Document:
    """A root schema and what its references mean."""

    def __init__(self, root: Node) -> None:
        self.root = root
        dialect = root.get("$schema") if isinstance(root, dict) else None
        self.draft7 = isinstance(dialect, str) and "draft-07" in dialect
        self._anchors: dict[str, tuple[tuple[str, ...], Node]] | None = None

    def resolve(self, reference: object) -> tuple[tuple[str, ...], Node] | None:
        """Return the reference tokens of a ``$ref``'s target, from the root, and the target; None if there is none."""
        if not isinstance(reference, str):
            return None
        if reference == "#":
            return (), self.root
        if reference.startswith("#/"):
            return self._at(reference[2:])
        if self._anchors is None:
            self._anchors = dict(self._named())
        return self._anchors.get(reference)

    def _at(self, pointer: str) -> tuple[tuple[str, ...], Node] | None:
        tokens = tuple(unquote(token).replace("~1", "/").replace("~0", "~") for token in pointer.split("/"))
        node = self.root
        for token in tokens:
            if isinstance(node, dict) and token in node:
                node = node[token]
            elif isinstance(node, list) and token.isdecimal() and int(token) < len(node):
                node = node[int(token)]
            else:
                return None
        return tokens, node

    def _named(self) -> Iterator[tuple[str, tuple[tuple[str, ...], Node]]]:
        pending: list[tuple[tuple[str, ...], Node]] = [((), self.root)]
        while pending:
            tokens, node = pending.pop()
            if not isinstance(node, dict):
                continue
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(node.get(keyword), str):
                    yield f"#{node[keyword]}", (tokens, node)
            if isinstance(node.get("$id"), str):
                yield node["$id"].removesuffix("#"), (tokens, node)
            pending.extend((tokens + more, child) for more, child in subschemas(node))


def local_references(node: Node) -> set[str]:
    """Return every ``$ref`` and ``$dynamicRef`` in a schema and below it."""
    found: set[str] = set()
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            found.update(
                current[keyword] for keyword in ("$ref", "$dynamicRef") if isinstance(current.get(keyword), str)
            )
            pending.extend(child for _, child in subschemas(current))
    return found
