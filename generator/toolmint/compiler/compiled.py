"""The compiler's two entry points."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .check import check_entry, check_function
from .destringify import Mending
from .dialects import DRAFT_2020_12
from .errors import SchemaError
from .evaluated import refuse_oversized
from .explain import explain_entry, explain_function
from .model import Node
from .module import Module
from .resolve import Document, build

Emitter = Callable[[Node], list[str]]
Schema = dict[str, Any] | bool
"""A schema as ``json.loads`` gives it."""


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
    schema: Schema,
    *,
    prefix: str,
    default_dialect: str = DRAFT_2020_12,
    assert_formats: bool = False,
    destringify: bool = False,
    explain: bool = True,
) -> CompiledSchema:
    """Compile a schema into Python functions.

    ``{prefix}_is_valid(value) -> bool`` and ``{prefix}_violations(value) -> list[Violation]`` agree on every value made
    of exact JSON types. ``{prefix}_destringified(value) -> object``, on request, mends an invalid value in which JSON
    text stands where only an array or object can be. The source expects ``Any`` from ``typing`` to be in scope.

    Args:
        schema: the schema, as ``json.loads`` gives it.
        prefix: what every name begins with, a lower-case identifier.
        default_dialect: the metaschema of a schema without ``$schema``.
        assert_formats: whether ``format`` is checked where the format is one of the known ones.
        destringify: whether the third function is wanted.
        explain: whether the second one is.

    Raises:
        SchemaError: the first of what ``check_schema`` would list.
    """
    if not prefix.isidentifier() or not prefix.isascii():
        raise ValueError(f"the prefix {prefix!r} is no ASCII identifier")
    document = Document(schema, default_dialect)
    if document.errors:
        raise document.errors[0]
    module = Module(_model(document, assert_formats=assert_formats), prefix)
    entries = [check_entry(module), *([explain_entry(module)] if explain else [])]
    emitters: dict[str, Emitter] = {
        "is_valid": partial(check_function, module),
        "explain": partial(explain_function, module),
    }
    if destringify:
        mending = Mending(module)
        entries.append(mending.entry())
        emitters["destringified"] = mending.function
    functions: list[list[str]] = []
    while module.pending:
        kind, node = module.pending.popleft()
        functions.append(emitters[kind](node))
    parts = ["\n".join(lines) for lines in [module.constants, *entries, *functions] if lines]
    body = "\n\n\n".join(parts) + "\n"
    return CompiledSchema(body, frozenset(module.support), frozenset(module.modules))


def check_schema(schema: object, *, default_dialect: str = DRAFT_2020_12) -> list[SchemaError]:
    """List everything that makes a schema unusable, in the order of the document; nothing if it can be compiled."""
    document = Document(schema, default_dialect)
    if not document.errors:
        try:
            _model(document, assert_formats=True)
        except SchemaError as error:
            return [error]
    return document.errors


def _model(document: Document, *, assert_formats: bool) -> Node:
    root = build(document, assert_formats=assert_formats)
    refuse_oversized(root)
    return root
