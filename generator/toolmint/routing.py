"""Prompts, resources and completions as a generated package knows them: what is served, from what, by which handler.

The modules of the package ``routes`` hold these as data; the runtime's ``prompts``, ``resources`` and ``completion``
serve them. Handlers take dataclasses that are made of an object schema here, like those of tools.
"""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolmint.compiler import CompiledSchema, compile_schema
from toolmint.manifest import Manifest
from toolmint.manifest.model import JSONObject, Prompt, Resource, ResourceTemplate
from toolmint.manifest.placeholders import Placeholder, split_placeholders
from toolmint.models import Models, ToolSchemas
from toolmint.rendering import render
from toolmint.revision import Revision
from toolmint.sourcetext import docstring, json_text

_FREE_TEXT = frozenset({"text", "title", "description"})
"""Members of content in which any text will do."""

_A_RESOURCE = "a resource"
"""What handlers of resources with a fixed URI take, all alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """What the stub of a handler shows.

    Attributes:
        folder: The package it is in: ``tools``, ``resources``, ``prompts`` or ``completions``.
        api_names: What it imports from ``api``.
        typing_names: What it imports from ``typing``.
    """

    folder: str
    identifier: str
    input_class: str
    returns: str
    docstring: str
    api_names: tuple[str, ...]
    typing_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A resource or template that is read when it is asked for, as its route shows it."""

    name: str
    module: str
    arguments: str
    uri_key: str
    file: str
    mime_type: str | None
    ttl_ms: int
    cache_scope: str
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _ResourceRoute:
    """What a URI leads to: the members of the result as JSON text, or a source."""

    uri: str
    result: str | None
    source: _Source | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PromptRoute:
    name: str
    required: tuple[str, ...]
    optional: dict[str, str]
    description: str | None
    messages: tuple[str, ...]
    checked: bool
    module: str
    arguments: str
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Completer:
    """One argument that a handler completes."""

    owner: str
    argument: str
    module: str
    timeout: float

    @property
    def label(self) -> str:
        """What it completes, in words."""
        return f"{self.argument} of {self.owner}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _CompletionRoute:
    reference: tuple[str, str]
    arguments: tuple[tuple[str, tuple[str, ...] | _Completer], ...]


API_NAMES = (
    "Annotations", "CompletionInput", "CompletionResult", "ContentBlock", "Icon", "InvalidParams", "PromptMessage",
    "PromptResult", "ResourceContents", "ResourceNotFound", "ResourceResult", "assistant", "audio", "embedded_blob",
    "embedded_text", "image", "resource_link", "safe_path", "text", "user",
)  # fmt: skip
"""What ``api`` exports for content, prompts, resources and completions, whatever a manifest has of them."""


def content_module(revision: Revision) -> str:
    """Return the name of the module of ``validators`` that checks what handlers return besides text."""
    return f"_content_{revision.identifier}"


def argument_schemas(manifest: Manifest) -> list[ToolSchemas]:
    """Return what the handlers of prompts and resources take, as schemas under names that no tool has."""
    schemas = []
    if any(_is_handled(resource) for resource in manifest.resources):
        schemas.append(_texts(_A_RESOURCE, "resource", {"uri": "The URI that was asked for."}, {"uri"}))
    for template in manifest.resource_templates:
        key = _uri_key(template)
        properties = dict.fromkeys(template.variables, "") | {key: "The whole URI that was asked for."}
        required = properties.keys() - set(template.optional_variables)
        schemas.append(_texts(_template_key(template), _named(template.identifier, "resource"), properties, required))
    for prompt in manifest.prompts:
        if prompt.messages is None:
            arguments = prompt.arguments or ()
            schemas.append(
                _texts(
                    _prompt_key(prompt),
                    _named(prompt.identifier, "prompt"),
                    {argument.name: argument.description or argument.title or "" for argument in arguments},
                    {argument.name for argument in arguments if argument.required},
                    {argument.name: argument.extra["default"] for argument in arguments if "default" in argument.extra},
                )
            )
    return schemas


