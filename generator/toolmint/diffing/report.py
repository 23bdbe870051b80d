"""``toolmint diff``: two inputs to a report of what changed for callers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolmint.diffing.acceptance import NAME, accept, read_accepted, suggestion
from toolmint.diffing.changes import ORDER, Change, Classification, shown
from toolmint.diffing.failures import ABSENT
from toolmint.diffing.surfaces import compare_surfaces, uncompared
from toolmint.diffing.told import Told, UnreadableSurface, read_told
from toolmint.diffing.versions import Bump, propose_bump
from toolmint.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """What changed for callers.

    Attributes:
        old: The old input as the user named it.
        new: The new one.
        changes: Every change, accepted ones included, in the order of the old input.
        bump: The version that follows.
        notes: What was not compared, a line each.
        problems: What is wrong with the accepting file: entries without a reason, stale ones.
    """

    old: str
    new: str
    changes: tuple[Change, ...]
    bump: Bump
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def breaking(self) -> tuple[Change, ...]:
        """The breaking changes that are not accepted."""
        return self._of("breaking")

    @property
    def undecided(self) -> tuple[Change, ...]:
        """The changes of which it cannot be told whether they break callers, without those that are accepted."""
        return self._of("cannot-tell")

    @property
    def compatible(self) -> tuple[Change, ...]:
        """The changes that break nobody and are more than wording."""
        return self._of("compatible")

    @property
    def wording(self) -> tuple[Change, ...]:
        """The changes of what only people and models read."""
        return self._of("wording")

    @property
    def accepted(self) -> tuple[Change, ...]:
        """The changes that are accepted, each with its reason."""
        return tuple(change for change in self.changes if change.accepted is not None)

    def _of(self, classification: Classification) -> tuple[Change, ...]:
        return tuple(
            change for change in self.changes if change.classification == classification and change.accepted is None
        )

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints beside ``ok`` and ``problems``."""
        counts: Mapping[str, int] = {name: len(self._of(name)) for name in ORDER}
        return {
            "old": self.old,
            "new": self.new,
            "summary": {**counts, "accepted": len(self.accepted)},
            "changes": [change.to_json() for change in self.changes],
            "version": self.bump.to_json(),
            "notes": list(self.notes),
            "accepting": [{**change.pinned, "reason": ""} for change in (*self.breaking, *self.undecided)],
        }

    def render(self) -> str:
        """Return the report for a terminal: a table by classification, what is wrong, and the version that follows."""
        lines: list[str] = []
        for name in ORDER:
            lines += _table(name.replace("-", " "), self._of(name))
        lines += _table("accepted", self.accepted)
        if not self.changes:
            lines += ["nothing changed for callers", ""]
        open_changes = (*self.breaking, *self.undecided)
        if open_changes:
            lines.append(f"To accept a change, list it with its reason in {NAME} beside the new manifest:")
            lines += ["  accepted:", *(f"    {line}" for line in suggestion(open_changes[0]).split("\n"))]
            lines.append("")
        lines += [f"note: {note}" for note in self.notes]
        lines.append(self.bump.render())
        return "\n".join(lines)


def compare(old: Told, new: Told) -> DiffReport:
    """Compare two versions of what callers are told."""
    changes = tuple(compare_surfaces(old, new))
    return DiffReport(
        old=old.label,
        new=new.label,
        changes=changes,
        bump=propose_bump(changes, old.version, new.version),
        notes=tuple(uncompared(old, new)),
    )


def run(old: Path, new: Path, *, accepted: Path | None = None) -> DiffReport:
    """Compare two files.

    Args:
        old: A manifest, a lock file, or answers to list requests as JSON; see ``toolmint.diffing.told.read_told``.
        new: Likewise.
        accepted: The file that accepts breaks; where it is None, ``toolmint.accept.yaml`` beside ``new``, if there.

    Raises:
        UnreadableSurface: A file cannot be used; every problem with either is listed.
    """
    told: list[Told] = []
    problems: list[Problem] = []
    for path in (old, new):
        try:
            told.append(read_told(path))
        except UnreadableSurface as error:
            problems += error.problems
    if problems:
        raise UnreadableSurface(problems)
    report = compare(*told)
    path = new.parent / NAME if accepted is None else accepted
    if accepted is None and not path.exists():
        return report
    entries, problems = read_accepted(path)
    acceptance = accept(report.changes, entries)
    return DiffReport(
        old=report.old,
        new=report.new,
        changes=acceptance.changes,
        bump=report.bump,
        notes=report.notes,
        problems=(*problems, *acceptance.problems),
    )


def _table(title: str, changes: Sequence[Change]) -> list[str]:
    """Return a heading and a row for each change: whose, what, where, and in words."""
    if not changes:
        return []
    rows = [
        tuple(map(_printable, (f"{change.kind} {change.name}", change.code, change.pointer or "-", _sentence(change))))
        for change in changes
    ]
    widths = [min(max(len(row[column]) for row in rows), _WIDEST) for column in range(3)]
    lines = [f"{title} ({len(changes)})"]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        lines.append(f"  {'  '.join(cells)}  {row[3]}".rstrip())
    return [*lines, ""]


_WIDEST = 60
"""Widest column of the table, in characters; a longer cell stands out."""


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)


def _sentence(change: Change) -> str:
    sentence = change.message
    if change.witness is not ABSENT and change.pointer:
        sentence += f"; for instance {shown(change.witness)}"
    return f"{sentence}; accepted: {change.accepted}" if change.accepted is not None else sentence
