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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolmint.diffing.branches import (
    ANY_TEXT,
    Bound,
    Branch,
    Branches,
    Term,
    array_shape,
    asserting,
    kind_of,
    object_shape,
    refine,
)
from toolmint.diffing.documents import Document, Equivalence, Node, Unverifiable, accepted_by_all, identity
from toolmint.diffing.instances import Instances, numbers, strings

MAX_STEPS = 20_000
"""Most keywords that are looked at for one question; beyond, what is left cannot be told."""

_MAX_PIECES = 50
"""Most values of a property by which a branch is taken apart."""

_MAX_PROBES = 200
"""Most values that are tried as witnesses for one failure."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
"""Stands for a value that is not there, which null cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A keyword that a schema was not shown to be within.

    Attributes:
        rule: Which rule failed; mostly the keyword's name.
        keyword: The keyword in the right schema.
        right: The schema that has the keyword.
        item: What of the keyword it is about: a property's name, an enumerated value; ABSENT where it is the whole.
        left_value: What the left side has in its place; ABSENT where it has nothing.
        right_value: The keyword's value; ABSENT where it is a schema.
        witness: A value that is valid on the left and refused by the right; ABSENT where none was found.
        reason: Why it cannot be told, where there is no witness.
        excused: It fails only for properties that the left side does not describe, see ``Containment``.
    """

    rule: str
    keyword: str
    right: Node
    item: Any = ABSENT
    left_value: Any = ABSENT
    right_value: Any = ABSENT
    witness: Any = ABSENT
    reason: str = ""
    excused: bool = False

    @property
    def proven(self) -> bool:
        """Whether there is a witness."""
        return self.witness is not ABSENT

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells this failure from another one."""
        return self.rule, self.keyword, self.right, identity(self.item)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question of containment."""

    failures: tuple[Failure, ...]

    @property
    def answer(self) -> Literal["yes", "no", "cannot tell"]:
        """Whether everything that the left schema takes is taken by the right one."""
        if not self.failures:
            return "yes"
        return "no" if any(failure.proven for failure in self.failures) else "cannot tell"

    @property
    def witness(self) -> Any:
        """A value that only the left schema takes; ABSENT unless the answer is no."""
        return next((failure.witness for failure in self.failures if failure.proven), ABSENT)


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
        self._excuse = excuse_undescribed
        self._prove = prove
        self._branches = Branches()
        self._instances = Instances(self._branches)
        self._equivalence = Equivalence()
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
                return Verdict(self._failures(frozenset((left.node,)), right.node))
            except RecursionError:
                return Verdict((_too_large(right.node),))
        if self._equivalence.same(left.node, right.node):
            return Verdict(())
        problem = left.problem or right.problem
        return Verdict(
            (Failure(rule="invalid", keyword="", right=right.node, reason=f"a schema is invalid: {problem}"),)
        )

    # -- terms and branches -------------------------------------------------------------------------------------------

    def _failures(self, left: Term, right: Node) -> tuple[Failure, ...]:
        """Return how a conjunction fails to be within a schema; nothing where it is within."""
        key = left, right
        if key in self._known:
            return self._known[key]
        if not self._prove and key in self._unproven:
            return self._unproven[key]
        if any(self._equivalence.same(node, right) for node in left):
            return ()
        if key in self._open:
            self._oldest_assumed = min(self._oldest_assumed, self._open[key])
            return ()
        depth = self._open[key] = len(self._open)
        assumed_before, self._oldest_assumed = self._oldest_assumed, math.inf
        try:
            found = [failure for branch in self._branches.of(left) for failure in self._branch_failures(branch, right)]
        finally:
            del self._open[key]
            oldest, self._oldest_assumed = self._oldest_assumed, min(assumed_before, self._oldest_assumed)
            if oldest >= depth:
                # Nothing further out was relied upon; what was assumed of this very pair is settled now.
                self._oldest_assumed = assumed_before
        result = tuple(_merged(found))
        if result and not self._prove:
            self._unproven[key] = result
        elif result or oldest >= depth:
            self._known[key] = result
        return result

    def _within(self, left: Term, right: Node) -> bool:
        with self._not_proving():
            return not self._failures(left, right)

    def _branch_within(self, branch: Branch, right: Node) -> bool:
        with self._not_proving():
            return not self._branch_failures(branch, right)

    def _branch_failures(self, branch: Branch, right: Node) -> list[Failure]:
        """Return how a branch fails to be within a schema."""
        if right in branch.met or right.value is True:
            return []
        self._steps += 1
        if self._steps > MAX_STEPS:
            return [_too_large(right)]
        if right.value is False:
            return [self._failure(branch, right, "false", "false", self._pool(branch))]
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
            rule = next((rule for rule in _RULES if rule.takes_apart and keyword in rule.keywords), None)
            if rule:
                found += rule.check(self, piece, right)
            else:
                found += [self._failure(piece, right, "value", keyword, [value], item=value) for value in values]
        return found

    def _keywords(self, branch: Branch, right: Node, keywords: Mapping[str, Any]) -> list[Failure]:
        found: list[Failure] = []
        for rule in _RULES:
            if rule.kind in (None, branch.kind) and not keywords.keys().isdisjoint(rule.keywords):
                found += rule.check(self, branch, right)
                if found and rule.final:
                    break
        return found

    def _failure(
        self, branch: Branch, right: Node, rule: str, keyword: str, candidates: Iterable[Any], **details: Any
    ) -> Failure:
        """Return a failure at a keyword, with the first candidate that proves it."""
        reason = details.pop("reason", "no value was found that shows the difference")
        failure = Failure(rule=rule, keyword=keyword, right=right, reason=reason, **details)
        if not self._prove:
            return failure
        probes = itertools.chain(candidates, branch.values or ())
        for value in itertools.islice(probes, _MAX_PROBES):
            if kind_of(value) == branch.kind and self._proves(branch, right, keyword, value):
                return replace(failure, witness=value, reason="")
        return failure

    def _proves(self, branch: Branch, right: Node, keyword: str, value: Any) -> bool:
        try:
            return keyword in right.refusals(value) and accepted_by_all(branch.met, value)
        except Unverifiable:
            return False

    def _lifted(
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

    def _pool(self, branch: Branch) -> list[Any]:
        """Return some instances of a branch, where a proof is looked for."""
        return self._instances.of_branch(branch) if self._prove else []

    @contextmanager
    def _not_proving(self) -> Iterator[None]:
        """Answer only whether, not why not: most alternatives fail, and only that one does not matters."""
        before, self._prove = self._prove, False
        try:
            yield
        finally:
            self._prove = before

    # -- any kind -----------------------------------------------------------------------------------------------------

    def _type(self, branch: Branch, right: Node) -> list[Failure]:
        types = right.keywords["type"]
        names = [types] if isinstance(types, str) else types
        kind = branch.kind
        if kind in names or (kind == "number" and "integer" in names and branch.integer):
            return []
        pool: Iterable[Any] = self._pool(branch)
        if kind == "number" and "integer" in names:
            pool = itertools.chain((value for value in numbers(branch) if value % 1), pool)
        name = "integer" if kind == "number" and branch.integer else kind
        return [self._failure(branch, right, "type", "type", pool, left_value=(name,), right_value=types)]

    def _const(self, branch: Branch, right: Node) -> list[Failure]:
        return self._among(branch, right, "const", [right.keywords["const"]])

    def _enum(self, branch: Branch, right: Node) -> list[Failure]:
        return self._among(branch, right, "enum", right.keywords["enum"])

    def _among(self, branch: Branch, right: Node, keyword: str, allowed: list[Any]) -> list[Failure]:
        if branch.values is None:
            pool = self._pool(branch)
            return [self._failure(branch, right, "values", keyword, pool, right_value=allowed)]
        known = set(map(identity, allowed))
        return [
            self._failure(branch, right, "value", keyword, [value], item=value)
            for value in branch.values
            if identity(value) not in known
        ]

    def _reference(self, branch: Branch, right: Node) -> list[Failure]:
        target = right.target()
        if target is not None:
            return self._branch_failures(branch, target)
        reason = f"the reference {right.keywords['$ref']!r} leads nowhere in the schema"
        return [Failure(rule="$ref", keyword="$ref", right=right, reason=reason)]

    def _all_of(self, branch: Branch, right: Node) -> list[Failure]:
        parts = range(len(right.keywords["allOf"]))
        return [failure for index in parts for failure in self._branch_failures(branch, right.below("allOf", index))]

    def _any_of(self, branch: Branch, right: Node) -> list[Failure]:
        return self._alternatives(branch, right, "anyOf", _within_any)

    def _one_of(self, branch: Branch, right: Node) -> list[Failure]:
        if self._has_same(branch, "oneOf", right):
            return []
        return self._alternatives(branch, right, "oneOf", self._within_one)

    def _within_one(self, branch: Branch, right: Node, failures: Sequence[Sequence[Failure]]) -> bool:
        return any(
            not failures[chosen]
            and all(
                self._branches.disjoint(branch, right.below("oneOf", other))
                for other in range(len(failures))
                if other != chosen
            )
            for chosen in range(len(failures))
        )

    def _alternatives(
        self,
        branch: Branch,
        right: Node,
        keyword: str,
        within: Callable[[Branch, Node, Sequence[Sequence[Failure]]], bool],
        apart: frozenset[str] = frozenset(),
    ) -> list[Failure]:
        """Find the alternative that a branch is within, whole or taken apart by the values of a property."""
        nodes = [right.below(keyword, index) for index in range(len(right.keywords[keyword]))]
        with self._not_proving():
            failures = [self._branch_failures(branch, node) for node in nodes]
            if within(branch, right, failures):
                return []
        split = self._split(branch, apart)
        if split:
            name, pieces = split
            found = [self._alternatives(piece, right, keyword, within, apart | {name}) for piece in pieces]
            return _merged(failure for part in found for failure in part)
        if branch.values is not None and len(branch.values) > 1:
            singles = [replace(branch, values=(value,)) for value in branch.values]
            found = [self._alternatives(single, right, keyword, within) for single in singles]
            return _merged(failure for part in found for failure in part)
        if self._prove:
            failures = [self._branch_failures(branch, node) for node in nodes]
        return self._nearest(branch, right, keyword, nodes, failures)

    def _split(self, branch: Branch, apart: frozenset[str]) -> tuple[str, list[Branch]] | None:
        """Return a property whose values tell those of a branch apart, with the branch's part for each of them."""
        if branch.kind != "object" or branch.values is not None:
            return None
        for name in sorted(branch.required - apart):
            parts = self._branches.of(branch.property_term(name))
            values = [value for part in parts for value in part.values or ()]
            if all(part.values is not None for part in parts) and 1 < len(values) <= _MAX_PIECES:
                nodes = [asserting({"properties": {name: {"const": value}}}) for value in values]
                pieces = [piece for node in nodes for piece in refine(branch, node)]
                return name, [piece for piece in pieces if not self._branches.vacant(piece)]
        return None

    def _nearest(
        self, branch: Branch, right: Node, keyword: str, nodes: Sequence[Node], failures: Sequence[Sequence[Failure]]
    ) -> list[Failure]:
        """Say why a branch is within no alternative: what fails in the nearest one, if that proves it."""
        candidates = [
            found
            for node, found in zip(nodes, failures, strict=True)
            if found
            and not any(failure.rule in ("type", "false") and failure.right == _final(node) for failure in found)
        ]
        discriminated = [
            found for found in candidates if not any(failure.rule in ("value", "values") for failure in found)
        ]
        near = sorted(discriminated or candidates, key=_distance)
        if near and all(failure.excused for failure in near[0]):
            return list(near[0])
        pool = [failure.witness for found in failures for failure in found if failure.proven]
        if near and (len(near) == 1 or _distance(near[0]) < _distance(near[1])):
            kept = [self._confirmed(branch, right, keyword, failure) for failure in near[0]]
            if not self._prove or any(failure.proven for failure in kept):
                return kept
        pool += self._pool(branch)
        left = "integer" if branch.integer and branch.kind == "number" else branch.kind
        rule = keyword if candidates or not all(failures) else "type"
        reason = "its alternatives could not be told apart"
        return [self._failure(branch, right, rule, keyword, pool, left_value=(left,), reason=reason)]

    def _confirmed(self, branch: Branch, right: Node, keyword: str, failure: Failure) -> Failure:
        if failure.excused or not failure.proven or self._proves(branch, right, keyword, failure.witness):
            return failure
        return replace(failure, witness=ABSENT, reason="another alternative may take what this one refuses")

    def _not(self, branch: Branch, right: Node) -> list[Failure]:
        refused = right.below("not")
        if self._branches.disjoint(branch, refused):
            return []
        for keyword, node in branch.opaque:
            if keyword == "not" and self._within(frozenset((refused,)), node.below("not")):
                return []
        return [self._probed(branch, right, "not")]

    def _if(self, branch: Branch, right: Node) -> list[Failure]:
        keywords = right.keywords
        if self._has_same(branch, "if", right, "if", "then", "else"):
            return []
        condition = right.below("if")
        pieces: list[tuple[Branch, str]] = []
        if "then" in keywords:
            met = refine(branch, condition)
            for node in self._conditions(branch, "then"):
                if self._within(frozenset((condition,)), node.below("if")):
                    met = [refined for piece in met for refined in refine(piece, node.below("then"))]
            pieces += [(piece, "then") for piece in met if not self._branches.vacant(piece)]
        if "else" in keywords and not self._branch_within(branch, condition):
            unmet = [branch]
            for node in self._conditions(branch, "else"):
                if self._within(frozenset((node.below("if"),)), condition):
                    unmet = [refined for piece in unmet for refined in refine(piece, node.below("else"))]
            pieces += [(piece, "else") for piece in unmet if not self._branches.vacant(piece)]
        if all(self._branch_within(piece, right.below(keyword)) for piece, keyword in pieces):
            return []
        return [self._probed_condition(branch, right)]

    def _conditions(self, branch: Branch, keyword: str) -> list[Node]:
        """Return the schemas of a branch with a condition that has a consequence."""
        return [node for name, node in branch.opaque if name == "if" and keyword in node.keywords]

    def _probed_condition(self, branch: Branch, right: Node) -> Failure:
        # What a condition refuses is reported for its then or its else, whichever that was.
        found = [
            self._probed(branch, right, keyword, rule="if") for keyword in ("then", "else") if keyword in right.keywords
        ]
        found += [self._probed(branch, right, "if")]
        return next((failure for failure in found if failure.proven), found[-1])

    def _unexpressed(self, branch: Branch, right: Node) -> list[Failure]:
        """Keywords that are compared only as they are written."""
        return [
            self._probed(branch, right, keyword)
            for keyword in ("$dynamicRef", "unevaluatedItems", "unevaluatedProperties")
            if keyword in right.keywords
            and right.keywords[keyword] not in (True, {})
            and not any(name == keyword and self._equivalence.same(node, right) for name, node in branch.opaque)
        ]

    def _probed(self, branch: Branch, right: Node, keyword: str, rule: str = "") -> Failure:
        """Return a failure for which only trying some values can find a proof."""
        pool = self._pool(branch)
        reason = f"what {rule or keyword} asks for could not be compared"
        return self._failure(branch, right, rule or keyword, keyword, pool, reason=reason)

    def _has_same(self, branch: Branch, keyword: str, right: Node, *parts: str) -> bool:
        """Return whether the branch satisfies a keyword that is written like the right one."""
        return any(self._alike(node, right, parts or (keyword,)) for name, node in branch.opaque if name == keyword)

    def _alike(self, left: Node, right: Node, keywords: Iterable[str]) -> bool:
        return all(self._alike_keyword(left, right, keyword) for keyword in keywords)

    def _alike_keyword(self, left: Node, right: Node, keyword: str) -> bool:
        if keyword not in left.keywords or keyword not in right.keywords:
            return keyword not in left.keywords and keyword not in right.keywords
        if keyword != "oneOf":
            return self._equal(left.below(keyword), right.below(keyword))
        ours = [left.below(keyword, index) for index in range(len(left.keywords[keyword]))]
        for index in range(len(right.keywords[keyword])):
            twin = next((node for node in ours if self._equal(node, right.below(keyword, index))), None)
            if twin is None:
                return False
            ours.remove(twin)
        return not ours

    def _equal(self, left: Node, right: Node) -> bool:
        """Return whether two schemas are known to take the same values."""
        return self._equivalence.same(left, right) or (
            self._within(frozenset((left,)), right) and self._within(frozenset((right,)), left)
        )

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _lowest(self, branch: Branch, right: Node) -> list[Failure]:
        return self._bounds(branch, right, ("minimum", "exclusiveMinimum"), branch.lower, lowest=True)

    def _highest(self, branch: Branch, right: Node) -> list[Failure]:
        return self._bounds(branch, right, ("maximum", "exclusiveMaximum"), branch.upper, lowest=False)

    def _bounds(
        self, branch: Branch, right: Node, keywords: Sequence[str], bound: Bound | None, *, lowest: bool
    ) -> list[Failure]:
        found = []
        for keyword in keywords:
            limit = right.keywords.get(keyword)
            if limit is None or (bound is not None and _at_least_as_tight(bound, limit, keyword, lowest=lowest)):
                continue
            left_value = ABSENT if bound is None else bound.value
            probes = numbers(branch, limit)
            found.append(
                self._failure(branch, right, "bound", keyword, probes, left_value=left_value, right_value=limit)
            )
        return found

    def _multiple(self, branch: Branch, right: Node) -> list[Failure]:
        factor = right.keywords["multipleOf"]
        known = {*branch.multiples, 1} if branch.integer else branch.multiples
        # Fractions are left alone: implementations differ in how they divide them.
        if any(own == factor or (_whole(own) and _whole(factor) and own % factor == 0) for own in known):
            return []
        left_value = max(branch.multiples, default=ABSENT)
        probes = numbers(branch)
        return [self._failure(branch, right, "bound", "multipleOf", probes, left_value=left_value, right_value=factor)]

    # -- strings ------------------------------------------------------------------------------------------------------

    def _length(self, branch: Branch, right: Node) -> list[Failure]:
        keywords = right.keywords
        least, most = keywords.get("minLength", 0), keywords.get("maxLength", math.inf)
        found = []
        if branch.min_length < least:
            probes = itertools.chain(strings(branch, branch.min_length), strings(branch, int(least) - 1))
            found.append(self._bound(branch, right, "minLength", branch.min_length or ABSENT, probes))
        if most < math.inf and (branch.max_length is None or branch.max_length > most):
            longer = strings(branch, max(int(most) + 1, branch.min_length), branch.max_length)
            found.append(self._bound(branch, right, "maxLength", _or_absent(branch.max_length), longer))
        return found

    def _bound(self, branch: Branch, right: Node, keyword: str, left_value: Any, probes: Iterable[Any]) -> Failure:
        candidates = itertools.chain(probes, self._pool(branch))
        limit = right.keywords[keyword]
        return self._failure(branch, right, "bound", keyword, candidates, left_value=left_value, right_value=limit)

    def _pattern(self, branch: Branch, right: Node) -> list[Failure]:
        pattern = right.keywords["pattern"]
        if pattern in branch.patterns:
            return []
        probes = itertools.chain(strings(branch, branch.min_length), strings(branch, branch.min_length + 1))
        left_value = min(branch.patterns, default=ABSENT)
        reason = "two patterns cannot be compared"
        return [
            self._failure(
                branch, right, "pattern", "pattern", probes, left_value=left_value, right_value=pattern, reason=reason
            )
        ]

    def _format(self, branch: Branch, right: Node) -> list[Failure]:
        name = right.keywords["format"]
        if name in branch.formats:
            return []
        reason = "whether a format is asserted is up to the server"
        left_value = min(branch.formats, default=ABSENT)
        return [
            Failure(
                rule="format", keyword="format", right=right, left_value=left_value, right_value=name, reason=reason
            )
        ]

    # -- arrays -------------------------------------------------------------------------------------------------------

    def _items(self, branch: Branch, right: Node) -> list[Failure]:
        shape = array_shape(right)
        most = self._branches.most_items(branch)
        last = max(branch.tuple_length, len(shape.prefix))
        found: list[Failure] = []
        for index in range(last + 1):
            if most is not None and index >= most:
                break
            for node in shape.of(index):
                inner = self._failures(branch.item_term(index), node)
                build = _at_index(self._instances, branch, index)
                found += self._lifted(branch, right, inner, build)
        return found

    def _item_count(self, branch: Branch, right: Node) -> list[Failure]:
        keywords = right.keywords
        least, most = keywords.get("minItems", 0), keywords.get("maxItems", math.inf)
        ours = self._branches.most_items(branch)
        found = []
        if branch.min_items < least:
            lengths = dict.fromkeys((branch.min_items, int(least) - 1))
            probes = (array for length in lengths for array in self._instances.arrays(branch, length))
            found.append(self._bound(branch, right, "minItems", branch.min_items or ABSENT, probes))
        if most < math.inf and (ours is None or ours > most):
            longer = self._instances.arrays(branch, max(int(most) + 1, branch.min_items))
            found.append(self._bound(branch, right, "maxItems", _or_absent(branch.max_items), longer))
        return found

    def _unique(self, branch: Branch, right: Node) -> list[Failure]:
        most = self._branches.most_items(branch)
        if not right.keywords["uniqueItems"] or branch.unique or (most is not None and most <= 1):
            return []
        return [self._bound(branch, right, "uniqueItems", ABSENT, self._instances.repeated(branch))]

    def _contains(self, branch: Branch, right: Node) -> list[Failure]:
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
            enough = own_least >= least and (least == 0 or self._within(frozenset((own,)), wanted))
            few = own_most <= most and (most == math.inf or self._within(frozenset((wanted,)), own))
            if enough and few:
                return []
        if most == math.inf and branch.min_items >= least:
            last = max(branch.tuple_length, 0)
            if all(self._within(branch.item_term(index), wanted) for index in range(last + 1)):
                return []
        return [self._probed(branch, right, "contains")]

    # -- objects ------------------------------------------------------------------------------------------------------

    def _properties(self, branch: Branch, right: Node) -> list[Failure]:
        """Check what ``properties``, ``patternProperties`` and ``additionalProperties`` say, which belong together."""
        shape = object_shape(right)
        names = self._listed(branch)
        found: list[Failure] = []
        for name in dict.fromkeys((*shape.properties, *(names if names is not None else branch.listed_names))):
            if names is not None and name not in names:
                continue
            term = branch.property_term(name)
            if self._branches.empty(term):
                continue
            covered = shape.covers(name)
            if covered is None:
                found.append(self._unknown_pattern(right, name))
            for node in shape.of(name):
                found += self._property(branch, right, name, node, term, covered=bool(covered))
        if names is None:
            found += self._further_names(branch, right)
        return found

    def _listed(self, branch: Branch) -> tuple[str, ...] | None:
        """Return all names that properties can have, where ``propertyNames`` enumerates them."""
        if not branch.names:
            return None
        parts = self._branches.of(branch.names | {ANY_TEXT})
        if any(part.values is None for part in parts):
            return None
        return tuple(name for part in parts for name in self._branches.enumerated(part))

    def _unknown_pattern(self, right: Node, name: str) -> Failure:
        reason = f"whether {name!r} matches a pattern could not be found out"
        return Failure(rule="patternProperties", keyword="patternProperties", right=right, item=name, reason=reason)

    def _property(
        self, branch: Branch, right: Node, name: str, node: Node, term: Term, *, covered: bool
    ) -> list[Failure]:
        build = _with_property(self._instances, branch, name)
        if not covered and node.value is False:
            probes = (whole for value in self._instances.of(term)[:3] for whole in build(value))
            return [self._failure(branch, right, "removed", "additionalProperties", probes, item=name)]
        inner = self._failures(term, node)
        if not inner or not covered or branch.describes(name):
            return self._lifted(branch, right, inner, build)
        # One failure says it all: nothing was known of the property before.
        excused = self._excuse and (bool(branch.listed_names) or _at_root(branch))
        failure = Failure(rule="described", keyword="properties", right=right, item=name, excused=excused, reason="")
        proven = next((found for found in self._lifted(branch, right, inner, build) if found.proven), None)
        if proven is not None:
            return [replace(failure, witness=proven.witness)]
        return [replace(failure, reason=inner[0].reason or "no value was found that shows the difference")]

    def _further_names(self, branch: Branch, right: Node) -> list[Failure]:
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
            sources = self._sources(branch, shape.patterns, pattern)
            results = [[failure for term in terms for failure in self._failures(term, node)] for terms in sources]
            if not all(results):
                continue
            inner = _merged(results[0])
            if pattern is None and node.value is False:
                probes = self._instances.objects_with_more(branch)
                closed = self._failure(branch, right, "closed", "additionalProperties", probes)
                found.append(closed)
            else:
                found += self._lifted(branch, right, inner, _with_further(self._instances, branch, pattern))
        return found

    def _sources(self, branch: Branch, patterns: Mapping[str, Node], pattern: str | None) -> list[list[Term]]:
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

    def _required(self, branch: Branch, right: Node) -> list[Failure]:
        return [
            self._failure(
                branch, right, "required", "required", self._instances.objects_without(branch, name), item=name
            )
            for name in right.keywords["required"]
            if name not in branch.required
        ]

    def _property_count(self, branch: Branch, right: Node) -> list[Failure]:
        keywords = right.keywords
        least, most = keywords.get("minProperties", 0), keywords.get("maxProperties", math.inf)
        found = []
        if max(branch.min_properties, len(branch.required)) < least:
            probes = self._instances.objects(branch)
            found.append(self._bound(branch, right, "minProperties", branch.min_properties or ABSENT, probes))
        ours = self._most_properties(branch)
        if most < math.inf and (ours is None or ours > most):
            larger = replace(branch, min_properties=int(most) + 1)
            probes = itertools.chain(self._instances.objects(larger), self._instances.objects_with_more(larger))
            found.append(self._bound(branch, right, "maxProperties", _or_absent(branch.max_properties), probes))
        return found

    def _most_properties(self, branch: Branch) -> int | None:
        counts = [] if branch.max_properties is None else [branch.max_properties]
        names = self._listed(branch)
        if names is not None:
            counts.append(len(names))
        counts += [len(shape.properties) for shape in branch.objects if shape.closed]
        return min(counts, default=None)

    def _property_names(self, branch: Branch, right: Node) -> list[Failure]:
        wanted = right.below("propertyNames")
        if self._within(branch.names | {ANY_TEXT}, wanted) or self._most_properties(branch) == 0:
            return []
        try:
            if any(all(map(wanted.accepts, shape.properties)) for shape in branch.objects if shape.closed):
                return []
        except Unverifiable:
            pass
        probes = itertools.chain(self._instances.objects_with_more(branch), self._instances.objects(branch))
        reason = "the names that are allowed could not be compared"
        return [self._failure(branch, right, "propertyNames", "propertyNames", probes, reason=reason)]

    def _dependencies(self, branch: Branch, right: Node) -> list[Failure]:
        found = []
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, needed in right.keywords.get(keyword, {}).items():
                if self._branches.empty(branch.property_term(name)):
                    continue
                asked = asserting({"required": needed}) if isinstance(needed, list) else right.below(keyword, name)
                if self._depends(branch, name, asked):
                    continue
                present = (
                    whole
                    for value in self._instances.of(branch.property_term(name))[:3]
                    for whole in self._instances.objects_with(branch, name, value)
                )
                reason = f"what {name!r} entails could not be compared"
                found.append(self._failure(branch, right, "dependency", keyword, present, item=name, reason=reason))
        return found

    def _depends(self, branch: Branch, name: str, asked: Node) -> bool:
        """Return whether every object of a branch that has a property satisfies a schema."""
        pieces = refine(branch, asserting({"required": [name]}))
        for keyword, node in branch.opaque:
            if keyword in ("dependentRequired", "dependentSchemas", "dependencies") and name in node.keywords[keyword]:
                needed = node.keywords[keyword][name]
                known = asserting({"required": needed}) if isinstance(needed, list) else node.below(keyword, name)
                pieces = [refined for piece in pieces for refined in refine(piece, known)]
        return all(self._branch_within(piece, asked) for piece in pieces if not self._branches.vacant(piece))


