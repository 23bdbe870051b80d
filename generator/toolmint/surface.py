"""What a server tells its clients without being asked to do anything: discovery, capabilities and lists."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolmint.manifest import Elicitation, Manifest
from toolmint.revision import Method, Revision
from toolmint.sourcetext import json_text

SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

_LISTED = ("tools", "resources", "resourceTemplates", "prompts")
"""What lists can be made of, as the properties of their results are called."""

_SERVED = frozenset(
    {
        "server/discover",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "subscriptions/listen",
    }
)
"""The requests, other than lists, that the runtime can serve. Any other request of a revision is not offered."""


ASKED = frozenset({"elicitation/create", "sampling/createMessage", "roots/list"})
"""The requests to a client that handlers can make."""


@dataclass(frozen=True, slots=True)
class List:
    """One list that a method hands out.

    Attributes:
        method: The method's name on the wire.
        key: The result's property that holds the list.
        constant: The name of the list in the generated module ``catalogue``.
        entries: Each entry's name and JSON text, in the manifest's order.
        digest: Identifies the entries and how they are paged; the first part of every cursor.
        tail: JSON text of what follows the list in every result, up to the metadata.
        changes: Whether entries can be hidden and shown while the server runs.
    """

    method: str
    key: str
    constant: str
    entries: tuple[tuple[str, str], ...]
    digest: str
    tail: str
    changes: bool

    @property
    def variable(self) -> str:
        """The name of the list's variable in the generated dispatcher."""
        return self.constant.lower()


@dataclass(frozen=True, slots=True)
class Surface:
    """All that a client is told.

    Attributes:
        meta: The ``_meta`` member of every result, as JSON text.
        discovery: The members of the result of server/discover, as JSON text.
        lists: The lists that are offered.
        changes: For each subscription filter that is honoured, the notification that it lets through.
        subscribe: Whether updates of single resources can be subscribed to.
        methods: Every request method that is offered, in the order of the preferred revision.
        capabilities: What the server can do.
        digest: SHA-256 of discovery and lists, hexadecimal.
    """

    meta: str
    discovery: str
    lists: tuple[List, ...]
    changes: dict[str, str]
    subscribe: bool
    methods: tuple[str, ...]
    capabilities: dict[str, Any]
    digest: str


def describe(manifest: Manifest, revisions: Sequence[Revision]) -> Surface:
    """Work out what clients of a manifest's server are told, in the words of its modern revisions."""
    entries = {
        "tools": [(tool.name, tool.wire()) for tool in manifest.tools],
        "resources": [(resource.uri, resource.wire()) for resource in manifest.resources],
        "resourceTemplates": [(template.uri_template, template.wire()) for template in manifest.resource_templates],
        "prompts": [(prompt.name, prompt.wire()) for prompt in manifest.prompts],
    }
    capabilities = _capabilities(manifest)
    lists: list[List] = []
    methods: list[str] = []
    for name, (revision, method) in _sent_by(revisions, "client-to-server", "request").items():
        if not can_serve(revision, method) or not has_capability(capabilities, method.capability):
            continue
        key = _list_key(revision, method)
        if key is not None:
            changes = has_capability(capabilities, f"{key}.listChanged")
            lists.append(_list(manifest, name, key, entries[key], changes=changes))
        methods.append(name)
    hints = {"ttlMs": manifest.defaults.ttl_ms, "cacheScope": manifest.defaults.cache_scope}
    discovery = {
        "resultType": "complete",
        "supportedVersions": [revision.name for revision in revisions],
        "capabilities": capabilities,
    }
    if manifest.server.instructions is not None:
        discovery["instructions"] = manifest.server.instructions
    identity = {"name": manifest.server.name, "version": manifest.server.version}
    discovery_text = _members(discovery | hints | {"_meta": {SERVER_INFO_KEY: manifest.server.wire()}})
    told = [discovery_text, *(text for entry in lists for _, text in entry.entries)]
    return Surface(
        meta=f'"_meta":{json_text({SERVER_INFO_KEY: identity})}',
        discovery=discovery_text,
        lists=tuple(lists),
        changes=_changes(revisions, capabilities),
        subscribe=has_capability(capabilities, "resources.subscribe"),
        methods=tuple(methods),
        capabilities=capabilities,
        digest=hashlib.sha256("\n".join(told).encode()).hexdigest(),
    )


