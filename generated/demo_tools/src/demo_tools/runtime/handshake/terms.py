# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What a revision of the handshake era knows, and how a modern value is said in it.

All that differs between those revisions is data, which the generated module ``handshake`` makes of their definitions.
"""

from __future__ import annotations

from ..jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_CONTAINER = "resource"
"""The kind of content that every revision has and that can hold any bytes."""


class Terms:
    """One revision.

    Args:
        checks: The module of ``validators`` that checks its requests.
        methods: For each request that is answered: the prefix of its check, the members of its params that are known,
            and the shape of its result.
        asked: For each request that a client can be asked: the module of ``validators`` that checks what is answered,
            and the shape of its params.
        notifications: For each notification that is sent, the shape of its params.
        shapes: For each shape, its members and the shape of each; the empty name for a value that goes as it is.
        unions: For each shape that is one of several by its ``type``, which.
        errors: The error codes by their names.
        batches: Whether a line may hold an array of messages.
        block_lists: Whether a message for the client's model may have several blocks of content.
        form_fields: For each kind of field that a form can have, its members.
    """

    def __init__(
        self,
        *,
        checks: str,
        methods: Mapping[str, tuple[str, tuple[str, ...], str]],
        asked: Mapping[str, tuple[str, str]],
        notifications: Mapping[str, str],
        shapes: Mapping[str, Mapping[str, str]],
        unions: Mapping[str, Mapping[str, str]],
        errors: Mapping[str, int],
        batches: bool,
        block_lists: bool,
        form_fields: Mapping[str, tuple[str, ...]],
    ) -> None:
        """Hold a revision; the generated module does this."""
        self.checks = checks
        self.methods = methods
        self.asked = asked
        self.notifications = notifications
        self.shapes = shapes
        self.unions = unions
        self.errors = errors
        self.batches = batches
        self.block_lists = block_lists
        self.form_fields = form_fields

    def say(self, value: Any, shape: str) -> Any:
        """Return a value as this revision has it: members that it does not know are left out.

        Args:
            value: A JSON value of the modern era; it is not changed.
            shape: The name of the shape that it must have. What an array holds has the array's shape.
        """
        if not shape:
            return value
        if type(value) is list:
            return [self.say(item, shape) for item in value]
        if type(value) is not dict:
            return value
        kinds = self.unions.get(shape)
        if kinds is not None:
            type_ = value.get("type")
            if type(type_) is not str:  # nothing that could be sent, as its check will say
                return value
            if type_ not in kinds:
                value = replacement(value, kinds)
            shape = kinds[value["type"]]
        members = self.shapes[shape]
        said = {key: self.say(item, members[key]) for key, item in value.items() if key in members}
        if shape == "Tool":
            _restrict(said)
        return said

    def knows(self, shape: str, member: str) -> bool:
        """Say whether a shape has a member."""
        return member in self.shapes.get(shape, ())

    def capabilities(self, declared: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a client can be asked for: parts of a capability mean nothing where the revision has none."""
        whole = {name for name in map(_capability_of, self.asked) if not self.shapes["ClientCapabilities"].get(name)}
        return {name: {} if name in whole else parts for name, parts in declared.items()}

    def lacks(self, method: str, params: Mapping[str, Any]) -> bool:
        """Say whether the revision has no such request to the client, or none with such params."""
        _, shape = self.asked.get(method, ("", ""))
        members = self.shapes[shape].keys() if shape else ()
        return method not in self.asked or not params.keys() <= {"mode", *members}

    def needs(self, needed: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return capabilities that a request needs without the parts that the revision does not know."""
        known = self.shapes["ClientCapabilities"]
        return {name: parts if known.get(name) else {} for name, parts in needed.items()}


def _capability_of(method: str) -> str:
    return method.partition("/")[0]


def replacement(block: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return content that stands for a block of a kind that a revision does not know.

    Args:
        block: The content block.
        kinds: The kinds that there are.
    """
    kind = block["type"]
    if "data" in block and _CONTAINER in kinds:
        from hashlib import sha256

        uri = f"resource:///{sha256(block['data'].encode()).hexdigest()[:16]}"
        resource = {"uri": uri, "mimeType": block["mimeType"], "blob": block["data"]}
        return {**block, "type": _CONTAINER, "resource": resource}
    if kind == "resource_link":
        text = f"{block.get('title') or block['name']}: {block['uri']}"
        text += f" ({block['mimeType']})" if "mimeType" in block else ""
        text += f"\n{block['description']}" if block.get("description") else ""
    elif "data" in block:
        text = f"[{kind}: {block['mimeType']}]"
    else:
        text = encode(block)
    return {**block, "type": "text", "text": text}


def _restrict(tool: dict[str, Any]) -> None:
    """Keep the schemas of a tool to what all these revisions have: objects, each of whose properties has a schema."""
    output = tool.get("outputSchema")
    if output is not None and output.get("type") != "object":
        if _refers_to_object(output):
            tool["outputSchema"] = {"type": "object", **output}
        else:
            del tool["outputSchema"]
    for key in ("inputSchema", "outputSchema"):
        schema = tool.get(key)
        if schema is not None and not all(type(part) is dict for part in schema.get("properties", {}).values()):
            properties = {name: _as_object(part) for name, part in schema["properties"].items()}
            tool[key] = {**schema, "properties": properties}


def _refers_to_object(schema: Mapping[str, Any]) -> bool:
    """Say whether a schema does nothing but refer to one for objects, among its own definitions."""
    found: Any = schema
    for _ in range(len(schema.get("$defs", ()))):
        reference = found.get("$ref", "")
        found = schema["$defs"].get(reference.removeprefix("#/$defs/"))
        if type(found) is not dict or not reference.startswith("#/$defs/"):
            return False
        if found.get("type") == "object":
            return True
    return False


def _as_object(schema: Any) -> dict[str, Any]:
    if type(schema) is dict:
        return schema
    return {} if schema else {"not": {}}
