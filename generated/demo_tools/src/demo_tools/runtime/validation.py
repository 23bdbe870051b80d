# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What emitted validators share: how values compare, and how a violation is told.

Values are what ``json.loads`` gives: None, bool, int, float, str, list and dict, and no subclass of any of them. A
handler's result that holds others (an enum member, a tuple) has to be made plain before it is validated.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

NESTING_LIMIT = 128
"""How deep a recursive schema follows a value, counted in calls of its functions."""

_MAX_TEXT = 60
_MAX_POINTER = 200
_MAX_NAMES = 12


class NestingError(RecursionError):
    """A value is nested deeper than a recursive schema follows it; the argument is the JSON pointer to there."""


class Violation:
    """One thing that is wrong with a value.

    Attributes:
        pointer: JSON pointer (RFC 6901) to the value at fault, or to where a missing one belongs; "" is the root.
        expected: what the schema asks for, a phrase.
        found: what is there, shortened, a phrase.
        hint: what may help, or why this is asked; often empty.
        keyword: the schema keyword that is violated.
    """

    __slots__ = ("expected", "found", "hint", "keyword", "pointer")

    def __init__(self, pointer: str, expected: str, found: str, hint: str = "", keyword: str = "") -> None:
        self.pointer = pointer
        self.expected = expected
        self.found = found
        self.hint = hint
        self.keyword = keyword

    def __repr__(self) -> str:
        return f"<Violation of {self.keyword}: {self}>"

    def __str__(self) -> str:
        """Tell it in one line."""
        hint = f" ({self.hint})" if self.hint else ""
        return _printable(f"{self._place()}: expected {self.expected}, got {self.found}{hint}")

    def without_value(self) -> str:
        """Tell it in one line that shows nothing of the value, for a log that others may read."""
        return _printable(f"{self._place()}: expected {self.expected}")

    def _place(self) -> str:
        pointer = self.pointer
        if len(pointer) > _MAX_POINTER:
            pointer = f"{pointer[: _MAX_POINTER // 2]}...{pointer[-_MAX_POINTER // 2 :]}"
        return pointer or "(root)"


# -- what emitted code reports -----------------------------------------------------------------------------------------


def violated(at: str, value: Any, expected: str, keyword: str) -> Violation:
    """Report a value that is not what was expected."""
    hint = _unquoted_hint(value, expected) if keyword == "type" else ""
    return Violation(at, expected, shown(value), hint, keyword)


def misspelt(at: str, value: Any, expected: str, words: Iterable[str]) -> Violation:
    """Report a value that is none of those allowed, of which some are words."""
    return Violation(at, expected, shown(value), _nearest(value, words), "enum")


def missing(at: str, value: dict[str, Any], name: str, expected: str, hint: str) -> Violation:
    """Report a property that an object lacks."""
    near = [key for key in value if key.casefold() == name.casefold() or _plain(key) == _plain(name)]
    if near:
        hint = f"{hint}; {_quoted(near[0])} is spelt differently"
    return Violation(f"{at}/{pointer_token(name)}", expected, "nothing", hint, "required")


def unexpected(at: str, key: str, value: Any, names: tuple[str, ...]) -> Violation:
    """Report a property that an object may not have; ``names`` are those it may have."""
    hint = _nearest(key, names)
    if not hint and names:
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        hint = f"allowed here: {', '.join(map(_quoted, names[:_MAX_NAMES]))}{more}"
    return Violation(
        f"{at}/{pointer_token(key)}", "no property of this name", shown(value), hint, "additionalProperties"
    )


def repeated(at: str, items: list[Any]) -> Violation:
    """Report an array that holds equal items."""
    first: dict[object, int] = {}
    hint = ""
    try:
        for index, item in enumerate(items):
            earlier = first.setdefault(_identity(item), index)
            if earlier != index:
                hint = f"items {earlier} and {index} are equal"
                break
    except RecursionError:
        hint = "its items are nested too deep to be compared"
    return Violation(at, "an array without equal items", shown(items), hint, "uniqueItems")


def ambiguous(at: str, value: Any, names: list[str]) -> Violation:
    """Report a value that fits several alternatives of which it may fit only one."""
    return Violation(
        at, "a value that fits only one alternative", shown(value), f"it fits {' and '.join(names)}", "oneOf"
    )


def because(violations: list[Violation], reason: str) -> list[Violation]:
    """Return the same violations, with the reason why they are any."""
    return [_with_hint(violation, reason) for violation in violations]


def extend(out: list[Violation], found: list[Violation]) -> None:
    """Add the violations that are not in the list yet: a schema can come to the same value in two ways."""
    known = set(map(id, out))
    out += [violation for violation in found if id(violation) not in known]


