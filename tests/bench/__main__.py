"""The command line: `python -m bench`."""

import argparse
import json
import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import contestants, generation, large, report, wire

FOLDER = contestants.ROOT / ".bench" / "projects"
DOCS = contestants.ROOT / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description="Measure generated servers beside a bare echo loop.")
    parser.add_argument("--rounds", type=int, default=7, help="how often each server is measured; default: 7")
    parser.add_argument("--calls", type=int, default=3000, help="how many calls one after the other; default: 3000")
    parser.add_argument("--install", action="store_true", help="install the other libraries first")
    parser.add_argument(
        "--only", metavar="TEXT", help="measure the servers with this in their name; nothing is written"
    )
    parser.add_argument("--no-write", action="store_true", help="leave docs/ as it is")
    options = parser.parse_args()
    if options.install:
        contestants.install()

    progress("generating projects")
    if options.only and (FOLDER / "whole").exists():
        figures: list[dict[str, float | str]] = []
        paged, whole = FOLDER / "paged", FOLDER / "whole"
    else:
        figures, paged, whole = generation.measure(FOLDER)
    pairs = contestants.pairs(paged, whole)
    if options.only:
        pairs = {
            key: [one for one in group if one is group[0] or options.only in one.name] for key, group in pairs.items()
        }
    results: dict[str, Any] = {"machine": contestants.machine(), "rounds": options.rounds, "calls": options.calls}
    results["servers"] = measure_servers(pairs, options.rounds, options.calls)
    results["validators"] = measure_validators(paged, options.rounds)
    results["generation"] = figures
    print(report.terminal(results))
    if not contestants.peers():
        print("\nOther libraries are not installed: `make bench-peers` installs and measures them too.")
    if not (options.no_write or options.only):
        report.write(results, DOCS)


def progress(text: str) -> None:
    """Say on a terminal what is going on."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def measure_servers(pairs: dict[str, Sequence[wire.Contestant]], rounds: int, calls: int) -> list[dict[str, Any]]:
    """Measure all servers, taking turns, and return the summary of each, the bare loops first in their groups."""
    everyone = [one for group in pairs.values() for one in group]
    taken: dict[int, list[dict[str, float]]] = {id(one): [] for one in everyone}
    for one in everyone:
        progress(f"warming up: {one.name}")
        wire.measure(one, 50)  # byte code and file caches
    for number in range(rounds):
        for one in everyone:
            progress(f"round {number + 1} of {rounds}: {one.name}")
            taken[id(one)].append(wire.measure(one, calls))
    progress("")
    return [
        {
            "name": one.name,
            "call": one.tool,
            "figures": {
                figure: summary(
                    [round_[figure] for round_ in taken[id(one)]], [round_[figure] for round_ in taken[id(group[0])]]
                )
                for figure in taken[id(one)][0]
            },
        }
        for group in pairs.values()
        for one in group
    ]


def summary(mine: Sequence[float], bare: Sequence[float]) -> dict[str, Any]:
    """Return the median, the ratio of the medians to the bare loop's, and the middle half of the rounds' ratios."""
    ratios = [one / other for one, other in zip(mine, bare, strict=True)]
    low, _, high = (
        statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else (ratios[0], 0.0, ratios[0])
    )
    return {
        "median": significant(statistics.median(mine)),
        "ratio": significant(statistics.median(mine) / statistics.median(bare)),
        "spread": [significant(low), significant(high)],
    }


def measure_validators(project: Path, rounds: int) -> list[dict[str, Any]]:
    """Return what one check takes with each validator (ns), and as a ratio to decoding the text."""
    program = Path(__file__).parent / "validators.py"
    command = [contestants.validators_python(), "-P", str(program), str(project / "src"), str(rounds)]
    found = json.loads(large.output(command, json.dumps(large.ARGUMENTS), dict(os.environ)))
    loads = next(row["ns"] for row in found if row["name"] == "json.loads")
    return [{"name": row["name"], "does": row["does"], **summary(row["ns"], loads)} for row in found]


def significant(value: float) -> float:
    """Return a figure with the three digits of it that mean something."""
    return float(f"{value:.3g}")


if __name__ == "__main__":
    main()
