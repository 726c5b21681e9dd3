"""Units of a group that have the same goal share one search from there."""

import math
import re

import numpy as np
import pytest

import timebound as tb


def cave(seed: int = 3, blocked: float = 0.25, size: int = 40) -> tuple[tb.Grid, np.ndarray]:
    generator = np.random.default_rng(seed)
    world = tb.Grid(generator.random((size, size)) >= blocked)
    return world, generator.permutation(np.argwhere(world.passable))[:, ::-1]


def costs_to(world: tb.Grid, starts: np.ndarray, goal: tuple[int, int]) -> list[float]:
    """Distances from single searches; infinite where there is no path."""
    found = [tb.shortest_path(world, tuple(start), goal) for start in starts.tolist()]
    return [path.cost if path.solved else math.inf for path in found]


def walk(fleet: tb.Fleet, expansions: float, ticks: int = 2000) -> None:
    fleet.tick(expansions=expansions)  # it hears of changes
    while not fleet.done and fleet.ticks < ticks:
        fleet.tick(expansions=expansions)


@pytest.mark.uncompiled
def test_the_way_is_exact_and_costs_one_search() -> None:
    world, cells = cave()
    goal, starts = tuple(cells[0].tolist()), cells[1:101]
    fleet = tb.Fleet(world)
    units = fleet.add("rtaa", start=starts, goal=np.tile(cells[0], (100, 1)), lookahead=20, group="crowd")
    first = fleet.tick(expansions=math.inf)
    assert first.expansions <= np.count_nonzero(world.passable)
    walk(fleet, math.inf)
    expected = costs_to(world, starts, goal)
    assert {record.expansions for record in fleet.records(units)} == {0}
    for record, status, cost in zip(fleet.records(units), fleet.status(units), expected, strict=True):
        assert status == ("arrived" if cost < math.inf else "unreachable")
        assert cost == math.inf or record.cost == pytest.approx(cost, rel=1e-6)


@pytest.mark.uncompiled
@pytest.mark.parametrize("kind", ["lrta", "lss-lrta", "tba", "dstar-lite"])
def test_whom_the_search_has_not_reached_plans_for_itself(kind: str) -> None:
    world, cells = cave(blocked=0.15)
    fleet = tb.Fleet(world)
    fleet.add(kind, start=cells[1:31], goal=np.tile(cells[0], (30, 1)), group="crowd")
    ticks = [fleet.tick(expansions=90) for _ in range(10)]
    assert all(tick.expansions <= 90 for tick in ticks)
    assert any(record.expansions for record in fleet.records())  # their own
    walk(fleet, 90)
    expected = costs_to(world, cells[1:31], tuple(cells[0].tolist()))
    assert fleet.status() == ["arrived" if cost < math.inf else "unreachable" for cost in expected]


@pytest.mark.uncompiled
def test_a_group_needs_less_than_its_units_alone() -> None:
    spent = {}
    for group in (None, "crowd"):
        world, cells = cave()
        fleet, spent[group] = tb.Fleet(world), 0
        fleet.add("rtaa", start=cells[1:201], goal=np.tile(cells[0], (200, 1)), lookahead=10, group=group)
        while not fleet.done and fleet.ticks < 3000:
            spent[group] += fleet.tick(expansions=500).expansions
    assert spent["crowd"] < spent[None] / 3


@pytest.mark.uncompiled
def test_the_world_changes() -> None:
    """Known distances become invalid, and are computed again."""
    world, cells = cave(blocked=0.2)
    goal = tuple(cells[0].tolist())
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=cells[1:41], goal=np.tile(cells[0], (40, 1)), lookahead=10, group="crowd")
    for _ in range(3):
        fleet.tick(expansions=math.inf)
    wall = [tuple(cell) for cell in cells[200:500].tolist() if tuple(cell) != goal]
    world.block(wall)
    fleet.tick(expansions=math.inf)
    reachable = [cost < math.inf for cost in costs_to(world, fleet.positions, goal)]
    inside = world.passable[fleet.positions[:, 1], fleet.positions[:, 0]]
    walk(fleet, math.inf)
    ends = fleet.status()
    assert [end for end, free in zip(ends, inside, strict=True) if free] == [
        "arrived" if there else "unreachable" for there, free in zip(reachable, inside, strict=True) if free
    ]
    assert "unreachable" in ends
    world.unblock(wall)
    walk(fleet, math.inf, fleet.ticks + 1000)
    expected = costs_to(world, fleet.positions, goal)
    assert fleet.status() == ["arrived" if cost < math.inf else "unreachable" for cost in expected]
    assert fleet.status().count("unreachable") < ends.count("unreachable")


