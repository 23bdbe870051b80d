"""The two tools of demo_tools, served by the official Python SDK."""

from mcp.server import MCPServer

server = MCPServer("demo_tools")


@server.tool()
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@server.tool()
def divide(a: float, b: float) -> float:
    """Divide one number by another."""
    if b == 0:
        raise ValueError(f"{a} cannot be divided by zero: pass another b")
    return a / b


server.run("stdio")
