"""The whole of ``toolmint diff``: accepted breaks, the version that follows, what is printed."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from toolmint.diffing import DiffReport, UnreadableSurface, propose_bump, run
from toolmint.diffing.acceptance import suggestion
from toolmint.diffing.changes import Change, Classification
from toolmint.diffing.versions import Version, parse_version

MANIFEST = """\
toolmint: 1
protocol: "2026-07-28"
server: {{name: s, version: {version}}}
tools:
  - name: search
    description: {description}
    inputSchema:
      type: object
      properties:
        query: {{type: string, maxLength: {limit}}}
        order: {{type: string, enum: [{orders}]}}
"""


@pytest.fixture
def project(tmp_path: Path) -> "Project":
    return Project(tmp_path)


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.accepting = folder / "new" / "toolmint.accept.yaml"
        for name in ("old", "new"):
            (folder / name).mkdir()
            self.write(name)

    def write(self, name: str, **replaced: Any) -> None:
        values = {"version": "1.2.3", "description": "Searches.", "limit": 100, "orders": "up, down"} | replaced
        (self.folder / name / "tools.yaml").write_text(MANIFEST.format(**values))

    def accept(self, *entries: dict[str, Any]) -> None:
        self.accepting.write_text(json.dumps({"accepted": entries}))

    def diff(self, **arguments: Any) -> DiffReport:
        return run(self.folder / "old" / "tools.yaml", self.folder / "new" / "tools.yaml", **arguments)


LIMIT = {
    "tool": "search",
    "code": "bound-tightened",
    "pointer": "/inputSchema/properties/query/maxLength",
    "old": 100,
    "new": 5,
}
REASON = {"reason": "Nothing longer was ever found."}


def test_nothing_changed_says_so(project: Project) -> None:
    report = project.diff()
    assert report.changes == ()
    assert "nothing changed" in report.render()
    assert report.bump.part is None


def test_a_break_is_printed_with_its_place_and_values(project: Project) -> None:
    project.write("new", limit=5)
    report = project.diff()
    assert [change.code for change in report.breaking] == ["bound-tightened"]
    line = next(line for line in report.render().splitlines() if "bound-tightened" in line)
    assert "tool search" in line
    assert "/inputSchema/properties/query/maxLength" in line
    assert "100 -> 5" in line


def test_the_json_is_plain_and_complete(project: Project) -> None:
    project.write("new", limit=5, description="Finds.", orders="up")
    value = json.loads(json.dumps(project.diff().to_json()))
    assert value["summary"] == {"breaking": 2, "cannot-tell": 0, "compatible": 0, "wording": 1, "accepted": 0}
    first = value["changes"][0]
    assert (first["kind"], first["name"], first["old"], first["new"]) == ("tool", "search", 100, 5)
    assert first["accepted"] is None
    assert value["version"]["proposed"] == "2.0.0"


def test_one_break_is_accepted_and_no_other(project: Project) -> None:
    project.write("new", limit=5, orders="up")
    project.accept(LIMIT | REASON)
    report = project.diff()
    assert [change.code for change in report.accepted] == ["bound-tightened"]
    assert [change.code for change in report.breaking] == ["enum-value-removed"]
    assert report.problems == ()
    assert REASON["reason"] in report.render()


def test_a_further_tightening_is_another_break(project: Project) -> None:
    project.write("new", limit=4)
    project.accept(LIMIT | REASON)
    report = project.diff()
    assert len(report.breaking) == 1
    (problem,) = report.problems
    assert problem.code == "accepted-stale"
    assert "new: 4" in problem.message


def test_an_entry_without_values_accepts_nothing(project: Project) -> None:
    project.write("new", limit=5)
    project.accept({name: value for name, value in LIMIT.items() if name not in ("old", "new")} | REASON)
    report = project.diff()
    assert len(report.breaking) == 1
    assert "old: 100, new: 5" in report.problems[0].message


def test_an_entry_accepts_one_change_and_not_the_next_like_it(project: Project) -> None:
    project.write("old", orders="up, down, none")
    project.write("new", orders="up")
    entry = {"tool": "search", "code": "enum-value-removed", "pointer": "/inputSchema/properties/order/enum"}
    project.accept(entry | {"old": "down"} | REASON)
    report = project.diff()
    assert [change.old for change in report.accepted] == ["down"]
    assert [change.old for change in report.breaking] == ["none"]


def test_a_second_entry_for_the_same_change_is_stale(project: Project) -> None:
    project.write("new", limit=5)
    project.accept(LIMIT | REASON, LIMIT | REASON)
    assert [problem.code for problem in project.diff().problems] == ["accepted-stale"]


@pytest.mark.parametrize("reason", [{}, {"reason": ""}, {"reason": "  "}, {"reason": None}])
def test_an_entry_without_a_reason_is_a_problem_and_accepts_nothing(project: Project, reason: dict[str, Any]) -> None:
    project.write("new", limit=5)
    project.accept(LIMIT | reason)
    report = project.diff()
    assert len(report.breaking) == 1
    (problem,) = report.problems
    assert problem.code == "accepted-without-reason"
    assert (problem.file, problem.line) == (str(project.accepting), 1)


@pytest.mark.parametrize("entry", [7, {"reason": "x"}, LIMIT | REASON | {"prompt": "p"}, LIMIT | REASON | {"codes": 1}])
def test_an_entry_that_is_none_is_a_problem(project: Project, entry: Any) -> None:
    project.write("new", limit=5)
    project.accept(entry)
    report = project.diff()
    assert len(report.breaking) == 1
    assert {problem.code for problem in report.problems} == {"accepted-entry"}


def test_what_cannot_be_told_can_be_accepted_too(project: Project) -> None:
    old, new = project.folder / "old.json", project.folder / "new.json"
    for path, pattern in ((old, "^a"), (new, "^(a|b)")):
        schema = {"type": "object", "properties": {"p": {"type": "string", "pattern": pattern}}}
        path.write_text(json.dumps({"tools": [{"name": "t", "inputSchema": schema}]}))
    (change,) = run(old, new).undecided
    accepted = project.folder / "accepted.yaml"
    accepted.write_text(json.dumps({"accepted": [change.pinned | REASON]}))
    report = run(old, new, accepted=accepted)
    assert (report.undecided, len(report.accepted), report.problems) == ((), 1, ())


def test_what_is_printed_for_pasting_accepts_the_change(project: Project) -> None:
    project.write("new", limit=5, orders="up")
    for change in project.diff().breaking:
        text = suggestion(change).replace('reason: ""', 'reason: "Meant: it is."')
        project.accepting.write_text(f"accepted:\n{text}\n")
        assert [accepted.pinned for accepted in project.diff().accepted] == [change.pinned]


def test_long_values_are_pinned_by_their_digest() -> None:
    change = _change("breaking", old="a" * 200, new=None)
    assert change.pinned["old"].startswith("sha256:")
    assert change.pinned["new"] is None
    assert change.pinned["old"] != _change("breaking", old="b" * 200).pinned["old"]


def test_an_accepting_file_that_is_asked_for_must_be_there(project: Project) -> None:
    with pytest.raises(UnreadableSurface) as caught:
        project.diff(accepted=project.folder / "missing.yaml")
    assert caught.value.problems[0].code == "file-not-found"


def test_an_accepting_file_without_a_list_is_unusable(project: Project) -> None:
    project.accepting.write_text("- tool: search\n")
    with pytest.raises(UnreadableSurface) as caught:
        project.diff()
    assert "accepted" in caught.value.problems[0].hint


def test_problems_of_both_inputs_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("toolmint: [")
    with pytest.raises(UnreadableSurface) as caught:
        run(tmp_path / "missing.yaml", tmp_path / "bad.yaml")
    assert [problem.code for problem in caught.value.problems] == ["file-not-found", "not-yaml"]


def test_nothing_of_a_name_reaches_the_terminal_as_a_control_character(tmp_path: Path) -> None:
    for name, limit in (("old", 9), ("new", 8)):
        schema = {"type": "object", "properties": {"p\u001b[2J\n": {"type": "string", "maxLength": limit}}}
        tools = [{"name": "a\u001b[2J", "description": f"\u001b{limit}", "inputSchema": schema}]
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": tools}))
    report = run(tmp_path / "old.json", tmp_path / "new.json")
    assert len(report.changes) == 2
    assert "\u001b" not in report.render()


def test_the_suggestion_is_yaml(project: Project) -> None:
    project.write("new", limit=5)
    (change,) = project.diff().breaking
    assert YAML(typ="safe").load(suggestion(change)) == [change.pinned | {"reason": ""}]


def test_what_is_printed_to_accept_a_change_accepts_it_once_it_has_a_reason(project: Project) -> None:
    project.write("new", limit=5)
    printed = project.diff().render().partition("beside the new manifest:\n")[2].partition("\n\n")[0]
    project.accepting.write_text(textwrap.dedent(printed))
    assert project.diff().breaking
    project.accepting.write_text(textwrap.dedent(printed).replace('reason: ""', 'reason: "The index has no more."'))
    report = project.diff()
    assert not report.problems
    assert not report.breaking


# -- versions ---------------------------------------------------------------------------------------------------------


def _change(classification: Classification, **values: Any) -> Change:
    return Change(code="x", classification=classification, kind="tool", name="t", pointer="", message="", **values)


@pytest.mark.parametrize(
    ("classifications", "old", "part", "proposed"),
    [
        (["breaking", "wording"], "1.2.3", "major", "2.0.0"),
        (["cannot-tell"], "1.2.3", "major", "2.0.0"),
        (["compatible", "wording"], "1.2.3", "minor", "1.3.0"),
        (["wording"], "1.2.3", "patch", "1.2.4"),
        ([], "1.2.3", None, "1.2.3"),
        (["breaking"], "0.4.2", "minor", "0.5.0"),
        (["compatible"], "0.4.2", "patch", "0.4.3"),
        (["wording"], "0.4.2", "patch", "0.4.3"),
        (["breaking"], "2.0.0-rc.1", "major", "2.0.0"),
        (["breaking"], "2.1.0-rc.1", "major", "3.0.0"),
        (["compatible"], "2.1.0-rc.1", "minor", "2.1.0"),
        (["wording"], "2.1.1-rc.1", "patch", "2.1.1"),
        (["breaking"], "2024.1", "major", None),
        (["breaking"], None, "major", None),
    ],
)
def test_the_bump_follows_from_the_gravest_change(
    classifications: list[Classification], old: str | None, part: str | None, proposed: str | None
) -> None:
    bump = propose_bump(map(_change, classifications), old, None)
    assert (bump.part, bump.proposed) == (part, proposed)
    assert bump.certain == ("cannot-tell" not in classifications)


@pytest.mark.parametrize(
    ("new", "satisfied"), [("1.3.0", True), ("1.3.0-rc.1", False), ("2.0.0", True), ("1.2.4", False), ("x", None)]
)
def test_it_says_whether_the_new_version_is_enough(new: str, satisfied: bool | None) -> None:
    assert propose_bump([_change("compatible")], "1.2.3", new).satisfied is satisfied


def test_an_accepted_break_still_asks_for_a_new_major_version(project: Project) -> None:
    project.write("new", limit=5, version="1.3.0")
    project.accept(LIMIT | REASON)
    report = project.diff()
    assert report.breaking == ()
    assert (report.bump.proposed, report.bump.satisfied) == ("2.0.0", False)
    assert "not enough" in report.render()


def test_versions_are_ordered_as_semantic_versioning_has_it() -> None:
    # The example of section 11.4.
    texts = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0"
    versions = [parse_version(text) for text in texts.split()]
    keys = [version.precedence for version in versions if version]
    assert len(keys) == len(versions)
    assert keys == sorted(keys)
    assert parse_version("1.0.0+build") == Version(1, 0, 0)
    assert parse_version("1.0") is None
