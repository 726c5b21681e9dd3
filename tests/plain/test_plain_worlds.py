"""A fleet and other worlds with `TIMEBOUND_PLAIN=1`."""

from typing import Any

import numpy as np
import pytest

import timebound as tb


def test_a_fleet() -> None:
    fleet = tb.Fleet(tb.Grid(np.ones((5, 9), bool)), collisions="push")
    fleet.add("rtaa", start=[(0, 2), (8, 2)], goal=[(8, 2), (0, 2)], terrain="unknown")
    for _ in range(40):
        fleet.tick(expansions=50)
    assert fleet.positions.tolist() == [[8, 2], [0, 2]]


def times(world: Any, x: int) -> int:
    return int(world.factors[0] * x)


def successors(world: Any, state: int) -> Any:
    yield state + 1, 1
    yield times(world, state), 2


@pytest.mark.parametrize("compiles", [True, False])
def test_a_custom_world(compiles: bool) -> None:
    world = tb.CustomWorld(
        successors, lambda world, state: 0, data={"factors": np.array([3])}, highest_cost=2, states=99, compile=compiles
    )
    assert tb.shortest_path(world, 1, 11).states == [1, 3, 9, 10, 11]


def test_a_state_of_many_words() -> None:
    assert tb.shortest_path(tb.Tiles(3), (1, 4, 2, 3, 0, 5, 6, 7, 8), tuple(range(9))).cost == 2
