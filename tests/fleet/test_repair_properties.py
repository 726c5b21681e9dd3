"""What holds for fleets that repair their next steps. `make test` runs it with the compiler off."""

import heapq
import itertools
import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from test_fleet_properties import Play, random_grid

import timebound as tb
from timebound.compiled import borrow
from timebound.compiled.clock import NEVER
from timebound.fleet.lns import STEPS, assess, improve
from timebound.fleet.pibt import joint_step
from timebound.fleet.reservations import AHEAD, NOW, new_reservations, occupant, place, release, reserve
from timebound.fleet.space_time import LIMIT, NONE_FOUND, aim_of, find_path, new_nodes, outlook
from timebound.fleet.units import ARRIVED, NO_UNIT

pytestmark = pytest.mark.uncompiled


def crowded(seed: int, units: int, budget: float = math.inf, **options: Any) -> tb.Fleet:
    """A small field full of units, after a few ticks."""
    world, cells = random_grid(seed, 0.15)
    fleet = tb.Fleet(world, collisions="push", **{"repair": 10, **options})
    fleet.add("lss-lrta", start=cells[:units], goal=cells[-units:], lookahead=20)
    for _ in range(1 + seed % 4):
        fleet.tick(expansions=budget)
    return fleet


def plans(fleet: tb.Fleet) -> np.ndarray:
    """The planned cell of every unit at every time."""
    window = fleet._state.window.reservations
    return np.array([[place(window, unit, t) for t in range(window.clock[AHEAD] + 1)] for unit in fleet.units])


