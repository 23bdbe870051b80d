"""The command line as a user types it: what it prints, what it writes, and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reference import ROOT
from servers import Server, request

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: told, version: 0.1.0}
tools:
  - name: find
    description: Find something.
    annotations: {readOnlyHint: true}
    inputSchema: {type: object, properties: {text: {type: string, description: What., maxLength: 100}}}
"""


def toolmint(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "toolmint", *map(str, arguments)]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in finished.stderr
    return finished


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    return tmp_path


def test_diff_fails_on_a_break_when_told_to(folder: Path) -> None:
    assert toolmint("generate", folder=folder).returncode == 0
    (folder / "new.yaml").write_text(MANIFEST.replace("maxLength: 100", "maxLength: 5"), encoding="utf-8")
    for old in ("tools.yaml", "toolmint.lock"):
        said = toolmint("diff", old, "new.yaml", folder=folder)
        assert said.returncode == 0
        assert "breaking (1)" in said.stdout
        assert "0.1.0 -> 0.2.0" in said.stdout
        assert toolmint("diff", old, "new.yaml", "--fail-on", "breaking", folder=folder).returncode == 1
    answer = json.loads(toolmint("diff", "--json", "tools.yaml", "new.yaml", folder=folder).stdout)
    assert answer["summary"]["breaking"] == 1
    assert toolmint("diff", "tools.yaml", "tools.yaml", "--fail-on", "cannot-tell", folder=folder).returncode == 0
    assert toolmint("diff", "tools.yaml", "nowhere.yaml", folder=folder).returncode == 2


def test_accepted_break_passes_and_no_other(folder: Path) -> None:
    (folder / "new.yaml").write_text(MANIFEST.replace("maxLength: 100", "maxLength: 5"), encoding="utf-8")
    accepting = json.loads(toolmint("diff", "--json", "tools.yaml", "new.yaml", folder=folder).stdout)["accepting"]
    entries = [{**entry, "reason": "nobody sends more"} for entry in accepting]
    (folder / "toolmint.accept.yaml").write_text(json.dumps({"accepted": entries}), encoding="utf-8")
    assert toolmint("diff", "tools.yaml", "new.yaml", "--fail-on", "breaking", folder=folder).returncode == 0
    (folder / "new.yaml").write_text(MANIFEST.replace("maxLength: 100", "maxLength: 4"), encoding="utf-8")
    assert toolmint("diff", "tools.yaml", "new.yaml", "--fail-on", "breaking", folder=folder).returncode == 1


def test_import_joins_the_answers_of_several_files(folder: Path) -> None:
    answers = {
        "tools.json": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]},
        "prompts.json": {"jsonrpc": "2.0", "id": 2, "result": {"prompts": [{"name": "p"}]}},
        "empty.json": {"resources": []},
    }
    for name, answer in answers.items():
        (folder / name).write_text(json.dumps(answer), encoding="utf-8")
    (folder / "tools.yaml").unlink()
    arguments = [part for name in answers for part in ("--from", name)]
    finished = toolmint("import", *arguments, "--to", "tools.yaml", "--name", "joined", folder=folder)
    assert finished.returncode == 0, finished.stderr
    text = (folder / "tools.yaml").read_text(encoding="utf-8")
    assert "- name: a" in text
    assert "- name: p" in text
    (folder / "wrong.json").write_text('{"tools": 3}', encoding="utf-8")
    finished = toolmint("import", *arguments, "--from", "wrong.json", "--to", "more.yaml", folder=folder)
    assert finished.returncode == 2
    assert "wrong.json:1:1" in finished.stderr


def test_import_makes_a_manifest_that_generates_and_lists_the_same(folder: Path) -> None:
    with Server(ROOT / "generated" / "demo_tools" / "src", "demo_tools") as server:
        listed = server.ask(request(1, "tools/list"))
    (folder / "answers.json").write_text(json.dumps(listed), encoding="utf-16")
    (folder / "tools.yaml").unlink()
    assert toolmint("import", "--from", "answers.json", folder=folder).returncode == 0
    assert toolmint("import", "--from", "answers.json", folder=folder).returncode == 2  # it is there now
    assert toolmint("generate", folder=folder).returncode == 0
    (package,) = (folder / "src").iterdir()
    with Server(package.parent, package.name) as server:
        assert server.ask(request(1, "tools/list"))["result"]["tools"] == listed["result"]["tools"]


def test_warnings_of_one_kind_are_counted_after_the_first_few(folder: Path) -> None:
    tools = "".join(f"  - {{name: find_{number}, description: Find number {number}.}}\n" for number in range(9))
    (folder / "tools.yaml").write_text(MANIFEST + tools, encoding="utf-8")
    toolmint("generate", folder=folder)
    said = toolmint("check", folder=folder)
    assert said.returncode == 0
    assert said.stderr.count("is still a stub") == 3
    assert "7 more like these [stub]" in said.stderr
    assert len(json.loads(toolmint("check", "--json", folder=folder).stdout)["warnings"]) >= 10
    assert toolmint("check", "--strict", folder=folder).returncode == 1


def test_revisions_are_listed(folder: Path) -> None:
    said = toolmint("revisions", folder=folder)
    assert said.returncode == 0
    assert "2026-07-28" in said.stdout


def test_a_read_only_project_is_left_alone(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    folder.chmod(0o500)
    try:
        said = toolmint("generate", folder=folder)
    finally:
        folder.chmod(0o700)
    assert said.returncode == 2
    assert "writable" in said.stderr


def test_cache_that_cannot_be_written_is_no_reason_to_fail(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "no-folder").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "no-folder"))
    assert toolmint("generate", folder=folder).returncode == 0
