"""Properties by name, by pattern and otherwise; how many, which names, and what they entail."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolmint.diffing.branches import ANY_TEXT, Branch, Term, asserting, object_shape, refine
from toolmint.diffing.documents import Node, Unverifiable
from toolmint.diffing.failures import Failure, merged
from toolmint.diffing.instances import Instances
from toolmint.diffing.rules.rule import Rule

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment


def _properties(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    """Check what ``properties``, ``patternProperties`` and ``additionalProperties`` say, which belong together."""
    shape = object_shape(right)
    names = _listed(containment, branch)
    found: list[Failure] = []
    for name in dict.fromkeys((*shape.properties, *(names if names is not None else branch.listed_names))):
        if names is not None and name not in names:
            continue
        term = branch.property_term(name)
        if containment.branches.empty(term):
            continue
        covered = shape.covers(name)
        if covered is None:
            found.append(_unknown_pattern(right, name))
        for node in shape.of(name):
            found += _property(containment, branch, right, name, node, term, covered=bool(covered))
    if names is None:
        found += _further_names(containment, branch, right)
    return found


def _listed(containment: "Containment", branch: Branch) -> tuple[str, ...] | None:
    """Return all names that properties can have, where ``propertyNames`` enumerates them."""
    if not branch.names:
        return None
    parts = containment.branches.of(branch.names | {ANY_TEXT})
    if any(part.values is None for part in parts):
        return None
    return tuple(name for part in parts for name in containment.branches.enumerated(part))


def _unknown_pattern(right: Node, name: str) -> Failure:
    reason = f"whether {name!r} matches a pattern could not be found out"
    return Failure(rule="patternProperties", keyword="patternProperties", right=right, item=name, reason=reason)


def _property(
    containment: "Containment", branch: Branch, right: Node, name: str, node: Node, term: Term, *, covered: bool
) -> list[Failure]:
    build = _with_property(containment.instances, branch, name)
    if not covered and node.value is False:
        probes = (whole for value in containment.instances.of(term)[:3] for whole in build(value))
        return [containment.failure(branch, right, "removed", "additionalProperties", probes, item=name)]
    inner = containment.failures(term, node)
    if not inner or not covered or branch.describes(name):
        return containment.lifted(branch, right, inner, build)
    # One failure says it all: nothing was known of the property before.
    excused = containment.excuse_undescribed and (bool(branch.listed_names) or _at_root(branch))
    failure = Failure(rule="described", keyword="properties", right=right, item=name, excused=excused, reason="")
    proven = next((found for found in containment.lifted(branch, right, inner, build) if found.proven), None)
    if proven is not None:
        return [replace(failure, witness=proven.witness)]
    return [replace(failure, reason=inner[0].reason or "no value was found that shows the difference")]


def _further_names(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    """Check properties that neither side lists by name."""
    shape = object_shape(right)
    found: list[Failure] = []
    wanted: list[tuple[Node, str | None]] = [(node, text) for text, node in shape.patterns.items()]
    if shape.additional is not None and shape.additional.value not in (True, {}):
        wanted.append((shape.additional, None))
    most = branch.max_properties
    if most is not None and most <= len(branch.required):
        return []
    for node, pattern in wanted:
        sources = _sources(branch, shape.patterns, pattern)
        results = [[failure for term in terms for failure in containment.failures(term, node)] for terms in sources]
        if not all(results):
            continue
        inner = merged(results[0])
        if pattern is None and node.value is False:
            probes = containment.instances.objects_with_more(branch)
            closed = containment.failure(branch, right, "closed", "additionalProperties", probes)
            found.append(closed)
        else:
            found += containment.lifted(branch, right, inner, _with_further(containment.instances, branch, pattern))
    return found


def _sources(branch: Branch, patterns: Mapping[str, Node], pattern: str | None) -> list[list[Term]]:
    """Return, for each shape of a branch, the schemas one of which applies to every name that is not listed.

    Names are those that match a pattern, or none of ``patterns`` where it is None.
    """
    everything: list[list[Term]] = []
    for shape in branch.objects:
        if pattern is not None and pattern in shape.patterns:
            everything.append([frozenset((shape.patterns[pattern],))])
            continue
        applicable = [node for text, node in shape.patterns.items() if pattern is not None or text not in patterns]
        terms: list[Term] = [frozenset((node,)) for node in applicable]
        terms.append(frozenset((shape.additional,)) if shape.additional is not None else frozenset())
        everything.append(terms)
    return everything or [[frozenset()]]


def _required(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    return [
        containment.failure(
            branch, right, "required", "required", containment.instances.objects_without(branch, name), item=name
        )
        for name in right.keywords["required"]
        if name not in branch.required
    ]


def _property_count(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    keywords = right.keywords
    least, most = keywords.get("minProperties", 0), keywords.get("maxProperties", math.inf)
    found = []
    if max(branch.min_properties, len(branch.required)) < least:
        probes = containment.instances.objects(branch)
        found.append(containment.bound(branch, right, "minProperties", branch.min_properties, probes))
    ours = _most_properties(containment, branch)
    if most < math.inf and (ours is None or ours > most):
        larger = replace(branch, min_properties=int(most) + 1)
        probes = itertools.chain(containment.instances.objects(larger), containment.instances.objects_with_more(larger))
        found.append(
            containment.bound(
                branch,
                right,
                "maxProperties",
                branch.max_properties,
                probes,
            )
        )
    return found


def _most_properties(containment: "Containment", branch: Branch) -> int | None:
    counts = [] if branch.max_properties is None else [branch.max_properties]
    names = _listed(containment, branch)
    if names is not None:
        counts.append(len(names))
    counts += [len(shape.properties) for shape in branch.objects if shape.closed]
    return min(counts, default=None)


def _property_names(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    wanted = right.below("propertyNames")
    if containment.within(branch.names | {ANY_TEXT}, wanted) or _most_properties(containment, branch) == 0:
        return []
    try:
        if any(all(map(wanted.accepts, shape.properties)) for shape in branch.objects if shape.closed):
            return []
    except Unverifiable:
        pass
    probes = itertools.chain(containment.instances.objects_with_more(branch), containment.instances.objects(branch))
    reason = "the names that are allowed could not be compared"
    return [containment.failure(branch, right, "propertyNames", "propertyNames", probes, reason=reason)]


def _dependencies(containment: "Containment", branch: Branch, right: Node) -> list[Failure]:
    found = []
    for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
        for name, needed in right.keywords.get(keyword, {}).items():
            if containment.branches.empty(branch.property_term(name)):
                continue
            asked = asserting({"required": needed}) if isinstance(needed, list) else right.below(keyword, name)
            if _depends(containment, branch, name, asked):
                continue
            present = (
                whole
                for value in containment.instances.of(branch.property_term(name))[:3]
                for whole in containment.instances.objects_with(branch, name, value)
            )
            reason = f"what {name!r} entails could not be compared"
            found.append(containment.failure(branch, right, "dependency", keyword, present, item=name, reason=reason))
    return found


def _depends(containment: "Containment", branch: Branch, name: str, asked: Node) -> bool:
    """Return whether every object of a branch that has a property satisfies a schema."""
    pieces = refine(branch, asserting({"required": [name]}))
    for keyword, node in branch.opaque:
        if keyword in ("dependentRequired", "dependentSchemas", "dependencies") and name in node.keywords[keyword]:
            needed = node.keywords[keyword][name]
            known = asserting({"required": needed}) if isinstance(needed, list) else node.below(keyword, name)
            pieces = [refined for piece in pieces for refined in refine(piece, known)]
    return all(containment.branch_within(piece, asked) for piece in pieces if not containment.branches.vacant(piece))


def _with_property(instances: Instances, branch: Branch, name: str) -> Callable[[Any], Iterator[Any]]:
    return lambda value: instances.objects_with(branch, name, value)


def _with_further(instances: Instances, branch: Branch, pattern: str | None) -> Callable[[Any], Iterator[Any]]:
    return lambda value: instances.objects_with_further(branch, pattern, value)


def _at_root(branch: Branch) -> bool:
    return any(not node.path for node in branch.met)


RULES = (
    Rule("object", ("required",), _required),
    Rule("object", ("properties", "patternProperties", "additionalProperties"), _properties),
    Rule("object", ("minProperties", "maxProperties"), _property_count),
    Rule("object", ("propertyNames",), _property_names),
    Rule("object", ("dependentRequired", "dependentSchemas", "dependencies"), _dependencies),
)
