from conformance_mcp.api import Context, TestInputRequiredResultSamplingInput


def test_input_required_result_sampling(args: TestInputRequiredResultSamplingInput, ctx: Context) -> str:
    """Asks the client's model for the capital of France."""
    return ctx.sample("capital_question", "What is the capital of France?", max_tokens=100).text
