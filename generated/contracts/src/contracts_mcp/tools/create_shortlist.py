from contracts_mcp.api import Context, CreateShortlistInput, Shortlist
from contracts_mcp.store import Store


def create_shortlist(args: CreateShortlistInput, ctx: Context) -> Shortlist:
    """Create an empty shortlist of contracts and get its id, which add_to_shortlist and read_shortlist take. Whoever
    has the id can use it. The shortlist is gone one hour after it was created.
    """
    return ctx.shared(Store).create_shortlist()
