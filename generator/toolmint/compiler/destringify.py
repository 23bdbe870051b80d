"""Emits ``destringified``: undoes a client's habit of passing an array or object as the JSON text of it.

Only where the schema can take no string at all, and only if what the text stands for fits, is a string replaced. The
emitted code follows properties and items, through references and ``allOf``, but not into alternatives or recursion.
"""

from collections.abc import Iterator

from .model import Node
from .module import Module
from .source import indent, string, written

_CONTAINERS = frozenset({"array", "object"})
_STRINGS = frozenset({"string"})
_MAX_CHAIN = 16


def destringify_entry(module: Module) -> list[str]:
    """Return the source of the public function."""
    head = [
        f"def {module.prefix}_destringified(value: Any) -> object:",
        '    """Return a copy of an invalid value, JSON text parsed where only an array or object can be."""',
    ]
    if not _mends(module, module.root):
        return [*head, "    return value"]
    return [*head, f"    return {module.function('destringified', module.root)}(value)"]


def destringify_function(module: Module, node: Node) -> list[str]:
    """Return the source of the function that mends a value of one node, if it is an array or object already."""
    lines = []
    properties = [(name, children) for name, children in _properties(node).items() if _touches(module, children)]
    items = _items(node)
    if properties:
        body = ["mended = dict(value)"]
        for name, children in properties:
            key = string(name)
            body += [f"if {key} in value:", f"    mended[{key}] = {_mended(module, children, f'value[{key}]')}"]
        lines += ["if type(value) is dict:", *indent([*body, "return mended"])]
    if items and _touches(module, items):
        lines += ["if type(value) is list:", f"    return [{_mended(module, items, 'item')} for item in value]"]
    name = module.function("destringified", node)
    return [f"def {name}(value: Any) -> Any:", *(f"    {line}" for line in written([*lines, "return value"]))]


def _mended(module: Module, children: list[Node], v: str) -> str:
    """Return an expression for a value of some nodes at once, mended."""
    inner = [module.function("destringified", child) for child in children if _mends(module, child)]
    for function in inner:
        v = f"{function}({v})"
    if not _is_stringless(children):
        return v
    tests = [
        f"{module.function('is_valid', child)}(parsed{', 0' if child in module.recursive else ''})"
        for child in children
        if not module.ignores(child)
    ]
    plain = len(tests) == 1 and tests[0].endswith("(parsed)")
    fits = tests[0].removesuffix("(parsed)") if plain else f"lambda parsed: {' and '.join(tests) or 'True'}"
    return f"{module.use('unwrapped')}({v}, {fits}{''.join(f', {function}' for function in inner)})"


def _touches(module: Module, children: list[Node]) -> bool:
    return _is_stringless(children) or any(_mends(module, child) for child in children)


def _is_stringless(children: list[Node]) -> bool:
    """Whether a value can be an array or object but no string."""
    return any(_excludes(child, _STRINGS) for child in children) and not any(
        _excludes(child, _CONTAINERS) for child in children
    )


def _mends(module: Module, node: Node, depth: int = 0) -> bool:
    """Whether there is anything to mend inside a value of a node."""
    if node in module.recursive or depth > _MAX_CHAIN:
        return False
    groups = [*_properties(node).values(), _items(node)]
    return any(_is_stringless(group) or any(_mends(module, child, depth + 1) for child in group) for group in groups)


def _properties(node: Node) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for part in _parts(node, 0):
        if part.objects is not None:
            for name, child in part.objects.properties.items():
                found.setdefault(name, []).append(child)
    return found


def _items(node: Node) -> list[Node]:
    return [
        part.arrays.items
        for part in _parts(node, 0)
        if part.arrays is not None and part.arrays.items is not None and not part.arrays.prefix
    ]


def _parts(node: Node, depth: int) -> Iterator[Node]:
    """Yield a node and those that a value of it has to fit as well."""
    yield node
    if depth < _MAX_CHAIN:
        for child in (*node.refs, *node.all_of):
            yield from _parts(child, depth + 1)


def _excludes(node: Node, kinds: frozenset[str], depth: int = 0) -> bool:
    """Whether no value of these types fits a node, as far as that is plain to see."""
    if node.verdict is not None:
        return not node.verdict
    if node.types is not None and not node.types & kinds:
        return True
    python = {"string": str, "array": list, "object": dict}
    classes = tuple(python[kind] for kind in sorted(kinds))
    if any(not any(isinstance(value, classes) for value in values) for values in node.values):
        return True
    if depth >= _MAX_CHAIN:
        return False
    return any(_excludes(child, kinds, depth + 1) for child in (*node.refs, *node.all_of)) or any(
        all(_excludes(child, kinds, depth + 1) for child in options)
        for options in (node.any_of, node.one_of)
        if options
    )
