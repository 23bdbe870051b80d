"""What a server's list of tools costs a host: it stands in the model's context on every turn."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolmint.manifest import Manifest
from toolmint.manifest.wording import shown
from toolmint.review.contract import Contract, Finding, entry_path

LIST_TOKENS = 20_000
"""The budget for a whole list where the manifest sets none: a tenth of a common context."""

TOOL_TOKENS = 2_000
"""The most tokens of one tool."""

# Encodings of byte pairs have most English words whole, digits in threes, and punctuation in runs.
_PIECES = re.compile(r"[A-Za-z]{1,8}|[0-9]{1,3}|[^\x00-\x7f]|[^\sA-Za-z0-9\x80-\U0010ffff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSize:
    """What hosts put in front of a model for a list of tools.

    Attributes:
        characters: Length of the names, descriptions and input schemas as compact JSON.
        tokens: Estimate of the tokens in them, see ``estimate_tokens``.
        tools: The estimate for each tool, by its name, in the manifest's order.
    """

    characters: int
    tokens: int
    tools: Mapping[str, int]


def context_size(manifest: Manifest) -> ContextSize:
    """Return what a manifest's tools cost in context."""
    texts = {
        tool.name: json.dumps(
            {"name": tool.name, "description": tool.description or "", "inputSchema": tool.input_schema},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for tool in manifest.tools
    }
    tools = {name: estimate_tokens(text) for name, text in texts.items()}
    return ContextSize(characters=sum(map(len, texts.values())), tokens=sum(tools.values()), tools=tools)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text is, without any model's vocabulary.

    Held against the o200k encoding over some two thousand published tools, the sum is right to a percent, a server's
    to a tenth. Text in other scripts than Latin comes out high.
    """
    return len(_PIECES.findall(text))


def over_budget(contract: Contract, budget: int | None) -> Iterator[Finding]:
    """Neither the list nor any tool takes more context than a host can be expected to spend."""
    size = context_size(contract.manifest)
    limit = LIST_TOKENS if budget is None else budget
    whose = "a common budget" if budget is None else "the manifest's budget"
    if size.tokens > limit:
        largest = sorted(size.tools, key=lambda name: -size.tools[name])[:3]
        named = ", ".join(f"{shown(name)} ({size.tools[name]:,})" for name in largest)
        yield Finding(
            code="list-size",
            path=("tools",),
            message=f"the tools take about {size.tokens:,} tokens ({size.characters:,} characters) of every"
            f" conversation's context; {whose} is {limit:,}; the largest are {named}",
            hint="shorten descriptions and schemas, split the server, or set x-toolmint.contextBudget at the top",
            key=True,
        )
    for tool in contract.manifest.tools:
        tokens = size.tools[tool.name]
        if tokens > min(TOOL_TOKENS, limit):
            yield Finding(
                code="tool-size",
                path=entry_path(tool.pointer),
                message=f"{shown(tool.name)} alone takes about {tokens:,} tokens of every conversation's context",
                hint="shorten its description and schema; make large nested input one text, or several tools",
            )
