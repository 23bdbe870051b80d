"""Generated and handwritten files are never confused: what generate may write, must leave, and asks about."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolmint import commands, lock
from toolmint.commands import Outcome

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: owned, version: 0.1.0}
tools:
  - name: first
    description: The first.
  - name: second
    description: The second.
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "tools.yaml"
    path.write_text(MANIFEST, encoding="utf-8")
    assert not commands.generate(path).problems
    return path


def times(project: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}


def codes(outcome: Outcome) -> dict[str, str]:
    """Return the problems' codes by file; a project is in a folder of its own, which is not told here."""
    return {re.sub(r".*/test_[^/]*/", "", problem.file): problem.code for problem in outcome.problems}


def test_second_run_changes_nothing(manifest: Path) -> None:
    before = times(manifest.parent)
    outcome = commands.generate(manifest)
    assert not outcome.problems
    assert outcome.facts["written"] == []
    assert times(manifest.parent) == before
    assert not commands.check(manifest).problems


def test_check_changes_nothing_and_names_what_is_out_of_date(manifest: Path) -> None:
    manifest.write_text(MANIFEST.replace("The first", "The very first"), encoding="utf-8")
    before = times(manifest.parent)
    outcome = commands.check(manifest)
    assert outcome.exit_code == 1
    assert codes(outcome)["src/owned_mcp/catalogue.py"] == "out-of-date"
    assert times(manifest.parent) == before


def test_handwritten_files_are_never_written_again(manifest: Path) -> None:
    mine = [
        manifest.parent / name for name in ("src/owned_mcp/tools/first.py", "pyproject.toml", "README.md", "Makefile")
    ]
    for path in mine:
        path.write_text("mine\n", encoding="utf-8")
    manifest.write_text(MANIFEST.replace("The first", "The very first"), encoding="utf-8")
    assert not commands.generate(manifest, force=True).problems
    assert [path.read_text(encoding="utf-8") for path in mine] == ["mine\n"] * len(mine)


def test_project_file_that_its_owner_removed_stays_removed(manifest: Path) -> None:
    removed = [manifest.parent / name for name in ("pyproject.toml", "README.md", "Makefile", ".gitignore")]
    for path in removed:
        path.unlink()
    assert commands.check(manifest).problems == []
    assert commands.generate(manifest, force=True).facts["written"] == []
    assert not any(path.exists() for path in removed)
    (manifest.parent / lock.NAME).unlink()
    assert set(commands.generate(manifest).facts["written"]) == {*(path.name for path in removed), lock.NAME}


def test_edited_generated_file_is_left_and_shown(manifest: Path) -> None:
    path = manifest.parent / "src/owned_mcp/dispatch.py"
    edited = path.read_text(encoding="utf-8") + "\nEXTRA = 1\n"
    path.write_text(edited, encoding="utf-8")
    manifest.write_text(MANIFEST.replace("version: 0.1.0", "version: 0.2.0"), encoding="utf-8")
    before = times(manifest.parent)
    outcome = commands.generate(manifest)
    assert outcome.exit_code == 1
    assert codes(outcome) == {"src/owned_mcp/dispatch.py": "edited"}
    (problem,) = outcome.problems
    assert "+EXTRA = 1" in problem.message
    assert "--force" in problem.hint
    assert times(manifest.parent) == before
    assert not commands.generate(manifest, force=True).problems
    assert "EXTRA" not in path.read_text(encoding="utf-8")


def test_foreign_file_in_the_place_of_a_generated_one(manifest: Path) -> None:
    project = manifest.parent
    (project / "toolmint.lock").unlink()
    (project / "server.json").write_text("{}", encoding="utf-8")
    outcome = commands.generate(manifest)
    assert codes(outcome) == {"server.json": "foreign-file"}
    assert "tools.yaml" not in outcome.problems[0].hint
    assert (project / "server.json").read_text(encoding="utf-8") == "{}"


