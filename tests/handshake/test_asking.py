"""Questions to a client of the handshake era: sent as requests of their own, waited for, and answered in every way there is."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handshake.hosts import EVERYTHING, PROTOCOL, Host, initialize, notification, plain
from servers import META, Server, call, make_project

ELICITING = ("2025-06-18", "2025-11-25")

MANIFEST = f"""\
toolmint: 1
{PROTOCOL}
server: {{name: curious, version: 0.1.0}}
defaults: {{stateTtlMs: 1500}}
tools:
  - name: confirm
    description: Asks for a confirmation.
    elicits:
      - &confirm
        key: confirm
        message: Go on?
        requestedSchema: {{type: object, properties: {{ok: {{type: boolean}}, why: {{type: string}}}}, required: [ok]}}
    x-toolmint: {{timeoutMs: 700}}
  - {{name: confirm_async, description: Asks from a coroutine., elicits: [*confirm], x-toolmint: {{timeoutMs: 700}}}}
  - {{name: confirm_blocking, description: Asks from a coroutine without awaiting., elicits: [*confirm]}}
  - name: fill_in
    description: Asks for every kind of field.
    elicits:
      - key: every_field
        message: Fill this in
        requestedSchema:
          type: object
          properties:
            name: {{type: string, title: Name, minLength: 2, default: Ada}}
            day: {{type: string, format: date}}
            count: {{type: integer, minimum: 1}}
            agree: {{type: boolean, default: false}}
            size: {{type: string, enum: [S, M]}}
            color: {{type: string, oneOf: [{{const: r, title: Red}}, {{const: g, title: Green}}]}}
            toppings: {{type: array, title: Toppings, items: {{type: string, enum: [a, b]}}, minItems: 1}}
            extras: {{type: array, items: {{anyOf: [{{const: x, title: X}}, {{const: y, title: Y}}]}}, default: [y]}}
          required: [name, count, toppings]
  - name: sign_in
    description: Sends the user to a page.
    elicits: [{{key: login, mode: url, message: Log in, url: "https://example.com/login"}}]
  - {{name: summarize, description: Uses the client's model.}}
  - {{name: converse, description: Uses the client's model with a conversation.}}
  - {{name: with_tools, description: Lets the client's model use a tool.}}
  - {{name: with_context, description: Lets the client's model see more.}}
  - {{name: folders, description: Lists the client's folders.}}
  - {{name: several, description: Asks for three things at once., elicits: [*confirm]}}
  - {{name: several_async, description: Asks for three things at once., elicits: [*confirm]}}
  - name: two_steps
    description: Asks twice, the second time about the first answer.
    elicits:
      - {{key: step1, message: Name?, requestedSchema: {{type: object, properties: {{name: {{type: string}}}}, required: [name]}}}}
      - {{key: step2, message: Colour?, requestedSchema: {{type: object, properties: {{color: {{type: string}}}}}}}}
  - {{name: twice, description: Asks the same question twice., elicits: [*confirm]}}
  - {{name: same_key, description: Asks two questions under one key.}}
  - {{name: careless, description: Catches every Exception., elicits: [*confirm]}}
  - {{name: needs_sampling, description: Needs sampling without using it.}}
prompts:
  - {{name: written, description: Asks first., elicits: [*confirm], arguments: [{{name: style, complete: handler}}]}}
resources:
  - {{uri: "notes://all", name: notes, elicits: [*confirm]}}
"""
API = "import asyncio, json\nfrom curious_mcp.api import *\n"
HANDLERS = {
    name: API + source
    for name, source in {
        "confirm": """
def confirm(args, ctx):
    print("confirm runs", flush=True)
    answer = ctx.elicit(CONFIRM)
    return f"{answer.ok} {answer.why}" if isinstance(answer, Confirm) else type(answer).__name__
""",
        "confirm_async": """
async def confirm_async(args, ctx):
    print("confirm_async runs", flush=True)
    try:
        answer = await ctx.elicit_async(CONFIRM)
    except asyncio.CancelledError:
        print("confirm_async is cancelled", flush=True)
        raise
    return f"{answer.ok} {answer.why}" if isinstance(answer, Confirm) else type(answer).__name__
""",
        "confirm_blocking": "async def confirm_blocking(args, ctx): return type(ctx.elicit(CONFIRM)).__name__",
        "fill_in": "def fill_in(args, ctx): return repr(ctx.elicit(EVERY_FIELD))",
        "sign_in": """
def sign_in(args, ctx):
    page = LOGIN.replace(url="https://example.com/login?for=1")
    answer = ctx.elicit(page)
    ctx.page_completed(page)
    return type(answer).__name__
""",
        "summarize": """
def summarize(args, ctx):
    sample = ctx.sample("question", "What is the capital of France?", max_tokens=100, system_prompt="Be brief.")
    return f"{sample.role} {sample.model} {sample.stop_reason}: {sample.text}"
""",
        "converse": """
def converse(args, ctx):
    sound = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
    messages = [{"role": "user", "content": [{"type": "text", "text": "Listen:"}, sound]}]
    return ctx.sample("question", messages, max_tokens=10).text
""",
        "with_tools": """
def with_tools(args, ctx):
    tool = {"name": "look", "inputSchema": {"type": "object"}}
    return ctx.sample("question", "Look", max_tokens=10, tools=[tool], tool_choice="auto").text
""",
        "with_context": """
def with_context(args, ctx):
    return ctx.sample("question", "Look", max_tokens=10, include_context="thisServer").text
""",
        "folders": "def folders(args, ctx): return [f'{root.uri} {root.name}' for root in ctx.roots()]",
        "several": """
def several(args, ctx):
    answer, sample, folders = ctx.ask(CONFIRM, sampling("name", "Name one", max_tokens=5), roots())
    return f"{answer.ok} {sample.text} {folders[0].uri}"
""",
        "several_async": """
async def several_async(args, ctx):
    (answer, folders), sample = await asyncio.gather(
        ctx.ask_async(CONFIRM, roots()), ctx.sample_async("name", "Name one", max_tokens=5)
    )
    return f"{answer.ok} {sample.text} {folders[0].uri}"
""",
        "two_steps": """
def two_steps(args, ctx):
    name = ctx.elicit(STEP1).name
    kept = ctx.once("kept", lambda: [name])
    return f"{name} {ctx.elicit(STEP2, message=f'Which colour does {name} like?').color} {kept} {ctx.once('kept', int)}"
""",
        "twice": "def twice(args, ctx): return str(ctx.elicit(CONFIRM) is ctx.elicit(CONFIRM))",
        "same_key": "def same_key(args, ctx): return str(ctx.ask(roots('a'), sampling('a', 'x', max_tokens=1)))",
        "careless": """
def careless(args, ctx):
    try:
        return str(ctx.elicit(CONFIRM))
    except Exception:
        return "caught"
""",
        "needs_sampling": "def needs_sampling(args, ctx): return str(ctx.require(sampling={}))",
        "../prompts/written": "def written(args, ctx): return f'{ctx.elicit(CONFIRM).why}'",
        "../resources/notes": "def notes(args, ctx): return f'{ctx.elicit(CONFIRM).why}'",
        "../completions/written_style": "def written_style(args, ctx): return [str(ctx.elicit(CONFIRM))]",
    }.items()
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("curious"), MANIFEST, HANDLERS)


@pytest.fixture(params=ELICITING)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def host(source: Path, revision: str) -> Iterator[Host]:
    with Host(source, "curious_mcp", revision) as one:
        yield one


def accept(**content: object) -> Callable[[Any], Any]:
    return lambda _: {"result": {"action": "accept", "content": content}}


def text_of(result: Any) -> str:
    (block,) = result["content"]
    return str(block["text"])


def sampled(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "m", "stopReason": "endTurn"}


@pytest.mark.parametrize("tool", ["confirm", "confirm_async"])
def test_accept_decline_cancel_and_a_handler_that_runs_once(host: Host, tool: str) -> None:
    host.answers["elicitation/create"] = accept(ok=True, why="so")
    assert text_of(host.call(tool)) == "True so"
    host.answers["elicitation/create"] = lambda _: {"result": {"action": "decline"}}
    assert text_of(host.call(tool)) == "Declined"
    host.answers["elicitation/create"] = lambda _: {"result": {"action": "cancel"}}
    assert text_of(host.call(tool)) == "Dismissed"
    host.await_count(f"{tool} runs", 3)
    assert [one["params"]["message"] for one in host.asked] == ["Go on?"] * 3
    assert [one["id"] for one in host.asked] == [1, 2, 3]


def test_mode_is_said_where_the_revision_knows_it(host: Host, revision: str) -> None:
    host.answers["elicitation/create"] = accept(ok=True)
    host.call("confirm")
    assert ("mode" in host.asked[0]["params"]) == (revision == "2025-11-25")


def test_a_coroutine_may_ask_without_await(host: Host) -> None:
    host.answers["elicitation/create"] = accept(ok=True)
    assert text_of(host.call("confirm_blocking")) == "Confirm"


def test_prompts_and_resources_ask_and_completions_cannot(host: Host) -> None:
    host.answers["elicitation/create"] = accept(ok=True, why="because")
    assert host.request("prompts/get", name="written")["messages"][0]["content"]["text"] == "because"
    assert host.request("resources/read", uri="notes://all")["contents"][0]["text"] == "because"
    reference = {"type": "ref/prompt", "name": "written"}
    error = host.error("completion/complete", ref=reference, argument={"name": "style", "value": ""})
    assert error["code"] == -32603
    assert "cannot ask the client" in host.await_stderr("cannot ask the client")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", *ELICITING])
def test_sampling_and_roots(source: Path, revision: str) -> None:
    with Host(source, "curious_mcp", revision) as host:
        host.answers["sampling/createMessage"] = lambda _: {"result": sampled("Paris")}
        host.answers["roots/list"] = lambda _: {"result": {"roots": [{"uri": "file:///work", "name": "Work"}]}}
        assert text_of(host.call("summarize")) == "assistant m endTurn: Paris"
        assert host.asked[0]["params"]["systemPrompt"] == "Be brief."
        assert text_of(host.call("folders")) == "file:///work Work"
        assert "params" not in host.asked[1]
        host.asked.clear()
        host.call("converse")
        messages = host.asked[0]["params"]["messages"]
        if revision == "2025-11-25":
            assert len(messages[0]["content"]) == 2
        else:
            sound = "audio" if revision > "2024-11-05" else "text"
            assert [message["content"]["type"] for message in messages] == ["text", sound]


def test_a_model_gets_tools_where_the_client_can_give_them(source: Path) -> None:
    for revision in ELICITING:
        with Host(source, "curious_mcp", revision) as host:
            host.answers["sampling/createMessage"] = lambda _: {"result": sampled("seen")}
            result = host.call("with_tools")
            assert ("isError" in result) == (revision == "2025-06-18")
            if revision == "2025-06-18":
                assert "sampling.tools" in text_of(result)
                assert host.asked == []


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18"])
def test_parts_of_a_capability_count_from_when_there_are_any(source: Path, revision: str) -> None:
    with Host(source, "curious_mcp", revision, {"sampling": {}, "elicitation": {"url": {}}}) as host:
        host.answers["sampling/createMessage"] = lambda _: {"result": sampled("seen")}
        assert text_of(host.call("with_context")) == "seen"
        assert host.asked[0]["params"]["includeContext"] == "thisServer"
        if revision == "2025-06-18":
            host.answers["elicitation/create"] = accept(ok=True)
            assert text_of(host.call("confirm")) == "True None"


def test_every_kind_of_field(host: Host, revision: str) -> None:
    def fill_in(params: dict[str, Any]) -> Any:
        fields = params["requestedSchema"]["properties"]
        content: dict[str, Any] = {"name": "Ada", "count": 2, "day": "2026-07-28", "size": "M", "color": "g"}
        if revision == "2025-11-25":
            assert fields["toppings"]["type"] == "array"
            content |= {"toppings": ["b"], "extras": ["x"]}
        else:
            assert fields["color"] == {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}
            assert fields["toppings: b"] == {"type": "boolean", "title": "Toppings: b"}
            assert fields["extras: y"] == {"type": "boolean", "title": "extras: Y", "default": True}
            assert params["requestedSchema"]["required"] == ["name", "count"]
            assert "default" not in fields["name"]
            content |= {"toppings: a": False, "toppings: b": True, "extras: x": True, "extras: y": False}
        return {"result": {"action": "accept", "content": content}}

    host.answers["elicitation/create"] = fill_in
    filled = text_of(host.call("fill_in"))
    assert "toppings=['b']" in filled
    assert "extras=['x']" in filled
    assert "color='g'" in filled


def test_pages(source: Path) -> None:
    with Host(source, "curious_mcp", "2025-11-25") as host:
        host.answers["elicitation/create"] = lambda _: {"result": {"action": "accept"}}
        assert text_of(host.call("sign_in")) == "Accepted"
        asked = host.asked[0]["params"]
        assert (asked["mode"], asked["url"]) == ("url", "https://example.com/login?for=1")
        (news,) = host.notified
        assert news["method"] == "notifications/elicitation/complete"
        assert news["params"] == {"elicitationId": asked["elicitationId"]}
        host.call("sign_in")
        assert host.asked[1]["params"]["elicitationId"] != asked["elicitationId"]


@pytest.mark.parametrize(
    ("revision", "capabilities", "tool", "lacking"),
    [
        ("2025-11-25", {}, "confirm", "elicitation"),
        ("2025-11-25", {"elicitation": {}}, "sign_in", "elicitation.url"),
        ("2025-11-25", {"elicitation": {"url": {}}}, "confirm", "elicitation.form"),
        ("2025-11-25", {"sampling": {}}, "with_tools", "sampling.tools"),
        ("2025-11-25", {"sampling": {}}, "several", "elicitation, roots"),
        ("2025-11-25", {}, "needs_sampling", "sampling"),
        ("2025-06-18", {"elicitation": {"url": {}}}, "sign_in", "elicitation.url"),
        ("2025-06-18", {"roots": {}}, "summarize", "sampling"),
        ("2025-03-26", {"elicitation": {}}, "confirm", "elicitation"),
        ("2025-11-25", {"sampling": {}}, "with_context", "sampling.context"),
        ("2024-11-05", {}, "folders", "roots"),
    ],
)
def test_a_client_that_lacks_the_capability(
    source: Path, revision: str, capabilities: dict[str, Any], tool: str, lacking: str
) -> None:
    with Host(source, "curious_mcp", revision, capabilities) as host:
        result = host.call(tool)
        assert result["isError"]
        assert lacking in text_of(result)
        assert host.asked == []
        assert host.request("ping") == {}


def test_prompt_of_a_client_that_lacks_the_capability(source: Path) -> None:
    with Host(source, "curious_mcp", "2025-11-25", {}) as host:
        error = host.error("prompts/get", name="written")
        assert error["code"] == -32603
        assert "elicitation" in error["message"]


@pytest.mark.parametrize("tool", ["several", "several_async"])
def test_several_questions_at_once_answered_in_any_order(host: Host, tool: str) -> None:
    host.send(plain("s", "tools/call", name=tool))
    questions = {one["method"]: one["id"] for one in (host.receive() for _ in range(3))}
    results: dict[str, Any] = {
        "roots/list": {"roots": [{"uri": "file:///a"}]},
        "sampling/createMessage": sampled("one"),
        "elicitation/create": {"action": "accept", "content": {"ok": True}},
    }
    for method, result in results.items():
        host.send({"jsonrpc": "2.0", "id": questions[method], "result": result})
    assert text_of(host.receive()["result"]) == "True one file:///a"


def test_a_question_that_depends_on_an_answer_and_once(host: Host) -> None:
    host.answers["elicitation/create"] = lambda params: accept(
        **({"name": "Ada"} if params["message"] == "Name?" else {"color": "red"})
    )(params)
    assert text_of(host.call("two_steps")) == "Ada red ['Ada'] ['Ada']"
    assert [one["params"]["message"] for one in host.asked] == ["Name?", "Which colour does Ada like?"]


def test_a_key_means_one_question_that_is_asked_once(host: Host) -> None:
    host.answers["elicitation/create"] = accept(ok=True)
    assert text_of(host.call("twice")) == "True"
    assert len(host.asked) == 1
    assert host.call("same_key")["isError"]
    host.await_stderr("two different questions have the key")


def test_time_that_the_user_takes_is_not_the_tools_time(host: Host) -> None:
    def slowly(_: Any) -> Any:
        time.sleep(1.0)
        return {"result": {"action": "accept", "content": {"ok": True}}}

    host.answers["elicitation/create"] = slowly
    for tool in ("confirm", "confirm_async"):
        assert text_of(host.call(tool)) == "True None"


@pytest.mark.parametrize("tool", ["confirm", "confirm_async"])
def test_a_question_that_nobody_answers_is_withdrawn(host: Host, tool: str) -> None:
    host.send(plain("t", "tools/call", name=tool))
    question = host.receive()
    withdrawn = host.receive()
    assert withdrawn["method"] == "notifications/cancelled"
    assert withdrawn["params"]["requestId"] == question["id"]
    late = host.receive()["result"]
    assert late["isError"]
    assert "confirm within 1.5 s" in text_of(late)
    host.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"ok": True}}})
    assert host.request("ping") == {}, "a late answer is ignored"


@pytest.mark.parametrize("tool", ["confirm", "confirm_async", "several", "several_async"])
def test_a_cancelled_call_withdraws_its_questions(host: Host, tool: str) -> None:
    host.send(plain("t", "tools/call", name=tool))
    questions = {host.receive()["id"] for _ in range(3 if tool.startswith("several") else 1)}
    host.send(notification("notifications/cancelled", requestId="t"))
    withdrawn = {host.receive()["params"]["requestId"] for _ in questions}
    assert withdrawn == questions
    host.send(*({"jsonrpc": "2.0", "id": id_, "result": {"action": "cancel"}} for id_ in questions))
    assert host.request("ping") == {}
    if tool == "confirm_async":
        host.await_stderr("confirm_async is cancelled")


@pytest.mark.parametrize("tool", ["confirm", "confirm_async", "careless"])
def test_a_client_that_answers_by_an_error_ends_the_call(host: Host, tool: str) -> None:
    host.answers["elicitation/create"] = lambda _: {"error": {"code": -1, "message": "User rejected it"}}
    result = host.call(tool)
    assert result["isError"]
    assert text_of(result) == f"The client did not answer what {tool} asked (confirm): User rejected it"


@pytest.mark.parametrize(
    "bad",
    [
        {"result": None},
        {"result": []},
        {"result": {}},
        {"result": {"action": "perhaps"}},
        {"result": {"action": "accept"}},
        {"result": {"action": "accept", "content": {"ok": "yes"}}},
        {"result": {"action": "accept", "content": {"why": "so"}}},
        {"result": {"action": "accept", "content": [1]}},
    ],
    ids=json.dumps,
)
def test_malformed_answers_are_asked_for_again_and_then_given_up(host: Host, bad: dict[str, Any]) -> None:
    answers = [bad, accept(ok=True)(None)]
    host.answers["elicitation/create"] = lambda _: answers.pop(0)
    assert text_of(host.call("confirm")) == "True None"
    host.answers["elicitation/create"] = lambda _: bad
    result = host.call("confirm_async")
    assert result["isError"]
    assert "confirm cannot be used" in text_of(result)
    assert len(host.asked) == 5
    host.await_count("confirm runs", 1)
    assert "yes" not in host.stderr(), "no value of an answer is logged"


@pytest.mark.parametrize("error", [None, 5, "no", {}, {"code": 1}, {"code": 1, "message": 5}])
def test_malformed_errors_are_errors(host: Host, error: object) -> None:
    host.answers["elicitation/create"] = lambda _: {"error": error}
    assert host.call("confirm")["isError"]


def test_answers_to_nothing_are_ignored(host: Host) -> None:
    host.send(plain("t", "tools/call", name="confirm"))
    id_ = host.receive()["id"]
    good = {"action": "accept", "content": {"ok": False}}
    for other in (str(id_), id_ + 1, float(id_) + 0.5, None, True, [id_], {"id": id_}):
        host.send({"jsonrpc": "2.0", "id": other, "result": good})
    host.send({"jsonrpc": "2.0", "result": good}, {"id": id_, "result": good})
    assert host.receive()["error"]["code"] == -32600, "without jsonrpc it is no response"
    host.send(
        {"jsonrpc": "2.0", "id": id_, "result": good}, {"jsonrpc": "2.0", "id": id_, "result": {"action": "decline"}}
    )
    assert text_of(host.receive()["result"]) == "False None"


def test_many_calls_ask_at_once_and_everything_else_goes_on(host: Host) -> None:
    calls = [plain(f"c{n}", "tools/call", name=("confirm", "confirm_async")[n % 2]) for n in range(40)]
    host.send(*calls)
    questions = [host.receive() for _ in calls]
    assert host.request("ping") == {}
    assert len({one["id"] for one in questions}) == 40
    for one in reversed(questions):
        host.send({"jsonrpc": "2.0", "id": one["id"], "result": {"action": "decline"}})
    answers = {host.receive()["id"] for _ in calls}
    assert answers == {one["id"] for one in calls}


def test_too_many_open_questions_are_refused(host: Host) -> None:
    host.send(*(plain(f"c{n}", "tools/call", name="confirm_async") for n in range(140)))
    messages = [host.receive() for _ in range(140)]
    refused = [one for one in messages if "result" in one]
    assert len(refused) == 12
    assert all("too many questions" in text_of(one["result"]) for one in refused)
    questions = [one["id"] for one in messages if "method" in one]
    host.send(*({"jsonrpc": "2.0", "id": id_, "result": {"action": "cancel"}} for id_ in questions))
    assert all(text_of(host.receive()["result"]) == "Dismissed" for _ in questions)


def test_end_of_input_while_a_question_is_open(source: Path) -> None:
    for tool in ("confirm", "confirm_async"):
        with Host(source, "curious_mcp", "2025-11-25") as host:
            host.send(plain("t", "tools/call", name=tool))
            host.receive()
            began = time.monotonic()
            host.end_input()
            assert host.wait() == 0
            assert time.monotonic() - began < 2.5


def test_questions_wait_until_the_client_is_initialized(source: Path) -> None:
    with Server(source, "curious_mcp") as server:
        server.ask(initialize(1, "2025-11-25", EVERYTHING["2025-11-25"]))
        server.send(plain(2, "tools/call", name="confirm"))
        assert server.silent_for(0.1)
        question = server.ask(notification("notifications/initialized"))
        result = {"action": "accept", "content": {"ok": True}}
        answer = server.ask({"jsonrpc": "2.0", "id": question["id"], "result": result})
        assert text_of(answer["result"]) == "True None"


def test_the_modern_era_asks_in_rounds_beside_it(host: Host) -> None:
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    message = call("m", "confirm")
    message["params"]["_meta"] = meta
    round_ = host.ask(message)["result"]
    assert round_["resultType"] == "input_required"
    host.answers["elicitation/create"] = accept(ok=True)
    assert text_of(host.call("confirm")) == "True None"
    lacking = host.ask(call("m", "confirm"))["error"]
    assert lacking["code"] == -32021


def test_batches_may_ask(source: Path) -> None:
    with Host(source, "curious_mcp", "2025-03-26") as host:
        host.send([plain(1, "tools/call", name="summarize"), plain(2, "tools/call", name="folders"), plain(3, "ping")])
        question = host.receive()
        host.send([{"jsonrpc": "2.0", "id": question["id"], "result": sampled("Paris")}])
        question = host.receive()
        host.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
        answers = {one["id"]: one["result"] for one in host.receive()}
        assert set(answers) == {1, 2, 3}
