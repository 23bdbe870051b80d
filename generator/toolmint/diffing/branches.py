"""A conjunction of schemas as a union of branches, each of one kind of value with its constraints gathered.

A branch may allow more than the schemas it was made from, since what cannot be expressed (``not``, a reference to
nothing, too many alternatives) is left out and listed in ``opaque``; it never allows less. So all that holds for every
value of the branches holds for the schemas, and a schema whose branches are empty is.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from toolmint.diffing.documents import ASSERTIONS, Document, Node, Unverifiable, accepted_by_all, identity
from toolmint.diffing.patterns import matcher

KINDS = ("null", "boolean", "number", "string", "array", "object")
"""The kinds of JSON values; an integer is a number."""

MAX_BRANCHES = 200
"""Most branches of one conjunction; alternatives that would make more are left out."""

Term = frozenset[Node]
"""A conjunction of schemas; the empty one takes everything."""

Number = int | float


class Bound(NamedTuple):
    """An end of a range of numbers."""

    value: Number
    exclusive: bool = False


class ObjectShape(NamedTuple):
    """What one schema says about an object's properties by their names."""

    properties: Mapping[str, Node]
    patterns: Mapping[str, Node]
    additional: Node | None

    @property
    def closed(self) -> bool:
        """Whether there can be no property but those listed by name."""
        return self.additional is not None and self.additional.value is False and not self.patterns

    def covers(self, name: str) -> bool | None:
        """Return whether a name is described, by itself or a pattern; None where that cannot be said."""
        if name in self.properties:
            return True
        found = [
            None if (compiled := matcher(pattern)) is None else bool(compiled.search(name)) for pattern in self.patterns
        ]
        return True if True in found else None if None in found else False

    def of(self, name: str) -> Iterable[Node]:
        """Return the schemas that are known to apply to the property of a name."""
        if name in self.properties:
            yield self.properties[name]
        for pattern, node in self.patterns.items():
            compiled = matcher(pattern)
            if compiled is not None and compiled.search(name):
                yield node
        if self.additional is not None and self.covers(name) is False:
            yield self.additional


class ArrayShape(NamedTuple):
    """What one schema says about an array's items by their position."""

    prefix: tuple[Node, ...]
    rest: Node | None

    def of(self, index: int) -> Iterable[Node]:
        """Return the schema that applies to the item at an index, if there is one."""
        if index < len(self.prefix):
            yield self.prefix[index]
        elif self.rest is not None:
            yield self.rest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Branch:
    """Values of one kind; identity is that of the object.

    Attributes:
        met: The schemas that every value satisfies; alternatives that were chosen are among them.
        values: All values there can be, where they were enumerated; other constraints still apply to them.
        opaque: Keywords that are not expressed otherwise, each with the schema it stands in.
    """

    kind: str
    met: frozenset[Node] = frozenset()
    values: tuple[Any, ...] | None = None
    opaque: frozenset[tuple[str, Node]] = frozenset()
    integer: bool = False
    lower: Bound | None = None
    upper: Bound | None = None
    multiples: frozenset[Number] = frozenset()
    min_length: int = 0
    max_length: int | None = None
    patterns: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    arrays: tuple[ArrayShape, ...] = ()
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False
    objects: tuple[ObjectShape, ...] = ()
    required: frozenset[str] = frozenset()
    min_properties: int = 0
    max_properties: int | None = None
    names: frozenset[Node] = frozenset()

    def property_term(self, name: str) -> Term:
        """Return what applies to the property of a name."""
        return frozenset(node for shape in self.objects for node in shape.of(name))

    def item_term(self, index: int) -> Term:
        """Return what applies to the item at an index."""
        return frozenset(node for shape in self.arrays for node in shape.of(index))

    @property
    def tuple_length(self) -> int:
        """From which index on all items are alike."""
        return max((len(shape.prefix) for shape in self.arrays), default=0)

    @property
    def listed_names(self) -> tuple[str, ...]:
        """The property names that are mentioned, in order."""
        mentioned = dict.fromkeys(name for shape in self.objects for name in shape.properties)
        return tuple(mentioned | dict.fromkeys(sorted(self.required)))

    def describes(self, name: str) -> bool:
        """Return whether anything but a general permission applies to the property of a name."""
        return any(
            shape.covers(name) is not False
            or (shape.additional is not None and shape.additional.value not in (True, {}))
            for shape in self.objects
        )


