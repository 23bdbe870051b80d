import json

from contracts_mcp.api import Context, ResourceInput
from contracts_mcp.store import Store


def ids(args: ResourceInput, ctx: Context) -> str:
    """The ids of all contracts, a JSON array."""
    return json.dumps(ctx.shared(Store).ids())
