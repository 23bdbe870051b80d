"""The transcripts in ``docs/`` are what is said today."""

import transcripts


def test_transcripts_are_up_to_date() -> None:
    for path, text in transcripts.transcripts():
        assert path.read_text(encoding="utf-8") == text, "run make transcripts"
