from contracts_mcp.api import Context, Contract, GetContractInput
from contracts_mcp.store import Store


def get_contract(args: GetContractInput, ctx: Context) -> Contract:
    """Get all that is known of one contract, its clauses included."""
    return ctx.shared(Store).get(args.contract_id)
