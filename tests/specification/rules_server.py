"""A server whose tools, prompts and resources do what the rules are about: fail, misbehave, ask, take long, change."""

from pathlib import Path

from servers import make_project

MODULE = "rules_mcp"

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: rules, version: 0.1.0, instructions: Not for work.}
defaults: {ttlMs: 60000, cacheScope: public, pageSize: 7}
x-any: &any
  {type: object, properties: {value: {}}, required: [value], additionalProperties: false}
x-form: &form
  key: form
  message: How many?
  requestedSchema:
    type: object
    properties:
      count: {type: integer, minimum: 1, title: Count}
      mail: {type: string, format: email, title: Address}
      size: {type: string, enum: [S, M]}
    required: [count]
x-page: &page {key: page, mode: url, message: Sign in there, url: "https://example.com/connect"}

tools:
  - {name: echo, description: Returns its value as text., inputSchema: *any}
  - {name: slow, description: Takes some seconds., inputSchema: &seconds {type: object, properties: {seconds: {type: number}}, required: [seconds]}}
  - {name: slow_async, description: Takes some seconds., inputSchema: *seconds}
  - {name: works, description: Writes to a file that it still works., inputSchema: {type: object, properties: {file: {type: string}}, required: [file]}}
  - {name: stuck, description: Never returns.}
  - {name: limited, description: Takes longer than it may., x-toolmint: {timeoutMs: 50}}
  - {name: progress, description: Reports progress., inputSchema: {type: object, properties: {values: {type: array, items: {type: number}}}, required: [values]}}
  - {name: chatty, description: Reports and logs until it is cancelled., inputSchema: {type: object, properties: {end: {type: string, enum: [return, raise, never]}}, required: [end]}}
  - {name: logs, description: Logs at every level., inputSchema: {type: object, properties: {times: {type: integer}}, required: [times]}}
  - {name: fails, description: Fails with a secret in its exception.}
  - {name: refuses, description: Fails and says how.}
  - {name: noisy, description: Writes wherever it can.}
  - {name: misfit, description: Returns what its contract does not have., outputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}, inputSchema: *any}
  - {name: structured, description: Returns its value., outputSchema: {}, inputSchema: *any}
  - {name: integers, description: Takes integers., inputSchema: {type: object, properties: {n: {type: integer, minimum: 0, maximum: 9007199254740991}, flag: {type: boolean}}, required: [n], additionalProperties: false}, outputSchema: {type: integer}}
  - name: newer
    description: Takes what draft 2020-12 says.
    inputSchema:
      type: object
      properties:
        pair: {type: array, prefixItems: [{type: integer}, {type: string}], items: false}
        tree: {$ref: "#/$defs/tree"}
        card: {type: object, properties: {number: {type: string}}, dependentRequired: {number: [owner]}}
        closed: {type: object, allOf: [{properties: {a: {type: integer}}}], unevaluatedProperties: false}
      additionalProperties: false
      $defs:
        tree: {$dynamicAnchor: node, type: object, properties: {left: {$dynamicRef: "#node"}}, required: [label]}
  - name: older
    description: Takes what draft-07 says.
    inputSchema:
      $schema: http://json-schema.org/draft-07/schema#
      type: object
      properties: {pair: {type: array, items: [{type: integer}, {type: string}], additionalItems: false}}
  - name: bushy
    description: Takes what is costly to check.
    inputSchema:
      type: object
      properties: {value: {$ref: "#/$defs/level"}}
      $defs:
        level: {anyOf: [{type: array, items: {$ref: "#/$defs/level"}}, {type: array, prefixItems: [{$ref: "#/$defs/level"}]}, {type: integer}]}
  - name: mirrored
    description: Takes arguments that clients repeat in headers.
    inputSchema:
      type: object
      properties:
        region: {type: string, x-mcp-header: Region}
        place: {type: object, properties: {floor: {type: integer, x-mcp-header: Floor}}}
        quick: {type: boolean, x-mcp-header: Quick}
  - {name: embeds, description: Returns a resource.}
  - {name: set_visible, description: Hides or shows something., inputSchema: {type: object, properties: {kind: {type: string}, name: {type: string}, visible: {type: boolean}}, required: [kind, name, visible]}}
  - {name: touch, description: Says that a resource has changed., inputSchema: {type: object, properties: {uri: {type: string}}, required: [uri]}}
  - {name: uses_secret, description: Uses a credential.}
  - {name: ask_form, description: Asks by a form., inputSchema: {type: object, properties: {about: {type: string}}}, elicits: [*form]}
  - {name: ask_page, description: Asks to visit a page., elicits: [*page]}
  - {name: ask_either, description: "Asks for what the client can give.", elicits: [*form]}
  - {name: ask_model, description: Asks the model., inputSchema: {type: object, properties: {text: {type: string}}}}
  - {name: ask_model_with_tools, description: Lets the model use tools until it is done.}
  - {name: ask_roots, description: Reads a file inside of the roots., inputSchema: {type: object, properties: {file: {type: string}}, required: [file]}}
  - {name: ask_all, description: Asks for everything at once., elicits: [*form]}

