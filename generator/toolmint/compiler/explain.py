"""Emits ``violations``: one line of code for everything that can be wrong, with the words for it.

A value reaches this code only after ``is_valid`` said no, so it is written for size and wording, not for speed. It
reads the same assertions, and asks the same functions wherever a schema only has to fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .assertions import (
    ALL_TYPES,
    ARRAY,
    NUMBERS,
    OBJECT,
    STRING,
    Assertion,
    array_assertions,
    excluded,
    is_kind,
    narrowed,
    number_assertions,
    object_assertions,
    string_assertions,
    type_assertions,
    value_assertions,
)
from .check import exclusive
from .evaluated import evaluated_items, evaluated_properties
from .fitting import fits
from .model import Arrays, Node, Objects
from .module import Module, Scope
from .pointers import escape
from .source import (
    Line,
    all_of,
    formatted,
    indent,
    is_one_if,
    loop,
    negated,
    string,
    variable,
    when,
    written,
)
from .wording import described, named

PER_LEVEL = 2
"""How many levels of a function's nesting one schema takes here, so that a function nests fewer of them."""

MAX_POINTER = 160
"""Longest pointer that is written out in full before a function takes over with what is passed to it."""


@dataclass(frozen=True, slots=True)
class At:
    """Where in the value something is: a JSON pointer of text known now and tokens known when the code runs.

    Attributes:
        parts: text, or in a one-element tuple the expression for a token.
    """

    parts: tuple[str | tuple[str], ...] = ()

    @property
    def length(self) -> int:
        """How many characters of it are known now."""
        return sum(len(part) for part in self.parts if isinstance(part, str))

    def name(self, name: str) -> "At":
        """Return the property of this name."""
        return At((*self.parts, f"/{escape(name)}"))

    def key(self, variable: str) -> "At":
        """Return the property whose name is in a variable."""
        return At((*self.parts, "/", (f"pointer_token({variable})",)))

    def index(self, index: str) -> "At":
        """Return the item with this index: digits, or a variable."""
        return At((*self.parts, f"/{index}" if index.isdigit() else "/", *(() if index.isdigit() else ((index,),))))

    def source(self, module: Module) -> str:
        """Return the pointer as an expression."""
        if any("pointer_token" in part[0] for part in self.parts if isinstance(part, tuple)):
            module.use("pointer_token")
        return formatted(self.parts)


@dataclass(frozen=True, slots=True)
class Spot:
    """A value being explained: the expression for it, where it is, and the list its violations go to."""

    v: str
    at: At
    out: str = "out"

    def report(self, module: Module, keyword: str, expected: str) -> str:
        """Return the statement that adds a violation."""
        arguments = [
            self.at.source(module),
            self.v,
            string(expected),
            string(keyword),
        ]
        return f"{self.out}.append({module.use('violated')}({', '.join(arguments)}))"


def explain_entry(module: Module) -> list[str]:
    """Return the public function: nothing for a valid value, else all that is wrong with it."""
    module.use("Violation")
    head = [
        f"def {module.prefix}_violations(value: Any) -> list[Violation]:",
        '    """All that is wrong with a value; empty exactly if it fits the schema."""',
        f"    if {module.prefix}_is_valid(value):",
        "        return []",
        "    out: list[Violation] = []",
    ]
    tail = f"    return out or [{module.use('unexplained')}(value)]"
    if not module.deep:
        scope = module.scope(module.root, "explain", "value", "out")
        body = explained(module, module.root, Spot("value", At()), scope, ALL_TYPES)
        return [*head, *(f"    {line}" for line in written(body)), tail]
    call = "\n".join(
        written(_call(module, module.root, Spot("value", At()), module.scope(None, "explain", "value", "out")))
    )
    return [
        *head,
        "    try:",
        f"        {call}",
        "    except RecursionError as error:",
        f"        out.append({module.use('nested_too_deep')}(error))",
        tail,
    ]


