# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What is wrapped around every call: the functions of the package's own ``middleware`` module, in their order.

Each is a generator function. It is given the call, does what comes before, yields once, and is sent the handler's
result (or has its exception raised at the yield); what it returns, if it is not None, takes the result's place::

    def audit(call: Call) -> Generator[None, object, object]:
        if call.name in FORBIDDEN:
            raise ToolError("not allowed here")
        result = yield
        record(call.name, call.arguments)
        return None

    MIDDLEWARE = [audit]

The first in the list is the outermost. ``def`` and ``async def`` handlers are treated alike.
"""

from __future__ import annotations

import sys
from types import CoroutineType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any, TypeAlias

    from .context import Context

    Middleware: TypeAlias = "Callable[[Call], Generator[None, Any, Any]]"
    Handler: TypeAlias = Callable[[Any, Context], Any]


class Call:
    """One call of a handler.

    Attributes:
        kind: ``tool``, ``resource``, ``prompt`` or ``completion``.
        name: Its name on the wire; for a resource its URI, or the URI template that it was found by; for a completion
            what is completed. What is fixed in the manifest, or a file, is served without any call.
        arguments: What the handler is given: validated, and typed.
        context: The request.
    """

    __slots__ = ("arguments", "context", "kind", "name")

    def __init__(self, kind: str, name: str, arguments: Any, context: Context) -> None:
        """Hold a call; the runtime does this."""
        self.kind = kind
        self.name = name
        self.arguments = arguments
        self.context = context


def load_middleware(package: str) -> Sequence[Middleware]:
    """Return the middleware of a package, and none where it has no module of that name.

    Raises:
        Exception: Whatever importing the module raises: a server whose authorisation cannot be loaded serves nobody.
    """
    name = f"{package}.middleware"
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return ()
        raise
    functions: Sequence[Middleware] = sys.modules[name].MIDDLEWARE
    return functions


def wrap(handler: Handler, middleware: Sequence[Middleware], kind: str, name: str) -> Handler:
    """Return a handler that runs another one inside of some middleware; the handler itself where there is none."""
    if not middleware:
        return handler

    def wrapped(arguments: Any, context: Context) -> Any:
        call = Call(kind, name, arguments, context)
        entered: list[Generator[None, Any, Any]] = []
        try:
            for function in middleware:
                generator = function(call)
                next(generator)
                entered.append(generator)
            value = handler(arguments, context)
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything
            return _leave_by_error(entered, error)
        if type(value) is CoroutineType:
            return _finish(value, entered)
        return _leave(entered, value)

    return wrapped


async def _finish(coroutine: Any, entered: list[Generator[None, Any, Any]]) -> Any:
    try:
        value = await coroutine
    except BaseException as error:  # noqa: BLE001 - a handler may raise anything
        return _leave_by_error(entered, error)
    return _leave(entered, value)


def _leave(entered: list[Generator[None, Any, Any]], value: Any) -> Any:
    while entered:
        generator = entered.pop()
        try:
            generator.send(value)
        except StopIteration as end:
            if end.value is not None:
                value = end.value
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything
            return _leave_by_error(entered, error)
        else:
            generator.close()
            return _leave_by_error(entered, RuntimeError(f"middleware yielded twice: {generator!r}"))
    return value


def _leave_by_error(entered: list[Generator[None, Any, Any]], error: BaseException) -> Any:
    while entered:
        try:
            entered.pop().throw(error)
        except StopIteration as end:  # the middleware made a result of the error
            return _leave(entered, end.value)
        except BaseException as another:  # noqa: BLE001 - a handler may raise anything
            error = another
    raise error
