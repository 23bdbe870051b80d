"""Where a message takes an argument, and where braces are nothing but braces."""

import pytest

from toolmint.manifest.placeholders import Placeholder, split_placeholders


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("{{a}}", [Placeholder("a")]),
        ("x {{ a }} y", ["x ", Placeholder(" a "), " y"]),
        ("{{a}}{{b}}", [Placeholder("a"), Placeholder("b")]),
        ("{{a\nb}}", [Placeholder("a\nb")]),
        ("{a} }} {{", ["{a} }} {{"]),
        ("{{}}", [Placeholder("")]),
        ("\\{{a}} {{b}}", ["{{a}} ", Placeholder("b")]),
        ("\\\\{{a}}", ["\\", Placeholder("a")]),
        ("\\\\\\{{a}}", ["\\{{a}}"]),
        ("a\\b \\\\ {{c}} \\", ["a\\b \\\\ ", Placeholder("c"), " \\"]),
        ("{{{a}}}", [Placeholder("{a"), "}"]),
    ],
)
def test_split(text: str, parts: list[str | Placeholder]) -> None:
    assert split_placeholders(text) == parts


def test_the_name_is_what_stands_between_without_the_space() -> None:
    assert Placeholder(" a b ").argument == "a b"
