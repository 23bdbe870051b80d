"""Emitted Python as ruff formats it: one run for all files."""

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ruff import find_ruff_bin

_CONFIGURATION = """\
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
        configuration = root / "ruff.toml"
        configuration.write_text(_CONFIGURATION, encoding="utf-8")
        tree = root / "tree"
        for name, source in sources.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        if sources:
            _run("check", "--fix", "--quiet", "--no-cache", "--config", str(configuration), str(tree))
            _run("format", "--quiet", "--no-cache", "--config", str(configuration), str(tree))
        return {name: (tree / name).read_text(encoding="utf-8") for name in sources}


def _run(*arguments: str) -> None:
    finished = subprocess.run([find_ruff_bin(), *arguments], capture_output=True, text=True, check=False)
    if finished.returncode:
        raise FormattingError(f"ruff {arguments[0]}: {finished.stderr.strip() or finished.stdout.strip()}")
