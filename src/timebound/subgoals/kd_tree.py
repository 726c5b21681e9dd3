"""A kd-tree over cells, or over pairs of cells: the nearest ones to a query without a look at all of them.

An item of the tree is a row of cells: start and end of a record, or one cell alone. A level of the tree divides by one
coordinate: x of the first cell, y of the first cell, then the same of the second cell, and so on from the beginning.
What is not above the coordinate of a node is on its left (kNN LRTA* paper, section 6.2, Figure 9).

How far an item is from a query is the largest of the heuristic distances between their cells. Each difference of a
coordinate bounds it from below: whatever lies on the far side of a division that is farther away than the worst item
kept is not looked at. The items found are those of a look at all of them, ties included: the lower number first.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined
from ..worlds.interface import aimed, heuristic

NONE = -1


class Tree(NamedTuple):
    """A tree; its items are rows of `cells`."""

    cells: np.ndarray  # item i has cells[i * span], ..., cells[i * span + span - 1]
    span: int
    left: np.ndarray  # the item below on the left, or NONE
    right: np.ndarray
    root: int


class Nearest(NamedTuple):
    """Room for the items that a query finds: a heap, the farthest on top, while it searches; then the nearest first."""

    items: np.ndarray
    distances: np.ndarray
    stack: np.ndarray  # nodes to look at
    levels: np.ndarray  # and at which level they are
    bounds: np.ndarray  # and how near an item below can be


@inlined
def coordinate(tree: Any, item: int, axis: int, width: int) -> int:
    """What a level divides by: x or y of one of the cells."""
    cell = np.int64(tree.cells[item * tree.span + axis // 2])
    return cell // width if axis % 2 else cell % width


# ------------------------------------------------------------------ growing a tree


@compiled
def balanced(cells: np.ndarray, span: int, width: int) -> Tree:
    """A tree in which every node is a median of what is below it."""
    count = len(cells) // span
    left, right = np.full(count, NONE, np.int32), np.full(count, NONE, np.int32)
    order = np.arange(count).astype(np.int32)
    keys = np.empty(count, np.int64)
    tree = Tree(cells, span, left, right, NONE)
    # Parts of `order` that still have to become trees: first, end, level, parent, and on which side of that.
    parts, root = [(0, count, 0, NONE, False)], NONE
    while len(parts):
        first, end, level, parent, on_the_left = parts.pop()
        if first == end:
            continue
        axis = level % (2 * span)
        for i in range(first, end):
            keys[i] = (coordinate(tree, np.int64(order[i]), axis, width) << 32) + order[i]
        part = order[first:end][np.argsort(keys[first:end])]
        order[first:end] = part
        middle = (first + end - 1) // 2
        divider = coordinate(tree, np.int64(order[middle]), axis, width)
        while middle + 1 < end and coordinate(tree, np.int64(order[middle + 1]), axis, width) == divider:
            middle += 1
        node = np.int64(order[middle])
        if parent == NONE:
            root = node
        elif on_the_left:
            left[parent] = node
        else:
            right[parent] = node
        parts.append((first, middle, level + 1, node, True))
        parts.append((middle + 1, end, level + 1, node, False))
    return Tree(cells, span, left, right, root)


@compiled
def insert(tree: Any, item: int, width: int) -> int:
    """Hang an item that is not in the tree yet below its parent; return the level that it comes to."""
    node, level = tree.root, 0
    while True:
        axis = level % (2 * tree.span)
        side = tree.left if coordinate(tree, item, axis, width) <= coordinate(tree, node, axis, width) else tree.right
        level += 1
        if side[node] == NONE:
            side[node] = item
            return level
        node = np.int64(side[node])


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
def distance(tree: Any, item: int, query: Any) -> int:
    """How far an item is from the query: the cells of both, one by one, and the largest distance."""
    if tree.span == 1:
        return heuristic(query.first, np.int64(tree.cells[item]))
    first = heuristic(query.first, np.int64(tree.cells[2 * item]))
    return max(first, heuristic(query.second, np.int64(tree.cells[2 * item + 1])))


@inlined
def side(tree: Any, node: int, axis: int, world: Any) -> tuple[bool, int]:
    """Is the cell that `world` is aimed at on the left of a division, and how far from it is the nearest cell there?"""
    cell = np.int64(tree.cells[node * tree.span + axis // 2])
    y = cell * world.inverse >> world.inverse_bits
    if axis % 2:
        return world.goal_y <= y, heuristic(world, y * world.width + world.goal_x)
    x = cell - y * world.width
    return world.goal_x <= x, heuristic(world, world.goal_y * world.width + x)


@inlined
def nearer(distance: int, item: int, other_distance: int, other: int) -> bool:
    """The order of items."""
    return distance < other_distance or (distance == other_distance and item < other)


@compiled
def keep(found: Any, count: int, most: int, item: int, far: int) -> int:
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
def sink(found: Any, count: int, item: int, far: int) -> None:
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
    for item in range(len(tree.left)):
        count = keep(found, count, most, item, distance(tree, item, query))
    in_order(found, count)
    return count


@compiled
def search(tree: Any, query: Any, found: Any, most: int) -> int:
    """The same, through the tree."""
    count, waiting = 0, 0
    if tree.root != NONE:
        found.stack[0], found.levels[0], found.bounds[0] = tree.root, 0, 0
        waiting = 1
    while waiting:
        waiting -= 1
        node, level, bound = np.int64(found.stack[waiting]), np.int64(found.levels[waiting]), found.bounds[waiting]
        if count == most and bound > found.distances[0]:
            continue
        count = keep(found, count, most, node, distance(tree, node, query))
        axis = level % (2 * tree.span)
        on_the_left, gap = side(tree, node, axis, query.first if axis < 2 else query.second)
        near, far = np.int64(tree.left[node]), np.int64(tree.right[node])
        if not on_the_left:
            near, far = far, near
        beyond = max(bound, gap)
        if far != NONE:
            found.stack[waiting], found.levels[waiting], found.bounds[waiting] = far, level + 1, beyond
            waiting += 1
        if near != NONE:
            found.stack[waiting], found.levels[waiting], found.bounds[waiting] = near, level + 1, bound
            waiting += 1
    in_order(found, count)
    return count


@compiled
def depth(tree: Any) -> int:
    """How many levels a tree has."""
    deepest, parts = 0, [(np.int64(tree.root), 1)]
    while len(parts):
        node, level = parts.pop()
        if node != NONE:
            deepest = max(deepest, level)
            parts.append((np.int64(tree.left[node]), level + 1))
            parts.append((np.int64(tree.right[node]), level + 1))
    return deepest


def room_for(most: int, levels: int) -> Nearest:
    """Room for a query of so many items in a tree of so many levels."""
    return Nearest(
        np.empty(most, np.int32),
        np.empty(most, np.int64),
        np.empty(levels + 2, np.int32),
        np.empty(levels + 2, np.int32),
        np.empty(levels + 2, np.int64),
    )
