from conformance_mcp.api import USER_CONTEXT, Context, TestInputRequiredResultPromptInput, UserContext


def test_input_required_result_prompt(args: TestInputRequiredResultPromptInput, ctx: Context) -> str:
    """Asks the user for a context before it writes its message."""
    answer = ctx.elicit(USER_CONTEXT)
    context = answer.context if isinstance(answer, UserContext) else "nothing in particular"
    return f"Bear in mind: {context}"
