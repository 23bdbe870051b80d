"""tools/call: arguments checked and made a dataclass, the handler run, its result checked and made text.

Whatever a handler does, the call is answered: its ToolError reaches the model, anything else is told in neutral
words and written to stderr in full (revision 2026-07-28, Tools: error handling).
"""

from __future__ import annotations

from .dispatcher import INVALID_PARAMS, VERSION_KEY, Refusal
from .jsontext import encode, encode_string
from .results import ResultError, ToolError, ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .context import Context
    from .dispatcher import Answer, Dispatcher, Id
    from .listing import Listing
    from .middleware import Handler
    from .validation import Violation


class Tool:
    """One tool, loaded: its compiled checks and its handler.

    Args:
        handler: Called with the arguments and the context.
        checks: The tool's generated module of ``validators``.
        timeout: Seconds that a call may take; 0 for any.
    """

    __slots__ = (
        "build",
        "destringify",
        "encode",
        "explain",
        "explain_output",
        "handler",
        "timeout",
        "valid",
        "valid_output",
    )

    def __init__(self, handler: Handler, checks: Any, timeout: float) -> None:
        """Take the functions of a tool from its module."""
        self.handler = handler
        self.timeout = timeout
        self.valid: Callable[[object], bool] = checks.input_is_valid
        self.explain: Callable[[object], list[Violation]] = checks.input_violations
        self.destringify: Callable[[object], object] | None = getattr(checks, "input_destringified", None)
        self.build: Callable[[Any], Any] = checks.build_input
        self.encode: Callable[[object], object] | None = getattr(checks, "encode_output", None)
        self.valid_output: Callable[[object], bool] = getattr(checks, "output_is_valid", bool)
        self.explain_output: Callable[[object], list[Violation]] = getattr(checks, "output_violations", _nothing)


