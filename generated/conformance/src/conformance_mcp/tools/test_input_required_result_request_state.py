from conformance_mcp.api import CONFIRM, Confirm, Context, TestInputRequiredResultRequestStateInput


def test_input_required_result_request_state(args: TestInputRequiredResultRequestStateInput, ctx: Context) -> str:
    """Asks the user for a confirmation and says that the state came back as it was."""
    answer = ctx.elicit(CONFIRM)
    return f"state-ok, confirmed: {isinstance(answer, Confirm) and answer.ok}"
