"""The server of generated/conformance over stdio with the official client: what the suite does not look at.

The suite asks whether there is a text block; here its text is compared. Every message is recorded and held against the
protocol's definitions. Takes 5 s.
"""

import asyncio
import base64
import io
import json
import struct
import sys
import wave
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import PromptsListChanged, ToolsListChanged
from mcp.types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    Root,
    TextContent,
)

from conformance.suite import SOURCE
from recording import assert_all_valid, recorded

INVALID_PARAMS = -32602
MISSING_CAPABILITY = -32021

Use = Callable[[Client], Awaitable[None]]


class Recorded:
    """Runs something with a client of a server of its own, and then judges what the server sent."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, use: Use, **callbacks: Any) -> list[Any]:
        async def run() -> None:
            async with self.client(**callbacks) as client:
                await use(client)

        asyncio.run(run())
        return assert_all_valid(self.file)

    @asynccontextmanager
    async def client(self, **callbacks: Any) -> AsyncIterator[Client]:
        command, *arguments = recorded([sys.executable, "-m", "conformance_mcp"], self.file)
        server = StdioServerParameters(command=command, args=arguments, env={"PYTHONPATH": str(SOURCE)})
        async with asyncio.timeout(30), Client(server, mode="2026-07-28", **callbacks) as client:
            yield client


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Recorded]:
    yield Recorded(tmp_path / "messages")


async def text_of(client: Client, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> str:
    result = await client.call_tool(tool, arguments, **more)
    assert not result.is_error, result
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def assert_is_png(data: str) -> None:
    content = base64.b64decode(data, validate=True)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (1, 1)


# Content


def test_every_kind_of_content(record: Recorded) -> None:
    async def use(client: Client) -> None:
        async def blocks(tool: str) -> Any:
            return [
                block.model_dump(by_alias=True, mode="json", exclude_none=True)
                for block in (await client.call_tool(tool)).content
            ]

        simple = [{"type": "text", "text": "This is a simple text response for testing."}]
        assert await blocks("test_simple_text") == simple
        (picture,) = await blocks("test_image_content")
        assert (picture["type"], picture["mimeType"]) == ("image", "image/png")
        assert_is_png(picture["data"])
        (sound,) = await blocks("test_audio_content")
        assert (sound["type"], sound["mimeType"]) == ("audio", "audio/wav")
        with wave.open(io.BytesIO(base64.b64decode(sound["data"], validate=True))) as reader:
            assert reader.getnframes() == 80
        embedded = {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        }
        assert await blocks("test_embedded_resource") == [{"type": "resource", "resource": embedded}]
        first, second, third = await blocks("test_multiple_content_types")
        assert first == {"type": "text", "text": "Multiple content types test:"}
        assert second == picture
        assert third["resource"] == {
            "uri": "test://mixed-content-resource",
            "mimeType": "application/json",
            "text": '{"test":"data","value":123}',
        }

    record(use)


def test_error_that_the_caller_is_told(record: Recorded) -> None:
    async def use(client: Client) -> None:
        result = await client.call_tool("test_error_handling")
        assert result.is_error
        assert result.content[0].text == "This tool intentionally returns an error for testing"  # type: ignore[union-attr]

    record(use)


# While a call is under way


def test_progress_is_told_in_order_and_only_when_asked_for(record: Recorded) -> None:
    told: list[tuple[float, float | None]] = []

    async def use(client: Client) -> None:
        async def on_progress(progress: float, total: float | None, _message: str | None) -> None:
            told.append((progress, total))

        assert await text_of(client, "test_tool_with_progress", progress_callback=on_progress) == "Finished"
        assert await text_of(client, "test_tool_with_progress") == "Finished"

    sent = record(use)
    assert told == [(0, 100), (50, 100), (100, 100)]
    assert [message.get("method") for message in sent].count("notifications/progress") == 3


def test_messages_are_logged_from_the_level_asked_for(record: Recorded) -> None:
    heard: list[tuple[str, object]] = []

    async def on_message(params: Any) -> None:
        heard.append((params.level, params.data))

    async def use(client: Client) -> None:
        await text_of(client, "test_logging_tool")

    record(use, log_level="info", logging_callback=on_message)
    assert heard == [("info", "Beginning"), ("info", "Finished")]


# Questions


async def say_ada(_context: Any, params: Any) -> ElicitResult:
    name, schema = next(iter(params.requested_schema["properties"].items()))
    return ElicitResult(action="accept", content={name: True if schema["type"] == "boolean" else "Ada"})


async def decline(_context: Any, _params: Any) -> ElicitResult:
    return ElicitResult(action="decline")


async def say_paris(_context: Any, params: Any) -> CreateMessageResult:
    question = params.messages[0].content.text
    return CreateMessageResult(role="assistant", content=TextContent(type="text", text=f"{question} Paris!"), model="m")


async def list_roots(_context: Any) -> ListRootsResult:
    roots = [("file:///home/ada", "home"), ("file:///srv", None)]
    return ListRootsResult(roots=[Root(uri=uri, name=name) for uri, name in roots])  # type: ignore[arg-type]


ASKING = {
    # tool -> what it says when everything is answered, and when the user declines
    "test_streaming_elicitation": ("Confirmed", "Not confirmed"),
    "test_input_required_result_elicitation": ("Hello, Ada!", "Hello, whoever you are!"),
    "test_input_required_result_sampling": ("What is the capital of France? Paris!",) * 2,
    "test_input_required_result_list_roots": ("The client works in home, file:///srv.",) * 2,
    "test_input_required_result_request_state": ("state-ok, confirmed: True", "state-ok, confirmed: False"),
    "test_input_required_result_tampered_state": ("state-ok, confirmed: True", "state-ok, confirmed: False"),
    "test_input_required_result_multiple_inputs": (
        "Generate a greeting Paris! (for Ada, who works in 2 folders)",
        "Generate a greeting Paris! (for somebody, who works in 2 folders)",
    ),
    "test_input_required_result_multi_round": ("Ada likes Ada.", "Not everything was answered."),
    "test_input_required_result_capabilities": ("3 of 3 questions could be asked.",) * 2,
    "test_missing_capability": ("The client lets its model be used.",) * 2,
}


@pytest.mark.parametrize(("elicit", "index"), [(say_ada, 0), (decline, 1)])
def test_questions_are_answered(record: Recorded, elicit: Any, index: int) -> None:
    async def use(client: Client) -> None:
        for tool, texts in ASKING.items():
            assert await text_of(client, tool) == texts[index], tool
        prompt = await client.get_prompt("test_input_required_result_prompt")
        context = ("Ada", "nothing in particular")[index]
        assert prompt.messages[0].content.text == f"Bear in mind: {context}"  # type: ignore[union-attr]

    record(use, elicitation_callback=elicit, sampling_callback=say_paris, list_roots_callback=list_roots)


LACKING: dict[str, dict[str, dict[str, Any]]] = {
    "test_streaming_elicitation": {"elicitation": {}},
    "test_input_required_result_sampling": {"sampling": {}},
    "test_input_required_result_list_roots": {"roots": {}},
    "test_input_required_result_multiple_inputs": {"elicitation": {}, "sampling": {}, "roots": {}},
    "test_missing_capability": {"sampling": {}},
}


def test_a_client_that_cannot_be_asked_is_refused(record: Recorded) -> None:
    async def use(client: Client) -> None:
        for tool, needed in LACKING.items():
            with pytest.raises(MCPError) as refused:
                await client.call_tool(tool)
            assert refused.value.code == MISSING_CAPABILITY
            assert refused.value.data == {"requiredCapabilities": needed}
        assert await text_of(client, "test_input_required_result_capabilities") == "0 of 3 questions could be asked."

    record(use)


# Schemas


ARGUMENTS: list[tuple[dict[str, Any], str | None]] = [
    # arguments of json_schema_2020_12_tool, and what is named as wrong about them
    ({"name": "Ada", "contactMethod": "phone", "phone": "1"}, None),
    ({"email": "a@example.com", "address": {"city": "London"}}, None),
    ({"contactMethod": "email", "email": "a@example.com", "phone": "1"}, None),
    ({}, "phone"),
    ({"phone": "1"}, "email"),
    ({"contactMethod": "phone", "email": "a@example.com"}, "phone"),
    ({"contactMethod": "pigeon", "email": "a@example.com"}, "/contactMethod"),
    ({"email": "a@example.com", "address": {"street": 5}}, "/address/street"),
    ({"email": "a@example.com", "fax": "1"}, "fax"),
]


def test_the_schema_is_enforced(record: Recorded) -> None:
    async def use(client: Client) -> None:
        for arguments, wrong in ARGUMENTS:
            result = await client.call_tool("json_schema_2020_12_tool", arguments)
            assert result.is_error is (wrong is not None), arguments
            assert wrong is None or wrong in result.content[0].text  # type: ignore[union-attr]

    record(use)


def test_a_mirrored_argument_is_an_argument_like_any_other(record: Recorded) -> None:
    async def use(client: Client) -> None:
        assert await text_of(client, "test_mirrored_header", {"region": " =?base64?€?= "}) == " =?base64?€?= "
        (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "test_mirrored_header"]
        assert tool.input_schema["properties"]["region"]["x-mcp-header"] == "Region"

    record(use)


# Lists that change


def test_whoever_listens_is_told_of_changed_lists(record: Recorded) -> None:
    async def use(client: Client) -> None:
        async def tools() -> list[str]:
            return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]

        async def prompts() -> list[str]:
            return [prompt.name for prompt in (await client.list_prompts(cache_mode="bypass")).prompts]

        all_tools, all_prompts = await tools(), await prompts()
        async with client.listen(tools_list_changed=True, prompts_list_changed=True) as subscription:
            assert await text_of(client, "test_trigger_tool_change") == "test_hideable_tool is off the list."
            assert await anext(subscription) == ToolsListChanged()
            assert await tools() == [name for name in all_tools if name != "test_hideable_tool"]
            with pytest.raises(MCPError) as refused:
                await client.call_tool("test_hideable_tool")
            assert refused.value.code == INVALID_PARAMS
            assert await text_of(client, "test_trigger_prompt_change") == "test_hideable_prompt is off the list."
            assert await anext(subscription) == PromptsListChanged()
            assert await prompts() == [name for name in all_prompts if name != "test_hideable_prompt"]
            with pytest.raises(MCPError) as refused:
                await client.get_prompt("test_hideable_prompt")
            assert refused.value.code == INVALID_PARAMS
            assert await text_of(client, "test_trigger_tool_change") == "test_hideable_tool is back on the list."
            assert await anext(subscription) == ToolsListChanged()
            assert await text_of(client, "test_trigger_prompt_change") == "test_hideable_prompt is back on the list."
            assert await anext(subscription) == PromptsListChanged()
        assert (await tools(), await prompts()) == (all_tools, all_prompts)
        assert await text_of(client, "test_hideable_tool") == "This tool is on the list."
        prompt = await client.get_prompt("test_hideable_prompt")
        assert prompt.messages[0].content.text == "This prompt is on the list."  # type: ignore[union-attr]

    record(use)


# Resources


def test_resources(record: Recorded) -> None:
    async def use(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [str(resource.uri) for resource in listed] == ["test://static-text", "test://static-binary"]
        (text,) = (await client.read_resource("test://static-text")).contents
        assert (text.mime_type, text.text) == (  # type: ignore[union-attr]
            "text/plain",
            "This is the content of the static text resource.",
        )
        (picture,) = (await client.read_resource("test://static-binary")).contents
        assert picture.mime_type == "image/png"
        assert_is_png(picture.blob)  # type: ignore[union-attr]

    record(use)


def test_a_template_is_read_by_its_variable(record: Recorded) -> None:
    async def use(client: Client) -> None:
        for part, id_ in (("123", "123"), ("a%20b%2Fc", "a b/c"), ("%E2%82%AC", "€")):
            (data,) = (await client.read_resource(f"test://template/{part}/data")).contents
            assert data.mime_type == "application/json"
            expected = {"id": id_, "templateTest": True, "data": f"Data for ID: {id_}"}
            assert json.loads(data.text) == expected  # type: ignore[union-attr]

    record(use)


def test_a_resource_that_is_not_there(record: Recorded) -> None:
    async def use(client: Client) -> None:
        for uri in ("test://template/a/b/data", "test://template/123", "test://static-text/", "nowhere:"):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.code == INVALID_PARAMS
            assert refused.value.data == {"uri": uri}

    record(use)


# Prompts and completion


def test_prompts(record: Recorded) -> None:
    async def use(client: Client) -> None:
        async def contents(name: str, **arguments: str) -> Any:
            messages = (await client.get_prompt(name, arguments)).messages
            assert {message.role for message in messages} == {"user"}
            return [message.content.model_dump(by_alias=True, mode="json", exclude_none=True) for message in messages]

        assert await contents("test_simple_prompt") == [
            {"type": "text", "text": "This is a simple prompt for testing."}
        ]
        assert await contents("test_prompt_with_arguments", arg1='"{{arg2}}"', arg2="\\n") == [
            {"type": "text", "text": "Prompt with arguments: arg1='\"{{arg2}}\"', arg2='\\n'"}
        ]
        assert await contents("test_prompt_with_embedded_resource", resourceUri="test://any") == [
            {
                "type": "resource",
                "resource": {
                    "uri": "test://any",
                    "mimeType": "text/plain",
                    "text": "Embedded resource content for testing.",
                },
            },
            {"type": "text", "text": "Please process the embedded resource above."},
        ]
        picture, request = await contents("test_prompt_with_image")
        assert (picture["type"], picture["mimeType"]) == ("image", "image/png")
        assert_is_png(picture["data"])
        assert request == {"type": "text", "text": "Please analyze the image above."}

    record(use)


def test_prompts_need_their_arguments(record: Recorded) -> None:
    async def use(client: Client) -> None:
        for arguments, missing in (({}, ("arg1", "arg2")), ({"arg1": "x"}, ("arg2",))):
            with pytest.raises(MCPError) as refused:
                await client.get_prompt("test_prompt_with_arguments", arguments)
            assert refused.value.code == INVALID_PARAMS
            assert all(name in refused.value.message for name in missing)

    record(use)


def test_completion(record: Recorded) -> None:
    async def use(client: Client) -> None:
        prompt = PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        template = ResourceTemplateReference(type="ref/resource", uri="test://template/{id}/data")
        completion = (await client.complete(prompt, {"name": "arg1", "value": "test"})).completion
        assert (completion.values, completion.total, completion.has_more) == (["test", "testing", "latest"], 3, False)
        completion = (await client.complete(template, {"name": "id", "value": "1"})).completion
        assert completion.values == [str(id_) for id_ in range(1000) if str(id_).startswith("1")][:100]
        assert (completion.total, completion.has_more) == (111, True)
        completion = (await client.complete(prompt, {"name": "arg2", "value": ""})).completion
        assert (completion.values, completion.total, completion.has_more) == ([], 0, False)
        for reference, name in ((prompt, "arg3"), (template, "uri")):
            with pytest.raises(MCPError) as refused:
                await client.complete(reference, {"name": name, "value": ""})
            assert refused.value.code == INVALID_PARAMS

    record(use)
