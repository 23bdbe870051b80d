"""Schemas as they go out: every reference resolved, every schema used carried along, nothing else changed.

A reference is looked for

1. in the schema itself: JSON pointers, anchors, embedded resources (``$id``);
2. where it is ``#/$defs/NAME`` and the schema has no such definition, in the manifest's ``$defs``;
3. where it is a relative path, in that file, which must be inside the manifest's folder.

What is found by 2 and 3 is carried in the outgoing schema's ``$defs``, together with all that it uses in turn. A
carried schema keeps its name unless another one has it already, loses its ``$id`` (its references would stop at it),
and has its references rewritten where they must be.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from toolmint.manifest.model import JSONObject, Schema
from toolmint.manifest.positions import Path, path_of, pointer_of
from toolmint.manifest.references import Scope, descend, value_at
from toolmint.manifest.source import MAX_PROBLEMS, ManifestError
from toolmint.manifest.text import Place, Text, file_beside, read_text
from toolmint.manifest.wording import did_you_mean, shown
from toolmint.problems import Problem

_METASCHEMAS = ("https://json-schema.org/draft/2020-12/", "http://json-schema.org/draft-07/schema")
"""Documents that a reference may name although they are on the network: every implementation has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """An outgoing schema.

    Attributes:
        place: What it was made from.
        carried: What its carried schemas were made from, by their name in its ``$defs``.
        entered: Names of the carried schemas of which a reference takes only a part.
    """

    schema: Schema
    place: Place
    carried: dict[str, Place]
    entered: frozenset[str]

    @property
    def units(self) -> dict[str, Place]:
        """What it is made of: itself under the empty name, unless it is only definitions, and what it carries."""
        return {"": self.place, **self.carried} if self.place.path else self.carried

    def without(self, names: set[str]) -> Schema:
        """Return the schema with the definitions of some names emptied, except those a reference goes into."""
        emptied: JSONObject = {name: {} for name in names - self.entered}
        if not emptied or not isinstance(self.schema, dict):
            return self.schema
        return {**self.schema, "$defs": {**self.schema["$defs"], **emptied}}

    def origin(self, pointer: str | Path) -> Place:
        """Return what a pointer into the outgoing schema points at in the files it was made from."""
        path = path_of(pointer)
        if len(path) > 1 and path[0] == "$defs" and path[1] in self.carried:
            text, start = self.carried[str(path[1])]
            return Place(text, start + path[2:])
        return Place(self.place.text, self.place.path + path)


class _Target(NamedTuple):
    """What a reference means: a path in the schema it is in (``place`` is None), or in one that is to be carried."""

    place: Place | None
    rest: Path


class _Unit(NamedTuple):
    """A schema that is carried, or goes out, as a whole, and what its references mean."""

    schema: Schema
    targets: dict[Path, _Target]

    def rewritten(self, names: "_Names", root: Path) -> Schema:
        """Return the schema as it reads where it stands at the path ``root`` of an outgoing one."""
        changes = {}
        for path, (place, rest) in self.targets.items():
            target = ("$defs", names.add(place), *rest) if place is not None else (*root, *rest)
            if rest and len(target) > 2 and target[0] == "$defs":
                names.entered.add(str(target[1]))
            if pointer_of(target) != unquote(value_at(self.schema, path)[1:]):
                changes[path] = _reference(target)
        schema: Schema = _replaced(self.schema, changes)
        return schema


class _Names:
    """The names under which an outgoing schema carries what is not its own."""

    def __init__(self, own: JSONObject) -> None:
        self.places: dict[str, Place] = {}
        self._own = own
        self.entered: set[str] = set()
        self._by_place: dict[Place, str] = {}

    def add(self, place: Place) -> str:
        """Return the name of a carried schema: its own, or that with the first number that makes it free."""
        if place not in self._by_place:
            wanted = str(place.path[-1]) if place.path else FilePath(place.text.source.label).stem
            name, number = wanted, 1
            while name in self._own or name in self.places:
                number += 1
                name = f"{wanted}_{number}"
            self._by_place[place] = name
            self.places[name] = place
        return self._by_place[place]


