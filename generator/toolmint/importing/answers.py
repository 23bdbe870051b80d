"""Saved answers of a server, in whatever form they were saved, as the lists they hold."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from toolmint.manifest import ManifestError
from toolmint.manifest.document import MAX_DEPTH
from toolmint.manifest.source import Source
from toolmint.manifest.wording import found, one_of, shown

if TYPE_CHECKING:
    from toolmint.problems import Problem

SECTIONS = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
"""The lists that answers hold, and the member that tells the entries of each apart."""

_METHODS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_ENTRY_DEPTH = 2
"""How deep entries are in a manifest: in a list, in the mapping that the manifest is."""

_SPACE = re.compile(r"[\s\ufeff]*")
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_HINT = f"save the answer to {one_of(_METHODS, quote=False)} as the server sent it"


@dataclass(slots=True)
class Answers:
    """What a server's answers hold.

    Attributes:
        server: Members of ``serverInfo``, and ``instructions``.
        caching: ``ttlMs`` and ``cacheScope`` as the first list gave them.
        entries: The entries of each list, by its name in ``SECTIONS``.
        unfinished: Lists whose last page names a further one.
    """

    server: dict[str, Any] = field(default_factory=dict)
    caching: dict[str, Any] = field(default_factory=dict)
    entries: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {name: [] for name in SECTIONS})
    unfinished: set[str] = field(default_factory=set)


def read_answers(texts: Mapping[str, str]) -> Answers:
    """Read results, JSON-RPC responses, several of either one behind the other, or a file that holds all lists.

    Pages of one list are joined in order; requests and notifications among them are passed over.

    Args:
        texts: JSON texts by what they are called in problems.

    Raises:
        ManifestError: They hold no list, or something else than lists; every problem is named.
    """
    answers = Answers()
    seen: _Seen = {}
    readers = [
        _Reader(Source(source, b"", text.removeprefix("\ufeff")), answers, seen) for source, text in texts.items()
    ]
    for reader in readers:
        reader.read()
    if not any(reader.problems for reader in readers) and not any(answers.entries.values()):
        readers[0].report_nothing()
    problems = [problem for reader in readers for problem in reader.problems]
    if problems:
        raise ManifestError(problems)
    return answers


_Seen: TypeAlias = dict[tuple[str, str], dict[str, Any]]
"""Entries by their list and what tells them apart."""


class _Reader:
    def __init__(self, source: Source, answers: Answers, seen: _Seen) -> None:
        self.problems: list[Problem] = []
        self.answers = answers
        self._source = source
        self._seen = seen
        self._offset = 0

    def read(self) -> None:
        found_any = False
        for value in self._values():
            found_any = True
            for message in _messages(value):
                self._message(message)
        if not found_any and not self.problems:
            self._report("no-answer", "there is no answer in this file", _HINT)

    def report_nothing(self) -> None:
        """Report that no answer lists anything."""
        self._report("no-entries", "the answers list nothing: no tool, prompt, resource or template", _HINT)

    def _values(self) -> Iterator[Any]:
        """Yield each JSON value of the text; ``_offset`` is where it starts."""
        text = self._source.text
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant, parse_float=self._float
        )
        while (start := _space(text, self._offset)) < len(text):
            self._offset = start
            try:
                value, end = decoder.raw_decode(text, start)
            except (ValueError, RecursionError) as error:
                self._offset = error.pos if isinstance(error, json.JSONDecodeError) else start
                reason = "it is nested too deep" if isinstance(error, RecursionError) else _reason(error)
                self._report("not-json", f"this is not JSON: {reason}", _HINT)
                return
            yield value
            self._offset = end

    def _object(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) < len(members):
            names = [name for name, _ in members]
            twice = next(name for name in names if names.count(name) > 1)
            self._report(
                "duplicate-key", f"an object has the member {shown(twice)} more than once", "remove one of them"
            )
        return value

    def _constant(self, name: str) -> None:
        self._report("number-out-of-range", f"{name} is no JSON value", "write a number, or null")

    def _float(self, text: str) -> float:
        number = float(text)
        if math.isinf(number):
            self._report("number-out-of-range", f"{text[:40]} is larger than any number JSON readers can hold", "")
            return 0.0
        return number

    def _message(self, value: Any) -> None:
        if not isinstance(value, dict):
            self._report("no-answer", f"expected an answer, which is an object; found {found(value)}", _HINT)
            return
        if "method" in value:
            return
        if isinstance(value.get("error"), dict):
            error = value["error"]
            self._report(
                "error-answer",
                f"the server answered with the error {error.get('code')}: {shown(error.get('message'))}",
                "remove this answer if the server has no such list, or save one that succeeded",
            )
            return
        self._result(value["result"] if isinstance(value.get("result"), dict) else value)

    def _result(self, result: dict[str, Any]) -> None:
        self._server(result)
        names = [name for name in SECTIONS if name in result]
        if not names and not self._is_handshake(result):
            members = one_of(list(result)[:8]) or "none"
            self._report("no-answer", f"expected one of the members {one_of(SECTIONS)}; found {members}", _HINT)
        for name in names:
            if not isinstance(result[name], list):
                self._report("wrong-type", f"{name} must be a list; found {found(result[name])}", _HINT)
                continue
            for index, entry in enumerate(result[name]):
                self._entry(name, index, entry)
            if isinstance(result.get("nextCursor"), str):
                self.answers.unfinished.add(name)
            else:
                self.answers.unfinished.discard(name)
            if not self.answers.caching:
                self.answers.caching = {key: result[key] for key in ("ttlMs", "cacheScope") if key in result}

    def _is_handshake(self, result: dict[str, Any]) -> bool:
        """Say whether a result is that of initialize or server/discover."""
        return "capabilities" in result or "serverInfo" in result

    def _server(self, result: dict[str, Any]) -> None:
        meta = result.get("_meta")
        infos = [result.get("serverInfo"), meta.get(_SERVER_INFO) if isinstance(meta, dict) else None]
        if isinstance(result.get("server"), str):
            infos.append({"name": result["server"], "version": result.get("version")})
        for info in infos:
            if isinstance(info, dict):
                self.answers.server.update({key: value for key, value in info.items() if value is not None})
        if isinstance(result.get("instructions"), str):
            self.answers.server["instructions"] = result["instructions"]

    def _entry(self, section: str, index: int, entry: Any) -> None:
        key = SECTIONS[section]
        if not isinstance(entry, dict) or not isinstance(entry.get(key), str):
            what = f"without {key}" if isinstance(entry, dict) else f"that is {found(entry)}"
            self._report(
                "wrong-type", f"{section} has an entry {what}, at index {index}", f"give it a {key}, or remove it"
            )
            return
        refusal = unwritable(entry)
        if refusal is not None:
            code, what, hint = refusal
            self._report(code, f"{section} {shown(entry[key])} {what}", hint)
            return
        first = self._seen.setdefault((section, entry[key]), entry)
        if first is entry:
            self.answers.entries[section].append(entry)
        elif first != entry:
            self._report(
                "duplicate-name",
                f"{section} has {shown(entry[key])} twice, and they differ",
                "remove the one that is out of date",
            )

    def _report(self, code: str, message: str, hint: str) -> None:
        self.problems.append(self._source.problem(code, message, self._source.position_of(self._offset), hint))


def _space(text: str, offset: int) -> int:
    """Return where the white space that starts at an offset ends."""
    space = _SPACE.match(text, offset)
    return offset if space is None else space.end()


def _messages(value: Any) -> list[Any]:
    """Return what one JSON value holds: an answer, a batch of them, or the tools that one lists."""
    if not isinstance(value, list):
        return [value]
    return [{"tools": value}] if value and all(map(_looks_like_tool, value)) else value


def _looks_like_tool(value: Any) -> bool:
    return isinstance(value, dict) and "name" in value and "inputSchema" in value


def _reason(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def unwritable(entry: Any) -> tuple[str, str, str] | None:
    """Return why no manifest can hold an entry: a problem's code, what the entry has, and a hint; None if one can."""
    pending = [(entry, _ENTRY_DEPTH)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, str):
            if not (value.isascii() or _encodes(value)):
                what = f"has half of a surrogate pair in {ascii(value)[:60]}, which UTF-8 cannot carry"
                return "lone-surrogate", what, "write both halves, or \\ufffd in its place"
        elif isinstance(value, dict | list):
            if depth == MAX_DEPTH:
                return "nested-too-deep", f"is nested more than {MAX_DEPTH} levels deep", "give it a flatter schema"
            parts = [*value, *value.values()] if isinstance(value, dict) else value
            pending += [(part, depth + 1) for part in parts]
    return None


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
