"""What a line must get, worked out anew from the rules: slowly, plainly, and without the code under test."""

import json
from typing import Any

from hostile.everything import MANIFEST  # noqa: F401 - the rules below are about this server
from servers import REVISION

LINE_LIMIT = 16 * 1024 * 1024
PREFIX = "io.modelcontextprotocol/"

PARSE, INVALID, NOT_FOUND, PARAMS, VERSION = -32700, -32600, -32601, -32602, -32022

Expected = tuple[str, object, int | None] | None
"""``("error", id, code)``, ``("result", id, None)``, ``("stream", id, None)``; None: no answer."""

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
METHODS = (
    *LISTS, "server/discover", "tools/call", "prompts/get", "resources/read", "completion/complete", "subscriptions/listen",
)  # fmt: skip


class Unreadable(Exception):
    """No JSON that is accepted."""


class UnsureError(Exception):
    """Rules that are tested elsewhere decide here: which URIs a template matches."""


def expected(line: bytes) -> Expected:
    """Return what a line must get, when no request is in flight."""
    if not line.strip(b" \t\r\n"):
        return None
    try:
        message = read(line)
    except Unreadable:
        return ("error", None, PARSE)
    if not isinstance(message, dict):
        return ("error", None, INVALID)
    id_ = message.get("id")
    id_ok = isinstance(id_, int | str) and not isinstance(id_, bool)
    shown = id_ if id_ok else None
    if message.get("jsonrpc") != "2.0":
        return ("error", shown, INVALID)
    if not isinstance(message.get("method"), str):
        if "method" not in message and ("result" in message or "error" in message):
            return None
        return ("error", shown, INVALID)
    if "id" not in message:
        return None
    if not id_ok:
        return ("error", None, INVALID)
    method = message["method"]
    if method not in METHODS:
        return ("error", id_, NOT_FOUND)
    code = judged(method, message.get("params"))
    if code is not None:
        return ("error", id_, code)
    return ("stream" if method == "subscriptions/listen" else "result", id_, None)


def read(line: bytes) -> Any:
    """Return the value of a line, or raise Unreadable."""

    def no_constant(text: str) -> Any:
        raise Unreadable(text)

    def finite(text: str) -> float:
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise Unreadable(text)
        return value

    if len(line) > LINE_LIMIT:
        raise Unreadable("too long")
    try:
        text = line.decode("utf-8").strip(" \t\r\n")
        if text.startswith("\ufeff"):
            raise Unreadable("a byte order mark")
        if depth(text) > 128:
            raise Unreadable("too deep")
        return json.loads(text, parse_constant=no_constant, parse_float=finite)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def depth(text: str) -> int:
    """Return how deep arrays and objects are nested, character by character."""
    deepest = now = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            now += 1
            deepest = max(deepest, now)
        elif character in "]}":
            now -= 1
    return deepest


def judged(method: str, params: Any) -> int | None:
    """Return the code of the error that params get; None if they are served."""
    if not isinstance(params, dict) or not isinstance(params.get("_meta"), dict):
        return PARAMS
    meta = params["_meta"]
    version = meta.get(PREFIX + "protocolVersion")
    if not isinstance(version, str) or not metadata_fits(meta):
        return PARAMS
    if version != REVISION:
        return VERSION
    return None if params_fit(method, params) else PARAMS


def metadata_fits(meta: dict[str, Any]) -> bool:
    if not capabilities_fit(meta.get(PREFIX + "clientCapabilities")):
        return False
    if PREFIX + "clientInfo" in meta and not implementation_fits(meta[PREFIX + "clientInfo"]):
        return False
    if PREFIX + "logLevel" in meta and meta[PREFIX + "logLevel"] not in LEVELS:
        return False
    return "progressToken" not in meta or is_id(meta["progressToken"])


def capabilities_fit(value: Any) -> bool:
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
        return False
    objects = [("elicitation", "form"), ("elicitation", "url"), ("sampling", "context"), ("sampling", "tools")]
    if not all(isinstance(value[one][other], dict) for one, other in objects if other in value.get(one, {})):
        return False
    return all(isinstance(item, dict) for one in ("extensions", "experimental") for item in value.get(one, {}).values())


def implementation_fits(value: Any) -> bool:
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in ("name", "version")):
        return False
    if not all(isinstance(value[key], str) for key in ("title", "description", "websiteUrl") if key in value):
        return False
    icons = value.get("icons", [])
    return isinstance(icons, list) and all(
        isinstance(icon, dict) and isinstance(icon.get("src"), str) for icon in icons
    )


def is_id(value: Any) -> bool:
    if isinstance(value, float) and value.is_integer():
        return True  # an integer of JSON Schema may be written with a point
    return isinstance(value, int | str) and not isinstance(value, bool)


def params_fit(method: str, params: dict[str, Any]) -> bool:
    if method in LISTS:
        return "cursor" not in params
    if method in ("tools/call", "prompts/get", "resources/read"):
        if "requestState" in params:
            return False  # none is valid here: nothing in this server asks
        if "inputResponses" in params and not responses_fit(params["inputResponses"]):
            return False
    if method == "tools/call":
        arguments = params.get("arguments", {})
        return params.get("name") in ("add", "anything", "waits") and isinstance(arguments, dict)
    if method == "prompts/get":
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict) or not all(isinstance(value, str) for value in arguments.values()):
            return False
        known = {"greet": {"who"}, "written": {"topic"}, "plain": set()}.get(name(params))
        required = {"who"} if name(params) == "greet" else set()
        return known is not None and required <= arguments.keys() <= known
    if method == "resources/read":
        return is_resource(params.get("uri"))
    if method == "completion/complete":
        return completion_fits(params)
    if method == "subscriptions/listen":
        return subscription_fits(params.get("notifications"))
    return True


def responses_fit(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())


def name(params: dict[str, Any]) -> str:
    return params["name"] if isinstance(params.get("name"), str) else ""


def is_resource(uri: Any) -> bool:
    if uri in ("doc://fixed", "doc://live", "doc://more"):
        return True
    if not isinstance(uri, str) or not uri.startswith("item://"):
        return False
    rest = uri.removeprefix("item://")
    if not (rest.isascii() and rest.isalnum()):
        raise UnsureError(uri)
    return True


def completion_fits(params: dict[str, Any]) -> bool:
    reference, argument, context = params.get("ref"), params.get("argument"), params.get("context", {})
    if not isinstance(reference, dict) or not isinstance(argument, dict) or not isinstance(context, dict):
        return False
    if not all(isinstance(argument.get(key), str) for key in ("name", "value")):
        return False
    values = context.get("arguments", {})
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        return False
    if not isinstance(reference.get("title", ""), str) and reference.get("type") == "ref/prompt":
        return False
    known = {("ref/prompt", "name", "greet"): "who", ("ref/resource", "uri", "item://{id}"): "id"}
    return any(
        reference.get("type") == kind and reference.get(key) == value and argument["name"] == variable
        for (kind, key, value), variable in known.items()
    )


def subscription_fits(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    flags = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
    if not all(isinstance(value[key], bool) for key in flags if key in value):
        return False
    uris = value.get("resourceSubscriptions", [])
    return isinstance(uris, list) and all(isinstance(uri, str) for uri in uris)
