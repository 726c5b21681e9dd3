"""A kd-tree over cells, or over pairs of cells: finds those nearest to a query without checking all of them.

An item of the tree is one cell, or two: start and end of a record. A level of the tree divides by one coordinate: x of
the first cell, y of the first cell, then the same of the second cell, and then again. Items that are not above the
coordinate of a node are on its left (kNN LRTA* paper, section 6.2, Figure 9).

The distance of an item from a query is the largest of the heuristic distances between their cells. Items on the far
side of a division are no nearer than the cells just behind it: if these are farther away than the worst item kept, that
side is skipped. The result is the same as that of checking all items, ties included: the lower number first.

A query comes once in hundreds of moves, and finds nothing in the processor's cache. So all data of a node are stored
together, followed by its left side.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined
from ..core.integers import Int
from ..search.heap import ENTRY, Entry, before, place, rise, sink
from ..worlds.grid import CompiledGrid
from ..worlds.interface import aimed, heuristic

NONE = -1
# The cells of an item (its only cell twice), its number, and the rows of the nodes below it, or NONE.
NODE = np.dtype([(name, np.int32) for name in ("first", "second", "number", "left", "right")])


class Tree(NamedTuple):
    """A tree; each row is a node, the first one the root."""

    rows: np.ndarray
    span: int  # cells of an item


class Nearest(NamedTuple):
    """Room for the items that a query finds, each a `state` at the distance `-f`."""

    heap: np.ndarray  # farthest on top, of several the last, during the search; then a list, nearest first
    stack: np.ndarray  # nodes to visit, each a row of `WAITING`


# The level of a node, the nearest cells that an item below it can have, and their distance from the query.
WAITING = np.dtype([(name, np.int64) for name in ("row", "level", "first", "second", "bound")])


@inlined
def coordinate(cell: Any, axis: int, width: int) -> Any:
    """Return the coordinate that a level divides by: x or y; of an item's second cell if the axis is 2 or 3."""
    return cell // width if axis % 2 else cell % width


# ------------------------------------------------------------------ growing a tree


