"""A schema with every question answered: references resolved, dialects reconciled, patterns translated.

The emitters read nothing but this. Both dialects arrive here in the words of 2020-12: an array under draft-07's
``items`` is ``prefix``, its ``additionalItems`` is ``items``, its ``dependencies`` are split in two.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .patterns import Pattern

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A JSON value as ``json.loads`` gives it."""

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The names ``type`` may hold; an integer is a number as well."""


@dataclass(slots=True)
class Numbers:
    """Keywords that only numbers can break."""

    minimum: int | float | None = None
    exclusive_minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_maximum: int | float | None = None
    multiple_of: int | float | None = None


@dataclass(slots=True)
class Strings:
    """Keywords that only strings can break; ``format`` only where it is to be asserted."""

    min_length: int = 0
    max_length: int | None = None
    pattern: Pattern | None = None
    format: str | None = None


@dataclass(slots=True)
class Arrays:
    """Keywords that only arrays can break."""

    min_items: int = 0
    max_items: int | None = None
    unique: bool = False
    prefix: tuple["Node", ...] = ()
    items: "Node | None" = None
    contains: "Node | None" = None
    min_contains: int = 1
    max_contains: int | None = None
    unevaluated: "Node | None" = None


@dataclass(slots=True)
class Objects:
    """Keywords that only objects can break."""

    min_properties: int = 0
    max_properties: int | None = None
    required: tuple[str, ...] = ()
    properties: dict[str, "Node"] = field(default_factory=dict)
    patterns: tuple[tuple[Pattern, "Node"], ...] = ()
    additional: "Node | None" = None
    names: "Node | None" = None
    dependent_required: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dependent_schemas: dict[str, "Node"] = field(default_factory=dict)
    unevaluated: "Node | None" = None


@dataclass(slots=True, eq=False)
class Node:
    """One schema, in one dynamic scope.

    A schema reached with different outcomes of ``$dynamicRef`` is one node for each; apart from that, a node stands
    for a place in the document, however many references lead there.

    Attributes:
        pointer: JSON pointer to the schema in its document.
        title: the schema's own title, if it has one.
        verdict: what a boolean schema says; None for any other.
        types: the type names accepted, or None for all.
        values: one tuple for each of ``enum`` and ``const``; an instance must equal a member of every one.
        refs: where ``$ref`` and ``$dynamicRef`` lead.
    """

    pointer: str
    title: str = ""
    verdict: bool | None = None
    types: frozenset[str] | None = None
    values: tuple[tuple[Json, ...], ...] = ()
    numbers: Numbers | None = None
    strings: Strings | None = None
    arrays: Arrays | None = None
    objects: Objects | None = None
    refs: tuple["Node", ...] = ()
    all_of: tuple["Node", ...] = ()
    any_of: tuple["Node", ...] = ()
    one_of: tuple["Node", ...] = ()
    negated: "Node | None" = None
    condition: "Node | None" = None
    then: "Node | None" = None
    otherwise: "Node | None" = None

    def in_place(self) -> Iterator["Node"]:
        """Yield the schemas this one applies to the same instance."""
        yield from self.refs
        yield from self.all_of
        yield from self.any_of
        yield from self.one_of
        for node in (self.negated, self.condition, self.then, self.otherwise):
            if node is not None:
                yield node
        if self.objects is not None:
            yield from self.objects.dependent_schemas.values()

    def below(self) -> Iterator["Node"]:
        """Yield the schemas this one applies to the instance's items, properties or property names."""
        if (arrays := self.arrays) is not None:
            yield from arrays.prefix
            for node in (arrays.items, arrays.contains, arrays.unevaluated):
                if node is not None:
                    yield node
        if (objects := self.objects) is not None:
            yield from objects.properties.values()
            yield from (node for _, node in objects.patterns)
            for node in (objects.additional, objects.names, objects.unevaluated):
                if node is not None:
                    yield node

    def children(self) -> Iterator["Node"]:
        """Every schema this one applies to anything."""
        yield from self.in_place()
        yield from self.below()

    def rejects(self, rejecting: set["Node"]) -> bool:
        """Whether some value does not fit, given the other nodes of which that is known."""
        if self.verdict is not None:
            return not self.verdict
        arrays, objects = self.arrays, self.objects
        return (
            self.types is not None
            or bool(self.values or self.one_of)
            or not (self.numbers is None and self.strings is None and self.negated is None)
            or (bool(self.any_of) and rejecting.issuperset(self.any_of))
            or not rejecting.isdisjoint((*self.refs, *self.all_of))
            or (self.then in rejecting and self.condition is not None and self.condition.verdict is not False)
            or (self.otherwise in rejecting and self.condition is not None and self.condition.verdict is not True)
            or (arrays is not None and _rejects_arrays(arrays, rejecting))
            or (objects is not None and _rejects_objects(objects, rejecting))
        )


