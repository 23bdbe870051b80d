"""Descriptions: that there is one, of a readable length, for every tool its own."""

from collections.abc import Iterator
from typing import Any

from toolmint.manifest.wording import shown
from toolmint.review.contract import Contract, Finding, SchemaUnderReview, entry_path

LONGEST_DESCRIPTION = 1024
"""The longest description of a tool that every large model API takes whole, in characters."""

_SHOWN_NAMES = 6


def missing(contract: Contract) -> Iterator[Finding]:
    """Prompts and resource templates say what they are for; tools without a description are found on loading."""
    for prompt in contract.manifest.prompts:
        if not (prompt.description or "").strip():
            yield _missing(f"the prompt {shown(prompt.name)}", "a user picks it from a menu by that", prompt.pointer)
    for template in contract.manifest.resource_templates:
        if not (template.description or "").strip():
            what = f"the resource template {shown(template.name)}"
            yield _missing(what, "nothing else says what its variables stand for", template.pointer)


def _missing(what: str, why: str, pointer: str) -> Finding:
    return Finding(
        code="no-description",
        path=entry_path(pointer),
        message=f"{what} has no description; {why}",
        hint="say what it gives and when to use it",
    )


def long(contract: Contract) -> Iterator[Finding]:
    """A tool's description is short enough for every host."""
    for tool in contract.manifest.tools:
        length = len(tool.description or "")
        if length > LONGEST_DESCRIPTION:
            yield Finding(
                code="long-description",
                path=(*entry_path(tool.pointer), "description"),
                message=f"the description is {length:,} characters long; some hosts cut or refuse more than"
                f" {LONGEST_DESCRIPTION:,}",
                hint="say what the tool does and when; move details to the parameters, or to a resource or prompt",
                key=True,
            )


def repeated(contract: Contract) -> Iterator[Finding]:
    """No two tools have the same description."""
    seen: dict[str, str] = {}
    for tool in contract.manifest.tools:
        text = " ".join((tool.description or "").split()).lower()
        first = seen.setdefault(text, tool.name)
        if text and first != tool.name:
            yield Finding(
                code="repeated-description",
                path=(*entry_path(tool.pointer), "description"),
                message=f"{shown(tool.name)} has the same description as {shown(first)}; a model cannot choose by it",
                hint="say when to use this one and when the other",
                key=True,
            )


def parameters(contract: Contract) -> Iterator[Finding]:
    """Every parameter of a tool, and every argument of a prompt, says what to put there."""
    for schema in contract.inputs:
        tool = schema.tool
        properties = schema.root.get("properties")
        if tool is None or not isinstance(properties, dict):
            continue
        bare = [name for name, value in properties.items() if not _is_described(schema, value)]
        if bare:
            yield _undescribed(
                f"{len(bare)} of {len(properties)} parameters of {shown(tool.name)}",
                bare,
                (*schema.path, "properties", bare[0]),
            )
    for prompt in contract.manifest.prompts:
        arguments = prompt.arguments or ()
        bare = [argument.name for argument in arguments if not (argument.description or "").strip()]
        if bare:
            first = next(index for index, argument in enumerate(arguments) if argument.name == bare[0])
            path = (*entry_path(prompt.pointer), "arguments", first)
            yield _undescribed(f"{len(bare)} of {len(arguments)} arguments of {shown(prompt.name)}", bare, path)


def _undescribed(what: str, names: list[str], path: tuple[str | int, ...]) -> Finding:
    listed = ", ".join(map(shown, names[:_SHOWN_NAMES]))
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return Finding(
        code="undescribed-parameter",
        path=path,
        message=f"{what} {'has' if len(names) == 1 else 'have'} no description: {listed}{more}",
        hint="say what to put there: meaning, form, unit, an example",
        key=True,
    )


def _is_described(schema: SchemaUnderReview, value: Any, depth: int = 3) -> bool:
    """Say whether a property's schema, what it refers to, or one of its alternatives has a description."""
    if not isinstance(value, dict) or not depth:
        return False
    if isinstance(value.get("description"), str) and value["description"].strip():
        return True
    target = schema.resolve(value)
    if target is not value and _is_described(schema, target, depth - 1):
        return True
    return any(
        _is_described(schema, branch, depth - 1)
        for keyword in ("anyOf", "oneOf", "allOf")
        if isinstance(value.get(keyword), list)
        for branch in value[keyword]
    )