def check_plans(fleet: tb.Fleet) -> None:
    """No unit is in two cells, no two share a cell or swap cells, and every step is a move or a wait."""
    window, planned = fleet._state.window.reservations, plans(fleet)
    width = fleet.world.width
    for unit, plan in zip(fleet.units, planned, strict=True):
        for time, state in enumerate(plan):
            assert occupant(window, state, time) == unit
        for one, other in itertools.pairwise(plan.tolist()):
            assert max(abs(one % width - other % width), abs(one // width - other // width)) <= 1
            assert one == other or fleet.world.passable[other // width, other % width]
    for one, other in itertools.combinations(planned, 2):
        assert not np.any(one == other)
        assert not np.any((one[1:] == other[:-1]) & (one[:-1] == other[1:]))
    if planned.size:
        assert planned[:, 0].tolist() == fleet._state.rows["position"][fleet.units].tolist()


class Repaired(Play):
    """A fleet that things happen to, and that repairs its steps."""

    def __init__(self, seed: int, neighbors: int, guidance: bool, attempts: int):
        super().__init__(seed, "push", "known")
        self.world = tb.Grid(self.world.passable, neighbors=neighbors)
        self.fleet = tb.Fleet(self.world, collisions="push", guidance=guidance, repair=attempts)

    def tick(self) -> None:
        super().tick()
        check_plans(self.fleet)

    def plan(self) -> None:
        self.fleet.plan(expansions=int(self.generator.integers(1, 40)))


@pytest.mark.parametrize("guidance", [False, True])
@pytest.mark.parametrize("neighbors", [4, 8])
@given(
    seed=st.integers(0, 10**6),
    attempts=st.integers(1, 20),
    events=st.lists(st.sampled_from("aaaarmbupttttt"), min_size=5, max_size=40),
)
@settings(max_examples=10)
def test_whatever_happens(neighbors: int, guidance: bool, seed: int, attempts: int, events: list[str]) -> None:
    play = Repaired(seed, neighbors, guidance, attempts)
    happenings = {"a": play.add, "r": play.remove, "m": play.retarget, "b": play.block, "u": play.unblock}
    for event in events:
        (happenings | {"t": play.tick, "p": play.plan})[event]()
    for _ in range(5):
        play.tick()
    for unit in play.fleet.units.tolist():
        path = play.fleet.path(unit)
        assert not path or path[0] == tuple(play.places()[unit])
    if guidance:
        rows, traffic = play.fleet._state.rows[play.fleet.units], play.fleet._state.traffic
        walking = rows[(rows["length"] > 0) & (rows["reason"] != ARRIVED)]  # the others may have settled
        assert traffic.through.sum() == traffic.along.sum() == (walking["length"] - 1 - walking["at"]).sum()


@given(seed=st.integers(0, 10**6), units=st.integers(2, 25), guidance=st.booleans())
@settings(max_examples=10)
def test_a_repair_makes_nothing_worse(seed: int, units: int, guidance: bool) -> None:
    """A repair raises neither the total cost of all plans nor that of the unit with the right of way."""
    fleet = crowded(seed, units, guidance=guidance)
    for _ in range(STEPS):  # until all steps are planned
        fleet.tick(expansions=math.inf)
    fleet.retarget(fleet.units, np.roll(fleet.positions, 1, axis=0))
    fleet.plan(expansions=math.inf)
    before = plan_costs(fleet)
    improve(fleet._state.data, fleet._state.window, fleet._state.order, 40, NEVER, NEVER)
    after = plan_costs(fleet)
    assert sum(after) <= sum(before)
    assert after[0] <= before[0]
    check_plans(fleet)


def plan_costs(fleet: tb.Fleet) -> list[int]:
    state, subset = fleet._state, fleet._state.window.subset
    state.sort()
    subset.assessed[:] = -1
    for unit in state.order:
        assess(state.window, joint_step(state.data), unit)
    return [int(subset.costing[unit]) for unit in state.order]


@given(seed=st.integers(0, 10**6), entries=st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=40))
def test_reservations_are_those_of_a_dictionary(seed: int, entries: list[tuple[int, int, int]]) -> None:
    window, known = new_reservations(6, 5), {}
    window.clock[NOW] = seed % window.slots
    for unit, time, state in entries:
        if (unit, time) in known:
            release(window, unit, time)
            del known[unit, time]
        elif (state, time) not in {(there, when) for (_, when), there in known.items()}:
            reserve(window, unit, time, state)
            known[unit, time] = state
    for state, time in itertools.product(range(6), range(6)):
        found = [unit for (unit, when), there in known.items() if (when, there) == (time, state)]
        assert occupant(window, state, time) == (found[0] if found else NO_UNIT)


@given(seed=st.integers(0, 10**6), units=st.integers(2, 25))
@settings(max_examples=15)
def test_a_detour_is_as_short_as_any(seed: int, units: int) -> None:
    """For a unit without a preferred path, compared with a search over all states and times."""
    fleet = crowded(2 * seed, units)  # with four neighbours: elsewhere a state and time can have several costs
    state, window = fleet._state, fleet._state.window.reservations
    unit = int(fleet.units[seed % units])
    state.rows["length"][unit] = 0
    for time in range(1, window.clock[AHEAD] + 1):
        release(window, unit, time)
    aim = aim_of(state.window._replace(leaving=0), joint_step(state.data), unit)
    best = naive_detour(fleet, window, aim, unit)
    nodes = borrow(new_nodes())
    nodes.tally[LIMIT] = NEVER
    node = find_path(state.compiled_world, window, nodes, aim, unit, best)
    assert nodes.g[node] + outlook(aim, nodes.state[node]) == best
    assert find_path(state.compiled_world, window, nodes, aim, unit, best - 1) == NONE_FOUND


def naive_detour(fleet: tb.Fleet, window: Any, aim: Any, unit: int) -> int:
    """The least cost, by Dijkstra's algorithm without an estimate."""
    others = [other for other in fleet.units.tolist() if other != unit]
    cells = {(x, y) for y, x in np.argwhere(fleet.world.passable).tolist()}
    last, start = int(window.clock[AHEAD]), int(place(window, unit, 0))
    queue, done, best = [(0, 0, start)], set(), []
    while queue:
        g, time, state = heapq.heappop(queue)
        if (time, state) in done:
            continue
        done.add((time, state))
        if time == last:
            best.append(g + int(outlook(aim, state)))
            continue
        x, y = state % fleet.world.width, state // fleet.world.width
        steps = [((x, y), 0 if state == aim.goal else aim.waiting)]
        around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        steps += [(cell, fleet.world.unit) for cell in around if cell in cells]
        for (x, y), cost in steps:
            then = y * fleet.world.width + x
            taken = any(place(window, other, time + 1) == then for other in others)
            swapped = any(
                place(window, other, time) == then and place(window, other, time + 1) == state for other in others
            )
            if not taken and not swapped:
                heapq.heappush(queue, (g + cost, time + 1, then))
    return min(best)


@given(units=st.integers(1, 20), lookahead=st.integers(1, 9), turns=st.integers(1, 6))
@settings(max_examples=10)
def test_nobody_waits_longer_than_the_bound(units: int, lookahead: int, turns: int) -> None:
    """A quarter of the budget is for repairs. And no tick takes more than its budget."""
    world, generator = tb.Grid(np.ones((9, 9), bool)), np.random.default_rng(units)
    cells = generator.permutation(81)[: 2 * units].reshape(2, units)
    starts, goals = (np.stack([row % 9, row // 9], axis=1) for row in cells)
    fleet = tb.Fleet(world, collisions="push", repair=True)
    fleet.add("rtaa", start=starts, goal=goals, lookahead=lookahead)
    budget = -(-4 * turns * lookahead // 3)
    for _ in range(25):
        assert fleet.tick(expansions=budget).expansions <= max(budget, lookahead + 1)
    assert max(record.longest_wait for record in fleet.records()) <= fleet.bound(expansions=budget)
    assert fleet.bound(expansions=budget) == math.ceil(units / turns)


def test_repairs_pay() -> None:
    """In a dense crowd with crossing paths, all arrive in fewer moves and ticks."""
    costs = {}
    for repair in (False, True):
        costs[repair] = 0
        for seed in range(6):
            fleet = crowded(4 * seed, 18, repair=repair)
            for _ in range(40):
                fleet.tick(expansions=math.inf)
                costs[repair] += fleet.status().count("arrived")
    assert costs[True] > 1.02 * costs[False]


def test_threads_change_nothing() -> None:
    told = []
    for threads in (1, 3):
        fleet = crowded(8, 20, 60, threads=threads)
        told.append([fleet.tick(expansions=60).positions.tolist() for _ in range(12)])
    assert told[0] == told[1]


def test_units_under_a_wall_leave_it_one_after_the_other() -> None:
    """Two under a wall have one way out: the second waits, and is not forgotten."""
    rows = ["#####", "#...#", "##.##", "#...#", "#####"]
    world = tb.Grid(np.array([[cell == "." for cell in row] for row in rows]), neighbors=4)
    fleet = tb.Fleet(world, collisions="push", repair=True)
    fleet.add("rtaa", start=[(1, 1), (3, 1)], goal=[(1, 3), (3, 3)], lookahead=9)
    world.block([(1, 1), (3, 1)])
    for _ in range(40):
        fleet.tick(expansions=50)
    assert fleet.status() == ["arrived", "arrived"]