def explain_function(module: Module, node: Node) -> list[str]:
    """Return the function that adds a value's violations of one node to a list."""
    name = module.function("explain", node)
    scope = module.scope(node, "explain", "value", "at", "out")
    body = [f"    {line}" for line in written(explained(module, node, Spot("value", At((("at",),))), scope, ALL_TYPES))]
    module.use("Violation")
    body = body or ['    """Find nothing wrong: no value reaches what could be."""']
    if node not in module.recursive:
        return [f"def {name}(value: Any, at: str, out: list[Violation]) -> None:", *body]
    limit = [f"    if depth > {module.use('NESTING_LIMIT')}:", f"        raise {module.use('NestingError')}(at)"]
    if not module.memoised:
        return [f"def {name}(value: Any, at: str, out: list[Violation], depth: int) -> None:", *limit, *body]
    told = "dict[tuple[int, str], list[Violation]]"
    parameters = f"(value: Any, at: str, out: list[Violation], depth: int, told: {told}) -> None:"
    return [
        f"def {name}{parameters}",
        *limit,
        f"    key = ({module.number(node)}, at)",
        "    if key not in told:",
        "        told[key] = []",
        f"        {name}_once(value, at, told[key], depth, told)",
        f"    {module.use('extend')}(out, told[key])",
        "",
        "",
        f"def {name}_once{parameters}",
        *body,
    ]


def _call(module: Module, node: Node, spot: Spot, scope: Scope) -> list[Line]:
    name = module.function("explain", node)
    more = f", {scope.explain_arguments(spot.v)}" if node in module.recursive else ""
    return [f"{name}({spot.v}, {spot.at.source(module)}, {spot.out}{more})"]


def nested(module: Module, node: Node, spot: Spot, scope: Scope, known: frozenset[str] = ALL_TYPES) -> list[Line]:
    """Statements for a child node: written out here, or a call of its own function."""
    if module.ignores(node) or not known:
        return []
    if any(True for _ in node.children()):
        scope.levels += PER_LEVEL
        try:
            if module.stands_alone(node, scope) or spot.at.length > MAX_POINTER:
                return _call(module, node, spot, scope)
            return explained(module, node, spot, scope, known)
        finally:
            scope.levels -= PER_LEVEL
    return explained(module, node, spot, scope, known)


def explained(module: Module, node: Node, spot: Spot, scope: Scope, known: frozenset[str]) -> list[Line]:
    """Statements that add what a node finds wrong with a value; none if it never finds anything."""
    if node.verdict is not None:
        return [] if node.verdict else [spot.report(module, "false", "nothing here: no value is allowed")]
    gate = list(type_assertions(node, spot.v, known))
    known = narrowed(node, known)
    body: list[Line] = []
    for kind, part in _groups(module, node, spot, scope, known):
        if part:
            body += part if known <= kind else when(is_kind(kind, spot.v), part)
    body += _reports(module, spot, value_assertions(node, spot.v, known, module))
    body += _applied(module, node, spot, scope, known)
    if not gate:
        return body
    report = spot.report(module, "type", described(node))
    if gate[0].fails == "True":
        return [report]
    return [f"if {gate[0].fails}:", f"    {report}", *_otherwise(body)]


def _otherwise(body: list[Line]) -> list[Line]:
    """Return the body under ``else``, or as ``elif`` if it is one ``if``."""
    if is_one_if(body):
        first, *rest = written(body)
        return [f"el{first}", *rest]
    return ["else:", *indent(body)] if body else []


def _reports(module: Module, spot: Spot, assertions: Iterator[Assertion]) -> list[Line]:
    lines: list[Line] = []
    for assertion in assertions:
        if assertion.keyword == "enum" and (near := _near_hint(module, spot, assertion)):
            report = near
        elif assertion.keyword == "uniqueItems":
            report = f"{spot.out}.append({module.use('repeated')}({spot.at.source(module)}, {spot.v}))"
        else:
            report = spot.report(module, assertion.keyword, assertion.expected)
        lines += [report] if assertion.fails == "True" else [f"if {assertion.fails}:", f"    {report}"]
    return lines


def _near_hint(module: Module, spot: Spot, assertion: Assertion) -> str:
    if not assertion.words:
        return ""
    words = module.strings("words", assertion.words)
    arguments = [spot.at.source(module), spot.v, string(assertion.expected), words]
    return f"{spot.out}.append({module.use('misspelt')}({', '.join(arguments)}))"


