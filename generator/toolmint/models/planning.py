"""From a JSON Schema to Python types.

A schema is read as *facets*: itself and all that it adds through ``allOf`` and ``$ref``, all of which a valid value
satisfies. What a type cannot say (bounds, patterns, ``not``, conditions) is the validator's business; what no type fits
is ``Any``.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolmint.models.defaults import Defaults
from toolmint.models.names import ClassNames, capitalized, field_names
from toolmint.models.references import ANNOTATIONS, CONTAINERS, SECTIONS, Document, Node
from toolmint.models.types import (
    ANY,
    ANY_ARRAY,
    ANY_OBJECT,
    BOOL,
    EXTRA,
    FLOAT,
    INT,
    NONE,
    STR,
    Alias,
    Class,
    DictOf,
    Field,
    ListOf,
    Literals,
    Scalar,
    TupleOf,
    Type,
    Union,
    constructed,
    union,
    weighs_at_most,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping

MAX_DEPTH = 64
"""How deep schemas are typed; what is nested deeper is ``Any``."""

MAX_WEIGHT = 10_000
"""How many types one annotation is made of; a bigger one is ``Any``."""

_PRIMITIVES = {"string": STR, "integer": INT, "number": FLOAT, "boolean": BOOL, "null": NONE}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a schema stands, for the names of the classes it needs."""

    stem: str
    """The name of the class, if it needs one."""
    label: str
    """The place in words, for a docstring."""
    reserved: bool = False
    """The stem has been claimed for what stands here."""
    alias: bool = False
    """The stem will be the name of an alias if no class stands here."""

    def below(self, name: str, label: str) -> Place:
        """Return the place of a subschema."""
        return Place(self.stem + capitalized(name), f"{label} {self.label}")

    def option(self, suffix: str) -> Place:
        """Return the place of one branch of a union that stands here."""
        if not suffix and not self.alias:
            return self
        return Place(self.stem + (suffix or "Object"), self.label)


