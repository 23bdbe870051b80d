from conformance_mcp.api import CONFIRM, Confirm, Context, TestInputRequiredResultTamperedStateInput


def test_input_required_result_tampered_state(args: TestInputRequiredResultTamperedStateInput, ctx: Context) -> str:
    """Asks the user for a confirmation; a state that was changed on the way is refused."""
    answer = ctx.elicit(CONFIRM)
    return f"state-ok, confirmed: {isinstance(answer, Confirm) and answer.ok}"
