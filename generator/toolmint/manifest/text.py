"""Parsed files: the manifest, and what it refers to."""

import re
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from toolmint.manifest.document import parse_document
from toolmint.manifest.positions import Path, Positions
from toolmint.manifest.source import ManifestError, Position, Source, read_source
from toolmint.manifest.wording import shown
from toolmint.problems import Problem


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Text:
    """A parsed file.

    Attributes:
        folder: The folder it is in, from which what it refers to is looked for.
        value: JSON values; what YAML aliases stand for is shared, so nothing in it may be changed.
        problems: What is wrong with it although it could be parsed.
        dates: Where dates stand without quotes.
    """

    source: Source
    folder: FilePath
    value: Any
    positions: Positions
    problems: tuple[Problem, ...]
    dates: tuple[Position, ...]

    def problem(self, code: str, message: str, path: Path, hint: str = "") -> Problem:
        """Return a problem with a value."""
        return self.source.problem(code, message, self.positions.value(path), hint)

    def problem_at_key(self, code: str, message: str, path: Path, hint: str = "") -> Problem:
        """Return a problem with a key."""
        return self.source.problem(code, message, self.positions.key(path), hint)

    def written(self, path: Path) -> str:
        """Return a plain scalar as it is written, for instance ``1.10`` where the value is 1.1."""
        return self.source.token_at(self.positions.value(path))

    def commented_out(self, path: Path) -> bool:
        """Say whether what follows a key without a value is a comment."""
        line, column = self.positions.key(path)
        return re.search(r":\s+#", self.source.lines[line - 1][column - 1 : column + 2000]) is not None


class Place(NamedTuple):
    """A value in a file."""

    text: Text
    path: Path


def read_text(path: FilePath, label: str) -> Text:
    """Read and parse a file.

    Args:
        path: Where it is.
        label: What it is called in problems.

    Raises:
        ManifestError: It cannot be read or parsed.
    """
    source = read_source(path, label)
    document = parse_document(source)
    return Text(
        source=source,
        folder=path.parent,
        value=document.value,
        positions=document.positions,
        problems=document.problems,
        dates=document.dates,
    )


def file_beside(manifest: Text, at: Place, name: str) -> FilePath:
    """Return the path of a file that the value at a place names, relative to the file it stands in.

    Raises:
        ManifestError: It is not inside the manifest's folder, links followed.
    """
    try:
        path = (at.text.folder / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        problem = at.text.problem("bad-file-name", f"{shown(name)} names no file: {error}", at.path)
        raise ManifestError([problem]) from None
    if not path.is_relative_to(manifest.folder.resolve()):
        problem = at.text.problem(
            "outside-folder",
            f"{shown(name)} is outside the manifest's folder",
            at.path,
            "copy the file beside the manifest and name it from there",
        )
        raise ManifestError([problem])
    return path
