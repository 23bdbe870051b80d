# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""URI templates (RFC 6570), backwards: from a URI to the values of the variables.

What is matched: simple expansion ``{name}``, reserved expansion ``{+name}``, and one query ``{?first,second}`` at the
end. A simple variable stands for at least one character that is none of ``/?#``, a reserved one for at least one
character of any kind, and each for as many as it can. The time to match grows with the length of the URI alone.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 8192
"""How many characters a URI may have to be matched at all."""

ASCII = "".join(map(chr, range(0x21, 0x7F)))
"""The characters that percent-encoding leaves alone here."""

_EXPRESSION = re.compile(r"\{([+?]?)([^{}]*)\}")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")


def decode_percent(text: str) -> str | None:
    """Return text with its percent-encoded octets decoded (RFC 3986 section 2.1), once.

    None if it cannot be: an incomplete escape, octets that are no UTF-8, or a NUL, which no file or record is called.
    """
    if _BAD_ESCAPE.search(text):
        return None
    from urllib.parse import unquote

    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None


class UriTemplate:
    """A URI template that URIs can be matched with.

    Args:
        template: The template, of the kinds of expansion named above; a variable may occur more than once, and then
            has the same value everywhere.
    """

    __slots__ = ("_literals", "_query", "_variables", "template")

    def __init__(self, template: str) -> None:
        """Take a template apart."""
        self.template = template
        if not template.isascii():  # which in a URI is percent-encoded (RFC 6570 section 3.1)
            from urllib.parse import quote

            template = quote(template, safe=ASCII)
        self._literals: list[str] = []
        self._variables: list[tuple[str, bool]] = []
        self._query: frozenset[str] | None = None
        end = 0
        for match in _EXPRESSION.finditer(template):
            operator, name = match[1], match[2]
            if operator == "?":
                self._query = frozenset(name.split(","))
                template = template[: match.start()]
                break
            self._literals.append(template[end : match.start()])
            self._variables.append((name, operator == "+"))
            end = match.end()
        self._literals.append(template[end:])

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the values of the variables, percent-decoded, or None if the URI is none of the template's.

        A variable of the query that the URI does not have is left out.
        """
        if len(uri) > LONGEST or not uri.startswith(self._literals[0]):
            return None
        values: dict[str, str] = {}
        if self._query is not None:
            uri, _, query = uri.partition("?")
            found = _query_values(query, self._query)
            if found is None:
                return None
            values.update(found)
        spans = self._spans(uri)
        if spans is None:
            return None
        for (name, _), raw in zip(self._variables, spans, strict=True):
            value = decode_percent(raw)
            if value is None or values.setdefault(name, value) != value:
                return None
        return values

    def _spans(self, uri: str) -> list[str] | None:
        """Return what stands for each variable, as it is written; None if the URI does not match.

        ``ends[i][p]`` is the farthest place where variable i can end if it starts at p and all that follows fits, or 0.
        It is worked out from the last variable to the first, in one pass over the URI for each.
        """
        size = len(uri)
        last = self._literals[-1]
        fits = bytearray(size + 1)  # fits[p]: the literal after the variable stands at p, and all that follows fits
        if uri.endswith(last):
            fits[size - len(last)] = 1
        ends: list[list[int]] = []
        for (_, reserved), literal in zip(reversed(self._variables), reversed(self._literals[:-1]), strict=True):
            reach = [0] * (size + 1)
            farthest = 0
            for place in range(size - 1, -1, -1):
                if not reserved and uri[place] in "/?#":
                    farthest = 0
                else:
                    farthest = farthest or (place + 1 if fits[place + 1] else 0)
                reach[place] = farthest
            ends.append(reach)
            fits = bytearray(size + 1)
            width = len(literal)
            for place in range(width, size):
                if reach[place] and uri.startswith(literal, place - width):
                    fits[place - width] = 1
        if not fits[0]:
            return None
        spans: list[str] = []
        place = 0
        for literal, reach in zip(self._literals, reversed(ends), strict=False):
            place += len(literal)
            spans.append(uri[place : reach[place]])
            place = reach[place]
        return spans


def _query_values(query: str, names: frozenset[str]) -> Mapping[str, str] | None:
    """Return the values of a form-style query (RFC 6570 section 3.2.8); None for one with anything else in it."""
    values: dict[str, str] = {}
    for pair in query.split("&") if query else ():
        name, _, raw = pair.partition("=")
        value = decode_percent(raw)
        if name not in names or name in values or value is None:
            return None
        values[name] = value
    return values
