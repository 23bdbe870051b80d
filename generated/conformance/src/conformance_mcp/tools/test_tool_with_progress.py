import asyncio

from conformance_mcp.api import Context, TestToolWithProgressInput


async def test_tool_with_progress(args: TestToolWithProgressInput, ctx: Context) -> str:
    """Takes a tenth of a second and tells how far it is."""
    ctx.progress(0, 100, "Beginning")
    for value in (50, 100):
        await asyncio.sleep(0.05)
        ctx.progress(value, 100)
    return "Finished"
