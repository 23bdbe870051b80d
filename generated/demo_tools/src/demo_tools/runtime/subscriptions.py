# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""subscriptions/listen: streams of notifications, each tagged with the id of the request that opened it.

A stream starts with what it will honour, then carries only that. The client ends it by cancelling the request; the
server, when it stops, by answering it (revision 2026-07-28, Subscriptions).
"""

from __future__ import annotations

import threading

from .dispatcher import INTERNAL_ERROR, Refusal
from .jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .context import Context
    from .dispatcher import Dispatcher, Id

SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"

MOST_STREAMS = 1000
"""How many streams may be open at once: each is remembered until it ends."""


class Subscriptions:
    """Serves subscriptions/listen.

    Args:
        dispatcher: Keeps the requests in flight, and sends.
        lists: For each filter that can be honoured (``toolsListChanged``), the notification that it lets through.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
        resources: Whether updates of single resources can be honoured.
    """

    def __init__(self, dispatcher: Dispatcher, lists: Mapping[str, str], meta: str, *, resources: bool) -> None:
        """Start without any stream."""
        self._dispatcher = dispatcher
        self._lists = lists
        self._meta = meta
        self._resources = resources
        self._streams: dict[Id, tuple[Context, frozenset[str]]] = {}
        self.listener: Callable[[str, dict[str, Any]], None] | None = None
        """Told of every notification that streams can carry, whether one does or not: its method and params."""
        self._changing = threading.Lock()

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> None:
        """Open a stream: acknowledge it, and leave the request unanswered."""
        if len(self._streams) >= MOST_STREAMS:
            text = f"Too many streams are open: at most {MOST_STREAMS}; cancel one that is not needed any more"
            raise Refusal(INTERNAL_ERROR, text)
        wanted = params["notifications"]
        honoured: dict[str, Any] = {key: True for key in self._lists if wanted.get(key)}
        events = {self._lists[key] for key in honoured}
        uris = wanted.get("resourceSubscriptions")
        if uris is not None and self._resources:
            honoured["resourceSubscriptions"] = uris
            events.update(map(_event_of, uris))
        remembered = {"_meta": params["_meta"]}
        context = self._dispatcher.enter(None, id_, id_text, "subscriptions/listen", remembered)
        with self._changing:
            self._send(context, "notifications/subscriptions/acknowledged", {"notifications": honoured})
            self._streams[id_] = context, frozenset(events)
        context._on_cancel(lambda: self._forget(id_, context))

    def list_changed(self, method: str) -> None:
        """Notify every stream that asked for changes of a list.

        Args:
            method: The notification, such as ``notifications/tools/list_changed``.
        """
        self._publish(method, method, {})

    def resource_updated(self, uri: str) -> None:
        """Notify every stream that asked for updates of a resource."""
        self._publish(_event_of(uri), "notifications/resources/updated", {"uri": uri})

    def close(self) -> None:
        """End every stream gracefully: answer its request, then say that it is over."""
        with self._changing:
            streams, self._streams = self._streams, {}
        for context, _ in streams.values():
            if self._dispatcher.leave(context):
                meta = f'"_meta":{{"{SUBSCRIPTION_KEY}":{context.id_text},{self._meta.removeprefix(_META_START)}'
                self._dispatcher.send(
                    f'{{"jsonrpc":"2.0","id":{context.id_text},"result":{{"resultType":"complete",{meta}}}}}\n'
                    f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{context.id_text},'
                    f'"reason":"the server is stopping"}}}}\n'
                )

    def _publish(self, event: str, method: str, params: dict[str, Any]) -> None:
        if self.listener is not None:
            self.listener(method, params)
        with self._changing:  # so that nothing is sent on a stream before its acknowledgement, or after its end
            for context, events in self._streams.values():
                if event in events:
                    self._send(context, method, params)

    def _send(self, context: Context, method: str, params: dict[str, Any]) -> None:
        rest = encode(params)[1:]
        meta = f'"_meta":{{"{SUBSCRIPTION_KEY}":{context.id_text}}}{"," if params else ""}'
        self._dispatcher.send(f'{{"jsonrpc":"2.0","method":{encode(method)},"params":{{{meta}{rest}}}\n')

    def _forget(self, id_: Id, context: Context) -> None:
        with self._changing:
            if self._streams.get(id_, (None,))[0] is context:
                del self._streams[id_]


_META_START = '"_meta":{'


def _event_of(uri: str) -> str:
    return f"resource {uri}"
