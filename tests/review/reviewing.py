"""Manifests to review: a sound one, changed in one place."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolmint.manifest import Manifest, load_manifest
from toolmint.problems import Problem
from toolmint.review import review

REVISION = "2026-07-28"


def tool(name: str = "get_contract", **members: Any) -> dict[str, Any]:
    """A tool that nothing can be said against, with some members other."""
    sound = {
        "name": name,
        "description": f"Return what {name} is about.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": schema(id={"type": "string", "description": "Id of a contract."}),
    }
    return sound | members


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def described(**members: Any) -> dict[str, Any]:
    return {"description": "What it is."} | members


class Reviewing:
    """Writes manifests and reviews them."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tools.yaml"

    def load(self, *tools: dict[str, Any], **members: Any) -> Manifest:
        value = {
            "toolmint": 1,
            "protocol": REVISION,
            "server": {"name": "contracts", "version": "1.0.0"},
            "tools": list(tools),
        }
        return self.load_text(json.dumps(value | members, indent=1))

    def load_text(self, text: str) -> Manifest:
        self.path.write_text(text, encoding="utf-8")
        return load_manifest(self.path, revisions=[REVISION])

    def __call__(self, *tools: dict[str, Any], **members: Any) -> tuple[Problem, ...]:
        return review(self.load(*tools, **members))

    def codes(self, *tools: dict[str, Any], **members: Any) -> list[str]:
        return [problem.code for problem in self(*tools, **members)]

    def text_of(self, problem: Problem) -> str:
        """Return the rest of the line that a problem is at."""
        assert problem.line is not None
        assert problem.column is not None
        return self.path.read_text(encoding="utf-8").split("\n")[problem.line - 1][problem.column - 1 :]


@pytest.fixture
def reviewing(tmp_path: Path) -> Reviewing:
    return Reviewing(tmp_path)
