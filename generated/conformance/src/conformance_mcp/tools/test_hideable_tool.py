from conformance_mcp.api import Context, TestHideableToolInput


def test_hideable_tool(args: TestHideableToolInput, ctx: Context) -> str:
    """Returns a text, unless it is off the list at the moment."""
    return "This tool is on the list."
