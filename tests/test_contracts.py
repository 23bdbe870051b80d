"""Every feature of the protocol, on the contract store, by the official Python client over stdio."""

import asyncio
import csv
import io
import json
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import mcp.types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated

from recording import assert_all_valid, recorded
from reference import ROOT

SOURCE = ROOT / "generated" / "contracts" / "src"
IDS = [f"C-100{number}" for number in range(1, 9)]
TOOLS = [
    "search_contracts",
    "get_contract",
    "flag_for_review",
    "create_shortlist",
    "add_to_shortlist",
    "read_shortlist",
    "export_contracts",
]


def parameters(database: Path, **env: str) -> StdioServerParameters:
    """Return how to start a server on a store; what it says is recorded beside the store."""
    settings = {"CONTRACTS_DB": str(database), "TOOLMINT_STATE_KEY": "a key of 16 bytes or more"}
    program, *arguments = recorded([sys.executable, "-m", "contracts_mcp"], database.with_suffix(f".{uuid4()}.lines"))
    return StdioServerParameters(command=program, args=arguments, env={"PYTHONPATH": str(SOURCE), **settings, **env})


@pytest.fixture(autouse=True)
def judged(tmp_path: Path) -> Iterator[None]:
    """Hold all that servers have said in a test to the protocol."""
    yield
    for lines in tmp_path.glob("*.lines"):
        assert_all_valid(lines)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "contracts.db"


def run(database: Path, use: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    """Use one server by one client."""

    async def session() -> None:
        async with Client(parameters(database), **options) as client:
            await use(client)

    asyncio.run(asyncio.wait_for(session(), 60))


def user(action: str, content: dict[str, Any] | None = None, asked: list[str] | None = None) -> Any:
    """Return a user who always does the same, and notes what was asked."""

    async def answer(_context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        if asked is not None:
            asked.append(params.message)
        return types.ElicitResult(action=action, content=content)  # type: ignore[arg-type]

    return answer


def text_of(result: types.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, types.TextContent))


def test_what_the_server_says_of_itself(database: Path) -> None:
    async def use(client: Client) -> None:
        assert client.protocol_version == "2026-07-28"
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.title) == ("contracts", "Contract store")
        assert "search_contracts" in (client.instructions or "")
        capabilities = client.server_capabilities
        assert capabilities.tools is not None
        assert capabilities.prompts is not None
        assert capabilities.resources is not None
        assert capabilities.resources.subscribe
        assert capabilities.completions is not None

    run(database, use)


