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
