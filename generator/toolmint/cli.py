"""The command line: ``toolmint generate``, ``toolmint check`` and the rest.

Every command reports all problems at once, understands ``--json``, and exits with 0 when all is fine, 1 when it found
problems, and 2 when its input cannot be used.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from toolmint import __version__
from toolmint.problems import Problem

_SHOWN_ALIKE = 3
"""How many warnings with the same code are printed before the rest is only counted."""

_PATH = click.Path(path_type=Path, readable=False)
"""A path of any kind: what is wrong with one is said by the command, and so in ``--json`` too."""

_MANIFEST = click.argument("manifest", type=_PATH, default="tools.yaml")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="toolmint")
def main() -> None:
    """Compile a tools.yaml into a complete Python MCP server package."""


@main.command()
@_MANIFEST
@_JSON
@click.option("--force", is_flag=True, help="Overwrite generated files although they were edited.")
@click.option("--accept", is_flag=True, help="Take handlers written against another contract to fit this one.")
@click.option("--protocol", help="Move the project to this revision of the protocol first: it is put into MANIFEST.")
def generate(manifest: Path, *, as_json: bool, force: bool, accept: bool, protocol: str | None) -> None:
    """Write everything that follows from MANIFEST (default: tools.yaml), beside it."""
    from toolmint import commands

    if protocol is None:
        _report(commands.generate(manifest, force=force, accept=accept), as_json=as_json)
    _report(commands.move(manifest, protocol, force=force), as_json=as_json)


@main.command()
@_MANIFEST
@_JSON
@click.option("--strict", is_flag=True, help="Take warnings for problems.")
def check(manifest: Path, *, as_json: bool, strict: bool) -> None:
    """Change nothing; exit with 1 if generate would, or if the contract has problems."""
    from toolmint.commands import check as run

    _report(run(manifest, strict=strict), as_json=as_json)


@main.command()
@click.argument("folder", type=_PATH)
@click.option("--name", help="The server's name (default: the folder's).")
@_JSON
def init(folder: Path, *, name: str | None, as_json: bool) -> None:
    """Make a new project in FOLDER; it runs as it stands."""
    from toolmint.commands import init as run

    _report(run(folder, name=name), as_json=as_json)


@main.command()
@click.argument("old", type=_PATH)
@click.argument("new", type=_PATH)
@click.option("--accepted", type=_PATH, help="Breaks accepted with a reason.")
@click.option("--fail-on", type=click.Choice(["breaking", "cannot-tell"]), help="Exit with 1 on such a change.")
@_JSON
def diff(old: Path, new: Path, *, accepted: Path | None, fail_on: str | None, as_json: bool) -> None:
    """Say what changed for callers between OLD and NEW: manifests, lock files, or answers to tools/list."""
    from toolmint.commands import diff as run

    _report(run(old, new, accepted=accepted, fail_on=fail_on), as_json=as_json)


@main.command(name="import")
@click.option(
    "--from",
    "sources",
    type=_PATH,
    required=True,
    multiple=True,
    help="Saved answers, as JSON; may be given for several files.",
)
@click.option("--to", "destination", type=_PATH, default="tools.yaml", show_default=True)
@click.option("--name", help="The server's name, where the answers do not say it.")
@click.option("--version", help="The server's version, where the answers do not say it.")
@_JSON
def import_(
    sources: tuple[Path, ...], destination: Path, *, name: str | None, version: str | None, as_json: bool
) -> None:
    """Make a manifest from the answers of an existing server to tools/list and other list requests."""
    from toolmint.commands import import_answers as run

    _report(run(sources, destination, name=name, version=version), as_json=as_json)


@main.group(invoke_without_command=True)
@_JSON
@click.pass_context
def revisions(context: click.Context, *, as_json: bool) -> None:
    """List the protocol revisions that are known, or add one."""
    if context.invoked_subcommand is None:
        from toolmint.commands import revisions as run

        _report(run(Path()), as_json=as_json)


@revisions.command(name="add")
@click.argument("schema", type=_PATH)
@click.option("--name", required=True, help="The revision's name, such as 2026-07-28.")
@click.option("--project", type=_PATH, default=".", help="The folder of the project's tools.yaml.")
@_JSON
def revisions_add(schema: Path, *, name: str, project: Path, as_json: bool) -> None:
    """Add the revision that SCHEMA, a published schema.json of the protocol, describes to a project."""
    from toolmint.commands import add_revision as run

    _report(run(schema, name, project), as_json=as_json)


def _report(outcome: Any, *, as_json: bool) -> NoReturn:
    """Print an outcome and exit with its code."""
    if as_json:
        click.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        _print_warnings(outcome.warnings)
        for problem in outcome.problems:
            click.echo(problem.render(), err=True)
        for line in outcome.lines:
            click.echo(line)
    sys.exit(outcome.exit_code)


def _print_warnings(warnings: Sequence[Problem]) -> None:
    """Print warnings, and of those with the same code only the first few."""
    shown: Counter[str] = Counter()
    for warning in warnings:
        shown[warning.code] += 1
        if shown[warning.code] <= _SHOWN_ALIKE:
            click.echo(f"warning: {warning.render()} [{warning.code}]", err=True)
    for code, count in shown.items():
        if count > _SHOWN_ALIKE:
            click.echo(f"warning: {count - _SHOWN_ALIKE} more like these [{code}]; --json lists all", err=True)
