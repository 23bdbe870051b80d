from conformance_mcp.api import Context, TestInputRequiredResultListRootsInput


def test_input_required_result_list_roots(args: TestInputRequiredResultListRootsInput, ctx: Context) -> str:
    """Asks the client which folders it works in and names them."""
    folders = ", ".join(root.name or root.uri for root in ctx.roots("client_roots"))
    return f"The client works in {folders}." if folders else "The client works in no folder."
