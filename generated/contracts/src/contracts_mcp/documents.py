"""Contracts as people read them."""

from .api import Contract


def uri_of(contract_id: str) -> str:
    """Return the URI of a contract's resource."""
    return f"contract://{contract_id}"


def as_markdown(contract: Contract) -> str:
    """Return a contract as Markdown."""
    lines = [
        f"# {contract.title}",
        "",
        f"- Id: {contract.id}",
        f"- Other party: {contract.party}",
        f"- Status: {contract.status}",
        f"- Signed on: {contract.signed_on}",
        f"- Ends on: {contract.ends_on or 'no fixed day'}",
        f"- Yearly value: {contract.yearly_value} EUR",
    ]
    if contract.flag is not None:
        lines.append(f"- Flagged for review: {contract.flag.flagged_at} {contract.flag.note or ''}".rstrip())
    return "\n".join([*lines, "", contract.text, ""])
