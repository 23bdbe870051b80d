import keyword

import pytest

from toolmint.models import ToolSchemas, plan_models
from toolmint.models.names import RESERVED_CLASSES, ClassNames, class_name, field_name, field_names


@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("query", "query"),
        ("orderBy", "order_by"),
        ("order_by", "order_by"),
        ("OrderBy", "order_by"),
        ("HTTPServer", "http_server"),
        ("issueIDs", "issue_ids"),
        ("userID", "user_id"),
        ("If-Match", "if_match"),
        ("_meta", "meta"),
        ("$and", "and_"),
        ("from", "from_"),
        ("self", "self_"),
        ("list", "list_"),
        ("__class__", "class_"),
        ("__private", "private"),
        ("(default)", "default"),
        ("io.modelcontextprotocol/serverInfo", "io_modelcontextprotocol_server_info"),
        ("2fa", "field_2fa"),
        ("", "unnamed"),
        ("$", "unnamed"),
        ("\ud800", "unnamed"),
        ("a\nb", "a_b"),
        ("größe", "größe"),
        ("ﬁeld", "field"),
        ("名前", "名前"),
        ("İd", "id"),
        ("हिन्दी", "हनद"),
        ("a" * 10_000, "a" * 80),
    ],
)
def test_a_field_is_the_name_in_snake_case(wire: str, python: str) -> None:
    assert field_name(wire) == python
    assert python.isidentifier()
    assert not keyword.iskeyword(python)


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("search_contracts", "SearchContracts"),
        ("searchContracts", "SearchContracts"),
        ("get-user.v1", "GetUserV1"),
        ("JSONRPCMessage", "JSONRPCMessage"),
        ("2fa", "Model2fa"),
        ("", "Unnamed"),
        ("名前", "Model名前"),
    ],
)
def test_a_class_is_the_name_in_cap_words(name: str, python: str) -> None:
    assert class_name(name) == python


def test_properties_that_meet_are_numbered_in_their_order() -> None:
    assert field_names(["orderBy", "order_by", "order-by"]) == {
        "orderBy": "order_by",
        "order_by": "order_by_2",
        "order-by": "order_by_3",
    }


def test_a_property_added_at_the_end_renames_no_other() -> None:
    before = ["class", "class_", "$and", "and"]
    assert field_names([*before, "Class", "_and"]).items() >= field_names(before).items()


def test_the_field_for_extra_properties_keeps_its_name() -> None:
    assert field_names(["extra", "other"], reserved=("extra",)) == {"extra": "extra_", "other": "other"}


@pytest.mark.parametrize("name", ["Context", "ToolError", "ToolResult", "Any", "Literal", "Exception", "TimeoutError"])
def test_a_class_never_hides_a_name_its_users_need(name: str) -> None:
    assert name in RESERVED_CLASSES
    names = ClassNames()
    assert [names.claim(name), names.claim(name)] == [f"{name}Model", f"{name}Model2"]


def test_further_names_can_be_reserved() -> None:
    assert ClassNames(["TextContent"]).claim("TextContent") == "TextContentModel"


@pytest.mark.parametrize(
    "name", ["Flag", "Enum", "Path", "Decimal", "UUID", "Pattern", "Counter", "Sequence", "BaseModel", "Field", "Date"]
)
def test_a_class_called_as_one_of_a_library_keeps_its_name(name: str) -> None:
    definition = {"type": "object", "properties": {"of": {"type": "string"}}}
    schema = {"type": "object", "properties": {"a": {"$ref": f"#/$defs/{name}"}}, "$defs": {name: definition}}
    planned = plan_models([ToolSchemas(name="find", identifier="find", input_schema=schema)], {name: definition})
    assert f"class {name}:" in planned.source
    assert f"    a: {name} | None = None" in planned.source
