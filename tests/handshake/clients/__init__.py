"""Clients and checkers that others have written: installed from their registries into ``.clients``, once.

A plan says what a client is to do: ``command`` and ``env`` start the server, ``steps`` are requests (method and params),
``elicitation`` is what the user answers to every question. What comes of it: ``introduction``, the ``results`` of the
steps (or their ``error``), and what the client was ``told`` or asked meanwhile, in short.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
CACHE = ROOT / ".clients"
SECONDS = 300.0
"""How long an installation may take; they take some 20 s each."""


_NETWORK = (
    "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT", "E404",
    "No matching distribution found", "Connection refused", "Could not fetch",
)  # fmt: skip
"""What npm and pip say when a registry cannot be reached."""


class Unreachable(Exception):
    """Something cannot be installed here; the text says why."""


@cache
def python_environment(*requirements: str, newest: bool = False) -> Path:
    """Return the folder of the programs of an environment that has some distributions.

    Args:
        requirements: What to install, with their versions.
        newest: Whether Python 3.12 or newer is needed.

    Raises:
        Unreachable: They cannot be installed.
    """
    python = _python(newest=newest)
    version = _run([python, "--version"])
    # An environment knows where it is: when the checkout has moved, another one is made.
    folder = CACHE / f"python-{_digest(str(CACHE), version, *requirements)}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several workers may want the same one
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _run([python, "-m", "venv", str(folder)])
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            _run([*pip, "--retries=1", "--timeout=15", *requirements])
            (folder / "ready").touch()
    return folder / "bin"


def node() -> str:
    """Return the path of the Node.js that is installed with the JavaScript clients."""
    return str(node_modules() / "node_modules" / "node" / "bin" / "node")


@cache
def node_modules() -> Path:
    """Return the folder where the JavaScript clients are installed, and a Node.js for them.

    Raises:
        Unreachable: They cannot be installed.
    """
    sources = [HERE / "package.json", HERE / "package-lock.json"]
    folder = CACHE / f"node-{_digest(*(source.read_text() for source in sources))}"
    npm = shutil.which("npm")
    if npm is None:
        raise Unreachable("npm is not installed")
    if not folder.is_dir():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE, ignore_cleanup_errors=True) as made:
            for source in sources:
                shutil.copy(source, made)
            # Not `npm ci`, which refuses a lock file for a registry that lacks packages for other systems.
            options = ["--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
            _run([npm, "install", *options], Path(made))
            Path(made).rename(folder)
    return folder


def _python(*, newest: bool) -> str:
    if not newest or sys.version_info >= (3, 12):
        return sys.executable
    for name in ("python3.14", "python3.13", "python3.12"):
        for found in (shutil.which(name), ROOT / f".venv-{name.removeprefix('python')}" / "bin" / "python"):
            try:
                _run([str(found), "-c", "import venv, sys; assert sys.version_info >= (3, 12)"])
            except (Unreachable, RuntimeError):
                continue
            return str(found)
    raise Unreachable("there is no Python 3.12 or newer here")


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    try:
        finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unreachable(f"{command[0]} does not run: {error}") from None
    if finished.returncode:
        text = f"{' '.join(command)} failed: {finished.stderr[-500:]}"
        raise Unreachable(text) if any(sign in finished.stderr for sign in _NETWORK) else RuntimeError(text)
    return finished.stdout


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
