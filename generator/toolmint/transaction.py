"""A set of file changes that happens as a whole or not at all.

Everything new is first written to a staging folder inside the project, which is where a full disk or a read-only
folder shows; then a journal is written that says what goes where; then the changes are made by renaming. A failure
undoes what was done. A process that is killed leaves either a staging folder without a journal, which counts for
nothing, or one with a journal, which the next run carries to its end; what somebody has changed meanwhile is left.
"""

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolmint.problems import Problem

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment, unused-ignore]

STAGING = ".toolmint-staging"
_JOURNAL = "journal.json"


class TransactionError(Exception):
    """Changes that could not be made; the project is as it was."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@contextlib.contextmanager
def exclusive(project: Path) -> Iterator[None]:
    """Keep every other toolmint from writing to a project for as long as the context lasts.

    Raises:
        TransactionError: Another one is at it, or the folder cannot be opened.
    """
    if fcntl is None:
        yield
        return
    try:
        folder = os.open(project, os.O_RDONLY)
    except OSError as error:
        raise TransactionError(_problem(error, project)) from error
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            problem = Problem(
                code="busy",
                message="another toolmint is writing to this project",
                file=".",
                hint="wait for it to end and try again",
            )
            raise TransactionError(problem) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(folder)


def change_files(project: Path, writes: Mapping[str, bytes], removals: Sequence[str]) -> None:
    """Write and remove files of a project, all of them or none.

    Args:
        project: The project's folder, which exists.
        writes: The new content of each file by its path relative to the project.
        removals: Paths of files to remove. Folders that become empty go too.

    Raises:
        TransactionError: Something could not be written; nothing has changed.
    """
    if not writes and not removals:
        return
    staging = project / STAGING
    try:
        with _staging_folder(staging):
            names = list(writes)
            for number, name in enumerate(names):
                (staging / str(number)).write_bytes(writes[name])
            _sync(staging / str(number) for number in range(len(names)))
            found = {name: _digest(project / name) for name in [*names, *removals]}
            journal = {"writes": names, "removals": list(removals), "found": found}
            _write_journal(staging, json.dumps(journal))
            _commit(project, staging, names, removals)
    except OSError as error:
        raise TransactionError(_problem(error, project)) from error


def recover(project: Path) -> bool:
    """Finish what a killed process had begun; return whether there was something to finish.

    A file that is neither as that process found it nor missing has been changed since, and stays.

    Raises:
        TransactionError: It could not be finished.
    """
    staging = project / STAGING
    if not staging.is_dir() or staging.is_symlink():
        return False
    try:
        try:
            journal = json.loads((staging / _JOURNAL).read_bytes())
        except FileNotFoundError:  # nothing had been changed yet
            shutil.rmtree(staging)
            return False
        for number, name in enumerate(journal["writes"]):
            target = project / name
            if (staging / str(number)).exists() and _digest(target) in (None, journal["found"][name]):
                target.parent.mkdir(parents=True, exist_ok=True)
                (staging / str(number)).replace(target)
        for name in journal["removals"]:
            if _digest(project / name) == journal["found"][name]:
                (project / name).unlink(missing_ok=True)
            _remove_empty_parents(project, name)
        shutil.rmtree(staging)
    except OSError as error:
        raise TransactionError(_problem(error, project)) from error
    return True


@contextlib.contextmanager
def _staging_folder(staging: Path) -> Iterator[None]:
    staging.mkdir()
    try:
        yield
    finally:
        # Reached with the changes made, or undone: a process that is killed never gets here.
        shutil.rmtree(staging, ignore_errors=True)


def _digest(path: Path) -> str | None:
    """Return what identifies a file's content; None where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _write_journal(staging: Path, text: str) -> None:
    unfinished = staging / "journal.unfinished"
    unfinished.write_text(text, encoding="utf-8")
    _sync([unfinished])
    unfinished.replace(staging / _JOURNAL)


def _sync(paths: Iterator[Path] | Sequence[Path]) -> None:
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _commit(project: Path, staging: Path, names: Sequence[str], removals: Sequence[str]) -> None:
    undo: list[tuple[Path, Path | None]] = []  # a changed file, and where its old content is kept
    made: list[Path] = []
    try:
        for number, name in enumerate([*names, *removals]):
            target, old = project / name, staging / f"old-{number}"
            if number < len(names):
                made += _make_parents(target)
            existed = target.exists()
            if existed:
                target.replace(old)
            undo.append((target, old if existed else None))
            if number < len(names):
                (staging / str(number)).replace(target)
    except OSError:
        (staging / _JOURNAL).unlink(missing_ok=True)
        for target, kept in reversed(undo):
            if kept is None:
                target.unlink(missing_ok=True)
            else:
                kept.replace(target)
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    for name in removals:
        _remove_empty_parents(project, name)


def _make_parents(target: Path) -> list[Path]:
    missing = []
    folder = target.parent
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir()
    return missing[::-1]


def _remove_empty_parents(project: Path, name: str) -> None:
    folder = (project / name).parent
    while folder != project:
        try:
            folder.rmdir()
        except OSError:  # not empty, or gone already
            return
        folder = folder.parent


def _problem(error: OSError, project: Path) -> Problem:
    """Return the problem with a place, which is told relative to the project where it is in it."""
    place = Path(str(error.filename)) if error.filename else project
    if place.is_relative_to(project):
        place = place.relative_to(project)
    if isinstance(error, FileExistsError) and place.name == STAGING:
        message = "is in the way of what toolmint puts there while it writes"
        hint = "if a toolmint was interrupted, toolmint generate finishes what it began; else remove it and try again"
    else:
        message = f"cannot be written: {error.strerror or error}; nothing has been changed"
        hint = "make room on the disk, or the folder writable, and try again"
    return Problem(code="cannot-write", message=message, file=str(place), hint=hint)
