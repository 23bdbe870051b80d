# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""resources/read: fixed content, files of the package, and handlers, by URI or by URI template.

A URI that the manifest lists goes before any template, and templates are tried in their order.
"""

from __future__ import annotations

import re

from .dispatcher import INTERNAL_ERROR, Refusal, error_reply
from .jsontext import encode
from .results import ResourceContents, ResourceResult, ResultError
from .serving import Serving, build, revision_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .context import Context
    from .dispatcher import Answer, Dispatcher, Id
    from .listing import Listing
    from .middleware import Handler


_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f<>\"{}|\\^`]*\Z")


class Source:
    """Where a resource's content comes from: a file or a handler.

    Args:
        name: Its URI, or its URI template.
        module: The name of the handler's module under ``resources``, and of the handler.
        arguments: The class of ``models`` that the handler takes.
        uri_key: The name on the wire of the field of that class that holds the whole URI.
        file: In place of a handler, the name of a file in the package's folder ``files``.
        mime_type: The media type of the content, if the manifest has it.
        ttl_ms: Milliseconds for which a client may keep the content.
        cache_scope: Who may share what is kept.
        timeout: Seconds that reading may take; 0 for any.
    """

    __slots__ = (
        "arguments",
        "cache_scope",
        "file",
        "handler",
        "mime_type",
        "module",
        "name",
        "timeout",
        "ttl_ms",
        "uri_key",
    )

    def __init__(
        self,
        name: str,
        *,
        module: str = "",
        arguments: str = "",
        uri_key: str = "uri",
        file: str = "",
        mime_type: str | None = None,
        ttl_ms: int = 0,
        cache_scope: str = "private",
        timeout: float = 0.0,
    ) -> None:
        """Hold a source; the handler is loaded when it is first needed."""
        self.name = name
        self.module = module
        self.arguments = arguments
        self.uri_key = uri_key
        self.file = file
        self.mime_type = mime_type
        self.ttl_ms = ttl_ms
        self.cache_scope = cache_scope
        self.timeout = timeout
        self.handler: Handler | None = None


class Resources(Serving):
    """Serves resources/read.

    Args:
        dispatcher: Keeps the requests in flight.
        listing: The list of the resources; what is hidden there is not served.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
    """

    kind = "resource"

    def __init__(self, dispatcher: Dispatcher, listing: Listing, meta: str) -> None:
        """Hold what is needed; the routes are loaded when a resource is first read."""
        super().__init__(dispatcher, meta)
        self._listing = listing

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> Answer:
        """Answer a resources/read request whose params fit the method."""
        uri, found, values = self.find(params["uri"])
        if isinstance(found, str):
            return self._result(id_text, found)
        dispatcher = self._dispatcher
        context = dispatcher.enter(self, id_, id_text, found.name, params, found.timeout)
        context.called = found
        try:
            handler = found.handler or self._load(found)
        except BaseException as error:  # noqa: BLE001 - a handler's module may raise anything while it is imported
            dispatcher.log.failure(f"resource {found.name} cannot be loaded", error)
            text = f"Internal error in the resource {found.name}"
            return dispatcher.finish(context, error_reply(id_text, INTERNAL_ERROR, text))
        values[found.uri_key] = uri
        class_name = found.arguments
        return dispatcher.run(
            context, handler, lambda given: build(dispatcher, class_name, given) if class_name else None, values
        )

    def find(self, text: str) -> tuple[str, str | Source, dict[str, str]]:
        """Return what is read by a URI: the URI itself, the members of the result or a source, and its variables.

        Args:
            text: The URI as it was given.

        Raises:
            Refusal: There is no such resource.
        """
        routes = self._dispatcher.handlers.module("routes.resources")
        uri = _as_uri(text)
        if uri is not None and uri not in self._listing.hidden:
            found: str | Source | None = routes.RESOURCES.get(uri)
            if found is not None:
                return uri, found, {}
            for template, source in routes.TEMPLATES:
                matched = template.match(uri)
                if matched is not None:
                    return uri, source, matched
        raise Refusal(self.not_found, "Resource not found", {"uri": text})

    def reply(self, context: Context, value: object) -> str:
        """Return the reply that carries what a handler returned."""
        source: Source = context.called
        result = value if type(value) is ResourceResult else ResourceResult(value)
        ttl_ms = source.ttl_ms if result.ttl_ms is None else result.ttl_ms
        cache_scope = result.cache_scope or source.cache_scope
        if type(ttl_ms) is not int or ttl_ms < 0 or cache_scope not in ("private", "public"):
            raise ResultError(f"ttl_ms {ttl_ms!r} and cache_scope {cache_scope!r} are no caching hints")
        params = context._params
        if "inputResponses" in params or "requestState" in params:
            ttl_ms = 0  # what depends on answers must not be kept for who gives none (Caching: cache key)
        contents = self._contents(result.contents, source, params)
        hints = f',"ttlMs":{ttl_ms},"cacheScope":"{cache_scope}"'
        members = '"resultType":"complete","contents":' + encode(contents) + hints
        return self._result(context.id_text, members, result.meta)

    def _load(self, source: Source) -> Handler:
        handlers = self._dispatcher.handlers
        if source.file:
            source.handler = self._reader(source.file)
        else:
            source.handler = handlers.load("resource", source.name, source.module)
        return source.handler

    def _reader(self, name: str) -> Handler:
        """Return a handler that reads a file of the package."""
        from pathlib import Path

        from .files import safe_path

        root = Path(self._dispatcher.handlers.module("routes").__path__[0]).parent / "files"
        return lambda _args, _ctx: safe_path(root, name)

    def _contents(self, value: object, source: Source, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the contents that a handler's result stands for, as they go on the wire.

        A list that holds contents, bytes or paths is several contents; any other value but text is JSON.
        """
        import os

        parts = value if isinstance(value, list | tuple) else [value]
        single = (ResourceContents, bytes, bytearray, os.PathLike)
        if not any(isinstance(part, single) for part in parts):
            parts = [value]
        return [self._part(part, source, params) for part in parts]

    def _part(self, value: object, source: Source, params: Mapping[str, Any]) -> dict[str, Any]:
        from .content import violations
        from .media import UNKNOWN, base64_text, is_text, media_type_of, read_file

        part = value if isinstance(value, ResourceContents) else ResourceContents(value)  # type: ignore[arg-type]
        content: Any = part.value
        media_type = part.mime_type or source.mime_type
        contents: dict[str, Any] = {"uri": _as_uri(params["uri"]) if part.uri is None else part.uri}
        if content is None:
            raise ResultError("it returned nothing; raise ResourceNotFound where there is no such resource")
        if isinstance(content, str):
            contents |= {"mimeType": media_type or "text/plain", "text": content}
        elif isinstance(content, bytes | bytearray):
            data = bytes(content)
            contents |= {"mimeType": media_type or media_type_of(data) or UNKNOWN, "blob": base64_text(data)}
        elif hasattr(content, "__fspath__"):
            data, name = read_file(content)
            media_type = media_type or media_type_of(data, name)
            text = _decoded(data) if is_text(media_type) else None
            contents["mimeType"] = media_type or UNKNOWN
            contents |= {"blob": base64_text(data)} if text is None else {"text": text}
        else:
            contents |= {"mimeType": media_type or "application/json", "text": encode(self._plain(content))}
        if part.meta is not None:
            contents["_meta"] = part.meta
        if part is value:
            contents = self._plain(contents)
            found = violations("resource_contents", [contents], self._dispatcher, revision_of(params))
            if found:
                raise ResultError(f"its content is not what the protocol allows: {'; '.join(found[:5])}")
        return contents

    def _plain(self, value: object) -> Any:
        """Return a value in exact JSON types."""
        from .encoding import encode as plain

        return plain(value, self._dispatcher.handlers.module("models").PROPERTIES)


def _as_uri(text: str) -> str | None:
    """Return a URI as RFC 3986 has it: what is not ASCII is percent-encoded (RFC 3987 section 3.1); None if it is none.

    A URI of ASCII is itself, to the letter: no two spellings of one are taken for the same.
    """
    if not _URI.match(text):
        return None
    if text.isascii():
        return text
    from urllib.parse import quote

    from .uritemplates import ASCII

    try:
        return quote(text, safe=ASCII)
    except UnicodeEncodeError:  # a lone surrogate
        return None


def _decoded(data: bytes) -> str | None:
    """Return the text of a file; None where its bytes are not UTF-8, whatever its media type says."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
