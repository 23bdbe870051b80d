from conformance_mcp.api import USER_NAME, Context, TestInputRequiredResultElicitationInput, UserName


def test_input_required_result_elicitation(args: TestInputRequiredResultElicitationInput, ctx: Context) -> str:
    """Asks the user for a name and greets by it."""
    answer = ctx.elicit(USER_NAME)
    return f"Hello, {answer.name}!" if isinstance(answer, UserName) else "Hello, whoever you are!"
