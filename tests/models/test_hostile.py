"""A manifest is text that nobody has looked at: wherever it ends up in Python source, it stays text."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from models import generated
from models.built import an_object, build
from toolmint.models import ToolSchemas, plan_models, render_protocol

PAYLOADS = [
    '"""\nraise SystemExit("injected")\n"""',
    "'''\nraise SystemExit('injected')\n'''",
    '"); raise SystemExit("injected")  #',
    "'); raise SystemExit('injected')  #",
    "\\",
    '\\"; raise SystemExit("injected")',
    "x\nraise SystemExit('injected')",
    "x\r\nraise SystemExit('injected')",
    "{{ 7 * 7 }}{% for x in y %}",
    "{value!r}{0}%s",
    "\x00\x1b[2J",
    "\ud800\udfff",
    "\u202e\u2066",
    "\u2028raise SystemExit('injected')",
    "__class__",
    "lambda: 0",
    "]; raise SystemExit('injected')",
    "Any] | exec('raise SystemExit')",
    "#",
    "a" * 10_000,
    "日本語 ﬁ İ ß",
]
SOME = [*PAYLOADS[:1], *PAYLOADS[5:8], *PAYLOADS[11:13]]


def places(text: str) -> Iterator[tuple[str, Any]]:
    """Yield an input schema with the text in each place that has one."""
    string = {"type": "string"}
    yield "property", an_object({text: string, "b": {"type": ["integer", "null"]}})
    yield "required", {"type": "object", "required": [text]}
    yield "nested", an_object({text: an_object({text: string}, text)}, text)
    yield "description", an_object({"a": {**string, "description": text}}, description=text, title=text)
    yield "enum", an_object({"a": {"enum": [text, 1, f"{text}2"], "description": f"x{text}"}})
    yield "const", an_object({"a": {"const": text}}, "a")
    yield "default", an_object({"a": {**string, "default": text}, "b": {"default": {text: [text]}}})
    yield "default object", an_object({"a": {**an_object({text: string}), "default": {text: text}}})
    yield (
        "definition",
        an_object({"a": {"$ref": "#/$defs/" + _pointer(text)}}, **{"$defs": {text: an_object({"x": string})}}),
    )
    yield "alias", an_object({"a": {"$ref": "#/$defs/" + _pointer(text)}}, **{"$defs": {text: {"const": text}}})
    yield "extra", an_object({text: string}, additionalProperties={"enum": [text]})
    branches = [an_object({text: {"const": word}, "n": string}, text) for word in (text, f"{text}2")]
    yield "tag", an_object({"a": {"oneOf": branches}}, "a")
    yield (
        "structure",
        an_object({"a": {"oneOf": [an_object({text: string}, text), an_object({"n": string}, "n")]}}, "a"),
    )
    yield "pattern", an_object({"a": {"type": "object", "patternProperties": {text: string}, "$comment": text}})
    yield "reference", an_object({"a": {"$ref": text}, "b": {"$dynamicRef": text}})
    yield (
        "unknown keyword",
        an_object({"a": {text: text, "x-python-type": text, "customTypePath": text, "format": text}}),
    )


def _pointer(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1").replace("%", "%25")


PLACES = [place for place, _ in places("")]


@pytest.mark.parametrize("place", PLACES)
def test_text_in_any_place_stays_text(tmp_path: Path, place: str) -> None:
    for number, payload in enumerate(PAYLOADS):
        schema = dict(places(payload))[place]
        folder = tmp_path / str(number)
        folder.mkdir()
        built = build(folder, schema, output=schema, definitions={payload: schema})
        sources = [built.planned.source, *(codec.body for codec in _codecs(built.planned))]
        for source in sources:
            source.encode("utf-8")
            assert not _calls(source) & {"SystemExit", "exec"}
        assert built.models.PROPERTIES


def _codecs(planned: Any) -> Iterator[Any]:
    for tool in planned.tools.values():
        yield from (tool.decoder, tool.encoder)


def _calls(source: str) -> set[str]:
    nodes = ast.walk(ast.parse(source))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def test_text_in_the_name_of_a_tool_stays_text(tmp_path: Path) -> None:
    for number, payload in enumerate(PAYLOADS):
        tool = ToolSchemas(name=payload, identifier="tool", input_schema={"type": "object"})
        planned = plan_models([tool], {})
        generated.load(generated.write_package(tmp_path / str(number), f"named_{number}", planned), "models")


def test_text_in_a_revision_stays_text() -> None:
    for payload in PAYLOADS:
        definitions = {"A": {**an_object({payload: {"const": payload}}, payload), "description": payload}}
        source = render_protocol(definitions, {"subject": ["A"]})["subject.py"]
        assert not _calls(source) & {"SystemExit", "exec"}


def test_hostile_names_come_back_as_they_were(tmp_path: Path) -> None:
    payloads = list(dict.fromkeys(PAYLOADS))
    built = build(tmp_path, an_object({payload: {"type": "string"} for payload in payloads}))
    value = {payload: payload for payload in payloads}
    assert bool(built.encode(built.decode(value)) == value)


def test_hostile_text_passes_mypy_and_ruff(tmp_path: Path) -> None:
    schemas = [schema for payload in SOME for _, schema in places(payload)]
    tools = [
        ToolSchemas(name=f"t{number}", identifier=f"t{number}", input_schema=schema, output_schema=schema)
        for number, schema in enumerate(schemas)
    ]
    package = generated.write_package(tmp_path, "hostile", plan_models(tools, {}))
    generated.format_package(package)
    generated.check_package(package)
