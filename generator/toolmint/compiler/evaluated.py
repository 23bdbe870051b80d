"""What ``unevaluatedProperties`` and ``unevaluatedItems`` leave to their schema (JSON Schema Core 2020-12, section 11).

A property or item is evaluated by the schemas beside it that apply to the same instance, through any of them that the
instance fits. All of that is known here but which alternatives it fits, so the emitted code asks for those once, in
local variables, and then tests each name or index with one expression.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from .assertions import ALL_TYPES, ARRAY, OBJECT
from .errors import SchemaError
from .fitting import fits
from .model import Node, reachable
from .module import Module, Scope
from .patterns import Pattern
from .source import Line, all_of, any_of, string

MAX_SCHEMAS = 2_000
"""Most schemas that may have a say in what one keyword leaves over."""


@dataclass(slots=True)
class Evaluated:
    """What some schemas evaluate together.

    Attributes:
        names: properties by name.
        patterns: properties by pattern.
        all_properties: whether it is every property.
        prefix: how many items from the start.
        contains: items that fit one of these schemas.
        all_items: whether it is every item.
        perhaps: what else is evaluated under a condition.
    """

    names: dict[str, None] = field(default_factory=dict)
    patterns: dict[Pattern, None] = field(default_factory=dict)
    all_properties: bool = False
    prefix: int = 0
    contains: dict[Node, None] = field(default_factory=dict)
    all_items: bool = False
    perhaps: list[tuple["Condition", "Evaluated"]] = field(default_factory=list)

    def of_properties(self) -> bool:
        """Whether any property is evaluated, condition or not."""
        return (
            bool(self.names or self.patterns) or self.all_properties or any(e.of_properties() for _, e in self.perhaps)
        )

    def of_items(self) -> bool:
        """Whether any item is evaluated, condition or not."""
        return bool(self.prefix or self.contains) or self.all_items or any(e.of_items() for _, e in self.perhaps)


@dataclass(frozen=True, slots=True)
class Condition:
    """The instance fits a node (or not), or has a property of this name."""

    subject: Node | str
    negated: bool = False


def evaluated_properties(module: Module, node: Node, v: str, key: str, scope: Scope) -> tuple[list[Line], str]:
    """Statements to run first, and an expression that is True of the name of an evaluated property."""
    found = _Gathering(node).result
    return ([], "True") if found.all_properties else _of_properties(module, found, v, key, scope, ())


def evaluated_items(module: Module, node: Node, v: str, index: str, item: str, scope: Scope) -> tuple[list[Line], str]:
    """Statements to run first, and an expression that is True of an evaluated item and its index."""
    found = _Gathering(node).result
    return ([], "True") if found.all_items else _of_items(module, found, v, index, item, scope, ())


def refuse_oversized(root: Node) -> None:
    """Refuse a schema in which too many others have a say in what an ``unevaluated...`` keyword applies to.

    Raises:
        SchemaError: for the first such keyword.
    """
    for node in reachable(root):
        if (node.objects and node.objects.unevaluated) or (node.arrays and node.arrays.unevaluated):
            _Gathering(node)


class _Gathering:
    def __init__(self, node: Node) -> None:
        self._root = node
        self._seen = 0
        self.result = Evaluated()
        self._gather(node, self.result, set())

    def _gather(self, node: Node, into: Evaluated, visited: set[Node]) -> None:
        if node in visited:
            return
        visited.add(node)
        self._seen += 1
        if self._seen > MAX_SCHEMAS:
            raise SchemaError(
                self._root.pointer,
                f"more than {MAX_SCHEMAS} schemas have a say in what unevaluatedProperties or ...Items applies to",
                "use additionalProperties, or fewer alternatives",
            )
        if (objects := node.objects) is not None:
            into.names |= dict.fromkeys(objects.properties)
            into.patterns |= dict.fromkeys(pattern for pattern, _ in objects.patterns)
            closed = objects.additional is not None or (objects.unevaluated is not None and node is not self._root)
            into.all_properties |= closed
        if (arrays := node.arrays) is not None:
            into.prefix = max(into.prefix, len(arrays.prefix))
            if arrays.contains is not None:
                into.contains[arrays.contains] = None
            into.all_items |= arrays.items is not None or (arrays.unevaluated is not None and node is not self._root)
        for child in (*node.refs, *node.all_of):
            self._gather(child, into, visited)
        for condition, children in _alternatives(node):
            perhaps = Evaluated()
            inside = set(visited)
            for child in children:
                self._gather(child, perhaps, inside)
            into.perhaps.append((condition, perhaps))


def _alternatives(node: Node) -> Iterator[tuple[Condition, list[Node]]]:
    for child in (*node.any_of, *node.one_of):
        yield Condition(child), [child]
    if node.condition is not None:
        yield Condition(node.condition), [node.condition, *([node.then] if node.then else [])]
        if node.otherwise is not None:
            yield Condition(node.condition, negated=True), [node.otherwise]
    if node.objects is not None:
        for name, child in node.objects.dependent_schemas.items():
            yield Condition(name), [child]


def _asked(
    module: Module, condition: Condition, v: str, scope: Scope, outer: tuple[str, ...], known: frozenset[str]
) -> tuple[list[Line], str]:
    """Return a local variable that says whether a condition holds, and the statement that sets it."""
    if isinstance(condition.subject, str):
        test = f"{string(condition.subject)} in {v}"
    else:
        fails, passes = fits(module, condition.subject, v, scope, known)
        test = fails if condition.negated else passes
    local = scope.names.take("applies")
    return [f"{local} = {all_of([*outer, test])}"], local


def _of_properties(
    module: Module, found: Evaluated, v: str, key: str, scope: Scope, outer: tuple[str, ...]
) -> tuple[list[Line], str]:
    setup: list[Line] = []
    tests = [f"{key} in {module.strings('names', found.names)}"] if found.names else []
    tests += [f"{module.matcher(pattern)}({key}) is not None" for pattern in found.patterns]
    for condition, perhaps in found.perhaps:
        if perhaps.of_properties():
            lines, local = _asked(module, condition, v, scope, outer, OBJECT)
            inner, test = (
                ([], "True") if perhaps.all_properties else _of_properties(module, perhaps, v, key, scope, (local,))
            )
            setup += lines + inner
            tests.append(local if test == "True" else all_of([local, test]))
    return setup, any_of(tests) if tests else "False"


def _of_items(
    module: Module, found: Evaluated, v: str, index: str, item: str, scope: Scope, outer: tuple[str, ...]
) -> tuple[list[Line], str]:
    setup: list[Line] = []
    tests = [f"{index} < {found.prefix}"] if found.prefix else []
    tests += [passes for node in found.contains if (passes := fits(module, node, item, scope, ALL_TYPES)[1]) != "False"]
    for condition, perhaps in found.perhaps:
        if perhaps.of_items():
            lines, local = _asked(module, condition, v, scope, outer, ARRAY)
            inner, test = (
                ([], "True") if perhaps.all_items else _of_items(module, perhaps, v, index, item, scope, (local,))
            )
            setup += lines + inner
            tests.append(local if test == "True" else all_of([local, test]))
    return (setup, "True") if "True" in tests else (setup, any_of(tests) if tests else "False")
