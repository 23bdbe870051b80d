# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""prompts/get: fixed messages with the arguments put in, and handlers."""

from __future__ import annotations

from .dispatcher import INTERNAL_ERROR, INVALID_PARAMS, Refusal, error_reply, in_short
from .jsontext import encode_string
from .results import PromptResult
from .serving import Serving, build, revision_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .context import Context
    from .dispatcher import Answer, Dispatcher, Id
    from .listing import Listing
    from .middleware import Handler


class Prompt:
    """One prompt.

    Args:
        required: The arguments that a client must give.
        optional: The arguments that it may give, and what they are in fixed messages where it does not.
        description: What the manifest says it is for.
        messages: Where the messages are fixed: pieces of their JSON text, and between each two the name of the argument
            whose value belongs there.
        checked: Whether an argument's value stands where not every text will do.
        module: Otherwise, the name of the handler's module under ``prompts``, and of the handler.
        arguments: The class of ``models`` that the handler takes.
        timeout: Seconds that it may take; 0 for any.
    """

    __slots__ = (
        "arguments",
        "checked",
        "description",
        "handler",
        "messages",
        "module",
        "optional",
        "required",
        "timeout",
    )

    def __init__(
        self,
        *,
        required: Sequence[str] = (),
        optional: Mapping[str, str] | None = None,
        description: str | None = None,
        messages: Sequence[str] = (),
        checked: bool = False,
        module: str = "",
        arguments: str = "",
        timeout: float = 0.0,
    ) -> None:
        """Hold a prompt; the handler is loaded when it is first needed."""
        self.required = required
        self.optional = optional or {}
        self.description = description
        self.messages = messages
        self.checked = checked
        self.module = module
        self.arguments = arguments
        self.timeout = timeout
        self.handler: Handler | None = None


class Prompts(Serving):
    """Serves prompts/get.

    Args:
        dispatcher: Keeps the requests in flight.
        listing: The list of the prompts; what is hidden there is not served.
        meta: The ``"_meta":{...}`` member of every result, as JSON text.
    """

    kind = "prompt"

    def __init__(self, dispatcher: Dispatcher, listing: Listing, meta: str) -> None:
        """Hold what is needed; the routes are loaded when a prompt is first asked for."""
        super().__init__(dispatcher, meta)
        self._listing = listing

    def __call__(self, id_: Id, id_text: str, params: dict[str, Any]) -> Answer:
        """Answer a prompts/get request whose params fit the method."""
        name: str = params["name"]
        dispatcher = self._dispatcher
        prompt: Prompt | None = dispatcher.handlers.module("routes.prompts").PROMPTS.get(name)
        if prompt is None or name in self._listing.hidden:
            raise Refusal(INVALID_PARAMS, f"Unknown prompt: {name[:200]}")
        arguments: dict[str, str] = params.get("arguments") or {}
        _check(name, prompt, arguments)
        if prompt.messages:
            messages = self._filled(prompt, arguments, params)
            return self._reply(id_text, messages, prompt.description, None)
        context = dispatcher.enter(self, id_, id_text, name, params, prompt.timeout)
        context.called = prompt
        try:
            handler = prompt.handler or dispatcher.handlers.load("prompt", name, prompt.module)
        except BaseException as error:  # noqa: BLE001 - a handler's module may raise anything while it is imported
            dispatcher.log.failure(f"prompt {name} cannot be loaded", error)
            text = f"Internal error in the prompt {name}"
            return dispatcher.finish(context, error_reply(id_text, INTERNAL_ERROR, text))
        prompt.handler = handler
        class_name = prompt.arguments
        return dispatcher.run(context, handler, lambda given: build(dispatcher, class_name, given), arguments)

    def reply(self, context: Context, value: object) -> str:
        """Return the reply that carries what a handler returned."""
        from .content import encode_messages

        result = value if type(value) is PromptResult else PromptResult(value)
        messages = encode_messages(result.messages, self._dispatcher, revision_of(context._params))
        prompt: Prompt = context.called
        description = prompt.description if result.description is None else result.description
        return self._reply(context.id_text, messages, description, result.meta)

    def _reply(self, id_text: str, messages: str, description: str | None, meta: Mapping[str, object] | None) -> str:
        said = "" if description is None else f'"description":{encode_string(description)},'
        return self._result(id_text, '"resultType":"complete",' + said + '"messages":' + messages, meta)

    def _filled(self, prompt: Prompt, arguments: Mapping[str, str], params: dict[str, Any]) -> str:
        """Return fixed messages as JSON text: values go in as text inside of a string, and are never read again."""
        pieces = list(prompt.messages)
        for index in range(1, len(pieces), 2):
            name = pieces[index]
            value = arguments.get(name)
            pieces[index] = encode_string(prompt.optional.get(name, "") if value is None else value)[1:-1]
        messages = "".join(pieces)
        if prompt.checked:
            import json

            from .content import violations

            found = violations("prompt_message", json.loads(messages), self._dispatcher, revision_of(params))
            if found:
                raise Refusal(INVALID_PARAMS, f"params/arguments: these give no valid messages: {'; '.join(found[:5])}")
        return messages


def _check(name: str, prompt: Prompt, arguments: Mapping[str, str]) -> None:
    """Refuse arguments that lack a required one, or have one that the prompt does not: it is most likely misspelt."""
    problems = [
        f"params/arguments: the argument {argument} is required"
        for argument in prompt.required
        if argument not in arguments
    ]
    known = (*prompt.required, *prompt.optional)
    problems += [
        f"params/arguments: the prompt {name} has no argument {argument[:80]}; it has {', '.join(known) or 'none'}"
        for argument in arguments
        if argument not in known
    ]
    if problems:
        raise Refusal(INVALID_PARAMS, in_short(problems))