class Planner:
    """Gives the schemas of one document their types.

    One schema object has one type: what a YAML alias repeats is one class, named after the first place.
    """

    def __init__(
        self,
        root: Node,
        place: Place,
        names: ClassNames,
        *,
        shared: Mapping[str, Type] = MappingProxyType({}),
        places: Mapping[tuple[str, str], Place] = MappingProxyType({}),
    ) -> None:
        """Prepare to plan.

        ``shared`` has the types of definitions that are not this document's own to plan; ``places`` those of
        definitions whose names have been claimed.
        """
        self.types: list[Class | Alias] = []
        """What was planned for the root, in the order of the schema."""
        self.definition_types: dict[tuple[str, str], list[Class | Alias]] = {}
        """What was planned for each definition, and for what is inside it."""
        self._order = self.types
        self._pending: deque[tuple[list[Class | Alias], Callable[[], None]]] = deque()
        self._places = dict(places)
        self._definitions: dict[tuple[str, str], Type] = {}
        self._used: set[str] = set()
        self._document = Document(root)
        self._place = place
        self._names = names
        self._shared = shared
        self._defaults = Defaults(self._document)
        self._stated: list[tuple[Class, str, Node, Any]] = []
        self._planned: dict[tuple[int, ...], Type] = {}
        self._in_progress: dict[tuple[int, ...], Place] = {}
        self._stripped: dict[int, dict[str, Any]] = {}

    def input_class(self) -> Class:
        """Return the type of the root as a dataclass, whatever it says: the arguments of a call are an object."""
        facets = self._facets(self._document.root)
        class_ = self._class(facets, self._place, 0)
        self._finish()
        return class_

    def root_type(self) -> Type:
        """Return the type of the root."""
        type_ = self._type(self._document.root, self._place, 0)
        self._finish()
        return type_

    def definition(self, section: str, name: str) -> Type:
        """Return the class or alias of a definition of this document."""
        type_ = self._definition(section, name)
        self._finish()
        return type_

    def _finish(self) -> None:
        """Plan what was put off: schemas may refer to one another for longer than Python's stack is deep."""
        while self._pending:
            self._order, work = self._pending.popleft()
            work()
        self._order = self.types

    def _definition(self, section: str, name: str) -> Type:
        if (section, name) in self._definitions:
            return self._definitions[section, name]
        node, place = self._document.root[section][name], self._definition_place(section, name)
        outer, self._order = self._order, self.definition_types.setdefault((section, name), [])
        type_: Class | Alias
        if self._is_class(node):
            type_ = self._class(self._facets(node), place, 0)
        else:
            type_ = alias = Alias(self._name(place), _description([node], place))
            self._order.append(alias)
            self._pending.append((self._order, lambda: self._aim(alias, node, place)))
        self._order = outer
        self._definitions[section, name] = type_
        return type_

    def _is_class(self, node: Node) -> bool:
        """Whether a definition is an object with properties of its own, and nothing but that."""
        if _is_reference(node, draft7=self._document.draft7) or (isinstance(node, dict) and _is_wrapper(node)):
            return False
        facets = self._facets(node)
        if _kinds(facets) != ["object"] or _constants(facets) is not None:
            return False
        if any(_properties(facet) for facet in facets):
            return True
        decisive = any(self._says_something(branch) for group in _groups(facets) for branch in group)
        return not decisive and any(facet.get("required") for facet in facets)

    def _aim(self, alias: Alias, node: Node, place: Place) -> None:
        alias.target = self._type(node, place, 0)

    def _definition_place(self, section: str, name: str) -> Place:
        if (section, name) not in self._places:
            stem = self._names.claim(f"{self._place.stem}{capitalized(name)}")
            self._places[section, name] = Place(
                stem, f"the definition {name} of {self._place.label}", reserved=True, alias=True
            )
        return self._places[section, name]

    def _name(self, place: Place) -> str:
        if place.reserved and place.stem not in self._used:
            self._used.add(place.stem)
            return place.stem
        return self._names.claim(place.stem)

    def _type(self, node: Node, place: Place, depth: int) -> Type:
        if not isinstance(node, dict) or depth > MAX_DEPTH:
            return ANY
        if _is_reference(node, draft7=self._document.draft7):
            return self._referenced(node, depth)
        if _is_wrapper(node):
            return self._type(node["allOf"][0], place, depth + 1)
        if "$ref" in node and _assertions(node) == {"$ref", "type"}:
            # The protocol wants "type": "object" beside it; a type that the target has anyway changes nothing.
            found = self._document.resolve(node["$ref"])
            if found is not None and _kinds(self._facets(found[1])) == _kinds([node]):
                return self._referenced({"$ref": node["$ref"]}, depth)
        return self._combined([node], place, depth)

    def _combined(self, nodes: Iterable[Node], place: Place, depth: int) -> Type:
        """Return the type of what satisfies every one of the nodes."""
        facets = [facet for node in nodes for facet in self._facets(node)]
        key = _key(facets)
        if key in self._planned:
            return self._planned[key]
        if key in self._in_progress:
            return self._recursive(key)
        self._in_progress[key] = place
        planned = self._plan(facets, place, depth)
        if not weighs_at_most(planned, MAX_WEIGHT):
            planned = ANY
        del self._in_progress[key]
        recursive = self._planned.get(key)
        if isinstance(recursive, Alias):
            recursive.target = planned
            return recursive
        self._planned[key] = planned
        return planned

    def _recursive(self, key: tuple[int, ...]) -> Alias:
        """Return a name for what contains itself and is no class: there is no other way to say so."""
        place = self._in_progress[key]
        self._planned[key] = alias = Alias(self._name(place), f"{place.label[0].upper()}{place.label[1:]}.")
        self._order.append(alias)
        return alias

    def _referenced(self, node: dict[str, Any], depth: int) -> Type:
        seen: set[int] = set()
        tokens: tuple[str, ...] = ()
        while _is_reference(node, draft7=self._document.draft7):
            found = self._document.resolve(node.get("$ref", node.get("$dynamicRef")))
            if found is None or id(found[1]) in seen:
                return ANY
            tokens, node = found
            seen.add(id(node))
            if len(tokens) == 2 and tokens[0] in SECTIONS:
                break
        if len(tokens) == 2 and tokens[0] in SECTIONS:
            section, name = tokens
            if section == SECTIONS[0] and name in self._shared:
                return self._shared[name]
            return self._definition(section, name)
        return self._type(node, self._place_of(tokens), depth + 1)

    def _place_of(self, tokens: tuple[str, ...]) -> Place:
        """Return the place a pointer leads to, so that a class gets the same name whoever refers to it first."""
        place, index = self._place, 0
        if len(tokens) > 1 and tokens[0] in SECTIONS:
            place, index = self._definition_place(tokens[0], tokens[1]), 2
        while index < len(tokens):
            keyword, name = tokens[index], tokens[index + 1] if index + 1 < len(tokens) else ""
            if keyword in ("properties", *SECTIONS):
                place, index = place.below(name, f"the {name} of"), index + 2
            elif keyword in ("items", "prefixItems"):
                place, index = place.below("Item", "an item of"), index + (2 if name.isdecimal() else 1)
            elif keyword == "additionalProperties":
                place, index = place.below("Value", "a value of"), index + 1
            elif keyword in ("anyOf", "oneOf"):
                place, index = place.option(f"Option{int(name) + 1}" if name.isdecimal() else ""), index + 2
            else:
                index += 1
        return place

    def _facets(self, node: Node) -> list[dict[str, Any]]:
        facets: list[dict[str, Any]] = []
        pending, seen = [node], set()
        while pending:
            current = pending.pop()
            if not isinstance(current, dict) or id(current) in seen:
                continue
            seen.add(id(current))
            reference = current.get("$ref", current.get("$dynamicRef"))
            found = self._document.resolve(reference)
            target = [] if found is None else [found[1]]
            if not (target and self._document.draft7):
                facets.append(current)
                several = current.get("allOf")
                pending.extend(reversed(several if isinstance(several, list) else []))
            pending.extend(target)
        return facets

    def _plan(self, facets: list[dict[str, Any]], place: Place, depth: int) -> Type:
        kinds = _kinds(facets)
        constants = _constants(facets)
        if constants is not None:
            return _constant_type(constants, kinds, place)
        groups = _groups(facets)
        has_properties = any(facet.get("properties") for facet in facets)
        if groups and not (has_properties and kinds == ["object"]):
            chosen = self._union(facets, groups, kinds, place, depth)
            if chosen is not None:
                return chosen
        if kinds is None:
            return ANY
        if len(kinds) > 1:
            place = place.option("")
        return union([self._kind(kind, facets, place, depth) for kind in kinds], place.stem)

    def _kind(self, kind: str, facets: list[dict[str, Any]], place: Place, depth: int) -> Type:
        if kind in _PRIMITIVES:
            return _PRIMITIVES[kind]
        return self._array(facets, place, depth) if kind == "array" else self._object(facets, place, depth)

    def _union(
        self, facets: list[dict[str, Any]], groups: list[list[Node]], kinds: list[str] | None, place: Place, depth: int
    ) -> Type | None:
        """Return the type of an anyOf or oneOf, or None where its branches say nothing about the type."""
        if len(groups) > 1 or not groups[0]:
            return None
        base = [stripped for facet in facets if (stripped := self._strip(facet))]
        branches = groups[0]
        if kinds is not None and not any(self._says_something(branch) for branch in branches):
            return None
        suffixes = self._suffixes(branches)
        types = []
        for branch, suffix in zip(branches, suffixes, strict=True):
            if branch is False:
                continue
            here = place.option(suffix)
            alone = self._type(branch, here, depth + 1) if self._typed(branch) else ANY
            if base and (alone == ANY or any(facet.keys() - ANNOTATIONS - {"type"} for facet in base)):
                alone = self._combined([*base, branch], here, depth + 1)
            types.append(alone)
        return union(types, place.stem)

    def _strip(self, facet: dict[str, Any]) -> dict[str, Any]:
        """Return a facet without its union; the same object each time, because types are remembered by identity."""
        if id(facet) not in self._stripped:
            omitted = ANNOTATIONS | CONTAINERS | {"anyOf", "oneOf", "allOf", "$ref"}
            self._stripped[id(facet)] = {name: value for name, value in facet.items() if name not in omitted}
        return self._stripped[id(facet)]

    def _typed(self, branch: Node) -> bool:
        facets = self._facets(branch)
        return _kinds(facets) is not None or _constants(facets) is not None or bool(_groups(facets))

    def _says_something(self, branch: Node) -> bool:
        decisive = {
            "type",
            "properties",
            "items",
            "prefixItems",
            "enum",
            "const",
            "anyOf",
            "oneOf",
            "additionalProperties",
        }
        return any(decisive & facet.keys() for facet in self._facets(branch))

    def _suffixes(self, branches: list[Node]) -> list[str]:
        """Return what distinguishes the names of the branches that are objects: their constants, else their number."""
        suffixes = [""] * len(branches)
        for keyword in ("properties", "items"):
            inline = [
                index
                for index, branch in enumerate(branches)
                if isinstance(branch, dict)
                and not _is_reference(branch, draft7=self._document.draft7)
                and any(facet.get(keyword) for facet in self._facets(branch))
            ]
            if len(inline) > 1:
                for index, word in zip(inline, self._words(inline, branches), strict=True):
                    suffixes[index] = word
        return suffixes

    def _words(self, inline: list[int], branches: list[Node]) -> list[str]:
        tags = [self._tags(branches[index]) for index in inline]
        for name in tags[0]:
            words = [capitalized(str(tag[name])) for tag in tags if name in tag]
            if len(set(words)) == len(inline):
                return words
        return [f"Option{index + 1}" for index in inline]

    def _tags(self, branch: Node) -> dict[str, Scalar]:
        tags: dict[str, Scalar] = {}
        for facet in self._facets(branch):
            for name, node in _properties(facet).items():
                constants = _constants(self._facets(node))
                if constants is not None and len(constants) == 1 and isinstance(constants[0], (str, int)):
                    tags[name] = constants[0]
        return tags

    def _array(self, facets: list[dict[str, Any]], place: Place, depth: int) -> Type:
        below = place.below("Item", "an item of")
        prefix = next((list(value) for facet in facets if (value := _prefix(facet)) is not None), None)
        items = [facet["items"] for facet in facets if isinstance(facet.get("items"), dict)]
        if prefix is None:
            return ListOf(self._combined_or_any(items, below, depth))
        rest = [
            *items,
            *(facet["additionalItems"] for facet in facets if isinstance(facet.get("additionalItems"), dict)),
        ]
        places = [place.below(f"Item{index + 1}", "an item of") for index in range(len(prefix))]
        types = [self._type(node, here, depth + 1) for node, here in zip(prefix, places, strict=True)]
        shortest = max((facet["minItems"] for facet in facets if isinstance(facet.get("minItems"), int)), default=None)
        longer = any(facet.get("maxItems", 0) > len(prefix) for facet in facets)
        if rest or longer or (shortest is not None and shortest < len(prefix)):
            return ListOf(union([*types, self._combined_or_any(rest, below, depth)], below.stem))
        return TupleOf(tuple(types))

    def _combined_or_any(self, nodes: list[Node], place: Place, depth: int) -> Type:
        if len(nodes) == 1:
            return self._type(nodes[0], place, depth + 1)
        return self._combined(nodes, place, depth + 1) if nodes else ANY

    def _object(self, facets: list[dict[str, Any]], place: Place, depth: int) -> Type:
        if any(_properties(facet) or facet.get("required") for facet in facets):
            return self._class(facets, place, depth)
        extra = self._extra(facets, place, depth)
        return ANY_OBJECT if extra is None else DictOf(extra)

    def _extra(self, facets: list[dict[str, Any]], place: Place, depth: int) -> Type | None:
        """Return the type of the properties that a schema allows without naming them, None if it does not say so."""
        below = place.below("Value", "a value of")
        stated = [
            facet[keyword]
            for facet in facets
            for keyword in ("additionalProperties", "unevaluatedProperties")
            if keyword in facet
        ]
        patterns = [
            node for facet in facets if isinstance(facet.get("patternProperties"), dict)
            for node in facet["patternProperties"].values() if node is not False
        ]  # fmt: skip
        closed = any(node is False for node in stated)
        if closed and patterns:
            return union([self._type(node, below, depth + 1) for node in patterns], below.stem)
        if closed or not (stated or patterns):
            return None
        if not stated:
            return ANY
        return union([self._type(node, below, depth + 1) for node in (*stated, *patterns)], below.stem)

    def _class(self, facets: list[dict[str, Any]], place: Place, depth: int) -> Class:
        name = self._name(place)
        place = Place(name, place.label)
        class_ = Class(name, _description(facets, place))
        self._planned.setdefault(_key(facets), class_)
        self._order.append(class_)
        self._pending.append((self._order, lambda: self._fill(class_, facets, place, depth)))
        return class_

    def _fill(self, class_: Class, facets: list[dict[str, Any]], place: Place, depth: int) -> None:
        class_.closed = any(
            facet.get(keyword) is False
            for facet in facets
            for keyword in ("additionalProperties", "unevaluatedProperties")
        )
        class_.extra = self._extra(facets, place, depth)
        required = {name for facet in facets for name in facet.get("required", ()) if isinstance(name, str)}
        certain: dict[str, list[Node]] = {}
        for facet in facets:
            for wire_name, node in _properties(facet).items():
                certain.setdefault(wire_name, []).append(node)
        possible = self._possible(facets, certain.keys())
        unnamed = [name for name in sorted(required) if name not in certain and name not in possible]
        names = field_names((*certain, *possible, *unnamed), reserved=() if class_.extra is None else (EXTRA,))
        class_.fields = tuple(
            self._field(class_, name, wire_name, nodes, place, depth, required=wire_name in required)
            if wire_name in certain
            else self._possible_field(name, wire_name, nodes, place, depth, required=wire_name in required)
            for wire_name, name in names.items()
            if False not in (nodes := certain.get(wire_name) or possible.get(wire_name) or [True])
        )

    def _field(
        self, class_: Class, name: str, wire_name: str, nodes: list[Node], place: Place, depth: int, *, required: bool
    ) -> Field:
        """Return the field of a property whose value satisfies every one of the nodes."""
        type_ = self._combined_or_any(nodes, place.below(wire_name, f"the {wire_name} of"), depth)
        facets = (facet for node in nodes for facet in self._facets(node))
        holder = None if required else next((facet for facet in facets if "default" in facet), None)
        if holder is not None:
            self._stated.append((class_, wire_name, nodes[0], holder["default"]))
        return Field(name, wire_name, type_, _first_text(nodes), required)

    def _possible_field(
        self, name: str, wire_name: str, nodes: list[Node], place: Place, depth: int, *, required: bool
    ) -> Field:
        """Return the field of a property whose value satisfies one of the nodes, if it is there."""
        below = place.below(wire_name, f"the {wire_name} of")
        type_ = union([self._type(node, below, depth + 1) for node in nodes], below.stem)
        return Field(name, wire_name, type_, _first_text(nodes), required)

    def settle_defaults(self, constructs: dict[Class, set[Class]]) -> None:
        """Give fields their defaults, when all types are known.

        ``constructs`` says which classes the defaults of a class construct, and is added to. A default that would
        construct its own class over and over is none.
        """
        for class_, wire_name, node, value in self._stated:
            index, field = next(
                (index, field) for index, field in enumerate(class_.fields) if field.wire_name == wire_name
            )
            default = self._defaults.default(node, value, field.type)
            if default is None:
                continue
            built = set(constructed(field.type, default.expression))
            if class_ not in _closure(built, constructs):
                constructs.setdefault(class_, set()).update(built)
                class_.fields = (*class_.fields[:index], replace(field, default=default), *class_.fields[index + 1 :])

    def _possible(self, facets: list[dict[str, Any]], certain: Collection[str]) -> dict[str, list[Node]]:
        """Return the properties that only some branch or condition names, each with its alternatives."""
        found: dict[str, list[Node]] = {}
        seen = set(_key(facets))
        pending = facets[::-1]
        while pending:
            facet = pending.pop()
            dependent = facet.get("dependentSchemas")
            branches = [branch for group in _groups([facet]) for branch in group]
            branches += [facet[keyword] for keyword in ("then", "else") if keyword in facet]
            branches += list(dependent.values()) if isinstance(dependent, dict) else []
            inner = [other for branch in branches for other in self._facets(branch) if id(other) not in seen]
            seen.update(_key(inner))
            pending.extend(reversed(inner))
            for other in inner:
                for name, node in _properties(other).items():
                    if name not in certain and node is not False:
                        found.setdefault(name, []).append(node)
        return found


