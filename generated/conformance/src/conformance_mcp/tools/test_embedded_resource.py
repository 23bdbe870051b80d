from conformance_mcp.api import ContentBlock, Context, TestEmbeddedResourceInput, embedded_text


def test_embedded_resource(args: TestEmbeddedResourceInput, ctx: Context) -> ContentBlock:
    """Returns a resource, content and all."""
    return embedded_text("test://embedded-resource", "This is an embedded resource content.")
