"""One client of the handshake era, from ``initialize`` to the end of the input.

A session is a dispatcher of its own: it takes the requests of its revision and has them served by what serves the
modern ones, with what ``initialize`` has settled put where a modern request states it. What is in flight, handlers,
log and output are those of the modern dispatcher.
"""

from __future__ import annotations

import threading
import time

from ..context import Context
from ..dispatcher import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    VERSION_KEY,
    Dispatcher,
    Refusal,
    error_reply,
)
from ..jsontext import decode_own, encode, encode_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..asking import Asker
    from ..dispatcher import Accepts, Answer, Explains, Id, Owner
    from ..lifespan import Lifespan
    from ..questions import Page, Question
    from .batches import Batch
    from .terms import Terms
    from .waiting import Round

_PREFIX = "io.modelcontextprotocol/"
_CAPABILITIES = _PREFIX + "clientCapabilities"
_LOG_LEVEL = _PREFIX + "logLevel"
MOST_QUESTIONS = 128
"""How many questions may be open at once: well below what may run at once, so that answers are always read."""

_FIRST_LEVEL = "info"
"""From which level on a client is sent log messages before it has said anything about that (Logging)."""


class TooManyQuestions(Exception):
    """The client has left too many questions unanswered to be asked another."""


class HandshakeContext(Context):
    """One request in flight."""

    __slots__ = ("_idle", "_waiting", "_waiting_since", "session")

    session: Session

    def __init__(self, *facts: Any) -> None:
        """Make the context of a request; the session does this."""
        super().__init__(*facts)
        self._idle = 0.0
        self._waiting = 0
        self._waiting_since = 0.0

    @property
    def revision(self) -> str:
        """The protocol revision that was agreed on."""
        return self.session.revision

    @property
    def idle(self) -> float:
        """Seconds for which the request has waited for nothing but the client."""
        return self._idle + (time.monotonic() - self._waiting_since if self._waiting else 0.0)

    def page_completed(self, page: Page) -> None:
        """Tell the client that the user is done with a page."""
        asker: Any = self._asking()
        asker.page_completed(page)

    def wait(self, change: int) -> None:
        """Count the questions that are waited for, and the time meanwhile."""
        now = time.monotonic()
        if self._waiting:
            self._idle += now - self._waiting_since
        self._waiting += change
        self._waiting_since = now

    def _notify(self, method: str, params: dict[str, object]) -> None:
        super()._notify(method, self.session.said(method, params))


class _Offered:
    """One request method: what serves it, its check, and the members of its params that the revision knows."""

    __slots__ = ("accepts", "explains", "known", "serve")

    def __init__(
        self,
        serve: Callable[[Id, str, dict[str, Any]], Answer],
        accepts: Accepts,
        explains: Explains,
        known: frozenset[str],
    ) -> None:
        self.serve = serve
        self.accepts = accepts
        self.explains = explains
        self.known = known


