from conformance_mcp.api import Context, TestSimpleTextInput


def test_simple_text(args: TestSimpleTextInput, ctx: Context) -> str:
    """Returns a text."""
    return "This is a simple text response for testing."
