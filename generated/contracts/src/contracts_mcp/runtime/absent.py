# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""The value of an optional property that was not sent, where ``null`` would mean something else."""

from __future__ import annotations

import enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, Literal


class Absent(enum.Enum):
    """The type of ``ABSENT``; an enumeration of one, so that type checkers narrow ``x is ABSENT`` away (PEP 484)."""

    ABSENT = "absent"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
"""Not sent. It is false, and is left out when a value that holds it is encoded."""
