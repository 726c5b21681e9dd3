"""Agents to which anything may happen, and a referee that knows only what a user can see.

The worlds are followed in plain dictionaries. Dijkstra's algorithm says what can be reached in them, in truth and as
far as an agent in known terrain has been told. In other terrain the referee asks the agent what it believes, and checks
that it does not contradict the truth around it.

    NUMBA_DISABLE_JIT=1 python tests/agents/agent_drills.py 0 1000
    NUMBA_DISABLE_JIT=1 python tests/agents/agent_drills.py 0 50000 graphs
"""

import heapq
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from naive import grid_moves

import timebound as tb
from timebound.agents.changing import retreats
from timebound.knowledge.grid import believed_free
from timebound.worlds.interface import heuristic

Place = Any  # (x, y) on a grid, a number on a graph
Moves = dict[Place, float]  # where a move leads, and what it costs

KINDS = {kind.name: kind for kind in tb.catalogue()}
CHOICES: dict[str, list[Any]] = {
    "order": ["weighted", "greedy"],
    "learning": ["none", "one-state", "adaptive", "lazy", "dijkstra", "prioritised"],
    "target": ["best", "unraised", "least-raised"],
    "weight": [1, 1.5, 2, 5],
    "reopen": [True, False],
    "ties": ["random", "fixed"],
    "direction": ["backward"],
    "replan": ["cheaper", "spoiled"],
    "reuse": [True],
    "movements": [1, 2, 3, math.inf],
    "lookahead": [1, 2, 3, 7, 20],
    "update_weight": [1, 2, 3],
    "depth": [1, 2, 3],
    "cost_limit": [1.5, 4],
    "queue": [1, 3, 50],
    "larger_g": [True],
    "trace_ratio": [0.5, 0.9],
    "trace_cost": [1, 5],
    "steady": [True],
    "shortcut": [True],
    "restarts": [True, False],
    "most_steps_back": [0, 1, 3],
    "records": [5, 20],
    "coverage": ["random"],
    "cap": [1, 3],
    "candidates": [1, math.inf],
    "quota": [1, 1.5],
    "goal_first": [False],
    "skip_end": [False],
    "kd_tree": [False],
    "interrupt": [False],
    "shortcuts": [False],
    "skip_start": [False],
    "dynamic_depth": [True],
    "escape": [False],
    "level": [1, 2],
    "gamma": [0.5],
    "k": [1, 2],
}
BUDGETS: list[dict[str, float]] = [
    {"expansions": 1},
    {"expansions": 2},
    {"expansions": 4},
    {"expansions": 20},
    {"virtual_ms": 0.001},
    {"virtual_ms": 0.005},
    {},
]
LIMIT = 20_000  # intervals in which every agent on such a small map comes to an end
ENDED = ("goal", "unreachable", "stuck")


def chosen(generator: np.random.Generator, among: list[Any], most: int) -> list[Any]:
    """A few of these, at random, each once."""
    count = min(len(among), int(generator.integers(1, most + 1)))
    return [among[int(i)] for i in generator.choice(len(among), count, replace=False)] if count else []


def plain(place: Place) -> Place:
    """A place in Python's numbers: without the compiler, they may be NumPy's."""
    return (int(place[0]), int(place[1])) if isinstance(place, tuple) else int(place)


def distances(moves: Callable[[Place], Moves], start: Place) -> dict[Place, float]:
    """Dijkstra's algorithm."""
    known: dict[Place, float] = {}
    waiting = [(0.0, start)]
    while waiting:
        cost, place = heapq.heappop(waiting)
        if place not in known:
            known[place] = cost
            for after, price in moves(place).items():
                heapq.heappush(waiting, (cost + price, after))
    return known


# ------------------------------------------------------------------ plain maps


