from contracts_mcp.api import Context, PromptMessage, SummariseContractPromptInput, embedded_text, user
from contracts_mcp.documents import as_markdown, uri_of
from contracts_mcp.store import Store


def summarise_contract(args: SummariseContractPromptInput, ctx: Context) -> list[PromptMessage]:
    """Summarise one contract for a certain kind of reader."""
    contract = ctx.shared(Store).get(args.contract_id)
    readers = args.audience or "everyone"
    return [
        user(f"Summarise this contract for {readers}, in at most ten sentences. Name every duty and every deadline."),
        user(embedded_text(uri_of(contract.id), as_markdown(contract), "text/markdown")),
    ]
