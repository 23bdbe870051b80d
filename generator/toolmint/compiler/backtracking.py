"""How long Python's backtracking ``re`` can take on a pattern, found before anyone's text is tried on it.

A backtracking matcher walks every way to read a text; how many there are is the ambiguity of the pattern's automaton
(Weber and Seidl, "On the degree of ambiguity of finite automata", 1991). The automaton here has one state for each
character of the pattern (Glushkov) and counts parallel edges, since ``(a+)+`` goes from ``a`` to ``a`` in two ways.

* Two different loops on one state over the same text: exponential. Such a pattern is refused.
* Loops that can hand text over to each other, one after the other: polynomial. Text is limited to a length at which
  the worst case stays at some eight million steps. So it is where there is no loop but still many ways.
* Else time is linear, and there is no limit.
"""

import math
from collections import deque
from collections.abc import Iterable
from itertools import pairwise

from .patterns import (
    LAST,
    Anchor,
    Backreference,
    Chars,
    Choice,
    Group,
    Look,
    PatternError,
    Ranges,
    Repeat,
    Sequence,
    Tree,
)
from .patterns import START as START_ANCHOR

LENGTH_LIMITS = {2: 4096, 3: 256, 4: 80, 5: 40}
"""Longest text by the power of its length that matching takes; n**k / k! stays below that many steps."""

MAX_EDGES = 40_000
"""Largest automaton that is looked at, in edges."""

_BUDGET = 2**23
_SHORTEST_LIMIT = 16
_FEW = 64
_ROUNDS = 48
_SAMPLES = 64

_MAX_COPIES = 4
"""A repetition of up to so many times is written out; one of more is taken for a loop."""

_MAX_WRITTEN_OUT = 64
_MAX_STEPS = 100_000
_ANY: Ranges = ((0, LAST),)


def longest_text(tree: Tree, source: str) -> int | None:
    """Return the length up to which text may be matched in bounded time; None if time is linear.

    Raises:
        PatternError: matching takes exponential time, or more than the fifth power of the text's length.
    """
    shown = repr(source if len(source) <= 60 else f"{source[:57]}...")
    power, ways = _cost(_without_tail(tree), shown, searched=True)
    if power > max(LENGTH_LIMITS):
        raise PatternError(
            f"the pattern {shown} can take time that grows with the power {power} of the text's length",
            "make neighbouring repetitions exclude each other's characters",
        )
    if power == 1 and ways <= _FEW:
        return None
    steps = _BUDGET * math.factorial(power)
    affordable = int((steps / ways) ** (1 / power)) + 2
    while affordable**power * ways > steps:  # the root is not rounded alike on every platform
        affordable -= 1
    if affordable < _SHORTEST_LIMIT:
        raise PatternError(
            f"the pattern {shown} can take exponential time: it can read a short text in thousands of ways",
            "use fewer optional parts that begin alike",
        )
    return min(affordable, LENGTH_LIMITS.get(power, affordable))


def _cost(tree: Tree, shown: str, *, searched: bool) -> tuple[int, float]:
    """Return the power of the text's length that matching takes, and the factor before it; lookarounds included."""
    automaton = _Automaton(shown)
    if searched and not _starts_anchored(tree):
        tree = Sequence((Repeat(Chars((), _ANY), 0, None, lazy=False), tree))
    automaton.read(tree)
    automaton.refuse_exponential()
    degree = automaton.degree()
    power, ways = 1 + degree, automaton.ways(degree)
    around = [_cost(look, shown, searched=False) for look in automaton.looks]
    if not around:
        return power, ways
    # one that is tried at the start only costs by itself; another one at every place the rest arrives at
    most = max(one for one, _ in around)
    total = max(power, most) if automaton.looks_at_start else power + most
    return total, ways * max(factor for _, factor in around)


