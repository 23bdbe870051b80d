"""The module being emitted: its constants, its functions, and what it imports."""

from collections import Counter, deque
from collections.abc import Iterable

from .model import Json, Node, looks_twice, reachable, recursive_components, rejecting_nodes
from .patterns import Category, Pattern
from .pointers import unescape
from .source import Names, literal, pattern_literal, snake, string

SUPPORT = (
    "NESTING_LIMIT", "NestingError", "Violation", "ambiguous", "because", "category_members", "closest", "equal",
    "extend", "fits_format", "is_multiple", "is_unique", "misspelt", "missing", "nested_too_deep", "pointer_token",
    "repeated", "unexpected", "unexplained", "unwrapped", "violated",
)  # fmt: skip
"""Everything runtime.validation offers to emitted code; no local variable takes such a name."""

MAX_LEVELS = 4
"""How many schemas deep a function checks by itself before it calls another one."""

MAX_SHALLOW = 100
"""How many schemas may lead down to one another before their functions could use up Python's stack."""


class Scope:
    """One function being emitted: its local variables, and what it passes on to recursive functions.

    Attributes:
        names: its local variables.
        levels: how many schemas the current one is inside of in this function.
    """

    def __init__(self, names: Names, *, recursive: bool, memo: str, told: str) -> None:
        """Start a function; ``memo`` and ``told`` are what to pass on, empty if nothing is remembered."""
        self.names = names
        self.levels = 0
        self._recursive = recursive
        self._memo = memo
        self._told = told
        self._depths: dict[str, int] = {}

    def inside(self, v: str, wanted: str) -> str:
        """Return a variable for an item, a property or a property's name of the value in another variable."""
        name = self.names.take(wanted)
        self._depths[name] = self._depths.get(v, 0) + 1
        return name

    def check_arguments(self, v: str) -> str:
        """Return what a recursive is_valid is called with after the value ``v``."""
        return ", ".join(part for part in (self._depth(v), self._memo) if part)

    def explain_arguments(self, v: str) -> str:
        """Return what a recursive explain of ``v`` is called with after its first arguments."""
        return ", ".join(part for part in (self._depth(v), self._told) if part)

    def _depth(self, v: str) -> str:
        """Return how deep ``v`` is nested: what came in, and one for each level since."""
        levels = self._depths.get(v, 0)
        return str(levels) if not self._recursive else f"depth + {levels}" if levels else "depth"