def closest(at: str, value: Any, options: tuple[tuple[str, list[Violation]], ...]) -> list[Violation]:
    """Return the violations of the alternative that a value comes closest to, out of those it fits none of.

    That is one whose fixed values (``const``) it has, then one with the fewest violations, then with the deepest. Where
    the alternatives part at one place, be it the type or a fixed value, that place is told with all it could be.
    """
    likely = [option for option in options if not _wrong_from_the_start(at, option[1])]
    if not likely:
        return [_joined(at, [next(v for v in found if v.pointer == at) for _, found in options], value)]
    if len(likely) == 1:
        return likely[0][1]
    telling = {"const", "enum", "required"}
    near = [{v.pointer: v for v in found if v.keyword in telling and _level(at, v) == 1} for _, found in likely]
    for pointer in near[0]:
        parting = [violations[pointer] for violations in near if pointer in violations]
        if len(parting) == len(near) and len({violation.expected for violation in parting}) > 1:
            return [_joined(pointer, parting, value)]
    name, best = min(likely, key=lambda option: _distance(at, option[1]))
    return because(best, f"to be {name}, the closest of {len(likely)} alternatives")


def nested_too_deep(error: RecursionError) -> Violation:
    """Report a value that is nested deeper than it can be followed."""
    at = error.args[0] if isinstance(error, NestingError) and error.args else ""
    return Violation(at, f"a value nested at most {NESTING_LIMIT} levels deep", "one that is nested deeper", "", "$ref")


def unexplained(value: Any) -> Violation:
    """Report a value that does not fit though nothing says why."""
    return Violation("", "a value that fits the schema", shown(value))


def pointer_token(name: str) -> str:
    """Return a property name as a reference token of a JSON pointer (RFC 6901, section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def shown(value: Any) -> str:
    """Return a value as a phrase of limited length."""
    if value is None or value is True or value is False:
        return "null" if value is None else str(value).lower()
    if type(value) is str:
        more = f" of {len(value)} characters" if len(value) > _MAX_TEXT else ""
        return f"the string {_quoted(value)}{more}"
    if type(value) is int and abs(value) >= 10**_MAX_TEXT:
        return f"an integer of {value.bit_length()} bits"
    if type(value) is int or type(value) is float:
        return f"the number {value!r}"
    if type(value) is list:
        return f"an array of {len(value)} item{'s' * (len(value) != 1)}" if value else "an empty array"
    if type(value) is dict:
        names = ", ".join(_quoted(key) for key in list(value)[:4])
        more = f" and {len(value) - 4} more" if len(value) > 4 else ""
        return f"an object with {names}{more}" if value else "an empty object"
    return f"a Python {type(value).__name__}, which is no JSON value"


def _level(at: str, violation: Violation) -> int:
    """How many levels below a pointer a violation is."""
    return violation.pointer.count("/") - at.count("/")


def _wrong_from_the_start(at: str, violations: list[Violation]) -> bool:
    """Whether a value is of another type than an alternative, or not its fixed value."""
    return any(v.pointer == at and v.keyword in {"type", "const", "enum", "false"} for v in violations)


def _distance(at: str, violations: list[Violation]) -> tuple[bool, int, int]:
    """How far a value is from an alternative; the least is the closest."""
    another_kind = any(v.keyword == "const" and _level(at, v) == 1 for v in violations)
    return another_kind, len(violations), -max((_level(at, v) for v in violations), default=0)


def _joined(at: str, found: list[Violation], value: Any) -> Violation:
    expected = list(dict.fromkeys(violation.expected for violation in found))
    text = expected[0] if len(expected) == 1 else f"{', '.join(expected[:-1])} or {expected[-1]}"
    return Violation(at, text, found[0].found if found[0].pointer == at else shown(value), found[0].hint, "anyOf")


def _with_hint(violation: Violation, reason: str) -> Violation:
    if len(violation.hint) > _MAX_POINTER or reason in violation.hint:
        return violation
    hint = f"{violation.hint}; {reason}" if violation.hint else reason
    return Violation(violation.pointer, violation.expected, violation.found, hint, violation.keyword)


def _nearest(value: Any, words: Iterable[str]) -> str:
    import difflib  # slow to import, and most calls are valid

    if type(value) is not str:
        return ""
    by_plain = {_plain(word): word for word in sorted(words)}
    near = difflib.get_close_matches(_plain(value[:200]), by_plain, n=1, cutoff=0.6)
    return f"did you mean {_quoted(by_plain[near[0]])}?" if near else ""


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _unquoted_hint(value: Any, expected: str) -> str:
    if type(value) is not str:
        return ""
    import json  # not needed while all is well, as below

    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return ""
    nouns = {int: "a number", float: "a number", bool: "true or false", list: "an array", dict: "an object"}
    noun = nouns.get(type(parsed), "null")
    is_asked_for = noun in expected or (type(parsed) is int and "an integer" in expected)
    return "pass it without the quotes" if is_asked_for and type(parsed) is not str else ""


def _quoted(text: str) -> str:
    import json

    return json.dumps(text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 3]}...", ensure_ascii=False)


def _printable(text: str) -> str:
    """Return the same text in one line, with what cannot be printed escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


