"""The definitions of every revision are the published ones, its method table follows from them, its loader is strict.

The older revisions are published in draft-07, with ``definitions``; here all are in 2020-12, with ``$defs``. Two
definitions are structurally equal when they are the same JSON once annotations are dropped, lists without an order are
sorted, and references are reduced to the name they end in. That is equality of meaning, as a test makes sure: no
published definition uses a keyword that the two dialects read differently, nor anything but text beside a reference.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped, unused-ignore]

from reference import REFERENCE, needs_reference
from toolmint import commands
from toolmint.assets import SCHEMAS
from toolmint.revision import METHODS, Revision, RevisionError, Schema, known_revisions, load_revision

NAME = "2026-07-28"
FOLDER = SCHEMAS / NAME
HANDSHAKE = {"2024-11-05": 79, "2025-03-26": 83, "2025-06-18": 91, "2025-11-25": 145}
COUNTS = {**HANDSHAKE, NAME: 155}
FILES = sorted(path for name in COUNTS for path in (SCHEMAS / name).glob("*.json") if path.name != METHODS)
PUBLISHED = REFERENCE / "mcp"
ANNOTATIONS = {"title": str, "description": str, "$comment": str, "examples": list}


@pytest.fixture(scope="module", params=COUNTS)
def revision(request: pytest.FixtureRequest) -> Revision:
    return load_revision(request.param)


@pytest.fixture(scope="module")
def newest() -> Revision:
    return load_revision(NAME)


def published(name: str) -> dict[str, Any]:
    document = read(PUBLISHED / name / "schema.json")
    definitions: dict[str, Any] = document.get("$defs") or document["definitions"]
    return definitions


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def structure(schema: Any) -> Any:
    """Reduce a schema to what decides validity; a *property* called title or description is a schema and stays."""
    if isinstance(schema, dict):
        return {
            key: sorted(value)
            if key in ("required", "enum") and isinstance(value, list)
            else value.rpartition("/")[2]
            if key == "$ref" and isinstance(value, str)
            else structure(value)
            for key, value in schema.items()
            if not (key in ANNOTATIONS and isinstance(value, ANNOTATIONS[key]))
        }
    if isinstance(schema, list):
        return [structure(item) for item in schema]
    return schema


def subschemas(schema: Any, pointer: str = "#", *, named: bool = False) -> Iterator[tuple[str, bool, Any]]:
    """Yield every subschema: its pointer, whether it is a definition or a property, and the schema."""
    yield pointer, named, schema
    if not isinstance(schema, dict):
        return
    for keyword in ("properties", "$defs"):
        for name, subschema in schema.get(keyword, {}).items():
            yield from subschemas(subschema, f"{pointer}/{keyword}/{name}", named=True)
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield from subschemas(schema[keyword], f"{pointer}/{keyword}")
    for keyword in ("anyOf", "allOf"):
        for index, subschema in enumerate(schema.get(keyword, [])):
            yield from subschemas(subschema, f"{pointer}/{keyword}/{index}")


def descriptions(document: Any) -> Iterator[str]:
    for _, _, schema in subschemas(document):
        if isinstance(schema, dict) and "description" in schema:
            yield schema["description"]


def runs(text: str, length: int = 7) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


# What is published


@needs_reference
def test_the_definitions_are_the_published_ones(revision: Revision) -> None:
    theirs = published(revision.name)
    assert len(theirs) == COUNTS[revision.name]
    assert set(revision.definitions) == set(theirs)
    for name, schema in theirs.items():
        assert structure(revision.definitions[name]) == structure(schema), name


@needs_reference
def test_the_published_definitions_mean_the_same_in_both_dialects(revision: Revision) -> None:
    alike = {"type", "const", "enum", "format", "properties", "additionalProperties", "required", "items", "default"}
    alike |= {"anyOf", "allOf", "oneOf", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"}
    used: set[str] = set()
    for _, _, schema in subschemas({"$defs": published(revision.name)}):
        if isinstance(schema, dict) and "$ref" in schema and isinstance(schema["$ref"], str):
            assert set(schema) <= {"$ref", *ANNOTATIONS}
        elif isinstance(schema, dict):
            used |= set(schema)
            assert isinstance(schema.get("items", {}), dict)
    assert used - {"$defs"} <= alike | set(ANNOTATIONS)


@needs_reference
def test_the_published_examples_are_valid(newest: Revision) -> None:
    examples = sorted((PUBLISHED / NAME / "examples").glob("*/*.json"))
    assert len(examples) == 129
    faults = [
        f"{path.parent.name}/{path.name}: {error.json_path} {error.message}"
        for path in examples
        for error in Draft202012Validator(newest.schema(path.parent.name)).iter_errors(read(path))
    ]
    assert faults == []


@needs_reference
def test_no_description_repeats_the_published_text_of_any_revision() -> None:
    texts = {text for name in COUNTS for text in descriptions({"$defs": published(name)})}
    theirs = set().union(*map(runs, texts))
    ours = {text for path in (*FILES, SCHEMAS / "methods.schema.json") for text in descriptions(read(path))}
    assert len(theirs) > 2000
    assert len(ours) > 350
    assert [text for text in ours if runs(text) & theirs] == []


# The files by themselves


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_is_a_valid_schema_with_title_and_description(path: Path) -> None:
    document = read(path)
    Draft202012Validator.check_schema(document)
    assert list(document) == ["$schema", "title", "description", "$defs"]
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert path.read_text() == json.dumps(document, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_definition_and_property_is_described(path: Path) -> None:
    bare = [
        pointer
        for pointer, named, schema in subschemas(read(path))
        if named and not re.fullmatch(r"[A-Z].+[.]", schema.get("description", ""))
    ]
    assert bare == []


def test_the_method_table_is_valid(revision: Revision) -> None:
    table_schema = read(SCHEMAS / "methods.schema.json")
    Draft202012Validator.check_schema(table_schema)
    table = SCHEMAS / revision.name / METHODS
    assert list(Draft202012Validator(table_schema).iter_errors(read(table))) == []
    assert table.read_text() == json.dumps(read(table), indent=2, ensure_ascii=False) + "\n"


# The method table, held against the definitions


def members(revision: Revision, union: str) -> set[str]:
    """Name the messages of a union; the published union of one message is a copy of it."""
    schema = revision.definitions.get(union)
    if schema is None:
        return set()
    if "anyOf" in schema:
        return {option["$ref"].removeprefix("#/$defs/") for option in schema["anyOf"]}
    return {
        name
        for name, definition in revision.definitions.items()
        if name != union and structure(definition) == structure(schema)
    }


def method_of(revision: Revision, message: str) -> str:
    method: str = revision.definitions[message]["properties"]["method"]["const"]
    return method


def params_of(revision: Revision, message: str) -> str | None:
    reference = revision.definitions[message]["properties"].get("params", {}).get("$ref")
    return reference.removeprefix("#/$defs/") if reference else None


def results_of(revision: Revision, message: str) -> set[str]:
    """Name the results that answer a request.

    The definition of its response says so, and where there is none, its name. A request without a result of its own
    gets the empty one.
    """
    stem = message.removesuffix("Request")
    response = revision.definitions.get(f"{stem}ResultResponse")
    if response is not None:
        result = response["properties"]["result"]
        return {option["$ref"].removeprefix("#/$defs/") for option in result.get("anyOf", [result])}
    return {f"{stem}Result" if f"{stem}Result" in revision.definitions else "EmptyResult"}


def test_the_table_has_every_method_of_the_unions_and_no_other(revision: Revision) -> None:
    expected = set()
    for kind in ("Request", "Notification"):
        from_client, from_server = members(revision, f"Client{kind}"), members(revision, f"Server{kind}")
        expected |= {(name, kind.lower(), "client-to-server") for name in from_client - from_server}
        expected |= {(name, kind.lower(), "server-to-client") for name in from_server - from_client}
        expected |= {(name, kind.lower(), "both") for name in from_client & from_server}
    expected |= {(name, "input-request", "server-to-client") for name in members(revision, "InputRequest")}
    assert {(entry.message, entry.kind, entry.direction) for entry in revision.methods.values()} == expected
    counts = {"2024-11-05": 24, "2025-03-26": 24, "2025-06-18": 25, "2025-11-25": 31, NAME: 21}
    assert len(revision.methods) == len(expected) == counts[revision.name]


def test_method_and_params_are_those_of_the_message(revision: Revision) -> None:
    for name, entry in revision.methods.items():
        assert name == entry.method == method_of(revision, entry.message)
        assert entry.params == params_of(revision, entry.message)


def test_results_are_those_of_the_responses(revision: Revision) -> None:
    for entry in revision.methods.values():
        if entry.kind == "request":
            expected = {entry.result} | ({"InputRequiredResult"} if entry.input_required else set())
            assert results_of(revision, entry.message) == expected
        elif entry.kind == "input-request":
            assert entry.result == f"{entry.message.removesuffix('Request')}Result"
        else:
            assert entry.result is None
    answers = {entry.result for entry in revision.methods.values() if entry.kind == "input-request"}
    assert answers == members(revision, "InputResponse")


def test_each_side_s_results_answer_the_other_s_requests(revision: Revision) -> None:
    for receiver, direction in (("Client", "server-to-client"), ("Server", "client-to-server")):
        requests = [entry for entry in revision.methods.values() if entry.kind == "request"]
        expected = {entry.result for entry in requests if entry.direction in (direction, "both")}
        named = members(revision, f"{receiver}Result") - {"Result", "EmptyResult", "InputRequiredResult"}
        if revision.era == "modern" and receiver == "Client":
            continue  # nothing a client answers goes out as a response there
        assert named == expected - {"EmptyResult"}


def test_paging_caching_and_retries_show_in_the_definitions(revision: Revision) -> None:
    def has(schema: Any, field: str) -> bool:
        return field in schema.get("properties", {})

    for entry in revision.methods.values():
        message = revision.definitions[entry.message]
        inline = message["properties"].get("params", {})
        params = revision.definitions[entry.params] if entry.params else inline
        result = revision.definitions[entry.result] if entry.result else {}
        assert entry.paginated == has(params, "cursor") == has(result, "nextCursor")
        assert entry.cacheable == has(result, "ttlMs") == has(result, "cacheScope")
        assert entry.input_required == has(params, "requestState") == has(params, "inputResponses")


FEATURES = {
    "tools/list": "tools",
    "tools/call": "tools",
    "notifications/tools/list_changed": "tools.listChanged",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "notifications/resources/list_changed": "resources.listChanged",
    "notifications/resources/updated": "resources.subscribe",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "notifications/prompts/list_changed": "prompts.listChanged",
    "notifications/message": "logging",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
COMPLETION = {"completion/complete": "completions"}  # 2024-11-05 has the method, but no capability for it
ELICITATION = {"elicitation/create": "elicitation"}
CONNECTION = {
    "resources/subscribe": "resources.subscribe",
    "resources/unsubscribe": "resources.subscribe",
    "logging/setLevel": "logging",
    "notifications/roots/list_changed": "roots.listChanged",
}
TASKS = {
    "tasks/get": "tasks",
    "tasks/result": "tasks",
    "tasks/list": "tasks.list",
    "tasks/cancel": "tasks.cancel",
    "notifications/tasks/status": "tasks",
}
CAPABILITIES = {
    "2024-11-05": FEATURES | CONNECTION,
    "2025-03-26": FEATURES | CONNECTION | COMPLETION,
    "2025-06-18": FEATURES | CONNECTION | COMPLETION | ELICITATION,
    "2025-11-25": FEATURES | CONNECTION | COMPLETION | ELICITATION | TASKS,
    NAME: FEATURES | COMPLETION | ELICITATION,
}


def test_capabilities_are_those_of_the_specification(revision: Revision) -> None:
    # specification/REVISION: the Capabilities section of each feature's page
    gated = {name: entry.capability for name, entry in revision.methods.items() if entry.capability}
    assert gated == CAPABILITIES[revision.name]


def test_mirrored_fields_are_those_of_the_specification(revision: Revision) -> None:
    # specification/2026-07-28/basic/transports, Streamable HTTP, Standard Headers
    mirrored = {name: entry.mirrored for name, entry in revision.methods.items() if entry.mirrored}
    expected = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
    assert mirrored == (expected if revision.era == "modern" else {})


def test_little_may_come_before_the_handshake_is_complete(revision: Revision) -> None:
    # specification/REVISION/basic/lifecycle, Initialization: only pings, and log messages from the server; what goes
    # with those and with initialize itself may come too
    early = {name for name, entry in revision.methods.items() if entry.before_initialize}
    if revision.era == "modern":
        assert early == set(revision.methods)
    else:
        notifications = {"initialized", "cancelled", "progress", "message"}
        assert early == {"initialize", "ping"} | {f"notifications/{name}" for name in notifications}


def test_batches_are_of_one_revision(revision: Revision) -> None:
    # specification/2025-03-26/basic, Batching; specification/2025-06-18/changelog
    assert revision.batches == (revision.name == "2025-03-26")
    assert revision.batches == any(
        part.get("type") == "array" for part in revision.definitions["JSONRPCMessage"]["anyOf"]
    )


def test_content_kinds_are_those_the_definitions_allow(revision: Revision) -> None:
    def referred(schema: Any) -> set[str]:
        """Name the blocks that a schema refers to, directly or through a union or an array of them."""
        names = {part["$ref"].removeprefix("#/$defs/") for _, _, part in subschemas(schema) if "$ref" in part}
        unions = {name for name in names if "anyOf" in revision.definitions[name]}
        return (names - unions).union(*(referred(revision.definitions[name]) for name in unions))

    definitions = revision.definitions
    assert set(revision.content_kinds.values()) == referred(definitions["CallToolResult"]["properties"]["content"])
    assert set(revision.content_kinds.values()) == referred(definitions["PromptMessage"]["properties"]["content"])
    sampling = referred(definitions["SamplingMessage"]["properties"]["content"])
    assert set(revision.sampling_content_kinds.values()) == sampling
    kinds = {"2024-11-05": (3, 2), "2025-03-26": (4, 3), "2025-06-18": (5, 3), "2025-11-25": (5, 5), NAME: (5, 5)}
    assert (len(revision.content_kinds), len(revision.sampling_content_kinds)) == kinds[revision.name]
    for kind, name in (*revision.content_kinds.items(), *revision.sampling_content_kinds.items()):
        assert definitions[name]["properties"]["type"]["const"] == kind


def error_shape(revision: Revision, name: str) -> dict[str, Any]:
    """Merge what a definition says of the error object itself, which some wrap into a whole response."""
    properties = revision.definitions[name]["properties"]
    if "allOf" in properties.get("error", {}):
        properties = next(option["properties"] for option in properties["error"]["allOf"] if "properties" in option)
    return dict(properties)


def test_errors_are_those_the_definitions_fix(revision: Revision) -> None:
    definitions = {
        name
        for name, definition in revision.definitions.items()
        if "properties" in definition and "const" in error_shape(revision, name).get("code", {})
    }
    assert {error.definition for error in revision.errors.values()} - {None} == definitions
    for name, error in revision.errors.items():
        assert error.name == name
        shape = error_shape(revision, error.definition) if error.definition else {}
        assert error.code == shape.get("code", {}).get("const", error.code)
        fixed = structure(shape.get("data", {}))
        data = structure(error.data or {})
        assert {key: value for key, value in data.items() if key not in ("$schema", "$defs")} == fixed


def test_codes_are_those_of_the_specification(revision: Revision) -> None:
    # JSON-RPC 2.0, section 5.1; specification/REVISION/server/resources and, in 2025-11-25, client/elicitation: errors
    codes = {error.code for error in revision.errors.values()}
    of_revision = {NAME: {-32020, -32021, -32022}, "2025-11-25": {-32002, -32042}}
    assert codes == {-32700, -32600, -32601, -32602, -32603} | of_revision.get(revision.name, {-32002})


@pytest.mark.parametrize(
    ("name", "error", "data", "wrong"),
    [
        (
            NAME,
            "missingRequiredClientCapability",
            {"requiredCapabilities": {"elicitation": {"form": {}}}},
            {"requiredCapabilities": {"elicitation": True}},
        ),
        (
            "2025-11-25",
            "urlElicitationRequired",
            {"elicitations": [{"mode": "url", "elicitationId": "1", "url": "https://example.com", "message": "Pay."}]},
            {"elicitations": [{"mode": "form", "message": "Pay."}]},
        ),
    ],
)
def test_the_data_of_an_error_is_a_schema_that_stands_alone(name: str, error: str, data: Any, wrong: Any) -> None:
    schema = load_revision(name).errors[error].data
    assert schema is not None
    validator = Draft202012Validator(schema)
    assert validator.is_valid(data)
    assert not validator.is_valid(wrong)
    assert not validator.is_valid({})


def test_meta_keys_are_those_that_are_named(revision: Revision) -> None:
    of_text = {  # reserved by the specification's text, but in no definition
        NAME: {"traceparent", "tracestate", "baggage"},  # basic, General fields
        "2025-11-25": {  # basic/utilities/tasks
            "io.modelcontextprotocol/related-task",
            "io.modelcontextprotocol/model-immediate-response",
        },
    }
    named = {
        key
        for pointer, _, schema in subschemas({"$defs": revision.definitions})
        if pointer.endswith(("MetaObject", "/_meta")) and isinstance(schema, dict)
        for key in schema.get("properties", {})
    }
    assert set(revision.meta_keys.values()) == named | of_text.get(revision.name, set())
    for role, key in revision.meta_keys.items():
        head, *tail = key.rpartition("/")[2].split("-")
        assert role == head + "".join(part.capitalize() for part in tail)


# Schemas that stand alone


def test_every_definition_is_in_one_subject_and_stands_alone(revision: Revision) -> None:
    assert sorted(name for names in revision.subjects.values() for name in names) == sorted(revision.definitions)
    assert set(revision.subjects) == {path.stem for path in FILES if path.parent.name == revision.name}
    for name, definition in revision.definitions.items():
        schema = revision.schema(name)
        assert {key: value for key, value in schema.items() if key not in ("$schema", "$defs")} == definition
        referred = {part["$ref"] for _, _, part in subschemas(schema) if isinstance(part, dict) and "$ref" in part}
        assert referred == {f"#/$defs/{reached}" for reached in schema.get("$defs", {})}


def test_a_schema_carries_only_what_it_reaches(newest: Revision) -> None:
    assert "$defs" not in newest.schema("Cursor")
    assert list(newest.schema("PromptReference")) == ["$schema", "description", "type", "required", "properties"]
    assert set(newest.schema("JSONArray")["$defs"]) == {"JSONValue", "JSONObject"}
    assert set(newest.schema("JSONObject")["$defs"]) == {"JSONValue", "JSONObject"}


def test_an_unknown_definition_is_named_with_the_nearest(newest: Revision) -> None:
    with pytest.raises(RevisionError, match=r"'CallToolsResult'\ndid you mean 'CallToolResult'"):
        newest.schema("CallToolsResult")


# The loader


def test_the_bundled_revisions_are_known_oldest_first() -> None:
    assert known_revisions() == tuple(COUNTS) == tuple(sorted(COUNTS))
    assert known_revisions(era="modern") == (NAME,)
    assert known_revisions(era="handshake") == tuple(HANDSHAKE)


def test_a_bundled_revision_is_loaded_once(revision: Revision) -> None:
    assert load_revision(revision.name) is revision
    assert revision.era == ("handshake" if revision.name in HANDSHAKE else "modern")


@pytest.mark.parametrize("name", ["2026-07-29", "latest", "", f"../schema/{NAME}"])
def test_an_unknown_revision_is_named_with_the_known_and_the_nearest(name: str) -> None:
    with pytest.raises(RevisionError) as caught:
        load_revision(name)
    assert caught.value.message == f"unknown protocol revision {name!r}; known: {', '.join(known_revisions())}"
    assert re.fullmatch(r"did you mean '[\w-]+'\?", caught.value.hint)
    assert caught.value.file is None


def test_the_nearest_revision_is_the_one_with_the_fewest_slips() -> None:
    with pytest.raises(RevisionError, match=f"did you mean '{NAME}'"):
        load_revision(NAME.replace("28", "29"))


def test_loading_imports_no_schema_library() -> None:
    code = f"import sys, toolmint.revision as r; r.load_revision({NAME!r}); sys.exit('jsonschema' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A project's own schema folder with a small revision called draft, and no other."""
    folder = tmp_path / "schema" / "draft"
    folder.mkdir(parents=True)
    ping: dict[str, Any] = {
        "method": "ping",
        "direction": "both",
        "kind": "request",
        "message": "PingRequest",
        "result": "EmptyResult",
    }
    ping |= dict.fromkeys(("params", "capability", "mirrored"))
    ping |= dict.fromkeys(("paginated", "cacheable", "inputRequired", "beforeInitialize"), False)
    table = {"revision": "draft", "era": "handshake", "jsonrpc": "2.0", "batches": False, "methods": [ping]}
    write(
        folder / METHODS, table | {name: {} for name in ("errors", "metaKeys", "contentKinds", "samplingContentKinds")}
    )
    request = {"properties": {"method": {"const": "ping"}, "id": {"$ref": "base.json#/$defs/Id"}}}
    write(folder / "ping.json", {"$defs": {"PingRequest": request}})
    write(folder / "base.json", {"$defs": {"Id": {"type": "integer"}, "EmptyResult": {"type": "object"}}})
    return folder.parent