def test_symbolic_link_is_refused_and_never_followed(manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "target.py"
    outside.write_text("precious", encoding="utf-8")
    path = manifest.parent / "src/owned_mcp/api.py"
    path.unlink()
    path.symlink_to(outside)
    outcome = commands.generate(manifest, force=True)
    assert codes(outcome) == {"src/owned_mcp/api.py": "obstacle"}
    assert outside.read_text(encoding="utf-8") == "precious"


def test_link_among_the_folders_is_refused_once(manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    runtime = manifest.parent / "src/owned_mcp/runtime"
    for path in runtime.iterdir():
        path.unlink()
    runtime.rmdir()
    runtime.symlink_to(outside)
    outcome = commands.generate(manifest, force=True)
    assert len(outcome.problems) == 1
    assert codes(outcome) == {"src/owned_mcp/runtime": "obstacle"}
    assert list(outside.iterdir()) == []


def test_line_ends_that_version_control_changed_are_no_edit(manifest: Path) -> None:
    for path in manifest.parent.rglob("*"):
        if path.is_file() and path != manifest:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = times(manifest.parent)
    assert commands.check(manifest).problems == []
    assert commands.generate(manifest).facts["written"] == []
    assert times(manifest.parent) == before
    manifest.write_text(MANIFEST.replace("The first", "The very first"), encoding="utf-8")
    outcome = commands.generate(manifest)
    assert not outcome.problems
    assert "src/owned_mcp/catalogue.py" in outcome.facts["written"]
    manifest.write_text(MANIFEST.rpartition("  - name: second")[0], encoding="utf-8")
    assert commands.generate(manifest).facts["removed"] == ["src/owned_mcp/validators/second.py"]


def test_file_that_is_no_longer_produced_goes_and_its_handler_stays(manifest: Path) -> None:
    manifest.write_text(MANIFEST.rpartition("  - name: second")[0], encoding="utf-8")
    outcome = commands.generate(manifest)
    assert outcome.facts["removed"] == ["src/owned_mcp/validators/second.py"]
    assert not (manifest.parent / "src/owned_mcp/validators/second.py").exists()
    assert (manifest.parent / "src/owned_mcp/tools/second.py").exists()


def test_leftover_that_was_edited_is_reported(manifest: Path) -> None:
    path = manifest.parent / "src/owned_mcp/validators/second.py"
    path.write_text("# edited\n", encoding="utf-8")
    manifest.write_text(MANIFEST.rpartition("  - name: second")[0], encoding="utf-8")
    outcome = commands.generate(manifest)
    assert codes(outcome) == {"src/owned_mcp/validators/second.py": "edited-leftover"}
    assert path.exists()


def test_new_tool_gets_a_stub(manifest: Path) -> None:
    manifest.write_text(MANIFEST + "  - name: third\n    description: The third.\n", encoding="utf-8")
    outcome = commands.generate(manifest)
    assert "src/owned_mcp/tools/third.py" in outcome.facts["written"]
    assert any("stub" in line and "third" in line for line in outcome.lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not what toolmint generate writes"),
        ("{", "not what toolmint generate writes"),
        ("[]", "not what toolmint generate writes"),
        ('{"format": 99}', "a later one"),
        ('{"format": 1}', "not what toolmint generate writes"),
        ("{\n<<<<<<< HEAD\n=======\n>>>>>>> other\n}", "keep either side"),
    ],
)
def test_unusable_lock(manifest: Path, text: str, words: str) -> None:
    (manifest.parent / lock.NAME).write_text(text, encoding="utf-8")
    outcome = commands.generate(manifest)
    assert outcome.exit_code == 2
    assert codes(outcome) == {lock.NAME: "unusable-lock"}
    assert words in outcome.problems[0].message + outcome.problems[0].hint


def test_folder_in_the_place_of_the_lock(manifest: Path) -> None:
    (manifest.parent / lock.NAME).unlink()
    (manifest.parent / lock.NAME).mkdir()
    outcome = commands.generate(manifest)
    assert codes(outcome) == {lock.NAME: "unusable-lock"}
    assert "Is a directory" in outcome.problems[0].message


def test_upgrade_without_a_change_of_output_changes_one_line_of_the_lock(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (manifest.parent / lock.NAME).read_text(encoding="utf-8").splitlines()
    monkeypatch.setattr(lock, "__version__", "99.0.0")
    assert commands.generate(manifest).facts["written"] == [lock.NAME]
    after = (manifest.parent / lock.NAME).read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line not in before] == ['  "generator": "99.0.0",']


def test_folder_that_cannot_be_read_is_named(manifest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, *_: object) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        assert [problem.code for problem in commands.generate(manifest).problems] == ["cannot-write"]
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: refuse(path) if path.suffix == ".yaml" else exists(path))
    assert [problem.code for problem in commands.generate(manifest).problems] == ["cannot-read"]
    assert [problem.code for problem in commands.init(manifest.parent / "new").problems] == ["cannot-write"]
    outcome = commands.import_answers([manifest.parent / lock.NAME], manifest.parent / "new.yaml")
    assert [problem.code for problem in outcome.problems] == ["cannot-write"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["generate", "nowhere/tools.yaml"], 2),
        (["check", "nowhere.yaml"], 2),
        (["generate", "--no-such"], 2),
        (["made-up"], 2),
    ],
)
def test_unusable_input_exits_with_2_and_says_where(tmp_path: Path, arguments: list[str], code: int) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "toolmint", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == code
    assert "Traceback" not in finished.stderr
    assert finished.stderr


