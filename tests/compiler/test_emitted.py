"""The emitted source itself: clean, typed, the same everywhere, and fast."""

import hashlib
import json
import shutil
import subprocess
import sys
import timeit
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compiler.loading import module_source, validators
from reference import ROOT
from toolmint.compiler import compile_schema

FILTER = {
    "type": "object",
    "properties": {
        "field": {"type": "string"},
        "op": {"enum": ["eq", "lt", "gt"]},
        "value": {"type": ["string", "number", "boolean"]},
    },
    "required": ["field", "op", "value"],
    "additionalProperties": False,
}
SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1},
        "status": {"enum": ["open", "closed", "draft"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "filters": {"type": "array", "items": FILTER, "maxItems": 10},
    },
    "required": ["query"],
    "additionalProperties": False,
}
CALL = {
    "query": "overdue invoices",
    "status": "open",
    "limit": 10,
    "filters": [
        {"field": "party", "op": "eq", "value": "Acme Inc"},
        {"field": "total", "op": "gt", "value": 5000},
        {"field": "year", "op": "lt", "value": 2026},
    ],
}
EVERYTHING: dict[str, Any] = {
    "$defs": {
        "node": {"properties": {"next": {"$ref": "#/$defs/node"}, "name": {"pattern": r"^\p{L}[\w-]*$"}}},
        "a": {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"multipleOf": 0.5}}, "required": ["kind"]},
        "b": {"type": "object", "properties": {"kind": {"const": "b"}, "x": {"format": "date"}}, "required": ["kind"]},
    },
    "type": "object",
    "properties": {
        "search": SEARCH,
        "tree": {"$ref": "#/$defs/node"},
        "shape": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
        "maybe": {"anyOf": [{"type": "array", "uniqueItems": True, "items": {"type": "integer"}}, {"type": "null"}]},
        "tuple": {"prefixItems": [{"type": "string"}, {"enum": [1, None, [1], {"a": 1}]}], "items": False},
        "id": {"type": "string", "pattern": "^[a-z]+-[0-9]+$", "maxLength": 40},
        "long": {"enum": [f"value number {i} of a long list" for i in range(30)]},
        "text": {"const": "a text so long that it has to be split over several lines in the source code " * 3},
        "list": {
            "contains": {"minimum": 3},
            "minContains": 2,
            "maxContains": 4,
            "unevaluatedItems": {"type": "integer"},
        },
    },
    "patternProperties": {"^x-": {"type": ["string", "number"]}, "_$": True},
    "propertyNames": {"maxLength": 20},
    "dependentRequired": {"id": ["search"]},
    "dependentSchemas": {"tree": {"minProperties": 2}},
    "if": {"required": ["list"]},
    "then": {"properties": {"id": {"minLength": 2}}},
    "else": {"not": {"required": ["tuple"]}},
    "unevaluatedProperties": False,
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with the emitted modules and the runtime they import, formatted as the renderer does."""
    folder = tmp_path_factory.mktemp("emitted")
    shutil.copytree(ROOT / "templates" / "runtime", folder / "served" / "runtime", ignore=shutil.ignore_patterns("__*"))
    (folder / "served" / "__init__.py").touch()
    (folder / "served" / "runtime" / "__init__.py").touch()
    for name, schema in (("search", SEARCH), ("everything", EVERYTHING)):
        compiled = compile_schema(schema, prefix=name, assert_formats=True, destringify=True)
        text = f'"""Checks."""\n\n{module_source(compiled, "served.runtime")}'
        (folder / "served" / f"{name}.py").write_text(text, encoding="ascii")
    shutil.copy(ROOT / "pyproject.toml", folder)
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", "served"], cwd=folder, check=True)
    return folder


def test_emitted_code_is_clean(package: Path) -> None:
    files = ["served/search.py", "served/everything.py"]
    command = [sys.executable, "-m", "ruff", "check", "-q", "--ignore", "I001", *files]
    assert subprocess.run(command, cwd=package, capture_output=True, text=True, check=False).stdout == ""


def test_emitted_code_is_typed(package: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-version",
        "3.11",
        "served/search.py",
        "served/everything.py",
    ]
    result = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_same_schema_gives_the_same_bytes_under_every_hash_seed() -> None:
    script = (
        "import hashlib, json, sys; from toolmint.compiler import compile_schema;"
        "body = compile_schema(json.loads(sys.stdin.read()), prefix='a', assert_formats=True, destringify=True).body;"
        "print(hashlib.sha256(body.encode()).hexdigest())"
    )
    expected = hashlib.sha256(
        compile_schema(EVERYTHING, prefix="a", assert_formats=True, destringify=True).body.encode()
    ).hexdigest()
    for seed in ("0", "1"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "generator")}
        command = [sys.executable, "-c", script]
        text = json.dumps(EVERYTHING)
        result = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == expected


def test_lines_go_no_deeper_than_a_reader_can_follow() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        schema = {"type": "object", "properties": {"a": {"type": "array", "items": schema}}, "required": ["a"]}
    source = validators(schema).source
    assert max(len(line) - len(line.lstrip()) for line in source.splitlines()) <= 4 * 14


def test_is_valid_is_at_least_30_times_as_fast_as_jsonschema() -> None:
    value = json.loads(json.dumps(CALL))
    is_valid, judge = validators(SEARCH).is_valid, Draft202012Validator(SEARCH)
    assert is_valid(value)
    assert judge.is_valid(value)
    ours = min(timeit.repeat(lambda: is_valid(value), number=2000, repeat=7))
    theirs = min(timeit.repeat(lambda: judge.is_valid(value), number=20, repeat=3)) * 100
    assert theirs / ours > 30


def test_compiling_a_tool_takes_a_few_milliseconds() -> None:
    seconds = min(timeit.repeat(lambda: compile_schema(SEARCH, prefix="search"), number=10, repeat=5)) / 10
    baseline = min(timeit.repeat(lambda: list(range(100_000)), number=1, repeat=5))
    assert seconds / baseline < 10
