from pathlib import Path

from conformance_mcp.api import Context, TestImageContentInput

FILES = Path(__file__).parent.parent / "files"


def test_image_content(args: TestImageContentInput, ctx: Context) -> Path:
    """Returns a picture of one pixel."""
    return FILES / "pixel.png"
