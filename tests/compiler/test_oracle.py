"""Compiled verdicts against those of the jsonschema package, on schemas and values nobody chose.

Where the oracle itself is wrong, the two are not compared:

* ``multipleOf`` with a number that binary fractions only approximate: jsonschema divides the approximations, so that
  19.99 is no multiple of 0.01 and 1e30 none of 5. Only divisors and values without that trouble are used here.
* draft-07 ``additionalItems`` beside a boolean ``items``: jsonschema raises a TypeError.
* ``pattern`` goes to Python's ``re`` as it stands in jsonschema; only patterns that mean the same there are used.
"""

import itertools
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.protocols import Validator

from compiler.loading import Validators, validators
from reference import REFERENCE, needs_reference
from toolmint.compiler import DRAFT_07, DRAFT_2020_12, SchemaError

NAMES = ("a", "b", "c", "kind", "x-1", "class", "a/b", "é", "__class__", "value")
SCALARS = (None, True, False, 0, 1, 1.0, 2, 2.5, -1, 10**20, 1e22, "", "a", "b", "ab", "1", "\ud800")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
PATTERNS = ("^a", "b$", "^[a-z]+$", "[0-9]", "^x-")

values = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)
counts = st.sampled_from((0, 1, 2, 2.0, 3))
bounds = st.sampled_from((-1, 0, 1, 1.5, 2))
names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)
any_type = st.sampled_from(TYPES)


@cache
def keywords(dialect: str, depth: int) -> dict[str, st.SearchStrategy[Any]]:
    """What each keyword of a dialect may hold, with schemas inside of it nested so deep."""
    inner = schemas(dialect, depth)
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3)
    definitions = "$defs" if dialect == DRAFT_2020_12 else "definitions"
    common: dict[str, st.SearchStrategy[Any]] = {
        "type": any_type | st.lists(any_type, min_size=1, max_size=3, unique=True),
        "enum": st.lists(values, min_size=1, max_size=4),
        "const": values,
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), bounds),
        "multipleOf": st.sampled_from((0.5, 1, 2, 5)),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), counts),
        "pattern": st.sampled_from(PATTERNS),
        "uniqueItems": st.booleans(),
        **dict.fromkeys(("items", "contains", "additionalProperties", "propertyNames"), inner),
        **dict.fromkeys(("not", "if", "then", "else"), inner),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), several),
        "properties": named,
        "required": names,
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), inner, min_size=1, max_size=2),
        "$ref": st.sampled_from((f"#/{definitions}/A", f"#/{definitions}/B")),
    }
    if dialect == DRAFT_07:
        return common | {"dependencies": st.dictionaries(st.sampled_from(NAMES), names | inner, max_size=2)}
    return common | {
        **dict.fromkeys(("unevaluatedProperties", "unevaluatedItems"), inner),
        "prefixItems": several,
        **dict.fromkeys(("minContains", "maxContains"), counts),
        "dependentRequired": st.dictionaries(st.sampled_from(NAMES), names, max_size=2),
        "dependentSchemas": named,
    }


@cache
def schemas(dialect: str, depth: int) -> st.SearchStrategy[Any]:
    """Schemas of a dialect with every keyword it has, most of them pointless."""
    plain = st.sampled_from((True, False, {}, {"type": "string"}, {"const": "a"}, {"type": ["null", "integer"]}))
    if depth == 0:
        return plain
    parts = keywords(dialect, depth - 1)
    chosen = st.lists(st.sampled_from(sorted(parts)), min_size=1, max_size=4, unique=True)
    picked = chosen.flatmap(lambda names: st.fixed_dictionaries({name: parts[name] for name in names}))
    if dialect == DRAFT_07:
        inner = schemas(dialect, depth - 1)
        tuples = {"items": st.lists(inner, min_size=1, max_size=3), "additionalItems": inner}
        picked |= st.fixed_dictionaries(tuples)
    return plain | picked | picked | picked


def documents(dialect: str) -> st.SearchStrategy[dict[str, Any]]:
    """Whole documents, with definitions to refer to."""
    definitions = st.fixed_dictionaries({"A": schemas(dialect, 2), "B": schemas(dialect, 2)})
    root = st.tuples(schemas(dialect, 3).filter(lambda schema: isinstance(schema, dict)), definitions)
    name = "$defs" if dialect == DRAFT_2020_12 else "definitions"
    return root.map(lambda both: {**both[0], "$schema": dialect, name: both[1]})


def oracle(schema: Any) -> Validator:
    return (Draft7Validator if "draft-07" in str(schema.get("$schema")) else Draft202012Validator)(schema)


