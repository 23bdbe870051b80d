"""Arguments that clients repeat in an HTTP header (``x-mcp-header``; revision 2026-07-28, Tools and Streamable HTTP).

A client that meets a mark it cannot use must leave the tool out of its list, so such a mark is a problem here.
"""

import re
from collections.abc import Iterator
from typing import Any

from toolmint.manifest.positions import Path
from toolmint.manifest.references import Scope
from toolmint.manifest.text import Text
from toolmint.manifest.wording import shown
from toolmint.problems import Problem

MARK = "x-mcp-header"

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, section 5.6.2."""

_TYPES = ("string", "boolean", "integer")


def header_problems(text: Text, path: Path, schema: Any, *, arguments: bool) -> Iterator[Problem]:
    """Yield what is wrong with the marks in a schema.

    Args:
        text: The manifest.
        path: Where the schema stands.
        schema: The schema, as it is written.
        arguments: Whether it is a tool's inputSchema; in any other no mark is reached.
    """
    scope = Scope(schema)
    scope.walk()
    named: dict[str, str] = {}
    for below, part in scope.schemas.items():
        if MARK not in part:
            continue
        name, at = part[MARK], (*path, *below, MARK)
        reached = arguments and below and not any(keyword != "properties" for keyword in below[::2])
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            hint = "use letters, digits and hyphens, as in Region"
            yield text.problem("bad-header", f"{shown(name)} cannot be part of a header's name (RFC 9110)", at, hint)
        elif not reached:
            yield text.problem_at_key(
                "bad-header",
                f"an argument is repeated in a header only where `properties` alone lead to it, which is not so for "
                f"{shown(name)}",
                at,
                "mark a property of the inputSchema, or of an object in it; not what is behind $ref, items or anyOf",
            )
        elif part.get("type") not in _TYPES:
            yield text.problem_at_key(
                "bad-header",
                f"{shown(name)} is to repeat a value of type {shown(part.get('type'))} in a header",
                at,
                "only type string, boolean or integer can be",
            )
        elif name.lower() in named:
            message = f"the header {shown(name)} is used twice; its other use is {shown(named[name.lower()])}"
            yield text.problem("bad-header", message, at, "capitals make no difference: choose another name")
        else:
            named[name.lower()] = name
