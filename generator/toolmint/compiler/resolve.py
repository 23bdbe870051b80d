"""From a schema document to its model: where every subschema is, what it is called, and where references lead.

Loading happens in two steps. ``Document`` walks the subschemas once and notes base URIs, anchors and dialects, and
everything that makes the document unusable. ``build`` then follows references from the root and gives the nodes the
emitters read. A ``$dynamicRef`` is decided here too: the resources passed on the way from the root are known, so each
schema becomes one node for every outcome (JSON Schema Core 2020-12, section 8.2.3.2).
"""

import difflib
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from .dialects import DIALECTS, DRAFT_07, DRAFT_2020_12, Dialect, find_dialect
from .errors import SchemaError
from .formats import FORMATS
from .metaschema import bundled, metaschema_faults
from .model import Arrays, Node, Numbers, Objects, Strings, reachable
from .patterns import PatternError, translate
from .pointers import escape, unescape

MAX_DEPTH = 128
"""Most levels of arrays and objects a schema document may nest."""

MAX_SUBSCHEMAS = 50_000
"""Most schemas one compilation may come to, counting one for each outcome of ``$dynamicRef``."""

MAX_IN_PLACE = 64
"""Most schemas that may apply to one instance by a chain of references, ``allOf`` and the like."""

MAX_APPLIED = 10_000
"""Most schemas that may apply to one instance, each counted as often as it is reached."""

Environment = tuple[tuple[str, "Place"], ...]
"""Dynamic anchors in force, sorted by name: the outermost schema that defines each."""


@dataclass(slots=True, eq=False)
class Resource:
    """A schema with an identifier of its own: a document's root, or an embedded ``$id``.

    Attributes:
        uri: absolute where the document says so, else relative; never with a fragment.
        root: its outermost schema.
        dialect: what its keywords mean.
        anchors: its plain-name fragments.
        dynamic: those of them that ``$dynamicAnchor`` made.
    """

    uri: str
    root: "Place"
    dialect: Dialect
    anchors: dict[str, "Place"] = field(default_factory=dict)
    dynamic: dict[str, "Place"] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Place:
    """One subschema in its document: ``document`` is "" for the one being compiled, else a metaschema's URI."""

    document: str
    pointer: str
    schema: dict[str, Any] | bool
    resource: Resource = field(init=False)


