"""The version that follows from what changed, by Semantic Versioning 2.0.0.

From 1.0.0 on, a break is a new major version, a compatible change a new minor one, wording a new patch. Below, where
the first number says nothing, the common convention moves all by one: a break is a new minor version and everything
else a new patch. What cannot be told counts as a break, and so does an accepted break: callers meet it all the same.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from toolmint.diffing.changes import Change

Part = Literal["major", "minor", "patch"]

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)


class Version(NamedTuple):
    """A version without its build metadata, which has no part in precedence."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[str, ...] = ()

    def __str__(self) -> str:
        suffix = f"-{'.'.join(self.prerelease)}" if self.prerelease else ""
        return f"{self.major}.{self.minor}.{self.patch}{suffix}"

    @property
    def precedence(self) -> tuple[object, ...]:
        """What versions are ordered by (section 11)."""
        identifiers = tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in self.prerelease)
        return self.major, self.minor, self.patch, not self.prerelease, identifiers


@dataclass(frozen=True, slots=True, kw_only=True)
class Bump:
    """The step from the old version that the changes ask for.

    Attributes:
        part: Which number rises; None where nothing changed.
        certain: Whether no change is among them of which it cannot be told what it means.
        old: The old version as given; None where it is not known.
        new: The new one, likewise.
        proposed: The version that the changes ask for; None where the old one is none of Semantic Versioning.
        satisfied: Whether the new version is that or a later one; None where that cannot be said.
    """

    part: Part | None
    certain: bool
    old: str | None
    new: str | None
    proposed: str | None
    satisfied: bool | None

    def to_json(self) -> dict[str, object]:
        """Return the member ``version`` of a report."""
        return {
            "bump": self.part,
            "certain": self.certain,
            "old": self.old,
            "new": self.new,
            "proposed": self.proposed,
            "satisfied": self.satisfied,
        }

    def render(self) -> str:
        """Return one line for a terminal."""
        if self.part is None:
            return "version: nothing changed, so it may stay"
        line = f"version: a new {self.part} version"
        if self.proposed:
            line += f", {self.old} -> {self.proposed}"
        if not self.certain:
            line += " (some changes cannot be told, and are taken for breaking)"
        if self.satisfied is not None:
            line += f"; the new one has {self.new}" + ("" if self.satisfied else ", which is not enough")
        return line


def parse_version(text: str | None) -> Version | None:
    """Return a version; None where it is none of Semantic Versioning."""
    found = _VERSION.fullmatch(text or "")
    if not found:
        return None
    prerelease = tuple(found[4].split(".")) if found[4] else ()
    return Version(int(found[1]), int(found[2]), int(found[3]), prerelease)


def propose_bump(changes: Iterable[Change], old: str | None, new: str | None) -> Bump:
    """Return the bump that changes ask for.

    Args:
        changes: All changes, accepted ones included.
        old: The old version.
        new: The version that the new side has.
    """
    found = {change.classification for change in changes}
    before, after = parse_version(old), parse_version(new)
    stable = before is None or before.major > 0
    part: Part | None = None
    if found & {"breaking", "cannot-tell"}:
        part = "major" if stable else "minor"
    elif "compatible" in found:
        part = "minor" if stable else "patch"
    elif found:
        part = "patch"
    proposed = None if before is None else _next(before, part)
    return Bump(
        part=part,
        certain="cannot-tell" not in found,
        old=old,
        new=new,
        proposed=None if proposed is None else str(proposed),
        satisfied=None if proposed is None or after is None else after.precedence >= proposed.precedence,
    )


def _next(version: Version, part: Part | None) -> Version:
    """Return the version after a step; a pre-release of what the step leads to anyway becomes just that."""
    major, minor, patch, prerelease = version
    if part == "major":
        return Version(major, 0, 0) if prerelease and not minor and not patch else Version(major + 1, 0, 0)
    if part == "minor":
        return Version(major, minor, 0) if prerelease and not patch else Version(major, minor + 1, 0)
    if part == "patch":
        return Version(major, minor, patch) if prerelease else Version(major, minor, patch + 1)
    return version