def _without_tail(tree: Tree) -> Tree:
    """Return a pattern that matches in the same texts: nothing after its last loop can send that back."""
    match tree:
        case Repeat(body, least, _, lazy):
            return Repeat(body, least, least, lazy)
        case Group(body, number):
            return Group(_without_tail(body), number)
        case Choice(options):
            return Choice(tuple(map(_without_tail, options)))
        case Sequence((*parts, last)):
            last = _without_tail(last)
            empty = isinstance(last, Repeat) and not last.least
            return _without_tail(Sequence(tuple(parts))) if empty else Sequence((*parts, last))
        case _:
            return tree


def _starts_anchored(tree: Tree) -> bool:
    match tree:
        case Sequence(parts):
            return bool(parts) and _starts_anchored(parts[0])
        case Choice(options):
            return all(map(_starts_anchored, options))
        case Group(body, _):
            return _starts_anchored(body)
        case _:
            return tree == START_ANCHOR


class _Automaton:
    """States are numbered from 1; 0 is the start. ``edges[p][q]`` counts the ways to read ``q`` right after ``p``."""

    def __init__(self, shown: str) -> None:
        self.edges: list[dict[int, int]] = [{}]
        self.chars: list[Ranges] = [()]
        self.looks: list[Tree] = []
        self.looks_at_start = True
        self._shown = shown
        self._count = 0

    def read(self, tree: Tree) -> None:
        """Add a pattern after the start."""
        _, first, _ = self._part(tree, at_start=True)
        self._connect({0: 1}, first)

    def _part(self, tree: Tree, *, at_start: bool) -> tuple[int, dict[int, int], dict[int, int]]:
        """How many ways there are to skip a part, to enter it and to leave it, by state."""
        match tree:
            case Chars(_, ranges):
                return self._state(ranges)
            case Backreference():
                _, first, last = self._state(_ANY)
                self._connect(last, first)
                return 1, first, last
            case Anchor():
                return 1, {}, {}
            case Look(body, _, _):
                self.looks.append(body)
                self.looks_at_start &= at_start
                return 1, {}, {}
            case Group(body, _):
                return self._part(body, at_start=at_start)
            case Choice(options):
                skip, first, last = 0, dict[int, int](), dict[int, int]()
                for option in options:
                    other = self._part(option, at_start=at_start)
                    skip, first, last = skip + other[0], _sum(first, other[1]), _sum(last, other[2])
                return skip, first, last
            case Sequence(parts):
                return self._sequence(parts, at_start=at_start)
            case Repeat():
                return self._repeat(tree)

    def _sequence(self, parts: Iterable[Tree], *, at_start: bool = False) -> tuple[int, dict[int, int], dict[int, int]]:
        skip, first, last = 1, dict[int, int](), dict[int, int]()
        for part in parts:
            other_skip, other_first, other_last = self._part(part, at_start=at_start)
            at_start &= isinstance(part, Anchor | Look)
            self._connect(last, other_first)
            first = _sum(first, _times(other_first, skip))
            last = _sum(other_last, _times(last, other_skip))
            skip *= other_skip
        return min(skip, 1000), first, last

    def _repeat(self, tree: Repeat) -> tuple[int, dict[int, int], dict[int, int]]:
        body, least, most = tree.body, tree.least, tree.most
        width = _fixed_width(body)
        if most == least and width is not None and width * least <= _MAX_WRITTEN_OUT:
            return self._sequence([body] * least)
        counted = least > 1 or (most is not None and most > 1)
        if counted and _can_be_empty(body) and width != 0:
            raise PatternError(
                f"the pattern {self._shown} can take exponential time: it counts repetitions of what may be empty",
                "let each repetition take at least one character",
            )
        if most is not None and most <= _MAX_COPIES:
            return self._sequence([body] * least + [Choice((body, Sequence(())))] * (most - least))
        skip, first, last = self._part(body, at_start=False)
        self._connect(last, first)
        if skip and most is None:  # it can be left at once, or by one more round that takes nothing
            return skip + 1, first, _times(last, 2)
        return max(skip, int(least == 0)), first, last

    def _state(self, ranges: Ranges) -> tuple[int, dict[int, int], dict[int, int]]:
        self.chars.append(ranges)
        self.edges.append({})
        return 0, {len(self.chars) - 1: 1}, {len(self.chars) - 1: 1}

    def _connect(self, last: dict[int, int], first: dict[int, int]) -> None:
        self._count += len(last) * len(first)
        if self._count > MAX_EDGES:
            raise PatternError(
                f"the pattern {self._shown} is too large to tell how long it can take: over {MAX_EDGES} transitions",
                "use enum for a list of words",
            )
        for state, ways in last.items():
            row = self.edges[state]
            for target, more in first.items():
                row[target] = min(row.get(target, 0) + ways * more, 1000)

    # -- ambiguity ---------------------------------------------------------------------------------------------------

    def refuse_exponential(self) -> None:
        """Refuse a pattern with two ways round from a state to itself over the same text."""
        reason = ""
        for loop in self._loops():
            inside = set(loop)
            if any(ways > 1 for p in loop for q, ways in self.edges[p].items() if q in inside):
                reason = "a repetition inside a repetition"
            elif self._splits_and_joins(loop, inside):
                reason = "a repetition whose rounds can begin in more than one way"
        if reason:
            raise PatternError(
                f"the pattern {self._shown} can take exponential time: {reason} can read the same text in many ways",
                "separate the rounds by a character that occurs nowhere else in them",
            )

    def ways(self, degree: int) -> float:
        """Return how many ways there are to read a text, by what its length to the power of ``degree`` accounts for.

        The text is made up as it goes: each next character is the one that can be read in the most ways.
        """
        if not any(map(self._is_choice, range(len(self.chars)))):
            return 1.0
        samples = sorted({low for ranges in self.chars for low, _ in ranges})
        samples = samples[:: len(samples) // _SAMPLES + 1]
        fitting = [[c for c in samples if any(low <= c <= high for low, high in ranges)] for ranges in self.chars]
        counts, worst = {0: 1}, 1.0
        for length in range(1, _ROUNDS + 1):
            following: dict[int, dict[int, int]] = {c: {} for c in samples}
            for state, count in counts.items():
                for target, more in self.edges[state].items():
                    for c in fitting[target]:
                        following[c][target] = following[c].get(target, 0) + count * more
            counts = max(following.values(), key=lambda reached: sum(reached.values()), default={})
            if not counts:
                break
            worst = max(worst, sum(counts.values()) * math.factorial(degree) / length**degree)
        return worst

    def _is_choice(self, state: int) -> bool:
        targets = sorted(self.edges[state])
        if any(ways > 1 for ways in self.edges[state].values()):
            return True
        ends = sorted((low, high) for q in targets for low, high in self.chars[q])
        return any(one[1] >= other[0] for one, other in pairwise(ends))

    def _splits_and_joins(self, loop: list[int], inside: set[int]) -> bool:
        """Whether two readings of one text can part in a loop and meet again; its states all reach each other."""
        steps = 0
        pending: deque[tuple[int, int]] = deque((p, p) for p in loop)
        seen = set(pending)
        while pending:
            p, q = pending.popleft()
            for one, other in self._pairs(p, q, inside):
                steps += 1
                if steps > _MAX_STEPS:
                    raise PatternError(
                        f"the pattern {self._shown} is too large to tell how long it can take",
                        "shorten its repetitions",
                    )
                if p != q and one == other:
                    return True
                if (one, other) not in seen:
                    seen.add((one, other))
                    pending.append((one, other))
        return False

    def _pairs(self, p: int, q: int, inside: set[int]) -> Iterable[tuple[int, int]]:
        for one in self.edges[p]:
            if one in inside:
                for other in self.edges[q]:
                    if other in inside and _overlap(self.chars[one], self.chars[other]):
                        yield (one, other)

    def degree(self) -> int:
        """How many times, one after the other, a loop can hand over text to a later one at any point of it."""
        loops = self._loops()
        reach = [self._reachable(loop[0]) for loop in loops]
        order = sorted(range(len(loops)), key=lambda i: -len(reach[i]))
        best = dict.fromkeys(order, 0)
        for later in order:
            for earlier in order:
                if earlier != later and loops[later][0] in reach[earlier]:
                    handed = self._hands_over(loops[earlier], loops[later], reach[earlier])
                    best[later] = max(best[later], best[earlier] + int(handed))
        return max(best.values(), default=0)

    def _hands_over(self, earlier: list[int], later: list[int], between: set[int]) -> bool:
        """Whether some text leads round the one loop, round the other, and from the one to the other."""
        first, last = set(earlier), set(later)
        steps = 0
        for p in earlier:
            for q in later:
                start, goal = (p, p, q), (p, q, q)
                seen, pending = {start}, deque([start])
                while pending:
                    x, y, z = pending.popleft()
                    for a in self.edges[x]:
                        if a not in first:
                            continue
                        for c in self.edges[z]:
                            if c not in last or not _overlap(self.chars[a], self.chars[c]):
                                continue
                            for b in self.edges[y]:
                                steps += 1
                                if steps > _MAX_STEPS:
                                    return True
                                triple = (a, b, c)
                                if triple in seen or b not in between:
                                    continue
                                if not _overlap(_both(self.chars[a], self.chars[c]), self.chars[b]):
                                    continue
                                if triple == goal:
                                    return True
                                seen.add(triple)
                                pending.append(triple)
        return False

    def _reachable(self, state: int) -> set[int]:
        seen, pending = {state}, [state]
        while pending:
            for target in self.edges[pending.pop()]:
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return seen

    def _loops(self) -> list[list[int]]:
        """Return the strongly connected components that have an edge inside (Tarjan's algorithm, without recursion)."""
        index: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        loops: list[list[int]] = []
        on_stack: set[int] = set()
        for root in range(len(self.edges)):
            work = [(root, iter(self.edges[root]))] if root not in index else []
            for state, _ in work:
                index[state] = low[state] = len(index)
                stack.append(state)
                on_stack.add(state)
            while work:
                state, targets = work[-1]
                for target in targets:
                    if target not in index:
                        index[target] = low[target] = len(index)
                        stack.append(target)
                        on_stack.add(target)
                        work.append((target, iter(self.edges[target])))
                        break
                    if target in on_stack:
                        low[state] = min(low[state], index[target])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[state])
                    if low[state] == index[state]:
                        component: list[int] = []
                        while not component or component[-1] != state:
                            component.append(stack.pop())
                            on_stack.discard(component[-1])
                        if len(component) > 1 or state in self.edges[state]:
                            loops.append(sorted(component))
        return loops