resources:
  - {uri: "rules://text", name: text, text: Some text., x-toolmint: {ttlMs: 5}}
  - {uri: "rules://blob", name: blob, blob: AAH/, mimeType: application/octet-stream}
  - {uri: "rules://file", name: file, file: notes.txt}
  - {uri: "rules://not-utf-8", name: not utf 8, file: bytes.txt}
  - {uri: "rules://bytes", name: all bytes, description: All bytes.}
  - {uri: "rules://fails", name: fails}
  - {uri: "rules://private", name: private, x-toolmint: {cacheScope: private}}
  - {uri: "rules://asks", name: asks, elicits: [*form]}
resourceTemplates:
  - {uriTemplate: "item://{id}", name: item, complete: {id: [first, second]}}
  - {uriTemplate: "tree:///{+path}", name: tree, description: Files.}

prompts:
  - name: fixed
    description: Fixed but for its arguments.
    arguments:
      - {name: topic, required: true, complete: [python, happy, pytorch, numpy]}
      - {name: tone, complete: handler}
    messages: [{role: user, content: "About {{topic}} in {{tone}}."}]
  - {name: media, description: Every kind of content.}
  - {name: fails, description: Fails., arguments: [{name: many, complete: handler}, {name: broken, complete: handler}, {name: slow, complete: handler}]}
  - {name: hidden, description: Can be hidden., messages: [{role: user, content: Nothing.}]}
  - {name: asks, description: Asks by a form., elicits: [*form]}
"""

API = "from __future__ import annotations\nfrom rules_mcp.api import *\n"

TOOLS = {
    "echo": "return args.value",
    "slow": "import time; time.sleep(args.seconds); return 'slow'",
    "works": """
    import time
    with open(args.file, 'a') as file:
        while True:
            ctx.check_cancelled(); file.write('.'); file.flush(); time.sleep(0.01)""",
    "stuck": "import time\n    while True: time.sleep(1)",
    "limited": "import time; time.sleep(0.3); return 'late'",
    "progress": "for value in args.values: ctx.progress(value)\n    return 'done'",
    "chatty": """
    import threading, time
    def go_on() -> None:
        for n in range(20):
            ctx.progress(n + 10); ctx.log('error', 'chatty'); time.sleep(0.02)
    ctx.progress(1, 2, 'begun'); ctx.log('error', 'begun')
    threading.Thread(target=go_on).start()
    if args.end == 'return': return 'done'
    if args.end == 'raise': raise ToolError('done')
    while not ctx.cancelled: time.sleep(0.005)
    time.sleep(0.1); ctx.progress(100); ctx.log('error', 'after'); return 'after'""",
    "logs": """
    for n in range(args.times):
        for level in ('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'):
            ctx.log(level, {'n': n})
    return 'done'""",
    "fails": "raise ValueError('password=hunter2 in /etc/rules')",
    "refuses": "raise ToolError('Try another one.')",
    "noisy": """
    import ctypes, os, subprocess, sys
    print('stray print'); os.write(1, b'stray write\\n'); sys.__stdout__.write('stray original\\n')
    libc = ctypes.CDLL(None); libc.printf(b'stray printf\\n'); libc.fflush(None)
    subprocess.run(['echo', 'stray child'], check=True)
    return 'done'""",
    "misfit": "return args.value",
    "structured": "return args.value",
    "integers": "return args.n",
    "newer": "return 'fits'",
    "older": "return 'fits'",
    "bushy": "return 'fits'",
    "mirrored": "return 'done'",
    "embeds": "return embedded_text('rules://text', 'Some text.')",
    "set_visible": "(ctx.server.show if args.visible else ctx.server.hide)(args.kind, args.name); return 'done'",
    "touch": "ctx.server.resource_updated(args.uri); return 'done'",
    "uses_secret": "import os; return f'{len(os.environ[\"RULES_SECRET\"])} characters'",
    "ask_form": """
    answer = ctx.elicit(FORM, message=f'How many{args.about or ""}?')
    return f'{answer.count} {answer.mail}' if isinstance(answer, Form) else type(answer).__name__""",
    "ask_page": "return type(ctx.elicit(PAGE)).__name__",
    "ask_either": """
    if ctx.can_elicit(): return type(ctx.elicit(FORM)).__name__
    return ctx.sample('model', 'How many?', max_tokens=5).text""",
    "ask_model": "return ctx.sample('model', args.text or 'How many?', max_tokens=5).text",
    "ask_model_with_tools": """
    messages = [{'role': 'user', 'content': {'type': 'text', 'text': 'Weather?'}}]
    tools = [{'name': 'weather', 'inputSchema': {'type': 'object'}}]
    for turn in range(5):
        answer = ctx.sample(f'turn {turn}', messages, max_tokens=50, tools=tools)
        uses = [block for block in answer.content if block['type'] == 'tool_use']
        if not uses: return answer.text
        results = [{'type': 'tool_result', 'toolUseId': use['id'], 'content': [{'type': 'text', 'text': 'rain'}]} for use in uses]
        messages += [{'role': 'assistant', 'content': list(answer.content)}, {'role': 'user', 'content': results}]
    raise ToolError('The model did not come to an end.')""",
    "ask_roots": """
    from urllib.parse import unquote, urlsplit
    for root in ctx.roots():
        try: return safe_path(unquote(urlsplit(root.uri).path), args.file).read_text()
        except ResourceNotFound: continue
    raise ToolError('No root has this file.')""",
    "ask_all": "ctx.ask(FORM, sampling('model', 'How many?', max_tokens=5), roots()); return 'done'",
}

OTHERS = {
    "tools/slow_async.py": (
        "import asyncio\n\nasync def slow_async(args, ctx):\n    await asyncio.sleep(args.seconds)\n    return 'slow'\n"
    ),
    "resources/all_bytes.py": "def all_bytes(args, ctx):\n    return bytes(range(256))\n",
    "resources/fails.py": "def fails(args, ctx):\n    raise ValueError('password=hunter2')\n",
    "resources/private.py": "def private(args, ctx):\n    return 'Yours alone.'\n",
    "resources/asks.py": "def asks(args, ctx):\n    return type(ctx.elicit(FORM)).__name__\n",
    "resources/item.py": (
        "def item(args, ctx):\n"
        "    if args.id not in ('first', 'second'): raise ResourceNotFound\n"
        "    return {'id': args.id}\n"
    ),
    "resources/tree.py": (
        "from pathlib import Path\n\ndef tree(args, ctx):\n"
        "    return safe_path(Path(__file__).parent.parent / 'files', args.path)\n"
    ),
    "prompts/media.py": """\
