"""Texts for patterns: whether one matches, and a few that should.

What ``texts`` returns are guesses, made by reading the common part of the pattern language loosely. Whoever uses them
checks them.
"""

import itertools
import re
from functools import lru_cache

from toolmint.compiler.patterns import PatternError, translate

_MOST = 8
"""Most texts that are tried for one part of a pattern."""

_LONGEST = 5_000
"""Longest text that is made."""

_CLASSES = {
    "d": "07",
    "w": "aZ0_",
    "s": " ",
    "D": "a-",
    "W": "-",
    "S": "a0",
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "f": "\f",
}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d+)(,?)(\d*)\})\??")


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> re.Pattern[str] | None:
    """Return what finds an ECMA-262 pattern in a text; None where Python has nothing that is sure to do the same."""
    try:
        pieces = translate(pattern).pieces
        return re.compile("".join(map(_text, pieces)), re.ASCII)
    except (PatternError, re.error):
        return None


def _text(piece: object) -> str:
    if isinstance(piece, str):
        return piece
    raise PatternError("a Unicode category has no name in Python's patterns")


@lru_cache(maxsize=1024)
def texts(pattern: str, least: int = 0, most: int | None = None) -> tuple[str, ...]:
    """Return texts that probably match a pattern, of some lengths between two bounds where that can be had."""
    wanted = tuple(dict.fromkeys((least, least + 1, most if most is not None else least + 12)))
    found: dict[str, None] = {}
    for length in wanted:
        try:
            for text in itertools.islice(_Reader(pattern, min(length, _LONGEST)).read(), _MOST):
                found[text] = None
        except (ValueError, IndexError, RecursionError):
            break
    return tuple(found)


class _Reader:
    """Reads a pattern once; every open-ended repetition is made as long as the text is wanted."""

    def __init__(self, pattern: str, length: int) -> None:
        self._pattern = pattern
        self._length = length
        self._at = 0

    def read(self) -> list[str]:
        result = self._choice()
        if self._at < len(self._pattern):
            raise ValueError
        return result

    def _choice(self) -> list[str]:
        options = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            options.append(self._sequence())
        return [text for texts in itertools.zip_longest(*options) for text in texts if text is not None][:_MOST]

    def _sequence(self) -> list[str]:
        result = [""]
        while self._peek() not in ("", "|", ")"):
            part = self._quantified(self._atom())
            result = [head + tail for head in result for tail in part if len(head + tail) <= _LONGEST][:_MOST]
        return result

    def _quantified(self, options: list[str]) -> list[str]:
        found = _QUANTIFIER.match(self._pattern, self._at)
        if not found:
            return options
        self._at = found.end()
        sign, least, comma, most = found.groups()
        low = {"*": 0, "+": 1, "?": 0}[sign] if sign else int(least)
        high = 1 if sign == "?" else int(most) if most else None if sign or comma else low
        counts = {low, high if high is not None else max(low, self._length), min(low + 1, high or low + 1)}
        return [
            option * count for count in sorted(counts) for option in options if len(option) * count <= _LONGEST
        ] or [option * low for option in options[:1]]

    def _atom(self) -> list[str]:
        character = self._next()
        if character == "[":
            return self._class()
        if character == "(":
            look = re.compile(r"\?(?::|<[A-Za-z_$][\w$]*>|(<?[=!]))").match(self._pattern, self._at)
            self._at = look.end() if look else self._at
            inner = self._choice()
            if self._next() != ")":
                raise ValueError
            return [""] if look and look[1] else inner
        if character == ".":
            return ["a", "-"]
        if character in "^$":
            return [""]
        if character == "\\":
            return self._escape()
        return [character]

    def _escape(self) -> list[str]:
        character = self._next()
        if character in "bB":
            return [""]
        if character in "xu":
            size = 2 if character == "x" else 4
            code = self._pattern[self._at : self._at + size]
            self._at += size
            return [chr(int(code, 16))]
        if character in "pP":
            raise ValueError
        return list(_CLASSES.get(character, character))

    def _class(self) -> list[str]:
        negated = self._peek() == "^"
        self._at += negated
        members: list[str] = []
        while self._peek() != "]":
            members += self._escape() if (character := self._next()) == "\\" else [character]
            if self._peek() == "-" and self._pattern[self._at + 1] != "]":
                self._at += 1
                last = self._escape()[-1] if (character := self._next()) == "\\" else character
                members.append(last)
        self._at += 1
        if negated:
            return [other for other in "a0-_ Z.~" if other not in members][:4]
        return members[:_MOST]

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        character = self._pattern[self._at]
        self._at += 1
        return character
