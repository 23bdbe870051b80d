"""A project that has everything a client can address, for tests of what comes in on the wire."""

from pathlib import Path

from servers import make_project

MODULE = "everything_mcp"

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: everything, version: 0.1.0}
defaults: {pageSize: 2}
tools:
  - name: add
    description: Adds two numbers.
    inputSchema:
      type: object
      properties: {a: {type: number}, b: {type: number}}
      required: [a, b]
      additionalProperties: false
    outputSchema: {type: number}
  - {name: anything, description: Takes anything., inputSchema: {type: object}}
  - name: waits
    description: Waits for some seconds.
    inputSchema: {type: object, properties: {seconds: {type: number}}, required: [seconds]}
resources:
  - {uri: "doc://fixed", name: fixed, text: Fixed.}
  - {uri: "doc://live", name: live}
  - {uri: "doc://more", name: more, text: More.}
resourceTemplates:
  - {uriTemplate: "item://{id}", name: item, complete: {id: [one, two]}}
prompts:
  - name: greet
    arguments: [{name: who, required: true, complete: [Ada, Alan]}]
    messages: [{role: user, content: {type: text, text: "Greet {{who}}."}}]
  - {name: written, arguments: [{name: topic}]}
  - {name: plain, messages: [{role: user, content: {type: text, text: Hello.}}]}
"""

HANDLERS = {
    "tools/add.py": "def add(args, ctx):\n    return args.a + args.b\n",
    "tools/anything.py": "def anything(args, ctx):\n    return 'taken'\n",
    "tools/waits.py": "import time\ndef waits(args, ctx):\n    time.sleep(args.seconds)\n    return 'waited'\n",
    "resources/live.py": "def live(args, ctx):\n    return args.uri\n",
    "resources/item.py": "def item(args, ctx):\n    return args.id\n",
    "prompts/written.py": "def written(args, ctx):\n    return f'Write about {args.topic}.'\n",
}


def make_everything(folder: Path) -> Path:
    """Generate the project; return its ``src`` folder."""
    source = make_project(folder, MANIFEST)
    for name, text in HANDLERS.items():
        (source / MODULE / name).write_text(text, encoding="utf-8")
    return source
