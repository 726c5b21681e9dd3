"""Shortest paths where every move costs 1 and h is the Manhattan distance: A* with two stacks for an open list.

A move leads one step towards the goal, and f stays the same, or away from it, and f grows by 2. So all open states have
the current f or the next one, and two stacks hold them: *near* and *far*. (Dial 1969 has a bucket for every cost; here
two are enough.) Within one f the last state is expanded first, which tends to be the one with the largest g.

No g is stored. In each stack it is f - h, so of several ways to a state those with the same f are equally good, and the
first one that is taken from a stack is a cheapest: h is consistent. A state is therefore closed once, and what is kept
about it is one number: which search closed it, and by which of the four moves.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled, inlined, lowest_bit, resized
from ..integers import Int
from ..memory import Used, untouched
from ..worlds.grid import Grid
from ..worlds.world import World
from .interrupts import due, interrupted
from .state import FOUND, UNREACHABLE

MARKS = "closed by moves of cost 1"  # the name of the marks in a world's pool
MOVE_BITS = 2  # a mark is the number of the search, then the move; an entry of a stack is the cell, then the move
MOVES = (1 << MOVE_BITS) - 1
LAST_NUMBER = np.iinfo(np.int32).max >> MOVE_BITS
# What ends a loop over the near stack, besides FOUND and UNREACHABLE: the stacks need more memory; what is near is
# closed, and f grows; a signal came.
CROWDED, NEXT, INTERRUPTED = 3, 4, 5
ENTRIES = 1 << 10  # of a new stack


def suits(world: World) -> bool:
    """Does every move cost 1, and is h the Manhattan distance?"""
    return isinstance(world, Grid) and world.heuristic == "manhattan" and world.travel is None


def unit_path(world: World, start: int, goal: int) -> tuple[int, np.ndarray]:
    """Return the number of expansions and a shortest path; the path is empty if there is none."""
    marks, number = world.pool.take(MARKS, world.states, np.int32)
    outcome = INTERRUPTED
    while outcome == INTERRUPTED:  # more than once only if a signal interrupted it, and its handler did not raise
        if number == LAST_NUMBER:
            marks, number = Used(untouched(world.states, np.int32), 0)
        number += 1
        outcome, expansions, path = find(world.compiled(goal), marks, number, start)
    world.pool.leave(MARKS, Used(marks, number))
    return expansions, path


@compiled
def find(world: Any, marks: np.ndarray, number: int, start: Int) -> tuple[int, int, np.ndarray]:
    """Search from `start`; return the outcome, the number of expansions, and the path. No mark has that number yet."""
    outcome, expansions, detours = search(world, marks, number, start)
    if outcome != FOUND:
        return outcome, expansions, np.empty(0, np.int32)
    y = start // world.width
    straight = abs(start - y * world.width - world.goal_x) + abs(y - world.goal_y)
    return outcome, expansions, traced(world, marks, straight + 2 * detours)


@compiled
def search(world: Any, marks: np.ndarray, number: int, start: Int) -> tuple[int, int, int]:
    """Search for the goal; return the outcome, the number of expansions, and how often f has grown."""
    near, far = np.empty(ENTRIES, np.int64), np.empty(ENTRIES, np.int64)
    near[0] = start << MOVE_BITS
    waiting, postponed, expansions, detours = 1, 0, 0, 0
    while True:
        outcome, waiting, postponed, expansions = close(
            borrow(world), borrow(marks), number, borrow(near), borrow(far), waiting, postponed, expansions
        )
        if outcome == CROWDED:
            near, far = resized(near, 2 * len(near)), resized(far, 2 * len(far))
        elif outcome == NEXT:
            near, far, waiting, postponed, detours = far, near, postponed, 0, detours + 1
        else:
            return outcome, expansions, detours


@compiled
def close(
    world: Any, marks: Any, number: int, near: Any, far: Any, waiting: int, postponed: int, expansions: int
) -> tuple[int, int, int, int]:
    """Close and expand the waiting cells of the current f; return the outcome, and the last three arguments changed."""
    while waiting:
        if max(waiting, postponed) + MOVES >= len(near):
            return CROWDED, waiting, postponed, expansions
        waiting -= 1
        entry = near[waiting]
        cell = entry >> MOVE_BITS
        if marks[cell] >> MOVE_BITS == number:
            continue
        marks[cell] = number << MOVE_BITS | entry & MOVES
        if cell == world.goal:
            return FOUND, waiting, postponed, expansions
        expansions += 1
        if due(expansions) and interrupted():
            return INTERRUPTED, waiting, postponed, expansions
        legal, towards = np.int64(world.moves[cell]), moves_towards_goal(world, cell)
        waiting = push(world, marks, number, cell, legal & towards, near, waiting)
        postponed = push(world, marks, number, cell, legal & ~towards, far, postponed)
    return NEXT if postponed else UNREACHABLE, waiting, postponed, expansions


@inlined
def moves_towards_goal(world: Any, cell: Int) -> int:
    """Return the moves that shorten the Manhattan distance to the goal; the bits are those of `Grid.moves`."""
    y = cell * world.inverse >> world.inverse_bits
    x = cell - y * world.width
    return (x < world.goal_x) | (y < world.goal_y) << 1 | (x > world.goal_x) << 2 | (y > world.goal_y) << 3


@inlined
def push(world: Any, closed: Any, number: int, cell: Int, moves: Any, stack: Any, size: int) -> int:
    """Put the cells that these moves lead to on the stack, unless they are closed; return its size."""
    while moves:
        move = lowest_bit(moves)
        moves &= moves - 1
        successor = cell + world.offsets[move]
        if closed[successor] >> MOVE_BITS != number:
            stack[size] = successor << MOVE_BITS | move
            size += 1
    return size


@compiled
def traced(world: Any, marks: np.ndarray, length: int) -> np.ndarray:
    """Return the path to the goal that has this many moves, by which its cells were closed."""
    path, cell = np.empty(length + 1, np.int32), np.int64(world.goal)
    for i in range(length, -1, -1):
        path[i] = cell
        cell -= world.offsets[marks[cell] & MOVES]
    return path
