from conformance_mcp.api import Context, TestErrorHandlingInput, ToolError


def test_error_handling(args: TestErrorHandlingInput, ctx: Context) -> str:
    """Fails in a way that the caller is told of."""
    raise ToolError("This tool intentionally returns an error for testing")
