"""A schema as a document: its parts by path, what its references mean, and which instances it takes.

Whether an instance is valid is asked of ``jsonschema`` and never worked out here, so that a counterexample proves what
it claims independently of the rules that led to it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, urldefrag, urljoin

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT7, DRAFT202012

from toolmint.compiler.dialects import DIALECTS, DRAFT_2020_12, Dialect, find_dialect
from toolmint.compiler.metaschema import metaschema_faults
from toolmint.diffing.patterns import matcher
from toolmint.manifest.positions import Path, pointer_of
from toolmint.manifest.references import Scope, descend, value_at

ANNOTATIONS = frozenset(
    (
        "$comment",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    )
)
"""Keywords that say something about a value and never refuse one (JSON Schema 2020-12 Validation, sections 8 and 9)."""

ASSERTIONS = frozenset(
    (
        "$dynamicRef",
        "$ref",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
    )
)
"""Keywords that can refuse a value, ``format`` among them since a server may assert it."""

_NOT_IN_DRAFT7 = frozenset(
    (
        "$dynamicRef",
        "dependentRequired",
        "dependentSchemas",
        "maxContains",
        "minContains",
        "prefixItems",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
_NOT_IN_2020_12 = frozenset(("additionalItems", "dependencies"))


class Unverifiable(Exception):
    """``jsonschema`` cannot say whether an instance is valid: a reference to nothing, an unbounded one, a pattern."""


class _Validator(Protocol):
    def iter_errors(self, instance: Any) -> Iterator[ValidationError]: ...


class Node(NamedTuple):
    """A subschema: a document and the path to it."""

    document: "Document"
    path: Path

    @property
    def value(self) -> Any:
        """The subschema as it is written."""
        return value_at(self.document.root, self.path)

    @property
    def keywords(self) -> Mapping[str, Any]:
        """The keywords that have a meaning in the dialect: none for a boolean schema, see ``Document.keywords``."""
        return self.document.keywords(self.path)

    @property
    def pointer(self) -> str:
        """The JSON pointer into the document."""
        return pointer_of(self.path)

    def below(self, *steps: str | int) -> "Node":
        """Return the subschema that some steps lead to."""
        return Node(self.document, self.path + steps)

    def target(self) -> "Node | None":
        """Return what ``$ref`` means; None where it means nothing that is at hand."""
        path = self.document.target(self.path)
        return None if path is None else Node(self.document, path)

    def refusals(self, instance: Any) -> frozenset[str]:
        """Return the keywords of this subschema, ``false`` for a boolean one, that refuse an instance.

        Raises:
            Unverifiable: It cannot be said.
        """
        return self.document.refusals(self.path, instance)

    def accepts(self, instance: Any) -> bool:
        """Return whether an instance is valid.

        Raises:
            Unverifiable: It cannot be said.
        """
        return not self.refusals(instance)


class Document:
    """One schema with everything it contains; identity is that of the object.

    Attributes:
        root: The schema; it is not changed and must not be.
        dialect: As ``$schema`` has it, 2020-12 where it is absent or not known.
        problem: Why the schema is none of its dialect, in one line; None where it is one.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        declared = root.get("$schema", DRAFT_2020_12) if isinstance(root, dict) else DRAFT_2020_12
        known = find_dialect(declared)
        self.dialect: Dialect = known or DIALECTS[DRAFT_2020_12]
        self._unknown = None if known else f"the dialect {declared!r} is not known here"
        self._validators: dict[Path, _Validator] = {}
        self._keywords: dict[Path, Mapping[str, Any]] = {}

    @property
    def node(self) -> Node:
        """The whole schema as a node."""
        return Node(self, ())

    @cached_property
    def problem(self) -> str | None:
        """Why the schema is none of its dialect."""
        if self._unknown:
            return self._unknown
        for path in self._reachable():
            schema = value_at(self.root, path)
            if isinstance(schema, bool):
                continue
            if not isinstance(schema, dict):
                return f"{pointer_of(path) or 'its root'} is no schema"
            for steps, message, *_ in metaschema_faults(schema, self.dialect):
                return f"{message} (at {pointer_of((*path, *steps)) or 'its root'})"
        return None

    def _reachable(self) -> Iterator[Path]:
        """Return the path of every subschema, those included that only a reference leads to."""
        pending: list[Path] = [()]
        seen = set(pending)
        while pending:
            path = pending.pop()
            yield path
            schema = value_at(self.root, path)
            if not isinstance(schema, dict):
                continue
            below = [path + steps for steps in subschemas(schema, self.dialect)]
            target = self.target(path) if isinstance(schema.get("$ref"), str) else None
            for found in [*below, target] if target is not None else below:
                if found not in seen:
                    seen.add(found)
                    pending.append(found)

    def keywords(self, path: Path) -> Mapping[str, Any]:
        """Return the keywords at a path that mean something in the dialect; ``$ref`` alone where it hides others."""
        if path not in self._keywords:
            value = value_at(self.root, path)
            if not isinstance(value, dict):
                value = {}
            elif "$ref" in value and self.dialect.ref_hides_siblings:
                value = {"$ref": value["$ref"]}
            unknown = _NOT_IN_DRAFT7 if self.dialect.ref_hides_siblings else _NOT_IN_2020_12
            self._keywords[path] = {name: item for name, item in value.items() if name not in unknown}
        return self._keywords[path]

    def target(self, path: Path) -> Path | None:
        """Return the path that the ``$ref`` of the subschema at a path leads to."""
        key = (*path, "$ref")
        scope = self._scope
        if key not in scope.references:
            scope.walk(path)
        if key not in scope.references:
            return None
        reference, resource = scope.references[key]
        if reference.startswith("#"):
            return scope.locate(resource, reference[1:])
        address, fragment = urldefrag(urljoin(scope.bases[resource], reference))
        return scope.locate(scope.resources[address], fragment) if address in scope.resources else None

    def exists(self, path: Path) -> bool:
        """Return whether a path leads anywhere."""
        return descend(self.root, path) is not None

    def refusals(self, path: Path, instance: Any) -> frozenset[str]:
        """Return the keywords of the subschema at a path that refuse an instance, see ``Node.refusals``."""
        validator = self._validators.get(path)
        if validator is None:
            schema = {"$ref": f"{_ADDRESS}#{quote(pointer_of(path))}"}
            validator = self._validators[path] = self._class(schema, registry=self._registry)
        try:
            errors = [error for whole in validator.iter_errors(instance) for error in whole.context or ()]
        except (Unresolvable, RecursionError, re.error, OverflowError) as error:
            raise Unverifiable(str(error) or type(error).__name__) from None
        return frozenset(
            str(error.relative_schema_path[0]) if error.relative_schema_path else "false" for error in errors
        )

    @cached_property
    def _scope(self) -> Scope:
        scope = Scope(self.root)
        scope.walk()
        return scope

    @cached_property
    def _class(self) -> Any:
        return _DRAFT7 if self.dialect.ref_hides_siblings else _DRAFT202012

    @cached_property
    def _registry(self) -> Registry[Any]:
        specification = DRAFT7 if self.dialect.ref_hides_siblings else DRAFT202012
        empty: Registry[Any] = Registry()
        registry: Registry[Any] = empty.with_resource(_ADDRESS, specification.create_resource(self.root))
        return registry


