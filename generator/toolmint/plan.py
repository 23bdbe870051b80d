"""What a project should look like on disk: a value, worked out before anything is touched."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Owner = Literal["generated", "handwritten"]


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of a project.

    Attributes:
        path: Relative to the project, with slashes.
        content: Its whole text.
        owner: ``generated`` files follow from the manifest; ``handwritten`` ones are written once, when they are not
            there, and never again.
    """

    path: str
    content: str
    owner: Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that a protocol revision has and the server does not do.

    Attributes:
        code: A code of ``toolmint.review.WARNINGS``.
        revision: The revision that has it.
        message: What it is, and what clients get instead.
        hint: What to do.
    """

    code: str
    revision: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Every file of a project, in the order of their paths, and what the lock file records besides.

    Attributes:
        files: The files, without the lock itself.
        revisions: The protocol revisions, the preferred one first.
        manifest_digest: SHA-256 of the manifest, hexadecimal.
        surface_digest: SHA-256 of all that a client is told: discovery and lists.
        told: The same in full: members of the discovery result and lists, each entry as JSON text.
        asked: The constants of the questions that the manifest declares for a handler, by its path.
        gaps: What the revisions have and the server does not do.
    """

    files: tuple[PlannedFile, ...]
    revisions: tuple[str, ...]
    manifest_digest: str
    surface_digest: str
    told: Mapping[str, str | list[str]]
    asked: Mapping[str, tuple[str, ...]]
    gaps: tuple[Gap, ...]

    def by_path(self) -> Mapping[str, PlannedFile]:
        """Return the files by path."""
        return {file.path: file for file in self.files}

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "files": [[file.path, file.content, file.owner] for file in self.files],
            "revisions": list(self.revisions),
            "manifest": self.manifest_digest,
            "surface": self.surface_digest,
            "told": dict(self.told),
            "asked": dict(self.asked),
            "gaps": [asdict(gap) for gap in self.gaps],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Plan":
        """Return the plan that ``to_json`` made."""
        files = tuple(PlannedFile(*file) for file in value["files"])
        asked = {path: tuple(constants) for path, constants in value["asked"].items()}
        gaps = tuple(Gap(**gap) for gap in value["gaps"])
        return cls(files, tuple(value["revisions"]), value["manifest"], value["surface"], value["told"], asked, gaps)
