"""Descriptions that are there, short enough, each its own."""

from typing import Any

import pytest

from review.reviewing import Reviewing, described, schema, tool


def test_a_tool_a_prompt_and_a_template_without_a_description(reviewing: Reviewing) -> None:
    bare = tool()
    del bare["description"]
    problems = reviewing(
        bare,
        prompts=[{"name": "compare"}, {"name": "explain", "description": "Explain a contract."}],
        resourceTemplates=[{"uriTemplate": "contracts://{id}", "name": "contract", "description": " "}],
    )
    assert sorted(problem.code for problem in problems) == ["no-description"] * 3
    assert any('the prompt "compare"' in problem.message for problem in problems)


@pytest.mark.parametrize(("length", "codes"), [(1024, []), (1025, ["long-description"])])
def test_a_description_longer_than_hosts_take(length: int, codes: list[str], reviewing: Reviewing) -> None:
    assert reviewing.codes(tool(description="a" * length)) == codes


def test_a_description_that_two_tools_share(reviewing: Reviewing) -> None:
    one, other = tool("get_a", description="Get it."), tool("get_b", description="  get\nIT. ")
    (problem,) = reviewing(one, other)
    assert problem.code == "repeated-description"
    assert reviewing.text_of(problem).startswith('"description"')


class TestParameters:
    def test_those_without_a_description_are_listed_at_the_first(self, reviewing: Reviewing) -> None:
        properties = {"a": described(type="string"), "b": {"type": "string"}, "c": {"title": "C", "description": ""}}
        (problem,) = reviewing(tool(inputSchema=schema(**properties)))
        assert problem.code == "undescribed-parameter"
        assert problem.message == '2 of 3 parameters of "get_contract" have no description: "b", "c"'
        assert reviewing.text_of(problem).startswith('"b"')

    @pytest.mark.parametrize(
        "value",
        [
            {"$ref": "#/$defs/Id"},
            {"anyOf": [{"type": "string", "description": "Id."}, {"type": "null"}]},
            {"anyOf": [{"$ref": "#/$defs/Id"}, {"type": "null"}]},
            {"allOf": [{"$ref": "#/$defs/Id"}], "default": "1"},
        ],
    )
    def test_a_description_may_stand_where_the_schema_refers_to(self, value: Any, reviewing: Reviewing) -> None:
        definitions = {"Id": {"type": "string", "description": "Id of a contract."}}
        assert reviewing.codes(tool(inputSchema=schema(id=value)), **{"$defs": definitions}) == []

    def test_arguments_of_a_prompt(self, reviewing: Reviewing) -> None:
        arguments = [{"name": "one", "description": "The first."}, {"name": "other"}]
        (problem,) = reviewing(prompts=[{"name": "compare", "description": "Compare.", "arguments": arguments}])
        assert problem.message == '1 of 2 arguments of "compare" has no description: "other"'