def _closure(classes: set[Class], constructs: Mapping[Class, set[Class]]) -> set[Class]:
    closure, pending = set(classes), list(classes)
    while pending:
        more = constructs.get(pending.pop(), set()) - closure
        closure |= more
        pending.extend(more)
    return closure


def break_alias_cycles(aliases: Iterable[Alias]) -> None:
    """Cut aliases that mean themselves without a list, map or class between: no value tells their branches apart.

    Such an alias, and one that means such an alias, becomes the union of all the types it comes down to.
    """
    heads = {alias: [branch for branch in _branches(alias.target) if isinstance(branch, Alias)] for alias in aliases}
    users: dict[Alias, list[Alias]] = {}
    for alias, means in heads.items():
        for other in means:
            users.setdefault(other, []).append(alias)
    unsettled = {alias: sum(other in heads for other in means) for alias, means in heads.items()}
    settled = [alias for alias, count in unsettled.items() if not count]
    while settled:
        alias = settled.pop()
        del unsettled[alias]
        for user in users.get(alias, ()):
            unsettled[user] -= 1
            if not unsettled[user]:
                settled.append(user)
    targets = {alias: union(_leaves(alias, unsettled), alias.name) for alias in unsettled}
    for alias, target in targets.items():
        alias.target = target


def _branches(type_: Type) -> tuple[Type, ...]:
    return type_.branches if isinstance(type_, Union) else (type_,)


