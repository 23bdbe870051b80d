"""Items, how many there are, and what is among them."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from toolmint.diffing.branches import Branch, array_shape
from toolmint.diffing.documents import Node
from toolmint.diffing.failures import Failure
from toolmint.diffing.instances import Instances
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment


def _items(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    shape = array_shape(right)
    most = containment.branches.most_items(branch)
    last = max(branch.tuple_length, len(shape.prefix))
    found: list[Failure] = []
    for index in range(last + 1):
        if most is not None and index >= most:
            break
        for node in shape.of(index):
            inner = containment.failures(branch.item_term(index), node)
            build = _at_index(containment.instances, branch, index)
            found += containment.lifted(branch, right, inner, build)
    return found


def _item_count(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    keywords = right.keywords
    least, most = keywords.get("minItems", 0), keywords.get("maxItems", math.inf)
    ours = containment.branches.most_items(branch)
    found = []
    if branch.min_items < least:
        lengths = dict.fromkeys((branch.min_items, int(least) - 1))
        probes = (array for length in lengths for array in containment.instances.arrays(branch, length))
        found.append(containment.bound(branch, right, "minItems", branch.min_items, probes))
    if most < math.inf and (ours is None or ours > most):
        longer = containment.instances.arrays(branch, max(int(most) + 1, branch.min_items))
        found.append(containment.bound(branch, right, "maxItems", branch.max_items, longer))
    return found


def _unique(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    most = containment.branches.most_items(branch)
    if not right.keywords["uniqueItems"] or branch.unique or (most is not None and most <= 1):
        return []
    return [containment.bound(branch, right, "uniqueItems", None, containment.instances.repeated(branch))]


def _contains(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    keywords = right.keywords
    least, most = keywords.get("minContains", 1), keywords.get("maxContains", math.inf)
    wanted = right.below("contains")
    if least == 0 and most == math.inf:
        return []
    for keyword, node in branch.opaque:
        if keyword != "contains":
            continue
        own = node.below("contains")
        own_least, own_most = node.keywords.get("minContains", 1), node.keywords.get("maxContains", math.inf)
        enough = own_least >= least and (least == 0 or containment.within(frozenset((own,)), wanted))
        few = own_most <= most and (most == math.inf or containment.within(frozenset((wanted,)), own))
        if enough and few:
            return []
    if most == math.inf and branch.min_items >= least:
        last = max(branch.tuple_length, 0)
        if all(containment.within(branch.item_term(index), wanted) for index in range(last + 1)):
            return []
    return [containment.probed(branch, right, "contains")]


def _at_index(instances: Instances, branch: Branch, index: int) -> Callable[[Any], Iterator[Any]]:
    return lambda item: instances.array_with(branch, index, item)


RULES = (
    Rule("array", ("items", "prefixItems", "additionalItems"), _items),
    Rule("array", ("minItems", "maxItems"), _item_count),
    Rule("array", ("uniqueItems",), _unique),
    Rule("array", ("contains",), _contains),
)
