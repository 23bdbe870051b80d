"""The long run, made short: nothing is lost and nothing piles up."""

from pathlib import Path

from hostile.soak import Soak, assert_nothing_grows
from hostile.test_load import HANDLERS, MANIFEST
from servers import make_project


def test_nothing_piles_up(tmp_path: Path) -> None:
    soak = Soak(make_project(tmp_path, MANIFEST, HANDLERS), seed=1)
    assert soak.run(4, samples=5) > 1000
    assert_nothing_grows(soak.held)
