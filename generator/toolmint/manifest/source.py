"""A manifest's text: read once, decoded strictly, and asked for the line that a problem is on."""

import hashlib
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from toolmint.problems import Problem

MAX_BYTES = 16 * 1024 * 1024
"""The largest manifest, or file it refers to, that is read."""

_LONGEST_TOKEN = 200
"""How much of a line is looked at to quote a value, in characters."""

MAX_PROBLEMS = 500
"""The most problems that are reported of one manifest."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")

# YAML 1.2 section 5.1 (c-printable), without the surrogates that strict UTF-8 decoding has already refused.
_NOT_PRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


class ManifestError(Exception):
    """A manifest that cannot be used; ``problems`` holds everything that is wrong with it, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.render() for problem in self.problems))


class Position(NamedTuple):
    """A place in a text; both numbers are 1-based, the column counts Unicode characters."""

    line: int
    column: int


class Source:
    """One file's text and the name it is reported under."""

    def __init__(self, label: str, data: bytes, text: str) -> None:
        self.label = label
        self.text = text
        self.digest = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()  # as a checkout may have it, or not

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends, split where YAML 1.2 splits (section 5.4)."""
        return _LINE_BREAK.split(self.text)

    def position_of(self, offset: int) -> Position:
        """Return the position of a character offset."""
        breaks = [found.end() for found in _LINE_BREAK.finditer(self.text, 0, offset)]
        return Position(len(breaks) + 1, offset - (breaks[-1] if breaks else 0) + 1)

    def token_at(self, position: Position) -> str:
        """Return a plain scalar as it is written at a position, for instance ``1.10`` where the value is 1.1."""
        start = position.column - 1
        written = self.lines[position.line - 1][start : start + _LONGEST_TOKEN]
        return re.split(r"\s+#|[,\]}]|:\s|$", written, maxsplit=1)[0].strip()

    def problem(self, code: str, message: str, position: Position, hint: str = "") -> Problem:
        """Return a problem at a position of this text."""
        line, column = position
        excerpt = self.lines[line - 1] if line <= len(self.lines) else ""
        return Problem(
            code=code, message=message, file=self.label, line=line, column=column, hint=hint, excerpt=excerpt
        )


def read_source(path: Path, label: str) -> Source:
    """Read a text file.

    Raises:
        ManifestError: The file cannot be read, is no regular file, is longer than ``MAX_BYTES``, is not UTF-8, or holds
            characters that YAML does not allow.
    """
    data = read_bytes(path, label)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ManifestError([_not_utf8(label, data, error)]) from None
    source = Source(label, data, text)
    found = _NOT_PRINTABLE.search(text)
    if found:
        raise ManifestError([_control_character(source, found)])
    return source


def read_bytes(path: Path, label: str) -> bytes:
    """Read a file of at most ``MAX_BYTES``.

    Raises:
        ManifestError: It cannot be read, is no regular file, or is longer.
    """

    def refused(code: str, message: str, hint: str) -> ManifestError:
        return ManifestError([Problem(code=code, message=message, file=label, hint=hint)])

    try:
        if path.is_dir():
            raise refused("not-a-file", "this is a directory; expected a file", "name the manifest inside it")
        if path.exists() and not path.is_file():
            raise refused("not-a-file", "this is no regular file", "name a file on disk")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise refused("file-not-found", "no such file", "check the name, or run `toolmint init`") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refused(
            "file-not-readable", f"cannot be read: {reason}", "check the file's name and permissions"
        ) from None
    if len(data) > MAX_BYTES:
        raise refused(
            "file-too-large",
            f"the file is longer than {MAX_BYTES // (1024 * 1024)} MiB, the most that is read",
            "split the server, or serve large content from a handler",
        )
    return data


def _not_utf8(label: str, data: bytes, error: UnicodeDecodeError) -> Problem:
    before = data[: error.start].decode("utf-8", "replace")
    position = Source(label, b"", before).position_of(len(before))
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        message = "the file is UTF-16; expected UTF-8"
    else:
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
    return Problem(
        code="not-utf8",
        message=message,
        file=label,
        line=position.line,
        column=position.column,
        hint="save the file as UTF-8",
    )


def _control_character(source: Source, found: re.Match[str]) -> Problem:
    character = found[0]
    escape = f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
    name = "a NUL" if character == "\0" else f"the control character U+{ord(character):04X}"
    return source.problem(
        "control-character",
        f"{name} stands in the text; YAML allows none",
        source.position_of(found.start()),
        f'remove it, or write it as "{escape}" in double quotes',
    )
