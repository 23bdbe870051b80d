"""Asking the client: rounds, the state they travel in, what a client must have declared, and the official client."""

import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

from protocol_schema import REVISION, assert_valid
from servers import META, Server, make_project
from toolmint.revision import load_revision

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
EVERYTHING: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}, "context": {}},
    "roots": {"listChanged": True},
}

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: asking, version: 0.1.0}
defaults: {stateTtlMs: 60000}
tools:
  - name: set_flag
    description: Sets a flag once the user agrees.
    inputSchema:
      type: object
      properties: {flag: {type: string}, value: {type: number}}
      required: [flag]
      additionalProperties: false
    elicits:
      - &confirm
        key: confirm
        message: Set the flag?
        requestedSchema: {type: object, properties: {ok: {type: boolean}, reason: {type: string}}, required: [ok]}
  - name: set_other_flag
    description: Asks the same question.
    inputSchema: {type: object, properties: {flag: {type: string}}, required: [flag]}
    elicits: [*confirm]
  - name: fill_in
    description: Asks for every kind of field.
    elicits:
      - key: every_field
        message: Fill this in
        requestedSchema:
          type: object
          properties:
            name: {type: string, title: Name, minLength: 2}
            mail: {type: string, format: email}
            site: {type: string, format: uri}
            day: {type: string, format: date}
            moment: {type: string, format: date-time}
            count: {type: integer, minimum: 1}
            ratio: {type: number}
            agree: {type: boolean, default: false}
            size: {type: string, enum: [S, M]}
            color: {type: string, oneOf: [{const: r, title: Red}, {const: g, title: Green}]}
            toppings: {type: array, items: {type: string, enum: [a, b]}, minItems: 1}
            extras: {type: array, items: {anyOf: [{const: x, title: X}, {const: y, title: Y}]}}
          required: [name, count]
  - name: sign_in
    description: Sends the user to a page.
    elicits: [{key: login, mode: url, message: Log in, url: "https://example.com/login"}]
  - {name: summarize, description: Uses the client's model.}
  - {name: list_folders, description: Lists the client's folders.}
  - name: several
    description: Asks for three things at once.
    elicits:
      - key: user_name
        message: What is your name?
        requestedSchema: {type: object, properties: {name: {type: string}}, required: [name]}
  - name: two_steps
    description: Asks twice, the second time about the first answer.
    elicits:
      - key: step1
        message: Name?
        requestedSchema: {type: object, properties: {name: {type: string}}, required: [name]}
      - {key: step2, message: Colour?, requestedSchema: {type: object, properties: {color: {type: string}}}}
  - {name: each_item, description: Asks the same of several items.}
  - {name: async_flag, description: Asks from an async handler.}
  - {name: grouped, description: Asks from a task group.}
  - {name: careless, description: Catches every Exception.}
  - {name: same_key, description: Asks two questions under one key.}
  - {name: need_sampling, description: Needs sampling without using it.}
  - {name: abilities, description: Says what the client can do.}
  - {name: too_much, description: Wants to carry too much.}
  - {name: bad_sampling, description: Asks the model in a way the protocol does not have.}
  - {name: sample_with_tools, description: Lets the model use a tool.}
  - {name: plain, description: Asks nothing.}
prompts:
  - name: greet
    description: Greets somebody.
    arguments: [{name: style, required: true, complete: handler}]
    elicits:
      - key: user_context
        message: What context should the prompt use?
        requestedSchema: {type: object, properties: {context: {type: string}}, required: [context]}
resources:
  - uri: notes://all
    name: notes
    x-toolmint: {ttlMs: 5000}
    elicits: [*confirm]
resourceTemplates:
  - {uriTemplate: "notes://{id}", name: note}
"""

HANDLERS = {
    "set_flag": """
def set_flag(args, ctx):
    answer = ctx.elicit(CONFIRM, message=f"Set {args.flag}?")
    if isinstance(answer, Confirm):
        return f"{answer.ok} {answer.reason}"
    return "declined" if isinstance(answer, Declined) else "dismissed"
""",
    "set_other_flag": "def set_other_flag(args, ctx): return str(ctx.elicit(CONFIRM))",
    "fill_in": "def fill_in(args, ctx): return repr(ctx.elicit(EVERY_FIELD))",
    "sign_in": """
def sign_in(args, ctx):
    return type(ctx.elicit(LOGIN.replace(url="https://example.com/login?for=1"))).__name__
""",
    "summarize": """
def summarize(args, ctx):
    sample = ctx.sample("question", "What is the capital of France?", max_tokens=100)
    return f"{sample.role} {sample.model} {sample.stop_reason}: {sample.text}"
""",
    "list_folders": """
def list_folders(args, ctx):
    return [f"{root.uri} {root.name}" for root in ctx.roots("client_roots")]
""",
    "several": """
def several(args, ctx):
    name, greeting, folders = ctx.ask(USER_NAME, sampling("greeting", "Greet!", max_tokens=50), roots("client_roots"))
    return f"{name.name}: {greeting.text} from {folders[0].uri}"
""",
    "two_steps": """
runs = []
def two_steps(args, ctx):
    runs.append(1)
    number = ctx.once("number", lambda: len(runs))
    first = ctx.elicit(STEP1)
    second = ctx.elicit(STEP2, message=f"{first.name}, your colour?")
    return f"{first.name} likes {second.color}, {number} of {len(runs)}"
""",
    "each_item": """
def each_item(args, ctx):
    chosen = [i for i in ("a", "b") if ctx.elicit(CONFIRM, message=f"Take {i}?", key=f"confirm_{i}").ok]
    return " ".join(chosen) or "none"
""",
    "async_flag": """
async def async_flag(args, ctx):
    await asyncio.sleep(0)
    first, second = await ctx.ask_async(STEP1, STEP2)
    answer = await ctx.elicit_async(CONFIRM)
    sample = await ctx.sample_async("question", "Sum up", max_tokens=5)
    (root,) = await ctx.roots_async()
    return f"{first.name} {second.color} {answer.ok} {sample.text} {root.uri}"
""",
    "grouped": """
async def grouped(args, ctx):
    async with asyncio.TaskGroup() as outer:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(ctx.elicit_async(CONFIRM))
    return str(task.result().ok)
""",
    "careless": """
def careless(args, ctx):
    try:
        return str(ctx.elicit(CONFIRM).ok)
    except Exception:
        return "swallowed"
""",
    "same_key": """
def same_key(args, ctx):
    ctx.elicit(CONFIRM)
    return str(ctx.elicit(CONFIRM, message="Something else?"))
""",
    "need_sampling": "def need_sampling(args, ctx): ctx.require(sampling={}); return 'fine'",
    "abilities": """
def abilities(args, ctx):
    return repr((ctx.can_elicit(), ctx.can_elicit("url"), ctx.can_sample, ctx.can_list_roots))
""",
    "too_much": """
def too_much(args, ctx):
    ctx.once("big", lambda: "secret" * 100_000)
    ctx.elicit(CONFIRM)
""",
    "bad_sampling": """
def bad_sampling(args, ctx):
    content = {"type": "telepathy", "secret": "secret-thought"}
    ctx.sample("question", [{"role": "user", "content": content}], max_tokens=1)
""",
    "sample_with_tools": """
def sample_with_tools(args, ctx):
    tool = {"name": "look", "inputSchema": {"type": "object"}}
    messages = [{"role": "user", "content": {"type": "text", "text": "Look"}}]
    for turn in range(3):
        sample = ctx.ask(sampling(f"turn{turn}", messages, max_tokens=9, tools=[tool], tool_choice="auto"))[0]
        uses = [block for block in sample.content if block["type"] == "tool_use"]
        if not uses:
            return sample.text
        results = [{"type": "tool_result", "toolUseId": use["id"], "content": []} for use in uses]
        messages += [{"role": "assistant", "content": list(sample.content)}, {"role": "user", "content": results}]
    return "gave up"
""",
    "plain": "def plain(args, ctx): return 'plain'",
}
OTHER_HANDLERS = {
    "prompts/greet.py": """
def greet(args, ctx):
    return f"{args.style}: {ctx.elicit(USER_CONTEXT).context}"
""",
    "resources/notes.py": "def notes(args, ctx): return str(ctx.elicit(CONFIRM).ok)",
    "resources/note.py": "async def note(args, ctx): return f'{args.id} {(await ctx.roots_async())[0].uri}'",
    "completions/greet_style.py": """
def greet_style(args, ctx):
    ctx.require(sampling={})
    ctx.elicit(CONFIRM)
""",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    preamble = "import asyncio\nfrom asking_mcp.api import *\n"
    handlers = {name: preamble + text for name, text in HANDLERS.items()}
    source = make_project(tmp_path_factory.mktemp("asking"), MANIFEST, handlers)
    for path, text in OTHER_HANDLERS.items():
        assert (source / "asking_mcp" / path).is_file()
        (source / "asking_mcp" / path).write_text(preamble + text, encoding="utf-8")
    return source


class Caller:
    """Calls tools of a dispatcher in this process; every message it gets is held against the protocol's schema."""

    def __init__(self) -> None:
        self.dispatcher = importlib.import_module("asking_mcp.dispatch").make_dispatcher()
        self.logged: list[str] = []
        self.dispatcher.log._hand_over = lambda line: self.logged.append(str(line))

    def __call__(self, tool: str, arguments: object = None, /, **more: Any) -> Any:
        """Return the answer to a tools/call request."""
        if arguments is not None:
            more["arguments"] = arguments
        return self.request("tools/call", name=tool, **more)

    def request(self, method: str, /, *, capabilities: object = EVERYTHING, **params: Any) -> Any:
        """Return the answer to a request."""
        params["_meta"] = {**META, CAPABILITIES: capabilities}
        reply = self.dispatcher({"jsonrpc": "2.0", "id": 1, "method": method, "params": json.loads(json.dumps(params))})
        if not isinstance(reply, str):
            value, error = None, None
            try:
                value = asyncio.run(reply.coroutine)
            except BaseException as problem:  # noqa: BLE001 - as the runtime does
                error = problem
            reply = self.dispatcher.conclude(reply.context, value, error)
        message = json.loads(reply)
        assert_valid(message, method)
        if message.get("error", {}).get("code") == -32021:
            definition = load_revision(REVISION).schema("MissingRequiredClientCapabilityError")
            Draft202012Validator(definition).validate(message)
        return message

    def text(self, *arguments: Any, **more: Any) -> str:
        """Return the text of a result that is complete."""
        result = self(*arguments, **more)["result"]
        assert result["resultType"] == "complete", result
        assert "isError" not in result, result
        return result["content"][0]["text"]

    def asked(self, *arguments: Any, **more: Any) -> Any:
        """Return a result that asks for input."""
        result = self(*arguments, **more)["result"]
        assert result["resultType"] == "input_required", result
        assert result.keys() == {"resultType", "inputRequests", "requestState", "_meta"}
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "asking"
        return result

    def code(self, *arguments: Any, **more: Any) -> int:
        return self(*arguments, **more)["error"]["code"]


@pytest.fixture(scope="module")
def package(source: Path) -> Iterator[None]:
    sys.path.insert(0, str(source))
    yield
    sys.path.remove(str(source))
    forget_package()


def forget_package() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "asking_mcp"]:
        del sys.modules[name]


@pytest.fixture
def ask(package: None) -> Caller:
    return Caller()


def accept(**content: object) -> dict[str, object]:
    return {"action": "accept", "content": content}


FLAG = {"flag": "x"}
CONFIRMED = {"confirm": accept(ok=True)}
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m", "stopReason": "endTurn"}
ROOTS = {"roots": [{"uri": "file:///home/me", "name": "me"}]}


# Rounds


def test_one_question(ask: Caller) -> None:
    result = ask.asked("set_flag", FLAG)
    (request,) = result["inputRequests"].values()
    assert list(result["inputRequests"]) == ["confirm"]
    assert request["method"] == "elicitation/create"
    assert request["params"]["mode"] == "form"
    assert request["params"]["message"] == "Set x?"
    assert request["params"]["requestedSchema"]["required"] == ["ok"]
    state = result["requestState"]
    for answer, text in (
        (accept(ok=True), "True None"),
        (accept(ok=False, reason="no"), "False no"),
        ({"action": "decline"}, "declined"),
        ({"action": "decline", "content": None}, "declined"),
        ({"action": "cancel"}, "dismissed"),
    ):
        assert ask.text("set_flag", FLAG, requestState=state, inputResponses={"confirm": answer}) == text


def test_answers_may_come_with_the_first_request(ask: Caller) -> None:
    responses = {**CONFIRMED, "unknown": accept(x=1), "other": {"action": "maybe"}}
    assert ask.text("set_flag", FLAG, inputResponses=responses) == "True None"


@pytest.mark.parametrize(
    "responses",
    [
        {},
        {"wrong_key": accept(ok=True)},
        {"confirm": {"action": "maybe"}},
        {"confirm": {}},
        {"confirm": {"action": "accept"}},
        {"confirm": {"action": "accept", "content": None}},
        {"confirm": {"action": "accept", "content": [True]}},
        {"confirm": accept(ok="yes")},
        {"confirm": accept(ok=None)},
        {"confirm": accept(reason="because")},
    ],
)
def test_what_cannot_be_used_is_asked_for_again(ask: Caller, responses: object) -> None:
    first = ask.asked("set_flag", FLAG)
    for state in ({}, {"requestState": first["requestState"]}):
        again = ask.asked("set_flag", FLAG, inputResponses=responses, **state)
        assert again["inputRequests"] == first["inputRequests"]


@pytest.mark.parametrize("responses", [None, 5, [], "x", {"confirm": 12345}, {"confirm": None}, {"confirm": []}])
def test_responses_of_a_wrong_shape_are_refused(ask: Caller, responses: object) -> None:
    assert ask.code("set_flag", FLAG, inputResponses=responses) == -32602


def test_every_kind_of_field(ask: Caller) -> None:
    content = {
        "name": "Ada",
        "mail": "ada@example.com",
        "site": "https://example.com/a",
        "day": "2026-02-28",
        "moment": "2026-02-28T12:00:00Z",
        "count": 3.0,
        "ratio": 0.5,
        "size": "M",
        "color": "g",
        "toppings": ["a", "b"],
        "extras": ["y"],
        "unasked": 1,
    }
    text = ask.text("fill_in", inputResponses={"every_field": accept(**content)})
    assert text == (
        "EveryField(name='Ada', mail='ada@example.com', site='https://example.com/a', day='2026-02-28',"
        " moment='2026-02-28T12:00:00Z', count=3, ratio=0.5, agree=False, size='M', color='g', toppings=['a', 'b'],"
        " extras=['y'])"
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "A"),
        ("mail", "nobody"),
        ("site", "not a uri"),
        ("day", "2026-02-30"),
        ("moment", "2026-02-28"),
        ("count", 0),
        ("count", 1.5),
        ("count", True),
        ("ratio", "1"),
        ("agree", "no"),
        ("size", "L"),
        ("color", "Red"),
        ("toppings", []),
        ("toppings", "a"),
        ("extras", ["z"]),
        ("extras", [1]),
    ],
)
def test_a_field_that_does_not_fit_is_asked_for_again(ask: Caller, field: str, value: object) -> None:
    content = {"name": "Ada", "count": 1, field: value}
    ask.asked("fill_in", inputResponses={"every_field": accept(**content)})
    (line,) = [line for line in ask.logged if "every_field" in line]
    assert f"/{field}" in line
    assert "Ada" not in line


