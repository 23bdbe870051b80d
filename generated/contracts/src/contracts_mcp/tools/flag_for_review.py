from contracts_mcp.api import CONFIRM_FLAG, Context, Declined, Dismissed, FlagForReviewInput, FlagForReviewOutput
from contracts_mcp.documents import uri_of
from contracts_mcp.store import Store


def flag_for_review(args: FlagForReviewInput, ctx: Context) -> FlagForReviewOutput:
    """Flag a contract so that the legal department reviews it. The user is asked to agree first, and may add a note.
    A contract that is flagged already stays as it is.
    """
    store = ctx.shared(Store)
    contract = store.get(args.contract_id)
    if contract.flag is not None:
        return FlagForReviewOutput(contract_id=contract.id, outcome="already flagged", flag=contract.flag)
    # Nothing may be written before this: until the user has answered, the function is run from its start each time.
    answer = ctx.elicit(CONFIRM_FLAG, message=f"Flag {contract.id}, {contract.title}, for review?")
    if isinstance(answer, Declined):
        return FlagForReviewOutput(contract_id=contract.id, outcome="declined")
    if isinstance(answer, Dismissed):
        return FlagForReviewOutput(contract_id=contract.id, outcome="dismissed")
    flag = store.flag(contract.id, answer.note)
    ctx.server.resource_updated(uri_of(contract.id))
    ctx.log("notice", f"{contract.id} has been flagged for review")
    return FlagForReviewOutput(contract_id=contract.id, outcome="flagged", flag=flag)
