"""Even coverage: a map cut into regions that hill-climbing can cross (after Lawrence and Bulitko's HCDPS).

Records between random cells leave holes, and most of them cross the same thoroughfares. So the map is cut into squares,
and the free cells of a square into regions: from each cell of a region a climb leads to its centre, and from the centre
one leads to each of them (or a climb from or to an earlier centre of the square does). Between the centres of two
regions that touch there are two records, one each way. Wherever an agent and its goal are, climbs and records lead from
one to the other.

A square is cut without regard to others, so squares can be cut by many workers, and a local change of the map changes
the regions around it only.
"""

from bisect import bisect_left
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, resized
from ..integers import Int
from ..rows import distinct
from ..worlds import Grid
from ..worlds.interface import successors
from .directions import moves_by_direction
from .hill_climbing import reachable

BLOCKED, OPEN = -1, -2  # as labels: no region; not in a region yet
TO_CENTRE, FROM_CENTRE = 1, 2  # climbs that a cell has
CAP = 250  # steps of a climb within a region: what agents allow themselves
LEAST_SIDE, GREATEST_SIDE = 8, 96  # of a square
NEIGHBOURS = 7  # records that leave a region, on the whole


def side_for(world: Grid, records: int) -> int:
    """The side of the squares for about so many records."""
    regions = max(1, records // NEIGHBOURS)
    side = round((np.count_nonzero(world.passable) / regions) ** 0.5)
    return int(min(max(side, LEAST_SIDE), GREATEST_SIDE))


def rows_of(world: Grid, side: int) -> int:
    """How many rows of squares a map has."""
    return -(-world.height // side)


def cut_row(world: Grid, side: int, row: int) -> tuple[np.ndarray, np.ndarray]:
    """The regions of a row of squares: the label of every cell of the row, and the centre of every region."""
    top = row * side
    height = min(side, world.height - top)
    labels = np.where(world.passable[top : top + height], OPEN, BLOCKED).astype(np.int32).ravel()
    seeds = _cut(world.compiled(0), labels, top, height, side, CAP)
    return labels, seeds


def laid_out(world: Grid, labels: np.ndarray, seeds: np.ndarray, records: int) -> "Plan":
    """The plan of a base, from the regions of all squares."""
    return plan(seeds, weights(world, labels, seeds), touching(world, labels, len(seeds)), records)


def weights(world: Grid, labels: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """How large each region is; of those of one size (squares without a wall), its centre decides, as if by lot."""
    sizes = np.bincount(labels[labels >= 0], minlength=len(seeds))
    return sizes * world.states + seeds.astype(np.int64) * 0x5E3779B1 % world.states


def touching(world: Grid, labels: np.ndarray, regions: int) -> np.ndarray:
    """All pairs of regions with a move from one to the other, in the order of the first, then of the second."""
    labels, codes = labels.ravel().astype(np.int64), np.empty(0, np.int64)
    for cells, reached in moves_by_direction(world):
        one, other = labels[cells], labels[reached]
        crossing = (one >= 0) & (other >= 0) & (one != other)
        codes = np.unique(np.concatenate([codes, one[crossing] * regions + other[crossing]]))
    return np.stack([codes // max(regions, 1), codes % max(regions, 1)], axis=1)


class Plan(NamedTuple):
    """Which regions a base has, and between which of them there are records."""

    seeds: np.ndarray
    pairs: np.ndarray
    least: int  # regions of less weight were added to others


def plan(seeds: np.ndarray, weights: np.ndarray, pairs: np.ndarray, records: int) -> Plan:
    """The regions for at most so many records.

    Small regions are added to larger ones that they touch, until there are few enough pairs. The cells of a small
    region may then be out of reach for climbs, but no passage through it is lost.
    """
    limits = [*np.unique(weights).tolist(), 1 << 62]  # below one of them regions are added to others; the last will do
    few = bisect_left(limits[:-1], True, key=lambda limit: len(merged(weights, pairs, limit)[1]) <= records)
    least = limits[few]
    kept, left = merged(weights, pairs, least)
    order = np.argsort(seeds[kept], kind="stable")
    place = np.empty(len(seeds), np.int64)
    place[kept[order]] = np.arange(len(kept))
    chosen = place[left]
    chosen = chosen[np.lexsort((chosen[:, 1], chosen[:, 0]))][:records]
    return Plan(seeds[kept[order]], chosen, least)


def merged(weights: np.ndarray, pairs: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray]:
    """The regions that are kept if all of less weight are added to others, and the pairs of those that touch."""
    leader = leaders(weights, pairs, least)
    ends = leader[pairs]
    ends = ends[ends[:, 0] != ends[:, 1]]
    return np.unique(leader), distinct(ends)[0]


def leaders(weights: np.ndarray, pairs: np.ndarray, least: int) -> np.ndarray:
    """For every region the one that it becomes a part of; itself, if it is kept.

    A region goes to the largest of those that it touches, and of those of one weight to the last, if that comes after
    itself in this order: nothing goes round in circles. The other one may go to a third.
    """
    by_rank = np.argsort(weights, kind="stable")
    rank = np.argsort(by_rank)
    best, small = rank.copy(), weights[pairs[:, 0]] < least
    np.maximum.at(best, pairs[small, 0], rank[pairs[small, 1]])
    leader = by_rank[best]
    while (leader[leader] != leader).any():
        leader = leader[leader]
    return leader


# ------------------------------------------------------------------ compiled


@compiled
def _cut(world: Any, labels: np.ndarray, top: int, height: int, side: int, cap: int) -> np.ndarray:
    """Give every cell of a row of squares the label of its region; return the centres."""
    width, seeds, count = world.width, np.empty(64, np.int32), 0
    area, climbs = np.empty(side * side, np.int32), np.zeros(len(labels), np.uint8)
    offset = top * width
    for left in range(0, width, side):
        right = min(left + side, width)
        for y in range(height):
            for x in range(left, right):
                if labels[y * width + x] != OPEN:
                    continue
                size = _flood(borrow(world), labels, area, offset, y * width + x, left, right)
                seed = _centre(area, size, width)
                if count == len(seeds):
                    seeds = resized(seeds, 2 * count)
                seeds[count] = seed
                _claim(borrow(world), labels, climbs, area, size, offset, seed, count, cap)
                count += 1
    return resized(seeds, count)


_SEEN = -3


@compiled
def _flood(world: Any, labels: np.ndarray, area: np.ndarray, offset: int, first: int, left: int, right: int) -> int:
    """Collect the open cells that are connected with the first one inside the square; return their number."""
    area[0] = first + offset
    labels[first] = _SEEN
    size, done = 1, 0
    while done < size:
        state = np.int64(area[done])
        done += 1
        for reached, _ in successors(world, state):
            cell = np.int64(reached) - offset
            if 0 <= cell < len(labels) and left <= cell % world.width < right and labels[cell] == OPEN:
                labels[cell] = _SEEN
                area[size] = cell + offset
                size += 1
    return size


@compiled
def _centre(area: np.ndarray, size: int, width: int) -> Int:
    """The cell nearest to the centre of gravity; the first of those."""
    sum_x = sum_y = 0
    for i in range(size):
        sum_x += area[i] % width
        sum_y += area[i] // width
    best, least = np.int64(area[0]), -1
    for i in range(size):
        dx, dy = (area[i] % width) * size - sum_x, (area[i] // width) * size - sum_y
        square = dx * dx + dy * dy
        if least < 0 or square < least:
            best, least = np.int64(area[i]), square
    return best


@compiled
def _claim(
    world: Any,
    labels: np.ndarray,
    climbs: np.ndarray,
    area: np.ndarray,
    size: int,
    offset: int,
    seed: Int,
    label: int,
    cap: int,
) -> None:
    """Those cells belong to the region that have climbs both ways now; the others stay open."""
    for i in range(size):
        state = np.int64(area[i])
        cell = state - offset
        if not climbs[cell] & TO_CENTRE and reachable(world, state, seed, cap):
            climbs[cell] |= TO_CENTRE
        if not climbs[cell] & FROM_CENTRE and reachable(world, seed, state, cap):
            climbs[cell] |= FROM_CENTRE
        labels[cell] = label if climbs[cell] == TO_CENTRE | FROM_CENTRE else OPEN