def test_files_are_named_as_they_are_called_from_where_the_command_runs(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (manifest.parent / "server.json").write_text("mine", encoding="utf-8")
    (manifest.parent / "src/owned_mcp/tools/first.py").write_text("def first(): ...\n", encoding="utf-8")
    monkeypatch.chdir(manifest.parent.parent)
    relative = Path(manifest.parent.name) / "tools.yaml"
    for outcome in (commands.check(relative), commands.generate(relative)):
        assert all(Path(problem.file).exists() for problem in [*outcome.problems, *outcome.warnings])
        assert str(relative.parent / "server.json") in [problem.file for problem in outcome.problems]
    monkeypatch.chdir(manifest.parent)
    assert {problem.file for problem in commands.check(Path("tools.yaml")).problems} == {
        "server.json",
        "src/owned_mcp/tools/first.py",
    }
    (manifest.parent / lock.NAME).write_text("", encoding="utf-8")
    monkeypatch.chdir(manifest.parent.parent)
    assert [Path(problem.file) for problem in commands.check(relative).problems] == [relative.parent / lock.NAME]


def test_json_output(manifest: Path) -> None:
    manifest.write_text(MANIFEST.replace("name: second", "nme: second"), encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-m", "toolmint", "generate", "--json", str(manifest)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2
    answer = json.loads(finished.stdout)
    assert answer["ok"] is False
    problem = answer["problems"][0]
    assert problem.keys() == {"code", "message", "file", "line", "column", "hint"}
    assert problem["line"] == 7
    assert "name" in problem["hint"]


def test_init_gives_a_project_that_generates_checks_and_tests(tmp_path: Path) -> None:
    outcome = commands.init(tmp_path / "hello")
    assert not outcome.problems
    assert not commands.check(tmp_path / "hello" / "tools.yaml").problems
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path / "hello", capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout
    assert "  make run      serve it" in outcome.lines
    again = commands.init(tmp_path / "hello")
    assert again.exit_code == 2
    assert again.problems[0].code == "exists"


def test_init_that_fails_leaves_no_half_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text("mine", encoding="utf-8")
    outcome = commands.init(tmp_path)
    assert codes(outcome) == {"server.json": "foreign-file"}
    assert [path.name for path in tmp_path.iterdir()] == ["server.json"]


def test_init_says_where_to_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "  cd 'two words'" in commands.init(Path("two words")).lines
    monkeypatch.chdir(tmp_path / "two words" / "src")
    lines = commands.init(Path()).lines
    assert "A project is in src. Next:" in lines
    assert not any(line.startswith("  cd") for line in lines)