def _leaves(alias: Alias, inlined: Container[Alias]) -> list[Type]:
    leaves: list[Type] = []
    seen: set[Type] = {alias}
    pending = list(_branches(alias.target)[::-1])
    while pending:
        current = pending.pop()
        if not (isinstance(current, Alias) and current in inlined):
            leaves.append(current)
        elif current not in seen:
            seen.add(current)
            pending.extend(_branches(current.target)[::-1])
    return leaves


def _key(facets: Iterable[dict[str, Any]]) -> tuple[int, ...]:
    return tuple(id(facet) for facet in facets)


def _is_reference(node: Node, *, draft7: bool) -> bool:
    """Whether a schema is nothing but a reference; draft-07 ignores whatever stands beside one."""
    if not isinstance(node, dict) or not ("$ref" in node or "$dynamicRef" in node):
        return False
    return draft7 or not _assertions(node) - {"$ref", "$dynamicRef"}


def _assertions(node: dict[str, Any]) -> set[str]:
    """Return the keywords of a schema that say something about its values."""
    return {name for name in node if not name.startswith("x-")} - ANNOTATIONS - CONTAINERS


def _is_wrapper(node: dict[str, Any]) -> bool:
    """Whether a schema is an ``allOf`` of one, as annotations beside a reference used to be written."""
    several = node.get("allOf")
    return isinstance(several, list) and len(several) == 1 and _assertions(node) == {"allOf"}


