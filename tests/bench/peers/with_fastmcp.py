"""The two tools of demo_tools, served by FastMCP."""

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

server: FastMCP[None] = FastMCP("demo_tools")


@server.tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@server.tool
def divide(a: float, b: float) -> float:
    """Divide one number by another."""
    if b == 0:
        raise ToolError(f"{a} cannot be divided by zero: pass another b")
    return a / b


server.run(transport="stdio", show_banner=False)
