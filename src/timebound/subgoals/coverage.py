"""Even coverage: a map divided into regions that hill-climbing can cross (after Lawrence and Bulitko's HCDPS).

Records between random cells leave gaps, and most of them cross the same thoroughfares. So the map is divided into
squares, and the free cells of a square into regions: from each cell of a region a climb leads to its centre, and from
the centre to each cell (or a climb from or to an earlier centre of the square does). Between the centres of two regions
that touch there are two records, one in each direction. Wherever an agent and its goal are, climbs and records lead
from one to the other.

Squares are divided independently, so many workers can do it, and a local change of the map changes only the regions
around it.

An agent that cannot climb to its goal looks for a path from a centre that it can climb to, to a centre from which it
can climb to the goal. That is A* over regions: a few hundred expansions where the map has millions of cells.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..compiled import borrow, compiled, resized
from ..core.distinct import distinct
from ..core.integers import Int
from ..search.listener import Nobody, telling
from ..search.types import Listener
from ..worlds import Grid
from ..worlds.grid import CompiledGrid
from ..worlds.interface import heuristic, is_goal, successors
from .cases import Cases
from .hill_climbing import reachable

BLOCKED, OPEN = -1, -2  # labels: no region; not in a region yet
TO_CENTRE, FROM_CENTRE = 1, 2  # climbs that a cell has
CAP = 250  # the most steps of a climb within a region: the limit of agents
LEAST_SIDE, GREATEST_SIDE = 8, 96  # of a square
NEIGHBOURS = 7  # records that leave a region, on average


def side_for(world: Grid, records: int) -> int:
    """Return the side of the squares for about `records` records."""
    regions = max(1, records // NEIGHBOURS)
    side = round((np.count_nonzero(world.passable) / regions) ** 0.5)
    return int(min(max(side, LEAST_SIDE), GREATEST_SIDE))


def rows_of(world: Grid, side: int) -> int:
    """Return how many rows of squares a map has."""
    return -(-world.height // side)


def cut_row(world: Grid, piece: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the regions of a row of squares (their side, and its number): the label of every cell, and all centres."""
    side, row = piece
    top = row * side
    height = min(side, world.height - top)
    labels = np.where(world.passable[top : top + height], OPEN, BLOCKED).astype(np.int32).ravel()
    seeds = _cut(world.compiled(0), labels, top, height, side)
    return labels, seeds


