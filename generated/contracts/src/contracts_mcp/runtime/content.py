# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Content blocks and prompt messages: what makes them, and what keeps anything else off the wire.

Text, bytes and files become blocks by themselves; the functions here make those that need saying more.
"""

from __future__ import annotations

import os
import re

from .jsontext import encode
from .media import UNKNOWN, base64_text, is_base64, is_text, media_type_of, read_file
from .results import ResultError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from .dispatcher import Dispatcher

_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:\s*;.*)?", re.ASCII)


class ContentBlock(dict[str, object]):
    """A content block as it goes on the wire; the functions of this module make them."""


class Annotations(dict[str, object]):
    """Hints on how to use a content block.

    Args:
        audience: Whom it is for.
        priority: From 0 (can be left out) to 1 (cannot).
        last_modified: An ISO 8601 time such as ``2026-07-28T09:30:00Z``.
    """

    def __init__(
        self,
        *,
        audience: Sequence[Literal["user", "assistant"]] | None = None,
        priority: float | None = None,
        last_modified: str | None = None,
    ) -> None:
        """Hold hints."""
        super().__init__(_given(audience=_list(audience), priority=priority, lastModified=last_modified))


class Icon(dict[str, object]):
    """A picture to show beside a link.

    Args:
        src: An https or data URI.
        mime_type: Its media type.
        sizes: Such as ``48x48``, or ``any``.
        theme: The background it is drawn for.
    """

    def __init__(
        self,
        src: str,
        *,
        mime_type: str | None = None,
        sizes: Sequence[str] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> None:
        """Hold an icon."""
        super().__init__(_given(src=src, mimeType=mime_type, sizes=_list(sizes), theme=theme))


class PromptMessage(dict[str, object]):
    """A message of a prompt as it goes on the wire; ``user`` and ``assistant`` make them."""


def text(
    value: str, *, annotations: Mapping[str, object] | None = None, meta: Mapping[str, object] | None = None
) -> ContentBlock:
    """Return a block of text."""
    return ContentBlock(_given(type="text", text=value, annotations=annotations, _meta=meta))


def image(
    data: bytes | os.PathLike[str],
    mime_type: str | None = None,
    *,
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
) -> ContentBlock:
    """Return a picture.

    Args:
        data: Its bytes, or the path of its file.
        mime_type: Its media type; otherwise what its bytes or its name say.
        annotations: Hints on how to use it.
        meta: Entries for ``_meta``.

    Raises:
        ValueError: There is nothing by which to tell the media type.
        OSError: The file cannot be read.
    """
    return _medium("image", data, mime_type, annotations, meta)


def audio(
    data: bytes | os.PathLike[str],
    mime_type: str | None = None,
    *,
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
) -> ContentBlock:
    """Return a sound recording; arguments and errors are those of ``image``."""
    return _medium("audio", data, mime_type, annotations, meta)


def resource_link(
    uri: str,
    name: str,
    *,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    size: int | None = None,
    icons: Sequence[Mapping[str, object]] | None = None,
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
) -> ContentBlock:
    """Return a link to a resource, which the client can read by its URI."""
    members = _given(
        type="resource_link",
        uri=uri,
        name=name,
        title=title,
        description=description,
        mimeType=mime_type,
        size=size,
        icons=_list(icons),
        annotations=annotations,
        _meta=meta,
    )
    return ContentBlock(members)


def embedded_text(
    uri: str,
    value: str,
    mime_type: str = "text/plain",
    *,
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
) -> ContentBlock:
    """Return a resource of text, content and all."""
    resource = {"uri": uri, "mimeType": mime_type, "text": value}
    return ContentBlock(_given(type="resource", resource=resource, annotations=annotations, _meta=meta))


def embedded_blob(
    uri: str,
    data: bytes | os.PathLike[str],
    mime_type: str | None = None,
    *,
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
) -> ContentBlock:
    """Return a resource of bytes, content and all; without a media type, what the bytes or their name say."""
    content, name = _bytes_of(data)
    media_type = mime_type or media_type_of(content, name) or UNKNOWN
    resource = {"uri": uri, "mimeType": media_type, "blob": base64_text(content)}
    return ContentBlock(_given(type="resource", resource=resource, annotations=annotations, _meta=meta))


def user(content: str | bytes | os.PathLike[str] | Mapping[str, object]) -> PromptMessage:
    """Return a message of the user: text, a content block, or what becomes one."""
    return PromptMessage(role="user", content=_block(content))


def assistant(content: str | bytes | os.PathLike[str] | Mapping[str, object]) -> PromptMessage:
    """Return a message of the model: text, a content block, or what becomes one."""
    return PromptMessage(role="assistant", content=_block(content))


def encode_blocks(value: object, dispatcher: Dispatcher, revision: str) -> str:
    """Return the JSON text of the content blocks that a tool's content stands for; see ``blocks``."""
    return encode(blocks(value, dispatcher, revision))


def blocks(value: object, dispatcher: Dispatcher, revision: str) -> list[Any]:
    """Return the content blocks that a tool's content stands for, in exact JSON types.

    Text becomes a text block, a mapping with a ``type`` is a block already, bytes and paths become the block that fits
    their media type, a list is taken item by item, None is no content, and anything else is shown as its JSON text.

    Args:
        value: What a handler returned.
        dispatcher: Knows the package.
        revision: The protocol revision whose blocks they must be.

    Raises:
        ResultError: Some block is none of the revision's.
        TypeError: Some part is nothing that JSON can express.
        OSError: A file cannot be read.
    """
    properties = dispatcher.handlers.module("models").PROPERTIES
    return _checked("content_block", list(_blocks(value, properties)), dispatcher, revision)


