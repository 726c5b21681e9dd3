"""Are deadlines kept? How many planning intervals last too long, compared with a loop that only waits.

An agent gets its memory from the system page by page, when it first reaches a part of the map, and a page may take
longer than a hundred expansions. So everything is measured twice: with new agents, and with new agents whose memory has
been touched before.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import timebound as tb
from timebound import maps
from timebound.agents.interval import turns
from timebound.agents.journey import GOING
from timebound.compiled import compiled
from timebound.compiled.clock import NEVER, now

from .maps import Kind, load
from .options import Options
from .table import table

_MS = 0.3
_LATE = 1.1  # times the budget
_MAPS = (
    Kind("role play", "bg512/AR0300SR.map", lambda seed: maps.caves(512, 512, seed)),
    Kind("random 25 %", "", lambda seed: maps.random_obstacles(512, 512, 0.25, seed)),
)
_AGENTS = {"astar": "known", "repeated-astar": "unknown", "adaptive-astar": "unknown", "dstar-lite": "unknown"}


@dataclass(frozen=True)
class Punctuality:
    """How long the planning intervals of an agent last, and bare waits of the same length between them."""

    map: str
    agent: str
    memory: str
    intervals: int
    used_up: float
    """The share of intervals that used up the budget; in the others the agent finished early."""
    late: float
    bare_late: float
    """Shares of intervals and of waits that lasted more than a tenth too long."""
    worst_ms: float
    bare_worst_ms: float
    typical_over_us: float
    """The median overrun of the intervals that used up the budget."""

    headers = (
        "map",
        "agent",
        "memory",
        "planning intervals",
        "budget used up, %",
        "late, %",
        "bare wait late, %",
        "worst ms",
        "bare worst ms",
        "typical overrun, us",
    )

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        shares = (100 * self.used_up, 100 * self.late, 100 * self.bare_late)
        return (
            self.map,
            self.agent,
            self.memory,
            self.intervals,
            *shares,
            self.worst_ms,
            self.bare_worst_ms,
            self.typical_over_us,
        )


def run(options: Options) -> list[Punctuality]:
    """Print the table."""
    wanted = 500 if options.quick else 4000
    rows = []
    for kind in _MAPS:
        map_ = load(kind, options.data, options.seed)
        for name, terrain in _AGENTS.items():
            for memory in ("new", "touched"):
                lasted, waited = _measure(map_, name, terrain, memory == "touched", wanted, options.seed)
                rows.append(_punctuality(f"{map_.name} ({terrain})", name, memory, lasted, waited))
    print(f"\nBudget {_MS} ms; late is more than {_MS * _LATE:g} ms. A bare wait follows each planning interval\n")
    print(table(Punctuality.headers, [row.cells() for row in rows]), flush=True)
    return rows


def _punctuality(map_: str, agent: str, memory: str, lasted: np.ndarray, waited: np.ndarray) -> Punctuality:
    budget = _MS * 1e6
    used_up = lasted >= budget
    return Punctuality(
        map=map_,
        agent=agent,
        memory=memory,
        intervals=len(lasted),
        used_up=float(used_up.mean()),
        late=float((lasted > _LATE * budget).mean()),
        bare_late=float((waited > _LATE * budget).mean()),
        worst_ms=lasted.max() / 1e6,
        bare_worst_ms=waited.max() / 1e6,
        typical_over_us=float(np.median(lasted[used_up]) - budget) / 1e3 if used_up.any() else 0.0,
    )


def _measure(
    map_: maps.Map, name: str, terrain: str, touched: bool, wanted: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the nanoseconds of `count` planning intervals, and of the waits between them."""
    world, lasted, waited, count = tb.Grid(map_.passable), np.empty(wanted), np.empty(wanted), 0
    while count < wanted:
        for start, goal in maps.random_problems(map_, 50, seed=seed):
            agent = tb.make(name, world, start, goal, terrain=terrain)
            if touched:
                _touch_memory(agent)
            count += _timed_run(agent._mind, round(_MS * 1e6), lasted[count:], waited[count:])
        seed += 1
    return lasted, waited


def _touch_memory(agent: tb.Agent) -> None:
    (_touch_vertices if agent.name == "dstar-lite" else _touch_nodes)(agent._body)


@compiled
def _touch_nodes(body: Any) -> None:
    for state in range(len(body.order)):
        body.search.nodes[state].search = 0
        body.order[state] = 0
    for state in range(len(body.world.h)):
        body.world.h[state] = 0


@compiled
def _touch_vertices(body: Any) -> None:
    for state in range(len(body.search.vertices)):
        body.search.vertices[state].seen = 0


@compiled
def _timed_run(mind: Any, nanoseconds: int, lasted: np.ndarray, waited: np.ndarray) -> int:
    """Run an agent to its goal; record the intervals in which it searched, and a bare wait after each of them."""
    count, body = 0, mind.body
    while body.stop == GOING and count < len(lasted):
        before, began = body.expansions, now()
        turns(mind, NEVER, nanoseconds, NEVER, 1, True)
        ended = now()
        if body.expansions > before:
            lasted[count] = ended - began
            waited[count] = _wait(nanoseconds)
            count += 1
    return count


@compiled
def _wait(nanoseconds: int) -> int:
    began = now()
    ended = began
    while ended < began + nanoseconds:
        ended = now()
    return ended - began
