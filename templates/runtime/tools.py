"""tools/call: arguments checked and made a dataclass, the handler run, its result checked and made text.

Whatever a handler does, the call is answered: its ToolError reaches the model, anything else is told in neutral
words and written to stderr in full (revision 2026-07-28, Tools: error handling).
"""

from __future__ import annotations

from types import CoroutineType

from .dispatcher import INVALID_PARAMS, Pending, Refusal, load
from .jsontext import encode, encode_string
from .results import ToolError, ToolResult, content_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .context import Context
    from .dispatcher import Answer, Dispatcher, Id
    from .validation import Violation


class ResultError(Exception):
    """A handler's result that must not be sent; the text says why, for the log."""


class Tool:
    """One tool, loaded: its compiled checks and its handler."""

    __slots__ = (
        "build",
        "destringify",
        "encode",
        "explain",
        "explain_output",
        "handler",
        "name",
        "valid",
        "valid_output",
    )

    def __init__(self, name: str, handler: Callable[[Any, Context], Any], checks: Any) -> None:
        """Take a tool's functions from its generated module of checks."""
        self.name = name
        self.handler = handler
        self.valid: Callable[[object], bool] = checks.input_is_valid
        self.explain: Callable[[object], list[Violation]] = checks.input_violations
        self.destringify: Callable[[object], object] | None = getattr(checks, "input_destringified", None)
        self.build: Callable[[Any], Any] = checks.build_input
        self.encode: Callable[[object], object] | None = getattr(checks, "encode_output", None)
        self.valid_output: Callable[[object], bool] | None = getattr(checks, "output_is_valid", None)
        self.explain_output: Callable[[object], list[Violation]] | None = getattr(checks, "output_violations", None)


class Toolbox:
    """Serves tools/call.

    Args:
        dispatcher: Keeps the requests in flight.
        package: The generated package's import name.
        modules: For each tool by its name on the wire, the name of its modules under ``validators`` and ``tools``,
            which is its handler's name too.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
    """

    def __init__(self, dispatcher: Dispatcher, package: str, modules: Mapping[str, str], meta: str) -> None:
        """Hold the tools; each is loaded when it is first called."""
        self._dispatcher = dispatcher
        self._package = package
        self._modules = modules
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
        if tool is None:
            if name not in self._modules:
                raise Refusal(INVALID_PARAMS, f"Unknown tool: {name[:200]}")
            try:
                tool = self._tools[name] = self._load(name)
            except BaseException as error:  # the handler's module may raise anything while it is imported
                self._dispatcher.log.exception(f"tool {name} cannot be loaded", error)
                return self._failure(id_text, f"Error executing tool {name}")
        arguments = params.get("arguments")
        if arguments is None:
            arguments = {}
        if not tool.valid(arguments):
            if tool.destringify is not None:
                arguments = tool.destringify(arguments)
            violations = tool.explain(arguments)
            if violations:
                lines = "\n".join(map(str, violations))
                return self._failure(id_text, f"Invalid arguments for tool {name}:\n{lines}")
        context = self._dispatcher.enter(id_, id_text, name, params)
        try:
            value = tool.handler(tool.build(arguments), context)
            if type(value) is CoroutineType:
                return Pending(context, value, lambda value, error: self._conclude(id_, tool, context, value, error))
            reply = self._reply(tool, id_text, value)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: one call never ends the server
            reply = self._explain(tool, context, error)
        return reply if self._dispatcher.leave(id_, context) else None

    def _load(self, name: str) -> Tool:
        module = self._modules[name]
        checks = load(self._package, "validators." + module)
        try:
            handler = getattr(load(self._package, "tools." + module), module)
        except AttributeError:
            raise LookupError(f"tools/{module}.py does not define {module}(args, ctx)") from None
        return Tool(name, handler, checks)

    def _conclude(
        self, id_: Id, tool: Tool, context: Context, value: object, error: BaseException | None
    ) -> str | None:
        try:
            if error is not None:
                raise error
            reply = self._reply(tool, context.id_text, value)
        except BaseException as problem:
            reply = self._explain(tool, context, problem)
        return reply if self._dispatcher.leave(id_, context) else None

    def _reply(self, tool: Tool, id_text: str, value: object) -> str:
        """Return the reply that carries what a handler returned."""
        if tool.encode is None or type(value) is ToolResult:
            return self._full_reply(tool, id_text, value)
        structured = tool.encode(value)
        if not tool.valid_output(structured):  # type: ignore[misc]
            raise ResultError(self._broken(tool, structured))
        text = encode(structured)
        return (
            '{"jsonrpc":"2.0","id":'
            + id_text
            + self._text_head
            + encode_string(text)
            + self._structured
            + text
            + self._end
        )

    def _full_reply(self, tool: Tool, id_text: str, value: object) -> str:
        result = value if type(value) is ToolResult else ToolResult(value)  # type: ignore[arg-type]
        blocks = content_blocks(result.content)
        structured = ""
        if tool.encode is not None and not result.is_error:
            data = tool.encode(result.structured)
            if not tool.valid_output(data):  # type: ignore[misc]
                raise ResultError(self._broken(tool, data))
            structured = ',"structuredContent":' + encode(data)
            blocks = blocks or content_blocks(encode(data))
        failed = ',"isError":true' if result.is_error else ""
        meta = self._end
        if result.meta:
            meta = "," + self._meta[:-1] + "," + encode(dict(result.meta))[1:] + "}}\n"
        return '{"jsonrpc":"2.0","id":' + id_text + self._head + encode(blocks) + structured + failed + meta

    def _broken(self, tool: Tool, structured: object) -> str:
        assert tool.explain_output is not None
        violations = tool.explain_output(structured)
        return "its result does not fit its outputSchema: " + "; ".join(map(str, violations))

    def _explain(self, tool: Tool, context: Context, error: BaseException) -> str:
        """Return the reply to a call that failed, and log what the model is not to see."""
        if isinstance(error, ToolError):
            return self._failure(context.id_text, _text_of(error))
        if isinstance(error, NotImplementedError):
            self._dispatcher.log("warning", f"tool {tool.name} is still a stub: {_text_of(error)}")
            return self._failure(context.id_text, f"Tool {tool.name} is not implemented yet")
        if not context.cancelled:
            self._dispatcher.log.exception(f"tool {tool.name} failed", error)
        return self._failure(context.id_text, f"Error executing tool {tool.name}")

    def _failure(self, id_text: str, text: str) -> str:
        return '{"jsonrpc":"2.0","id":' + id_text + self._text_head + encode_string(text) + self._error_end


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # an exception class of the handler's own may do anything
        return type(error).__name__
