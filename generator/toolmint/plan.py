"""What a project should look like on disk: a value, worked out before anything is touched."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
    """

    files: tuple[PlannedFile, ...]
    revisions: tuple[str, ...]
    manifest_digest: str
    surface_digest: str

    def by_path(self) -> Mapping[str, PlannedFile]:
        """Return the files by path."""
        return {file.path: file for file in self.files}
