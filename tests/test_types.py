"""Pyright accepts every committed project, handlers and runtime included; ``make lint`` asks mypy the same."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reference import ROOT

PROGRAMS = Path(sys.executable).parent
PROJECTS = sorted(path.parent for path in (ROOT / "generated").glob("*/tools.yaml"))


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_pyright_accepts_the_project(project: Path, tmp_path: Path) -> None:
    source = str(project / "src")
    settings = {"typeCheckingMode": "standard", "include": [source], "extraPaths": [source], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [PROGRAMS / "basedpyright", "--project", tmp_path, "--pythonpath", sys.executable, "--outputjson"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(finished.stdout)
    assert report["summary"]["filesAnalyzed"] > 30
    assert [
        (item["file"], item["message"]) for item in report["generalDiagnostics"] if item["severity"] == "error"
    ] == []
