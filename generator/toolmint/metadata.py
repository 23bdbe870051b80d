"""Whether the package metadata, which is handwritten, still belongs to the manifest: its name, version and modules.

The version has one place, the manifest; ``pyproject.toml`` takes it from the generated package. Where it says another
one all the same, or names a package that is no longer there, whoever installs it gets something else than is served.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toolmint.manifest import Manifest
from toolmint.problems import Problem

NAME = "pyproject.toml"


def check_metadata(project: Path, manifest: Manifest, exists: Callable[[str], bool]) -> tuple[Problem, ...]:
    """Return what in a project's pyproject.toml is not as the manifest has it; nothing where there is none.

    Args:
        project: The project's folder.
        manifest: Its manifest.
        exists: Whether there is a file of a path in the project once it is generated.

    Raises:
        OSError: It cannot be read.
    """
    path = project / NAME
    if not path.is_file():
        return ()
    content = path.read_bytes()
    try:
        text = content.decode()
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return (_problem(f"is not TOML: {error}", "correct it"),)
    return tuple(_mismatches(table, text.split("\n"), manifest, exists))


def _mismatches(
    table: Mapping[str, Any], lines: list[str], manifest: Manifest, exists: Callable[[str], bool]
) -> Iterator[Problem]:
    package = manifest.package
    metadata = _table(table, "project")
    name, version = metadata.get("name"), metadata.get("version")
    if isinstance(name, str) and _plain_name(name) != _plain_name(package.name):
        text = f'names the package "{name}", and server.json "{package.name}"'
        hint = f'write name = "{package.name}", or set package.name in tools.yaml to {name}'
        yield _problem(text, hint, lines, "name", name)
    if isinstance(version, str) and _plain_version(version) != _plain_version(manifest.server.version):
        text = f'says version "{version}", and the server says "{manifest.server.version}"'
        hint = (
            f'write dynamic = ["version"] in its place; [tool.hatch.version] path = "src/{package.module}/__init__.py"'
        )
        yield _problem(text, hint, lines, "version", version)
    scripts = _table(metadata, "scripts")
    if scripts and not any(_plain_name(script) == _plain_name(package.name) for script in scripts):
        text = f'has no script "{package.name}", which hosts start'
        hint = f'add "{package.name}" = "{package.module}.__main__:main"'
        yield _problem(text, hint, lines, "[project.scripts]", "")
    for target in scripts.values():
        module = str(target).partition(":")[0].strip()
        source = f"src/{module.replace('.', '/')}"
        if not exists(f"{source}.py") and not exists(f"{source}/__init__.py"):
            hint = f"name {package.module}.__main__:main"
            yield _problem(f"has a script that starts {module}, which is not there", hint, lines, "", str(target))
    hatch = _table(table, "tool", "hatch")
    packages = _table(hatch, "build", "targets", "wheel").get("packages")
    if isinstance(packages, list) and f"src/{package.module}" not in packages:
        hint = f'write packages = ["src/{package.module}"]'
        yield _problem(f"does not pack src/{package.module}", hint, lines, "packages", "")
    source_of_version = _table(hatch, "version").get("path")
    if isinstance(source_of_version, str) and not exists(source_of_version):
        hint = f'write path = "src/{package.module}/__init__.py"'
        text = f"takes the version from {source_of_version}, which is not there"
        yield _problem(text, hint, lines, "path", source_of_version)


def _table(table: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        found = table.get(name)
        table = found if isinstance(found, dict) else {}
    return table


def _problem(text: str, hint: str, lines: list[str] | None = None, key: str = "", value: str = "") -> Problem:
    numbers = (number for number, line in enumerate(lines or [], 1) if line.lstrip().startswith(key) and value in line)
    line = next(numbers, None)
    excerpt = "" if line is None or lines is None else lines[line - 1]
    return Problem(
        code="metadata",
        message=text,
        file=NAME,
        line=line,
        column=None if line is None else 1,
        hint=hint,
        excerpt=excerpt,
    )


def _plain_name(name: str) -> str:
    """Return a distribution's name as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _plain_version(version: str) -> str:
    """Return a version without the spellings that package indexes take for the same (PEP 440)."""
    spelled = re.sub(
        r"[-_.]?(alpha|a|beta|b|rc|c)[-_.]?(\d+)",
        lambda match: f"{match[1][0].replace('c', 'r')}{match[2]}",
        version.lower().removeprefix("v"),
    )
    return re.sub(r"(\.0)+(?=$|[^.\d])", "", spelled)
