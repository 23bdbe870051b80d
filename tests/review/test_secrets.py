"""Secrets are not asked for in forms, nor taken as arguments."""

from typing import Any

import pytest

from review.reviewing import Reviewing, described, schema, tool


def asking(message: str = "Which one?", **fields: Any) -> dict[str, Any]:
    form = {"type": "object", "properties": fields}
    return tool(elicits=[{"key": "more", "message": message, "requestedSchema": form}])


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("password", {"type": "string"}),
        ("apiKey", {"type": "string"}),
        ("value", {"type": "string", "title": "API key"}),
        ("value", {"type": "string", "description": "Your personal access token."}),
        ("card-number", {"type": "string"}),
        ("cvc", {"type": "string"}),
        ("token", {"type": "string"}),
        ("answer", {"type": "string", "title": "Social security number"}),
        ("words", {"type": "string", "description": "The recovery phrase of your wallet"}),
    ],
)
def test_a_form_that_asks_for_a_secret(name: str, field: Any, reviewing: Reviewing) -> None:
    (problem,) = reviewing(asking(**{name: field}))
    assert problem.code == "secret-in-form"
    assert reviewing.text_of(problem).startswith(f'"{name}"')


def test_a_message_that_asks_for_a_secret(reviewing: Reviewing) -> None:
    (problem,) = reviewing(asking("Enter the password of the archive.", value={"type": "string"}))
    assert problem.code == "secret-in-form"
    assert reviewing.text_of(problem).startswith('"Enter')


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("max_tokens", {"type": "integer"}),
        ("page_token", {"type": "string"}),
        ("pinned", {"type": "boolean"}),
        ("secretary", {"type": "string"}),
        ("cardinality", {"type": "integer"}),
        ("key", {"type": "string", "description": "Key of the issue."}),
    ],
)
def test_a_form_that_asks_for_something_else(name: str, field: Any, reviewing: Reviewing) -> None:
    assert reviewing.codes(asking(**{name: field})) == []


def test_a_page_of_the_server_may_ask(reviewing: Reviewing) -> None:
    elicits = [{"key": "more", "message": "Enter your password.", "mode": "url", "url": "https://example.com/login"}]
    assert reviewing.codes(tool(elicits=elicits)) == []


@pytest.mark.parametrize("name", ["password", "apiKey", "db_password", "client_secret", "access-token"])
def test_an_argument_that_is_a_secret(name: str, reviewing: Reviewing) -> None:
    assert reviewing.codes(tool(inputSchema=schema(**{name: described(type="string")}))) == ["secret-parameter"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("page_token", {"type": "string"}), ("secretId", {"type": "string"}), ("reset_password", {"type": "boolean"})],
)
def test_an_argument_that_is_about_one(name: str, value: Any, reviewing: Reviewing) -> None:
    assert reviewing.codes(tool(inputSchema=schema(**{name: described(**value)}))) == []
