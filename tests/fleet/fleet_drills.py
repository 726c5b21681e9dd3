"""Random fleets to which anything may happen, and a referee that knows only what a user can see.

The referee keeps a plain map and a plain list of who is where. It finds out by a flood fill what can be reached.

    NUMBA_DISABLE_JIT=1 python tests/fleet/fleet_drills.py 0 1000
    NUMBA_DISABLE_JIT=1 python tests/fleet/fleet_drills.py 0 1000 complete
"""

import math
import sys
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from naive import grid_moves

import timebound as tb
from timebound.fleet.options import price_of_expansion
from timebound.fleet.world_changes import hear_of_changes

Place = Any  # (x, y) on a grid, a number on a graph

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("rtaa", {"lookahead": 5}),
    ("rtaa", {}),
    ("lss-lrta", {"lookahead": 4}),
    ("lss-lrta", {"lookahead": 9, "movements": 1}),
    ("lss-lrta", {"lookahead": 8, "weight": 1.5}),
    ("lss-lrtwa", {"lookahead": 6}),
    ("wlss-lrta", {"lookahead": 3}),
    ("da-rtaa", {"lookahead": 7}),
    ("a-rtaa", {"lookahead": 2}),
    ("lrta", {}),
    ("lrta", {"depth": 2}),
    ("plrta", {"queue": 5}),
    ("rtaa", {"lookahead": 4, "learning": "lazy"}),
    ("rtaa", {"learning": "none"}),
    ("astar", {}),
    ("wastar", {"weight": 2}),
    ("gbfs", {}),
    ("late-astar", {}),
    ("repeated-astar", {"direction": "backward"}),
    ("adaptive-astar", {}),
    ("gaa", {}),
    ("mpaa", {}),
    ("mpgaa", {}),
    ("dstar-lite", {}),
    ("fra", {}),
    ("tba", {}),
    ("tba", {"shortcut": True, "trace_ratio": None}),
    ("rtba", {}),
    ("tbaa", {}),
    ("tb-wastar", {}),
    ("tb-gbfs", {}),
    ("tbr-wastar", {}),
    ("knn-lrta", {"records": 20}),
    ("d-lrta", {"level": 1}),
    ("pr-lrta", {"level": 1}),
]
KNOWN = {kind.name for kind in tb.catalogue() if kind.terrain == ("known",)}
ON_GRIDS = {"knn-lrta", "d-lrta", "pr-lrta", "fra"}
LEARNS_NOTHING = {"learning": "none"}
TIME_BOUNDED = {"tba", "rtba", "tbaa", "tb-wastar", "tb-gbfs", "tbr-wastar"}
SMALL_STEPS = {"lrta", "plrta", "knn-lrta", "d-lrta", "pr-lrta"}
MAY_BE_STUCK = {"knn-lrta", "d-lrta", "pr-lrta"}
GOING = ("moving", "waiting", "blocked")
LONG_ENOUGH = 40  # ticks to look at units that need not stop: those that take long to prove a goal unreachable
PATIENCE = 12  # ticks without a move that a unit with a path may take when nothing changes


# ------------------------------------------------------------------ plain maps