def test_lists(database: Path) -> None:
    async def use(client: Client) -> None:
        names, cursor, pages = [], None, 0
        while pages == 0 or cursor is not None:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor, pages = page.next_cursor, pages + 1
        assert names == TOOLS
        assert pages == 2
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["summarise_contract", "find_obligations"]
        resources = (await client.list_resources()).resources
        assert [str(resource.uri) for resource in resources] == ["contracts://glossary", "contracts://ids"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ["contract://{contract_id}"]

    run(database, use)


def test_calls(database: Path) -> None:
    async def use(client: Client) -> None:
        result = await client.call_tool("search_contracts", {"query": "confidentiality", "limit": 1})
        assert result.structured_content == {
            "contracts": [
                {"id": "C-1003", "title": "Translation of manuals", "party": "Palabra y Texto SL", "status": "expired"}
            ],
            "total": 2,
        }
        assert json.loads(text_of(result)) == result.structured_content
        result = await client.call_tool("search_contracts", {"query": "confidentiality", "status": "active"})
        assert [hit["id"] for hit in result.structured_content["contracts"]] == ["C-1005"]
        result = await client.call_tool("get_contract", {"contract_id": "C-1002"})
        assert result.structured_content["party"] == "Hafen Immobilien GmbH"
        assert "endsOn" not in result.structured_content

    run(database, use)


def test_errors_say_what_to_do_instead(database: Path) -> None:
    async def use(client: Client) -> None:
        result = await client.call_tool("get_contract", {"contract_id": "C-9999"})
        assert result.is_error
        assert all(contract_id in text_of(result) for contract_id in ["C-9999", *IDS])
        result = await client.call_tool("search_contracts", {"query": "", "status": "signed", "limit": 1000})
        assert result.is_error
        assert all(place in text_of(result) for place in ("/query", "/status", "/limit", "active"))
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("delete_contract", {})
        with pytest.raises(MCPError, match=r"C-9999.*Known ids") as missing:
            await client.read_resource("contract://C-9999")
        assert missing.value.data == {"uri": "contract://C-9999"}
        with pytest.raises(MCPError, match=r"C-9999.*Known ids"):
            await client.get_prompt("summarise_contract", {"contract_id": "C-9999"})
        with pytest.raises(MCPError, match="topic is required"):
            await client.get_prompt("find_obligations", {})

    run(database, use)


def test_resources(database: Path) -> None:
    async def use(client: Client) -> None:
        (glossary,) = (await client.read_resource("contracts://glossary")).contents
        assert isinstance(glossary, types.TextResourceContents)
        assert glossary.mime_type == "text/markdown"
        assert glossary.text.startswith("# Glossary")
        (ids,) = (await client.read_resource("contracts://ids")).contents
        assert isinstance(ids, types.TextResourceContents)
        assert json.loads(ids.text) == IDS
        result = await client.read_resource("contract://C-1004")
        assert (result.ttl_ms, result.cache_scope) == (0, "private")
        assert isinstance(result.contents[0], types.TextResourceContents)
        assert "Takumi Sensor KK" in result.contents[0].text

    run(database, use)


def test_prompts(database: Path) -> None:
    async def use(client: Client) -> None:
        prompt = await client.get_prompt("summarise_contract", {"contract_id": "C-1001", "audience": "lawyers"})
        asked, document = (message.content for message in prompt.messages)
        assert isinstance(asked, types.TextContent)
        assert "for lawyers" in asked.text
        assert isinstance(document, types.EmbeddedResource)
        assert str(document.resource.uri) == "contract://C-1001"
        fixed = await client.get_prompt("find_obligations", {"topic": "{{audience}} & data"})
        assert isinstance(fixed.messages[0].content, types.TextContent)
        assert "about {{audience}} & data." in fixed.messages[0].content.text

    run(database, use)


def test_completion(database: Path) -> None:
    async def use(client: Client) -> None:
        prompt = types.PromptReference(type="ref/prompt", name="summarise_contract")
        template = types.ResourceTemplateReference(type="ref/resource", uri="contract://{contract_id}")
        for reference in (prompt, template):
            completion = (await client.complete(reference, {"name": "contract_id", "value": "c-100"})).completion
            assert (completion.values, completion.total, completion.has_more) == (IDS, 8, False)
        completion = (await client.complete(prompt, {"name": "audience", "value": "e"})).completion
        assert completion.values == ["executives", "engineers", "everyone", "lawyers"]
        with pytest.raises(MCPError, match="no argument"):
            await client.complete(prompt, {"name": "reader", "value": ""})

    run(database, use)


@pytest.mark.parametrize("content", [{"note": "the liability cap"}, {}, None], ids=["note", "no note", "no content"])
def test_accepted_question_is_the_only_way_to_a_flag(database: Path, content: dict[str, Any] | None) -> None:
    asked: list[str] = []

    async def use(client: Client) -> None:
        before = await client.read_resource("contract://C-1007")
        result = await client.call_tool("flag_for_review", {"contract_id": "C-1007"})
        assert result.structured_content["outcome"] == "flagged"
        assert result.structured_content["flag"].get("note") == (content or {}).get("note")
        assert asked == ["Flag C-1007, Research on quiet gears, for review?"]
        after = await client.read_resource("contract://C-1007")
        assert "Flagged" not in before.contents[0].text  # type: ignore[union-attr]
        assert "Flagged" in after.contents[0].text  # type: ignore[union-attr]
        again = await client.call_tool("flag_for_review", {"contract_id": "C-1007"})
        assert again.structured_content["outcome"] == "already flagged"
        assert len(asked) == 1

    run(database, use, elicitation_callback=user("accept", content, asked))


@pytest.mark.parametrize(("action", "outcome"), [("decline", "declined"), ("cancel", "dismissed")])
def test_user_who_does_not_agree(database: Path, action: str, outcome: str) -> None:
    async def use(client: Client) -> None:
        result = await client.call_tool("flag_for_review", {"contract_id": "C-1007"})
        assert not result.is_error
        assert result.structured_content == {"contractId": "C-1007", "outcome": outcome}
        contract = await client.call_tool("get_contract", {"contract_id": "C-1007"})
        assert "flag" not in contract.structured_content

    run(database, use, elicitation_callback=user(action))


def test_nobody_is_asked_about_a_contract_that_is_not_there(database: Path) -> None:
    asked: list[str] = []

    async def use(client: Client) -> None:
        result = await client.call_tool("flag_for_review", {"contract_id": "C-9999"})
        assert result.is_error
        assert "Known ids" in text_of(result)
        assert not asked

    run(database, use, elicitation_callback=user("accept", {}, asked))


def test_client_that_cannot_ask_is_told_what_it_lacks(database: Path) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("flag_for_review", {"contract_id": "C-1007"})
        assert refused.value.code == -32021
        assert refused.value.data == {"requiredCapabilities": {"elicitation": {}}}

    run(database, use)


def test_progress(database: Path) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def use(client: Client) -> None:
        result = await client.call_tool(
            "export_contracts", {"status": "active", "pause_ms": 30}, progress_callback=note
        )
        (block,) = result.content
        assert isinstance(block, types.EmbeddedResource)
        assert isinstance(block.resource, types.TextResourceContents)
        assert block.resource.mime_type == "text/csv"
        rows = list(csv.DictReader(io.StringIO(block.resource.text)))
        assert [row["id"] for row in rows] == ["C-1001", "C-1002", "C-1004", "C-1005", "C-1007"]
        assert [(progress, total) for progress, total, _ in told] == sorted({(p, 5) for p, _, _ in told})
        assert told[-1] == (5, 5, "Research on quiet gears")
        assert len(told) > 2

    run(database, use)


def test_cancellation_stops_the_export_and_nothing_else(database: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"

    async def use(client: Client) -> None:
        started = asyncio.Event()

        async def note(*_: object) -> None:
            started.set()

        export = asyncio.create_task(client.call_tool("export_contracts", {"pause_ms": 500}, progress_callback=note))
        await started.wait()
        assert not (await client.call_tool("get_contract", {"contract_id": "C-1001"})).is_error
        export.cancel()
        with pytest.raises(asyncio.CancelledError):
            await export
        while "stopped after 1 of 8" not in log.read_text(encoding="utf-8"):  # or time is up
            await asyncio.sleep(0.01)
        assert not (await client.call_tool("get_contract", {"contract_id": "C-1002"})).is_error

    async def session() -> None:
        with log.open("w", encoding="utf-8") as errors:
            async with Client(stdio_client(parameters(database), errlog=errors)) as client:
                await use(client)

    asyncio.run(asyncio.wait_for(session(), 20))


def test_subscription(database: Path) -> None:
    async def use(client: Client) -> None:
        async with client.listen(resource_subscriptions=["contract://C-1001"], tools_list_changed=True) as events:
            assert events.honored.resource_subscriptions == ["contract://C-1001"]
            assert events.honored.tools_list_changed
            for contract_id in ("C-1002", "C-1001"):  # of the first nobody wants to know
                await client.call_tool("flag_for_review", {"contract_id": contract_id})
            event = await asyncio.wait_for(anext(aiter(events)), 10)
            assert event == ResourceUpdated(uri="contract://C-1001")
        assert not (await client.call_tool("get_contract", {"contract_id": "C-1001"})).is_error

    run(database, use, elicitation_callback=user("accept", {}))


@pytest.mark.parametrize(("level", "wanted"), [(None, []), ("info", ["notice"]), ("debug", ["debug", "notice"])])
def test_log_messages_come_at_the_level_that_is_asked_for(
    database: Path, level: types.LoggingLevel | None, wanted: list[str]
) -> None:
    logged: list[types.LoggingMessageNotificationParams] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        logged.append(params)

    async def use(client: Client) -> None:
        await client.call_tool("search_contracts", {"query": "hosting"})
        await client.call_tool("flag_for_review", {"contract_id": "C-1001"})
        assert [params.level for params in logged] == wanted
        if level == "debug":
            assert logged[0].data == {"found": 1, "returned": 1}

    run(database, use, logging_callback=note, log_level=level, elicitation_callback=user("accept", {}))


def test_handle_takes_the_place_of_a_session(database: Path) -> None:
    async def use() -> None:
        async with Client(parameters(database)) as first, Client(parameters(database)) as second:
            created = (await first.call_tool("create_shortlist", {})).structured_content
            handle = {"shortlist_id": created["shortlistId"]}
            for contract_id in ("C-1004", "C-1001", "C-1004"):
                added = await second.call_tool("add_to_shortlist", {**handle, "contract_id": contract_id})
            assert [hit["id"] for hit in added.structured_content["contracts"]] == ["C-1004", "C-1001"]
            assert (await first.call_tool("read_shortlist", handle)).structured_content == added.structured_content

            unknown = await first.call_tool("read_shortlist", {"shortlist_id": created["shortlistId"][:-1]})
            assert unknown.is_error
            assert "create_shortlist" in text_of(unknown)
            missing = await first.call_tool("add_to_shortlist", {**handle, "contract_id": "C-9999"})
            assert "Known ids" in text_of(missing)

            with sqlite3.connect(database) as connection:  # an hour later
                connection.execute("UPDATE shortlists SET expires_at = expires_at - 3601")
            connection.close()
            expired = await second.call_tool("read_shortlist", handle)
            assert expired.is_error
            assert "has expired" in text_of(expired)
            assert "create another" in text_of(expired)

    asyncio.run(asyncio.wait_for(use(), 60))


def test_store_without_a_file_ends_with_the_process(tmp_path: Path) -> None:
    async def use() -> None:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "contracts_mcp"], env={"PYTHONPATH": str(SOURCE)}, cwd=tmp_path
        )
        async with Client(server) as client:
            created = (await client.call_tool("create_shortlist", {})).structured_content
            handle = {"shortlist_id": created["shortlistId"]}
            assert not (await client.call_tool("read_shortlist", handle)).is_error
        async with Client(server) as client:
            assert (await client.call_tool("read_shortlist", handle)).is_error

    asyncio.run(asyncio.wait_for(use(), 60))
    assert list(tmp_path.iterdir()) == []


