from conformance_mcp.api import CompletionInput, Context


def template_data_id(args: CompletionInput, ctx: Context) -> list[str]:
    """Offer values for id of test://template/{id}/data, the best first."""
    return [str(id_) for id_ in range(1000) if str(id_).startswith(args.value)]
