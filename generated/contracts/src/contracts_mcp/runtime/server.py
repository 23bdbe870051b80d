# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What handlers can do to the server itself: hide and show what it lists, and tell subscribers the news."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .listing import Listing
    from .subscriptions import Subscriptions


class Server:
    """The server, for handlers and for threads they start; safe to use from any of them, at any time.

    Args:
        lists: For each kind that is listed (``tools``, ``prompts``, ``resources``): its listing.
        subscriptions: Who wants to be told.
    """

    def __init__(self, lists: Mapping[str, Listing], subscriptions: Subscriptions) -> None:
        """Hold what there is to change; the dispatcher does this."""
        self._lists = lists
        self.subscriptions = subscriptions

    def hide(self, kind: str, name: str) -> None:
        """Take an entry off its list, for everyone; asking for it is answered as if it did not exist.

        Args:
            kind: ``tools``, ``prompts`` or ``resources``.
            name: The entry's name; for a resource its URI.

        Raises:
            LookupError: The manifest has no such entry.
        """
        self._set(kind, name, visible=False)

    def show(self, kind: str, name: str) -> None:
        """Put a hidden entry back where the manifest has it; the arguments are those of ``hide``."""
        self._set(kind, name, visible=True)

    def hides(self, kind: str, name: str) -> bool:
        """Say whether an entry is hidden; the arguments are those of ``hide``, but any name will do."""
        return kind in self._lists and name in self._lists[kind].hidden

    def resource_updated(self, uri: str) -> None:
        """Tell those who subscribed to a resource that its content has changed."""
        self.subscriptions.resource_updated(uri)

    def close(self) -> None:
        """End all subscriptions, because the server stops."""
        self.subscriptions.close()

    def _set(self, kind: str, name: str, *, visible: bool) -> None:
        if kind not in self._lists:
            raise LookupError(f"this server lists no {kind}")
        if self._lists[kind].set_visible(name, visible=visible):
            self.subscriptions.list_changed(f"notifications/{kind}/list_changed")
