from conformance_mcp.api import CONFIRM, Confirm, Context, TestStreamingElicitationInput


def test_streaming_elicitation(args: TestStreamingElicitationInput, ctx: Context) -> str:
    """Asks the user for a confirmation."""
    answer = ctx.elicit(CONFIRM)
    return "Confirmed" if isinstance(answer, Confirm) and answer.ok else "Not confirmed"
