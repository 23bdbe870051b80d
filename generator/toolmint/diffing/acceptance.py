"""Breaks that are meant: a committed file says which ones, each with its reason, and nothing else gets by.

.. code:: yaml

    accepted:
      - tool: search_contracts
        code: bound-tightened
        pointer: /inputSchema/properties/query/maxLength
        old: 100
        new: 5
        reason: The index has never matched anything longer.

An entry accepts one change: the one whose code, pointer and values it gives. ``old`` and ``new`` are there where the
change has them (of long values, the digest as ``toolmint diff`` prints it), so that a further tightening of what was
accepted once is a new break. In the place of ``tool``, it is ``prompt``, ``resource`` (its URI), ``resourceTemplate``
(its URI template) or ``server``.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from toolmint.diffing.changes import Change, Kind
from toolmint.diffing.documents import identity
from toolmint.diffing.told import UnreadableSurface
from toolmint.manifest import ManifestError, Position
from toolmint.manifest.document import parse_document
from toolmint.manifest.source import Source, read_source
from toolmint.problems import Problem

NAME = "toolmint.accept.yaml"
"""The file that is looked for beside the new manifest."""

_KINDS: tuple[str, ...] = get_args(Kind)
_TEXTS = ("code", "pointer", "reason")
_MEMBERS = frozenset((*_KINDS, *_TEXTS, "old", "new"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: all its members, and where it stands."""

    members: Mapping[str, Any]
    source: Source
    position: Position

    @property
    def reason(self) -> str:
        """Why the break is meant."""
        return str(self.members["reason"]).strip()

    def matches(self, change: Change) -> bool:
        """Return whether this is the change that the entry accepts."""
        members = {name: value for name, value in self.members.items() if name != "reason"}
        return bool(identity(members) == identity(change.pinned))

    def nearly(self, change: Change) -> bool:
        """Return whether the entry is about the place of a change but gives other values, or none."""
        pinned = change.pinned
        return all(self.members.get(name) == pinned[name] for name in (change.kind, "code", "pointer"))

    def problem(self, code: str, message: str, hint: str) -> Problem:
        """Return a problem with this entry."""
        return self.source.problem(code, message, self.position, hint)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What an accepting file comes to.

    Attributes:
        changes: All changes, those accepted marked.
        problems: Entries that are none, and entries that accept nothing.
    """

    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]


def read_accepted(path: Path) -> tuple[list[Entry], list[Problem]]:
    """Read an accepting file: its entries, and what is wrong with others, which accept nothing.

    Raises:
        UnreadableSurface: It cannot be used at all.
    """
    try:
        source = read_source(path, os.fspath(path))
        document = parse_document(source)
    except ManifestError as error:
        raise UnreadableSurface(error.problems) from None
    listed = document.value.get("accepted") if isinstance(document.value, dict) else None
    if not isinstance(listed, list):
        problem = source.problem(
            "not-accepted-breaks",
            "there is no list `accepted` in it",
            Position(1, 1),
            "list the entries under `accepted:`, or remove the file",
        )
        raise UnreadableSurface([problem])
    entries: list[Entry] = []
    problems = list(document.problems)
    for index, value in enumerate(listed):
        position = document.positions.value(("accepted", index))
        faults = _faults(value)
        problems += (source.problem(code, message, position, hint) for code, message, hint in faults)
        if not faults:
            entries.append(Entry(value, source, position))
    return entries, problems


def _faults(value: Any) -> list[tuple[str, str, str]]:
    """Return what keeps a value from being an entry: code, message and hint of each problem."""
    if not isinstance(value, dict):
        return [("accepted-entry", "an entry is a mapping of code, pointer, reason and whose change it is", "")]
    faults = []
    reason = value.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        hint = "say in `reason` why callers can live with this break; without one it is not accepted"
        faults.append(("accepted-without-reason", "this entry has no reason", hint))
    kinds = [kind for kind in _KINDS if kind in value]
    texts = [*kinds, *_TEXTS[:2]]
    if len(kinds) != 1 or not all(isinstance(value.get(name), str) for name in texts):
        message = f"an entry has one of {', '.join(_KINDS)}, and `code` and `pointer`, all text"
        faults.append(("accepted-entry", message, "paste the entry that toolmint diff prints"))
    unknown = [name for name in value if name not in _MEMBERS]
    if unknown:
        message = f"{', '.join(unknown)}: an entry has no such member"
        faults.append(("accepted-entry", message, "paste the entry that toolmint diff prints"))
    return faults


def accept(changes: Iterable[Change], entries: Sequence[Entry]) -> Acceptance:
    """Mark the changes that entries accept; an entry that accepts none, or only what another does, is a problem."""
    marked = list(changes)
    open_places = {
        index: change for index, change in enumerate(marked) if change.classification in ("breaking", "cannot-tell")
    }
    problems = []
    for entry in entries:
        index = next((index for index, change in open_places.items() if entry.matches(change)), None)
        if index is None:
            problems.append(_stale(entry, open_places.values()))
        else:
            marked[index] = open_places.pop(index).accept(entry.reason)
    return Acceptance(tuple(marked), tuple(problems))


def _stale(entry: Entry, unaccepted: Iterable[Change]) -> Problem:
    near = next((change for change in unaccepted if entry.nearly(change)), None)
    if near is None:
        message = "this entry accepts nothing: there is no such break, or another entry accepts it"
        return entry.problem("accepted-stale", message, "remove it")
    values = ", ".join(f"{name}: {_text(value)}" for name, value in near.pinned.items() if name in ("old", "new"))
    message = f"this entry accepts another change than the one that is there ({values or 'without old and new'})"
    return entry.problem("accepted-stale", message, "if that one is meant too, give these values, and say why")


def suggestion(change: Change) -> str:
    """Return the YAML entry that would accept a change, its reason left to be written."""
    members = [f"{name}: {_text(value)}" for name, value in change.pinned.items()]
    return "\n".join(f"{'- ' if index == 0 else '  '}{text}" for index, text in enumerate([*members, 'reason: ""']))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
