# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""One decoded message in, one reply or nothing out.

Nothing here reads or writes: the order in which a message is checked, what each failure is answered with, and which
requests are in flight are the whole of it. What a method needs of the protocol is data (``Method``), made from the
revision's method table; what it does is a function of the request.

The order, for every line (JSON-RPC 2.0, and the revision's pages on messages and versioning):

1. the envelope: an object, ``jsonrpc`` "2.0", a response is ignored, ``method`` a string, ``id`` a string or integer
2. without ``id`` it is a notification, which is never answered
3. an id that is in flight, a method that is not offered
4. ``params`` and ``_meta``, then the version, then the rest of ``params``
5. the method's own checks
"""

from __future__ import annotations

from _contextvars import copy_context  # all that contextvars is made of, in a third of its time
from threading import Lock
from types import CoroutineType

from .handlers import Handlers
from .jsontext import encode, encode_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    from .asking import Asker
    from .context import Context
    from .lifespan import Lifespan
    from .log import Log
    from .middleware import Handler
    from .server import Server
    from .state import Seal
    from .validation import Violation

    Id: TypeAlias = str | int
    Answer: TypeAlias = "str | Pending | None"
    Serve: TypeAlias = Callable[[Id, str, dict[str, Any]], Answer]
    Accepts: TypeAlias = Callable[[Any], bool]
    Explains: TypeAlias = Callable[[Any], list[Violation]]
    Checks: TypeAlias = tuple[Accepts, str]
    """A check that says yes or no, and the prefix of that in ``refusals`` which says what is wrong."""

    class Owner(Protocol):
        """What serves requests by calling handlers."""

        def reply(self, context: Context, value: object, /) -> str:
            """Return the reply that carries what a handler returned."""
            raise NotImplementedError

        def failed(self, context: Context, error: BaseException, /) -> str:
            """Return the reply to a request whose handler raised, or returned what cannot be sent."""
            raise NotImplementedError

        def timed_out(self, context: Context, /) -> str:
            """Return the reply to a request whose time is up."""
            raise NotImplementedError


PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

_MESSAGE = 200
"""About how many characters an error's message may have."""
_REASON = 200
"""How many characters of a client's reason for cancelling go into the log."""


class Pending:
    """A reply that is not there yet: an ``async def`` handler that has to be run.

    Attributes:
        context: The request; ``Dispatcher.conclude`` makes the reply of the outcome.
        coroutine: What to run.
    """

    __slots__ = ("context", "coroutine")

    def __init__(self, context: Context, coroutine: Any) -> None:
        """Hold a reply to come."""
        self.context = context
        self.coroutine = coroutine


class Method:
    """One request method that a server offers.

    Args:
        make: Returns what it does; not called before the first request.
        checks: For each revision that has the method, the checks of its params, ``_meta`` aside.
        has_handlers: Whether it runs a handler.
        may_ask: Whether the answer may be that input is required.
    """

    __slots__ = ("_make", "accepts", "has_handlers", "may_ask", "prefixes", "serve")

    serve: Serve
    """What it does, called as serve(id, id_text, params) with valid params."""

    def __init__(
        self,
        make: Callable[[], Serve],
        checks: Mapping[str, Checks],
        *,
        has_handlers: bool = False,
        may_ask: bool = False,
    ) -> None:
        """Hold a row of the method table."""
        self._make = make
        self.has_handlers = has_handlers
        self.may_ask = may_ask
        self.accepts = {revision: accepts for revision, (accepts, _) in checks.items()}
        self.prefixes = {revision: prefix for revision, (_, prefix) in checks.items()}

    def __getattr__(self, name: str) -> Any:
        """Make ``serve`` when it is first asked for: none is made, or imported, only to start."""
        if name != "serve":
            raise AttributeError(name)
        self.serve = self._make()
        return self.serve


class Refusal(Exception):
    """A request that gets a JSON-RPC error: code, message and data."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        """Hold an error object."""
        super().__init__(message)
        self.code = code
        self.data = data


def error_reply(id_text: str, code: int, message: str, data: object = None) -> str:
    """Return an error response as one line of JSON text.

    Args:
        id_text: The request's id as JSON text, ``null`` where it could not be read.
        code: The error's code.
        message: What was wrong and what to do, for whoever wrote the client.
        data: Any JSON value, or None for no data.
    """
    more = "" if data is None else ',"data":' + encode(data)
    return f'{{"jsonrpc":"2.0","id":{id_text},"error":{{"code":{code},"message":{encode_string(message)}{more}}}}}\n'


def in_short(problems: Sequence[str]) -> str:
    """Return some problems as the message of an error, which is to be concise (schema: Error): those that fit."""
    text = problems[0] if len(problems[0]) <= _MESSAGE else problems[0][:_MESSAGE] + "..."
    for number, problem in enumerate(problems[1:], 1):
        if len(text) + len(problem) > _MESSAGE:
            return f"{text}; and {len(problems) - number} more"
        text = f"{text}; {problem}"
    return text


class Dispatcher:
    """Answers messages for one server.

    Args:
        metadata: For each protocol revision it speaks, the preferred one first, the checks of a request's ``_meta``.
        package: The generated package's import name.
        log: Where diagnostics go.
    """

    make_server: Callable[[], Server]
    """Returns what handlers may do to the server; set by the generated module, as ``methods`` and all of these are."""
    meta: str
    """The ``"_meta":{...}`` member of every result, as JSON text."""
    state_lifetime: float
    """Seconds for which a requestState is accepted."""
    input_checks: Mapping[str, Mapping[str, str]]
    """For each revision and each request that the client can be asked, the module of ``validators`` that checks it."""
    refusals: Mapping[str, str]
    """For each revision, the module of ``validators`` that says what is wrong with a request."""
    errors: Mapping[str, Mapping[str, tuple[int, Mapping[str, str]]]]
    """For each revision and each of its own errors, the code, and the member of the data that holds each fact."""

    def __init__(self, metadata: Mapping[str, Checks], package: str, log: Log) -> None:
        """Make a dispatcher that offers nothing yet."""
        self.revisions = tuple(metadata)
        self._metadata = metadata
        self._accepts_metadata = {revision: accepts for revision, (accepts, _) in metadata.items()}
        self.log = log
        self.handlers = Handlers(package)
        self._making = Lock()
        self._new_context: Callable[..., Context] = self._first_context
        self._server: Server | None = None
        self._lifespan: Lifespan | None = None
        self._seal: Seal | None = None
        self.methods: dict[str, Method] = {}
        self.in_flight: dict[Id, Context] = {}
        self.latest: Context | None = None
        """The request that was put in flight last; it tells the transport whose handler keeps it waiting.

        The transport takes it away before each line, so that what is there belongs to the line being answered."""
        self.send: Callable[[str], None] = _nowhere
        self.receive: Callable[[Any], Answer] = self
        """What takes every message: this, until another era begins beside it."""
        self.openings: frozenset[str] = frozenset()
        """The requests that can begin another era, in a server that has one."""
        self.open_era: Callable[[Dispatcher], Callable[[Any], Answer]] | None = None
        """Returns what tells the eras apart once one of these has come."""

    def __call__(self, message: Any) -> Answer:
        """Return the reply to a decoded message: one line of JSON text, a reply to come, or None for no reply."""
        if type(message) is not dict or message.get("jsonrpc") != "2.0":
            return self._invalid(message)
        method = message.get("method")
        if type(method) is not str:
            if "method" not in message and ("result" in message or "error" in message):
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
        offered = self.methods.get(method)
        if offered is None:
            return self._unknown(id_text, method, message)
        params: Any = message.get("params")
        try:
            meta = params["_meta"]
            version = meta[VERSION_KEY]
            accepted = self._accepts_metadata[version](meta) and offered.accepts[version](params)
        except (KeyError, TypeError, IndexError):
            accepted = False
        try:
            if not accepted:
                self._refuse(method, offered, params)
            if "requestState" in params and offered.may_ask:
                self._open_state(method, params)
            return offered.serve(id_, id_text, params)
        except Refusal as refusal:
            return error_reply(id_text, refusal.code, str(refusal), refusal.data)
        except BaseException as error:  # noqa: BLE001 - the client is told in neutral words, the log in full
            self.log.failure(f"{method} failed", error)
            context = self.in_flight.get(id_)
            if context is not None and not self.leave(context):
                return None
            return error_reply(id_text, INTERNAL_ERROR, "Internal error")

    def _first_context(self, *arguments: Any) -> Context:
        """Make a context with the class that makes all others; it is not needed only to start."""
        from .context import Context

        self._new_context = Context
        return Context(*arguments)

    @property
    def server(self) -> Server:
        """What handlers may do to the server."""
        if self._server is None:
            with self._making:
                if self._server is None:
                    self._server = self.make_server()
        return self._server

    @property
    def lifespan(self) -> Lifespan:
        """What the handlers share."""
        if self._lifespan is None:
            from .lifespan import Lifespan

            with self._making:
                if self._lifespan is None:
                    self._lifespan = Lifespan(self.handlers.package, self.log)
        return self._lifespan

    def end_streams(self) -> None:
        """End all subscriptions, because the server stops."""
        if self._server is not None:
            self._server.close()

    def close(self) -> None:
        """Clean up what handlers shared."""
        if self._lifespan is not None:
            self._lifespan.close()

    def cancel_all(self) -> None:
        """Mark every request in flight as cancelled: nothing more is sent for any of them."""
        for context in list(self.in_flight.values()):
            if self.leave(context):
                context._cancel()

    def give_up(self, message: Any, error: BaseException) -> str | None:
        """Return the reply to a message that could not be answered because of a fault in here; None if none is due."""
        self.log.failure("a message could not be answered", error, "critical")
        id_: Any = message.get("id") if type(message) is dict else None
        if type(id_) not in (int, str):
            return None
        context = self.in_flight.get(id_)
        if context is not None and not self.leave(context):
            return None
        return error_reply(encode(id_), INTERNAL_ERROR, "Internal error")

    def unreadable(self, reason: str) -> str:
        """Return the reply to a line that holds no message at all."""
        return error_reply("null", PARSE_ERROR, f"Parse error: {reason}")

    def enter(
        self, owner: Owner | None, id_: Id, id_text: str, name: str, params: dict[str, Any], timeout: float = 0.0
    ) -> Context:
        """Put a request in flight and return its context.

        Args:
            owner: What runs a handler for it; without one it is neither run nor timed.
            id_: Its id.
            id_text: The same as JSON text.
            name: What is called, for log lines.
            params: Its params.
            timeout: Seconds that it may take from here on, with all that has to be loaded first; 0 for any.
        """
        context = self._new_context(self, owner, id_, id_text, name, params, timeout)
        self.in_flight[id_] = self.latest = context
        return context

    def run(self, context: Context, handler: Handler, build: Callable[[Any], Any], arguments: Any) -> Answer:
        """Call a handler for a request in flight and return the reply, or the reply to come.

        Args:
            context: The request.
            handler: Called as handler(build(arguments), context).
            build: Makes what the handler takes.
            arguments: What it makes that of; valid.
        """
        owner: Any = context.owner
        try:
            # In a context of its own, or else what it sets (decimal's precision, say) is there in the next call.
            value = copy_context().run(handler, build(arguments), context)
            if type(value) is CoroutineType:
                return Pending(context, value)
            reply = owner.reply(context, value)
        except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt too: one call never ends the server
            reply = self._ended(context, error)
        return self.finish(context, reply)

    def conclude(self, context: Context, value: object, error: BaseException | None) -> str | None:
        """Return the reply to a request whose ``async def`` handler has ended; None if none is due any more."""
        owner: Any = context.owner
        try:
            reply = self._ended(context, error) if error is not None else owner.reply(context, value)
        except BaseException as problem:  # noqa: BLE001 - a handler may return anything
            reply = self._ended(context, problem)
        return self.finish(context, reply)

    def told(self, revision: str, error: str, **facts: object) -> tuple[int, dict[str, object]]:
        """Return the code of an error as a revision has it, and its data: those of the facts that it has a member for.

        Args:
            revision: One of ours.
            error: Its name in the revision's method table.
            facts: What there is to tell, by the names in ``errors``.
        """
        code, members = self.errors[revision][error]
        return code, {members[fact]: value for fact, value in facts.items() if fact in members}

    def finish(self, context: Context, reply: str) -> str | None:
        """Take a request out of flight and return its reply; None if none is due any more."""
        return reply if self.leave(context) else None

    def leave(self, context: Context) -> bool:
        """Take a request out of flight; False when it has been answered, cancelled or timed out meanwhile."""
        try:
            context._open.pop()
        except IndexError:
            return False
        del self.in_flight[context.id]
        return True

    def expire(self, context: Context) -> str | None:
        """Return the reply to a request whose time is up, and cancel it; None when it has been answered meanwhile."""
        if not self.leave(context):
            return None
        self.log("warning", f"{context.label}: not finished after {context.timeout:g} s")
        owner: Any = context.owner
        reply: str = owner.timed_out(context)
        context._cancel()
        return reply

    def asker(self, context: Context, params: Mapping[str, Any]) -> Asker:
        """Return what carries the questions of a request's handler to the client."""
        owner: object = context.owner
        method = next(method for method, offered in self.methods.items() if offered.serve is owner)
        from .asking import Rounds

        return Rounds(context, self, method, params)

    @property
    def seal(self) -> Seal:
        """What closes and opens the states that clients carry from one round to the next."""
        if self._seal is None:
            from .state import Seal

            with self._making:
                if self._seal is None:
                    self._seal = Seal(self.handlers.package, self.state_lifetime, self.log)
        return self._seal

    def _open_state(self, method: str, params: dict[str, Any]) -> None:
        """Put what a requestState carries in its place, or refuse it, whether anything will ask for it or not."""
        from .state import StateError

        try:
            params["requestState"] = self.seal.open(params["requestState"], method, params)
        except StateError as error:
            raise Refusal(INVALID_PARAMS, f"params/requestState: {error}") from None

    def _ended(self, context: Context, error: BaseException) -> str:
        """Return the reply to a request whose handler has raised."""
        from .context import Interruption

        interruption: BaseException | None = error
        while isinstance(interruption, BaseExceptionGroup):  # as an asyncio.TaskGroup wraps what its tasks raise
            found = interruption.subgroup(Interruption)
            interruption = found and found.exceptions[0]
        if isinstance(interruption, Interruption):
            return f'{{"jsonrpc":"2.0","id":{context.id_text}{interruption.rest}'
        owner: Any = context.owner
        try:
            failed: str = owner.failed(context, error)
        except BaseException as second:  # noqa: BLE001 - an exception class of a handler's own may do anything
            self.log.failure(f"{context.name} failed, and so did telling why", second)
            return error_reply(context.id_text, INTERNAL_ERROR, "Internal error")
        return failed

    def _notified(self, method: str, params: Any) -> None:
        if method == "notifications/cancelled" and type(params) is dict:
            id_: Any = params.get("requestId")
            context = self.in_flight.get(id_) if type(id_) in (int, str) else None
            if context is not None and self.leave(context):
                context._cancel()
                reason: Any = params.get("reason")
                why = f": {reason[:_REASON]}" if type(reason) is str else ""
                self.log("info", f"{context.label}: cancelled by the client{why}")

    def _invalid(self, message: Any) -> str:
        """Return the error for something that is JSON but no JSON-RPC message."""
        if type(message) is not dict:
            found = "an array: this revision has no batches" if type(message) is list else f"{encode(message)[:80]}"
            return error_reply("null", INVALID_REQUEST, f"a message must be an object, not {found}")
        id_ = message.get("id")
        id_text = encode(id_) if type(id_) in (int, str) else "null"
        if message.get("jsonrpc") != "2.0":
            return error_reply(id_text, INVALID_REQUEST, 'jsonrpc must be "2.0"')
        return error_reply(id_text, INVALID_REQUEST, "method must be a string")

    def _unknown(self, id_text: str, method: str, message: Any) -> Answer:
        if method in self.openings and self.open_era is not None:
            self.openings = frozenset()
            self.receive = self.open_era(self)
            return self.receive(message)
        spoken = ", ".join(self.revisions)
        if method == "initialize":
            text = f"There is no handshake here: this server speaks {spoken}; open with server/discover"
            _, data = self.told(self.revisions[0], "unsupportedProtocolVersion", spoken=self.revisions)
            return error_reply(id_text, METHOD_NOT_FOUND, text, data)
        return error_reply(id_text, METHOD_NOT_FOUND, f"Method not found: {method[:200]}")

    def _refuse(self, method: str, offered: Method, params: Any) -> None:
        """Raise the first refusal that is due for params that were not accepted, in the documented order."""
        if type(params) is not dict:
            raise Refusal(INVALID_PARAMS, "params must be an object that holds _meta")
        meta: Any = params.get("_meta")
        if type(meta) is not dict:
            raise Refusal(INVALID_PARAMS, "params._meta must be an object")
        version: Any = meta.get(VERSION_KEY)
        # Metadata is judged by the revision it names; where that is none of ours, by the one we prefer.
        known = type(version) is str and version in self._metadata
        revision = version if known else self.revisions[0]
        violations = self._violations(revision, self._metadata[revision][1], meta)
        if violations:
            raise Refusal(INVALID_PARAMS, in_short([f"params/_meta{violation}" for violation in violations]))
        if not known:
            text = f"Unsupported protocol version {version[:80]}: this server speaks {', '.join(self.revisions)}"
            preferred, error = self.revisions[0], "unsupportedProtocolVersion"
            code, data = self.told(preferred, error, spoken=self.revisions, asked=version)
            raise Refusal(code, text, data)
        if version not in offered.accepts:
            raise Refusal(METHOD_NOT_FOUND, f"Method not found in revision {version}: {method}")
        violations = self._violations(version, offered.prefixes[version], params)
        raise Refusal(INVALID_PARAMS, in_short([f"params{violation}" for violation in violations]))

    def _violations(self, revision: str, prefix: str, value: object) -> list[Violation]:
        """Return what is wrong with a part of a request."""
        explain: Explains = getattr(
            self.handlers.module(f"validators.{self.refusals[revision]}"), f"{prefix}_violations"
        )
        return explain(value)


def _nowhere(_: str) -> None:
    """Take what a handler says while no transport is there to carry it."""
