"""The formats that can be asserted; any other stays an annotation (JSON Schema Validation 2020-12, section 7)."""

FORMATS = frozenset(
    {
        "date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "json-pointer", "regex", "time", "uri",
        "uri-reference", "uuid",
    }
)  # fmt: skip
"""What ``fits_format`` of runtime.validation knows."""
