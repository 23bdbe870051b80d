"""The table of hostile lines, in the handshake era and in the modern one beside a session: each answered, nothing harmed.

What a row is answered is what it is answered in the modern era, but for what differs by right; that is said here.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from handshake.hosts import PROTOCOL, Host, plain
from hostile.everything import HANDLERS, MANIFEST, MODULE
from hostile.test_lines import ENVELOPES, METADATA, PARAMETERS, SERVED, UNANSWERED, UNREADABLE, VERSION
from servers import META, make_project

STATED = "io.modelcontextprotocol/protocolVersion"
NOT_FOUND, PARAMS, NO_RESOURCE, INVALID = -32601, -32602, -32002, -32600
MODERN_ONLY = ("server/discover", "subscriptions/listen")
REVISIONS = ("2024-11-05", "2025-11-25")


@pytest.fixture(scope="module", params=REVISIONS)
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    manifest = MANIFEST.replace('protocol: "2026-07-28"', PROTOCOL)
    assert PROTOCOL in manifest
    source = make_project(tmp_path_factory.mktemp("both"), manifest)
    for name, text in HANDLERS.items():
        (source / MODULE / name).write_text(text, encoding="utf-8")
    with Host(source, MODULE, request.param) as running:
        yield running


def states_a_revision(message: object) -> bool:
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and STATED in meta


def without_metadata(message: Any) -> Any:
    """Return a request as a client of the handshake era sends it: what is not its metadata stays."""
    meta = {key: value for key, value in message["params"]["_meta"].items() if key not in META}
    params = {**message["params"], "_meta": meta}
    return {**message, "params": params if meta else {key: value for key, value in params.items() if key != "_meta"}}


def assert_next_is_served(host: Host) -> None:
    reply = host.ask(plain("next", "tools/call", name="add", arguments={"a": 2, "b": 3}))
    assert reply == {"jsonrpc": "2.0", "id": "next", "result": {"content": [{"type": "text", "text": "5"}]}}


def ids(cases: Any) -> list[str]:
    return [case[0] for case in cases]


WRONG = [*((name, sent, -32700, None, words) for name, sent, words in UNREADABLE), *ENVELOPES, *METADATA, *PARAMETERS]
MODERN = [case for case in WRONG if states_a_revision(case[1])]
PLAIN = [case for case in WRONG if case in ENVELOPES and not states_a_revision(case[1])]
STRIPPED = [case for case in PARAMETERS if states_a_revision(case[1])]


@pytest.mark.parametrize("case", MODERN, ids=ids(MODERN))
def test_modern_rows_are_answered_alike_beside_a_session(host: Host, case: Any) -> None:
    _, sent, code, id_, words = case
    reply = host.ask(sent)
    assert (reply["error"]["code"], reply["id"]) == (code, id_)
    assert words in reply["error"]["message"] or code == VERSION
    assert_next_is_served(host)


@pytest.mark.parametrize(("sent", "words"), [case[1:] for case in UNREADABLE], ids=ids(UNREADABLE))
def test_unreadable_lines(host: Host, sent: bytes, words: str) -> None:
    reply = host.ask(sent)
    assert (reply["error"]["code"], reply["id"]) == (-32700, None)
    assert words in reply["error"]["message"]
    assert_next_is_served(host)


@pytest.mark.parametrize("case", PLAIN, ids=ids(PLAIN))
def test_envelopes(host: Host, case: Any) -> None:
    _, sent, code, id_, _ = case
    if isinstance(sent, dict) and sent.get("method") == "initialize":
        code = INVALID  # for a second time
    reply = host.ask(sent)
    assert (reply["error"]["code"], reply["id"]) == (code, id_)
    assert_next_is_served(host)


@pytest.mark.parametrize("case", STRIPPED, ids=ids(STRIPPED))
def test_params(host: Host, case: Any) -> None:
    name, sent, code, id_, words = case
    reply = host.ask(without_metadata(sent))
    assert reply["id"] == id_
    assert_next_is_served(host)
    unknown_member = name.startswith(("input responses", "state")) or (
        name.startswith("completion in") and host.introduction["protocolVersion"] < "2025-06-18"
    )
    if unknown_member:
        assert "result" in reply
        return
    if sent["method"] in MODERN_ONLY:
        code = NOT_FOUND
    elif words == "Resource not found":
        code = NO_RESOURCE
    assert reply["error"]["code"] == code


@pytest.mark.parametrize("sent", [case[1] for case in UNANSWERED], ids=ids(UNANSWERED))
def test_never_answered(host: Host, sent: object) -> None:
    host.send(sent)
    assert_next_is_served(host)


@pytest.mark.parametrize(("sent", "id_"), [case[1:] for case in SERVED], ids=ids(SERVED))
def test_served(host: Host, sent: Any, id_: object) -> None:
    if isinstance(sent, dict):
        sent = without_metadata(sent)
        if sent["method"] == "server/discover":
            sent["method"] = "ping"
    reply = host.ask(sent)
    assert reply["id"] == id_
    assert type(reply["id"]) is type(id_)
    assert "isError" not in reply["result"]
    assert ("resultType" in reply["result"]) == isinstance(sent, bytes)
    assert_next_is_served(host)
