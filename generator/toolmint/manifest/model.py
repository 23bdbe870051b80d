"""The manifest with every question answered: names made, defaults filled in, schemas self-contained.

Wire values (schemas, icons, annotations, ``_meta``, content) are plain JSON values as the manifest gave them; they may
be shared between entries and are not to be changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from toolmint.manifest.positions import Positions
from toolmint.problems import Problem

Schema = dict[str, Any] | bool
"""A JSON Schema."""

JSONObject = dict[str, Any]
"""A JSON object."""

CacheScope = Literal["private", "public"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What goes out as ``serverInfo``, and the instructions of ``server/discover``; ``extra`` as in ``Tool``."""

    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: tuple[JSONObject, ...] | None = None
    instructions: str | None = None
    extra: JSONObject = field(default_factory=dict)

    def wire(self) -> JSONObject:
        """Return the ``Implementation`` object: what was given, in the protocol's order."""
        return _given(
            name=self.name,
            title=self.title,
            version=self.version,
            description=self.description,
            websiteUrl=self.website_url,
            icons=_array(self.icons),
            **self.extra,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """The generated distribution.

    Attributes:
        name: Its name.
        module: Its import package.
        registry_name: What the official registry calls the server; None where it is not said.
        environment: The environment variables that the server reads, as the registry describes them.
    """

    name: str
    module: str
    registry_name: str | None = None
    environment: tuple[JSONObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something may be called: so often a minute on average, so often in a row after a pause."""

    per_minute: float
    burst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds where an entry says nothing.

    Attributes:
        ttl_ms: Milliseconds for which a client may keep lists and resources.
        cache_scope: Who may share what is kept.
        page_size: Most entries on a page of a list; 0: all on one page.
        timeout_ms: Milliseconds a call may take; 0: no limit.
        strict_arguments: Do not read an array or object out of an argument that is its JSON text.
        assert_formats: Treat ``format`` as a requirement.
        state_ttl_ms: Milliseconds for which a client may come back with the answer to a question.
        max_calls: Most calls of one tool at once; 0: no limit.
        rate: How often one tool may be called; None: no limit.
        max_result_bytes: Most bytes of the line that carries a result; 0: no limit.
        max_total_calls: Most calls of everything together at once; 0: as many as the transport runs.
        total_rate: How often everything together may be called; None: no limit.
        max_line_bytes: Most bytes of a line from the client.
    """

    ttl_ms: int = 0
    cache_scope: CacheScope = "private"
    page_size: int = 0
    timeout_ms: int = 0
    strict_arguments: bool = False
    assert_formats: bool = False
    state_ttl_ms: int = 600_000
    max_calls: int = 0
    rate: Rate | None = None
    max_result_bytes: int = 0
    max_total_calls: int = 0
    total_rate: Rate | None = None
    max_line_bytes: int = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """A question that a handler may put to the user; ``requested_schema`` in mode form, ``url`` in mode url."""

    key: str
    message: str
    mode: Literal["form", "url"]
    requested_schema: JSONObject | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What ``x-toolmint`` of a tool says, or else ``defaults``; ``aliases`` are former names that still work."""

    timeout_ms: int
    strict_arguments: bool
    assert_formats: bool
    max_calls: int = 0
    rate: Rate | None = None
    max_result_bytes: int = 0
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSettings:
    """What ``x-toolmint`` of a resource says, or else ``defaults``."""

    ttl_ms: int
    cache_scope: CacheScope
    timeout_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSettings:
    """What ``x-toolmint`` of a prompt says, or else ``defaults``."""

    timeout_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        identifier: Name of its handler and module, see ``toolmint.manifest.identifier``.
        input_schema: Self-contained, of root type object; a tool without one takes no arguments.
        output_schema: Self-contained; None where the result is content only.
        extra: Members that other revisions or frameworks list, or that only the manifest's own revision defines.
        pointer: Where it stands in the manifest.
    """

    name: str
    identifier: str
    title: str | None = None
    description: str | None = None
    icons: tuple[JSONObject, ...] | None = None
    annotations: JSONObject | None = None
    meta: JSONObject | None = None
    input_schema: JSONObject
    output_schema: JSONObject | None = None
    settings: ToolSettings
    elicits: tuple[Elicitation, ...] = ()
    extra: JSONObject = field(default_factory=dict)
    pointer: str

    def wire(self) -> JSONObject:
        """Return the entry of ``tools/list``: what was given, in the protocol's order."""
        return _given(
            name=self.name,
            title=self.title,
            description=self.description,
            icons=_array(self.icons),
            inputSchema=self.input_schema,
            outputSchema=self.output_schema,
            annotations=self.annotations,
            _meta=self.meta,
            **self.extra,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One resource.

    Attributes:
        content: Text, or bytes, where it is fixed.
        file: The name of the file that holds the content, in the package's folder ``files``.
        extra: As in ``Tool``.
    """

    uri: str
    name: str
    identifier: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: JSONObject | None = None
    icons: tuple[JSONObject, ...] | None = None
    meta: JSONObject | None = None
    content: str | bytes | None = None
    file: str | None = None
    settings: ResourceSettings
    elicits: tuple[Elicitation, ...] = ()
    extra: JSONObject = field(default_factory=dict)
    pointer: str

    def wire(self) -> JSONObject:
        """Return the entry of ``resources/list``: what was given, in the protocol's order."""
        return _given(
            uri=self.uri,
            name=self.name,
            title=self.title,
            description=self.description,
            icons=_array(self.icons),
            mimeType=self.mime_type,
            size=self.size,
            annotations=self.annotations,
            _meta=self.meta,
            **self.extra,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceTemplate:
    """A family of resources.

    Attributes:
        variables: The names of the template's variables.
        optional_variables: Those of its query, which a URI need not have.
        completions: The values offered for a variable, by its name.
        completers: The Python name of the handler that completes a variable, by the variable's name.
        extra: As in ``Tool``.
    """

    uri_template: str
    name: str
    identifier: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: JSONObject | None = None
    icons: tuple[JSONObject, ...] | None = None
    meta: JSONObject | None = None
    variables: tuple[str, ...] = ()
    optional_variables: tuple[str, ...] = ()
    completions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    completers: Mapping[str, str] = field(default_factory=dict)
    settings: ResourceSettings
    elicits: tuple[Elicitation, ...] = ()
    extra: JSONObject = field(default_factory=dict)
    pointer: str

    def wire(self) -> JSONObject:
        """Return the entry of ``resources/templates/list``: what was given, in the protocol's order."""
        return _given(
            uriTemplate=self.uri_template,
            name=self.name,
            title=self.title,
            description=self.description,
            icons=_array(self.icons),
            mimeType=self.mime_type,
            annotations=self.annotations,
            _meta=self.meta,
            **self.extra,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgument:
    """One argument of a prompt.

    Attributes:
        required: None where it is not said, which means the same as False.
        completions: The values offered for it.
        completer: The Python name of the handler that completes it.
        extra: As in ``Tool``.
    """

    name: str
    title: str | None = None
    description: str | None = None
    required: bool | None = None
    completions: tuple[str, ...] = ()
    completer: str | None = None
    extra: JSONObject = field(default_factory=dict)

    def wire(self) -> JSONObject:
        """Return the entry of a prompt's ``arguments``: what was given, in the protocol's order."""
        return _given(
            name=self.name, title=self.title, description=self.description, required=self.required, **self.extra
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """A fixed message: its role and content block, any text of which may hold placeholders."""

    role: Literal["user", "assistant"]
    content: JSONObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt; ``arguments`` and ``messages`` are None where nothing was said, the latter: a handler writes them.

    ``extra`` is as in ``Tool``.
    """

    name: str
    identifier: str
    title: str | None = None
    description: str | None = None
    icons: tuple[JSONObject, ...] | None = None
    arguments: tuple[PromptArgument, ...] | None = None
    meta: JSONObject | None = None
    messages: tuple[PromptMessage, ...] | None = None
    settings: PromptSettings
    elicits: tuple[Elicitation, ...] = ()
    extra: JSONObject = field(default_factory=dict)
    pointer: str

    def wire(self) -> JSONObject:
        """Return the entry of ``prompts/list``: what was given, in the protocol's order."""
        return _given(
            name=self.name,
            title=self.title,
            description=self.description,
            icons=_array(self.icons),
            arguments=None if self.arguments is None else [argument.wire() for argument in self.arguments],
            _meta=self.meta,
            **self.extra,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One server's contract.

    Attributes:
        protocol: Revisions, the preferred one first.
        definitions: Schemas that the tools share, by name, each self-contained.
        digest: SHA-256 of the file's bytes, hexadecimal; whether its lines end in CR LF or in LF makes no difference.
        positions: Where each key and value stands in the file.
        warnings: What works but is probably not meant.
    """

    path: Path
    protocol: tuple[str, ...]
    server: Server
    package: Package
    defaults: Defaults
    definitions: Mapping[str, Schema]
    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...]
    resource_templates: tuple[ResourceTemplate, ...]
    prompts: tuple[Prompt, ...]
    digest: str
    positions: Positions
    warnings: tuple[Problem, ...] = ()

    @property
    def entries(self) -> tuple[Tool | Resource | ResourceTemplate | Prompt, ...]:
        """The tools, resources, templates and prompts."""
        return (*self.tools, *self.resources, *self.resource_templates, *self.prompts)


def _given(**members: Any) -> JSONObject:
    """Return the members that were given; the manifest has no null on the wire."""
    return {name: value for name, value in members.items() if value is not None}


def _array(items: tuple[JSONObject, ...] | None) -> list[JSONObject] | None:
    return None if items is None else list(items)
