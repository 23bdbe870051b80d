# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What serves prompts, resources and completions in the handshake era; see ``serving``."""

from __future__ import annotations

from ..completion import Completions
from ..jsontext import decode_own, encode
from ..prompts import Prompts
from ..resources import Resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..dispatcher import Answer, Id
    from .session import Session


class _Said:
    """Composes results in the terms of a revision, for what serves anything but tools."""

    _session: Session
    _shape: str

    def _result(self, id_text: str, members: str, meta: Mapping[str, object] | None = None) -> str:
        result = self._session.terms.say(decode_own("{" + members + "}"), self._shape)
        if meta:
            result["_meta"] = dict(meta)
        return '{"jsonrpc":"2.0","id":' + id_text + ',"result":' + encode(result) + "}\n"


class HandshakePrompts(_Said, Prompts):
    """Serves prompts/get; the arguments are those of ``HandshakeToolbox``."""

    def __init__(self, prompts: Prompts, session: Session, shape: str) -> None:
        """Take over the prompts."""
        super().__init__(session, prompts._listing, "")
        self._session = session
        self._shape = shape


class HandshakeResources(_Said, Resources):
    """Serves resources/read; the arguments are those of ``HandshakeToolbox``."""

    def __init__(self, resources: Resources, session: Session, shape: str) -> None:
        """Take over the resources."""
        super().__init__(session, resources._listing, "")
        self._session = session
        self._shape = shape
        self.not_found = session.terms.errors["resourceNotFound"]


class HandshakeCompletions(_Said, Completions):
    """Serves completion/complete; the arguments are those of ``HandshakeToolbox``."""

    def __init__(self, _: Completions, session: Session, shape: str) -> None:
        """Take over the completions."""
        super().__init__(session, "")
        self._session = session
        self._shape = shape


def adapted_contents(served: Any, session: Session, shape: str) -> Callable[[Id, str, dict[str, Any]], Answer]:
    """Return what serves a method in the handshake era; the arguments are those of ``adapted``."""
    for modern, handshake in _ADAPTED:
        if isinstance(served, modern):
            serve: Callable[[Id, str, dict[str, Any]], Answer] = handshake(served, session, shape)
            return serve
    raise TypeError(f"a {type(served).__name__} serves nothing that the handshake era has")


_ADAPTED: tuple[tuple[type, Any], ...] = (
    (Prompts, HandshakePrompts),
    (Resources, HandshakeResources),
    (Completions, HandshakeCompletions),
)
