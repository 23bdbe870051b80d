"""Every kind of problem: its code, its place, and the words that tell what to do."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from manifest.manifests import HEAD, load, problems
from toolmint.manifest import ManifestError, load_manifest
from toolmint.manifest.source import MAX_BYTES, MAX_PROBLEMS
from toolmint.problems import Problem

MARK = "»"
"""Stands in a case's text where the problem is; it is not part of the manifest."""


class Case(NamedTuple):
    text: str | bytes
    code: str
    message: str
    hint: str = ""


def tool(rest: str) -> str:
    """A tool and one more member of it."""
    return f"{HEAD}tools:\n  - name: search\n    {rest}\n"


def schema(text: str, more: str = "") -> str:
    """A tool's property of a schema, and what stands beside the tools."""
    return tool(f"inputSchema:\n      type: object\n      properties: {{a: {text}}}") + more


TEXT = {
    "empty": Case("»", "empty-document", "empty", "toolmint: 1"),
    "only a comment": Case("# a\n»", "empty-document", "empty", "toolmint: 1"),
    "not a mapping": Case("»- a\n", "wrong-type", "must be a mapping; found a list of 1", "toolmint: 1"),
    "not UTF-8": Case(b"a: 1\nb: \xc2\xbb\xe9", "not-utf8", "0xe9", "save the file as UTF-8"),
    "UTF-16": Case("»".encode() + "toolmint: 1".encode("utf-16"), "not-utf8", "UTF-16", "UTF-8"),
    "NUL": Case("a: b»\x00", "control-character", "NUL", "\\x00"),
    "escape": Case("a: 1\nb: x»\x1b", "control-character", "U+001B", "\\x1b"),
    "tab": Case("a:\n»\tb: 1", "not-yaml", "a tab stands where", "indent with spaces"),
    "reserved": Case("a: »@b", "not-yaml", "cannot start with @", "in quotes"),
    "second colon": Case("a: b»: c", "not-yaml", "a second `: ` in one line", "in quotes"),
    "unclosed quote": Case('a: »"b\nc: d\n', "not-yaml", "no closing quote", "close it"),
    "unclosed brackets": Case("a: [1,\n  2\nb»: 3", "not-yaml", "open in line 1, column 4", "comma"),
    "missing value": Case('{"a": »', "not-yaml", "a value is missing", 'an empty text is ""'),
    "key too long": Case('{"' + "k" * 1100 + '"»: 1}', "not-yaml", "not YAML", "1024 characters"),
    "several documents": Case(
        HEAD + '»---\ntoolmint: 1\nprotocol: "2026-07-28"\nserver: {name: contracts, version: "1.0"}\n',
        "several-documents",
        "second YAML document",
        "---",
    ),
    "duplicate key": Case(HEAD + "»server: {}\n", "duplicate-key", "first in line 3, column 1", "keep one"),
    "merge key": Case(HEAD + "x-a: {»<<: {b: 1}}\n", "merge-key", "YAML 1.1", "$ref"),
    "key is a list": Case(HEAD + "x-a: {? »[a] : 1}\n", "key-not-text", "must be text"),
    "unknown alias": Case(HEAD + "x-a: »*b\n", "unknown-alias", "before it has the anchor &b"),
    "alias to itself": Case(HEAD + "x-a: &b [»*b]\n", "unknown-alias", "*b stands for nothing"),
    "unknown tag": Case(HEAD + "x-a: »!!python/name:os.system x\n", "unknown-tag", "!!python/name", "remove"),
    "wrong tag": Case(HEAD + "x-a: »!!int b\n", "wrong-tag", "!!int", "remove the tag"),
    "infinity": Case(HEAD + "x-a: ».inf\n", "number-out-of-range", "no number in JSON", '".inf"'),
    "huge exponent": Case(HEAD + "x-a: »1e999\n", "number-out-of-range", "1e999 is larger"),
    "huge integer": Case(f"{HEAD}x-a: »{'9' * 5000}\n", "number-too-long", "5000 characters; at most 1000"),
    "too deep": Case(f"{HEAD}x-a: {'[' * 99}»[{'[' * 100}{']' * 200}\n", "nested-too-deep", "more than 100", "$defs"),
}

