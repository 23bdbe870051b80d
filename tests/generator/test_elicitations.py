"""The names that questions to the user have in a generated package."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from servers import make_project
from toolmint.elicitations import Question, plan_questions
from toolmint.manifest import load_manifest

RESERVED = ("ABSENT", "Context")


def question(key: str, message: str = "m") -> Any:
    return {"key": key, "message": message, "requestedSchema": {"type": "object", "properties": {}}}


def page(key: str) -> Any:
    return {"key": key, "message": "m", "mode": "url", "url": "https://example.com"}


def plan(folder: Path, tools: dict[str, list[Any]], prompts: dict[str, list[Any]] | None = None) -> list[Question]:
    manifest = {
        "toolmint": 1,
        "protocol": "2026-07-28",
        "server": {"name": "a", "version": "1.0.0"},
        "tools": [{"name": name, "description": "d", "elicits": elicits} for name, elicits in tools.items()],
        "prompts": [{"name": name, "elicits": elicits} for name, elicits in (prompts or {}).items()],
    }
    path = folder / "tools.yaml"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    return list(plan_questions(load_manifest(path, revisions=["2026-07-28"]), RESERVED))


def test_a_question_is_named_by_its_key(tmp_path: Path) -> None:
    planned = plan(tmp_path, {"t": [question("confirmFlag"), page("log_in"), question("id")]})
    assert [(each.constant, each.key, each.checks) for each in planned] == [
        ("CONFIRM_FLAG", "confirmFlag", "_form_confirm_flag"),
        ("LOG_IN", "log_in", "_form_log_in"),
        ("ID", "id", "_form_id"),
    ]
    assert planned[0].params == {"mode": "form", "message": "m", "requestedSchema": planned[0].schema}
    assert planned[1].params == {"mode": "url", "message": "m", "url": "https://example.com"}
    assert planned[1].schema is None


def test_the_same_words_are_one_question(tmp_path: Path) -> None:
    (planned,) = plan(tmp_path, {"a": [question("name")], "b": [question("name")]}, {"c": [question("name")]})
    assert planned.constant == "NAME"


def test_other_words_under_a_key_do_not_rename_the_first(tmp_path: Path) -> None:
    tools = {"a": [question("name")], "get-item": [question("name", "other")]}
    prompts = {"get-item": [question("name", "third")], "p": [page("name"), question("get_item_name")]}
    planned = plan(tmp_path, tools, prompts)
    constants = [each.constant for each in planned]
    assert constants == ["NAME", "GET_ITEM_NAME", "GET_ITEM_NAME_2", "P_NAME", "P_GET_ITEM_NAME"]
    assert [each.constant for each in plan(tmp_path, tools)] == constants[:2]


def test_no_constant_hides_what_api_exports(tmp_path: Path) -> None:
    (planned,) = plan(tmp_path, {"t": [question("absent")]})
    assert planned.constant == "T_ABSENT"
    assert planned.key == "absent"


MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {name: questions, version: 0.1.0}
tools:
  - name: ask
    elicits:
      - {key: KEY, message: What?, requestedSchema: {type: object, properties: {a: {type: string}}}}
      - {key: place, mode: url, message: Where?, url: "https://example.com/"}
"""


@pytest.mark.parametrize("key", ["form", "page", "questions", "elicitation"])
def test_a_question_hides_nothing_that_its_module_needs(tmp_path: Path, key: str) -> None:
    source = make_project(tmp_path / key, MANIFEST.replace("KEY", key))
    tree = ast.parse((source / "questions_mcp" / "elicitations.py").read_text(encoding="utf-8"))
    bound = [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    bound += [
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    bound += [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert len(bound) == len(set(bound)), bound
    assert {key.upper(), key.title(), "PLACE"} <= set(bound)
