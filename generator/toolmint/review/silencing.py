"""Warnings that a manifest silences, each with a reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolmint.manifest import Manifest, ManifestError
from toolmint.manifest.document import parse_document
from toolmint.manifest.positions import Path
from toolmint.manifest.source import Source, read_source

SECTIONS = ("tools", "resources", "resourceTemplates", "prompts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A warning that is not to be given, within the value at ``scope`` (the root: anywhere).

    Attributes:
        path: Where it stands.
        reason: As given; None where it is no text or an empty one.
    """

    code: str
    scope: Path
    path: Path
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a manifest says about its own review.

    Attributes:
        budget: The most tokens that its tools may take; None where it does not say.
    """

    silences: tuple[Silence, ...] = ()
    budget: int | None = None


def read_source_again(manifest: Manifest) -> Source | None:
    """Return the text that a manifest was loaded from; None where it has been changed or removed since."""
    try:
        source = read_source(manifest.path, str(manifest.path))
    except ManifestError:
        return None
    return source if source.digest == manifest.digest else None


def read_settings(source: Source | None) -> Settings:
    """Read ``x-toolmint.silence`` of the manifest and its entries, and ``x-toolmint.contextBudget`` of the manifest."""
    if source is None or ("silence" not in source.text and "contextBudget" not in source.text):
        return Settings()
    value = parse_document(source).value
    silences = list(_silences(value, ()))
    for section in SECTIONS:
        entries = value.get(section)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            silences += _silences(entry, (section, index))
    settings = value.get("x-toolmint")
    budget = settings.get("contextBudget") if isinstance(settings, dict) else None
    return Settings(
        silences=tuple(silences), budget=budget if isinstance(budget, int) and not isinstance(budget, bool) else None
    )


def _silences(value: Any, scope: Path) -> Iterator[Silence]:
    settings = value.get("x-toolmint") if isinstance(value, dict) else None
    silenced = settings.get("silence") if isinstance(settings, dict) else None
    for code, reason in silenced.items() if isinstance(silenced, dict) else ():
        given = reason if isinstance(reason, str) and reason.strip() else None
        yield Silence(code=code, scope=scope, path=(*scope, "x-toolmint", "silence", code), reason=given)
