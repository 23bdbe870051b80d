"""What is shipped, used as a user would: toolmint's wheel, editable install and checkout, and a generated package.

Installing needs the package index; where it cannot be reached these tests skip and say so.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from reference import ROOT
from servers import call, request

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: hello, version: 0.1.0}
tools:
  - name: greet
    description: Greet somebody.
    inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
"""
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
}


def run(command: Sequence[str | Path], folder: Path, **environment: str) -> str:
    """Run a command as somebody with a clean environment would; return what it prints."""
    finished = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=CLEAN | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    output = finished.stdout + finished.stderr
    if finished.returncode and ("No matching distribution" in output or "Could not fetch" in output):
        pytest.skip("the package index cannot be reached")
    assert finished.returncode == 0, output
    return finished.stdout


def environment_with(folder: Path, *packages: str | Path) -> Path:
    """Make a virtual environment with some packages; return its folder of programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    run([programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], folder)
    return programs


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run([*pip, "--wheel-dir", folder, ROOT], folder)
    (built,) = folder.glob("toolmint-*.whl")
    return built


def assert_generates_and_serves(
    toolmint: Sequence[str | Path], python: str | Path, folder: Path, **environment: str
) -> None:
    folder.mkdir()
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    answer = json.loads(run([*toolmint, "generate", "--json"], folder, **environment))
    assert answer["ok"]
    assert "src/hello_mcp/dispatch.py" in answer["written"]
    served = subprocess.run(
        [python, "-m", "hello_mcp"],
        cwd=folder / "src",
        env=CLEAN,
        input="".join(json.dumps(line) + "\n" for line in (request(1, "tools/list"), call(2, "greet", {"name": 7}))),
        capture_output=True,
        text=True,
        check=True,
    )
    listed, refused = (json.loads(line)["result"] for line in served.stdout.splitlines())
    assert [tool["name"] for tool in listed["tools"]] == ["greet"]
    assert "/name" in refused["content"][0]["text"]


def test_wheel_generates_a_working_server_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    programs = environment_with(tmp_path / "env", wheel)
    assert_generates_and_serves([programs / "toolmint"], programs / "python", tmp_path / "project")


def test_editable_install_generates_a_working_server(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "toolmint"
    assert_generates_and_serves([program], sys.executable, tmp_path / "project")


def test_plain_checkout_generates_a_working_server(tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    for part in ("generator", "schema", "templates"):
        shutil.copytree(ROOT / part, copy / part)
    toolmint = [sys.executable, "-m", "toolmint"]
    assert_generates_and_serves(toolmint, sys.executable, tmp_path / "project", PYTHONPATH=str(copy / "generator"))


async def _use(command: Path) -> tuple[list[str], list[Any], str, dict[str, Any] | None]:
    async with Client(StdioServerParameters(command=str(command))) as client:
        tools = (await client.list_tools()).tools
        results = [
            await client.call_tool("add", {"a": 2, "b": 3}),
            await client.call_tool("divide", {"a": 1, "b": 0}),
            await client.call_tool("add", {"a": "2", "b": 3}),
        ]
        return [tool.name for tool in tools], results, client.protocol_version, client.instructions


def test_generated_package_installs_and_the_official_client_uses_it(tmp_path: Path) -> None:
    programs = environment_with(tmp_path / "env", ROOT / "generated" / "demo_tools")
    installed = run([programs / "python", "-m", "pip", "list", "--format=freeze"], tmp_path).split()
    assert {line.split("==")[0] for line in installed} <= {"demo-tools-mcp", "pip", "setuptools", "wheel"}
    names, (good, zero, wrong), version, instructions = asyncio.run(_use(programs / "demo-tools-mcp"))
    assert names == ["add", "divide"]
    assert version == "2026-07-28"
    assert instructions
    assert good.structured_content == 5
    assert not good.is_error
    assert zero.is_error
    assert "zero" in zero.content[0].text
    assert wrong.is_error
    assert "/a" in wrong.content[0].text


def test_make_package_of_a_new_project_builds_tries_and_checks(tmp_path: Path) -> None:
    bare = tmp_path / "bare"  # a Python with nothing installed
    venv.create(bare, symlinks=True)
    run([Path(sys.executable).parent / "toolmint", "init", tmp_path / "shipped"], tmp_path)
    project = tmp_path / "shipped"
    toolmint = f"TOOLMINT={sys.executable} -m toolmint"
    (bare / "bin" / "uvx").symlink_to(Path(sys.executable).parent / "uvx")
    path = {"PATH": f"{bare / 'bin'}{os.pathsep}{os.environ['PATH']}", "UV_CACHE_DIR": str(tmp_path / "uv")}
    said = run(["make", toolmint, "generate", "check", "test", "package"], project, **path)
    assert "uvx is not installed" not in said
    assert " passed" in said
    assert "The wheel installs and serves; server.json and .mcp.json fit it." in said
    assert len(list((project / "dist").iterdir())) == 2


def test_package_that_does_not_fit_is_not_passed(tmp_path: Path) -> None:
    programs = Path(sys.executable).parent
    project = tmp_path / "shipped"
    run([programs / "toolmint", "init", project], tmp_path)
    for file, old, new in (
        ("server.json", '"version": "0.1.0"', '"version": "latest"'),
        ("server.json", '"com.example/shipped-mcp"', '"shipped"'),
        ("server.json", '"title": "shipped"', f'"title": "{"shipped" * 20}"'),
        (".mcp.json", '"shipped_mcp"', '"no_such_module"'),
        ("README.md", "mcp-name", "name"),
    ):
        text = (project / file).read_text(encoding="utf-8")
        assert old in text
        (project / file).write_text(text.replace(old, new), encoding="utf-8")
    run([programs / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."], project)
    command = [programs / "python", "tests/check_package.py"]
    without_uvx = CLEAN | {"PATH": "/usr/bin:/bin"}
    checked = subprocess.run(command, cwd=project, env=without_uvx, capture_output=True, text=True, check=False)
    assert checked.returncode == 1
    assert "uvx is not installed" in checked.stdout
    for words in (
        "exact version",
        "NAMESPACE/SERVER",
        "title has to have 1 to 100 characters",
        "does not serve",
        "README.md lacks",
        "the server says version 0.1.0",
    ):
        assert words in checked.stderr
