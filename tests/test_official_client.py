"""The official Python client against generated servers over stdio."""

import asyncio
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import LATEST_PROTOCOL_VERSION

from reference import ROOT

DEMO = StdioServerParameters(
    command=sys.executable,
    args=["-m", "demo_tools"],
    env={"PYTHONPATH": str(ROOT / "generated" / "demo_tools" / "src")},
)


@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
def test_lists_and_calls(mode: Any) -> None:
    async def use() -> None:
        async with Client(DEMO, mode=mode) as client:
            assert client.protocol_version == "2026-07-28"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["add", "divide"]
            result = await client.call_tool("divide", {"a": 1, "b": 8})
            assert result.structured_content == 0.125

    asyncio.run(use())


def test_forty_calls_at_once() -> None:
    async def use() -> None:
        async with Client(DEMO) as client:
            results = await asyncio.gather(*(client.call_tool("add", {"a": n, "b": n}) for n in range(40)))
            assert [result.structured_content for result in results] == [2 * n for n in range(40)]

    asyncio.run(use())


def test_client_is_recent_enough() -> None:
    assert LATEST_PROTOCOL_VERSION >= "2025-11-25"
