"""``anyOf`` and ``oneOf``: a branch is within one alternative, or its parts are within one each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from toolmint.diffing.branches import Branch, asserting, refine
from toolmint.diffing.documents import Node
from toolmint.diffing.failures import ABSENT, Failure, merged
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment

Within = Callable[["Containment", Branch, Node, Sequence[Sequence[Failure]]], bool]
"""Says, by what fails in each alternative, whether a branch is within them as they are combined."""

_MAX_PIECES = 50
"""Most values of a property by which a branch is taken apart."""


def _any_of(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    return _alternatives(containment, branch, right, "anyOf", _within_any)


def _one_of(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    if containment.has_same(branch, "oneOf", right):
        return []
    return _alternatives(containment, branch, right, "oneOf", _within_one)


def _within_one(containment: "Containment", branch: Branch, right: Node, failures: Sequence[Sequence[Failure]]) -> bool:
    return any(
        not failures[chosen]
        and all(
            containment.branches.disjoint(branch, right.below("oneOf", other))
            for other in range(len(failures))
            if other != chosen
        )
        for chosen in range(len(failures))
    )


def _alternatives(
    containment: "Containment",
    branch: Branch,
    right: Node,
    keyword: str,
    within: Within,
    apart: frozenset[str] = frozenset(),
) -> list[Failure]:
    """Find the alternative that a branch is within, whole or taken apart by the values of a property."""
    nodes = [right.below(keyword, index) for index in range(len(right.keywords[keyword]))]
    with containment.not_proving():
        failures = [containment.branch_failures(branch, node) for node in nodes]
        if within(containment, branch, right, failures):
            return []
    split = _split(containment, branch, apart)
    if split:
        name, pieces = split
        found = [_alternatives(containment, piece, right, keyword, within, apart | {name}) for piece in pieces]
        return merged(failure for part in found for failure in part)
    if branch.values is not None and len(branch.values) > 1:
        singles = [replace(branch, values=(value,)) for value in branch.values]
        found = [_alternatives(containment, single, right, keyword, within) for single in singles]
        return merged(failure for part in found for failure in part)
    if containment.proving:
        failures = [containment.branch_failures(branch, node) for node in nodes]
    return _nearest(containment, branch, right, keyword, nodes, failures)


def _split(containment: "Containment", branch: Branch, apart: frozenset[str]) -> tuple[str, list[Branch]] | None:
    """Return a property whose values tell those of a branch apart, with the branch's part for each of them."""
    if branch.kind != "object" or branch.values is not None:
        return None
    for name in sorted(branch.required - apart):
        parts = containment.branches.of(branch.property_term(name))
        values = [value for part in parts for value in part.values or ()]
        if all(part.values is not None for part in parts) and 1 < len(values) <= _MAX_PIECES:
            nodes = [asserting({"properties": {name: {"const": value}}}) for value in values]
            pieces = [piece for node in nodes for piece in refine(branch, node)]
            return name, [piece for piece in pieces if not containment.branches.vacant(piece)]
    return None


def _nearest(
    containment: "Containment",
    branch: Branch,
    right: Node,
    keyword: str,
    nodes: Sequence[Node],
    failures: Sequence[Sequence[Failure]],
) -> list[Failure]:
    """Say why a branch is within no alternative: what fails in the nearest one, if that proves it."""
    candidates = [
        found
        for node, found in zip(nodes, failures, strict=True)
        if found and not any(failure.rule in ("type", "false") and failure.right == _final(node) for failure in found)
    ]
    discriminated = [found for found in candidates if not any(failure.rule in ("value", "values") for failure in found)]
    near = sorted(discriminated or candidates, key=_distance)
    if near and all(failure.excused for failure in near[0]):
        return list(near[0])
    pool = [failure.witness for found in failures for failure in found if failure.proven]
    kept: list[Failure] = []
    if near and (len(near) == 1 or _distance(near[0]) < _distance(near[1])):
        kept = [_confirmed(containment, branch, right, keyword, failure) for failure in near[0]]
        if not containment.proving or any(failure.proven for failure in kept):
            return kept
    pool += [*containment.pool(branch), *containment.near(branch, right)]
    left = "integer" if branch.integer and branch.kind == "number" else branch.kind
    rule = keyword if candidates or not all(failures) else "type"
    reason = "its alternatives could not be told apart"
    whole = containment.failure(branch, right, rule, keyword, pool, left_value=(left,), reason=reason)
    return [whole] if whole.proven or not kept else kept


def _confirmed(containment: "Containment", branch: Branch, right: Node, keyword: str, failure: Failure) -> Failure:
    if failure.excused or not failure.proven or containment.proves(branch, right, keyword, failure.witness):
        return failure
    return replace(failure, witness=ABSENT, reason="another alternative may take what this one refuses")


def _within_any(
    _containment: "Containment", _branch: Branch, _right: Node, failures: Sequence[Sequence[Failure]]
) -> bool:
    return not all(failures)


def _final(node: Node) -> Node:
    """Return the schema at the end of a chain of references."""
    seen = {node}
    while "$ref" in node.keywords and (target := node.target()) and target not in seen:
        seen.add(target)
        node = target
    return node


def _distance(failures: Sequence[Failure]) -> tuple[int, int]:
    return sum(not failure.excused for failure in failures), len(failures)


RULES = (
    Rule(None, ("anyOf",), _any_of, takes_apart=True),
    Rule(None, ("oneOf",), _one_of, takes_apart=True),
)
