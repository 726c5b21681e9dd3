"""Any-angle paths: straight lines between cells that see each other. Lazy Theta* (Nash, Koenig and Tovey 2010).

A state's parent may be any state that it sees, not only a neighbour. Lazy Theta* assumes that a new state sees the
parent of the state that it was reached from, and looks only when it expands it:

    Algorithm 1    SetVertex(s)     settle
                   Main()           find; ComputeCost(s, s') is in its inner loop

Costs are lengths, in whole numbers of 1 / `LENGTH`.
"""

import math
from typing import Any

import numpy as np

from ..compiled import Interrupted, borrow, borrow_field, compiled, inlined, optional
from ..compiled.interrupts import due, interrupted
from ..core.errors import ProblemError
from ..core.integers import Int
from ..worlds.grid import CompiledGrid, Grid
from ..worlds.interface import successors
from ..worlds.world import World
from .hot_queue import ONE_BUCKET
from .kept_searches import idle_search
from .open_list import NOBODY, begin_open, grown, push, remove, room, surface
from .orders import Order
from .paths import begin_trace, trace, traced_path
from .state import EXPANDED, SearchState, begin, begin_again

LENGTH = 1 << 20
MOST_NEIGHBOURS = 16


def any_angle_path(world: World, start: int, goal: int) -> tuple[bool, float, np.ndarray, int]:
    """Return whether there is a path, its length, its corners, and the number of expansions."""
    if not isinstance(world, Grid) or world.travel is not None:
        raise ProblemError("any-angle paths are for grids without travel costs")
    target, order = world.compiled(goal), Order(1, 0, True, ONE_BUCKET)
    with idle_search(world, target, order) as search:
        begin(search, target, start, order)
        found, expansions, corners = find(search, world.passable.ravel(), world.corners == "strict", start, goal)
    x, y = corners % world.width, corners // world.width
    return found, float(np.hypot(np.diff(x), np.diff(y)).sum()) if found else math.inf, corners, expansions


@compiled
def find(search: SearchState, cells: np.ndarray, strict: bool, start: Int, goal: Int) -> tuple[bool, int, np.ndarray]:
    """Search to the end; return whether there is a path, the number of expansions, and the corners of the path."""
    begin_again(search, start, search.order)  # also after a signal that was handled, when it is called again
    world, nodes, number = borrow_field(search, "world"), borrow_field(search, "nodes"), search.number
    memory, expansions, free = borrow_field(search, "memory"), 0, borrow(cells)
    queue = begin_open(ONE_BUCKET, distance(world, start, goal), 0, start)
    while True:
        if room(memory, queue.store) <= MOST_NEIGHBOURS:
            search.memory = grown(search.memory)
            memory = borrow_field(search, "memory")
        queue = surface(memory, queue, nodes)
        state = queue.hand.state
        if state == NOBODY:
            return False, expansions, np.empty(0, np.int32)
        queue = remove(queue)
        settle(world, nodes, number, free, strict, state)
        if state == goal:
            begin_trace(search, goal)
            trace(search, len(nodes))
            return True, expansions, taut(world, free, strict, traced_path(search))
        nodes[state].search = number + EXPANDED
        expansions += 1
        parent = np.int64(nodes[state].parent)
        for successor, _ in successors(world, state):
            node = nodes[successor]
            g = nodes[parent].g + distance(world, parent, successor)
            if node.search == number + EXPANDED or (node.search == number and g >= node.g):
                continue
            node.search, node.g, node.parent = number, g, parent
            f = g + distance(world, successor, goal)
            queue = push(memory, queue, f, g, successor, queue.order + 1)
        if due(expansions) and interrupted():
            raise Interrupted


@inlined
def settle(world: CompiledGrid, nodes: Any, number: int, free: Any, strict: bool, state: Int) -> None:
    """Unless the state sees its parent, give it the best parent among its expanded neighbours."""
    node = nodes[state]
    if sees(world, free, strict, np.int64(node.parent), state):
        return
    best = np.iinfo(np.int64).max
    for neighbour, _ in successors(world, state):
        g = nodes[neighbour].g + distance(world, neighbour, state)
        if nodes[neighbour].search == number + EXPANDED and g < best:
            best = g
            node.g, node.parent = g, neighbour


