"""Dividing a revision's definitions among files, a subject each."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolmint.revision import METHODS, Revision, Schema
from toolmint.revisioning.deriving import error_code, method_of
from toolmint.revisioning.schemas import REFERENCE, referred, walk

_SUFFIXES = ("ResultResponse", "RequestParams", "NotificationParams", "Request", "Notification", "Result")
_UNIONS = re.compile(r"(Client|Server)(Request|Notification|Result)")
_FILE_NAME = re.compile(r"[A-Za-z][\w-]*")
_OTHER = "other"
_RESERVED = METHODS.removesuffix(".json")


def split(definitions: Mapping[str, Schema], known: Sequence[Revision]) -> dict[str, tuple[str, ...]]:
    """Give every definition a subject.

    A definition that a known revision has stays where it is there. A new message goes with the other methods of its
    prefix (``tools/...``), or to a subject named after the prefix; its params and result go with it. An error code goes
    with the others. What is left goes to the subject that a word of its name names (``TaskStatus`` to ``tasks``), else
    where it is referred to most, else with the definitions whose names begin with the same word.

    Args:
        definitions: All definitions of the revision; references have the form ``#/$defs/X``.
        known: Revisions to follow, the closest first.

    Returns:
        The names of the definitions of each subject, known ones in the order they are known in.

    """
    homes = _known_homes(definitions, known)
    prefixes = _prefixes(known)
    for name in definitions:
        method = method_of(definitions, name)
        if name not in homes and _UNIONS.fullmatch(name):
            homes[name] = "messages"
        elif name not in homes and method is not None:
            homes[name] = prefixes.get(_prefix(method), _subject(_prefix(method)))
    _follow_stems(definitions, homes)
    _follow_names(definitions, homes)
    _follow_references(definitions, homes)
    for name in definitions:
        if name not in homes:
            homes[name] = _nearest_by_word(name, homes)
    order = [name for revision in known for names in revision.subjects.values() for name in names]
    ranks = {name: rank for rank, name in reversed(list(enumerate(order)))}
    subjects: dict[str, list[str]] = {}
    for name in sorted(definitions, key=lambda name: ranks.get(name, len(ranks))):
        subjects.setdefault(homes[name], []).append(name)
    return {subject: tuple(names) for subject, names in sorted(subjects.items())}


def with_files(schema: Any, home: str, homes: Mapping[str, str]) -> Any:
    """Copy a definition with references as they are in files: with the file's name where that is another.

    Args:
        schema: The definition; references have the form ``#/$defs/X``.
        home: Its subject.
        homes: The subject of every definition.

    """
    copy = _copy(schema)
    for part in walk(copy):
        if isinstance(part.get("$ref"), str):
            part["$ref"] = file_reference(part["$ref"], homes, home)
    return copy


def file_reference(reference: str, homes: Mapping[str, str], home: str | None = None) -> str:
    """Put the file's name before a reference into the merged definitions, unless that file is the one it is in."""
    name = reference.removeprefix(REFERENCE).partition("/")[0]
    return reference if homes[name] == home else f"{homes[name]}.json{reference}"


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _known_homes(definitions: Mapping[str, Schema], known: Sequence[Revision]) -> dict[str, str]:
    homes: dict[str, str] = {}
    for revision in known:
        for subject, names in revision.subjects.items():
            for name in names:
                if name in definitions:
                    homes.setdefault(name, subject)
    return homes


def _prefixes(known: Sequence[Revision]) -> dict[str, str]:
    """Map the prefixes of known methods to the subjects their messages are in."""
    prefixes: dict[str, str] = {}
    for revision in known:
        subjects = {name: subject for subject, names in revision.subjects.items() for name in names}
        prefixes |= {subject: subject for subject in revision.subjects if subject not in prefixes}
        for method in revision.methods.values():
            prefixes.setdefault(_prefix(method.method), subjects[method.message])
    return prefixes


def _prefix(method: str) -> str:
    return method.removeprefix("notifications/").partition("/")[0]


def _subject(prefix: str) -> str:
    return prefix if _FILE_NAME.fullmatch(prefix) and prefix != _RESERVED else _OTHER


def _follow_stems(definitions: Mapping[str, Schema], homes: dict[str, str]) -> None:
    stems = {
        name: next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), None) for name in definitions
    }
    by_stem = {stem: homes[name] for name, stem in stems.items() if stem and name in homes}
    for name, stem in stems.items():
        if name not in homes and stem in by_stem:
            homes[name] = by_stem[stem]


def _follow_names(definitions: Mapping[str, Schema], homes: dict[str, str]) -> None:
    """Put an error where most errors are, and what has a subject's name in its own (in the singular) with that."""
    errors = [homes[name] for name in homes if error_code(definitions[name]) is not None]
    subjects = set(homes.values())
    for name in definitions:
        if name in homes:
            continue
        if error_code(definitions[name]) is not None:
            homes[name] = Counter(errors).most_common(1)[0][0] if errors else "errors"
            continue
        named = [subject for word in _words(name) for subject in (word, f"{word}s") if subject in subjects]
        if named:
            homes[name] = named[0]


def _follow_references(definitions: Mapping[str, Schema], homes: dict[str, str]) -> None:
    """Put what has no subject yet where it is referred to most, for as long as that settles any."""
    while True:
        votes: dict[str, Counter[str]] = {}
        for referrer, target in _references(definitions):
            if target not in homes and referrer in homes and not _UNIONS.fullmatch(referrer):
                votes.setdefault(target, Counter())[homes[referrer]] += 1
        if not votes:
            return
        homes |= {name: count.most_common(1)[0][0] for name, count in votes.items()}


def _references(definitions: Mapping[str, Schema]) -> Iterator[tuple[str, str]]:
    for name, definition in definitions.items():
        for target in referred(definition):
            yield name, target


def _nearest_by_word(name: str, homes: Mapping[str, str]) -> str:
    first = _words(name)[0]
    alike = Counter(home for other, home in homes.items() if _words(other)[0] == first)
    return alike.most_common(1)[0][0] if alike else _OTHER


def _words(name: str) -> list[str]:
    """Divide a name in camel case into its words, in lower case: ``JSONRPCError`` is jsonrpc and error."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z0-9_]+", name)]
