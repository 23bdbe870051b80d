import collections
import dataclasses
import enum
from collections import Counter
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from models.built import Built, an_object, build
from runtime.absent import ABSENT
from runtime.encoding import MAX_DEPTH, encode

HIT = an_object({"contractId": {"type": "string"}, "note": {"type": ["string", "null"]}, "size": {"type": "integer"}})
PAGE = an_object({"hits": {"type": "array", "items": HIT}}, "hits", additionalProperties={})


class Point(NamedTuple):
    x: int
    y: int


class Color(enum.StrEnum):
    RED = "red"


class Old(str, enum.Enum):  # noqa: UP042
    NAME = "old"


class Level(enum.IntEnum):
    LOW = 1


class Plain(enum.Enum):
    TEN = 10


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "not this"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("encoding"), {"type": "object"}, output=PAGE)


def test_dataclasses_go_out_under_wire_names_without_what_was_left_out(built: Built) -> None:
    models = built.models
    hit = models.FindOutputHitsItem
    page = models.FindOutput(hits=[hit(contract_id="a"), hit(note=None, size=0)], extra={"next": hit()})
    encoded = {"hits": [{"contractId": "a"}, {"note": None, "size": 0}], "next": {}}
    assert built.encode(page) == encoded
    assert built.encode({"hits": (hit(contract_id="a"), {"note": None, "size": 0}), "next": hit()}) == encoded
    assert built.encode([page]) == [encoded]


def test_a_declared_property_is_not_overridden_by_an_extra_one(built: Built) -> None:
    page = built.models.FindOutput(hits=[], extra={"hits": 1, "a": 2})
    assert built.encode(page) == {"hits": [], "a": 2}


def test_a_subclass_is_encoded_as_its_base(built: Built) -> None:
    base = built.models.FindOutputHitsItem

    @dataclasses.dataclass(kw_only=True)
    class Hit(base):  # type: ignore[misc, valid-type]
        score: float = 1.0

    assert built.encode(Hit(contract_id="a")) == {"contractId": "a"}


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (None, None),
        (True, True),
        (1, 1),
        (1.5, 1.5),
        ("\ud800", "\ud800"),
        ((1, (2,)), [1, [2]]),
        ({"a": (1,)}, {"a": [1]}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (Point(1, 2), [1, 2]),
        (Color.RED, "red"),
        (Old.NAME, "old"),
        (Level.LOW, 1),
        (Plain.TEN, 10),
        (Text("this"), "this"),
        ({Color.RED: Level.LOW}, {"red": 1}),
        ({"a": ABSENT, "b": 1}, {"b": 1}),
    ],
)
def test_json_values_have_exact_types(value: Any, encoded: Any) -> None:
    result = encode(value, {})
    assert (result, repr(result)) == (encoded, repr(encoded))


