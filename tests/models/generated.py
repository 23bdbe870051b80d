"""A package made of what the planner emits, written to a folder, formatted, checked and imported."""

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from toolmint.assets import TEMPLATES
from toolmint.models import CodecSource, Models

RUFF = Path(sys.executable).with_name("ruff")
MYPY = Path(sys.executable).with_name("mypy")
RULES = "A,B,C4,D,E,F,FBT,I,ICN,ISC,N,PERF,PIE,PLE,PLW,PTH,PYI,RET,RSE,RUF,SIM,T10,TC,UP,W"
# Text and constants of a manifest may be long, and may use any letters; a wrapped sentence has no better place.
IGNORED = "D100,D104,D105,D107,D203,D213,E501,RUF001,RUF002"


def write_package(folder: Path, name: str, models: Models) -> Path:
    """Write the package ``name`` into a folder and return its path; not formatted."""
    package = folder / name
    (package / "validators").mkdir(parents=True)
    (package / "runtime").mkdir()
    for module in ("__init__.py", "absent.py", "encoding.py"):
        shutil.copy(TEMPLATES / "runtime" / module, package / "runtime" / module)
    for module in ("__init__.py", "validators/__init__.py"):
        (package / module).write_text("", encoding="utf-8")
    if models.parts:
        (package / "models").mkdir()
    _models(package).write_text(models.source, encoding="utf-8")
    for part, source in models.parts.items():
        (package / "models" / f"{part}.py").write_text(source, encoding="utf-8")
    for index, tool in enumerate(models.tools.values()):
        source = codec_module((tool.decoder, tool.encoder))
        (package / "validators" / f"t{index}.py").write_text(source, encoding="utf-8")
    return package


def _models(package: Path) -> Path:
    return package / "models" / "__init__.py" if (package / "models").is_dir() else package / "models.py"


def _sources(package: Path) -> list[Path]:
    models = _models(package)
    return [models.parent if models.name == "__init__.py" else models, package / "validators"]


def codec_module(codecs: Iterable[CodecSource]) -> str:
    """Return the source of a module in ``validators/``."""
    codecs = list(codecs)
    imports = sorted({pair for codec in codecs for pair in codec.imports})
    lines = [f"from {'.' if module[0] == '.' else ''}{module} import {name}" for module, name in imports]
    return "\n".join(["from __future__ import annotations", *lines, "", *(codec.body for codec in codecs)])


def run(*command: str | Path) -> None:
    """Run a command; AssertionError with what it printed unless it succeeds."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def format_package(package: Path) -> None:
    format_sources(_sources(package))


def format_sources(sources: list[Path]) -> None:
    run(RUFF, "check", "--isolated", "--target-version=py311", "--select=I", "--fix", "--quiet", *sources)
    run(RUFF, "format", "--isolated", "--target-version=py311", "--line-length=120", "--quiet", *sources)


def check_package(package: Path) -> None:
    check_sources(_sources(package), package)


def check_sources(sources: list[Path], package: Path) -> None:
    """Run ruff with the project's rules over some sources of a package, and mypy --strict over all of it."""
    rules = ["--select", RULES, "--ignore", f"{IGNORED},D103"]
    run(RUFF, "check", "--isolated", "--target-version=py311", "--line-length=120", "--quiet", *rules, *sources)
    run(MYPY, "--strict", "--no-incremental", "--python-version=3.11", "--config-file=", package)


def load(package: Path, module: str) -> ModuleType:
    """Import a module of the package afresh."""
    for name in [name for name in sys.modules if name.split(".")[0] == package.name]:
        del sys.modules[name]
    if str(package.parent) not in sys.path:
        sys.path.insert(0, str(package.parent))
    importlib.invalidate_caches()
    return importlib.import_module(f"{package.name}.{module}")