def _fixed_width(tree: Tree) -> int | None:
    """How many characters a part without any choice takes, or None."""
    match tree:
        case Chars():
            return 1
        case Anchor():
            return 0
        case Group(body, _):
            return _fixed_width(body)
        case Sequence(parts):
            widths = [_fixed_width(part) for part in parts]
            return None if None in widths else sum(width or 0 for width in widths)
        case Repeat(body, least, most) if least == most:
            width = _fixed_width(body)
            return None if width is None else width * least
        case _:
            return None


def _can_be_empty(tree: Tree) -> bool:
    """Whether a part matches without taking a character."""
    match tree:
        case Chars():
            return False
        case Group(body, _):
            return _can_be_empty(body)
        case Sequence(parts):
            return all(map(_can_be_empty, parts))
        case Choice(options):
            return any(map(_can_be_empty, options))
        case Repeat(body, least, _):
            return least == 0 or _can_be_empty(body)
        case _:
            return True


def _sum(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    total = dict(one)
    for state, ways in other.items():
        total[state] = min(total.get(state, 0) + ways, 1000)
    return total


def _times(ways: dict[int, int], factor: int) -> dict[int, int]:
    return {state: min(count * factor, 1000) for state, count in ways.items()} if factor else {}


def _overlap(one: Ranges, other: Ranges) -> bool:
    return any(a <= d and c <= b for a, b in one for c, d in other)


def _both(one: Ranges, other: Ranges) -> Ranges:
    return tuple((max(a, c), min(b, d)) for a, b in one for c, d in other if a <= d and c <= b)
