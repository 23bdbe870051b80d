# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Several messages in one line, as the one revision has them that knows batches (JSON-RPC 2.0, section 6).

They are answered in one line too, when all of them are done: ``def`` handlers one after the other in a thread of the
batch's own, ``async def`` handlers all at once.
"""

from __future__ import annotations

import asyncio
import threading
from functools import partial

from ..dispatcher import INVALID_REQUEST, VERSION_KEY, Pending, error_reply
from ..jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..context import Context
    from ..dispatcher import Answer
    from .session import Session

MOST_MESSAGES = 256
"""How many messages a batch may have."""


class Batch:
    """Serves a batch; for the transport, what runs it is the handler of a single request.

    Args:
        session: Answers each message.
        messages: What the array holds.
    """

    def __init__(self, session: Session, messages: Sequence[Any]) -> None:
        """Answer nothing yet."""
        self._session = session
        self._messages = messages
        self._replies: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._late: list[asyncio.TimerHandle] = []
        self._loop: asyncio.AbstractEventLoop

    async def run(self) -> None:
        """Answer all messages."""
        self._loop = asyncio.get_running_loop()
        served = asyncio.Event()
        threading.Thread(target=self._serve, args=[served], name="batch", daemon=True).start()
        await served.wait()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for timer in self._late:
            timer.cancel()

    def entered(self, context: Context) -> None:
        """Have a request of the batch end when its time is up."""
        if context.timeout:
            self._soon(self._limit, context, context.timeout)

    def reply(self, _context: Context, _value: object) -> str:
        """Return the line that answers the batch; an empty text where no answer is due."""
        return f"[{','.join(self._replies)}]\n" if self._replies else ""

    def failed(self, context: Context, _error: BaseException) -> str:
        """Return the line with what has been answered so far."""
        return self.reply(context, None)

    def timed_out(self, context: Context) -> str:
        """Return the line with what has been answered so far."""
        return self.reply(context, None)

    def _serve(self, served: asyncio.Event) -> None:
        session, thread = self._session, threading.get_ident()
        session.batches[thread] = self
        try:
            for message in self._messages:
                answer = _answer(session, message)
                if isinstance(answer, Pending):
                    self._soon(self._start, answer)
                else:
                    self._add(answer)
        finally:
            del session.batches[thread]
            self._soon(served.set)

    def _start(self, pending: Pending) -> None:
        task = self._loop.create_task(self._run(pending))
        self._tasks.append(task)
        pending.context._on_cancel(partial(self._soon, task.cancel))

    async def _run(self, pending: Pending) -> None:
        value: object = None
        error: BaseException | None = None
        try:
            value = await pending.coroutine
        except BaseException as problem:  # noqa: BLE001 - a handler may raise anything
            error = problem
        self._add(self._session.conclude(pending.context, value, error))

    def _limit(self, context: Context, seconds: float) -> None:
        self._late.append(self._loop.call_later(seconds, self._expire, context, self._loop.time() + seconds))

    def _expire(self, context: Context, due: float) -> None:
        left = due + context.idle - self._loop.time()
        if left > 0 and not context.answered:
            self._limit(context, left)
        else:
            self._add(self._session.expire(context))

    def _add(self, reply: str | None) -> None:
        if reply is not None:
            self._replies.append(reply.rstrip("\n"))

    def _soon(self, function: Any, *args: Any) -> None:
        self._loop.call_soon_threadsafe(function, *args)


def answer_batch(session: Session, messages: Sequence[Any]) -> Answer:
    """Return the reply to a batch, or the reply to come.

    Args:
        session: Answers each message.
        messages: What the array holds.
    """
    if not messages:
        return error_reply("null", INVALID_REQUEST, "a batch must have a message in it")
    if len(messages) > MOST_MESSAGES:
        text = f"a batch may have {MOST_MESSAGES} messages at most, not {len(messages)}: send several"
        return error_reply("null", INVALID_REQUEST, text)
    batch = Batch(session, messages)
    context = session.enter(batch, f"{_NO_ID}{id(batch)}", "null", "a batch", {"_meta": {}})
    return Pending(context, batch.run())


_NO_ID = "\ud800batch "
"""What the key of a batch among the requests in flight begins with: a lone surrogate, so that hardly any id does."""


def _answer(session: Session, message: Any) -> Answer:
    if type(message) is list:
        return error_reply("null", INVALID_REQUEST, "a batch cannot hold another")
    if type(message) is dict and (message.get("method") == "initialize" or _is_modern(message)):
        if "id" not in message:
            return None
        id_ = message["id"]
        text = "this request cannot be part of a batch: send it in a line of its own"
        return error_reply(encode(id_) if type(id_) in (int, str) else "null", INVALID_REQUEST, text)
    return session(message)


def _is_modern(message: dict[str, Any]) -> bool:
    params = message.get("params")
    meta = params.get("_meta") if type(params) is dict else None
    return type(meta) is dict and VERSION_KEY in meta
