"""A file by a name from outside never leads out of its folder."""

import os
from pathlib import Path

import pytest

from runtime.files import safe_path
from runtime.results import ResourceNotFound
from runtime.uritemplates import UriTemplate

NAMES = [
    "",
    ".",
    "..",
    "../secret.txt",
    "a/../../secret.txt",
    "a/../b.txt",
    "/etc/passwd",
    "//etc/passwd",
    "..\\secret.txt",
    "a\\b.txt",
    "b.txt\0",
    "b.txt\0.png",
    "link.txt",
    "link/secret.txt",
    "loop",
    "pipe",
    "a",
    "missing.txt",
    "\ud800",
    "x" * 5000,
    "%2e%2e/secret.txt",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (root / "b.txt").write_text("b")
    (root / "a" / "c.txt").write_text("c")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "link").symlink_to(tmp_path)
    (root / "inside.txt").symlink_to(root / "b.txt")
    (root / "loop").symlink_to(root / "loop")
    os.mkfifo(root / "pipe")
    (tmp_path / "root-beside").mkdir()
    (tmp_path / "root-beside" / "d.txt").write_text("d")
    (root / "beside").symlink_to(tmp_path / "root-beside")
    return root


@pytest.mark.parametrize("name", [*NAMES, "beside/d.txt"])
def test_refused(root: Path, name: str) -> None:
    with pytest.raises(ResourceNotFound):
        safe_path(root, name)


@pytest.mark.parametrize(
    ("name", "text"), [("b.txt", "b"), ("a/c.txt", "c"), ("./b.txt", "b"), ("inside.txt", "b"), ("b.txt/", "b")]
)
def test_found(root: Path, name: str, text: str) -> None:
    assert safe_path(root, name).read_text() == text
    assert safe_path(str(root), name).read_text() == text


@pytest.mark.parametrize("raw", ["..%2Fsecret.txt", "%2e%2e%2fsecret.txt", "%2Fetc%2Fpasswd", "..%5Csecret.txt"])
def test_escapes_in_a_uri_lead_nowhere(root: Path, raw: str) -> None:
    values = UriTemplate("file:///{path}").match(f"file:///{raw}")
    assert values is not None
    with pytest.raises(ResourceNotFound):
        safe_path(root, values["path"])


def test_a_folder_that_is_missing_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(ResourceNotFound):
        safe_path(tmp_path / "none", "b.txt")


def test_the_folder_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert safe_path(tmp_path / "alias", "b.txt").read_text() == "b"