class Document:
    """The subschemas of a schema document, and of the metaschemas it refers to."""

    def __init__(self, schema: Any, default_dialect: str) -> None:
        """Walk the document; what is wrong with it is collected in ``errors``, in the order of the document."""
        self.errors: list[SchemaError] = []
        self._raw: dict[str, Any] = {"": schema}
        self._places: dict[tuple[str, str], Place] = {}
        self._resources: dict[str, Resource] = {}
        if not isinstance(schema, dict | bool):
            self.errors.append(
                SchemaError(
                    "", f"a schema is an object or a boolean, this is {_json_type(schema)}", "write {} for anything"
                )
            )
        elif no_json := list(_no_json(schema)):
            self.errors += no_json
        else:
            dialect = find_dialect(default_dialect)
            if dialect is None:
                raise ValueError(f"default_dialect is {default_dialect!r}, expected one of {', '.join(DIALECTS)}")
            self._index("", "", schema, None, dialect)
            for place in [*self._places.values()]:
                self.errors.extend(self._faults(place))

    @property
    def root(self) -> Place:
        """The outermost schema; only where there are no errors."""
        return self._places["", ""]

    def below(self, place: Place, path: str) -> Place:
        """Return a subschema of a subschema, by the pointer from the one to the other without its first slash."""
        return self._places[place.document, f"{place.pointer}/{path}"]

    # -- walking -----------------------------------------------------------------------------------------------------

    def _index(self, document: str, pointer: str, schema: Any, parent: Resource | None, dialect: Dialect) -> None:
        stack: list[tuple[str, Any, Resource | None]] = [(pointer, schema, parent)]
        while stack:
            pointer, schema, parent = stack.pop()
            if not isinstance(schema, dict | bool) or (document, pointer) in self._places:
                continue
            if len(self._places) >= MAX_SUBSCHEMAS:
                self._fail(document, pointer, f"more than {MAX_SUBSCHEMAS} subschemas", "split the tool")
                return
            place = Place(document, pointer, schema)
            place.resource = self._resource_of(place, parent, dialect)
            self._places[document, pointer] = place
            if isinstance(schema, dict):
                children = list(_subschemas(schema, place.resource.dialect))
                stack.extend((f"{pointer}/{path}", child, place.resource) for path, child in reversed(children))

    def _resource_of(self, place: Place, parent: Resource | None, default: Dialect) -> Resource:
        """Return the resource a schema belongs to, made if it starts one; its anchors are entered."""
        schema = place.schema if isinstance(place.schema, dict) else {}
        dialect = parent.dialect if parent else default
        identifier = schema.get("$id")
        if "$schema" in schema and (parent is None or isinstance(identifier, str)):
            named = find_dialect(schema["$schema"])
            if named is None:
                self._fail(
                    place.document,
                    f"{place.pointer}/$schema",
                    f"the dialect {schema['$schema']!r} is not supported",
                    f"supported are {DRAFT_2020_12} and {DRAFT_07}#",
                )
            dialect = named or dialect
        hidden = dialect.ref_hides_siblings and "$ref" in schema
        if not isinstance(identifier, str) or hidden:
            identifier = ""
        uri, _, fragment = identifier.partition("#")
        resource = parent
        if resource is None or uri:
            absolute = _join(parent.uri if parent else place.document, uri)
            resource = Resource(absolute, place, dialect)
            if self._resources.setdefault(absolute, resource) is not resource:
                self._fail(place.document, f"{place.pointer}/$id", f"the $id {absolute!r} is used twice", "rename one")
        if dialect.uri == DRAFT_07:
            if fragment and not hidden:
                self._enter(resource.anchors, fragment, place, "$id")
        else:
            for keyword, tables in (
                ("$anchor", (resource.anchors,)),
                ("$dynamicAnchor", (resource.anchors, resource.dynamic)),
            ):
                if isinstance(name := schema.get(keyword), str):
                    for table in tables:
                        self._enter(table, name, place, keyword)
        return resource

    def _enter(self, table: dict[str, Place], name: str, place: Place, keyword: str) -> None:
        if table.setdefault(name, place) is not place:
            self._fail(place.document, f"{place.pointer}/{keyword}", f"the anchor {name!r} is used twice", "rename one")

    def _fail(self, document: str, pointer: str, message: str, hint: str) -> None:
        if not document:
            self.errors.append(SchemaError(pointer, message, hint))

    # -- what is wrong with one subschema ----------------------------------------------------------------------------

    def _faults(self, place: Place) -> Iterator[SchemaError]:
        schema, dialect = place.schema, place.resource.dialect
        if isinstance(schema, bool):
            return
        faults = list(metaschema_faults(schema, dialect))
        for path, message, hint in faults:
            yield SchemaError(place.pointer + "".join(f"/{escape(str(token))}" for token in path), message, hint)
        broken = {path[0] for path, _, _ in faults if path}
        hidden = dialect.ref_hides_siblings and "$ref" in schema
        for keyword in ("$ref",) if hidden else ("$ref", "$dynamicRef"):
            if keyword in schema and keyword not in broken and (keyword == "$ref" or dialect.uri != DRAFT_07):
                try:
                    self.resolve(place, schema[keyword], keyword)
                except SchemaError as error:
                    yield error
        if hidden:
            return
        patterns = [("/pattern", schema["pattern"])] if "pattern" in schema and "pattern" not in broken else []
        if isinstance(schema.get("patternProperties"), dict):
            patterns += [(f"/patternProperties/{escape(key)}", key) for key in schema["patternProperties"]]
        for suffix, pattern in patterns:
            try:
                translate(pattern)
            except PatternError as error:
                yield SchemaError(f"{place.pointer}{suffix}", str(error), error.hint)

    # -- references --------------------------------------------------------------------------------------------------

    def resolve(self, place: Place, reference: str, keyword: str) -> Place:
        """Return the subschema a reference leads to.

        Raises:
            SchemaError: it leads to nothing, to another document, or to the network.
        """
        pointer = f"{place.pointer}/{keyword}"
        uri, _, fragment = _join(place.resource.uri, reference).partition("#")
        resource = self._resources.get(uri) or self._bundled(uri)
        if resource is None:
            if urlsplit(uri).scheme in {"http", "https", "ftp", "ws", "wss"}:
                raise SchemaError(
                    pointer,
                    f"{keyword} {reference!r} leads to the network, which is never asked",
                    "copy that schema into $defs and refer to it there",
                )
            raise SchemaError(
                pointer,
                f"{keyword} {reference!r} leads to another document, {uri!r}, which is not part of this schema",
                "copy that schema into $defs and refer to it there",
            )
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            if fragment in resource.anchors:
                return resource.anchors[fragment]
            raise SchemaError(
                pointer,
                f"{keyword} {reference!r} leads to nothing: there is no such anchor",
                _nearest(fragment, resource.anchors),
            )
        return self._follow(resource, fragment, keyword, reference, pointer)

    def _bundled(self, uri: str) -> Resource | None:
        if (metaschema := bundled(uri)) is None:
            return None
        dialect = DIALECTS[DRAFT_07 if uri == DRAFT_07 else DRAFT_2020_12]
        self._raw[uri] = metaschema
        self._index(uri, "", metaschema, None, dialect)
        return self._resources.get(uri)

    def _follow(self, resource: Resource, fragment: str, keyword: str, reference: str, pointer: str) -> Place:
        """Return the subschema a JSON pointer leads to, even under a keyword the dialect does not know."""
        document, at = resource.root.document, resource.root.pointer
        value: Any = resource.root.schema
        for token in map(unescape, fragment.split("/")[1:]):
            if isinstance(value, dict) and token in value:
                value = value[token]
            elif isinstance(value, list) and re.fullmatch("0|[1-9][0-9]{0,5}", token) and int(token) < len(value):
                value = value[int(token)]
            else:
                names = [key for key in value if isinstance(key, str)] if isinstance(value, dict) else []
                near = _nearest(token, names)
                raise SchemaError(
                    pointer,
                    f"{keyword} {reference!r} leads to nothing: there is no {token!r} in {at or 'the schema'}",
                    near,
                )
            at = f"{at}/{escape(token)}"
            if (document, at) in self._places:
                resource = self._places[document, at].resource
        if (document, at) not in self._places:
            if not isinstance(value, dict | bool):
                raise SchemaError(
                    pointer,
                    f"{keyword} {reference!r} leads to {_json_type(value)}, which is no schema",
                    "point at a schema",
                )
            known = len(self._places)
            self._index(document, at, value, resource, resource.dialect)
            for place in [*self._places.values()][known:] if not document else ():
                self.errors.extend(self._faults(place))
        return self._places[document, at]