SHAPE = {
    "unknown key": Case(tool("»desciption: x"), "unknown-key", 'no key "desciption"', '"description"'),
    "other case": Case(tool("»input_schema: {}"), "unknown-key", "input_schema", '"inputSchema"'),
    "other name": Case(tool("»parameters: {}"), "unknown-key", "parameters", '"inputSchema"'),
    "unknown key unlike any": Case(HEAD + "»banana: 1\n", "unknown-key", "banana", "starts with x-"),
    "version that is a number": Case(
        'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: contracts, version: »1.10}\n',
        "unquoted-text",
        "1.10 without quotes is the number 1.1",
        '"1.10" in quotes',
    ),
    "date that is a number": Case(
        'toolmint: 1\nprotocol: »20260728\nserver: {name: contracts, version: "1.0"}\n',
        "unquoted-text",
        "protocol must be text",
        '"20260728" in quotes',
    ),
    "text that is a boolean": Case(tool("description: »true"), "unquoted-text", "must be text", '"true" in quotes'),
    "boolean that is text": Case(
        tool("annotations: {readOnlyHint: »yes}"), "wrong-type", 'true or false; found the text "yes"', "YAML 1.2"
    ),
    "no value": Case(HEAD + "»tools:\n", "wrong-type", "must be a list; found nothing", "[]"),
    "commented out": Case(tool("»description: #1"), "wrong-type", "must be text; found nothing", "comment"),
    "missing key": Case(HEAD + "tools:\n  - »title: x\n", "missing-key", 'a tool needs "name"', "calls it by"),
    "item of a list": Case(HEAD + "tools: [»search]\n", "wrong-type", "an item of tools must be a mapping"),
    "one of several": Case(
        HEAD + "defaults: {cacheScope: »Public}\n", "unknown-value", '"private" or "public"', '"public"'
    ),
    "below the least": Case(HEAD + "defaults: {ttlMs: »-1}\n", "bad-value", "-1; expected at least 0"),
    "empty list": Case(
        'toolmint: 1\nprotocol: »[]\nserver: {name: contracts, version: "1.0"}\n',
        "bad-value",
        "protocol is an empty list",
        "at least one",
    ),
    "neither text nor list": Case(
        'toolmint: 1\nprotocol: »{}\nserver: {name: contracts, version: "1.0"}\n',
        "wrong-type",
        "must be text or a list",
    ),
    "format of another version": Case(
        'toolmint: »2\nprotocol: "2026-07-28"\nserver: {name: contracts, version: "1.0"}\n',
        "unknown-value",
        "must be 1",
        "toolmint: 1",
    ),
    "twice in a list": Case(
        tool("x-toolmint: {aliases: [a, »a]}"), "duplicate-value", '"a" stands here twice, first in line 6'
    ),
    "task that must be one": Case(
        tool("execution: {taskSupport: »required}"), "unknown-value", '"forbidden" or "optional"'
    ),
    "form with a url": Case(
        tool(
            "elicits: [{key: a, message: b, mode: url, url: 'x:y', »requestedSchema: {type: object, properties: {}}}]"
        ),
        "misplaced-key",
        "does not go with mode url",
        "mode form",
    ),
    "no kind of content": Case(
        HEAD + "prompts: [{name: a, messages: [{role: user, content: {type: »txt}}]}]\n",
        "unknown-value",
        '"resource_link" or "resource"',
        '"text"',
    ),
}

