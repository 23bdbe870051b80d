"""Manifest entries to the model. Every entry is of the right shape here; what is looked up is checked on the way."""

import base64
import binascii
import math
from collections.abc import Mapping
from typing import Any

from toolmint.manifest.bundling import Bundle
from toolmint.manifest.members import beyond
from toolmint.manifest.model import (
    Defaults,
    Elicitation,
    JSONObject,
    Package,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptSettings,
    Rate,
    Resource,
    ResourceSettings,
    ResourceTemplate,
    Schema,
    Server,
    Tool,
    ToolSettings,
)
from toolmint.manifest.names import distribution_name, identifier, module_name
from toolmint.manifest.positions import Path, pointer_of
from toolmint.manifest.rules import completer, query_variables, template_variables
from toolmint.manifest.source import ManifestError, read_bytes
from toolmint.manifest.text import Text
from toolmint.manifest.wording import shown

_NO_ARGUMENTS: JSONObject = {"type": "object", "properties": {}, "additionalProperties": False}

HANDLER = "handler"
"""What `complete` says where a handler knows the values."""

_FOREIGN = ("execution", "id")
"""Members of a tool that this revision does not have."""

_TEXT_TYPES = ("application/json", "application/javascript", "application/xml", "application/yaml", "application/toml")


def server(value: JSONObject) -> Server:
    """Build the server's identity."""
    return Server(
        name=value["name"],
        title=value.get("title"),
        version=value["version"],
        description=value.get("description"),
        website_url=value.get("websiteUrl"),
        icons=_icons(value),
        instructions=value.get("instructions"),
        extra=beyond("Server", value),
    )


def package(value: JSONObject, server_name: str) -> Package:
    """Build the package's names, made from the server's where they are not given."""
    name = value.get("name", distribution_name(server_name))
    variables = value.get("environmentVariables", [])
    return Package(
        name=name,
        module=value.get("module", module_name(name)),
        registry_name=value.get("registryName"),
        environment=tuple(
            {key: item for key, item in entry.items() if not key.startswith("x-")} for entry in variables
        ),
    )


def defaults(value: JSONObject) -> Defaults:
    """Build the defaults, those of the model where none are given."""
    names = {
        "ttlMs": "ttl_ms",
        "cacheScope": "cache_scope",
        "pageSize": "page_size",
        "timeoutMs": "timeout_ms",
        "strictArguments": "strict_arguments",
        "assertFormats": "assert_formats",
        "stateTtlMs": "state_ttl_ms",
        "maxCalls": "max_calls",
        "maxResultBytes": "max_result_bytes",
        "maxTotalCalls": "max_total_calls",
        "maxLineBytes": "max_line_bytes",
    }
    return Defaults(
        **{names[key]: setting for key, setting in value.items() if key in names},
        rate=_rate(value.get("rate")),
        total_rate=_rate(value.get("totalRate")),
    )


def _rate(value: JSONObject | None) -> Rate | None:
    """Build a rate; none is none, and so is one of 0."""
    if value is None or not value["perMinute"]:
        return None
    per_minute = float(value["perMinute"])
    return Rate(per_minute, value.get("burst", max(1, math.ceil(per_minute))))


def tool(value: JSONObject, path: Path, bundles: Mapping[Path, Bundle], default: Defaults) -> Tool:
    """Build a tool with its schemas as they have been bundled."""
    settings = value.get("x-toolmint", {})
    return Tool(
        name=value["name"],
        identifier=identifier(value["name"]),
        title=value.get("title"),
        description=value.get("description"),
        icons=_icons(value),
        annotations=value.get("annotations"),
        meta=value.get("_meta"),
        input_schema=_schema(bundles.get((*path, "inputSchema"))) or _NO_ARGUMENTS,
        output_schema=_schema(bundles.get((*path, "outputSchema"))),
        settings=ToolSettings(
            timeout_ms=settings.get("timeoutMs", default.timeout_ms),
            strict_arguments=settings.get("strictArguments", default.strict_arguments),
            assert_formats=settings.get("assertFormats", default.assert_formats),
            max_calls=settings.get("maxCalls", default.max_calls),
            rate=_rate(settings["rate"]) if "rate" in settings else default.rate,
            max_result_bytes=settings.get("maxResultBytes", default.max_result_bytes),
            aliases=tuple(settings.get("aliases", ())),
        ),
        elicits=_elicits(value),
        extra={key: value[key] for key in _FOREIGN if key in value} | beyond("Tool", value),
        pointer=pointer_of(path),
    )


