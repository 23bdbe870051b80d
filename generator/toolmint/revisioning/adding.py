"""Taking a published schema into a project as a revision of its own."""

import contextlib
import dataclasses
import datetime as dt
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolmint.revision import METHODS, Era, Revision, RevisionError, Schema, known_revisions, load_revision
from toolmint.revisioning.comparing import Report, compare_revisions
from toolmint.revisioning.deriving import derive_table, era_of
from toolmint.revisioning.published import read_published
from toolmint.revisioning.splitting import file_reference, split, with_files

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def add_revision(file: Path, name: str, *, destination: Path) -> Report:
    """Make a revision of a published schema: its definitions by subject, and the method table that follows from them.

    Args:
        file: The schema, as the specification publishes it: 2020-12 with ``$defs`` or draft-07 with ``definitions``.
        name: The revision's name, a date such as ``2026-07-28``.
        destination: The ``schema`` folder of a project; it is made if it does not exist. The revision goes into a
            folder of its name there, which must not exist. All of it is written, or nothing.

    Returns:
        What is new since the closest revision of the same era: the newest that is not later by name.

    Raises:
        RevisionError: The file is no schema of the protocol, the name is no date, there is a revision of that name,
            or the folder cannot be written.

    """
    _check_name(name)
    folder = destination / name
    if os.path.lexists(folder):
        raise RevisionError(
            f"there is a revision {name} already", "remove the folder first, or choose another name", folder
        )
    definitions = read_published(file)
    try:
        known = _relatives(name, era_of(definitions), destination)
        documents, notes = _documents(name, definitions, known)
    except RevisionError as error:
        raise error if error.file else RevisionError(error.message, error.hint, file) from None
    with _staging(destination) as staging:
        _write(staging / name, documents)
        try:
            revision = load_revision(name, staging)
        except RevisionError as error:
            raise RevisionError(f"no usable revision: {error.message}", error.hint, file) from None
        _move(staging / name, folder)
    if name in known_revisions():
        notes = (*notes, f"goes before the revision {name} that toolmint has, in this project")
    return dataclasses.replace(compare_revisions(known[0], revision), notes=notes, path=folder)


def _check_name(name: str) -> None:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", name, re.ASCII):
        with contextlib.suppress(ValueError):
            dt.date.fromisoformat(name)
            return
    raise RevisionError(
        f"{name!r} is no name for a revision: expected a date, as in 2026-07-28",
        "give the date under which the specification published it",
    )


def _relatives(name: str, era: Era, destination: Path) -> list[Revision]:
    """Load what is known, the closest first: those of the era not later than the name, newest first, then the rest."""
    names = known_revisions(destination, era=era) or known_revisions(destination)
    earlier = [other for other in names if other <= name][::-1]
    later = [other for other in names if other > name]
    others = [other for other in known_revisions(destination) if other not in names][::-1]
    return [load_revision(other, destination) for other in (*earlier, *later, *others)]


def _documents(
    name: str, definitions: Mapping[str, Schema], known: list[Revision]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Lay out a revision's files: what each holds, by its name."""
    table = derive_table(name, definitions, known)
    subjects = split(definitions, known)
    homes = {definition: subject for subject, names in subjects.items() for definition in names}
    for error in table.document["errors"].values():
        if error["data"] is not None:
            error["data"] = file_reference(error["data"], homes)
    documents: dict[str, Any] = {METHODS: table.document}
    for subject, names in subjects.items():
        title = subject.replace("_", " ").replace("-", " ").capitalize()
        documents[f"{subject}.json"] = {
            "$schema": _DIALECT,
            "title": title,
            "description": f"{title}, as the published schema of revision {name} defines it.",
            "$defs": {definition: with_files(definitions[definition], subject, homes) for definition in names},
        }
    return documents, table.notes


@contextlib.contextmanager
def _staging(destination: Path) -> Iterator[Path]:
    """Make a folder beside where the revision goes, so that it gets there by one renaming; leave nothing behind."""
    missing = [path for path in (destination, *destination.parents) if not path.exists()]
    try:
        destination.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".toolmint-", dir=destination))
    except OSError as error:
        raise _unwritable(error, destination) from None
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        for path in missing:  # those that stay empty
            with contextlib.suppress(OSError):
                path.rmdir()


def _write(folder: Path, documents: Mapping[str, Any]) -> None:
    try:
        folder.mkdir()
        for file, document in documents.items():
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _unwritable(error, folder.parent.parent) from None


def _move(source: Path, folder: Path) -> None:
    try:
        source.rename(folder)
    except OSError as error:
        raise _unwritable(error, folder) from None


def _unwritable(error: OSError, place: Path) -> RevisionError:
    return RevisionError(
        f"cannot be written: {error.strerror or error}; nothing has been changed",
        "make room on the disk, or the folder writable, and try again",
        place,
    )