def test_a_page_to_visit(ask: Caller) -> None:
    result = ask.asked("sign_in")
    assert result["inputRequests"]["login"]["params"] == {
        "mode": "url",
        "message": "Log in",
        "url": "https://example.com/login?for=1",
    }
    for action, text in (("accept", "Accepted"), ("decline", "Declined"), ("cancel", "Dismissed")):
        assert ask.text("sign_in", inputResponses={"login": {"action": action}}) == text
    login = importlib.import_module("asking_mcp.api").LOGIN
    assert login.replace(key="other", message="Again").params["message"] == "Again"
    with pytest.raises(ValueError, match="no absolute URI"):
        login.replace(url="/login")


def test_sampling(ask: Caller) -> None:
    result = ask.asked("summarize")
    assert result["inputRequests"]["question"] == {
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}],
            "maxTokens": 100,
        },
    }
    assert ask.text("summarize", inputResponses={"question": SAMPLE}) == "assistant m endTurn: Paris"
    several = {**SAMPLE, "content": [SAMPLE["content"], {"type": "text", "text": "!"}]}
    assert ask.text("summarize", inputResponses={"question": several}) == "assistant m endTurn: Paris!"
    for wrong in ({**SAMPLE, "content": 5}, {**SAMPLE, "role": "system"}, {"role": "assistant", "model": "m"}):
        ask.asked("summarize", inputResponses={"question": wrong})
    ask.asked("summarize", inputResponses={"question": {**SAMPLE, "content": {"type": "telepathy"}}})


