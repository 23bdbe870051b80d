"""Dataclasses from JSON Schemas, and the code that decodes into them and encodes from them.

A schema is planned (``planning``) into a small family of Python types (``types``) with names that are final
(``names``); all else is written from those: the module of dataclasses (``rendering``), decoders (``decoding``) and
encoders (``encoding``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolmint.models.decoding import DecoderSource
from toolmint.models.encoding import EncoderSource
from toolmint.models.names import ClassNames, class_name, numbered
from toolmint.models.planning import Place, Planner, break_alias_cycles
from toolmint.models.references import SECTIONS, local_references
from toolmint.models.rendering import render_definitions, render_module, render_package, render_part
from toolmint.models.types import ANY, Alias, Class, Type, annotation, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "CodecSource",
    "FormSchema",
    "FormTypes",
    "Models",
    "ToolSchemas",
    "ToolTypes",
    "plan_models",
    "render_protocol",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchemas:
    """What a tool takes and returns."""

    name: str
    """On the wire."""
    identifier: str
    """In Python."""
    input_schema: Mapping[str, Any]
    """Self-contained, as is ``output_schema``: every reference resolves within it."""
    output_schema: Any | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecSource:
    """Top-level functions for a module of the generated package."""

    body: str
    """Python source, not formatted. Its only public name is the entry point; the others begin with an underscore."""
    imports: tuple[tuple[str, str], ...]
    """Pairs of module and name. A module that begins with a dot is relative to the generated package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTypes:
    """A tool's types in Python and the code between them and JSON."""

    input_class: str
    """Always a dataclass, even without a property."""
    output_annotation: str | None
    """Python source such as ``list[ContractHit]``; None without an output schema."""
    names: tuple[str, ...]
    """The names from models.py that a handler's signature needs."""
    typing_names: tuple[str, ...]
    """The names from ``typing`` that it needs."""
    decoder: CodecSource
    """``build_input(value) -> <input_class>`` for arguments that the input schema has accepted."""
    encoder: CodecSource
    """``encode_output(value) -> JSON value`` for anything that a handler may return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSchema:
    """What a user fills in."""

    name: str
    """Of the form; all forms of a project have different ones."""
    schema: Mapping[str, Any]
    """A flat object, without references."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormTypes:
    """The type of a form's answer in Python and the code that builds it from JSON."""

    answer_class: str
    """A dataclass with the form's fields and no others."""
    decoder: CodecSource
    """``build_answer(value) -> <answer_class>`` for content that the form's schema has accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The module ``models`` and what the tools and forms need from it."""

    source: str
    """Python source, not formatted, imports not sorted."""
    parts: Mapping[str, str]
    """Where ``models`` is a package, the source of the modules in it, by name; ``source`` is that of the package."""
    names: tuple[str, ...]
    """Its classes and type aliases."""
    tools: Mapping[str, ToolTypes]
    """By a tool's name on the wire."""
    forms: Mapping[str, FormTypes]
    """By a form's name."""


MAX_CLASSES = 100
"""How many classes and aliases one module has; where there are more, each tool's are in a module of their own."""

_TITLE = "What the tools take and return, as dataclasses."


