"""Optimal paths over the corners of a map, with landmarks: those of A* on the map itself."""

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import timebound as tb
from timebound.maps import caves
from timebound.subgoals.far_paths import far_path, search_of_corners, worth_while
from timebound.subgoals.records import Ground, random_pairs, records_between, records_far_apart
from timebound.worlds.moves import prices_of


def check(world: tb.Grid, pairs: np.ndarray) -> int:
    """Compare costs, look at every move; return how many of the pairs have a path."""
    search, corners, shift = search_of_corners(world)
    found = 0
    for start, goal in pairs.tolist():
        best = tb.shortest_path(world, world.place(start), world.place(goal))
        path, cost = far_path(search, corners, start, goal, shift)
        assert best.solved == (len(path) > 0)
        if best.solved:
            prices = prices_of(world.compiled(goal), path)
            assert (prices > 0).all()
            assert (path[0], path[-1]) == (start, goal)
            assert prices.sum() == cost == prices_of(world.compiled(goal), best.numbers).sum()
            found += 1
    return found


@given(
    st.integers(0, 2**32),
    st.sampled_from(["strict", "cut"]),
    st.sampled_from([1.0, 1.2, 1.4, 2**0.5, 1.9, 2.0]),
    st.sampled_from(["auto", "euclidean", "none"]),
)
@settings(max_examples=200)
def test_paths_are_optimal(seed: int, corners: str, diagonal: float, heuristic: str) -> None:
    """Unsolvable problems, starts that are goals, starts and goals at corners, and maps without any are among them."""
    generator = np.random.default_rng(seed)
    height, width = generator.integers(1, 16, size=2).tolist()
    passable = generator.random((height, width)) >= generator.choice([0.0, 0.05, 0.2, 0.35, 0.5])
    passable[generator.integers(height), generator.integers(width)] = True
    world = tb.Grid(passable, corners=corners, diagonal=diagonal, heuristic=heuristic)  # type: ignore[arg-type]
    check(world, generator.choice(np.flatnonzero(passable), (20, 2)))


@pytest.mark.parametrize(("corners", "diagonal"), [("strict", 2**0.5), ("cut", 1.4)])
def test_a_game_map(shared_data: Path, corners: str, diagonal: float) -> None:
    world = tb.Grid.load(shared_data / "maps" / "bg512" / "AR0300SR.map", corners=corners, diagonal=diagonal)
    assert check(world, random_pairs(world, Ground.of(world), 1, 0, 100)) == 100


def test_other_worlds_have_records_all_the_same() -> None:
    """Where paths turn elsewhere than at corners, or every other cell is one, plain A* finds them."""
    passable = caves(40, 30, seed=5).passable
    travel = np.where(np.arange(40) < 20, 1.0, 3.0) * np.ones((30, 1))
    scattered = np.random.default_rng(1).random((30, 40)) > 0.2
    assert worth_while(tb.Grid.load("harbour"))
    assert not worth_while(tb.Grid(passable, neighbors=16))
    for world in (tb.Grid(passable, neighbors=4), tb.Grid(passable, travel=travel), tb.Grid(scattered)):
        assert not worth_while(world)
        pairs = random_pairs(world, Ground.of(world), 2, 0, 10)
        for far, near in zip(records_far_apart(world, pairs), records_between(world, pairs), strict=True):
            assert np.array_equal(far, near)
