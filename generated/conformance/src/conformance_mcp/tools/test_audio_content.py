from pathlib import Path

from conformance_mcp.api import Context, TestAudioContentInput

FILES = Path(__file__).parent.parent / "files"


def test_audio_content(args: TestAudioContentInput, ctx: Context) -> Path:
    """Returns a recording of silence."""
    return FILES / "silence.wav"
