"""What differs between the revisions of the handshake era is data: taken from their definitions, and from nothing else."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from handshake.hosts import Host
from runtime.handshake.forms import Form
from runtime.handshake.terms import Terms
from servers import make_project
from toolmint.assets import SCHEMAS
from toolmint.handshake import terms_of
from toolmint.revision import known_revisions, load_revision

OFFERED = (
    "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "prompts/list",
    "prompts/get", "completion/complete",
)  # fmt: skip
CAPABILITIES: dict[str, Any] = {
    "logging": {},
    "tools": {},
    "resources": {"subscribe": True},
    "prompts": {},
    "completions": {},
}


def said_in(revision: str) -> Terms:
    """Return the terms of a bundled revision, as a generated package has them."""
    facts = terms_of(load_revision(revision), OFFERED, CAPABILITIES)
    return Terms(
        checks=facts.checks,
        methods={method.name: (method.check, method.params, method.shape) for method in facts.methods},
        asked={method.name: (method.checks, method.shape) for method in facts.asked},
        notifications=facts.notifications,
        shapes=facts.shapes,
        unions=facts.unions,
        errors=facts.errors,
        batches=facts.batches,
        block_lists=facts.block_lists,
        form_fields=facts.form_fields,
    )


@pytest.mark.parametrize("revision", known_revisions(era="handshake"))
def test_every_request_that_a_server_can_answer_is_offered(revision: str) -> None:
    facts = terms_of(load_revision(revision), OFFERED, CAPABILITIES)
    own = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
    assert {method.name for method in facts.methods} == {*OFFERED, *own}
    less = terms_of(load_revision(revision), ("tools/list", "tools/call"), {"tools": {}})
    assert {method.name for method in less.methods} == {"initialize", "ping", "tools/list", "tools/call"}
    asked = {"sampling/createMessage", "roots/list"} | ({"elicitation/create"} if revision >= "2025-06-18" else set())
    assert {method.name for method in facts.asked} == asked
    assert facts.batches == (revision == "2025-03-26")
    assert facts.block_lists == (revision == "2025-11-25")
    assert facts.errors["resourceNotFound"] == -32002


@pytest.mark.parametrize("revision", known_revisions(era="handshake"))
def test_schemas_of_tools_stay_whole(revision: str) -> None:
    schema = {
        "type": "object",
        "properties": {"type": {"const": 1}},
        "allOf": [{}],
        "$defs": {"a": True},
        "x-more": [1],
    }
    tool = {"name": "t", "inputSchema": schema, "unknown": 1}
    assert said_in(revision).say(tool, "Tool") == {"name": "t", "inputSchema": schema}


def test_no_member_of_a_schema_is_taken_for_content() -> None:
    properties = {"a": True, "b": False, "c": {"type": "string"}}
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": properties}}
    said = said_in("2024-11-05").say(tool, "Tool")["inputSchema"]["properties"]
    assert said == {"a": {}, "b": {"not": {}}, "c": {"type": "string"}}
    assert properties["a"] is True, "what it is made of stays as it was"


@pytest.mark.parametrize(
    ("output", "listed"),
    [
        ({"type": "object"}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "object"}}}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "array"}}}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": True}}, False),
        ({"$ref": "#/properties/a", "properties": {"a": {"type": "object"}}}, False),
        ({"anyOf": [{"type": "object"}]}, False),
        ({"type": ["object", "null"]}, False),
        ({"type": "number"}, False),
        ({}, False),
    ],
)
def test_output_schemas_are_listed_where_they_are_for_objects(output: dict[str, Any], listed: bool) -> None:
    tool = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output}
    said = said_in("2025-11-25").say(tool, "Tool")
    assert ("outputSchema" in said) == listed
    if listed:
        assert said["outputSchema"] == {"type": "object", **output}


def test_content_that_no_kind_can_hold_becomes_text() -> None:
    terms = said_in("2024-11-05")
    (kinds,) = (name for name, members in terms.unions.items() if "resource" not in members)
    sound = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
    assert terms.say(sound, kinds) == {"type": "text", "text": "[audio: audio/wav]"}
    use = {"type": "tool_use", "id": "1", "name": "t", "input": {}}
    assert json.loads(terms.say(use, kinds)["text"]) == use


def test_forms_without_a_choice_of_several() -> None:
    requested = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "description": "Which?", "items": {"type": "string", "enum": ["x", "y"]}},
            "b": {"type": "array", "items": {"type": "string", "enum": ["x"]}},
            "n": {"type": "integer", "default": 3},
        },
        "required": ["b", "n"],
    }
    form = Form(requested, said_in("2025-06-18").form_fields)
    assert list(form.schema["properties"]) == ["a: x", "a: y", "b: x", "n"]
    assert form.schema["properties"]["a: x"]["description"] == "Which?"
    assert form.schema["required"] == ["n"]
    assert form.understood({"n": 1}) == {"n": 1, "b": []}
    assert form.understood({"n": 1, "a: y": True, "a: x": False}) == {"n": 1, "a": ["y"], "b": []}
    assert form.understood({"n": 1, "a: y": "yes", "b: x": True}) == {"n": 1, "a": [], "b": ["x"]}
    same = Form(requested, said_in("2025-11-25").form_fields)
    assert same.schema == requested
    assert same.understood({"n": 1, "a": ["x"]}) == {"n": 1, "a": ["x"]}


def test_a_made_up_revision_needs_no_code(tmp_path: Path) -> None:
    """One in which tools have a colour and no description, sounds are not known, and a missing resource is -32123."""
    folder = tmp_path / "schema" / "2025-12-01"
    shutil.copytree(SCHEMAS / "2025-11-25", folder)

    def change(name: str, edit: Any) -> None:
        path = folder / name
        document = json.loads(path.read_text())
        edit(document)
        path.write_text(json.dumps(document))

    def tools(document: Any) -> None:
        members = document["$defs"]["Tool"]["properties"]
        del members["description"]
        members["_meta"] = {"description": "Metadata.", "type": "object", "additionalProperties": {}}

    def table(document: Any) -> None:
        document["revision"] = "2025-12-01"
        document["batches"] = True
        document["errors"]["resourceNotFound"]["code"] = -32123
        del document["contentKinds"]["audio"]

    def content(document: Any) -> None:
        block = document["$defs"]["ContentBlock"]
        block["anyOf"] = [option for option in block["anyOf"] if "AudioContent" not in option["$ref"]]

    change("tools.json", tools)
    change("methods.json", table)
    change("content.json", content)
    manifest = """\
toolmint: 1
protocol: ["2026-07-28", "2025-12-01", "2024-11-05"]
server: {name: made-up, version: 0.1.0}
tools: [{name: sound, description: Makes a sound.}]
resources: [{uri: "notes://a", name: a, text: A}]
"""
    handler = 'from made_up_mcp.api import audio\ndef sound(args, ctx): return audio(b"RIFF\\0\\0\\0\\0WAVE")\n'
    source = make_project(tmp_path, manifest, {"sound": handler})
    with Host(source, "made_up_mcp", "2025-12-01", judged=False) as host:
        assert host.introduction["protocolVersion"] == "2025-12-01"
        (tool,) = host.request("tools/list")["tools"]
        assert set(tool) == {"name", "inputSchema"}
        assert host.call("sound")["content"][0]["type"] == "resource"
        assert host.error("resources/read", uri="notes://b")["code"] == -32123
        host.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
        assert host.receive() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
