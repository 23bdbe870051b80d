"""Emits ``is_valid``: straight-line code that returns False at the first violation and allocates nothing.

Values are what ``json.loads`` gives, so exact types are tested. A node is written out where it is used if that is the
only place; ``known`` carries the types its value can still have there, so that nothing is tested twice.
"""

from collections.abc import Iterator, Sequence

from .assertions import (
    ALL_TYPES,
    ARRAY,
    OBJECT,
    STRING,
    Assertion,
    array_assertions,
    excluded,
    is_kind,
    narrowed,
    object_assertions,
    type_assertions,
    value_assertions,
)
from .evaluated import evaluated_items, evaluated_properties
from .fitting import call, fits, groups, leaf
from .model import Arrays, Node, Objects
from .module import Module, Scope
from .source import (
    Guard,
    Line,
    all_of,
    any_of,
    indent,
    loop,
    mentioned,
    negated,
    returning,
    string,
    until_return,
    variable,
    when,
)

REJECT: Line = "return False"


def check_entry(module: Module) -> list[str]:
    """Return the public function: the root's check itself, or a call of it that stands deep nesting."""
    head = [
        f"def {module.prefix}_is_valid(value: Any) -> bool:",
        '    """Whether a value made of exact JSON types fits the schema."""',
    ]
    root = module.root
    if not module.deep:
        lines = returning(statements(module, root, "value", module.scope(root, "is_valid", "value"), ALL_TYPES))
        parameter = "value" if mentioned("value", lines) else "_value"
        return [head[0].replace("value:", f"{parameter}:"), head[1], *(f"    {line}" for line in lines)]
    expression = call(module, root, "value", module.scope(None, "is_valid", "value"))
    return [*head, "    try:", f"        return {expression}", "    except RecursionError:", "        return False"]


def check_function(module: Module, node: Node) -> list[str]:
    """Return the function that says whether a value fits a node."""
    name = module.function("is_valid", node)
    scope = module.scope(node, "is_valid", "value")
    lines = statements(module, node, "value", scope, ALL_TYPES)
    if node not in module.recursive:
        parameter = "value" if mentioned("value", lines) else "_value"
        return [f"def {name}({parameter}: Any) -> bool:", *(f"    {line}" for line in returning(lines))]
    body = [f"    {line}" for line in returning(lines)]
    limit = [f"    if depth > {module.use('NESTING_LIMIT')}:", f"        raise {module.use('NestingError')}"]
    if not module.memoised:
        return [f"def {name}(value: Any, depth: int) -> bool:", *limit, *body]
    parameters = "(value: Any, depth: int, memo: dict[tuple[int, int], bool]) -> bool:"
    return [
        f"def {name}{parameters}",
        *limit,
        f"    key = ({module.number(node)}, id(value))",
        "    if key not in memo:",
        f"        memo[key] = {name}_once(value, depth, memo)",
        "    return memo[key]",
        "",
        "",
        f"def {name}_once{parameters}",
        *body,
    ]


def statements(module: Module, node: Node, v: str, scope: Scope, known: frozenset[str]) -> list[Line]:
    """Statements that return False unless a value fits a node."""
    if node.verdict is not None:
        return [] if node.verdict else [REJECT]
    if not any(True for _ in node.children()):
        guard = leaf(module, node, v, known)
        return guarded(guard.fails, guard.passes) if guard else []
    lines: list[Line] = []
    gate = list(type_assertions(node, v, known))
    known = narrowed(node, known)
    if node.arrays is not None and known == ARRAY:
        gate += array_assertions(node.arrays, v, module)
    if node.objects is not None and known == OBJECT:
        gate += object_assertions(node.objects, v)
        if (exact := _exact_size(node.objects)) is not None:
            gate.append(Assertion("", f"len({v}) != {exact}", f"len({v}) == {exact}", ""))
    if gate:
        lines += guarded([a.fails for a in gate], [a.passes for a in gate])
    for kind, body in _bodies(module, node, v, scope, known):
        lines += body if known <= kind else when(is_kind(kind, v), body)
    for assertion in value_assertions(node, v, known, module):
        lines += guarded([assertion.fails], [assertion.passes])
    lines += _applied(module, node, v, scope, known)
    return until_return(lines)