def _groups(
    module: Module, node: Node, spot: Spot, scope: Scope, known: frozenset[str]
) -> Iterator[tuple[frozenset[str], list[Line]]]:
    if node.numbers is not None and known & NUMBERS:
        yield NUMBERS, _reports(module, spot, number_assertions(node.numbers, spot.v, module))
    if node.strings is not None and known & STRING:
        yield STRING, _reports(module, spot, string_assertions(node.strings, spot.v, module))
    if node.arrays is not None and known & ARRAY:
        sizes = _reports(module, spot, array_assertions(node.arrays, spot.v, module))
        yield ARRAY, sizes + _array(module, node, node.arrays, spot, scope)
    if node.objects is not None and known & OBJECT:
        sizes = _reports(module, spot, object_assertions(node.objects, spot.v))
        yield OBJECT, sizes + _object(module, node, node.objects, spot, scope)


# -- objects ---------------------------------------------------------------------------------------------------------


def _object(module: Module, node: Node, rules: Objects, spot: Spot, scope: Scope) -> list[Line]:
    v = spot.v
    lines: list[Line] = []
    told: set[str] = set()
    for name, child in rules.properties.items():
        absent = [f"    {_missing(module, spot, name, child)}"] if name in rules.required else []
        if child.verdict is False:
            lines += [
                f"if {string(name)} in {v}:",
                f"    {_unexpected(module, spot, string(name), f'{v}[{string(name)}]', [])}",
            ]
        elif not module.ignores(child):
            local = scope.inside(spot.v, variable(name))
            inner = nested(module, child, replace(spot, v=local, at=spot.at.name(name)), scope)
            if inner:
                lines += [f"if {string(name)} in {v}:", *indent([f"{local} = {v}[{string(name)}]", *inner])]
                lines += ["else:", *absent] if absent else []
                told.add(name)
    for name in (name for name in rules.required if name not in told):
        report = _missing(module, spot, name, rules.properties.get(name))
        lines += [f"if {string(name)} not in {v}:", f"    {report}"]
    lines += _entries(module, rules, spot, scope)
    for name, needs in rules.dependent_required.items():
        for need in needs:
            report = _missing(module, spot, need, rules.properties.get(need), f"it is required beside {_quoted(name)}")
            lines += [f"if {string(name)} in {v} and {string(need)} not in {v}:", f"    {report}"]
    for name, child in rules.dependent_schemas.items():
        inner = _because(module, spot, scope, f"this applies because {_quoted(name)} is there", child, OBJECT)
        lines += when(f"{string(name)} in {v}", inner)
    if rules.unevaluated is not None and not module.ignores(rules.unevaluated):
        lines += _unevaluated_properties(module, node, rules.unevaluated, spot, scope)
    return lines


def _quoted(name: str) -> str:
    return f'"{name if len(name) <= 40 else name[:37] + "..."}"'


def _missing(module: Module, spot: Spot, name: str, child: Node | None, hint: str = "it is required") -> str:
    expected = described(child) if child is not None else "a value"
    arguments = [spot.at.source(module), spot.v, string(name), string(expected), string(hint)]
    return f"{spot.out}.append({module.use('missing')}({', '.join(arguments)}))"


def _unexpected(module: Module, spot: Spot, key: str, value: str, names: Sequence[str]) -> str:
    allowed = module.names("names", names)
    return f"{spot.out}.append({module.use('unexpected')}({spot.at.source(module)}, {key}, {value}, {allowed}))"


def _entries(module: Module, rules: Objects, spot: Spot, scope: Scope) -> list[Line]:
    if not rules.patterns and module.ignores(rules.additional) and module.ignores(rules.names):
        return []
    key, entry = scope.inside(spot.v, "key"), scope.inside(spot.v, "entry")
    inside = replace(spot, v=entry, at=spot.at.key(key))
    body: list[Line] = []
    if rules.names is not None and not module.ignores(rules.names):
        hint = "this is about the property's name"
        body += _because(module, replace(inside, v=key), scope, hint, rules.names, STRING)
    for pattern, child in rules.patterns:
        inner = nested(module, child, inside, scope)
        if inner:
            body += when(f"{module.matcher(pattern)}({key})", inner)
    if rules.additional is not None and not module.ignores(rules.additional):
        others = [f"{key} not in {module.strings('names', rules.properties)}"] if rules.properties else []
        others += [f"not {module.matcher(pattern)}({key})" for pattern, _ in rules.patterns]
        if rules.additional.verdict is False:
            inner = [_unexpected(module, spot, key, entry, list(rules.properties))]
        else:
            inner = nested(module, rules.additional, inside, scope)
        body += when(all_of(others), inner) if others else inner
    return loop(key, entry, spot.v, body)


