# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What serves the modern requests, saying its results in the terms of a handshake revision.

Handlers, checks and routes are those of the modern era; only what goes out differs, and it differs by ``Terms``.
"""

from __future__ import annotations

from ..dispatcher import VERSION_KEY
from ..jsontext import decode_own, encode, encode_string
from ..listing import Listing
from ..results import ResultError, ToolResult
from ..tools import Tool, Toolbox, broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..context import Context
    from ..dispatcher import Answer, Id
    from .session import Session
    from .terms import Terms


class HandshakeListing(Listing):
    """A list as a revision has it; what is hidden in the modern one is hidden here.

    Args:
        listing: The modern list.
        terms: The revision.
        shape: The shape of the method's result.
    """

    def __init__(self, listing: Listing, terms: Terms, shape: str) -> None:
        """Hold a list; its entries are read when it is first asked for."""
        super().__init__(listing._key, listing._digest, self._load_said, listing._page_size, "")
        self._listing = listing
        self._terms = terms
        self._shape = terms.shapes[shape][listing._key]
        self._said: dict[str, str] = {}

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> str:
        """Answer a list request."""
        if self.hidden is not self._listing.hidden:
            self.hidden = self._listing.hidden
            self._pages = {}
        return super().__call__(id_, id_text, params)

    def _load_said(self) -> dict[str, str]:
        if not self._said:
            say, shape = self._terms.say, self._shape
            self._said = {name: encode(say(decode_own(text), shape)) for name, text in self._listing._load().items()}
        return self._said


class HandshakeToolbox(Toolbox):
    """Serves tools/call; tools that one era has loaded are loaded for both.

    Args:
        toolbox: What serves the modern one.
        session: Keeps the requests in flight.
        shape: The shape of the method's result.
    """

    def __init__(self, toolbox: Toolbox, session: Session, shape: str) -> None:
        """Take over the tools."""
        super().__init__(
            session,
            toolbox._listing,
            modules=toolbox._modules,
            timeouts=toolbox._timeouts,
            aliases=toolbox._aliases,
            meta="",
        )
        self._tools = toolbox._tools
        self._terms = session.terms
        self._shape = session.terms.shapes[shape]["content"]
        self._shows_structured = session.terms.knows(shape, "structuredContent")
        self._head = ',"result":{"content":'
        self._text_head = self._head + '[{"type":"text","text":'
        self._end = "}}\n"
        self._text_end = "}]" + self._end
        self._error_end = '}],"isError":true' + self._end

    def reply(self, context: Context, value: object) -> str:
        """Return the reply that carries what a handler returned."""
        tool: Tool = context.called
        if tool.encode is None or type(value) is ToolResult:
            return self._full_reply(context, tool, value)
        structured = tool.encode(value)
        if not tool.valid_output(structured):
            raise ResultError(broken(tool, structured))
        text = encode(structured)
        head = '{"jsonrpc":"2.0","id":' + context.id_text + self._text_head + encode_string(text)
        if self._shows_structured and type(structured) is dict:
            return head + self._structured + text + self._end
        return head + self._text_end

    def _structured_member(self, data: object) -> str:
        return super()._structured_member(data) if self._shows_structured and type(data) is dict else ""

    def _end_with(self, meta: Mapping[str, object]) -> str:
        return ',"_meta":' + encode(dict(meta)) + self._end

    def _content(self, context: Context, value: object) -> str:
        if value is None or type(value) is str:
            return super()._content(context, value)
        from ..content import blocks

        return encode(self._terms.say(blocks(value, self._dispatcher, context.meta[VERSION_KEY]), self._shape))


def adapted(served: Any, session: Session, shape: str) -> Callable[[Id, str, dict[str, Any]], Answer]:
    """Return what serves a method in the handshake era.

    Args:
        served: What serves it in the modern one.
        session: Keeps the requests in flight.
        shape: The shape of the method's result.
    """
    if isinstance(served, Listing):
        return HandshakeListing(served, session.terms, shape)
    if isinstance(served, Toolbox):
        return HandshakeToolbox(served, session, shape)
    from .contents import adapted_contents

    return adapted_contents(served, session, shape)