class Land(ABC):
    """A world of the library, and the same in plain Python; and what each agent in it was told."""

    world: Any
    places: list[Place]
    all_positive = True  # does every move cost something?

    @abstractmethod
    def change(self, random: np.random.Generator, agents: "list[Driven]") -> str:
        """Change the world."""

    @abstractmethod
    def meet(self, driven: "Driven") -> None:
        """Note what is hidden from a new agent."""

    @abstractmethod
    def tell(self, random: np.random.Generator, driven: "Driven") -> str:
        """Report something to an agent, true or false."""

    @abstractmethod
    def true_moves(self, driven: "Driven", here: Place) -> Moves:
        """The moves that its environment allows the agent."""

    @abstractmethod
    def believed_moves(self, driven: "Driven") -> Callable[[Place], Moves]:
        """The moves that the agent believes in."""

    @abstractmethod
    def check_beliefs(self, driven: "Driven") -> None:
        """Check what the agent believes: in known terrain all of it, elsewhere that it has eyes."""

    def free(self) -> list[Place]:
        """Where an agent can begin and end."""
        return self.places

    @abstractmethod
    def now(self, kind: str, place: Place) -> Any:
        """What the map says there."""

    @abstractmethod
    def noticed(self, driven: "Driven", kind: str, place: Place) -> None:
        """The agent learns that the map has changed there."""

    @abstractmethod
    def look_around(self, driven: "Driven", place: Place) -> None:
        """Its sensor may have looked around there."""


