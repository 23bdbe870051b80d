from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Server
from specification.rules_server import MODULE, make_rules_server


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``src`` folder of the rules server."""
    return make_rules_server(tmp_path_factory.mktemp("rules"))


@pytest.fixture(scope="module")
def server(source: Path) -> Iterator[Server]:
    """A rules server that the tests of a module share, so they leave it as it was."""
    with Server(source, MODULE) as running:
        yield running


@pytest.fixture
def fresh(source: Path) -> Iterator[Server]:
    """A rules server of a test's own."""
    with Server(source, MODULE) as running:
        yield running