class Bundler:
    """Makes the outgoing schemas of one manifest; a reference that cannot be resolved is left as it is."""

    def __init__(self, manifest: Text) -> None:
        self._problems: list[Problem] = []
        self._manifest = manifest
        definitions = manifest.value.get("$defs")
        self._definitions: JSONObject = definitions if isinstance(definitions, dict) else {}
        self._root = manifest.folder.resolve()
        self._files: dict[FilePath, Text | Problem] = {self._root / FilePath(manifest.source.label).name: manifest}
        self._scopes: dict[Place, Scope] = {}
        self._units: dict[Place, _Unit] = {}

    def bundle(self, path: Path) -> Bundle:
        """Return the schema at a path of the manifest as it goes out."""
        place = Place(self._manifest, path)
        unit = self._unit(place)
        own = unit.schema.get("$defs", {}) if isinstance(unit.schema, dict) else {}
        names = _Names(own if isinstance(own, dict) else {})
        schema = unit.rewritten(names, ())
        carried = self._carried(names)
        if carried and isinstance(schema, dict) and isinstance(own, dict):
            schema = {**schema, "$defs": {**schema.get("$defs", {}), **carried}}
        return Bundle(schema=schema, place=place, carried=names.places, entered=frozenset(names.entered))

    def definitions(self, chosen: Iterable[str]) -> Bundle:
        """Return a schema that just uses definitions of the manifest, and so carries them and all that they use."""
        names = _Names({})
        uses = [{"$ref": _reference(("$defs", names.add(Place(self._manifest, ("$defs", name)))))} for name in chosen]
        schema = {"allOf": uses, "$defs": self._carried(names)} if uses else {"$defs": {}}
        place = Place(self._manifest, ())
        return Bundle(schema=schema, place=place, carried=names.places, entered=frozenset(names.entered))

    def take_problems(self) -> list[Problem]:
        """Return what is wrong with references and has not been returned before."""
        problems, self._problems = self._problems, []
        return problems

    def schemas(self) -> Iterator[tuple[Place, JSONObject]]:
        """Yield every object schema, however deep, of all that has been bundled."""
        for place, scope in self._scopes.items():
            for path, schema in scope.schemas.items():
                yield Place(place.text, place.path + path), schema

    def _carried(self, names: _Names) -> dict[str, Schema]:
        carried: dict[str, Schema] = {}
        while len(carried) < len(names.places):
            for name, place in list(names.places.items())[len(carried) :]:
                schema = self._unit(place).rewritten(names, ("$defs", name))
                if isinstance(schema, dict) and "$id" in schema:
                    schema = {keyword: value for keyword, value in schema.items() if keyword != "$id"}
                carried[name] = schema
        return carried

    def _unit(self, place: Place) -> _Unit:
        """Return the schema at a place with its references resolved."""
        if place in self._units:
            return self._units[place]
        text, path = place
        # In the manifest each schema is a document of its own; any other file is one as a whole.
        base, start = (path, ()) if text is self._manifest else ((), path)
        scope = self._scope(Place(text, base))
        scope.walk(start)
        unit = self._units[place] = _Unit(value_at(text.value, path), {})
        for at, reason in scope.faults.items():
            self._problems.append(_bad_uri(Place(text, base + at), reason))
        seen = 0
        while seen < len(scope.references):
            for at, (reference, resource) in list(scope.references.items())[seen:]:
                seen += 1
                if at[: len(start)] != start or len(self._problems) > MAX_PROBLEMS:
                    continue
                try:
                    target = self._target(reference, resource, scope, Place(text, base + at))
                except ManifestError as error:
                    self._problems.extend(error.problems)
                    continue
                except ValueError as error:
                    self._problems.append(_bad_uri(Place(text, base + at), str(error)))
                    continue
                if target is not None:
                    unit.targets[at[len(start) :]] = target
                    if target.place is None:
                        scope.walk(target.rest)
        return unit

    def _scope(self, place: Place) -> Scope:
        if place not in self._scopes:
            self._scopes[place] = Scope(value_at(place.text.value, place.path))
            self._scopes[place].walk()
        return self._scopes[place]

    def _target(self, reference: str, resource: Path, scope: Scope, at: Place) -> _Target | None:
        """Return what a reference means; None where it may stay as it is wherever the schema goes.

        Raises:
            ManifestError: It means nothing.
        """
        address, fragment = urldefrag(urljoin(scope.bases[resource], reference))
        if reference.startswith("#"):
            return self._inside(reference, reference[1:], resource, scope, at)
        if address in scope.resources:
            return self._inside(reference, fragment, scope.resources[address], scope, at)
        if address.startswith(_METASCHEMAS):
            return None
        address, fragment = urldefrag(reference)
        if urlsplit(address).scheme or urlsplit(address).netloc:
            raise _refused(
                at,
                "network-reference",
                f"{shown(reference)} would have to be fetched, and references never are",
                "save the schema beside the manifest and refer to it as ./FILE, or copy it into $defs",
            )
        text = self._file(address, at)
        if text is self._manifest:
            target = self._definition(fragment)
        else:
            path = self._scope(Place(text, ())).locate((), fragment)
            target = None if path is None else self._part(text, path)
        if target is None:
            raise self._dangling(reference, fragment, text.value, at)
        return target

    def _inside(self, reference: str, fragment: str, resource: Path, scope: Scope, at: Place) -> _Target | None:
        """Return what a reference within one document means."""
        path = scope.locate(resource, fragment)
        if path is None:
            if at.text is self._manifest and not resource and (target := self._definition(fragment)):
                return target
            raise self._dangling(reference, fragment, value_at(scope.root, resource), at)
        if resource:
            return None
        if at.text is not self._manifest:
            return self._part(at.text, path)
        return _Target(None, path) if not fragment or fragment.startswith("/") else None

    def _definition(self, fragment: str) -> _Target | None:
        """Return the definition of the manifest that a pointer ``/$defs/NAME/…`` means."""
        path = descend(self._manifest.value, path_of(unquote(fragment)))
        if path is None or len(path) < 2 or path[0] != "$defs":
            return None
        return _Target(Place(self._manifest, path[:2]), path[2:])

    def _part(self, text: Text, path: Path) -> _Target:
        """Return a path in another file as a part of what is carried of it: a definition, or else just that."""
        size = 2 if path[:1] in (("$defs",), ("definitions",)) else len(path)
        return _Target(Place(text, path[:size]), path[size:])

    def _dangling(self, reference: str, fragment: str, root: Any, at: Place) -> ManifestError:
        """Return the problem of a reference to nothing, with the names that there are."""
        path = path_of(unquote(fragment))
        depth = next((size for size in range(len(path)) if descend(root, path[: size + 1]) is None), None)
        known: list[str] = []
        missing = fragment
        if depth is not None:
            parent = value_at(root, descend(root, path[:depth]) or ())
            missing, known = str(path[depth]), list(parent) if isinstance(parent, dict) else []
            if path[0] == "$defs" and len(path) > 1 and depth < 2 and at.text is self._manifest and reference[0] == "#":
                missing, known = str(path[1]), [*(known if depth else []), *self._definitions]
        elif root is self._manifest.value:
            return _refused(
                at,
                "dangling-reference",
                f"{shown(reference)} is not a definition; of a manifest only what is under $defs can be shared",
                "move the schema to $defs",
            )
        hint = did_you_mean(missing, known, otherwise="there are") if known else ""
        return _refused(at, "dangling-reference", f"{shown(reference)} points at nothing", hint)

    def _file(self, address: str, at: Place) -> Text:
        """Return the file that a relative reference names.

        Raises:
            ManifestError: It is outside the manifest's folder, or cannot be used.
        """
        path = file_beside(self._manifest, at, unquote(address))
        if path not in self._files:
            label = FilePath(self._manifest.source.label).parent / path.relative_to(self._root)
            try:
                self._files[path] = text = read_text(path, str(label))
                self._problems.extend(text.problems)
            except ManifestError as error:
                self._files[path] = error.problems[0]
                self._problems.extend(problem for problem in error.problems if problem.line is not None)
        file = self._files[path]
        if isinstance(file, Problem):
            raise _refused(
                at,
                "reference-file",
                f"{shown(address)} cannot be used: {file.message}",
                "a reference to a file is ./FILE#/$defs/NAME, relative to the file it stands in",
            )
        return file


def _reference(path: Path) -> str:
    """Return the reference to a path in the same document: a JSON pointer as a URI fragment (RFC 6901 section 6)."""
    return "#" + quote(pointer_of(path), safe="/~!$&'()*+,;=:@?")


def _bad_uri(at: Place, reason: str) -> Problem:
    written = value_at(at.text.value, at.path)
    return at.text.problem("bad-reference", f"{shown(written)} is no URI reference: {reason}", at.path)


def _refused(at: Place, code: str, message: str, hint: str) -> ManifestError:
    return ManifestError([at.text.problem(code, message, at.path, hint)])


def _replaced(value: Any, changes: dict[Path, Any]) -> Any:
    """Return a value with others in the place of some that are in it; the value itself is left as it is."""
    if not changes:
        return value
    if () in changes:
        return changes[()]
    below: dict[str | int, dict[Path, Any]] = {}
    for path, change in changes.items():
        below.setdefault(path[0], {})[path[1:]] = change
    if isinstance(value, list):
        return [_replaced(item, below.get(index, {})) for index, item in enumerate(value)]
    return {key: _replaced(item, below.get(key, {})) for key, item in value.items()}