def _properties(facet: dict[str, Any]) -> dict[str, Node]:
    properties = facet.get("properties")
    return properties if isinstance(properties, dict) else {}


def _groups(facets: Iterable[dict[str, Any]]) -> list[list[Node]]:
    return [
        facet[keyword] for facet in facets for keyword in ("anyOf", "oneOf") if isinstance(facet.get(keyword), list)
    ]


def _prefix(facet: dict[str, Any]) -> list[Node] | None:
    for keyword in ("prefixItems", "items"):
        if isinstance(facet.get(keyword), list):
            return list(facet[keyword])
    return None


def _kinds(facets: Iterable[dict[str, Any]]) -> list[str] | None:
    """Return the JSON types that every facet allows, in order; None where none is stated."""
    kinds: list[str] | None = None
    for facet in facets:
        stated = facet.get("type")
        if stated is None:
            continue
        allowed = [stated] if isinstance(stated, str) else list(stated)
        if kinds is None:
            kinds = allowed
            continue
        narrowed = [kind for kind in kinds if kind in allowed or (kind == "integer" and "number" in allowed)]
        if "number" in kinds and "integer" in allowed and "integer" not in narrowed:
            narrowed.append("integer")
        kinds = narrowed
    return kinds


def _constants(facets: Iterable[dict[str, Any]]) -> list[Any] | None:
    """Return the values that every ``enum`` and ``const`` allows, None where there is neither."""
    constants: list[Any] | None = None
    for facet in facets:
        stated = [facet["const"]] if "const" in facet else facet.get("enum")
        if not isinstance(stated, list):
            continue
        constants = stated if constants is None else _common(constants, stated)
    return constants