def _join(base: str, reference: str) -> str:
    """Resolve a reference against a base URI (RFC 3986, section 5), for a URN as well, which urljoin leaves alone."""
    if not reference or reference.startswith("#"):
        return base + reference
    return urljoin(base, reference)


def _subschemas(schema: dict[str, Any], dialect: Dialect) -> Iterator[tuple[str, Any]]:
    for keyword, value in schema.items():
        if keyword in dialect.many and isinstance(value, list):
            yield from ((f"{keyword}/{index}", child) for index, child in enumerate(value))
        elif keyword in dialect.one:
            yield keyword, value
        elif keyword in dialect.named and isinstance(value, dict):
            yield from ((f"{escape(keyword)}/{escape(name)}", child) for name, child in value.items())


def _no_json(schema: Any) -> Iterator[SchemaError]:
    """Yield what no JSON document could hold, and the first value that is nested too deep."""
    stack: list[tuple[str, Any, int]] = [("", schema, 0)]
    while stack:
        pointer, value, depth = stack.pop()
        if depth > MAX_DEPTH:
            yield SchemaError(pointer, f"the schema nests deeper than {MAX_DEPTH} levels", "move parts into $defs")
            return
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, str):
                    yield SchemaError(pointer, f"the name {key!r} is no string", "put it in quotes")
            stack.extend(
                (f"{pointer}/{escape(key)}", child, depth + 1) for key, child in value.items() if isinstance(key, str)
            )
        elif isinstance(value, list):
            stack.extend((f"{pointer}/{index}", child, depth + 1) for index, child in enumerate(value))
        elif isinstance(value, float) and not math.isfinite(value):
            yield SchemaError(pointer, f"the number {value!r} cannot be written in JSON", "use a finite number")
        elif not isinstance(value, str | int | float | None):
            yield SchemaError(pointer, f"a Python {type(value).__name__} is no JSON value", "put it in quotes")


