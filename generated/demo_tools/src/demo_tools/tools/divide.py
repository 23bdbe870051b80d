from demo_tools.api import Context, DivideInput, ToolError


def divide(args: DivideInput, ctx: Context) -> float:
    """Divide one number by another."""
    if args.b == 0:
        raise ToolError(f"{args.a} cannot be divided by zero: pass another b")
    return args.a / args.b
