"""Messages held against the protocol's own definitions, and against the requests they answer."""

import json
import re
from functools import cache, lru_cache
from typing import Any, NoReturn

from jsonschema import Draft202012Validator

from toolmint.assets import SCHEMAS
from toolmint.revision import known_revisions, load_revision

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


SERVER_INFO = "io.modelcontextprotocol/serverInfo"
VERSION = "io.modelcontextprotocol/protocolVersion"
REVISIONS = frozenset(folder.name for folder in SCHEMAS.iterdir())
META_KEY = re.compile(
    r"(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*/)?"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?"
)
"""A key of ``_meta``: labels with dots between them and a slash, and a name that begins and ends alphanumeric."""

_STANDARD_CODES = {-32700, -32600, -32601, -32602, -32603}
_REVISION_CODES = {-32021, -32022}
"""What this revision defines beyond JSON-RPC, for transports without headers."""


def parse(line: bytes) -> Any:
    """Return the JSON value of a line, read strictly: UTF-8, no NaN, no member twice."""
    assert line.endswith(b"\n"), line[-200:]
    return json.loads(line.decode(), object_pairs_hook=_members, parse_constant=_refuse)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    assert len(members) == len(pairs), f"a member stands twice among {[name for name, _ in pairs]}"
    return members


def _refuse(text: str) -> NoReturn:
    raise AssertionError(f"{text} is not JSON")


class Exchange:
    """Judges all that a server writes on one connection by what it has been sent."""

    def __init__(self) -> None:
        self._asked: dict[tuple[type, Any], tuple[str, str]] = {}
        self._session = ""
        """The revision that ``initialize`` has agreed on, if it has."""

    def sent(self, data: bytes) -> None:
        """Note the requests among some lines for the server, which may be no JSON at all."""
        for line in data.split(b"\n"):
            if b'"method"' in line:
                try:
                    self._note(json.loads(line))
                except (ValueError, RecursionError):
                    continue

    def _note(self, message: Any) -> None:
        if isinstance(message, list):
            for one in message:
                self._note(one)
        if not isinstance(message, dict):
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if message.get("method") == "notifications/cancelled":
            self._asked.pop(_key(params.get("requestId")), None)
        elif "id" in message and isinstance(message["method"], str):
            meta = params.get("_meta")
            version = meta.get(VERSION) if isinstance(meta, dict) else None
            # The first of two with one id is the one that is served.
            self._asked.setdefault(_key(message["id"]), (message["method"], str(version)))

    def received(self, line: bytes) -> Any:
        """Return the message that a line holds; fail if the server may not send it."""
        message = parse(line)
        if isinstance(message, list):
            assert self._session and load_revision(self._session).batches, f"no object: {line[:200]!r}"
            assert message, "an empty batch"
            for one in message:
                self._judge(one)
        else:
            self._judge(message)
        return message

    def _judge(self, message: Any) -> None:
        line = json.dumps(message)[:200]
        assert isinstance(message, dict), f"no object: {line}"
        if "method" in message:
            if self._session and not self._is_modern(message):
                judge_handshake(line_without_id(message), None, self._session)
                return
            assert "id" not in message, f"a request from the server: {line}"
        request = None
        if "result" in message or "error" in message:
            assert "id" in message, "a response without id"
            id_ = message["id"]
            refused = "error" in message and message["error"].get("code") == -32600
            assert type(id_) in (int, str) or (id_ is None and "error" in message), f"id {id_!r}"
            request = self._asked.get(_key(id_))
            if not refused or (request and request[0] == "initialize"):  # or else the first of that id goes on
                self._asked.pop(_key(id_), None)
        method, version = request or (None, REVISION)
        if method == "initialize" and version == "None" and "result" in message:
            self._session = message["result"]["protocolVersion"]
        if version == "None" and (self._session or method == "ping"):
            judge_handshake(line_without_id(message), method, self._session or HANDSHAKES[-1])
        else:
            judge(line_without_id(message), method, version)

    def _is_modern(self, message: Any) -> bool:
        """Say whether a notification may belong to a modern request that is in flight."""
        if "id" in message or not any(version == REVISION for _, version in self._asked.values()):
            return False
        try:
            judge(line_without_id(message), None, REVISION)
        except AssertionError:
            return False
        return True


HANDSHAKES = known_revisions(era="handshake")