def compare(compiled: Validators, judge: Validator, value: Any) -> None:
    assert compiled.agree(value) is judge.is_valid(value), (judge.schema, value)


@pytest.mark.parametrize("dialect", [DRAFT_2020_12, DRAFT_07])
@seed(20260728)
@settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_generated_schemas(dialect: str, data: st.DataObject) -> None:
    schema = data.draw(documents(dialect))
    try:
        compiled = validators(schema)
    except SchemaError as error:
        assert "itself" in error.message  # A refers to B and B to A, about the same value
        return
    judge = oracle(schema)
    for value in data.draw(st.lists(values, min_size=12, max_size=12)):
        compare(compiled, judge, value)


# -- tools as they are -----------------------------------------------------------------------------------------------


def tool_schemas() -> Iterator[dict[str, Any]]:
    """Every different schema of the published tools."""
    seen = set()
    for path in sorted((REFERENCE / "tools-list").glob("*.json")):
        for tool in json.loads(path.read_text(encoding="utf-8"))["tools"]:
            for schema in (tool.get("inputSchema"), tool.get("outputSchema")):
                text = json.dumps(schema, sort_keys=True)
                if isinstance(schema, dict) and text not in seen:
                    seen.add(text)
                    yield schema


def plausible(schema: Any, root: Any, dice: random.Random, depth: int = 6) -> Any:
    """A value that might fit a schema, without much care."""
    if not isinstance(schema, dict) or depth == 0:
        return None
    if isinstance(reference := schema.get("$ref"), str):
        target = root
        for token in reference.removeprefix("#").split("/")[1:]:
            target = target.get(token, {})
        return plausible(target, root, dice, depth - 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if options := schema.get(keyword):
            return plausible(dice.choice(options), root, dice, depth - 1)
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else dice.choice(schema["enum"])
    kind = schema.get("type", "object" if "properties" in schema else dice.choice(TYPES))
    kind = dice.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        wanted = [n for n in properties if n in schema.get("required", ()) or dice.random() < 0.5]
        return {name: plausible(properties[name], root, dice, depth - 1) for name in wanted}
    if kind == "array":
        size = dice.randint(schema.get("minItems", 0), max(2, schema.get("minItems", 0)))
        return [plausible(schema.get("items", {}), root, dice, depth - 1) for _ in range(size)]
    if kind in {"integer", "number"}:
        return dice.choice((schema.get("minimum", 1), schema.get("maximum", 7), 2.5 if kind == "number" else 3.0))
    return {"string": "x" * max(1, schema.get("minLength", 3)), "boolean": True}.get(kind)


def mutated(value: Any, dice: random.Random) -> Any:
    """The same value with one thing changed somewhere in it."""
    if isinstance(value, dict) and value and dice.random() < 0.8:
        name = dice.choice(sorted(value))
        rest = {key: child for key, child in value.items() if key != name}
        change = dice.random()
        if change < 0.2:
            return rest
        return rest | ({f"{name}s": value[name]} if change < 0.3 else {name: mutated(value[name], dice)})
    if isinstance(value, list) and value and dice.random() < 0.8:
        index = dice.randrange(len(value))
        return [*value[:index], mutated(value[index], dice), *value[index:]]
    return dice.choice((*SCALARS, json.dumps(value), [value], {"value": value}))


@needs_reference
def test_published_tools_with_mutated_arguments() -> None:
    dice = random.Random(20260728)
    verdicts = {True: 0, False: 0}
    for schema in list(tool_schemas())[::2]:
        compiled, judge = validators(schema), oracle(schema)
        value = plausible(schema, schema, dice)
        for _ in range(4):
            compare(compiled, judge, value)
            verdicts[compiled.is_valid(value)] += 1
            value = mutated(value, dice)
    assert verdicts[True] > 1000
    assert verdicts[False] > 1000


@pytest.mark.parametrize("required", [["b"], ["a", "b"], ["a"], []])
@pytest.mark.parametrize("properties", [{}, {"a": {}}, {"a": {"type": "integer"}}, {"a": False}, {"a": {}, "c": {}}])
@pytest.mark.parametrize("kind", [{}, {"type": "object"}, {"type": ["object", "null"]}])
def test_closed_objects(required: list[str], properties: dict[str, Any], kind: dict[str, Any]) -> None:
    schema = {**kind, "properties": properties, "required": required, "additionalProperties": False}
    compiled, judge = validators(schema), oracle(schema)
    for size in range(4):
        for chosen in itertools.combinations("abcd", size):
            compare(compiled, judge, dict.fromkeys(chosen, 1))
