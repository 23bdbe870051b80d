"""A manifest file to a ``Manifest``, or to everything that is wrong with it."""

import os
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

from toolmint.manifest.bundling import Bundler, Text
from toolmint.manifest.document import parse_document
from toolmint.manifest.model import (
    Defaults,
    Elicitation,
    JSONObject,
    Manifest,
    Package,
    Server,
    Tool,
    ToolSettings,
)
from toolmint.manifest.names import distribution_name, identifier, module_name
from toolmint.manifest.positions import Path, pointer_of
from toolmint.manifest.source import ManifestError, read_source
from toolmint.manifest.structure import check_structure
from toolmint.problems import Problem

_NO_ARGUMENTS: JSONObject = {"type": "object", "properties": {}, "additionalProperties": False}


def load_manifest(path: str | os.PathLike[str], *, revisions: Sequence[str]) -> Manifest:
    """Load a manifest, its schemas self-contained and its defaults filled in.

    Args:
        path: The file; problems name it as it is given here.
        revisions: Names of the protocol revisions that can be generated.

    Raises:
        ManifestError: It cannot be used; every problem is listed.
    """
    source = read_source(FilePath(path), os.fspath(path))
    document = parse_document(source)
    text = Text(source, FilePath(path).parent, document.value, document.positions)
    violations = list(check_structure(source, document))
    problems = [*document.problems, *(problem for _, problem in violations)]
    if problems:
        raise ManifestError(sorted(problems, key=_order))
    bundler = Bundler(text)
    value: JSONObject = document.value
    defaults = _defaults(value.get("defaults", {}))
    server = _server(value["server"])
    manifest = Manifest(
        path=FilePath(path),
        protocol=_tuple(value["protocol"]),
        server=server,
        package=_package(value.get("package", {}), server),
        defaults=defaults,
        definitions=bundler.definitions(),
        tools=tuple(
            _tool(tool, ("tools", index), bundler, defaults) for index, tool in enumerate(value.get("tools", ()))
        ),
        resources=(),
        resource_templates=(),
        prompts=(),
        digest=source.digest,
        positions=document.positions,
    )
    if bundler.problems:
        raise ManifestError(sorted(bundler.problems, key=_order))
    return manifest


def _order(problem: Problem) -> tuple[str, int, int]:
    return problem.file, problem.line or 0, problem.column or 0


def _tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _server(value: JSONObject) -> Server:
    return Server(
        name=value["name"],
        title=value.get("title"),
        version=value["version"],
        description=value.get("description"),
        website_url=value.get("websiteUrl"),
        icons=_icons(value),
        instructions=value.get("instructions"),
    )


def _package(value: JSONObject, server: Server) -> Package:
    name = value.get("name", distribution_name(server.name))
    return Package(name=name, module=value.get("module", module_name(name)))


def _defaults(value: JSONObject) -> Defaults:
    given = {
        "ttl_ms": value.get("ttlMs"),
        "cache_scope": value.get("cacheScope"),
        "page_size": value.get("pageSize"),
        "timeout_ms": value.get("timeoutMs"),
        "strict_arguments": value.get("strictArguments"),
        "assert_formats": value.get("assertFormats"),
    }
    return Defaults(**{name: setting for name, setting in given.items() if setting is not None})


def _icons(value: JSONObject) -> tuple[JSONObject, ...] | None:
    return tuple(value["icons"]) if "icons" in value else None


def _tool(value: JSONObject, path: Path, bundler: Bundler, defaults: Defaults) -> Tool:
    settings = value.get("x-toolmint", {})
    schemas = {
        key: bundler.bundle((*path, key)).schema if key in value else None for key in ("inputSchema", "outputSchema")
    }
    return Tool(
        name=value["name"],
        identifier=identifier(value["name"]),
        title=value.get("title"),
        description=value.get("description"),
        icons=_icons(value),
        annotations=value.get("annotations"),
        meta=value.get("_meta"),
        input_schema=schemas["inputSchema"] or _NO_ARGUMENTS,
        output_schema=schemas["outputSchema"],
        settings=ToolSettings(
            timeout_ms=settings.get("timeoutMs", defaults.timeout_ms),
            strict_arguments=settings.get("strictArguments", defaults.strict_arguments),
            assert_formats=settings.get("assertFormats", defaults.assert_formats),
            aliases=tuple(settings.get("aliases", ())),
        ),
        elicits=_elicits(value),
        extra={key: value[key] for key in ("execution", "id") if key in value},
        pointer=pointer_of(path),
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
