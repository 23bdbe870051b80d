"""Stands between a client and a server on stdio, and writes down every line that passes, so that all can be judged.

As a program: ``recording.py FILE COMMAND...``. A line is written down behind ``> `` on its way to the server and behind
``< `` on its way back.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any


def recorded(command: Sequence[str], file: Path) -> list[str]:
    """Return a command that does as another one does, and records it."""
    return [sys.executable, str(Path(__file__)), str(file), *command]


def assert_all_valid(file: Path) -> list[Any]:
    """Hold every message that a server has sent to the protocol and to the request it answers; return them."""
    from protocol_schema import Exchange  # not at the top: the program needs none of what that imports

    exchange = Exchange()
    sent = []
    for line in file.read_bytes().splitlines(keepends=True):
        if line.startswith(b"< "):
            sent.append(exchange.received(line[2:]))
        else:
            exchange.sent(line[2:])
    assert sent, f"nothing is recorded in {file}"
    return sent


def _copy(source: IO[bytes], target: IO[bytes], record: int, mark: bytes) -> None:
    try:
        for line in source:
            os.write(record, mark + line)
            target.write(line)
            target.flush()
        target.close()
    except BrokenPipeError:
        return  # whoever was to read it has ended


def main() -> int:
    file, *command = sys.argv[1:]
    record = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        source = os.fdopen(os.dup(0), "rb")  # not sys.stdin, whose lock a waiting thread would keep to the end
        threading.Thread(target=_copy, args=(source, server.stdin, record, b"> "), daemon=True).start()
        _copy(server.stdout, sys.stdout.buffer, record, b"< ")
    return server.returncode


if __name__ == "__main__":
    sys.exit(main())
