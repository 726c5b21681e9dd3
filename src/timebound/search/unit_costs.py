"""Shortest paths where every move costs 1 and h is the Manhattan distance: A* with two stacks as its open list.

A move leads one step towards the goal, and f stays the same; or one step away, and f grows by 2. So an open state has
the current f or the next one, and two stacks hold them all: *near* and *far*. (Dial 1969 has a bucket for every cost;
here two are enough.) Of the states with the same f, the one reached last is expanded first; often its g is the largest.

No g is stored: all ways to a state that have the same f have the same g. h is consistent, so the first way that is
taken from the stacks is a cheapest one, and no state is closed twice. What is kept about a state is one number, its
mark: which search has closed it, and by which of the four moves.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled, inlined, resized
from ..compiled.interrupts import due, interrupted
from ..core.integers import Int
from ..core.memory import Used, untouched
from ..worlds.grid import CompiledGrid, Grid
from ..worlds.interface import heuristic
from ..worlds.world import World
from .state import FOUND, UNREACHABLE

MARKS = "marks of moves that cost 1"  # the name of the array in a world's pool
MOST_MOVES = 4
MOVE_BITS = 2  # a mark is the number of a search, then a move; an entry of a stack is a cell, then the move to it
MOVE_MASK = (1 << MOVE_BITS) - 1
LAST_NUMBER = np.iinfo(np.int32).max >> MOVE_BITS
ENTRIES = 1 << 10  # of a new stack
# Why a search pauses: the stacks are full; all states with the current f are closed; a signal has arrived.
CROWDED, NEXT_F, INTERRUPTED = 3, 4, 5


def has_unit_costs(world: World) -> bool:
    """Does every move cost 1, and is h the Manhattan distance?"""
    return isinstance(world, Grid) and world.heuristic == "manhattan" and world.travel is None


def unit_path(world: World, start: int, goal: int) -> tuple[bool, int, np.ndarray]:
    """Return whether there is a path, the number of expansions, and a shortest path."""
    target, (marks, number) = world.compiled(goal), world.pool.take(MARKS, world.states, np.int32)
    outcome = INTERRUPTED
    while outcome == INTERRUPTED:  # twice only if the handler of a signal has run, without raising
        if number == LAST_NUMBER:
            marks, number = untouched(world.states, np.int32), 0
        number += 1
        outcome, expansions, path = find(target, marks, number, start)
    world.pool.leave(MARKS, Used(marks, number))
    return outcome == FOUND, expansions, path


@compiled
def find(world: CompiledGrid, marks: np.ndarray, number: int, start: Int) -> tuple[int, int, np.ndarray]:
    """Search from `start`; return the outcome, the number of expansions, and the path. No mark has this number yet."""
    near, far = np.empty(ENTRIES, np.int64), np.empty(ENTRIES, np.int64)
    near[0] = start << MOVE_BITS
    waiting, postponed, expansions, rises = 1, 0, 0, 0
    while True:
        outcome, waiting, postponed, expansions = expand(
            borrow(world), borrow(marks), number, borrow(near), borrow(far), waiting, postponed, expansions
        )
        if outcome == CROWDED:
            near, far = resized(near, 2 * len(near)), resized(far, 2 * len(far))
        elif outcome == NEXT_F:
            near, far, waiting, postponed, rises = far, near, postponed, 0, rises + 1
        else:
            length = heuristic(borrow(world), start) + 2 * rises if outcome == FOUND else -1
            return outcome, expansions, traced(world, marks, length)


@compiled
def expand(
    world: CompiledGrid, marks: Any, number: int, near: Any, far: Any, waiting: int, postponed: int, expansions: int
) -> tuple[int, int, int, int]:
    """Close and expand what waits on the near stack; return the outcome, and the last three arguments, changed."""
    while waiting:
        if max(waiting, postponed) + MOST_MOVES > len(near):
            return CROWDED, waiting, postponed, expansions
        waiting -= 1
        entry = near[waiting]
        cell = entry >> MOVE_BITS
        if marks[cell] >> MOVE_BITS == number:
            continue
        marks[cell] = number << MOVE_BITS | entry & MOVE_MASK
        if cell == world.goal:
            return FOUND, waiting, postponed, expansions
        expansions += 1
        legal, towards = np.int64(world.moves[cell]), moves_towards_goal(world, cell)
        waiting = push(world, marks, number, cell, legal & towards, near, waiting)
        postponed = push(world, marks, number, cell, legal & ~towards, far, postponed)
        if due(expansions) and interrupted():
            return INTERRUPTED, waiting, postponed, expansions
    return NEXT_F if postponed else UNREACHABLE, waiting, postponed, expansions


@inlined
def moves_towards_goal(world: CompiledGrid, cell: Int) -> Any:
    """Return the moves that shorten the Manhattan distance to the goal: bits 0 to 3 for right, down, left and up."""
    y = cell * world.inverse >> world.inverse_bits
    x = cell - y * world.width
    return (x < world.goal_x) | (y < world.goal_y) << 1 | (x > world.goal_x) << 2 | (y > world.goal_y) << 3


@inlined
def push(world: CompiledGrid, marks: Any, number: int, cell: Int, moves: Any, stack: Any, size: int) -> int:
    """Put what these moves lead to on the stack, unless it is closed; return the size of the stack."""
    for move in range(MOST_MOVES - 1, -1, -1):  # backwards: the last one is expanded first
        successor = cell + world.offsets[move]
        if moves >> move & 1 and marks[successor] >> MOVE_BITS != number:
            stack[size] = successor << MOVE_BITS | move
            size += 1
    return size


@compiled
def traced(world: CompiledGrid, marks: np.ndarray, length: int) -> np.ndarray:
    """Return the path to the goal, of this many moves, from the marks of its cells; without a path, `length` is -1."""
    path, cell = np.empty(length + 1, np.int32), np.int64(world.goal)
    for i in range(length, -1, -1):
        path[i] = cell
        cell -= world.offsets[marks[cell] & MOVE_MASK]
    return path
