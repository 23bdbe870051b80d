"""Type, enumerations, references, ``allOf``, and what is compared only as it is written."""

import itertools
from typing import TYPE_CHECKING, Any

from toolmint.diffing.branches import Branch
from toolmint.diffing.documents import Node, identity
from toolmint.diffing.failures import Failure
from toolmint.diffing.instances import numbers
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmint.diffing.containment import Containment


def _type(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    types = right.keywords["type"]
    names = [types] if isinstance(types, str) else types
    kind = branch.kind
    if kind in names or (kind == "number" and "integer" in names and branch.integer):
        return []
    pool: Iterable[Any] = containment.pool(branch)
    if kind == "number" and "integer" in names:
        pool = itertools.chain((value for value in numbers(branch) if value % 1), pool)
    name = "integer" if kind == "number" and branch.integer else kind
    return [containment.failure(branch, right, "type", "type", pool, left_value=(name,), right_value=types)]


def _const(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    return _among(containment, branch, right, "const", [right.keywords["const"]])


def _enum(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    return _among(containment, branch, right, "enum", right.keywords["enum"])


def _among(containment: "Containment", branch: Branch, right: Node, keyword: str, allowed: list[Any]) -> list[Failure]:
    if branch.values is None:
        pool = containment.pool(branch)
        return [containment.failure(branch, right, "values", keyword, pool, right_value=allowed)]
    known = set(map(identity, allowed))
    return [
        containment.failure(branch, right, "value", keyword, [value], item=value)
        for value in branch.values
        if identity(value) not in known
    ]


def _reference(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    target = right.target()
    if target is not None:
        return containment.branch_failures(branch, target)
    reason = f"the reference {right.keywords['$ref']!r} leads nowhere in the schema"
    return [Failure(rule="$ref", keyword="$ref", right=right, reason=reason)]


def _all_of(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    parts = range(len(right.keywords["allOf"]))
    return [failure for index in parts for failure in containment.branch_failures(branch, right.below("allOf", index))]


def _unexpressed(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    """Keywords that are compared only as they are written."""
    return [
        containment.probed(branch, right, keyword)
        for keyword in ("$dynamicRef", "unevaluatedItems", "unevaluatedProperties")
        if keyword in right.keywords
        and right.keywords[keyword] not in (True, {})
        and not any(name == keyword and containment.equivalence.same(node, right) for name, node in branch.opaque)
    ]


RULES = (
    Rule(None, ("type",), _type, final=True, takes_apart=True),
    Rule(None, ("$ref",), _reference, takes_apart=True),
    Rule(None, ("const",), _const, takes_apart=True),
    Rule(None, ("enum",), _enum, takes_apart=True),
    Rule(None, ("allOf",), _all_of, takes_apart=True),
    Rule(None, ("$dynamicRef", "unevaluatedItems", "unevaluatedProperties"), _unexpressed),
)