def weights(world: Grid, labels: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Return the weight of each region: its size; ties (squares without walls) are broken by a hash of the centre."""
    sizes = np.bincount(labels[labels >= 0], minlength=len(seeds))
    return sizes * world.states + seeds.astype(np.int64) * 0x5E3779B1 % world.states


def touching(world: Grid, labels: np.ndarray, regions: int) -> np.ndarray:
    """Return all pairs of regions with a move from one to the other, ordered by the first, then the second."""
    labels, codes = labels.ravel().astype(np.int64), np.empty(0, np.int64)
    for k, offset in enumerate(world.compiled(0).offsets.tolist()):
        cells = np.flatnonzero(world.moves >> k & 1)
        one, other = labels[cells], labels[cells + offset]
        crossing = (one >= 0) & (other >= 0) & (one != other)
        codes = np.unique(np.concatenate([codes, one[crossing] * regions + other[crossing]]))
    return np.stack([codes // max(regions, 1), codes % max(regions, 1)], axis=1)


class Layout(NamedTuple):
    """The regions of a base, and the pairs of regions with records."""

    seeds: np.ndarray
    pairs: np.ndarray
    least: int  # regions of less weight were merged into others


def plan(seeds: np.ndarray, weights: np.ndarray, pairs: np.ndarray, records: int) -> Layout:
    """Choose the regions for at most `records` records.

    Small regions are merged into larger ones that they touch, until there are few enough pairs. The cells of a small
    region may then be unreachable by climbs, but no passage through it is lost.
    """
    # Regions below the limit are merged; the last limit always suffices.
    limits = [*np.unique(weights).tolist(), 1 << 62]
    few = bisect_left(limits[:-1], True, key=lambda limit: len(merged(weights, pairs, limit)[1]) <= records)
    least = limits[few]
    kept, left = merged(weights, pairs, least)
    order = np.argsort(seeds[kept], kind="stable")
    place = np.empty(len(seeds), np.int64)
    place[kept[order]] = np.arange(len(kept))
    chosen = place[left]
    chosen = chosen[np.lexsort((chosen[:, 1], chosen[:, 0]))][:records]
    return Layout(seeds[kept[order]], chosen, least)


def merged(weights: np.ndarray, pairs: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the regions that are kept if lighter ones are merged, and the pairs of those that touch.

    A region is merged into the heaviest that it touches, the last among equals, if that comes after
    itself in this order: so there are no cycles. That one may be merged into a third.
    """
    by_rank = np.argsort(weights, kind="stable")
    rank = np.argsort(by_rank)
    best, small = rank.copy(), weights[pairs[:, 0]] < least
    np.maximum.at(best, pairs[small, 0], rank[pairs[small, 1]])
    leader = by_rank[best]
    while (leader[leader] != leader).any():
        leader = leader[leader]
    ends = leader[pairs]
    ends = ends[ends[:, 0] != ends[:, 1]]
    return np.unique(leader), distinct(ends)[0]


@compiled
def _cut(world: CompiledGrid, labels: np.ndarray, top: int, height: int, side: int) -> np.ndarray:
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
                _claim(borrow(world), labels, climbs, area[:size], offset, seed, count)
                count += 1
    return resized(seeds, count)


_SEEN = -3


@compiled
def _flood(
    world: CompiledGrid, labels: np.ndarray, area: np.ndarray, offset: int, first: int, left: int, right: int
) -> int:
    """Collect the open cells inside the square that are connected with the first; return their number."""
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
    """Return the cell nearest to the centre of gravity; the first among equals."""
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
    world: CompiledGrid, labels: np.ndarray, climbs: np.ndarray, area: np.ndarray, offset: int, seed: Int, label: int
) -> None:
    """Assign cells with climbs in both directions to the region; the others stay open."""
    for i in range(len(area)):
        state = np.int64(area[i])
        cell = state - offset
        if not climbs[cell] & TO_CENTRE and reachable(world, state, seed, CAP):
            climbs[cell] |= TO_CENTRE
        if not climbs[cell] & FROM_CENTRE and reachable(world, seed, state, CAP):
            climbs[cell] |= FROM_CENTRE
        labels[cell] = label if climbs[cell] == TO_CENTRE | FROM_CENTRE else OPEN


# ------------------------------------------------------------------ the graph of regions


@telling
class Regions(NamedTuple):
    """The graph for one problem, a world like any other.

    Its states are the regions, and one more: the agent's position, with moves to the regions that it can climb to. The
    search ends at any region from whose centre the goal can be climbed to. That climb costs h, or a little more: the
    difference is neglected.
    """

    cases: Cases
    grid: CompiledGrid  # aimed at the agent's goal
    entries: np.ndarray  # regions that the agent can climb to
    entry_costs: np.ndarray
    exits: np.ndarray  # regions from which the goal can be climbed to
    ends: np.ndarray  # the numbers of entries and exits; and bit z % 64 for every exit z, for a quick test
    listener: Listener = Nobody()


@successors.of(Regions)
def _successors(world: Regions, state: Int) -> Iterator[tuple[int, int]]:
    here = state == len(world.cases.seeds)
    first = 0 if here else np.int64(world.cases.leaving[state])
    last = world.ends[0] if here else np.int64(world.cases.leaving[state + 1])
    # Only one `yield`: with two, the generator would live in memory, not in registers.
    for i in range(first, last):
        yield (
            world.entries[i] if here else world.cases.arriving[i],
            world.entry_costs[i] if here else world.cases.costs[i],
        )


@heuristic.of(Regions)
def _heuristic(world: Regions, state: Int) -> int:
    return 0 if state == len(world.cases.seeds) else heuristic(world.grid, np.int64(world.cases.seeds[state]))


@is_goal.of(Regions)
def _is_goal(world: Regions, state: Int) -> bool:
    if not world.ends[2] >> (state & 63) & 1 or state == len(world.cases.seeds):
        return False
    found = False
    for i in range(world.ends[1]):
        found = found or world.exits[i] == state
    return found