def balanced(cells: np.ndarray, span: int, width: int) -> Tree:
    """Make a tree in which every node is a median of what is below it; item i has the cells from cells[i * span] on.

    It grows level by level. A part of the items that is not a tree yet is identified by the row of its root: first
    the root, then what is on its left, then what is on its right.
    """
    rows, level = np.empty(len(cells) // span, NODE), 0
    items, part = np.arange(len(rows)), np.zeros(len(rows), np.int64)
    while len(items):
        axis = level % (2 * span)
        divided_by = coordinate(cells[items * span + axis // 2], axis, width)
        order = np.lexsort((items, divided_by, part))
        items, part, divided_by = items[order], part[order], divided_by[order]
        root, first, size = np.unique(part, return_index=True, return_counts=True)
        # The median; the last of several with its coordinate, so that none of them is on the right.
        last = np.flatnonzero(np.append((np.diff(part) != 0) | (np.diff(divided_by) != 0), True))
        middle = last[np.searchsorted(last, first + (size - 1) // 2)]
        left, right = middle - first, first + size - 1 - middle
        rows["first"][root], rows["second"][root] = cells[items[middle] * span], cells[items[middle] * span + span - 1]
        rows["number"][root] = items[middle]
        rows["left"][root] = np.where(left > 0, root + 1, NONE)
        rows["right"][root] = np.where(right > 0, root + 1 + left, NONE)
        part += 1 + np.repeat(left, size) * (np.arange(len(items)) > np.repeat(middle, size))
        items, part = np.delete(items, middle), np.delete(part, middle)
        level += 1
    return Tree(rows, span)


# ------------------------------------------------------------------ queries


class Query(NamedTuple):
    """Cells whose nearest items are wanted: the world, aimed at each of them."""

    first: CompiledGrid
    second: CompiledGrid  # not used if the items are single cells


@inlined
def about(world: CompiledGrid, first: Int, second: Int) -> Query:
    """Make a query; `world` is borrowed."""
    return Query(aimed(world, first), aimed(world, second))


@inlined
def distance(tree: Tree, first: Int, second: Int, query: Query) -> int:
    """Return the largest distance of cells from those of the query, one by one."""
    if tree.span == 1:
        return heuristic(query.first, first)
    return max(heuristic(query.first, first), heuristic(query.second, second))


@inlined
def beyond(world: CompiledGrid, divider: Int, axis: int, nearest: int) -> tuple[Any, int]:
    """Return whether the cell that `world` is aimed at is on the left of a division, and the nearest cell behind it.

    Before the division, the nearest one was `nearest`.
    """
    y, nearest_y = divider * world.inverse >> world.inverse_bits, nearest * world.inverse >> world.inverse_bits
    if axis % 2:
        return world.goal_y <= y, y * world.width + nearest - nearest_y * world.width
    x = divider - y * world.width
    return world.goal_x <= x, nearest_y * world.width + x


@compiled
def keep(found: Nearest, count: int, most: int, item: Int, far: int) -> int:
    """Keep an item if it is among the `most` nearest so far; return how many are kept."""
    entry = Entry(-far, item, item, 0)
    if count == most:
        if before(entry, found.heap[0]):
            return count
        count = sink(found.heap, count)
    return rise(found.heap, count, entry)


@compiled
def in_order(found: Nearest, count: int) -> None:
    """Turn the heap into a list, nearest first."""
    for last in range(count - 1, 0, -1):
        item, far = np.int64(found.heap[0].state), -found.heap[0].f
        sink(found.heap, last + 1)
        place(found.heap, last, Entry(-far, item, item, 0))


@compiled
def scan(tree: Tree, query: Query, found: Nearest, most: int) -> int:
    """Find the `most` nearest items by checking all; return how many there are. All arguments are borrowed."""
    count = 0
    for i in range(len(tree.rows)):
        row = tree.rows[i]
        far = distance(tree, np.int64(row.first), np.int64(row.second), query)
        count = keep(found, count, most, np.int64(row.number), far)
    in_order(found, count)
    return count


@inlined
def wait(found: Nearest, waiting: int, row: Int, level: int, first: Int, second: Int, bound: int) -> int:
    """Push a node to visit later, if there is one; return how many wait."""
    if row == NONE:
        return waiting
    entry = found.stack[waiting]
    entry.row, entry.level, entry.first, entry.second, entry.bound = row, level, first, second, bound
    return waiting + 1


@compiled
def search(tree: Tree, query: Query, found: Nearest, most: int) -> int:
    """Do the same with the tree."""
    count, waiting = 0, wait(found, 0, 0 if len(tree.rows) else NONE, 0, query.first.goal, query.second.goal, 0)
    while waiting:
        waiting -= 1
        entry = found.stack[waiting]
        level, first, second, bound = entry.level, entry.first, entry.second, entry.bound
        if count == most and bound > -found.heap[0].f:
            continue
        row = tree.rows[entry.row]
        own_first, own_second = np.int64(row.first), np.int64(row.second)
        count = keep(found, count, most, np.int64(row.number), distance(tree, own_first, own_second, query))
        axis = level % (2 * tree.span)
        if axis < 2:
            on_the_left, cell = beyond(query.first, own_first, axis, first)
            far_first, far_second = cell, second
        else:
            on_the_left, cell = beyond(query.second, own_second, axis, second)
            far_first, far_second = first, cell
        near, far = np.int64(row.left), np.int64(row.right)
        if not on_the_left:
            near, far = far, near
        gap = distance(tree, far_first, far_second, query)
        waiting = wait(found, waiting, far, level + 1, far_first, far_second, gap)
        waiting = wait(found, waiting, near, level + 1, first, second, bound)
    in_order(found, count)
    return count


def depth(tree: Tree) -> int:
    """Return how many levels a tree has."""
    levels, nodes = 0, np.arange(len(tree.rows))[:1]
    while len(nodes):
        below = np.concatenate([tree.rows["left"][nodes], tree.rows["right"][nodes]])
        levels, nodes = levels + 1, below[below != NONE]
    return levels


def room_for(most: int, levels: int) -> Nearest:
    """Make room for a query of `most` items in a tree of `levels` levels."""
    return Nearest(np.empty(most, ENTRY), np.empty(levels + 2, WAITING))
