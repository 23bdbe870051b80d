from contracts_mcp.api import Context, SearchContractsInput, SearchContractsOutput
from contracts_mcp.store import Store


def search_contracts(args: SearchContractsInput, ctx: Context) -> SearchContractsOutput:
    """Search contracts by words in the title, the text or the name of the other party; all of them must occur."""
    hits, total = ctx.shared(Store).search(args.query, args.status, args.limit)
    ctx.log("debug", {"found": total, "returned": len(hits)})
    return SearchContractsOutput(contracts=hits, total=total)
