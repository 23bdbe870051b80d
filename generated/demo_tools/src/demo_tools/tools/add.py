from demo_tools.api import AddInput, Context


def add(args: AddInput, ctx: Context) -> float:
    """Add two numbers."""
    return args.a + args.b
