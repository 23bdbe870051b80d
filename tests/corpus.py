"""Takes the catalogues of published servers the whole way: imported, generated, type-checked, served, and held to an oracle.

``python tests/corpus.py [NAME ...]`` does it for all of them or for those named, and prints a line for each.
"""

import importlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from compiler.test_oracle import mutated, oracle, plausible
from models.samples import samples
from reference import REFERENCE
from servers import Server, request
from toolmint import commands
from toolmint.importing import import_manifest

INSTANCES = 20
"""How many instances of a tool's inputSchema are judged, built from it and then broken."""
PROGRAMS = Path(sys.executable).parent


@dataclass(frozen=True)
class Catalogue:
    """What one server answered to its list requests, and where that is kept."""

    name: str
    path: Path
    tools: list[dict[str, Any]]


def catalogues(names: Sequence[str] = ()) -> Iterator[Catalogue]:
    for path in sorted((REFERENCE / "tools-list").glob("*.json")):
        if not names or path.stem in names:
            yield Catalogue(path.stem, path, json.loads(path.read_text(encoding="utf-8"))["tools"])


def make(catalogue: Catalogue, folder: Path) -> Path:
    """Import and generate a catalogue's server; return the folder of its package."""
    text = catalogue.path.read_text(encoding="utf-8")
    manifest = folder / "tools.yaml"
    manifest.write_text(
        import_manifest({str(catalogue.path): text}, name=None, version=None, protocol=["2026-07-28"]),
        encoding="utf-8",
    )
    outcome = commands.generate(manifest)
    assert not outcome.problems, (catalogue.name, [str(problem) for problem in outcome.problems][:5])
    (package,) = (path for path in (folder / "src").iterdir() if path.is_dir())
    return package


def check_code(folder: Path) -> None:
    """Have ruff and mypy look at a project, as its own settings tell them to."""
    for command in (
        ["ruff", "check", "--no-cache"],
        ["ruff", "format", "--check", "--no-cache"],
        ["mypy", "--no-incremental", "src"],
    ):
        finished = subprocess.run(
            [PROGRAMS / command[0], *command[1:]], cwd=folder, capture_output=True, text=True, check=False
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr


def check_lists(catalogue: Catalogue, package: Path) -> None:
    """Start the server and compare what it lists with what was imported."""
    with Server(package.parent, package.name) as server:
        listed = server.ask(request(1, "tools/list"))["result"]["tools"]
    assert [tool["name"] for tool in listed] == [tool["name"] for tool in catalogue.tools]
    for theirs, ours in zip(catalogue.tools, listed, strict=True):
        assert ours == {key: value for key, value in theirs.items() if value is not None}, theirs["name"]


def check_verdicts(catalogue: Catalogue, package: Path) -> tuple[int, int]:
    """Compare compiled verdicts with the oracle's; return how many instances were valid and how many were not."""
    sys.path.insert(0, str(package.parent))
    try:
        dispatch = importlib.import_module(f"{package.name}.dispatch")
        counts = [0, 0]
        for tool in catalogue.tools:
            checks = importlib.import_module(f"{package.name}.validators.{dispatch.TOOLS[tool['name']]}")
            for value in instances(tool["inputSchema"], tool["name"]):
                counts[not judged(checks, tool, value)] += 1
        return counts[0], counts[1]
    finally:
        sys.path.remove(str(package.parent))
        for name in [name for name in sys.modules if name.split(".")[0] == package.name]:
            del sys.modules[name]


def instances(schema: Any, seed: str) -> Iterator[Any]:
    """Yield instances of a schema, good and broken ones; the same for the same seed."""
    dice = random.Random(seed)
    good = [*samples(schema), *(plausible(schema, schema, dice) for _ in range(6))]
    yield from good
    for number in range(INSTANCES - len(good)):
        yield mutated(good[number % len(good)], dice)


def judged(checks: ModuleType, tool: dict[str, Any], value: Any) -> bool:
    """Return the verdict on one instance, which is the oracle's, and the same with and without an explanation."""
    verdict: bool = checks.input_is_valid(value)
    assert verdict is oracle(tool["inputSchema"]).is_valid(value), (tool["name"], value)
    assert bool(checks.input_violations(value)) is not verdict, (tool["name"], value)
    if verdict:
        checks.build_input(value)
    return verdict


def main() -> None:
    total = [0, 0, 0]
    for catalogue in catalogues(sys.argv[1:]):
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            package = make(catalogue, Path(folder))
            generated = time.perf_counter() - began
            check_lists(catalogue, package)
            valid, invalid = check_verdicts(catalogue, package)
            check_code(Path(folder))
        total = [a + b for a, b in zip(total, (len(catalogue.tools), valid, invalid), strict=True)]
        print(
            f"{catalogue.name}: {len(catalogue.tools)} tools generated in {generated:.1f} s, {valid} + {invalid}",
            flush=True,
        )
    print(f"{total[0]} tools; {total[1]} valid and {total[2]} invalid instances judged as jsonschema does")


if __name__ == "__main__":
    main()
