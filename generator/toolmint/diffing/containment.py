"""Whether every value that one JSON Schema takes is taken by another: yes, no with a proof, or cannot tell.

The left schema is a union of branches (``toolmint.diffing.branches``), the right one is read keyword by keyword: a
branch is within a schema when it is within each of its keywords. What is not shown to be is a ``Failure`` there.

- *Yes* means that nothing failed. Every rule only says so where it follows from what the branch is known to satisfy.
- *No* means that a failure has a witness: a value that ``jsonschema`` finds valid on the left and invalid on the right.
- Anything else is *cannot tell*.

A pair of schemas that is met again inside itself is taken to hold (coinduction: a smallest counterexample would have
been found further out); what rests on such an assumption is not kept.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from toolmint.diffing.branches import Branch, Branches, Term, kind_of
from toolmint.diffing.documents import Document, Equivalence, Node, Unverifiable, accepted_by_all
from toolmint.diffing.failures import ABSENT, Failure, Verdict, merged
from toolmint.diffing.instances import Instances
from toolmint.diffing.rules import RULES

MAX_STEPS = 20_000
"""Most keywords that are looked at for one question; beyond, what is left cannot be told."""

_MAX_HINTS = 20
"""Most numbers and texts of a schema that values are tried next to."""

_MAX_PROBES = 200
"""Most values that are tried as witnesses for one failure."""


def contains(left: Any, right: Any) -> Verdict:
    """Say whether every value valid under ``left`` is valid under ``right``.

    Args:
        left: A JSON Schema, draft-07 by its ``$schema`` or else 2020-12, with every reference inside itself.
        right: Another one, of either dialect.
    """
    return Containment().compare(Document(left), Document(right))


class Containment:
    """Answers questions of containment.

    Args:
        excuse_undescribed: Callers are taken to send only properties that the left side describes, so an object that
            is open merely because nothing closes it does not fail a right side that describes a further property.
            Such a failure is still reported, as excused.
        prove: Look for witnesses. Without, the answer is yes or cannot tell, for a fraction of the effort.
    """

    def __init__(self, *, excuse_undescribed: bool = False, prove: bool = True) -> None:
        self.excuse_undescribed = excuse_undescribed
        self.proving = prove
        self.branches = Branches()
        self.instances = Instances(self.branches)
        self.equivalence = Equivalence()
        self._known: dict[tuple[Term, Node], tuple[Failure, ...]] = {}
        self._unproven: dict[tuple[Term, Node], tuple[Failure, ...]] = {}
        self._open: dict[tuple[Term, Node], int] = {}
        self._oldest_assumed = math.inf
        self._entered: set[tuple[int, Node]] = set()
        self._steps = 0

    def compare(self, left: Document, right: Document) -> Verdict:
        """Say whether everything that one document takes is taken by another."""
        self._steps = 0
        if left.problem is None and right.problem is None:
            try:
                return Verdict(self.failures(frozenset((left.node,)), right.node))
            except RecursionError:
                return Verdict((_too_large(right.node),))
        if self.equivalence.same(left.node, right.node):
            return Verdict(())
        problem = left.problem or right.problem
        return Verdict(
            (Failure(rule="invalid", keyword="", right=right.node, reason=f"a schema is invalid: {problem}"),)
        )

    def failures(self, left: Term, right: Node) -> tuple[Failure, ...]:
        """Return how a conjunction fails to be within a schema; nothing where it is within."""
        key = left, right
        if key in self._known:
            return self._known[key]
        if not self.proving and key in self._unproven:
            return self._unproven[key]
        if any(self.equivalence.same(node, right) for node in left):
            return ()
        if key in self._open:
            self._oldest_assumed = min(self._oldest_assumed, self._open[key])
            return ()
        depth = self._open[key] = len(self._open)
        assumed_before, self._oldest_assumed = self._oldest_assumed, math.inf
        try:
            found = [failure for branch in self.branches.of(left) for failure in self.branch_failures(branch, right)]
        finally:
            del self._open[key]
            oldest, self._oldest_assumed = self._oldest_assumed, min(assumed_before, self._oldest_assumed)
            if oldest >= depth:
                # Nothing further out was relied upon; what was assumed of this very pair is settled now.
                self._oldest_assumed = assumed_before
        result = tuple(merged(found))
        if result and not self.proving:
            self._unproven[key] = result
        elif result or oldest >= depth:
            self._known[key] = result
        return result

    def within(self, left: Term, right: Node) -> bool:
        """Return whether a conjunction is known to be within a schema."""
        with self.not_proving():
            return not self.failures(left, right)

    def branch_within(self, branch: Branch, right: Node) -> bool:
        """Return whether a branch is known to be within a schema."""
        with self.not_proving():
            return not self.branch_failures(branch, right)

    def branch_failures(self, branch: Branch, right: Node) -> list[Failure]:
        """Return how a branch fails to be within a schema."""
        if right in branch.met or right.value is True:
            return []
        self._steps += 1
        if self._steps > MAX_STEPS:
            return [_too_large(right)]
        if right.value is False:
            return [self.failure(branch, right, "false", "false", self.pool(branch))]
        if not isinstance(right.value, dict):
            return [Failure(rule="invalid", keyword="", right=right, reason="it is no schema")]
        entry = id(branch), right
        if entry in self._entered:
            return [Failure(rule="$ref", keyword="$ref", right=right, reason="a reference leads back to itself")]
        self._entered.add(entry)
        try:
            if branch.values is not None:
                return self._enumerated(branch, right)
            return self._keywords(branch, right, right.keywords)
        finally:
            self._entered.discard(entry)

    def _enumerated(self, branch: Branch, right: Node) -> list[Failure]:
        """Try every value of an enumeration; where that cannot be done, go by what else is known of them."""
        refused: dict[str, list[Any]] = {}
        try:
            for value in branch.values or ():
                if accepted_by_all(branch.met, value):
                    for keyword in right.refusals(value):
                        refused.setdefault(keyword, []).append(value)
        except Unverifiable:
            return self._keywords(branch, right, right.keywords)
        found: list[Failure] = []
        for keyword, values in refused.items():
            piece = replace(branch, values=tuple(values))
            rule = next((rule for rule in RULES if rule.takes_apart and keyword in rule.keywords), None)
            if rule:
                found += rule.check(self, piece, right)
            else:
                found += [self.failure(piece, right, "value", keyword, [value], item=value) for value in values]
        return found

    def _keywords(self, branch: Branch, right: Node, keywords: Mapping[str, Any]) -> list[Failure]:
        found: list[Failure] = []
        for rule in RULES:
            if rule.kind in (None, branch.kind) and not keywords.keys().isdisjoint(rule.keywords):
                found += rule.check(self, branch, right)
                if found and rule.final:
                    break
        return found

    def failure(
        self, branch: Branch, right: Node, rule: str, keyword: str, candidates: Iterable[Any], **details: Any
    ) -> Failure:
        """Return a failure at a keyword, with the first candidate that proves it."""
        reason = details.pop("reason", "no value was found that shows the difference")
        failure = Failure(rule=rule, keyword=keyword, right=right, reason=reason, **details)
        if not self.proving:
            return failure
        probes = itertools.chain(candidates, branch.values or ())
        for value in itertools.islice(probes, _MAX_PROBES):
            if kind_of(value) == branch.kind and self.proves(branch, right, keyword, value):
                return replace(failure, witness=value, reason="")
        return failure

    def proves(self, branch: Branch, right: Node, keyword: str, value: Any) -> bool:
        """Return whether a value is of the branch and refused by a keyword."""
        try:
            return keyword in right.refusals(value) and accepted_by_all(branch.met, value)
        except Unverifiable:
            return False

    def lifted(
        self, branch: Branch, right: Node, inner: Iterable[Failure], build: Callable[[Any], Iterator[Any]]
    ) -> list[Failure]:
        """Return the failures of a part of a value as those of the whole, their witnesses built into whole values."""
        return [self._rebuilt(branch, right, failure, build) if failure.proven else failure for failure in inner]

    def _rebuilt(self, branch: Branch, right: Node, failure: Failure, build: Callable[[Any], Iterator[Any]]) -> Failure:
        for whole in itertools.islice(build(failure.witness), _MAX_PROBES):
            try:
                if accepted_by_all(branch.met, whole) and not right.accepts(whole):
                    return replace(failure, witness=whole)
            except Unverifiable:
                break
        reason = "no whole value was found in which the difference shows"
        return replace(failure, witness=ABSENT, reason=reason)

    def pool(self, branch: Branch) -> list[Any]:
        """Return some instances of a branch, where a proof is looked for."""
        return self.instances.of_branch(branch) if self.proving else []

    def near(self, branch: Branch, right: Node) -> Iterator[Any]:
        """Return values, unchecked, next to those that a schema names somewhere: its limits are where it refuses."""
        for value in itertools.islice(_scalars(right.value), _MAX_HINTS) if self.proving else ():
            if branch.kind == "number" and kind_of(value) == "number":
                yield from (value, value + 1, value - 1, value + 0.5)
            elif branch.kind == kind_of(value):
                yield value

    @contextmanager
    def not_proving(self) -> Iterator[None]:
        """Answer only whether, not why not: most alternatives fail, and only that one does not matters."""
        before, self.proving = self.proving, False
        try:
            yield
        finally:
            self.proving = before

    def probed(self, branch: Branch, right: Node, keyword: str, rule: str = "") -> Failure:
        """Return a failure for which only trying some values can find a proof."""
        pool = itertools.chain(self.pool(branch), self.near(branch, right))
        reason = f"what {rule or keyword} asks for could not be compared"
        return self.failure(branch, right, rule or keyword, keyword, pool, reason=reason)

    def has_same(self, branch: Branch, keyword: str, right: Node, *parts: str) -> bool:
        """Return whether the branch satisfies a keyword that is written like the right one."""
        return any(self._alike(node, right, parts or (keyword,)) for name, node in branch.opaque if name == keyword)

    def _alike(self, left: Node, right: Node, keywords: Iterable[str]) -> bool:
        return all(self._alike_keyword(left, right, keyword) for keyword in keywords)

    def _alike_keyword(self, left: Node, right: Node, keyword: str) -> bool:
        if keyword not in left.keywords or keyword not in right.keywords:
            return keyword not in left.keywords and keyword not in right.keywords
        if keyword != "oneOf":
            return self.equal(left.below(keyword), right.below(keyword))
        ours = [left.below(keyword, index) for index in range(len(left.keywords[keyword]))]
        for index in range(len(right.keywords[keyword])):
            twin = next((node for node in ours if self.equal(node, right.below(keyword, index))), None)
            if twin is None:
                return False
            ours.remove(twin)
        return not ours

    def equal(self, left: Node, right: Node) -> bool:
        """Return whether two schemas are known to take the same values."""
        return self.equivalence.same(left, right) or (
            self.within(frozenset((left,)), right) and self.within(frozenset((right,)), left)
        )

    def bound(self, branch: Branch, right: Node, keyword: str, own_limit: int | None, probes: Iterable[Any]) -> Failure:
        """Return a failure at a limit of a count; ``own_limit`` is that of the branch, None or 0 where it has none."""
        candidates = itertools.chain(probes, self.pool(branch))
        left_value = own_limit or ABSENT
        limit = right.keywords[keyword]
        return self.failure(branch, right, "bound", keyword, candidates, left_value=left_value, right_value=limit)


def _scalars(value: Any) -> Iterator[Any]:
    """Return the numbers and texts in a value, keys left out."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _scalars(part)
    elif value is not None:
        yield value


def _too_large(right: Node) -> Failure:
    return Failure(rule="effort", keyword="", right=right, reason="the schemas are too large to compare")
