"""Repair of a case base for a map that has changed here and there.

A record is valid as long as climbs lead from each of its subgoals to the next, whatever else has changed. An invalid
one is rebuilt between the same ends, or removed if there is no path any more. In a base of even coverage, the squares
around the changes are also divided again, and get new records to the regions around them.
"""

import numpy as np

from ..compiled import borrow, compiled
from ..compiled.clock import NEVER
from ..core.distinct import distinct
from ..core.errors import CaseError
from ..worlds import Grid
from ..worlds.interface import CompiledWorld
from . import coverage as regions
from .cases import CaseBase, base_of, ends_of, identity, records_in
from .hill_climbing import reachable
from .records import Records, gathered, joined, records_between

# A climb within a square gets no farther from it than its diagonal: two squares.
_REACH = 2


def repaired(base: CaseBase, world: Grid) -> CaseBase:
    """See `CaseBase.repaired`."""
    before, now = base.about["world"], identity(world)
    for name, value in now.items():
        if name != "map" and before[name] != value:
            raise CaseError(
                f"only changes of the map can be repaired, not a change of {name} from {before[name]} to {value}"
            )
    if before["map"] == now["map"]:
        return base
    changed = base.map_then() != world.passable
    records = records_in(base.arrays)._replace(first=base.arrays["first"].astype(np.int64))
    ends = ends_of(records)
    if base.coverage == "random":
        kept = mended(world, records, ends)
        kept = chosen(kept, np.flatnonzero(np.diff(kept.first)))
        return base_of(world, "random", base.about["seed"], kept)
    if not base.about["side"]:
        raise CaseError("there was nothing to record on the map of this base; build a new one")
    seeds, pairs = _laid_out_again(base, world, changed, ends)
    return _between_regions(base, world, records, ends, seeds, pairs)


def mended(world: Grid, records: Records, ends: np.ndarray) -> Records:
    """Return all records; invalid and empty ones are rebuilt, and are empty where there is no path."""
    there = world.passable.ravel()[ends].all(axis=1)
    holds = there & (np.diff(records.first) > 0) & _holding(world.compiled(0), records.states, records.first)
    again = np.flatnonzero(there & ~holds)
    everything = joined([records, records_between(world, ends[again])])
    which = np.where(holds, np.arange(len(ends)), -1)
    which[again] = len(ends) + np.arange(len(again))
    parts = [everything.of(number) if number >= 0 else everything.states[:0] for number in which.tolist()]
    return gathered(parts, np.where(which >= 0, everything.costs[which], 0))


def chosen(records: Records, numbers: np.ndarray) -> Records:
    """Return some of the records, in that order."""
    return gathered([records.of(int(number)) for number in numbers], records.costs[numbers])


@compiled
def _holding(world: CompiledWorld, states: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return which records are valid."""
    holds = np.ones(len(first) - 1, np.bool_)
    around = borrow(world)
    for record in range(len(holds)):
        for i in range(first[record], first[record + 1] - 1):
            if not reachable(around, np.int64(states[i]), np.int64(states[i + 1]), NEVER):
                holds[record] = False
                break
    return holds


def _laid_out_again(
    base: CaseBase, world: Grid, changed: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres of all regions, and the pairs with a record: old ones, and new ones around the changes."""
    side, columns = base.about["side"], -(-world.width // base.about["side"])
    touched = distinct(np.argwhere(changed) // side)[0]
    cut_again = np.zeros((regions.rows_of(world, side), columns), bool)
    for row, column in touched:
        cut_again[max(0, row - _REACH) : row + _REACH + 1, max(0, column - _REACH) : column + _REACH + 1] = True
    old = base.arrays["seeds"].astype(np.int64)
    stay = old[~cut_again[old // world.width // side, old % world.width // side]]
    # Rows of squares around them show which regions touch.
    rows = np.flatnonzero(cut_again.any(axis=1))
    labels = np.full(world.states, regions.BLOCKED, np.int32)
    seeds: list[int] = []
    for row in range(max(0, int(rows[0]) - 1), min(len(cut_again), int(rows[-1]) + 2)):
        row_labels, row_seeds = regions.cut_row(world, (side, row))
        first = row * side * world.width
        labels[first : first + len(row_labels)] = np.where(row_labels >= 0, row_labels + len(seeds), row_labels)
        seeds += row_seeds.tolist()
    found = np.array(seeds, np.int64)
    new = cut_again[found // world.width // side, found % world.width // side]
    # Small regions are merged into larger ones as before; existing regions of the base stay as they are.
    weights = regions.weights(world, labels, found)
    weights[np.isin(found, stay)] = world.states**2
    kept, pairs = regions.merged(weights, regions.touching(world, labels, len(found)), base.about["least"])
    ours = new | np.isin(found, stay)
    pairs = pairs[ours[pairs].all(axis=1) & new[pairs].any(axis=1)]
    all_seeds = np.unique(np.concatenate([stay, found[kept][new[kept]]]))
    old_pairs = ends[np.isin(ends, stay).all(axis=1)].astype(np.int64)
    return all_seeds, distinct(np.concatenate([old_pairs, found[pairs].reshape(-1, 2)]))[0]


def _between_regions(
    base: CaseBase, world: Grid, records: Records, ends: np.ndarray, seeds: np.ndarray, pairs: np.ndarray
) -> CaseBase:
    """Return a base with a record for every pair of cells with a path: existing ones, repaired, and new ones."""
    old = {(start, end): number for number, (start, end) in enumerate(ends.tolist())}
    numbers = np.array([old.get((start, end), -1) for start, end in pairs.tolist()], np.int64)
    parts = [records.of(number) if number >= 0 else records.states[:0] for number in numbers.tolist()]
    made = mended(world, gathered(parts, np.append(records.costs, 0)[numbers]), pairs.astype(np.int32))
    exists = np.flatnonzero(np.diff(made.first))
    arriving, about = np.searchsorted(seeds, pairs[exists, 1]), base.about
    sizes = about["side"], about["least"]
    return base_of(world, "even", about["seed"], chosen(made, exists), seeds.astype(np.int32), arriving, *sizes)
