"""Random fleets of units with sizes, mobilities and speeds, and a referee that knows only what a user can see.

NUMBA_DISABLE_JIT=1 python tests/fleet/body_drills.py 0 1000
"""

import sys
from collections import deque
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from fleet_drills import KINDS, ON_GRIDS, chosen
from naive import grid_moves

import timebound as tb

Place = tuple[int, int]
MOBILITIES = {"land": {0: 1, 1: 3}, "boat": {2: 1}, "bird": {0: 1, 1: 1, 2: 1}}
SIZES = [1, 1, 2, 3, tb.Disc(1.2)]
SPEEDS = [1, 1, 0.5, 0.25, 0.7, 2, 3]
SUITED = [kind for kind in KINDS if kind[0] not in ON_GRIDS]
GOING = ("moving", "waiting", "blocked")


class Body:
    """What its owner knows of a unit."""

    def __init__(self, size: Any, mobility: str, speed: float, place: Place, goal: Place, priority: int):
        self.size, self.mobility, self.speed, self.priority = size, mobility, speed, priority
        self.place, self.goal = place, goal
        self.came, self.began = place, 0  # its latest move
        self.born = self.moves = 0
        reach = 1 if isinstance(size, tb.Disc) else 0
        extent = 3 if reach else size
        self.box = (-reach, -reach, extent)

    def cells(self, place: Place) -> set[Place]:
        left, top, extent = self.box
        return {(place[0] + left + i, place[1] + top + j) for i in range(extent) for j in range(extent)}

    def held(self, tick: int, surely: bool = True) -> set[Place]:
        """The cells that it holds after a tick: also those that it has not left yet."""
        pause = 1 / self.speed
        late = 1 if surely and pause != int(pause) else 0  # its time may run from before this tick
        crossing = self.began and self.began - 1 + pause - late > tick
        return self.cells(self.place) | (self.cells(self.came) if crossing else set())


class Land:
    """A map of the library, and the same in plain Python."""

    def __init__(self, random: np.random.Generator):
        height, width = (int(side) for side in random.integers(4, 13, 2))
        self.ground = random.choice([0, 0, 0, 0, 1, 2], (height, width))
        if random.random() < 0.3:
            self.ground[:] = 0
        self.walls = random.random((height, width)) < random.choice([0, 0.05, 0.15])
        corners, neighbors = str(random.choice(["strict", "cut"])), int(random.choice([4, 8]))
        self.rules: Any = {"corners": corners, "neighbors": neighbors}
        self.world = tb.Grid(self.ground, mobilities=MOBILITIES, **self.rules)
        self.world.block([(x, y) for y, x in np.argwhere(self.walls).tolist()])
        self.freer = False

    def free(self, body: Body) -> np.ndarray:
        """Where it fits."""
        height, width = self.ground.shape
        free = np.zeros((height, width), bool)
        for y in range(height):
            for x in range(width):
                free[y, x] = all(
                    0 <= i < width
                    and 0 <= j < height
                    and not self.walls[j, i]
                    and int(self.ground[j, i]) in MOBILITIES[body.mobility]
                    for i, j in body.cells((x, y))
                )
        return free

    def moves(self, free: np.ndarray, place: Place) -> list[Place]:
        steps = grid_moves(free, self.rules["neighbors"], self.rules["corners"], *place)
        return [(place[0] + dx, place[1] + dy) for dx, dy in steps]

    def reach(self, free: np.ndarray, place: Place, most: int) -> set[Place]:
        """Where so many moves lead."""
        found, todo = {place}, deque([(place, 0)])
        while todo:
            here, moves = todo.popleft()
            for there in self.moves(free, here) if moves < most else []:
                if there not in found:
                    found.add(there)
                    todo.append((there, moves + 1))
        return found

    def change(self, random: np.random.Generator, units: dict[int, Body]) -> str:
        what = str(random.choice(["block", "block", "unblock", "unblock", "set_ground"]))
        some = [(x, y) for y, x in np.argwhere(self.walls == (what == "unblock")).tolist()]
        cells = chosen(random, some, 4)
        kind = int(random.integers(3))
        getattr(self.world, what)(cells, *([kind] if what == "set_ground" else []))
        for x, y in cells:
            if what == "set_ground":
                self.ground[y, x] = kind
            else:
                self.walls[y, x] = what == "block"
        return f"{what} {cells} {kind}"


