"""Changes to a project happen as a whole or not at all, whatever fails and wherever the process is killed."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolmint.transaction import STAGING, TransactionError, change_files, exclusive, recover

BEFORE = {"a.txt": b"old a", "sub/b.txt": b"old b", "gone/c.txt": b"old c"}
WRITES = {"a.txt": b"new a", "sub/b.txt": b"new b", "new/deep/d.txt": b"new d"}
REMOVALS = ["gone/c.txt"]
AFTER = {"a.txt": b"new a", "sub/b.txt": b"new b", "new/deep/d.txt": b"new d"}

OPERATIONS = ("mkdir", "write_bytes", "write_text", "replace", "unlink", "rmdir")


def content(project: Path) -> dict[str, bytes]:
    return {str(path.relative_to(project)): path.read_bytes() for path in sorted(project.rglob("*")) if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, data in BEFORE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_files_are_written_and_removed(project: Path) -> None:
    change_files(project, WRITES, REMOVALS)
    assert content(project) == AFTER
    assert not (project / "gone").exists()
    assert not (project / STAGING).exists()


def test_nothing_to_do_touches_nothing(project: Path) -> None:
    before = project.stat().st_mtime_ns
    change_files(project, {}, [])
    assert project.stat().st_mtime_ns == before


def fail_at(number: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Have the n-th operation on files fail as on a full disk; return how many there were."""
    count = 0

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(self: Path, *arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
            return original(self, *arguments, **options)

        return operation

    for name in OPERATIONS:
        monkeypatch.setattr(Path, name, wrap(getattr(Path, name)))
    return lambda: count


@pytest.mark.parametrize("number", range(1, 24))
def test_failure_at_any_operation_leaves_all_or_nothing(
    project: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        count = fail_at(number, patched)
        try:
            change_files(project, WRITES, REMOVALS)
            failed = False
        except TransactionError as error:
            failed = True
            assert error.problem.code == "cannot-write"
            assert "No space left" in error.problem.message
    done = content(project)
    if failed:
        assert done == BEFORE
        change_files(project, WRITES, REMOVALS)  # and the next run finds nothing in its way
        assert content(project) == AFTER
    else:
        assert done == AFTER
        assert count() < number or (project / STAGING).exists() is False


KILLED = """
import os, sys
from pathlib import Path
from toolmint.transaction import change_files
number, count = int(sys.argv[2]), 0
def wrap(original):
    def operation(self, *arguments, **options):
        global count
        count += 1
        if count == number:
            os.kill(os.getpid(), 9)
        return original(self, *arguments, **options)
    return operation
for name in {operations!r}:
    setattr(Path, name, wrap(getattr(Path, name)))
change_files(Path(sys.argv[1]), {writes!r}, {removals!r})
"""


@pytest.mark.parametrize("number", range(1, 24))
def test_killed_at_any_operation_the_next_run_repairs_it(project: Path, number: int) -> None:
    program = KILLED.format(operations=OPERATIONS, writes=WRITES, removals=REMOVALS)
    finished = subprocess.run([sys.executable, "-c", program, str(project), str(number)], check=False)
    assert finished.returncode in (-9, 0)
    recover(project)
    assert content(project) in (BEFORE, AFTER)
    assert not (project / STAGING).exists()
    change_files(project, WRITES, REMOVALS)
    assert content(project) == AFTER


def test_what_was_changed_after_a_kill_is_left(project: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from toolmint import transaction;"
        "transaction._commit = lambda *_: os.kill(os.getpid(), 9);"
        f"transaction.change_files(Path(sys.argv[1]), {WRITES!r}, {REMOVALS!r})"
    )
    subprocess.run([sys.executable, "-c", program, str(project)], check=False)
    mine = {"a.txt": b"my a", "new/deep/d.txt": b"my d", "gone/c.txt": b"my c"}
    for name, text in mine.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(text)
    assert recover(project)
    assert content(project) == {**mine, "sub/b.txt": b"new b"}


def test_file_system_without_locks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    with exclusive(project):
        change_files(project, WRITES, REMOVALS)
    assert content(project) == AFTER


def test_two_at_once_are_refused(project: Path) -> None:
    with exclusive(project), pytest.raises(TransactionError, match="another toolmint"), exclusive(project):
        pass
    with exclusive(project):
        pass


def test_something_in_the_place_of_the_staging_folder(project: Path) -> None:
    (project / STAGING).write_text("mine")
    with pytest.raises(TransactionError, match="in the way"):
        change_files(project, WRITES, REMOVALS)
    assert content(project) == {**BEFORE, STAGING: b"mine"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder(project: Path) -> None:
    (project / "sub").chmod(0o500)
    try:
        with pytest.raises(TransactionError, match="cannot be written"):
            change_files(project, WRITES, REMOVALS)
    finally:
        (project / "sub").chmod(0o700)
    assert content(project) == BEFORE