def nested(module: Module, node: Node, v: str, scope: Scope, known: frozenset[str] = ALL_TYPES) -> list[Line]:
    """Statements for a child node: written out here, or a call of its own function."""
    if module.ignores(node) or not known:
        return []
    if any(True for _ in node.children()) and module.stands_alone(node, scope):
        expression = call(module, node, v, scope)
        return [Guard((f"not {expression}",), (expression,))]
    scope.levels += 1
    lines = statements(module, node, v, scope, known)
    scope.levels -= 1
    return lines


def guarded(fails: Sequence[str], passes: Sequence[str]) -> list[Line]:
    """Return a statement that gives up if one of the conditions holds, or nothing if none can."""
    if "True" in fails:
        return [REJECT]
    kept = [(wrong, right) for wrong, right in zip(fails, passes, strict=True) if wrong != "False"]
    return [Guard(tuple(wrong for wrong, _ in kept), tuple(right for _, right in kept))] if kept else []


def _bodies(
    module: Module, node: Node, v: str, scope: Scope, known: frozenset[str]
) -> Iterator[tuple[frozenset[str], list[Line]]]:
    """Yield what a node asks of each kind of value, beyond what its gate asked already."""
    for kind, group in groups(module, node, v, known):
        body: list[Line] = []
        if kind == ARRAY and node.arrays is not None:
            found = list(array_assertions(node.arrays, v, module)) if known != ARRAY else []
            body = _array(module, node, node.arrays, v, scope)
        elif kind == OBJECT and node.objects is not None:
            found = list(object_assertions(node.objects, v)) if known != OBJECT else []
            body = _object(module, node, node.objects, v, scope, gated=known == OBJECT)
        else:
            found = list(group)
        if found:
            body.insert(0, Guard(tuple(a.fails for a in found), tuple(a.passes for a in found)))
        yield kind, body


# -- objects ---------------------------------------------------------------------------------------------------------


def _closed(rules: Objects) -> bool:
    """Whether an object may have no properties but the named ones, so that counting them is enough."""
    return rules.additional is not None and rules.additional.verdict is False and not rules.patterns


def _exact_size(rules: Objects) -> int | None:
    """How many properties an object has if every named one is required and no other allowed."""
    if _closed(rules) and set(rules.properties) == set(rules.required):
        return len(rules.required)
    return None


def _object(module: Module, node: Node, rules: Objects, v: str, scope: Scope, *, gated: bool) -> list[Line]:
    if _closed(rules) and not set(rules.required) <= set(rules.properties):
        return [REJECT]  # what is required is not allowed
    exact = _exact_size(rules)
    counting = _closed(rules) and exact is None
    lines: list[Line] = []
    if exact is not None and not gated:
        lines.append(Guard((f"len({v}) != {exact}",), (f"len({v}) == {exact}",)))
    required = _Required(rules, v, scope)
    bound = required.names
    known_count = scope.names.take("known") if counting else ""
    count: list[Line] = [f"{known_count} = {len(rules.required)}"] if counting else []
    counted_late = False
    simple: list[Line] = []
    complex_: list[Line] = []
    for name, child in rules.properties.items():
        if name in bound:
            body = nested(module, child, bound[name], scope)
        elif child.verdict is False:
            body = [Guard((f"{string(name)} in {v}",), (f"{string(name)} not in {v}",))]
        elif module.ignores(child):
            body = [f"{known_count} += {string(name)} in {v}"] if counting else []
        else:
            local = scope.inside(v, variable(name))
            inner = nested(module, child, local, scope)
            body = [f"{known_count} += 1"] if counting else []
            body += [f"{local} = {v}[{string(name)}]", *inner] if mentioned(local, inner) else inner
            body = [f"if {string(name)} in {v}:", *indent(body)] if body else []
        # a cheap check that fails spares a costly one, and decides between alternatives that recurse
        if any(True for _ in child.children()):
            complex_ += body
            counted_late |= name not in bound
        else:
            simple += body
    size: list[Line] = [Guard((f"len({v}) != {known_count}",), (f"len({v}) == {known_count}",))] if counting else []
    checks = until_return([*simple, *complex_, *size] if counted_late else [*simple, *size, *complex_])
    lines += [*required.statements(checks), *count, *checks]
    lines += _entries(module, rules, v, scope, counted=_closed(rules))
    for name, needs in rules.dependent_required.items():
        absent = [f"{string(need)} not in {v}" for need in needs]
        if absent:
            lines += when(f"{string(name)} in {v}", [Guard(tuple(absent), tuple(f"{string(n)} in {v}" for n in needs))])
    for name, child in rules.dependent_schemas.items():
        lines += when(f"{string(name)} in {v}", nested(module, child, v, scope, OBJECT))
    if rules.unevaluated is not None and not module.ignores(rules.unevaluated):
        lines += _unevaluated_properties(module, node, rules.unevaluated, v, scope)
    return lines


