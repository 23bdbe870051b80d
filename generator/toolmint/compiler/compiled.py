"""The compiler's two entry points."""

from dataclasses import dataclass
from typing import Any

from .check import check_entry, check_function
from .dialects import DRAFT_2020_12
from .errors import SchemaError
from .explain import explain_entry, explain_function
from .module import Module
from .resolve import Document, build

Schema = dict[str, Any] | bool
"""A schema as ``json.loads`` gives it."""

_EMITTERS = {"is_valid": check_function, "explain": explain_function}


@dataclass(frozen=True)
class CompiledSchema:
    """The source of one schema's validators.

    Attributes:
        body: top-level Python source, constants and functions; every name starts with the prefix, or with an
            underscore and the prefix.
        support: names to import from ``runtime.validation``.
        modules: standard library modules to import.
    """

    body: str
    support: frozenset[str]
    modules: frozenset[str]


def compile_schema(
    schema: Schema, *, prefix: str, default_dialect: str = DRAFT_2020_12, assert_formats: bool = False
) -> CompiledSchema:
    """Compile a schema into the source of ``{prefix}_is_valid`` and ``{prefix}_violations``.

    Raises:
        SchemaError: the first of what ``check_schema`` would list.
    """
    document = Document(schema, default_dialect)
    if document.errors:
        raise document.errors[0]
    module = Module(build(document, assert_formats=assert_formats), prefix)
    entries = ["\n".join(check_entry(module)), "\n".join(explain_entry(module))]
    functions: list[str] = []
    while module.pending:
        kind, node = module.pending.popleft()
        functions.append("\n".join(_EMITTERS[kind](module, node)))
    body = "\n\n\n".join(["\n".join(module.constants), *entries, *functions]).strip() + "\n"
    return CompiledSchema(body, frozenset(module.support), frozenset(module.modules))


def check_schema(schema: object, *, default_dialect: str = DRAFT_2020_12) -> list[SchemaError]:
    """Everything that makes a schema unusable, in the order of the document; empty if it can be compiled."""
    document = Document(schema, default_dialect)
    if not document.errors:
        try:
            build(document)
        except SchemaError as error:
            return [error]
    return document.errors
