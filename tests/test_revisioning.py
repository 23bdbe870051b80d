"""A published schema becomes a revision of a project: derived, split, compared, written as a whole or not at all."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reference import REFERENCE, needs_reference
from toolmint import commands
from toolmint.assets import SCHEMAS
from toolmint.revision import METHODS, RevisionError, known_revisions, load_revision
from toolmint.revisioning import FieldChange, Report, add_revision, compare_revisions
from toolmint.revisioning.deriving import derive_table
from toolmint.revisioning.published import read_published
from toolmint.revisioning.splitting import split

NEWEST = "2026-07-28"
NAME = "2026-11-30"
AUDIT_RESULTS = ("AuditToolResult", "AuditToolResultResponse")
HANDSHAKE = known_revisions(era="handshake")
PUBLISHED = REFERENCE / "mcp"

Edit = Callable[[dict[str, Any]], object]


def definitions_of(name: str) -> dict[str, Any]:
    """Copy the definitions of a bundled revision, for a test to change."""
    copy: dict[str, Any] = json.loads(json.dumps(dict(load_revision(name).definitions)))
    return copy


def publish(path: Path, definitions: dict[str, Any]) -> Path:
    """Write definitions as the specification does: one file, in 2020-12."""
    path.write_text(json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}))
    return path


def add(folder: Path, *edits: Edit, base: str = NEWEST, name: str = NAME) -> Report:
    """Add a made-up revision to a project in a folder: a bundled one with changes."""
    definitions = definitions_of(base)
    for edit in edits:
        edit(definitions)
    return add_revision(publish(folder / "schema.json", definitions), name, destination=folder / "schema")


def table_of(folder: Path, name: str = NAME) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((folder / "schema" / name / METHODS).read_text())
    return table


def entry_of(folder: Path, method: str) -> dict[str, Any]:
    return next(entry for entry in table_of(folder)["methods"] if entry["method"] == method)


def add_tool_field(definitions: dict[str, Any]) -> None:
    definitions["Tool"]["properties"]["costHint"] = {"description": "What a call costs.", "type": "number"}


def require_tool_description(definitions: dict[str, Any]) -> None:
    definitions["Tool"]["required"].append("description")


def rename_error_data(definitions: dict[str, Any]) -> None:
    data = definitions["MissingRequiredClientCapabilityError"]["properties"]["error"]["allOf"][1]["properties"]["data"]
    data["properties"]["missingCapabilities"] = data["properties"].pop("requiredCapabilities")
    data["required"] = ["missingCapabilities"]


def add_method(definitions: dict[str, Any]) -> None:
    """Add tools/audit, which asks for a page of ToolAudit and may have to ask back."""
    definitions["ToolAudit"] = {"type": "object", "properties": {"tool": {"type": "string"}}, "required": ["tool"]}
    params = json.loads(json.dumps(definitions["CallToolRequestParams"]))
    params["properties"]["cursor"] = {"$ref": "#/$defs/Cursor"}
    definitions["AuditToolRequestParams"] = params
    request = json.loads(json.dumps(definitions["CallToolRequest"]))
    request["properties"]["method"]["const"] = "tools/audit"
    request["properties"]["params"] = {"$ref": "#/$defs/AuditToolRequestParams"}
    definitions["AuditToolRequest"] = request
    result = json.loads(json.dumps(definitions["ListToolsResult"]))
    del result["properties"]["tools"]
    result["required"].remove("tools")
    result["properties"]["audits"] = {"type": "array", "items": {"$ref": "#/$defs/ToolAudit"}}
    definitions["AuditToolResult"] = result
    response = json.loads(json.dumps(definitions["CallToolResultResponse"]))
    results = [{"$ref": "#/$defs/AuditToolResult"}, {"$ref": "#/$defs/InputRequiredResult"}]
    response["properties"]["result"] = {"anyOf": results}
    definitions["AuditToolResultResponse"] = response
    definitions["ClientRequest"]["anyOf"].append({"$ref": "#/$defs/AuditToolRequest"})
    definitions["ServerResult"]["anyOf"].append({"$ref": "#/$defs/AuditToolResult"})


# A made-up revision


def test_a_new_field_a_renamed_one_and_a_new_method_are_reported(tmp_path: Path) -> None:
    report = add(tmp_path, add_tool_field, require_tool_description, rename_error_data, add_method)
    assert (report.revision, report.era, report.since, report.different) == (NAME, "modern", NEWEST, True)
    assert report.path == tmp_path / "schema" / NAME
    assert report.methods.added == ("tools/audit",)
    assert not report.methods.removed
    assert not report.methods.changed
    added = {"ToolAudit", "AuditToolRequestParams", "AuditToolRequest", "AuditToolResult", "AuditToolResultResponse"}
    assert set(report.definitions.added) == added
    assert report.definitions.removed == ()
    data = "error.data"
    error = "MissingRequiredClientCapabilityError"
    assert set(report.fields) == {
        FieldChange(definition="Tool", field="costHint", change="added", required=False),
        FieldChange(definition="Tool", field="description", change="now required", required=True),
        FieldChange(definition=error, field=f"{data}.missingCapabilities", change="added", required=True),
        FieldChange(definition=error, field=f"{data}.requiredCapabilities", change="removed", required=True),
        FieldChange(
            definition="ClientRequest", field="", change="changed", required=False, detail="adds AuditToolRequest"
        ),
        FieldChange(
            definition="ServerResult", field="", change="changed", required=False, detail="adds AuditToolResult"
        ),
    }
    renamed = "data.missingCapabilities added (required); data.requiredCapabilities removed (required)"
    assert report.errors.changed == {"missingRequiredClientCapability": renamed}
    assert report.facts == ()


def test_a_report_is_text_for_people_and_json_for_programs(tmp_path: Path) -> None:
    report = add(tmp_path, add_tool_field, require_tool_description, rename_error_data, add_method)
    renamed = "data.missingCapabilities added (required); data.requiredCapabilities removed (required)"
    in_error = renamed.replace("data", "error.data")
    assert report.lines() == [
        f"{NAME} (modern) is in {tmp_path / 'schema' / NAME}",
        f"since {NEWEST}:",
        "  method                 added    tools/audit",
        f"  error                  changed  missingRequiredClientCapability: {renamed}",
        *(
            f"  definition             added    {name}"
            for name in ("ToolAudit", "AuditToolRequestParams", "AuditToolRequest", *AUDIT_RESULTS)
        ),
        f"  definition             changed  MissingRequiredClientCapabilityError: {in_error}",
        "  definition             changed  ClientRequest: adds AuditToolRequest",
        "  definition             changed  ServerResult: adds AuditToolResult",
        "  definition             changed  Tool: description now required; costHint added",
        "note: tools/audit: taken to be gated by the capability tools",
    ]
    facts = json.loads(json.dumps(report.to_json()))
    assert facts["methods"] == {"added": ["tools/audit"], "removed": [], "changed": {}}
    assert facts["path"] == str(tmp_path / "schema" / NAME)
    cost = {"definition": "Tool", "field": "costHint", "change": "added", "required": False, "detail": ""}
    assert cost in facts["fields"]
    assert set(facts) == {
        *("revision", "era", "since", "different", "methods", "definitions", "fields", "errors", "metaKeys"),
        *("contentKinds", "samplingContentKinds", "facts", "notes", "path"),
    }


def test_the_new_method_s_entry_follows_from_its_definitions(tmp_path: Path) -> None:
    add(tmp_path, add_method)
    assert entry_of(tmp_path, "tools/audit") == {
        "method": "tools/audit",
        "direction": "client-to-server",
        "kind": "request",
        "message": "AuditToolRequest",
        "params": "AuditToolRequestParams",
        "result": "AuditToolResult",
        "capability": "tools",
        "paginated": True,
        "cacheable": True,
        "inputRequired": True,
        "mirrored": None,
        "beforeInitialize": True,
    }


def test_what_is_added_is_a_revision_like_any_other(tmp_path: Path) -> None:
    add(tmp_path, add_tool_field, rename_error_data, add_method)
    folder = tmp_path / "schema"
    assert known_revisions(folder, era="modern") == (NEWEST, NAME)
    revision = load_revision(NAME, folder)
    assert "costHint" in revision.schema("Tool")["properties"]
    assert set(revision.subjects["tools"]) - set(load_revision(NEWEST).subjects["tools"]) == {
        *("AuditToolRequest", "AuditToolRequestParams", "AuditToolResult", "AuditToolResultResponse", "ToolAudit")
    }
    data = revision.errors["missingRequiredClientCapability"].data
    assert data is not None
    assert data["required"] == ["missingCapabilities"]
    assert "costHint" not in load_revision(NEWEST, folder).definitions["Tool"]["properties"]


def test_a_field_that_moves_out_of_line_has_not_changed(tmp_path: Path) -> None:
    def move(definitions: dict[str, Any]) -> None:
        tool = definitions["Tool"]["properties"]
        definitions["InputSchema"] = tool["inputSchema"]
        tool["inputSchema"] = {"$ref": "#/$defs/InputSchema"}

    report = add(tmp_path, move)
    assert report.definitions.added == ("InputSchema",)
    assert report.fields == ()


def test_a_new_feature_gets_a_file_of_its_own(tmp_path: Path) -> None:
    def add_feature(definitions: dict[str, Any]) -> None:
        for name in ("Request", "ResultResponse", "Result"):
            definitions[f"ListThings{name}"] = json.loads(json.dumps(definitions[f"ListTools{name}"]))
        definitions["ListThingsRequest"]["properties"]["method"]["const"] = "things/list"
        definitions["ListThingsResultResponse"]["properties"]["result"] = {"$ref": "#/$defs/ListThingsResult"}
        thing = {"type": "object", "properties": {"size": {"$ref": "#/$defs/Dimensions"}}}
        definitions |= {"Thing": thing, "Dimensions": {"type": "integer"}}
        items = {"type": "array", "items": {"$ref": "#/$defs/Thing"}}
        definitions["ListThingsResult"]["properties"]["things"] = items
        changed = json.loads(json.dumps(definitions["ToolListChangedNotification"]))
        changed["properties"]["method"]["const"] = "notifications/things/list_changed"
        definitions["ThingListChangedNotification"] = changed
        definitions["ThingGoneError"] = {"properties": {"code": {"const": -32050}, "data": {"type": "string"}}}
        definitions["ClientRequest"]["anyOf"].append({"$ref": "#/$defs/ListThingsRequest"})
        definitions["ServerNotification"]["anyOf"].append({"$ref": "#/$defs/ThingListChangedNotification"})
        capability = {"type": "object", "properties": {"listChanged": {"type": "boolean"}}}
        definitions["ServerCapabilities"]["properties"]["things"] = capability

    report = add(tmp_path, add_feature)
    revision = load_revision(NAME, tmp_path / "schema")
    assert set(revision.subjects["things"]) == {
        *("ListThingsRequest", "ListThingsResult", "ListThingsResultResponse", "ThingListChangedNotification"),
        *("Thing", "Dimensions"),
    }
    assert "ThingGoneError" in revision.subjects["errors"]
    assert revision.methods["things/list"].capability == "things"
    assert revision.methods["notifications/things/list_changed"].capability == "things.listChanged"
    gone = revision.errors["thingGone"]
    assert (gone.code, gone.definition) == (-32050, "ThingGoneError")
    assert gone.data is not None
    assert gone.data["type"] == "string"
    assert report.errors.added == ("thingGone",)
    assert "ServerCapabilities: things added" in "\n".join(report.lines())


def test_what_is_removed_is_reported_and_gone(tmp_path: Path) -> None:
    def remove(definitions: dict[str, Any]) -> None:
        members = definitions["ServerNotification"]["anyOf"]
        members.remove({"$ref": "#/$defs/LoggingMessageNotification"})
        for name in ("LoggingMessageNotification", "LoggingMessageNotificationParams", "HeaderMismatchError"):
            del definitions[name]
        del definitions["ServerCapabilities"]["properties"]["logging"]
        level = "io.modelcontextprotocol/logLevel"
        del definitions["RequestMetaObject"]["properties"][level]

    report = add(tmp_path, remove)
    assert report.methods.removed == ("notifications/message",)
    assert report.errors.removed == ("headerMismatch",)
    assert report.meta_keys.removed == ("io.modelcontextprotocol/logLevel",)
    removed = [change for change in report.fields if change.change == "removed"]
    assert {(change.definition, change.field) for change in removed} == {
        ("ServerCapabilities", "logging"),
        ("RequestMetaObject", "io.modelcontextprotocol/logLevel"),
    }


def test_a_new_kind_of_content_and_a_new_code_are_reported(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Any]) -> None:
        video = json.loads(json.dumps(definitions["ImageContent"]))
        video["properties"]["type"]["const"] = "video"
        definitions["VideoContent"] = video
        definitions["ContentBlock"]["anyOf"].append({"$ref": "#/$defs/VideoContent"})
        error = definitions["HeaderMismatchError"]["properties"]["error"]["allOf"][1]["properties"]
        error["code"]["const"] = -32030
        key = {"com.example.mcp/log-level": {"type": "string"}}
        definitions["ResultMetaObject"]["properties"] |= key

    report = add(tmp_path, edit)
    assert report.content_kinds.added == ("video",)
    assert not report.sampling_content_kinds
    assert report.errors.changed == {"headerMismatch": "code -32020, now -32030"}
    assert report.meta_keys.added == ("com.example.mcp/log-level",)
    assert table_of(tmp_path)["contentKinds"]["video"] == "VideoContent"
    assert table_of(tmp_path)["errors"]["headerMismatch"]["code"] == -32030
    assert load_revision(NAME, tmp_path / "schema").subjects["content"][-1] == "VideoContent"


def test_a_message_in_no_union_is_noted(tmp_path: Path) -> None:
    def edit(definitions: dict[str, Any]) -> None:
        request = json.loads(json.dumps(definitions["ListToolsRequest"]))
        request["properties"]["method"]["const"] = "tools/count"
        definitions["CountToolsRequest"] = request

    report = add(tmp_path, edit)
    assert report.notes == ("CountToolsRequest is in no union of messages, so it is not in the table",)
    assert not report.methods


def test_wording_alone_is_no_difference(tmp_path: Path) -> None:
    def reword(definitions: dict[str, Any]) -> None:
        definitions["Tool"]["description"] = "Anything that can be called."
        definitions["Tool"]["properties"]["name"]["title"] = "Name"
        definitions["Tool"]["required"].reverse()
        data = definitions["UnsupportedProtocolVersionError"]["properties"]["error"]["allOf"][1]["properties"]["data"]
        data["description"] = "Which ones there are."

    report = add(tmp_path, reword)
    assert not report.different
    assert report.lines()[1:] == [f"no difference to {NEWEST} but in wording"]
    tool = load_revision(NAME, tmp_path / "schema").definitions["Tool"]
    assert tool["description"] == "Anything that can be called."


def test_the_next_revision_is_compared_with_the_project_s_own(tmp_path: Path) -> None:
    add(tmp_path, add_tool_field)
    report = add(tmp_path, add_tool_field, add_method, name="2027-01-15")
    assert report.since == NAME
    assert report.fields[0].definition != "Tool"
    assert add(tmp_path, name="2026-08-01").since == NEWEST


def test_a_bundled_name_is_taken_over_and_noted(tmp_path: Path) -> None:
    report = add(tmp_path, add_tool_field, name=NEWEST)
    assert report.notes == (f"goes before the revision {NEWEST} that toolmint has, in this project",)
    assert "costHint" in load_revision(NEWEST, tmp_path / "schema").definitions["Tool"]["properties"]


def test_a_server_is_generated_for_an_added_revision(tmp_path: Path) -> None:
    add(tmp_path, add_tool_field, add_method)
    manifest = tmp_path / "tools.yaml"
    manifest.write_text(
        f'toolmint: 1\nprotocol: "{NAME}"\nserver: {{name: made up, version: 0.1.0}}\ntools: [{{name: t}}]\n'
    )
    assert not commands.generate(manifest).problems
    prefix = "io.modelcontextprotocol/"
    lines = [
        {
            "jsonrpc": "2.0",
            "id": name if method == "server/discover" else method,
            "method": method,
            "params": {"_meta": {f"{prefix}protocolVersion": name, f"{prefix}clientCapabilities": {}}},
        }
        for method, name in (("server/discover", NAME), ("server/discover", NEWEST), ("tools/audit", NAME))
    ]
    run = subprocess.run(
        [sys.executable, "-m", "made_up_mcp"],
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path / "src",
    )
    answers = {answer["id"]: answer for answer in map(json.loads, run.stdout.splitlines())}
    assert answers[NAME]["result"]["supportedVersions"] == [NAME]
    assert answers[NEWEST]["error"]["data"]["supported"] == [NAME]
    assert answers["tools/audit"]["error"]["code"] == -32601  # known to the protocol, but not to this runtime


# What is derived, held against what is bundled


@pytest.mark.parametrize("name", known_revisions())
def test_a_bundled_revision_derived_anew_is_the_same(name: str, tmp_path: Path) -> None:
    report = add(tmp_path, base=name, name=name)
    assert not report.different
    assert table_of(tmp_path, name) == json.loads((SCHEMAS / name / METHODS).read_text())
    ours = load_revision(name)
    again = load_revision(name, tmp_path / "schema")
    assert (again.definitions, again.subjects) == (ours.definitions, ours.subjects)


@pytest.mark.parametrize(("name", "earlier"), list(zip(HANDSHAKE[1:], HANDSHAKE, strict=False)))
def test_the_table_of_a_revision_follows_from_the_one_before(name: str, earlier: str) -> None:
    derived = derive_table(name, load_revision(name).definitions, [load_revision(earlier), load_revision(NEWEST)])
    ours = json.loads((SCHEMAS / name / METHODS).read_text())
    methods = {entry["method"]: entry for entry in ours["methods"]}
    assert {entry["method"]: entry for entry in derived.document["methods"]} == methods
    for facts in ("era", "batches", "contentKinds", "samplingContentKinds"):
        assert derived.document[facts] == ours[facts]
    codes = {error["code"] for error in derived.document["errors"].values()}
    assert codes == {error["code"] for error in ours["errors"].values()}


def test_the_handshake_is_recognised_without_a_relative() -> None:
    newest = load_revision(NEWEST)
    definitions = definitions_of("2025-11-25")
    table = derive_table("2025-11-25", definitions, [newest])
    assert table.document["era"] == "handshake"
    assert len(table.document["methods"]) == 31
    assert {entry["mirrored"] for entry in table.document["methods"]} == {None}
    assert "initialize: taken to be always there" in table.notes
    subjects = split(definitions, [newest])
    assert {"TaskStatus", "TaskMetadata", "RelatedTaskMetadata", "CreateTaskResult"} <= set(subjects["tasks"])
    assert set(newest.subjects["tools"]) & set(definitions) <= set(subjects["tools"])
    assert "ToolExecution" in subjects["tools"]
    assert sorted(name for names in subjects.values() for name in names) == sorted(definitions)


@needs_reference
def test_the_published_draft_is_the_newest_revision(tmp_path: Path) -> None:
    report = add_revision(PUBLISHED / "draft" / "schema.json", NAME, destination=tmp_path)
    assert (report.era, report.since, report.different, report.notes) == ("modern", NEWEST, False, ())
    table = json.loads((tmp_path / NAME / METHODS).read_text())
    assert table == {**json.loads((SCHEMAS / NEWEST / METHODS).read_text()), "revision": NAME}
    published = json.loads((PUBLISHED / "draft" / "schema.json").read_text())["$defs"]
    tool = load_revision(NAME, tmp_path).definitions["Tool"]
    assert tool["description"] == published["Tool"]["description"]


@needs_reference
@pytest.mark.parametrize("name", HANDSHAKE)
def test_a_published_handshake_revision_is_added_as_one(name: str, tmp_path: Path) -> None:
    report = add_revision(PUBLISHED / name / "schema.json", name, destination=tmp_path)
    assert (report.era, report.since, report.different) == ("handshake", name, False)
    assert known_revisions(tmp_path, era="modern") == (NEWEST,)


# Both dialects


def to_draft_07(definitions: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(definitions).replace("#/$defs/", "#/definitions/")
    return {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": json.loads(text)}


def test_draft_07_gives_the_same_files(tmp_path: Path) -> None:
    add(tmp_path, add_method)
    file = tmp_path / "draft-07.json"
    definitions = definitions_of(NEWEST)
    add_method(definitions)
    file.write_text(json.dumps(to_draft_07(definitions)))
    add_revision(file, NAME, destination=tmp_path / "other")
    files = {path.name: path.read_text() for path in (tmp_path / "schema" / NAME).iterdir()}
    assert {path.name: path.read_text() for path in (tmp_path / "other" / NAME).iterdir()} == files


def test_what_draft_07_means_otherwise_is_said_in_2020_12(tmp_path: Path) -> None:
    document = to_draft_07(definitions_of(NEWEST))
    pair = {"items": [{"type": "integer"}, {"$ref": "#/definitions/Role"}], "additionalItems": False}
    document["definitions"]["Pair"] = {
        "properties": {
            "pair": pair,
            "list": {"items": {"type": "string"}, "additionalItems": False},
            "role": {"$ref": "#/definitions/Role", "description": "Who.", "const": "ignored"},
            "dependencies": {"type": "string"},
        },
        "dependencies": {"pair": ["list"], "role": {"required": ["pair"]}},
    }
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(document))
    assert read_published(file)["Pair"] == {
        "properties": {
            "pair": {"prefixItems": [{"type": "integer"}, {"$ref": "#/$defs/Role"}], "items": False},
            "list": {"items": {"type": "string"}},
            "role": {"description": "Who.", "$ref": "#/$defs/Role"},
            "dependencies": {"type": "string"},
        },
        "dependentRequired": {"pair": ["list"]},
        "dependentSchemas": {"role": {"required": ["pair"]}},
    }


# Comparing


def test_two_bundled_revisions_compare() -> None:
    old, new = load_revision("2025-06-18"), load_revision("2025-11-25")
    report = compare_revisions(old, new)
    assert "tasks/get" in report.methods.added
    assert report.methods.changed["tools/call"] == "params none, now CallToolRequestParams"
    assert report.errors.added == ("urlElicitationRequired",)
    assert report.sampling_content_kinds.added == ("tool_use", "tool_result")
    assert "tools.tools" not in {change.field for change in report.fields}
    icons = FieldChange(definition="Tool", field="icons", change="added", required=False)
    assert icons in report.fields
    assert (
        FieldChange(definition="CallToolRequest", field="params.task", change="added", required=False) in report.fields
    )
    assert report.path is None


def test_eras_and_batches_are_facts() -> None:
    first, second, third = (load_revision(name) for name in ("2025-03-26", "2025-06-18", NEWEST))
    assert compare_revisions(first, second).facts == ("batches are no longer accepted",)
    assert compare_revisions(second, first).facts == ("batches are accepted",)
    assert compare_revisions(second, third).facts == ("the era is modern, and was handshake",)


def test_a_revision_is_not_different_from_itself() -> None:
    for name in known_revisions():
        assert not compare_revisions(load_revision(name), load_revision(name)).different


# Refusals


def written(text: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text if isinstance(text, bytes) else text.encode())


def schema_with(edit: Edit) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        definitions = definitions_of(NEWEST)
        edit(definitions)
        publish(path, definitions)

    return write


def union_of(*members: Any) -> Edit:
    return lambda definitions: definitions.update(ClientRequest={"anyOf": list(members)})


REFUSALS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "cannot be read: No such file or directory"),
    "folder": (lambda path: path.mkdir(), "cannot be read: Is a directory"),
    "empty": (written(""), "not JSON: Expecting value: line 1 column 1"),
    "not-json": (
        written('{"$defs":\n  {,}}'),
        "not JSON: Expecting property name enclosed in double quotes: line 2 column 4",
    ),
    "not-utf-8": (written(b'{"\xff": 1}'), "not UTF-8 text: byte 2 is 0xff"),
    "nan": (written('{"$defs": NaN}'), "not JSON: NaN is no number there"),
    "surrogate": (written('{"$defs": "\\ud800"}'), r"holds '\ud800', half a character"),
    "deep": (written("[" * 5000 + "]" * 5000), "nested deeper than 100 levels"),
    "deeper": (written('{"a":' * 100_000 + "1" + "}" * 100_000), "nested deeper than 100 levels"),
    "array": (written("[]"), "found an array, expected a JSON Schema with definitions"),
    "null": (written("null"), "found null, expected a JSON Schema"),
    "no-definitions": (written("{}"), "a JSON Schema without definitions, so it defines nothing"),
    "another-schema": (written('{"$defs": {"Thing": {}}}'), "not of the protocol: $defs has no ClientRequest and no"),
    "dialect": (
        written('{"$schema": "https://json-schema.org/draft/2019-09/schema", "$defs": {}}'),
        "$schema is 'https://json-schema.org/draft/2019-09/schema'; expected https://json-schema.org/draft/2020-12/",
    ),
    "name": (schema_with(lambda all_: all_.update({"../x": {}})), "$defs has '../x', which is no name"),
    "boolean": (schema_with(lambda all_: all_.update(Any=True)), "$defs/Any is true, not an object"),
    "dangling": (
        schema_with(lambda all_: all_.update(A={"items": {"$ref": "#/$defs/Gone"}})),
        "$defs/A refers to '#/$defs/Gone', which is no definition there",
    ),
    "network": (
        schema_with(lambda all_: all_.update(A={"$ref": "https://example.com/a"})),
        "$defs/A refers to 'https://example.com/a', which is no definition there",
    ),
    "invalid": (
        schema_with(lambda all_: all_["Tool"].update(type="objekt")),
        'at /$defs/Tool/type: type is "objekt"',
    ),
    "invalid-shape": (
        schema_with(lambda all_: all_.update(A={"properties": ["a"]})),
        'at /$defs/A/properties: properties is ["a"], expected an object',
    ),
    "no-era": (
        schema_with(lambda all_: all_["RequestMetaObject"]["properties"].clear()),
        "neither a _meta key .../protocolVersion nor a request initialize",
    ),
    "no-method": (
        schema_with(union_of({"$ref": "#/$defs/Tool"})),
        "ClientRequest has Tool, whose method is not fixed",
    ),
    "cyclic-union": (
        schema_with(
            lambda all_: all_.update(
                ClientRequest={"anyOf": [{"$ref": "#/$defs/More"}, {"$ref": "#/$defs/ListToolsRequest"}]},
                More={"anyOf": [{"$ref": "#/$defs/More"}, {"$ref": "#/$defs/ListPromptsRequest"}]},
            )
        ),
        "ClientRequest has More, whose method is not fixed",
    ),
    "self-union": (
        schema_with(union_of({"$ref": "#/$defs/ClientRequest"}, {"$ref": "#/$defs/ClientRequest"})),
        "ClientRequest has ClientRequest, whose method is not fixed",
    ),
    "inline-message": (
        schema_with(union_of({"type": "object"}, {"type": "string"})),
        "ClientRequest has an alternative that is no message of its own: {'type': 'object'}",
    ),
    "method-name": (
        schema_with(lambda all_: all_["ListToolsRequest"]["properties"]["method"].update(const="tools list")),
        "no usable revision: methods.json, at $.methods",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_file_that_cannot_be_used_is_refused(case: str, tmp_path: Path) -> None:
    write, message = REFUSALS[case]
    file = tmp_path / "published.json"
    write(file)
    with pytest.raises(RevisionError) as caught:
        add_revision(file, NAME, destination=tmp_path / "schema")
    assert message in caught.value.message
    assert caught.value.file == file
    assert caught.value.hint
    assert not (tmp_path / "schema").exists()


def test_all_problems_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(RevisionError) as caught:
        add(tmp_path, lambda all_: all_.update(A={"$ref": "#/$defs/X"}, B={"$ref": "#/$defs/Y"}))
    assert len(caught.value.message.splitlines()) == 2


def test_a_file_beyond_any_published_one_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    with file.open("wb") as stream:
        stream.truncate(17 << 20)
    with pytest.raises(RevisionError, match="larger than 16 MiB"):
        add_revision(file, NAME, destination=tmp_path / "schema")


@pytest.mark.parametrize(
    "name", ["draft", "", "2026-7-28", "2026-13-01", "2026-02-30", "../2026-07-28", "2026-07-28\n"]
)
def test_a_name_that_is_no_date_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match="is no name for a revision: expected a date, as in 2026-07-28"):
        add(tmp_path, name=name)
    assert not (tmp_path / "schema").exists()


def test_a_revision_that_is_there_already_stays_as_it_is(tmp_path: Path) -> None:
    add(tmp_path)
    before = {path: path.read_bytes() for path in (tmp_path / "schema").rglob("*.json")}
    with pytest.raises(RevisionError, match=f"there is a revision {NAME} already") as caught:
        add(tmp_path, add_method)
    assert caught.value.file == tmp_path / "schema" / NAME
    assert {path: path.read_bytes() for path in (tmp_path / "schema").rglob("*.json")} == before


def test_a_file_in_the_revision_s_place_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / NAME).symlink_to(tmp_path / "gone")
    with pytest.raises(RevisionError, match="already"):
        add(tmp_path)


def test_a_broken_revision_of_the_project_is_named_as_the_fault(tmp_path: Path) -> None:
    other = tmp_path / "schema" / "2026-09-01" / METHODS
    other.parent.mkdir(parents=True)
    other.write_text("{")
    with pytest.raises(RevisionError, match="not a JSON document") as caught:
        add(tmp_path)
    assert caught.value.file == other
    assert [path.name for path in (tmp_path / "schema").iterdir()] == ["2026-09-01"]


def test_a_destination_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "schema").write_text("")
    with pytest.raises(RevisionError, match=r"cannot be written: .*; nothing has been changed"):
        add(tmp_path)
    assert (tmp_path / "schema").read_text() == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_destination_that_is_read_only_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "schema"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(RevisionError, match="cannot be written: Permission denied; nothing has been changed"):
            add(tmp_path)
    finally:
        folder.chmod(stat.S_IRWXU)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("step", ["write_text", "rename"])
def test_a_failure_half_way_leaves_nothing(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = publish(tmp_path / "published.json", definitions_of(NEWEST))
    done: list[Path] = []
    original = getattr(Path, step)

    def fail(path: Path, *arguments: Any, **options: Any) -> Any:
        done.append(path)
        if step == "rename" or len(done) == 4:
            raise OSError(28, "No space left on device")
        return original(path, *arguments, **options)

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(RevisionError, match="cannot be written: No space left on device; nothing has been changed"):
        add_revision(file, NAME, destination=tmp_path / "deep" / "schema")
    assert done
    assert list(tmp_path.iterdir()) == [file]


def test_nothing_but_the_revision_is_left_behind(tmp_path: Path) -> None:
    add(tmp_path)
    assert [path.name for path in (tmp_path / "schema").iterdir()] == [NAME]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "schema").rglob("*.json")}
    assert modes == {0o666 & ~umask()}


def umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
