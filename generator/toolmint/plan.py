"""What a project should look like on disk: a value, worked out before anything is touched."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from toolmint.gaps import Gap

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


@dataclass(frozen=True, slots=True)
class Plan:
    """Every file of a project, in the order of their paths, and what the lock file records besides.

    Attributes:
        files: The files, without the lock itself.
        revisions: The protocol revisions, the preferred one first.
        manifest_digest: SHA-256 of the manifest, hexadecimal.
        surface_digest: SHA-256 of all that a client is told: discovery and lists.
        told: The same in full: members of the discovery result and lists, each entry as JSON text.
        gaps: What the revisions have and the server does not do.
    """

    files: tuple[PlannedFile, ...]
    revisions: tuple[str, ...]
    manifest_digest: str
    surface_digest: str
    told: Mapping[str, str | list[str]]
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
            "gaps": [asdict(gap) for gap in self.gaps],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Plan":
        """Return the plan that ``to_json`` made."""
        files = tuple(PlannedFile(*file) for file in value["files"])
        gaps = tuple(Gap(**gap) for gap in value["gaps"])
        return cls(files, tuple(value["revisions"]), value["manifest"], value["surface"], value["told"], gaps)
