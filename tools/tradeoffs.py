"""Draw the trade-offs: the cost of each agent's path against its planning time per move.

    python tools/tradeoffs.py

It reads docs/algorithms/figures.json, which `python -m bench --only algorithms` writes, and writes
docs/images/tradeoffs.svg.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "images" / "tradeoffs.svg"
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, LETTER = 860, 430, 62, 52, 44, 6.3  # pixels; LETTER: about one letter of a label
LEAST, NEAR = 1, 11  # percent above the optimum shown as 0; pixels within which points share a label
GROUPS = {
    "searches to the end": (
        "#1f77b4",
        "astar wastar gbfs late-astar repeated-astar adaptive-astar gaa mpaa mpgaa dstar-lite fra",
    ),
    "learns around the agent": (
        "#d1495b",
        "lrta plrta rtaa a-rtaa da-rtaa lss-lrta da-lss-lrta lss-lrtwa wlss-lrta fhat dynamic-fhat nancy safe-rts",
    ),
    "time-bounded": ("#2a9d8f", "tba rtba tbaa tb-wastar tb-gbfs tbr-wastar"),
    "prepared": ("#b8860b", "knn-lrta d-lrta pr-lrta"),
}
STYLE = """
.paper{fill:#fbfbf9}.frame{fill:none;stroke:#9aa}.grid{stroke:#dde2e2}.lead{stroke:#9aa;stroke-width:.8}
text{fill:#22302f}.small{font-size:11px}.faint{fill:#5a6866}
@media (prefers-color-scheme:dark){.paper{fill:#1e2129}.frame{stroke:#778}.grid{stroke:#343843}.lead{stroke:#778}
text{fill:#e4e7e7}.faint{fill:#a5adad}}
""".replace("\n", "")


@dataclass(frozen=True)
class Panel:
    """The axes of one terrain."""

    title: str
    top: int
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        """Return the x coordinate for microseconds."""
        return LEFT + self._share(value, self.x_range) * (WIDTH - LEFT - 20)

    def y(self, value: float) -> float:
        """Return the y coordinate for a cost above the optimum."""
        return self.top + HEIGHT - BOTTOM - self._share(value, self.y_range) * (HEIGHT - TOP - BOTTOM)

    @staticmethod
    def _share(value: float, ends: tuple[float, float]) -> float:
        return math.log(value / ends[0]) / math.log(ends[1] / ends[0])


Box = tuple[float, float, float, float]
Points = dict[str, tuple[float, float]]


def labels(named: Points, points: Points, panel: Panel) -> Iterator[tuple[str, float, float]]:
    """Place every name where it covers neither a point nor another name; the longest come last."""
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in points.values()]
    for name in sorted(named, key=lambda name: (len(name), named[name])):
        x, y = named[name]
        width = LETTER * len(name)
        places = [
            (x + dx if dx > 0 else x + dx - width, y + dy)
            for distance in range(8, 160, 6)
            for dx, dy in _ring(distance)
        ]
        free = [place for place in places if _is_free(place, width, taken, panel)]
        left, base = free[0] if free else (x + 8, y)
        taken.append((left, base - 11, left + width, base + 3))
        yield name, left, base


def _ring(distance: int) -> list[tuple[float, float]]:
    angles = [math.radians(angle) for angle in (0, -30, 30, 180, -150, 150, -60, 60, -120, 120, -90, 90)]
    return [(distance * math.cos(angle) or 1, distance * math.sin(angle) + 4) for angle in angles]


def _is_free(place: tuple[float, float], width: float, taken: list[Box], panel: Panel) -> bool:
    left, base = place
    inside = left > LEFT + 2 and left + width < WIDTH - 22
    inside = inside and panel.top + TOP + 12 < base < panel.top + HEIGHT - BOTTOM - 4
    return inside and all(
        left + width < box[0] or left > box[2] or base + 3 < box[1] or base - 11 > box[3] for box in taken
    )


def drawn(panel: Panel, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the frame, the grid lines, the points and their names."""
    bottom = panel.top + HEIGHT - BOTTOM
    yield f'<text x="{LEFT}" y="{panel.top + 40}" font-weight="bold">{panel.title}</text>'
    for value in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        if panel.x_range[0] <= value <= panel.x_range[1]:
            x = panel.x(value)
            yield f'<line class="grid" x1="{x:.1f}" y1="{panel.top + TOP}" x2="{x:.1f}" y2="{bottom}"/>'
            yield f'<text class="small faint" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>'
    for value in (LEAST, 3, 10, 30, 100, 300, 1000):
        if panel.y_range[0] <= value <= panel.y_range[1]:
            y = panel.y(value)
            yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}"/>'
            yield f'<text class="small faint" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{shown(value)}</text>'
    size = f'width="{WIDTH - LEFT - 20}" height="{HEIGHT - TOP - BOTTOM}"'
    yield f'<rect class="frame" x="{LEFT}" y="{panel.top + TOP}" {size}/>'
    middle = (LEFT + WIDTH - 20) / 2
    yield f'<text class="small" x="{middle}" y="{bottom + 34}" text-anchor="middle">planning per move, µs (mean)</text>'
    across = panel.top + (TOP + HEIGHT - BOTTOM) / 2
    turned = f'transform="translate(16 {across}) rotate(-90)"'
    yield f'<text class="small" {turned} text-anchor="middle">cost above the optimum, %</text>'
    points = {row["agent"]: (panel.x(row["us_per_move"]), panel.y(excess(row))) for row in rows}
    groups = together(points)
    placed = list(labels(groups, points, panel))
    for name, left, base in placed:
        x, y = groups[name]
        near = min(max(x, left), left + LETTER * len(name))
        if math.hypot(near - x, base - 4 - y) > 13:
            yield f'<line class="lead" x1="{x:.1f}" y1="{y:.1f}" x2="{near:.1f}" y2="{base - 4:.1f}"/>'
    for name, (x, y) in points.items():
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour_of(name)}"/>'
    for name, left, base in placed:
        yield f'<text class="small" x="{left:.1f}" y="{base:.1f}">{name}</text>'


def excess(row: dict[str, Any]) -> float:
    """Return the percentage above the optimum; at least the lowest that the picture can show."""
    return max(float(LEAST), 100 * (float(row["suboptimality"]) - 1))


def shown(percent: float) -> str:
    """Return a label of the vertical axis."""
    return "0" if percent == LEAST else f"{percent:g}"


def together(points: Points) -> Points:
    """Group agents whose points overlap; their label has all their names."""
    groups: list[list[str]] = []
    for name in sorted(points, key=lambda name: points[name]):
        near = [group for group in groups if math.dist(points[group[0]], points[name]) < NEAR]
        if near:
            near[0].append(name)
        else:
            groups.append([name])
    return {", ".join(group): points[group[0]] for group in groups}


def colour_of(name: str) -> str:
    """Return the colour of an agent's group."""
    return next(colour for colour, names in GROUPS.values() if name in names.split())


def picture() -> str:
    """Return the whole picture."""
    rows = json.loads((DOCS / "algorithms" / "figures.json").read_text(encoding="utf-8"))["rows"]
    panels = (
        Panel("Known terrain", 24, (0.05, 50), (0.8, 3500)),
        Panel("Unknown terrain", 24 + HEIGHT, (0.05, 50), (80, 3500)),
    )
    inside = [
        text
        for panel, terrain in zip(panels, ("known", "unknown"), strict=True)
        for text in drawn(panel, [row for row in rows if row["terrain"] == terrain])
    ]
    legend = [
        f'<circle cx="{LEFT + 8 + 195 * i}" cy="22" r="5" fill="{colour}"/>'
        f'<text x="{LEFT + 20 + 195 * i}" y="26">{name}</text>'
        for i, (name, (colour, _)) in enumerate(GROUPS.items())
    ]
    height = 24 + 2 * HEIGHT + 8
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13" role="img" '
        f'aria-label="Cost of walks against planning time per move"><style>{STYLE}</style>'
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>'
    )
    return "\n".join([head, *legend, *inside, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
