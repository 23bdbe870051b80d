"""Uses a server by the official Python client 1.x, which knows nothing but the handshake: `use.py PLAN`.

The plan and what comes of it are JSON: see ``handshake.clients``. Runs in an environment that has that client.
"""

import asyncio
import json
import sys
from typing import Any

import mcp.types as types
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client


async def use(plan: dict[str, Any]) -> dict[str, Any]:
    program, *arguments = plan["command"]
    told: list[str] = []

    async def elicited(_: Any, params: Any) -> types.ElicitResult:
        told.append(f"elicitation: {params.message}")
        return types.ElicitResult.model_validate(plan["elicitation"])

    async def sampled(_: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        told.append("sampling")
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text="Paris"), model="m", stopReason="endTurn"
        )

    async def listed(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///work", name="Work")])

    async def logged(params: types.LoggingMessageNotificationParams) -> None:
        told.append(f"{params.level}: {params.data}")

    async def heard(message: Any) -> None:
        if isinstance(message, types.ServerNotification):
            told.append(message.root.method)

    async def progressed(value: float, total: float | None, message: str | None) -> None:
        told.append("progress")

    async with (
        stdio_client(StdioServerParameters(command=program, args=arguments, env=plan["env"])) as streams,
        ClientSession(
            *streams,
            elicitation_callback=elicited,
            sampling_callback=sampled,
            list_roots_callback=listed,
            logging_callback=logged,
            message_handler=heard,
        ) as session,
    ):
        introduction = await session.initialize()
        results = []
        for method, params in plan["steps"]:
            try:
                if method == "tools/call":
                    result = await session.call_tool(
                        params["name"], params.get("arguments"), progress_callback=progressed
                    )
                else:
                    request = types.ClientRequest.model_validate({"method": method, "params": params})
                    result = await session.send_request(request, RESULTS[method])
                results.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
            except McpError as error:
                results.append({"error": error.error.model_dump(mode="json", exclude_none=True)})
        return {
            "introduction": introduction.model_dump(mode="json", by_alias=True, exclude_none=True),
            "results": results,
            "told": told,
        }


RESULTS: dict[str, Any] = {
    "ping": types.EmptyResult,
    "logging/setLevel": types.EmptyResult,
    "resources/subscribe": types.EmptyResult,
    "resources/unsubscribe": types.EmptyResult,
    "tools/list": types.ListToolsResult,
    "prompts/list": types.ListPromptsResult,
    "prompts/get": types.GetPromptResult,
    "resources/list": types.ListResourcesResult,
    "resources/templates/list": types.ListResourceTemplatesResult,
    "resources/read": types.ReadResourceResult,
    "completion/complete": types.CompleteResult,
}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(use(json.loads(sys.argv[1])))))
