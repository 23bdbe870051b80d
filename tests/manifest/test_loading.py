"""What is loaded is the manifest with every question answered."""

import base64
import hashlib
import json
import time
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from manifest.manifests import HEAD, REVISIONS, load
from reference import REFERENCE, needs_reference
from toolmint.manifest import Defaults, Elicitation, Manifest, Package, PromptArgument, load_manifest
from toolmint.manifest.model import Rate

FULL = """\
$schema: https://example.com/manifest.schema.json
toolmint: 1
protocol: ["2026-07-28", "2025-11-25"]
server:
  name: contracts
  title: Contract store
  version: 0.1.0
  description: Contracts.
  websiteUrl: https://example.com
  icons: [{src: "https://example.com/a.png", mimeType: image/png, sizes: [48x48], theme: dark}]
  instructions: Search first.
package: {name: contract-store, module: store}
defaults: {ttlMs: 60000, cacheScope: public, pageSize: 10, timeoutMs: 5000, strictArguments: true, assertFormats: true}
x-owner: legal
$defs:
  Hit: {type: object, properties: {id: {type: string}}}
tools:
  - x-toolmint: {timeoutMs: 0, strictArguments: false, assertFormats: false, aliases: [find]}
    name: searchContracts
    title: Search contracts
    description: Search.
    icons: []
    annotations: {title: Search, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false}
    outputSchema: {type: array, items: {$ref: "#/$defs/Hit"}}
    inputSchema: {type: object, properties: {query: {type: string}}}
    _meta: {com.example/a: 1}
    elicits:
      - {key: name, message: Which name?, requestedSchema: {type: object, properties: {name: {type: string}}}}
      - {key: login, message: Log in., mode: url, url: "https://example.com/login"}
    x-note: ours
  - name: ping
    description: Ping.
resources:
  - {uri: "contracts://list", name: all contracts, title: All, description: All., mimeType: text/plain, size: 3,
     annotations: {audience: [user], priority: 0.5, lastModified: "2026-01-01"}, _meta: {}, x-toolmint: {ttlMs: 1}}
  - {uri: "contracts://text", name: t, text: abc}
  - {uri: "contracts://blob", name: b, blob: AAEC}
  - {uri: "contracts://file", name: f, file: data/page.html, mimeType: text/html}
  - {uri: "contracts://svg", name: g, file: data/page.html, mimeType: image/png}
resourceTemplates:
  - uriTemplate: contracts://{party}/{id}{?year,month}
    name: contract
    description: One.
    complete: {year: ["2026"]}
prompts:
  - name: summarise
    description: Summarise.
    arguments:
      - {name: topic, title: Topic, description: What., required: true, complete: [leases, loans]}
      - {name: tone}
    messages:
      - {role: user, content: "About {{ topic }}, {{tone}}."}
      - {role: assistant, content: {type: image, mimeType: image/png, data: AAEC}}
  - {name: ask, x-toolmint: {timeoutMs: 7}}
"""


@pytest.fixture
def manifest(folder: Path) -> Manifest:
    files = Path("src/store/files/data")
    files.mkdir(parents=True)
    (files / "page.html").write_text("<p>é</p>", encoding="utf-8")
    return load(folder, FULL)


LIMITED = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: limited, version: 0.1.0}
defaults:
  maxCalls: 4
  rate: {perMinute: 30}
  maxResultBytes: 1000
  maxTotalCalls: 64
  totalRate: {perMinute: 0.5}
  maxLineBytes: 65536
tools:
  - {name: as_default}
  - {name: own, x-toolmint: {maxCalls: 1, rate: {perMinute: 600, burst: 5}, maxResultBytes: 2000}}
  - {name: none, x-toolmint: {maxCalls: 0, rate: {perMinute: 0}, maxResultBytes: 0}}
