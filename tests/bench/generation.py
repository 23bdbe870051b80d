"""What generating costs: small and large projects, from cold and when nothing has changed."""

import os
import shutil
import sys
from pathlib import Path

from bench import large
from bench.contestants import CALLED

_COMPILE = """\
import json, sys, time
from toolmint.compiler import compile_schema
schemas = json.load(sys.stdin)
began = time.perf_counter()
for schema in schemas:
    compile_schema(schema["inputSchema"], prefix="input", destringify=True)
    compile_schema(schema["outputSchema"], prefix="output")
print(time.perf_counter() - began)
"""


def measure(folder: Path) -> tuple[list[dict[str, float | str]], Path, Path]:
    """Generate projects in a folder, which is emptied before.

    Returns:
        The figures; the project with a thousand tools in pages of a hundred, and the one with all on one page, both
        with a handler for the tool that is called.
    """
    shutil.rmtree(folder, ignore_errors=True)
    figures: list[dict[str, float | str]] = []

    def note(what: str, cost: large.Cost) -> None:
        figures.append({"what": what, "seconds": cost.seconds, "memory": cost.memory})

    cache = folder / "cache"
    few = str(large.write(folder / "few", 50, 0))
    note("generate 50 tools, from cold", large.toolmint("generate", few, cache=cache))
    note("generate 50 tools, nothing changed", large.toolmint("generate", few, cache=cache))
    note("check 50 tools", large.toolmint("check", few, cache=cache))
    paged = str(large.write(folder / "paged", 1000, 100))
    note("generate 1,000 tools, from cold", large.toolmint("generate", paged, cache=cache))
    note("generate 1,000 tools, nothing changed", large.toolmint("generate", paged, cache=cache))
    note("check 1,000 tools", large.toolmint("check", paged, cache=cache))
    whole = str(large.write(folder / "whole", 1000, 0))
    large.toolmint("generate", whole, cache=cache)
    for project in ("paged", "whole"):
        large.handle(folder / project, CALLED)
    figures.append({"what": "compile the schemas of 1,000 tools", "seconds": compile_time(folder / "paged")})
    return figures, folder / "paged", folder / "whole"


def compile_time(project: Path) -> float:
    """Return the seconds that it takes to compile the schemas of a project's tools, and nothing else."""
    sys.path.insert(0, str(project / "src"))
    try:
        catalogue = __import__(f"{large.MODULE}.catalogue", fromlist=["TOOLS"])
    finally:
        sys.path.pop(0)
    text = f"[{','.join(catalogue.TOOLS.values())}]"
    return float(large.output([sys.executable, "-c", _COMPILE], text, dict(os.environ)))
