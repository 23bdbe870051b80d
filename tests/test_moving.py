"""A project moves to another revision of the protocol: added from its published schema, served, handlers untouched."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reference import REFERENCE, ROOT, needs_reference
from servers import META, Server, call, request
from toolmint import commands
from toolmint.assets import SCHEMAS
from toolmint.revision import known_revisions

REVISION, NEXT = "2026-07-28", "2027-03-01"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    assert not commands.init(tmp_path / "moving").problems
    path = tmp_path / "moving" / "tools.yaml"
    handler = path.parent / "src" / "moving_mcp" / "tools" / "greet.py"
    text = handler.read_text(encoding="utf-8").replace("raise NotImplementedError", 'return f"Hello, {args.name}!"')
    handler.write_text(text, encoding="utf-8")
    return path


def published(path: Path, change: object = None) -> Path:
    """Write our own definitions of the newest revision as one published schema.json; ``change`` edits them."""
    definitions: dict[str, object] = {}
    for file in sorted((SCHEMAS / REVISION).glob("*.json")):
        if file.name != "methods.json":
            text = file.read_text(encoding="utf-8")
            definitions |= json.loads(text)["$defs"]
    text = json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions})
    for file in (SCHEMAS / REVISION).glob("*.json"):
        text = text.replace(f'"{file.name}#/$defs/', '"#/$defs/')
    schema = json.loads(text)
    if callable(change):
        change(schema["$defs"])
    path.write_text(json.dumps(schema), encoding="utf-8")
    return path


def handwritten(manifest: Path) -> dict[str, str]:
    files = ["tools.yaml", "pyproject.toml", "Makefile", "README.md", "src/moving_mcp/tools/greet.py"]
    return {name: (manifest.parent / name).read_text(encoding="utf-8") for name in files}


@needs_reference
def test_draft_is_added_and_both_versions_are_served_with_the_handlers_untouched(manifest: Path) -> None:
    outcome = commands.add_revision(REFERENCE / "mcp" / "draft" / "schema.json", NEXT, manifest.parent)
    assert not outcome.problems
    text = manifest.read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("protocol:"))
    manifest.write_text(text.replace(line, f'protocol: ["{REVISION}", "{NEXT}"]'), encoding="utf-8")
    before = handwritten(manifest)
    assert not commands.generate(manifest).problems
    assert handwritten(manifest) == before
    assert not commands.check(manifest).problems
    with Server(manifest.parent / "src", "moving_mcp") as server:
        for version in (REVISION, NEXT):
            meta = {**META, VERSION_KEY: version}
            assert server.ask(request(1, "server/discover", meta))["result"]["supportedVersions"] == [REVISION, NEXT]
            message = call(2, "greet", {"name": "you"})
            message["params"]["_meta"] = meta
            assert server.ask(message)["result"]["content"][0]["text"] == "Hello, you!"
        refused = server.ask(request(3, "tools/list", {**META, VERSION_KEY: "2030-01-01"}))
        assert refused["error"]["data"]["supported"] == [REVISION, NEXT]


@needs_reference
def test_contracts_are_served_in_the_draft_as_well_by_the_same_handlers(tmp_path: Path) -> None:
    folder = tmp_path / "contracts"
    shutil.copytree(ROOT / "generated" / "contracts", folder, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    manifest = folder / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(
        text.replace(f'protocol: ["{REVISION}"', f'protocol: ["{REVISION}", "{NEXT}"'), encoding="utf-8"
    )
    handlers = {
        path: path.read_bytes() for name in ("tools", "resources", "prompts") for path in folder.rglob(f"{name}/*")
    }
    assert handlers
    assert not commands.add_revision(REFERENCE / "mcp" / "draft" / "schema.json", NEXT, folder).problems
    assert not commands.generate(manifest).problems
    assert not commands.check(manifest).problems
    assert {path: path.read_bytes() for path in handlers} == handlers
    with Server(folder / "src", "contracts_mcp", env={"CONTRACTS_DB": str(tmp_path / "contracts.db")}) as server:
        found = []
        for number, version in enumerate((REVISION, NEXT)):
            discovered = server.ask(request(f"d{number}", "server/discover", {**META, VERSION_KEY: version}))
            assert discovered["result"]["supportedVersions"] == [REVISION, NEXT]
            answer = server.ask(with_version(call(number, "search_contracts", {"query": "lease"}), version))
            found.append(answer["result"]["structuredContent"])
        assert found[0] == found[1]


def test_moving_changes_one_line_of_the_manifest_and_says_what_changes(manifest: Path, tmp_path: Path) -> None:
    def change(definitions: dict[str, dict[str, dict[str, object]]]) -> None:
        definitions["Tool"]["properties"]["color"] = {"type": "string", "description": "A colour."}

    assert not commands.add_revision(published(tmp_path / "next.json", change), NEXT, manifest.parent).problems
    before = handwritten(manifest)
    outcome = commands.move(manifest, NEXT)
    assert not outcome.problems
    assert any("color" in line for line in outcome.lines)
    after = handwritten(manifest)
    changed = [
        (a, b)
        for a, b in zip(before["tools.yaml"].splitlines(), after["tools.yaml"].splitlines(), strict=True)
        if a != b
    ]
    kept = ", ".join(f'"{name}"' for name in reversed(known_revisions(era="handshake")))
    assert [new for _, new in changed] == [f'protocol: ["{NEXT}", {kept}]']
    assert {name for name in before if before[name] != after[name]} == {"tools.yaml"}
    with Server(manifest.parent / "src", "moving_mcp") as server:
        discovered = server.ask(request(1, "server/discover", {**META, VERSION_KEY: NEXT}))
        assert discovered["result"]["supportedVersions"] == [NEXT]


@pytest.mark.parametrize(
    "before",
    [
        "\ufeffprotocol: '{0}' # now\ntoolmint: 1\n",
        "toolmint: 1\r\nprotocol: [{0}]\r\n",
        "toolmint: 1\n# a\u2028b\x85c\nprotocol: {0}\n",
    ],
)
def test_the_line_is_found_however_the_file_is_written(manifest: Path, tmp_path: Path, before: str) -> None:
    rest = "server: {name: moving, version: 0.1.0}\ntools: [{name: greet, description: Greet.}]\n"
    manifest.write_bytes((before.format(f'"{REVISION}"' if "'" not in before else REVISION) + rest).encode())
    assert not commands.add_revision(published(tmp_path / "next.json"), NEXT, manifest.parent).problems
    assert not commands.move(manifest, NEXT, force=True).problems
    after = manifest.read_bytes().decode()
    assert after.splitlines(keepends=True)[-2:] == rest.splitlines(keepends=True)
    assert f'"{NEXT}"' in after
    assert REVISION not in after
    assert after.startswith("\ufeff") == before.startswith("\ufeff")
    assert after.count("\r\n") == before.count("\r\n")


def test_line_ends_of_a_checkout_change_nothing(manifest: Path) -> None:
    lines = manifest.read_bytes()
    manifest.write_bytes(lines.replace(b"\n", b"\r\n"))
    assert not commands.check(manifest).problems


@pytest.mark.parametrize(("name", "words"), [("2031-01-01", "unknown protocol revision"), ("2025-11-25", "2025-11-25")])
def test_revision_that_cannot_be_moved_to_leaves_the_project_as_it_was(manifest: Path, name: str, words: str) -> None:
    before = {str(path): path.read_bytes() for path in manifest.parent.rglob("*") if path.is_file()}
    outcome = commands.move(manifest, name)
    assert outcome.exit_code in (1, 2)
    assert words in str(outcome.problems[0])
    assert {str(path): path.read_bytes() for path in manifest.parent.rglob("*") if path.is_file()} == before


def test_unusable_schema_is_explained(manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{}", encoding="utf-8")
    outcome = commands.add_revision(tmp_path / "no.json", NEXT, manifest.parent)
    assert outcome.exit_code == 2
    assert outcome.problems[0].file.endswith("no.json")
    assert not (manifest.parent / "schema").exists()


class TestMadeUpRevision:
    """A revision that nobody has seen before: a new field, renamed data of errors, a new method."""

    @staticmethod
    def change(definitions: dict[str, Any]) -> None:
        definitions["Tool"]["properties"]["costHint"] = {
            "type": "number",
            "description": "What a call costs, in cents.",
        }
        definitions["ToolAnnotations"]["properties"]["slowHint"] = {"type": "boolean"}
        for error, old, new in (
            ("MissingRequiredClientCapabilityError", "requiredCapabilities", "missingCapabilities"),
            ("UnsupportedProtocolVersionError", "supported", "spokenVersions"),
        ):
            data = definitions[error]["properties"]["error"]["allOf"][1]["properties"]["data"]
            data["properties"][new] = data["properties"].pop(old)
            data["required"] = [new if name == old else name for name in data["required"]]
        audit = json.loads(json.dumps(definitions["DiscoverRequest"]))
        audit["properties"]["method"]["const"] = "tools/audit"
        definitions["AuditToolsRequest"] = audit
        definitions["AuditToolsResult"] = {"type": "object", "properties": {"audits": {"type": "integer"}}}
        definitions["ClientRequest"]["anyOf"].append({"$ref": "#/$defs/AuditToolsRequest"})
        definitions["ServerResult"]["anyOf"].append({"$ref": "#/$defs/AuditToolsResult"})

    @pytest.fixture
    def project(self, manifest: Path, tmp_path: Path) -> Path:
        """A project that speaks it and the one before, with a tool that uses the new field."""
        schema = published(tmp_path / "next.json", self.change)
        assert not commands.add_revision(schema, NEXT, manifest.parent).problems
        self.edit(manifest, protocol=f'protocol: ["{NEXT}", "{REVISION}"]')
        handler = manifest.parent / "src" / "moving_mcp" / "tools" / "greet.py"
        text = handler.read_text(encoding="utf-8").replace('return f"', 'ctx.require(roots={})\n    return f"')
        handler.write_text(text, encoding="utf-8")
        return manifest

    @staticmethod
    def edit(manifest: Path, *, protocol: str = "", members: str = "") -> None:
        lines = manifest.read_text(encoding="utf-8").splitlines()
        if protocol:
            lines = [protocol if line.startswith("protocol:") else line for line in lines]
        if members:
            place = next(index for index, line in enumerate(lines) if line.strip() == "- name: greet")
            lines.insert(place + 1, f"    {members}")
        manifest.write_text("\n".join(lines) + "\n", encoding="utf-8")

    @staticmethod
    def exchange(manifest: Path, *messages: dict[str, Any]) -> list[Any]:
        """Return the answers in the order of the messages."""
        run = subprocess.run(
            [sys.executable, "-m", "moving_mcp"],
            input="".join(f"{json.dumps(message)}\n" for message in messages),
            capture_output=True,
            text=True,
            check=True,
            cwd=manifest.parent / "src",
        )
        answers = {answer["id"]: answer for answer in map(json.loads, run.stdout.splitlines())}
        return [answers[message["id"]] for message in messages]

    def test_what_it_adds_to_an_entry_is_listed(self, project: Path) -> None:
        self.edit(project, members="costHint: 3")
        text = project.read_text(encoding="utf-8")
        project.write_text(text.replace("readOnlyHint: true", "readOnlyHint: true, slowHint: true"), encoding="utf-8")
        assert not commands.generate(project).problems
        assert not commands.check(project).problems
        (listed,) = self.exchange(project, request(1, "tools/list", {**META, VERSION_KEY: NEXT}))
        (tool,) = listed["result"]["tools"]
        assert tool["costHint"] == 3
        assert tool["annotations"] == {"readOnlyHint": True, "slowHint": True}
        source = (project.parent / "src" / "moving_mcp" / "protocol" / "tools.py").read_text(encoding="utf-8")
        assert "cost_hint" in source

    @pytest.mark.parametrize(
        ("members", "code", "words"),
        [
            ("costHint: high", "not-in-revision", f"{NEXT} does not allow this: 'high' is not of type 'number'"),
            ("costHnt: 3", "unknown-key", 'a tool has no key "costHnt"'),
            ("costHints: 3", "unknown-key", 'a tool has no key "costHints"'),
        ],
    )
    def test_what_it_does_not_define_is_refused_where_it_stands(
        self, project: Path, members: str, code: str, words: str
    ) -> None:
        self.edit(project, members=members)
        (problem,) = commands.generate(project).problems
        assert (problem.code, words in problem.message) == (code, True)
        assert problem.line is not None
        assert members in project.read_text(encoding="utf-8").splitlines()[problem.line - 1]
        assert code != "unknown-key" or "costHint" in (problem.hint or "")

    def test_what_it_requires_is_asked_of_every_entry(self, manifest: Path, tmp_path: Path) -> None:
        def change(definitions: dict[str, Any]) -> None:
            definitions["Tool"]["required"].append("title")

        assert not commands.add_revision(published(tmp_path / "next.json", change), NEXT, manifest.parent).problems
        before = manifest.read_bytes()
        (problem,) = commands.move(manifest, NEXT).problems
        assert (problem.code, "'title' is a required property" in problem.message) == ("not-in-revision", True)
        assert manifest.read_bytes() == before
        self.edit(manifest, members="title: Greet")
        assert not commands.move(manifest, NEXT).problems

    def test_what_it_adds_is_not_known_to_the_one_before(self, project: Path) -> None:
        self.edit(project, protocol=f'protocol: "{REVISION}"', members="costHint: 3")
        (problem,) = commands.generate(project).problems
        assert problem.code == "unknown-key"

    def test_errors_are_told_as_each_revision_words_them(self, project: Path) -> None:
        assert not commands.generate(project).problems
        unsupported, missing, missing_before = self.exchange(
            project,
            request(1, "tools/list", {**META, VERSION_KEY: "2030-01-01"}),
            with_version(call(2, "greet", {"name": "you"}), NEXT),
            with_version(call(3, "greet", {"name": "you"}), REVISION),
        )
        assert unsupported["error"]["code"] == -32022
        assert unsupported["error"]["data"] == {"spokenVersions": [NEXT, REVISION], "requested": "2030-01-01"}
        assert missing["error"]["code"] == missing_before["error"]["code"] == -32021
        assert missing["error"]["data"] == {"missingCapabilities": {"roots": {}}}
        assert missing_before["error"]["data"] == {"requiredCapabilities": {"roots": {}}}

    def test_a_method_that_is_not_served_is_reported_until_it_is_silenced(self, project: Path) -> None:
        for outcome in (commands.generate(project), commands.generate(project), commands.check(project)):
            (warning,) = (warning for warning in outcome.warnings if warning.code == "unserved-method")
            assert "tools/audit" in warning.message
            assert NEXT in warning.message
            assert warning.line is not None
            assert project.read_text(encoding="utf-8").splitlines()[warning.line - 1].startswith("protocol:")
        asked = request(1, "tools/audit", {**META, VERSION_KEY: NEXT})
        asked_before = request(2, "tools/audit", {**META, VERSION_KEY: REVISION})
        assert [answer["error"]["code"] for answer in self.exchange(project, asked, asked_before)] == [-32601, -32601]
        with project.open("a", encoding="utf-8") as file:
            file.write("x-toolmint: {silence: {unserved-method: Nobody audits our tools.}}\n")
        for outcome in (commands.generate(project), commands.check(project)):
            assert not outcome.problems
            assert not outcome.warnings


def test_what_a_server_must_send_and_does_not_know_is_reported(manifest: Path, tmp_path: Path) -> None:
    def change(definitions: dict[str, Any]) -> None:
        data = definitions["UnsupportedProtocolVersionError"]["properties"]["error"]["allOf"][1]["properties"]["data"]
        data["properties"]["upgradeBy"] = {"type": "integer"}
        data["required"].append("upgradeBy")
        definitions["CallToolResult"]["required"] += ["structuredContent", "costs"]
        definitions["CallToolResult"]["properties"]["costs"] = {"type": "number"}
        definitions["ProgressNotificationParams"]["required"].append("message")

    assert not commands.add_revision(published(tmp_path / "next.json", change), NEXT, manifest.parent).problems
    warnings = commands.move(manifest, NEXT).warnings
    assert {warning.code for warning in warnings} == {"unfilled-member"}
    assert [warning.message.split(" requires ")[1].split(", which")[0] for warning in warnings] == [
        "upgradeBy in the data of the error -32022 (unsupportedProtocolVersion)",
        "costs, structuredContent in the result of tools/call",
        "message in the params of notifications/progress",
    ]


def test_a_new_kind_of_question_is_reported_and_leaves_the_others_as_they_are(manifest: Path, tmp_path: Path) -> None:
    def change(definitions: dict[str, Any]) -> None:
        confirm = json.loads(json.dumps(definitions["ElicitRequest"]))
        confirm["properties"]["method"]["const"] = "elicitation/confirm"
        definitions["ConfirmRequest"] = confirm
        definitions["ConfirmResult"] = {
            "type": "object",
            "properties": {"yes": {"type": "boolean"}},
            "required": ["yes"],
        }
        definitions["InputRequest"]["anyOf"].append({"$ref": "#/$defs/ConfirmRequest"})
        definitions["InputResponse"]["anyOf"].append({"$ref": "#/$defs/ConfirmResult"})

    checks = manifest.parent / "src" / "moving_mcp" / "validators"
    before = (checks / f"_elicitation_{REVISION.replace('-', '_')}.py").read_text(encoding="utf-8")
    assert not commands.add_revision(published(tmp_path / "next.json", change), NEXT, manifest.parent).problems
    (warning,) = commands.move(manifest, NEXT).warnings
    assert (warning.code, "elicitation/confirm" in warning.message) == ("unserved-method", True)
    after = (checks / f"_elicitation_{NEXT.replace('-', '_')}.py").read_text(encoding="utf-8")
    assert after == before.replace(REVISION, NEXT)


def with_version(message: dict[str, Any], version: str) -> dict[str, Any]:
    return message | {"params": message["params"] | {"_meta": {**META, VERSION_KEY: version}}}
