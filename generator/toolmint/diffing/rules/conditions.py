"""``not`` and ``if``: whatever cannot be expressed as a branch is answered by trying values."""

from typing import TYPE_CHECKING

from toolmint.diffing.branches import Branch, refine
from toolmint.diffing.documents import Node
from toolmint.diffing.failures import Failure
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment


def _not(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    refused = right.below("not")
    if containment.branches.disjoint(branch, refused):
        return []
    for keyword, node in branch.opaque:
        if keyword == "not" and containment.within(frozenset((refused,)), node.below("not")):
            return []
    return [containment.probed(branch, right, "not")]


def _if(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    keywords = right.keywords
    if containment.has_same(branch, "if", right, "if", "then", "else"):
        return []
    condition = right.below("if")
    pieces: list[tuple[Branch, str]] = []
    if "then" in keywords:
        met = refine(branch, condition)
        for node in _conditions(branch, "then"):
            if containment.within(frozenset((condition,)), node.below("if")):
                met = [refined for piece in met for refined in refine(piece, node.below("then"))]
        pieces += [(piece, "then") for piece in met if not containment.branches.vacant(piece)]
    if "else" in keywords and not containment.branch_within(branch, condition):
        unmet = [branch]
        for node in _conditions(branch, "else"):
            if containment.within(frozenset((node.below("if"),)), condition):
                unmet = [refined for piece in unmet for refined in refine(piece, node.below("else"))]
        pieces += [(piece, "else") for piece in unmet if not containment.branches.vacant(piece)]
    if all(containment.branch_within(piece, right.below(keyword)) for piece, keyword in pieces):
        return []
    return [_probed_condition(containment, branch, right)]


def _conditions(branch: Branch, keyword: str) -> list[Node]:
    """Return the schemas of a branch with a condition that has a consequence."""
    return [node for name, node in branch.opaque if name == "if" and keyword in node.keywords]


def _probed_condition(containment: "Containment", branch: Branch, right: Node) -> Failure:
    # What a condition refuses is reported for its then or its else, whichever that was.
    found = [
        containment.probed(branch, right, keyword, rule="if")
        for keyword in ("then", "else")
        if keyword in right.keywords
    ]
    found += [containment.probed(branch, right, "if")]
    return next((failure for failure in found if failure.proven), found[-1])


RULES = (
    Rule(None, ("not",), _not),
    Rule(None, ("if",), _if),
)