class Field(Land):
    """A grid."""

    def __init__(self, random: np.random.Generator):
        height, width = int(random.integers(1, 7)), int(random.integers(1, 7))
        self.passable = random.random((height, width)) >= random.choice([0.0, 0.2, 0.4])
        self.passable[random.integers(height), random.integers(width)] = True
        self.neighbors, self.corners = int(random.choice([4, 8, 8, 16])), str(random.choice(["strict", "cut"]))
        self.diagonal = float(random.choice([math.sqrt(2), 1.4, 1.25 if self.neighbors == 16 else 1.0]))
        self.travel = random.choice([1.0, 1.5, 4.0], self.passable.shape) if random.random() < 0.25 else None
        rules = {"neighbors": self.neighbors, "corners": self.corners, "diagonal": self.diagonal}
        h = str(random.choice(["auto", "auto", "euclidean", "none"]))
        self.world = tb.Grid(self.passable, heuristic=h, travel=self.travel, **rules)
        if self.travel is not None:
            self.travel = np.where(self.passable, self.travel, 1.0)
        self.places = [(x, y) for y in range(height) for x in range(width)]

    def free(self) -> list[Place]:
        return [place for place in self.places if self.passable[place[1], place[0]]]

    def moves(self, passable: np.ndarray, travel: np.ndarray | None, here: Place) -> Moves:
        x, y = here
        found: Moves = {}
        for dx, dy in grid_moves(passable, self.neighbors, self.corners, x, y):
            length = {1: 1.0, 2: self.diagonal, 5: math.sqrt(5)}[dx * dx + dy * dy]
            found[x + dx, y + dy] = length * (1 if travel is None else (travel[y, x] + travel[y + dy, x + dx]) / 2)
        return found

    def change(self, random: np.random.Generator, agents: "list[Driven]") -> str:
        what = str(random.choice(["block", "block", "unblock", "unblock", "under", "cost"]))
        cells = chosen(random, self.places, 4)
        if what == "under":
            what, cells = "block", [*{each.agent.position for each in agents}]
        if what == "cost":
            cost = float(random.choice([1, 1.5, 2, 4]))
            for each in agents:
                each.catch_up()  # a grid that gets its first costs makes them do so
            self.world.set_cost(cells, cost)
            before = np.ones(self.passable.shape) if self.travel is None else self.travel
            self.travel = before.copy()
            for x, y in cells:
                self.travel[y, x] = cost
                for each in agents:
                    each.pending.setdefault(("cost", (x, y)), before[y, x])
            return f"world.set_cost({cells}, {cost})"
        getattr(self.world, what)(np.array(cells) if random.random() < 0.3 else cells)
        for x, y in cells:
            for each in agents:
                each.pending.setdefault(("cell", (x, y)), bool(self.passable[y, x]))
            self.passable[y, x] = what == "unblock"
        return f"world.{what}({cells})"

    def now(self, kind: str, place: Place) -> Any:
        x, y = place
        if kind == "cell":
            return bool(self.passable[y, x])
        return 1.0 if self.travel is None else self.travel[y, x]

    def meet(self, driven: "Driven") -> None:
        driven.passable = driven.agent.truth.passable.copy() if driven.terrain == "partial" else self.passable

    def noticed(self, driven: "Driven", kind: str, place: Place) -> None:
        if kind == "cell" and driven.terrain == "partial":
            driven.passable[place[1], place[0]] = self.passable[place[1], place[0]]

    def tell(self, random: np.random.Generator, driven: "Driven") -> str:
        some = chosen(random, self.places, 6)
        if random.random() < 0.3:
            some.append(driven.agent.position)
        rows = np.array if random.random() < 0.3 else list
        facts: dict[str, Any] = {}
        if random.random() < 0.7:
            walls = {cell for cell in some if random.random() < 0.5}
            gaps = [cell for cell in dict.fromkeys(some) if cell not in walls]
            facts = {"blocked": rows([*walls]), "free": rows(gaps)}
            driven.told |= {("cell", cell): cell not in walls for cell in some}
        if random.random() < 0.3:
            costs = {cell: float(random.choice([1, 2, 2.5, 6])) for cell in some}
            for each in driven.all:
                each.catch_up()
            facts["costs"] = costs if random.random() < 0.5 else (rows([*costs]), rows([*costs.values()]))
            driven.told |= {("cost", cell): cost for cell, cost in costs.items()}
            if self.travel is None:
                self.travel = np.ones(self.passable.shape)
        driven.agent.observe(**facts)
        return f"observe({facts})"

    def true_moves(self, driven: "Driven", here: Place) -> Moves:
        if driven.terrain == "known":  # what it is told is true
            return self.moves(self._beliefs(driven)[0], self.travel, here)
        return self.moves(driven.passable, self.travel, here)

    def look_around(self, driven: "Driven", place: Place) -> None:
        """See `check_beliefs`."""

    def believed_moves(self, driven: "Driven") -> Callable[[Place], Moves]:
        free, travel = self._beliefs(driven)
        return lambda here: self.moves(free, travel, here)

    def _beliefs(self, driven: "Driven") -> tuple[np.ndarray, np.ndarray | None]:
        if driven.terrain != "known":
            return self._asked(driven)
        free, travel = self.passable.copy(), None if self.travel is None else self.travel.copy()
        for (kind, (x, y)), fact in driven.told.items():
            if kind == "cell":
                free[y, x] = fact
            else:
                travel[y, x] = fact
        return free, travel

    def _asked(self, driven: "Driven") -> tuple[np.ndarray, np.ndarray | None]:
        """What the agent says that it believes."""
        agent, shape = driven.agent, self.passable.shape
        knowledge = agent._knowledge
        free = np.array([bool(believed_free(knowledge, i)) for i in range(agent.world.states)]).reshape(shape)
        if not len(knowledge.own):
            return free, self.travel
        own = knowledge.own.reshape(shape) * 2.0**-knowledge.travel_bits
        return free, np.where(own > 0, own, self.travel)

    def check_beliefs(self, driven: "Driven") -> None:
        free, travel = self._asked(driven)
        x, y = driven.agent.position
        if driven.terrain == "known":
            right, costs = self._beliefs(driven)
            right[y, x] = True  # it can leave
            assert (free == right).all(), f"it believes {free.astype(int)}, not {right.astype(int)}"
            assert travel is costs is None or np.allclose(travel, costs), f"it believes costs {travel}, not {costs}"
        elif driven.sensed == (x, y):
            touched = self.neighbors if not driven.agent.parameters["line_of_sight"] else min(8, self.neighbors)
            for dx, dy in grid_moves(np.ones((5, 5), bool), touched, "cut", 2, 2):
                cx, cy = x + dx, y + dy
                if 0 <= cy < len(free) and 0 <= cx < len(free[0]) and (cx, cy) != driven.left:
                    assert free[cy, cx] == driven.passable[cy, cx], f"it has not seen {(cx, cy)}"


