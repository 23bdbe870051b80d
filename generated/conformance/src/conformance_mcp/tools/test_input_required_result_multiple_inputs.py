from conformance_mcp.api import (
    USER_NAME,
    Context,
    TestInputRequiredResultMultipleInputsInput,
    UserName,
    roots,
    sampling,
)


def test_input_required_result_multiple_inputs(args: TestInputRequiredResultMultipleInputsInput, ctx: Context) -> str:
    """Asks for a name, a greeting and the client's folders at once."""
    answer, greeting, folders = ctx.ask(
        USER_NAME, sampling("greeting", "Generate a greeting", max_tokens=50), roots("client_roots")
    )
    name = answer.name if isinstance(answer, UserName) else "somebody"
    return f"{greeting.text} (for {name}, who works in {len(folders)} folders)"
