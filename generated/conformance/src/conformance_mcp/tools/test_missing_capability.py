from conformance_mcp.api import Context, TestMissingCapabilityInput


def test_missing_capability(args: TestMissingCapabilityInput, ctx: Context) -> str:
    """Needs a client that lets its model be used, and refuses any other."""
    ctx.require(sampling={})
    return "The client lets its model be used."
