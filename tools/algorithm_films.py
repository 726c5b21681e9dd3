"""Make the films in docs/algorithms: each agent of the catalogue searches, learns and walks on a small map.

    python tools/algorithm_films.py            # all of them, into docs/images/algorithms
    python tools/algorithm_films.py tbaa rtaa  # these only

Such small worlds need no compiler: with NUMBA_DISABLE_JIT=1, all films take about a minute.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import timebound as tb
from timebound.agents.events import Event, Events
from timebound.maps import Map
from timebound.maps.drawing import GOAL_COLOUR, HEAT, PATH_COLOUR, START_COLOUR, bare_picture
from timebound.maps.trails import gif_bytes, moments

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "algorithms"
CELL, LARGER = 10, 3  # pixels per cell; frames are drawn this many times larger, then reduced, for smooth lines
OPEN, TRAIL, FOG = (140, 196, 214), (90, 84, 76), 0.75

MAP = """
....................................
....................................
..............######################
...................................#
...................................#
........###########......#####.....#
..................#......#...#.....#
..................#......#...#.....#
..................#..........#.....#
..................#..........#.....#
..................#......#...#.....#
..................#......#...#.....#
........###########......#####.....#
...................................#
...................................#
..............#############.########
....................................
....................................
"""
WALL = """
....................................
....................................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
..................#.................
"""
DOOR = (18, 13)


@dataclass(frozen=True)
class Scene:
    """How an agent is filmed: its terrain, budget and parameters, and what changes while it walks."""

    terrain: str = "unknown"
    expansions: int | None = 12
    parameters: Mapping[str, Any] = field(default_factory=dict)
    event: Callable[[int, tb.Grid, Any], None] = lambda interval, world, agent: None
    ground: str = MAP
    start: tuple[int, int] = (3, 8)
    goal: tuple[int, int] = (33, 8)


def door_opens(interval: int, world: tb.Grid, agent: Any) -> None:
    """A door opens in the wall while the agent is on its way around it."""
    if interval == 13:
        world.unblock([DOOR])


def goal_walks(interval: int, world: tb.Grid, agent: Any) -> None:
    """The goal moves up one cell every second interval."""
    x, y = agent.goal
    if interval % 2 == 0 and y > 4:
        agent.retarget((x, y - 1))


_KNOWN, _WIDE = Scene("known"), {"radius": 4, "line_of_sight": True}
_COMPLETE = Scene("unknown", 40, _WIDE)
_DOOR = Scene("known", 40, {}, door_opens, WALL, (3, 13), (33, 13))
_LOCAL = Scene("unknown", 20, {"lookahead": 20, **_WIDE})
# With a longer lookahead, or from farther away, aRTAA* and daRTAA* walk the same path.
_BAY = Scene("unknown", 6, {"lookahead": 6, **_WIDE}, start=(21, 10))
SCENES: dict[str, Scene] = {
    "astar": Scene("known", 12),
    "wastar": Scene("known", 12),
    "gbfs": Scene("known", 12),
    "late-astar": Scene("known", 12),
    "repeated-astar": _COMPLETE,
    "adaptive-astar": _COMPLETE,
    "gaa": _DOOR,
    "mpaa": _COMPLETE,
    "mpgaa": _DOOR,
    "dstar-lite": _COMPLETE,
    "fra": Scene("known", 40, event=goal_walks),
    "lrta": Scene("unknown", None, _WIDE),
    "plrta": Scene("unknown", None, _WIDE),
    "knn-lrta": Scene("known", 12, {"records": 12}),
    "rtaa": _BAY,
    "a-rtaa": _BAY,
    "da-rtaa": _BAY,
    "lss-lrta": _LOCAL,
    "da-lss-lrta": _LOCAL,
    "lss-lrtwa": _LOCAL,
    "wlss-lrta": _LOCAL,
    "fhat": _LOCAL,
    "dynamic-fhat": Scene("unknown", 30, _WIDE),
    "nancy": Scene("known", 20),
    "safe-rts": Scene("known", 12),
    "tba": _KNOWN,
    "rtba": Scene("unknown", 12, _WIDE),
    "tbaa": Scene("unknown", 12, _WIDE),
    "tb-wastar": Scene("unknown", 12, _WIDE),
    "tb-gbfs": Scene("unknown", 12, _WIDE),
    "tbr-wastar": Scene("unknown", 12, {"most_steps_back": 3, **_WIDE}),
    "d-lrta": Scene("known", 12, {"level": 3}),
    "pr-lrta": Scene("known", 12, {"level": 3, "depth": 3}),
}


# ------------------------------------------------------------------ what a film shows of an agent


@dataclass
class View:
    """What a film shows after an interval."""

    open: set[Any] = field(default_factory=set)
    closed: set[Any] = field(default_factory=set)
    risen: dict[Any, float] = field(default_factory=dict)
    trail: list[Any] = field(default_factory=list)
    path: list[Any] = field(default_factory=list)
    goal: Any = None
    subgoal: Any = None
    knows: Any = None
    free: Any = None

    def hear(self, events: Events) -> None:
        """Apply the events of an interval."""
        for event in events:
            if event.layer == "map":
                self._take(event)

    def _take(self, event: Event) -> None:
        kind, state = event.kind, event.state
        if kind == "search":
            self.open, self.closed = set(), set()
        elif kind == "generate":
            self.open.add(state)
            self.closed.discard(state)
        elif kind in ("expand", "close"):
            self.open.discard(state)
            self.closed.add(state)
        elif kind == "lose":
            self.open.discard(state)
            self.closed.discard(state)
        elif kind == "raise":
            self.risen[state] = self.risen.get(state, 0) + (event.h or 0) - (event.g or 0)
        elif kind == "forget":
            self.risen = {}
        elif kind == "subgoal":
            self.subgoal = state

    def after(self, agent: Any, world: tb.Grid) -> "View":
        """Return a copy for one frame."""
        self.trail.append(agent.position)
        lists = (set(self.open), set(self.closed), dict(self.risen), list(self.trail), [agent.position, *agent.path])
        return View(*lists, agent.goal, self.subgoal, agent.knows().copy(), world.passable.copy())


def views(name: str, scene: Scene) -> Iterator[View]:
    """Drive an agent to its goal, and yield what it has in mind after every interval."""
    cells = np.array([[cell == "." for cell in line] for line in scene.ground.split()])
    world = tb.Grid(cells)
    agent = tb.make(name, world, scene.start, scene.goal, terrain=scene.terrain, seed=1, **scene.parameters)
    view = View()
    agent.listen(view.hear)
    yield view.after(agent, world)
    while not agent.done:
        agent.step(expansions=scene.expansions)
        scene.event(len(view.trail), world, agent)
        yield view.after(agent, world)
    if agent.stop != "goal":
        raise SystemExit(f"{name} did not arrive: {agent.stop}")


# ------------------------------------------------------------------ drawing


def frame(view: View, known: bool) -> Image.Image:
    """Draw one frame: ground and fog, the search, what was learned, the path ahead and the trail."""
    truth = bare_picture(Map.from_passable(view.free), CELL)[0]
    image = truth
    if not known:  # unseen cells are pale
        believed = bare_picture(Map.from_passable(view.knows != 2), CELL)[0]
        image = Image.blend(truth, believed, FOG)
    image = image.resize((image.width * LARGER, image.height * LARGER), Image.Resampling.NEAREST)
    size, draw = CELL * LARGER, ImageDraw.Draw(image)
    for cells, colour in ((view.closed, HEAT[0]), (view.open, OPEN)):
        for x, y in cells:
            draw.rectangle((x * size + 3, y * size + 3, (x + 1) * size - 4, (y + 1) * size - 4), colour)
    for (x, y), rise in view.risen.items():
        draw.circle(middle((x, y)), min(size / 2 - 4, 3 + rise * 1.2), HEAT[2])
    for line, colour, width in ((view.trail, TRAIL, 7), (view.path, PATH_COLOUR, 8)):
        if len(line) > 1:
            draw.line([middle(place) for place in line], colour, width, joint="curve")
    if view.subgoal not in (None, view.goal):
        draw.circle(middle(view.subgoal), size * 0.4, None, HEAT[1], 7)
    draw.circle(middle(view.goal), size * 0.5, (255, 255, 255), GOAL_COLOUR, 8)
    draw.circle(middle(view.trail[-1]), size * 0.55, START_COLOUR, (255, 255, 255), 4)
    return image.reduce(LARGER)


def middle(place: tuple[int, int]) -> tuple[float, float]:
    """Return the middle of a cell, in pixels of the enlarged picture."""
    return (place[0] + 0.5) * CELL * LARGER, (place[1] + 0.5) * CELL * LARGER


def film(name: str) -> bytes:
    """Return the film of an agent, as the contents of a GIF file."""
    scene = SCENES[name]
    seen = list(views(name, scene))
    frames = [frame(seen[moment], scene.terrain == "known") for moment in moments(len(seen) - 1)]
    samples = [frames[0], frames[len(frames) // 2], frames[-1]]
    return gif_bytes(frames, samples, [*HEAT, OPEN, TRAIL, PATH_COLOUR, START_COLOUR, GOAL_COLOUR])


def main(names: list[str]) -> None:
    """Write the films."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or SCENES:
        content = film(name)
        (FOLDER / f"{name}.gif").write_bytes(content)
        print(f"{name}: {len(content) // 1024} KiB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
