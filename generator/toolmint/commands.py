"""What each command does, apart from reading its arguments and printing: path in, outcome out."""

import codecs
import dataclasses
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolmint.cache import remembered
from toolmint.fit import Fit, check_fit, contracts, read_types
from toolmint.formatting import FormattingError
from toolmint.lock import LockError, lock_of, read_lock
from toolmint.manifest import Manifest, ManifestError, load_project_manifest
from toolmint.metadata import check_metadata
from toolmint.ownership import Changes, compare
from toolmint.plan import Plan
from toolmint.problems import Problem
from toolmint.revision import Revision, RevisionError, known_revisions, load_revision
from toolmint.transaction import TransactionError, change_files, exclusive, recover


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command has to say.

    Attributes:
        problems: What is wrong; a command without any succeeded.
        warnings: What works but deserves a look.
        lines: What to print for a person.
        facts: What ``--json`` prints besides ``ok``, ``problems`` and ``warnings``.
        unusable: Whether the input could not be used at all.
    """

    problems: Sequence[Problem] = ()
    warnings: Sequence[Problem] = ()
    lines: Sequence[str] = ()
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    unusable: bool = False

    @property
    def exit_code(self) -> int:
        """0 fine, 1 problems found, 2 unusable input."""
        return 0 if not self.problems else 2 if self.unusable else 1

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "ok": not self.problems,
            "problems": [problem.to_json() for problem in self.problems],
            "warnings": [problem.to_json() for problem in self.warnings],
            **self.facts,
        }


class _Unusable(Exception):
    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(*problems)
        self.problems = problems


def generate(path: Path, *, force: bool = False, accept: bool = False) -> Outcome:
    """Write everything that follows from a manifest.

    Args:
        path: The manifest; the project is its folder.
        force: Overwrite generated files although they were edited.
        accept: Take handlers that were written against another contract to fit the present one.
    """
    project = path.parent
    recovered = False
    try:
        if path.exists():
            with exclusive(project):
                recovered = recover(project)
                prepared = _prepare(path, force=force, accept=accept)
                if prepared.changes.conflicts:
                    return Outcome(problems=_in(project, prepared.changes.conflicts))
                change_files(project, prepared.changes.writes, prepared.changes.removals)
        else:
            prepared = _prepare(path)  # which says what is wrong with the path
    except OSError as error:
        return _failed("cannot-read", f"cannot be read: {error.strerror}", path, "make it readable")
    except _Unusable as error:
        return Outcome(problems=error.problems, unusable=True)
    except TransactionError as error:
        return Outcome(problems=_in(project, [error.problem]), unusable=True)
    changes = prepared.changes
    about_files = [*prepared.fit.problems, *prepared.fit.orphans, *prepared.metadata]
    return Outcome(
        warnings=[*_in(project, about_files), *_notices(prepared)],
        lines=_written(prepared.plan, changes, recovered=recovered),
        facts={
            "written": sorted(changes.writes),
            "removed": list(changes.removals),
            "unchanged": len(prepared.plan.files) + 1 - len(changes.writes),
        },
    )


def check(path: Path, *, strict: bool = False) -> Outcome:
    """Say whether a project is as its manifest has it, and what a reviewer would; change nothing.

    Args:
        path: The manifest.
        strict: Take warnings for problems.
    """
    from toolmint.review import context_size, review

    try:
        prepared = _prepare(path)
    except _Unusable as error:
        return Outcome(problems=error.problems, unusable=True)
    changes, plan = prepared.changes, prepared.plan
    problems = list(changes.conflicts)
    hint = "run toolmint generate" if path == Path("tools.yaml") else f"run toolmint generate {shlex.quote(str(path))}"
    for name in sorted(changes.writes):
        exists = (path.parent / name).exists()
        message = "is not what generate would write" if exists else "is missing"
        problems.append(Problem(code="out-of-date" if exists else "missing", message=message, file=name, hint=hint))
    problems += [
        Problem(code="leftover", message="is no longer generated", file=name, hint=hint) for name in changes.removals
    ]
    problems = _in(path.parent, [*problems, *prepared.fit.problems, *prepared.metadata])
    warnings = [*_in(path.parent, [*prepared.fit.stubs, *prepared.fit.orphans]), *review(prepared.manifest, plan.gaps)]
    if strict:
        problems, warnings = problems + warnings, []
    size = context_size(prepared.manifest)
    lines = [] if problems else [f"{len(plan.files) + 1} files are as {path.name} has them"]
    return Outcome(
        problems=problems,
        warnings=warnings,
        lines=lines,
        facts={"contextSize": {"characters": size.characters, "tokens": size.tokens}},
    )


def init(folder: Path, *, name: str | None = None) -> Outcome:
    """Make a new project: a manifest with one tool, and everything that follows from it.

    Args:
        folder: Where; it may exist, but not hold a manifest.
        name: The server's name; the folder's where it is not given.
    """
    from toolmint.rendering import render

    manifest = folder / "tools.yaml"
    protocol = _protocol(known_revisions()[::-1])
    text = render("project/tools.yaml.jinja", name=name or folder.resolve().name, protocol=protocol)
    try:
        if manifest.exists() or manifest.is_symlink():
            return _failed("exists", "there is a manifest already", manifest, f"run toolmint generate {manifest}")
        folder.mkdir(parents=True, exist_ok=True)
        change_files(folder, {"tools.yaml": text.encode()}, ())
    except OSError as error:
        return _failed("cannot-write", f"cannot be made: {error.strerror}", folder, "choose another folder")
    except TransactionError as error:
        return Outcome(problems=_in(folder, [error.problem]), unusable=True)
    outcome = generate(manifest)
    if outcome.problems:
        manifest.unlink()  # so that there is no half of a project
        return outcome
    elsewhere = folder.resolve() != Path.cwd()
    lines = [
        f"A project is in {folder.resolve().name}. Next:",
        *([f"  cd {shlex.quote(str(folder))}"] if elsewhere else []),
        "  make run      serve it",
        "  make generate after a change",
    ]
    return dataclasses.replace(outcome, lines=[*outcome.lines, *lines])


def diff(old: Path, new: Path, *, accepted: Path | None = None, fail_on: str | None = None) -> Outcome:
    """Say what changed for callers between two versions of a server.

    Args:
        old: A manifest, a lock file, or answers to list requests as JSON.
        new: Likewise.
        accepted: The file that accepts breaks with a reason; toolmint.accept.yaml beside ``new`` where it is None.
        fail_on: ``breaking`` to fail on a breaking change that is not accepted; ``cannot-tell`` to fail on those, and
            on changes that could not be decided.
    """
    from toolmint.diffing import UnreadableSurface, run

    try:
        report = run(old, new, accepted=accepted)
    except UnreadableSurface as error:
        return Outcome(problems=error.problems, unusable=True)
    failing = [*report.breaking] if fail_on else []
    failing += report.undecided if fail_on == "cannot-tell" else ()
    problems = [
        *report.problems,
        *(
            Problem(
                code=change.code,
                message=f"{change.kind} {change.name}{change.pointer}: {change.message}",
                file=str(new),
                hint="undo it, or accept it with a reason",
            )
            for change in failing
        ),
    ]
    return Outcome(problems=problems, lines=[report.render()], facts=report.to_json())


def import_answers(
    sources: Sequence[Path], destination: Path, *, name: str | None = None, version: str | None = None
) -> Outcome:
    """Make a manifest from saved answers to tools/list and other list requests.

    Args:
        sources: The answers; what several files hold is joined.
        destination: The manifest to write; it must not be there yet.
        name: The server's name, where the answers do not say it.
        version: Its version, likewise.
    """
    from toolmint.importing import import_manifest

    texts: dict[str, str] = {}
    for source in sources:
        try:
            texts[str(source)] = _decoded(source.read_bytes())
        except OSError as error:
            return _failed("cannot-read", f"cannot be read: {error.strerror}", source, "name a file that can be read")
        except UnicodeDecodeError:
            return _failed("not-text", "is neither UTF-8 nor UTF-16", source, "save it as UTF-8")
    protocol = known_revisions()[::-1]
    try:
        if destination.exists() or destination.is_symlink():
            return _failed(
                "exists", "there is a manifest already; it is left as it is", destination, "name another file with --to"
            )
        text = import_manifest(texts, name=name, version=version, protocol=protocol)
        destination.parent.mkdir(parents=True, exist_ok=True)
        change_files(destination.parent, {destination.name: text.encode()}, ())
    except ManifestError as error:
        return Outcome(problems=error.problems, unusable=True)
    except TransactionError as error:
        return Outcome(problems=_in(destination.parent, [error.problem]), unusable=True)
    except OSError as error:
        return _failed("cannot-write", f"cannot be written: {error.strerror}", destination, "choose another folder")
    return Outcome(
        lines=[f"{destination} is written. Next: toolmint generate {destination}"],
        facts={"written": [str(destination)]},
    )


def _decoded(answers: bytes) -> str:
    """Return text that may be UTF-16, which is what some shells write on redirection."""
    if answers[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return answers.decode("utf-16")
    return answers.decode("utf-8-sig")


def _in(project: Path, problems: Sequence[Problem]) -> list[Problem]:
    """Return problems of a project's files with the files as they are called from here."""
    return [dataclasses.replace(problem, file=str(project / problem.file)) for problem in problems]


