"""Keywords that look at one value and at nothing inside it: each is a condition, and what to say where it fails.

Both emitters read these, so what is_valid rejects and what violations reports cannot drift apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .model import TYPES, Arrays, Json, Node, Numbers, Objects, Strings
from .module import Module
from .source import all_of, any_of, number, string
from .wording import NOUNS, any_value, counted, listed, shortened, shown_number

ALL_TYPES = frozenset(TYPES)

STRING, ARRAY, OBJECT = frozenset({"string"}), frozenset({"array"}), frozenset({"object"})
NUMBERS = frozenset({"integer", "number"})

_PYTHON = {"boolean": "bool", "string": "str", "array": "list", "object": "dict"}


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition on a value, in both directions, and what the value was expected to be.

    Attributes:
        keyword: the keyword that asks for it.
        fails: an expression that is True of an invalid value.
        passes: the same the other way round.
        expected: a phrase that follows "expected".
        words: the strings allowed, where only certain values are.
    """

    keyword: str
    fails: str
    passes: str
    expected: str
    words: tuple[str, ...] = ()


def compared(keyword: str, left: str, wrong: str, right: str, bound: str, expected: str) -> Assertion:
    """Return an assertion by comparison: ``wrong`` is the operator under which it fails, ``right`` the opposite one."""
    return Assertion(keyword, f"{left} {wrong} {bound}", f"{left} {right} {bound}", expected)


# -- type ------------------------------------------------------------------------------------------------------------


def narrowed(node: Node, known: frozenset[str]) -> frozenset[str]:
    """Return the types a value of known types has once the node's ``type`` holds; an integer is a kind of number."""
    if node.types is None:
        return known
    kept = node.types & known
    if "number" in node.types and "integer" in known:
        kept |= {"integer"}
    if "integer" in node.types and "number" in known:
        kept |= {"integer"}
    return kept


def excluded(node: Node, known: frozenset[str]) -> frozenset[str]:
    """Return the types a value of known types can have if it does not fit the node."""
    groups = (node.numbers, node.strings, node.arrays, node.objects)
    if node.types is None or node.values or any(groups) or any(True for _ in node.in_place()):
        return known
    return known - node.types - (NUMBERS if "number" in node.types else frozenset())


def type_assertions(node: Node, v: str, known: frozenset[str]) -> Iterator[Assertion]:
    """Yield what ``type`` asks of a value that is known to be of some types."""
    kept = narrowed(node, known)
    if kept >= known:
        return
    tests = [_type_tests(name, v) for name in TYPES if name in kept and not (name == "integer" and "number" in kept)]
    expected = listed([NOUNS[name] for name in TYPES if name in (node.types or ())])
    if not tests:
        yield Assertion("type", "True", "False", expected)
        return
    yield Assertion("type", all_of(fails for fails, _ in tests), any_of(passes for _, passes in tests), expected)


def _type_tests(name: str, v: str) -> tuple[str, str]:
    if name == "null":
        return f"{v} is not None", f"{v} is None"
    if name == "number":
        return f"type({v}) is not int and type({v}) is not float", f"type({v}) is int or type({v}) is float"
    if name == "integer":
        return (
            f"type({v}) is not int and not (type({v}) is float and {v}.is_integer())",
            f"type({v}) is int or (type({v}) is float and {v}.is_integer())",
        )
    return f"type({v}) is not {_PYTHON[name]}", f"type({v}) is {_PYTHON[name]}"


def is_kind(kind: frozenset[str], v: str) -> str:
    """Return an expression that is True of values of one kind: the numbers, or one of string, array and object."""
    return f"({_type_tests('number', v)[1]})" if kind == NUMBERS else _type_tests(next(iter(kind)), v)[1]


# -- values ----------------------------------------------------------------------------------------------------------


def value_assertions(node: Node, v: str, known: frozenset[str], module: Module) -> Iterator[Assertion]:
    """Yield what ``enum`` and ``const`` ask; members of a type the value cannot have are left out."""
    for values in node.values:
        members = [value for value in values if _types_of(value) & known]
        keyword = "const" if len(values) == 1 else "enum"
        expected = any_value(values)
        words = tuple(value for value in values if isinstance(value, str))
        label = f"{module.label(node)}_values"
        tests = list(_member_tests(members, v, known, module, label))
        if not tests:
            yield Assertion(keyword, "True", "False", expected)
        elif len(tests) == 1:
            yield Assertion(keyword, *tests[0], expected, words)
        else:
            fails, passes = all_of(fails for fails, _ in tests), any_of(passes for _, passes in tests)
            yield Assertion(keyword, fails, passes, expected, words)


def _types_of(value: Json) -> frozenset[str]:
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int | float):
        return NUMBERS if value == value // 1 else frozenset({"number"})
    return STRING if isinstance(value, str) else ARRAY if isinstance(value, list) else OBJECT


