"""Clique abstraction (Sturtevant and Buro 2005): a map with fewer and fewer states.

States that are all joined to each other, at most four, become one abstract state; then again on the result, level by
level, until every connected part of the map is one state. An abstract state stands for a region of the map. Regions are
connected, and two of them are joined on their level if and only if a move leads from one into the other.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..compiled import borrow, compiled, inlined, resized
from ..compiled.interrupts import breathe
from ..core.errors import ProblemError, WorldError
from ..core.integers import Int
from ..worlds import Graph, Grid, World
from ..worlds.interface import CompiledWorld, successors

Work = TypeVar("Work")

NO_REGION = -1  # of a blocked cell
_UNCLAIMED = -2
LARGEST = 4  # states in a clique: a grid with 8 neighbours has no larger ones


class Neighbours(NamedTuple):
    """States and their neighbours, and nothing else."""

    first: np.ndarray  # the neighbours of a state are targets[first[state] : first[state + 1]]
    targets: np.ndarray


@compiled
def fill_links(world: CompiledWorld, first: np.ndarray, targets: np.ndarray) -> int:
    """Record the neighbours of every state; return how many there are."""
    lent, used = borrow(world), 0
    for state in range(len(first) - 1):
        breathe(state)
        for neighbour, _ in successors(lent, state):
            targets[used] = neighbour
            used += 1
        first[state + 1] = used
    return used


# ------------------------------------------------------------------ one level


@compiled
def join_cliques(links: Neighbours, parent: np.ndarray) -> int:
    """Give every state its abstract state; return how many there are.

    `parent` is NO_REGION where there is no state, and is filled elsewhere. Large cliques come first: larger ones leave
    fewer states for the next level. Within one size, states are processed in the order of their numbers. What is
    left over has no unclaimed neighbour; with only one neighbour it is an orphan and joins the clique of that one.
    """
    lent, count = borrow(links), 0
    for state in range(len(parent)):
        if parent[state] != NO_REGION:
            parent[state] = _UNCLAIMED
    for size in range(LARGEST, 1, -1):
        for state in range(len(parent)):
            breathe(state)
            if parent[state] == _UNCLAIMED and claim(lent, parent, state, size, count):
                count += 1
    for state in range(len(parent)):
        if parent[state] == _UNCLAIMED:
            first = lent.first[state]
            if lent.first[state + 1] == first + 1:  # it has only one neighbour
                parent[state] = parent[lent.targets[first]]
            else:
                parent[state] = count
                count += 1
    in_order(parent, count)
    return count


@compiled
def claim(links: Neighbours, parent: np.ndarray, state: Int, size: int, number: int) -> bool:
    """Claim `size` unclaimed states, including `state`, that are all joined to each other; return whether it did."""
    first, last = links.first[state], links.first[state + 1]
    for i in range(first, last):
        one = links.targets[i]
        if parent[one] != _UNCLAIMED:
            continue
        if size == 2:
            parent[state] = parent[one] = number
            return True
        for j in range(i + 1, last):
            two = links.targets[j]
            if parent[two] != _UNCLAIMED or not joined(links, one, two):
                continue
            if size == 3:
                parent[state] = parent[one] = parent[two] = number
                return True
            for k in range(j + 1, last):
                three = links.targets[k]
                if parent[three] == _UNCLAIMED and joined(links, one, three) and joined(links, two, three):
                    parent[state] = parent[one] = parent[two] = parent[three] = number
                    return True
    return False


@inlined
def joined(links: Neighbours, state: Int, other: Int) -> bool:
    """Does a move lead from one to the other?"""
    found = False
    for i in range(links.first[state], links.first[state + 1]):
        found = found or links.targets[i] == other
    return found


@compiled
def in_order(parent: np.ndarray, count: int) -> None:
    """Number the abstract states in the order of their first members, so that neighbours have near numbers."""
    numbers, used = np.full(count, -1, np.int32), 0
    for state in range(len(parent)):
        old = parent[state]
        if old == NO_REGION:
            continue
        if numbers[old] < 0:
            numbers[old] = used
            used += 1
        parent[state] = numbers[old]


@compiled
def members_of(parent: np.ndarray, count: int) -> Neighbours:
    """Return the members of every abstract state, as rows."""
    first = np.zeros(count + 1, np.int64)
    for state in range(len(parent)):
        if parent[state] != NO_REGION:
            first[parent[state] + 1] += 1
    for region in range(count):
        first[region + 1] += first[region]
    filled, members = first.copy(), np.empty(first[count], np.int32)
    for state in range(len(parent)):
        if parent[state] != NO_REGION:
            members[filled[parent[state]]] = state
            filled[parent[state]] += 1
    return Neighbours(first, members)


@compiled
def links_between(links: Neighbours, parent: np.ndarray, members: Neighbours, count: int) -> Neighbours:
    """Join abstract states if any of their members are joined."""
    lent = borrow(links)
    first, targets, filled = np.zeros(count + 1, np.int64), np.empty(8 * count, np.int32), 0
    seen = np.full(count, -1, np.int32)
    for region in range(count):
        breathe(region)
        for i in range(members.first[region], members.first[region + 1]):
            state = np.int64(members.targets[i])
            for j in range(lent.first[state], lent.first[state + 1]):
                other = parent[lent.targets[j]]
                if other == region or seen[other] == region:
                    continue
                seen[other] = region
                if filled == len(targets):
                    targets = resized(targets, 2 * filled)
                targets[filled] = other
                filled += 1
        first[region + 1] = filled
    return Neighbours(first, resized(targets, filled))


@dataclass(frozen=True)
class Level:
    """One level of an abstraction."""

    parent: np.ndarray  # the abstract state of every state of the level below; NO_REGION for a blocked cell
    links: Neighbours  # which abstract states are neighbours
    sizes: np.ndarray  # the number of map cells of every abstract state
    sums: tuple[np.ndarray, np.ndarray]  # the sums of their x and of their y

    @property
    def states(self) -> int:
        """The number of abstract states."""
        return len(self.sizes)

    @cached_property
    def positions(self) -> np.ndarray:
        """The mean position of their cells: an array of rows (x, y)."""
        return np.stack(self.sums, axis=1) / self.sizes[:, np.newaxis]


def _level_above(links: Neighbours, parent: np.ndarray, values: tuple[np.ndarray, ...]) -> Level:
    """Abstract states with these numbers of cells and sums of x and y."""
    count = int(join_cliques(links, parent))
    above = links_between(links, parent, members_of(parent, count), count)
    # Sums over the members of every abstract state, exact below 2**53.
    sizes, x, y = (np.bincount(parent - NO_REGION, value, count + 1)[1:].astype(np.int64) for value in values)
    return Level(parent, above, sizes, (x, y))


# ------------------------------------------------------------------ all levels


def per_level(work: "Callable[[Abstraction, int], Work]") -> "Callable[[Abstraction, int], Work]":
    """Compute what an abstraction has for each level, once."""

    @functools.wraps(work)
    def once(self: "Abstraction", level: int) -> Work:
        key = work.__name__, self.clamped(level)
        if key not in self.kept:
            self.kept[key] = work(self, key[1])
        return self.kept[key]

    return once


class Abstraction:
    """The levels of a grid's abstraction, from the cells (level 0) to one state for every connected part.

    Use `Abstraction.of`, which computes it once per grid and keeps it there.

    >>> import numpy as np, timebound as tb
    >>> from timebound.subgoals.abstraction import Abstraction
    >>> abstraction = Abstraction.of(tb.Grid(np.ones((4, 6), bool)))
    >>> [abstraction.level(k).states for k in (1, 2, 3)]
    [6, 2, 1]
    >>> abstraction.regions(2).reshape(4, 6)[0]
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    >>> abstraction.representatives(2)
    array([ 7, 10], dtype=int32)
    """

    def __init__(self, world: Grid):
        free = world.passable.ravel()
        cells = np.arange(world.states, dtype=np.int32)
        parent = np.where(free, np.int32(0), np.int32(NO_REGION))
        values = free.astype(np.int8), cells % world.width, cells // world.width
        self.world, self.version = world, world.version
        """The grid, and its version when this was computed: later changes are not included (`of` gives a new one)."""
        # The cells in the same form as regions, so that all levels are alike: abstraction is compiled once.
        first, targets = np.zeros(world.states + 1, np.int64), np.empty(world.states * world.branching, np.int32)
        links = Neighbours(first, targets[: fill_links(world.compiled(0), first, targets)])
        self.levels = [_level_above(links, parent, values)]
        while len((top := self.levels[-1]).links.targets):
            parent = np.zeros(top.states, np.int32)
            self.levels.append(_level_above(top.links, parent, (top.sizes, *top.sums)))
        self.kept: dict[tuple[str, int], Any] = {}

    @classmethod
    def of(cls, world: World) -> "Abstraction":
        """Return the abstraction of a grid, computed on first use."""
        if not isinstance(world, Grid):
            raise WorldError(f"clique abstraction is for grids, not for {world}")
        if "abstraction" not in world.prepared:
            world.prepared["abstraction"] = cls(world)
        return world.prepared["abstraction"]

    @property
    def top(self) -> int:
        """The number of the highest level, on which every connected part of the map is one state."""
        return len(self.levels)

    def clamped(self, level: int) -> int:
        """Return the level, or the highest one: abstracting a map without moves changes nothing."""
        if level < 1:
            raise ProblemError(f"a level of abstraction is a whole number above 0, not {level!r}")
        return min(level, self.top)

    def level(self, level: int) -> Level:
        """Return that level."""
        return self.levels[self.clamped(level) - 1]

    @per_level
    def regions(self, level: int) -> np.ndarray:
        """Return the abstract state of every cell of the map at that level; `NO_REGION` for a blocked one."""
        below = self.levels[0].parent
        for above in self.levels[1:level]:
            below = np.where(below == NO_REGION, np.int32(NO_REGION), above.parent[below])
        return below

    @per_level
    def parts(self, level: int) -> np.ndarray:
        """Return the connected part of the map of every abstract state at that level."""
        part = np.arange(self.level(level).states, dtype=np.int32)
        for above in self.levels[level:]:
            part = above.parent[part]
        return part

    @per_level
    def representatives(self, level: int) -> np.ndarray:
        """Return the cell of every region nearest to its mean position; among several the first."""
        return nearest_cells(self.regions(level), self.level(level).positions, self.world.width)

    @per_level
    def graph(self, level: int) -> Graph:
        """Return that level as a world: a move costs the distance between mean positions, at least 1, like real moves.

        Two regions may have the same mean position, one around the other.
        """
        chosen = self.level(level)
        links, positions = chosen.links, chosen.positions
        if not chosen.states:
            return Graph([0, 0], [], [], heuristic=np.zeros((1, 2)))  # all cells are blocked; a graph needs a node
        sources = np.repeat(np.arange(chosen.states), np.diff(links.first))
        steps = positions[sources] - positions[links.targets]
        costs = np.maximum(1.0, np.sqrt(steps[:, 0] ** 2 + steps[:, 1] ** 2))
        return Graph(links.first, links.targets, costs, heuristic=positions)


@compiled
def nearest_cells(regions: np.ndarray, positions: np.ndarray, width: int) -> np.ndarray:
    """Return the cell of every region nearest to its position."""
    nearest, least = np.full(len(positions), -1, np.int32), np.empty(len(positions))
    for cell in range(len(regions)):
        region = regions[cell]
        if region == NO_REGION:
            continue
        x, y = cell % width - positions[region, 0], cell // width - positions[region, 1]
        square = x * x + y * y
        if nearest[region] < 0 or square < least[region]:
            nearest[region], least[region] = cell, square
    return nearest
