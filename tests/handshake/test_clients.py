"""Clients and checkers that others have written, against the committed servers over stdio, in the handshake era.

Takes 40 s; a minute more when they have to be installed first.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mcp.types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters

from handshake.clients import HERE, Unreachable, node, node_modules, python_environment
from recording import assert_all_valid, recorded
from reference import ROOT

SERVERS = {"demo_tools": "demo_tools", "contracts": "contracts_mcp", "conformance": "conformance_mcp"}
"""The committed projects and their packages."""
PROTOCOLS = {"python": "2025-11-25", "typescript": "2025-11-25"}
OLD_PYTHON = "mcp==1.30.0"
SECONDS = 120

Plan = Callable[..., dict[str, Any]]


def command(project: str) -> list[str]:
    return [sys.executable, "-m", SERVERS[project]]


def environment(project: str, folder: Path) -> dict[str, str]:
    source = ROOT / "generated" / project / "src"
    return {"PYTHONPATH": str(source), "CONTRACTS_DB": str(folder / "contracts.db")}


def installed(client: str) -> list[str]:
    """Return the command that runs a plan by a client; skip where that cannot be installed."""
    try:
        if client == "python":
            return [str(python_environment(OLD_PYTHON) / "python"), str(HERE / "use.py")]
        node_modules()
    except Unreachable as reason:
        pytest.skip(str(reason))
    return [node(), str(HERE / "use.mjs")]


@pytest.fixture(params=list(PROTOCOLS))
def use(request: pytest.FixtureRequest, tmp_path: Path) -> Plan:
    """Has a client carry out steps on a project's server; everything that the server says is judged."""
    program = installed(request.param)

    def run(project: str, steps: Sequence[tuple[str, dict[str, Any]]], **elicitation: Any) -> dict[str, Any]:
        lines = tmp_path / "lines"
        plan = {
            "command": recorded(command(project), lines),
            "env": environment(project, tmp_path),
            "steps": steps,
            "elicitation": elicitation or {"action": "cancel"},
        }
        folder = node_modules() if request.param == "typescript" else tmp_path
        finished = subprocess.run(
            [*program, json.dumps(plan)], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert finished.returncode == 0, finished.stderr
        sent = assert_all_valid(lines)
        assert sent[0]["result"]["protocolVersion"] == PROTOCOLS[request.param]
        lines.unlink()
        outcome: dict[str, Any] = json.loads(finished.stdout)
        return outcome

    return run


def text_of(result: Any) -> str:
    return "".join(block.get("text", "") for block in result["content"])


def test_demo_tools(use: Plan) -> None:
    outcome = use(
        "demo_tools",
        [
            ("ping", {}),
            ("tools/list", {}),
            ("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}}),
            ("tools/call", {"name": "divide", "arguments": {"a": 1, "b": 0}}),
            ("tools/call", {"name": "add", "arguments": {"a": "x"}}),
            ("tools/call", {"name": "nothing", "arguments": {}}),
            ("logging/setLevel", {"level": "debug"}),
        ],
    )
    assert outcome["introduction"]["serverInfo"]["name"] == "demo_tools"
    _, listed, added, divided, refused, unknown, levelled = outcome["results"]
    assert [tool["name"] for tool in listed["tools"]] == ["add", "divide"]
    assert text_of(added) == "5"
    assert divided["isError"]
    assert refused["isError"]
    assert unknown["error"]["code"] == -32602
    assert "error" not in levelled


@pytest.mark.parametrize(
    ("action", "content", "outcome"),
    [("accept", {"note": "see clause 4"}, "flagged"), ("decline", None, "declined"), ("cancel", None, "dismissed")],
)
def test_contracts(use: Plan, action: str, content: dict[str, str] | None, outcome: str) -> None:
    answer = {"action": action, **({"content": content} if content else {})}
    contract = {"contract_id": "C-1002"}
    used = use(
        "contracts",
        [
            ("tools/list", {}),
            ("tools/call", {"name": "search_contracts", "arguments": {"query": "a", "limit": 2}}),
            ("tools/call", {"name": "get_contract", "arguments": contract}),
            ("tools/call", {"name": "get_contract", "arguments": {"contract_id": "C-9"}}),
            ("resources/subscribe", {"uri": "contract://C-1002"}),
            ("tools/call", {"name": "flag_for_review", "arguments": contract}),
            ("resources/unsubscribe", {"uri": "contract://C-1002"}),
            ("tools/call", {"name": "create_shortlist", "arguments": {}}),
            ("tools/call", {"name": "export_contracts", "arguments": {"pause_ms": 25}}),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("resources/read", {"uri": "contract://C-1002"}),
            ("resources/read", {"uri": "contract://C-9"}),
            ("prompts/list", {}),
            ("prompts/get", {"name": "find_obligations", "arguments": {"topic": "data"}}),
            ("prompts/get", {"name": "summarise_contract", "arguments": contract}),
            ("prompts/get", {"name": "summarise_contract", "arguments": {}}),
            (
                "completion/complete",
                {
                    "ref": {"type": "ref/prompt", "name": "summarise_contract"},
                    "argument": {"name": "audience", "value": "e"},
                },
            ),
        ],
        **answer,
    )
    (
        tools, found, got, unknown, subscribed, flagged, _, shortlist, exported,
        resources, templates, read, missing, prompts, obligations, summary, incomplete, completed,
    ) = used["results"]  # fmt: skip
    assert "search_contracts" in used["introduction"]["instructions"]
    assert len(tools["tools"]) == 5
    assert tools["nextCursor"]
    assert found["structuredContent"]["total"] >= 2
    assert got["structuredContent"]["id"] == "C-1002"
    assert unknown["isError"]
    assert "error" not in subscribed
    assert flagged["structuredContent"]["outcome"] == outcome
    assert shortlist["structuredContent"]["contracts"] == []
    assert "C-1002" in exported["content"][0]["resource"]["text"]
    assert len(resources["resources"]) == 2
    assert templates["resourceTemplates"][0]["uriTemplate"] == "contract://{contract_id}"
    assert ("see clause 4" in read["contents"][0]["text"]) == (outcome == "flagged")
    assert missing["error"]["code"] == -32002
    assert missing["error"]["data"] == {"uri": "contract://C-9"}
    assert len(prompts["prompts"]) == 2
    assert "clauses about data" in obligations["messages"][0]["content"]["text"]
    assert summary["messages"]
    assert incomplete["error"]["code"] == -32602
    assert completed["completion"]["values"][:2] == ["executives", "engineers"]
    assert any(told.startswith("elicitation: Flag C-1002") for told in used["told"])
    assert "progress" in used["told"]
    assert ("notifications/resources/updated" in used["told"]) == (outcome == "flagged")
    assert any(told.startswith("notice: ") for told in used["told"]) == (outcome == "flagged")


def test_conformance(use: Plan) -> None:
    def tool(name: str) -> tuple[str, dict[str, Any]]:
        return "tools/call", {"name": f"test_{name}", "arguments": {}}

    contents = ("simple_text", "image_content", "audio_content", "embedded_resource", "multiple_content_types")
    asking = (
        "elicitation", "sampling", "list_roots", "request_state", "multiple_inputs", "multi_round", "capabilities",
    )  # fmt: skip
    used = use(
        "conformance",
        [
            ("tools/list", {}),
            *(tool(name) for name in contents),
            *(tool(f"input_required_result_{name}") for name in asking),
            tool("error_handling"),
            tool("tool_with_progress"),
            tool("logging_tool"),
            tool("trigger_tool_change"),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("prompts/list", {}),
        ],
        action="accept",
        content={"name": "Ada", "color": "red", "ok": True},
    )
    listed, *results = used["results"]
    assert len(listed["tools"]) == 23
    kinds = [[block["type"] for block in result["content"]] for result in results[: len(contents)]]
    assert kinds == [["text"], ["image"], ["audio"], ["resource"], ["text", "image", "resource"]]
    asked = results[len(contents) : len(contents) + len(asking)]
    assert [
        name for name, result in zip(asking, asked, strict=True) if result.get("isError") or "error" in result
    ] == []
    assert "Ada" in text_of(asked[0])
    assert "Paris" in text_of(asked[1])
    assert "Work" in text_of(asked[2])
    assert results[len(contents) + len(asking)]["isError"]
    assert {"sampling", "progress", "notifications/tools/list_changed"} <= set(used["told"])


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("project", SERVERS)
def test_official_python_client_of_today(tmp_path: Path, project: str, mode: Any) -> None:
    program, *arguments = recorded(command(project), tmp_path / "lines")
    server = StdioServerParameters(command=program, args=arguments, env=environment(project, tmp_path))

    async def elicited(_: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": "Ada", "note": "see clause 4", "ok": True})

    async def use() -> None:
        async with Client(server, mode=mode, elicitation_callback=elicited) as client:
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            assert (await client.list_tools()).tools
            if project == "demo_tools":
                assert (await client.call_tool("add", {"a": 1, "b": 2})).content[0].text == "3"  # type: ignore[union-attr]
            elif project == "contracts":
                flagged = await client.call_tool("flag_for_review", {"contract_id": "C-1001"})
                assert flagged.structured_content["outcome"] == "flagged"
                read = await client.read_resource("contract://C-1001")
                assert "see clause 4" in read.contents[0].text  # type: ignore[union-attr]
                assert (await client.get_prompt("find_obligations", {"topic": "data"})).messages
                with pytest.raises(MCPError) as caught:
                    await client.read_resource("contract://C-9")
                assert caught.value.error.code == (-32002 if mode == "legacy" else -32602)
            else:
                named = await client.call_tool("test_input_required_result_elicitation", {})
                assert "Ada" in named.content[0].text  # type: ignore[union-attr]
                kinds = [block.type for block in (await client.call_tool("test_multiple_content_types", {})).content]
                assert kinds == ["text", "image", "resource"]

    asyncio.run(asyncio.wait_for(use(), SECONDS))
    assert_all_valid(tmp_path / "lines")


def script(project: str, folder: Path) -> Path:
    """Return a program that starts a project's server, for tools that take one word for it; what passes is recorded."""
    path = folder / f"{project}.sh"
    variables = " ".join(f"{name}='{value}'" for name, value in environment(project, folder).items())
    line = " ".join(f"'{word}'" for word in recorded(command(project), folder / "lines"))
    path.write_text(f"#!/bin/sh\nexec env {variables} {line}\n")
    path.chmod(0o755)
    return path


def checked(program: Sequence[object], folder: Path, *codes: int) -> str:
    """Run a checker and return what it prints; what the server has said to it is judged."""
    words = [str(word) for word in program]
    finished = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert finished.returncode in (codes or (0,)), finished.stdout + finished.stderr
    assert_all_valid(folder / "lines")
    return finished.stdout


def checker(*requirements: str, newest: bool = False) -> Path:
    try:
        return python_environment(*requirements, newest=newest)
    except Unreachable as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("project", SERVERS)
def test_inspector(tmp_path: Path, project: str) -> None:
    installed("typescript")
    inspector = [
        "node",
        node_modules() / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    ]
    server = script(project, tmp_path)

    def ask(*words: str) -> Any:
        return json.loads(checked([*inspector, "--cli", server, *words], tmp_path))

    assert ask("--method", "tools/list")["tools"]
    if project == "demo_tools":
        call = ("--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=1", "--tool-arg", "b=2")
        assert text_of(ask(*call)) == "3"
    else:
        assert ask("--method", "resources/list")["resources"]
        assert ask("--method", "resources/templates/list")["resourceTemplates"]
        assert ask("--method", "prompts/list")["prompts"]
    if project == "contracts":
        found = ask("--method", "resources/read", "--uri", "contract://C-1001")
        assert found["contents"][0]["uri"] == "contract://C-1001"


NOT_AT_FAULT = {
    "needs a client that can do": "the checker declares no capability, so nobody can be asked",
    "There is no such shortlist": "the checker makes up an id",
    "This tool": "this tool is there to fail",
}
"""Texts of tools that fail by right when amagi-mcp-probe calls them with made-up arguments, and why."""


@pytest.mark.parametrize("project", SERVERS)
def test_amagi_mcp_probe(tmp_path: Path, project: str) -> None:
    probe = checker("amagi-mcp-probe==0.1.0") / "amagi-mcp-probe"
    # Two tools of the conformance server are there to hide another one.
    options = ["--skip", "test_trigger_*"] if project == "conformance" else []
    printed = checked([probe, "--format", "json", *options, "--", script(project, tmp_path)], tmp_path)
    (server,) = json.loads(printed)["servers"]
    assert server["verdict"] == "PASS", printed
    assert server["counts"]["pass"] > 1
    findings = [*server["findings"], *(finding for tool in server["tools"] for finding in tool["findings"])]
    assert [one for one in findings if not any(text in one["message"] for text in NOT_AT_FAULT)] == []


@pytest.mark.parametrize("project", SERVERS)
def test_mcp_contract(tmp_path: Path, project: str) -> None:
    contract = checker("mcp-contract==0.6.0", "mcp==2.3.0") / "mcp-contract"
    server = script(project, tmp_path)
    assert "wrote mcp-contract.json" in checked([contract, "snapshot", server], tmp_path)
    assert "No change" in checked([contract, "check", server], tmp_path)


LINT_NOT_AT_FAULT = {
    "INIT-003": "the client library it uses adds a key with no value to the capabilities",
    "ERR-001": "it hands its client library a text in place of a request, so nothing is sent",
    "SEC-006": "tools without any argument have an empty inputSchema",
    "SEC-007": "it takes every argument with `add` or `url` in its name for an address",
}
"""Rules of mcp-lint that fail without anything being wrong, and why."""


@pytest.mark.parametrize("project", SERVERS)
def test_mcp_lint(tmp_path: Path, project: str) -> None:
    lint = checker("mcp-lint==0.1.0", OLD_PYTHON, newest=True) / "mcp-lint"
    printed = checked([lint, "--format", "json", script(project, tmp_path)], tmp_path)
    results = json.loads(printed[printed.index("{") :])["results"]
    assert len(results) > 20
    faults = [result for result in results if result["status"] not in ("pass", "skip")]
    assert {fault["ruleId"]: fault["message"] for fault in faults if fault["ruleId"] not in LINT_NOT_AT_FAULT} == {}