class _Required:
    """The properties that have to be there, and the local variables for the values of those that are looked at."""

    def __init__(self, rules: Objects, v: str, scope: Scope) -> None:
        self._rules = rules
        self._v = v
        self.names = {name: scope.inside(v, variable(name)) for name in rules.required if name in rules.properties}

    def statements(self, checks: list[Line]) -> list[Line]:
        """Return statements that give up on a missing property and bind the variables that the checks mention."""
        bound = {name: local for name, local in self.names.items() if mentioned(local, checks)}
        absent = [name for name in self._rules.required if name not in bound]
        fails = [f"{string(name)} not in {self._v}" for name in absent]
        lines = guarded(fails, [f"{string(name)} in {self._v}" for name in absent])
        if bound:
            lines += ["try:", *(f"    {local} = {self._v}[{string(name)}]" for name, local in bound.items())]
            lines += ["except KeyError:", "    return False"]
        return lines


def _entries(module: Module, rules: Objects, v: str, scope: Scope, *, counted: bool) -> list[Line]:
    """Return the loop over all properties, for keywords that go by their names' form."""
    additional = rules.additional if not counted else None
    wants_other = not module.ignores(additional)
    patterns = [(pattern, child) for pattern, child in rules.patterns if wants_other or not module.ignores(child)]
    if not patterns and not wants_other and module.ignores(rules.names):
        return []
    key, entry = scope.inside(v, "key"), scope.inside(v, "entry")
    body: list[Line] = []
    if rules.names is not None:
        body += nested(module, rules.names, key, scope, STRING)
    matches = {pattern: f"{module.matcher(pattern)}({key})" for pattern, _ in patterns}
    for pattern, child in patterns:
        body += when(matches[pattern], nested(module, child, entry, scope))
    if additional is not None and wants_other:
        others = [f"not {match}" for match in matches.values()]
        if rules.properties:
            others.insert(0, f"{key} not in {module.strings('names', rules.properties)}")
        inner = nested(module, additional, entry, scope)
        body += when(all_of(others), inner) if others else inner
    return loop(key, entry, v, body)


# -- arrays ----------------------------------------------------------------------------------------------------------


def _array(module: Module, node: Node, rules: Arrays, v: str, scope: Scope) -> list[Line]:
    lines: list[Line] = []
    for index, child in enumerate(rules.prefix):
        if not module.ignores(child):
            local = scope.inside(v, "item")
            inner = nested(module, child, local, scope)
            body = [f"{local} = {v}[{index}]", *inner] if mentioned(local, inner) else inner
            lines += body if index < rules.min_items else when(f"len({v}) > {index}", body)
    taken = len(rules.prefix)
    if rules.items is not None and not module.ignores(rules.items):
        local = scope.inside(v, "item")
        body = nested(module, rules.items, local, scope)
        if body == [REJECT]:
            lines += guarded([f"len({v}) > {taken}" if taken else v], [f"len({v}) <= {taken}" if taken else f"not {v}"])
        elif body:
            lines += [f"for {local} in {v}{f'[{taken}:]' if taken else ''}:", *indent(body)]
    if rules.contains is not None:
        lines += _contains(module, rules, rules.contains, v, scope)
    if rules.unevaluated is not None and not module.ignores(rules.unevaluated):
        lines += _unevaluated_items(module, node, rules.unevaluated, v, scope)
    return lines


def _contains(module: Module, rules: Arrays, wanted: Node, v: str, scope: Scope) -> list[Line]:
    least, most = rules.min_contains, rules.max_contains
    if least == 0 and most is None:
        return []
    item = scope.inside(v, "item")
    _, passes = fits(module, wanted, item, scope, ALL_TYPES)
    if passes in {"True", "False"}:
        count = f"len({v})" if passes == "True" else "0"
        return _within(count, least, most)
    if least == 1 and most is None:
        return [f"for {item} in {v}:", f"    if {passes}:", "        break", "else:", "    return False"]
    found = scope.names.take("found")
    lines: list[Line] = [f"{found} = 0", f"for {item} in {v}:", f"    if {passes}:", f"        {found} += 1"]
    return [*lines, *_within(found, least, most)]


