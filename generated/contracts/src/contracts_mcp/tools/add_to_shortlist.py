from contracts_mcp.api import AddToShortlistInput, Context, Shortlist
from contracts_mcp.store import Store


def add_to_shortlist(args: AddToShortlistInput, ctx: Context) -> Shortlist:
    """Put a contract on a shortlist, at its end; one that is on it already stays where it is."""
    return ctx.shared(Store).add_to_shortlist(args.shortlist_id, args.contract_id)
