from conformance_mcp.api import Context, TestTriggerPromptChangeInput


def test_trigger_prompt_change(args: TestTriggerPromptChangeInput, ctx: Context) -> str:
    """Takes test_hideable_prompt off the list of prompts, or puts it back, and tells those who listen."""
    if ctx.server.hides("prompts", "test_hideable_prompt"):
        ctx.server.show("prompts", "test_hideable_prompt")
        return "test_hideable_prompt is back on the list."
    ctx.server.hide("prompts", "test_hideable_prompt")
    return "test_hideable_prompt is off the list."
