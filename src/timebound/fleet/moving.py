"""Moves of all units at once: who follows its path goes on; where units are in each other's way, who gives way.

With `push` it is priority inheritance with backtracking (PIBT: Okumura, Machida, Défago, Tamura 2019, 2022): a unit
that is in the way of one with a higher priority moves for it, and may push others in turn. No two units end in one
cell and no two change places. With `wait` nobody is pushed.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, mutable
from ..integers import Int
from ..search.learning import kept_number
from ..worlds.interface import NO_STATE, aimed, heuristic, number_of, successors
from ..worlds.moves import IMPOSSIBLE, price_of
from .planning import enqueue, has_block
from .streams import settle, without_streams
from .tables import Table
from .units import ARRIVED, BLOCKED, MOVING, UNREACHABLE

NONE, WAIT, PUSH = 0, 1, 2
COLLISIONS = {"none": NONE, "wait": WAIT, "push": PUSH}
UNDECIDED = -1
NO_UNIT = -1
THICKEST = 64  # cells of wall that a unit under it gets through
CHOICES = 20  # moves that a unit considers, at most; on a grid there are 17

Moves = mutable(
    __name__,
    "Moves",
    [
        "here",  # who is in a state, plus 1
        "there",  # who will be there after this tick, plus 1
        "wish",  # of every unit: where it wants to go
        "following",  # where it will go, or UNDECIDED
        "choices",  # the states that it considers, CHOICES for each unit, the best first
        "considered",  # how many of them it has tried
        "known",  # how many there are; 0 if they are not worked out yet
        "parent",  # who pushes it
        "stack",  # units that wait for the answer of the one that they push
    ],
)


@compiled
def new_moves(units: int, here: np.ndarray, there: np.ndarray) -> Any:
    """Room for the moves of that many units."""
    wish, following = np.empty(units, np.int64), np.empty(units, np.int64)
    choices, considered, known = (
        np.empty(units * CHOICES, np.int32),
        np.zeros(units, np.int64),
        np.zeros(units, np.int64),
    )
    parent, stack = np.empty(units, np.int64), np.empty(units, np.int64)
    return Moves(here, there, wish, following, choices, considered, known, parent, stack)


@compiled
def move_all(
    world: Any,
    mode: int,
    streams: Any,
    arena: Any,
    rows: np.ndarray,
    order: np.ndarray,
    moves: Any,
    queues: Any,
    tick: Int,
) -> Int:
    """Everybody's move of this tick; return how many moved. `order` has the units, those first who have priority."""
    lent, units, cells = borrow(world), borrow(rows), borrow(arena)
    following = borrow_field(moves, "following")
    for i in range(len(order)):
        make_wish(lent, cells, units, moves, order[i])
    if mode != NONE:
        resolve_all(lent, mode, cells, rows, order, moves)
    moved = 0
    for i in range(len(order)):
        unit = order[i]
        target = moves.wish[unit] if mode == NONE else following[unit]
        moved += make_move(lent, cells, rows, moves, queues, unit, target, mode, tick)
        settle(borrow(streams), cells.cells, units[unit])
    return moved


@inlined
def make_wish(world: Any, arena: Any, units: Any, moves: Any, unit: Int) -> None:
    """The next state of its path, if the move there is possible; else it wants to stay."""
    row = units[unit]
    wish = row.position
    if row.at + 1 < row.length:
        wish = arena.cells[row.path + row.at + 1]
        if price_of(world, row.position, wish) == IMPOSSIBLE and not row.buried:
            row.length = 0
            wish = row.position
    moves.wish[unit], moves.following[unit] = wish, UNDECIDED
    moves.known[unit] = moves.considered[unit] = 0


