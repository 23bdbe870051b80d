"""Messages held against the protocol's own definitions."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from toolmint.revision import load_revision

REVISION = "2026-07-28"


@cache
def _validator(definition: str, revision: str) -> Draft202012Validator:
    return Draft202012Validator(
        load_revision(revision).schema(definition), format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def assert_valid(message: Any, request_method: str | None = None, revision: str = REVISION) -> None:
    """Fail unless a message that a server has sent is what a revision defines.

    Args:
        message: A response or a notification.
        request_method: For a response, the method of the request that it answers.
        revision: The revision's name.
    """
    methods = load_revision(revision).methods
    if "method" in message:
        definitions = [methods[message["method"]].message]
    elif "error" in message:
        definitions = ["JSONRPCErrorResponse"]
    else:
        assert request_method is not None, "a result is judged by the method of its request"
        method = methods[request_method]
        assert message["result"]["resultType"] in ("complete", "input_required")
        asks = message["result"]["resultType"] == "input_required"
        assert method.input_required or not asks, f"{request_method} may not ask for input"
        assert not (asks and {"ttlMs", "cacheScope"} & message["result"].keys()), "nothing to keep"
        assert method.result is not None
        definitions = ["JSONRPCResultResponse", "InputRequiredResult" if asks else method.result]
    for definition in definitions:
        whole = definition.startswith("JSONRPC") or "method" in message
        judged = message if whole else message["result"]
        errors = [
            f"{error.json_path}: {error.message[:300]}"
            for error in _validator(definition, revision).iter_errors(judged)
        ]
        assert not errors, f"no valid {definition}: {errors}"