RULES = {
    "unknown revision": Case(
        'toolmint: 1\nprotocol: »"2026-07-29"\nserver: {name: contracts, version: "1.0"}\n',
        "unsupported-revision",
        '"2026-07-28" or "2025-11-25"',
        '"2026-07-28"',
    ),
    "version": Case(
        'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: contracts, version: »"one"}\n',
        "bad-version",
        "neither a PEP 440 nor a semantic",
        "1.4.0",
    ),
    "distribution": Case(HEAD + "package: {name: »-a-}\n", "bad-package-name", '"-a-" is no distribution', '"a"'),
    "no distribution": Case(
        'toolmint: 1\nprotocol: "2026-07-28"\nserver: {name: »日本, version: "1.0"}\n',
        "bad-package-name",
        "日本",
        "package: {name",
    ),
    "keyword": Case(HEAD + "package: {module: »import}\n", "bad-module-name", "cannot be imported", '"import_"'),
    "standard library": Case(
        HEAD + "package: {module: »json}\n", "bad-module-name", "the standard library's", "another one"
    ),
    "module from the name": Case(HEAD + "package: {name: »json}\n", "bad-module-name", "would hide", "module: …"),
    "tool name": Case(HEAD + "tools: [{name: »a b}]\n", "bad-name", '"a b" is no tool name', '"a_b"'),
    "long tool name": Case(f"{HEAD}tools: [{{name: »{'a' * 129}}}]\n", "bad-name", "129 characters", "aaa"),
    "tool twice": Case(
        HEAD + "tools: [{name: a}, {name: »a}]\n", "duplicate-name", "first in line 4, column 16", "rename"
    ),
    "tools that clash in Python": Case(
        HEAD + "tools: [{name: get-user}, {name: »getUser}]\n",
        "name-clash",
        '"getUser" and of "get-user" in line 4, column 16, would both be called get_user',
        "rename",
    ),
    "tool without a Python name": Case(HEAD + "tools: [{name: »_.-}]\n", "no-identifier", "_.-", "title"),
    "alias of another tool": Case(
        HEAD + "tools: [{name: a}, {name: b, x-toolmint: {aliases: [»a]}}]\n",
        "alias-clash",
        "first in line 4, column 16",
        "rename",
    ),
    "resource without a Python name": Case(
        HEAD + "resources: [{uri: 'a:b', name: »日本}]\n", "no-identifier", "日本", "ASCII"
    ),
    "resources that clash in Python": Case(
        HEAD + "resources: [{uri: 'a:b', name: x}]\nresourceTemplates: [{uriTemplate: 'a:{c}', name: »X}]\n",
        "name-clash",
        "in line 4, column 32, would both be called x",
        "title",
    ),
    "URI twice": Case(
        HEAD + "resources: [{uri: 'a:b', name: x}, {uri: »'a:b', name: y}]\n",
        "duplicate-uri",
        "first in line 4, column 19",
        "rename",
    ),
    "relative URI": Case(HEAD + "resources: [{uri: »a, name: x}]\n", "bad-uri", "no absolute URI", "scheme"),
    "several contents": Case(
        HEAD + "resources: [{uri: 'a:b', name: x, text: a, blob: »YQ==}]\n",
        "several-contents",
        "text and blob",
        "keep one",
    ),
    "no base64": Case(
        HEAD + "resources: [{uri: 'a:b', name: x, blob: »'a*'}]\n", "bad-base64", "not base64", "base64 -w0"
    ),
    "no base64 in a message": Case(
        HEAD + "prompts: [{name: p, messages: [{role: user, content: {type: image, mimeType: a/b, data: »a}}]}]\n",
        "bad-base64",
        "not base64",
        "base64",
    ),
    "content file missing": Case(
        HEAD + "resources: [{uri: 'a:b', name: x, file: »none.txt}]\n",
        "content-file",
        "no such file",
        "src/contracts_mcp/files",
    ),
    "content file outside": Case(
        HEAD + "resources: [{uri: 'a:b', name: x, file: »../none.txt}]\n",
        "outside-folder",
        "outside of src/contracts_mcp/files",
        "copy",
    ),
    "URI that is not ASCII": Case(
        HEAD + "resources: [{uri: »'a:é', name: x, text: y}]\n", "bad-uri", "no absolute URI", "%C3%A9"
    ),
    "URI with half an escape": Case(HEAD + "resources: [{uri: »'a:%4', name: x, text: y}]\n", "bad-uri", "a:%4", "%20"),
    "kind of expansion": Case(
        HEAD + "resourceTemplates: [{uriTemplate: »'a:{/b}', name: x}]\n", "unsupported-uri-template", "{/b}", "{+name}"
    ),
    "prefix of a variable": Case(
        HEAD + "resourceTemplates: [{uriTemplate: »'a:{b:3}', name: x}]\n",
        "unsupported-uri-template",
        "{b:3}",
        "{name}",
    ),
    "query that is not last": Case(
        HEAD + "resourceTemplates: [{uriTemplate: »'a:{?b}/c', name: x}]\n", "unsupported-uri-template", "end", "there"
    ),
    "several variables in one expansion": Case(
        HEAD + "resourceTemplates: [{uriTemplate: »'a:{b,c}', name: x}]\n", "unsupported-uri-template", "{b,c}", "each"
    ),
    "variables side by side": Case(
        HEAD + "resourceTemplates: [{uriTemplate: »'a:{b}{c}', name: x}]\n",
        "unsupported-uri-template",
        "{c}",
        "between",
    ),
    "completion by something else": Case(
        HEAD + "resourceTemplates: [{uriTemplate: 'a:{b}', name: x, complete: {b: »hander}}]\n",
        "unknown-value",
        '"handler"',
    ),
    "completers of one name": Case(
        HEAD + "prompts: [{name: a b, arguments: [{name: c, complete: handler}]},"
        " {name: a, arguments: [{name: b c, complete: »handler}]}]\n",
        "name-clash",
        "both be called a_b_c",
        "rename",
    ),
    "completer without a name": Case(
        HEAD
        + "prompts: [{name: 紹介, messages: [{role: user, content: x}], arguments: [{name: 名, complete: »handler}]}]\n",
        "no-identifier",
        "no Python name",
        "ASCII",
    ),
    "URI template": Case(
        HEAD + "resourceTemplates: [{uriTemplate: »'a:{b', name: x}]\n", "bad-uri-template", "RFC 6570", "{name}"
    ),
    "completion of no variable": Case(
        HEAD + "resourceTemplates: [{uriTemplate: 'a:{bc}', name: x, complete: {»bd: []}}]\n",
        "unknown-variable",
        'no variable "bd"',
        "it has: bc",
    ),
    "argument that is not there": Case(
        HEAD + "prompts: [{name: p, arguments: [{name: topic}], messages: [{role: user, content: »'on {{topc}}'}]}]\n",
        "unknown-argument",
        "{{topc}} names no argument",
        '"topic"',
    ),
    "argument twice": Case(
        HEAD + "prompts: [{name: p, arguments: [{name: a}, {name: »a}]}]\n", "duplicate-name", '"a"', "rename"
    ),
    "field that is not there": Case(
        tool(
            "elicits: [{key: a, message: b, requestedSchema:"
            " {type: object, properties: {ok: {type: boolean}}, required: [»on]}}]"
        ),
        "unknown-field",
        'no field "on"',
        "it has: ok",
    ),
}