def test_a_question_to_the_model_that_the_protocol_does_not_have_is_not_sent(ask: Caller) -> None:
    assert ask("bad_sampling")["result"]["isError"] is True
    assert any("/messages/0/content" in line for line in ask.logged)
    assert "secret-thought" not in str(ask.logged)


def test_a_model_that_uses_tools(ask: Caller) -> None:
    use = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
    wants = {**SAMPLE, "content": [use, {**use, "id": "2"}], "stopReason": "toolUse"}
    state = ask.asked("sample_with_tools")["requestState"]
    second = ask.asked("sample_with_tools", requestState=state, inputResponses={"turn0": wants})
    messages = second["inputRequests"]["turn1"]["params"]["messages"]
    assert [block["toolUseId"] for block in messages[2]["content"]] == ["1", "2"]
    state = second["requestState"]
    assert ask.text("sample_with_tools", requestState=state, inputResponses={"turn1": SAMPLE}) == "Paris"


def test_roots(ask: Caller) -> None:
    assert ask.asked("list_folders")["inputRequests"] == {"client_roots": {"method": "roots/list", "params": {}}}
    assert ask.text("list_folders", inputResponses={"client_roots": ROOTS}) == "file:///home/me me"
    for wrong in ({"roots": [{"uri": "https://example.com"}]}, {"roots": [{}]}, {}):
        ask.asked("list_folders", inputResponses={"client_roots": wrong})


