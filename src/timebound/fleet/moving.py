"""The moves of all units at once: units follow their paths; where they meet, it is decided which gives way.

With `push` it is priority inheritance with backtracking (PIBT: Okumura, Machida, Défago, Tamura 2019, 2022): a unit
that is in the way of one with a higher priority moves for it, and may push others in turn. No two units end in one
cell and no two swap places. With `wait` no unit is pushed.

The right of way belongs to the unit that has been on its way longest. If the unit that it pushes cannot make room, the
two exchange their precedence: in a dead end, the one inside must come out first.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined, optional
from ..core.integers import Int
from ..search.learning import kept_number
from ..worlds.interface import NO_STATE, aimed, heuristic, number_of, successors
from ..worlds.moves import IMPOSSIBLE, price_of
from .planning import enqueue, has_block
from .streams import settle, without_streams
from .tables import Table
from .units import ARRIVED, BLOCKED, MOVING, UNREACHABLE, last_rank

NONE, WAIT, PUSH = 0, 1, 2
COLLISIONS = {"none": NONE, "wait": WAIT, "push": PUSH}
UNDECIDED = -1
LAST_RESORT = 1 << 60  # a cost above all others
NO_UNIT = -1
THICKEST = 64  # cells of wall that a unit inside it can cross
CHOICES = 20  # the most moves that a unit considers; on a grid there are 17


class Moves(NamedTuple):
    """The decisions about the moves of all units, and how they are made."""

    here: np.ndarray  # the unit in a state, plus 1
    there: np.ndarray  # the unit there after this tick, plus 1
    origin: np.ndarray  # for every unit: where it is
    at: np.ndarray  # how far on its path that is
    wish: np.ndarray  # where it wants to go; NO_STATE if any move toward its goal will do
    following: np.ndarray  # where it will go, or UNDECIDED
    place: np.ndarray  # its place in the order of precedence
    ranked: np.ndarray  # the states that it considers, CHOICES for each unit, the best first
    considered: np.ndarray  # how many of them it has tried
    known: np.ndarray  # how many there are; 0 if not computed yet
    parent: np.ndarray  # the unit that pushes it
    stack: np.ndarray  # units that wait for the answer of the unit that they push


def new_moves(units: int, here: np.ndarray, there: np.ndarray) -> Moves:
    """Make room for the moves of that many units."""
    origin, at, wish, following, place, considered, known, parent, stack = (np.zeros(units, np.int64) for _ in range(9))
    ranked = np.empty(units * CHOICES, np.int32)
    return Moves(here, there, origin, at, wish, following, place, ranked, considered, known, parent, stack)


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
    repair: Any,
    tick: Int,
) -> tuple[Int, bool]:
    """Move all units in this tick; return how many moved, and whether others have precedence now.

    `order` has the units, highest precedence first.
    """
    lent, units, cells, lent_moves, plan = borrow(world), borrow(rows), borrow(arena), borrow(moves), borrow(repair)
    decide(plan, lent, mode, cells, rows, order, lent_moves)
    moved, reordered = 0, False
    for i in range(len(order)):
        unit = order[i]
        row, target = units[unit], lent_moves.wish[unit] if mode == NONE else lent_moves.following[unit]
        there, rank = row.reason == ARRIVED, row.rank
        moved += make_move(lent, cells, rows, lent_moves, queues, plan, unit, target, mode, tick)
        settle(borrow(streams), cells.cells, row)
        reordered = reordered or there != (row.reason == ARRIVED) or rank != row.rank
    return moved, reordered and mode != NONE


@inlined
def make_wish(world: Any, arena: Any, units: Any, moves: Any, unit: Int) -> None:
    """Let a unit wish for the next state of its path, if that move is possible; otherwise it wants to stay."""
    row = units[unit]
    wish = row.position
    if row.at + 1 < row.length:
        wish = arena.cells[row.path + row.at + 1]
        if price_of(world, row.position, wish) == IMPOSSIBLE and not row.buried:
            row.length = 0
            wish = row.position
    put_wish(moves, unit, row.position, row.at, wish)


@inlined
def put_wish(moves: Any, unit: Int, origin: Int, at: Int, wish: Int) -> None:
    """Note where a unit is and wants to go; nothing is decided yet."""
    moves.origin[unit], moves.at[unit], moves.wish[unit] = origin, at, wish
    moves.following[unit] = UNDECIDED
    moves.known[unit], moves.considered[unit] = 0, wish == NO_STATE


@inlined
def make_move(
    world: Any,
    arena: Any,
    rows: Any,
    moves: Any,
    queues: Any,
    repair: Any,
    unit: Int,
    target: Int,
    mode: int,
    tick: Int,
) -> bool:
    """Put the unit there and update its row; return whether it moved."""
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
        row.cost += max(0, price_of(without_streams(world), before, target))  # leaving a wall costs nothing
        row.buried = row.buried and row.at + 2 < row.length
    was_there = row.reason == ARRIVED
    if target == row.goal:
        row.reason, row.length = ARRIVED, 0
    elif was_there or row.reason <= BLOCKED:
        go_on(world, arena, rows, moves, queues, repair, unit, before, tick)
        if was_there and row.reason != ARRIVED:  # it was pushed away
            row.rank = last_rank(tick, unit)
    return target != before


@inlined
def go_on(
    world: Any, arena: Any, rows: Any, moves: Any, queues: Any, repair: Any, unit: Int, before: Int, tick: Int
) -> None:
    """Check whether a unit on its way is still on its path, or needs another one."""
    units = borrow(rows)
    row = units[unit]
    if row.length and row.position == moves.wish[unit] and row.position != before:
        row.at += 1
        row.reason = MOVING
    elif row.length and row.position == before and arena.cells[row.path + row.at] == before:
        row.reason = ARRIVED if is_taken(units, moves, unit) and is_near(world, units, moves, unit) else BLOCKED
    elif row.length and comes_back(repair, arena, row, unit):
        row.reason = MOVING
    else:
        row.length = 0
    if row.length == 0 or row.at + 1 + notice(repair, arena, row) >= row.length:
        enqueue(queues, rows, unit, tick)


# ------------------------------------------------------------------ in each other's way


@optional
def decide(repair: Any, world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any) -> None:
    """Decide where all units go: in this tick, or as planned (see `repair`)."""
    for i in range(len(order)):
        make_wish(world, arena, borrow(rows), moves, order[i])
    if mode != NONE:
        resolve_all(world, mode, arena, rows, order, moves)


@optional
def comes_back(repair: Any, arena: Any, row: Any, unit: Int) -> bool:
    """Does a unit off its path have a plan that leads back to it?"""
    return False


@optional
def notice(repair: Any, arena: Any, row: Any) -> Int:
    """Return how many steps before the end of its path a unit asks for another."""
    return 0


@compiled
def resolve_all(world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any) -> None:
    """Decide where all units go."""
    for i in range(len(order)):
        moves.place[order[i]] = i
    for i in range(len(order)):
        if moves.following[order[i]] == UNDECIDED:
            resolve(world, mode, arena, rows, order, moves, order[i])


@compiled
def resolve(world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any, first: Int) -> None:
    """Decide where a unit goes, and all that it pushes; pushed units answer whether they can make room."""
    units, stack, depth, answered, gives_way = borrow(rows), moves.stack, 1, False, False
    wedged = np.int64(NO_UNIT)
    stack[0], moves.parent[first] = first, NO_UNIT
    while depth:
        unit = stack[depth - 1]
        if answered and gives_way:
            depth -= 1
            continue
        if answered and depth == 1 and moves.considered[unit] == 1:
            pass_on(units, order, moves, unit, wedged)
        answered = False
        pushed = choose(world, mode, arena, units, moves, unit)
        if pushed == NO_UNIT:
            depth -= 1
            answered, gives_way = True, moves.following[unit] != moves.origin[unit]
            if not gives_way and moves.parent[unit] == NO_UNIT:
                answered = False
            elif not gives_way and wedged == NO_UNIT:
                wedged = unit
        else:
            stack[depth], moves.parent[pushed] = pushed, unit
            depth += 1


@inlined
def pass_on(units: Any, order: Any, moves: Any, unit: Int, wedged: Int) -> None:
    """Let a unit that cannot move out of the way have the right of way of the one that it blocks: it goes first now."""
    row, other = units[unit], units[wedged]
    if row.priority == other.priority and other.reason != ARRIVED and row.reason != ARRIVED:
        row.rank, other.rank = other.rank, row.rank
        i, j = moves.place[unit], moves.place[wedged]
        order[i], order[j] = wedged, unit
        moves.place[unit], moves.place[wedged] = j, i


@compiled
def choose(world: Any, mode: int, arena: Any, units: Any, moves: Any, unit: Int) -> Int:
    """Take the next free choice of a unit. Return the unit that it must push for that, or NO_UNIT.

    If there is none it stays, even if another unit wants its place: `following` is its position then.
    """
    origin, parent = moves.origin[unit], moves.parent[unit]
    while True:
        target = next_choice(world, mode, arena, units, moves, unit)
        if moves.considered[unit] == 1 and is_taken(units, moves, unit):
            units[unit].pressed += 1
            if is_near(world, units, moves, unit) and shares_goal(units, unit, moves.stack[0]):
                target = NO_STATE
        if target == NO_STATE:
            moves.following[unit] = origin
            moves.there[origin] = unit + 1
            return NO_UNIT
        if moves.there[target] != 0 or (parent != NO_UNIT and target == moves.origin[parent]):
            continue
        other: Int = np.int64(moves.here[target]) - 1
        if other in (unit, NO_UNIT):
            other = NO_UNIT
        elif moves.following[other] == origin or (mode == WAIT and moves.following[other] == UNDECIDED):
            continue
        moves.following[unit] = target
        moves.there[target] = unit + 1
        return other if other != NO_UNIT and moves.following[other] == UNDECIDED else NO_UNIT


@inlined
def next_choice(world: Any, mode: int, arena: Any, units: Any, moves: Any, unit: Int) -> Int:
    """Return what it wants; then, if that fails, all its moves, those nearest to its goal first."""
    tried = moves.considered[unit]
    moves.considered[unit] += 1
    if tried == 0:
        return moves.wish[unit]
    if mode == WAIT:
        return moves.origin[unit] if tried == 1 else NO_STATE
    if moves.known[unit] == 0:
        moves.known[unit] = rank_moves(world, arena, units, moves, unit)
    return np.int64(moves.ranked[unit * CHOICES + tried - 1]) if tried <= moves.known[unit] else NO_STATE


@inlined
def after_next(cells: Any, units: Any, moves: Any, unit: Int) -> Int:
    """Return where a unit wants to be after two moves, if the unit exists and knows."""
    if unit == NO_UNIT or moves.at[unit] + 2 >= units[unit].length:
        return NO_STATE
    return cells[units[unit].path + moves.at[unit] + 2]


@compiled
def rank_moves(world: Any, arena: Any, units: Any, moves: Any, unit: Int) -> Int:
    """Rank the states that a unit can go to, or stay in, by the cost to the goal through them.

    Where the unit that pushes it wants to go next, it goes last: it would only be pushed again, or be stuck there.
    """
    origin, first, count = moves.origin[unit], unit * CHOICES, 0
    toward, table = aimed(world, units[unit].goal), Table(arena, units, unit)
    values, avoided = np.empty(CHOICES, np.int64), after_next(arena.cells, units, moves, moves.parent[unit])
    stays = max(heuristic(toward, origin), kept_number(table, origin)) + 1  # worse than a move on a cheapest path
    moves.ranked[first], values[0], count = origin, stays, 1
    for given, cost in successors(world, origin):
        state = number_of(world, given, origin, cost)
        if state == NO_STATE or count == CHOICES:
            break
        value = cost + max(heuristic(toward, state), kept_number(table, state)) + LAST_RESORT * (state == avoided)
        i = count
        while i > 0 and value < values[i - 1]:
            values[i], moves.ranked[first + i] = values[i - 1], moves.ranked[first + i - 1]
            i -= 1
        values[i], moves.ranked[first + i] = value, state
        count += 1
    return count


# ------------------------------------------------------------------ many units at one goal


@inlined
def is_taken(units: Any, moves: Any, unit: Int) -> bool:
    """Has a unit with the same goal arrived where this one wants to go, and does it stay there?"""
    wish = moves.wish[unit]
    if wish == moves.origin[unit]:
        return False
    other: Int = np.int64(moves.here[wish]) - 1
    if other == NO_UNIT or moves.following[other] not in (UNDECIDED, wish):
        return False
    return bool(units[other].reason == ARRIVED and shares_goal(units, other, unit))


@inlined
def shares_goal(units: Any, unit: Int, other: Int) -> bool:
    """Does a unit keep its place against another one, which has the same goal and no higher priority?"""
    return bool(units[unit].goal == units[other].goal and units[unit].priority >= units[other].priority)


@inlined
def is_near(world: Any, units: Any, moves: Any, unit: Int) -> bool:
    """Is a unit near enough to its goal to settle there, beside others?

    It may be one move farther away for each tick in which they were in its way. So a crowd with one goal settles: those
    that come push the others together at first, and in the end each stays where it is.
    """
    row, origin, plain = units[unit], moves.origin[unit], without_streams(world)
    move = max(1, price_of(plain, origin, moves.wish[unit]))
    return bool(heuristic(aimed(plain, row.goal), origin) <= row.pressed * move)


# ------------------------------------------------------------------ inside a wall


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
    """Return the free cell that is the fewest moves away, ignoring walls; among several the one nearest to the goal."""
    height, x, y, gx, gy = len(passable) // width, state % width, state // width, goal % width, goal // width
    for reach in range(1, THICKEST):
        best, least = NO_STATE, 0
        for cy in range(max(0, y - reach), min(height, y + reach + 1)):
            step = 1 if abs(cy - y) == reach else 2 * reach  # around the square that was checked before
            for cx in range(x - reach, x + reach + 1, step):
                distance = (cx - gx) ** 2 + (cy - gy) ** 2
                if 0 <= cx < width and passable[cy * width + cx] and (best == NO_STATE or distance < least):
                    best, least = cy * width + cx, distance
        if best != NO_STATE:
            return best
    return NO_STATE


@compiled
def keep_way_out(arena: Any, row: Any, unit: Int, exit: Int, width: int) -> None:
    """Record the moves there: diagonal as long as that leads nearer, then straight."""
    dx, dy = exit % width - row.position % width, exit // width - row.position // width
    length = max(abs(dx), abs(dy)) + 1
    if has_block(arena, row, unit, length):
        for i in range(length):
            cx, cy = min(i, abs(dx)), min(i, abs(dy))
            arena.cells[row.path + i] = row.position + (cx if dx > 0 else -cx) + (cy if dy > 0 else -cy) * width
        row.length, row.at, row.reason = length, 0, MOVING
