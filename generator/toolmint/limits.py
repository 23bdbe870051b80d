"""The limits of a manifest as a generated package states them."""

from collections.abc import Mapping
from dataclasses import dataclass

from toolmint.manifest import Manifest
from toolmint.manifest.model import Rate, ToolSettings

_TRANSPORT_CALLS = 256
"""How many calls the transport runs at once by itself (``CALLS_LIMIT`` of the runtime's stdio)."""
_TRANSPORT_LINE = 16 * 1024 * 1024
"""How many bytes of a line it takes by itself (``LINE_LIMIT`` there)."""

Arguments = Mapping[str, int | float]
"""Keyword arguments by their names."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a package's handlers.

    Attributes:
        total: The arguments of the limit on everything together.
        tools: The arguments of each tool's limit, for the tools that have one.
        result_bytes: How many bytes a result of anything else may have; 0 for any number.
    """

    total: Arguments
    tools: Mapping[str, Arguments]
    result_bytes: int


def handler_limits(manifest: Manifest) -> Limits | None:
    """Return the limits of a manifest's handlers; None where there are none, which then cost nothing."""
    defaults = manifest.defaults
    limits = Limits(
        total=_given(defaults.max_total_calls, defaults.total_rate),
        tools={tool.name: limit for tool in manifest.tools if (limit := _tool(tool.settings))},
        result_bytes=defaults.max_result_bytes,
    )
    return limits if limits.total or limits.tools or limits.result_bytes else None


def transport_limits(manifest: Manifest) -> Arguments:
    """Return the limits of a manifest that the transport has to be told, because they are not its own."""
    limits: dict[str, int] = {}
    if manifest.defaults.max_line_bytes != _TRANSPORT_LINE:
        limits["line_limit"] = manifest.defaults.max_line_bytes
    if manifest.defaults.max_total_calls >= _TRANSPORT_CALLS:
        limits["calls_limit"] = manifest.defaults.max_total_calls + 1  # the one that is too many has to be looked at
    return limits


def _tool(settings: ToolSettings) -> Arguments:
    limits = dict(_given(settings.max_calls, settings.rate))
    if settings.max_result_bytes:
        limits["result_bytes"] = settings.max_result_bytes
    return limits


def _given(calls: int, rate: Rate | None) -> Arguments:
    limits: dict[str, int | float] = {"calls": calls} if calls else {}
    if rate is not None:
        limits |= {"per_minute": rate.per_minute, "burst": rate.burst}
    return limits