"""


def test_limits(folder: Path) -> None:
    manifest = load(folder, LIMITED)
    defaults = manifest.defaults
    assert defaults.max_total_calls == 64
    assert defaults.total_rate == Rate(0.5, 1)
    assert defaults.max_line_bytes == 65536
    limits = {
        tool.name: (tool.settings.max_calls, tool.settings.rate, tool.settings.max_result_bytes)
        for tool in manifest.tools
    }
    assert limits == {
        "as_default": (4, Rate(30, 30), 1000),
        "own": (1, Rate(600, 5), 2000),
        "none": (0, None, 0),
    }


def test_the_head(manifest: Manifest) -> None:
    assert manifest.path == Path("tools.yaml")
    assert manifest.protocol == ("2026-07-28", "2025-11-25")
    assert manifest.package == Package(name="contract-store", module="store")
    assert manifest.server.instructions == "Search first."
    assert manifest.server.wire() == {
        "name": "contracts",
        "title": "Contract store",
        "version": "0.1.0",
        "description": "Contracts.",
        "websiteUrl": "https://example.com",
        "icons": [{"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
    }
    assert manifest.defaults == Defaults(
        ttl_ms=60000,
        cache_scope="public",
        page_size=10,
        timeout_ms=5000,
        strict_arguments=True,
        assert_formats=True,
    )
    assert manifest.digest == hashlib.sha256(FULL.encode()).hexdigest()
    assert manifest.warnings == ()


def test_a_tool_goes_out_in_the_order_of_the_protocol(manifest: Manifest) -> None:
    tool = manifest.tools[0]
    assert list(tool.wire()) == [
        "name",
        "title",
        "description",
        "icons",
        "inputSchema",
        "outputSchema",
        "annotations",
        "_meta",
    ]
    assert tool.wire()["icons"] == []
    assert tool.identifier == "search_contracts"
    assert tool.output_schema == {
        "type": "array",
        "items": {"$ref": "#/$defs/Hit"},
        "$defs": {"Hit": {"type": "object", "properties": {"id": {"type": "string"}}}},
    }


def test_settings_come_from_the_entry_and_then_from_the_defaults(manifest: Manifest) -> None:
    first, second = (tool.settings for tool in manifest.tools)
    assert (first.timeout_ms, first.strict_arguments, first.assert_formats, first.aliases) == (
        0,
        False,
        False,
        ("find",),
    )
    assert (second.timeout_ms, second.strict_arguments, second.assert_formats, second.aliases) == (5000, True, True, ())
    assert [resource.settings.ttl_ms for resource in manifest.resources[:2]] == [1, 60000]
    assert manifest.resource_templates[0].settings.cache_scope == "public"
    assert [prompt.settings.timeout_ms for prompt in manifest.prompts] == [5000, 7]


def test_a_tool_without_an_input_schema_takes_no_arguments(manifest: Manifest) -> None:
    assert manifest.tools[1].wire() == {
        "name": "ping",
        "description": "Ping.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    }


def test_elicitations(manifest: Manifest) -> None:
    assert manifest.tools[0].elicits == (
        Elicitation(
            key="name",
            message="Which name?",
            mode="form",
            requested_schema={"type": "object", "properties": {"name": {"type": "string"}}},
        ),
        Elicitation(key="login", message="Log in.", mode="url", url="https://example.com/login"),
    )


def test_resources(manifest: Manifest) -> None:
    first = manifest.resources[0]
    assert first.identifier == "all_contracts"
    assert first.content is None
    assert list(first.wire()) == ["uri", "name", "title", "description", "mimeType", "size", "annotations", "_meta"]
    assert [resource.content for resource in manifest.resources[1:]] == ["abc", b"\x00\x01\x02", None, None]
    assert [resource.file for resource in manifest.resources[3:]] == ["data/page.html", "data/page.html"]
    assert manifest.resources[1].wire() == {"uri": "contracts://text", "name": "t"}


def test_resource_templates(manifest: Manifest) -> None:
    (template,) = manifest.resource_templates
    assert template.variables == ("party", "id", "year", "month")
    assert template.optional_variables == ("year", "month")
    assert template.completions == {"year": ("2026",)}
    assert list(template.wire()) == ["uriTemplate", "name", "description"]


def test_prompts(manifest: Manifest) -> None:
    fixed, handled = manifest.prompts
    assert fixed.arguments is not None
    assert fixed.arguments[0] == PromptArgument(
        name="topic", title="Topic", description="What.", required=True, completions=("leases", "loans")
    )
    assert fixed.wire() == {
        "name": "summarise",
        "description": "Summarise.",
        "arguments": [
            {"name": "topic", "title": "Topic", "description": "What.", "required": True},
            {"name": "tone"},
        ],
    }
    assert fixed.messages is not None
    assert [message.content for message in fixed.messages] == [
        {"type": "text", "text": "About {{ topic }}, {{tone}}."},
        {"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"\0\1\2").decode()},
    ]
    assert handled.messages is None
    assert handled.wire() == {"name": "ask"}


def test_pointers_lead_back_to_the_file(manifest: Manifest) -> None:
    assert manifest.tools[1].pointer == "/tools/1"
    assert (
        manifest.positions.value(manifest.tools[1].pointer + "/name").line
        == FULL.split("name: ping")[0].count("\n") + 1
    )


def test_the_model_is_frozen(manifest: Manifest) -> None:
    with pytest.raises(FrozenInstanceError):
        manifest.tools[0].name = "other"  # type: ignore[misc]


def test_a_minimal_manifest(folder: Path) -> None:
    manifest = load(folder, HEAD)
    assert manifest.protocol == ("2026-07-28",)
    assert manifest.package == Package(name="contracts-mcp", module="contracts_mcp")
    assert manifest.defaults == Defaults()
    assert manifest.tools == manifest.resources == manifest.resource_templates == manifest.prompts == ()


def test_json_with_a_byte_order_mark(folder: Path) -> None:
    head = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "\U0001f600 a", "version": "1"}}
    assert load(folder, b"\xef\xbb\xbf" + json.dumps(head).encode()).server.name == "\U0001f600 a"


def test_a_deep_schema(folder: Path) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(47):
        schema = {"type": "object", "properties": {"a": schema}}
    head = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "a", "version": "1"}}
    manifest = load(folder, json.dumps({**head, "tools": [{"name": "a", "inputSchema": schema}]}))
    assert manifest.tools[0].input_schema == schema


WARNINGS = {
    "unquoted-date": (HEAD.replace('"2026-07-28"', "2026-07-28"), 2, 11, "YAML 1.1", '"2026-07-28" in quotes'),
    "no-description": (f"{HEAD}tools: [{{name: a}}]\n", 4, 9, '"a" has no description', "when to use it"),
    "long-name": (f"{HEAD}tools: [{{description: a, name: {'a' * 65}}}]\n", 4, 32, "65 characters", "shorter"),
    "root-combinator": (
        f"{HEAD}tools: [{{description: a, name: a, inputSchema: {{type: object, oneOf: [{{}}]}}}}]\n",
        4,
        63,
        "oneOf at its root",
        "several tools",
    ),
    "property-name": (
        f"{HEAD}tools: [{{description: a, name: a, inputSchema: {{type: object, properties: {{a b: {{}}}}}}}}]\n",
        4,
        76,
        '"a b"',
        "letters",
    ),
    "unknown-keyword": (f"{HEAD}$defs: {{A: {{propertes: {{}}}}}}\n", 4, 13, '"propertes" is no', '"properties"'),
    "unknown-required": (
        f"{HEAD}$defs: {{A: {{properties: {{party: {{}}}}, required: [partie], additionalProperties: false}}}}\n",
        4,
        49,
        '"partie" is required, but',
        '"party"',
    ),
}


@pytest.mark.parametrize("code", WARNINGS)
def test_warnings(folder: Path, code: str) -> None:
    text, line, column, message, hint = WARNINGS[code]
    (warning,) = load(folder, text).warnings
    assert (warning.code, warning.line, warning.column) == (code, line, column)
    assert message in warning.message
    assert hint in warning.hint


CATALOGUES = sorted(REFERENCE.glob("tools-list/*.json"))


@needs_reference
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in CATALOGUES[::10]])
def test_what_public_servers_list_is_a_manifest_and_goes_out_as_it_came(folder: Path, path: Path) -> None:
    catalogue = json.loads(path.read_text(encoding="utf-8"))
    sections = {name: catalogue[name] for name in ("tools", "resources", "resourceTemplates", "prompts")}
    head = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "a", "version": "1"}}
    manifest = load(folder, json.dumps({**head, **sections}))
    assert [tool.wire() for tool in manifest.tools] == sections["tools"]
    assert [resource.wire() for resource in manifest.resources] == sections["resources"]
    assert [template.wire() for template in manifest.resource_templates] == sections["resourceTemplates"]
    assert [prompt.wire() for prompt in manifest.prompts] == sections["prompts"]


def test_a_thousand_tools_load_in_a_few_times_what_parsing_their_json_takes(folder: Path) -> None:
    """Two seconds are the aim for 1.5 MB; the bound is on the ratio, which holds on any machine."""
    schema = {
        "type": "object",
        "properties": {
            name: {"type": "string", "minLength": 1, "description": f"The {name} of it, in words."}
            for name in "abcdefgh"
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    tools = [{"name": f"tool_{index}", "description": "d" * 200, "inputSchema": schema} for index in range(1000)]
    head = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "a", "version": "1"}}
    text = json.dumps({**head, "tools": tools}, indent=1)
    Path("tools.yaml").write_text(text)
    start = time.process_time()
    for _ in range(20):
        json.loads(text)
    baseline = (time.process_time() - start) / 20
    start = time.process_time()
    assert len(load_manifest("tools.yaml", revisions=REVISIONS).tools) == 1000
    assert time.process_time() - start < 400 * baseline
