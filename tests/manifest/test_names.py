"""Names on the wire become Python names by one rule that never changes."""

import builtins
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmint.manifest import identifier
from toolmint.manifest.names import distribution_name, module_name


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("search_contracts", "search_contracts"),
        ("get-user", "get_user"),
        ("get.user", "get_user"),
        ("getUserByID", "get_user_by_id"),
        ("listURLs", "list_urls"),
        ("HTTPServer", "http_server"),
        ("S3Bucket", "s3_bucket"),
        ("sha256Hash", "sha256_hash"),
        ("Kubernetes Pods", "kubernetes_pods"),
        ("skill://a/SKILL.md", "skill_a_skill_md"),
        ("Zoë", "zoe"),
        ("2fa", "x_2fa"),
        ("import", "import_"),
        ("list", "list_"),
        ("None", "none"),
        ("match", "match"),
        ("__init__", "init"),
        ("日本", ""),
        ("_.-", ""),
    ],
)
def test_identifier(name: str, python: str) -> None:
    assert identifier(name) == python


@given(st.text())
def test_an_identifier_is_one_and_hides_nothing(name: str) -> None:
    python = identifier(name)
    assert python == "" or (python.isidentifier() and python.isascii())
    assert not keyword.iskeyword(python)
    assert not (python.islower() and hasattr(builtins, python))
    assert identifier(python) == python


@pytest.mark.parametrize(
    ("server", "distribution", "module"),
    [
        ("contracts", "contracts-mcp", "contracts_mcp"),
        ("contracts-mcp", "contracts-mcp", "contracts_mcp"),
        ("Contract Store", "contract-store-mcp", "contract_store_mcp"),
        ("@example/weather_mcp", "example-weather-mcp", "example_weather_mcp"),
        ("com.example/weather", "com-example-weather-mcp", "com_example_weather_mcp"),
        ("1password", "1password-mcp", "x_1password_mcp"),
        ("日本", "", ""),
    ],
)
def test_package_names(server: str, distribution: str, module: str) -> None:
    assert distribution_name(server) == distribution
    assert module_name(distribution) == module
