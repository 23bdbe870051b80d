"""Types as a Python module of dataclasses, rendered by datamodel-code-generator.

It is handed a schema in which every class is a definition with its final name and every property has its final name,
and the templates in ``templates/models`` with the annotations that go there; so it decides nothing. It never sees an
annotation: it would take a class called Flag or Path in there for Python's own, and rename ours. No formatting, no
header, no import: the first is ruff's, the others follow from the types.
"""

from __future__ import annotations

import json
from collections import defaultdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolmint.assets import TEMPLATES
from toolmint.models.docstrings import attribute_docstring, docstring
from toolmint.models.literals import string_literal
from toolmint.models.types import (
    ANY,
    EXTRA,
    Alias,
    Class,
    DictOf,
    Field,
    Literals,
    Type,
    annotation,
    children,
    constructed,
    field_annotation,
    named,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_EXTRA_TEXT = "Properties that the schema allows without naming them."

_UNTYPED = {"type": "null"}

_CONVENTIONS = """
An optional property that was not sent is its default; without one it is None or, where null is a value the schema
allows, ABSENT. Both are left out of what is sent. Properties that a schema allows without naming them are in ``extra``.
Names are in snake_case; PROPERTIES has the names on the wire.
"""


_TABLE_TEXT = (
    '"""Of each class its fields: name, name on the wire (None: extra properties), what stands for not sent."""\n'
)


def render_module(
    types: Sequence[Class | Alias],
    definitions: Mapping[Class | Alias, str],
    *,
    title: str,
    runtime: str,
    homes: Mapping[Class | Alias, str] = MappingProxyType({}),
) -> str:
    """Return the source of a module that defines the types, in their order, and the table PROPERTIES.

    ``definitions`` has their source (``render_definitions``); ``title`` is the first line of the module's docstring;
    ``runtime`` is the package of the support modules as this module imports it, such as ``".runtime"``; ``homes`` are
    the modules of types that are defined elsewhere. The source is not formatted.
    """
    table = "".join(f"    {class_}: {row},\n" for class_, row in _rows(types))
    head = f'"""{title}\n{_CONVENTIONS}"""\n\nfrom __future__ import annotations\n'
    imports = _imports(types, table, runtime, homes, typing=("Final",), checked=[_PROPERTIES_IMPORT.format(runtime)])
    body = (definitions[type_] for type_ in types)
    return "\n".join([head, *imports, "", *body, f"\nPROPERTIES: Final[Properties] = {{\n{table}}}", _TABLE_TEXT])


def render_part(
    types: Sequence[Class | Alias],
    definitions: Mapping[Class | Alias, str],
    *,
    label: str,
    homes: Mapping[Class | Alias, str],
) -> str:
    """Return the source of a module in a package of models that ``render_package`` has rendered.

    ``label`` says what is in it, in some words that follow "Dataclasses of"; the others are those of
    ``render_module``. What the module defines is added to the package's table.
    """
    table = "".join(f"PROPERTIES[{class_}] = {row}\n" for class_, row in _rows(types))
    text = docstring(f"Dataclasses of {label}.", summary="Dataclasses of one tool.", indent="")
    head = f"{text}\n\nfrom __future__ import annotations\n"
    imports = _imports(types, table, "..runtime", homes)
    body = (definitions[type_] for type_ in types)
    own = "from . import PROPERTIES\n"
    return "\n".join([head, own, *imports, "", *body, table])


def render_package(homes: Mapping[Class | Alias, str], *, title: str) -> str:
    """Return the source of a package whose names are in modules of its own, each loaded when it is first needed.

    ``homes`` are the modules of its types, in order. Making a thousand dataclasses takes Python a third of a second,
    and no call needs more than a few.
    """
    lines = [
        f'"""{title}\n\nEach module is loaded when one of its names is first asked for.\n{_CONVENTIONS}"""\n',
        "from __future__ import annotations\n",
        "from importlib import import_module",
        "from typing import TYPE_CHECKING, Final\n",
        "if TYPE_CHECKING:",
        "    from ..runtime.encoding import Property",
        *(f"    from {home} import {type_.name} as {type_.name}" for type_, home in homes.items()),
        "\nPROPERTIES: Final[dict[type, tuple[Property, ...]]] = {}",
        _TABLE_TEXT,
        "_HOMES = {",
        *(f"    {string_literal(type_.name)}: {string_literal(home)}," for type_, home in homes.items()),
        "}\n\n",
        "if not TYPE_CHECKING:  # or else any name would do\n",
        "    def __getattr__(name: str) -> object:",
        "        if name not in _HOMES:",
        '            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")',
        "        value = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)",
        "        return value",
        "",
    ]
    return "\n".join(lines)


_MARK = "#\x01\n"
"""What the templates begin each definition with; nothing that comes from a manifest can contain it."""

_PROPERTIES_IMPORT = "from {}.encoding import Properties"


def _rows(types: Sequence[Class | Alias]) -> Iterator[tuple[str, str]]:
    """Yield each class's name and its row of the table PROPERTIES."""
    return ((type_.name, _row(type_)) for type_ in types if isinstance(type_, Class))


def _imports(
    types: Sequence[Class | Alias],
    table: str,
    runtime: str,
    homes: Mapping[Class | Alias, str],
    *,
    typing: Sequence[str] = (),
    checked: Sequence[str] = (),
) -> Iterator[str]:
    """Yield what a module imports; ``typing`` are more names, ``checked`` more imports for type checkers alone."""
    classes = [type_ for type_ in types if isinstance(type_, Class)]
    fields = [field for class_ in classes for field in class_.fields]
    if classes:
        yield "import dataclasses"
    shapes = {shape for type_ in types for child in children(type_) for shape in _shapes(child)}
    absent = {"ABSENT": "ABSENT" in table or any(field.sentinel for field in fields)}
    absent["Absent"] = any(field.sentinel and field.type != ANY for field in fields)
    if any(absent.values()):
        yield f"from {runtime}.absent import {', '.join(name for name, is_used in absent.items() if is_used)}"
    foreign = {name for type_ in types for child in children(type_) for name in named(child)} - set(types)
    built = {
        class_ for field in fields if field.default for class_ in constructed(field.type, field.default.expression)
    }
    lines = {type_: f"from {homes[type_]} import {type_.name}" for type_ in foreign | (built - set(types))}
    yield from sorted(lines[type_] for type_ in lines if type_ in built)
    checked = [*sorted(lines[type_] for type_ in lines if type_ not in built), *checked]
    used = {*typing, *(shapes & {"Any", "Literal"})}
    if any(isinstance(type_, Alias) for type_ in types):
        used.add("TypeAlias")
    if checked:
        used.add("TYPE_CHECKING")
    if used:
        yield f"from typing import {', '.join(sorted(used, key=lambda name: (not name.isupper(), name)))}\n"
    if checked:
        yield "\nif TYPE_CHECKING:"
        yield from (f"    {line}" for line in checked)


def _shapes(type_: Type) -> Iterator[str]:
    if type_ == ANY:
        yield "Any"
    elif isinstance(type_, Literals):
        yield "Literal"
    elif not isinstance(type_, (Class, Alias)):
        for child in children(type_):
            yield from _shapes(child)


def render_definitions(types: Sequence[Class | Alias]) -> dict[Class | Alias, str]:
    """Return the source of each type, and nothing that it needs around it."""
    if not types:
        return {}
    _, *sources = _rendered(types).split(_MARK)
    return dict(zip(types, (f"{source.strip()}\n\n" for source in sources), strict=True))


def _rendered(types: Sequence[Class | Alias]) -> str:
    # Half of the time a small project takes: imported only where it is needed.
    from datamodel_code_generator import PythonVersion
    from datamodel_code_generator.model.dataclass import DataClass, DataModelField, DataTypeManager
    from datamodel_code_generator.model.type_alias import TypeAlias
    from datamodel_code_generator.parser.jsonschema import JsonSchemaParser

    definitions: dict[str, Any] = {}
    data: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for type_ in types:
        if isinstance(type_, Alias):
            definitions[type_.name] = _UNTYPED
            data[type_.name] = _alias_data(type_)
        else:
            properties = {field.name: _UNTYPED for field in type_.fields}
            if type_.extra is not None:
                properties[EXTRA] = _UNTYPED
            definitions[type_.name] = {"type": "object", "properties": properties, "required": list(properties)}
            data[type_.name] = _class_data(type_)
    parser = JsonSchemaParser(
        json.dumps({"$defs": definitions}),
        data_model_type=DataClass,
        data_model_root_type=TypeAlias,
        data_type_manager_type=DataTypeManager,
        data_model_field_type=DataModelField,
        target_python_version=PythonVersion.PY_311,
        use_standard_collections=True,
        use_union_operator=True,
        skip_root_model=True,
        class_name=_unused_name(definitions),
        custom_template_dir=TEMPLATES / "models",
        extra_template_data=data,
    )
    return str(parser.parse(with_import=False, format_=False))


def _unused_name(names: dict[str, Any]) -> str:
    """Return a name for the root model, which is not rendered but would take its name from a class."""
    return max(names, key=len) + "Root"


def _class_data(class_: Class) -> dict[str, Any]:
    hints = [field_annotation(field) for field in class_.fields]
    assignments = [_assignment(field) for field in class_.fields]
    docstrings = [attribute_docstring(field.description) for field in class_.fields]
    if class_.extra is not None:
        hints.append(annotation(DictOf(class_.extra)))
        assignments.append(" = dataclasses.field(default_factory=dict)")
        docstrings.append(attribute_docstring(_EXTRA_TEXT))
    return {
        "mark": _MARK,
        "docstring": docstring(class_.description, summary=f"{class_.name}."),
        "hints": hints,
        "assignments": assignments,
        "docstrings": docstrings,
    }


def _alias_data(alias: Alias) -> dict[str, str]:
    text = annotation(alias.target)
    # What it names may be defined further down.
    quoted = string_literal(text) if named(alias.target) else text
    return {
        "mark": _MARK,
        "annotation": quoted,
        "docstring": docstring(alias.description, summary=f"{alias.name}.", indent=""),
    }


def _assignment(field: Field) -> str:
    if field.required:
        return ""
    if field.default is None:
        return " = ABSENT" if field.sentinel else " = None"
    if field.default.shared:
        return f" = {field.default.expression}"
    factory = {"[]": "list", "{}": "dict"}.get(field.default.expression, f"lambda: {field.default.expression}")
    return f" = dataclasses.field(default_factory={factory})"


def _row(class_: Class) -> str:
    entries = [
        (field.name, field.wire_name, "ABSENT" if field.required or field.default or field.sentinel else "None")
        for field in class_.fields
    ]
    rows = [
        f"({string_literal(name)}, {string_literal(wire_name)}, {left_out})," for name, wire_name, left_out in entries
    ]
    if class_.extra is not None:
        rows.append(f'("{EXTRA}", None, ABSENT),')
    return f"({' '.join(rows)})"