def write(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document))


def change(path: Path, edit: Callable[[Any], object]) -> None:
    document = read(path)
    edit(document)
    write(path, document)


def test_a_project_adds_revisions_of_its_own(own: Path) -> None:
    assert known_revisions(own) == (*known_revisions(), "draft")
    assert known_revisions(own, era="handshake") == (*HANDSHAKE, "draft")
    assert known_revisions(own, era="modern") == (NAME,)
    assert known_revisions(own / "missing") == known_revisions()
    draft = load_revision("draft", own)
    assert draft.era == "handshake"
    assert draft.subjects == {"base": ("Id", "EmptyResult"), "ping": ("PingRequest",)}
    assert draft.schema("PingRequest")["$defs"] == {"Id": {"type": "integer"}}
    assert load_revision(NAME, own) is load_revision(NAME)


def test_a_project_s_revision_goes_before_the_bundled_one(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / NAME)
    change(tmp_path / NAME / METHODS, lambda table: table["metaKeys"].update(tenant="com.example/tenant"))
    assert load_revision(NAME, tmp_path).meta_keys["tenant"] == "com.example/tenant"
    assert "tenant" not in load_revision(NAME).meta_keys


def test_a_changed_file_is_read_again(own: Path) -> None:
    before = load_revision("draft", own)
    change(own / "draft" / "base.json", lambda document: document["$defs"].update(Extra={"type": "null"}))
    os.utime(own / "draft" / "base.json", ns=(0, 0))
    assert "Extra" not in before.definitions
    assert "Extra" in load_revision("draft", own).definitions


