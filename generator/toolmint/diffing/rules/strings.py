"""Lengths, patterns and formats."""

import itertools
import math
from typing import TYPE_CHECKING

from toolmint.diffing.branches import Branch
from toolmint.diffing.documents import Node
from toolmint.diffing.failures import ABSENT, Failure
from toolmint.diffing.instances import strings
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment


def _length(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    keywords = right.keywords
    least, most = keywords.get("minLength", 0), keywords.get("maxLength", math.inf)
    found = []
    if branch.min_length < least:
        probes = itertools.chain(strings(branch, branch.min_length), strings(branch, int(least) - 1))
        found.append(containment.bound(branch, right, "minLength", branch.min_length, probes))
    if most < math.inf and (branch.max_length is None or branch.max_length > most):
        longer = strings(branch, max(int(most) + 1, branch.min_length), branch.max_length)
        found.append(containment.bound(branch, right, "maxLength", branch.max_length, longer))
    return found


def _pattern(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    pattern = right.keywords["pattern"]
    if pattern in branch.patterns:
        return []
    probes = itertools.chain(strings(branch, branch.min_length), strings(branch, branch.min_length + 1))
    left_value = min(branch.patterns, default=ABSENT)
    reason = "two patterns cannot be compared"
    return [
        containment.failure(
            branch, right, "pattern", "pattern", probes, left_value=left_value, right_value=pattern, reason=reason
        )
    ]


def _format(_containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    name = right.keywords["format"]
    if name in branch.formats:
        return []
    reason = "whether a format is asserted is up to the server"
    left_value = min(branch.formats, default=ABSENT)
    return [
        Failure(rule="format", keyword="format", right=right, left_value=left_value, right_value=name, reason=reason)
    ]


RULES = (
    Rule("string", ("minLength", "maxLength"), _length),
    Rule("string", ("pattern",), _pattern),
    Rule("string", ("format",), _format),
)