def plan_models(
    tools: Sequence[ToolSchemas],
    definitions: Mapping[str, Any],
    forms: Sequence[FormSchema] = (),
    *,
    reserved: Iterable[str] = (),
    max_classes: int = MAX_CLASSES,
) -> Models:
    """Plan and render the dataclasses of tools' inputs and outputs, the manifest's definitions, and forms' answers.

    A tool's ``$defs`` entry that is identical to the manifest's definition of the same name, and refers to such
    entries only, is that shared class; any other becomes a class of the tool's own. ``reserved`` are further names
    that a class may not have, because ``api`` exports them. With more than ``max_classes`` classes and aliases,
    ``models`` is a package.
    """
    names = ClassNames(reserved)
    planner, shared = _plan_definitions(definitions, names)
    groups = [_Group("definitions", "what tools share", [planner])]
    roots = [
        (names.claim(f"{class_name(tool.identifier)}Input"), names.claim(f"{class_name(tool.identifier)}Output"))
        for tool in tools
    ]
    planned: list[tuple[ToolSchemas, Class, Type | None]] = []
    for tool, (input_name, output_name) in zip(tools, roots, strict=True):
        place = Place(input_name, f"the input of {tool.name}", reserved=True)
        planner = _planner(tool.input_schema, place, names, definitions, shared)
        input_class = planner.input_class()
        groups.append(_Group(tool.identifier, f"what {tool.name} takes and returns", [planner]))
        output = None
        if tool.output_schema is not None:
            place = Place(output_name, f"the output of {tool.name}", reserved=True)
            planner = _planner(tool.output_schema, place, names, definitions, shared)
            output = planner.root_type()
            groups[-1].planners.append(planner)
        planned.append((tool, input_class, output))
    groups.append(_Group("answers", "what users fill in", []))
    answers: list[tuple[FormSchema, Class]] = []
    for form in forms:
        # Last, so that a new form never renames what tools have. What a form does not ask for is of no use to anyone.
        place = Place(names.claim(class_name(form.name)), f"the answer to {form.name}", reserved=True)
        planner = Planner({**form.schema, "additionalProperties": False}, place, names)
        answers.append((form, planner.input_class()))
        groups[-1].planners.append(planner)
    order = _settled([planner for group in groups for planner in group.planners])
    source, parts = _modules(groups, order, max_classes)
    return Models(
        source=source,
        parts=parts,
        names=tuple(type_.name for type_ in order),
        tools={tool.name: _tool_types(input_class, output) for tool, input_class, output in planned},
        forms={
            form.name: FormTypes(answer_class=class_.name, decoder=_decoder(class_, "build_answer"))
            for form, class_ in answers
        },
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Types that belong together: those of the definitions, of a tool, or of the forms."""

    name: str
    label: str
    planners: list[Planner]

    def types(self) -> list[Class | Alias]:
        return [type_ for planner in self.planners for type_ in _types(planner)]


def _modules(
    groups: Sequence[_Group], order: Sequence[Class | Alias], max_classes: int
) -> tuple[str, Mapping[str, str]]:
    """Return the source of ``models``, and those of the modules in it where it is a package."""
    definitions = render_definitions(order)
    if len(order) <= max_classes:
        return render_module(order, definitions, title=_TITLE, runtime=".runtime"), {}
    parts: dict[str, _Group] = {}
    for group in groups:
        if group.types():
            # No class begins with an underscore, so none is hidden by its own module.
            parts[numbered(f"_{group.name}", set(parts), separator="_")] = group
    homes = {type_: f".{name}" for name, group in parts.items() for type_ in group.types()}
    sources = {
        name: render_part(group.types(), definitions, label=group.label, homes=homes) for name, group in parts.items()
    }
    return render_package(homes, title=_TITLE), sources


def render_protocol(definitions: Mapping[str, Any], subjects: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the source of the package ``protocol`` by file name: a revision's definitions as dataclasses.

    ``definitions`` has all of them, with references of the form ``#/$defs/X``; ``subjects`` names those of each module.
    A module imports another for type checkers alone, so that they can refer to each other.
    """
    modules = {name: subject for subject, members in subjects.items() for name in members}
    planner, _ = _plan_definitions({name: definitions[name] for name in modules}, ClassNames())
    _settled([planner])
    members: dict[str, list[Class | Alias]] = {subject: [] for subject in subjects}
    for name, subject in modules.items():
        members[subject] += planner.definition_types.get((SECTIONS[0], name), [])
    homes = {type_: f".{subject}" for subject, types in members.items() for type_ in types}
    rendered = render_definitions(list(homes))
    sources = {
        f"{subject}.py": render_module(
            types, rendered, title=f"Definitions of the protocol: {subject}.", runtime="..runtime", homes=homes
        )
        for subject, types in members.items()
    }
    return {"__init__.py": '"""The protocol\'s messages, their parts and its errors, as dataclasses."""\n', **sources}


def _plan_definitions(definitions: Mapping[str, Any], names: ClassNames) -> tuple[Planner, dict[str, Type]]:
    """Return a planner that has planned the definitions, and their types."""
    section = SECTIONS[0]
    places = {
        (section, name): Place(names.claim(class_name(name)), f"the definition {name}", reserved=True, alias=True)
        for name in definitions
    }
    planner = Planner({section: definitions}, Place("", "the definitions"), names, places=places)
    return planner, {name: planner.definition(section, name) for name in definitions}


def _planner(
    schema: Any, place: Place, names: ClassNames, definitions: Mapping[str, Any], shared: Mapping[str, Type]
) -> Planner:
    return Planner(schema, place, names, shared=_shared(schema, definitions, shared))


def _settled(planners: Sequence[Planner]) -> list[Class | Alias]:
    """Finish what needs all the types, and return them in order."""
    order: list[Class | Alias] = []
    for planner in planners:
        order += _types(planner)
    break_alias_cycles(type_ for type_ in order if isinstance(type_, Alias))
    constructs: dict[Class, set[Class]] = {}
    for planner in planners:
        planner.settle_defaults(constructs)
    return order


def _types(planner: Planner) -> list[Class | Alias]:
    return [*planner.types, *(type_ for types in planner.definition_types.values() for type_ in types)]


def _shared(schema: Any, definitions: Mapping[str, Any], types: Mapping[str, Type]) -> dict[str, Type]:
    """Return the types of a schema's own definitions that mean the manifest's, whatever they refer to included."""
    own = schema.get(SECTIONS[0]) if isinstance(schema, dict) else None
    if not isinstance(own, dict):
        return {}
    shared = {name for name, node in own.items() if name in definitions and node == definitions[name]}
    prefix = f"#/{SECTIONS[0]}/"
    needs = {name: local_references(own[name]) for name in shared}
    while True:
        foreign = {
            name
            for name in shared
            if any(
                not (reference.startswith(prefix) and reference[len(prefix) :] in shared) for reference in needs[name]
            )
        }
        if not foreign:
            return {name: types[name] for name in own if name in shared}
        shared -= foreign


def _tool_types(input_class: Class, output: Type | None) -> ToolTypes:
    text = None if output is None else annotation(output)
    output_names = [] if output is None else [type_.name for type_ in named(output)]
    words = set(text.replace("[", " ").replace("]", " ").replace(",", " ").split()) if text else set()
    return ToolTypes(
        input_class=input_class.name,
        output_annotation=text,
        names=tuple(dict.fromkeys([input_class.name, *output_names])),
        typing_names=tuple(name for name in ("Any", "Literal") if name in words),
        decoder=_decoder(input_class, "build_input"),
        encoder=_encoder(ANY if output is None else output),
    )


def _decoder(class_: Class, entry: str) -> CodecSource:
    decoder = DecoderSource(class_)
    head = f"def {entry}(value: dict[str, Any]) -> {class_.name}:\n    return {decoder.entry}(value)\n"
    imports = [(".models", class_.name) for class_ in decoder.classes]
    if decoder.uses_absent:
        imports.append((".runtime.absent", "ABSENT"))
    return CodecSource(
        body=f"{head}\n\n{decoder.source()}",
        imports=tuple(sorted([*imports, ("typing", "Any")])),
    )


def _encoder(output: Type) -> CodecSource:
    encoder = EncoderSource(output)
    imports = [(".models", "PROPERTIES"), (".runtime.encoding", "encode"), ("typing", "Any")]
    if not encoder.classes:
        return CodecSource(
            body="def encode_output(value: object) -> Any:\n    return encode(value, PROPERTIES)\n",
            imports=tuple(imports),
        )
    imports += [(".models", class_.name) for class_ in encoder.classes]
    if encoder.uses_absent:
        imports.append((".runtime.absent", "ABSENT"))
    if "ATOMS" in encoder.expression + encoder.source():
        imports.append((".runtime.encoding", "ATOMS"))
    body = f"""def encode_output(value: Any) -> Any:
    try:
        return {encoder.expression}
    except (AttributeError, TypeError, ValueError):
        pass  # this says where in the value it went wrong:
    return encode(value, PROPERTIES)


{encoder.source()}"""
    return CodecSource(body=body, imports=tuple(sorted(imports)))
