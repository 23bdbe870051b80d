"""Names, and how many there are."""

import re
from collections.abc import Iterator

from toolmint.manifest.wording import shown
from toolmint.review.contract import Contract, Finding, entry_path

MANY_TOOLS = 40
"""The most tools of one server that hosts and models are known to cope with."""


def similar_names(contract: Contract) -> Iterator[Finding]:
    """Tools are told apart by more than case and separators."""
    seen: dict[str, str] = {}
    for tool in contract.manifest.tools:
        folded = re.sub(r"[-_.]", "", tool.name).lower()
        first = seen.setdefault(folded, tool.name)
        if first != tool.name:
            yield Finding(
                code="similar-names",
                path=(*entry_path(tool.pointer), "name"),
                message=f"{shown(tool.name)} and {shown(first)} differ in case or separators only; models mix them up",
                hint="rename one of them after what it does differently, or make them one tool",
            )


def dotted_names(contract: Contract) -> Iterator[Finding]:
    """A tool's name has no dot: the protocol allows it, the large model APIs do not."""
    for tool in contract.manifest.tools:
        if "." in tool.name:
            yield Finding(
                code="dotted-name",
                path=(*entry_path(tool.pointer), "name"),
                message=f"several model APIs refuse the dot in the tool name {shown(tool.name)}",
                hint=f"write {shown(tool.name.replace('.', '_'))}, and keep the old name in x-toolmint.aliases",
            )


def many_tools(contract: Contract) -> Iterator[Finding]:
    """A server has no more tools than a model can choose from."""
    count = len(contract.manifest.tools)
    if count > MANY_TOOLS:
        yield Finding(
            code="many-tools",
            path=("tools",),
            message=f"{count} tools; some hosts cut the list at {MANY_TOOLS}, and models choose worse from long ones",
            hint="merge tools that differ in one argument, or split the server",
            key=True,
        )
