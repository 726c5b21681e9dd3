"""Who goes first when units push each other, and how a crowd settles around one goal."""

from typing import Any

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings

import timebound as tb

pytestmark = pytest.mark.uncompiled


def ring_world(seed: int, neighbors: int) -> tuple[tb.Grid, list[tuple[int, int]]]:
    """A random grid in which every two neighbouring cells are on a cycle."""
    passable = np.random.default_rng([7, seed]).random((7, 8)) >= 0.2
    grid = nx.grid_2d_graph(8, 7)
    grid.remove_nodes_from([(x, y) for y, x in np.argwhere(~passable).tolist()])
    cells = max(nx.biconnected_components(grid), key=len, default=set())
    assume(len(cells) >= 6)
    walls = np.zeros((7, 8), bool)
    for x, y in cells:
        walls[y, x] = True
    return tb.Grid(walls, neighbors=neighbors), sorted(cells)


def open_ground(width: int, height: int, **rules: Any) -> tb.Grid:
    return tb.Grid(np.ones((height, width), bool), **rules)


def shuffled(cells: list[tuple[int, int]], seed: int, count: int) -> list[tuple[int, int]]:
    return [cells[i] for i in np.random.default_rng(seed).permutation(len(cells))[:count]]


@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.3, 0.7, 1.0]), neighbors=st.sampled_from([4, 8]))
@settings(max_examples=60)
def test_the_unit_with_the_right_of_way_gets_nearer_in_every_tick(seed: int, share: float, neighbors: int) -> None:
    """PIBT's lemma, however many units there are."""
    world, cells = ring_world(seed, neighbors)
    starts = shuffled(cells, seed, max(2, int(share * len(cells))))
    goals = shuffled(cells, seed + 1, len(starts))
    fleet = tb.Fleet(world, collisions="push")
    king = fleet.add("astar", start=starts[0], goal=goals[0], priority=1)
    fleet.add("lss-lrta", start=starts[1:], goal=goals[1:], lookahead=8)
    fleet.tick(expansions=10_000)
    left = tb.shortest_path(world, starts[0], goals[0]).cost
    while left:
        fleet.tick(expansions=10_000)
        place = tuple(fleet.positions[fleet.units.tolist().index(king)].tolist())
        now = tb.shortest_path(world, place, goals[0]).cost
        assert now < left
        left = now


@pytest.mark.parametrize("repair", [False, True])
def test_the_unit_in_a_dead_end_comes_out_first(repair: bool) -> None:
    """Two units want into a dead end; one that wants out is younger than both."""
    rows = ["#######", "#....##", "#.....#", "#....##", "#######"]
    world = tb.Grid(np.array([[cell == "." for cell in row] for row in rows]), neighbors=4)
    fleet = tb.Fleet(world, collisions="push", repair=repair)
    outside = fleet.add("lss-lrta", start=[(4, 2), (3, 2)], goal=[(5, 2), (5, 2)], lookahead=20)
    fleet.tick(expansions=1000)
    inside = fleet.add("lss-lrta", start=(5, 2), goal=(1, 1), lookahead=20)
    for _ in range(30):
        fleet.tick(expansions=1000)
    assert fleet.status([inside, *outside]) == ["arrived"] * 3


# ------------------------------------------------------------------ retargets


PREPARED = {"knn-lrta": {"records": 20}, "d-lrta": {"level": 1}, "pr-lrta": {"level": 1}}


@pytest.mark.parametrize("collisions", ["none", "wait", "push"])
@pytest.mark.parametrize("kind", [kind.name for kind in tb.catalogue()])
def test_a_chase_costs_no_move(kind: str, collisions: str) -> None:
    """Retargeted before every tick, a unit moves in every tick, as a single agent does."""
    fleet = tb.Fleet(open_ground(14, 14), collisions=collisions)
    unit = fleet.add(kind, start=(1, 1), goal=(12, 12), **PREPARED.get(kind, {}))
    for tick in range(10):
        fleet.retarget(unit, (12, 12 - tick % 3))
        fleet.tick(expansions=600)
        assert fleet.status() == ["moving"]
    assert fleet.records()[0].moves == 9
    assert fleet.positions[0].min() >= 5  # and not in circles


def test_a_retarget_to_the_same_goal_changes_nothing() -> None:
    world = open_ground(20, 20)
    told = []
    for again in (False, True):
        fleet = tb.Fleet(world, collisions="push")
        units = fleet.add("rtaa", start=[(0, 0), (5, 5)], goal=[(19, 19), (0, 7)], lookahead=5)
        for _ in range(12):
            if again:
                fleet.retarget(units, [(19, 19), (0, 7)])
            fleet.tick(expansions=20)
            told.append((fleet.positions.tolist(), fleet.status(), fleet.records()))
    assert told[:12] == told[12:]


