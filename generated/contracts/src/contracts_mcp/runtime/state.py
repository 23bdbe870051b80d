# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""requestState: what a call has been told so far, handed to the client and taken back without believing it.

The text is ``<payload>.<seal>``, both base64url without padding (RFC 4648, section 5). The seal is an HMAC-SHA256
(RFC 2104) of the payload's text, compared as text in constant time, so no other spelling of the same bytes is
accepted. The payload says until when it may be used and for which request: a digest of the method and of the params
without ``_meta``, ``inputResponses`` and ``requestState`` (revision 2026-07-28, Multi Round-Trip Requests).

A client can read a state, not change it. TOOLMINT_STATE_KEY holds the key; without it each process makes its own, so
that a state does not outlive the process. A state can be presented more than once while it lasts.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode

from .jsontext import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

STATE_LIMIT = 1 << 18
"""How many characters a state may have, both ways."""

_ENVIRONMENT_VARIABLE = "TOOLMINT_STATE_KEY"
_SHORTEST_KEY = 16
_PROCESS_KEY = os.urandom(32)
_NOT_BOUND = frozenset({"_meta", "inputResponses", "requestState"})


class StateError(ValueError):
    """A state that is not accepted, or cannot be made; the text says why and tells nothing of what it holds."""


class State:
    """What a call has been told so far.

    Attributes:
        answers: The client's answers by their questions' keys.
        asked: For questions that the user consents to, a digest of what was shown, by key.
        kept: Values that the handler wanted to keep, by its own keys.
    """

    __slots__ = ("answers", "asked", "kept")

    def __init__(self, answers: dict[str, Any], asked: dict[str, str], kept: dict[str, Any]) -> None:
        """Hold what is known."""
        self.answers = answers
        self.asked = asked
        self.kept = kept


class Seal:
    """Makes and opens states for one server.

    Args:
        server: What tells this server from others that have the same key: its package.
        lifetime: Seconds for which a state is accepted.
        log: Where to complain about a key that can be guessed.
    """

    def __init__(self, server: str, lifetime: float, log: Callable[[str, str], None]) -> None:
        """Take the key from the environment, or the process's own."""
        secret = os.environ.get(_ENVIRONMENT_VARIABLE, "").encode("utf-8", "surrogateescape") or _PROCESS_KEY
        if len(secret) < _SHORTEST_KEY:
            log(
                "warning",
                f"{_ENVIRONMENT_VARIABLE} has only {len(secret)} bytes, so states can be forged by guessing it:"
                f" use {_SHORTEST_KEY} or more from a random source",
            )
        # The number is the payload's format: a state of another one is as good as forged.
        self._key = hmac.digest(secret, b"requestState 1 of " + server.encode(), "sha256")
        self._lifetime = lifetime

    def close(self, state: State, method: str, params: Mapping[str, Any]) -> str:
        """Return a state as text for the client.

        Raises:
            StateError: It is too large.
            TypeError, ValueError: Something in it is no JSON value.
        """
        payload = {
            "until": time.time() + self._lifetime,
            "for": _digest(method, params),
            "answers": state.answers,
            "asked": state.asked,
            "kept": state.kept,
        }
        text = _to_text(encode(payload).encode())
        if len(text) > STATE_LIMIT - 64:
            raise StateError(f"what has to be carried takes {len(text)} characters; {STATE_LIMIT - 64} are the most")
        return f"{text}.{self._seal(text)}"

    def open(self, text: str, method: str, params: Mapping[str, Any]) -> State:
        """Return the state that a client has presented with a request.

        Raises:
            StateError: It is not one that this server made for this request, or its time is over.
        """
        payload_text, _, seal = text.partition(".") if len(text) <= STATE_LIMIT and text.isascii() else ("", "", "")
        if not hmac.compare_digest(seal, self._seal(payload_text)):
            raise StateError("not issued by this server, or changed since")
        payload = decode(urlsafe_b64decode(payload_text + "=" * (-len(payload_text) % 4)))
        if payload["for"] != _digest(method, params):
            raise StateError("issued for another request: method, name and arguments must be the same")
        if payload["until"] < time.time():
            raise StateError("its time is over: call again without it")
        return State(payload["answers"], payload["asked"], payload["kept"])

    def _seal(self, text: str) -> str:
        return _to_text(hmac.digest(self._key, text.encode(), "sha256"))


def digest(value: object) -> str:
    """Return a SHA-256 of a JSON value that is the same for equal values: any order of members, 1 or 1.0."""
    text = encode(_canonical(value))
    return _to_text(hashlib.sha256(text.encode()).digest())


def _digest(method: str, params: Mapping[str, Any]) -> str:
    # Absent arguments and empty ones are the same call.
    bound = {name: value for name, value in params.items() if name not in _NOT_BOUND and value not in (None, {})}
    return digest([method, bound])


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _to_text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")
