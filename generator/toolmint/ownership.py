"""Who owns which file of a project: what may be written, what must be left, and what needs a decision.

Generated files are known by the digests in the lock. One that was edited, or a foreign file in the place of one, is
never overwritten in silence; a handwritten file is never written again once it exists. Line ends do not count, since
version control may change them on checkout.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path

from toolmint.fit import handler_file
from toolmint.lock import NAME, Lock, digest
from toolmint.plan import Plan
from toolmint.problems import Problem

_DIFF_LINES = 40


@dataclass(frozen=True, slots=True)
class Changes:
    """What has to happen so that a project is as planned.

    Attributes:
        writes: New content by path; files that are right already are not among them.
        removals: Generated files that nothing produces any more.
        conflicts: Why it must not happen without being told to.
        created: Paths of handwritten files that are written for the first time.
    """

    writes: dict[str, bytes]
    removals: tuple[str, ...]
    conflicts: tuple[Problem, ...]
    created: tuple[str, ...]


def compare(plan: Plan, project: Path, lock: Lock | None, new_lock: Lock, *, force: bool = False) -> Changes:
    """Compare a plan with what is on disk; nothing is touched.

    Args:
        plan: How the project should be.
        project: Its folder.
        lock: Its lock, if it has one.
        new_lock: The lock that it should have.
        force: Overwrite generated files although they were edited. Symbolic links are refused all the same.
    """
    writes: dict[str, bytes] = {}
    conflicts: list[Problem] = []
    obstructed: set[str] = set()
    created: list[str] = []
    known = lock.files if lock else {}
    for file in plan.files:
        content = file.content.encode()
        obstacle = _obstacle(project, file.path)
        if obstacle is not None:
            if file.owner == "generated" and obstacle.file not in obstructed:
                obstructed.add(obstacle.file)
                conflicts.append(obstacle)
            continue
        path = project / file.path
        if not path.exists():
            if file.owner == "handwritten" and lock is not None and not file.path.endswith(".py"):
                continue  # its owner has removed it; a handler has to be there, and gets its stub again
            if file.owner == "handwritten" and handler_file(project, file.path) != file.path:
                continue
            writes[file.path] = content
            if file.owner == "handwritten":
                created.append(file.path)
            continue
        if file.owner == "handwritten":
            continue
        found = path.read_bytes()
        if found == content or _plain(found) == _plain(content):
            continue
        if known.get(file.path) not in (digest(found), digest(_plain(found))) and not force:
            conflicts.append(_edited(file.path, found, content, edited=file.path in known))
            continue
        writes[file.path] = content

    removals: list[str] = []
    planned = plan.by_path()
    for name in sorted(known.keys() - planned.keys()):
        path = project / name
        if _obstacle(project, name) is not None or not path.exists():
            continue
        found = path.read_bytes()
        if known[name] in (digest(found), digest(_plain(found))):
            removals.append(name)
        else:
            conflicts.append(
                Problem(
                    code="edited-leftover",
                    message="no longer generated, but it was edited, so it is not removed",
                    file=name,
                    hint="move what you need elsewhere and remove it",
                )
            )
    lock_text = new_lock.render().encode()
    obstacle = _obstacle(project, NAME)
    if obstacle is not None:
        conflicts.append(obstacle)
    elif not (project / NAME).exists() or _plain((project / NAME).read_bytes()) != lock_text:
        writes[NAME] = lock_text
    return Changes(writes, tuple(removals), tuple(conflicts), tuple(created))


def _plain(content: bytes) -> bytes:
    """Return a text with the line ends that toolmint writes."""
    return content.replace(b"\r\n", b"\n")


def _obstacle(project: Path, name: str) -> Problem | None:
    """Return the problem with a place where a file should go: a symbolic link on the way, a folder, a device."""
    path = project
    parts = Path(name).parts
    for number, part in enumerate(parts):
        path = path / part
        last = number == len(parts) - 1
        if path.is_symlink():
            what = "a symbolic link; generated files are never written through one"
        elif path.exists() and (not path.is_file() if last else not path.is_dir()):
            what = "not a plain file" if last else "not a folder"
        else:
            continue
        return Problem(
            code="obstacle",
            message=f"is {what}",
            file=path.relative_to(project).as_posix(),
            hint="move it away and generate again",
        )
    return None


def _edited(name: str, found: bytes, planned: bytes, *, edited: bool) -> Problem:
    before = planned.decode().splitlines()
    after = found.decode("utf-8", "replace").splitlines()
    lines = list(difflib.unified_diff(before, after, f"{name} (generated)", f"{name} (on disk)", lineterm=""))
    more = f"\n… {len(lines) - _DIFF_LINES} more lines" if len(lines) > _DIFF_LINES else ""
    return Problem(
        code="edited" if edited else "foreign-file",
        message=(
            "this generated file was edited"
            if edited
            else "a file that toolmint did not write is in the place of this one"
        )
        + "; it is left as it is:\n"
        + "\n".join(lines[:_DIFF_LINES])
        + more,
        file=name,
        hint=(
            "move the change to tools.yaml or a file of yours, or generate with --force to overwrite it"
            if edited
            else "move it away and generate again, or generate with --force to overwrite it"
        ),
    )