def _failed(code: str, message: str, path: Path, hint: str) -> Outcome:
    return Outcome(problems=[Problem(code=code, message=message, file=str(path), hint=hint)], unusable=True)


def revisions(project: Path) -> Outcome:
    """List the protocol revisions that are known in a project's folder: toolmint's and the project's own."""
    own = project / "schema"
    try:
        loaded = [load_revision(name, own) for name in known_revisions(own)]
    except RevisionError as error:
        return Outcome(problems=[_revision_problem(error, own)], unusable=True)
    return Outcome(
        lines=[
            f"{revision.name}  {revision.era}, {len(revision.definitions)} definitions, {len(revision.methods)} methods"
            for revision in loaded
        ],
        facts={"revisions": [{"name": revision.name, "era": revision.era} for revision in loaded]},
    )


def add_revision(schema: Path, name: str, project: Path) -> Outcome:
    """Add a protocol revision to a project, from the specification's published schema.

    Args:
        schema: The published schema.json.
        name: The revision's name.
        project: The folder of the project's manifest; the revision goes to ``schema/NAME`` in it.
    """
    from toolmint.revisioning import add_revision as add

    try:
        report = add(schema, name, destination=project / "schema")
    except RevisionError as error:
        return Outcome(problems=[_revision_problem(error, schema)], unusable=True)
    hint = f'To serve it, put "{name}" into protocol in tools.yaml, or run toolmint generate --protocol {name}'
    return Outcome(lines=[*report.lines(), hint], facts=report.to_json())


