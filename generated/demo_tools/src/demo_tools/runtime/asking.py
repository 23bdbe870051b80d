# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""How a question gets its answer: in rounds, without any memory on this side.

A handler that asks for what is not known yet is ended, and the request is answered with ``input_required``: the open
questions, and a state that carries all earlier answers. The client sends the request again with the answers, the
handler runs again from its start, and gets every answer that is there. So the code before a question runs once per
round; the last round runs all of it (revision 2026-07-28, Multi Round-Trip Requests).
"""

from __future__ import annotations

from .context import Interruption
from .jsontext import decode, encode
from .questions import AskAgain, missing_capabilities
from .state import State, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from .context import Context
    from .dispatcher import Dispatcher
    from .questions import Ask, AskAsync, Capabilities, Question

    T = TypeVar("T")

    class Asker(Protocol):
        """What carries a handler's questions to the client; one for each request that asks something."""

        @property
        def ask(self) -> Ask:
            """Takes questions and returns their answers, in the same order."""
            raise NotImplementedError

        @property
        def ask_async(self) -> AskAsync:
            """Does the same without keeping the event loop waiting."""
            raise NotImplementedError

        def require(self, needed: Capabilities) -> None:
            """Refuse the request unless the client has declared some capabilities."""

        def once(self, key: str, function: Callable[[], T]) -> T:
            """Return what a function gave when it was first called for this key."""
            raise NotImplementedError


_UNREAD = object()


class InputRequired(Interruption):
    """Ends a round: the request is answered with the questions that are open."""


class MissingCapability(Interruption):
    """Refuses a request that needs what its client has not declared."""


class Rounds:
    """Asks in rounds.

    Args:
        context: The request that is served.
        dispatcher: What serves it.
        method: Its method.
        params: Its params; a ``requestState`` in there has been opened by the dispatcher.
    """

    def __init__(self, context: Context, dispatcher: Dispatcher, method: str, params: Mapping[str, Any]) -> None:
        """Take up what earlier rounds have brought."""
        self._context = context
        self._dispatcher = dispatcher
        self._method = method
        self._params = params
        self._new: Mapping[str, Any] = params.get("inputResponses", {})
        earlier = params.get("requestState")
        self._state = earlier if isinstance(earlier, State) else State({}, {}, {})
        self._questions: dict[str, Question[Any]] = {}

    def ask(self, *questions: Question[Any]) -> Any:
        """Return the answers, in the order of the questions.

        Raises:
            InputRequired: Some are not there yet.
            MissingCapability: Some cannot be asked for.
            StateError: What has been answered so far is too much to carry.
            TypeError: The request is none that may be answered by a question.
            ValueError: Two different questions have the same key, or a question is not as the revision has it.
        """
        if not self._dispatcher.methods[self._method].may_ask:
            raise TypeError(f"{self._method} cannot ask the client for something; a tool, prompt or resource can")
        for question in questions:
            self._register(question)
        values = [self._read(question) for question in questions]
        unanswered = [question for question, value in zip(questions, values, strict=True) if value is _UNREAD]
        if unanswered:
            self._end_round(unanswered)
        return tuple(values)

    async def ask_async(self, *questions: Question[Any]) -> Any:
        """Do as ``ask`` does: in rounds, nothing is ever waited for."""
        return self.ask(*questions)

    def require(self, needed: Capabilities) -> None:
        """Refuse the request unless the client has declared some capabilities.

        Raises:
            MissingCapability: It has not.
        """
        missing = missing_capabilities(needed, self._context.client_capabilities)
        if missing:
            revision, name = self._context.revision, "missingRequiredClientCapability"
            code, data = self._dispatcher.told(revision, name, needed=missing)
            message = f"The client has not declared a capability that {self._context.name} needs"
            error = {"code": code, "message": message, "data": data}
            raise MissingCapability(f',"error":{encode(error)}}}\n')

    def once(self, key: str, function: Callable[[], T]) -> T:
        """Return what a function gave in the first round that called it; a value that JSON can express."""
        kept = self._state.kept
        if key not in kept:
            kept[key] = decode(encode(function()).encode())
        value: T = kept[key]
        return value

    def _register(self, question: Question[Any]) -> None:
        """Require a key to mean one question: an answer must not be taken for that to another."""
        other = self._questions.setdefault(question.key, question)
        if (other.method, other.params) != (question.method, question.params):
            raise ValueError(f"two different questions have the key {question.key!r}: give each a key of its own")

    def _read(self, question: Question[Any]) -> Any:
        """Return the answer to a question, if there is one that can be used."""
        key, state = question.key, self._state
        known = state.answers
        answer = known.get(key, self._new.get(key))
        if answer is None:
            return _UNREAD
        shown = _shown(question)
        try:
            if state.asked.get(key, shown) != shown:
                raise AskAgain("the question reads differently now")
            if not self._checks(question).result_is_valid(answer):
                raise AskAgain(f"it is no result of {question.method}")
            value = question.read(answer, self._load)
        except AskAgain as problem:
            self._dispatcher.log("info", f"{self._context.label}: the answer to {key} is asked for again: {problem}")
            known.pop(key, None)
            return _UNREAD
        known[key] = answer
        if shown is not None:
            state.asked[key] = shown
        return value

    def _end_round(self, questions: Sequence[Question[Any]]) -> None:
        needed: dict[str, Any] = {}
        for question in questions:
            _merge(needed, question.needs)
        self.require(needed)
        requests = {}
        for question in {question.key: question for question in questions}.values():
            check = getattr(self._checks(question), "params_violations", None)
            violations = check(question.params) if check else ()
            if violations:
                wrong = ", ".join(f"{violation.pointer}: expected {violation.expected}" for violation in violations)
                raise ValueError(f"the question {question.key!r} is no {question.method}: {wrong}")
            requests[question.key] = {"method": question.method, "params": question.params}
            shown = _shown(question)
            if shown is not None:
                self._state.asked[question.key] = shown
        state = self._dispatcher.seal.close(self._state, self._method, self._params)
        raise InputRequired(
            f',"result":{{"resultType":"input_required","inputRequests":{encode(requests)},'
            f'"requestState":"{state}",{self._dispatcher.meta}}}}}\n'
        )

    def _checks(self, question: Question[Any]) -> Any:
        return self._load(self._dispatcher.input_checks[self._context.revision][question.method])

    def _load(self, name: str) -> Any:
        return self._dispatcher.handlers.module(f"validators.{name}")


def _shown(question: Question[Any]) -> str | None:
    content = question.consents_to
    return None if content is None else digest(content)


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, parts in more.items():
        _merge(into.setdefault(name, {}), parts)
