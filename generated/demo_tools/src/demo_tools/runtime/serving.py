# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What serves prompts, resources and completions has in common: a handler that fails is a JSON-RPC error."""

from __future__ import annotations

from .dispatcher import INTERNAL_ERROR, INVALID_PARAMS, VERSION_KEY, error_reply
from .results import InvalidParams, ResourceNotFound, ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .context import Context
    from .dispatcher import Dispatcher


class Serving:
    """Serves requests by calling handlers.

    Args:
        dispatcher: Keeps the requests in flight.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
    """

    kind = ""
    """What is served: ``prompt``, ``resource`` or ``completion``."""
    not_found = INVALID_PARAMS
    """The error code for a resource that there is not."""

    def __init__(self, dispatcher: Dispatcher, meta: str) -> None:
        """Hold what every reply needs; nothing is loaded before the first request."""
        self._dispatcher = dispatcher
        self._meta = meta

    def failed(self, context: Context, error: BaseException) -> str:
        """Return the reply to a request whose handler failed, and log what the client is not to see."""
        if isinstance(error, InvalidParams):
            missing = self.kind == "resource" and isinstance(error, ResourceNotFound)
            if missing:
                return error_reply(context.id_text, self.not_found, text_of(error), {"uri": context._params["uri"]})
            return error_reply(context.id_text, INVALID_PARAMS, text_of(error))
        if isinstance(error, ToolError):
            return error_reply(context.id_text, INTERNAL_ERROR, text_of(error))
        what = f"{self.kind} {context.name}"
        if isinstance(error, NotImplementedError):
            said = text_of(error)
            self._dispatcher.log("warning", f"{what} is still a stub{said and f': {said}'}")
            return error_reply(context.id_text, INTERNAL_ERROR, f"The {what} is not implemented yet")
        if not context.cancelled:
            self._dispatcher.log.failure(f"{self.kind} {context.label} failed", error)
        return error_reply(context.id_text, INTERNAL_ERROR, f"Internal error in the {what}")

    def timed_out(self, context: Context) -> str:
        """Return the reply to a request whose time is up."""
        text = f"The {self.kind} {context.name} did not finish within {context.timeout:g} s"
        return error_reply(context.id_text, INTERNAL_ERROR, text)

    def _result(self, id_text: str, members: str, meta: Mapping[str, object] | None = None) -> str:
        """Return the reply that carries a result.

        Args:
            id_text: The request's id as JSON text.
            members: The result's members as JSON text, all but ``_meta``.
            meta: The result's own metadata, where there is some.
        """
        from .jsontext import encode

        own = "," + encode(dict(meta))[1:-1] if meta else ""
        return '{"jsonrpc":"2.0","id":' + id_text + ',"result":{' + members + "," + self._meta[:-1] + own + "}}}\n"


def revision_of(params: Any) -> str:
    """Return the protocol revision that a request speaks."""
    revision: str = params["_meta"][VERSION_KEY]
    return revision


def text_of(error: BaseException) -> str:
    """Return an exception's text; its class's name where an exception class of a handler's own has none to give."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - an exception class of a handler's own may do anything
        return type(error).__name__


def build(dispatcher: Dispatcher, class_name: str, values: dict[str, str]) -> Any:
    """Return what a handler takes: a dataclass of ``models`` made of values by their names on the wire."""
    models = dispatcher.handlers.module("models")
    made = getattr(models, class_name)
    return made(**{field: values[name] for field, name, _ in models.PROPERTIES[made] if name in values})
