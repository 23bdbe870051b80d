from conformance_mcp.api import Context, TestTriggerToolChangeInput


def test_trigger_tool_change(args: TestTriggerToolChangeInput, ctx: Context) -> str:
    """Takes test_hideable_tool off the list of tools, or puts it back, and tells those who listen."""
    if ctx.server.hides("tools", "test_hideable_tool"):
        ctx.server.show("tools", "test_hideable_tool")
        return "test_hideable_tool is back on the list."
    ctx.server.hide("tools", "test_hideable_tool")
    return "test_hideable_tool is off the list."
