"""A project with as many tools as one likes, each a search with filters, in a folder of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MODULE = "large_mcp"
ARGUMENTS = {
    "query": "lease",
    "status": "signed",
    "limit": 20,
    "filters": [
        {"field": "party", "op": "eq", "value": "Acme"},
        {"field": "year", "op": "gt", "value": "2019"},
        {"field": "town", "op": "ne", "value": "Oslo"},
    ],
}
"""What a search is called with: some 200 bytes of JSON."""
HITS = [{"id": "c-17", "title": "Lease of the northern warehouse"}, {"id": "c-41", "title": "Lease of two vans"}]

_HEAD = """\
toolmint: 1
protocol: "2026-07-28"
server: {{name: large, version: 0.1.0}}
{defaults}tools:
"""
_TOOL = """\
  - name: search_{number}
    description: Search collection {number} by words in its titles, and filter by status.
    annotations: {{readOnlyHint: true}}
    inputSchema:
      type: object
      properties:
        query: {{type: string, minLength: 1, maxLength: 100, description: Words to look for.}}
        status: {{enum: [draft, signed, expired], description: Only those in this state.}}
        limit: {{type: integer, minimum: 1, maximum: 50, default: 10, description: How many at most.}}
        filters:
          type: array
          maxItems: 10
          description: More conditions, all of which hold.
          items:
            type: object
            properties:
              field: {{type: string, description: Which field.}}
              op: {{enum: [eq, ne, lt, gt], description: How to compare.}}
              value: {{type: string, description: With what.}}
            required: [field, op, value]
            additionalProperties: false
      required: [query]
      additionalProperties: false
    outputSchema:
      type: array
      items: {{type: object, properties: {{id: {{type: string}}, title: {{type: string}}}}, required: [id, title]}}
"""
_HANDLER = """\
from large_mcp.api import Context, Search{number}Input, Search{number}OutputItem

HITS = {hits!r}


def search_{number}(args: Search{number}Input, ctx: Context) -> list[Search{number}OutputItem]:
    return [Search{number}OutputItem(id=hit["id"], title=hit["title"]) for hit in HITS]
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took.

    Attributes:
        seconds: From its start to its end.
        memory: MB that it held at most.
    """

    seconds: float
    memory: float


def write(folder: Path, tools: int, page_size: int) -> Path:
    """Write a manifest and return its path."""
    folder.mkdir(parents=True)
    defaults = f"defaults: {{pageSize: {page_size}}}\n" if page_size else ""
    manifest = folder / "tools.yaml"
    manifest.write_text(_HEAD.format(defaults=defaults) + "".join(_TOOL.format(number=n) for n in range(tools)))
    return manifest


def handle(folder: Path, number: int) -> None:
    """Write the handler of one tool."""
    handler = folder / "src" / MODULE / "tools" / f"search_{number}.py"
    handler.write_text(_HANDLER.format(number=number, hits=HITS))


def toolmint(*arguments: str, cache: Path, codes: Sequence[int] = (0,)) -> Cost:
    """Run a command of toolmint and return what it cost.

    Args:
        arguments: Of the command line.
        cache: What it remembers things in.
        codes: The exit codes it may end with.
    """
    return run([sys.executable, "-m", "toolmint", *arguments], {"XDG_CACHE_HOME": str(cache)}, codes)


def run(command: Sequence[str], environment: Mapping[str, str], codes: Sequence[int] = (0,)) -> Cost:
    """Run a command and return what it cost, as the kernel has it."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **environment}
    )
    assert process.stderr
    complaints = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in codes:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{complaints.decode()[-2000:]}")
    return Cost(time.perf_counter() - began, usage.ru_maxrss / 1024)


def output(command: Sequence[str], text: str, environment: Mapping[str, str]) -> str:
    """Run a command on a text and return what it prints."""
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, env=environment, check=True).stdout