@inlined
def make_move(
    world: Any, arena: Any, rows: Any, moves: Any, queues: Any, unit: Int, target: Int, mode: int, tick: Int
) -> bool:
    """Put the unit there; see what follows. Has it moved?"""
    row = borrow(rows)[unit]
    before = row.position
    if mode != NONE:
        moves.there[target] = 0
        if moves.here[before] == unit + 1:
            moves.here[before] = 0
        moves.here[target] = unit + 1
    if target != before:
        row.position = target
        row.moves += 1
        row.cost += max(0, price_of(without_streams(world), before, target))  # to leave a wall costs nothing
        row.buried = row.buried and row.at + 2 < row.length
    if target == row.goal:
        row.reason, row.length = ARRIVED, 0
    elif row.reason == ARRIVED or row.reason <= BLOCKED:
        go_on(rows, moves, queues, unit, before, tick)
    return target != before


@inlined
def go_on(rows: Any, moves: Any, queues: Any, unit: Int, before: Int, tick: Int) -> None:
    """A unit on its way: is it still on its path, or does it need another one?"""
    row = borrow(rows)[unit]
    if row.reason == ARRIVED:  # it was pushed away
        row.since = tick
    if row.length and row.position == moves.wish[unit] and row.position != before:
        row.at += 1
        row.reason = MOVING
    elif row.length and row.position == before:
        row.reason = BLOCKED
    else:
        row.length = 0
    if row.length == 0 or row.at + 1 >= row.length:
        enqueue(queues, rows, unit, tick)


# ------------------------------------------------------------------ in each other's way


@compiled
def resolve_all(world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any) -> None:
    """Decide where everybody goes."""
    for i in range(len(order)):
        if moves.following[order[i]] == UNDECIDED:
            resolve(world, mode, arena, rows, moves, order[i])


@compiled
def resolve(world: Any, mode: int, arena: Any, rows: np.ndarray, moves: Any, first: Int) -> None:
    """Decide where a unit goes, and all whom it pushes; the pushed answer whether they can make room."""
    units, stack, depth, answered, gives_way = borrow(rows), borrow_field(moves, "stack"), 1, False, False
    stack[0], moves.parent[first] = first, NO_UNIT
    while depth:
        unit = stack[depth - 1]
        if answered and gives_way:
            depth -= 1
            continue
        answered = False
        pushed = choose(world, mode, arena, units, moves, unit)
        if pushed == NO_UNIT:
            depth -= 1
            answered, gives_way = True, moves.following[unit] != units[unit].position
            if not gives_way and moves.parent[unit] == NO_UNIT:
                answered = False
        else:
            stack[depth], moves.parent[pushed] = pushed, unit
            depth += 1


@compiled
def choose(world: Any, mode: int, arena: Any, units: Any, moves: Any, unit: Int) -> Int:
    """The next choice of a unit that nobody has taken. Return whom it has to push for that, or NO_UNIT.

    If there is none it stays, in spite of whoever wants its place: `following` is its position then.
    """
    row, parent = units[unit], moves.parent[unit]
    while True:
        target = next_choice(world, mode, arena, units, moves, unit)
        if target == NO_STATE:
            moves.following[unit] = row.position
            moves.there[row.position] = unit + 1
            return NO_UNIT
        if moves.there[target] != 0 or (parent != NO_UNIT and target == units[parent].position):
            continue
        other: Int = np.int64(moves.here[target]) - 1
        if other in (unit, NO_UNIT):
            other = NO_UNIT
        elif moves.following[other] == row.position or (mode == WAIT and moves.following[other] == UNDECIDED):
            continue
        moves.following[unit] = target
        moves.there[target] = unit + 1
        return other if other != NO_UNIT and moves.following[other] == UNDECIDED else NO_UNIT


@inlined
def next_choice(world: Any, mode: int, arena: Any, units: Any, moves: Any, unit: Int) -> Int:
    """What it wants; then, if it comes to that, all its moves, those first that lead nearer to its goal."""
    tried = moves.considered[unit]
    moves.considered[unit] += 1
    if tried == 0:
        return moves.wish[unit]
    if mode == WAIT:
        return units[unit].position if tried == 1 else NO_STATE
    if moves.known[unit] == 0:
        moves.known[unit] = rank_moves(world, arena, units, moves, unit)
    return np.int64(moves.choices[unit * CHOICES + tried - 1]) if tried <= moves.known[unit] else NO_STATE


