# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Lists as a server hands them out: the manifest's order, in pages, each made as text when it is first asked for."""

from __future__ import annotations

from .dispatcher import INVALID_PARAMS, Refusal
from .jsontext import encode_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .dispatcher import Id


class Listing:
    """One list that a method hands out page by page.

    A cursor is ``<digest of the list>.<offset>``: it needs no memory, survives a restart, and is refused once the
    list has changed (revision 2026-07-28, Pagination).

    Args:
        key: The result's property that holds the list, such as ``tools``.
        digest: Identifies the list's content.
        load: Returns each entry's JSON text by its name; called when the list is first asked for.
        page_size: How many entries a page holds; 0 for all.
        tail: The JSON text that follows the list in each result: caching hints, resultType and metadata.
    """

    def __init__(self, key: str, digest: str, load: Callable[[], Mapping[str, str]], page_size: int, tail: str) -> None:
        """Hold what is needed to hand out the list."""
        self._key = key
        self._digest = digest
        self._read = load
        self._entries: Mapping[str, str] | None = None
        self._page_size = page_size
        self._tail = "," + tail if tail else ""
        self._pages: dict[str | None, str] = {}
        self.hidden: frozenset[str] = frozenset()
        """The names of the entries that are not listed at the moment."""

    def __call__(self, _id: Id, id_text: str, params: dict[str, Any]) -> str:
        """Answer a list request."""
        cursor = params.get("cursor")
        pages = self._pages  # of the list as it is now, whatever is hidden meanwhile
        page = pages.get(cursor)
        if page is None:
            page = pages[cursor] = self._render(cursor)
        return '{"jsonrpc":"2.0","id":' + id_text + page

    def set_visible(self, name: str, *, visible: bool) -> bool:
        """Hide or show an entry; return whether that changes the list.

        Raises:
            LookupError: There is no such entry.
        """
        if name not in self._load():
            raise LookupError(f"no {name!r} among the {self._key}")
        hidden = self.hidden - {name} if visible else self.hidden | {name}
        if hidden == self.hidden:
            return False
        self.hidden = hidden
        self._pages = {}
        return True

    def _load(self) -> Mapping[str, str]:
        if self._entries is None:
            self._entries = self._read()
        return self._entries

    def _render(self, cursor: str | None) -> str:
        """Return what follows the id in the reply with the page that a cursor points to."""
        hidden = self.hidden
        items = [text for name, text in self._load().items() if name not in hidden]
        digest = self._digest
        if hidden:
            from zlib import crc32  # no secret, no attacker: it only tells one state of the list from another

            digest += f"-{crc32(encode_string(chr(10).join(sorted(hidden))).encode()):08x}"
        size = self._page_size or max(len(items), 1)
        starts = {f"{digest}.{start}" if start else None: start for start in range(0, max(len(items), 1), size)}
        if cursor not in starts:
            text = "params/cursor: not a cursor of this list; it may have changed: start again without one"
            raise Refusal(INVALID_PARAMS, text)
        start = starts[cursor]
        end = start + size
        more = "" if end >= len(items) else f',"nextCursor":{encode_string(f"{digest}.{end}")}'
        return f',"result":{{{encode_string(self._key)}:[{",".join(items[start:end])}]{more}{self._tail}}}}}\n'


class Constant:
    """A result that never changes, such as that of server/discover.

    Args:
        result: The members of the result, as JSON text without the braces.
    """

    def __init__(self, result: str) -> None:
        """Hold the result."""
        self._rest = ',"result":{' + result + "}}\n"

    def __call__(self, _id: Id, id_text: str, _params: dict[str, Any]) -> str:
        """Answer a request."""
        return '{"jsonrpc":"2.0","id":' + id_text + self._rest
