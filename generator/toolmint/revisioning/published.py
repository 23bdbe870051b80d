"""Reading the schema file that the specification publishes for a revision."""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any, Never

from toolmint.compiler.dialects import DIALECTS, DRAFT_07, DRAFT_2020_12, find_dialect
from toolmint.revision import RevisionError, Schema, schema_faults
from toolmint.revisioning.schemas import REFERENCE, change_subschemas, name_of, walk

_LARGEST = 16 * 1024 * 1024
_DEEPEST = 100
_SHOWN = 20
_SECTIONS = {DRAFT_2020_12: "$defs", DRAFT_07: "definitions"}
_UNIONS = ("ClientRequest", "ClientNotification", "ServerNotification")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEPT_BESIDE_REF = ("title", "description", "$comment")


def read_published(file: Path) -> dict[str, Schema]:
    """Read the definitions of a published schema.

    Args:
        file: A JSON Schema in 2020-12 with ``$defs``, or in draft-07 with ``definitions``: ``schema.json`` as the
            specification publishes it for each revision.

    Returns:
        The definitions by name, in 2020-12 whatever the file is in. References have the form ``#/$defs/X``.

    Raises:
        RevisionError: The file cannot be read, is not JSON, or does not describe the protocol.

    """
    document = _read(file)
    if not isinstance(document, dict):
        _refuse(file, f"found {_kind(document)}, expected a JSON Schema with definitions")
    dialect = _dialect(document, file)
    section = _SECTIONS[dialect]
    definitions = document.get(section)
    if not isinstance(definitions, dict):
        _refuse(file, f"a JSON Schema without {section}, so it defines nothing")
    missing = [union for union in _UNIONS if union not in definitions]
    if missing:
        _refuse(file, f"a JSON Schema, but not of the protocol: {section} has no {' and no '.join(missing)}")
    problems = [f"{section} has {name!r}, which is no name" for name in definitions if not _NAME.fullmatch(name)]
    problems += [
        f"{section}/{name} is {_kind(value)}, not an object"
        for name, value in definitions.items()
        if not isinstance(value, dict)
    ]
    problems = problems or list(islice(schema_faults(document, dialect), _SHOWN))
    if not problems:
        if dialect == DRAFT_07:
            definitions = {name: _from_draft_07(definition) for name, definition in definitions.items()}
        problems = _dangling(definitions, section)
    if problems:
        _refuse(file, "\n".join(problems))
    return definitions


def _read(file: Path) -> Any:
    try:
        if file.stat().st_size > _LARGEST:
            _refuse(file, f"larger than {_LARGEST >> 20} MiB, which no published schema comes near")
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        _refuse(file, f"not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}")
    except OSError as error:
        raise RevisionError(
            f"cannot be read: {error.strerror or error}", "name a file that can be read", file
        ) from None

    def refuse_constant(literal: str) -> Never:
        _refuse(file, f"not JSON: {literal} is no number there")

    try:
        document = json.loads(text, parse_constant=refuse_constant)
        json.dumps(document, ensure_ascii=False).encode()  # a lone surrogate could not be written again
    except UnicodeEncodeError as error:
        _refuse(file, f"holds {error.object[error.start]!a}, half a character")
    except ValueError as error:
        _refuse(file, f"not JSON: {error}")
    except RecursionError:
        _refuse(file, f"nested deeper than {_DEEPEST} levels")
    if _depth(document) > _DEEPEST:
        _refuse(file, f"nested deeper than {_DEEPEST} levels")
    return document


def _depth(document: Any) -> int:
    depth, level = 0, [document]
    while level:
        depth += 1
        below: list[Any] = []
        for value in level:
            below.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        level = below
    return depth


def _refuse(file: Path, message: str) -> Never:
    hint = (
        "give the schema.json that the specification publishes for a revision, as in "
        "https://github.com/modelcontextprotocol/modelcontextprotocol/tree/main/schema"
    )
    raise RevisionError(message, hint, file) from None


def _kind(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    kinds: dict[type, str] = {dict: "an object", list: "an array", str: "a string"}
    return kinds.get(type(value), "a number")


def _dialect(document: dict[str, Any], file: Path) -> str:
    stated = document.get("$schema", DRAFT_2020_12 if "$defs" in document else DRAFT_07)
    dialect = find_dialect(stated)
    if dialect is None:
        _refuse(file, f"$schema is {stated!r}; expected {' or '.join(DIALECTS)}")
    return dialect.uri


def _from_draft_07(schema: Any) -> Any:
    """Say the same in 2020-12 (its release notes, on what changed since draft-07)."""
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):  # what stands beside a reference counts for nothing in draft-07
        kept = {keyword: schema[keyword] for keyword in _KEPT_BESIDE_REF if keyword in schema}
        return {**kept, "$ref": schema["$ref"].replace("#/definitions/", REFERENCE)}
    converted = change_subschemas(schema, _from_draft_07, DIALECTS[DRAFT_07])
    rest = converted.pop("additionalItems", None)
    if isinstance(converted.get("items"), list):
        converted["prefixItems"] = converted.pop("items")
        converted |= {} if rest is None else {"items": rest}
    dependencies = converted.pop("dependencies", {})
    lists = {name: item for name, item in dependencies.items() if isinstance(item, list)}
    schemas = {name: item for name, item in dependencies.items() if name not in lists}
    converted |= {"dependentRequired": lists} if lists else {}
    converted |= {"dependentSchemas": schemas} if schemas else {}
    return converted


def _dangling(definitions: dict[str, Schema], section: str) -> list[str]:
    return [
        f"{section}/{name} refers to {part['$ref']!r}, which is no definition there"
        for name, definition in definitions.items()
        for part in walk(definition)
        if isinstance(part.get("$ref"), str)
        and not (part["$ref"].startswith(REFERENCE) and name_of(part) in definitions)
    ]