class Toolbox:
    """Serves tools/call.

    Args:
        dispatcher: Keeps the requests in flight.
        listing: The list of the tools; what is hidden there is not served.
        modules: For each tool by its name on the wire, the name of its modules under ``validators`` and ``tools``,
            which is its handler's name too.
        timeouts: Seconds that a call may take, for the tools that have a limit.
        aliases: Former names of tools, and what they are called now.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        listing: Listing,
        *,
        modules: Mapping[str, str],
        timeouts: Mapping[str, float],
        aliases: Mapping[str, str],
        meta: str,
    ) -> None:
        """Hold the tools; each is loaded when it is first called."""
        self._dispatcher = dispatcher
        self._listing = listing
        self._modules = modules
        self._timeouts = timeouts
        self._aliases = aliases
        self._meta = meta
        self._tools: dict[str, Tool] = {}
        self._head = ',"result":{"resultType":"complete","content":'
        self._text_head = self._head + '[{"type":"text","text":'
        self._structured = '}],"structuredContent":'
        self._end = "," + meta + "}}\n"
        self._error_end = '}],"isError":true' + self._end

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> Answer:
        """Answer a tools/call request whose params fit the method."""
        name = params["name"]
        tool = self._tools.get(name)
        if (tool is None and self._aliases.get(name, name) not in self._modules) or name in self._listing.hidden:
            raise Refusal(INVALID_PARAMS, f"Unknown tool: {name[:200]}")
        timeout = self._timeouts.get(self._aliases.get(name, name), 0.0) if tool is None else tool.timeout
        context = self._dispatcher.enter(self, id_, id_text, name, params, timeout)
        if tool is None:
            tool = self._load(name)
            if tool is None:
                return self._dispatcher.finish(context, self._failure(id_text, f"Error executing tool {name}"))
        arguments = params.get("arguments")
        if arguments is None:
            arguments = {}
        if not tool.valid(arguments):
            if tool.destringify is not None:
                arguments = tool.destringify(arguments)
            violations = tool.explain(arguments)
            if violations:
                lines = "\n".join(map(str, violations))
                text = f"Invalid arguments for tool {name}:\n{lines}"
                return self._dispatcher.finish(context, self._failure(id_text, text))
        context.called = tool
        return self._dispatcher.run(context, tool.handler, tool.build, arguments)

    def reply(self, context: Context, value: object) -> str:
        """Return the reply that carries what a handler returned."""
        tool: Tool = context.called
        if tool.encode is None or type(value) is ToolResult:
            return self._full_reply(context, tool, value)
        structured = tool.encode(value)
        if not tool.valid_output(structured):
            raise ResultError(broken(tool, structured))
        text = encode(structured)
        quoted = encode_string(text)
        head = f'{{"jsonrpc":"2.0","id":{context.id_text}{self._text_head}'
        return f"{head}{quoted}{self._structured}{text}{self._end}"

    def failed(self, context: Context, error: BaseException) -> str:
        """Return the reply to a call that failed, and log what the model is not to see."""
        if isinstance(error, ToolError):
            return self._failure(context.id_text, _text_of(error))
        if isinstance(error, NotImplementedError):
            said = _text_of(error)
            self._dispatcher.log("warning", f"tool {context.name} is still a stub{said and f': {said}'}")
            return self._failure(context.id_text, f"Tool {context.name} is not implemented yet")
        if not context.cancelled:
            self._dispatcher.log.failure(f"tool {context.label} failed", error)
        return self._failure(context.id_text, f"Error executing tool {context.name}")

    def timed_out(self, context: Context) -> str:
        """Return the reply to a call whose time is up."""
        return self._failure(context.id_text, f"Tool {context.name} did not finish within {context.timeout:g} s")

    def _load(self, name: str) -> Tool | None:
        """Load a tool; None when it cannot be loaded, which is logged and tried again the next time."""
        log = self._dispatcher.log
        current = self._aliases.get(name)
        if current is not None:
            log("warning", f"tool {name} was called by a former name: it is {current} now")
            return self._tools.get(current) or self._load(current)
        module = self._modules[name]
        handlers = self._dispatcher.handlers
        try:
            checks = handlers.module("validators." + module)
            tool = Tool(handlers.load("tool", name, module), checks, self._timeouts.get(name, 0.0))
        except BaseException as error:  # noqa: BLE001 - a handler's module may raise anything while it is imported
            log.failure(f"tool {name} cannot be loaded", error)
            return None
        self._tools[name] = tool
        return tool

    def _full_reply(self, context: Context, tool: Tool, value: object) -> str:
        result = value if type(value) is ToolResult else ToolResult(value)  # type: ignore[arg-type]
        content = self._content(context, result.content)
        structured = ""
        if tool.encode is not None and not result.is_error:
            data = tool.encode(result.structured)
            if not tool.valid_output(data):
                raise ResultError(broken(tool, data))
            structured = self._structured_member(data)
            if content == _NOTHING:
                content = self._content(context, encode(data))
        failed = ',"isError":true' if result.is_error else ""
        end = self._end_with(result.meta) if result.meta else self._end
        return '{"jsonrpc":"2.0","id":' + context.id_text + self._head + content + structured + failed + end

    def _structured_member(self, data: object) -> str:
        return ',"structuredContent":' + encode(data)

    def _end_with(self, meta: Mapping[str, object]) -> str:
        """Return the end of a reply that has metadata of its own."""
        return "," + self._meta[:-1] + "," + encode(dict(meta))[1:] + "}}\n"

    def _content(self, context: Context, value: object) -> str:
        """Return the JSON text of the content blocks that a handler's content stands for."""
        if value is None:
            return _NOTHING
        if type(value) is str:
            return '[{"type":"text","text":' + encode_string(value) + "}]"
        from .content import encode_blocks

        return encode_blocks(value, self._dispatcher, context.meta[VERSION_KEY])

    def _failure(self, id_text: str, text: str) -> str:
        return '{"jsonrpc":"2.0","id":' + id_text + self._text_head + encode_string(text) + self._error_end


_NOTHING = "[]"


def _nothing(_: object) -> list[Violation]:
    return []


def broken(tool: Tool, structured: object) -> str:
    """Say what is wrong with a structured result that does not fit its tool's outputSchema, but not what is in it."""
    violations = "; ".join(violation.without_value() for violation in tool.explain_output(structured))
    return f"its result does not fit its outputSchema: {violations}"


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - an exception class of the handler's own may do anything
        return type(error).__name__