@dataclasses.dataclass
class Foreign:
    x: int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1, 2}, "(root): a set has no JSON form"),
        ({"a/b": [1, b"x"]}, "/a~1b/1: a bytes has no JSON form"),
        ({"a": {1: 2}}, "/a: the key 1 is an int; the keys of a JSON object are strings"),
        ([object()], "/0: an object has no JSON form"),
        ([Foreign(1)], "/0: a Foreign has no JSON form"),
        ([ABSENT], "/0: ABSENT can only be left out of an object; use None for null"),
        (int, "(root): a type has no JSON form"),
    ],
)
def test_what_has_no_json_form_is_named_by_its_pointer(value: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        encode(value, {})
    assert str(caught.value).startswith(message)


def test_the_pointer_is_made_of_wire_names(built: Built) -> None:
    hit = built.models.FindOutputHitsItem(contract_id={1})
    with pytest.raises(TypeError, match=r"^/hits/0/contractId: a set"):
        built.encode(built.models.FindOutput(hits=[hit]))
    with pytest.raises(TypeError, match=r"^/more/0: a set"):
        built.encode(built.models.FindOutput(hits=[], extra={"more": [{1}]}))


def test_a_value_that_contains_itself_is_an_error() -> None:
    loop: list[Any] = []
    loop.append({"again": loop})
    with pytest.raises(ValueError, match="contains itself, or is nested deeper than 256 levels"):
        encode(loop, {})


def test_the_deepest_value_allowed_is_encoded() -> None:
    value: Any = "bottom"
    for _ in range(MAX_DEPTH):
        value = [value]
    assert encode(value, {}) == value
    with pytest.raises(ValueError, match="nested deeper"):
        encode([value], {})


def test_absent_is_false_and_says_its_name() -> None:
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"


# What an encoder does in place is what the runtime's one function does


SHAPES: dict[str, Any] = {
    "a page": PAGE,
    "a list": {"type": "array", "items": HIT},
    "one or nothing": {"anyOf": [HIT, {"type": "null"}]},
    "one of two": {
        "anyOf": [
            an_object({"kind": {"const": "a"}, "hit": HIT}, "kind"),
            an_object({"kind": {"const": "b"}, "hits": {"type": "array", "items": HIT}}, "kind"),
            {"type": "array", "items": {"type": "array", "items": HIT}},
        ]
    },
    "a tree": {
        "$ref": "#/$defs/Node",
        "$defs": {
            "Node": an_object(
                {"name": {"type": "string"}, "below": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, "name"
            )
        },
    },
    "names alike": an_object({"IOThing": an_object({"x": {}}), "IoThing": an_object({"y": {}}), "z": HIT}, "z"),
    "defaults": an_object({"size": {"type": "integer", "default": 1}, "hit": HIT, "tag": {"enum": ["a", None]}}),
    "a map": an_object({}, additionalProperties=HIT),
    "text": {"type": "string"},
}


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    found = {}
    for number, (name, schema) in enumerate(SHAPES.items()):
        folder = tmp_path_factory.mktemp(f"shape{number}")
        found[name] = build(folder, {"type": "object"}, output=schema)
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_any_value_fares_alike(shapes: dict[str, Built], name: str) -> None:
    built = shapes[name]
    in_place = "_encode_" in built.planned.tools["find"].encoder.body
    assert in_place == (name not in ("a tree", "a map", "text"))
    seen: Counter[str] = Counter()

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(anything(built))
    def same(value: Any) -> None:
        expected = fate(lambda: built.codec.encode(value, built.models.PROPERTIES))
        seen[expected[0]] += 1
        assert fate(lambda: built.encode(value)) == expected

    same()
    assert min(seen["encoded"], seen["TypeError"]) > 10, seen


def fate(run: Callable[[], Any]) -> tuple[str, str]:
    """Return what becomes of a call: what it returns, types and order included, or what it raises."""
    try:
        return "encoded", repr(run())
    except (AttributeError, TypeError, ValueError) as error:
        return type(error).__name__, str(error)


def anything(built: Built) -> SearchStrategy[Any]:
    """Return values of all kinds, fit or not, with instances of a module's dataclasses among them."""
    classes = [
        member
        for member in vars(built.models).values()
        if dataclasses.is_dataclass(member) and member.__name__.startswith("FindOutput")
    ]
    absent = built.codec.encode.__globals__["ABSENT"]  # the package's own
    atoms = st.one_of(
        st.sampled_from(
            [None, True, 1, 2.5, "a", "kind", absent, Color.RED, Old.NAME, Level.LOW, Plain.TEN, Text("b")]
        ),
        st.sampled_from([{1}, b"bytes", object]),
    )

    def instances(values: SearchStrategy[Any], class_: Any) -> SearchStrategy[Any]:
        fields = {field.name: values for field in dataclasses.fields(class_)}
        below = type("Below", (class_,), {"__slots__": ()})
        return st.one_of(st.builds(class_, **fields), st.builds(class_, **fields), st.builds(below, **fields))

    def wider(values: SearchStrategy[Any]) -> SearchStrategy[Any]:
        lists = st.lists(values, max_size=3)
        dicts = st.dictionaries(st.sampled_from(["a", "name", Text("c"), 3]), values, max_size=2)
        return st.one_of(
            lists, lists.map(tuple), dicts, dicts.map(MappingProxyType), *(instances(values, c) for c in classes)
        )

    return st.recursive(atoms, wider, max_leaves=12)