def _within(count: str, least: int, most: int | None) -> list[Line]:
    """Return the statement that gives up on a count outside of its bounds."""
    if count == "0":
        return [REJECT] if least else []
    wrong = ([f"{count} < {least}"] if least else []) + ([f"{count} > {most}"] if most is not None else [])
    right = ([f"{count} >= {least}"] if least else []) + ([f"{count} <= {most}"] if most is not None else [])
    return guarded(wrong, right)


# -- unevaluated -----------------------------------------------------------------------------------------------------


def _unevaluated_properties(module: Module, node: Node, leftover: Node, v: str, scope: Scope) -> list[Line]:
    key, entry = scope.inside(v, "key"), scope.inside(v, "entry")
    setup, evaluated = evaluated_properties(module, node, v, key, scope)
    body = _unless(evaluated, nested(module, leftover, entry, scope))
    return [*setup, *loop(key, entry, v, body)] if body else []


def _unevaluated_items(module: Module, node: Node, leftover: Node, v: str, scope: Scope) -> list[Line]:
    index, item = scope.inside(v, "index"), scope.inside(v, "item")
    setup, evaluated = evaluated_items(module, node, v, index, item, scope)
    body = _unless(evaluated, nested(module, leftover, item, scope))
    if not mentioned(index, body):
        return [*setup, *loop("", item, v, body)]
    pairs = f"{index}, {item} in enumerate({v})" if mentioned(item, body) else f"{index} in range(len({v}))"
    return [*setup, f"for {pairs}:", *indent(body)]


def _unless(condition: str, body: list[Line]) -> list[Line]:
    if condition == "True" or not body:
        return []
    return body if condition == "False" else when(negated(condition), body)


# -- schemas applied to the same value -------------------------------------------------------------------------------


def _applied(module: Module, node: Node, v: str, scope: Scope, known: frozenset[str]) -> list[Line]:
    lines: list[Line] = []
    for child in (*node.refs, *node.all_of):
        lines += nested(module, child, v, scope, known)
        known = narrowed(child, known) if child.verdict is None else known
    if node.any_of:
        lines += _one_at_least([fits(module, child, v, scope, known) for child in node.any_of])
    if node.one_of:
        lines += _one_of(module, node, v, scope, known)
    if node.negated is not None:
        fails, passes = fits(module, node.negated, v, scope, known)
        lines += guarded([passes], [fails])
    if node.condition is not None:
        lines += _conditional(module, node, node.condition, v, scope, known)
    return lines


def _conditional(
    module: Module, node: Node, condition: Node, v: str, scope: Scope, known: frozenset[str]
) -> list[Line]:
    fails, passes = fits(module, condition, v, scope, known)
    then: list[Line] = []
    otherwise: list[Line] = []
    if node.then is not None and passes != "False":
        then = nested(module, node.then, v, scope, narrowed(condition, known))
    if node.otherwise is not None and passes != "True":
        otherwise = nested(module, node.otherwise, v, scope, excluded(condition, known))
    if passes == "True" or fails == "True":
        return then + otherwise
    if not then or not otherwise or REJECT in (then[0], otherwise[0]):
        return when(passes, then) + (otherwise if then[:1] == [REJECT] else when(fails, otherwise))
    return [f"if {passes}:", *indent(then), "else:", *indent(otherwise)]


def _one_at_least(tests: list[tuple[str, str]]) -> list[Line]:
    fails = [wrong for wrong, _ in tests if wrong != "True"]
    passes = [right for _, right in tests if right != "False"]
    if not passes:
        return [REJECT]
    return guarded([all_of(fails)], [any_of(passes)]) if "True" not in passes else []


def _one_of(module: Module, node: Node, v: str, scope: Scope, known: frozenset[str]) -> list[Line]:
    tests = [fits(module, child, v, scope, known) for child in node.one_of]
    if exclusive(node.one_of, known):
        return _one_at_least(tests)
    matched = scope.names.take("matched")
    lines: list[Line] = [f"{matched} = 0"]
    for _, passes in tests:
        if passes != "False":
            lines += [f"{matched} += 1"] if passes == "True" else when(passes, [f"{matched} += 1"])
    return [*lines, *guarded([f"{matched} != 1"], [f"{matched} == 1"])]


def exclusive(options: Sequence[Node], known: frozenset[str]) -> bool:
    """Whether no value can fit two of the options, because their types differ."""
    types = [narrowed(option, known) if option.verdict is None else known for option in options]
    return sum(map(len, types)) == len(frozenset().union(*types))
