"""What containment says of arbitrary schemas, held against what jsonschema says of arbitrary instances."""

import warnings
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from jsonschema import Draft202012Validator

from toolmint.diffing.containment import contains

NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 6) | st.sampled_from([0.5, 1.0, 2.5, "", "a", "ab", "abc", "b1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
COUNT = st.integers(0, 3)


def _optional(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name.rstrip("_"): value for name, value in keywords.items()})


def _typed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    number = _optional(
        minimum=st.integers(-2, 4),
        maximum=st.integers(0, 6),
        exclusiveMinimum=st.integers(-2, 4),
        exclusiveMaximum=st.integers(0, 6),
        multipleOf=st.sampled_from([1, 2, 4]),
    )
    string = _optional(minLength=COUNT, maxLength=COUNT, pattern=st.sampled_from(["^a", "b", "^[ab]+$", "^.{2}$"]))
    array = _optional(
        items=inner,
        prefixItems=st.lists(inner, min_size=1, max_size=2),
        minItems=COUNT,
        maxItems=COUNT,
        uniqueItems=st.booleans(),
        contains=inner,
        minContains=st.integers(0, 2),
        maxContains=st.integers(1, 2),
    )
    object_ = _optional(
        properties=st.dictionaries(NAMES, inner, max_size=3),
        required=st.lists(NAMES, unique=True, max_size=2),
        additionalProperties=inner,
        patternProperties=st.dictionaries(st.sampled_from(["^a", "b|c"]), inner, max_size=2),
        propertyNames=st.sampled_from([{"enum": ["a", "b"]}, {"maxLength": 1}, {"pattern": "^a"}]),
        minProperties=st.integers(0, 2),
        maxProperties=COUNT,
        dependentRequired=st.dictionaries(NAMES, st.lists(NAMES, unique=True, max_size=2), max_size=1),
        dependentSchemas=st.dictionaries(NAMES, inner, max_size=1),
    )
    kinds = st.one_of(
        number.map(lambda rest: {"type": "number", **rest}),
        number.map(lambda rest: {"type": "integer", **rest}),
        string.map(lambda rest: {"type": "string", **rest}),
        array.map(lambda rest: {"type": "array", **rest}),
        object_.map(lambda rest: {"type": "object", **rest}),
        st.lists(st.sampled_from(["null", "boolean", "string", "integer", "object"]), min_size=1, unique=True).map(
            lambda names: {"type": names}
        ),
        st.lists(VALUES, min_size=1, max_size=4).map(lambda values: {"enum": values}),
        VALUES.map(lambda value: {"const": value}),
    )
    # The same keywords without a type, which says nothing about values of other kinds.
    return kinds | st.tuples(kinds, kinds).map(lambda pair: {**pair[0], **pair[1]}) | kinds.map(_untyped)


def _untyped(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "type"}


def _combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        _typed(inner),
        _typed(inner),
        _optional(anyOf=several, type_=st.sampled_from(["string", "object", ["integer", "null"]])),
        _optional(oneOf=several),
        _optional(allOf=several),
        _optional(not_=inner),
        st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
        _optional(unevaluatedProperties=inner, anyOf=several),
        st.just({"$ref": "#"}).map(lambda ref: {"type": "object", "properties": {"a": ref}, "required": ["b"]}),
        st.sampled_from(["x", "y"]).map(lambda name: {"$ref": f"#/$defs/{name}"}),
    )


_PLAIN = st.deferred(lambda: st.booleans() | _combined(st.booleans() | _typed(st.booleans() | _typed(st.booleans()))))
SCHEMAS = _combined(_combined(_PLAIN))
DEFINITIONS = st.fixed_dictionaries({"x": _typed(st.just({"$ref": "#/$defs/y"})), "y": _typed(st.booleans())})


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two schemas, the second mostly a change of the first: unrelated ones have little to say to each other."""
    one = draw(SCHEMAS)
    other = draw(SCHEMAS) if draw(st.integers(0, 3)) == 0 else _edited(draw, one)
    definitions = draw(DEFINITIONS)
    changed = _edited(draw, definitions) if draw(st.booleans()) else definitions
    return {**one, "$defs": definitions}, {"allOf": [other], "$defs": changed}


def _edited(draw: st.DrawFn, schema: Any) -> Any:
    if isinstance(schema, dict) and schema:
        name = draw(st.sampled_from(sorted(schema)))
        action = draw(st.integers(0, 5))
        if action == 0 and name not in ("x", "y"):
            return {key: value for key, value in schema.items() if key != name}
        return {**schema, name: _edited(draw, schema[name])}
    if isinstance(schema, list) and schema:
        index = draw(st.integers(0, len(schema) - 1))
        return [*schema[:index], _edited(draw, schema[index]), *schema[index + 1 :]]
    if isinstance(schema, bool) or schema == {}:
        return draw(st.booleans())
    if isinstance(schema, int):
        return max(schema + draw(st.integers(-1, 2)), 0 if schema >= 0 else schema) or 1
    return schema


def _usable(schema: Any) -> bool:
    """Return whether a schema is one: edits may make an empty list where one item is needed."""
    return Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema)


@given(pairs(), st.data())
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_an_answer_is_what_jsonschema_finds(pair: tuple[Any, Any], data: st.DataObject) -> None:
    left, right = pair
    if not (_usable(left) and _usable(right)):
        return
    verdict = contains(left, right)
    event(verdict.answer)
    ours, theirs = Draft202012Validator(left), Draft202012Validator(right)
    if verdict.answer == "no":
        assert ours.is_valid(verdict.witness)
        assert not theirs.is_valid(verdict.witness)
    elif verdict.answer == "yes":
        values = [data.draw(VALUES) for _ in range(6)]
        for value in [*values, *_instances(left, data)]:
            if ours.is_valid(value):
                assert theirs.is_valid(value), value


def _instances(schema: Any, data: st.DataObject) -> list[Any]:
    """Draw an instance of a schema; some, recursive ones among them, are beyond the library that makes them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            strategy = from_schema(schema)
            return [data.draw(strategy)] if not strategy.is_empty else []
        except Exception as error:
            if type(error).__module__.startswith("hypothesis.") and not isinstance(error, ValueError | TypeError):
                raise
            return []
