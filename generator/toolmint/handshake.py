"""What the handshake era of a server is, as data: by revision, what there is in it and how far each value goes.

The runtime's ``handshake`` package is the adapter that all those revisions share. What differs between them comes from
their method tables and definitions and is put down in the generated module ``handshake``.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolmint.compiler import CompiledSchema, compile_schema
from toolmint.revision import Method, Revision, Schema
from toolmint.surface import ASKED, has_capability

ADAPTED = frozenset({"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
"""The requests that the adapter answers by itself; any other that it answers is one of the modern era too."""


@dataclass(frozen=True, slots=True)
class OfferedMethod:
    """One request that is answered.

    Attributes:
        name: Its name on the wire.
        check: The prefix of its check in the module of the revision's checks.
        params: The members of its params that the revision knows.
        shape: The shape of its result.
    """

    name: str
    check: str
    params: tuple[str, ...]
    shape: str


@dataclass(frozen=True, slots=True)
class AskedMethod:
    """One request that a client can be asked.

    Attributes:
        name: Its name on the wire.
        checks: The module of ``validators`` that checks what is answered.
        shape: The shape of its params.
    """

    name: str
    checks: str
    shape: str


@dataclass(frozen=True, slots=True)
class Terms:
    """One revision of the handshake era.

    Attributes:
        revision: Its name.
        checks: The module of ``validators`` that checks requests.
        methods: The requests that are answered.
        asked: The requests that a client can be asked.
        notifications: The shape of the params of each notification that is sent, by its name.
        shapes: For each shape, its members and the shape of each; the empty name for a value that goes as it is.
        unions: For each shape that is one of several by its ``type``, which.
        errors: The error codes by their names in the method table.
        batches: Whether a line may hold an array of messages.
        block_lists: Whether a message for the client's model may have several blocks of content.
        form_fields: For each kind of field that a form can have, its members.
    """

    revision: str
    checks: str
    methods: tuple[OfferedMethod, ...]
    asked: tuple[AskedMethod, ...]
    notifications: dict[str, str]
    shapes: dict[str, dict[str, str]]
    unions: dict[str, dict[str, str]]
    errors: dict[str, int]
    batches: bool
    block_lists: bool
    form_fields: dict[str, tuple[str, ...]]


def terms_of(revision: Revision, offered: Sequence[str], capabilities: Mapping[str, Any]) -> Terms:
    """Return what a revision of the handshake era is for one server.

    Args:
        revision: The revision.
        offered: The requests that the server answers in the modern era.
        capabilities: What the server can do, as the modern era is told.
    """
    shapes = _Shapes(revision)
    methods = [
        OfferedMethod(
            name=method.method,
            check=_prefix(method),
            params=tuple(_params(revision, method).get("properties", {})),
            shape=shapes.of({"$ref": f"#/$defs/{method.result}"}),
        )
        for method in served(revision, offered, capabilities)
    ]
    asked = [
        AskedMethod(
            name=method.method,
            checks=asked_module(revision, method),
            shape=shapes.of(_params(revision, method), f"{method.message}.params"),
        )
        for method in requests_to_client(revision)
    ]
    notifications = {
        method.method: shapes.of(_params(revision, method), f"{method.message}.params")
        for method in revision.methods.values()
        if method.kind == "notification" and method.direction != "client-to-server"
    }
    for name in ("ServerCapabilities", "ClientCapabilities"):
        shapes.of({"$ref": f"#/$defs/{name}"})
    return Terms(
        revision=revision.name,
        checks=checks_module(revision),
        methods=tuple(methods),
        asked=tuple(asked),
        notifications=notifications,
        shapes=shapes.shapes,
        unions=shapes.unions,
        errors={name: error.code for name, error in revision.errors.items()},
        batches=revision.batches,
        block_lists=any("items" in option for option in _sampled_content(revision).get("anyOf", ())),
        form_fields=_form_fields(revision),
    )


def served(revision: Revision, offered: Sequence[str], capabilities: Mapping[str, Any]) -> Iterator[Method]:
    """Yield the requests of a revision that a server answers; the arguments are those of ``terms_of``."""
    for method in revision.methods.values():
        if method.kind != "request" or method.direction == "server-to-client":
            continue
        if method.method in offered or (method.method in ADAPTED and has_capability(capabilities, method.capability)):
            yield method


def requests_to_client(revision: Revision) -> Iterator[Method]:
    """Yield the requests that a handler can have sent to the client."""
    for method in revision.methods.values():
        if method.kind == "request" and method.direction == "server-to-client" and method.method in ASKED:
            yield method


def request_checks(
    revision: Revision,
    offered: Sequence[str],
    capabilities: Mapping[str, Any],
    amend: Callable[[Schema], dict[str, Any]],
) -> list[CompiledSchema]:
    """Return the checks of the params of every request that is answered.

    Args:
        revision: The revision.
        offered: As in ``terms_of``.
        capabilities: As in ``terms_of``.
        amend: Returns a schema as it is read where it checks something.
    """
    return [
        compile_schema(amend(_params(revision, method)), prefix=_prefix(method))
        for method in served(revision, offered, capabilities)
    ]


def answer_checks(
    revision: Revision, method: Method, amend: Callable[[Schema], dict[str, Any]]
) -> list[CompiledSchema]:
    """Return the checks of what a client answers to a request, and of its params where handlers write those.

    Args:
        revision: The revision.
        method: A request to the client.
        amend: As in ``request_checks``.
    """
    assert method.result is not None
    schemas = {"result": revision.schema(method.result)}
    if method.method != "elicitation/create":  # the manifest's own check has seen those
        schemas["params"] = _params(revision, method)
    return [compile_schema(amend(schema), prefix=prefix) for prefix, schema in schemas.items()]


def checks_module(revision: Revision) -> str:
    """Return the name of the module of ``validators`` that checks a revision's requests."""
    return f"_requests_{revision.identifier}"


