# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""How a question gets its answer from a handshake client: by a request of its own, whose response is waited for.

The handler is not ended and runs once. A ``def`` handler waits in its thread, which the transport relieves of the turn
to read as it does with any slow handler; an ``async def`` handler waits in the event loop.
"""

from __future__ import annotations

import threading
from uuid import uuid4

from ..context import Interruption
from ..jsontext import encode
from ..questions import AskAgain, missing_capabilities
from ..results import ToolError
from .forms import Form
from .session import TooManyQuestions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from ..questions import Capabilities, Page, Question
    from .session import HandshakeContext, Session

    T = TypeVar("T")

MOST_ATTEMPTS = 3
"""How often a question is asked of a client whose answers cannot be used."""


class Round:
    """Questions that were sent at once, and the answers so far."""

    def __init__(self, wake: Callable[[], None]) -> None:
        """Start without any question.

        Args:
            wake: Called when every question has been answered, from any thread.
        """
        self.wake = wake
        self.open: dict[int, Question[Any]] = {}
        self.answers: list[tuple[Question[Any], Mapping[str, Any]]] = []

    def answered(self, id_: int, message: Mapping[str, Any]) -> None:
        """Take the response to one of the questions."""
        self.answers.append((self.open.pop(id_), message))
        if not self.open or "error" in message:
            self.wake()


class Questions:
    """Asks for one request, and waits.

    Args:
        context: The request that is served.
        session: Sends and receives.
        may_ask: Whether the request is one whose handler may ask.
    """

    def __init__(self, context: HandshakeContext, session: Session, *, may_ask: bool) -> None:
        """Start without any question."""
        self._context = context
        self._session = session
        self._may_ask = may_ask
        self._questions: dict[str, Question[Any]] = {}
        self._answers: dict[str, Any] = {}
        self._attempts: dict[str, int] = {}
        self._kept: dict[str, Any] = {}
        self._forms: dict[str, Form] = {}
        self._pages: dict[str, str] = {}

    def ask(self, *questions: Question[Any]) -> Any:
        """Return the answers, in the order of the questions.

        Raises:
            Cancelled: The request was cancelled meanwhile.
            Interruption: The client cannot or will not answer, or does not in time.
            TypeError: The request is none whose handler may ask.
            ValueError: Two different questions have the same key, or a question is not as the revision has it.
        """
        self._register(questions)
        while unanswered := self._unanswered(questions):
            woken = threading.Event()
            round_ = self._send(unanswered, woken.set)
            try:
                in_time = woken.wait(self._session.modern.state_lifetime)
            finally:
                self._stop_waiting(round_)
            self._read(round_, in_time=in_time)
        return tuple(self._answers[question.key] for question in questions)

    async def ask_async(self, *questions: Question[Any]) -> Any:
        """Do as ``ask`` does without keeping the event loop waiting."""
        import asyncio

        self._register(questions)
        loop = asyncio.get_running_loop()
        while unanswered := self._unanswered(questions):
            woken = asyncio.Event()

            def wake(woken: asyncio.Event = woken) -> None:
                loop.call_soon_threadsafe(woken.set)

            round_ = self._send(unanswered, wake)
            in_time = True
            try:
                await asyncio.wait_for(woken.wait(), self._session.modern.state_lifetime)
            except TimeoutError:
                in_time = False
            finally:
                self._stop_waiting(round_)
            if self._context.cancelled:  # the task may have been woken before it is cancelled
                raise asyncio.CancelledError
            self._read(round_, in_time=in_time)
        return tuple(self._answers[question.key] for question in questions)

    def require(self, needed: Capabilities) -> None:
        """End the request unless the client has declared some capabilities.

        Raises:
            Interruption: It has not.
        """
        missing = missing_capabilities(needed, self._session.capabilities)
        if missing:
            names = ", ".join(_paths(missing))
            raise self._failure(f"{self._context.name} needs a client that can do {names}, and this one cannot")

    def once(self, key: str, function: Callable[[], T]) -> T:
        """Return what a function gave when it was first called for this key."""
        if key not in self._kept:
            self._kept[key] = function()
        value: T = self._kept[key]
        return value

    def page_completed(self, page: Page) -> None:
        """Tell the client that what its user did on a page is over, if this request has asked for that."""
        method = "notifications/elicitation/complete"
        id_ = self._pages.get(page.key)
        if id_ is not None and method in self._session.terms.notifications:
            said = self._session.said(method, {"elicitationId": id_})
            self._session.tell(f'{{"jsonrpc":"2.0","method":"{method}","params":{encode(said)}}}\n')

    def _register(self, questions: Sequence[Question[Any]]) -> None:
        """Require a key to mean one question: an answer must not be taken for that to another."""
        if not self._may_ask:
            raise TypeError(f"{self._context.name} cannot ask the client for something; a tool, prompt or resource can")
        for question in questions:
            other = self._questions.setdefault(question.key, question)
            if (other.method, other.params) != (question.method, question.params):
                raise ValueError(f"two different questions have the key {question.key!r}: give each a key of its own")

    def _unanswered(self, questions: Sequence[Question[Any]]) -> list[Question[Any]]:
        unanswered = {question.key: question for question in questions if question.key not in self._answers}
        return list(unanswered.values())

    def _send(self, questions: Sequence[Question[Any]], wake: Callable[[], None]) -> Round:
        """Send questions; ``wake`` is called when they are answered, or when nobody needs the answers any more."""
        self._context.check_cancelled()
        terms = self._session.terms
        needed: dict[str, Any] = {}
        for question in questions:
            if terms.lacks(question.method, question.params):
                raise self._failure(
                    f"{self._context.name} has to ask the client for something that revision {self._session.revision}"
                    f" of the protocol does not have ({', '.join(_paths(question.needs))})"
                )
            _merge(needed, terms.needs(question.needs))
        self.require(needed)
        said = [(question, self._said(question)) for question in questions]
        round_ = Round(wake)
        try:
            self._session.open_questions(round_, said)
        except TooManyQuestions:
            text = f"{self._context.name} cannot ask: too many questions are waiting for an answer; answer those first"
            raise self._failure(text) from None
        self._context.wait(+1)
        self._context._on_cancel(wake)
        return round_

    def _stop_waiting(self, round_: Round) -> None:
        self._context.wait(-1)
        self._session.withdraw(list(round_.open), "no answer is needed any more")

    def _read(self, round_: Round, *, in_time: bool) -> None:
        """Take what has been answered; what cannot be used is left to be asked again."""
        self._context.check_cancelled()
        for question, message in round_.answers:
            error = message.get("error")
            if error is not None:
                told = error.get("message") if isinstance(error, dict) else None
                said = f": {told[:500]}" if isinstance(told, str) else ""
                raise self._failure(f"The client did not answer what {self._context.name} asked ({question.key}){said}")
            try:
                self._answers[question.key] = self._value(question, message.get("result"))
            except AskAgain as problem:
                attempts = self._attempts[question.key] = self._attempts.get(question.key, 0) + 1
                what = f"the answer to {question.key} cannot be used: {problem}"
                self._session.log("info", f"{self._context.label}: {what}")
                if attempts == MOST_ATTEMPTS:
                    raise self._failure(f"The client's answer to {question.key} cannot be used: {problem}") from None
        if not in_time:
            keys = ", ".join(question.key for question in round_.open.values())
            limit = self._session.modern.state_lifetime
            raise self._failure(f"There was no answer to {keys} within {limit:g} s")

    def _value(self, question: Question[Any], result: Any) -> Any:
        checks, _ = self._session.terms.asked[question.method]
        if not self._load(checks).result_is_valid(result):
            raise AskAgain(f"it is no result of {question.method}")
        form = self._forms.get(question.key)
        if form is not None and isinstance(result.get("content"), dict):
            result = {**result, "content": form.understood(result["content"])}
        return question.read(result, self._load)

    def _load(self, name: str) -> Any:
        return self._session.handlers.module(f"validators.{name}")

    def _said(self, question: Question[Any]) -> dict[str, Any]:
        """Return the params of a question as the revision has them."""
        terms = self._session.terms
        checks, shape = terms.asked[question.method]
        params = dict(question.params)
        if "requestedSchema" in params:
            form = self._forms[question.key] = Form(params["requestedSchema"], terms.form_fields)
            params["requestedSchema"] = form.schema
        if "url" in params:
            params["elicitationId"] = self._pages[question.key] = str(uuid4())
        if "messages" in params and not terms.block_lists:
            params["messages"] = [one for message in params["messages"] for one in _split(message)]
        said: dict[str, Any] = terms.say(params, shape)
        check = getattr(self._load(checks), "params_violations", None)
        violations = check(said) if check else ()
        if violations:
            wrong = ", ".join(f"{violation.pointer}: expected {violation.expected}" for violation in violations)
            raise ValueError(f"the question {question.key!r} is no {question.method}: {wrong}")
        return said

    def _failure(self, text: str) -> Interruption:
        """Return what ends the request and tells its caller why, past every ``except Exception`` of a handler."""
        context = self._context
        owner: Any = context.owner
        reply: str = owner.failed(context, ToolError(text))
        return Interruption(reply.removeprefix(f'{{"jsonrpc":"2.0","id":{context.id_text}'))


def _split(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a message for the model as messages of one block of content each."""
    content = message.get("content")
    return [{**message, "content": block} for block in content] if isinstance(content, list) else [message]


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, parts in more.items():
        _merge(into.setdefault(name, {}), parts)


def _paths(capabilities: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Yield the names of capabilities, parts after their wholes: ``elicitation.url``."""
    for name, parts in capabilities.items():
        if parts:
            yield from _paths(parts, f"{before}{name}.")
        else:
            yield before + name