def resource(value: JSONObject, path: Path, text: Text, default: Defaults) -> Resource:
    """Build a resource with its fixed content.

    Raises:
        ManifestError: The content is no base64, or the file cannot be used.
    """
    return Resource(
        uri=value["uri"],
        name=value["name"],
        identifier=identifier(value["name"]),
        title=value.get("title"),
        description=value.get("description"),
        mime_type=value.get("mimeType"),
        size=value.get("size"),
        annotations=value.get("annotations"),
        icons=_icons(value),
        meta=value.get("_meta"),
        content=_content(value, path, text),
        file=_file(value, path, text) if "file" in value else None,
        settings=_resource_settings(value, default),
        elicits=_elicits(value),
        extra=beyond("Resource", value),
        pointer=pointer_of(path),
    )


def resource_template(value: JSONObject, path: Path, default: Defaults) -> ResourceTemplate:
    """Build a resource template."""
    return ResourceTemplate(
        uri_template=value["uriTemplate"],
        name=value["name"],
        identifier=identifier(value["name"]),
        title=value.get("title"),
        description=value.get("description"),
        mime_type=value.get("mimeType"),
        annotations=value.get("annotations"),
        icons=_icons(value),
        meta=value.get("_meta"),
        variables=template_variables(value["uriTemplate"]) or (),
        optional_variables=query_variables(value["uriTemplate"]),
        completions={name: _values(values) for name, values in value.get("complete", {}).items()},
        completers={
            name: completer(value["name"], name)
            for name, values in value.get("complete", {}).items()
            if values == HANDLER
        },
        settings=_resource_settings(value, default),
        elicits=_elicits(value),
        extra=beyond("ResourceTemplate", value),
        pointer=pointer_of(path),
    )


def prompt(value: JSONObject, path: Path, text: Text, default: Defaults) -> Prompt:
    """Build a prompt; text that stands for a content block becomes one.

    Raises:
        ManifestError: The bytes of a message are no base64.
    """
    arguments, messages = value.get("arguments"), value.get("messages")
    return Prompt(
        name=value["name"],
        identifier=identifier(value["name"]),
        title=value.get("title"),
        description=value.get("description"),
        icons=_icons(value),
        arguments=None if arguments is None else tuple(_argument(argument, value["name"]) for argument in arguments),
        meta=value.get("_meta"),
        messages=None
        if messages is None
        else tuple(
            _message(message, (*path, "messages", index, "content"), text) for index, message in enumerate(messages)
        ),
        settings=PromptSettings(timeout_ms=value.get("x-toolmint", {}).get("timeoutMs", default.timeout_ms)),
        elicits=_elicits(value),
        extra=beyond("Prompt", value),
        pointer=pointer_of(path),
    )


def definitions(bundle: Bundle) -> dict[str, Schema]:
    """Return the shared schemas as they have been bundled."""
    carried: dict[str, Schema] = bundle.schema["$defs"] if isinstance(bundle.schema, dict) else {}
    return carried


def _schema(bundle: Bundle | None) -> JSONObject | None:
    return None if bundle is None or isinstance(bundle.schema, bool) else bundle.schema


def _icons(value: JSONObject) -> tuple[JSONObject, ...] | None:
    return tuple(value["icons"]) if "icons" in value else None


def _resource_settings(value: JSONObject, default: Defaults) -> ResourceSettings:
    settings = value.get("x-toolmint", {})
    return ResourceSettings(
        ttl_ms=settings.get("ttlMs", default.ttl_ms),
        cache_scope=settings.get("cacheScope", default.cache_scope),
        timeout_ms=settings.get("timeoutMs", default.timeout_ms),
    )


