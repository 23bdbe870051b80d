from pathlib import Path

from conformance_mcp.api import ContentBlock, Context, TestMultipleContentTypesInput, embedded_text

FILES = Path(__file__).parent.parent / "files"


def test_multiple_content_types(args: TestMultipleContentTypesInput, ctx: Context) -> list[str | Path | ContentBlock]:
    """Returns a text, a picture and a resource."""
    return [
        "Multiple content types test:",
        FILES / "pixel.png",
        embedded_text("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ]