def encode_messages(value: object, dispatcher: Dispatcher, revision: str) -> str:
    """Return the JSON text of the messages that a prompt's result stands for.

    A mapping with a ``role`` is a message already, a list is taken item by item, and anything else becomes the content
    of a message of the user. Arguments and errors are those of ``blocks``.
    """
    messages = list(_messages(value))
    if not messages:
        raise ResultError("it returned no message")
    properties = dispatcher.handlers.module("models").PROPERTIES
    plain = [_plain(message, properties) for message in messages]
    return encode(_checked("prompt_message", plain, dispatcher, revision))


def violations(kind: str, values: Iterable[Any], dispatcher: Dispatcher, revision: str) -> list[str]:
    """Return what keeps some content from being what a revision defines, as texts that begin with a JSON pointer.

    They show nothing of the content but a media type, since they go into the log.

    Args:
        kind: ``content_block``, ``prompt_message`` or ``resource_contents``.
        values: The content, made of exact JSON types.
        dispatcher: Knows the package.
        revision: The protocol revision.
    """
    checks = dispatcher.handlers.module("validators._content_" + re.sub(r"\W", "_", revision))
    valid, explain = getattr(checks, f"{kind}_is_valid"), getattr(checks, f"{kind}_violations")
    found: list[str] = []
    for index, value in enumerate(values):
        if not valid(value):
            found += (f"/{index}{violation.without_value()}" for violation in explain(value))
        else:
            found += (f"/{index}{text}" for text in _unreadable(value))
    return found


def _checked(kind: str, values: list[Any], dispatcher: Dispatcher, revision: str) -> list[Any]:
    found = violations(kind, values, dispatcher, revision)
    if found:
        raise ResultError(f"its content is not what the protocol allows: {'; '.join(found[:5])}")
    for value in values:
        resource = value.get("content", value).get("resource")
        if resource is not None:  # an embedded resource says what it is (Prompts: embedded resources)
            resource.setdefault("mimeType", "text/plain" if "text" in resource else UNKNOWN)
    return values


def _unreadable(value: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield what the definitions leave to words: bytes are base64, a media type has two parts, text is no blob."""
    for key in ("data", "blob"):
        if key in value and not is_base64(value[key]):
            yield f"{path}/{key}: is not base64 (RFC 4648 section 4)"
    if "text" in value and "blob" in value:
        yield f"{path}/blob: a resource has text or a blob, not both"
    if "mimeType" in value and not _MEDIA_TYPE.fullmatch(value["mimeType"]):
        yield f"{path}/mimeType: {value['mimeType'][:80]!r} is no media type; expected one such as image/png"
    for key in ("resource", "content"):
        if isinstance(value.get(key), dict):
            yield from _unreadable(value[key], f"{path}/{key}")


def _blocks(value: object, properties: Any) -> Iterator[Any]:
    if value is None:
        return
    if isinstance(value, list | tuple):
        for item in value:
            yield from _blocks(item, properties)
    elif isinstance(value, str | bytes | bytearray | os.PathLike):
        yield dict(_block(value))
    else:
        plain = _plain(value, properties)
        is_block = isinstance(plain, dict) and isinstance(plain.get("type"), str)
        yield plain if is_block else {"type": "text", "text": encode(plain)}


def _messages(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _messages(item)
    else:
        yield value if isinstance(value, dict) and "role" in value else user(value)  # type: ignore[arg-type]


def _plain(value: object, properties: Any) -> Any:
    """Return a value in exact JSON types, which is what the checks take."""
    from .encoding import encode as plain

    return plain(value, properties)


def _block(value: Any) -> Any:
    """Return the block that text, bytes or a file stand for; a block is itself."""
    if isinstance(value, str):
        return text(value)
    if not isinstance(value, bytes | bytearray | os.PathLike):
        return value
    content, name = _bytes_of(value)
    media_type = media_type_of(content, name)
    kind = (media_type or "").partition("/")[0]
    if media_type and kind in ("image", "audio"):
        return _medium(kind, content, media_type, None, None)
    if name and is_text(media_type):
        try:
            return text(content.decode())
        except UnicodeDecodeError:
            pass
    return embedded_blob(_uri_of(content, name), content, media_type)


def _uri_of(data: bytes, name: str) -> str:
    """Return a URI for content that has none: by its file's name, else by its digest, never by where it is."""
    if name:
        from urllib.parse import quote

        return "resource:///" + quote(name)
    from hashlib import sha256

    return "resource:///" + sha256(data).hexdigest()[:16]


def _medium(kind: str, data: Any, mime_type: str | None, annotations: object, meta: object) -> ContentBlock:
    content, name = _bytes_of(data)
    media_type = mime_type or media_type_of(content, name)
    if media_type is None or (mime_type is None and not media_type.startswith(f"{kind}/")):
        raise ValueError(f"these bytes are {media_type or 'of no known format'}; say what they are with mime_type")
    members = _given(type=kind, data=base64_text(content), mimeType=media_type, annotations=annotations, _meta=meta)
    return ContentBlock(members)


def _bytes_of(data: bytes | bytearray | os.PathLike[str]) -> tuple[bytes, str]:
    return read_file(data) if isinstance(data, os.PathLike) else (bytes(data), "")


def _given(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _list(items: Sequence[object] | None) -> list[object] | None:
    return None if items is None else list(items)