@lru_cache(4096)
def judge_handshake(text: str, method: str | None, name: str) -> None:
    """Fail unless a message may be sent in a revision of the handshake era: it holds nothing that this does not know.

    Args:
        text: The message.
        method: What it answers, if that is known.
        name: The revision's name.
    """
    message = json.loads(text)
    revision = load_revision(name)
    assert message["jsonrpc"] == "2.0"
    assert sum(member in message for member in ("method", "result", "error")) == 1, text[:200]
    if "error" in message:
        error = message["error"]
        known = {code.code for code in revision.errors.values()} - {-32042}
        assert type(error["code"]) is int
        assert error["code"] in known, f"code {error['code']} is none of {name}'s"
        assert "\n" not in error["message"], error["message"]
        assert "Traceback" not in error["message"], error["message"]
        return
    if "method" in message:
        definition, judged = revision.methods[message["method"]].message, message
    else:
        assert method is not None, "a result is judged by the method of its request"
        result = revision.methods[method].result
        assert result is not None
        definition, judged = result, message["result"]
        assert result != "EmptyResult" or set(judged) <= {"_meta"}, text[:200]
    errors = [
        f"{error.json_path}: {error.message[:300]}" for error in _closed_validator(definition, name).iter_errors(judged)
    ]
    assert not errors, f"no valid {definition} in {name}: {errors}"
    for key in _meta_keys(message):
        assert META_KEY.fullmatch(key), f"{key!r} is no key for _meta"
        assert not key.startswith("io.modelcontextprotocol/"), f"{name} has no {key}"


@cache
def _closed_validator(definition: str, name: str) -> Draft202012Validator:
    """Return a validator that also refuses members which a definition does not name, wherever it names some."""
    schema = load_revision(name).schema(definition)
    return Draft202012Validator(_closed(schema), format_checker=Draft202012Validator.FORMAT_CHECKER)


def _closed(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    closed = dict(schema)
    for keyword in ("properties", "$defs"):
        if keyword in schema:
            closed[keyword] = {name: _closed(part) for name, part in schema[keyword].items()}
    if "anyOf" in schema:
        closed["anyOf"] = [_closed(part) for part in schema["anyOf"]]
    if "items" in schema:
        closed["items"] = _closed(schema["items"])
    properties = schema.get("properties")
    if properties and properties.get("type", {}).get("const") != "object":  # a JSON Schema may say more
        closed.setdefault("additionalProperties", {} if set(properties) <= {"_meta", "progressToken"} else False)
        if "method" in properties:  # what every message has besides, where the definition leaves that to JSON-RPC
            closed["properties"] = {"jsonrpc": {}, "id": {}, **closed["properties"]}
    return closed


def _key(id_: object) -> tuple[type, Any]:
    return type(id_), id_ if isinstance(id_, str | int) else None


def line_without_id(message: dict[str, Any]) -> str:
    """Return a message's text that is the same for all answers that differ in their ids alone."""
    return json.dumps({**message, "id": 0} if "id" in message else message)


@lru_cache(4096)
def judge(text: str, method: str | None, version: str) -> None:
    """Fail unless a message may be sent at all and, if it is known what it answers, as an answer to that."""
    message = json.loads(text)
    assert message["jsonrpc"] == "2.0"
    assert sum(member in message for member in ("method", "result", "error")) == 1, text[:200]
    if "error" in message:
        error = message["error"]
        assert type(error["code"]) is int
        if -32768 <= error["code"] <= -32000:
            assert error["code"] in _STANDARD_CODES | _REVISION_CODES, f"code {error['code']} is reserved"
        assert "\n" not in error["message"], error["message"]
        assert "Traceback" not in error["message"], error["message"]
    if "result" in message:
        info = message["result"]["_meta"][SERVER_INFO]
        assert info["name"]
        assert info["version"]
    for key in _meta_keys(message):
        assert META_KEY.fullmatch(key), f"{key!r} is no key for _meta"
    other = version != REVISION and version in REVISIONS
    if not other and ("result" not in message or method in load_revision(REVISION).methods):
        assert_valid(message, method)


def _meta_keys(value: Any) -> Any:
    if isinstance(value, dict):
        meta = value.get("_meta")
        if isinstance(meta, dict):
            yield from meta
        for member in value.values():
            yield from _meta_keys(member)
    elif isinstance(value, list):
        for item in value:
            yield from _meta_keys(item)