@inlined
def after_next(cells: Any, units: Any, unit: Int) -> Int:
    """Where a unit wants to be after two moves, if there is one and it knows."""
    if unit == NO_UNIT or units[unit].at + 2 >= units[unit].length:
        return NO_STATE
    return cells[units[unit].path + units[unit].at + 2]


@compiled
def rank_moves(world: Any, arena: Any, units: Any, moves: Any, unit: Int) -> Int:
    """Write down the states that a unit can go to, or stay in, by the cost to the goal through them.

    Of two that are as good it prefers the one where whoever pushes it does not want to go next.
    """
    row, first, count = units[unit], unit * CHOICES, 0
    toward, table = aimed(world, row.goal), Table(arena, units, unit)
    values, avoided = np.empty(CHOICES, np.int64), after_next(arena.cells, units, moves.parent[unit])
    stays = max(heuristic(toward, row.position), kept_number(table, row.position))
    moves.choices[first], values[0], count = row.position, stays, 1
    for given, cost in successors(world, row.position):
        state = number_of(world, given, row.position, cost)
        if state == NO_STATE or count == CHOICES:
            break
        value = cost + max(heuristic(toward, state), kept_number(table, state)) + (state == avoided)
        i = count
        while i > 0 and value < values[i - 1]:
            values[i], moves.choices[first + i] = values[i - 1], moves.choices[first + i - 1]
            i -= 1
        values[i], moves.choices[first + i] = value, state
        count += 1
    return count


# ------------------------------------------------------------------ under a wall


@compiled
def dig_out(passable: np.ndarray, width: int, streams: Any, arena: Any, rows: np.ndarray, units: np.ndarray) -> None:
    """Give units whose cell has become a wall a path out of it: straight to the nearest free cell."""
    cells = borrow(arena)
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        row.length, row.buried = 0, True
        settle(borrow(streams), cells.cells, row)
        exit = nearest_free(borrow(passable), width, row.position, row.goal)
        if exit == NO_STATE:
            row.reason = UNREACHABLE
        else:
            keep_way_out(cells, row, units[i], exit, width)


@compiled
def nearest_free(passable: Any, width: int, state: Int, goal: Int) -> Int:
    """The free cell that is the fewest moves away, walls or not; of several the one nearest to the goal."""
    height, x, y, gx, gy = len(passable) // width, state % width, state // width, goal % width, goal // width
    for reach in range(1, THICKEST):
        best, least = NO_STATE, 0
        for cy in range(max(0, y - reach), min(height, y + reach + 1)):
            step = 1 if abs(cy - y) == reach else 2 * reach  # around the square that was looked at before
            for cx in range(x - reach, x + reach + 1, step):
                distance = (cx - gx) ** 2 + (cy - gy) ** 2
                if 0 <= cx < width and passable[cy * width + cx] and (best == NO_STATE or distance < least):
                    best, least = cy * width + cx, distance
        if best != NO_STATE:
            return best
    return NO_STATE


@compiled
def keep_way_out(arena: Any, row: Any, unit: Int, exit: Int, width: int) -> None:
    """Write down the moves there, in both directions at once as far as that leads nearer."""
    dx, dy = exit % width - row.position % width, exit // width - row.position // width
    length = max(abs(dx), abs(dy)) + 1
    if has_block(arena, row, unit, length):
        for i in range(length):
            cx, cy = min(i, abs(dx)), min(i, abs(dy))
            arena.cells[row.path + i] = row.position + (cx if dx > 0 else -cx) + (cy if dy > 0 else -cy) * width
        row.length, row.at, row.reason = length, 0, MOVING
