"""Generates a server from a manifest in a temporary folder and talks to it over stdio, showing each line."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "generated" / "demo_tools"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "demo", "version": "1"},
}
OLD = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}


def request(id_: int, method: str, meta: dict[str, object], **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, "_meta": meta}})


EXCHANGE = [
    ("A version that the server does not speak", request(1, "tools/list", OLD)),
    ("The same again, with one it named", request(2, "tools/list", META)),
    ("A good call", request(3, "tools/call", META, name="add", arguments={"a": 2, "b": 3})),
    ("Arguments that break the contract", request(4, "tools/call", META, name="add", arguments={"a": "2", "b": 3})),
    ("A call that fails", request(5, "tools/call", META, name="divide", arguments={"a": 1, "b": 0})),
    ("A malformed line", '{"jsonrpc": "2.0", "id": 6, "method": '),
    ("Still there", request(7, "tools/call", META, name="divide", arguments={"a": 1, "b": 8})),
]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="toolmint-demo-") as folder:
        project = Path(folder)
        shutil.copy(EXAMPLE / "tools.yaml", project)
        handlers = project / "src" / "demo_tools" / "tools"
        handlers.mkdir(parents=True)
        for name in ("add.py", "divide.py"):
            shutil.copy(EXAMPLE / "src" / "demo_tools" / "tools" / name, handlers)

        print(f"$ toolmint generate {project / 'tools.yaml'}", flush=True)
        subprocess.run([sys.executable, "-m", "toolmint", "generate", project / "tools.yaml"], check=True)
        print("$ python -m demo_tools\n", flush=True)
        with subprocess.Popen(
            [sys.executable, "-m", "demo_tools"],
            cwd=project / "src",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdin
            assert server.stdout
            for title, line in EXCHANGE:
                print(f"# {title}\n→ {line}", flush=True)
                server.stdin.write(line + "\n")
                server.stdin.flush()
                print(f"← {server.stdout.readline()}", flush=True)
            server.stdin.close()
            print(f"# End of input\nexit code {server.wait(5)}")


if __name__ == "__main__":
    main()