def move(path: Path, name: str, *, force: bool = False) -> Outcome:
    """Move a project to another revision of the protocol, and say what that changes on the wire and for handlers.

    Revisions of the handshake era that are served stay served.

    Args:
        path: The manifest; its ``protocol`` is changed, and nothing else in it.
        name: The revision.
        force: Overwrite generated files although they were edited.
    """
    from toolmint.revisioning import compare_revisions

    own = path.parent / "schema"
    try:
        manifest = load_project_manifest(path)
        named = [load_revision(known, own) for known in manifest.protocol]
        present = next(revision for revision in named if revision.era == "modern")
        report = compare_revisions(present, load_revision(name, own))
        before = path.read_bytes()
        kept = [revision.name for revision in named if revision.era == "handshake" and revision.name != name]
        encoding = "utf-8-sig" if before.startswith(codecs.BOM_UTF8) else "utf-8"
        after = _with_protocol(before.decode(encoding), manifest, [name, *kept])
    except ManifestError as error:
        return Outcome(problems=error.problems, unusable=True)
    except RevisionError as error:
        return Outcome(problems=[_revision_problem(error, path)], unusable=True)
    if after is None:
        hint = f'set protocol: "{name}" there yourself and run toolmint generate'
        return _failed("protocol-not-found", "its protocol is written in more than one line", path, hint)
    try:
        change_files(path.parent, {path.name: after.encode(encoding)}, ())
        outcome = generate(path, force=force)
        if outcome.problems:
            change_files(path.parent, {path.name: before}, ())
            return outcome
    except TransactionError as error:
        return Outcome(problems=_in(path.parent, [error.problem]), unusable=True)
    return dataclasses.replace(
        outcome,
        lines=[f"protocol is {name} now", *report.lines(), *outcome.lines],
        facts={**outcome.facts, "revision": report.to_json()},
    )


