from conformance_mcp.api import Context, TestLoggingToolInput


def test_logging_tool(args: TestLoggingToolInput, ctx: Context) -> str:
    """Logs a message of level info at its start and its end, and one of level debug in between."""
    ctx.log("info", "Beginning")
    ctx.log("debug", {"half": "done"})
    ctx.log("info", "Finished")
    return "What was logged went to stderr, and to a client that asked for it."
