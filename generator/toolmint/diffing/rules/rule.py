"""What a rule of containment is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolmint.diffing.branches import Branch
from toolmint.diffing.documents import Node
from toolmint.diffing.failures import Failure

if TYPE_CHECKING:
    from toolmint.diffing.containment import Containment


@dataclass(frozen=True, slots=True)
class Rule:
    """How keywords are compared.

    Attributes:
        kind: The only kind of value they say anything about; None: any.
        keywords: Those that are compared together; the check runs once where a schema has any of them.
        check: Returns what fails of them for a branch, nothing only if every value of the branch satisfies them.
        final: Nothing else need be compared where it fails.
        takes_apart: It leads on to other schemas or names values, so it has more to say of a value than that it fails.
    """

    kind: str | None
    keywords: tuple[str, ...]
    check: Callable[["Containment", Branch, Node], list[Failure]]
    final: bool = False
    takes_apart: bool = False