def test_several_questions_in_one_round(ask: Caller) -> None:
    result = ask.asked("several")
    assert [request["method"] for request in result["inputRequests"].values()] == [
        "elicitation/create",
        "sampling/createMessage",
        "roots/list",
    ]
    some = {"user_name": accept(name="Ada"), "client_roots": ROOTS}
    result = ask.asked("several", requestState=result["requestState"], inputResponses=some)
    assert list(result["inputRequests"]) == ["greeting"]
    rest = {"greeting": SAMPLE}
    text = ask.text("several", requestState=result["requestState"], inputResponses=rest)
    assert text == "Ada: Paris from file:///home/me"


def test_several_rounds_carry_all_answers(ask: Caller) -> None:
    first = ask.asked("two_steps")
    assert list(first["inputRequests"]) == ["step1"]
    second = ask.asked("two_steps", requestState=first["requestState"], inputResponses={"step1": accept(name="Ada")})
    assert second["inputRequests"]["step2"]["params"]["message"] == "Ada, your colour?"
    assert second["requestState"] != first["requestState"]
    # What was kept is from the first round; the handler has run twice since.
    last = {"requestState": second["requestState"], "inputResponses": {"step2": accept(color="blue")}}
    number, runs = map(int, ask.text("two_steps", **last).removeprefix("Ada likes blue, ").split(" of "))
    assert runs == number + 2


