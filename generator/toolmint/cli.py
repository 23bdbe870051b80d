"""The command line: ``toolmint generate``, ``toolmint check`` and the rest.

Every command reports all problems at once, understands ``--json``, and exits with 0 when all is fine, 1 when it found
problems, and 2 when its input cannot be used.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from toolmint import __version__
from toolmint.problems import Problem

FINE, PROBLEMS, UNUSABLE = 0, 1, 2

_MANIFEST = click.argument("manifest", type=click.Path(path_type=Path), default="tools.yaml")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="toolmint")
def main() -> None:
    """Compile a tools.yaml into a complete Python MCP server package."""


@main.command()
@_MANIFEST
@_JSON
@click.option("--force", is_flag=True, help="Overwrite generated files although they were edited.")
def generate(manifest: Path, *, as_json: bool, force: bool) -> None:
    """Write everything that follows from MANIFEST (default: tools.yaml), beside it."""
    from toolmint.commands import generate as run

    _report(run(manifest, force=force), as_json=as_json)


@main.command()
@_MANIFEST
@_JSON
@click.option("--strict", is_flag=True, help="Take warnings for problems.")
def check(manifest: Path, *, as_json: bool, strict: bool) -> None:
    """Change nothing; exit with 1 if generate would, or if the contract has problems."""
    from toolmint.commands import check as run

    _report(run(manifest, strict=strict), as_json=as_json)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", help="The server's name (default: the folder's).")
@_JSON
def init(folder: Path, *, name: str | None, as_json: bool) -> None:
    """Make a new project in FOLDER; it runs as it stands."""
    from toolmint.commands import init as run

    _report(run(folder, name=name), as_json=as_json)


@main.command()
@_JSON
def revisions(*, as_json: bool) -> None:
    """List the protocol revisions that can be generated for."""
    from toolmint.commands import revisions as run

    _report(run(), as_json=as_json)


def _report(outcome: Any, *, as_json: bool) -> NoReturn:
    """Print an outcome and exit with its code."""
    if as_json:
        click.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        _print_problems(outcome.warnings, "warning")
        _print_problems(outcome.problems, None)
        for line in outcome.lines:
            click.echo(line)
    sys.exit(outcome.exit_code)


def _print_problems(problems: Sequence[Problem], kind: str | None) -> None:
    for problem in problems:
        click.echo(f"{kind}: {problem.render()}" if kind else problem.render(), err=True)
