# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""completion/complete: values for the arguments of prompts and the variables of resource templates.

Values come from a fixed list or from a handler. Of a fixed list those that begin with what was typed come first, then
those that contain it, then those that contain its characters in order; capitals do not matter.
"""

from __future__ import annotations

from .dispatcher import INTERNAL_ERROR, INVALID_PARAMS, Refusal, error_reply
from .jsontext import encode
from .results import CompletionInput, CompletionResult, ResultError
from .serving import Serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .context import Context
    from .dispatcher import Answer, Id
    from .middleware import Handler

MOST_VALUES = 100
"""How many values a result may hold (CompleteResult)."""

MOST_AT_ONCE = 16
"""How many handlers may be completing at once: clients ask at every key that is pressed (Completion: security)."""


class Completer:
    """A handler that completes one argument.

    Args:
        name: What it completes, for log lines.
        module: The name of its module under ``completions``, and of the handler.
        timeout: Seconds that it may take; 0 for any.
    """

    __slots__ = ("handler", "module", "name", "timeout")

    def __init__(self, name: str, module: str, timeout: float = 0.0) -> None:
        """Hold a completer; the handler is loaded when it is first needed."""
        self.name = name
        self.module = module
        self.timeout = timeout
        self.handler: Handler | None = None


class Completions(Serving):
    """Serves completion/complete.

    Args:
        dispatcher: Keeps the requests in flight.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
    """

    kind = "completion"

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> Answer:
        """Answer a completion/complete request whose params fit the method."""
        reference, argument = params["ref"], params["argument"]
        kind = reference["type"]
        name: str = reference["name"] if kind == "ref/prompt" else reference["uri"]
        dispatcher = self._dispatcher
        known = dispatcher.handlers.module("routes.completions").COMPLETIONS.get((kind, name))
        hidden = kind == "ref/prompt" and dispatcher.server.hides("prompts", name)
        if known is None or hidden:
            raise Refusal(INVALID_PARAMS, f"params/ref: unknown {kind.removeprefix('ref/')}: {name[:200]}")
        values: Sequence[str] | Completer | None = known.get(argument["name"])
        if values is None:
            names = ", ".join(known) or "none"
            text = f"params/argument/name: {name} has no argument {argument['name'][:80]}; it has {names}"
            raise Refusal(INVALID_PARAMS, text)
        if not isinstance(values, Completer):
            return self._reply(id_text, CompletionResult(matching(values, argument["value"])))
        if sum(context.owner is self for context in list(dispatcher.in_flight.values())) >= MOST_AT_ONCE:
            raise Refusal(INTERNAL_ERROR, "Too many completions are under way: ask again when some have been answered")
        context = dispatcher.enter(self, id_, id_text, values.name, params, values.timeout)
        try:
            handler = values.handler or dispatcher.handlers.load("completion", values.name, values.module)
        except BaseException as error:  # noqa: BLE001 - a handler's module may raise anything while it is imported
            dispatcher.log.failure(f"completion {values.name} cannot be loaded", error)
            text = f"Internal error in the completion {values.name}"
            return dispatcher.finish(context, error_reply(id_text, INTERNAL_ERROR, text))
        values.handler = handler
        return dispatcher.run(context, handler, _input, params)

    def reply(self, context: Context, value: object) -> str:
        """Return the reply that carries what a handler returned."""
        if type(value) is not CompletionResult:
            if not isinstance(value, list | tuple):
                raise ResultError(f"it returned a {type(value).__name__}, not a list of texts")
            value = CompletionResult(value)
        if not all(isinstance(item, str) for item in value.values):
            raise ResultError("it returned values that are no texts")
        if value.total is not None and (type(value.total) is not int or value.total < 0):
            raise ResultError(f"it returned {value.total!r} as the total; expected a number of values")
        return self._reply(context.id_text, value)

    def _reply(self, id_text: str, result: CompletionResult) -> str:
        values = list(result.values[:MOST_VALUES])
        total = result.total
        more = len(result.values) > len(values) if result.has_more is None else bool(result.has_more)
        if total is None and result.has_more is None:
            total = len(result.values)
        elif total is not None and result.has_more is None:
            more = total > len(values)
        completion: dict[str, object] = {"values": values}
        if total is not None:
            completion["total"] = total
        completion["hasMore"] = more
        return self._result(id_text, '"resultType":"complete","completion":' + encode(completion))


def matching(values: Sequence[str], typed: str) -> list[str]:
    """Return the values that fit what was typed, the best first and otherwise in their order."""
    wanted = typed.casefold()
    ranks: tuple[list[str], list[str], list[str]] = [], [], []
    for value in values:
        folded = value.casefold()
        if folded.startswith(wanted):
            ranks[0].append(value)
        elif wanted in folded:
            ranks[1].append(value)
        elif _in_order(wanted, folded):
            ranks[2].append(value)
    return [value for rank in ranks for value in rank]


def _in_order(wanted: str, folded: str) -> bool:
    characters = iter(folded)
    return len(wanted) <= len(folded) and all(character in characters for character in wanted)


def _input(params: dict[str, Any]) -> CompletionInput:
    argument = params["argument"]
    known = params.get("context", {}).get("arguments", {})
    return CompletionInput(argument["name"], argument["value"], known)
