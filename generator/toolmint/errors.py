"""How a revision words the errors that are its own, as data for the runtime.

The protocol gives two errors of a server a code and data of a fixed shape. Codes come from the method table, and the
names of what the data holds from the definition, so that a revision which renames them is followed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolmint.revision import Revision, Schema

_INVALID_PARAMS = -32602  # JSON-RPC 2.0, section 5.1: what a revision without a code of its own is left with


@dataclass(frozen=True, slots=True)
class _Fact:
    """Something that the runtime can put into an error's data.

    Attributes:
        name: What the runtime calls it.
        familiar: The member that holds it in the revisions known so far.
        fits: Whether a member of some schema can hold it.
    """

    name: str
    familiar: str
    fits: Callable[[Schema], bool]


_FACTS = {
    "unsupportedProtocolVersion": (
        _Fact("spoken", "supported", lambda schema: schema.get("type") == "array"),
        _Fact("asked", "requested", lambda schema: schema.get("type") == "string"),
    ),
    "missingRequiredClientCapability": (
        _Fact("needed", "requiredCapabilities", lambda schema: schema.get("type") == "object"),
    ),
}


@dataclass(frozen=True, slots=True)
class ErrorTerms:
    """One error of a revision.

    Attributes:
        name: Its name in the method table.
        code: The number on the wire.
        members: The member of the data for each fact that has one, by the runtime's name for the fact.
        unfilled: The members that the data must have, and that the runtime has nothing for.
    """

    name: str
    code: int
    members: Mapping[str, str]
    unfilled: tuple[str, ...]


def error_terms(revision: Revision) -> tuple[ErrorTerms, ...]:
    """Return the errors that a server of a modern revision reports by the revision's own code."""
    return tuple(_terms(revision, name, facts) for name, facts in _FACTS.items())


def _terms(revision: Revision, name: str, facts: tuple[_Fact, ...]) -> ErrorTerms:
    error = revision.errors.get(name)
    if error is None:
        return ErrorTerms(name, _INVALID_PARAMS, {}, ())
    data = error.data or {}
    schemas = {key: _resolved(schema, data) for key, schema in data.get("properties", {}).items()}
    members: dict[str, str] = {}
    for fact in facts:
        fitting = [key for key, schema in schemas.items() if fact.fits(schema) and key not in members.values()]
        if fact.familiar in fitting:
            members[fact.name] = fact.familiar
        elif len(fitting) == 1:
            members[fact.name] = fitting[0]
    unfilled = tuple(key for key in data.get("required", ()) if key not in members.values())
    return ErrorTerms(name, error.code, members, unfilled)


def _resolved(schema: Any, root: Schema) -> Schema:
    """Return what a schema's reference into the definitions of its root means, or the schema."""
    reference = schema.get("$ref", "")
    found: Schema = root["$defs"][reference.rpartition("/")[2]] if reference else schema
    return found