PNG = b'\\x89PNG\\r\\n\\x1a\\n\\xff'

def media(args, ctx):
    return [
        user('Look and listen.'), user(image(PNG)), assistant(audio(b'RIFF\\x00\\x00\\x00\\x00WAVE')),
        user(embedded_text('rules://text', 'Some text.')), user(embedded_blob('rules://blob', b'\\x00\\x01\\xff')),
    ]
""",
    "prompts/fails.py": "def fails(args, ctx):\n    raise ValueError('password=hunter2')\n",
    "prompts/asks.py": "def asks(args, ctx):\n    return type(ctx.elicit(FORM)).__name__\n",
    "completions/fixed_tone.py": (
        "def fixed_tone(args, ctx):\n    return [f'{args.value}{n} {args.arguments}' for n in range(2)]\n"
    ),
    "completions/fails_many.py": "def fails_many(args, ctx):\n    return [str(n) for n in range(250)]\n",
    "completions/fails_broken.py": "def fails_broken(args, ctx):\n    raise ValueError('password=hunter2')\n",
    "completions/fails_slow.py": "import time\n\ndef fails_slow(args, ctx):\n    time.sleep(0.3)\n    return ['late']\n",
}


def make_rules_server(folder: Path) -> Path:
    """Generate the server and return its ``src`` folder."""
    files = folder / "src" / MODULE / "files"
    files.mkdir(parents=True)
    (files / "notes.txt").write_text("Some notes.", encoding="utf-8")
    (files / "bytes.txt").write_bytes(b"caf\xe9")
    (folder / "outside.txt").write_text("Nobody's business.", encoding="utf-8")
    (files / "link.txt").symlink_to(folder / "outside.txt")
    source = make_project(folder, MANIFEST)
    for name, body in TOOLS.items():
        (source / MODULE / "tools" / f"{name}.py").write_text(
            f"{API}\ndef {name}(args, ctx):\n    {body}\n", encoding="utf-8"
        )
    for name, text in OTHERS.items():
        (source / MODULE / name).write_text(f"{API}{text}", encoding="utf-8")
    return source
