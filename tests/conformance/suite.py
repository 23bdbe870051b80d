"""Runs the official conformance suite against ``generated/conformance``: `make conformance`.

The suite and the Node.js that it needs come from npm, as ``package-lock.json`` pins them, into the folder
``.conformance`` of the project, once. One server process answers all scenarios of one run.
"""

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from conformance.bridge import REVISION, serving
from recording import recorded

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CACHE = ROOT / ".conformance"
SERVER = [sys.executable, "-m", "conformance_mcp"]
SOURCE = ROOT / "generated" / "conformance" / "src"
SECONDS = 300.0
"""How long an installation or a run may take; they take some 20 and 5."""

_NETWORK = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT")


class Unreachable(Exception):
    """The suite cannot be installed here; the text says why."""


@dataclass(frozen=True)
class Suite:
    """An installed suite."""

    folder: Path

    @property
    def node(self) -> Path:
        return self.folder / "node_modules" / "node" / "bin" / "node"

    @property
    def package(self) -> Path:
        return self.folder / "node_modules" / "@modelcontextprotocol" / "conformance"


@dataclass(frozen=True)
class Scenario:
    """One scenario and what came of it.

    Attributes:
        name: What the suite calls it.
        kind: ``required``, or why it is not scored: ``pending`` or ``extension``.
        checks: How many checks had which status.
        complaints: The failures and warnings in the suite's words.
    """

    name: str
    kind: str
    checks: Counter[str]
    complaints: tuple[str, ...]

    @property
    def outcome(self) -> str:
        """``failed``, ``passed``, or ``skipped`` where nothing was checked at all."""
        if self.checks["FAILURE"]:
            return "failed"
        return "passed" if self.checks["SUCCESS"] else "skipped"


def install() -> Suite:
    """Return the suite, installed if it is not yet.

    Raises:
        Unreachable: There is no npm, or its registry cannot be reached.
        RuntimeError: npm failed for another reason.
    """
    sources = [HERE / "package.json", HERE / "package-lock.json"]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    suite = Suite(CACHE / f"suite-{digest[:12]}")
    if suite.folder.is_dir():
        return suite
    npm = shutil.which("npm")
    if npm is None:
        raise Unreachable("npm is not installed")
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, ignore_cleanup_errors=True) as made:
        folder = Path(made) / "suite"
        folder.mkdir()
        for source in sources:
            shutil.copy(source, folder)
        command = [
            npm,
            "ci",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--fetch-retries=1",
            "--fetch-retry-mintimeout=500",
        ]
        try:
            finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Unreachable(f"npm did not finish within {SECONDS:g} s") from None
        output = finished.stdout + finished.stderr
        if finished.returncode:
            if any(code in output for code in _NETWORK):
                raise Unreachable("npm's registry cannot be reached")
            raise RuntimeError(f"npm could not install the conformance suite:\n{output}")
        subprocess.run([Suite(folder).node, "--version"], capture_output=True, check=True)
        try:
            folder.rename(suite.folder)
        except OSError:
            if not suite.folder.is_dir():  # not just that another run was faster
                raise
    return suite


def run(suite: Suite, folder: Path) -> list[Scenario]:
    """Run all scenarios that the suite has for the revision, in one process and one run.

    Args:
        suite: What ``install`` returned.
        folder: Where to put what the suite prints and finds (``suite.log``, ``results``), what the server prints
            (``server.log``), and every message that passes (``messages``).

    Raises:
        RuntimeError: The suite did not do its work.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    asyncio.run(_run(suite, folder))
    kinds = _kinds(suite)
    scenarios = [_scenario(folder / "results", name, kind) for name, kind in kinds.items()]
    checked = sum(scenario.kind == "required" for scenario in scenarios)
    if checked != 37:  # what the revision froze; a suite that asks for less proves less
        raise RuntimeError(f"the suite requires {checked} scenarios for {REVISION}, not 37")
    return scenarios


async def _run(suite: Suite, folder: Path) -> None:
    with (folder / "suite.log").open("wb") as log, (folder / "server.log").open("wb") as errors:
        command = recorded(SERVER, folder / "messages")
        async with serving(command, {**os.environ, "PYTHONPATH": str(SOURCE)}, errors=errors) as address:
            process = await asyncio.create_subprocess_exec(
                suite.node,
                suite.package / "dist" / "index.js",
                "server",
                *("--url", address, "--requirements", REVISION, "--output-dir", folder / "results"),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            try:
                await asyncio.wait_for(process.wait(), SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()
                raise RuntimeError(f"the suite did not finish within {SECONDS:g} s; see {log.name}") from None


def _kinds(suite: Suite) -> dict[str, str]:
    """Return every scenario for servers, and whether it is required or why it is not scored."""
    requirements = YAML(typ="safe").load(suite.package / "requirements" / f"{REVISION}.yaml")
    kinds = dict.fromkeys(requirements["server"], "required")
    return kinds | {
        entry["scenario"]: entry["reason"] for entry in requirements["not_scored"] if entry["leg"] == "server"
    }


def _scenario(results: Path, name: str, kind: str) -> Scenario:
    files = list(results.glob(f"server-{name}-20*/checks.json"))
    if len(files) != 1:
        raise RuntimeError(f"the suite left {len(files)} results for {name}; see {results.parent / 'suite.log'}")
    checks = json.loads(files[0].read_bytes())
    complaints = tuple(
        f"{check['status']} {check['id']}: {check.get('errorMessage') or check['description']}"
        for check in checks
        if check["status"] in ("FAILURE", "WARNING")
    )
    return Scenario(name, kind, Counter(check["status"] for check in checks), complaints)


def report(scenarios: Sequence[Scenario]) -> Iterator[str]:
    """Yield lines for a person: what is not as it should be, and how many are."""
    for scenario in scenarios:
        for complaint in scenario.complaints if scenario.kind != "extension" else ():
            yield f"{scenario.name} ({scenario.kind}): {complaint}"
    for kind in dict.fromkeys(scenario.kind for scenario in scenarios):
        of_kind = [scenario for scenario in scenarios if scenario.kind == kind]
        outcomes = Counter(scenario.outcome for scenario in of_kind)
        passed = sum(scenario.checks["SUCCESS"] for scenario in of_kind)
        rest = "".join(f", {outcomes[outcome]} {outcome}" for outcome in ("failed", "skipped") if outcomes[outcome])
        note = " (the tasks extension, which this server does not offer)" if kind == "extension" else ""
        yield f"{kind}: {outcomes['passed']} of {len(of_kind)} scenarios passed{rest}; {passed} checks{note}"


def main() -> str | int:
    try:
        suite = install()
    except Unreachable as reason:
        return f"The conformance suite cannot be installed: {reason}"
    scenarios = run(suite, CACHE / "last-run")
    print("\n".join(report(scenarios)))
    failed = [scenario for scenario in scenarios if scenario.kind == "required" and scenario.outcome != "passed"]
    return f"What the suite and the server said is in {CACHE / 'last-run'}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