def asked_module(revision: Revision, method: Method) -> str:
    """Return the name of the module of ``validators`` that checks what a client answers."""
    return "_" + re.sub(r"\W", "_", f"{method.capability or method.method}_{revision.name}")


def _prefix(method: Method) -> str:
    return re.sub(r"\W+|(?<=[a-z])(?=[A-Z])", "_", method.method).lower()


def _params(revision: Revision, method: Method) -> dict[str, Any]:
    """Return the self-contained schema of a message's params, spelled out or defined; open where there are none."""
    whole = revision.schema(method.message)
    params = whole["properties"].get("params", {"type": "object"})
    if set(params) <= {"$ref", "description"}:
        return dict(revision.schema(params["$ref"].removeprefix("#/$defs/")))
    return {**params, "$schema": whole["$schema"], "$defs": whole.get("$defs", {})}


def _sampled_content(revision: Revision) -> Schema:
    content: Schema = revision.definitions["SamplingMessage"]["properties"]["content"]
    return content


@dataclass(slots=True)
class _Shapes:
    """Works out the shapes of a revision's values.

    An object that names its members, and is not open to others, keeps those; one that is a JSON Schema, or open, goes
    as it is. What an array holds has the array's shape.
    """

    revision: Revision
    shapes: dict[str, dict[str, str]] = field(default_factory=dict)
    unions: dict[str, dict[str, str]] = field(default_factory=dict)

    def of(self, schema: Schema, name: str = "") -> str:
        """Return the name of a schema's shape.

        Args:
            schema: A schema of the revision's.
            name: What to call it, where it is none of the definitions.
        """
        options = list(self._options(schema, name))
        if not options:
            return ""
        if len(options) == 1:
            return self._object(*options[0])
        joined = "|".join(sorted(option for option, _ in options))
        kinds = {str(option.get("properties", {}).get("type", {}).get("const")): key for key, option in options}
        if "None" not in kinds and len(kinds) == len(options):
            if joined not in self.unions:
                self.unions[joined] = {}
                self.unions[joined] = {kind: self._object(key, dict(options)[key]) for kind, key in kinds.items()}
            return joined
        merged: dict[str, Any] = {}
        for _, option in options:
            merged |= option.get("properties", {})
        return self._object(joined, {"type": "object", "properties": merged})

    def _options(self, schema: Schema, name: str) -> Iterator[tuple[str, Schema]]:
        """Yield the objects that a schema allows: each one's name and schema."""
        if "$ref" in schema:
            target = schema["$ref"].removeprefix("#/$defs/")
            yield from self._options(self.revision.definitions[target], target)
        elif "anyOf" in schema:
            seen = set()
            for index, option in enumerate(schema["anyOf"]):
                for key, found in self._options(option, f"{name}/{index}"):
                    if key not in seen:
                        seen.add(key)
                        yield key, found
        elif schema.get("type") == "array":
            yield from self._options(schema.get("items", {}), name)
        elif _is_closed(schema):
            yield name, schema

    def _object(self, name: str, schema: Schema) -> str:
        if name not in self.shapes:
            self.shapes[name] = {}
            self.shapes[name] = {key: self.of(member, f"{name}.{key}") for key, member in schema["properties"].items()}
        return name


def _is_closed(schema: Schema) -> bool:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not properties or "additionalProperties" in schema:
        return False
    return bool(properties.get("type", {}).get("const") != "object")


def _form_fields(revision: Revision) -> dict[str, tuple[str, ...]]:
    """Return the kinds of fields that a form can have in a revision, and the members of each.

    ``string``, ``number``, ``integer`` and ``boolean`` are by type, ``array`` for several choices, ``enum`` and
    ``oneOf`` for one choice, without and with titles.
    """
    fields: dict[str, set[str]] = {}
    pending = ["PrimitiveSchemaDefinition"] if "PrimitiveSchemaDefinition" in revision.definitions else []
    while pending:
        definition = revision.definitions[pending.pop()]
        pending += [option["$ref"].removeprefix("#/$defs/") for option in definition.get("anyOf", ())]
        members = definition.get("properties", {})
        type_ = members.get("type", {})
        kinds = [kind for kind in ("enum", "oneOf") if kind in members] or type_.get("enum", [type_.get("const")])
        for kind in kinds:
            if kind is not None:
                fields.setdefault(kind, set()).update(members)
    return {kind: tuple(sorted(members)) for kind, members in sorted(fields.items())}
