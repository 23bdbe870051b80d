"""What a protocol revision says of the things that a manifest lists, beyond what the manifest's format knows.

``schema/manifest.schema.json`` names the members that the revisions had when it was written. A revision may define
others; a manifest that names the revision may use them, and they are listed as they are given.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from toolmint.assets import SCHEMAS
from toolmint.manifest.model import JSONObject, Manifest
from toolmint.manifest.positions import Path, path_of
from toolmint.manifest.text import Text
from toolmint.manifest.wording import shortened
from toolmint.problems import Problem
from toolmint.revision import Revision

_DEFINED_AS = {
    "Server": ("Implementation",),
    "Tool": ("Tool",),
    "ToolAnnotations": ("ToolAnnotations",),
    "Resource": ("Resource",),
    "ResourceTemplate": ("ResourceTemplate",),
    "Prompt": ("Prompt",),
    "PromptArgument": ("PromptArgument",),
    "Annotations": ("Annotations",),
    "Icon": ("Icon",),
    "TextContent": ("TextContent",),
    "MediaContent": ("ImageContent", "AudioContent"),
    "ResourceLink": ("ResourceLink",),
    "EmbeddedResource": ("EmbeddedResource",),
}
"""The definitions of the manifest's format that go out on the wire, and what a revision calls them."""


@cache
def manifest_schema() -> JSONObject:
    """Return the manifest's format, ``schema/manifest.schema.json``; it is not to be changed."""
    schema: JSONObject = json.loads((SCHEMAS / "manifest.schema.json").read_text(encoding="utf-8"))
    return schema


def extended_schema(revisions: Sequence[Revision]) -> JSONObject:
    """Return the manifest's format with the members that revisions define and it does not know, open to any value."""
    schema = manifest_schema()
    extended: JSONObject = {}
    for name, definitions in _DEFINED_AS.items():
        definition = schema["$defs"][name]
        new = {
            member: {"description": described.get("description", "")}
            for revision in revisions
            for defined_as in definitions
            for member, described in revision.definitions.get(defined_as, {}).get("properties", {}).items()
            if member not in definition["properties"]
        }
        if new:
            extended[name] = {**definition, "properties": {**definition["properties"], **new}}
    return {**schema, "$defs": {**schema["$defs"], **extended}} if extended else schema


def beyond(name: str, value: Mapping[str, Any]) -> JSONObject:
    """Return the members of an entry that the format's definition of that name does not know, but for ``x-`` ones."""
    known = manifest_schema()["$defs"][name]["properties"]
    return {key: member for key, member in value.items() if key not in known and not key.startswith("x-")}


def listed_problems(text: Text, manifest: Manifest, revisions: Sequence[Revision]) -> Iterator[Problem]:
    """Yield what revisions do not allow in what a manifest lists."""
    for revision in revisions:
        defined = [name for name in _LISTED if name in revision.definitions]
        validators = {name: Draft202012Validator(revision.schema(name)) for name in defined}
        for name, path, value in _entries(manifest):
            for error in validators[name].iter_errors(value) if name in validators else ():
                yield text.problem(
                    "not-in-revision",
                    f"revision {revision.name} does not allow this: {shortened(error.message)}",
                    (*path, *error.absolute_path),
                    f"see {name} in the revision's definitions",
                )


_LISTED = ("Implementation", "Tool", "Resource", "ResourceTemplate", "Prompt")


def _entries(manifest: Manifest) -> Iterator[tuple[str, Path, JSONObject]]:
    """Yield what a manifest lists: the name of its definition, where it stands, and what it is on the wire."""
    yield "Implementation", ("server",), manifest.server.wire()
    for entry in manifest.entries:
        yield type(entry).__name__, path_of(entry.pointer), entry.wire()  # the model's names are the protocol's