def unlisted(manifest: Manifest) -> dict[str, Any]:
    """Return what callers meet although no list says it: former names, strictness, and what they can be asked."""
    asks = {
        "tools": {tool.name: _modes(tool.elicits) for tool in manifest.tools if tool.elicits},
        "prompts": {prompt.name: _modes(prompt.elicits) for prompt in manifest.prompts if prompt.elicits},
        "resources": {resource.uri: _modes(resource.elicits) for resource in manifest.resources if resource.elicits},
        "resourceTemplates": {
            template.uri_template: _modes(template.elicits)
            for template in manifest.resource_templates
            if template.elicits
        },
    }
    found = {
        "aliases": {alias: tool.name for tool in manifest.tools for alias in tool.settings.aliases},
        "strictArguments": [tool.name for tool in manifest.tools if tool.settings.strict_arguments],
        "assertFormats": [tool.name for tool in manifest.tools if tool.settings.assert_formats],
        "asks": {key: entries for key, entries in asks.items() if entries},
    }
    return {name: value for name, value in found.items() if value}


def _modes(elicitations: Sequence[Elicitation]) -> list[str]:
    return sorted({f"elicitation.{elicitation.mode}" for elicitation in elicitations})


def _capabilities(manifest: Manifest) -> dict[str, Any]:
    capabilities: dict[str, Any] = {"logging": {}}
    if manifest.tools:
        capabilities["tools"] = {"listChanged": True}
    if manifest.resources or manifest.resource_templates:
        capabilities["resources"] = {"listChanged": True, "subscribe": True}
    if manifest.prompts:
        capabilities["prompts"] = {"listChanged": True}
    if _completes(manifest):
        capabilities["completions"] = {}
    return capabilities


def _completes(manifest: Manifest) -> bool:
    arguments = (argument for prompt in manifest.prompts for argument in prompt.arguments or ())
    return any(argument.completions or argument.completer for argument in arguments) or any(
        template.completions or template.completers for template in manifest.resource_templates
    )


def can_serve(revision: Revision, method: Method) -> bool:
    """Say whether the runtime knows how to serve a request, whatever a server has to offer for it."""
    return _list_key(revision, method) in _LISTED if method.paginated else method.method in _SERVED


def has_capability(capabilities: Mapping[str, Any], path: str | None) -> bool:
    """Say whether a dotted path leads to a capability; no path means that none is needed."""
    found: Any = capabilities
    for key in path.split(".") if path else ():
        if not isinstance(found, Mapping) or key not in found:
            return False
        found = found[key]
    return True


def _changes(revisions: Sequence[Revision], capabilities: dict[str, Any]) -> dict[str, str]:
    """Return the notifications about changed lists by the member of a subscription's filter that asks for them."""
    changes: dict[str, str] = {}
    for name, (_, method) in _sent_by(revisions, "server-to-client", "notification").items():
        key, _, flag = (method.capability or "").partition(".")
        if flag == "listChanged" and has_capability(capabilities, method.capability):
            changes[f"{key}ListChanged"] = name
    return changes


def _sent_by(revisions: Sequence[Revision], direction: str, kind: str) -> dict[str, tuple[Revision, Method]]:
    """Return the methods of one direction and kind, each with the first revision that has it."""
    found: dict[str, tuple[Revision, Method]] = {}
    for revision in revisions:
        for name, method in revision.methods.items():
            if method.kind == kind and method.direction == direction:
                found.setdefault(name, (revision, method))
    return found


def _list_key(revision: Revision, method: Method) -> str | None:
    """Return the property that holds the list in the result of a paginated method: its only array.

    Returns:
        None if the method is not paginated, or its result has not just one array.
    """
    if not method.paginated:
        return None
    properties = revision.definitions[method.result or "Result"].get("properties", {})
    arrays = [str(name) for name, schema in properties.items() if schema.get("type") == "array"]
    return arrays[0] if len(arrays) == 1 else None


def _list(manifest: Manifest, method: str, key: str, entries: Sequence[tuple[str, Any]], *, changes: bool) -> List:
    items = tuple((name, json_text(entry)) for name, entry in entries)
    defaults = manifest.defaults
    texts = [str(defaults.page_size), *(text for _, text in items)]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    hints = {"resultType": "complete", "ttlMs": defaults.ttl_ms, "cacheScope": defaults.cache_scope}
    return List(method, key, _constant(key), items, digest, _members(hints) + ",", changes)


def _constant(key: str) -> str:
    return "".join(f"_{letter}" if letter.isupper() else letter for letter in key).upper()


def _members(value: dict[str, Any]) -> str:
    return json_text(value)[1:-1]