@compiled
def taut(world: CompiledGrid, free: Any, strict: bool, path: np.ndarray) -> np.ndarray:
    """Shorten a path: leave out corners whose neighbours see each other, and move corners to cells beside them."""
    shorter = True
    while shorter:
        path, shorter = without_detours(world, free, strict, path), False
        for i in range(1, len(path) - 1):
            before, here, after = np.int64(path[i - 1]), np.int64(path[i]), np.int64(path[i + 1])
            least = distance(world, before, here) + distance(world, here, after)
            for cell, _ in successors(world, here):
                length = distance(world, before, cell) + distance(world, cell, after)
                if (
                    length < least
                    and sees(world, free, strict, before, cell)
                    and sees(world, free, strict, cell, after)
                ):
                    path[i], least, shorter = cell, length, True
    return path


@compiled
def without_detours(world: CompiledGrid, free: Any, strict: bool, path: np.ndarray) -> np.ndarray:
    """Leave out corners whose neighbours see each other."""
    kept = 1
    for i in range(1, len(path)):
        while kept > 1 and sees(world, free, strict, np.int64(path[kept - 2]), np.int64(path[i])):
            kept -= 1
        path[kept] = path[i]
        kept += 1
    return path[:kept].copy()


@inlined
def place_of(world: CompiledGrid, state: Int) -> tuple[int, int]:
    """Return x and y."""
    y = state * world.inverse >> world.inverse_bits
    return state - y * world.width, y


@inlined
def distance(world: CompiledGrid, a: Int, b: Int) -> Any:
    """Return the length of a straight line."""
    ax, ay = place_of(world, a)
    bx, by = place_of(world, b)
    square = (ax - bx) * (ax - bx) + (ay - by) * (ay - by)
    return np.int64(math.sqrt(np.float64(square)) * LENGTH + 0.5)


@optional
def is_free(cells: Any, cell: Int) -> bool:
    """Is a cell free, according to an array of cells or to what an agent knows?"""
    return cells[cell]


@compiled
def sees(world: CompiledGrid, free: Any, strict: bool, a: Int, b: Int) -> bool:
    """Is the straight line between the middles of two cells free?

    With strict corners, a body as large as a cell must be able to go along it: between two columns, it is in both. With
    corners cut, a point: it passes through the cells that the line crosses, and may pass between two diagonal ones.
    """
    width = world.width
    ax, ay = place_of(world, a)
    bx, by = place_of(world, b)
    dx, dy = abs(bx - ax), abs(by - ay)
    step_x, step_y = 1 if bx > ax else -1, width if by > ay else -width
    if dx == 0 or dy == 0:
        step = step_x if dy == 0 else step_y
        cell = a
        while is_free(free, cell) and cell != b:
            cell += step
        return bool(is_free(free, cell))
    if strict:
        return sees_strictly(free, a, dx, dy, step_x, step_y)
    return sees_between(free, a, dx, dy, step_x, step_y)


@inlined
def sees_strictly(free: Any, a: Int, dx: int, dy: int, step_x: int, step_y: int) -> bool:
    """Go through the squares between cell middles that the line crosses: all four corners of each must be free."""
    x = y = 0
    corner = a
    while True:
        both = is_free(free, corner) and is_free(free, corner + step_x)
        if not (both and is_free(free, corner + step_y) and is_free(free, corner + step_x + step_y)):
            return False
        # The line leaves the square [x, x + 1] x [y, y + 1] at x + 1 or at y + 1, whichever comes first.
        side = (x + 1) * dy - (y + 1) * dx
        if side <= 0:
            x += 1
            corner += step_x
        if side >= 0:
            y += 1
            corner += step_y
        if x >= dx or y >= dy:
            return True


@inlined
def sees_between(free: Any, a: Int, dx: int, dy: int, step_x: int, step_y: int) -> bool:
    """Go through the cells that the line crosses."""
    x = y = 0
    cell = a
    while is_free(free, cell):
        if x == dx and y == dy:
            return True
        side = (2 * x + 1) * dy - (2 * y + 1) * dx
        if side <= 0:
            x += 1
            cell += step_x
        if side >= 0:
            y += 1
            cell += step_y
    return False
