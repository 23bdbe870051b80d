# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Bytes for the wire: what they are, and how they are written."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

UNKNOWN = "application/octet-stream"

# Where each format's own specification puts its signature.
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"%PDF-", "application/pdf"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_TEXTS = frozenset(
    {"application/json", "application/javascript", "application/xml", "application/yaml", "application/toml"}
)
_SUFFIXES = {
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".wav": "audio/wav",
    ".webp": "image/webp",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""What Python's table lacks in some version, or names by an older name."""


def media_type_of(data: bytes, name: str = "") -> str | None:
    """Return the media type of some bytes: by their signature, else by the suffix of a file's name; None if unknown."""
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return media_type
    if data.startswith(b"RIFF") and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if _is_mpeg_audio(data):
        return "audio/mpeg"
    return _by_suffix(name) if name else None


def _is_mpeg_audio(data: bytes) -> bool:
    """Say whether bytes begin with the header of a layer III frame (ISO/IEC 11172-3, section 2.4.1.3)."""
    return (
        len(data) > 3
        and data[0] == 0xFF
        and data[1] & 0xE6 == 0xE2
        and data[1] & 0x18 != 0x08
        and data[2] & 0xF0 != 0xF0
        and data[2] & 0x0C != 0x0C
    )


def _by_suffix(name: str) -> str | None:
    from mimetypes import MimeTypes  # without the machine's own files: the same answer everywhere

    suffix = "." + name.lower().rpartition(".")[2]
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    media_type, encoding = MimeTypes().guess_type(f"name{suffix}", strict=False)
    return None if encoding else media_type


def is_text(media_type: str | None) -> bool:
    """Say whether a media type is one of text."""
    bare = (media_type or "").partition(";")[0].strip().lower()
    return bare.startswith("text/") or bare in _TEXTS or bare.endswith(("+json", "+xml"))


def base64_text(data: bytes) -> str:
    """Return bytes in base64 (RFC 4648 section 4), padded, on one line."""
    return b2a_base64(data, newline=False).decode("ascii")


def is_base64(text: str) -> bool:
    """Say whether text is exactly what ``base64_text`` could have written."""
    try:
        a2b_base64(text, strict_mode=True)
    except ValueError:
        return False
    return True


def read_file(path: os.PathLike[str]) -> tuple[bytes, str]:
    """Return a file's content and its name."""
    from pathlib import Path

    file = Path(path)
    return file.read_bytes(), file.name
