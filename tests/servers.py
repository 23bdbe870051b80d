"""Servers in tests: projects generated into a temporary folder, and processes talked to over real pipes."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from protocol_schema import REVISION, Exchange
from toolmint import commands

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
SECONDS = 20.0
"""How long a test waits for a message before it fails; far more than any takes, even on a busy machine."""


def request(id_: object, method: str, meta: Mapping[str, Any] | None = None, /, **params: Any) -> dict[str, Any]:
    """Return a request with valid metadata, or with the metadata given."""
    return {
        "jsonrpc": "2.0",
        "id": id_,
        "method": method,
        "params": {**params, "_meta": META if meta is None else meta},
    }


def call(id_: object, tool: str, arguments: object = None, /, **more: Any) -> dict[str, Any]:
    """Return a tools/call request."""
    return request(id_, "tools/call", name=tool, arguments={} if arguments is None else arguments, **more)


def make_project(folder: Path, manifest: str, handlers: Mapping[str, str] | None = None) -> Path:
    """Generate a project from a manifest's text, with handlers in place of some stubs; return its ``src`` folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tools.yaml"
    path.write_text(manifest, encoding="utf-8")
    outcome = commands.generate(path)
    assert not outcome.problems, "\n".join(map(str, outcome.problems))
    for name, source in (handlers or {}).items():
        (next((folder / "src").iterdir()) / "tools" / f"{name}.py").write_text(source, encoding="utf-8")
    return folder / "src"


class Server:
    """A server process and its pipes; a context manager that ends it. Whatever it writes is held to the protocol."""

    def __init__(
        self, source: Path, module: str, *, env: Mapping[str, str] | None = None, command: Sequence[str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            list(command or [sys.executable, "-m", module]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(source), **(env or {})},
            bufsize=0,
        )
        self._exchange = Exchange()
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors: list[bytes] = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        buffered = open(self.process.stdout.fileno(), "rb", closefd=False)  # noqa: SIM115 - closed with the process
        for line in buffered:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        while chunk := self.process.stderr.read(65536):
            self._errors.append(chunk)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, *messages: object) -> None:
        """Write messages, one a line; bytes are written as they are."""
        assert self.process.stdin is not None
        data = b"".join(
            message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n" for message in messages
        )
        self._exchange.sent(data)
        while data:
            data = data[self.process.stdin.write(data) :]

    def receive(self, seconds: float = SECONDS) -> Any:
        """Return the next message; fail if none comes in time or the output ended."""
        line = self._lines.get(timeout=seconds)
        assert line is not None, f"the output ended; stderr: {self.stderr()}"
        return self._exchange.received(line)

    def ask(self, message: object) -> Any:
        """Send one message and return the next one that comes."""
        self.send(message)
        return self.receive()

    def silent_for(self, seconds: float) -> bool:
        """Say whether nothing comes for some seconds."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        self._lines.put(line)
        return False

    def rest(self) -> list[Any]:
        """End the input and return the messages that still come."""
        self.end_input()
        messages = []
        while (line := self._lines.get(timeout=SECONDS)) is not None:
            messages.append(self._exchange.received(line))
        return messages

    def end_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self, seconds: float = SECONDS) -> int:
        """Wait for the process to end and return its exit code."""
        return self.process.wait(seconds)

    def stderr(self) -> str:
        """Return what has come on stderr so far."""
        return b"".join(self._errors).decode("utf-8", "replace")

    def await_stderr(self, text: str) -> str:
        """Wait until stderr holds a text; return all of stderr."""
        deadline = time.monotonic() + SECONDS
        while text not in self.stderr():
            assert time.monotonic() < deadline, f"{text!r} is not in {self.stderr()!r}"
            time.sleep(0.01)
        return self.stderr()

    def close(self) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
