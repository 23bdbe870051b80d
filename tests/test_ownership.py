"""Generated and handwritten files are never confused: what generate may write, must leave, and asks about."""

import json
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
    return {problem.file: problem.code for problem in outcome.problems}


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


def test_link_among_the_folders_is_refused(manifest: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    runtime = manifest.parent / "src/owned_mcp/runtime"
    for path in runtime.iterdir():
        path.unlink()
    runtime.rmdir()
    runtime.symlink_to(outside)
    outcome = commands.generate(manifest, force=True)
    assert set(codes(outcome).values()) == {"obstacle"}
    assert list(outside.iterdir()) == []


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


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 99}', '{"format": 1}'])
def test_unusable_lock(manifest: Path, text: str) -> None:
    (manifest.parent / lock.NAME).write_text(text, encoding="utf-8")
    outcome = commands.generate(manifest)
    assert outcome.exit_code == 2
    assert codes(outcome) == {lock.NAME: "unusable-lock"}


def test_upgrade_without_a_change_of_output_changes_one_line_of_the_lock(
    manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (manifest.parent / lock.NAME).read_text(encoding="utf-8").splitlines()
    monkeypatch.setattr(lock, "__version__", "99.0.0")
    assert commands.generate(manifest).facts["written"] == [lock.NAME]
    after = (manifest.parent / lock.NAME).read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line not in before] == ['  "generator": "99.0.0",']


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
    again = commands.init(tmp_path / "hello")
    assert again.exit_code == 2
    assert again.problems[0].code == "exists"
