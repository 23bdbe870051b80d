"""The official JSON Schema Test Suite: every verdict, and that is_valid and violations never disagree."""

import json
from collections import Counter
from typing import Any

import pytest

from compiler.loading import validators
from reference import REFERENCE, needs_reference
from toolmint.compiler import DRAFT_07, DRAFT_2020_12, SchemaError

pytestmark = needs_reference

SUITE = REFERENCE / "json-schema-test-suite" / "tests"
DIALECTS = {"draft2020-12": DRAFT_2020_12, "draft7": DRAFT_07}


def cases(folder: str, name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((SUITE / folder / name).read_text(encoding="utf-8"))
    return loaded


def run(folder: str, name: str, **options: Any) -> tuple[Counter[str], list[str]]:
    """Count the outcomes of one file's tests by "passed", "failed" and the reason a schema was refused for."""
    outcomes: Counter[str] = Counter()
    failures = []
    for case in cases(folder, name):
        try:
            compiled = validators(case["schema"], default_dialect=DIALECTS[folder.split("/")[0]], **options)
        except SchemaError as error:
            reason = "network" if "leads to the network" in error.message else error.message
            outcomes["dialect" if "is not supported" in reason else reason] += len(case["tests"])
            continue
        for test in case["tests"]:
            passed = compiled.agree(test["data"]) is test["valid"]
            outcomes["passed" if passed else "failed"] += 1
            if not passed:
                failures.append(f"{name}: {case['description']}: {test['description']}")
    return outcomes, failures


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        # refused: remote documents (dynamicRef, refRemote) and metaschemas with vocabularies of their own
        ("draft2020-12", {"passed": 1250, "network": 44, "dialect": 5}),
        ("draft7", {"passed": 904, "network": 23}),
    ],
)
def test_every_required_test_passes(folder: str, expected: dict[str, int]) -> None:
    outcomes: Counter[str] = Counter()
    failures = []
    for path in sorted((SUITE / folder).glob("*.json")):
        counted, failed = run(folder, path.name)
        outcomes += counted
        failures += failed
    assert failures == []
    assert outcomes == expected


REFUSED_FOR_REMOTES = {"draft2020-12": {"dynamicRef.json", "refRemote.json"}, "draft7": {"refRemote.json"}}


@pytest.mark.parametrize("folder", DIALECTS)
def test_only_files_about_remote_documents_and_vocabularies_are_refused(folder: str) -> None:
    refusing = {path.name for path in (SUITE / folder).glob("*.json") if set(run(folder, path.name)[0]) - {"passed"}}
    assert refusing == REFUSED_FOR_REMOTES[folder] | ({"vocabulary.json"} if folder == "draft2020-12" else set())


OPTIONAL = {
    "draft2020-12/optional": {
        "anchor.json": {"passed": 4},
        "bignum.json": {"passed": 9},
        "dynamicRef.json": {"passed": 2},
        "ecmascript-regex.json": {"passed": 74},
        "float-overflow.json": {"passed": 1},
        "id.json": {"passed": 3},
        "no-schema.json": {"passed": 3},
        "non-bmp-regex.json": {"passed": 12},
        "refOfUnknownKeyword.json": {"passed": 10},
        "unknownKeyword.json": {"passed": 3},
    },
    "draft7/optional": {
        "bignum.json": {"passed": 9},
        "ecmascript-regex.json": {"passed": 74},
        "float-overflow.json": {"passed": 1},
        "id.json": {"passed": 7},
        "non-bmp-regex.json": {"passed": 12},
        "unknownKeyword.json": {"passed": 3},
    },
}


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder in OPTIONAL for name in OPTIONAL[folder]])
def test_optional_behaviour(folder: str, name: str) -> None:
    outcomes, failures = run(folder, name)
    assert failures == []
    assert outcomes == OPTIONAL[folder][name]


# Of the hostnames, 23 are well-formed but for what IDNA2008 asks of the Unicode text behind an "xn--" label.
FORMATS = {
    "date-time": 33,
    "date": 81,
    "duration": 52,
    "email": 27,
    "hostname": 41,
    "ipv4": 41,
    "ipv6": 42,
    "json-pointer": 40,
    "regex": 8,
    "time": 47,
    "uri-reference": 28,
    "uri": 46,
    "uuid": 28,
}


@pytest.mark.parametrize("name", FORMATS)
def test_asserted_format(name: str) -> None:
    outcomes, failures = run("draft2020-12/optional/format", f"{name}.json", assert_formats=True)
    assert outcomes["passed"] == FORMATS[name]
    assert len(failures) == (23 if name == "hostname" else 0)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_an_annotation_unless_asked_for(name: str) -> None:
    compiled = validators({"format": name})
    assert all(compiled.is_valid(value) for value in ("", "no such thing", "\ud800", 7))
