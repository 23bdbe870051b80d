from contracts_mcp.api import CompletionInput, Context
from contracts_mcp.store import Store


def contract_contract_id(args: CompletionInput, ctx: Context) -> list[str]:
    """Offer values for contract_id of contract://{contract_id}, the best first."""
    return ctx.shared(Store).ids_like(args.value)