SCHEMAS = {
    "type": Case(schema("{type: »strng}"), "invalid-schema", 'type is "strng"', '"string"'),
    "type of another language": Case(schema("{type: »int}"), "invalid-schema", 'type is "int"', '"integer"'),
    "type for a schema": Case(schema("»string"), "invalid-schema", "a must be a schema", "{type: string}"),
    "required in the property": Case(
        schema("{required: »true}"), "invalid-schema", "required must be a list", "in the schema that has them"
    ),
    "negative length": Case(schema("{minLength: »-1}"), "invalid-schema", "minLength is -1; expected at least 0"),
    "pattern": Case(schema("{pattern: »'('}"), "unusable-schema", "no ECMA-262 pattern"),
    "commented out": Case(schema("{»$ref: #/$defs/X\n}"), "invalid-schema", "$ref must be text", "comment"),
    "dialect": Case(
        tool("inputSchema: {$schema: »'http://json-schema.org/draft-04/schema#', type: object}"),
        "unsupported-dialect",
        "2020-12 and draft-07",
        "leave $schema out",
    ),
    "root of another type": Case(
        tool("inputSchema: {type: »array}"), "input-not-object", "always an object", "property"
    ),
    "root without a type": Case(tool("inputSchema: »{}"), "input-not-object", "needs `type: object`", "add it"),
    "dangling": Case(
        schema("{$ref: »'#/$defs/Hitt'}", "$defs: {Hit: {}}\n"), "dangling-reference", "points at nothing", '"Hit"'
    ),
    "header of two words": Case(schema("{type: string, x-mcp-header: »a b}"), "bad-header", "RFC 9110", "hyphens"),
    "header without a name": Case(schema("{type: string, x-mcp-header: »''}"), "bad-header", "RFC 9110", "hyphens"),
    "header from a number": Case(
        schema("{type: number, »x-mcp-header: A}"), "bad-header", 'of type "number"', "string, boolean or integer"
    ),
    "header from a list": Case(
        schema("{type: array, items: {type: string, »x-mcp-header: A}}"), "bad-header", "`properties` alone", "items"
    ),
    "header from a definition": Case(
        schema("{$ref: '#/$defs/A'}", "$defs: {A: {type: string, »x-mcp-header: A}}\n"),
        "bad-header",
        "`properties` alone",
        "behind $ref",
    ),
    "header from a result": Case(
        tool("outputSchema: {type: object, properties: {a: {type: string, »x-mcp-header: A}}}"),
        "bad-header",
        "alone",
        "inputSchema",
    ),
    "header used twice": Case(
        tool(
            "inputSchema:\n      type: object\n      properties:\n        a: {type: string, x-mcp-header: Region}\n"
            "        b: {type: object, properties: {c: {type: integer, x-mcp-header: »region}}}\n"
        ),
        "bad-header",
        "used twice",
        "capitals",
    ),
    "dangling anchor": Case(schema("{$ref: »'#hit'}"), "dangling-reference", '"#hit" points at nothing'),
    "network": Case(schema("{$ref: »'https://example.com/a.json'}"), "network-reference", "never are", "./FILE"),
    "no URI": Case(schema("{$ref: »'http://['}"), "bad-reference", "no URI reference"),
    "missing file": Case(schema("{$ref: »'./none.json#/$defs/A'}"), "reference-file", "no such file", "./FILE"),
    "file outside": Case(schema("{$ref: »'../a.json'}"), "outside-folder", "outside the manifest's", "beside"),
    "part of the manifest": Case(
        schema("{$ref: »'tools.yaml#/tools'}"), "dangling-reference", "is not a definition", "$defs"
    ),
    "cycle": Case(HEAD + "$defs: {A: {$ref: »'#/$defs/A'}}\n", "unusable-schema", "back to itself", "refer"),
    "unused definition": Case(HEAD + "$defs: {A: {type: »strng}}\n", "invalid-schema", "strng", "string"),
    "definition of another dialect": Case(
        schema("{$ref: '#/$defs/A'}", "$defs: {A: {$schema: »'http://json-schema.org/draft-07/schema#'}}\n"),
        "mixed-dialects",
        "line 7 of tools.yaml",
        "same $schema",
    ),
}


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in (TEXT | SHAPE | RULES).items()])
def test_problem_is_explained_where_it_is(folder: Path, case: Case) -> None:
    check(folder, case)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in SCHEMAS.items()])
