"""Arguments and results on the wire: what is taken, what is explained, and what handlers get."""

from collections.abc import Iterator
from typing import Any

import pytest

from servers import Server, call, make_project

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: args, version: 0.1.0}
tools:
  - &lenient
    name: lenient
    description: Shows what it was given.
    inputSchema: &schema
      type: object
      properties:
        ids: {type: array, items: {type: integer}}
        filter: {type: object, properties: {status: {enum: [open, closed]}}, additionalProperties: false}
        text: {type: string}
        either: {type: [string, array]}
        note: {type: [string, "null"]}
        count: {type: integer, default: 3}
      additionalProperties: false
  - {name: strict, description: Shows what it was given., inputSchema: *schema, x-toolmint: {strictArguments: true}}
  - name: typed
    description: Returns what it is told to.
    inputSchema: {type: object, properties: {what: {type: string}}, required: [what]}
    outputSchema:
      type: object
      properties: {name: {type: string}, tags: {type: array, items: {type: string}}, parent: {$ref: "#"}}
      required: [name]
      additionalProperties: false
"""
SHOW = """
from args_mcp.api import Context

def {name}(args, ctx: Context) -> str:
    return repr(args)
"""
TYPED = """
from args_mcp.api import Context, ToolResult, TypedInput, TypedOutput

def typed(args: TypedInput, ctx: Context) -> object:
    return {
        "dataclass": lambda: TypedOutput(name="a", tags=["x"], parent=TypedOutput(name="b")),
        "dict": lambda: {"name": "a", "parent": {"name": "b", "tags": []}},
        "mixed": lambda: {"name": "a", "parent": TypedOutput(name="b")},
        "result": lambda: ToolResult("see below", structured={"name": "a"}, meta={"x/y": 1}),
        "error": lambda: ToolResult("went wrong", is_error=True),
        "missing": lambda: {"tags": []},
        "wrong": lambda: {"name": 7},
        "unknown": lambda: {"name": "a", "nme": "b"},
        "set": lambda: {"name": "a", "tags": {"x"}},
    }[args.what]()
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    handlers = {"lenient": SHOW.format(name="lenient"), "strict": SHOW.format(name="strict"), "typed": TYPED}
    with Server(make_project(tmp_path_factory.mktemp("args"), MANIFEST, handlers), "args_mcp") as running:
        yield running


def text_of(reply: Any) -> str:
    return "".join(block["text"] for block in reply["result"]["content"])


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"ids": "[1, 2]"}, "ids=[1, 2]"),
        ({"filter": '{"status": "open"}'}, "status='open'"),
        ({"ids": [1], "filter": '{"status": "closed"}'}, "status='closed'"),
        ({"text": "[1, 2]"}, "text='[1, 2]'"),
        ({"either": "[1]"}, "either='[1]'"),
        ({"count": 5.0}, "count=5"),
        ({}, "count=3"),
    ],
)
def test_stringified_argument_is_read_where_only_its_content_fits(server: Server, arguments: Any, shown: str) -> None:
    assert shown in text_of(server.ask(call(1, "lenient", arguments)))


@pytest.mark.parametrize("arguments", [{"ids": "[1, 2]"}, {"filter": '{"status": "open"}'}])
def test_stringified_argument_is_refused_by_a_strict_tool(server: Server, arguments: Any) -> None:
    reply = server.ask(call(1, "strict", arguments))
    assert reply["result"]["isError"] is True
    assert next(iter(arguments)) in text_of(reply)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"ids": "[1, x]"}, ["/ids"]),
        ({"ids": '["a"]'}, ["/ids"]),
        ({"filter": {"status": "opne"}, "txet": "a"}, ["/filter/status", "open", "txet", "text"]),
        ({"ids": [1, "2", None], "count": True}, ["/ids/1", "/ids/2", "/count"]),
    ],
)
def test_every_violation_is_named_with_its_place_and_the_nearest_name(
    server: Server, arguments: Any, lines: list[str]
) -> None:
    reply = server.ask(call(1, "lenient", arguments))
    assert reply["result"]["isError"] is True
    for words in lines:
        assert words in text_of(reply)


def test_null_and_absent_differ(server: Server) -> None:
    assert "note=None" in text_of(server.ask(call(1, "lenient", {"note": None})))
    assert "note=ABSENT" in text_of(server.ask(call(2, "lenient", {})))


@pytest.mark.parametrize(
    ("what", "structured"),
    [
        ("dataclass", {"name": "a", "tags": ["x"], "parent": {"name": "b"}}),
        ("dict", {"name": "a", "parent": {"name": "b", "tags": []}}),
        ("mixed", {"name": "a", "parent": {"name": "b"}}),
    ],
)
def test_result_may_be_the_dataclass_or_plain_values(server: Server, what: str, structured: Any) -> None:
    result = server.ask(call(1, "typed", {"what": what}))["result"]
    assert result["structuredContent"] == structured
    assert "isError" not in result


def test_full_result(server: Server) -> None:
    result = server.ask(call(1, "typed", {"what": "result"}))["result"]
    assert result["content"] == [{"type": "text", "text": "see below"}]
    assert result["structuredContent"] == {"name": "a"}
    assert result["_meta"]["x/y"] == 1
    failed = server.ask(call(2, "typed", {"what": "error"}))["result"]
    assert failed["isError"] is True
    assert "structuredContent" not in failed


@pytest.mark.parametrize("what", ["missing", "wrong", "unknown", "set"])
def test_result_that_breaks_the_schema_never_leaves(server: Server, what: str) -> None:
    result = server.ask(call(1, "typed", {"what": what}))["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == "Error executing tool typed"
    assert "structuredContent" not in result
