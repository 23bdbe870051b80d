"""The servers that are measured: a bare loop, generated ones, and what other libraries make of the same two tools."""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.large import ARGUMENTS, HITS, MODULE
from bench.wire import REVISION, Contestant

ROOT = Path(__file__).parent.parent.parent
PEERS = ROOT / ".bench" / "peers"
DEMO = ROOT / "generated" / "demo_tools" / "src"
HERE = Path(__file__).parent / "peers"
ADD = {"a": 2, "b": 3}
OURS = "toolmint: "
"""What the names of generated servers begin with."""
CALLED = 500
"""Which of a large project's tools is called."""

BARE_LOOP = """\
import sys, json
for line in sys.stdin:
    message = json.loads(line)
    result = {{"resultType": "complete", "content": [{{"type": "text", "text": {text!r}}}], "structuredContent": {value!r}}}
    sys.stdout.write(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}) + "\\n")
    sys.stdout.flush()
"""

VALIDATORS = ("jsonschema", "jsonschema-rs", "pydantic", "fastjsonschema")
PYTHON_PEERS = {"mcp": None, "fastmcp": None, "zeromcp": "2025-06-18"}
"""Libraries on PyPI that serve MCP, and the revision of the handshake that they want first."""


def bare_loop(tool: str, arguments: Mapping[str, object], value: object) -> Contestant:
    """Return the loop that writes the answer of a tool, as if it knew it."""
    text = json.dumps(value)
    return Contestant(
        name="bare loop",
        command=[sys.executable, "-c", BARE_LOOP.format(text=text, value=value)],
        tool=tool,
        arguments=arguments,
        expected="resultType",
    )


def demo() -> Contestant:
    """Return the generated server with two tools."""
    return Contestant(
        name=f"{OURS}2 tools",
        command=[sys.executable, "-m", "demo_tools"],
        path=str(DEMO),
        tool="add",
        arguments=ADD,
        expected='"structuredContent": 5',
    )


def demo_by_handshake() -> Contestant:
    """Return the same server as a client of the handshake era finds it."""
    return replace(demo(), name=f"{OURS}2 tools, handshake", expected='"text": "5"', handshake="2025-11-25")


def large(name: str, folder: Path) -> Contestant:
    """Return a generated server with many tools."""
    return Contestant(
        name=name,
        command=[sys.executable, "-m", MODULE],
        path=str(folder / "src"),
        tool=f"search_{CALLED}",
        arguments=ARGUMENTS,
        expected=json.dumps(HITS[1]),
    )


def pairs(paged: Path, whole: Path) -> dict[str, Sequence[Contestant]]:
    """Return the bare loops, each with the servers that are held against it: the same calls, the same answers."""
    tool = f"search_{CALLED}"
    search = bare_loop(tool, ARGUMENTS, HITS)
    return {
        "add": (bare_loop("add", ADD, 5), demo(), demo_by_handshake(), *peers()),
        "search": (search, large(f"{OURS}1,000 tools, in pages", paged), large(f"{OURS}1,000 tools, one page", whole)),
    }


def peers() -> list[Contestant]:
    """Return the servers of other libraries, as far as they are installed."""
    found = []
    for library, handshake in PYTHON_PEERS.items():
        python = PEERS / library / "bin" / "python"
        if python.exists():
            command = [str(python), str(HERE / f"with_{library}.py")]
            found.append(_peer(f"{library} {_version(python, library)}", command, handshake))
    package = PEERS / "node_modules" / "@modelcontextprotocol" / "server" / "package.json"
    if package.exists():
        command = [str(PEERS / "node_modules" / "node" / "bin" / "node"), str(PEERS / "with_sdk.mjs")]
        version = json.loads(package.read_text())["version"]
        found.append(_peer(f"TypeScript SDK {version}", command, None))
    return found


def _peer(name: str, command: Sequence[str], handshake: str | None) -> Contestant:
    return Contestant(
        name=name, command=command, tool="add", arguments=ADD, expected='"structuredContent": ', handshake=handshake
    )


def _version(python: Path, library: str) -> str:
    program = f"from importlib.metadata import version; print(version({library!r}))"
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def validators_python() -> str:
    """Return the interpreter that has most of the validators: the one made for them, or this one."""
    python = PEERS / "validators" / "bin" / "python"
    return str(python) if python.exists() else sys.executable


def install() -> None:
    """Install the other libraries into environments of their own, the newest of each; the SDK as it is pinned here."""
    for name, packages in [*((peer, (peer,)) for peer in PYTHON_PEERS), ("validators", VALIDATORS)]:
        folder = PEERS / name
        if not (folder / "bin" / "python").exists():
            venv.create(folder, with_pip=True)
        print(f"{', '.join(packages)} into {folder.relative_to(ROOT)}", flush=True)
        pip = [
            str(folder / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--upgrade",
        ]
        subprocess.run([*pip, *packages], check=True)
    npm = shutil.which("npm")
    if npm is None:
        print("the TypeScript SDK is left out: npm is not installed")
        return
    print(f"the TypeScript SDK into {PEERS.relative_to(ROOT)}", flush=True)
    for source in ("package.json", "with_sdk.mjs"):
        shutil.copy(HERE / source, PEERS)
    subprocess.run([npm, "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=PEERS, check=True)


def machine() -> dict[str, object]:
    """Return what the figures were measured on."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        "unknown",
    )
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "os": f"{release.get('PRETTY_NAME', 'Linux').strip(chr(34))}, Linux {os.uname().release}",
        "python": sys.version.split()[0],
        "protocol": REVISION,
        "load": round(os.getloadavg()[0], 1),
    }
