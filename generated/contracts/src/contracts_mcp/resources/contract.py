from contracts_mcp.api import Context, ContractResourceInput
from contracts_mcp.documents import as_markdown
from contracts_mcp.store import Store


def contract(args: ContractResourceInput, ctx: Context) -> str:
    """One contract as text, with its flag if it has one; subscribe to it to be told when it is flagged."""
    return as_markdown(ctx.shared(Store).get(args.contract_id))