def test_a_retry_needs_nothing_of_what_was_asked_before(ask: Caller) -> None:
    first = ask.asked("two_steps")
    second = Caller().asked(
        "two_steps", requestState=first["requestState"], inputResponses={"step1": accept(name="Ada")}
    )
    assert list(second["inputRequests"]) == ["step2"]


def test_the_same_question_under_several_keys(ask: Caller) -> None:
    first = ask.asked("each_item")
    assert first["inputRequests"]["confirm_a"]["params"]["message"] == "Take a?"
    answers = {"confirm_a": accept(ok=False)}
    second = ask.asked("each_item", requestState=first["requestState"], inputResponses=answers)
    answers = {"confirm_b": accept(ok=True)}
    assert ask.text("each_item", requestState=second["requestState"], inputResponses=answers) == "b"


def test_a_key_means_one_question(ask: Caller) -> None:
    assert ask("same_key", inputResponses=CONFIRMED)["result"]["isError"] is True
    assert any("two different questions have the key 'confirm'" in line for line in ask.logged)


def test_consent_is_to_what_was_shown(ask: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ask.asked("set_flag", FLAG)
    module = importlib.import_module("asking_mcp.elicitations")
    monkeypatch.setitem(
        module.CONFIRM.params, "requestedSchema", {**module.CONFIRM.params["requestedSchema"], "x-a": 1}
    )
    again = ask.asked("set_flag", FLAG, requestState=first["requestState"], inputResponses=CONFIRMED)
    assert ask.text("set_flag", FLAG, requestState=again["requestState"], inputResponses=CONFIRMED) == "True None"


def test_async_handlers(ask: Caller) -> None:
    state = ask.asked("async_flag")["requestState"]
    answers: dict[str, object] = {"step1": accept(name="Ada"), "step2": accept(color="red")}
    for key, answer in (("confirm", accept(ok=True)), ("question", SAMPLE), ("roots", ROOTS)):
        result = ask.asked("async_flag", requestState=state, inputResponses=answers)
        assert list(result["inputRequests"]) == [key]
        state, answers = result["requestState"], {key: answer}
    assert ask.text("async_flag", requestState=state, inputResponses=answers) == "Ada red True Paris file:///home/me"


def test_a_question_in_a_task_group(ask: Caller) -> None:
    assert list(ask.asked("grouped")["inputRequests"]) == ["confirm"]
    assert ask.text("grouped", inputResponses=CONFIRMED) == "True"


def test_except_exception_does_not_swallow_a_question(ask: Caller) -> None:
    ask.asked("careless")
    assert ask.code("careless", capabilities={}) == -32021


def test_arguments_are_checked_before_anyone_is_asked(ask: Caller) -> None:
    result = ask("set_flag", {"flag": 5})["result"]
    assert result["isError"] is True
    assert "inputRequests" not in result


# Capabilities


@pytest.mark.parametrize(
    ("tool", "capabilities", "missing"),
    [
        ("set_flag", {}, {"elicitation": {}}),
        ("set_flag", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("sign_in", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("sign_in", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        ("sign_in", {}, {"elicitation": {"url": {}}}),
        ("summarize", {"elicitation": {}}, {"sampling": {}}),
        ("sample_with_tools", {}, {"sampling": {"tools": {}}}),
        ("sample_with_tools", {"sampling": {}}, {"sampling": {"tools": {}}}),
        ("list_folders", {"sampling": {}}, {"roots": {}}),
        ("several", {}, {"elicitation": {}, "sampling": {}, "roots": {}}),
        ("several", {"sampling": {}}, {"elicitation": {}, "roots": {}}),
        ("need_sampling", {}, {"sampling": {}}),
    ],
)
def test_nothing_is_asked_that_was_not_declared(ask: Caller, tool: str, capabilities: object, missing: object) -> None:
    arguments = FLAG if tool == "set_flag" else {}
    error = ask(tool, arguments, capabilities=capabilities)["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": missing}


def test_declared_capabilities_suffice(ask: Caller) -> None:
    for capabilities in ({"elicitation": {}}, {"elicitation": {"form": {}}}):
        ask.asked("set_flag", FLAG, capabilities=capabilities)
    ask.asked("sign_in", capabilities={"elicitation": {"url": {}}})
    assert ask.text("need_sampling", capabilities={"sampling": {}}) == "fine"


@pytest.mark.parametrize(
    ("capabilities", "able"),
    [
        ({}, (False, False, False, False)),
        ({"elicitation": {}}, (True, False, False, False)),
        ({"elicitation": {"url": {}}, "sampling": {}}, (False, True, True, False)),
        (EVERYTHING, (True, True, True, True)),
    ],
)
def test_a_handler_can_look_before_it_asks(ask: Caller, capabilities: object, able: object) -> None:
    assert ask.text("abilities", capabilities=capabilities) == repr(able)


# State


def test_no_byte_of_a_state_can_be_changed(ask: Caller) -> None:
    state = ask.asked("set_flag", FLAG)["requestState"]
    for index, character in enumerate(state):
        for other in ("A" if character != "A" else "B", chr(ord(character) ^ 1)):
            changed = state[:index] + other + state[index + 1 :]
            assert ask.code("set_flag", FLAG, requestState=changed, inputResponses=CONFIRMED) == -32602


def test_hostile_states_are_refused(ask: Caller) -> None:
    state = ask.asked("set_flag", FLAG)["requestState"]
    payload, _, seal = state.partition(".")
    hostile: list[object] = [
        "", ".", "..", "x", "\0", "é", "\ud800", "a" * 1_000_000, "gASVAAAAAAAAAC4=", 5, None, {}, [state], True,
        state + "-TAMPERED", state + "x", state + "=", state + "==", state + "\n", " " + state, state + "." + seal,
        state[:-1], state[1:], payload, payload + ".", "." + seal, payload + "=." + seal, state.swapcase(),
    ]  # fmt: skip
    for presented in hostile:
        assert ask.code("set_flag", FLAG, requestState=presented, inputResponses=CONFIRMED) == -32602, presented


def test_a_state_is_bound_to_its_request(ask: Caller) -> None:
    state = {"requestState": ask.asked("set_flag", {"flag": "x", "value": 1})["requestState"]}
    answered = {**state, "inputResponses": CONFIRMED}
    assert ask.code("set_flag", {"flag": "y", "value": 1}, **answered) == -32602
    assert ask.code("set_flag", {"flag": "x"}, **answered) == -32602
    assert ask.code("set_flag", {"flag": "x", "value": True}, **answered) == -32602
    assert ask.code("set_other_flag", {"flag": "x", "value": 1}, **answered) == -32602
    assert ask.code("plain", **answered) == -32602
    # The same value written in another way is the same request, and so is one with other metadata.
    assert ask.text("set_flag", {"value": 1.0, "flag": "x"}, capabilities={}, **answered) == "True None"


def test_a_state_is_bound_to_its_method(ask: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    state = ask.asked("set_flag", FLAG)["requestState"]
    monkeypatch.setitem(ask.dispatcher.methods, "prompts/get", ask.dispatcher.methods["tools/call"])
    params = {"name": "set_flag", "arguments": FLAG, "inputResponses": CONFIRMED, "requestState": state}
    assert ask.request("prompts/get", **params)["error"]["code"] == -32602


def test_no_arguments_and_empty_ones_are_the_same_request(ask: Caller) -> None:
    state = ask.asked("two_steps")["requestState"]
    ask.asked("two_steps", {}, requestState=state)


def test_a_state_expires(ask: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    state = ask.asked("set_flag", FLAG)["requestState"]
    clock = importlib.import_module("asking_mcp.runtime.state").time
    now = clock.time()
    monkeypatch.setattr(clock, "time", lambda: now + 58)
    assert ask.text("set_flag", FLAG, requestState=state, inputResponses=CONFIRMED) == "True None"
    monkeypatch.setattr(clock, "time", lambda: now + 61)
    error = ask("set_flag", FLAG, requestState=state, inputResponses=CONFIRMED)["error"]
    assert error["code"] == -32602
    assert "time is over" in error["message"]


def test_what_is_too_much_to_carry_fails_neutrally(ask: Caller) -> None:
    result = ask("too_much")["result"]
    assert result["isError"] is True
    assert "secret" not in str(result)
    assert any("characters" in line for line in ask.logged)
    assert "secret" not in str(ask.logged)


def test_nothing_is_remembered(ask: Caller) -> None:
    for _ in range(50):
        ask.asked("two_steps")
    assert not ask.dispatcher.in_flight


def test_ordinary_calls_load_nothing_of_this(package: None) -> None:
    forget_package()
    ask = Caller()
    ask.text("plain")
    ask("plain", 5)
    loaded = {name.rpartition(".")[2] for name in sys.modules if name.startswith("asking_mcp.")}
    assert not loaded & {"asking", "state", "_sampling_2026_07_28", "_elicitation_2026_07_28", "_form_confirm"}


# Prompts, resources and completions


def test_a_prompt_asks(ask: Caller) -> None:
    params: dict[str, Any] = {"name": "greet", "arguments": {"style": "kindly"}}
    result = ask.request("prompts/get", **params)["result"]
    assert list(result["inputRequests"]) == ["user_context"]
    retry = {
        **params,
        "requestState": result["requestState"],
        "inputResponses": {"user_context": accept(context="sea")},
    }
    (message,) = ask.request("prompts/get", **retry)["result"]["messages"]
    assert message["content"]["text"] == "kindly: sea"
    for wrong in ({"requestState": result["requestState"] + "x"}, {"arguments": {"style": "other"}}):
        assert ask.request("prompts/get", **{**retry, **wrong})["error"]["code"] == -32602
    error = ask.request("prompts/get", capabilities={}, **params)["error"]
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"elicitation": {}}})


def test_a_resource_asks_and_its_answer_is_not_to_be_kept(ask: Caller) -> None:
    result = ask.request("resources/read", uri="notes://all")["result"]
    assert result["resultType"] == "input_required"
    assert not result.keys() & {"ttlMs", "cacheScope"}
    retry = {"requestState": result["requestState"], "inputResponses": CONFIRMED}
    result = ask.request("resources/read", uri="notes://all", **retry)["result"]
    assert result["contents"][0]["text"] == "True"
    assert result["ttlMs"] == 0


def test_a_template_asks_and_its_state_is_bound_to_the_uri(ask: Caller) -> None:
    state = ask.request("resources/read", uri="notes://7")["result"]["requestState"]
    retry = {"requestState": state, "inputResponses": {"roots": ROOTS}}
    result = ask.request("resources/read", uri="notes://7", **retry)["result"]
    assert result["contents"][0]["text"] == "7 file:///home/me"
    assert ask.request("resources/read", uri="notes://8", **retry)["error"]["code"] == -32602


def test_a_completion_cannot_ask_but_may_need_a_capability(ask: Caller) -> None:
    params = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "style", "value": "k"}}
    more = {"inputResponses": 5, "requestState": "anything"}  # nothing that completion/complete has
    assert ask.request("completion/complete", capabilities={}, **params, **more)["error"]["code"] == -32021
    assert ask.request("completion/complete", **params, **more)["error"]["code"] == -32603
    assert any("completion/complete cannot ask" in line for line in ask.logged)


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "server/discover"])
def test_lists_ignore_state_and_answers(ask: Caller, method: str) -> None:
    assert ask.request(method, requestState="x", inputResponses={})["result"]["resultType"] == "complete"


