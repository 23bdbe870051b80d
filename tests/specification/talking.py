"""What a client says and waits for, in the tests of the rules."""

from collections.abc import Mapping
from typing import Any

from reference import ROOT
from servers import META, Server, call, request

PREFIX = "io.modelcontextprotocol/"
SUBSCRIPTION = PREFIX + "subscriptionId"
EVERYTHING: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}, "context": {}},
    "roots": {},
}
"""The capabilities of a client that can be asked for everything."""

PROJECTS = {"contracts": "contracts_mcp", "conformance": "conformance_mcp", "demo_tools": "demo_tools"}
"""The committed projects and their import packages."""


def open_project(name: str, env: Mapping[str, str] | None = None) -> Server:
    """Start the server of a committed project."""
    return Server(ROOT / "generated" / name / "src", PROJECTS[name], env=env)


def meta(*, capabilities: Mapping[str, Any] | None = None, drop: str = "", **more: Any) -> dict[str, Any]:
    """Return metadata of a request: of the client's own capabilities, with more entries, or without one."""
    changed = {**META, **more}
    if capabilities is not None:
        changed[PREFIX + "clientCapabilities"] = capabilities
    changed.pop(PREFIX + drop, None)
    return changed


def with_meta(message: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a request with other metadata; the arguments are those of ``meta``."""
    return {**message, "params": {**message["params"], "_meta": meta(**changes)}}


def able(message: dict[str, Any]) -> dict[str, Any]:
    """Return a request of a client that can be asked for everything."""
    return with_meta(message, capabilities=EVERYTHING)


def listen(id_: object, **wanted: Any) -> dict[str, Any]:
    return request(id_, "subscriptions/listen", notifications=wanted)


def cancel(id_: object, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_, **more}}


def read(id_: object, uri: str, **more: Any) -> dict[str, Any]:
    return request(id_, "resources/read", uri=uri, **more)


def prompt(id_: object, name: str, arguments: object = None, **more: Any) -> dict[str, Any]:
    return request(id_, "prompts/get", name=name, arguments={} if arguments is None else arguments, **more)


def complete(id_: object, name: str, argument: str, value: object = "", **more: Any) -> dict[str, Any]:
    """Return a request to complete an argument of a prompt."""
    reference = {"type": "ref/prompt", "name": name}
    return request(id_, "completion/complete", ref=reference, argument={"name": argument, "value": value}, **more)


def until_reply(server: Server) -> tuple[list[Any], Any]:
    """Return the notifications that come before the next response, and the response."""
    notifications = []
    while "method" in (message := server.receive()):
        notifications.append(message)
    return notifications, message


def text_of(reply: Any) -> str:
    return "".join(block.get("text", "") for block in reply["result"]["content"])


def code_of(reply: Any) -> int | None:
    """Return the code of an error reply; None for a result."""
    code: int | None = reply.get("error", {}).get("code")
    return code


def asked(reply: Any) -> dict[str, Any]:
    """Return what a reply asks the client for."""
    assert reply["result"]["resultType"] == "input_required", reply
    requests: dict[str, Any] = reply["result"]["inputRequests"]
    return requests


def retry(message: dict[str, Any], id_: object, reply: Any, **answers: Any) -> dict[str, Any]:
    """Return a request sent again with the answers and the state of a reply that asked for them."""
    params = {**message["params"], "inputResponses": answers, "requestState": reply["result"]["requestState"]}
    return {**message, "id": id_, "params": params}


def accept(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def said(text: str, **more: Any) -> dict[str, Any]:
    """Return what a client's model answered."""
    return {"role": "assistant", "model": "a model", "content": {"type": "text", "text": text}, **more}


def pages(server: Server, method: str, key: str) -> list[list[dict[str, Any]]]:
    """Return all pages of a list."""
    found: list[list[dict[str, Any]]] = []
    cursor: dict[str, str] = {}
    while True:
        result = server.ask(request("list", method, **cursor))["result"]
        found.append(result[key])
        if "nextCursor" not in result:
            return found
        cursor = {"cursor": result["nextCursor"]}


def listed(server: Server, method: str, key: str) -> list[dict[str, Any]]:
    """Return all entries of a list, over all of its pages."""
    return [entry for page in pages(server, method, key) for entry in page]


def quick(server: Server) -> None:
    """Fail unless the server still answers."""
    assert text_of(server.ask(call("still there", "echo", {"value": "yes"}))) == "yes"
