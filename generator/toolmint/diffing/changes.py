"""A change of what callers are told, and what it means for them.

=============  ====================================================================================================
breaking       a call that worked can be refused, or an answer can be what it never was
compatible     every call that worked still does, and every answer is one that could have come before
wording        nothing but what people and models read
cannot-tell    one of the above, and which could not be decided; never taken for compatible
=============  ====================================================================================================

What counts beyond schemas:

- A call is one by name, so a former name that is an alias (``x-toolmint.aliases``) is no break, and an alias that is no
  longer there is one.
- Callers send only the properties an object describes. So a further optional property is compatible although the object
  was open to anything under that name before; closing the object is breaking all the same, since it was open to see.
- A hint that promised less risk and no longer does is breaking: hosts approve, or repeat, calls because of it. What a
  hint is worth where it is not given is the specification's default (``ToolAnnotations``), not "unknown".
- A default of an argument that changed is compatible: calls still succeed, though those that leave it out mean another
  value now.
- A tool, prompt or resource that has to ask the client for something it had not asked for before is breaking: clients
  without that capability are refused.
- The arguments of a prompt are a closed list, so one that is gone is breaking.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolmint.diffing.failures import ABSENT

Classification = Literal["breaking", "cannot-tell", "compatible", "wording"]

ORDER: tuple[Classification, ...] = ("breaking", "cannot-tell", "compatible", "wording")
"""The classifications, what matters most first."""

Kind = Literal["tool", "prompt", "resource", "resourceTemplate", "server"]

_LONGEST_PIN = 80
"""Longest value that is pinned as itself, in characters of JSON; of a longer one, its digest is."""

_LONGEST_WITNESS = 2000
"""Longest witness that is put out, in characters of JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change.

    Attributes:
        code: Stable slug for what changed, such as ``bound-tightened``; what that means for callers depends on where.
        classification: What it means for callers.
        kind: What it is a change of.
        name: That one's name: a tool's or prompt's name, a resource's URI, a template's URI template, a server's name.
        pointer: JSON pointer into the entry as lists have it: the new one, or the old one where the place is gone.
        message: What changed, in one line.
        old: The value that was there; ABSENT where there was none, or where the change is not one of a value.
        new: The value that is there now, likewise.
        witness: What proves the break: a value for the schema that only one side takes; ABSENT where there is none.
        accepted: The reason why the break is accepted; None where it is not.
    """

    code: str
    classification: Classification
    kind: Kind
    name: str
    pointer: str
    message: str
    old: Any = ABSENT
    new: Any = ABSENT
    witness: Any = ABSENT
    accepted: str | None = None

    @property
    def pinned(self) -> dict[str, Any]:
        """The members that tell this change from every other one, which an accepting entry has to have."""
        values = {"old": self.old, "new": self.new}
        pins = {name: pin(value) for name, value in values.items() if value is not ABSENT}
        return {self.kind: self.name, "code": self.code, "pointer": self.pointer} | pins

    def to_json(self) -> dict[str, Any]:
        """Return the members of one entry of ``changes``; values that are absent, and a long witness, are left out."""
        values = {"old": self.old, "new": self.new}
        if self.witness is not ABSENT and len(json.dumps(self.witness)) <= _LONGEST_WITNESS:
            values["witness"] = self.witness
        return {
            "code": self.code,
            "classification": self.classification,
            "kind": self.kind,
            "name": self.name,
            "pointer": self.pointer,
            "message": self.message,
            **{name: value for name, value in values.items() if value is not ABSENT},
            "accepted": self.accepted,
        }

    def accept(self, reason: str) -> "Change":
        """Return the change as accepted."""
        return replace(self, accepted=reason)


def pin(value: Any) -> Any:
    """Return what stands for a value in an accepting entry: itself, or its digest where it is long."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    if len(text) <= _LONGEST_PIN:
        return value
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def shown(value: Any) -> str:
    """Return a value as messages have it: JSON in one line, shortened."""
    if value is ABSENT:
        return "none"
    text = json.dumps(value, ensure_ascii=False)
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= 60 else f"{text[:57]}..."


def member(entry: Mapping[str, Any], name: str) -> Any:
    """Return a member of an entry, ABSENT where it has none; null is as good as none there."""
    value = entry.get(name)
    return ABSENT if value is None else value