class Branches:
    """Makes and keeps the branches of terms."""

    def __init__(self) -> None:
        self._branches: dict[Term, tuple[Branch, ...]] = {}
        self._empty: dict[Term, bool] = {}
        self._open: set[Term] = set()

    def of(self, term: Term) -> tuple[Branch, ...]:
        """Return the branches of a term that are not known to be empty."""
        if term not in self._branches:
            branches = [Branch(kind=kind) for kind in KINDS]
            for node in sorted(term, key=_order):
                branches = [refined for branch in branches for refined in refine(branch, node)]
            self._branches[term] = tuple(branch for branch in branches if not self.vacant(branch))
        return self._branches[term]

    def empty(self, term: Term) -> bool:
        """Return whether a term is known to take nothing; False where it is not known."""
        if term in self._empty:
            return self._empty[term]
        if term in self._open:
            return False
        self._open.add(term)
        try:
            result = not self.of(term)
        finally:
            self._open.discard(term)
        if not self._open:
            self._empty[term] = result
        return result

    def disjoint(self, branch: Branch, node: Node) -> bool:
        """Return whether no value of a branch is known to be valid under a schema."""
        return all(self.vacant(refined) for refined in refine(branch, node))

    def vacant(self, branch: Branch) -> bool:
        """Return whether a branch is known to hold no value."""
        if branch.values is not None:
            return not self.enumerated(branch)
        match branch.kind:
            case "number":
                return _no_number(branch)
            case "string":
                return branch.max_length is not None and branch.min_length > branch.max_length
            case "array":
                return self._no_array(branch)
            case "object":
                return self._no_object(branch)
            case _:
                return False

    def enumerated(self, branch: Branch) -> tuple[Any, ...]:
        """Return the enumerated values that the branch's schemas do take, or may."""
        return tuple(value for value in branch.values or () if _may_be(branch.met, value))

    def most_items(self, branch: Branch) -> int | None:
        """Return how many items an array of the branch can have; None where there is no end."""
        most = branch.max_items
        for index in range(branch.tuple_length + 1):
            if most is not None and most <= index:
                break
            if self.empty(branch.item_term(index)):
                return index
        return most

    def _no_array(self, branch: Branch) -> bool:
        if branch.max_items is not None and branch.min_items > branch.max_items:
            return True
        needed = min(branch.min_items, branch.tuple_length + 1)
        return any(self.empty(branch.item_term(index)) for index in range(needed))

    def _no_object(self, branch: Branch) -> bool:
        least = max(branch.min_properties, len(branch.required))
        if branch.max_properties is not None and least > branch.max_properties:
            return True
        if any(not _may_be(branch.names, name) for name in branch.required):
            return True
        return any(self.empty(branch.property_term(name)) for name in branch.required)


def _order(node: Node) -> tuple[str, int]:
    return node.pointer, id(node.document)


def _may_be(nodes: Iterable[Node], value: Any) -> bool:
    try:
        return accepted_by_all(nodes, value)
    except Unverifiable:
        return True


def _no_number(branch: Branch) -> bool:
    if branch.lower is None or branch.upper is None:
        return False
    if branch.lower.value == branch.upper.value:
        return branch.lower.exclusive or branch.upper.exclusive
    return branch.lower.value > branch.upper.value