@pytest.mark.uncompiled
def test_a_goal_that_is_walled_in() -> None:
    world = tb.Grid(np.ones((9, 9), bool))
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=[(0, 0), (8, 8)], goal=[(4, 4)] * 2, lookahead=5, group="a")
    world.block([(4, 4)])
    walk(fleet, 50, 100)
    assert fleet.status() == ["unreachable"] * 2
    world.unblock([(4, 4)])
    walk(fleet, 50, 200)
    assert fleet.status() == ["arrived"] * 2


@pytest.mark.uncompiled
def test_groups_are_apart_and_come_and_go() -> None:
    """Two or more units with the same goal share a field; other units have none."""
    fleet = tb.Fleet(tb.Grid(np.ones((9, 9), bool)))
    first = fleet.add("rtaa", start=[(0, 0), (1, 0), (2, 0)], goal=[(8, 8), (8, 8), (7, 8)], group="a")
    assert len(fleet._state.groups) == 1
    fleet.add("rtaa", start=[(3, 0), (4, 0)], goal=[(8, 8), (8, 8)])
    assert len(fleet._state.groups) == 1
    second = fleet.add("rtaa", start=[(5, 0), (6, 0)], goal=[(8, 8), (8, 8)], group="b")
    assert len(fleet._state.groups) == 2
    fleet.retarget(first, (0, 8))
    fleet.remove(second[:1])
    assert len(fleet._state.groups) == 1
    walk(fleet, 50)
    assert set(fleet.status()) == {"arrived"}
    fleet.remove(fleet.units)
    assert len(fleet._state.groups) == 0


@pytest.mark.uncompiled
def test_a_graph_of_one_way_streets() -> None:
    edges = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 5), ("a", "c", 3)]
    fleet = tb.Fleet(tb.Graph.from_edges(edges))
    fleet.add("rtaa", start=["a", "b"], goal=["d", "d"], group="g", lookahead=1)
    walk(fleet, math.inf, 20)
    assert [record.cost for record in fleet.records()] == [3, 2]


@pytest.mark.uncompiled
def test_the_bound_leaves_half_for_the_search() -> None:
    world = tb.Grid(np.ones((30, 30), bool))
    fleet = tb.Fleet(world)
    cells = [(x, y) for x in range(10) for y in range(6)]
    fleet.add("rtaa", start=cells, goal=[(29, 29)] * 60, lookahead=5, group="a")
    assert fleet.bound(expansions=100) == 60 / (50 // 5)
    for _ in range(40):
        fleet.tick(expansions=100)
    assert max(record.longest_wait for record in fleet.records()) <= fleet.bound(expansions=100)


@pytest.mark.compiled
def test_threads_change_nothing() -> None:
    told = []
    for threads in (1, 2, 3):
        world, cells = cave(seed=8)
        fleet = tb.Fleet(world, collisions="push", threads=threads)
        for number, kind in enumerate(("rtaa", "tba")):
            starts = cells[10 + 80 * number : 90 + 80 * number]
            fleet.add(kind, start=starts, goal=np.repeat(cells[:4], 20, axis=0), group="a")
        for number in range(60):
            if number == 20:
                world.block([tuple(cell) for cell in cells[400:440].tolist()])
            if number == 40:
                fleet.retarget(fleet.units[:60], tuple(cells[5].tolist()))
            tick = fleet.tick(expansions=1 + 97 * number % 900)
            told.append((threads, tick.positions.tolist(), tick.reasons.tolist(), tick.served, tick.expansions))
    runs = [[line[1:] for line in told if line[0] == threads] for threads in (1, 2, 3)]
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": 3}, "group must be a name"),
        ({"group": ""}, "group must be a name"),
        ({"group": ["a"]}, "group must be a name"),
        ({"group": "a", "terrain": "unknown"}, "group needs known terrain"),
    ],
)
def test_bad_groups(options: dict, message: str) -> None:
    fleet = tb.Fleet(tb.Grid(np.ones((4, 4), bool)))
    with pytest.raises(tb.ProblemError, match=re.escape(message)):
        fleet.add("rtaa", start=(0, 0), goal=(3, 3), **options)
    assert len(fleet) == 0
