import csv
import io
import time

from contracts_mcp.api import Cancelled, ContentBlock, Context, ExportContractsInput, embedded_text
from contracts_mcp.store import Store

_COLUMNS = ("id", "title", "party", "status", "signed_on", "ends_on", "yearly_value", "text")


def export_contracts(args: ExportContractsInput, ctx: Context) -> ContentBlock:
    """Export all contracts as CSV, clauses included. Takes a while in a large store; tells how far it is."""
    contracts = ctx.shared(Store).all(args.status)
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(_COLUMNS)
    ctx.progress(0, len(contracts))
    for number, contract in enumerate(contracts, 1):
        try:
            ctx.check_cancelled()
        except Cancelled:
            ctx.log("info", f"stopped after {number - 1} of {len(contracts)} contracts")
            raise
        writer.writerow([getattr(contract, column) for column in _COLUMNS])
        ctx.progress(number, len(contracts), contract.title)
        time.sleep(args.pause_ms / 1000)
    return embedded_text("contracts://export.csv", file.getvalue(), "text/csv")
