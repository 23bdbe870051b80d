from conformance_mcp.api import STEP1, STEP2, Context, Step1, Step2, TestInputRequiredResultMultiRoundInput


def test_input_required_result_multi_round(args: TestInputRequiredResultMultiRoundInput, ctx: Context) -> str:
    """Asks for a name and then, in a second round, for a color."""
    name = ctx.elicit(STEP1)
    color = ctx.elicit(STEP2)
    if isinstance(name, Step1) and isinstance(color, Step2):
        return f"{name.name} likes {color.color}."
    return "Not everything was answered."