class Roads(Land):
    """A graph; no two of its edges join the same nodes in the same direction."""

    def __init__(self, random: np.random.Generator):
        count, one_way, free = int(random.integers(2, 11)), random.random() < 0.3, random.random() < 0.15
        self.places, self.costs = list(range(count)), dict[tuple[int, int], float]()
        for u, v in random.integers(count, size=(2 * count, 2)).tolist():
            self.costs[u, v] = float(random.choice([0, 0, 1, 3])) if free else float(random.integers(1, 10))
            if not one_way:
                self.costs[v, u] = self.costs[u, v]
        self.all_positive = all(self.costs.values())
        self.two_way = not one_way
        self.closed: set[tuple[int, int]] = set()
        h = None
        if random.random() < 0.5 and self.all_positive:
            h = random.integers(2, size=(count, 1)) if random.random() < 0.7 else lambda node, goal: float(node != goal)
        edges = [(u, v, cost) for (u, v), cost in self.costs.items()]
        self.world = tb.Graph.from_edges(edges, nodes=range(count), heuristic=h)

    def change(self, random: np.random.Generator, agents: "list[Driven]") -> str:
        what, some = str(random.choice(["block", "unblock", "unblock", "cost"])), chosen(random, [*self.costs], 4)
        before = {edge: self.now("edge", edge) for edge in some}
        if what == "cost":
            cost = float(random.choice([1, 2, 2.5, 7, 20]))
            for each in agents:
                each.catch_up()
            self.world.set_cost(some, cost)
            self.costs |= dict.fromkeys(some, cost)
        else:
            getattr(self.world, what)(some)
            self.closed = self.closed | {*some} if what == "block" else self.closed - {*some}
        for edge in some:
            for each in agents:
                each.pending.setdefault(("edge", edge), before[edge])
        return f"world.{what}({some}, {self.costs[some[0]]})"

    def now(self, kind: str, edge: Place) -> Any:
        return None if edge in self.closed else self.costs.get(edge)

    def meet(self, driven: "Driven") -> None:
        extra, (sources, targets) = driven.agent._knowledge.truth.tolist(), self.world.ends()
        ends = zip(sources.tolist(), targets.tolist(), strict=True)
        unit, there = self.world.unit, self.closed
        hidden = {edge: x for edge, x in zip(ends, extra, strict=True) if x and edge not in there}
        driven.hidden = {edge: self.costs[edge] + x / unit if x > 0 else None for edge, x in hidden.items()}

    def noticed(self, driven: "Driven", kind: str, edge: Place) -> None:
        driven.hidden.pop(edge, None)

    def tell(self, random: np.random.Generator, driven: "Driven") -> str:
        what, some = str(random.choice(["blocked", "free", "costs"])), chosen(random, [*self.costs], 4)
        facts: dict[str, Any] = {what: some}
        if what == "costs":
            price = {edge: float(random.choice([1, 5, 60])) for edge in some}
            facts = {"costs": price if random.random() < 0.5 else ([*price], [*price.values()])}
            driven.told |= {("edge", edge): cost for edge, cost in price.items()}
        elif what == "blocked":
            driven.told |= {("edge", edge): None for edge in some}
        else:
            for edge in some:
                driven.told.pop(("edge", edge), None)
                if edge in self.closed:
                    driven.told["edge", edge] = self.costs[edge]
        driven.doubtful -= {*some}
        driven.agent.observe(**facts)
        return f"observe({facts})"

    def true_moves(self, driven: "Driven", here: Place) -> Moves:
        if driven.terrain == "known":  # what it is told is true
            return {v: self.costs[u, v] for u, v in self._beliefs(driven) if u == here}
        found = {edge: driven.hidden.get(edge, cost) for edge, cost in self.costs.items() if edge not in self.closed}
        return {v: cost for (u, v), cost in found.items() if u == here and cost is not None}

    def believed_moves(self, driven: "Driven") -> Callable[[Place], Moves]:
        found = self._beliefs(driven) if driven.terrain == "known" else self._asked(driven)
        return lambda here: {v: cost for (u, v), cost in found.items() if u == here}

    def _beliefs(self, driven: "Driven") -> dict[tuple[int, int], float]:
        found = {edge: self.now("edge", edge) for edge in self.costs}
        asked = self._asked(driven)
        for (_, edge), cost in driven.told.items():
            seen_again = edge in driven.doubtful and asked.get(edge) == found[edge]
            found[edge] = found[edge] if seen_again else cost
        return {edge: cost for edge, cost in found.items() if cost is not None}

    def look_around(self, driven: "Driven", place: Place) -> None:
        """What it was told about the edges there may be replaced by what the map says."""
        driven.doubtful |= {edge for _, edge in driven.told if place in edge}

    def _asked(self, driven: "Driven") -> dict[tuple[int, int], float]:
        prices = self.world.compiled_map.edges["price"] + driven.agent._knowledge.extra
        sources, targets = self.world.ends()
        pairs = zip(sources.tolist(), targets.tolist(), prices.tolist(), strict=True)
        return {(u, v): price / self.world.unit for u, v, price in pairs if price >= 0}

    def check_beliefs(self, driven: "Driven") -> None:
        beliefs, here = self._asked(driven), driven.agent.position
        if driven.terrain == "known":
            right = self._beliefs(driven)
            same = beliefs.keys() == right.keys() and all(math.isclose(beliefs[e], right[e]) for e in right)
            assert same, f"it believes {beliefs}, not {right}"
        elif driven.sensed == here:
            seen = {v: cost for (u, v), cost in beliefs.items() if u == here}
            assert seen.keys() == self.true_moves(driven, here).keys(), f"it has not seen the edges of {here}"