def route_files(manifest: Manifest, models: Models) -> Iterator[tuple[str, str]]:
    """Yield the modules of ``routes`` and the packages that hold the handlers: path in the package, source."""
    resources = bool(manifest.resources or manifest.resource_templates)
    if resources or manifest.prompts:
        yield "routes/__init__.py", '"""What is served besides the tools, from what and by which handler."""\n'
    if resources:
        facts = {
            "resources": [_resource_route(resource, models) for resource in manifest.resources],
            "templates": [_template_source(template, models) for template in manifest.resource_templates],
        }
        loaded = any(not _is_fixed(resource) for resource in manifest.resources) or bool(manifest.resource_templates)
        yield "routes/resources.py", render("package/resource_routes.py.jinja", loaded=loaded, **facts)
    if any(_is_handled(resource) for resource in manifest.resources) or manifest.resource_templates:
        yield "resources/__init__.py", '"""Handlers of the resources, one module each."""\n'
    if manifest.prompts:
        routes = [_prompt_route(prompt, models) for prompt in manifest.prompts]
        yield "routes/prompts.py", render("package/prompt_routes.py.jinja", prompts=routes)
    if any(prompt.messages is None for prompt in manifest.prompts):
        yield "prompts/__init__.py", '"""Handlers of the prompts, one module each."""\n'
    completions = list(_completion_routes(manifest))
    if any(values for route in completions for _, values in route.arguments):
        completes = any(_completers(manifest))
        yield (
            "routes/completions.py",
            render("package/completion_routes.py.jinja", completions=completions, completers=completes),
        )
        if completes:
            yield "completions/__init__.py", '"""Handlers that complete arguments, one module each."""\n'


def stubs(manifest: Manifest, models: Models) -> Iterator[Stub]:
    """Yield the stubs of all handlers but those of tools."""
    for resource in manifest.resources:
        if _is_handled(resource):
            text = resource.description or resource.title or f"Read the resource {resource.uri}."
            yield _resource_stub(resource, models.tools[_A_RESOURCE].input_class, text)
    for template in manifest.resource_templates:
        text = template.description or template.title or f"Read a resource of {template.uri_template}."
        yield _resource_stub(template, models.tools[_template_key(template)].input_class, text)
    for prompt in manifest.prompts:
        if prompt.messages is None:
            input_class = models.tools[_prompt_key(prompt)].input_class
            yield Stub(
                folder="prompts",
                identifier=prompt.identifier,
                input_class=input_class,
                returns="list[PromptMessage]",
                docstring=docstring(prompt.description or prompt.title or f"Write the prompt {prompt.name}."),
                api_names=tuple(sorted(("Context", "PromptMessage", input_class))),
            )
    for completer in _completers(manifest):
        yield Stub(
            folder="completions",
            identifier=completer.module,
            input_class="CompletionInput",
            returns="list[str]",
            docstring=docstring(f"Offer values for {completer.label}, the best first."),
            api_names=("CompletionInput", "Context"),
        )


def contract(manifest: Manifest, models: Models) -> dict[str, Any]:
    """Return what the contract test has to know: what there is, and the handlers by folder and name."""
    return {
        "prompts": bool(manifest.prompts),
        "fixed_prompts": any(prompt.messages is not None for prompt in manifest.prompts),
        "resources": bool(manifest.resources or manifest.resource_templates),
        "fixed_resources": any(not _is_handled(resource) for resource in manifest.resources),
        "handlers": [f"{stub.folder}.{stub.identifier}" for stub in stubs(manifest, models)],
    }


def content_checks(manifest: Manifest, revision: Revision) -> list[CompiledSchema]:
    """Return the checks of what handlers return, compiled from a revision's definitions."""
    wanted = {"content_block": ("tools/call", "content")}
    if manifest.prompts:
        wanted["prompt_message"] = ("prompts/get", "messages")
    if manifest.resources or manifest.resource_templates:
        wanted["resource_contents"] = ("resources/read", "contents")
    compiled = []
    for prefix, (method, name) in wanted.items():
        result = revision.schema(revision.methods[method].result or "")
        items = result["properties"][name]["items"]
        schema = {**items, "$schema": result["$schema"], "$defs": result["$defs"]}
        compiled.append(compile_schema(schema, prefix=prefix, assert_formats=True))
    return compiled


