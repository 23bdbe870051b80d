# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Tries what is about to be published: the wheel in an empty environment and by uvx, server.json, and .mcp.json.

Run by ``make package`` after the build. Needs nothing but the standard library; installing the wheel asks the package
index for nothing, since the wheel has no dependency.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from email.parser import HeaderParser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

PROJECT = Path(__file__).parent.parent
DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
MAX_TEXT = 100
MAX_NAME = 200
MAX_VERSION = 255
RANGE = re.compile(r"[\^~<>=*|]|latest|\s-\s|(^|\.)[xX](\.|$)")


def main() -> int:
    """Print what is wrong, a line each, and return the exit code: 0 where nothing is."""
    problems: list[str] = []
    wheels = sorted((PROJECT / "dist").glob("*.whl"))
    if len(wheels) != 1:
        return report([f"dist/ has {len(wheels)} wheels; it should have one: run make package"])
    entry = json.loads((PROJECT / "server.json").read_text(encoding="utf-8"))
    metadata = wheel_metadata(wheels[0])
    problems += entry_faults(entry)
    if entry["name"].startswith("com.example/"):
        print("note: to publish in the registry, set package.registryName in tools.yaml to a name in your namespace")
    (package,) = entry["packages"]
    if normal(metadata["Name"]) != normal(package["identifier"]):
        problems.append(f"server.json names the package {package['identifier']}, the wheel is {metadata['Name']}")
    if metadata.get_all("Requires-Dist") and any(
        "extra ==" not in one for one in metadata.get_all("Requires-Dist") or ()
    ):
        print("note: the wheel has dependencies of its own, which the package index has to have")
    if f"mcp-name: {entry['name']}" not in str(metadata.get_payload()):
        problems.append(f"README.md lacks the line that the registry looks for: <!-- mcp-name: {entry['name']} -->")

    with tempfile.TemporaryDirectory() as folder:
        programs = install(wheels[0], Path(folder))
        console_script = programs / package["identifier"]
        identity, faults = discover([str(console_script)], Path(folder), {})
        problems += faults
        if identity and normal_version(identity["version"]) != normal_version(metadata["Version"]):
            problems.append(f"the server says version {identity['version']}, its wheel {metadata['Version']}")
        if identity and identity["version"] != entry["version"]:
            problems.append(f"the server says version {identity['version']}, server.json {entry['version']}")

    uvx = shutil.which("uvx")
    if uvx is None:
        print("note: uvx is not installed, so what it would start was started as the wheel's console script only")
    else:
        with tempfile.TemporaryDirectory() as folder:
            started_by = [uvx, "--quiet", "--from", str(wheels[0]), package["identifier"]]
            problems += discover(started_by, Path(folder), {})[1]

    hosts = json.loads((PROJECT / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]
    for name, host in hosts.items():
        variables = {key: expanded(value) for key, value in host.get("env", {}).items()}
        _, faults = discover([host["command"], *host["args"]], PROJECT, variables)
        problems += [f".mcp.json, {name}: {fault}" for fault in faults]
    return report(problems)


def report(problems: list[str]) -> int:
    """Print problems and return the exit code that goes with them."""
    for problem in problems:
        print(f"check_package: {problem}", file=sys.stderr)
    if not problems:
        print("The wheel installs and serves; server.json and .mcp.json fit it.")
    return 1 if problems else 0


def wheel_metadata(wheel: Path) -> Any:
    """Return a wheel's metadata; its payload is the README."""
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(archive.read(name).decode())


def entry_faults(entry: dict[str, Any]) -> list[str]:
    """Say what the official registry would refuse in a registry entry (server.json, schema of 2025-12-11)."""
    faults = []
    name = entry.get("name", "")
    if not re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", name) or len(name) > MAX_NAME:
        faults.append(f"server.json: name {name!r} is not NAMESPACE/SERVER with a namespace in reverse DNS form")
    faults += [
        f"server.json: {member} has to have 1 to {MAX_TEXT} characters"
        for member in ("title", "description")
        if not 1 <= len(entry.get(member, "")) <= MAX_TEXT
    ]
    for place, version in (("version", entry.get("version", "")), ("package", entry["packages"][0].get("version", ""))):
        if not version or len(version) > MAX_VERSION or RANGE.search(version):
            faults.append(f"server.json: {place} {version!r} is not one exact version")
    if entry.get("version") != entry["packages"][0].get("version"):
        faults.append("server.json: the versions of server and package differ")
    return faults


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel into an empty environment; return the folder of its programs."""
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    subprocess.run(pip, check=True)
    return programs


def discover(command: list[str], folder: Path, variables: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Start a server, ask it what it is, and end it; return its identity and what went wrong."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    line = json.dumps(DISCOVER) + "\n"
    try:
        first = run(command, folder, clean | variables, line)
        # It names what it speaks to whoever asks for nothing.
        lists = [value for value in first["error"]["data"].values() if isinstance(value, list)]
        revision = lists[0][0]
        result = run(
            command, folder, clean | variables, line.replace('protocolVersion": ""', f'protocolVersion": "{revision}"')
        )
        return result["result"]["_meta"]["io.modelcontextprotocol/serverInfo"], []
    except (OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
        return {}, [f"{' '.join(command)} does not serve: {error!r}"]


def run(command: list[str], folder: Path, variables: dict[str, str], line: str) -> Any:
    """Return the answer of a server to one line."""
    finished = subprocess.run(
        command, cwd=folder, env=variables, input=line, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(finished.stdout.splitlines()[0])


def expanded(value: str) -> str:
    """Return a value of a host configuration with ``${NAME}`` and ``${NAME:-default}`` replaced, as hosts do."""
    return re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", lambda match: os.environ.get(match[1], match[2] or ""), value)


def normal(name: str) -> str:
    """Return a distribution's name as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def normal_version(version: str) -> str:
    """Return a version without the spellings that package indexes take for the same (PEP 440)."""
    return re.sub(
        r"[-_.]?(alpha|a|beta|b|rc|c)[-_.]?(\d+)",
        lambda match: f"{match[1][0].replace('c', 'r')}{match[2]}",
        version.lower(),
    )


if __name__ == "__main__":
    sys.exit(main())
