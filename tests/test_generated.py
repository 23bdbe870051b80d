"""The committed projects: what each of them says of itself in its own tests holds. Takes 3 s a project."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reference import ROOT

PROJECTS = sorted(path.parent for path in (ROOT / "generated").glob("*/tools.yaml"))


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_own_tests_pass(project: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env={name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert " passed" in finished.stdout
