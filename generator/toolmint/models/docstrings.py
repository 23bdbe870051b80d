"""Text from a manifest as a Python docstring. The text is not trusted: no part of it may end the string literal."""

from __future__ import annotations

import re
import textwrap

from toolmint.models.literals import visible

WIDTH = 112
"""Characters on a line of text: 120 for a line of code, less the indentation and some air."""

_SENTENCE = re.compile(r"(.+?[.!?])(?:\s+(?=[^a-z\s])|\s*$)(.*)", re.DOTALL)
"""A first sentence and what follows it; the period of "e.g. this" ends none."""


def docstring(text: str, *, summary: str, indent: str = "    ") -> str:
    """Return the docstring of a class or alias: a summary line that ends with a period, then the rest (PEP 257).

    The first sentence of ``text`` is the summary if it fits a line; else ``summary`` goes before the whole text.
    """
    cleaned = _clean(text).strip()
    found = _SENTENCE.match(cleaned)
    first, rest = found.groups() if found else (cleaned, "")
    sentence = " ".join(first.split())
    if (
        not sentence
        or "\n\n" in first
        or (not found and "\n" in first)
        or sentence[-1] in "!?"
        or len(sentence) >= WIDTH
    ):
        sentence, rest = " ".join(_clean(summary).split())[: WIDTH - 1], cleaned
    sentence = sentence if sentence.endswith(".") else f"{sentence}."
    paragraphs = _paragraphs(rest)
    return _literal([sentence, "", *paragraphs] if paragraphs else [sentence], indent)


def attribute_docstring(text: str, *, indent: str = "    ") -> str:
    """Return the literal that stands below a field and describes it, or nothing where there is no text."""
    paragraphs = _paragraphs(text)
    return _literal(paragraphs, indent) if paragraphs else ""


def _clean(text: str) -> str:
    """Return the text without what may not stand in a source file: other line ends, control characters, surrogates."""
    return "\n".join(map(visible, text.splitlines())).replace('"""', "'''")


def _paragraphs(text: str) -> list[str]:
    """Return the lines of a text, wrapped; blank lines kept, but none at either end."""
    lines: list[str] = []
    for line in _clean(text).split("\n"):
        margin = " " * min(len(line) - len(line.lstrip()), 16)
        wrapped = textwrap.wrap(line.strip(), WIDTH - len(margin), break_long_words=False, break_on_hyphens=False)
        lines.extend(margin + part for part in wrapped or [""])
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _literal(lines: list[str], indent: str) -> str:
    prefix = "r" if any("\\" in line for line in lines) else ""
    first, *rest = lines
    first = first.lstrip()
    if not rest:
        # A quotation mark or a backslash may not touch the closing quotes.
        end = " " if first[-1] in '"\\' else ""
        return f'{prefix}"""{" " if first[0] == chr(34) else ""}{first}{end}"""'
    body = "\n".join(f"{indent}{line}".rstrip() for line in rest)
    return f'{prefix}"""{" " if first[0] == chr(34) else ""}{first}\n{body}\n{indent}"""'
