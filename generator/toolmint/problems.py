"""What is wrong with an input, where, and what to do about it: the one type every command reports."""

from dataclasses import dataclass

_EXCERPT = 110
"""The longest part of a source line that is shown, in characters: a JSON manifest may be a single line of megabytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem in one file.

    Attributes:
        code: Stable slug for programs, such as ``unknown-key``.
        message: What was found and what was expected, in one line.
        file: The file as the user named it.
        line: 1-based; ``None`` where the problem is the file itself.
        column: 1-based, in Unicode characters; ``None`` together with ``line``.
        hint: What to do about it; may be empty.
        excerpt: The source line; may be empty.
    """

    code: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    hint: str = ""
    excerpt: str = ""

    def to_json(self) -> dict[str, str | int | None]:
        """Return the members of one entry of ``problems`` in the commands' ``--json`` output."""
        return {
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "hint": self.hint,
        }

    def render(self) -> str:
        """Return the problem for a terminal: place and message, the line with a caret under the column, the hint."""
        place = self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"
        lines = [f"{place}: {self.message}"]
        if self.excerpt and self.column is not None:
            shown, caret = _window(self.excerpt, self.column - 1)
            lines += [f"  {shown}", f"  {' ' * caret}^"]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    __str__ = render


def _window(line: str, column: int) -> tuple[str, int]:
    """Cut a line to what fits a terminal around a 0-based column; return it and the column within it."""
    line = "".join(character if character.isprintable() else " " for character in _cut(line, column))
    start = max(0, column - _EXCERPT // 2)
    return ("…" + line.rstrip(), column - start + 1) if start else (line.rstrip(), column)


def _cut(line: str, column: int) -> str:
    start = max(0, column - _EXCERPT // 2)
    return line[start : start + _EXCERPT]
