"""What a tool does, by its name and description, and what its annotations say."""

from typing import Any

import pytest

from review.reviewing import Reviewing, tool


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("delete_contract", "Delete a contract."),
        ("contracts_create", "Makes a contract."),
        ("contract", "Creates a contract."),
        ("sendReminder", "A reminder to all parties."),
        ("git_commit", "Record changes."),
    ],
)
def test_a_tool_that_changes_something_says_so(name: str, description: str, reviewing: Reviewing) -> None:
    silent = tool(name, description=description, annotations={"openWorldHint": False})
    assert reviewing.codes(silent) == ["unannounced-write"]
    for hint in ("readOnlyHint", "destructiveHint"):
        assert reviewing.codes(tool(name, description=description, annotations={hint: False})) in (
            [],
            ["contradictory-hints"],
        )


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_commit", "Get a commit."),
        ("list_merge_requests", "List merge requests."),
        ("merge_request_notes", "Returns notes. Reads only."),
        ("post_list", "Lists posts."),
        ("created_contracts", "Contracts of this year."),
        ("contract", "A contract."),
    ],
)
def test_a_tool_that_reads_need_not(name: str, description: str, reviewing: Reviewing) -> None:
    codes = reviewing.codes(tool(name, description=description, annotations={}))
    assert codes == (["unannounced-write"] if description.startswith("Returns") else [])


def test_the_hint_is_what_to_write(reviewing: Reviewing) -> None:
    (removing,) = reviewing(tool("delete_contract", annotations={}))
    assert "destructiveHint: true}`" in removing.hint
    (adding,) = reviewing(tool("add_contract", annotations={}))
    assert "destructiveHint: false}`, or true" in adding.hint


@pytest.mark.parametrize(
    ("name", "annotations", "at"),
    [
        ("get_contract", {"readOnlyHint": True, "destructiveHint": True}, '"destructiveHint"'),
        ("delete_contract", {"readOnlyHint": True}, '"readOnlyHint"'),
        ("delete_contract", {"readOnlyHint": False, "destructiveHint": False}, '"destructiveHint"'),
    ],
)
def test_annotations_that_contradict(name: str, annotations: Any, at: str, reviewing: Reviewing) -> None:
    (problem,) = reviewing(tool(name, annotations=annotations))
    assert problem.code == "contradictory-hints"
    assert reviewing.text_of(problem).startswith(at)


@pytest.mark.parametrize(
    ("name", "annotations"),
    [
        ("get_contract", {"readOnlyHint": True, "destructiveHint": False}),
        ("delete_contract", {"readOnlyHint": False, "destructiveHint": True}),
        ("hide_contract", {"readOnlyHint": True}),
    ],
)
def test_annotations_that_agree(name: str, annotations: Any, reviewing: Reviewing) -> None:
    assert reviewing.codes(tool(name, description="Removed later.", annotations=annotations)) == []