# Another era


def test_handlers_do_not_notice_how_a_question_gets_its_answer(ask: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """An asker that has all answers at once, as one that waits for a client's responses would."""
    answers = {
        "step1": accept(name="Ada"),
        "step2": accept(color="red"),
        **CONFIRMED,
        "question": SAMPLE,
        "roots": ROOTS,
    }

    class Waiting:
        def __init__(self, *_: object) -> None: ...

        def ask(self, *questions: Any) -> tuple[Any, ...]:
            load = ask.dispatcher.handlers.module
            return tuple(
                question.read(answers[question.key], lambda name: load(f"validators.{name}")) for question in questions
            )

        async def ask_async(self, *questions: Any) -> tuple[Any, ...]:
            await asyncio.sleep(0.001)
            return self.ask(*questions)

        def once(self, _key: str, function: Any) -> Any:
            return function()

    monkeypatch.setattr(ask.dispatcher, "asker", Waiting)
    assert ask.text("async_flag") == "Ada red True Paris file:///home/me"
    assert ask.text("two_steps").startswith("Ada likes red")
    assert ask.text("set_flag", FLAG) == "True None"


# Over pipes


def exchange(source: Path, messages: list[Any], **env: str) -> tuple[list[Any], str]:
    with Server(source, "asking_mcp", env=env) as server:
        replies = [server.ask(message) for message in messages]
        server.end_input()
        server.wait()
    return replies, server.stderr()


def tool_call(tool: str, arguments: object, **more: object) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments, **more, "_meta": {**META, CAPABILITIES: EVERYTHING}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def test_a_state_survives_a_restart_exactly_when_the_key_is_set(source: Path) -> None:
    first = tool_call("set_flag", {"flag": "secret-flag"})
    key, other = "k" * 32, "o" * 32
    (reply,), log = exchange(source, [first], TOOLMINT_STATE_KEY=key)
    assert "secret-flag" not in log
    state = reply["result"]["requestState"]
    retry = tool_call(
        "set_flag",
        {"flag": "secret-flag"},
        requestState=state,
        inputResponses={"confirm": accept(ok=True, reason="secret")},
    )
    (reply,), log = exchange(source, [retry], TOOLMINT_STATE_KEY=key)
    assert reply["result"]["content"][0]["text"] == "True secret"
    assert "secret" not in log
    assert state not in log
    for env in ({"TOOLMINT_STATE_KEY": other}, {}, {"TOOLMINT_STATE_KEY": ""}):
        (reply,), _ = exchange(source, [retry], **env)
        assert reply["error"]["code"] == -32602


def test_a_key_that_can_be_guessed_is_complained_about(source: Path) -> None:
    _, log = exchange(source, [tool_call("set_flag", FLAG)], TOOLMINT_STATE_KEY="secret")
    assert "TOOLMINT_STATE_KEY has only 6 bytes" in log
    assert "secret" not in log


def test_only_three_methods_may_ask(ask: Caller) -> None:
    methods = ask.dispatcher.methods
    asking = {name for name, method in methods.items() if method.may_ask}
    assert asking == {"tools/call", "prompts/get", "resources/read"}


# The official client


def drive(source: Path, tool: str, arguments: dict[str, Any], **callbacks: Any) -> Any:
    async def use() -> Any:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "asking_mcp"], env={"PYTHONPATH": str(source)}
        )
        async with Client(server, mode="2026-07-28", **callbacks) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(use())


