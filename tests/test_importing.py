"""A manifest made of saved answers lists what the answers list, and reads as if a person had written it."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from reference import REFERENCE, needs_reference
from toolmint.importing import import_manifest
from toolmint.importing.yamltext import WIDTH, document
from toolmint.manifest import Manifest, ManifestError, load_manifest
from toolmint.manifest.document import parse_document
from toolmint.manifest.source import Source

REVISION = "2026-07-28"
CATALOGUES = sorted((REFERENCE / "tools-list").glob("*.json"))
WHOLE_CORPUS = bool(os.environ.get("TOOLMINT_CORPUS"))

POINT = {"type": "object", "properties": {"x": {"type": "number"}}}
TOOL: dict[str, Any] = {"name": "add", "description": "Add.", "inputSchema": {"type": "object", "properties": {}}}


def imported(*answers: Any, name: str | None = "adder", version: str | None = None) -> str:
    text = "\n".join(answer if isinstance(answer, str) else json.dumps(answer) for answer in answers)
    return import_manifest({"tools-list.json": text}, name=name, version=version, protocol=[REVISION])


def loaded(text: str, folder: Path) -> Manifest:
    path = folder / "tools.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    return load_manifest(path, revisions=[REVISION])


def parsed(text: str) -> Any:
    return parse_document(Source("tools.yaml", b"", text)).value


def refused(*answers: Any, name: str | None = "adder") -> list[tuple[str, int | None]]:
    with pytest.raises(ManifestError) as error:
        imported(*answers, name=name)
    return [(problem.code, problem.line) for problem in error.value.problems]


class TestAnswers:
    @pytest.mark.parametrize(
        "answer",
        [
            {"tools": [TOOL]},
            [TOOL],
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}},
            [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}],
            "\ufeff\n" + json.dumps({"tools": [TOOL]}, indent=2),
        ],
        ids=["result", "list", "response", "batch", "indented with a mark"],
    )
    def test_every_form_of_an_answer_gives_the_same_manifest(self, answer: Any) -> None:
        assert imported(answer) == imported({"tools": [TOOL]})

    def test_the_text_is_what_a_person_would_write(self) -> None:
        tool = TOOL | {
            "description": "Add two numbers.\nNo more.\n",
            "title": "no",
            "annotations": {"readOnlyHint": True},
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": {"type": "number", "description": "word " * 30 + "end"},
                    "on": {"enum": ["1.10", 1.5, None], "default": "2026-07-28"},
                },
                "required": ["a"],
            },
        }
        assert imported({"tools": [tool]}, version="1.0") == (
            "toolmint: 1\n"
            'protocol: "2026-07-28"\n'
            "server:\n"
            "  name: adder\n"
            '  version: "1.0"\n'
            "tools:\n"
            "  - name: add\n"
            '    title: "no"\n'
            "    description: |\n"
            "      Add two numbers.\n"
            "      No more.\n"
            "    annotations:\n"
            "      readOnlyHint: true\n"
            "    inputSchema:\n"
            "      type: object\n"
            "      properties:\n"
            "        a:\n"
            "          type: number\n"
            "          description: >-\n"
            f"            {('word ' * 17).rstrip()}\n"
            f"            {'word ' * 13}end\n"
            '        "on":\n'
            '          enum: ["1.10", 1.5, null]\n'
            '          default: "2026-07-28"\n'
            "      required: [a]\n"
        )

    def test_pages_and_lists_are_joined_in_order_and_the_server_introduces_itself(self, tmp_path: Path) -> None:
        text = imported(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "up"}},
            {
                "jsonrpc": "2.0",
                "id": 0,
                "result": {
                    "capabilities": {},
                    "instructions": "Add.",
                    "serverInfo": {"name": "adder", "title": "Adder", "version": "3.1.0"},
                },
            },
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {"tools": [TOOL], "nextCursor": "2", "ttlMs": 5, "cacheScope": "public"},
            },
            {"jsonrpc": "2.0", "id": 2, "result": {"tools": [TOOL | {"name": "sub"}, TOOL]}},
            {"resources": [{"uri": "sums://all", "name": "all"}]},
            {"resourceTemplates": [{"uriTemplate": "sums://{id}", "name": "one"}]},
            {"prompts": [{"name": "explain", "arguments": [{"name": "sum", "required": True}]}]},
            name=None,
        )
        value = parsed(text)
        assert value["server"] == {"name": "adder", "title": "Adder", "version": "3.1.0", "instructions": "Add."}
        assert value["defaults"] == {"ttlMs": 5, "cacheScope": "public"}
        assert [tool["name"] for tool in value["tools"]] == ["add", "sub"]
        assert list(value)[-3:] == ["resources", "resourceTemplates", "prompts"]
        assert "#" not in text

    def test_metadata_of_a_result_names_the_server_too(self) -> None:
        meta = {"io.modelcontextprotocol/serverInfo": {"name": "meta-adder", "version": "1.2.3"}}
        assert parsed(imported({"tools": [TOOL], "_meta": meta}, name=None))["server"] == {
            "name": "meta-adder",
            "version": "1.2.3",
        }

    def test_a_list_that_goes_on_is_noted(self) -> None:
        assert "# The last page of this list named a further one" in imported({"tools": [TOOL], "nextCursor": "2"})

    @pytest.mark.parametrize(
        ("answers", "expected"),
        [
            (["{"], [("not-json", 1)]),
            ([{"tools": [TOOL]}, "tools"], [("not-json", 2)]),
            (["[" * 100_000], [("not-json", 1)]),
            ([""], [("no-answer", 1)]),
            ([{"tools": []}], [("no-entries", 1)]),
            ([{"things": []}, {}, 7], [("no-answer", 1), ("no-answer", 2), ("no-answer", 3)]),
            ([{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}], [("error-answer", 1)]),
            ([{"tools": {}}], [("wrong-type", 1)]),
            ([{"tools": [7, {"title": "x"}]}], [("wrong-type", 1), ("wrong-type", 1)]),
            ([{"tools": [TOOL]}, {"tools": [TOOL | {"title": "other"}]}], [("duplicate-name", 2)]),
            (['{"tools": [{"name": "a", "name": "b"}]}'], [("duplicate-key", 1)]),
            (['{"tools": [{"name": "a", "size": NaN}]}'], [("number-out-of-range", 1)]),
            (['{"tools": [{"name": "a", "size": 1e999}]}'], [("number-out-of-range", 1)]),
            (['{"tools": [{"name": "a", "title": "\\ud800"}]}'], [("lone-surrogate", 1)]),
            (['{"tools": [{"name": "a", "_meta": {"\\udc00": 1}}]}'], [("lone-surrogate", 1)]),
            (['{"tools": [{"name": "a"}], "instructions": "\\ud800"}'], [("lone-surrogate", None)]),
            ([f'{{"tools": [{{"name": "a", "inputSchema": {"[" * 400}{"]" * 400}}}]}}'], [("nested-too-deep", 1)]),
        ],
    )
    def test_what_is_no_answer_is_refused_with_its_line(self, answers: list[Any], expected: Any) -> None:
        assert refused(*answers) == expected

    def test_a_server_without_a_name_is_refused(self) -> None:
        assert refused({"tools": [TOOL]}, name=None) == [("no-server-name", None)]


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return TOOL | {"inputSchema": schema}


def test_what_is_nested_as_deep_as_a_manifest_may_be_is_imported(tmp_path: Path) -> None:
    # The manifest, its tools, the tool and its schema are four levels; each property adds two.
    assert loaded(imported({"tools": [nested(48)]}), tmp_path).tools[0].wire() == nested(48)
    assert refused({"tools": [nested(49)]}) == [("nested-too-deep", 1)]


class TestWhatDoesNotFit:
    def test_a_member_that_a_manifest_has_no_place_for_is_left_out_with_a_comment(self, tmp_path: Path) -> None:
        tool = TOOL | {"enabled": True, "annotations": {"readOnlyHint": True, "cost": 3}, "title": None}
        text = imported({"tools": [TOOL | {"name": "sub"}, tool]})
        assert [line.strip() for line in text.split("\n") if "#" in line] == [
            "# Left out, since a manifest has no place for it: title: null",
            "# Left out, since a manifest has no place for it: annotations.cost: 3",
            "# Left out, since a manifest has no place for it: enabled: true",
        ]
        assert loaded(text, tmp_path).tools[1].wire() == TOOL | {"annotations": {"readOnlyHint": True}}

    def test_what_a_manifest_refuses_is_kept_with_the_reason_above_it(self, tmp_path: Path) -> None:
        broken = TOOL | {"name": "sub", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}
        text = imported({"tools": [TOOL, broken, TOOL | {"name": "mul"}]})
        lines = text.split("\n")
        comment = next(index for index, line in enumerate(lines) if "#" in line)
        assert lines[comment].startswith('  # `toolmint check` refuses this: "#/$defs/A" points at nothing')
        assert lines[comment + 1] == "  - name: sub"
        assert parsed(text)["tools"][1]["inputSchema"] == broken["inputSchema"]
        with pytest.raises(ManifestError, match="points at nothing"):
            loaded(text, tmp_path)

    def test_what_only_the_author_says_is_not_taken_from_an_answer(self) -> None:
        """A foreign server must not silence warnings, read files or prepare questions in a manifest made of it."""
        text = imported(
            {"tools": [TOOL | {"x-toolmint": {"silence": {"no-description": "x"}}, "elicits": []}]},
            {"resources": [{"uri": "a://b", "name": "b", "file": "/etc/hosts", "text": "b", "blob": ""}]},
            {"prompts": [{"name": "c", "messages": [], "arguments": [{"name": "d", "complete": ["e"]}]}]},
        )
        value = parsed(text)
        assert value["tools"] == [TOOL]
        assert value["resources"] == [{"uri": "a://b", "name": "b"}]
        assert value["prompts"] == [{"name": "c", "arguments": [{"name": "d"}]}]
        assert text.count("# Left out, since only a manifest's author says that: ") == 7

    def test_names_that_clash_in_python_are_explained(self) -> None:
        text = imported({"tools": [TOOL | {"name": "get_it"}, TOOL | {"name": "get-it"}]})
        assert re.search(r"  # `toolmint check` refuses this: .*\n(?:  # .*\n)*  - name: get-it\n", text)
        assert [entry["name"] for entry in parsed(text)["tools"]] == ["get_it", "get-it"]

    def test_what_a_manifest_refuses_of_the_server_stands_at_the_top(self) -> None:
        assert imported({"tools": [TOOL]}, version="newest").startswith("# `toolmint check` refuses this: ")

    def test_a_comment_cannot_be_left_by_what_it_quotes(self) -> None:
        tool = TOOL | {"x\ny: 1": "\u2028tools: []"}
        assert parsed(imported({"tools": [tool]}))["tools"] == [TOOL]


class TestSharedDefinitions:
    def tool(self, name: str, definition: Any) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"at": {"$ref": "#/$defs/Point"}}, "$defs": {"Point": definition}}
        return {"name": name, "inputSchema": schema}

    def test_a_definition_that_all_have_alike_is_written_once(self, tmp_path: Path) -> None:
        tools = [self.tool("move", POINT), self.tool("draw", POINT)]
        text = imported({"tools": tools})
        assert text.count("type: number") == 1
        assert list(parsed(text)) == ["toolmint", "protocol", "server", "$defs", "tools"]
        assert [tool.wire() for tool in loaded(text, tmp_path).tools] == tools

    @pytest.mark.parametrize(
        "other",
        [{"type": "string"}, {"properties": {"x": {"type": "number"}}, "type": "object"}],
        ids=["differs", "differs in order"],
    )
    def test_a_definition_that_one_has_otherwise_stays_where_it_is(self, other: Any, tmp_path: Path) -> None:
        tools = [self.tool("move", POINT), self.tool("draw", POINT), self.tool("erase", other)]
        text = imported({"tools": tools})
        assert "$defs" not in parsed(text)
        assert [tool.wire() for tool in loaded(text, tmp_path).tools] == tools

    def test_a_schema_that_carries_what_it_does_not_use_keeps_it(self, tmp_path: Path) -> None:
        unused = {"name": "erase", "inputSchema": {"type": "object", "$defs": {"Point": POINT}}}
        tools = [self.tool("move", POINT), self.tool("draw", POINT), unused]
        text = imported({"tools": tools})
        assert "$defs" in parsed(text)
        assert parsed(text)["tools"][2] == unused
        assert [tool.wire() for tool in loaded(text, tmp_path).tools] == tools

    def test_a_definition_with_one_user_stays(self) -> None:
        assert "$defs" not in parsed(imported({"tools": [self.tool("move", POINT)]}))


@needs_reference
@pytest.mark.parametrize("path", CATALOGUES if WHOLE_CORPUS else CATALOGUES[::10], ids=lambda path: path.stem)
def test_a_published_catalogue_comes_out_as_it_went_in(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    answers = json.loads(text)
    manifest_text = import_manifest({path.name: text}, protocol=[REVISION])
    manifest = loaded(manifest_text, tmp_path)
    assert [tool.wire() for tool in manifest.tools] == answers["tools"]
    assert (manifest.server.name, manifest.server.version) == (answers["server"], answers["version"])
    value = parsed(manifest_text)
    for section in ("prompts", "resources", "resourceTemplates"):
        assert value.get(section, []) == answers[section]


# Text that YAML reads as something else, ends lines in, or gives a meaning to.
AWKWARD = [
    *["no", "On", "y", "~", "null", "TRUE", "1.10", "2026-07-28", "1e3", "0x1F", "0o7", "012", "1:30", "1_000", ".5"],
    *[".inf", "-.NaN", "=", "<<", "-", "?", ":", "--", "---", "...", "a:", "a:b", ":a", "a#", "#a", "@a", "`a", "%a"],
    *["&a", "*a", "!a", "|a", ">a", "'a'", '"a"', "{a}", "[a]", "a,b"],
]
PIECES = [
    *AWKWARD,
    *[
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "a",
        "word",
        ": ",
        " #",
        "\\",
        "'",
        '"',
        "\0",
        "\x1b[31m",
        "\x7f",
        "\x85",
    ],
    *["\xa0", "\u200b", "\u200d", "\u2028", "\u2029", "\u202e", "\ufeff", "\ue000", "\uffff", "😀", "é", "x" * 120],
]
TEXTS = st.one_of(st.sampled_from(AWKWARD), st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS, TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXTS, children, max_size=4),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    """1 and 1.0 are two values, and so are 0.0 and -0.0."""
    return repr(one) == repr(other)


class TestYAML:
    @settings(max_examples=400, deadline=None)
    @given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
    def test_what_is_written_reads_back_the_same(self, value: dict[str, Any]) -> None:
        assert same(parsed(document(value, {})), value)

    @settings(max_examples=100, deadline=None)
    @given(st.dictionaries(TEXTS.filter(lambda text: text != "<<"), VALUES, min_size=1, max_size=4))
    @pytest.mark.parametrize("version", [(1, 1), (1, 2)])
    def test_other_readers_agree(self, version: tuple[int, int], value: dict[str, Any]) -> None:
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        assert same(reader.load(document(value, {})), value)

    def test_a_key_longer_than_yaml_takes_in_front_of_a_colon(self) -> None:
        value = {"x" * 2000: {"a": "b"}, "y" * 2000: ["a"]}
        assert parsed(document(value, {})) == value

    def test_long_text_is_folded_within_the_width(self) -> None:
        text = document({"a": {"b": "word " * 100 + "end"}}, {})
        assert max(map(len, text.split("\n"))) <= WIDTH
        assert parsed(text) == {"a": {"b": "word " * 100 + "end"}}

    @pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\U000e0041", "\x1b", "\u2028", "\xad"])
    def test_what_cannot_be_seen_is_written_so_that_it_can(self, hidden: str) -> None:
        text = document({"a": f"one{hidden}two\nthree"}, {})
        assert hidden not in text
        assert parsed(text) == {"a": f"one{hidden}two\nthree"}
