"""What a tool does to the world, by its name and description, against what its annotations say."""

import re
from collections.abc import Iterator

from toolmint.manifest import Tool, identifier
from toolmint.manifest.wording import shown
from toolmint.review.contract import Contract, Finding, entry_path

_READING_VERBS = (
    "analyze browse calculate check compare compute convert count describe detect diagnose diff discover estimate"
    " evaluate explain explore export extract fetch find generate get inspect is list locate lookup measure monitor"
    " parse ping poll preview query read render resolve retrieve scan search show status suggest summarize test"
    " translate validate verify view wait watch who"
)
_DESTROYING_VERBS = "delete destroy drop erase purge remove truncate uninstall wipe"
_WRITING_VERBS = (
    "accept activate add append apply approve archive assign attach block cancel change clear clone close commit"
    " configure copy create deactivate decline deploy detach disable disconnect dismiss duplicate edit enable execute"
    " fork grant import increment insert install invite invoke join kill launch leave link lock manage mark merge"
    " modify move mute overwrite patch pause pin play post promote publish push put reboot register reject release"
    " rename reopen replace reply reschedule reset resize restart restore resume retry revert revoke rollback rotate"
    " run save schedule send set share shutdown sign start stop submit subscribe suspend swap sync terminate toggle"
    " transfer trigger unapprove unarchive unassign unblock unlink unlock unpin unpublish unsubscribe update upgrade"
    " upload upsert write"
)
_READING = frozenset(_READING_VERBS.split())
_DESTROYING = frozenset(_DESTROYING_VERBS.split())
_WRITING = _DESTROYING | frozenset(_WRITING_VERBS.split())


def _forms(verb: str) -> Iterator[str]:
    """Yield how a verb may open a description: create, creates, creating."""
    stem = verb[:-1] if verb.endswith("e") else verb
    yield from (verb, f"{verb}s", f"{verb}es", f"{stem}ing", f"{stem}{stem[-1]}ing", f"{stem}ed")
    if verb.endswith("y"):
        yield f"{verb[:-1]}ies"


_VERBS = {form: verb for verb in sorted(_READING | _WRITING) for form in _forms(verb)}
_FIRST_WORD = re.compile(r"\W*([A-Za-z]+)")


def verb_of(tool: Tool) -> str | None:
    """Return the verb that says what a tool does; None where its name has none, or its description contradicts it."""
    opening = _FIRST_WORD.match(tool.description or "")
    described = _VERBS.get(opening[1].lower()) if opening else None
    named = _verb_in_name(tool)
    if named is None or described is None:
        return named or described
    return named if (named in _READING) == (described in _READING) else None


def _verb_in_name(tool: Tool) -> str | None:
    return next((word for word in identifier(tool.name).split("_") if word in _READING or word in _WRITING), None)


def reads(tool: Tool) -> bool:
    """Say whether all that a tool does is answer."""
    hint = (tool.annotations or {}).get("readOnlyHint")
    return hint is True or (hint is None and verb_of(tool) in _READING)


def unannounced_writes(contract: Contract) -> Iterator[Finding]:
    """A tool that changes something says so, and whether it destroys anything."""
    for tool in contract.manifest.tools:
        annotations = tool.annotations or {}
        verb = verb_of(tool)
        if verb in _WRITING and not annotations.keys() & {"readOnlyHint", "destructiveHint"}:
            destroys = verb in _DESTROYING
            yield Finding(
                code="unannounced-write",
                path=(*entry_path(tool.pointer), "name"),
                message=f"{shown(tool.name)} seems to change something ({shown(verb)}) and has neither readOnlyHint nor"
                " destructiveHint; hosts ask for consent by these",
                hint=f"add `annotations: {{readOnlyHint: false, destructiveHint: {str(destroys).lower()}}}`"
                f"{'' if destroys else ', or true if it can overwrite or remove'}",
            )


def contradictory_hints(contract: Contract) -> Iterator[Finding]:
    """Annotations agree with each other and with the verb."""
    for tool in contract.manifest.tools:
        annotations = tool.annotations or {}
        reading = annotations.get("readOnlyHint") is True
        verb = _verb_in_name(tool)
        if reading and annotations.get("destructiveHint") is True:
            yield Finding(
                code="contradictory-hints",
                path=(*entry_path(tool.pointer), "annotations", "destructiveHint"),
                message="readOnlyHint and destructiveHint are both true: what only reads cannot destroy",
                hint="keep the one that is so",
                key=True,
            )
        elif verb in _DESTROYING and (reading or annotations.get("destructiveHint") is False):
            hint = "readOnlyHint" if reading else "destructiveHint"
            yield Finding(
                code="contradictory-hints",
                path=(*entry_path(tool.pointer), "annotations", hint),
                message=f"{shown(tool.name)} seems to destroy something ({shown(verb)}), but {hint} is"
                f" {str(annotations[hint]).lower()}; hosts may skip asking the user",
                hint="correct the hint, or name the tool after what it does",
                key=True,
            )