def _elicits(value: JSONObject) -> tuple[Elicitation, ...]:
    return tuple(
        Elicitation(
            key=item["key"],
            message=item["message"],
            mode=item.get("mode", "form"),
            requested_schema=item.get("requestedSchema"),
            url=item.get("url"),
        )
        for item in value.get("elicits", ())
    )


def _values(complete: list[str] | str) -> tuple[str, ...]:
    """Return the values offered for an argument, none where a handler knows them."""
    return () if isinstance(complete, str) else tuple(complete)


def _argument(value: JSONObject, prompt: str) -> PromptArgument:
    return PromptArgument(
        name=value["name"],
        title=value.get("title"),
        description=value.get("description"),
        required=value.get("required"),
        completions=_values(value.get("complete", ())),
        completer=completer(prompt, value["name"]) if value.get("complete") == HANDLER else None,
        extra=({"default": value["default"]} if "default" in value else {}) | beyond("PromptArgument", value),
    )


def _message(value: JSONObject, path: Path, text: Text) -> PromptMessage:
    content: Any = value["content"]
    if isinstance(content, str):
        content = {"type": "text", "text": content}
    for bytes_path in (("data",), ("resource", "blob")):
        holder = content.get(bytes_path[0], {}) if len(bytes_path) > 1 else content
        if isinstance(holder, dict) and bytes_path[-1] in holder:
            _decoded(holder[bytes_path[-1]], (*path, *bytes_path), text)
    return PromptMessage(role=value["role"], content=content)


def _content(value: JSONObject, path: Path, text: Text) -> str | bytes | None:
    if "text" in value:
        content: str = value["text"]
        return content
    if "blob" in value:
        return _decoded(value["blob"], (*path, "blob"), text)
    return None


def _file(value: JSONObject, path: Path, text: Text) -> str:
    """Return the name of a resource's file, which the generated package reads from its own folder ``files``."""
    name: str = value["file"]
    at = (*path, "file")
    module = _module(text.value)
    if module is None:  # which has been reported
        return name
    folder = f"src/{module}/files"
    root = (text.folder / folder).resolve()
    if name.startswith("/") or "\\" in name or "\0" in name or ".." in name.split("/"):
        inside = False
    else:
        inside = (root / name).resolve().is_relative_to(root)
    if not inside:
        message = f"{shown(name)} is outside of {folder}, the files that are shipped with the package"
        raise _refused(text, at, "outside-folder", message, "copy the file there and name it from there")
    try:
        data = read_bytes(root / name, name)
    except ManifestError as error:
        message = f"{folder}/{name}: {error.problems[0].message}"
        raise _refused(text, at, "content-file", message, f"put the file into the folder {folder}") from None
    media_type = str(value.get("mimeType", "")).partition(";")[0].strip().lower()
    if media_type.startswith("text/") or media_type in _TEXT_TYPES or media_type.endswith(("+json", "+xml")):
        try:
            data.decode()
        except UnicodeDecodeError:
            message = f"{name} is not UTF-8, but {media_type} is text"
            hint = "save it as UTF-8, or give it the media type of what it is"
            raise _refused(text, at, "content-file", message, hint) from None
    return name


def _module(value: JSONObject) -> str | None:
    """Return the import package of a manifest; None where what it is made of is of the wrong shape."""
    given, identity = value.get("package", {}), value.get("server", {})
    try:
        return package(given, identity["name"]).module
    except (AttributeError, KeyError, TypeError):
        return None


def _decoded(value: str, path: Path, text: Text) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        hint = "encode the bytes with `base64 -w0 FILE`, or name the file as `file`"
        raise _refused(text, path, "bad-base64", "this is not base64 (RFC 4648 section 4)", hint) from None


def _refused(text: Text, path: Path, code: str, message: str, hint: str) -> ManifestError:
    return ManifestError([text.problem(code, message, path, hint)])