def test_problem_of_a_schema_is_explained_where_it_is(folder: Path, case: Case) -> None:
    check(folder, case)


def check(folder: Path, case: Case) -> None:
    text = case.text if isinstance(case.text, bytes) else case.text.encode()
    before, _, after = text.partition(MARK.encode())
    lines = before.decode().split("\n")
    found = problems(folder, before + after)
    assert len(found) == 1, [problem.render() for problem in found]
    assert found[0].code == case.code
    assert (found[0].line, found[0].column) == (len(lines), len(lines[-1]) + 1), found[0].render()
    assert case.message in found[0].message
    assert case.hint in found[0].hint
    assert case.hint or not found[0].hint, found[0].hint


def test_files_that_cannot_be_read(folder: Path) -> None:
    for path, code in (("none.yaml", "file-not-found"), (".", "not-a-file"), ("/dev/null", "not-a-file")):
        with pytest.raises(ManifestError) as caught:
            load_manifest(path, revisions=["2026-07-28"])
        (problem,) = caught.value.problems
        assert (problem.code, problem.file, problem.line, problem.column) == (code, path, None, None)
        assert problem.hint


def test_a_file_that_is_too_large_is_refused_by_its_size(folder: Path) -> None:
    with Path("tools.yaml").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ManifestError) as caught:
        load_manifest("tools.yaml", revisions=["2026-07-28"])
    (problem,) = caught.value.problems
    assert problem.code == "file-too-large"
    assert "16 MiB" in problem.message