# -- JSON's own equality (JSON Schema Core 2020-12, section 4.2.2) -----------------------------------------------------


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not, at any depth."""
    if type(one) is list:
        return type(other) is list and len(one) == len(other) and all(map(equal, one, other))
    if type(one) is dict:
        return type(other) is dict and one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if type(one) is bool or type(other) is bool:
        return one is other
    return bool(one == other)


def is_unique(items: list[Any]) -> bool:
    """Whether no two items of an array are equal; in linear time, whatever they are."""
    try:
        return len(items) < 2 or len(set(map(_identity, items))) == len(items)
    except RecursionError:
        return False


def _identity(value: Any) -> object:
    """Something hashable that is the same for equal values and differs for others."""
    if type(value) is list:
        return (list, *map(_identity, value))
    if type(value) is dict:
        return (dict, frozenset((key, _identity(child)) for key, child in value.items()))
    return (bool, value) if type(value) is bool else value


# -- numbers -----------------------------------------------------------------------------------------------------------


def is_multiple(value: float, divisor: float) -> bool:
    """Whether a number is a multiple of another, both taken as the decimals they are written as.

    0.3 is a multiple of 0.1, though dividing the binary fractions that stand for them leaves a remainder.
    """
    if type(value) is int and type(divisor) is int:
        return value % divisor == 0
    if not abs(value) < _INFINITY:  # nor is NaN
        return False
    (digits, exponent), (unit, unit_exponent) = _decimal(value), _decimal(divisor)
    shift = exponent - unit_exponent
    scaled: int = digits * 10 ** max(shift, 0)
    step: int = unit * 10 ** max(-shift, 0)
    return scaled % step == 0


_INFINITY = float("inf")


def _decimal(value: float) -> tuple[int, int]:
    """Return an integer and a power of ten whose product is the number's shortest decimal form."""
    if type(value) is int:
        return value, 0
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


# -- patterns and formats ----------------------------------------------------------------------------------------------


def category_members(name: str, *, negated: bool = False) -> str:
    """Return the members of a Unicode general category ("L", "Lu") as the inside of a character class.

    The running Python's own Unicode tables decide. Takes about 0.1 s the first time.
    """
    import unicodedata  # only few patterns ask

    if not _CATEGORY_RANGES:
        start = 0
        for code in range(1, 0x110001):
            category = unicodedata.category(chr(start))
            if code == 0x110000 or unicodedata.category(chr(code)) != category:
                _CATEGORY_RANGES.setdefault(category, []).append((start, code - 1))
                start = code
                if code == 0x110000:
                    break
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    return "".join(
        f"\\U{low:08x}-\\U{high:08x}"
        for category, ranges in _CATEGORY_RANGES.items()
        if category.startswith(wanted) != negated
        for low, high in ranges
    )


_CATEGORY_RANGES: dict[str, list[tuple[int, int]]] = {}


def fits_format(name: str, text: str) -> bool:
    """Whether a string is in one of the formats that can be asserted (JSON Schema Validation 2020-12, section 7.3)."""
    from .formats import FORMATS  # only few schemas ask

    return FORMATS[name](text)


# -- arguments in the wrong wrapping -----------------------------------------------------------------------------------


def unwrapped(value: Any, fits: Callable[[Any], bool], *inner: Callable[[Any], Any]) -> Any:
    """Return what a string is the JSON text of, if that is an array or object and fits; else the value itself.

    Each of ``inner`` mends what is inside before it is asked whether it fits.
    """
    if type(value) is not str or not value.lstrip(" \t\r\n").startswith(("[", "{")):
        return value
    import json

    try:
        parsed = json.loads(value, parse_constant=_refuse_constant)
        for mend in inner:
            parsed = mend(parsed)
        return parsed if fits(parsed) else value
    except (ValueError, RecursionError):
        return value


def _refuse_constant(text: str) -> None:
    raise ValueError(text)