def test_a_retarget_while_others_plan_first_keeps_the_unit_walking() -> None:
    """With one turn in each tick, units follow their old paths and say so."""
    fleet = tb.Fleet(open_ground(30, 30))
    units = fleet.add("rtaa", start=[(x, 0) for x in range(10)], goal=[(x, 29) for x in range(10)], lookahead=400)
    for _ in range(12):
        fleet.tick(expansions=4000)
    fleet.retarget(units, (29, 29))
    before = fleet.positions
    fleet.tick(expansions=400)
    assert fleet.waiting == 9
    assert fleet.status() == ["moving"] * 10
    assert np.all(fleet.positions[:, 1] == before[:, 1] + 1)


# ------------------------------------------------------------------ many units, one goal


@pytest.mark.parametrize("group", [None, "all"])
@pytest.mark.parametrize("collisions", ["wait", "push"])
@pytest.mark.parametrize("kind", ["rtaa", "lss-lrta", "tba", "astar"])
def test_a_crowd_settles_around_its_goal(kind: str, collisions: str, group: str | None) -> None:
    """Everybody is sent to one cell: soon all have arrived, as near to it as they can be."""
    world = open_ground(24, 24)
    cells = [(x, y) for x in range(24) for y in range(24)]
    fleet = tb.Fleet(world, collisions=collisions)
    fleet.add(kind, start=shuffled(cells, 5, 30), goal=[(12, 12)] * 30, group=group)
    ticks = 0
    while not fleet.done:
        fleet.tick(expansions=30_000)
        ticks += 1
        assert ticks < 60
    assert fleet.status() == ["arrived"] * 30
    assert np.abs(fleet.positions - (12, 12)).max() <= 9
    assert [12, 12] in fleet.positions.tolist()
    assert fleet.tick(expansions=1000).moved == 0
    assert fleet.path(fleet.units[0]) == []


def test_those_behind_move_up_when_a_place_becomes_free() -> None:
    world = open_ground(12, 1, neighbors=4)
    fleet = tb.Fleet(world, collisions="push")
    units = fleet.add("rtaa", start=[(3, 0), (2, 0), (1, 0)], goal=[(8, 0)] * 3, lookahead=20)
    for _ in range(12):
        fleet.tick(expansions=100)
    assert fleet.positions.tolist() == [[8, 0], [7, 0], [6, 0]]
    assert fleet.done
    fleet.remove(units[0])
    fleet.tick(expansions=100)
    assert not fleet.done
    for _ in range(4):
        fleet.tick(expansions=100)
    assert fleet.positions.tolist() == [[8, 0], [7, 0]]
    assert fleet.done


def test_a_settled_crowd_makes_room_for_others() -> None:
    """A unit with another goal goes through the crowd, which settles again."""
    world = open_ground(14, 3, neighbors=4)
    fleet = tb.Fleet(world, collisions="push")
    crowd = fleet.add("lss-lrta", start=[(x, y) for x in (0, 1, 2) for y in range(3)], goal=[(8, 1)] * 9, lookahead=40)
    for _ in range(30):
        fleet.tick(expansions=1000)
    assert fleet.done
    stranger = fleet.add("lss-lrta", start=(0, 1), goal=(13, 1), lookahead=40)
    for _ in range(40):
        fleet.tick(expansions=1000)
    assert fleet.status([stranger, *crowd]) == ["arrived"] * 10


def test_a_higher_priority_takes_the_goal() -> None:
    world = open_ground(5, 5)
    fleet = tb.Fleet(world, collisions="push")
    first = fleet.add("rtaa", start=(1, 2), goal=(2, 2), lookahead=9)
    king = fleet.add("rtaa", start=(4, 4), goal=(2, 2), lookahead=9, priority=1)
    for _ in range(10):
        fleet.tick(expansions=100)
    assert fleet.status([first, king]) == ["arrived", "arrived"]
    assert fleet.positions[1].tolist() == [2, 2]


def test_a_settled_unit_declares_nothing() -> None:
    """Others need not avoid the step that it would make if its goal became free."""
    fleet = tb.Fleet(open_ground(9, 1), collisions="push", guidance=True)
    fleet.add("lss-lrta", start=[(3, 0), (2, 0)], goal=[(7, 0)] * 2, lookahead=20)
    for _ in range(10):
        fleet.tick(expansions=100)
    assert fleet.status() == ["arrived", "arrived"]
    assert fleet._state.traffic.through.sum() == fleet._state.traffic.along.sum() == 0
    fleet.remove(0)
    for _ in range(3):
        fleet.tick(expansions=100)
    assert fleet.positions.tolist() == [[7, 0]]
