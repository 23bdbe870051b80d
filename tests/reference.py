"""Published data the project is held against, where it is at hand; a test that needs it skips where it is not."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REFERENCE = Path(os.environ.get("TOOLMINT_REFERENCE", ROOT.parent / "shared" / "reference"))

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason=f"the published reference data is not at {REFERENCE} (set TOOLMINT_REFERENCE)"
)
