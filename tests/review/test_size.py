"""What a list of tools costs in context."""

import json

import pytest

from reference import REFERENCE, needs_reference
from review.reviewing import Reviewing, described, schema, tool
from toolmint.review import context_size, estimate_tokens, review


def test_a_list_over_the_common_budget_names_the_largest_tools(reviewing: Reviewing) -> None:
    properties = {f"number_{number}": described(type="string") for number in range(120)}
    tools = [tool(f"get_part_{number}", inputSchema=schema(**properties)) for number in range(15)]
    problems = reviewing(*tools)
    assert [problem.code for problem in problems] == ["list-size"]
    assert "20,000" in problems[0].message
    assert '"get_part_0"' in problems[0].message


def test_a_tool_that_is_large_alone(reviewing: Reviewing) -> None:
    properties = {f"number_{number}": described(type="string") for number in range(200)}
    (problem,) = reviewing(tool(inputSchema=schema(**properties)))
    assert problem.code == "tool-size"


@pytest.mark.parametrize(("budget", "codes"), [(10, ["list-size", "tool-size"]), (1000, [])])
def test_the_manifest_sets_its_own_budget(budget: int, codes: list[str], reviewing: Reviewing) -> None:
    assert reviewing.codes(tool(), **{"x-toolmint": {"contextBudget": budget}}) == codes


def test_the_size_counts_what_hosts_send(reviewing: Reviewing) -> None:
    manifest = reviewing.load(tool(), tool("get_party", outputSchema={"type": "string", "title": "x" * 1000}))
    size = context_size(manifest)
    sent = [
        {"name": entry.name, "description": entry.description, "inputSchema": entry.input_schema}
        for entry in manifest.tools
    ]
    assert size.characters == sum(len(json.dumps(entry, separators=(",", ":"))) for entry in sent)
    assert list(size.tools) == ["get_contract", "get_party"]
    assert size.tokens == sum(size.tools.values())
    assert review(manifest) == ()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("Return the contract.", 4),
        ('{"type":"string"}', 5),
        ("1234567", 3),
        ("契約", 2),
        ("internationalization", 3),
    ],
)
def test_the_estimate_follows_words_digits_and_punctuation(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


# Tokens of name, description and inputSchema of every tool, as compact JSON, in the o200k encoding; counted once.
MEASURED = {
    "mcp-server-git": 1137,
    "airtable-mcp-server": 2530,
    "ha-mcp": 57782,
}


@needs_reference
@pytest.mark.parametrize("name", MEASURED)
def test_the_estimate_is_near_what_a_tokenizer_counts(name: str) -> None:
    answers = json.loads((REFERENCE / "tools-list" / f"{name}.json").read_text(encoding="utf-8"))
    texts = [
        json.dumps(
            {"name": entry["name"], "description": entry["description"], "inputSchema": entry["inputSchema"]},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for entry in answers["tools"]
    ]
    assert sum(map(estimate_tokens, texts)) == pytest.approx(MEASURED[name], rel=0.12)
