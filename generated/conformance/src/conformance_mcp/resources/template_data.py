from conformance_mcp.api import Context, TemplateDataResourceInput


def template_data(args: TemplateDataResourceInput, ctx: Context) -> dict[str, object]:
    """What there is to know of an id, which is little."""
    return {"id": args.id, "templateTest": True, "data": f"Data for ID: {args.id}"}
