from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one, so that problems name files as a user in it would."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