def refine(branch: Branch, node: Node) -> list[Branch]:
    """Return a branch without the values that a schema refuses, as far as that can be expressed."""
    if node in branch.met:
        return [branch]
    value = node.value
    if value is False:
        return []
    branch = replace(branch, met=branch.met | {node})
    if not isinstance(value, dict):
        return [branch] if value is True else [_opaque(branch, "false", node)]
    keywords = node.keywords
    narrowed = _narrow(branch, node, keywords)
    if narrowed is None:
        return []
    branches = [narrowed]
    if "$ref" in keywords:
        target = node.target()
        branches = _each(branches, [target]) if target else [_opaque(one, "$ref", node) for one in branches]
    for index in range(len(keywords.get("allOf", ()))):
        branches = _each(branches, [node.below("allOf", index)])
    for keyword in ("anyOf", "oneOf"):
        if keyword in keywords:
            alternatives = _each(branches, [node.below(keyword, index) for index in range(len(keywords[keyword]))])
            if len(alternatives) > MAX_BRANCHES:
                alternatives = branches
            branches = [_opaque(one, keyword, node) for one in alternatives]
    return branches


def _each(branches: Iterable[Branch], alternatives: Iterable[Node]) -> list[Branch]:
    choices = list(alternatives)
    return [refined for branch in branches for node in choices for refined in refine(branch, node)]


def _opaque(branch: Branch, keyword: str, node: Node) -> Branch:
    return replace(branch, opaque=branch.opaque | {(keyword, node)})


