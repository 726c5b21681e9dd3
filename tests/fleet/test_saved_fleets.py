"""Saved fleets make the same moves as those that were not saved, whatever happens."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fleet_drills import Drill, drill
from shares import share_of

import timebound as tb


@pytest.mark.uncompiled
@pytest.mark.parametrize("seed", range(share_of(30, 6)))
def test_a_saved_fleet_goes_on_as_if_nothing_had_happened(seed: int, tmp_path: Path) -> None:
    assert drill(seed, file="") == drill(seed, file=tmp_path / "fleet") or Drill(seed).by_clock


@pytest.mark.uncompiled
@pytest.mark.parametrize("seed", [0, 3, 7])
def test_a_saved_joint_search_goes_on(seed: int, tmp_path: Path) -> None:
    plain, saved = (drill(seed, file=file, collisions="complete") for file in ("", tmp_path / "fleet"))
    assert plain == saved


def a_fleet(**options: Any) -> tb.Fleet:
    fleet = tb.Fleet(tb.Grid(np.ones((12, 12), bool)), collisions="push", **options)
    fleet.add("rtaa", start=[(x, 0) for x in range(12)], goal=[(11 - x, 11) for x in range(12)], lookahead=5)
    fleet.add("tbaa", start=[(x, 5) for x in range(6)], goal=[(5 - x, 0) for x in range(6)])
    for _ in range(4):
        fleet.tick(expansions=60)
    return fleet


@pytest.mark.uncompiled
def test_a_run_is_replayed_from_a_file_and_what_was_done_since(tmp_path: Path) -> None:
    fleet, done = a_fleet(), []
    fleet.save(tmp_path / "fleet")
    inputs = [("block", [(6, 6), (7, 6)]), ("retarget", [0, 3]), ("remove", [5]), ("unblock", [(6, 6)])]
    for told in (done, again := list[Any]()):
        fleet = tb.Fleet.load(tmp_path / "fleet")
        for what, given in inputs:
            if what in ("block", "unblock"):
                getattr(fleet.world, what)(given)
            else:
                getattr(fleet, what)(*((given, (1, 1)) if what == "retarget" else (given,)))
            told += [fleet.tick(expansions=60).positions.tolist() for _ in range(5)]
    assert done == again


@pytest.mark.uncompiled
def test_what_cannot_be_loaded_or_saved_says_so(tmp_path: Path) -> None:
    fleet, file = a_fleet(), tmp_path / "fleet"
    fleet.save(file)
    with pytest.raises(tb.MapError, match="a saved fleet, not agent"):
        tb.Agent.load(file)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(tb.MapError, match="damaged or cut off"):
        tb.Fleet.load(file)
    with pytest.raises(tb.MapError, match="cannot be read"):
        tb.Fleet.load(tmp_path / "nothing")
    with pytest.raises(tb.MapError, match="cannot be written"):
        fleet.save(tmp_path / "no folder" / "fleet")


def test_arrays_of_which_most_is_empty_take_little_room(tmp_path: Path) -> None:
    """A gigabyte belongs to every fleet; few pages of it are in use."""
    fleet = tb.Fleet(tb.Grid(np.ones((12, 12), bool)))
    fleet.add("rtaa", start=(0, 0), goal=(9, 9), lookahead=5)
    fleet.tick(expansions=20)
    fleet.save(tmp_path / "fleet")
    assert (tmp_path / "fleet").stat().st_size < 2_000_000
    again = tb.Fleet.load(tmp_path / "fleet")
    assert again.tick(expansions=20).positions.tolist() == fleet.tick(expansions=20).positions.tolist()
