"""Emits ``destringified``: undoes a client's habit of passing an array or object as the JSON text of it.

Only where the schema can take no string at all, and only if what the text stands for fits, is a string replaced. The
emitted code follows properties and items, through references and ``allOf``, but not into alternatives or recursion.
"""

from .fitting import call
from .model import Node, excluding_nodes, reachable
from .module import Module
from .source import indent, string, written


class Mending:
    """Where in a schema there is something to mend, and the code that does."""

    def __init__(self, module: Module) -> None:
        self._module = module
        nodes = reachable(module.root)
        self._stringless = excluding_nodes(nodes, frozenset({"string"}))
        self._containerless = excluding_nodes(nodes, frozenset({"array", "object"}))
        self._mended: set[Node] = set()
        size = -1
        while size != len(self._mended):
            size = len(self._mended)
            self._mended.update(
                node
                for node in reversed(nodes)
                if node not in module.recursive
                and any(self._touches(group) for group in (*_properties(node).values(), _items(node)))
            )

    def entry(self) -> list[str]:
        """Return the public function."""
        module = self._module
        head = [
            f"def {module.prefix}_destringified(value: Any) -> object:",
            '    """Return a copy of an invalid value, JSON text parsed where only an array or object can be."""',
        ]
        if module.root not in self._mended:
            return [*head, "    return value"]
        return [*head, f"    return {module.function('destringified', module.root)}(value)"]

    def function(self, node: Node) -> list[str]:
        """Return the function that mends the inside of a node's value."""
        lines = []
        properties = [(name, children) for name, children in _properties(node).items() if self._touches(children)]
        items = _items(node)
        if properties:
            body = ["mended = dict(value)"]
            for name, children in properties:
                key = string(name)
                body += [f"if {key} in value:", f"    mended[{key}] = {self._value(children, f'value[{key}]')}"]
            lines += ["if type(value) is dict:", *indent([*body, "return mended"])]
        if self._touches(items):
            lines += ["if type(value) is list:", f"    return [{self._value(items, 'item')} for item in value]"]
        name = self._module.function("destringified", node)
        return [f"def {name}(value: Any) -> Any:", *(f"    {line}" for line in written([*lines, "return value"]))]

    def _value(self, children: list[Node], v: str) -> str:
        """Return an expression for a value of some nodes at once, mended."""
        module = self._module
        inner = [module.function("destringified", child) for child in children if child in self._mended]
        for function in inner:
            v = f"{function}({v})"
        if not self._is_stringless(children):
            return v
        scope = module.scope(None, "destringified")
        tests = [call(module, child, "parsed", scope) for child in children if not module.ignores(child)]
        plain = len(tests) == 1 and tests[0].endswith("(parsed)")
        fits = tests[0].removesuffix("(parsed)") if plain else f"lambda parsed: {' and '.join(tests)}"
        return f"{module.use('unwrapped')}({v}, {fits}{''.join(f', {function}' for function in inner)})"

    def _touches(self, children: list[Node]) -> bool:
        return self._is_stringless(children) or not self._mended.isdisjoint(children)

    def _is_stringless(self, children: list[Node]) -> bool:
        """Whether a value can be an array or object but no string."""
        return not self._stringless.isdisjoint(children) and self._containerless.isdisjoint(children)


def _properties(node: Node) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for part in _parts(node):
        if part.objects is not None:
            for name, child in part.objects.properties.items():
                found.setdefault(name, []).append(child)
    return found


def _items(node: Node) -> list[Node]:
    return [
        part.arrays.items
        for part in _parts(node)
        if part.arrays is not None and part.arrays.items is not None and not part.arrays.prefix
    ]


def _parts(node: Node) -> list[Node]:
    """Return a node and those that a value of it has to fit as well, each once."""
    parts = [node]
    for part in parts:
        parts += [child for child in dict.fromkeys((*part.refs, *part.all_of)) if child not in parts]
    return parts
