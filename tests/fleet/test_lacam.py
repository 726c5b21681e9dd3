"""Joint searches (collisions="complete"), compared with a plain breadth-first search over all configurations."""

import itertools
import math
from collections import deque
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings
from naive import grid_moves

import timebound as tb

pytestmark = pytest.mark.uncompiled
Place = tuple[int, int]
Configuration = tuple[Place, ...]


class Instance:
    """A small field, and where some units are and want to be."""

    def __init__(self, seed: int, units: int, neighbors: int):
        random = np.random.default_rng([5, seed])
        height, width = (int(side) for side in random.integers(1, 5, 2))
        self.passable = random.random((height, width)) >= random.choice([0.0, 0.2, 0.4])
        cells = [(x, y) for y, x in np.argwhere(self.passable).tolist()]
        assume(units <= len(cells) <= 10)
        self.starts, self.goals = (tuple(cells[i] for i in random.permutation(len(cells))[:units]) for _ in range(2))
        self.world = tb.Grid(self.passable, neighbors=neighbors)
        self.next: dict[Place, list[Place]] = {
            (x, y): [(x, y), *((x + dx, y + dy) for dx, dy in grid_moves(self.passable, neighbors, "strict", x, y))]
            for x, y in cells
        }

    def steps(self, here: Configuration) -> Any:
        """All joint moves without a conflict."""

        def extended(chosen: tuple[Place, ...]) -> Any:
            i = len(chosen)
            if i == len(here):
                yield chosen
                return
            for place in self.next[here[i]]:
                swaps = any(place == here[j] and chosen[j] == here[i] and place != here[i] for j in range(i))
                if place not in chosen and not swaps:
                    yield from extended((*chosen, place))

        return extended(())

    def is_solvable(self) -> bool:
        found, todo = {self.starts}, deque([self.starts])
        while todo and self.goals not in found:
            for following in self.steps(todo.popleft()):
                if following not in found:
                    found.add(following)
                    todo.append(following)
        return self.goals in found


def check_step(instance: Instance, before: Configuration, after: Configuration) -> None:
    assert len({*after}) == len(after)
    for one, other in itertools.combinations(range(len(after)), 2):
        assert not (after[one] == before[other] and after[other] == before[one])
    for place, following in zip(before, after, strict=True):
        assert following in instance.next[place]


def places(fleet: tb.Fleet) -> Configuration:
    return tuple((int(x), int(y)) for x, y in fleet.positions)


def field(*rows: str) -> tb.Grid:
    return tb.Grid(np.array([[cell == "." for cell in row] for row in rows]), neighbors=4)


def played(world: tb.Grid, starts: list[Place], goals: list[Place], ticks: int = 300, **options: Any) -> tb.Fleet:
    fleet = tb.Fleet(world, collisions="complete", **options)
    fleet.add("lss-lrta", start=starts, goal=goals, lookahead=20)
    while not fleet.done and fleet.ticks < ticks:
        fleet.tick(expansions=200)
    return fleet


def test_two_units_with_one_goal_settle() -> None:
    fleet = played(field("....", "...."), [(0, 0), (3, 0), (3, 1)], [(1, 0), (1, 0), (0, 0)])
    assert fleet.status() == ["arrived"] * 3
    assert fleet.joint_search == "idle"  # it is for different goals


def test_a_unit_whose_goal_is_walled_in_makes_way_for_the_others() -> None:
    fleet = played(field("......", "##.#.#", "####.#", "#####."), [(2, 0), (0, 0), (5, 0)], [(5, 3), (5, 0), (0, 0)])
    assert fleet.status() == ["unreachable", "arrived", "arrived"]
    assert fleet.joint_search == "solved"


def test_a_corridor_without_a_bay_is_proved_impossible() -> None:
    fleet = played(field("......"), [(0, 0), (5, 0)], [(5, 0), (0, 0)], ticks=100)
    assert fleet.joint_search == "impossible"
    assert not fleet.done


def test_little_memory_is_no_proof() -> None:
    world = field("........", "####.###")
    starts = [(x, 0) for x in range(8)]
    fleet = played(world, starts, starts[::-1], ticks=60, memory_mb=0.02)
    assert fleet.joint_search in ("memory", "searching")


def test_it_is_for_grids_and_known_terrain() -> None:
    with pytest.raises(tb.ProblemError, match="collisions='complete' is for grids"):
        tb.Fleet(tb.Graph.from_edges([(0, 1, 1.0)]), collisions="complete")
    with pytest.raises(tb.ProblemError, match="known terrain"):
        tb.Fleet(field(".."), collisions="complete").add("rtaa", start=(0, 0), goal=(1, 0), terrain="unknown")


def test_a_change_of_the_world_begins_a_new_search() -> None:
    world = field("......", "......")
    world.block([(x, 1) for x in (0, 1, 3, 4, 5)])
    fleet = tb.Fleet(world, collisions="complete")
    fleet.add("lss-lrta", start=[(0, 0), (5, 0)], goal=[(5, 0), (0, 0)], lookahead=20)
    for _ in range(4):
        fleet.tick(expansions=200)
    world.block([(2, 1)])
    for _ in range(60):
        fleet.tick(expansions=200)
    assert fleet.joint_search == "impossible"
    world.unblock([(4, 1)])
    while not fleet.done:
        fleet.tick(expansions=200)
    assert fleet.status() == ["arrived"] * 2


@given(
    seed=st.integers(0, 10**6),
    units=st.integers(1, 6),
    neighbors=st.sampled_from([4, 4, 8]),
    budget=st.sampled_from([1, 30, math.inf]),
    options=st.sampled_from([{}, {"repair": True}, {"guidance": True}]),
)
@settings(max_examples=40)
def test_everybody_arrives_if_that_is_possible(
    seed: int, units: int, neighbors: int, budget: float, options: dict[str, Any]
) -> None:
    instance = Instance(seed, units, neighbors)
    solvable = instance.is_solvable()
    fleet = tb.Fleet(instance.world, collisions="complete", **options)
    fleet.add("lss-lrta", start=instance.starts, goal=instance.goals, lookahead=5)
    before = places(fleet)
    while not fleet.done:
        fleet.tick(expansions=budget)
        after = places(fleet)
        check_step(instance, before, after)
        before = after
        if fleet.joint_search == "impossible" or fleet.ticks == 50_000:
            break
    assert fleet.joint_search != "impossible" or not solvable
    assert (places(fleet) == instance.goals) == solvable
