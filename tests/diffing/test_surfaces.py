"""Changes beyond schemas: names, hints, prompts, resources, the server."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolmint import commands
from toolmint.diffing import UnreadableSurface, read_told
from toolmint.diffing.surfaces import compare_surfaces, uncompared
from toolmint.diffing.told import Told


def told(tmp_path: Path, value: Any, name: str = "list.json") -> Told:
    path = tmp_path / name
    path.write_text(json.dumps(value))
    return read_told(path)


def changes(tmp_path: Path, old: Any, new: Any) -> list[tuple[str, str, str, str]]:
    found = compare_surfaces(told(tmp_path, old, "old.json"), told(tmp_path, new, "new.json"))
    return [(change.classification, change.code, change.name, change.pointer) for change in found]


def tools(*entries: Any, **members: Any) -> dict[str, Any]:
    listed = [
        entry if isinstance(entry, dict) else {"name": entry, "inputSchema": {"type": "object"}} for entry in entries
    ]
    return {"tools": listed, **members}


def tool(name: str = "t", **members: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def manifest(tmp_path: Path, name: str, tool_settings: str = "{}", tool_name: str = "t", **replaced: str) -> Told:
    text = {
        "protocol": '"2026-07-28"',
        "elicits": "[]",
        "format": "uri",
    } | replaced
    path = tmp_path / name
    path.write_text(f"""\
toolmint: 1
protocol: {text["protocol"]}
server: {{name: s, version: 1.0.0}}
tools:
  - name: {tool_name}
    description: Does something.
    elicits: {text["elicits"]}
    inputSchema: {{type: object, properties: {{p: {{type: string, format: {text["format"]}}}}}}}
    x-toolmint: {tool_settings}
