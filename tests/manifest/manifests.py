"""Manifests for the tests: a head that is right, and loading of what follows it."""

from pathlib import Path

import pytest

from toolmint.manifest import Manifest, ManifestError, load_manifest
from toolmint.problems import Problem

REVISIONS = ("2026-07-28", "2025-11-25")

HEAD = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: contracts, version: "1.0"}\n'
"""Three lines; what is appended starts in line 4."""


def load(folder: Path, text: str | bytes) -> Manifest:
    """Load a text as ``tools.yaml`` of a folder, which must be the current one."""
    Path(folder, "tools.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    return load_manifest("tools.yaml", revisions=REVISIONS)


def problems(folder: Path, text: str | bytes) -> tuple[Problem, ...]:
    """Load what cannot be used, and return why."""
    with pytest.raises(ManifestError) as caught:
        load(folder, text)
    return caught.value.problems