def _common(values: list[Any], others: list[Any]) -> list[Any]:
    scalars = {(isinstance(other, bool), other) for other in others if not isinstance(other, (list, dict))}
    return [
        value
        for value in values
        if (value in others if isinstance(value, (list, dict)) else (isinstance(value, bool), value) in scalars)
    ]


def _constant_type(constants: list[Any], kinds: list[str] | None, place: Place) -> Type:
    types: list[Type] = []
    for value in constants:
        kind, type_ = _constant(value)
        if kinds is None or kind in kinds or (kind == "integer" and "number" in kinds):
            types.append(type_)
    return union(types, place.stem)


def _constant(value: Any) -> tuple[str, Type]:
    match value:
        case None:
            return "null", NONE
        case bool():
            return "boolean", Literals((bool(value),))
        case str():
            return "string", Literals((str(value),))
        case int():
            return "integer", Literals((int(value),))
        case float():
            return ("integer", Literals((int(value),))) if value.is_integer() else ("number", FLOAT)
        case list():
            return "array", ANY_ARRAY
        case _:
            return "object", ANY_OBJECT


def _first_text(nodes: list[Node]) -> str:
    return next((text for node in nodes if (text := _text(node, "description"))), "")


def _text(node: Node, keyword: str) -> str:
    value = node.get(keyword) if isinstance(node, dict) else None
    return value if isinstance(value, str) else ""


def _description(facets: Iterable[Node], place: Place) -> str:
    described = [text for facet in facets if (text := _text(facet, "description").strip())]
    return described[0] if described else f"{place.label[0].upper()}{place.label[1:]}."
