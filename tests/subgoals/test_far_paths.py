"""Which case bases are built from paths over corners; `test_paths` tests the paths themselves."""

import numpy as np

import timebound as tb
from timebound.maps import caves
from timebound.subgoals.prepared.far_paths import worth_while
from timebound.subgoals.records import FreeGround, random_pairs, records_between, records_far_apart


def test_other_worlds_have_records_all_the_same() -> None:
    """Where paths turn elsewhere than at corners, or every other cell is one, plain A* finds them."""
    passable = caves(40, 30, seed=5).passable
    travel = np.where(np.arange(40) < 20, 1.0, 3.0) * np.ones((30, 1))
    scattered = np.random.default_rng(1).random((30, 40)) > 0.2
    assert worth_while(tb.Grid.load("harbour"))
    assert not worth_while(tb.Grid(passable, neighbors=16))
    for world in (tb.Grid(passable, neighbors=4), tb.Grid(passable, travel=travel), tb.Grid(scattered)):
        assert not worth_while(world)
        pairs = random_pairs(world, FreeGround.of(world), 2, 0, 10)
        if world.travel is None:
            world.prepare()  # changes nothing
        for far, near in zip(records_far_apart(world, pairs), records_between(world, pairs), strict=True):
            assert np.array_equal(far, near)