""")
    return read_told(path)


def found(old: Told, new: Told) -> list[tuple[str, str, str, str]]:
    return [(c.classification, c.code, c.name, c.pointer) for c in compare_surfaces(old, new)]


def test_a_removed_tool_breaks_and_a_new_one_does_not(tmp_path: Path) -> None:
    assert changes(tmp_path, tools("a", "b"), tools("b", "c")) == [
        ("breaking", "tool-removed", "a", ""),
        ("compatible", "tool-added", "c", ""),
    ]


def test_the_order_of_a_list_means_nothing(tmp_path: Path) -> None:
    assert changes(tmp_path, tools("a", "b"), tools("b", "a")) == []


def test_a_removed_tool_names_the_one_that_may_be_its_new_name(tmp_path: Path) -> None:
    (change, _) = compare_surfaces(told(tmp_path, tools("a")), told(tmp_path, tools("b"), "new.json"))
    assert '"b"' in change.message
    assert "alias" in change.message


def test_a_rename_covered_by_an_alias_is_compatible(tmp_path: Path) -> None:
    old = manifest(tmp_path, "old.yaml")
    assert found(old, manifest(tmp_path, "new.yaml", "{aliases: [t]}", "u")) == [
        ("compatible", "tool-renamed", "t", "/name")
    ]
    assert ("breaking", "tool-removed", "t", "") in found(old, manifest(tmp_path, "new.yaml", "{}", "u"))


def test_a_renamed_tool_is_still_compared(tmp_path: Path) -> None:
    narrow = {"type": "object", "required": ["x"]}
    new = {"name": "b", "inputSchema": narrow, "x-toolmint": {"aliases": ["a"]}}
    assert changes(tmp_path, tools("a"), tools(new)) == [
        ("compatible", "tool-renamed", "a", "/name"),
        ("breaking", "property-required", "a", "/inputSchema/properties/x"),
    ]


def test_a_former_name_counts_like_a_name(tmp_path: Path) -> None:
    aliased = tool("b", **{"x-toolmint": {"aliases": ["a"]}})
    assert changes(tmp_path, tools(aliased), tools("b")) == [("breaking", "alias-removed", "b", "")]
    assert changes(tmp_path, tools("b"), tools(aliased)) == [("compatible", "alias-added", "b", "")]
    moved = tools("b", tool("c", **{"x-toolmint": {"aliases": ["a"]}}))
    assert ("cannot-tell", "alias-moved", "b", "") in changes(tmp_path, tools(aliased), moved)
    chained = tools(tool("c", **{"x-toolmint": {"aliases": ["a", "b"]}}))
    assert changes(tmp_path, tools(aliased), chained) == [("compatible", "tool-renamed", "b", "/name")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            {"readOnlyHint": True},
            {"readOnlyHint": False},
            [("breaking", "hint-withdrawn", "/annotations/readOnlyHint")],
        ),
        ({"readOnlyHint": True}, None, [("breaking", "hint-withdrawn", "/annotations/readOnlyHint")]),
        (None, {"readOnlyHint": True}, [("compatible", "hint-given", "/annotations/readOnlyHint")]),
        (
            {"destructiveHint": False},
            {"destructiveHint": True},
            [("breaking", "hint-withdrawn", "/annotations/destructiveHint")],
        ),
        ({"destructiveHint": False}, {}, [("breaking", "hint-withdrawn", "/annotations/destructiveHint")]),
        ({"idempotentHint": True}, {}, [("breaking", "hint-withdrawn", "/annotations/idempotentHint")]),
        ({"openWorldHint": False}, {}, [("breaking", "hint-withdrawn", "/annotations/openWorldHint")]),
        (
            {"openWorldHint": True},
            {"openWorldHint": False},
            [("compatible", "hint-given", "/annotations/openWorldHint")],
        ),
        # What is written out is what held anyway, or means nothing for a tool that only reads.
        (None, {"destructiveHint": True}, [("wording", "destructiveHint-changed", "/annotations/destructiveHint")]),
        (
            {"readOnlyHint": True},
            {"readOnlyHint": True, "destructiveHint": False},
            [("wording", "destructiveHint-changed", "/annotations/destructiveHint")],
        ),
        ({"title": "A"}, {"title": "B"}, [("wording", "title-changed", "/annotations/title")]),
    ],
)
def test_a_hint_that_promised_less_risk_is_missed_when_it_goes(
    tmp_path: Path, old: Any, new: Any, expected: list[tuple[str, str, str]]
) -> None:
    rows = changes(tmp_path, tools(tool(annotations=old)), tools(tool(annotations=new)))
    assert [(classification, code, pointer) for classification, code, _, pointer in rows] == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, "optional", "compatible"),
        ("optional", "required", "breaking"),
        ("required", "optional", "compatible"),
        ("optional", "forbidden", "breaking"),
        ("forbidden", "required", "breaking"),
    ],
)
def test_task_support_is_compared_by_the_calls_it_allows(
    tmp_path: Path, old: str | None, new: str, expected: str
) -> None:
    before = tool() if old is None else tool(execution={"taskSupport": old})
    (row,) = changes(tmp_path, tools(before), tools(tool(execution={"taskSupport": new})))
    assert row[0] == expected


def test_an_output_schema_is_a_promise(tmp_path: Path) -> None:
    promised = tool(outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    assert changes(tmp_path, tools(promised), tools("t")) == [
        ("breaking", "output-schema-removed", "t", "/outputSchema")
    ]
    assert changes(tmp_path, tools("t"), tools(promised)) == [
        ("compatible", "output-schema-added", "t", "/outputSchema")
    ]
    weaker = tool(outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}})
    assert changes(tmp_path, tools(promised), tools(weaker)) == [
        ("breaking", "property-optional", "t", "/outputSchema/properties/n")
    ]


def test_title_description_icons_and_meta_are_wording(tmp_path: Path) -> None:
    new = tool(title="T", description="D", icons=[{"src": "a.svg"}], _meta={"a": 1})
    rows = changes(tmp_path, tools("t"), tools(new))
    assert {row[0] for row in rows} == {"wording"}
    assert [row[3] for row in rows] == ["/_meta", "/description", "/icons", "/title"]


def test_settings_that_refuse_more_are_breaking(tmp_path: Path) -> None:
    plain = manifest(tmp_path, "old.yaml")
    strict = manifest(tmp_path, "new.yaml", "{strictArguments: true, assertFormats: true}")
    assert found(plain, strict) == [
        ("breaking", "checks-tightened", "t", "/x-toolmint/strictArguments"),
        ("breaking", "checks-tightened", "t", "/x-toolmint/assertFormats"),
    ]
    assert {row[0] for row in found(strict, plain)} == {"compatible"}


def test_a_new_format_breaks_nobody_where_the_manifest_does_not_assert_it(tmp_path: Path) -> None:
    old = manifest(tmp_path, "old.yaml", format="uri")
    (row,) = found(old, manifest(tmp_path, "new.yaml", format="email"))
    assert row[:2] == ("compatible", "format-changed")


def test_asking_the_client_for_something_new_is_breaking(tmp_path: Path) -> None:
    asking = "[{key: name, message: Who?, requestedSchema: {type: object, properties: {n: {type: string}}}}]"
    silent, curious = manifest(tmp_path, "old.yaml"), manifest(tmp_path, "new.yaml", elicits=asking)
    assert found(silent, curious) == [("breaking", "question-added", "t", "/elicits")]
    assert found(curious, silent) == [("compatible", "question-removed", "t", "/elicits")]


def test_prompts_are_compared_by_their_arguments(tmp_path: Path) -> None:
    def prompts(*arguments: dict[str, Any]) -> dict[str, Any]:
        return {"prompts": [{"name": "p", "arguments": list(arguments)}]}

    a, required, described = {"name": "a"}, {"name": "a", "required": True}, {"name": "a", "description": "A."}
    assert changes(tmp_path, prompts(a), prompts(required)) == [("breaking", "argument-required", "p", "/arguments/a")]
    assert changes(tmp_path, prompts(required), prompts(a)) == [
        ("compatible", "argument-optional", "p", "/arguments/a")
    ]
    assert changes(tmp_path, prompts(a), prompts()) == [("breaking", "argument-removed", "p", "/arguments/a")]
    assert changes(tmp_path, prompts(), prompts(a)) == [("compatible", "argument-added", "p", "/arguments/a")]
    assert changes(tmp_path, prompts(), prompts(required)) == [("breaking", "argument-required", "p", "/arguments/a")]
    assert changes(tmp_path, prompts(a), prompts(described)) == [
        ("wording", "description-changed", "p", "/arguments/a/description")
    ]
    assert changes(tmp_path, prompts(), {"prompts": []}) == [("breaking", "prompt-removed", "p", "")]


def test_resources_are_compared_by_their_address(tmp_path: Path) -> None:
    text = {"uri": "x://a", "name": "a", "mimeType": "text/plain"}
    html = {**text, "mimeType": "text/html"}
    untyped = {"uri": "x://a", "name": "b"}
    assert changes(tmp_path, {"resources": [text]}, {"resources": []}) == [
        ("breaking", "resource-removed", "x://a", "")
    ]
    assert changes(tmp_path, {"resources": [text]}, {"resources": [html]}) == [
        ("breaking", "media-type-changed", "x://a", "/mimeType")
    ]
    assert changes(tmp_path, {"resources": [untyped]}, {"resources": [text]}) == [
        ("compatible", "media-type-added", "x://a", "/mimeType"),
        ("wording", "name-changed", "x://a", "/name"),
    ]
    template = {"uriTemplate": "x://{id}", "name": "x"}
    assert changes(tmp_path, {"resourceTemplates": []}, {"resourceTemplates": [template]}) == [
        ("compatible", "template-added", "x://{id}", "")
    ]


def test_a_dropped_revision_is_breaking(tmp_path: Path) -> None:
    old = told(tmp_path, {"tools": [], "supportedVersions": ["2026-07-28", "2025-11-25"]}, "old.json")
    new = told(tmp_path, {"tools": [], "supportedVersions": ["2026-07-28", "2027-01-01"]}, "new.json")
    assert [(c.classification, c.code, c.old is not None) for c in compare_surfaces(old, new)] == [
        ("breaking", "revision-dropped", True),
        ("compatible", "revision-added", True),
    ]


def test_instructions_are_wording(tmp_path: Path) -> None:
    old = tools(serverInfo={"name": "s", "version": "1.0.0"}, instructions="Do.")
    new = tools(serverInfo={"name": "s", "version": "1.0.1"}, instructions="Do not.")
    assert changes(tmp_path, old, new) == [("wording", "instructions-changed", "s", "/instructions")]


def test_a_list_that_one_side_does_not_have_is_noted_and_not_compared(tmp_path: Path) -> None:
    old, new = told(tmp_path, {**tools("t"), "prompts": [{"name": "p"}]}), told(tmp_path, tools("t"), "new.json")
    assert compare_surfaces(old, new) == []
    (note,) = uncompared(old, new)
    assert "prompts" in note
    assert "new.json" in note


# -- inputs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        tools("t"),
        {"jsonrpc": "2.0", "id": 1, "result": tools("t")},
        [{"jsonrpc": "2.0", "id": 1, "result": tools("t", nextCursor="x")}, {"id": 2, "result": tools()}],
        tools("t")["tools"],
        {"server": "s", "version": "1.0.0", "registry": "npm", "protocol": "2025-06-18", **tools("t"), "prompts": []},
        {"format": 1, "surface": "abc", "files": {}, "protocol": ["2026-07-28"], "told": tools("t")},
        {"format": 1, "surface": "abc", "files": {}, "protocol": ["2026-07-28"], "surface_detail": tools("t")},
    ],
)
def test_every_record_of_a_tools_list_is_understood(tmp_path: Path, value: Any) -> None:
    assert list(told(tmp_path, value).lists["tools"]) == ["t"]


def test_a_manifest_in_json_is_a_manifest(tmp_path: Path) -> None:
    value = {"toolmint": 1, "protocol": "2026-07-28", "server": {"name": "s", "version": "2.0.0"}, "tools": []}
    assert told(tmp_path, value).version == "2.0.0"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({}, "not-a-surface"),
        ([1], "not-a-surface"),
        ({"tools": [{"title": "no name"}]}, "not-a-surface"),
        ({"tools": 3}, "not-a-surface"),
        ({"result": {"tools": {"t": {}}}}, "not-a-surface"),
        ({"surface": "abc", "files": {}, "told": {"tools": None}}, "not-a-surface"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}, "error-answer"),
        (tools("t", nextCursor="x"), "incomplete-list"),
    ],
)
def test_what_is_no_record_is_refused_with_a_way_out(tmp_path: Path, value: Any, code: str) -> None:
    with pytest.raises(UnreadableSurface) as caught:
        told(tmp_path, value)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert problem.hint


def test_a_record_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    schema: Any = {}
    for _ in range(200):
        schema = {"not": schema}
    with pytest.raises(UnreadableSurface) as caught:
        told(tmp_path, tools({"name": "t", "inputSchema": schema}))
    assert caught.value.problems[0].code == "nested-too-deep"


def test_a_number_beyond_all_numbers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text('{"tools": [{"name": "t", "inputSchema": {"maximum": 1e400}}]}')
    with pytest.raises(UnreadableSurface) as caught:
        read_told(path)
    assert "number-out-of-range" in {problem.code for problem in caught.value.problems}


def test_a_lock_says_what_its_manifest_says(tmp_path: Path) -> None:
    form = "[{key: sure, mode: form, message: Sure?, requestedSchema: {type: object, properties: {a: {type: string}}}}]"
    settings = "{aliases: [old], strictArguments: true, assertFormats: true}"
    for name, given, elicits in (("plain", "{}", "[]"), ("more", settings, form)):
        tells = manifest(tmp_path, "tools.yaml", given, elicits=elicits)
        assert not commands.generate(tmp_path / "tools.yaml", force=True).problems
        (tmp_path / "toolmint.lock").rename(tmp_path / f"{name}.lock")
        locked = read_told(tmp_path / f"{name}.lock")
        assert replace(locked, label=tells.label) == tells
    plain, more = (read_told(tmp_path / f"{name}.lock") for name in ("plain", "more"))
    codes = {change.code for change in compare_surfaces(plain, more)}
    assert codes == {"alias-added", "checks-tightened", "question-added"}


def lock(digest: str) -> dict[str, Any]:
    return {"format": 1, "protocol": ["2026-07-28"], "surface": digest, "files": {}}


def test_a_lock_with_only_a_digest_says_whether_and_not_what(tmp_path: Path) -> None:
    old, same, other = (told(tmp_path, lock(digest), f"{index}.lock") for index, digest in enumerate(("a", "a", "b")))
    assert compare_surfaces(old, same) == []
    (change,) = compare_surfaces(old, other)
    assert (change.classification, change.code) == ("cannot-tell", "surface-changed")
    assert "digest" in uncompared(old, other)[0]


def test_a_lock_with_only_a_digest_is_compared_with_the_manifest_it_was_made_from(tmp_path: Path) -> None:
    current = manifest(tmp_path, "tools.yaml")
    assert current.digest is not None
    assert compare_surfaces(told(tmp_path, lock(current.digest), "toolmint.lock"), current) == []
    assert len(compare_surfaces(told(tmp_path, lock("other"), "toolmint.lock"), current)) == 1


def test_a_digest_says_nothing_about_a_record_without_one(tmp_path: Path) -> None:
    (change,) = compare_surfaces(told(tmp_path, lock("a"), "old.lock"), told(tmp_path, tools("t")))
    assert change.classification == "cannot-tell"
