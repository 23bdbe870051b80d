"""toolmint: a compiler that turns one ``tools.yaml`` into a complete Python MCP server package."""

__version__ = "0.1.0"
