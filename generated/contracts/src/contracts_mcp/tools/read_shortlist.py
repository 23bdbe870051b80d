from contracts_mcp.api import Context, ReadShortlistInput, Shortlist
from contracts_mcp.store import Store


def read_shortlist(args: ReadShortlistInput, ctx: Context) -> Shortlist:
    """Read what is on a shortlist and until when it lasts."""
    return ctx.shared(Store).shortlist(args.shortlist_id)