# ------------------------------------------------------------------ one agent


class Driven:
    """An agent, and what its owner knows about it."""

    passable: np.ndarray
    hidden: dict[Any, Any]

    def __init__(self, land: Land, random: np.random.Generator, all_of_them: "list[Driven]"):
        self.land, self.random, self.all = land, random, all_of_them
        self.pending: dict[tuple[str, Place], Any] = {}  # changes since it last looked, and what was there before
        self.told: dict[tuple[str, Place], Any] = {}
        self.doubtful: set[Place] = set()  # edges about which it was told something before it looked
        self.left: Place = None  # where it was before: if it took that cell for blocked, it does so again
        self.sensed: Place = None  # where it last looked around, if nothing has changed since
        self.agent, self.about = self._make()
        self.terrain = self.agent.terrain
        self.budget = BUDGETS[int(random.integers(len(BUDGETS)))]
        land.meet(self)
        self.paid = 0.0
        self.place = plain(self.agent.position)
        self.put = False  # was it put anywhere in this trial, or told of an edge that is not there?

    def _make(self) -> tuple[tb.Agent, str]:
        """Make any agent; parameters that do not suit it, or each other, are left out."""
        random, free = self.random, self.land.free()
        on_grid = isinstance(self.land, Field)
        suited = [kind for kind in KINDS.values() if on_grid or not kind.needs_grid]
        kind = suited[int(random.integers(len(suited)))]
        terrains = [each for each in kind.terrain if on_grid or each != "unknown"]
        terrain = str(random.choice(terrains))
        given: dict[str, Any] = {"level": 1} if "level" in kind.parameters else {}
        for name in kind.parameters:
            if name in CHOICES and random.random() < 0.3:
                given[name] = CHOICES[name][int(random.integers(len(CHOICES[name])))]
        if random.random() < 0.5:
            given["fallback"] = "nearest"
        if terrain != "known" and on_grid and random.random() < 0.4:
            given |= {"radius": int(random.integers(1, 4)), "line_of_sight": bool(random.random() < 0.5)}
        if terrain == "partial":
            given |= {"hidden": float(random.choice([0.1, 0.3, 0.6])), "solvable": False}
            if not on_grid and random.random() < 0.3:
                given["cost_factor"] = float(random.choice([2, 10]))
        start, goal = (free[int(i)] for i in random.integers(len(free), size=2))
        if random.random() < 0.05:
            given["memory_mb"] = float(random.choice([0.0002, 0.0005, 0.002]))
        seed = int(random.integers(99))
        while True:
            try:
                agent = tb.make(kind.name, self.land.world, start, goal, terrain=terrain, seed=seed, **given)
                return agent, f"{kind.name} {start} -> {goal} {terrain} seed={seed} {given}"
            except tb.ProblemError:
                left_out = [name for name in given if name in CHOICES]
                if not left_out:
                    raise
                given.pop(left_out[int(random.integers(len(left_out)))])

    # ---------------------------------------------------------------- what its owner knows

    def catch_up(self) -> None:
        """What the library does before every call."""
        self.agent.catch_up()
        self.settle_pending()

    def settle_pending(self) -> None:
        for (kind, place), before in self.pending.items():
            if self.land.now(kind, place) != before:
                self.told.pop((kind, place), None)
                self.land.noticed(self, kind, place)
                self.sensed = None
        self.pending.clear()

    def go(self, places: list[Place]) -> None:
        """It has walked by itself: were its moves legal?"""
        for place in map(plain, places):
            moves = self.land.true_moves(self, self.place)
            assert place in moves, f"no move from {self.place} to {place}"
            self.put |= isinstance(self.land, Roads) and self.land.now("edge", (self.place, place)) is None
            self.paid += moves[place]
            self.place = place
            self.land.look_around(self, place)

    @property
    def ends(self) -> tuple[str, ...]:
        """How it may end."""
        return ENDED if self.agent.parameters["memory_mb"] is None else (*ENDED, "memory")

    @property
    def may_be_stuck(self) -> bool:
        """Does it step back where moves lead one way, or learn nothing?"""
        agent = self.agent
        walks_back = agent.kind.part("walk") in ("late", "time-bounded")
        two_way = isinstance(self.land, Field) or self._two_way()
        given = agent.parameters
        circles = given.get("learning") in ("none", "prioritised") or not given.get("escape", True)
        return circles or (walks_back and not two_way)

    def _two_way(self) -> bool:
        moves = self.land.believed_moves(self)
        return all(u in moves(v) for u in self.land.places for v in moves(u))

    # ---------------------------------------------------------------- the referee

    def check(self) -> None:
        """Is everything true that it says?"""
        agent, stop = self.agent, self.agent.stop
        assert agent.position == self.place, f"it is at {agent.position}, not {self.place}"
        there = agent.position == agent.goal
        assert (stop == "goal") == there or stop in ("intervals", "memory"), f"{stop} at {agent.position}"
        assert agent.done == (stop != "going")
        assert stop in (*self.ends, "going", "intervals"), stop
        self.land.check_beliefs(self)
        moves = self.land.believed_moves(self)
        path = list(agent.path)
        if path and not agent.done:
            assert path[0] == self.place, f"its path begins at {path[0]}"
        if stop == "unreachable":
            reachable = distances(moves, self.place)
            assert agent.goal not in reachable, "its goal can be reached"
            if agent.parameters["fallback"] == "nearest":
                self.check_refuge(list(reachable))
        if stop == "stuck":
            assert self.may_be_stuck, f"{agent.name} says that it is stuck"

    def check_refuge(self, reachable: list[Place]) -> None:
        """Is no place that it can reach nearer to the goal?"""
        world, agent = self.land.world, self.agent
        compiled = world.compiled(agent._goal)
        h = {place: int(heuristic(compiled, world.inside(place))) for place in reachable}
        least = min(h.values())
        assert h[self.place] == least, f"its refuge is {self.place}, but {[p for p in h if h[p] == least]} are nearer"

    def check_h(self) -> None:
        """What it has learned never exceeds the true cost, times the weight of its update."""
        agent, unit = self.agent, self.land.world.unit
        if not agent._learning:
            return
        moves, weight, h = self.land.believed_moves(self), agent.parameters.get("update_weight", 1), agent.h() / unit
        outside_walls = {after for place in self.land.places for after in moves(place)}
        for place in outside_walls:
            cost = distances(moves, place).get(agent.goal)
            if cost is not None and place != agent.goal and moves(place):
                learned = h[self.land.world.inside(place)]
                assert learned <= weight * cost + 1e-4, f"h of {place} is {learned}, not {cost}"

    def check_cost(self) -> None:
        if not self.put:
            cost = self.agent.episode().cost
            assert math.isclose(cost, self.paid, rel_tol=1e-6, abs_tol=1e-4), f"its moves cost {self.paid}, not {cost}"