def test_processes_share_nothing_but_the_key(tmp_path: Path) -> None:
    """A state and a cursor of one process are good in another that has never seen their client."""
    arguments = {"contract_id": "C-1001"}
    answers: types.InputResponses = {"confirm_flag": types.ElicitResult(action="accept", content={"note": "cap"})}
    user_that_is_not_asked = user("cancel")

    async def use() -> None:
        async with Client(parameters(tmp_path / "1.db"), elicitation_callback=user_that_is_not_asked) as client:
            asked = await client.session.call_tool("flag_for_review", arguments, allow_input_required=True)
            assert isinstance(asked, types.InputRequiredResult)
            state, cursor = asked.request_state, (await client.list_tools()).next_cursor
        async with Client(parameters(tmp_path / "2.db"), elicitation_callback=user_that_is_not_asked) as client:
            page = await client.list_tools(cursor=cursor)
            assert [tool.name for tool in page.tools] == TOOLS[5:]
            with pytest.raises(MCPError, match="requestState"):
                await client.call_tool(
                    "flag_for_review", {"contract_id": "C-1002"}, input_responses=answers, request_state=state
                )
            result = await client.call_tool("flag_for_review", arguments, input_responses=answers, request_state=state)
            assert result.structured_content["flag"]["note"] == "cap"
        async with Client(
            parameters(tmp_path / "3.db", TOOLMINT_STATE_KEY="another key for tests"),
            elicitation_callback=user_that_is_not_asked,
        ) as client:
            with pytest.raises(MCPError, match="requestState") as refused:
                await client.call_tool("flag_for_review", arguments, input_responses=answers, request_state=state)
            assert refused.value.code == -32602

    asyncio.run(asyncio.wait_for(use(), 60))
