"""Several messages in one line, as the one revision has them that knows batches (JSON-RPC 2.0, section 6).

They are answered in one line too, when all of them are done. ``def`` handlers run one after the other, ``async def``
handlers all at once.
"""

from __future__ import annotations

from functools import partial

from ..dispatcher import INVALID_REQUEST, VERSION_KEY, Pending, error_reply
from ..jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence
    from typing import Any

    from ..context import Context
    from ..dispatcher import Answer
    from .session import Session

MOST_MESSAGES = 256
"""How many messages a batch may have."""


class _Batch:
    """Serves a batch whose ``async def`` handlers are still to run: the owner of a request that is no request."""

    def __init__(self, session: Session, done: list[str], pending: Sequence[Pending]) -> None:
        self._session = session
        self._done = done
        self._pending = pending

    async def run(self) -> list[str]:
        """Run the handlers and return all replies."""
        import asyncio

        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(self._run(pending)) for pending in self._pending]
        for pending, task in zip(self._pending, tasks, strict=True):
            pending.context._on_cancel(partial(_cancel_soon, loop, task))
        late = [
            loop.call_later(context.timeout, self._expire, context, task)
            for context, task in zip((pending.context for pending in self._pending), tasks, strict=True)
            if context.timeout
        ]
        await asyncio.wait(tasks)
        for handle in late:
            handle.cancel()
        return self._done

    def reply(self, _: Context, value: Any) -> str:
        """Return the line that answers the batch; nothing where no answer is due."""
        return joined(value)

    def failed(self, _context: Context, _error: BaseException) -> str:
        """Return the line with what has been answered so far."""
        return joined(self._done)

    def timed_out(self, _: Context) -> str:
        """Return the line with what has been answered so far."""
        return joined(self._done)

    async def _run(self, pending: Pending) -> None:
        value: object = None
        error: BaseException | None = None
        try:
            value = await pending.coroutine
        except BaseException as problem:  # noqa: BLE001 - a handler may raise anything
            error = problem
        self._add(self._session.conclude(pending.context, value, error))

    def _expire(self, context: Context, task: asyncio.Task[None]) -> None:
        self._add(self._session.expire(context))
        task.cancel()

    def _add(self, reply: str | None) -> None:
        if reply is not None:
            self._done.append(reply)


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
    done: list[str] = []
    pending: list[Pending] = []
    for message in messages:
        answer = _answer(session, message)
        if isinstance(answer, Pending):
            pending.append(answer)
        elif answer is not None:
            done.append(answer)
    if not pending:
        return joined(done) if done else None
    batch = _Batch(session, done, pending)
    context = session.enter(batch, f"{_BATCH} {id(batch)}", "null", "a batch", {"_meta": {}})
    return Pending(context, batch.run())


def _cancel_soon(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    loop.call_soon_threadsafe(task.cancel)


_BATCH = "\ud800 batch"  # a lone surrogate, which no request's id can be equal to by accident


def _answer(session: Session, message: Any) -> Answer:
    if type(message) is list:
        return error_reply("null", INVALID_REQUEST, "a batch cannot hold another")
    if type(message) is dict and (message.get("method") == "initialize" or _is_modern(message)):
        id_ = message.get("id")
        if "id" not in message:
            return None
        text = "this request cannot be part of a batch: send it in a line of its own"
        return error_reply(encode(id_) if type(id_) in (int, str) else "null", INVALID_REQUEST, text)
    return session(message)


def _is_modern(message: dict[str, Any]) -> bool:
    params = message.get("params")
    meta = params.get("_meta") if type(params) is dict else None
    return type(meta) is dict and VERSION_KEY in meta


def joined(replies: Sequence[str]) -> str:
    """Return replies as one line."""
    return "[" + ",".join(reply.rstrip("\n") for reply in replies) + "]\n" if replies else ""