def table_edits() -> Iterator[tuple[Callable[[Any], object], str]]:
    """Yield ways to break the method table of the revision above, each with what the error has to say."""

    def update(**entries: Any) -> Callable[[Any], object]:
        return lambda table: table["methods"][0].update(entries)

    def busy(**entries: Any) -> Callable[[Any], object]:
        return lambda table: table["errors"].update(busy={"code": -1, "definition": None, "data": None, **entries})

    yield lambda table: table.pop("era"), "methods.json, at $: 'era' is a required property"
    yield update(kind="call"), "methods.json, at $.methods[0].kind: 'call' is not one of"
    yield update(result=None), "methods.json, at $.methods[0].result: None is not of type 'string'"
    yield update(message="Ping"), "ping: message is 'Ping', not a definition: did you mean 'PingRequest'?"
    yield update(capability="pong"), "ping: capability 'pong' is not in ClientCapabilities or ServerCapabilities"
    yield update(mirrored="name"), "ping: mirrored is 'name', which is no property of None"
    yield lambda table: table["methods"].extend(table["methods"]), "2 entries under methods, but 1 different methods"
    yield lambda table: table.update(revision="2027-01-01"), "calls itself '2027-01-01', but its folder is 'draft'"
    yield busy(definition="Busy"), "errors.busy: 'Busy' is not defined"
    yield busy(data="base.json#/$defs/Id/not"), "errors.busy.data is 'base.json#/$defs/Id/not', which is no schema"
    yield lambda table: table["contentKinds"].update(text="Id"), "content kind 'text': 'Id' is no definition with that"
    yield busy(data="base.json#/$defs/Id/type"), "errors.busy.data is 'base.json#/$defs/Id/type', which is no schema"


