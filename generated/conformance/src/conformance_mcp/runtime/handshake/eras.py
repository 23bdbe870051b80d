# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Which era a message belongs to: decided here, once, before either side reads it.

- A request that states its protocol revision in ``_meta`` is modern.
- ``initialize`` without that opens the handshake era for as long as the process lives.
- After that, whatever does not state a revision belongs to the handshake era. Both may be interleaved.
- Before that, it belongs to none: it gets the modern error. Only ``ping`` is answered, which may come at any time.

A server of both eras starts without this: until a request comes that can only be one of the handshake era, every
message is modern or an error.
"""

from __future__ import annotations

from ..dispatcher import VERSION_KEY
from ..jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..dispatcher import Answer, Dispatcher
    from .session import Session


class Eras:
    """Takes every message and gives it to the side that it belongs to.

    Args:
        modern: Answers the modern ones.
    """

    def __init__(self, modern: Dispatcher) -> None:
        """Open no session yet."""
        self._modern = modern
        self._session: Session | None = None

    def __call__(self, message: Any) -> Answer:
        """Return the reply to a decoded message, as ``Dispatcher`` does."""
        params = message.get("params") if type(message) is dict else None
        meta = params.get("_meta") if type(params) is dict else None
        if type(meta) is dict and VERSION_KEY in meta:
            return self._modern(message)
        if self._session is not None:
            return self._session(message)
        if type(message) is dict and message.get("jsonrpc") == "2.0" and type(message.get("id")) in (str, int):
            if message.get("method") == "initialize":
                return self._initialize(message)
            if message.get("method") == "ping":
                return f'{{"jsonrpc":"2.0","id":{encode(message["id"])},"result":{{}}}}\n'
        return self._modern(message)

    def _initialize(self, message: dict[str, Any]) -> Answer:
        from .session import Session

        session = Session(self._modern)
        reply = session(message)
        if session.opened:
            self._session = session
        return reply