def _rejects_arrays(rules: Arrays, rejecting: set[Node]) -> bool:
    return (
        bool(rules.min_items or rules.unique)
        or rules.max_items is not None
        or (rules.contains is not None and (rules.min_contains > 0 or rules.max_contains is not None))
        or not rejecting.isdisjoint(rules.prefix)
        or rules.items in rejecting
        or rules.unevaluated in rejecting
    )


def _rejects_objects(rules: Objects, rejecting: set[Node]) -> bool:
    return (
        bool(rules.min_properties or rules.required)
        or rules.max_properties is not None
        or any(rules.dependent_required.values())
        or not rejecting.isdisjoint(rules.properties.values())
        or not rejecting.isdisjoint(child for _, child in rules.patterns)
        or not rejecting.isdisjoint(rules.dependent_schemas.values())
        or any(child in rejecting for child in (rules.additional, rules.names, rules.unevaluated))
    )


def rejecting_nodes(nodes: list[Node]) -> set[Node]:
    """Those of the nodes, listed with parents first, that some value does not fit; the others need no code."""
    rejecting: set[Node] = set()
    size = -1
    while size != len(rejecting):
        size = len(rejecting)
        rejecting.update(node for node in reversed(nodes) if node not in rejecting and node.rejects(rejecting))
    return rejecting


_CLASSES = {"string": str, "array": list, "object": dict}


def excluding_nodes(nodes: list[Node], kinds: frozenset[str]) -> set[Node]:
    """Return those of the nodes, listed with parents first, that no value of these types fits, as far as is plain.

    ``kinds`` are some of string, array and object.
    """
    classes = tuple(_CLASSES[kind] for kind in sorted(kinds))
    excluding = {
        node
        for node in nodes
        if node.verdict is False
        or (node.types is not None and not node.types & kinds)
        or any(not any(isinstance(value, classes) for value in values) for values in node.values)
    }
    size = -1
    while size != len(excluding):
        size = len(excluding)
        excluding.update(
            node
            for node in reversed(nodes)
            if not excluding.isdisjoint((*node.refs, *node.all_of))
            or any(options and excluding.issuperset(options) for options in (node.any_of, node.one_of))
        )
    return excluding


def reachable(root: Node) -> list[Node]:
    """Every node the root applies to something, itself first, each once."""
    found = {root: None}
    pending = deque([root])
    while pending:
        for child in pending.popleft().children():
            if child not in found:
                found[child] = None
                pending.append(child)
    return list(found)


def recursive_components(root: Node) -> tuple[list[set[Node]], int]:
    """Return the nodes that lead back to themselves, each with those on the same ways, and the longest way down.

    That way is counted in nodes and goes round no circle. (Tarjan's algorithm, without recursion.)
    """
    index: dict[Node, int] = {root: 0}
    low = {root: 0}
    stack, on_stack = [root], {root}
    work = [(root, root.children())]
    height: dict[Node, int] = {}
    found: list[set[Node]] = []
    while work:
        node, children = work[-1]
        for child in children:
            if child not in index:
                index[child] = low[child] = len(index)
                stack.append(child)
                on_stack.add(child)
                work.append((child, child.children()))
                break
            if child in on_stack:
                low[node] = min(low[node], index[child])
        else:
            work.pop()
            height[node] = 1 + max((height.get(child, 0) for child in node.children()), default=0)
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                component: list[Node] = []
                while not component or component[-1] is not node:
                    component.append(stack.pop())
                    on_stack.discard(component[-1])
                if len(component) > 1 or any(child is node for child in node.children()):
                    found.append(set(component))
    return found, height[root]


def looks_twice(component: set[Node]) -> bool:
    """Whether recursive schemas can reach the same value in two ways, so that each level may double the work."""
    for node in component:
        arrays, objects = node.arrays or Arrays(), node.objects or Objects()
        ways_by_kind: tuple[tuple[list[Node | None], ...], ...] = (
            (
                [*arrays.prefix, arrays.items],
                [arrays.contains],
                [arrays.unevaluated],
            ),
            (
                [*objects.properties.values(), objects.additional],
                *([child, None] for _, child in objects.patterns),
                [objects.unevaluated],
            ),
        )
        in_place = sum(child in component for child in node.in_place())
        for ways in ways_by_kind:
            if in_place + sum(not component.isdisjoint(way) for way in ways) > 1:
                return True
    return False
