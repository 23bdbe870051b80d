"""Lists as a server hands them out: the manifest's order, in pages, each page's text made once."""

from __future__ import annotations

from .dispatcher import INVALID_PARAMS, Refusal
from .jsontext import encode_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .dispatcher import Id


class Listing:
    """One list that a method hands out page by page.

    A cursor is ``<digest of the list>.<offset>``: it needs no memory, survives a restart, and is refused once the
    list has changed (revision 2026-07-28, Pagination).

    Args:
        key: The result's property that holds the list, such as ``tools``.
        digest: Identifies the list's content.
        load: Returns the items as JSON text; called when the list is first asked for.
        page_size: How many items a page holds; 0 for all.
        tail: The JSON text that follows the list in each result: caching hints, resultType and metadata.
    """

    def __init__(self, key: str, digest: str, load: Callable[[], Sequence[str]], page_size: int, tail: str) -> None:
        """Hold what is needed to hand out the list."""
        self._key = key
        self._digest = digest
        self._load = load
        self._page_size = page_size
        self._tail = tail
        self._pages: dict[str | None, str] = {}

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> str:  # noqa: ARG002 - the shape of all methods
        """Answer a list request."""
        cursor = params.get("cursor")
        page = self._pages.get(cursor) or self._page(cursor)
        return '{"jsonrpc":"2.0","id":' + id_text + page

    def _page(self, cursor: str | None) -> str:
        if not self._pages:
            self._pages = self._render(self._load())
        page = self._pages.get(cursor)
        if page is None:
            raise Refusal(INVALID_PARAMS, "params/cursor: not a cursor of this list; it may have changed: start again")
        return page

    def _render(self, items: Sequence[str]) -> dict[str | None, str]:
        size = self._page_size or max(len(items), 1)
        pages: dict[str | None, str] = {}
        for start in range(0, max(len(items), 1), size):
            end = start + size
            more = "" if end >= len(items) else f'"nextCursor":{encode_string(self._cursor(end))},'
            text = f',"result":{{{encode_string(self._key)}:[{",".join(items[start:end])}],{more}{self._tail}}}}}\n'
            pages[self._cursor(start) if start else None] = text
        return pages

    def _cursor(self, offset: int) -> str:
        return f"{self._digest}.{offset}"


class Constant:
    """A result that never changes, such as that of server/discover.

    Args:
        result: The members of the result, as JSON text without the braces.
    """

    def __init__(self, result: str) -> None:
        """Hold the result."""
        self._rest = ',"result":{' + result + "}}\n"

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> str:  # noqa: ARG002 - the shape of all methods
        """Answer a request."""
        return '{"jsonrpc":"2.0","id":' + id_text + self._rest
