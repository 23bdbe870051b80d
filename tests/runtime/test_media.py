"""What bytes are: by their signature, then by the file's name."""

import pytest

from runtime.media import base64_text, is_base64, is_text, media_type_of

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (PNG, "", "image/png"),
        (PNG, "picture.jpg", "image/png"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "", "image/jpeg"),
        (b"GIF89a", "", "image/gif"),
        (b"GIF87a", "", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "", "image/webp"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "", "audio/wav"),
        (b"RIFF\x24\0\0\0AVI LIST", "", None),
        (b"ID3\x04\0", "", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "", "audio/mpeg"),
        (b"\xff\xf3\x40\xc4", "", "audio/mpeg"),
        (b"\xff\xfe\x00\x01", "", None),
        (b"\xff\xfb\xf0\x00", "", None),
        (b"\xff\xfb", "", None),
        (b"OggS\0", "", "audio/ogg"),
        (b"%PDF-1.7", "", "application/pdf"),
        (b"", "", None),
        (b"hello", "", None),
        (b"hello", "a.md", "text/markdown"),
        (b"hello", "a.MD", "text/markdown"),
        (b"{}", "a.json", "application/json"),
        (b"a: 1", "a.yaml", "application/yaml"),
        (b"a = 1", "a.toml", "application/toml"),
        (b"<svg/>", "a.svg", "image/svg+xml"),
        (b"a", "a.csv", "text/csv"),
        (b"\0", "a.webp", "image/webp"),
        (b"\0", "a.wav", "audio/wav"),
        (b"\x1f\x8b", "a.tar.gz", None),
        (b"hello", "README", None),
        (b"hello", "a.unheardof", None),
    ],
)
def test_media_type(data: bytes, name: str, media_type: str | None) -> None:
    assert media_type_of(data, name) == media_type


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("text/plain", True),
        ("TEXT/HTML; charset=utf-8", True),
        ("application/json", True),
        ("application/ld+json", True),
        ("image/svg+xml", True),
        ("image/png", False),
        ("", False),
        (None, False),
    ],
)
def test_is_text(media_type: str | None, text: bool) -> None:
    assert is_text(media_type) is text


def test_base64_is_standard_and_padded() -> None:
    assert base64_text(b"\xfb\xff\xfe~") == "+//+fg=="
    assert base64_text(b"") == ""


@pytest.mark.parametrize("text", ["", "AA==", "+//+fg=="])
def test_base64(text: str) -> None:
    assert is_base64(text)


@pytest.mark.parametrize("text", ["A", "AA", "AA=", "AA==\n", "A A==", "-__-fg==", "AA==AA==", "AA===", "é", "\ud800"])
def test_not_base64(text: str) -> None:
    assert not is_base64(text)