def _json_type(value: object) -> str:
    kinds = ((dict, "an object"), (list, "an array"), (str, "a string"), (bool, "a boolean"), (int | float, "a number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.4)
    return f"did you mean {near[0]!r}?" if near else ""


# -- building the model ----------------------------------------------------------------------------------------------


def build(document: Document, *, assert_formats: bool = False) -> Node:
    """Return the model of a document without errors.

    Raises:
        SchemaError: a chain of references never comes to an instance, or a bound is hit.
    """
    builder = _Builder(document, assert_formats=assert_formats)
    root = builder.node(document.root, ())
    builder.run()
    _refuse_endless(root)
    return root


class _Builder:
    """Makes one node for each schema and dynamic scope reached from the root."""

    def __init__(self, document: Document, *, assert_formats: bool) -> None:
        self._document = document
        self._assert_formats = assert_formats
        self._nodes: dict[tuple[Place, Environment], Node] = {}
        self._pending: deque[tuple[Node, Place, Environment]] = deque()

    def node(self, place: Place, environment: Environment) -> Node:
        """Return the node for a place; a schema that is nothing but a reference is the node it refers to."""
        passed = {place}
        while True:
            environment = _enter(place.resource, environment)
            schema = place.schema
            if isinstance(schema, bool) or _keywords(schema, place.resource.dialect) not in ({"$ref"}, {"$dynamicRef"}):
                break
            place = self._targets(place, environment)[0]
            if place in passed:
                raise SchemaError(f"{place.pointer}/$ref", "this reference leads back to itself", "refer to a schema")
            passed.add(place)
        key = (place, environment)
        if key not in self._nodes:
            if len(self._nodes) >= MAX_SUBSCHEMAS:
                raise SchemaError(
                    place.pointer, f"the schema comes to more than {MAX_SUBSCHEMAS} subschemas", "split it"
                )
            node = self._nodes[key] = Node(place.pointer)
            self._pending.append((node, place, environment))
        return self._nodes[key]

    def run(self) -> None:
        """Fill in every node made so far, and those this makes."""
        while self._pending:
            node, place, environment = self._pending.popleft()
            if isinstance(place.schema, bool):
                node.verdict = place.schema
                continue
            if isinstance(title := place.schema.get("title"), str):
                node.title = title
            self._fill(node, place, environment)

    def _targets(self, place: Place, environment: Environment) -> list[Place]:
        schema = place.schema
        assert isinstance(schema, dict)
        targets = []
        if "$ref" in schema:
            targets.append(self._document.resolve(place, schema["$ref"], "$ref"))
        if "$dynamicRef" in schema and place.resource.dialect.uri == DRAFT_2020_12:
            reference = schema["$dynamicRef"]
            target = self._document.resolve(place, reference, "$dynamicRef")
            name = unquote(reference.partition("#")[2])
            if target.resource.dynamic.get(name) is target:
                target = dict(environment).get(name, target)
            targets.append(target)
        return targets

    def _fill(self, node: Node, place: Place, environment: Environment) -> None:
        schema, dialect = place.schema, place.resource.dialect
        assert isinstance(schema, dict)
        keywords = _keywords(schema, dialect)
        draft_07 = dialect.uri == DRAFT_07

        def one(keyword: str) -> Node | None:
            return at(keyword) if keyword in keywords else None

        def many(keyword: str) -> tuple[Node, ...]:
            return tuple(at(f"{keyword}/{i}") for i in range(len(schema[keyword]))) if keyword in keywords else ()

        def named(keyword: str) -> dict[str, Node]:
            return {n: at(f"{keyword}/{escape(n)}") for n in schema[keyword]} if keyword in keywords else {}

        def at(path: str) -> Node:
            return self.node(self._document.below(place, path), environment)

        node.refs = tuple(self.node(target, environment) for target in self._targets(place, environment))
        if dialect.ref_hides_siblings and "$ref" in schema:
            return
        if "type" in keywords:
            named_types = schema["type"]
            node.types = frozenset([named_types] if isinstance(named_types, str) else named_types)
        if "enum" in keywords:
            node.values += (tuple(schema["enum"]),)
        if "const" in keywords:
            node.values += ((schema["const"],),)
        node.all_of, node.any_of, node.one_of = many("allOf"), many("anyOf"), many("oneOf")
        node.negated = one("not")
        if (condition := one("if")) is not None:  # alone it still evaluates properties and items
            node.condition, node.then, node.otherwise = condition, one("then"), one("else")
        if keywords & {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"}:
            node.numbers = Numbers(
                schema.get("minimum"),
                schema.get("exclusiveMinimum"),
                schema.get("maximum"),
                schema.get("exclusiveMaximum"),
                schema.get("multipleOf"),
            )
        named_format = schema.get("format")
        if keywords & {"minLength", "maxLength", "pattern"} or (self._assert_formats and named_format in FORMATS):
            node.strings = Strings(
                _count(schema, "minLength") or 0,
                _count(schema, "maxLength"),
                translate(schema["pattern"]) if "pattern" in keywords else None,
                named_format if self._assert_formats and named_format in FORMATS else None,
            )
        if draft_07 and isinstance(schema.get("items"), list):
            prefix, items = many("items"), one("additionalItems")
        else:
            prefix, items = many("prefixItems") if not draft_07 else (), one("items")
        if keywords & {
            "minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains", "unevaluatedItems"
        }:  # fmt: skip
            minimum = _count(schema, "minContains")
            node.arrays = Arrays(
                _count(schema, "minItems") or 0,
                _count(schema, "maxItems"),
                schema.get("uniqueItems") is True,
                prefix,
                items,
                one("contains"),
                1 if draft_07 or minimum is None else minimum,
                None if draft_07 else _count(schema, "maxContains"),
                one("unevaluatedItems"),
            )
        dependent = schema.get("dependencies", {}) if "dependencies" in keywords else {}
        if keywords & {
            "minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties",
            "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties",
        }:  # fmt: skip
            node.objects = Objects(
                _count(schema, "minProperties") or 0,
                _count(schema, "maxProperties"),
                tuple(dict.fromkeys(schema.get("required", ()))),
                named("properties"),
                tuple((translate(key), child) for key, child in named("patternProperties").items()),
                one("additionalProperties"),
                one("propertyNames"),
                {name: tuple(needs) for name, needs in dependent.items() if isinstance(needs, list)}
                | (
                    {n: tuple(needs) for n, needs in schema.get("dependentRequired", {}).items()}
                    if not draft_07
                    else {}
                ),
                {n: at(f"dependencies/{escape(n)}") for n, needs in dependent.items() if not isinstance(needs, list)}
                | named("dependentSchemas"),
                one("unevaluatedProperties"),
            )


_ANNOTATIONS = {
    "$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions", "title",
    "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "contentEncoding", "contentMediaType",
    "contentSchema",
}  # fmt: skip
_ASSERTIONS = {
    "$ref", "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties",
    "required", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "contains", "properties",
    "patternProperties", "additionalProperties", "propertyNames", "format",
}  # fmt: skip
_KEYWORDS = {
    DRAFT_2020_12: _ASSERTIONS
    | {
        "$dynamicRef", "maxContains", "minContains", "dependentRequired", "dependentSchemas", "prefixItems",
        "unevaluatedItems", "unevaluatedProperties",
    },
    DRAFT_07: _ASSERTIONS | {"additionalItems", "dependencies"},
}  # fmt: skip


def _keywords(schema: dict[str, Any], dialect: Dialect) -> set[str]:
    """Return the keywords of a schema that can reject an instance."""
    if dialect.ref_hides_siblings and "$ref" in schema:
        return {"$ref"}
    return _KEYWORDS[dialect.uri] & schema.keys()


def _count(schema: dict[str, Any], keyword: str) -> int | None:
    """Return a keyword's value as a whole number: 2.0 is one too (JSON Schema Validation 2020-12, section 6)."""
    return int(schema[keyword]) if keyword in schema else None


def _enter(resource: Resource, environment: Environment) -> Environment:
    """Return the dynamic anchors in force inside a resource: those in force before go first."""
    if not resource.dynamic:
        return environment
    return tuple(sorted((resource.dynamic | dict(environment)).items(), key=lambda item: item[0]))


def _refuse_endless(root: Node) -> None:
    """Refuse a schema that would apply to the same instance for ever, or through too long a chain."""
    height: dict[Node, int] = {}
    applied: dict[Node, int] = {}
    for start in reachable(root):
        path: list[tuple[Node, Iterator[Node]]] = [(start, start.in_place())] if start not in height else []
        open_nodes = {start}
        while path:
            node, rest = path[-1]
            for child in rest:
                if child in open_nodes:
                    raise SchemaError(
                        child.pointer,
                        "this schema applies itself to the same value again, without end",
                        "let the reference lead below properties or items",
                    )
                if child not in height:
                    path.append((child, child.in_place()))
                    open_nodes.add(child)
                    break
            else:
                height[node] = 1 + max((height[child] for child in node.in_place()), default=0)
                applied[node] = 1 + sum(applied[child] for child in node.in_place())
                if applied[node] > MAX_APPLIED:
                    raise SchemaError(
                        node.pointer,
                        f"more than {MAX_APPLIED} schemas apply to the same value",
                        "refer to a schema from fewer alternatives of alternatives",
                    )
                if height[node] > MAX_IN_PLACE:
                    raise SchemaError(
                        node.pointer,
                        f"more than {MAX_IN_PLACE} schemas in a chain apply to the same value",
                        "shorten the chain of references, allOf and the like",
                    )
                open_nodes.discard(node)
                path.pop()
