"""What containment answers with: the keywords that were not shown to hold, and the verdict that they come to."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolmint.diffing.documents import Node, identity


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


def merged(failures: Iterable[Failure]) -> list[Failure]:
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
