"""The review of a contract: what works but a good colleague would ask about.

Every rule is a generator over the contract, in the module of its subject; ``WARNINGS`` names every code.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from toolmint.manifest import Manifest, Position
from toolmint.manifest.positions import Path
from toolmint.manifest.source import Source
from toolmint.manifest.wording import did_you_mean, shown
from toolmint.plan import Gap
from toolmint.problems import Problem
from toolmint.review import describing, effects, naming, poisoning, schemas, secrets, size
from toolmint.review.contract import Contract, Finding, Rule, entry_path
from toolmint.review.silencing import SECTIONS, Settings, read_settings, read_source_again
from toolmint.review.size import ContextSize, context_size, estimate_tokens

__all__ = ["WARNINGS", "ContextSize", "context_size", "estimate_tokens", "notices", "review"]

WARNINGS: Mapping[str, str] = MappingProxyType(
    {
        "addressed-model": "a text tells the model what to do about other tools, files, secrets or the user",
        "array-without-items": "an array in an input schema does not say what its items are",
        "bidirectional-character": "a text has characters that reorder what is shown",
        "contradictory-hints": "a tool's annotations contradict each other, or its name",
        "control-character": "a text has control characters, such as terminal escape sequences",
        "default-mismatch": "a default does not fit its own schema",
        "dotted-name": "a tool's name has a dot",
        "encoded-text": "a text has encoded data that nobody can read",
        "enum-mismatch": "an enumerated value or a constant is not of the type beside it",
        "example-mismatch": "an example does not fit its own schema",
        "hidden-text": "markup or white space hides a part of a text",
        "invisible-character": "a text has characters that cannot be seen",
        "list-size": "the list of tools takes more context than its budget",
        "long-description": "a tool's description is longer than 1,024 characters",
        "long-name": "a tool's name is longer than 64 characters",
        "many-tools": "there are more than 40 tools",
        "no-description": "a tool, prompt or resource template has no description",
        "no-properties": "an input schema has no properties",
        "property-name": "a parameter's name has other characters than letters, digits, `_`, `.` and `-`",
        "repeated-description": "two tools have the same description",
        "root-combinator": "an input schema has oneOf, anyOf or allOf at its root",
        "root-keyword": "an input schema has $ref, not or enum at its root",
        "secret-in-form": "a form asks the user for a secret",
        "secret-parameter": "a tool takes a secret as an argument",
        "silence-without-effect": "a silence names no warning there is, or none that would be given",
        "silence-without-reason": "a silence does not say why",
        "similar-names": "two tools' names differ in case or separators only",
        "tool-size": "a tool takes more than 2,000 tokens of context",
        "type-list": "a type in an input schema is a list of types",
        "unannounced-write": "a tool that changes something has neither readOnlyHint nor destructiveHint",
        "unbounded-batch": "a list of things to read may be of any length",
        "unbounded-limit": "a limit on the number of results has no maximum",
        "undescribed-parameter": "parameters have no description",
        "unfilled-member": "a revision requires something of a server that the server does not know",
        "unknown-keyword": "a schema has a keyword that is a typing error of another",
        "unknown-required": "a schema requires a property that it does not allow",
        "unknown-tool": "a text names a tool that this server does not have",
        "unquoted-date": "a date stands without quotes",
        "unserved-method": "a revision has a request that the server does not answer",
    }
)
"""Every warning, by its code: those found on loading a manifest, gaps of revisions, and those of the review."""

RULES: tuple[Rule, ...] = (
    naming.similar_names,
    naming.dotted_names,
    naming.many_tools,
    describing.missing,
    describing.long,
    describing.repeated,
    describing.parameters,
    schemas.root_keywords,
    schemas.no_properties,
    schemas.type_lists,
    schemas.no_items,
    schemas.values,
    schemas.unbounded,
    effects.unannounced_writes,
    effects.contradictory_hints,
    poisoning.hidden_characters,
    poisoning.hidden_text,
    poisoning.addressed_model,
    poisoning.unknown_tools,
    secrets.asked_in_arguments,
    secrets.asked_in_forms,
)


def review(manifest: Manifest, gaps: Sequence[Gap] = ()) -> tuple[Problem, ...]:
    """Review a contract.

    A warning is silenced with its code and a reason, at the top of the manifest or in an entry:
    ``x-toolmint: {silence: {CODE: REASON}}``. The tokens that all tools together may take are
    ``x-toolmint: {contextBudget: TOKENS}`` at the top.

    Args:
        manifest: The contract.
        gaps: What its revisions have and the server does not do.

    Returns:
        The warnings, in the order of the file: those that were found on loading, gaps, and those of the review, without
        the silenced ones; and a warning for each silence that has no reason or no effect.
    """
    contract = Contract(manifest)
    source = read_source_again(manifest)
    settings = read_settings(source)
    findings = [finding for rule in RULES for finding in rule(contract)]
    findings += size.over_budget(contract, settings.budget)
    warnings = list(_warnings(manifest, source, [*_about_revisions(manifest, gaps), *findings]))
    idle = [_problem(manifest, source, finding) for finding in _idle(warnings, settings)]
    return _sorted([*idle, *_unsilenced(warnings, settings)])


def notices(manifest: Manifest, gaps: Sequence[Gap]) -> tuple[Problem, ...]:
    """Return the part of the review that costs no time: what was found on loading, and gaps, without the silenced."""
    source = read_source_again(manifest)
    warnings = list(_warnings(manifest, source, list(_about_revisions(manifest, gaps))))
    return _sorted(_unsilenced(warnings, read_settings(source)))


_Warning: TypeAlias = tuple[str, Path, Problem]
"""A warning: its code, the path of the entry that it is about (the root's where there is none), and what is said."""


def _about_revisions(manifest: Manifest, gaps: Sequence[Gap]) -> Iterator[Finding]:
    for gap in gaps:
        path = ("protocol", manifest.protocol.index(gap.revision))
        yield Finding(code=gap.code, path=path, message=gap.message, hint=gap.hint)


def _warnings(manifest: Manifest, source: Source | None, findings: Sequence[Finding]) -> Iterator[_Warning]:
    """Yield what was found on loading, and what else was found."""
    scopes = _Scopes(manifest)
    for problem in manifest.warnings:
        yield problem.code, scopes.of(problem), problem
    for finding in findings:
        scope = finding.path[:2] if finding.path[:1] and finding.path[0] in SECTIONS else ()
        yield finding.code, scope, _problem(manifest, source, finding)


def _unsilenced(warnings: Sequence[_Warning], settings: Settings) -> Iterator[Problem]:
    silenced = {(silence.code, silence.scope) for silence in settings.silences}
    for code, scope, problem in warnings:
        if (code, ()) not in silenced and (code, scope) not in silenced:
            yield problem


def _sorted(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    once = dict.fromkeys(problems)
    return tuple(sorted(once, key=lambda problem: (problem.file, problem.line or 0, problem.column or 0)))


def _problem(manifest: Manifest, source: Source | None, finding: Finding) -> Problem:
    position = (manifest.positions.key if finding.key else manifest.positions.value)(finding.path)
    if source is not None:
        return source.problem(finding.code, finding.message, position, finding.hint)
    line, column = position
    return Problem(
        code=finding.code,
        message=finding.message,
        file=str(manifest.path),
        line=line,
        column=column,
        hint=finding.hint,
    )


class _Scopes:
    """Finds the entry that a position is in: problems of loading come with a position only."""

    def __init__(self, manifest: Manifest) -> None:
        sections = [(section,) for section in SECTIONS]
        others = [(key,) for key in ("toolmint", "protocol", "server", "package", "defaults", "$defs")]
        starts: list[tuple[Position, Path]] = [
            (manifest.positions.value(path), path) for path in (entry_path(entry.pointer) for entry in manifest.entries)
        ]
        starts += [(manifest.positions.key(path), ()) for path in (*sections, *others)]
        starts.sort(key=lambda start: start[0])
        self._positions = [position for position, _ in starts]
        self._paths = [path for _, path in starts]
        self._file = str(manifest.path)

    def of(self, problem: Problem) -> Path:
        """Return the path of the entry; that of the manifest where there is none."""
        if problem.line is None or problem.column is None or problem.file != self._file:
            return ()
        index = bisect_right(self._positions, Position(problem.line, problem.column)) - 1
        return self._paths[index] if index >= 0 else ()


def _idle(warnings: Sequence[_Warning], settings: Settings) -> Iterator[Finding]:
    """Yield what is wrong with silences."""
    given = {(code, scope) for code, scope, _ in warnings}
    anywhere = {code for code, _, _ in warnings}
    for silence in settings.silences:
        if silence.code not in WARNINGS:
            yield Finding(
                code="silence-without-effect",
                path=silence.path,
                message=f"there is no warning {shown(silence.code)}",
                hint=did_you_mean(silence.code, WARNINGS),
                key=True,
            )
        elif silence.code not in anywhere if not silence.scope else (silence.code, silence.scope) not in given:
            yield Finding(
                code="silence-without-effect",
                path=silence.path,
                message=f"{shown(silence.code)} is silenced, but would not be given here",
                hint="remove it, so that it does not hide the next one",
                key=True,
            )
        if silence.reason is None:
            yield Finding(
                code="silence-without-reason",
                path=silence.path,
                message=f"{shown(silence.code)} is silenced without a reason",
                hint="say in a sentence why it is right as it is",
                key=True,
            )