class Module:
    """Collects source; a constant or function asked for twice is emitted once."""

    def __init__(self, root: Node, prefix: str) -> None:
        self.root = root
        self.prefix = prefix
        self.support: set[str] = set()
        self.modules: set[str] = set()
        self.constants: list[str] = []
        self.pending: deque[tuple[str, Node]] = deque()
        components, height = recursive_components(root)
        self.recursive = set().union(*components)
        self.memoised = any(map(looks_twice, components))
        nodes = reachable(root)
        self.rejecting = rejecting_nodes(nodes)
        self.deep = bool(self.recursive) or height > MAX_SHALLOW
        self._uses = Counter(child for node in nodes for child in node.children())
        self._names = Names()
        self._labels: dict[Node, str] = {}
        self._numbers: dict[Node, int] = {}
        self._label_names = Names()
        self._constants: dict[tuple[str, str], str] = {}
        self._functions: dict[tuple[str, Node], str] = {}

    def use(self, name: str) -> str:
        """Return a name from runtime.validation, imported."""
        self.support.add(name)
        return name

    # -- constants ---------------------------------------------------------------------------------------------------

    def constant(self, label: str, expression: str, annotation: str = "") -> str:
        """Return the name of a module-level constant with this value."""
        key = (label, expression)
        if key not in self._constants:
            name = self._constants[key] = self._names.take(f"_{self.prefix}_{label}")
            self.constants.append(f"{name}{annotation and ': '}{annotation} = {expression}")
        return self._constants[key]

    def matcher(self, pattern: Pattern) -> str:
        """Return the name of a constant function that is true of the texts a pattern matches somewhere in."""
        self.modules.add("re")
        if any(isinstance(piece, Category) for piece in pattern.pieces):
            self.use("category_members")
        method = "match" if pattern.anchored else "search"
        return self.constant("matches", f"re.compile({pattern_literal(pattern)}, re.ASCII).{method}")

    def strings(self, label: str, values: Iterable[str]) -> str:
        """Return a set of strings: in place if it is short, a constant if not."""
        items = [string(value) for value in values]
        members = f"{{{', '.join(items)}}}"
        return members if len(members) <= 80 else self.constant(label, f"frozenset({members})")

    def names(self, label: str, names: Iterable[str]) -> str:
        """Return a tuple of strings, in order: in place if it is short, a constant if not."""
        items = [string(name) for name in names]
        members = f"({', '.join(items)}{',' * (len(items) == 1)})"
        return members if len(members) <= 80 else self.constant(label, members)

    def value(self, label: str, value: Json) -> str:
        """Return the name of a constant that is an array or object."""
        annotation = "list[object]" if isinstance(value, list) else "dict[str, object]"
        return self.constant(label, literal(value), annotation)

    # -- functions ---------------------------------------------------------------------------------------------------

    def function(self, kind: str, node: Node) -> str:
        """Return the name of a node's function of one kind; it will be emitted."""
        key = (kind, node)
        if key not in self._functions:
            self._functions[key] = self._names.take(f"_{self.prefix}_{self.label(node)}_{kind}")
            self.pending.append(key)
        return self._functions[key]

    def scope(self, node: Node | None, kind: str, *parameters: str) -> Scope:
        """Return the scope of a node's function of one kind, or of one that is called from outside."""
        entries = (f"{self.prefix}_{entry}" for entry in ("is_valid", "violations", "destringified"))
        names = Names((*parameters, "depth", "memo", "told", "re", "Any", *SUPPORT, *entries))
        recursive = node in self.recursive
        if not self.memoised:
            return Scope(names, recursive=recursive, memo="", told="")
        memo = "memo" if recursive and kind == "is_valid" else "{}"
        return Scope(names, recursive=recursive, memo=memo, told="told" if recursive else "{}")

    def number(self, node: Node) -> int:
        """Return a number of a node's own, in the order of asking."""
        return self._numbers.setdefault(node, len(self._numbers))

    def stands_alone(self, node: Node, scope: Scope) -> bool:
        """Whether a node with children gets a function of its own rather than being written out where it is used."""
        return node in self.recursive or self._uses[node] > 1 or scope.levels >= MAX_LEVELS

    def ignores(self, node: Node | None) -> bool:
        """Whether a schema is not there, or every value fits it."""
        return node not in self.rejecting

    def label(self, node: Node) -> str:
        """Return a name for a node, after its place in the schema; unique in the module."""
        if node not in self._labels:
            self._labels[node] = self._label_names.take(_label(node.pointer))
        return self._labels[node]


_PARTS = {
    "properties": "", "patternProperties": "", "dependentSchemas": "", "dependencies": "", "items": "item",
    "prefixItems": "item", "additionalItems": "item", "additionalProperties": "entry", "propertyNames": "name",
    "allOf": "part", "anyOf": "option", "oneOf": "option", "not": "negated", "if": "condition", "else": "otherwise",
}  # fmt: skip


def _label(pointer: str) -> str:
    """Return a schema's place in snake case, from the last definition on, without keywords that go without saying."""
    tokens = [unescape(token) for token in pointer.split("/")[1:]]
    for keyword in ("$defs", "definitions"):
        while keyword in tokens[:-1]:
            tokens = tokens[tokens.index(keyword) + 1 :]
    words = [snake(_PARTS.get(token, token)) for token in tokens]
    return snake("_".join(word for word in words if word)[-40:]) or "root"
