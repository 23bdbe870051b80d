"""Schemas that hosts take, and that agree with themselves."""

from typing import Any

import pytest

from review.reviewing import Reviewing, described, schema, tool

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def codes(reviewing: Reviewing, **properties: Any) -> list[str]:
    return reviewing.codes(tool(inputSchema=schema(**properties)))


class TestWhatHostsRefuse:
    def test_lists_of_types_are_reported_once_a_schema(self, reviewing: Reviewing) -> None:
        nullable = described(type=["string", "null"])
        (problem,) = reviewing(tool(inputSchema=schema(a=nullable, b=nullable, c=nullable)))
        assert problem.code == "type-list"
        assert problem.message.startswith('type is the list ["string", "null"], and so are 2 more in this schema')
        assert reviewing.text_of(problem).startswith("[")

    @pytest.mark.parametrize(
        ("types", "hint"),
        [
            (["string", "null"], "take null out"),
            (["string", "number"], "use one type"),
            (["string"], "write `type: str"),
        ],
    )
    def test_the_hint_says_what_to_write_for_a_list_of_types(
        self, types: list[str], hint: str, reviewing: Reviewing
    ) -> None:
        (problem,) = reviewing(tool(inputSchema=schema(a=described(type=types))))
        assert problem.hint.startswith(hint)

    def test_what_only_describes_results_is_not_sent_to_models(self, reviewing: Reviewing) -> None:
        output = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "array"}}}
        assert reviewing.codes(tool(outputSchema=output)) == []

    def test_an_object_without_properties(self, reviewing: Reviewing) -> None:
        assert reviewing.codes(tool(inputSchema={"type": "object"})) == ["no-properties"]
        bare = tool()
        del bare["inputSchema"]
        assert reviewing.codes(bare) == []

    def test_an_array_of_anything_however_deep(self, reviewing: Reviewing) -> None:
        deep = described(type="object", properties={"rows": {"type": "array", "items": {"type": "array"}}})
        (problem,) = reviewing(tool(inputSchema=schema(table=deep)))
        assert problem.code == "array-without-items"
        assert reviewing.text_of(problem).startswith('"items"')

    @pytest.mark.parametrize("items", [{"items": {"type": "string"}}, {"prefixItems": [{"type": "string"}]}])
    def test_an_array_of_something(self, items: Any, reviewing: Reviewing) -> None:
        assert codes(reviewing, a=described(type="array", **items)) == []

    @pytest.mark.parametrize("keyword", ["oneOf", "anyOf", "allOf"])
    def test_a_combinator_at_the_root(self, keyword: str, reviewing: Reviewing) -> None:
        root = schema(a=described(type="string")) | {keyword: [{"required": ["a"]}]}
        assert reviewing.codes(tool(inputSchema=root)) == ["root-combinator"]

    def test_a_reference_at_the_root(self, reviewing: Reviewing) -> None:
        definitions = {"Query": schema(a=described(type="string"))}
        root = {"type": "object", "$ref": "#/$defs/Query"}
        assert reviewing.codes(tool(inputSchema=root), **{"$defs": definitions}) == ["root-keyword"]

    def test_a_shared_definition_is_reviewed_once_where_it_stands(self, reviewing: Reviewing) -> None:
        definitions = {
            "Rows": {"type": "array", "description": "Rows."},
            "Unused": {"type": "array"},
            "Result": {"type": "array"},
        }
        tools = [
            tool(name, inputSchema=schema(rows={"$ref": "#/$defs/Rows"}), outputSchema={"$ref": "#/$defs/Result"})
            for name in ("get_a", "get_b")
        ]
        (problem,) = reviewing(*tools, **{"$defs": definitions})
        assert problem.code == "array-without-items"
        assert reviewing.text_of(problem).startswith('"Rows"')