_OPAQUE = (
    "$dynamicRef",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "not",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def _narrow(branch: Branch, node: Node, keywords: Mapping[str, Any]) -> Branch | None:
    """Return a branch with a schema's own keywords, all but alternatives, gathered; None where nothing is left."""
    if "type" in keywords:
        types = keywords["type"]
        names = [types] if isinstance(types, str) else types
        if branch.kind not in names:
            if branch.kind != "number" or "integer" not in names:
                return None
            branch = replace(branch, integer=True)
    if "not" in keywords and branch.kind in _whole_kinds(node.below("not")):
        return None
    for keyword in ("const", "enum"):
        if keyword in keywords:
            listed = [keywords["const"]] if keyword == "const" else keywords["enum"]
            branch = _enumerate(branch, [value for value in listed if kind_of(value) == branch.kind])
    present = [(keyword, node) for keyword in _OPAQUE if keyword in keywords]
    if present:
        branch = replace(branch, opaque=branch.opaque.union(present))
    gather = _GATHER.get(branch.kind)
    return gather(branch, node, keywords) if gather else _constant(branch)


def _whole_kinds(node: Node) -> Iterable[str]:
    """Return the kinds of which a schema takes every value."""
    asserting_keywords = ASSERTIONS & node.keywords.keys()
    if node.value is False or asserting_keywords - {"type"}:
        return ()
    if not asserting_keywords:
        return KINDS
    types = node.keywords["type"]
    return (types,) if isinstance(types, str) else types


def _enumerate(branch: Branch, values: Iterable[Any]) -> Branch:
    if branch.values is not None:
        allowed = set(map(identity, branch.values))
        values = [value for value in values if identity(value) in allowed]
    return replace(branch, values=tuple(values))


def _constant(branch: Branch) -> Branch:
    if branch.values is None:
        return replace(branch, values=(None,) if branch.kind == "null" else (False, True))
    return branch


def _gather_number(branch: Branch, _node: Node, keywords: Mapping[str, Any]) -> Branch:
    lower, upper = branch.lower, branch.upper
    for keyword in ("minimum", "exclusiveMinimum"):
        if keyword in keywords:
            lower = _tighter(lower, Bound(keywords[keyword], keyword != "minimum"), lowest=True)
    for keyword in ("maximum", "exclusiveMaximum"):
        if keyword in keywords:
            upper = _tighter(upper, Bound(keywords[keyword], keyword != "maximum"), lowest=False)
    multiples = branch.multiples
    if "multipleOf" in keywords:
        multiples |= {keywords["multipleOf"]}
    integer = branch.integer or any(_whole(number) for number in multiples)
    if integer:
        # Whole numbers between whole ends: 0 < n and 1 <= n are the same.
        lower = lower and Bound(math.floor(lower.value) + 1 if lower.exclusive else math.ceil(lower.value))
        upper = upper and Bound(math.ceil(upper.value) - 1 if upper.exclusive else math.floor(upper.value))
    return replace(branch, integer=integer, lower=lower, upper=upper, multiples=multiples)


def _whole(number: Number) -> bool:
    return isinstance(number, int) or number.is_integer()


def _tighter(old: Bound | None, new: Bound, *, lowest: bool) -> Bound:
    if old is None or new.value == old.value:
        return new if old is None or new.exclusive else old
    return new if (new.value > old.value) == lowest else old


def _gather_string(branch: Branch, _node: Node, keywords: Mapping[str, Any]) -> Branch:
    return replace(
        branch,
        min_length=max(branch.min_length, _count(keywords.get("minLength", 0))),
        max_length=_least(branch.max_length, keywords.get("maxLength")),
        patterns=branch.patterns | _one(keywords, "pattern"),
        formats=branch.formats | _one(keywords, "format"),
    )


def _one(keywords: Mapping[str, Any], keyword: str) -> frozenset[str]:
    return frozenset((keywords[keyword],)) if keyword in keywords else frozenset()


def _count(number: Number) -> int:
    """Return a count; JSON Schema allows to write 3 as 3.0."""
    return int(number)


def _least(one: int | None, other: Number | None) -> int | None:
    return one if other is None else _count(other) if one is None else min(one, _count(other))


def array_shape(node: Node) -> ArrayShape:
    """Return what a schema says about items, in whichever dialect it says it."""
    keywords = node.keywords
    prefix_keyword = "items" if node.document.dialect.ref_hides_siblings else "prefixItems"
    listed = keywords.get(prefix_keyword)
    if isinstance(listed, list):
        prefix = tuple(node.below(prefix_keyword, index) for index in range(len(listed)))
        rest_keyword = "additionalItems" if prefix_keyword == "items" else "items"
    else:
        prefix, rest_keyword = (), "items"
    return ArrayShape(prefix, node.below(rest_keyword) if rest_keyword in keywords else None)


def _gather_array(branch: Branch, node: Node, keywords: Mapping[str, Any]) -> Branch:
    shape = array_shape(node)
    return replace(
        branch,
        arrays=(*branch.arrays, shape) if shape.prefix or shape.rest else branch.arrays,
        min_items=max(branch.min_items, _count(keywords.get("minItems", 0))),
        max_items=_least(branch.max_items, keywords.get("maxItems")),
        unique=branch.unique or keywords.get("uniqueItems", False),
    )


def object_shape(node: Node) -> ObjectShape:
    """Return what a schema says about properties by their names."""
    keywords = node.keywords
    return ObjectShape(
        {name: node.below("properties", name) for name in keywords.get("properties", ())},
        {name: node.below("patternProperties", name) for name in keywords.get("patternProperties", ())},
        node.below("additionalProperties") if "additionalProperties" in keywords else None,
    )


def _gather_object(branch: Branch, node: Node, keywords: Mapping[str, Any]) -> Branch:
    shape = object_shape(node)
    says_anything = shape.properties or shape.patterns or shape.additional
    return replace(
        branch,
        objects=(*branch.objects, shape) if says_anything else branch.objects,
        required=branch.required | frozenset(keywords.get("required", ())),
        min_properties=max(branch.min_properties, _count(keywords.get("minProperties", 0))),
        max_properties=_least(branch.max_properties, keywords.get("maxProperties")),
        names=branch.names | ({node.below("propertyNames")} if "propertyNames" in keywords else frozenset()),
    )


_GATHER = {
    "array": _gather_array,
    "number": _gather_number,
    "object": _gather_object,
    "string": _gather_string,
}


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value, see ``KINDS``."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def asserting(schema: Any) -> Node:
    """Return a schema that stands in no document of a user."""
    return Document(schema).node


ANY_TEXT = asserting({"type": "string"})
"""What every property name is."""
