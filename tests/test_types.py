"""Pyright accepts every committed project, handlers and runtime included; ``make lint`` asks mypy the same."""

import json
import subprocess
import sys
from pathlib import Path

from reference import ROOT

PROGRAMS = Path(sys.executable).parent
PROJECTS = sorted(path.parent for path in (ROOT / "generated").glob("*/tools.yaml"))


def test_pyright_accepts_every_project(tmp_path: Path) -> None:
    sources = [str(project / "src") for project in PROJECTS]
    settings = {"typeCheckingMode": "standard", "include": sources, "extraPaths": sources, "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [PROGRAMS / "basedpyright", "--project", tmp_path, "--pythonpath", sys.executable, "--outputjson"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(finished.stdout)
    assert report["summary"]["filesAnalyzed"] > 30 * len(PROJECTS)
    found = report["generalDiagnostics"]
    assert [(item["file"], item["message"]) for item in found if item["severity"] == "error"] == []
