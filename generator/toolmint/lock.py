"""``toolmint.lock``: what was generated from what, so that generated and handwritten files are never confused."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolmint import __version__
from toolmint.fit import Contract
from toolmint.plan import Plan
from toolmint.problems import Problem

NAME = "toolmint.lock"
_FORMAT = 1


class LockError(Exception):
    """A lock file that cannot be used."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock file records.

    Attributes:
        generator: The version of toolmint that wrote it.
        revisions: The protocol revisions, the preferred one first.
        manifest: SHA-256 of the manifest's bytes, hexadecimal.
        surface: SHA-256 of what clients are told, hexadecimal.
        files: SHA-256 of each generated file's bytes by its path relative to the project.
        handlers: The contract that each handler was written against, by its path.
        told: What clients are told: members of the discovery result and lists, each entry as JSON text.
    """

    generator: str
    revisions: tuple[str, ...]
    manifest: str
    surface: str
    files: Mapping[str, str]
    handlers: Mapping[str, Contract]
    told: Mapping[str, str | list[str]]

    def render(self) -> str:
        """Return the lock file's text: JSON, with each entry of a list in a line of its own."""
        content = {
            "about": "Written by toolmint generate. Commit it; do not edit it.",
            "format": _FORMAT,
            "generator": self.generator,
            "protocol": list(self.revisions),
            "manifest": self.manifest,
            "surface": self.surface,
            "files": dict(self.files),
            "handlers": {path: contract.to_json() for path, contract in self.handlers.items()},
        }
        members = [f"    {json.dumps(key)}: {_lines(value)}" for key, value in self.told.items()]
        told = ",\n".join(members)
        return f'{json.dumps(content, indent=2)[:-2]},\n  "told": {{\n{told}\n  }}\n}}\n'


def _lines(value: str | list[str]) -> str:
    if isinstance(value, str):
        return value
    return "[\n" + ",\n".join(f"      {text}" for text in value) + "\n    ]" if value else "[]"


def lock_of(plan: Plan, handlers: Mapping[str, Contract]) -> Lock:
    """Return the lock that belongs to a plan once it is applied, with the contracts that its handlers fit."""
    return Lock(
        handlers=handlers,
        told=plan.told,
        generator=__version__,
        revisions=plan.revisions,
        manifest=plan.manifest_digest,
        surface=plan.surface_digest,
        files={file.path: digest(file.content.encode()) for file in plan.files if file.owner == "generated"},
    )


def read_lock(project: Path) -> Lock | None:
    """Return a project's lock; None where there is none yet.

    Raises:
        LockError: It is there but cannot be read or understood.
    """
    path = project / NAME
    try:
        content: Any = json.loads(path.read_bytes())
        if content["format"] != _FORMAT:
            hint = "generate with the version of toolmint that wrote it, or a later one"
            raise _unusable(f"has the format {content['format']!r}, and this toolmint knows {_FORMAT}", hint)
        return Lock(
            generator=str(content["generator"]),
            revisions=tuple(content["protocol"]),
            manifest=str(content["manifest"]),
            surface=str(content["surface"]),
            files={str(name): str(value) for name, value in content["files"].items()},
            handlers={str(path): Contract.from_json(value) for path, value in content["handlers"].items()},
            told=content["told"],
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(f"cannot be read: {error.strerror}", "make it a file that can be read") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        if any(line.startswith(b"<<<<<<< ") for line in path.read_bytes().splitlines()):
            hint = "keep either side of it, resolve tools.yaml, and generate again"
            raise _unusable("has the marks of a merge that met a conflict", hint) from None
        hint = "restore it from version control, or remove it and generate with --force"
        raise _unusable("is not what toolmint generate writes", hint) from None


def _unusable(message: str, hint: str) -> LockError:
    return LockError(Problem(code="unusable-lock", message=message, file=NAME, hint=hint))


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, hexadecimal."""
    return hashlib.sha256(content).hexdigest()