class Drill:
    """One or two agents, what happens to them, and what must be true after that."""

    def __init__(self, seed: int, graphs: bool | None = None, file: Path | str | None = None):
        self.random, self.file = np.random.default_rng([17, seed]), file
        on_graph = bool(self.random.random() < 0.4) if graphs is None else graphs
        self.land: Land = Roads(self.random) if on_graph else Field(self.random)
        self.agents: list[Driven] = []
        self.log: list[str] = [self._describe()]
        for _ in range(1 if self.random.random() < 0.8 else 2):
            driven = Driven(self.land, self.random, self.agents)
            self.agents.append(driven)
            self.log.append(f"{driven.about} {driven.budget}")

    def _describe(self) -> str:
        if isinstance(self.land, Roads):
            return f"{self.land.world!r} {self.land.costs}"
        land: Any = self.land
        rules = (land.neighbors, land.corners, land.diagonal, land.world.heuristic)
        costs = None if land.travel is None else land.travel.tolist()
        return f"{rules} {land.passable.astype(int).tolist()} {costs}"

    # ---------------------------------------------------------------- what may happen

    def change(self, driven: Driven) -> str:
        done = self.land.change(self.random, self.agents)
        for each in self.agents:
            if self.random.random() < 0.5:
                each.catch_up()
        return done

    def tell(self, driven: Driven) -> str:
        driven.catch_up()
        driven.sensed = None
        return self.land.tell(self.random, driven)

    def step(self, driven: Driven) -> str:
        there, where = plain(driven.agent.step(**driven.budget)), driven.place
        driven.settle_pending()
        self.land.look_around(driven, where)
        if there != where:
            driven.go([there])
        driven.left = where
        driven.sensed = there if driven.agent.stop == "going" else None
        return f"step -> {there}"

    def run(self, driven: Driven) -> str:
        driven.catch_up()
        self._run(driven, int(self.random.integers(1, 6)))
        return f"run -> {driven.place} {driven.agent.stop}"

    def _run(self, driven: Driven, most: int) -> None:
        before = driven.agent.episode().moves
        self.land.look_around(driven, driven.place)
        episode = driven.agent.run(**driven.budget, intervals=most)
        driven.go(episode.path[before + 1 :])
        driven.sensed = None

    def drive(self, driven: Driven) -> str:
        """A loop of one's own: it looks around or not, plans, and is put anywhere."""
        agent = driven.agent
        if self.random.random() < 0.7:
            agent.sense()
            self.land.look_around(driven, driven.place)
        driven.settle_pending()
        here = driven.place
        wish = plain(agent.plan(**driven.budget))
        driven.settle_pending()
        assert wish == here or not agent.done
        assert wish == here or wish in self.land.believed_moves(driven)(here), f"{wish} is no move from {here}"
        possible = wish in self.land.true_moves(driven, here)
        there = wish if possible else here
        if self.random.random() < 0.3:
            there = here if self.random.random() < 0.4 else self._anywhere()
            driven.put |= there not in (wish, here) or (there == wish and not possible)
        if there != here:
            driven.put |= isinstance(self.land, Roads) and self.land.now("edge", (here, there)) is None
            driven.paid += self.land.true_moves(driven, here).get(there, 0.0)
        agent.moved(there)
        driven.place, driven.sensed = there, None
        return f"plan -> {wish}, moved({there})"

    def _anywhere(self) -> Place:
        return self.land.places[int(self.random.integers(len(self.land.places)))]

    def retarget(self, driven: Driven) -> str:
        free = self.land.free()
        if not free:
            return "nothing"
        goal = free[int(self.random.integers(len(free)))]
        if self.random.random() < 0.3 and driven.place in free:
            goal = driven.place
        driven.catch_up()
        driven.agent.retarget(goal)
        return f"retarget({goal})"

    def reset(self, driven: Driven) -> str:
        driven.catch_up()
        driven.agent.reset()
        driven.place, driven.paid, driven.put, driven.sensed = plain(driven.agent.position), 0.0, False, None
        return "reset"

    def set(self, driven: Driven) -> str:
        if driven.agent.kind.part("lookahead") != "local":
            return "nothing"
        given = {"lookahead": int(self.random.integers(1, 9)), "movements": int(self.random.integers(1, 4))}
        driven.agent.set(**given)
        return f"set({given})"

    def pursue(self, driven: Driven) -> str:
        """Its target passes a few places."""
        free = self.land.free()
        if not free:
            return "nothing"
        driven.catch_up()
        way = [free[int(i)] for i in self.random.integers(len(free), size=3)]
        before = driven.agent.episode().moves
        self.land.look_around(driven, driven.place)
        episode = driven.agent.run(**driven.budget, target=way, intervals=3)
        driven.go(episode.path[before + 1 :])
        driven.sensed = None
        return f"run(target={way}) -> {driven.place} {driven.agent.stop}"

    def look(self, driven: Driven) -> str:
        driven.catch_up()
        driven.check_h()
        driven.check_cost()
        return "look"

    def play(self) -> None:
        doings: dict[str, tuple[float, Callable[[Driven], str]]] = {
            "change": (0.22, self.change),
            "tell": (0.13, self.tell),
            "step": (0.25, self.step),
            "drive": (0.18, self.drive),
            "retarget": (0.06, self.retarget),
            "reset": (0.03, self.reset),
            "run": (0.02, self.run),
            "set": (0.03, self.set),
            "pursue": (0.03, self.pursue),
            "look": (0.05, self.look),
        }
        names, chances = list(doings), [chance for chance, _ in doings.values()]
        for name in self.random.choice(names, int(self.random.integers(4, 30)), p=chances):
            driven = self.agents[int(self.random.integers(len(self.agents)))]
            self.log.append(f"[{self.agents.index(driven)}] {name}")
            self.log[-1] = f"[{self.agents.index(driven)}] {doings[name][1](driven)}"
            if self.file is not None:
                driven.catch_up()  # a record does so, too
                self.log[-1] += f" {driven.place} {figures(driven.agent)}"
            if self.file is not None and len(self.log) % 4 == 0 and len(self.agents) == 1:
                self.begin_again(driven)
            if self.random.random() < 0.6:
                driven.catch_up()
                self.log[-1] += f" | {driven.agent.stop}"
                driven.check()
        for driven in self.agents:
            self.settle(driven)

    def begin_again(self, driven: Driven) -> None:
        """Go on with an agent that was saved and loaded; or with the same, if the file has no name."""
        driven.catch_up()
        if self.file and not callable(getattr(self.land.world, "_given", None)):
            driven.agent.save(self.file)
            driven.agent = tb.Agent.load(self.file)
            self.land.world = driven.agent.world

    def settle(self, driven: Driven) -> None:
        """Nothing happens any more: it comes to an end."""
        driven.catch_up()
        self.log.append(f"settle from {driven.place} {driven.agent.stop}")
        if driven.agent.stop == "intervals":
            return
        self._run(driven, LIMIT)
        self.log.append(f"-> {driven.place} {driven.agent.stop} {driven.agent.episode().path[-12:]}")
        assert driven.agent.stop in driven.ends, f"no end: {driven.agent.stop}"
        driven.check()
        driven.check_h()
        driven.check_cost()