def _member_tests(
    members: list[Json], v: str, known: frozenset[str], module: Module, label: str
) -> Iterator[tuple[str, str]]:
    """Pairs of conditions, negative and positive, of which a member meets one."""
    strings = list(dict.fromkeys(value for value in members if isinstance(value, str)))
    if len(strings) == 1:
        yield f"{v} != {string(strings[0])}", f"{v} == {string(strings[0])}"
    elif strings:
        allowed = module.strings(label, strings)
        guard = known != STRING
        yield (
            f"{f'type({v}) is not str or ' if guard else ''}{v} not in {allowed}",
            f"{f'type({v}) is str and ' if guard else ''}{v} in {allowed}",
        )
    numbers = list(dict.fromkeys(x for x in members if isinstance(x, int | float) and not isinstance(x, bool)))
    if numbers:
        if len(numbers) == 1:
            fails, passes = f"{v} != {number(numbers[0])}", f"{v} == {number(numbers[0])}"
        else:
            allowed = f"{{{', '.join(map(number, numbers))}}}"
            if len(allowed) > 80:
                allowed = module.constant(label, f"frozenset({allowed})")
            fails, passes = f"{v} not in {allowed}", f"{v} in {allowed}"
        if known <= NUMBERS:
            yield fails, passes
        else:
            no_number, a_number = _type_tests("number", v)
            yield f"({no_number}) or {fails}", f"({a_number}) and {passes}"
    for constant in (True, False, None):
        if any(value is constant for value in members):
            yield f"{v} is not {constant}", f"{v} is {constant}"
    for value in members:
        if isinstance(value, list | dict):
            if not value:
                yield f"{v} != {value}", f"{v} == {value}"
            else:
                call = f"{module.use('equal')}({v}, {module.value(label, value)})"
                yield f"not {call}", call


# -- numbers, strings, sizes -----------------------------------------------------------------------------------------


def number_assertions(rules: Numbers, v: str, module: Module) -> Iterator[Assertion]:
    """Yield what the numeric keywords ask of a number."""
    for keyword, bound, wrong, right, phrase in (
        ("minimum", rules.minimum, "<", ">=", "a number of at least"),
        ("exclusiveMinimum", rules.exclusive_minimum, "<=", ">", "a number greater than"),
        ("maximum", rules.maximum, ">", "<=", "a number of at most"),
        ("exclusiveMaximum", rules.exclusive_maximum, ">=", "<", "a number less than"),
    ):
        if bound is not None:
            yield compared(keyword, v, wrong, right, number(bound), f"{phrase} {shown_number(bound)}")
    if (divisor := rules.multiple_of) is not None:
        call = f"{module.use('is_multiple')}({v}, {number(divisor)})"
        yield Assertion("multipleOf", f"not {call}", call, f"a multiple of {shown_number(divisor)}")


def string_assertions(rules: Strings, v: str, module: Module) -> Iterator[Assertion]:
    """Yield what the string keywords ask of a string."""
    if rules.min_length == 1:
        yield Assertion("minLength", f"not {v}", f'{v} != ""', "a string that is not empty")
    elif rules.min_length:
        expected = f"a string of at least {rules.min_length} characters"
        yield compared("minLength", f"len({v})", "<", ">=", number(rules.min_length), expected)
    longest = rules.max_length
    if longest is not None:
        yield compared(
            "maxLength", f"len({v})", ">", "<=", number(longest), f"a string of at most {counted(longest, 'character')}"
        )
    if (pattern := rules.pattern) is not None:
        call = f"{module.matcher(pattern)}({v})"
        fails, passes = f"not {call}", f"{call} is not None"
        expected = f"a string that matches {shortened(pattern.source)}"
        if (limit := pattern.max_length) is not None:
            fails, passes = f"len({v}) > {limit} or {fails}", f"len({v}) <= {limit} and {passes}"
            expected += f" (tried on at most {limit} characters)"
        yield Assertion("pattern", fails, passes, expected)
    if rules.format is not None:
        call = f"{module.use('fits_format')}({string(rules.format)}, {v})"
        yield Assertion("format", f"not {call}", call, f"a string in the format {rules.format}")


def array_assertions(rules: Arrays, v: str, module: Module) -> Iterator[Assertion]:
    """Yield what the keywords about an array as a whole ask."""
    yield from _size_assertions("Items", "array", "item", rules.min_items, rules.max_items, v)
    if rules.unique:
        call = f"{module.use('is_unique')}({v})"
        yield Assertion("uniqueItems", f"not {call}", call, "an array without equal items")


def object_assertions(rules: Objects, v: str) -> Iterator[Assertion]:
    """Yield what the keywords about an object as a whole ask, apart from ``required``."""
    yield from _size_assertions("Properties", "object", "property", rules.min_properties, rules.max_properties, v)


def _size_assertions(
    suffix: str, container: str, member: str, least: int, most: int | None, v: str
) -> Iterator[Assertion]:
    article = f"an {container}"
    if least == 1:
        yield Assertion(f"min{suffix}", f"not {v}", f"len({v}) >= 1", f"{article} with at least 1 {member}")
    elif least:
        expected = f"{article} with at least {counted(least, member)}"
        yield compared(f"min{suffix}", f"len({v})", "<", ">=", number(least), expected)
    if most is not None:
        expected = f"{article} with at most {counted(most, member)}" if most else f"an empty {container}"
        yield compared(f"max{suffix}", f"len({v})", ">", "<=", number(most), expected)
