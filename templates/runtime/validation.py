"""What emitted validators share: how values compare, and how a violation is told.

Values are what ``json.loads`` gives: None, bool, int, float, str, list and dict, and no subclass of any of them. A
handler's result that holds others (an enum member, a tuple) has to be made plain before it is validated.
"""

from __future__ import annotations

import json
from typing import Any

NESTING_LIMIT = 128
"""How deep a recursive schema follows a value, counted in calls of its functions."""


class NestingError(RecursionError):
    """A value is nested deeper than a recursive schema follows it."""


# -- equality (JSON Schema Core 2020-12, section 4.2.2) ----------------------------------------------------------------


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
    return len(items) < 2 or len(set(map(_identity, items))) == len(items)


def _identity(value: Any) -> object:
    """Something hashable that is the same for equal values and differs for others."""
    if type(value) is list:
        return (list, *map(_identity, value))
    if type(value) is dict:
        return (dict, frozenset((key, _identity(child)) for key, child in value.items()))
    return (bool, value) if type(value) is bool else value


def is_multiple(value: float, divisor: float) -> bool:
    """Whether a number is a multiple of another, both taken as the decimals they are written as.

    0.3 is a multiple of 0.1, though dividing the binary fractions that stand for them leaves a remainder.
    """
    if type(value) is int and type(divisor) is int:
        return value % divisor == 0
    if value in (_INFINITY, -_INFINITY) or divisor == _INFINITY:
        return False
    (digits, exponent), (unit, unit_exponent) = _decimal(value), _decimal(divisor)
    shift = exponent - unit_exponent
    return digits * 10 ** max(shift, 0) % (unit * 10 ** max(-shift, 0)) == 0


_INFINITY = float("inf")


def _decimal(value: float) -> tuple[int, int]:
    """An integer and a power of ten whose product is the number's shortest decimal form."""
    if type(value) is int:
        return value, 0
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)
