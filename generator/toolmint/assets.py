"""Where the schemas and templates are: beside the package in a wheel, at the top of the repository in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def _folder(name: str) -> Path:
    for parent in (_PACKAGE, _PACKAGE.parent.parent):
        if (parent / name).is_dir():
            return parent / name
    raise FileNotFoundError(f"toolmint's own folder {name!r} is missing beside {_PACKAGE}: reinstall toolmint")


SCHEMAS = _folder("schema")
"""Holds ``manifest.schema.json`` and one folder per protocol revision."""

TEMPLATES = _folder("templates")
"""Holds what a generated project is made of."""