def test_all_problems_at_once_in_the_order_of_the_file(folder: Path) -> None:
    found = problems(
        folder,
        """\
toolmint: 1
protocol: "2026-07-27"
server: {name: contracts, version: one}
tools:
  - name: a b
    desciption: x
    annotations: {readOnlyHint: no}
    inputSchema: {type: object, properties: {a: {type: strng}, b: {$ref: "#/$defs/B"}}}
  - title: nameless
    inputSchema: {type: array}
resources:
  - {uri: a, name: b, file: c}
""",
    )
    assert [(problem.line, problem.code) for problem in found] == [
        (2, "unsupported-revision"),
        (3, "bad-version"),
        (5, "bad-name"),
        (6, "unknown-key"),
        (7, "wrong-type"),
        (8, "invalid-schema"),
        (8, "dangling-reference"),
        (9, "missing-key"),
        (10, "input-not-object"),
        (12, "bad-uri"),
        (12, "content-file"),
    ]


def test_a_problem_in_a_file_that_is_referred_to_names_that_file(folder: Path) -> None:
    Path("common.json").write_text('{"$defs": {\n  "A": {"type": "strng"},\n  "B": {"$ref": "#/$defs/C"}}}')
    found = problems(folder, schema("{$ref: 'common.json#/$defs/A'}") + "$defs: {D: {$ref: 'common.json#/$defs/B'}}\n")
    assert [(problem.file, problem.line, problem.column, problem.code) for problem in found] == [
        ("common.json", 2, 17, "invalid-schema"),
        ("common.json", 3, 17, "dangling-reference"),
    ]


def test_a_file_that_cannot_be_parsed_is_said_there_and_at_every_reference(folder: Path) -> None:
    Path("common.yaml").write_text("a: @b")
    found = problems(folder, schema("{items: {$ref: common.yaml}, not: {$ref: common.yaml}}"))
    assert [(problem.file, problem.code) for problem in found] == [
        ("common.yaml", "not-yaml"),
        ("tools.yaml", "reference-file"),
        ("tools.yaml", "reference-file"),
    ]


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.json"
    outside.write_text("{}")
    Path("inside.json").symlink_to(outside)
    (problem,) = problems(folder, schema("{$ref: inside.json}"))
    assert problem.code == "outside-folder"
    files = Path("src/contracts_mcp/files")
    files.mkdir(parents=True)
    (files / "inside.json").symlink_to(outside)
    (problem,) = problems(folder, f"{HEAD}resources: [{{uri: 'a:b', name: x, file: inside.json}}]\n")
    assert problem.code == "outside-folder"