async def sample(_context: Any, params: Any) -> CreateMessageResult:
    text = f"heard {params.messages[0].content.text}"
    return CreateMessageResult(role="assistant", content=TextContent(type="text", text=text), model="test")


async def list_roots(_context: Any) -> ListRootsResult:
    return ListRootsResult(roots=[Root(uri="file:///home/me")])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (ElicitResult(action="accept", content={"ok": True, "reason": "sure"}), "True sure"),
        (ElicitResult(action="decline"), "declined"),
        (ElicitResult(action="cancel"), "dismissed"),
    ],
)
def test_official_client_answers(source: Path, answer: ElicitResult, text: str) -> None:
    async def elicit(_context: Any, params: Any) -> ElicitResult:
        assert params.message == "Set x?"
        return answer

    result = drive(source, "set_flag", FLAG, elicitation_callback=elicit)
    assert [block.text for block in result.content] == [text]


def test_official_client_goes_through_all_kinds_and_rounds(source: Path) -> None:
    async def elicit(_context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ada", "color": "blue", "ok": True})

    callbacks = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": list_roots}
    result = drive(source, "several", {}, **callbacks)
    assert result.content[0].text == "Ada: heard Greet! from file:///home/me"
    result = drive(source, "async_flag", {}, **callbacks)
    assert result.content[0].text == "Ada blue True heard Sum up file:///home/me"


def test_official_client_without_callbacks_is_told_what_it_lacks(source: Path) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        drive(source, "set_flag", FLAG)
    refused = caught.value
    while isinstance(refused, BaseExceptionGroup):
        (refused,) = refused.exceptions
    assert isinstance(refused, MCPError)
    assert refused.error.code == -32021
    assert refused.error.data == {"requiredCapabilities": {"elicitation": {}}}


# Types


TYPED = """
from typing import assert_type
from asking_mcp.api import (
    CONFIRM, LOGIN, USER_NAME, Accepted, Confirm, Context, Declined, Dismissed, Root, Sample, UserName, roots, sampling,
)

def check(ctx: Context) -> None:
    assert_type(ctx.elicit(CONFIRM, message="?"), Confirm | Declined | Dismissed)
    assert_type(ctx.elicit(LOGIN.replace(url="https://example.com")), Accepted | Declined | Dismissed)
    assert_type(ctx.sample("key", "text", max_tokens=5), Sample)
    assert_type(ctx.roots(), tuple[Root, ...])
    assert_type(
        ctx.ask(USER_NAME.replace(key="other"), sampling("key", "text", max_tokens=5), roots()),
        tuple[UserName | Declined | Dismissed, Sample, tuple[Root, ...]],
    )
    assert_type(ctx.once("key", lambda: 5), int)
    answer = ctx.elicit(CONFIRM)
    if isinstance(answer, Confirm):
        assert_type(answer.ok, bool)
        assert_type(answer.reason, str | None)

async def check_async(ctx: Context) -> None:
    assert_type(await ctx.elicit_async(CONFIRM), Confirm | Declined | Dismissed)
    assert_type(await ctx.ask_async(CONFIRM, roots()), tuple[Confirm | Declined | Dismissed, tuple[Root, ...]])
"""


def test_answers_have_types(source: Path) -> None:
    (source / "typed.py").write_text(TYPED, encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--follow-imports=silent", "typed.py"],
        cwd=source,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(source)},
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