@dataclass(frozen=True, slots=True)
class _Rule:
    """How keywords are compared.

    Attributes:
        kind: The only kind of value they say anything about; None: any.
        keywords: Those that are compared together; the check runs once where a schema has any of them.
        check: Returns what fails.
        final: Nothing else need be compared where it fails.
        takes_apart: It leads on to other schemas or names values, so it has more to say of a value than that it fails.
    """

    kind: str | None
    keywords: tuple[str, ...]
    check: Callable[[Containment, Branch, Node], list[Failure]]
    final: bool = False
    takes_apart: bool = False


_RULES = (
    _Rule(None, ("type",), Containment._type, final=True, takes_apart=True),
    _Rule(None, ("$ref",), Containment._reference, takes_apart=True),
    _Rule(None, ("const",), Containment._const, takes_apart=True),
    _Rule(None, ("enum",), Containment._enum, takes_apart=True),
    _Rule(None, ("allOf",), Containment._all_of, takes_apart=True),
    _Rule(None, ("anyOf",), Containment._any_of, takes_apart=True),
    _Rule(None, ("oneOf",), Containment._one_of, takes_apart=True),
    _Rule(None, ("not",), Containment._not),
    _Rule(None, ("if",), Containment._if),
    _Rule(None, ("$dynamicRef", "unevaluatedItems", "unevaluatedProperties"), Containment._unexpressed),
    _Rule("number", ("minimum", "exclusiveMinimum"), Containment._lowest),
    _Rule("number", ("maximum", "exclusiveMaximum"), Containment._highest),
    _Rule("number", ("multipleOf",), Containment._multiple),
    _Rule("string", ("minLength", "maxLength"), Containment._length),
    _Rule("string", ("pattern",), Containment._pattern),
    _Rule("string", ("format",), Containment._format),
    _Rule("array", ("items", "prefixItems", "additionalItems"), Containment._items),
    _Rule("array", ("minItems", "maxItems"), Containment._item_count),
    _Rule("array", ("uniqueItems",), Containment._unique),
    _Rule("array", ("contains",), Containment._contains),
    _Rule("object", ("required",), Containment._required),
    _Rule("object", ("properties", "patternProperties", "additionalProperties"), Containment._properties),
    _Rule("object", ("minProperties", "maxProperties"), Containment._property_count),
    _Rule("object", ("propertyNames",), Containment._property_names),
    _Rule("object", ("dependentRequired", "dependentSchemas", "dependencies"), Containment._dependencies),
)