class PlainGrid:
    """A grid of the library, and the same in plain Python."""

    def __init__(self, generator: np.random.Generator):
        height, width = (int(side) for side in generator.integers(1, 8, 2))
        passable = generator.random((height, width)) >= generator.choice([0.0, 0.15, 0.3])
        passable[generator.integers(height), generator.integers(width)] = True
        self.neighbors, self.corners = int(generator.choice([4, 8, 16])), str(generator.choice(["strict", "cut"]))
        self.travel = None
        if generator.random() < 0.2:
            self.travel = np.where(passable, generator.integers(1, 4, passable.shape), 1.0)
        self.passable, self.freer, self.version = passable, False, 0
        self.world = tb.Grid(passable, neighbors=self.neighbors, corners=self.corners, travel=self.travel)
        self._reaching: dict[Place, tuple[int, set[Place]]] = {}

    def places(self) -> list[Place]:
        return [(x, y) for y, x in np.argwhere(self.passable).tolist()]

    def is_wall(self, place: Place) -> bool:
        return not self.passable[place[1], place[0]]

    def cost(self, place: Place, following: Place) -> float | None:
        """The cost of a move; None if it is not legal."""
        dx, dy = following[0] - place[0], following[1] - place[1]
        if (dx, dy) not in grid_moves(self.passable, self.neighbors, self.corners, *place):
            return None
        mean = 1.0
        if self.travel is not None:
            mean = (self.travel[place[1], place[0]] + self.travel[following[1], following[0]]) / 2
        return math.sqrt(dx * dx + dy * dy) * mean

    def leads_out(self, place: Place, following: Place) -> bool:
        """Is it a step on the way out of a wall?"""
        return self.is_wall(place) and max(abs(place[0] - following[0]), abs(place[1] - following[1])) <= 1

    def reaching(self, goal: Place) -> set[Place]:
        """All places from which there is a path to the goal."""
        version, found = self._reaching.get(goal, (-1, set()))
        if version == self.version:
            return found
        found, todo = {goal}, deque([goal])
        while todo and not self.is_wall(goal):
            x, y = todo.popleft()
            for dx, dy in grid_moves(self.passable, self.neighbors, self.corners, x, y):  # each leads both ways
                if (x + dx, y + dy) not in found:
                    found.add((x + dx, y + dy))
                    todo.append((x + dx, y + dy))
        self._reaching[goal] = self.version, found
        return found

    def has_way(self, place: Place, goal: Place) -> bool:
        """Is there a path? From inside a wall: is there any way out?"""
        return self.passable.any() if self.is_wall(place) else place in self.reaching(goal)

    def change(self, generator: np.random.Generator, occupied: list[Place]) -> None:
        what = generator.choice(["block", "block under", "unblock", "unblock", "cost"])
        walls = [(x, y) for y, x in np.argwhere(~self.passable).tolist()]
        self.version += 1
        if what == "cost":
            cells = chosen(generator, self.places(), 2)
            cost = float(generator.integers(1, 5))
            self.world.set_cost(cells, cost)
            if self.travel is None:
                self.travel = np.ones(self.passable.shape)
            for x, y in cells:
                self.travel[y, x] = cost
            self.freer = True
        elif what == "unblock":
            cells = chosen(generator, walls, 3)
            self.world.unblock(cells)
            for x, y in cells:
                self.passable[y, x] = True
            self.freer = True
        else:
            cells = chosen(generator, occupied if what == "block under" else self.places(), 3)
            self.world.block(cells)
            for x, y in cells:
                self.passable[y, x] = False


class PlainGraph:
    """A graph of the library, and its edges in a dictionary."""

    def __init__(self, generator: np.random.Generator):
        count = int(generator.integers(2, 16))
        self.count, self.version, self.freer = count, 0, False
        self.edges: dict[tuple[int, int], float] = {}
        for u in range(count):
            for v in generator.choice(count, min(count, 3), replace=False).tolist():
                if u != v:
                    cost = float(generator.integers(1, 6))
                    self.edges[u, v] = cost
                    if generator.random() < 0.7:
                        self.edges[v, u] = cost
        self.closed: set[tuple[int, int]] = set()
        listed = [(u, v, cost) for (u, v), cost in self.edges.items()]
        self.world = tb.Graph.from_edges(listed, nodes=range(count))

    def places(self) -> list[Place]:
        return list(range(self.count))

    def is_wall(self, place: Place) -> bool:
        return False

    def cost(self, place: Place, following: Place) -> float | None:
        return None if (place, following) in self.closed else self.edges.get((place, following))

    def leads_out(self, place: Place, following: Place) -> bool:
        return False

    def has_way(self, place: Place, goal: Place) -> bool:
        found, todo = {place}, [place]
        while todo:
            here = todo.pop()
            for u, v in self.edges:
                if u == here and v not in found and (u, v) not in self.closed:
                    found.add(v)
                    todo.append(v)
        return goal in found

    def change(self, generator: np.random.Generator, occupied: list[Place]) -> None:
        what = generator.choice(["block", "unblock", "cost"])
        self.version += 1
        if what == "block":
            edges = chosen(generator, [edge for edge in self.edges if edge not in self.closed], 3)
            self.world.block(edges)
            self.closed |= set(edges)
        elif what == "unblock":
            edges = chosen(generator, sorted(self.closed), 3)
            self.world.unblock(edges)
            self.closed -= set(edges)
            self.freer = True
        else:
            edges, cost = chosen(generator, list(self.edges), 2), float(generator.integers(1, 9))
            self.world.set_cost(edges, cost)
            self.edges |= dict.fromkeys(edges, cost)
            self.freer = True


