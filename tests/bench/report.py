"""The figures as tables: for a terminal, for the documentation, and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import chart
from bench.contestants import OURS
from bench.wording import amount, ratio

UNITS = {
    "start": "ms",
    "first call": "ms",
    "round trip p50": "µs",
    "round trip p99": "µs",
    "calls/s": "",
    "memory": "MB",
}
BEGIN = "<!-- figures: written by make bench -->"
END = "<!-- end of figures -->"


def write(results: Mapping[str, Any], docs: Path) -> None:
    """Write the results, their chart, the tables of the documentation and that of the README beside its folder."""
    (docs / "benchmark.json").write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (docs / "benchmark.svg").write_text(chart.render(results), encoding="utf-8")
    for page, text in ((docs / "performance.md", markdown(results)), (docs.parent / "README.md", summary(results))):
        page.write_text(inserted(page.read_text(encoding="utf-8"), text), encoding="utf-8")


def inserted(page: str, tables: str) -> str:
    """Return a page with the tables between its marks."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{tables}\n{END}{tail}"


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables as Markdown."""
    parts = [f"{_measured(results)}\n"]
    for title, header, rows in tables(results):
        parts += [f"### {title}\n", *_table(header, rows), ""]
    return "\n".join(parts)


def summary(results: Mapping[str, Any]) -> str:
    """Return as Markdown what a reader has to know of all the tables: the call of ``add``, in five columns."""
    figures = ("start", "round trip p50", "calls/s", "memory")
    header = ("", *(f"{figure} ({UNITS[figure]})" if UNITS[figure] else figure for figure in figures))
    rows = [
        (server["name"], *(amount(server["figures"][figure]["median"]) for figure in figures))
        for server in results["servers"]
        if server["call"] == "add"
    ]
    return "\n".join([*_table(header, rows), "", _measured(results), ""])


def _measured(results: Mapping[str, Any]) -> str:
    machine = results["machine"]
    return (
        f"Measured on {machine['cores']} cores of {machine['cpu']}, {machine['os']}, Python {machine['python']}, "
        f"load {machine['load']}; the median of {results['rounds']} rounds with {results['calls']:,} calls each."
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in (header, *rows)]
    return [lines[0], f"|{'---|' + '---:|' * (len(header) - 1)}", *lines[1:]]


def terminal(results: Mapping[str, Any]) -> str:
    """Return the tables in columns."""
    parts = []
    for title, header, rows in tables(results):
        widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
        parts.append(f"\n{title}\n")
        for row in [header, *rows]:
            first, *others = row
            cells = [
                first.ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)),
            ]
            parts.append("  ".join(cells).rstrip())
    return "\n".join(parts)


def tables(results: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
    """Yield each table: title, header, rows."""
    for title, call in (
        ("A call of add, two numbers", "add"),
        ("A call of a search, 200 bytes of arguments", "search"),
    ):
        group = [server for server in results["servers"] if server["call"].split("_")[0] == call]
        if len(group) > 1:
            yield (
                title,
                ("", *(f"{figure} ({unit})" if unit else figure for figure, unit in UNITS.items())),
                [
                    (
                        server["name"],
                        *(
                            _cell(server["figures"][figure], alone=server is group[0] or figure == "first call")
                            for figure in UNITS
                        ),
                    )
                    for server in group
                ],
            )
    few, large = _server(results, "2 tools"), _server(results, "1,000 tools, in pages")
    if few and large:
        start = large["figures"]["start"]["median"] / few["figures"]["start"]["median"]
        memory = large["figures"]["memory"]["median"] / few["figures"]["memory"]["median"]
        rows = [("start", ratio(start)), ("memory", ratio(memory))]
        yield "1,000 tools in pages of 100, as ratios to 2 tools", ("", "ratio"), rows
    yield "Validating the arguments of the search", ("", "does", "µs", "ratio to json.loads"), [
        (row["name"], _DOES[row["does"]] if row["name"] != "json.loads" else "decode the text",
         f"{row['median'] / 1000:.2f}", ratio(row["ratio"]))
        for row in sorted(results["validators"], key=lambda row: (row["does"] == "build", row["median"]))
    ]  # fmt: skip
    if results["generation"]:
        yield (
            "Generating",
            ("", "seconds", "peak memory (MB)"),
            [
                (row["what"], f"{row['seconds']:.2f}", f"{row['memory']:.0f}" if "memory" in row else "")
                for row in results["generation"]
            ],
        )


_DOES = {"check": "say yes or no", "build": "decode the text, check, build an object"}


def _server(results: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    return next((server for server in results["servers"] if server["name"] == f"{OURS}{name}"), None)


def _cell(figure: Mapping[str, Any], *, alone: bool) -> str:
    text = amount(figure["median"])
    if alone:
        return text
    low, high = figure["spread"]
    return f"{text}: {ratio(figure['ratio'])} ({ratio(low)} to {ratio(high)})"
