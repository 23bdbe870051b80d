"""Catalogues of published servers, from their tools/list answers to running servers: a fixed tenth of all tools.

``make corpus`` takes all of them the whole way.
"""

from pathlib import Path

import pytest

import corpus
from reference import needs_reference

TENTH = ("circleci-mcp-server-circleci", "ha-mcp", "lean-lsp-mcp", "larksuiteoapi-lark-mcp", "workspace-mcp")
"""Catalogues with 250 of the 2,453 tools; recursive, draft-07, with unions of many branches and odd names among them."""


@needs_reference
@pytest.mark.parametrize("name", TENTH)
def test_catalogue_generates_and_serves_what_it_was(name: str, tmp_path: Path) -> None:
    (catalogue,) = corpus.catalogues([name])
    package = corpus.make(catalogue, tmp_path)
    corpus.check_lists(catalogue, package)
    valid, invalid = corpus.check_verdicts(catalogue, package)
    assert min(valid, invalid) >= len(catalogue.tools)
    corpus.check_code(tmp_path)