def _too_large(right: Node) -> Failure:
    return Failure(rule="effort", keyword="", right=right, reason="the schemas are too large to compare")


def _merged(failures: Iterable[Failure]) -> list[Failure]:
    """Return failures without those that say the same; what has a proof is kept before what has none."""
    found: dict[tuple[Any, ...], Failure] = {}
    for failure in failures:
        other = found.get(failure.place)
        if other is None:
            found[failure.place] = failure
            continue
        kept = failure if failure.proven and not other.proven else other
        if failure.rule == "type":
            kept = replace(kept, left_value=tuple(dict.fromkeys((*other.left_value, *failure.left_value))))
        found[failure.place] = replace(kept, excused=failure.excused and other.excused)
    return list(found.values())


def _distance(failures: Sequence[Failure]) -> tuple[int, int]:
    return sum(not failure.excused for failure in failures), len(failures)


def _within_any(_branch: Branch, _right: Node, failures: Sequence[Sequence[Failure]]) -> bool:
    return not all(failures)


def _final(node: Node) -> Node:
    """Return the schema at the end of a chain of references."""
    seen = {node}
    while "$ref" in node.keywords and (target := node.target()) and target not in seen:
        seen.add(target)
        node = target
    return node


def _at_root(branch: Branch) -> bool:
    return any(not node.path for node in branch.met)


def _or_absent(limit: int | None) -> Any:
    return ABSENT if limit is None else limit


def _whole(number: float) -> bool:
    return isinstance(number, int) or number.is_integer()


def _at_least_as_tight(bound: Bound, limit: float, keyword: str, *, lowest: bool) -> bool:
    if bound.value == limit:
        return bound.exclusive or not keyword.startswith("exclusive")
    return (bound.value > limit) == lowest


def _at_index(instances: Instances, branch: Branch, index: int) -> Callable[[Any], Iterator[Any]]:
    return lambda item: instances.array_with(branch, index, item)


def _with_property(instances: Instances, branch: Branch, name: str) -> Callable[[Any], Iterator[Any]]:
    return lambda value: instances.objects_with(branch, name, value)


def _with_further(instances: Instances, branch: Branch, pattern: str | None) -> Callable[[Any], Iterator[Any]]:
    return lambda value: instances.objects_with_further(branch, pattern, value)