def test_a_text_resource_must_be_utf8(folder: Path) -> None:
    files = Path("src/contracts_mcp/files")
    files.mkdir(parents=True)
    (files / "page.html").write_bytes(b"\xe9")
    (problem,) = problems(folder, f"{HEAD}resources: [{{uri: 'a:b', name: x, mimeType: text/html, file: page.html}}]\n")
    assert (problem.code, problem.line, problem.column) == ("content-file", 4, 62)
    assert "page.html is not UTF-8, but text/html is text" in problem.message


def test_aliases_are_counted_as_what_they_stand_for(folder: Path) -> None:
    lines = ["x-a: &a [1,1,1,1,1,1,1,1,1,1]"]
    lines += [
        f"x-{name}: &{name} [{','.join([f'*{below}'] * 10)}]" for below, name in zip("abcdefg", "bcdefgh", strict=True)
    ]
    (problem,) = problems(folder, HEAD + "\n".join(lines))
    assert (problem.code, problem.line) == ("too-many-values", 9)
    assert "500000 values, aliases counted" in problem.message


def test_definitions_carried_by_many_schemas_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolmint.manifest.loading.MAX_CARRIED", 100)
    chain = {f"d{index}": {"items": {"$ref": f"#/$defs/d{index + 1}"}} for index in range(30)} | {"d30": {}}
    arguments = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}}
    tools = [{"name": f"t{index}", "inputSchema": arguments} for index in range(5)]
    head = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "a", "version": "1"}}
    (problem,) = problems(folder, json.dumps({**head, "$defs": chain, "tools": tools}))
    assert problem.code == "too-many-definitions"
    assert "more than 100 definitions" in problem.message


def test_the_number_of_problems_is_bounded(folder: Path) -> None:
    assert len(problems(folder, f"{HEAD}tools: [{'1,' * 5000}]\n")) == MAX_PROBLEMS


def test_rendering() -> None:
    problem = Problem(
        code="unknown-key",
        message='a tool has no key "desciption"',
        file="tools.yaml",
        line=12,
        column=5,
        hint='did you mean "description"?',
        excerpt="    desciption: Search.",
    )
    assert (
        str(problem)
        == problem.render()
        == (
            'tools.yaml:12:5: a tool has no key "desciption"\n'
            "      desciption: Search.\n"
            "      ^\n"
            '  hint: did you mean "description"?'
        )
    )
    assert problem.to_json() == {
        "code": "unknown-key",
        "message": 'a tool has no key "desciption"',
        "file": "tools.yaml",
        "line": 12,
        "column": 5,
        "hint": 'did you mean "description"?',
    }


def test_rendering_of_a_problem_of_the_whole_file() -> None:
    problem = Problem(code="file-not-found", message="no such file", file="tools.yaml")
    assert str(problem) == "tools.yaml: no such file"


def test_rendering_cuts_a_long_line_around_the_caret() -> None:
    line = '{"a": [' + "1, " * 500 + "\tbad" + ", 2" * 500 + "]}"
    problem = Problem(code="x", message="m", file="f", line=1, column=line.index("bad") + 1, excerpt=line)
    _, shown, caret = str(problem).splitlines()
    assert len(shown) < 120
    assert shown[caret.index("^") :].startswith("bad")


def test_the_error_shows_every_problem(folder: Path) -> None:
    with pytest.raises(ManifestError) as caught:
        load(folder, HEAD.replace("1.0", "one") + "banana: 1\n")
    assert str(caught.value) == "\n".join(problem.render() for problem in caught.value.problems)
    assert "banana: 1\n  ^" in str(caught.value)
