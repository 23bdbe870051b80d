"""Secrets asked for where they pass through the host and the model: in forms and in arguments."""

import re
from collections.abc import Iterator
from typing import Any

from toolmint.manifest import identifier
from toolmint.manifest.wording import shown
from toolmint.review.contract import Contract, Finding, entry_path

_SECRET = re.compile(
    r"\b(?:"
    r"pass ?(?:words?|wd|phrases?|codes?)|pwd|secrets?(?: keys?| access keys?)?|credentials?"
    r"|(?:api|access|private|encryption|signing|license|ssh) ?keys?"
    r"|(?:access|auth(?:entication|orization)?|bearer|refresh|api|session|secret|security|personal access|bot|oauth)"
    r" ?tokens?|tokens?$"
    r"|(?:credit|debit|bank|payment) ?cards?|card ?(?:numbers?|no|details)|cvv2?|cvc2?|iban|bank account(?: numbers?)?"
    r"|pin(?: ?codes?| numbers?)?|ssn|social security(?: numbers?)?"
    r"|(?:one[- ]?time|verification|2fa|mfa|totp|sms) ?(?:pass)?codes?|otp"
    r"|(?:seed|recovery|mnemonic) ?(?:phrases?|words)"
    r")\b"
)
_NO_SECRET = re.compile(
    r"\b(?:page|next|max|min|number of|cursor|continuation|count of|how many|no|without|never|reset)\b[ \w]{0,20}$"
)


_SECRET_NAME = re.compile(
    r"(?:.*_)?(?:password|passwd|passphrase|api_key|access_key|secret_key|private_key|client_secret"
    r"|(?:access|api|auth|bearer|refresh|session)_token)"
)


def asked_in_arguments(contract: Contract) -> Iterator[Finding]:
    """No tool takes a secret: a model would have to be told it first, and hosts keep arguments in their logs."""
    for schema in contract.inputs:
        properties = schema.root.get("properties")
        for name, value in properties.items() if isinstance(properties, dict) else ():
            typed = value.get("type") if isinstance(value, dict) else None
            if typed in ("string", None) and _SECRET_NAME.fullmatch(identifier(name)):
                yield Finding(
                    code="secret-parameter",
                    path=(*schema.path, "properties", name),
                    message=f"{shown(name)} is a secret that a model has to be told, and that hosts keep in their logs",
                    hint="read it from the environment, or ask the user with an elicitation in `mode: url`",
                    key=True,
                )


def asked_in_forms(contract: Contract) -> Iterator[Finding]:
    """No form asks for a secret (elicitation, Security: form mode must not; url mode is for that)."""
    for entry in contract.manifest.entries:
        for index, elicitation in enumerate(entry.elicits):
            if elicitation.mode != "form" or elicitation.requested_schema is None:
                continue
            path = (*entry_path(entry.pointer), "elicits", index)
            fields = elicitation.requested_schema.get("properties", {})
            named = [(name, secret) for name, field in fields.items() if (secret := _secret_in(_about(name, field)))]
            for name, secret in named:
                yield Finding(
                    code="secret-in-form",
                    path=(*path, "requestedSchema", "properties", name),
                    message=f"the form asks for a secret in {shown(name)} ({shown(secret)}); the protocol forbids that,"
                    " since what is typed there passes through the host",
                    hint="ask with `mode: url`, on a page of your own, or read it from the environment",
                    key=True,
                )
            secret = _secret_in([elicitation.message])
            if secret and not named:
                yield Finding(
                    code="secret-in-form",
                    path=(*path, "message"),
                    message=f"the form's message asks for a secret ({shown(secret)}); the protocol forbids that,"
                    " since what is typed there passes through the host",
                    hint="ask with `mode: url`, on a page of your own, or read it from the environment",
                )


def _about(name: str, field: Any) -> list[str]:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_.-]+", " ", name)
    texts = [field.get(key) for key in ("title", "description")] if isinstance(field, dict) else []
    return [words, *(text for text in texts if isinstance(text, str))]


def _secret_in(texts: list[str]) -> str:
    """Return the words that name a secret; the empty string where there are none."""
    for text in texts:
        lowered = text.lower()
        for found in _SECRET.finditer(lowered):
            if not _NO_SECRET.search(lowered[: found.start()]):
                return found[0]
    return ""