def _texts(
    name: str,
    identifier: str,
    properties: Mapping[str, str],
    required: Any,
    defaults: Mapping[str, str] | None = None,
) -> ToolSchemas:
    """Return an object schema of texts: descriptions by name, the required names, and defaults."""
    schema: JSONObject = {
        "type": "object",
        "properties": {
            key: {"type": "string"}
            | ({"description": text} if text else {})
            | ({"default": defaults[key]} if defaults and key in defaults else {})
            for key, text in properties.items()
        },
        "required": [key for key in properties if key in required],
        "additionalProperties": False,
    }
    return ToolSchemas(name=name, identifier=identifier, input_schema=schema)


def _named(identifier: str, kind: str) -> str:
    """Return the name that a class is made of: it says what kind of thing takes it, once."""
    return identifier if identifier.split("_")[-1] == kind else f"{identifier}_{kind}"


def _template_key(template: ResourceTemplate) -> str:
    return f"the resource template {template.uri_template}"


def _prompt_key(prompt: Prompt) -> str:
    return f"the prompt {prompt.name}"


def _uri_key(template: ResourceTemplate) -> str:
    """Return the name of the field that holds the whole URI: ``uri``, unless a variable is called that."""
    key = "uri"
    while key in template.variables:
        key = f"whole_{key}"
    return key


def _is_fixed(resource: Resource) -> bool:
    return resource.content is not None


def _is_handled(resource: Resource) -> bool:
    return resource.content is None and resource.file is None


def _fixed_result(resource: Resource) -> str:
    """Return the members of the result of reading a fixed resource, up to the metadata, as JSON text."""
    content = resource.content
    contents: JSONObject = {"uri": resource.uri}
    if isinstance(content, str):
        contents |= {"mimeType": resource.mime_type or "text/plain", "text": content}
    else:
        blob = base64.b64encode(content or b"").decode()
        contents |= {"mimeType": resource.mime_type or "application/octet-stream", "blob": blob}
    hints = {"ttlMs": resource.settings.ttl_ms, "cacheScope": resource.settings.cache_scope}
    return json_text({"resultType": "complete", "contents": [contents], **hints})[1:-1]


def _resource_route(resource: Resource, models: Models) -> _ResourceRoute:
    if _is_fixed(resource):
        return _ResourceRoute(uri=resource.uri, result=_fixed_result(resource), source=None)
    return _ResourceRoute(uri=resource.uri, result=None, source=_resource_source(resource, models))


def _resource_source(resource: Resource, models: Models) -> _Source:
    handled = _is_handled(resource)
    return _Source(
        name=resource.uri,
        module=resource.identifier if handled else "",
        arguments=models.tools[_A_RESOURCE].input_class if handled else "",
        uri_key="uri",
        file=resource.file or "",
        mime_type=resource.mime_type,
        ttl_ms=resource.settings.ttl_ms,
        cache_scope=resource.settings.cache_scope,
        timeout=resource.settings.timeout_ms / 1000,
    )


def _template_source(template: ResourceTemplate, models: Models) -> _Source:
    return _Source(
        name=template.uri_template,
        module=template.identifier,
        arguments=models.tools[_template_key(template)].input_class,
        uri_key=_uri_key(template),
        file="",
        mime_type=template.mime_type,
        ttl_ms=template.settings.ttl_ms,
        cache_scope=template.settings.cache_scope,
        timeout=template.settings.timeout_ms / 1000,
    )


def _resource_stub(resource: Resource | ResourceTemplate, input_class: str, text: str) -> Stub:
    kind = (resource.mime_type or "text/plain").partition("/")[0]
    return Stub(
        folder="resources",
        identifier=resource.identifier,
        input_class=input_class,
        returns="bytes" if kind in ("image", "audio", "video", "font") else "str",
        docstring=docstring(text),
        api_names=tuple(sorted(("Context", input_class))),
    )