def chosen(generator: np.random.Generator, among: list[Any], most: int) -> list[Any]:
    """A few of these, at random, each once."""
    count = min(len(among), int(generator.integers(1, most + 1)))
    return [among[int(i)] for i in generator.choice(len(among), count, replace=False)] if count else []


# ------------------------------------------------------------------ what the referee knows of a unit


class Known:
    """One unit, as its owner knows it."""

    def __init__(self, place: Place, goal: Place, kind: tuple[str, dict[str, Any]], terrain: str):
        self.place, self.goal, self.kind, self.terrain = place, goal, kind, terrain
        self.moves, self.cost, self.expansions, self.longest_wait = 0, 0.0, 0, 0
        self.turns_missed = 0  # ticks in which it waited from beginning to end, and did not plan
        self.bound = 0  # the largest that was promised during that
        self.idle = 0  # ticks since it last moved, with a path or waiting for one, while nothing happened
        self.status = ""


class Drill:
    """A fleet, what happens to it, and what must be true after that."""

    def __init__(
        self,
        seed: int,
        threads: int | None = None,
        file: Path | str | None = None,
        collisions: str | None = None,
    ):
        self.file = file
        self.seed, self.random = seed, np.random.default_rng([31, seed])
        self.options = self._options()
        if collisions is not None:
            self.options["collisions"] = collisions
        self.together = bool(self.options["repair"]) or self.options["collisions"] == "complete"
        if threads is not None and self.options["threads"] > 1:
            self.options["threads"] = threads
        on_grid = self.random.random() < 0.8 or self.options["guidance"] or collisions == "complete"
        self.map: Any = PlainGrid(self.random) if on_grid else PlainGraph(self.random)
        fitting = [kind for kind in KINDS if on_grid or kind[0] not in ON_GRIDS]
        self.kinds = chosen(self.random, fitting, 3)
        self.callback = self.random.random() < 0.3
        self.fleet = tb.Fleet(self.map.world, on_arrival=self.next_goals if self.callback else None, **self.options)
        self.budget = int(self.random.choice([1, 3, 8, 20, 60]))
        self.by_clock = self.random.random() < 0.05
        self.most_promised = 0
        self.units: dict[int, Known] = {}
        self.goals_of_all: list[Place] = []  # of every unit since the last tick began
        self.told: list[Any] = []
        self.happened = 0  # a count of what the user did
        self.log: list[str] = []

    def _options(self) -> dict[str, Any]:
        random = self.random
        collisions = str(random.choice(["none", "wait", "push", "push"]))
        guidance = [False, False, False, True, (0.3, 2.0), (0.0, 0.5)][int(random.integers(6))]
        repair = [1, 5, True][int(random.integers(3))] if collisions == "push" and random.random() < 0.3 else False
        return {
            "collisions": collisions,
            "guidance": guidance,
            "repair": repair,
            "threads": 1 if guidance or random.random() < 0.8 else 3,
            "memory_mb": 1024 if random.random() < 0.93 else float(random.choice([0.01, 0.03, 0.1])),
        }

    # ---------------------------------------------------------------- what a user does

    def add(self) -> None:
        taken = {unit.place for unit in self.units.values()} if self.options["collisions"] != "none" else set()
        free = [place for place in self.map.places() if place not in taken]
        count = int(self.random.integers(1, 4))
        starts = chosen(self.random, free, count)
        if not starts or len(self.units) > 12:
            return
        name, parameters = self.kinds[int(self.random.integers(len(self.kinds)))]
        known_only = self.together or name in KNOWN or not self.on_grid
        unknown = not known_only and self.random.random() < 0.4
        terrain = "unknown" if unknown else "known"
        group = str(self.random.choice(["a", "b"])) if not unknown and self.random.random() < 0.3 else None
        goals = [self.goal() for _ in starts]
        if group:
            goals = [goals[0]] * len(starts)
        priority = int(self.random.integers(-1, 2))
        if unknown:
            sight = [{}, {"radius": 2}, {"radius": 3, "line_of_sight": True}][int(self.random.integers(3))]
            parameters = parameters | sight
        one = len(starts) == 1 and self.random.random() < 0.5
        places: Any = (starts[0], goals[0]) if one else (starts, goals)
        if not one and self.random.random() < 0.5:
            places = np.array(starts), np.array(goals)
        numbers = self.fleet.add(
            name, start=places[0], goal=places[1], terrain=terrain, group=group, priority=priority, **parameters
        )
        for unit, start, goal in zip([numbers] if one else numbers.tolist(), starts, goals, strict=True):
            assert unit not in self.units, f"the number {unit} is given twice"
            self.units[unit] = Known(start, goal, (name, parameters), terrain)
            self.log.append(f"add {unit} {name} {parameters} {terrain} {group} {start} -> {goal} p{priority}")

    def goal(self) -> Place:
        """Any free place, often one of another unit."""
        others = [unit.goal for unit in self.units.values() if not self.map.is_wall(unit.goal)]
        places = self.map.places()
        among = others if others and self.random.random() < 0.3 else places
        return among[int(self.random.integers(len(among)))]

    def remove(self) -> None:
        gone = chosen(self.random, sorted(self.units), 3)
        twice = gone[:1] if self.random.random() < 0.2 else []
        self.fleet.remove(gone + twice if len(gone) != 1 else gone[0])
        for unit in gone:
            del self.units[unit]
        self.log.append(f"remove {gone}")

    def retarget(self) -> None:
        sent = chosen(self.random, sorted(self.units), 3)
        if not sent or not self.map.places():
            return
        goals = [self.goal() for _ in sent]
        if self.random.random() < 0.2 and not any(self.map.is_wall(self.units[unit].place) for unit in sent):
            goals = [self.units[unit].place for unit in sent]
        if self.random.random() < 0.2:
            goals = goals[:1] * len(sent)
            self.fleet.retarget(sent, goals[0])
        else:
            self.fleet.retarget(sent, goals)
        self.set_out(sent, goals)

    def set_out(self, units: list[int], goals: list[Place]) -> None:
        for unit, goal in zip(units, goals, strict=True):
            self.units[unit].goal = goal
            self.goals_of_all.append(goal)
            self.units[unit].idle = 0
        self.log.append(f"retarget {units} {goals}")

    def change(self) -> None:
        before = self.map.version
        if self.map.places():
            self.map.change(
                self.random, [unit.place for unit in self.units.values() if not self.map.is_wall(unit.place)]
            )
            self.log.append(f"change {before} -> {self.map.world!r}")

    def next_goals(self, arrived: np.ndarray) -> Any:
        """The callback: it gives goals to none, one or all, and may do anything else besides."""
        self._take_places()
        units = arrived.tolist()
        for unit in units:
            assert self.is_there(self.units[unit])
            self.units[unit].turns_missed = 0  # it no longer waits
        goals = [self.goal() for _ in units] if self.random.random() < 0.6 and self.map.places() else None
        doings: list[Callable[[], None]] = [self.add, self.remove, self.retarget]
        known = dict(self.units)
        self.log.append("(on arrival")
        for doing in doings:
            if self.random.random() < 0.25:
                doing()
        if goals is not None:
            same = [
                (unit, goal) for unit, goal in zip(units, goals, strict=True) if self.units.get(unit) is known[unit]
            ]
            self.set_out([unit for unit, _ in same], [goal for _, goal in same])
        self.log.append(")")
        self.happened += 1
        return goals

    # ---------------------------------------------------------------- a tick, and the referee

    def positions(self) -> dict[int, Place]:
        places = self.fleet.positions.tolist()
        return dict(
            zip(self.fleet.units.tolist(), [tuple(p) if isinstance(p, list) else p for p in places], strict=True)
        )

    def _take_places(self) -> None:
        """After the moves: note who has gone where, and check that it was possible."""
        if self.placed:
            return
        self.placed, after = True, self.positions()
        assert after.keys() == self.units.keys()
        before = {number: unit.place for number, unit in self.units.items()}
        for number, unit in self.units.items():
            if after[number] != before[number]:
                cost = self.map.cost(before[number], after[number])
                out = self.map.leads_out(before[number], after[number])
                assert cost is not None or out, f"unit {number} went from {before[number]} to {after[number]}"
                unit.place, unit.moves, unit.cost = after[number], unit.moves + 1, unit.cost + (0.0 if out else cost)
                self.moved += 1
        if self.options["collisions"] != "none":
            places = Counter(after.values())
            assert max(places.values(), default=1) == 1, f"two units in one place: {places}"
            was_at = {place: number for number, place in before.items()}
            for number, place in after.items():
                other = was_at.get(place, number)
                swapped = other != number and after[other] == before[number]
                assert not swapped, f"units {number} and {other} swapped places"

    def tick(self, budget: float | None = None) -> None:
        budget = budget or max(1, int(self.budget * self.random.choice([0.5, 1, 1, 2])))
        before = {number: unit.moves for number, unit in self.units.items()}
        places = {number: unit.place for number, unit in self.units.items()}
        self.moved, self.placed = 0, False
        self.goals_of_all = [unit.goal for unit in self.units.values()]
        known = dict(self.units)
        happened = self.happened
        budget = math.inf if self.random.random() < 0.03 else budget
        virtual = self.random.random() < 0.1
        if self.by_clock:
            tick = self.fleet.tick(ms=budget / 1000)
        elif virtual:
            tick = self.fleet.tick(virtual_ms=budget * price_of_expansion(self.map.world) / 1e6)
        else:
            tick = self.fleet.tick(expansions=budget)
        self._take_places()
        self.log.append(f"tick {budget}: {self.fleet.positions.tolist()} {self.fleet.status()} {self.fleet.waiting}")
        same = {n: u for n, u in self.units.items() if known.get(n) is u}
        for number, unit in same.items():
            unit.idle = unit.idle + 1 if unit.moves == before[number] else 0
            if self.happened != happened:
                unit.idle = 0
        assert tick.moved == self.moved, (tick.moved, self.moved)
        if self.happened == happened:
            self._check_blocked(places)
        self._check(tick, budget, ticked=True)

    @property
    def on_grid(self) -> bool:
        return isinstance(self.map, PlainGrid)

    def plan(self) -> None:
        budget = self.budget
        tick = self.fleet.plan(expansions=budget)
        self.log.append(f"plan {budget}: {self.fleet.status()} {self.fleet.waiting}")
        assert tick.moved == 0
        assert self.positions() == {number: unit.place for number, unit in self.units.items()}
        self._check(tick, budget, ticked=False)

    def _check(self, tick: Any, budget: float, ticked: bool) -> None:
        fleet, status = self.fleet, dict(zip(self.fleet.units.tolist(), self.fleet.status(), strict=True))
        records = dict(zip(fleet.units.tolist(), fleet.records(), strict=True))
        assert status.keys() == self.units.keys()
        assert tick.expansions <= max(budget, self.least_turn()) or self.by_clock, (tick.expansions, budget)
        assert tick.waiting == fleet.waiting
        assert tick.waiting == 0 or tick.served > 0, "units wait, and none planned"
        self._check_waiting(status)
        spent = 0
        bound = fleet.bound(expansions=budget)
        planned = {number for number, unit in self.units.items() if has_planned(unit, status[number], records[number])}
        # A turn may take no expansion: what has changed may only make it give up its search. Whose turn was that?
        silent = tick.served > len(planned)
        for number, unit in self.units.items():
            unit.status = status[number]
            self._check_status(number, unit)
            record = records[number]
            assert record.moves == unit.moves, (number, record, unit.moves)
            assert math.isclose(record.cost, unit.cost, rel_tol=1e-4, abs_tol=1e-9), (number, record, unit.cost)
            spent += record.expansions - unit.expansions
            assert record.expansions >= unit.expansions
            if silent and number not in planned:
                unit.turns_missed = 0
            self._check_wait(number, unit, record, bound, ticked)
            unit.expansions, unit.longest_wait = record.expansions, record.longest_wait
            path = fleet.path(number)
            assert not path or path[0] == unit.place, f"the path of {number}, {path}, does not begin at {unit.place}"
            assert (len(path) > 1) == (unit.status in ("moving", "blocked")), f"{number} is {unit.status!r}: {path}"
        if not self.together and not len(fleet._state.groups) and not self.callback:
            assert spent == tick.expansions, (spent, tick.expansions)
        self.told.append((fleet.units.tolist(), fleet.positions.tolist(), fleet.status(), tick[2:6], fleet.records()))

    def _check_blocked(self, before: dict[int, Place]) -> None:
        """A blocked unit wants to go where another one was, or is now. (A plan may delay it for others farther off.)"""
        if self.together:
            return
        blocked = [
            n for n, status in zip(self.units, self.fleet.status(list(self.units)), strict=True) if status == "blocked"
        ]
        for number in blocked:
            wish = self.fleet.path(number)[1]
            others = [other for other in self.units if other != number]
            near = any(wish in (before[other], self.units[other].place) for other in others)
            assert near, f"nobody is in the way of {number}, which is blocked on its way to {wish}"

    def least_turn(self) -> int:
        """The least that a turn takes: d-lrta looks at a state a second time when it gives up."""
        return 2 if any(unit.kind[0] == "d-lrta" for unit in self.units.values()) else 1

    def _check_waiting(self, status: dict[int, str]) -> None:
        waiting = sum(word == "waiting" for word in status.values())
        going = sum(word in GOING for word in status.values())
        assert waiting <= self.fleet.waiting <= going, f"{self.fleet.waiting} wait: {status}"
        assert self.fleet.done == (going == 0)

    def _check_status(self, number: int, unit: Known) -> None:
        told = f"unit {number} ({unit.kind}) is {unit.status!r} at {unit.place}; its goal is {unit.goal}"
        assert unit.status in (*GOING, "unreachable", "arrived", "memory", "stuck"), told
        assert unit.status != "arrived" or self.is_there(unit), told
        assert unit.status == "arrived" or unit.place != unit.goal or self.map.is_wall(unit.place), told
        if unit.status == "unreachable":
            sure = unit.terrain == "known" or not self.map.freer  # its kind may have seen walls that are open now
            assert not sure or not self.map.has_way(unit.place, unit.goal), told
        if unit.status == "memory":
            assert self.options["memory_mb"] < 1, told
        if unit.status == "stuck":
            one_way = not self.on_grid and unit.kind[0] in TIME_BOUNDED
            assert one_way or unit.kind[0] in MAY_BE_STUCK or "learning" in unit.kind[1], told

    def is_there(self, unit: Known) -> bool:
        """Is it at its goal, or may it have settled beside one that has, or had, the same?"""
        shared = sum(goal == unit.goal for goal in self.goals_of_all)
        return unit.place == unit.goal or (self.options["collisions"] != "none" and shared > 1)

    def _check_wait(self, number: int, unit: Known, record: Any, bound: int, ticked: bool) -> None:
        """Nobody waits longer than promised, and nobody is forgotten."""
        planned = has_planned(unit, "waiting", record)
        if unit.status != "waiting" or planned:
            if planned and unit.turns_missed:
                assert record.longest_wait >= unit.turns_missed - 1, (number, record, unit.turns_missed)
            unit.turns_missed = unit.bound = 0
            if planned and unit.status == "waiting":
                unit.bound = bound
        else:
            unit.turns_missed += ticked
        if self.by_clock:
            return
        unit.bound = max(unit.bound, bound)
        self.most_promised = max(self.most_promised, bound)
        assert unit.turns_missed <= unit.bound, f"{number} waits for {unit.turns_missed} ticks, not {unit.bound}"
        assert record.longest_wait <= self.most_promised, (
            f"{number} waited {record.longest_wait} ticks: {self.most_promised}"
        )

    # ---------------------------------------------------------------- the end

    def settle(self) -> None:
        """Nothing happens any more: units that can arrive do, and nobody stands still without a reason."""
        self.fleet.on_arrival = None
        self.happened += 1
        budget = max(self.budget, 2 * len(self.units))
        for unit in self.units.values():
            unit.idle = 0
        for tick in range(self.most_ticks()):
            self.tick(budget)
            if self.fleet.done or (tick > LONG_ENOUGH and not self.late()):
                break
            self._check_idle()
        if self.options["collisions"] == "none":
            self._check_all_have_stopped()

    def free_the_way(self) -> None:
        """One of those that are still on their way is left alone: now it has to stop, at its goal or with a reason."""
        going = [number for number, unit in self.units.items() if unit.status in GOING]
        if not going:
            return
        left = going[int(self.random.integers(len(going)))]
        gone = [number for number in self.units if number != left]
        self.fleet.remove(gone)
        self.units = {left: self.units[left]}
        self.log.append(f"only {left} is left")
        for tick in range(self.time_alone()):
            self.tick(max(self.budget, 2))
            if self.fleet.done or (tick > LONG_ENOUGH and not self.late()):
                break
        self._check_all_have_stopped()

    def late(self) -> list[Any]:
        """Return the units that have to stop, and have not."""
        return [(number, unit.status, unit.kind) for number, unit in self.units.items() if self.is_late(unit)]

    def _check_all_have_stopped(self) -> None:
        assert not self.late(), f"still on their way: {self.late()}"

    def is_late(self, unit: Known) -> bool:
        """Is it still on its way? With guidance and with small steps, it takes long to prove a goal unreachable."""
        slow = bool(self.options["guidance"]) or unit.kind[0] in SMALL_STEPS or "learning" in unit.kind[1]
        proves = slow and not self.map.has_way(unit.place, unit.goal)
        return unit.status in GOING and not proves

    def most_ticks(self) -> int:
        return 40 if self.options["collisions"] != "none" else self.time_alone()

    def time_alone(self) -> int:
        """Ticks in which any unit gets to its goal if no other is in its way: LRTA* learns slowly."""
        return 400 + 120 * len(self.map.places())

    def _check_idle(self) -> None:
        for number, unit in self.units.items():
            patience = PATIENCE + self.searching_time(unit)
            if unit.status in GOING and unit.idle > patience:
                if unit.status == "blocked" and self.crowded(number, unit):
                    continue
                if unit.status == "waiting" and self.crowded(number, unit):
                    continue
                raise AssertionError(f"unit {number} {unit.kind} has been {unit.status!r} for {unit.idle} ticks")

    def searching_time(self, unit: Known) -> int:
        """Ticks that a search of the whole map may take."""
        share = max(1, self.budget // max(1, len(self.units)))
        states = len(self.map.places())
        return 4 * len(self.units) * (1 + states // min(share, 8))

    def crowded(self, number: int, unit: Known) -> bool:
        """Is another unit near?"""
        if self.options["collisions"] == "none":
            return False
        others = [other.place for other in self.units.values() if other is not unit]
        if not self.on_grid:
            return bool(others)
        return any(max(abs(x - unit.place[0]), abs(y - unit.place[1])) <= 3 for x, y in others)

    def run(self) -> list[Any]:
        doings: dict[str, tuple[float, Callable[[], None]]] = {
            "add": (0.15, self.add),
            "remove": (0.07, self.remove),
            "retarget": (0.12, self.retarget),
            "change": (0.15, self.change),
            "plan": (0.06, self.plan),
            "tick": (0.45, self.tick),
        }
        names, chances = list(doings), [chance for chance, _ in doings.values()]
        if self.random.random() < 0.9:
            self.add()
        for name in self.random.choice(names, int(self.random.integers(5, 30)), p=chances):
            if name not in ("tick", "plan"):
                self.happened += 1
                for unit in self.units.values():
                    unit.idle = 0
            doings[name][1]()
            if self.file is not None and self.random.random() < 0.3:
                self.begin_again()
        self.settle()
        self.free_the_way()
        return self.told

    def begin_again(self) -> None:
        """Go on with a fleet that was saved and loaded; or with the same, if the file has no name."""
        hear_of_changes(self.fleet._state)
        if self.file:
            self.fleet.save(self.file)
            self.fleet = tb.Fleet.load(self.file, on_arrival=self.fleet.on_arrival)
            self.map.world = self.fleet.world
        self.told.append(self.fleet.memory_bytes)


def has_planned(unit: Known, status: str, record: Any) -> bool:
    """Has a unit had a turn, as far as its status and its record tell?"""
    got_path = unit.status == "waiting" and status != "waiting"
    return got_path or record.expansions > unit.expansions or record.longest_wait > unit.longest_wait


def drill(
    seed: int, threads: int | None = None, file: Path | str | None = None, collisions: str | None = None
) -> list[Any]:
    """Run one sequence; an error says which it was. See `Drill.begin_again`."""
    made = Drill(seed, threads, file, collisions)
    try:
        return made.run()
    except Exception as error:
        error.add_note(f"drill({seed}): {made.options}, {made.map.world!r}")
        error.add_note("\n".join(made.log))
        raise


if __name__ == "__main__":
    import time
    import traceback

    first, last, mode = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None
    began, bad = time.time(), 0
    for seed in range(first, last):
        try:
            told = drill(seed, collisions=mode)
            if seed % 5 == 0 and drill(seed, threads=2, collisions=mode) != told:
                print(seed, "NOT REPEATABLE", flush=True)
            if (seed + 1) % 1000 == 0:
                print(seed + 1 - first, "sequences", flush=True)
        except Exception as error:
            bad += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            lines = (str(error) or type(error).__name__).splitlines()
            print(
                seed,
                where.name,
                where.lineno,
                type(error).__name__,
                lines[0][:170],
                getattr(error, "__notes__", "")[0][:160],
                flush=True,
            )
    print(f"{last - first} sequences, {bad} bad, {time.time() - began:.0f} s")
