"""JSON pointers (RFC 6901)."""


def escape(token: str) -> str:
    """Return a property name as a JSON pointer's reference token (RFC 6901, section 3)."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Return the property name a JSON pointer's reference token stands for."""
    return token.replace("~1", "/").replace("~0", "~")