def _prompt_route(prompt: Prompt, models: Models) -> _PromptRoute:
    arguments = prompt.arguments or ()
    fixed = prompt.messages is not None
    content = [{"role": message.role, "content": _typed(message.content)} for message in prompt.messages or ()]
    return _PromptRoute(
        name=prompt.name,
        required=tuple(argument.name for argument in arguments if argument.required),
        optional={argument.name: argument.extra.get("default", "") for argument in arguments if not argument.required},
        description=prompt.description,
        messages=_pieces(content) if fixed else (),
        checked=any(_takes_arguments(message) for message in content),
        module="" if fixed else prompt.identifier,
        arguments="" if fixed else models.tools[_prompt_key(prompt)].input_class,
        timeout=prompt.settings.timeout_ms / 1000,
    )


def _typed(block: JSONObject) -> JSONObject:
    """Return a content block whose embedded resource, if it is one, says what it is (Prompts: embedded resources)."""
    resource = block.get("resource")
    if not isinstance(resource, dict) or "mimeType" in resource:
        return block
    media_type = "text/plain" if "text" in resource else "application/octet-stream"
    return {**block, "resource": {**resource, "mimeType": media_type}}


def _pieces(messages: Any) -> tuple[str, ...]:
    """Return messages as pieces of JSON text and, between each two, the name of the argument that goes there."""
    pieces = [""]
    for part in _parts(messages):
        if isinstance(part, Placeholder):
            pieces += [part.argument, ""]
        else:
            pieces[-1] += part
    return tuple(pieces)


def _parts(value: Any) -> Iterator[str | Placeholder]:
    """Yield the JSON text of a value in parts, with the placeholders in its texts between them."""
    if isinstance(value, str):
        yield '"'
        for part in split_placeholders(value):
            yield part if isinstance(part, Placeholder) else json_text(part)[1:-1]
        yield '"'
    elif isinstance(value, dict):
        for index, (key, item) in enumerate(value.items()):
            yield ("," if index else "{") + json_text(key) + ":"
            yield from _parts(item)
        yield "}" if value else "{}"
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield "," if index else "["
            yield from _parts(item)
        yield "]" if value else "[]"
    else:
        yield json_text(value)


def _takes_arguments(value: Any) -> bool:
    """Say whether an argument goes in where not every text will do, such as into a URI."""
    if isinstance(value, dict):
        return any(_takes_arguments(item) for key, item in value.items() if key not in _FREE_TEXT)
    if isinstance(value, list):
        return any(map(_takes_arguments, value))
    return isinstance(value, str) and any(isinstance(part, Placeholder) for part in split_placeholders(value))


def _completion_routes(manifest: Manifest) -> Iterator[_CompletionRoute]:
    for prompt in manifest.prompts:
        timeout = prompt.settings.timeout_ms / 1000
        yield _CompletionRoute(
            reference=("ref/prompt", prompt.name),
            arguments=tuple(
                (
                    argument.name,
                    argument.completions
                    if argument.completer is None
                    else _Completer(
                        owner=prompt.name, argument=argument.name, module=argument.completer, timeout=timeout
                    ),
                )
                for argument in prompt.arguments or ()
            ),
        )
    for template in manifest.resource_templates:
        timeout = template.settings.timeout_ms / 1000
        yield _CompletionRoute(
            reference=("ref/resource", template.uri_template),
            arguments=tuple(
                (
                    name,
                    template.completions.get(name, ())
                    if name not in template.completers
                    else _Completer(
                        owner=template.uri_template,
                        argument=name,
                        module=template.completers[name],
                        timeout=timeout,
                    ),
                )
                for name in template.variables
            ),
        )


def _completers(manifest: Manifest) -> Iterator[_Completer]:
    for route in _completion_routes(manifest):
        for _, values in route.arguments:
            if isinstance(values, _Completer):
                yield values