class Session(Dispatcher):
    """Answers the messages of one client.

    Args:
        modern: The dispatcher of the modern era.
    """

    terms: Terms
    """What the agreed revision knows."""

    def __init__(self, modern: Dispatcher) -> None:
        """Wait for ``initialize``."""
        super().__init__({}, modern.handlers.package, modern.log)
        self.modern = modern
        self.handlers = modern.handlers
        self.make_server = lambda: modern.server
        self.in_flight = modern.in_flight
        self.send = modern.send
        self.opened = False
        """Whether ``initialize`` has been answered with a result."""
        self.ready = False
        """Whether the client has said that it is initialized."""
        self.revision = ""
        self.capabilities: Mapping[str, Any] = {}
        self.subscribed: set[str] = set()
        self.asked: dict[int, Round] = {}
        """The requests to the client that are not answered yet, by their ids."""
        self.batches: dict[int, Batch] = {}
        """The batches that are served, by the threads that do so."""
        self.changing = threading.Lock()
        self._meta: dict[str, Any] = {}
        self._offered: dict[str, _Offered] = {}
        self._count = 0
        self._held: list[str] = []

    def __call__(self, message: Any) -> Answer:
        """Return the reply to a decoded message: one line of JSON text, a reply to come, or None for no reply."""
        if type(message) is not dict or message.get("jsonrpc") != "2.0":
            if type(message) is list and self.opened and self.terms.batches:
                from .batches import answer_batch

                return answer_batch(self, message)
            return self._invalid(message)
        method = message.get("method")
        if type(method) is not str:
            if "method" not in message and ("result" in message or "error" in message):
                self._answered(message)
                return None
            return self._invalid(message)
        if "id" not in message:
            self._notified(method, message.get("params"))
            return None
        id_ = message["id"]
        kind = type(id_)
        if kind is int:
            id_text = str(id_)
        elif kind is str:
            id_text = encode_string(id_)
        else:
            return error_reply("null", INVALID_REQUEST, f"id must be a string or an integer, not {encode(id_)[:80]}")
        if id_ in self.in_flight:
            return error_reply(id_text, INVALID_REQUEST, "a request with this id is still in flight")
        params: Any = message.get("params", _NO_PARAMS)
        try:
            if method == "initialize":
                return self._initialize(id_text, params)
            offered = self._offered.get(method)
            if offered is None:
                return error_reply(id_text, METHOD_NOT_FOUND, f"Method not found: {method[:200]}")
            if not offered.accepts(params):
                violations = "; ".join(f"params{violation}" for violation in offered.explains(params))
                raise Refusal(INVALID_PARAMS, violations)
            own = params.get("_meta")
            known = {key: value for key, value in params.items() if key in offered.known}
            known["_meta"] = {**own, **self._meta} if own else self._meta
            return offered.serve(id_, id_text, known)
        except Refusal as refusal:
            return error_reply(id_text, refusal.code, str(refusal), refusal.data)
        except BaseException as error:  # noqa: BLE001 - the client is told in neutral words, the log in full
            self.log.failure(f"{method} failed", error)
            context = self.in_flight.get(id_)
            if context is not None and not self.leave(context):
                return None
            return error_reply(id_text, INTERNAL_ERROR, "Internal error")

    @property
    def lifespan(self) -> Lifespan:
        """What the handlers share, in both eras."""
        return self.modern.lifespan

    def enter(
        self, owner: Owner | None, id_: Id, id_text: str, name: str, params: dict[str, Any], timeout: float = 0.0
    ) -> Context:
        """Put a request in flight and return its context; ``timeout`` is as in the dispatcher."""
        context = HandshakeContext(self, owner, id_, id_text, name, params, timeout)
        context.session = self
        self.in_flight[id_] = context
        batch = self.batches.get(threading.get_ident()) if self.batches else None
        if batch is None:
            self.modern.latest = context
        else:
            batch.entered(context)
        return context

    def asker(self, context: Context, params: Mapping[str, Any]) -> Asker:
        """Return what carries the questions of a request's handler to the client."""
        del params  # which hold no answers here
        from .waiting import Questions

        assert isinstance(context, HandshakeContext)
        owner: Any = context.owner
        method = next(method for method, offered in self._offered.items() if offered.serve is owner)
        return Questions(context, self, may_ask=self.modern.methods[method].may_ask)

    def said(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the params of a notification as the revision has them."""
        said: dict[str, Any] = self.terms.say(params, self.terms.notifications[method])
        return said

    def tell(self, text: str) -> None:
        """Send a request or the news of a change, once the client is ready for such (Lifecycle)."""
        with self.changing:
            if not self.ready:
                if text not in self._held:  # no news is worth telling twice
                    self._held.append(text)
                return
        self.send(text)

    def open_questions(self, round_: Round, questions: Sequence[tuple[Question[Any], dict[str, Any]]]) -> None:
        """Send questions to the client, all at once.

        Args:
            round_: Takes the answers.
            questions: Each question, and the params that it is sent with.

        Raises:
            TooManyQuestions: The client has left that many unanswered.
        """
        texts = []
        with self.changing:
            if len(self.asked) + len(questions) > MOST_QUESTIONS:
                raise TooManyQuestions
            for question, params in questions:
                self._count += 1
                self.asked[self._count] = round_
                round_.open[self._count] = question
                message = {"jsonrpc": "2.0", "id": self._count, "method": question.method}
                texts.append(encode({**message, "params": params} if params else message) + "\n")
        self.tell("".join(texts))

    def withdraw(self, ids: Sequence[int], reason: str) -> None:
        """Tell the client that some questions need no answer any more."""
        with self.changing:
            withdrawn = [id_ for id_ in ids if self.asked.pop(id_, None) is not None]
        method = "notifications/cancelled"
        for id_ in withdrawn:
            params = self.said(method, {"requestId": id_, "reason": reason})
            self.tell(f'{{"jsonrpc":"2.0","method":"{method}","params":{encode(params)}}}\n')

    def _answered(self, message: Mapping[str, Any]) -> None:
        """Take the client's answer to a question; one that is not, or no longer, open is ignored."""
        id_ = message.get("id")
        if type(id_) is int:
            with self.changing:
                round_ = self.asked.pop(id_, None)
            if round_ is not None:
                round_.answered(id_, message)
                return
        self.log("debug", "a response came to no open question")

    def _initialize(self, id_text: str, params: Any) -> str:
        if self.opened:
            return error_reply(id_text, INVALID_REQUEST, f"initialized already, in revision {self.revision}")
        data = self.handlers.module("handshake")
        revisions: Mapping[str, Terms] = data.REVISIONS
        asked = params.get("protocolVersion") if type(params) is dict else None
        revision = asked if type(asked) is str and asked in revisions else max(revisions)
        terms = revisions[revision]
        checks = self.handlers.module("validators." + terms.checks)
        prefix, _, shape = terms.methods["initialize"]
        violations = getattr(checks, f"{prefix}_violations")(params)
        if violations:
            raise Refusal(INVALID_PARAMS, "; ".join(f"params{violation}" for violation in violations))
        self.terms, self.revision = terms, revision
        self.capabilities = terms.capabilities(params["capabilities"])
        self._meta = {
            VERSION_KEY: self.modern.revisions[0],
            _CAPABILITIES: self.capabilities,
            _PREFIX + "clientInfo": params["clientInfo"],
            _LOG_LEVEL: _FIRST_LEVEL,
        }
        self._offer(checks)
        self.modern.server.subscriptions.listener = self._changed
        self.opened = True
        result = {"protocolVersion": revision, **decode_own(data.INTRODUCTION)}
        return f'{{"jsonrpc":"2.0","id":{id_text},"result":{encode(terms.say(result, shape))}}}\n'

    def _offer(self, checks: Any) -> None:
        """Make what serves each method of the revision."""
        from .serving import adapted

        own: dict[str, Callable[[Id, str, dict[str, Any]], Answer]] = {
            "ping": self._nothing,
            "logging/setLevel": self._set_level,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }
        for method, (prefix, known, shape) in self.terms.methods.items():
            if method == "initialize":
                continue
            serve = own.get(method) or adapted(self.modern.methods[method].serve, self, shape)
            accepts, explains = getattr(checks, f"{prefix}_is_valid"), getattr(checks, f"{prefix}_violations")
            self._offered[method] = _Offered(serve, accepts, explains, frozenset(known))

    def _nothing(self, _id: Id, id_text: str, _params: dict[str, Any]) -> str:
        return f'{{"jsonrpc":"2.0","id":{id_text},"result":{{}}}}\n'

    def _set_level(self, id_: Id, id_text: str, params: dict[str, Any]) -> str:
        level = params["level"]
        self._meta[_LOG_LEVEL] = level
        for context in list(self.in_flight.values()):
            if isinstance(context, HandshakeContext):
                meta: Any = context.meta
                meta[_LOG_LEVEL] = level
        return self._nothing(id_, id_text, params)

    def _subscribe(self, id_: Id, id_text: str, params: dict[str, Any]) -> str:
        resources: Any = self._offered["resources/read"].serve
        resources.find(params["uri"])
        self.subscribed.add(params["uri"])
        return self._nothing(id_, id_text, params)

    def _unsubscribe(self, id_: Id, id_text: str, params: dict[str, Any]) -> str:
        self.subscribed.discard(params["uri"])
        return self._nothing(id_, id_text, params)

    def _changed(self, method: str, params: dict[str, Any]) -> None:
        """Pass on the news of a list, or of a resource that was subscribed to."""
        if method in self.terms.notifications and ("uri" not in params or params["uri"] in self.subscribed):
            said = self.said(method, params)
            rest = f',"params":{encode(said)}' if said else ""
            self.tell(f'{{"jsonrpc":"2.0","method":{encode_string(method)}{rest}}}\n')

    def _notified(self, method: str, params: Any) -> None:
        if method == "notifications/initialized" and self.opened:
            with self.changing:
                self.ready = True
                held, self._held = self._held, []
            if held:
                self.send("".join(held))
        else:
            super()._notified(method, params)


_NO_PARAMS: dict[str, Any] = {}
