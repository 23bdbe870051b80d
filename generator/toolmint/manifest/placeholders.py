"""Where a fixed message of a prompt takes an argument: ``{{argument}}``.

A backslash right before it makes the braces literal, and two backslashes there are one literal backslash; a backslash
anywhere else is nothing but a backslash.
"""

import re
from dataclasses import dataclass

_PLACEHOLDER = re.compile(r"(\\*)(\{\{(.*?)\}\})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A place for an argument's value; ``written`` is what stands between the braces."""

    written: str

    @property
    def argument(self) -> str:
        """The argument's name."""
        return self.written.strip()


def split_placeholders(text: str) -> list[str | Placeholder]:
    """Return a text's literal parts and the placeholders between them, in order; no part is empty."""
    parts: list[str | Placeholder] = []
    literal, end = "", 0
    for match in _PLACEHOLDER.finditer(text):
        literal += text[end : match.start()] + "\\" * (len(match[1]) // 2)
        end = match.end()
        if len(match[1]) % 2:
            literal += match[2]
            continue
        if literal:
            parts.append(literal)
        parts.append(Placeholder(match[3]))
        literal = ""
    literal += text[end:]
    return [*parts, literal] if literal else parts
