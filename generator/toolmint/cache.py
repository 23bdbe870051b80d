"""Results that take long to work out, kept on disk for the next run; losing them costs time and nothing else.

A key has to cover everything that a result depends on. ``fingerprint`` stands for toolmint itself: its code, templates
and schemas, and the packages that shape what it emits.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from toolmint import __version__
from toolmint.assets import SCHEMAS, TEMPLATES

_KEPT = 100_000_000
"""How many bytes are kept; what was used longest ago goes first."""

_SHAPING = ("datamodel-code-generator", "jinja2", "jsonschema", "ruff")


def remembered(kind: str, parts: Iterable[str], compute: Callable[[], Any]) -> Any:
    """Return a JSON value that was worked out before, or work it out now.

    Args:
        kind: What it is, for the name of the file.
        parts: All that it depends on besides toolmint itself.
        compute: Works it out.
    """
    digest = hashlib.sha256(fingerprint().encode())
    for part in parts:
        digest.update(b"\0" + part.encode("utf-8", "surrogatepass"))
    path = _folder() / f"{kind}-{digest.hexdigest()[:40]}.json"
    try:
        value = json.loads(path.read_bytes())
        os.utime(path)
    except (OSError, ValueError):
        value = compute()
        _keep(path, value)
    return value


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return what identifies this toolmint: another text whenever it might emit something else."""
    digest = hashlib.sha256(__version__.encode())
    for name in _SHAPING:
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:  # run from a checkout with vendored packages
            digest.update(name.encode())
    for root in (Path(__file__).parent, SCHEMAS, TEMPLATES):
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".json", ".jinja", ".jinja2"):
                status = path.stat()
                digest.update(f"{path.relative_to(root)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "toolmint"


def _keep(path: Path, value: Any) -> None:
    """Write a result, whole or not at all; a disk that is full or read-only is no reason to fail."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            json.dump(value, file)
        Path(file.name).replace(path)
        size = 0
        for other in sorted(path.parent.glob("*.json"), key=lambda other: other.stat().st_mtime, reverse=True):
            size += other.stat().st_size
            if size > _KEPT:
                other.unlink(missing_ok=True)
    except OSError:
        return