@pytest.mark.parametrize(("edit", "message"), list(table_edits()))
def test_a_method_table_that_does_not_hold_is_refused(own: Path, edit: Callable[[Any], object], message: str) -> None:
    change(own / "draft" / METHODS, edit)
    with pytest.raises(RevisionError, match=re.escape(message)) as caught:
        load_revision("draft", own)
    assert caught.value.file is not None
    assert own in caught.value.file.parents


BROKEN_DEFINITIONS: list[tuple[Any, str]] = [
    (
        {"$defs": {"A": {"$ref": "base.json#/$defs/PingRequest"}}},
        "more.json: A refers to 'base.json#/$defs/PingRequest'",
    ),
    ({"$defs": {"A": {"items": {"$ref": "#/$defs/Id"}}}}, "more.json: A refers to '#/$defs/Id', which is no"),
    (
        {"$defs": {"A": {"$ref": "https://example.com/a"}}},
        "more.json: A refers to 'https://example.com/a', which is no",
    ),
    ({"$defs": {"Id": {"type": "string"}}}, "more.json: Id is defined in base.json already"),
    ({"$defs": {"A": True}}, "more.json: A is True, not an object"),
    ({"definitions": {}}, "more.json: expected an object with $defs"),
    ({"$defs": {"A": {"type": "strng"}}}, 'more.json, at /$defs/A/type: type is "strng"'),
]