class TestValues:
    @pytest.mark.parametrize(
        "value",
        [
            {"type": "integer", "default": "10"},
            {"type": "string", "default": None},
            {"enum": ["a", "b"], "default": "c"},
            {"type": "integer", "maximum": 5, "default": 6},
            {"$ref": "#/$defs/Color", "default": "mauve"},
            {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": []},
        ],
    )
    def test_a_default_that_its_schema_refuses(self, value: Any, reviewing: Reviewing) -> None:
        root = schema(a=described(**value)) | {"$defs": {"Color": {"enum": ["red"]}}}
        (problem,) = reviewing(tool(inputSchema=root))
        assert problem.code == "default-mismatch"
        assert "does not fit its own schema" in problem.message

    @pytest.mark.parametrize(
        "value",
        [
            {"type": "integer", "default": 10},
            {"type": "number", "default": 1},
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            {"$ref": "#/$defs/Color", "default": "red"},
            {"default": {"anything": 1}},
        ],
    )
    def test_a_default_that_fits(self, value: Any, reviewing: Reviewing) -> None:
        root = schema(a=described(**value)) | {"$defs": {"Color": {"enum": ["red"]}}}
        assert reviewing.codes(tool(inputSchema=root)) == []

    @pytest.mark.parametrize(
        "value",
        [
            {"type": "string", "pattern": "^\\p{L}+$", "default": "1"},
            {
                "$id": "https://example.com/inner",
                "properties": {"b": {"$ref": "#/$defs/B", "default": 1}},
                "$defs": {"B": {"type": "string"}},
            },
        ],
        ids=["a pattern that is not Python's", "a reference in an embedded resource"],
    )
    def test_what_cannot_be_told_is_not_reported(self, value: Any, reviewing: Reviewing) -> None:
        assert codes(reviewing, a=described(**value)) == []

    def test_each_dialect_has_its_own_keywords(self, reviewing: Reviewing) -> None:
        pair = described(type="array", items=[{"type": "integer"}], default=["x"])
        root = schema(a=pair) | {"$schema": DRAFT_07}
        assert reviewing.codes(tool(inputSchema=root)) == ["default-mismatch"]

    def test_examples_enumerated_values_and_constants(self, reviewing: Reviewing) -> None:
        properties = {
            "a": described(type="string", examples=["x", 1]),
            "b": described(type="integer", enum=[1, "2"]),
            "c": described(type="string", const=3),
        }
        assert codes(reviewing, **properties) == ["example-mismatch", "enum-mismatch", "enum-mismatch"]

    def test_results_are_held_against_their_schema_too(self, reviewing: Reviewing) -> None:
        assert reviewing.codes(tool(outputSchema={"type": "string", "const": 3})) == ["enum-mismatch"]


class TestBounds:
    @pytest.mark.parametrize(
        "name", ["limit", "pageSize", "per_page", "max_results", "row_limit", "topK", "num_results", "results_limit"]
    )
    def test_a_limit_of_results_needs_a_maximum(self, name: str, reviewing: Reviewing) -> None:
        (problem,) = reviewing(tool("list_contracts", inputSchema=schema(**{name: described(type="integer")})))
        assert problem.code == "unbounded-limit"
        assert reviewing.text_of(problem).startswith(f'"{name}"')
        bounded = schema(**{name: described(type="integer", maximum=100)})
        assert reviewing.codes(tool("list_contracts", inputSchema=bounded)) == []

    @pytest.mark.parametrize(
        "value",
        [
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"$ref": "#/$defs/Count"},
            {"type": "string"},
        ],
    )
    def test_a_limit_is_found_behind_a_reference_an_alternative_and_as_text(
        self, value: Any, reviewing: Reviewing
    ) -> None:
        root = schema(limit=described(**value)) | {"$defs": {"Count": {"type": "integer"}}}
        assert reviewing.codes(tool(inputSchema=root)) == ["unbounded-limit"]

    def test_a_limit_of_something_else_or_of_a_writing_tool_is_none_of_results(self, reviewing: Reviewing) -> None:
        limit = schema(limit=described(type="integer"))
        writing = tool("set_quota", annotations={"readOnlyHint": False}, inputSchema=limit)
        rate = tool("get_quota", inputSchema=schema(rate_limit=described(type="integer")))
        assert reviewing.codes(writing, rate) == []

    def test_a_list_of_what_to_read_needs_a_most(self, reviewing: Reviewing) -> None:
        paths = described(type="array", items={"type": "string"})
        required = schema(paths=paths) | {"required": ["paths"]}
        (problem,) = reviewing(tool("read_files", inputSchema=required))
        assert problem.code == "unbounded-batch"
        assert reviewing.codes(tool("read_files", inputSchema=schema(paths=paths))) == []
        bounded = schema(paths=paths | {"maxItems": 10}) | {"required": ["paths"]}
        assert reviewing.codes(tool("read_files", inputSchema=bounded)) == []
