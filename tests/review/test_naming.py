"""Names a model can tell apart, and as many as it can choose from."""

import pytest

from review.reviewing import Reviewing, tool


@pytest.mark.parametrize(("one", "other"), [("get_contract", "getcontract"), ("get_urls", "GETURLS")])
def test_names_that_differ_in_case_or_separators_only(one: str, other: str, reviewing: Reviewing) -> None:
    (problem,) = reviewing(tool(one), tool(other))
    assert problem.code == "similar-names"
    assert one in problem.message
    assert reviewing.text_of(problem).startswith(f'"{other}"')


def test_names_that_differ_in_a_letter_are_two(reviewing: Reviewing) -> None:
    assert reviewing.codes(tool("get_contract"), tool("get_contracts")) == []


def test_a_dot_in_a_name(reviewing: Reviewing) -> None:
    (problem,) = reviewing(tool("contracts.get"))
    assert problem.code == "dotted-name"
    assert '"contracts_get"' in problem.hint


@pytest.mark.parametrize(("count", "codes"), [(40, []), (41, ["many-tools"])])
def test_more_tools_than_a_model_can_choose_from(count: int, codes: list[str], reviewing: Reviewing) -> None:
    assert reviewing.codes(*(tool(f"get_contract_{number}") for number in range(count))) == codes
