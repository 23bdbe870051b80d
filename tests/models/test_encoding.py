import collections
import dataclasses
import enum
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

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
