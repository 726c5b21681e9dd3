"""A kd-tree over cells, or over pairs of cells: the nearest ones to a query without a look at all of them.

An item of the tree is one cell, or two: start and end of a record. A level of the tree divides by one coordinate: x of
the first cell, y of the first cell, then the same of the second cell, and so on from the beginning. What is not above
the coordinate of a node is on its left (kNN LRTA* paper, section 6.2, Figure 9).

How far an item is from a query is the largest of the heuristic distances between their cells. What lies on the far side
of divisions is no nearer than the cells just behind them: where these are farther away than the worst item kept, it is
not looked at. The items found are those of a look at all of them, ties included: the lower number first.

A query comes once in hundreds of moves, and finds nothing in the processor's cache. So all that is known of a node is
kept together, and what hangs on its left comes next to it.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..integers import Int
from ..worlds.interface import aimed, heuristic

NONE = -1
# The cells of an item (its only cell twice), its number, and the rows of the nodes below it, or NONE.
NODE = np.dtype([(name, np.int32) for name in ("first", "second", "number", "left", "right")])


class Tree(NamedTuple):
    """A tree; each row is a node, the first one the root."""

    rows: np.ndarray
    span: int  # cells of an item


class Nearest(NamedTuple):
    """Room for the items that a query finds: a heap, the farthest on top, while it searches; then the nearest first."""

    items: np.ndarray
    distances: np.ndarray
    stack: np.ndarray  # nodes to look at, each a row of `WAITING`


# At which level a node is, the nearest cells that an item below it can have, and how far these are from the query.
WAITING = np.dtype([(name, np.int64) for name in ("row", "level", "first", "second", "bound")])


@inlined
def coordinate(cell: Any, axis: int, width: int) -> Any:
    """What a level divides by: x or y of a cell; of the second one of an item if the axis is 2 or 3."""
    return cell // width if axis % 2 else cell % width


# ------------------------------------------------------------------ growing a tree


def balanced(cells: np.ndarray, span: int, width: int) -> Tree:
    """A tree in which every node is a median of what is below it; item i has the cells from cells[i * span] on.

    It grows level by level. A part of the items that has yet to become a tree is known by the row of its root: first
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
        # The median; of several with its coordinate the last, so that none of them is on the right.
        last = np.flatnonzero(np.append((np.diff(part) != 0) | (np.diff(divided_by) != 0), True))
        middle = last[np.searchsorted(last, first + (size - 1) // 2)]
        left, right = middle - first, first + size - 1 - middle
        rows[root] = _nodes(cells, span, items[middle])
        rows["left"][root] = np.where(left > 0, root + 1, NONE)
        rows["right"][root] = np.where(right > 0, root + 1 + left, NONE)
        part += 1 + np.repeat(left, size) * (np.arange(len(items)) > np.repeat(middle, size))
        items, part = np.delete(items, middle), np.delete(part, middle)
        level += 1
    return Tree(rows, span)


def _nodes(cells: np.ndarray, span: int, items: np.ndarray) -> np.ndarray:
    """Items as rows; nothing hangs on them."""
    rows = np.empty(len(items), NODE)
    rows["first"], rows["second"], rows["number"] = cells[items * span], cells[items * span + span - 1], items
    rows["left"] = rows["right"] = NONE
    return rows


def new_rows(cells: np.ndarray, span: int) -> np.ndarray:
    """Items in the order of their numbers, not hung together yet."""
    return _nodes(cells, span, np.arange(len(cells) // span))


@compiled
def insert(tree: Any, row: int, width: int) -> int:
    """Hang an item that is not in the tree yet below its parent; return the level that it comes to."""
    node: Int
    rows, node, level = borrow(tree.rows), 0, 0
    while True:
        axis = level % (2 * tree.span)
        own, divider = (rows[row].first, rows[node].first) if axis < 2 else (rows[row].second, rows[node].second)
        on_the_left = coordinate(own, axis, width) <= coordinate(divider, axis, width)
        below = np.int64(rows[node].left if on_the_left else rows[node].right)
        level += 1
        if below != NONE:
            node = below
        elif on_the_left:
            rows[node].left = row
            return level
        else:
            rows[node].right = row
            return level


# ------------------------------------------------------------------ asking it


class Query(NamedTuple):
    """Cells whose nearest items are wanted: the world, aimed at each of them."""

    first: Any
    second: Any  # nobody looks at it if the items are single cells


@inlined
def about(world: Any, first: int, second: int) -> Query:
    """A query; `world` is borrowed."""
    return Query(aimed(world, first), aimed(world, second))


@inlined
def distance(tree: Any, first: Int, second: Int, query: Any) -> int:
    """How far cells are from those of the query, one by one: the largest distance."""
    if tree.span == 1:
        return heuristic(query.first, first)
    return max(heuristic(query.first, first), heuristic(query.second, second))


@inlined
def beyond(world: Any, divider: Int, axis: int, nearest: int) -> tuple[bool, int]:
    """Is the cell that `world` is aimed at on the left of a division, and which cell behind it is nearest then?

    Until there, the nearest one was `nearest`.
    """
    y, nearest_y = divider * world.inverse >> world.inverse_bits, nearest * world.inverse >> world.inverse_bits
    if axis % 2:
        return world.goal_y <= y, y * world.width + nearest - nearest_y * world.width
    x = divider - y * world.width
    return world.goal_x <= x, nearest_y * world.width + x


@inlined
def nearer(distance: int, item: Int, other_distance: int, other: Int) -> bool | np.bool_:
    """The order of items."""
    return distance < other_distance or (distance == other_distance and item < other)


@compiled
def keep(found: Any, count: int, most: int, item: Int, far: int) -> int:
    """Keep an item if it is among the `most` nearest so far; return how many are kept."""
    if count == most:
        if not nearer(far, item, found.distances[0], np.int64(found.items[0])):
            return count
        sink(found, count, item, far)
        return count
    place = count
    while place:
        above = (place - 1) // 2
        if not nearer(found.distances[above], np.int64(found.items[above]), far, item):
            break
        found.items[place], found.distances[place] = found.items[above], found.distances[above]
        place = above
    found.items[place], found.distances[place] = item, far
    return count + 1


@compiled
def sink(found: Any, count: int, item: Int, far: int) -> None:
    """Put an item in place of the one on top of the heap."""
    place = 0
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and nearer(
            found.distances[below], np.int64(found.items[below]), found.distances[below + 1], found.items[below + 1]
        ):
            below += 1
        if nearer(found.distances[below], np.int64(found.items[below]), far, item):
            break
        found.items[place], found.distances[place] = found.items[below], found.distances[below]
        place = below
    found.items[place], found.distances[place] = item, far


@compiled
def in_order(found: Any, count: int) -> None:
    """Turn the heap into a list, the nearest first."""
    for last in range(count - 1, 0, -1):
        item, far = np.int64(found.items[0]), found.distances[0]
        sink(found, last, np.int64(found.items[last]), found.distances[last])
        found.items[last], found.distances[last] = item, far


@compiled
def scan(tree: Any, query: Any, found: Any, most: int) -> int:
    """The `most` nearest items by a look at all; return how many there are. All arguments are borrowed."""
    count = 0
    for i in range(len(tree.rows)):
        row = tree.rows[i]
        far = distance(tree, np.int64(row.first), np.int64(row.second), query)
        count = keep(found, count, most, np.int64(row.number), far)
    in_order(found, count)
    return count


@inlined
def wait(found: Any, waiting: int, row: Int, level: int, first: int, second: int, bound: int) -> int:
    """Look at a node later, if there is one; return how many wait."""
    if row == NONE:
        return waiting
    entry = found.stack[waiting]
    entry.row, entry.level, entry.first, entry.second, entry.bound = row, level, first, second, bound
    return waiting + 1


@compiled
def search(tree: Any, query: Any, found: Any, most: int) -> int:
    """The same, through the tree."""
    count, waiting = 0, wait(found, 0, 0 if len(tree.rows) else NONE, 0, query.first.goal, query.second.goal, 0)
    while waiting:
        waiting -= 1
        entry = found.stack[waiting]
        level, first, second, bound = entry.level, entry.first, entry.second, entry.bound
        if count == most and bound > found.distances[0]:
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
    """How many levels a tree has."""
    levels, nodes = 0, np.arange(len(tree.rows))[:1]
    while len(nodes):
        below = np.concatenate([tree.rows["left"][nodes], tree.rows["right"][nodes]])
        levels, nodes = levels + 1, below[below != NONE]
    return levels


def room_for(most: int, levels: int) -> Nearest:
    """Room for a query of so many items in a tree of so many levels."""
    return Nearest(np.empty(most, np.int32), np.empty(most, np.int64), np.empty(levels + 2, WAITING))
