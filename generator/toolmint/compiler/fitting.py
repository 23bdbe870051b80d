"""Whether a value fits a node, as one expression: written out where it can be, else a call."""

from collections.abc import Iterator

from .assertions import (
    ARRAY,
    NUMBERS,
    OBJECT,
    STRING,
    Assertion,
    array_assertions,
    is_kind,
    narrowed,
    number_assertions,
    object_assertions,
    string_assertions,
    type_assertions,
    value_assertions,
)
from .model import Node, Objects
from .module import Module, Scope
from .source import Guard, all_of, any_of, either, negated, string


def call(module: Module, node: Node, v: str, scope: Scope) -> str:
    """Return an expression that is True if a value fits a node with a function of its own."""
    name = module.function("is_valid", node)
    return f"{name}({v}, {scope.check_arguments(v)})" if node in module.recursive else f"{name}({v})"


def fits(module: Module, node: Node, v: str, scope: Scope, known: frozenset[str]) -> tuple[str, str]:
    """Return a pair of expressions, True if a value does not fit and True if it does."""
    if node.verdict is not None:
        return str(not node.verdict), str(node.verdict)
    if module.ignores(node):
        return "False", "True"
    if any(True for _ in node.children()):
        expression = call(module, node, v, scope)
        return f"not {expression}", expression
    guard = leaf(module, node, v, known)
    if guard is None:
        return "False", "True"
    if "True" in guard.fails:
        return "True", "False"
    return any_of(guard.fails), all_of(guard.passes)


def leaf(module: Module, node: Node, v: str, known: frozenset[str]) -> Guard | None:
    """All that a node without children asks; None if that is nothing."""
    assertions = list(type_assertions(node, v, known))
    known = narrowed(node, known)
    fails, passes = [a.fails for a in assertions], [a.passes for a in assertions]
    for kind, group in groups(module, node, v, known):
        found = list(group)
        if known <= kind:
            fails += [a.fails for a in found]
            passes += [a.passes for a in found]
        elif found and known & kind:
            failing = all_of([is_kind(kind, v), any_of(a.fails for a in found)])
            fails.append(failing)
            passes.append(negated(failing))
    for assertion in value_assertions(node, v, known, module):
        fails.append(assertion.fails)
        passes.append(assertion.passes)
    return Guard(tuple(fails), tuple(passes)) if fails else None


def groups(
    module: Module, node: Node, v: str, known: frozenset[str]
) -> Iterator[tuple[frozenset[str], Iterator[Assertion]]]:
    """Yield what a node asks of each kind of value, nothing inside of it apart from the names an object has."""
    if node.numbers is not None and known & NUMBERS:
        yield NUMBERS, number_assertions(node.numbers, v, module)
    if node.strings is not None and known & STRING:
        yield STRING, string_assertions(node.strings, v, module)
    if node.arrays is not None and known & ARRAY:
        yield ARRAY, array_assertions(node.arrays, v, module)
    if node.objects is not None and known & OBJECT:
        yield OBJECT, _object_leaf(node.objects, v)


def _object_leaf(rules: Objects, v: str) -> Iterator[Assertion]:
    yield from object_assertions(rules, v)
    for name in rules.required:
        yield Assertion("required", f"{string(name)} not in {v}", f"{string(name)} in {v}", "")
    for name, needs in rules.dependent_required.items():
        if needs:
            absent = [f"{string(need)} not in {v}" for need in needs]
            failing = f"{string(name)} in {v} and {either(absent)}"
            yield Assertion("dependentRequired", failing, negated(failing), "")
