from conformance_mcp.api import Context, JsonSchema202012ToolInput


def json_schema_2020_12_tool(args: JsonSchema202012ToolInput, ctx: Context) -> str:
    """Takes a person's address and phone number or mail; the schema uses what JSON Schema 2020-12 brought."""
    number = args.phone if args.contact_method == "phone" else args.email
    return f"{args.name or 'Somebody'} is reached by {args.contact_method or 'email'}: {number}"