def passes_through(one: Body, before: Place, two: Body, other: Place) -> bool:
    """Halfway through the moves of two bodies, do they overlap by more than half a cell in both directions?"""
    gaps = []
    for axis in (0, 1):
        middle = [
            (start[axis] + body.place[axis]) / 2 + body.box[axis] + body.box[2] / 2
            for body, start in ((one, before), (two, other))
        ]
        gaps.append((one.box[2] + two.box[2]) / 2 - abs(middle[0] - middle[1]))
    return min(gaps) > 0.5


class BodyDrill:
    """A fleet, what happens to it, and what must be true after that."""

    def __init__(self, seed: int, file: Any = None):
        self.random, self.file = np.random.default_rng([57, seed]), file
        self.land = Land(self.random)
        self.collisions = str(self.random.choice(["none", "wait", "push", "push"]))
        threads = 1 if self.random.random() < 0.9 else 3
        self.fleet = tb.Fleet(self.land.world, collisions=self.collisions, threads=threads)
        self.kinds = chosen(self.random, SUITED, 2)
        self.budget = int(self.random.choice([3, 8, 20, 60]))
        self.units: dict[int, Body] = {}
        self.goals: set[Place] = set()
        self.bound = 0
        self.log: list[Any] = [f"{self.collisions} {self.land.rules}"]

    def add(self) -> None:
        body = Body(
            SIZES[int(self.random.integers(len(SIZES)))],
            str(self.random.choice(list(MOBILITIES))),
            SPEEDS[int(self.random.integers(len(SPEEDS)))],
            (0, 0),
            (0, 0),
            int(self.random.integers(-1, 2)),
        )
        extent = body.box[2]
        taken = set().union(*(unit.held(self.fleet.ticks, surely=False) for unit in self.units.values()))
        places = [(x, y) for y, x in np.argwhere(self.land.free(body)).tolist()]
        free = [place for place in places if self.collisions == "none" or not body.cells(place) & taken]
        if extent > min(self.land.ground.shape) or not free or len(self.units) > 9:
            return
        body.place = body.came = free[int(self.random.integers(len(free)))]
        body.goal, body.born = self.goal(places), self.fleet.ticks
        name, parameters = self.kinds[int(self.random.integers(len(self.kinds)))]
        given: Any = {"size": body.size, "mobility": body.mobility, "speed": body.speed, "priority": body.priority}
        unit = self.fleet.add(name, start=body.place, goal=body.goal, **given, **parameters)
        assert unit not in self.units
        self.units[unit] = body
        self.log.append(f"add {unit} {name} {given} {body.place} -> {body.goal}")

    def goal(self, places: list[Place]) -> Place:
        shared = [place for place in places if place in self.goals]
        among = shared if shared and self.random.random() < 0.3 else places
        found = among[int(self.random.integers(len(among)))]
        self.goals.add(found)
        return found

    def remove(self) -> None:
        gone = chosen(self.random, sorted(self.units), 2)
        self.fleet.remove(gone)
        for unit in gone:
            del self.units[unit]
        self.log.append(f"remove {gone}")

    def retarget(self) -> None:
        for unit in chosen(self.random, sorted(self.units), 3):
            body = self.units[unit]
            places = [(x, y) for y, x in np.argwhere(self.land.free(body)).tolist()]
            if places:
                body.goal = self.goal(places)
                self.fleet.retarget(unit, body.goal)
                self.log.append(f"retarget {unit} {body.goal}")

    def change(self) -> None:
        self.log.append(self.land.change(self.random, self.units))

    def tick(self) -> None:
        before = {number: body.place for number, body in self.units.items()}
        tick = self.fleet.tick(expansions=self.budget)
        now, places = self.fleet.ticks, self.fleet.positions.tolist()
        self.log.append(f"tick {now}: {self.fleet.units.tolist()} {places} {self.fleet.status()}")
        assert self.fleet.units.tolist() == sorted(self.units)
        for number, place in zip(sorted(self.units), places, strict=True):
            body = self.units[number]
            self.check_move(body, before[number], (place[0], place[1]), now)
        self.check_numbers(tick)
        if self.collisions != "none":
            self.check_places(before, now)

    def check_move(self, body: Body, before: Place, after: Place, now: int) -> None:
        if after != before:
            free = self.land.free(body)
            most = int(np.ceil(body.speed))
            out = not free[before[1], before[0]]
            assert out or after in self.land.reach(free, before, most), f"from {before} to {after}"
            assert max(abs(after[0] - before[0]), abs(after[1] - before[1])) <= most
            body.place, body.came, body.began = after, before, now

    def check_numbers(self, tick: Any) -> None:
        figures = self.fleet.figures()
        assert list(figures) == sorted(self.units)
        self.bound = max(self.bound, self.fleet.bound(expansions=self.budget))
        drawn = self.fleet.places(self.fleet.ticks - 0.5).tolist()
        for (number, figure), (x, y) in zip(figures.items(), drawn, strict=True):
            body = self.units[number]
            assert figure.position == body.place
            assert (figure.goal, figure.speed, figure.size) == (body.goal, body.speed, body.size)
            assert figure.moves >= body.moves
            assert figure.moves <= body.speed * (self.fleet.ticks - body.born) + 1 + 1e-9, figure
            body.moves = figure.moves
            reach = np.ceil(body.speed) + 1
            assert abs(x - body.place[0]) <= reach >= abs(y - body.place[1]), (number, x, y, body.place)
            assert figure.longest_wait <= self.bound
            there = figure.position == figure.goal or (self.collisions != "none" and figure.goal in self.goals)
            assert figure.status != "arrived" or there
            if figure.status == "unreachable":
                free = self.land.free(body)
                assert not free[body.place[1], body.place[0]] or body.goal not in self.land.reach(free, body.place, 999)

    def check_places(self, before: dict[int, Place], now: int) -> None:
        for (one, body), (two, other) in combinations(self.units.items(), 2):
            assert not body.cells(body.place) & other.cells(other.place), f"{one} and {two} overlap"
            for first, second in ((body, other), (other, body)):
                follows = first.began == second.began and second.speed <= first.speed
                assert follows or not first.held(now) & second.cells(second.place), f"{one}, {two}: one has not left"
            both = body.place != before[one] and other.place != before[two]
            if both and max(body.speed, other.speed) <= 1:
                assert not passes_through(body, before[one], other, before[two]), f"{one} passes through {two}"
                into = body.cells(body.place) & other.cells(before[two])
                assert not (into and other.cells(other.place) & body.cells(before[one])), f"{one} and {two} swap"

    def alone(self) -> None:
        """The others are gone: now one has to arrive, or to say why not."""
        if not self.units:
            return
        left = chosen(self.random, sorted(self.units), 1)[0]
        gone = [unit for unit in self.units if unit != left]
        self.fleet.remove(gone)
        self.units = {left: self.units[left]}
        self.log.append(f"only {left} is left")
        for _ in range(3000):
            if self.fleet.done:
                break
            self.tick()
        free, body = self.land.free(self.units[left]), self.units[left]
        way = body.goal in self.land.reach(free, body.place, 999)
        assert self.fleet.done or not way, "it is still on its way"

    def begin_again(self) -> None:
        if self.file:
            self.fleet.save(self.file)
            self.fleet = tb.Fleet.load(self.file)
            self.land.world = self.fleet.world

    def run(self) -> list[Any]:
        doings = {"add": 0.25, "remove": 0.06, "retarget": 0.1, "change": 0.1, "tick": 0.49}
        for _ in range(3):
            self.add()
        for name in self.random.choice(list(doings), int(self.random.integers(10, 50)), p=list(doings.values())):
            getattr(self, name)()
            if self.file is not None and self.random.random() < 0.2:
                self.fleet.plan(expansions=1)
                self.begin_again()
        for _ in range(25):
            self.tick()
        self.alone()
        return self.log


def drill(seed: int, file: Any = None) -> list[Any]:
    """Run one sequence; an error says which it was. See `BodyDrill.begin_again`."""
    made = BodyDrill(seed, file)
    try:
        return made.run()
    except Exception as error:
        error.add_note(f"drill({seed})")
        error.add_note("\n".join(map(str, made.log)))
        raise


if __name__ == "__main__":
    import time
    import traceback

    first, last = int(sys.argv[1]), int(sys.argv[2])
    began, bad = time.time(), 0
    for seed in range(first, last):
        try:
            drill(seed)
        except Exception as error:
            bad += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(seed, where.name, where.lineno, type(error).__name__, str(error)[:170], flush=True)
    print(f"{last - first} sequences, {bad} bad, {time.time() - began:.0f} s")
