"""The official conformance suite against generated/conformance, behind the bridge that puts stdio behind HTTP.

Takes 6 s, and 20 s more when the suite has to be installed first.
"""

from pathlib import Path

import pytest

from conformance import suite as conformance
from conformance.suite import Scenario
from recording import assert_all_valid

EXTENSION = "io.modelcontextprotocol/tasks"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conformance") / "run"


@pytest.fixture(scope="module")
def scenarios(folder: Path) -> list[Scenario]:
    try:
        installed = conformance.install()
    except conformance.Unreachable as reason:
        pytest.skip(str(reason))
    return conformance.run(installed, folder)


@pytest.mark.parametrize(("kind", "number"), [("required", 37), ("pending", 3)])
def test_scenarios_pass_without_a_warning(scenarios: list[Scenario], kind: str, number: int) -> None:
    of_kind = [scenario for scenario in scenarios if scenario.kind == kind]
    assert len(of_kind) == number
    assert {scenario.name: scenario.complaints for scenario in of_kind if scenario.complaints} == {}
    assert {scenario.outcome for scenario in of_kind} == {"passed"}


def test_what_is_not_scored_is_the_tasks_extension_which_is_not_offered(
    scenarios: list[Scenario], folder: Path
) -> None:
    others = [scenario for scenario in scenarios if scenario.kind not in ("required", "pending")]
    assert others
    assert all(scenario.name.startswith("tasks-") for scenario in others)
    results = [message.get("result", {}) for message in assert_all_valid(folder / "messages")]
    discovered = next(result for result in results if "supportedVersions" in result)
    assert EXTENSION not in discovered["capabilities"].get("extensions", {})


def test_every_message_of_the_run_is_valid(scenarios: list[Scenario], folder: Path) -> None:
    sent = assert_all_valid(folder / "messages")
    methods = {message["method"] for message in sent if "method" in message}
    assert {"notifications/progress", "notifications/subscriptions/acknowledged"} <= methods
    assert len(sent) > 100
