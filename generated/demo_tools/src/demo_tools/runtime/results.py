# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What handlers return and raise, and how that becomes content."""

from __future__ import annotations

from .jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    ContentBlock: TypeAlias = Mapping[str, object]
    """A content block as it goes on the wire, with ``type`` and what belongs to that type."""

    Content: TypeAlias = str | ContentBlock | Sequence[str | ContentBlock] | None


class ToolError(Exception):
    """What went wrong, and what to try instead: the text reaches the model as a result with ``isError``."""


class ToolResult:
    """A tool's result in full, for a handler that wants to say everything itself.

    Args:
        content: Text, a content block, or a list of them.
        structured: The structured result, checked against the outputSchema; leave it out where there is none.
        is_error: Whether the call failed in a way the model should see.
        meta: Entries for the result's ``_meta``.
    """

    __slots__ = ("content", "is_error", "meta", "structured")

    def __init__(
        self,
        content: Content = None,
        *,
        structured: object = None,
        is_error: bool = False,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        """Hold a result; nothing is checked before it is sent."""
        self.content = content
        self.structured = structured
        self.is_error = is_error
        self.meta = meta


def content_blocks(value: object) -> list[object]:
    """Return the content blocks of what a handler returned.

    Text becomes a text block, a mapping with a ``type`` is a block already, a list is taken item by item, None is
    no content, and any other JSON value is shown as its JSON text.

    Raises:
        TypeError: Some part of it is nothing that JSON can express.
    """
    if value is None:
        return []
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return [value]
    if isinstance(value, list | tuple):
        return [block for item in value for block in content_blocks(item)]
    return [{"type": "text", "text": encode(value)}]
