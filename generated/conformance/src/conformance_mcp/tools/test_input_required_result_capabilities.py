from typing import Any

from conformance_mcp.api import USER_NAME, Context, Question, TestInputRequiredResultCapabilitiesInput, roots, sampling


def test_input_required_result_capabilities(args: TestInputRequiredResultCapabilitiesInput, ctx: Context) -> str:
    """Asks for all that the client has declared it can be asked for, and for nothing else."""
    questions: list[Question[Any]] = []
    if ctx.can_elicit():
        questions.append(USER_NAME)
    if ctx.can_sample:
        questions.append(sampling("greeting", "Generate a greeting", max_tokens=50))
    if ctx.can_list_roots:
        questions.append(roots("client_roots"))
    return f"{len(ctx.ask(*questions))} of 3 questions could be asked."
