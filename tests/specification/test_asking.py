"""Asking the client: when it may be asked, for what, and what becomes of answers and states, good and hostile."""

import base64
import json
import pickle
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from protocol_schema import assert_valid
from servers import Server, call, make_project, request
from specification.rules_server import MODULE
from specification.talking import (
    EVERYTHING,
    able,
    accept,
    asked,
    code_of,
    open_project,
    prompt,
    quick,
    read,
    retry,
    said,
    text_of,
    with_meta,
)
from toolmint import commands

FORM = able(call(1, "ask_form"))
PAGE = able(call(1, "ask_page"))
MODEL = able(call(1, "ask_model"))
ROOTS = able(call(1, "ask_roots", {"file": "note.txt"}))
ALL = able(call(1, "ask_all"))


# Who may be asked for what


@pytest.mark.parametrize(
    ("message", "capabilities", "missing"),
    [
        (FORM, {}, {"elicitation": {}}),
        (FORM, {"sampling": {}, "roots": {}}, {"elicitation": {}}),
        (FORM, {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        (PAGE, {}, {"elicitation": {"url": {}}}),
        (PAGE, {"elicitation": {}}, {"elicitation": {"url": {}}}),
        (PAGE, {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        (MODEL, {"elicitation": {}}, {"sampling": {}}),
        (able(call(1, "ask_model_with_tools")), {"sampling": {}}, {"sampling": {"tools": {}}}),
        (ROOTS, {"elicitation": {}, "sampling": {}}, {"roots": {}}),
        (ALL, {"roots": {}}, {"elicitation": {}, "sampling": {}}),
        (prompt(1, "asks"), {}, {"elicitation": {}}),
        (read(1, "rules://asks"), {}, {"elicitation": {}}),
    ],
)
def test_what_is_not_declared_is_not_asked_for_but_named(
    server: Server, message: Any, capabilities: Any, missing: Any
) -> None:
    reply = server.ask(with_meta(message, capabilities=capabilities))
    assert code_of(reply) == -32021
    assert reply["error"]["data"] == {"requiredCapabilities": missing}
    assert_valid(reply)


@pytest.mark.parametrize(
    ("capabilities", "method"),
    [
        ({"sampling": {}}, "sampling/createMessage"),
        ({"elicitation": {}}, "elicitation/create"),
        ({"elicitation": {"form": {}}, "sampling": {}}, "elicitation/create"),
        ({"elicitation": {"url": {}}, "sampling": {}}, "sampling/createMessage"),
    ],
)
def test_only_what_is_declared_is_asked_for(server: Server, capabilities: Any, method: str) -> None:
    reply = server.ask(with_meta(call(1, "ask_either"), capabilities=capabilities))
    assert [question["method"] for question in asked(reply).values()] == [method]


@pytest.mark.parametrize("message", [FORM, PAGE, MODEL, ROOTS, ALL, able(prompt(1, "asks"))], ids=str)
def test_what_is_asked_has_content_and_keys_of_its_own(server: Server, message: Any) -> None:
    reply = server.ask(message)  # read strictly: a key that stands twice would not get here
    result = reply["result"]
    assert result["inputRequests"] or result["requestState"]
    assert len(result["inputRequests"]) == (3 if message is ALL else 1)
    assert_valid(reply, message["method"])


def test_client_that_never_answers_costs_nothing(fresh: Server) -> None:
    memory = 0
    for start in range(0, 1500, 100):
        fresh.send(*({**FORM, "id": n} for n in range(start, start + 100)))
        assert {fresh.receive()["id"] for _ in range(100)} == set(range(start, start + 100))
        if sys.platform.startswith("linux") and start in (500, 1400):
            status = Path(f"/proc/{fresh.process.pid}/status").read_text(encoding="utf-8")
            resident = int(re.findall(r"VmRSS:\s+(\d+)", status)[0])
            assert not memory or resident < memory * 1.05
            memory = resident
    quick(fresh)


# States


def state_of(server: Server, message: Any = FORM) -> str:
    state: str = server.ask(message)["result"]["requestState"]
    return state


def present(server: Server, state: object, message: Any = FORM, **answers: Any) -> Any:
    answers = answers or {"form": accept(count=1)}
    params = {**message["params"], "requestState": state, "inputResponses": answers}
    return server.ask({**message, "id": "again", "params": params})


@pytest.mark.parametrize(
    "state",
    [
        *("", "x", ".", "a.b", "x" * 1_000_000, "\0" * 100, "é", "\ud800"),
        *(5, None, [], {}, True),
        base64.urlsafe_b64encode(pickle.dumps({"for": "x"})).decode(),
        *("eyJhIjoxfQ.AAAA", "'; DROP TABLE states"),
    ],
    ids=lambda state: repr(state)[:20],
)
def test_state_that_is_none_is_refused(server: Server, state: object) -> None:
    assert code_of(present(server, state)) == -32602
    quick(server)


def test_no_byte_of_a_state_can_be_changed(server: Server) -> None:
    state = state_of(server)
    for place in range(len(state)):
        other = "A" if state[place] != "A" else "B"
        assert code_of(present(server, state[:place] + other + state[place + 1 :])) == -32602
    assert text_of(present(server, state)) == "1 None"


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state + "x",
        lambda state: state + "-TAMPERED",
        lambda state: state + "=",
        lambda state: state + "\n",
        lambda state: " " + state,
        lambda state: state[:-1],
        lambda state: state[: len(state) // 2],
        lambda state: state + "." + state,
        lambda state: state.swapcase(),
    ],
)
def test_state_with_more_or_less_is_refused(server: Server, change: Any) -> None:
    assert code_of(present(server, change(state_of(server)))) == -32602


def test_state_of_another_server_is_refused(server: Server, source: Path) -> None:
    with Server(source, MODULE) as other:
        assert code_of(present(server, state_of(other))) == -32602
    keys = {"TOOLMINT_STATE_KEY": "one key for two servers"}
    with Server(source, MODULE, env=keys) as one, open_project("contracts", env=keys) as other:
        assert (
            code_of(present(one, state_of(other, able(call(1, "flag_for_review", {"contract_id": "C-1001"})))))
            == -32602
        )


@pytest.mark.parametrize(
    "message",
    [
        able(call(1, "ask_form", {"about": " then"})),
        able(call(1, "ask_all")),
        able(prompt(1, "asks")),
        able(read(1, "rules://asks")),
    ],
    ids=["other arguments", "other tool", "prompt", "resource"],
)
def test_state_is_refused_for_another_request(server: Server, message: Any) -> None:
    assert code_of(present(server, state_of(server), message)) == -32602


def test_state_is_refused_when_its_time_is_over(tmp_path: Path) -> None:
    manifest = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: brief, version: 0.1.0}
defaults: {stateTtlMs: 300}
tools:
  - name: ask
    elicits: [{key: form, message: What?, requestedSchema: {type: object, properties: {a: {type: string}}}}]
"""
    handler = "from brief_mcp.api import *\n\ndef ask(args, ctx):\n    return type(ctx.elicit(FORM)).__name__\n"
    source = make_project(tmp_path / "brief", manifest, {"ask": handler})
    with Server(source, "brief_mcp") as server:
        message = able(call(1, "ask"))
        state = state_of(server, message)
        assert text_of(present(server, state, message, form=accept())) == "Form"
        time.sleep(0.4)
        assert code_of(present(server, state, message, form=accept())) == -32602


def test_answer_given_twice_has_its_effect_once() -> None:
    with open_project("contracts") as server:
        message = able(call(1, "flag_for_review", {"contract_id": "C-1001"}))
        first = server.ask(message)
        again = retry(message, 2, first, confirm_flag=accept(note="once"))
        flagged = server.ask(again)["result"]["structuredContent"]
        assert flagged["outcome"] == "flagged"
        replayed = server.ask(retry(message, 3, first, confirm_flag=accept(note="twice")))["result"][
            "structuredContent"
        ]
        assert replayed == {**flagged, "outcome": "already flagged"}


# Answers


@pytest.mark.parametrize("responses", [None, 5, [], "x", {"form": 12345}, {"form": None}, {"form": []}], ids=repr)
def test_answers_of_a_wrong_shape_are_an_error(server: Server, responses: object) -> None:
    message = {**FORM, "params": {**FORM["params"], "inputResponses": responses}}
    assert code_of(server.ask(message)) == -32602


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"action": "maybe"},
        {"action": "accept"},
        {"action": "accept", "content": {}},
        {"action": "accept", "content": []},
        accept(count="many"),
        accept(count=0),
        accept(count=1.5),
        accept(count=True),
        accept(count=1, mail="no address"),
        accept(count=1, size="XL"),
        accept(count=1, mail=None),
    ],
    ids=repr,
)
def test_answer_that_does_not_fit_is_asked_for_again(server: Server, answer: Any) -> None:
    first = server.ask(FORM)
    again = server.ask(retry(FORM, 2, first, form=answer))
    assert asked(again) == asked(first)


@pytest.mark.parametrize("with_state", [True, False])
def test_missing_answer_is_asked_for_again(server: Server, with_state: bool) -> None:
    first = server.ask(FORM)
    again = retry(FORM, 2, first, other=accept(count=1))
    if not with_state:
        del again["params"]["requestState"]
    assert asked(server.ask(again)) == asked(first)


def test_answers_to_what_was_not_asked_are_ignored(server: Server) -> None:
    first = server.ask(FORM)
    more = {"other": accept(count=5), "third": {"roots": []}}
    assert text_of(server.ask(retry(FORM, 2, first, form=accept(count=2), **more))) == "2 None"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"action": "decline"}, "Declined"),
        ({"action": "cancel"}, "Dismissed"),
        ({"action": "decline", "content": {"count": 1}}, "Declined"),
        (accept(count=2, mail="a@example.com"), "2 a@example.com"),
        (accept(count=2, rights="admin"), "2 None"),
    ],
    ids=repr,
)
def test_every_decision_of_the_user_has_a_sensible_end(server: Server, answer: Any, text: str) -> None:
    assert text_of(server.ask(retry(FORM, 2, server.ask(FORM), form=answer))) == text


def test_page_to_visit_carries_nothing_back(server: Server) -> None:
    first = server.ask(PAGE)
    answer = {"action": "accept", "content": {"token": "a secret"}}
    reply = server.ask(retry(PAGE, 2, first, page=answer))
    assert text_of(reply) == "Accepted"
    assert "a secret" not in json.dumps(reply)
    assert text_of(server.ask(retry(PAGE, 3, first, page={"action": "decline"}))) == "Declined"


def test_what_a_user_claims_gives_no_rights() -> None:
    with open_project("contracts") as server:
        message = able(call(1, "flag_for_review", {"contract_id": "C-1001"}))
        reply = server.ask(retry(message, 2, server.ask(message), confirm_flag=accept(note="I am admin", admin=True)))
        assert reply["result"]["structuredContent"]["flag"].keys() == {"flaggedAt", "note"}
        assert code_of(server.ask(call(3, "flag_for_review", {"contract_id": "C-1002"}))) == -32021


# Questions to the user


def questions(server: Server) -> list[dict[str, Any]]:
    """Return the params of every question to the user that the rules server and the contract store ask."""
    found = [asked(server.ask(message)) for message in (FORM, PAGE, ALL, able(prompt(1, "asks")))]
    with open_project("contracts") as contracts:
        found.append(asked(contracts.ask(able(call(1, "flag_for_review", {"contract_id": "C-1001"})))))
    return [
        question["params"]
        for requests in found
        for question in requests.values()
        if question["method"] == "elicitation/create"
    ]


FIELD_TYPES = {"string", "number", "integer", "boolean", "array"}


def test_questions_are_complete_and_their_forms_flat(server: Server) -> None:
    modes = set()
    for params in questions(server):
        modes.add(params.get("mode", "form"))
        assert params["message"]
        if params.get("mode") == "url":
            assert params.keys() == {"mode", "message", "url"}
            continue
        form = params["requestedSchema"]
        assert form["type"] == "object"
        for field in form["properties"].values():
            assert field["type"] in FIELD_TYPES
            assert "properties" not in field
            if field["type"] == "array":
                assert field["items"].keys() & {"enum", "anyOf"}
    assert modes == {"form", "url"}


def test_pages_are_https_and_say_nothing_of_the_user(server: Server) -> None:
    urls = [urlsplit(params["url"]) for params in questions(server) if params.get("mode") == "url"]
    assert urls
    for url in urls:
        assert url.scheme == "https"
        assert url.hostname
        assert not (url.username or url.password or url.query or url.fragment)


def test_forms_ask_for_no_secret_and_have_no_links(server: Server) -> None:
    for params in questions(server):
        shown = json.dumps({key: value for key, value in params.items() if key != "url"})
        assert "://" not in shown
        assert not re.search("password|secret|token|api.?key|card|iban", shown, re.IGNORECASE)


def review(folder: Path, question: str) -> list[str]:
    """Return the codes of what is said about a tool that asks a question."""
    path = folder / "tools.yaml"
    head = 'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: bad, version: 0.1.0}\n'
    path.write_text(f"{head}tools:\n  - name: t\n    description: Asks.\n    elicits:\n      - {question}\n", "utf-8")
    outcome = commands.check(path, strict=True)
    return [problem.code for problem in outcome.problems]


@pytest.mark.parametrize("field", ["password", "api_key", "credit_card_number", "access_token"])
def test_form_that_asks_for_a_secret_is_complained_about(tmp_path: Path, field: str) -> None:
    form = f"{{type: object, properties: {{{field}: {{type: string}}}}}}"
    assert "secret-in-form" in review(tmp_path, f"{{key: k, message: Please, requestedSchema: {form}}}")


@pytest.mark.parametrize("url", ["not a url", "/relative", "https://", "javascript:alert(1)", "https://a b/"])
def test_page_without_a_web_address_is_refused(tmp_path: Path, url: str) -> None:
    assert "bad-uri" in review(tmp_path, f'{{key: k, mode: url, message: Please, url: "{url}"}}')


# Questions to the model


def test_conversation_has_roles_and_content_and_no_context(server: Server) -> None:
    for message in (MODEL, able(call(1, "ask_model_with_tools")), ALL):
        for question in asked(server.ask(message)).values():
            if question["method"] == "sampling/createMessage":
                assert question["params"].get("includeContext", "none") == "none"
                for spoken in question["params"]["messages"]:
                    assert spoken["role"] in ("user", "assistant")
                    assert spoken["content"]


def test_conversation_of_one_call_is_not_kept_for_the_next(server: Server) -> None:
    server.ask(able(call(1, "ask_model", {"text": "a private matter"})))
    assert "private" not in json.dumps(server.ask(MODEL))


USES = [{"type": "tool_use", "id": f"use {n}", "name": "weather", "input": {}} for n in (1, 2)]


def test_tool_uses_are_followed_by_their_results_alone(server: Server) -> None:
    message = able(call(1, "ask_model_with_tools"))
    reply = server.ask(message)
    answer = {"role": "assistant", "model": "m", "content": USES, "stopReason": "toolUse"}
    reply = server.ask(retry(message, 2, reply, **{"turn 0": answer}))
    messages = asked(reply)["turn 1"]["params"]["messages"]
    assert [spoken["role"] for spoken in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"] == USES
    assert [(block["type"], block["toolUseId"]) for block in messages[2]["content"]] == [
        ("tool_result", "use 1"),
        ("tool_result", "use 2"),
    ]
    assert text_of(server.ask(retry(message, 3, reply, **{"turn 1": said("Rain.")}))) == "Rain."


def test_model_that_uses_tools_for_ever_is_stopped(server: Server) -> None:
    message = able(call(1, "ask_model_with_tools"))
    reply = server.ask(message)
    answer = {"role": "assistant", "model": "m", "content": USES[:1], "stopReason": "toolUse"}
    for turn in range(5):
        assert list(asked(reply)) == [f"turn {turn}"]
        reply = server.ask(retry(message, turn + 2, reply, **{f"turn {turn}": answer}))
    assert reply["result"]["isError"] is True


@pytest.mark.parametrize(
    "answer",
    [
        {"model": "m", "content": {"type": "text", "text": "x"}},
        {"role": "system", "model": "m", "content": {"type": "text", "text": "x"}},
        {"role": "assistant", "model": "m", "content": 5},
        {"role": "assistant", "model": "m", "content": {"type": "hologram"}},
        {"role": "assistant", "model": "m", "content": {"type": "text"}},
        {"role": "assistant", "content": {"type": "text", "text": "x"}},
    ],
    ids=repr,
)
def test_answer_of_a_model_that_is_none_is_asked_for_again(server: Server, answer: Any) -> None:
    first = server.ask(MODEL)
    assert asked(server.ask(retry(MODEL, 2, first, model=answer))) == asked(first)


# Roots


def folders(*paths: Path) -> dict[str, Any]:
    return {"roots": [{"uri": path.as_uri()} for path in paths]}


def test_roots_that_are_not_there_are_no_failure(server: Server, tmp_path: Path) -> None:
    first = server.ask(ROOTS)
    for answer in (folders(tmp_path / "gone"), {"roots": []}):
        reply = server.ask(retry(ROOTS, 2, first, roots=answer))
        assert reply["result"]["isError"] is True
        assert text_of(reply) == "No root has this file."
    assert asked(server.ask(retry(ROOTS, 3, first, roots={"roots": [{"uri": "https://example.com"}]})))


@pytest.mark.parametrize("file", ["../outside.txt", "/etc/hostname", "link.txt", "a/../../outside.txt", "..", ""])
def test_nothing_outside_of_the_roots_is_read(server: Server, tmp_path: Path, file: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "note.txt").write_text("A note.", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("Not yours.", encoding="utf-8")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    assert text_of(server.ask(retry(ROOTS, 2, server.ask(ROOTS), roots=folders(root)))) == "A note."
    message = able(call(3, "ask_roots", {"file": file}))
    assert server.ask(retry(message, 4, server.ask(message), roots=folders(root)))["result"]["isError"] is True


@pytest.mark.parametrize("name", ["contracts", "demo_tools"])
def test_neither_the_model_nor_the_roots_are_used_unless_the_author_wants_to(name: str) -> None:
    with open_project(name) as server:
        for method, params in (
            ("tools/call", {"name": "search_contracts", "arguments": {"query": "notice"}}),
            ("tools/call", {"name": "flag_for_review", "arguments": {"contract_id": "C-1001"}}),
            ("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}),
            ("prompts/get", {"name": "summarise_contract", "arguments": {"contract_id": "C-1001"}}),
            ("resources/read", {"uri": "contract://C-1001"}),
        ):
            reply = server.ask(with_meta(request(1, method, **params), capabilities=EVERYTHING))
            assert not re.search("sampling/createMessage|roots/list", json.dumps(reply))
