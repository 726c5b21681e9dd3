"""Fleets of the C library move as Python's do."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clib import CFleet, Library, LibraryError  # type: ignore[import-not-found]

import timebound as tb


@pytest.fixture(scope="module")
def library(folder: Path) -> Library:
    return Library(folder)


def drill(library: Library, seed: int, units: int, ticks: int, size: int = 24) -> None:
    """Run the same fleet in both, while the world changes and units come, go and get other goals."""
    chance = random.Random(seed)
    passable = np.random.default_rng(seed).random((size, size + 5)) > chance.choice([0.05, 0.2])
    free = [(x, y) for y, x in np.argwhere(passable).tolist()]
    everywhere = [(x, y) for y in range(size) for x in range(size + 5)]
    collisions, terrain = chance.choice(["none", "wait", "push"]), chance.choice(["known", "unknown"])
    world, c_world = tb.Grid(passable), library.grid(passable)
    fleet, c_fleet = tb.Fleet(world, collisions=collisions), c_world.fleet(f"collisions={collisions}")
    options: dict[str, Any] = chance.choice([{}, {"lookahead": 20}, {"lookahead": 5, "movements": 2}])
    text = f"terrain={terrain} " + " ".join(f"{name}={value}" for name, value in options.items())
    starts = chance.sample(free, units)
    goals = [chance.choice(free) for _ in starts]
    added = fleet.add("rtaa", start=starts, goal=goals, terrain=terrain, **options).tolist()
    assert c_fleet.add("rtaa", starts, goals, text) == added
    for tick in range(ticks):
        what, some = chance.random(), chance.sample(added, min(4, len(added)))
        if what < 0.1:
            change, cells = chance.choice(["block", "unblock"]), chance.sample(everywhere, 3)
            getattr(world, change)(cells)
            getattr(c_world, change)(cells)
        elif what < 0.3:
            ends = [chance.choice([cell for cell in free if world.passable[cell[::-1]]]) for _ in some]
            fleet.retarget(some, ends)
            c_fleet.retarget(some, ends)
        elif what < 0.34 and len(added) > 5:
            fleet.remove(some[:2])
            c_fleet.remove(some[:2])
            added = [unit for unit in added if unit not in some[:2]]
        elif what < 0.4:
            taken = {tuple(place) for place in fleet.positions.tolist()}
            place = next(cell for cell in free if cell not in taken and world.passable[cell[::-1]])
            goal = next(cell for cell in free[::-1] if world.passable[cell[::-1]])
            new = fleet.add("rtaa", start=[place], goal=[goal], terrain=terrain, **options).tolist()
            assert c_fleet.add("rtaa", [place], [goal], text) == new
            added += new
        expansions = chance.choice([5, 60, 400])
        told = fleet.tick(expansions=expansions)
        assert c_fleet.tick(expansions) == told.moved, (seed, tick)
        places = [world.place(int(state)) for state in told.positions[added]]
        assert c_fleet.look(added) == (places, told.reasons[added].tolist()), (seed, tick)


@pytest.mark.parametrize("seed", range(24))
def test_fleets_are_the_same_in_c(library: Library, seed: int):
    drill(library, seed, units=12, ticks=40)


def test_bad_arguments_of_fleets(library: Library):
    grid = library.grid(np.ones((9, 9), bool))
    fleet: CFleet = grid.fleet("collisions=push")
    (unit,) = fleet.add("rtaa", [(0, 0)], [(8, 8)])

    def said(call: Any, *given: Any) -> str:
        with pytest.raises(LibraryError) as error:
            call(*given)
        return str(error.value)

    assert said(grid.fleet, "collisions=hit") == "collisions is 'none', 'wait' or 'push', not 'hit'"
    assert said(fleet.add, "rtaa", [(0, 0)], [(1, 1)]) == "unit 0 is at (0, 0): only one unit can be at a place"
    assert said(fleet.add, "rtaa", [(2, 2), (2, 2)], [(1, 1)] * 2).startswith("two units would be at (2, 2)")
    assert said(fleet.add, "rtaa", [(2, 9)], [(1, 1)]).startswith("(2, 9) is outside the map")
    assert said(fleet.add, "tbaa", [(2, 2)], [(1, 1)]).startswith("units of agent 'tbaa' keep their searches")
    assert said(fleet.add, "rtaa", [(2, 2)], [(1, 1)], "lookahead=-1").startswith("lookahead is a whole number above 0")
    assert said(fleet.add, "rtaa", [(2, 2)], [(1, 1)], "memory_mb=3").startswith(
        "fallback and memory_mb are for single"
    )
    assert said(fleet.retarget, [7], [(1, 1)]) == "there is no unit 7 in this fleet"
    assert said(fleet.remove, [-1]) == "there is no unit -1 in this fleet"
    assert said(fleet.tick, 0) == "a fleet needs a budget above 0: milliseconds or expansions"
    fleet.remove([unit])
    assert said(fleet.retarget, [unit], [(1, 1)]) == "there is no unit 0 in this fleet"
    assert fleet.add("rtaa", [(0, 0)], [(8, 8)]) == [unit]
    assert [fleet.tick(100) for _ in range(12)].count(1) == 8
