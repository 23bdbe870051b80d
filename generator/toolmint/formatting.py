"""Emitted Python as ruff formats it: one run for all files."""

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ruff import find_ruff_bin

_CONFIGURATION = """\
src = ["tree/src"]
line-length = 120
target-version = "py311"
[lint]
select = ["I"]
"""


class FormattingError(Exception):
    """ruff could not read emitted code: a fault of the generator, whose text says which file and why."""


def format_python(sources: Mapping[str, str]) -> dict[str, str]:
    """Return Python sources formatted and with their imports sorted.

    Args:
        sources: Source text by file name relative to the project; names are only used to tell files apart.

    Raises:
        FormattingError: A source is not valid Python.
    """
    with tempfile.TemporaryDirectory(prefix="toolmint-") as folder:
        root = Path(folder)
        (root / "ruff.toml").write_text(_CONFIGURATION, encoding="utf-8")
        tree = root / "tree"
        for name, source in sources.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        if sources:
            _run(root, "check", "--fix")
            _run(root, "format")
        return {name: (tree / name).read_text(encoding="utf-8") for name in sources}


def _run(root: Path, *command: str) -> None:
    finished = subprocess.run(
        [find_ruff_bin(), *command, "--quiet", "--no-cache", "--config", "ruff.toml", "tree"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise FormattingError(f"ruff {command[0]}: {finished.stderr.strip() or finished.stdout.strip()}")
