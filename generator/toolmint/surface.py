"""What a server tells its clients without being asked to do anything: discovery, capabilities and lists."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolmint.manifest import Manifest
from toolmint.revision import Method, Revision
from toolmint.sourcetext import json_text


@dataclass(frozen=True, slots=True)
class List:
    """One list that a method hands out.

    Attributes:
        method: The method's name on the wire.
        key: The result's property that holds the list.
        constant: The name of the list in the generated module ``catalogue``.
        items: Each entry's JSON text, in the manifest's order.
        digest: Identifies the entries and how they are paged; the first part of every cursor.
        tail: JSON text of what follows the list in every result, up to the metadata.
    """

    method: str
    key: str
    constant: str
    items: tuple[str, ...]
    digest: str
    tail: str


@dataclass(frozen=True, slots=True)
class Surface:
    """All that a client is told.

    Attributes:
        meta: The ``_meta`` member of every result, as JSON text.
        discovery: The members of the result of server/discover without ``_meta``, as JSON text.
        lists: The lists that are offered.
        methods: Every request method that is offered, in the order of the preferred revision.
        unserved: Methods of the revisions that this generator knows no way to serve.
        digest: SHA-256 of discovery and lists, hexadecimal.
    """

    meta: str
    discovery: str
    lists: tuple[List, ...]
    methods: tuple[str, ...]
    unserved: tuple[str, ...]
    digest: str


def describe(manifest: Manifest, revisions: Sequence[Revision]) -> Surface:
    """Work out what clients of a manifest's server are told, in the words of its revisions."""
    entries = {"tools": [tool.wire() for tool in manifest.tools]}
    capabilities = _capabilities(manifest)
    lists: list[List] = []
    methods: list[str] = []
    unserved: list[str] = []
    for name, (revision, method) in _requests(revisions).items():
        if method.capability is not None and method.capability.split(".")[0] not in capabilities:
            continue
        if method.paginated:
            key = _list_key(revision, method)
            if key not in entries:
                unserved.append(name)
                continue
            lists.append(_list(manifest, name, key, entries[key]))
        elif name not in SERVED:
            unserved.append(name)
            continue
        methods.append(name)
    hints = {"ttlMs": manifest.defaults.ttl_ms, "cacheScope": manifest.defaults.cache_scope}
    discovery = {"resultType": "complete", "supportedVersions": list(manifest.protocol), "capabilities": capabilities}
    if manifest.server.instructions is not None:
        discovery["instructions"] = manifest.server.instructions
    identity = {"name": manifest.server.name, "version": manifest.server.version}
    discovery_text = _members(discovery | hints)
    told = [discovery_text, json_text(manifest.server.wire()), *(text for entry in lists for text in entry.items)]
    return Surface(
        meta=f'"_meta":{json_text({SERVER_INFO_KEY: identity})}',
        discovery=discovery_text,
        lists=tuple(lists),
        methods=tuple(methods),
        unserved=tuple(unserved),
        digest=hashlib.sha256("\n".join(told).encode()).hexdigest(),
    )


SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SERVED = frozenset({"server/discover", "tools/call"})


def _capabilities(manifest: Manifest) -> dict[str, Any]:
    capabilities: dict[str, Any] = {"logging": {}}
    if manifest.tools:
        capabilities["tools"] = {}
    return capabilities


def _requests(revisions: Sequence[Revision]) -> dict[str, tuple[Revision, Method]]:
    """Return the requests of clients, each with the first revision that has it."""
    requests: dict[str, tuple[Revision, Method]] = {}
    for revision in revisions:
        for name, method in revision.methods.items():
            if method.kind == "request" and method.direction == "client-to-server":
                requests.setdefault(name, (revision, method))
    return requests


def _list_key(revision: Revision, method: Method) -> str:
    """Return the property of a paginated result that holds the list: its only array."""
    assert method.result is not None
    properties = revision.definitions[method.result]["properties"]
    (key,) = (name for name, schema in properties.items() if schema.get("type") == "array")
    return str(key)


def _list(manifest: Manifest, method: str, key: str, entries: Sequence[Any]) -> List:
    items = tuple(map(json_text, entries))
    defaults = manifest.defaults
    digest = hashlib.sha256("\n".join([str(defaults.page_size), *items]).encode()).hexdigest()[:16]
    hints = {"resultType": "complete", "ttlMs": defaults.ttl_ms, "cacheScope": defaults.cache_scope}
    return List(method, key, _constant(key), items, digest, _members(hints) + ",")


def _constant(key: str) -> str:
    return "".join(f"_{letter}" if letter.isupper() else letter for letter in key).upper()


def _members(value: dict[str, Any]) -> str:
    return json_text(value)[1:-1]
