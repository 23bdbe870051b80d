"""The two tools of demo_tools, served by zeromcp."""

from typing import Annotated

from zeromcp import McpServer, McpToolError

server = McpServer("demo_tools")


@server.tool
def add(a: Annotated[float, "The first summand."], b: Annotated[float, "The second summand."]) -> float:
    """Add two numbers."""
    return a + b


@server.tool
def divide(a: Annotated[float, "What is divided."], b: Annotated[float, "What it is divided by; not zero."]) -> float:
    """Divide one number by another."""
    if b == 0:
        raise McpToolError(f"{a} cannot be divided by zero: pass another b")
    return a / b


server.stdio()
