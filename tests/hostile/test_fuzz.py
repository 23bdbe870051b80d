"""Made-up lines, held to an oracle; what was found is in the tables of the other tests."""

from pathlib import Path

import pytest

from hostile.everything import make_everything
from hostile.fuzz import fuzz


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_everything(tmp_path_factory.mktemp("everything"))


@pytest.mark.parametrize("seed", [1, 2])
def test_made_up_lines_get_what_they_must(source: Path, seed: int) -> None:
    assert fuzz(source, seed, seconds=5) > 300