def subschemas(schema: Mapping[str, Any], dialect: Dialect) -> Iterator[Path]:
    """Return the steps from a schema to each of its subschemas, as its dialect has them."""
    for keyword, value in schema.items():
        if keyword in dialect.named and isinstance(value, dict):
            # In draft-07 a dependency may also be a list of names.
            yield from ((keyword, name) for name, part in value.items() if not isinstance(part, list))
        elif keyword in dialect.many and isinstance(value, list):
            yield from ((keyword, index) for index in range(len(value)))
        elif keyword in dialect.one and (keyword != "items" or not isinstance(value, list)):
            yield (keyword,)


_ADDRESS = "urn:toolmint:schema"


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """Assert ``pattern`` in the dialect JSON Schema means, ECMA-262, where ``jsonschema`` takes it for Python's."""
    if isinstance(instance, str):
        compiled = matcher(pattern)
        if compiled is None:
            raise Unverifiable(f"the pattern {pattern!r} has no faithful translation")
        if not compiled.search(instance):
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _reference(validator: Any, reference: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Assert ``$ref`` and say that it was the reference, where ``jsonschema`` names only what refused at its end."""
    errors = list(Draft202012Validator.VALIDATORS["$ref"](validator, reference, instance, schema))
    if errors:
        yield ValidationError("is refused by what the reference means", context=errors, schema_path=("$ref",))


_extend: Callable[..., Any] = extend
_DRAFT7 = _extend(Draft7Validator, {"pattern": _pattern, "$ref": _reference})
_DRAFT202012 = _extend(Draft202012Validator, {"pattern": _pattern, "$ref": _reference})


def identity(value: Any) -> Any:
    """Return a hashable stand-in that is equal for equal JSON values: 1 is 1.0 and is not true."""
    match value:
        case bool():
            return bool, value
        case int() | float():
            return "number", value
        case list():
            return list, tuple(map(identity, value))
        case dict():
            return dict, frozenset((name, identity(item)) for name, item in value.items())
        case _:
            return value


def accepted_by_all(nodes: Iterable[Node], instance: Any) -> bool:
    """Return whether an instance is valid under every one of some schemas.

    Raises:
        Unverifiable: It cannot be said.
    """
    return all(node.accepts(instance) for node in nodes)


class Equivalence:
    """Says whether subschemas are written alike, annotations aside and references followed."""

    def __init__(self) -> None:
        self._assumed: set[tuple[Node, Node]] = set()

    def same(self, one: Node, other: Node) -> bool:
        """Return whether two subschemas mean the same because they read the same."""
        outermost = not self._assumed
        try:
            return self._same(one, other)
        finally:
            if outermost:
                self._assumed.clear()

    def _same(self, one: Node, other: Node) -> bool:
        # A pair that is met again inside itself is taken for equal: a difference would show elsewhere (coinduction).
        if one == other or (one, other) in self._assumed:
            return True
        self._assumed.add((one, other))
        if isinstance(one.value, bool) or isinstance(other.value, bool):
            return one.value is other.value
        left, right = _counting(one), _counting(other)
        if left.keys() != right.keys() or one.document.dialect != other.document.dialect:
            return False
        return all(self._keyword(name, one, other) for name in left)

    def _keyword(self, name: str, one: Node, other: Node) -> bool:
        left, right = one.keywords[name], other.keywords[name]
        if name == "$ref":
            ours, theirs = one.target(), other.target()
            return ours is not None and theirs is not None and self._same(ours, theirs)
        dialect = one.document.dialect
        if name in dialect.named and isinstance(left, dict) and isinstance(right, dict):
            return left.keys() == right.keys() and all(self._part(one, other, name, key) for key in left)
        if name in dialect.many and isinstance(left, list) and isinstance(right, list):
            return len(left) == len(right) and all(self._part(one, other, name, index) for index in range(len(left)))
        if name in dialect.one:
            return self._part(one, other, name)
        return bool(identity(left) == identity(right))

    def _part(self, one: Node, other: Node, *steps: str | int) -> bool:
        ours, theirs = one.below(*steps), other.below(*steps)
        if isinstance(ours.value, dict | bool) and isinstance(theirs.value, dict | bool):
            return self._same(ours, theirs)
        return bool(identity(ours.value) == identity(theirs.value))


def _counting(node: Node) -> Mapping[str, Any]:
    return {name: value for name, value in node.keywords.items() if name in ASSERTIONS}
