"""The figures as a chart: one panel a figure, one bar a server; SVG that reads well on white and on black."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from bench.contestants import OURS
from bench.wording import amount, ratio

PANELS = (
    ("start", "Start to first answer", "ms, less is better"),
    ("round trip p50", "Round trip of a call, median", "µs, less is better"),
    ("calls/s", "Calls a second, pipelined", "more is better"),
    ("memory", "Peak memory", "MB, less is better"),
)
WIDTH = 940
LABELS = 210
VALUES = 230
ROW = 22
HEAD = 40
GAP = 16
_STYLE = (  # without the queries it reads on white and on black, with them it reads well
    "text{font:13px system-ui,sans-serif;fill:#7d8590}.title{font-weight:600}"
    ".bare{fill:#7d8590}.ours{fill:#2da44e}.other{fill:#409eff}"
    "@media(prefers-color-scheme:light){text{fill:#57606a}.title{fill:#24292f}.ours{fill:#1a7f37}}"
    "@media(prefers-color-scheme:dark){text{fill:#9da7b1}.title{fill:#e6edf3}.ours{fill:#3fb950}}"
)


def render(results: Mapping[str, Any]) -> str:
    """Return the chart as one SVG document."""
    servers = [server for server in results["servers"] if server["call"] == "add"]
    panel = HEAD + ROW * len(servers) + GAP
    height = panel * len(PANELS)
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            'role="img" aria-label="Start, round trip, throughput and memory of servers with the same two tools">'
        ),
        f"<style>{_STYLE}</style>",
    ]
    for index, (figure, title, unit) in enumerate(PANELS):
        lines += _panel(servers, figure, title, unit, top=index * panel)
    return "\n".join([*lines, "</svg>", ""])


def _panel(servers: Sequence[Mapping[str, Any]], figure: str, title: str, unit: str, top: int) -> Iterator[str]:
    yield f'<text class="title" x="0" y="{top + 22}">{escape(title)} <tspan font-weight="400">({unit})</tspan></text>'
    most = max(server["figures"][figure]["median"] for server in servers)
    room = WIDTH - LABELS - VALUES
    for row, server in enumerate(servers):
        found = server["figures"][figure]
        y = top + HEAD + row * ROW
        length = max(2.0, room * found["median"] / most)
        bare = row == 0
        kind = "bare" if bare else "ours" if server["name"].startswith(OURS) else "other"
        value = amount(found["median"]) + ("" if bare else f" ({ratio(found['ratio'])} of the bare loop)")
        yield f'<text x="{LABELS - 8}" y="{y + 12}" text-anchor="end">{escape(server["name"])}</text>'
        yield f'<rect class="{kind}" x="{LABELS}" y="{y}" width="{length:.1f}" height="{ROW - 7}" rx="2"/>'
        yield f'<text x="{LABELS + length + 8:.1f}" y="{y + 12}">{value}</text>'
