"""Valid values of a schema, made from the schema; not always valid, so the caller checks."""

from typing import Any

from toolmint.models.references import Document


def samples(schema: Any) -> list[Any]:
    """Return a value with everything in it and one with only what is required."""
    document = Document(schema)
    return [_sample(schema, document, everything, 0) for everything in (True, False)]


def _sample(node: Any, document: Document, everything: bool, depth: int) -> Any:
    if not isinstance(node, dict):
        return {"any": [1, "x", None]}
    if "$ref" in node:
        found = document.resolve(node["$ref"])
        return _sample(found[1], document, everything and depth < 6, depth + 1) if found else None
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return node["enum"][-1]
    for keyword in ("anyOf", "oneOf"):
        if node.get(keyword) and "properties" not in node:
            branches = node[keyword]
            return _sample(branches[0 if everything else -1], document, everything, depth + 1)
    if "allOf" in node and "properties" not in node:
        parts = [_sample(part, document, everything, depth + 1) for part in node["allOf"]]
        return {key: value for part in parts for key, value in part.items()} if isinstance(parts[0], dict) else parts[0]
    kinds = node.get("type", "object" if "properties" in node else None)
    kind = kinds if isinstance(kinds, str) else kinds[0 if everything else -1] if kinds else None
    match kind:
        case "object":
            return _object(node, document, everything, depth)
        case "array":
            prefix = [_sample(item, document, everything, depth + 1) for item in node.get("prefixItems", [])]
            count = max(node.get("minItems", 0), 2 if everything and not prefix and depth < 8 else 0)
            item = node.get("items", True)
            if isinstance(item, list):
                return [_sample(one, document, everything, depth + 1) for one in item]
            return (
                prefix or [_sample(item, document, everything, depth + 1) for _ in range(count)][: node.get("maxItems")]
            )
        case "string":
            text = _STRINGS.get(node.get("format", ""), "text")
            return text.ljust(node.get("minLength", 0), "x")[: node.get("maxLength")]
        case "integer" | "number":
            least = node.get("minimum", node.get("exclusiveMinimum", -1) + 1)
            return float(least) if everything and kind == "integer" else least
        case "boolean":
            return everything
        case "null":
            return None
        case _:
            return {"any": 1.5}


def _object(node: dict[str, Any], document: Document, everything: bool, depth: int) -> dict[str, Any]:
    required = node.get("required", [])
    value = {
        name: _sample(child, document, everything, depth + 1)
        for name, child in node.get("properties", {}).items()
        if name in required or (everything and depth < 8)
    }
    value |= {name: "text" for name in required if name not in value}
    extra = node.get("additionalProperties")
    if everything and extra not in (None, False):
        value["another one"] = _sample(extra, document, everything, depth + 1)
    return value


_STRINGS = {
    "date": "2026-07-28",
    "date-time": "2026-07-28T10:00:00Z",
    "email": "somebody@example.org",
    "uri": "https://example.org/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}