def _with_protocol(text: str, manifest: Manifest, names: Sequence[str]) -> str | None:
    """Return a manifest's text with other revisions in it; None if the old ones take more than a line."""
    place = manifest.positions.value("/protocol")
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)  # as YAML does, in which U+2028 ends no line
    line = lines[place.line - 1]
    found = re.match(r"""\[[^\[\]\n]*\]|"[^"\n]*"|'[^'\n]*'|[^\s#\[{,}]+""", line[place.column - 1 :])
    if found is None:
        return None
    start = place.column - 1
    lines[place.line - 1] = line[:start] + _protocol(names) + line[start + found.end() :]
    return "".join(lines)


def _protocol(names: Sequence[str]) -> str:
    """Return what a manifest says of its revisions, as YAML."""
    quoted = [f'"{name}"' for name in names]
    return f"[{', '.join(quoted)}]" if len(quoted) > 1 else quoted[0]


def _revision_problem(error: RevisionError, path: Path) -> Problem:
    return Problem(code="revision", message=error.message, file=str(error.file or path), hint=error.hint)


@dataclasses.dataclass(frozen=True, slots=True)
class _Prepared:
    """A project's manifest, how the project should be, and how it is."""

    manifest: Manifest
    plan: Plan
    fit: Fit
    metadata: Sequence[Problem]
    changes: Changes


def _prepare(path: Path, *, force: bool = False, accept: bool = False) -> _Prepared:
    """Work out all that generate would do and check would say; nothing is touched."""
    project = path.parent
    own_revisions = project / "schema"
    try:
        manifest = load_project_manifest(path)
        revisions = [load_revision(name, own_revisions) for name in manifest.protocol]
        plan = _plan(manifest, revisions)
        lock = read_lock(project)
        types = read_types(plan)
        wanted = contracts(plan, types)
        recorded = {} if lock is None or accept else lock.handlers
        fit = check_fit(project, types, wanted, recorded)
        new_lock = lock_of(plan, fit.settled(recorded, wanted))
        changes = compare(plan, project, lock, new_lock, force=force)
        planned = plan.by_path()

        def exists(name: str) -> bool:
            return name in planned or (name not in changes.removals and (project / name).is_file())

        return _Prepared(manifest, plan, fit, check_metadata(project, manifest, exists), changes)
    except ManifestError as error:
        raise _Unusable(error.problems) from None
    except RevisionError as error:
        raise _Unusable([_revision_problem(error, path)]) from None
    except LockError as error:
        raise _Unusable(_in(project, [error.problem])) from None
    except FormattingError as error:
        raise _Unusable(
            [
                Problem(
                    code="internal", message=str(error), file=str(path), hint="this is a fault of toolmint: report it"
                )
            ]
        ) from None
    except OSError as error:
        problem = Problem(
            code="cannot-read",
            message=f"cannot be read: {error.strerror}",
            file=str(error.filename),
            hint="make it readable",
        )
        raise _Unusable([problem]) from None


def _plan(manifest: Manifest, revisions: Sequence[Revision]) -> Plan:
    """Plan a project, or remember the plan that was made of the same before."""

    def compute() -> dict[str, Any]:
        from toolmint.project import plan_project  # with the compiler and all templates, which takes long to import

        return plan_project(manifest, revisions).to_json()

    elsewhere = ("path", "positions", "warnings")  # where the manifest is, which no file depends on
    fields = [field.name for field in dataclasses.fields(manifest) if field.name not in elsewhere]
    parts = [f"{name}={getattr(manifest, name)!r}" for name in fields]
    parts += map(repr, revisions)
    return Plan.from_json(remembered("plan", parts, compute))


def _notices(prepared: "_Prepared") -> Sequence[Problem]:
    """Return the warnings that are given on every run, as far as the manifest does not silence them."""
    if not prepared.manifest.warnings and not prepared.plan.gaps:
        return ()
    from toolmint.review import notices  # which takes longer to import than there is to spare without need

    return notices(prepared.manifest, prepared.plan.gaps)


def _written(plan: Plan, changes: Changes, *, recovered: bool) -> list[str]:
    lines = ["finished what an interrupted run had begun"] if recovered else []
    stubs = [name for name in changes.created if name.endswith(".py")]
    lines += [f"stub     {name}" for name in stubs]
    lines += [f"removed  {name}" for name in changes.removals]
    count = len(changes.writes)
    if count:
        lines.append(f"{count} file{'s' if count != 1 else ''} written, {len(plan.files) + 1 - count} unchanged")
    else:
        lines.append(f"nothing to do: {len(plan.files) + 1} files are up to date")
    return lines
