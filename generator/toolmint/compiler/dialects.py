"""The two dialects of JSON Schema, and where each of them keeps its subschemas.

A subschema is only looked for under a keyword its dialect defines: an ``$id`` inside an ``enum`` or under an unknown
keyword names nothing (JSON Schema Core 2020-12, section 9.4.2).
"""

from dataclasses import dataclass

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between dialects before any keyword is compiled.

    Attributes:
        uri: the metaschema's identifier, without a fragment.
        one: keywords whose value is one schema.
        many: keywords whose value is an array of schemas.
        named: keywords whose value is an object of schemas.
    """

    uri: str
    one: frozenset[str]
    many: frozenset[str]
    named: frozenset[str]

    @property
    def ref_hides_siblings(self) -> bool:
        """Whether ``$ref`` makes every keyword beside it mean nothing (draft-07 Core, section 8.3)."""
        return self.uri == DRAFT_07


_BOTH_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_BOTH_MANY = ("allOf", "anyOf", "oneOf")
_BOTH_NAMED = ("definitions", "patternProperties", "properties")

DIALECTS = {
    DRAFT_2020_12: Dialect(
        DRAFT_2020_12,
        frozenset({*_BOTH_ONE, "contentSchema", "unevaluatedItems", "unevaluatedProperties"}),
        frozenset({*_BOTH_MANY, "prefixItems"}),
        frozenset({*_BOTH_NAMED, "$defs", "dependentSchemas"}),
    ),
    DRAFT_07: Dialect(
        DRAFT_07,
        frozenset({*_BOTH_ONE, "additionalItems"}),
        frozenset({*_BOTH_MANY, "items"}),
        frozenset({*_BOTH_NAMED, "dependencies"}),
    ),
}
"""The supported dialects, by ``$schema`` without an empty fragment."""


def find_dialect(uri: object) -> Dialect | None:
    """Return the dialect a ``$schema`` value names, with or without an empty fragment; None for any other."""
    return DIALECTS.get(uri.removesuffix("#")) if isinstance(uri, str) else None
