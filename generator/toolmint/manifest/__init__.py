"""The manifest: read, checked, and turned into a model with every question answered."""

from toolmint.manifest.loading import load_manifest, load_project_manifest
from toolmint.manifest.model import (
    Defaults,
    Elicitation,
    Manifest,
    Package,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptSettings,
    Resource,
    ResourceSettings,
    ResourceTemplate,
    Schema,
    Server,
    Tool,
    ToolSettings,
)
from toolmint.manifest.names import identifier
from toolmint.manifest.positions import Positions
from toolmint.manifest.source import ManifestError, Position

__all__ = [
    "Defaults",
    "Elicitation",
    "Manifest",
    "ManifestError",
    "Package",
    "Position",
    "Positions",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "PromptSettings",
    "Resource",
    "ResourceSettings",
    "ResourceTemplate",
    "Schema",
    "Server",
    "Tool",
    "ToolSettings",
    "identifier",
    "load_manifest",
    "load_project_manifest",
]