@pytest.mark.parametrize(("document", "message"), BROKEN_DEFINITIONS)
def test_definitions_that_do_not_hold_are_refused(own: Path, document: Any, message: str) -> None:
    write(own / "draft" / "more.json", document)
    with pytest.raises(RevisionError, match=re.escape(message)):
        load_revision("draft", own)


def test_all_problems_are_named_at_once(own: Path) -> None:
    dangling: dict[str, Schema] = {"A": {"$ref": "#/$defs/X"}, "B": {"$ref": "#/$defs/Y"}}
    write(own / "draft" / "more.json", {"$defs": dangling})
    with pytest.raises(RevisionError) as caught:
        load_revision("draft", own)
    assert len(caught.value.message.splitlines()) == 2


def test_a_file_that_is_not_json_is_named(own: Path) -> None:
    (own / "draft" / "more.json").write_text("{")
    with pytest.raises(RevisionError, match=r"more\.json: not a JSON document: .*line 1 column 2"):
        load_revision("draft", own)


@pytest.mark.parametrize("table", [[], {"revision": "draft"}])
def test_a_table_without_an_era_is_named_when_eras_matter(own: Path, table: Any) -> None:
    write(own / "draft" / METHODS, table)
    with pytest.raises(RevisionError, match="does not say its era") as caught:
        known_revisions(own, era="modern")
    assert caught.value.file == own / "draft" / METHODS


@pytest.mark.parametrize("name", HANDSHAKE)
def test_a_manifest_cannot_ask_for_a_handshake_revision_alone(name: str, tmp_path: Path) -> None:
    manifest = tmp_path / "tools.yaml"
    manifest.write_text(f'toolmint: 1\nprotocol: "{name}"\nserver: {{name: s, version: 0.1.0}}\ntools: []\n')
    (problem,) = commands.check(manifest).problems
    assert (problem.file, problem.line) == (str(manifest), 2)
    assert problem.code == "no-modern-revision"
    assert NAME in problem.message + problem.hint
