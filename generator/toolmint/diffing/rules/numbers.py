"""Ranges and multiples."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolmint.diffing.branches import Bound, Branch
from toolmint.diffing.documents import Node
from toolmint.diffing.failures import ABSENT, Failure
from toolmint.diffing.instances import numbers
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment


def _lowest(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    return _bounds(containment, branch, right, ("minimum", "exclusiveMinimum"), branch.lower, lowest=True)


def _highest(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    return _bounds(containment, branch, right, ("maximum", "exclusiveMaximum"), branch.upper, lowest=False)


def _bounds(
    containment: "Containment",
    branch: Branch,
    right: Node,
    keywords: Sequence[str],
    bound: Bound | None,
    *,
    lowest: bool,
) -> list[Failure]:
    found = []
    for keyword in keywords:
        limit = right.keywords.get(keyword)
        if limit is None or (bound is not None and _at_least_as_tight(bound, limit, keyword, lowest=lowest)):
            continue
        left_value = ABSENT if bound is None else bound.value
        probes = numbers(branch, limit)
        found.append(
            containment.failure(branch, right, "bound", keyword, probes, left_value=left_value, right_value=limit)
        )
    return found


def _multiple(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    factor = right.keywords["multipleOf"]
    known = {*branch.multiples, 1} if branch.integer else branch.multiples
    # Fractions are left alone: implementations differ in how they divide them.
    if any(own == factor or (_whole(own) and _whole(factor) and own % factor == 0) for own in known):
        return []
    left_value = max(branch.multiples, default=ABSENT)
    probes = numbers(branch)
    return [
        containment.failure(branch, right, "bound", "multipleOf", probes, left_value=left_value, right_value=factor)
    ]


def _at_least_as_tight(bound: Bound, limit: float, keyword: str, *, lowest: bool) -> bool:
    if bound.value == limit:
        return bound.exclusive or not keyword.startswith("exclusive")
    return (bound.value > limit) == lowest


def _whole(number: float) -> bool:
    return isinstance(number, int) or number.is_integer()


RULES = (
    Rule("number", ("minimum", "exclusiveMinimum"), _lowest),
    Rule("number", ("maximum", "exclusiveMaximum"), _highest),
    Rule("number", ("multipleOf",), _multiple),
)
