"""Around every call: what the store does not have is told in the way of whatever was called."""

from collections.abc import Generator

from .api import InvalidParams, ResourceNotFound, ToolError
from .runtime.middleware import Call
from .store import StoreError

_ERRORS = {"tool": ToolError, "resource": ResourceNotFound, "prompt": InvalidParams}


def explain_what_is_missing(call: Call) -> Generator[None, object, None]:
    """Let the caller read what the store says."""
    try:
        yield
    except StoreError as error:
        raise _ERRORS[call.kind](str(error)) from None


MIDDLEWARE = [explain_what_is_missing]