def _unevaluated_properties(module: Module, node: Node, leftover: Node, spot: Spot, scope: Scope) -> list[Line]:
    key, entry = scope.inside(spot.v, "key"), scope.inside(spot.v, "entry")
    setup, evaluated = evaluated_properties(module, node, spot.v, key, scope)
    if evaluated == "True":
        return []
    if leftover.verdict is False:
        names = [
            name for child in (node, *node.refs, *node.all_of) if child.objects for name in child.objects.properties
        ]
        inner: list[Line] = [_unexpected(module, spot, key, entry, list(dict.fromkeys(names)))]
    else:
        inner = nested(module, leftover, replace(spot, v=entry, at=spot.at.key(key)), scope)
    body = inner if evaluated == "False" else when(negated(evaluated), inner)
    return [*setup, *loop(key, entry, spot.v, body)] if inner else []


# -- arrays ----------------------------------------------------------------------------------------------------------


def _array(module: Module, node: Node, rules: Arrays, spot: Spot, scope: Scope) -> list[Line]:
    v = spot.v
    lines: list[Line] = []
    for index, child in enumerate(rules.prefix):
        local = scope.inside(spot.v, "item")
        inner = nested(module, child, replace(spot, v=local, at=spot.at.index(str(index))), scope)
        if inner:
            lines += [f"if len({v}) > {index}:", *indent([f"{local} = {v}[{index}]", *inner])]
    taken = len(rules.prefix)
    if rules.items is not None and rules.items.verdict is False:
        expected = f"an array of at most {taken} item{'s' * (taken != 1)}" if taken else "an empty array"
        lines += [f"if len({v}) > {taken}:", f"    {spot.report(module, 'items', expected)}"]
    elif rules.items is not None and not module.ignores(rules.items):
        index_name, item = scope.inside(spot.v, "index"), scope.inside(spot.v, "item")
        body = nested(module, rules.items, replace(spot, v=item, at=spot.at.index(index_name)), scope)
        if body:
            source = f"enumerate({v}[{taken}:], {taken})" if taken else f"enumerate({v})"
            lines += [f"for {index_name}, {item} in {source}:", *indent(body)]
    if rules.contains is not None:
        lines += _contains(module, rules, rules.contains, spot, scope)
    if rules.unevaluated is not None and not module.ignores(rules.unevaluated):
        lines += _unevaluated_items(module, node, rules.unevaluated, spot, scope)
    return lines


def _contains(module: Module, rules: Arrays, wanted: Node, spot: Spot, scope: Scope) -> list[Line]:
    least, most = rules.min_contains, rules.max_contains
    if least == 0 and most is None:
        return []
    item, found = scope.inside(spot.v, "item"), scope.names.take("found")
    _, passes = fits(module, wanted, item, scope, ALL_TYPES)
    count = f"len({spot.v})" if passes == "True" else f"sum(1 for {item} in {spot.v} if {passes})"
    lines: list[Line] = [f"{found} = {count}"]
    noun = described(wanted)
    if least:
        expected = f"an array with at least {least} item{'s' * (least != 1)} that can be {noun}"
        lines += [f"if {found} < {least}:", f"    {spot.report(module, 'contains', expected)}"]
    if most is not None:
        expected = f"an array with at most {most} item{'s' * (most != 1)} that can be {noun}"
        lines += [f"if {found} > {most}:", f"    {spot.report(module, 'maxContains', expected)}"]
    return lines


