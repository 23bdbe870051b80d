"""Python source that builds a dataclass from a JSON value which has been validated: straight lines, no look-up.

A decoder trusts the validator: a required property is there, a string is a string. All that is left to do is to build,
to fill in defaults, to turn 5.0 into 5 where an integer is declared, and to find the branch of a union.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolmint.models.literals import literal, string_literal
from toolmint.models.names import numbered, snake
from toolmint.models.types import (
    ANY,
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
    Primitive,
    TupleOf,
    Type,
    Union,
    annotation,
    children,
    constructed,
    expand,
    named,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    argument: str
    returns: Type
    body: str

    def source(self, importable: Collection[Class]) -> str:
        # An import for an annotation alone is not worth having.
        known = all(isinstance(type_, Class) and type_ in importable for type_ in named(self.returns))
        literal = "Literal[" in annotation(self.returns)
        returns = annotation(self.returns) if known and not literal else "Any"
        return f"def {self.name}({self.argument}) -> {returns}:\n{self.body}\n"


_WHOLE = _Function("_whole", "value: Any", ANY, "    return int(value) if type(value) is float else value")
"""For constants: ``int`` would lose their type."""


class DecoderSource:
    """The functions that decode one class and everything it reaches."""

    def __init__(self, root: Class) -> None:
        self.root = root
        self.classes: dict[Class, None] = {}
        """What models.py has to provide."""
        self.uses_absent = False
        self._functions: dict[str, _Function | None] = {}
        self._named: dict[tuple[str, Class | Alias], str] = {}
        self._known_keys: dict[Class, str] = {}
        self._constants: list[str] = []
        self._chosen: dict[tuple[Type, ...], str] = {}
        self._pending: list[Callable[[], _Function]] = []
        self.entry = self._build(root)
        while self._pending:
            function = self._pending.pop()()
            self._functions[function.name] = function

    def source(self) -> str:
        """Return the functions, callers before what they call; the first takes the whole value."""
        functions = [function.source(self.classes) for function in self._functions.values() if function is not None]
        return "\n\n".join([*functions, *self._constants])

    # -- building ------------------------------------------------------------------------------------------------

    def _decode(self, type_: Type, value: str, depth: int = 0) -> str:
        """Return an expression for the decoded value; the expression ``value`` itself where nothing is to be done.

        ``value`` is an expression that is cheap to repeat.
        """
        item = f"item{depth or ''}"
        match type_:
            case Primitive("int"):
                return f"int({value})"
            case Literals(values) if any(type(constant) is int for constant in values):
                self._functions.setdefault("_whole", _WHOLE)
                return f"_whole({value})"
            case ListOf(inner):
                decoded = self._decode(inner, item, depth + 1)
                return value if decoded == item else f"[{decoded} for {item} in {value}]"
            case DictOf(inner):
                decoded = self._decode(inner, item, depth + 1)
                return value if decoded == item else f"{{key: {decoded} for key, {item} in {value}.items()}}"
            case TupleOf(items):
                decoded_items = [self._decode(inner, item, depth + 1) for inner in items]
                if len(set(decoded_items)) == 1:
                    one = decoded_items[0]
                    return f"tuple({value})" if one == item else f"tuple([{one} for {item} in {value}])"
                parts = [
                    f"*[{decoded} for {item} in {value}[{index}:{index + 1}]]"
                    for index, decoded in enumerate(decoded_items)
                ]
                return f"({', '.join(parts)}, *{value}[{len(items)}:])" if parts else f"tuple({value})"
            case Class():
                return f"{self._build(type_)}({value})"
            case Alias():
                if _is_identity(type_):
                    return value
                return f"{self._alias(type_)}({value})"
            case Union(branches):
                return self._decode_union(branches, type_.place, value, depth)
            case _:
                return value

    def _decode_union(self, branches: tuple[Type, ...], place: str, value: str, depth: int) -> str:
        some = [branch for branch in branches if branch != NONE]
        active = [branch for branch in some if not _is_identity(branch)]
        if not active:
            return value
        if len(some) == 1:
            decoded = self._decode(some[0], value, depth)
            return f"({decoded} if {value} is not None else None)"
        if len(active) == 1 and (test := _only_test(active[0], some, value)):
            return f"({self._decode(active[0], value, depth)} if {test} else {value})"
        return f"{self._choose(branches, place)}({value})"

    def _function(self, prefix: str, type_: Class | Alias) -> tuple[str, bool]:
        """Return the name of the function that does something with a type, and whether it is yet to be written."""
        function = self._named.get((prefix, type_))
        if function is not None:
            return function, False
        function = self._named[prefix, type_] = self._new_function(f"_{prefix}_{snake(type_.name)}")
        return function, True

    def _new_function(self, name: str) -> str:
        # Names that differ in case alone, as IOThing and IoThing, are the same in snake case.
        function = numbered(name, set(self._functions), separator="_")
        self._functions[function] = None
        return function

    def _build(self, class_: Class) -> str:
        function, new = self._function("build", class_)
        if new:
            self.classes[class_] = None
            self._pending.append(lambda: self._build_function(function, class_))
        return function

    def _build_function(self, function: str, class_: Class) -> _Function:
        lines = [f"    {field.name}={self._argument(field)}," for field in class_.fields]
        if class_.extra is not None:
            lines.append(f"    {EXTRA}={self._extra(class_, class_.extra)},")
        arguments = "\n    ".join(["", *lines, ""]) if lines else ""
        argument = f"{'value' if lines else '_value'}: dict[str, Any]"
        return _Function(function, argument, class_, f"    return {class_.name}({arguments})")

    def _argument(self, field: Field) -> str:
        key = string_literal(field.wire_name)
        sent = f"value[{key}]"
        decoded = self._decode(field.type, sent)
        if field.required:
            return decoded
        if field.default is not None:
            missing = field.default.expression
            self.classes |= dict.fromkeys(constructed(field.type, missing))
        else:
            missing = "ABSENT" if field.sentinel else "None"
            self.uses_absent = self.uses_absent or field.sentinel
        if decoded == sent:
            return f"value.get({key})" if missing == "None" else f"value.get({key}, {missing})"
        return f"{decoded} if {key} in value else {missing}"

    def _extra(self, class_: Class, extra: Type) -> str:
        decoded = self._decode(extra, "item")
        if not class_.fields:
            return self._decode(DictOf(extra), "value") if decoded != "item" else "dict(value)"
        return f"{{key: {decoded} for key, item in value.items() if key not in {self._known(class_)}}}"

    def _known(self, class_: Class) -> str:
        if class_ not in self._known_keys:
            taken = set(self._known_keys.values())
            constant = self._known_keys[class_] = numbered(f"_{snake(class_.name).upper()}_KEYS", taken, separator="_")
            names = ", ".join(string_literal(field.wire_name) for field in class_.fields)
            self._constants.append(f"{constant} = frozenset(({names},))\n")
        return self._known_keys[class_]

    def _alias(self, alias: Alias) -> str:
        function, new = self._function("build", alias)
        if new:
            self._pending.append(lambda: self._alias_function(function, alias))
        return function

    def _alias_function(self, function: str, alias: Alias) -> _Function:
        return _Function(function, "value: Any", ANY, f"    return {self._decode(alias.target, 'value')}")

    def _choose(self, branches: tuple[Type, ...], place: str) -> str:
        """Return the name of a function that finds the branch a value belongs to, and builds it."""
        known = self._chosen.get(branches)
        if known is not None:
            return known
        function = self._chosen[branches] = self._new_function(f"_choose_{snake(place)}")
        self._pending.append(lambda: self._choose_function(function, branches))
        return function

    def _choose_function(self, function: str, branches: tuple[Type, ...]) -> _Function:
        lines = []
        classes = [branch for branch in map(expand, branches) if isinstance(branch, Class)]
        tag = _tag(classes) if len(classes) > 1 else None
        active = [branch for branch in branches if not _is_identity(branch)]
        for index, branch in enumerate(active):
            decoded = self._decode(branch, "value")
            expanded = expand(branch)
            if index == len(active) - 1 and len(active) == len(branches):
                lines.append(f"    return {decoded}")
                break
            if tag and isinstance(expanded, Class):
                test = f"type(value) is dict and value.get({string_literal(tag)}) {_among(_constants(expanded, tag))}"
            else:
                test = self._fits(branch, "value")
            lines.append(f"    if {test}:\n        return {decoded}")
        certain = lines[-1].startswith("    return")
        if not certain:
            lines.append("    return value")
        return _Function(function, "value: Any", Union(branches) if certain else ANY, "\n".join(lines))

    # -- recognizing ---------------------------------------------------------------------------------------------

    def _fits(self, type_: Type, value: str, depth: int = 0) -> str:
        """Return a condition that holds for the values of a type, as far as structure goes."""
        item = f"item{depth or ''}"
        match type_:
            case Primitive("Any"):
                return "True"
            case Primitive("None"):
                return f"{value} is None"
            case Primitive("float"):
                return f"type({value}) in (int, float)"
            case Primitive("int"):
                return f"(type({value}) is int or (type({value}) is float and {value}.is_integer()))"
            case Primitive(name):
                return f"type({value}) is {name}"
            case Literals(values):
                return _fits_constants(values, value)
            case ListOf(inner):
                return f"(type({value}) is list{self._all(inner, item, value, depth)})"
            case DictOf(inner):
                return f"(type({value}) is dict{self._all(inner, item, f'{value}.values()', depth)})"
            case TupleOf(items):
                checks = [self._fits(inner, f"{value}[{index}]", depth) for index, inner in enumerate(items)]
                checks = [check for check in checks if check != "True"]
                return f"({' and '.join([f'type({value}) is list', f'len({value}) == {len(items)}', *checks])})"
            case Union(branches):
                return f"({' or '.join(self._fits(branch, value, depth) for branch in branches)})"
            case Alias():
                return f"{self._fits_alias(type_)}({value})"
            case Class():
                return f"{self._fits_class(type_)}({value})"

    def _all(self, inner: Type, item: str, values: str, depth: int) -> str:
        check = self._fits(inner, item, depth + 1)
        return "" if check == "True" else f" and all({check} for {item} in {values})"

    def _fits_alias(self, alias: Alias) -> str:
        function, new = self._function("fits", alias)
        if new:
            self._pending.append(lambda: self._fits_alias_function(function, alias))
        return function

    def _fits_alias_function(self, function: str, alias: Alias) -> _Function:
        check = self._fits(alias.target, "value")
        argument = "_value" if check == "True" else "value"
        return _Function(function, f"{argument}: Any", BOOL, f"    return {check}")

    def _fits_class(self, class_: Class) -> str:
        function, new = self._function("fits", class_)
        if new:
            self._pending.append(lambda: self._fits_class_function(function, class_))
        return function

    def _fits_class_function(self, function: str, class_: Class) -> _Function:
        checks = ["type(value) is dict"]
        for field in class_.fields:
            key = string_literal(field.wire_name)
            check = self._fits(field.type, f"value[{key}]")
            if field.required:
                checks.append(f"{key} in value" + ("" if check == "True" else f" and {check}"))
            elif check != "True":
                checks.append(f"({key} not in value or {check})")
        if class_.closed:
            checks.append(f"value.keys() <= {self._known(class_)}" if class_.fields else "not value")
        condition = "\n        and ".join(checks)
        return _Function(function, "value: Any", BOOL, f"    return (\n        {condition}\n    )")


def _is_identity(type_: Type) -> bool:
    """Whether a decoded value is the value itself."""
    seen: set[Alias] = set()
    pending = [type_]
    while pending:
        current = pending.pop()
        if isinstance(current, Alias):
            if current not in seen:
                seen.add(current)
                pending.append(current.target)
        elif isinstance(current, (ListOf, DictOf, Union)):
            pending.extend(children(current))
        elif isinstance(current, Literals):
            if any(type(constant) is int for constant in current.values):
                return False
        elif current not in (STR, BOOL, FLOAT, NONE, ANY):
            return False
    return True


def _only_test(branch: Type, branches: Iterable[Type], value: str) -> str | None:
    """Return a test on the type of a value that tells one branch from the others, if there is one."""
    kinds = _python_types(branch)
    others = [kind for other in branches if other is not branch for kind in _python_types(other)]
    if len(kinds) != 1 or "Any" in others:
        return None
    if branch == INT or isinstance(branch, Literals):
        return f"type({value}) is float" if "float" not in others else None
    return f"type({value}) is {kinds[0]}" if kinds[0] not in others else None


def _python_types(type_: Type) -> list[str]:
    match expand(type_):
        case Primitive(name):
            return [name]
        case Literals(values):
            return sorted({type(constant).__name__ for constant in values})
        case ListOf() | TupleOf():
            return ["list"]
        case DictOf() | Class():
            return ["dict"]
        case Union(branches):
            return [kind for branch in branches for kind in _python_types(branch)]
        case Alias():
            return ["Any"]


def _constants(class_: Class, wire_name: str) -> tuple[str | int | bool, ...]:
    for field in class_.fields:
        expanded = expand(field.type)
        if field.wire_name == wire_name and field.required and isinstance(expanded, Literals):
            return expanded.values
    return ()


def _tag(classes: list[Class]) -> str | None:
    """Return the property whose constants tell the classes apart, on the wire; None if there is none."""
    for field in classes[0].fields:
        constants = [_constants(class_, field.wire_name) for class_ in classes]
        flat = [value for values in constants for value in values]
        if all(constants) and all(isinstance(value, str) for value in flat) and len(set(flat)) == len(flat):
            return field.wire_name
    return None


def _among(values: tuple[str | int | bool, ...]) -> str:
    return f"== {literal(values[0])}" if len(values) == 1 else f"in ({', '.join(map(literal, values))})"


def _fits_constants(values: tuple[str | int | bool, ...], value: str) -> str:
    strings = tuple(constant for constant in values if isinstance(constant, str))
    booleans = tuple(constant for constant in values if isinstance(constant, bool))
    integers = tuple(constant for constant in values if not isinstance(constant, (str, bool)))
    checks = []
    if strings:
        checks.append(f"(type({value}) is str and {value} {_among(strings)})")
    if booleans:
        checks.append(f"{value} is {booleans[0]}" if len(booleans) == 1 else f"type({value}) is bool")
    if integers:
        checks.append(f"(type({value}) in (int, float) and {value} {_among(integers)})")
    return checks[0] if len(checks) == 1 else f"({' or '.join(checks)})"
