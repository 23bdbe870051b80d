"""Imports in several threads at once: what is found half made is imported again."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.loading import load


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def package(folder: Path, name: str) -> None:
    """Write a package that imports its part, which takes a while and needs the package."""
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(
        f"import time\ntime.sleep(0.08)\nfrom {name}.part import DONE\nWHOLE = True\n"
    )
    (folder / name / "part.py").write_text(
        f"import time\ntime.sleep(0.01)\nimport {name}\ntime.sleep(0.05)\nDONE = True\n"
    )


@pytest.mark.parametrize("attempt", range(5))
def test_two_threads_that_wait_for_each_other_both_get_whole_modules(modules: Path, attempt: int) -> None:
    name = f"half{attempt}"
    package(modules, name)
    failures: list[BaseException] = []

    def run(module: str, attribute: str, delay: float) -> None:
        try:
            threading.Event().wait(delay)
            assert getattr(load(module), attribute)
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    plans = ((name, "WHOLE", 0), (f"{name}.part", "DONE", 0.01 + attempt * 0.02), (name, "WHOLE", 0.015))
    threads = [threading.Thread(target=run, args=plan) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert failures == []


def test_module_that_imports_itself_in_a_circle_fails_in_the_end(modules: Path) -> None:
    (modules / "circle.py").write_text("from circle import NOTHING\n")
    with pytest.raises(ImportError, match="partially initialized module 'circle'"):
        load("circle")


def test_module_that_fails_by_itself_is_tried_once(modules: Path) -> None:
    (modules / "failing.py").write_text("import sys\nsys.attempts_at_failing += 1\n1 / 0\n")
    sys.attempts_at_failing = 0  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError):
        load("failing")
    assert sys.attempts_at_failing == 1  # type: ignore[attr-defined]
    del sys.attempts_at_failing  # type: ignore[attr-defined]