def _unevaluated_items(module: Module, node: Node, leftover: Node, spot: Spot, scope: Scope) -> list[Line]:
    index, item = scope.inside(spot.v, "index"), scope.inside(spot.v, "item")
    setup, evaluated = evaluated_items(module, node, spot.v, index, item, scope)
    if evaluated == "True":
        return []
    inside = replace(spot, v=item, at=spot.at.index(index))
    if leftover.verdict is False:
        inner: list[Line] = [inside.report(module, "unevaluatedItems", "no item here")]
    else:
        inner = nested(module, leftover, inside, scope)
    body = inner if evaluated == "False" else when(negated(evaluated), inner)
    return [*setup, f"for {index}, {item} in enumerate({spot.v}):", *indent(body)] if inner else []


# -- schemas applied to the same value -------------------------------------------------------------------------------


def _applied(module: Module, node: Node, spot: Spot, scope: Scope, known: frozenset[str]) -> list[Line]:
    lines: list[Line] = []
    for child in (*node.refs, *node.all_of):
        lines += nested(module, child, spot, scope, known)
    if node.any_of:
        lines += _alternatives(module, node.any_of, spot, scope, known, only_one=False)
    if node.one_of:
        lines += _alternatives(module, node.one_of, spot, scope, known, only_one=not exclusive(node.one_of, known))
    if node.negated is not None:
        _, passes = fits(module, node.negated, spot.v, scope, known)
        report = spot.report(module, "not", f"anything but {described(node.negated)}")
        if passes != "False":
            lines += [report] if passes == "True" else [f"if {passes}:", f"    {report}"]
    if node.condition is not None:
        lines += _conditional(module, node, node.condition, spot, scope, known)
    return lines


def _conditional(
    module: Module, node: Node, condition: Node, spot: Spot, scope: Scope, known: frozenset[str]
) -> list[Line]:
    fails, passes = fits(module, condition, spot.v, scope, known)
    what = described(condition)
    lines: list[Line] = []
    for test, child, verb, types in (
        (passes, node.then, "is", narrowed(condition, known)),
        (fails, node.otherwise, "is not", excluded(condition, known)),
    ):
        if child is not None and test != "False":
            inner = _because(module, spot, scope, f"this applies because the value {verb} {what}", child, types)
            lines += inner if test == "True" else when(test, inner)
    return lines


def _because(module: Module, spot: Spot, scope: Scope, hint: str, node: Node, known: frozenset[str]) -> list[Line]:
    """Return what a node finds wrong, with the reason why it is asked."""
    found = scope.names.take("found")
    inner = nested(module, node, replace(spot, out=found), scope, known)
    if not inner:
        return []
    return [f"{found}: list[Violation] = []", *inner, f"{spot.out} += {module.use('because')}({found}, {string(hint)})"]


def _alternatives(
    module: Module, options: tuple[Node, ...], spot: Spot, scope: Scope, known: frozenset[str], *, only_one: bool
) -> list[Line]:
    tests = [fits(module, option, spot.v, scope, known) for option in options]
    names = [named(option, index) for index, option in enumerate(options, 1)]
    if not only_one and any(passes == "True" for _, passes in tests):
        return []
    failing: list[Line] = []
    pairs: list[str] = []
    for option, name in zip(options, names, strict=True):
        local = scope.names.take("option")
        failing += [f"{local}: list[Violation] = []"]
        failing += nested(module, option, replace(spot, out=local), scope, known)
        pairs.append(f"({string(name)}, {local})")
    arguments = f"{spot.at.source(module)}, {spot.v}, ({', '.join(pairs)},)"
    failing.append(f"{spot.out} += {module.use('closest')}({arguments})")
    if not only_one:
        fails = [fail for fail, _ in tests if fail != "True"]
        return [f"if {all_of(fails)}:", *indent(failing)] if fails else failing
    matched = scope.names.take("matched")
    fitting = [f"({string(name)}, {passes})" for name, (_, passes) in zip(names, tests, strict=True)]
    report = f"{spot.out}.append({module.use('ambiguous')}({spot.at.source(module)}, {spot.v}, {matched}))"
    return [
        f"{matched} = [name for name, fits in ({', '.join(fitting)},) if fits]",
        f"if not {matched}:",
        *indent(failing),
        f"elif len({matched}) > 1:",
        f"    {report}",
    ]
