"""Questions to the user: what a form's field, or a page's address, may be."""

import json
from pathlib import Path
from typing import Any

import pytest

from manifest.manifests import HEAD, load, problems

SECTIONS = {
    "tools": {"name": "t", "description": "d"},
    "prompts": {"name": "p", "description": "d"},
    "resources": {"uri": "a:b", "name": "r"},
    "resourceTemplates": {"uriTemplate": "a:{b}", "name": "r"},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(*elicits: Any, section: str = "tools") -> str:
    return HEAD + json.dumps({section: [{**SECTIONS[section], "elicits": list(elicits)}]})[1:-1] + "\n"


def form(field: Any, **more: Any) -> Any:
    return {"key": "k", "message": "m", "requestedSchema": {"type": "object", "properties": {"f": field}, **more}}


def page(url: str) -> Any:
    return {"key": "k", "message": "m", "mode": "url", "url": url}


CHOICE = {"const": "a", "title": "A"}


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    "elicitation",
    [
        form({"type": "string", "minLength": 2, "maxLength": 2, "format": "email"}),
        form({"type": "integer", "minimum": -5, "default": 3}),
        form({"type": "integer", "maximum": -5}),
        form({"type": "number", "default": 0.5}),
        form({"type": "boolean", "default": True}),
        form({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "b"}),
        form({"type": "string", "oneOf": [CHOICE], "default": "a"}),
        form({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["a", "b"]}),
        form({"type": "array", "items": {"anyOf": [CHOICE]}, "minItems": 1, "maxItems": 1}),
        form({"type": "string"}, required=["f"], **{"$schema": "http://json-schema.org/draft-07/schema#"}),
        page("https://example.com/connect?a=b#c"),
        page("http://localhost:8080"),
    ],
)
def test_what_the_protocol_allows(folder: Path, section: str, elicitation: Any) -> None:
    value = load(folder, manifest(elicitation, section=section))
    (entry,) = {
        "tools": value.tools,
        "prompts": value.prompts,
        "resources": value.resources,
        "resourceTemplates": value.resource_templates,
    }[section]
    (built,) = entry.elicits
    assert (built.key, built.requested_schema, built.url) == (
        "k",
        elicitation.get("requestedSchema"),
        elicitation.get("url"),
    )


@pytest.mark.parametrize(
    ("elicitation", "code", "message"),
    [
        (form({"type": "object", "properties": {}}), "unknown-value", "type must be"),
        (form({"$ref": "#/$defs/X", "type": "string"}), "unknown-key", "$ref"),
        (form({"type": "string", "pattern": "x"}), "unknown-key", "pattern"),
        (form({"type": "string", "format": "hostname"}), "unknown-value", "format must be"),
        (form({"type": "integer", "enum": [1]}), "unknown-key", "enum"),
        (form({"type": "array", "items": {"type": "string"}}), "missing-key", "exactly one of"),
        (form({"type": "string", "enum": []}), "bad-value", "empty list"),
        (form({"type": "string", "enum": ["a", "a"]}), "duplicate-value", 'the choice "a" twice'),
        (form({"type": "string", "oneOf": [CHOICE, CHOICE]}), "duplicate-value", 'the choice "a" twice'),
        (form({"type": "array", "items": {"anyOf": [CHOICE, CHOICE]}}), "duplicate-value", 'the choice "a" twice'),
        (form({"type": "string", "enum": ["a"], "oneOf": [CHOICE]}), "several-choices", "twice, as enum and as oneOf"),
        (form({"type": "string", "enum": ["a"], "enumNames": []}), "label-count", "0 labels for 1 choices"),
        (form({"type": "string", "enumNames": ["A"]}), "label-count", "1 labels for 0 choices"),
        (form({"type": "string", "enum": ["a"], "default": "b"}), "bad-default", 'the default "b"'),
        (form({"type": "integer", "default": 1.5}), "bad-default", "the default 1.5"),
        (form({"type": "string", "minLength": 3, "default": "a"}), "bad-default", 'the default "a"'),
        (form({"type": "number", "minimum": 2, "maximum": 1}), "empty-range", "at least 2 and at most 1"),
        (form({"type": "string", "minLength": 2, "maxLength": 1}), "empty-range", "at least 2 and at most 1"),
        (form({"type": "string"}, required=["g"]), "unknown-field", 'no field "g"'),
        (form({"type": "string"}, additionalProperties=False), "unknown-key", "additionalProperties"),
        (form({"type": "string"}, **{"$schema": "x"}), "unsupported-dialect", "'x' is not supported"),
        ({**form({"type": "string"}), "message": ""}, "bad-value", "message is empty"),
        ({**form({"type": "string"}), "key": "a-b"}, "bad-value", "a-b"),
        ({**form({"type": "string"}), "key": "k" * 65}, "bad-value", "does not match"),
        (page("/connect"), "bad-uri", "no absolute web address"),
        (page("example.com"), "bad-uri", "no absolute web address"),
        (page("https://"), "bad-uri", "no absolute web address"),
        (page("https://exa mple.com"), "bad-uri", "no absolute web address"),
        (page("https://[::1"), "bad-uri", "no absolute web address"),
        (page("javascript:alert(1)"), "bad-uri", "no absolute web address"),
    ],
)
def test_what_it_does_not(folder: Path, elicitation: Any, code: str, message: str) -> None:
    found = [problem for problem in problems(folder, manifest(elicitation)) if problem.code == code]
    assert any(message in problem.message for problem in found), problems(folder, manifest(elicitation))
    assert all(problem.line and problem.line >= 4 for problem in found)
