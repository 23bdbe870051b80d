"""Instances of schemas: a few different ones, each checked with ``jsonschema`` before it is handed out."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from toolmint.diffing.branches import ANY_TEXT, Branch, Branches, Number, Term
from toolmint.diffing.documents import Node, Unverifiable, accepted_by_all, identity
from toolmint.diffing.patterns import texts

_MOST = 10
"""Most instances of one schema that are kept."""

_MOST_TRIED = 60
"""Most candidates that are tried to find them."""

_DEEPEST = 7
"""How far a value is built downwards; recursive schemas have no end of their own."""

_LONGEST = 2_000
"""Longest array or object that is built."""

_LONGEST_TEXT = 100_000
"""Longest text that is built, in characters."""

_OF_FORMAT = {
    "date": ["2026-01-31"],
    "date-time": ["2026-01-31T12:00:00Z"],
    "email": ["a@example.com"],
    "hostname": ["example.com"],
    "ipv4": ["192.0.2.1"],
    "ipv6": ["2001:db8::1"],
    "time": ["12:00:00Z"],
    "uri": ["https://example.com/"],
    "uuid": ["123e4567-e89b-42d3-a456-426614174000"],
}

_FRESH_NAMES = ("undescribed", "x", "A", "a1", "0", "a_b", "")


class Instances:
    """Finds instances of terms and branches, and keeps those of terms."""

    def __init__(self, branches: Branches) -> None:
        self._branches = branches
        self._pools: dict[Term, list[Any]] = {}
        self._depth = 0

    def of(self, term: Term) -> list[Any]:
        """Return some instances of a term, simple ones first; none where none was found."""
        if term in self._pools:
            return self._pools[term]
        if self._depth >= _DEEPEST:
            return []
        self._depth += 1
        try:
            each = [self.of_branch(branch) for branch in self._branches.of(term)]
        finally:
            self._depth -= 1
        pool = [value for values in itertools.zip_longest(*each, fillvalue=_NOTHING) for value in values]
        found = _distinct(value for value in pool if value is not _NOTHING)[: _MOST + len(each)]
        if self._depth == 0 or found:
            self._pools[term] = found
        return found

    def of_branch(self, branch: Branch) -> list[Any]:
        """Return some instances of a branch."""
        return self.checked(branch, self._candidates(branch))

    def checked(self, branch: Branch, candidates: Iterable[Any]) -> list[Any]:
        """Return the first few candidates that all schemas of a branch take."""
        tried = itertools.islice(candidates, _MOST_TRIED)
        return _distinct(itertools.islice((value for value in tried if _taken(branch.met, value)), _MOST))

    # -- what is built ------------------------------------------------------------------------------------------------

    def _candidates(self, branch: Branch) -> Iterator[Any]:
        if branch.values is not None:
            yield from branch.values
            return
        yield from _suggested(branch.met)
        match branch.kind:
            case "number":
                yield from numbers(branch)
            case "string":
                yield from strings(branch, branch.min_length)
                yield from strings(branch, max(branch.min_length, 1))
            case "array":
                for length in (branch.min_items, branch.min_items + 1, branch.min_items + 2):
                    yield from self.arrays(branch, length)
            case "object":
                yield from self.objects(branch)

    def arrays(self, branch: Branch, length: int) -> Iterator[list[Any]]:
        """Return arrays of a length, unchecked."""
        if length > _LONGEST:
            return
        pools = [self.of(branch.item_term(index)) for index in range(min(length, branch.tuple_length + 1))]
        if not all(pools):
            return
        pools += [pools[-1]] * (length - len(pools)) if pools else []
        yield [pool[0] for pool in pools]
        if length:
            # Distinct items, as far as there are any.
            yield [pool[index % len(pool)] for index, pool in enumerate(pools)]
            yield from ([value, *(pool[0] for pool in pools[1:])] for value in pools[0][1:])
            first = pools[0][0]
            if isinstance(first, int | float) and not isinstance(first, bool):
                yield [first + index for index in range(length)]

    def repeated(self, branch: Branch) -> Iterator[list[Any]]:
        """Return arrays that hold an item twice, unchecked."""
        length = max(branch.min_items, 2)
        for array in self.arrays(branch, length):
            yield [*array[:-1], array[0]]
            yield [array[0]] * length

    def array_with(self, branch: Branch, index: int, item: Any) -> Iterator[list[Any]]:
        """Return arrays with a given item at an index, unchecked."""
        for length in dict.fromkeys((max(branch.min_items, index + 1), index + 1)):
            for array in self.arrays(branch, length):
                yield [*array[:index], item, *array[index + 1 :]]

    def objects(self, branch: Branch) -> Iterator[dict[str, Any]]:
        """Return objects, unchecked: the smallest, then with other values, with more properties, with all of them."""
        bases = list(itertools.islice(self._smallest(branch), 4))
        yield from bases[:1]
        optional = [name for name in branch.listed_names if name not in branch.required]
        for base in bases[:1]:
            for name in branch.required:
                yield from ({**base, name: value} for value in self.of(branch.property_term(name))[1:4])
            filled = {name: pool[0] for name in optional[:_LONGEST] if (pool := self.of(branch.property_term(name)))}
            yield {**base, **filled}
            for name in optional[:12]:
                yield from ({**base, name: value} for value in self.of(branch.property_term(name))[:2])
            yield from self.objects_with_more(branch)
        yield from bases[1:]

    def objects_with_more(self, branch: Branch) -> Iterator[dict[str, Any]]:
        """Return objects with a property that no schema mentions, unchecked."""
        listed = set(branch.listed_names)
        for base in itertools.islice(self._smallest(branch), 2):
            for name in itertools.chain(_FRESH_NAMES, self._possible_names(branch)):
                if name not in listed:
                    for value in self.of(branch.property_term(name))[:2]:
                        yield {**base, name: value}

    def objects_with_further(self, branch: Branch, pattern: str | None, value: Any) -> Iterator[dict[str, Any]]:
        """Return objects with a given value for a property that no schema mentions, unchecked."""
        names = [*(texts(pattern) if pattern is not None else ()), *_FRESH_NAMES, *self._possible_names(branch)]
        for base in itertools.islice(self._smallest(branch), 2):
            yield from ({**base, name: value} for name in names if name not in branch.listed_names)

    def objects_with(self, branch: Branch, name: str, value: Any) -> Iterator[dict[str, Any]]:
        """Return objects with a given value for a property, unchecked."""
        for base in itertools.islice(self.objects(branch), 12):
            yield {**base, name: value}
            yield self._completed(branch, {**base, name: value})

    def _completed(self, branch: Branch, value: dict[str, Any]) -> dict[str, Any]:
        """Return an object with the properties that its own entail."""
        pending = list(value)
        result = dict(value)
        while pending:
            name = pending.pop()
            for keyword, node in branch.opaque:
                needed = node.keywords[keyword].get(name) if keyword in ("dependentRequired", "dependencies") else None
                for other in needed if isinstance(needed, list) else ():
                    pool = self.of(branch.property_term(other))
                    if other not in result and pool:
                        result[other] = pool[0]
                        pending.append(other)
        return result

    def objects_without(self, branch: Branch, name: str) -> Iterator[dict[str, Any]]:
        """Return objects that lack a property, unchecked."""
        for base in itertools.islice(self.objects(branch), 12):
            yield {key: value for key, value in base.items() if key != name}

    def _smallest(self, branch: Branch) -> Iterator[dict[str, Any]]:
        pools = {name: self.of(branch.property_term(name)) for name in sorted(branch.required)}
        if not all(pools.values()):
            return
        base = {name: pool[0] for name, pool in pools.items()}
        spare = [name for name in branch.listed_names if name not in base]
        names = itertools.chain(spare, self._possible_names(branch), _FRESH_NAMES, (f"x{i}" for i in range(_LONGEST)))
        for name in names if len(base) < branch.min_properties else ():
            pool = self.of(branch.property_term(name))
            if pool and _taken(branch.names, name):
                base[name] = pool[0]
            if len(base) >= branch.min_properties:
                break
        yield base
        for name in spare[:3]:
            if pool := self.of(branch.property_term(name)):
                yield {**base, name: pool[0]}

    def _possible_names(self, branch: Branch) -> Iterator[str]:
        if branch.names:
            yield from self.of(branch.names | {ANY_TEXT})
        for shape in branch.objects:
            for pattern in shape.patterns:
                yield from texts(pattern)[:3]


class _Nothing:
    """Stands for the end of a list of values, any of which may be None."""


_NOTHING = _Nothing()


def numbers(branch: Branch, near: Number | None = None) -> Iterator[Number]:
    """Return numbers in and around a branch, unchecked; around a further one first, where it is given."""
    starts: list[Number] = [near] if near is not None else []
    starts += [bound.value for bound in (branch.lower, branch.upper) if bound is not None]
    steps: list[Number] = [0, 1, -1, 0.5, -0.5, 2, -2]
    factor = max((multiple for multiple in branch.multiples), default=None)
    for start in [*starts, 0]:
        if factor is not None:
            whole = start // factor * factor
            yield from (whole + step * factor for step in (0, 1, -1, 2, 3, -2))
        yield from (start + step for step in steps)
    yield from (3, 5, 7, 10, 11, 100, 0.25, 1e6)


def strings(branch: Branch, least: int, most: int | None = None) -> Iterator[str]:
    """Return texts of some lengths, unchecked, that have a chance to match the patterns and formats of a branch."""
    least = max(least, 0)
    if least > _LONGEST_TEXT:
        return
    for pattern in sorted(branch.patterns):
        yield from texts(pattern, least, most)
    for name in sorted(branch.formats):
        yield from _OF_FORMAT.get(name, ())
    for length in dict.fromkeys((least, least + 1, most if most is not None else least)):
        if length <= _LONGEST_TEXT:
            yield from (character * length for character in "a0 A-~")


def _suggested(nodes: Iterable[Node]) -> Iterator[Any]:
    """Return what schemas give as examples and defaults."""
    for node in sorted(nodes, key=lambda node: node.pointer):
        value = node.value
        if isinstance(value, dict):
            examples = value.get("examples")
            yield from examples[:3] if isinstance(examples, list) else ()
            if "default" in value:
                yield value["default"]


def _taken(nodes: Iterable[Node], value: Any) -> bool:
    try:
        return accepted_by_all(nodes, value)
    except Unverifiable:
        return False


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: dict[Any, Any] = {}
    for value in values:
        found.setdefault(identity(value), value)
    return list(found.values())