def figures(agent: tb.Agent) -> tuple[Any, ...]:
    """What its record says."""
    episode = agent.episode()
    return episode.moves, episode.expansions, episode.searches, episode.cost, episode.stop, episode.memory_bytes


def drill(seed: int, graphs: bool | None = None, file: Path | str | None = None) -> Drill | None:
    """Run one sequence; an error says which it was. See `Drill.begin_again`."""
    try:
        made = Drill(seed, graphs, file)
    except tb.ProblemError as error:  # no obstacles can be hidden here, or no agent of this kind can be here
        return refused(error)
    try:
        made.play()
    except Exception as error:
        retreating = [retreats(driven.agent) for driven in made.agents]
        error.add_note(f"drill({seed}, {graphs}): {made.agents[0].about} retreating={retreating}")
        error.add_note("\n".join(made.log))
        raise
    return made


def refused(error: tb.ProblemError) -> None:
    """An error in one line is fine."""
    assert "\n" not in str(error)


if __name__ == "__main__":
    import time
    import traceback

    first, last = int(sys.argv[1]), int(sys.argv[2])
    graphs = {"graphs": True, "grids": False}.get(sys.argv[3] if len(sys.argv) > 3 else "")
    began, bad, not_made = time.time(), 0, 0
    for seed in range(first, last):
        try:
            not_made += drill(seed, graphs) is None
            if (seed + 1) % 1000 == 0:
                print(seed + 1 - first, "sequences", flush=True)
        except Exception as error:
            bad += 1
            where, notes = traceback.extract_tb(error.__traceback__)[-1], getattr(error, "__notes__", [""])
            told = f"{type(error).__name__} {str(error)[:150]} | {notes[0][:220]}"
            print(seed, where.name, where.lineno, told, flush=True)
    print(f"{last - first} sequences, {bad} bad, {not_made} refused, {time.time() - began:.0f} s", flush=True)
