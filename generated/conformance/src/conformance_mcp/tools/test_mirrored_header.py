from conformance_mcp.api import Context, TestMirroredHeaderInput


def test_mirrored_header(args: TestMirroredHeaderInput, ctx: Context) -> str:
    """Returns the region that it is given; in HTTP the region stands in a header too."""
    return args.region
