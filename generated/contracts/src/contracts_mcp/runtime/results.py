# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What handlers return and raise."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    ContentBlock: TypeAlias = Mapping[str, object]
    """A content block as it goes on the wire, with ``type`` and what belongs to that type."""

    Item: TypeAlias = str | bytes | os.PathLike[str] | ContentBlock
    Content: TypeAlias = Item | Sequence[Item] | None


class ToolError(Exception):
    """What went wrong, and what to try instead: the text reaches the model as a result with ``isError``.

    Outside of a tool the text reaches the client as an error with code -32603.
    """


class InvalidParams(Exception):
    """What is wrong with a prompt's argument or a resource's URI: the client gets the text with code -32602."""


class ResourceNotFound(InvalidParams):
    """No such resource: the client gets code -32602 with the URI (revision 2026-07-28, Resources: error handling)."""

    def __init__(self, message: str = "Resource not found") -> None:
        """Say so, in other words if there are better ones."""
        super().__init__(message)


class ResultError(Exception):
    """A handler's result that must not be sent; the text says why, for the log."""


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


class ResourceContents:
    """One part of what a resource holds.

    Args:
        value: Text, bytes, or the path of a file whose content is one of them.
        uri: What this part is read by, where that is not the URI that was asked for.
        mime_type: Its media type; otherwise the resource's own, or what the content looks like.
        meta: Entries for its ``_meta``.
    """

    __slots__ = ("meta", "mime_type", "uri", "value")

    def __init__(
        self,
        value: str | bytes | os.PathLike[str],
        *,
        uri: str | None = None,
        mime_type: str | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        """Hold a part; nothing is checked before it is sent."""
        self.value = value
        self.uri = uri
        self.mime_type = mime_type
        self.meta = meta


class ResourceResult:
    """What a resource holds, with caching hints of its own.

    Args:
        contents: What a handler could also return by itself.
        ttl_ms: Milliseconds for which the client may keep it; otherwise what the manifest says.
        cache_scope: ``private`` or ``public``; otherwise what the manifest says.
        meta: Entries for the result's ``_meta``.
    """

    __slots__ = ("cache_scope", "contents", "meta", "ttl_ms")

    def __init__(
        self,
        contents: object,
        *,
        ttl_ms: int | None = None,
        cache_scope: str | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        """Hold a result; nothing is checked before it is sent."""
        self.contents = contents
        self.ttl_ms = ttl_ms
        self.cache_scope = cache_scope
        self.meta = meta


class PromptResult:
    """A prompt's messages, with a description of their own.

    Args:
        messages: What a handler could also return by itself.
        description: What these messages are for; otherwise what the manifest says.
        meta: Entries for the result's ``_meta``.
    """

    __slots__ = ("description", "messages", "meta")

    def __init__(
        self, messages: object, *, description: str | None = None, meta: Mapping[str, object] | None = None
    ) -> None:
        """Hold a result; nothing is checked before it is sent."""
        self.messages = messages
        self.description = description
        self.meta = meta


class CompletionInput:
    """What a handler is asked to complete.

    Attributes:
        argument: The name of the argument or variable.
        value: What has been typed of it so far.
        arguments: The values of other arguments that are known already, by their names.
    """

    __slots__ = ("argument", "arguments", "value")

    def __init__(self, argument: str, value: str, arguments: Mapping[str, str]) -> None:
        """Hold a question; the runtime does this."""
        self.argument = argument
        self.value = value
        self.arguments = arguments


class CompletionResult:
    """Values offered for an argument, for a handler that knows of more than it hands out.

    Args:
        values: The best ones first; what is beyond a hundred is left out.
        total: How many there are in all, if known.
        has_more: Whether there are more; otherwise that follows from the total.
    """

    __slots__ = ("has_more", "total", "values")

    def __init__(self, values: Sequence[str], *, total: int | None = None, has_more: bool | None = None) -> None:
        """Hold a result; nothing is checked before it is sent."""
        self.values = values
        self.total = total
        self.has_more = has_more
