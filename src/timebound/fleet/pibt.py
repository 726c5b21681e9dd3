"""PIBT, priority inheritance with backtracking: where all units go in one step, without conflicts.

Okumura, Machida, Défago and Tamura: Priority inheritance with backtracking for iterative multi-agent path finding
(2019; Artificial Intelligence 310, 2022). Units decide in the order of their priorities. The paper's procedure
PIBT(a_i, a_j), in which a_i inherits the priority of a_j, is recursive; here it has a stack:

    for each undecided agent, by priority    `resolve_all`
    PIBT(a_i, a_j)                           `resolve`: its call is a push onto the stack, its return a pop
    candidates C_i, the best first           `next_choice`, `rank_moves`: the next state of the path, then by h
    v in C_i is taken, or is where a_j is    `choose`: try the next one (no two units in a cell, no two swap)
    v is where an undecided a_k is           `choose` returns a_k, which inherits the priority: PIBT(a_k, a_i)
    it answers "valid" or "invalid"          a unit that is pushed, and moves, has made room; one that stays has not

Three things differ. Candidates are ranked by learned h-values, not by exact distances. A unit that is pushed avoids
where the unit that pushes it goes next (`rank_moves`). If the first choice of the unit with the right of way fails
because another is wedged in, the two exchange their priorities (`pass_on`): in a dead end, the one inside must come out
first. With collisions="wait" nobody is pushed: an undecided unit is an obstacle.

With distances (collisions="complete"), units also change places in corridors (`swapping`).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, inlined, optional
from ..core.integers import Int
from ..search.learning import kept_number
from ..worlds.interface import IMPOSSIBLE, NO_STATE, aimed, heuristic, number_of, price_of, successors
from .allocator import Allocator
from .distances import NO_ROW, RANDOM, Distances, next_on_row, row_for
from .guidance import without_traffic
from .h_tables import HTable
from .swapping import RETREAT, swap_partner
from .units import ARRIVED, NO_UNIT, UNDECIDED

NONE, WAIT, PUSH, COMPLETE, IMAGINED = range(5)
COLLISIONS = {"none": NONE, "wait": WAIT, "push": PUSH, "complete": COMPLETE}
LAST_RESORT = 1 << 58  # a cost above all others
MOVE_BITS = 40  # a known number of moves counts that much more than a cost
PATIENCE = 3  # ticks in which a unit comes no nearer to its goal before it changes places with another one
RETREATING = 2  # what a unit has considered: the last resort was its first choice
CHOICES = 20  # the most moves that a unit considers; on a grid there are 17


class Moves(NamedTuple):
    """The decisions about the moves of all units, and how they are made."""

    occupied_now: np.ndarray  # the unit in a state, plus 1
    occupied_next: np.ndarray  # the unit there after this step, plus 1
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


def new_moves(units: int, now: np.ndarray, following: np.ndarray) -> Moves:
    """Make room for the moves of that many units."""
    origin, at, wish, decided, place, considered, known, parent, stack = (np.zeros(units, np.int64) for _ in range(9))
    ranked = np.empty(units * CHOICES, np.int32)
    return Moves(now, following, origin, at, wish, decided, place, ranked, considered, known, parent, stack)


class JointStep(NamedTuple):
    """All that decides about one step of all units, borrowed."""

    world: Any
    mode: int  # of COLLISIONS; IMAGINED in a joint search, which changes nothing about units
    distances: Any
    allocator: Allocator
    units: Any  # their rows
    moves: Any


@inlined
def joint_step(data: Any) -> JointStep:
    """Return the step that a fleet makes now."""
    world, units, moves = borrow_field(data, "world"), borrow_field(data, "units"), borrow_field(data, "moves")
    return JointStep(world, data.mode, borrow_field(data, "distances"), units.allocator, units.rows, moves)


@inlined
def make_wish(step: Any, unit: Int) -> None:
    """Let a unit wish for the next state of its path, if that move is possible; otherwise it wants to stay."""
    row = step.units[unit]
    wish = row.position
    if row.at + 1 < row.length:
        wish = step.allocator.cells[row.path + row.at + 1]
        if price_of(step.world, row.position, wish) == IMPOSSIBLE and not row.buried:
            row.length = 0
            wish = row.position
    put_wish(step.moves, unit, row.position, row.at, wish)


@inlined
def put_wish(moves: Any, unit: Int, origin: Int, at: Int, wish: Int) -> None:
    """Note where a unit is and wants to go; nothing is decided yet."""
    moves.origin[unit], moves.at[unit], moves.wish[unit] = origin, at, wish
    moves.following[unit] = UNDECIDED
    moves.known[unit], moves.considered[unit] = 0, wish == NO_STATE


# ------------------------------------------------------------------ in each other's way


@compiled
def resolve_all(step: Any, order: np.ndarray) -> None:
    """Decide where all units go."""
    moves = step.moves
    for i in range(len(order)):
        moves.place[order[i]] = i
    for i in range(len(order)):
        if moves.following[order[i]] == UNDECIDED:
            resolve(step, order, order[i])


@compiled
def resolve(step: Any, order: np.ndarray, first: Int) -> None:
    """Decide where a unit goes, and all that it pushes; pushed units answer whether they can make room."""
    moves, stack, depth, answered, gives_way = step.moves, step.moves.stack, 1, False, False
    wedged = np.int64(NO_UNIT)
    stack[0], moves.parent[first] = first, NO_UNIT
    while depth:
        unit = stack[depth - 1]
        if answered and gives_way:
            pull(step.distances, step, unit)
            depth -= 1
            continue
        if answered and depth == 1 and moves.considered[unit] == 1 + (step.mode == IMAGINED):
            pass_on(step, order, unit, wedged)
        answered = False
        pushed = choose(step, unit)
        if pushed == NO_UNIT:
            depth -= 1
            answered, gives_way = True, moves.following[unit] != moves.origin[unit]
            if gives_way:
                pull(step.distances, step, unit)
            if not gives_way and moves.parent[unit] == NO_UNIT:
                answered = False
            elif not gives_way and wedged == NO_UNIT:
                wedged = unit
        else:
            stack[depth], moves.parent[pushed] = pushed, unit
            depth += 1


@inlined
def pass_on(step: Any, order: Any, unit: Int, wedged: Int) -> None:
    """Let a unit that cannot move out of the way have the right of way of the one that it blocks: it goes first now."""
    moves, row, other = step.moves, step.units[unit], step.units[wedged]
    if step.mode == IMAGINED:
        rests = moves.origin[unit] == row.goal or moves.origin[wedged] == other.goal
    else:
        rests = other.reason == ARRIVED or row.reason == ARRIVED
    if row.priority == other.priority and not rests:
        i, j = moves.place[unit], moves.place[wedged]
        order[i], order[j] = wedged, unit
        moves.place[unit], moves.place[wedged] = j, i
        if step.mode != IMAGINED:
            row.rank, other.rank = other.rank, row.rank


@compiled
def choose(step: Any, unit: Int) -> Int:
    """Take the next free choice of a unit. Return the unit that it must push for that, or NO_UNIT.

    If there is none it stays, even if another unit wants its place: `following` is its position then.
    """
    moves = step.moves
    origin, parent = moves.origin[unit], moves.parent[unit]
    while True:
        target = next_choice(step, unit)
        if step.mode != IMAGINED and is_taken(step, unit, target):
            is_first = moves.considered[unit] == 1 + (moves.wish[unit] == NO_STATE)
            step.units[unit].pressed += is_first
            if is_near(step, unit, target) and shares_goal(step, unit, moves.stack[0]):
                if not is_first:
                    continue
                target = NO_STATE
        if target == NO_STATE:
            moves.following[unit] = origin
            moves.occupied_next[origin] = unit + 1
            return NO_UNIT
        if moves.occupied_next[target] != 0 or (parent != NO_UNIT and target == moves.origin[parent]):
            continue
        other: Int = np.int64(moves.occupied_now[target]) - 1
        if other in (unit, NO_UNIT):
            other = NO_UNIT
        elif moves.following[other] == origin or (step.mode == WAIT and moves.following[other] == UNDECIDED):
            continue
        moves.following[unit] = target
        moves.occupied_next[target] = unit + 1
        return other if other != NO_UNIT and moves.following[other] == UNDECIDED else NO_UNIT


@inlined
def next_choice(step: Any, unit: Int) -> Int:
    """Return what it wants; then, if that fails, all its moves, those nearest to its goal first."""
    moves = step.moves
    tried = moves.considered[unit]
    moves.considered[unit] += 1
    if tried == (moves.wish[unit] == NO_STATE) and begins_swap(step.distances, step, unit):
        moves.considered[unit] = RETREATING
        return np.int64(moves.ranked[unit * CHOICES])
    if tried == 0:
        return moves.wish[unit]
    if step.mode == WAIT:
        return moves.origin[unit] if tried == 1 else NO_STATE
    if moves.known[unit] == 0:
        moves.known[unit] = rank_moves(step, unit, state_to_avoid(step, unit))
    return np.int64(moves.ranked[unit * CHOICES + tried - 1]) if tried <= moves.known[unit] else NO_STATE


@inlined
def state_to_avoid(step: Any, unit: Int) -> Int:
    """Return where the unit that pushes it wants to go next: it would only be pushed again there, or be stuck."""
    moves = step.moves
    parent = moves.parent[unit]
    if step.mode == IMAGINED:
        return after_push(step.distances, step, unit, parent) if parent != NO_UNIT else NO_STATE
    if parent == NO_UNIT or moves.at[parent] + 2 >= step.units[parent].length:
        return NO_STATE
    return step.allocator.cells[step.units[parent].path + moves.at[parent] + 2]


@compiled
def rank_moves(step: Any, unit: Int, avoided: Int) -> Int:
    """Rank the states that a unit can go to, or stay in, by the cost to the goal through them, `avoided` last."""
    world, moves, first, count = step.world, step.moves, unit * CHOICES, 0
    origin, values = moves.origin[unit], np.empty(CHOICES, np.int64)
    toward, table = aimed(world, step.units[unit].goal), HTable(step.allocator, step.units, unit)
    stays = max(heuristic(toward, origin), kept_number(table, origin)) + 1  # worse than a move on a cheapest path
    moves.ranked[first], values[0], count = origin, by_distance(step.distances, step, unit, origin, stays), 1
    for given, cost in successors(world, origin):
        state = number_of(world, given, origin, cost)
        if state == NO_STATE or count == CHOICES:
            break
        value = cost + max(heuristic(toward, state), kept_number(table, state)) + LAST_RESORT * (state == avoided)
        value = int(by_distance(step.distances, step, unit, state, value))
        i = count
        while i > 0 and value < values[i - 1]:
            values[i], moves.ranked[first + i] = values[i - 1], moves.ranked[first + i - 1]
            i -= 1
        values[i], moves.ranked[first + i] = value, state
        count += 1
    return count


# ------------------------------------------------------------------ with distances


@optional
def by_distance(distances: Any, step: Any, unit: Int, state: Int, value: Int) -> Int:
    """Return the value of a state: the moves from there count first, if they are known."""
    return value


@by_distance.of(Distances)
def _by_distance(distances: Any, step: Any, unit: Int, state: Int, value: Int) -> Int:
    row, tally = row_for(distances, step.units[unit].goal), distances.tally
    if tally[RANDOM]:
        tally[RANDOM] = tally[RANDOM] * 48271 % 2147483647
        value = tally[RANDOM] + (value & LAST_RESORT)
    return value if row == NO_ROW else (np.int64(distances.rows[row + state]) << MOVE_BITS) + value


@optional
def after_push(distances: Any, step: Any, unit: Int, parent: Int) -> Int:
    """Return where a unit wants to go from the place of another one."""
    return NO_STATE


@after_push.of(Distances)
def _after_push(distances: Any, step: Any, unit: Int, parent: Int) -> Int:
    row, origin = row_for(distances, step.units[parent].goal), step.moves.origin[unit]
    if row == NO_ROW or origin == step.units[parent].goal:
        return NO_STATE
    return next_on_row(distances, without_traffic(step.world), row, origin)


@optional
def begins_swap(distances: Any, step: Any, unit: Int) -> bool:
    """Does a unit have to change places with another one? Then it goes back first, as far from its goal as it can."""
    return False


@begins_swap.of(Distances)
@compiled
def _begins_swap(distances: Any, step: Any, unit: Int) -> bool:
    moves, first, wish = step.moves, unit * CHOICES, step.moves.wish[unit]
    distances.partner[unit] = NO_UNIT
    if step.mode != IMAGINED and max(distances.stalled[unit], distances.stalled[moves.stack[0]]) < PATIENCE:
        return False
    if wish == NO_STATE:
        moves.known[unit] = rank_moves(step, unit, state_to_avoid(step, unit))
        wish = np.int64(moves.ranked[first])
    distances.partner[unit] = swap_partner(distances, step, unit, wish)
    if distances.partner[unit] == NO_UNIT:
        return False
    count = moves.known[unit] = rank_moves(step, unit, NO_STATE)
    for i in range(count // 2):
        j = first + count - 1 - i
        moves.ranked[first + i], moves.ranked[j] = moves.ranked[j], moves.ranked[first + i]
    return True


@optional
def pull(distances: Any, step: Any, unit: Int) -> None:
    """Let the unit with which this one changes places follow it, now that it goes back."""


@pull.of(Distances)
def _pull(distances: Any, step: Any, unit: Int) -> None:
    moves, partner, origin = step.moves, distances.partner[unit], step.moves.origin[unit]
    if partner == NO_UNIT or moves.considered[unit] != RETREATING or moves.following[partner] != UNDECIDED:
        return
    if moves.occupied_next[origin] == 0:
        moves.following[partner] = origin
        moves.occupied_next[origin] = partner + 1


@optional
def note_retreats(distances: Any, moves: Moves, order: np.ndarray, tick: Int) -> None:
    """Protect the steps of units that have just changed places, or are about to, from repairs."""


@note_retreats.of(Distances)
@compiled
def _note_retreats(distances: Any, moves: Moves, order: np.ndarray, tick: Int) -> None:
    for i in range(len(order)):
        unit = order[i]
        partner = distances.partner[unit]
        if partner != NO_UNIT and moves.considered[unit] == RETREATING:
            distances.retreats[unit] = distances.retreats[partner] = tick + RETREAT


@optional
def retreats(distances: Any, unit: Int, tick: Int) -> bool:
    """Is a unit changing places with another one?"""
    return False


@retreats.of(Distances)
def _retreats(distances: Any, unit: Int, tick: Int) -> bool:
    return bool(distances.retreats[unit] > tick)


# ------------------------------------------------------------------ many units at one goal


@inlined
def is_taken(step: Any, unit: Int, target: Int) -> bool:
    """Has a unit with the same goal arrived where this one wants to go, and does it stay there?"""
    moves = step.moves
    if target in (moves.origin[unit], NO_STATE):
        return False
    other: Int = np.int64(moves.occupied_now[target]) - 1
    if other == NO_UNIT or moves.following[other] not in (UNDECIDED, target):
        return False
    return has_arrived(step, other) and shares_goal(step, other, unit)


@inlined
def has_arrived(step: Any, unit: Int) -> bool:
    """Has a unit arrived by this step, which may be planned ahead?"""
    row, origin = step.units[unit], step.moves.origin[unit]
    return bool(origin == row.goal or (row.reason == ARRIVED and origin == row.position))


@inlined
def shares_goal(step: Any, unit: Int, other: Int) -> bool:
    """Does a unit keep its place against another one, which has the same goal and no higher priority?"""
    one, two = step.units[unit], step.units[other]
    return bool(one.goal == two.goal and one.priority >= two.priority)


@inlined
def is_near(step: Any, unit: Int, target: Int) -> bool:
    """Is a unit near enough to its goal to settle there, beside others?

    It may be one move farther away for each tick in which they were in its way. So a crowd with one goal settles: those
    that come push the others together at first, and in the end each stays where it is.
    """
    row, origin, plain = step.units[unit], step.moves.origin[unit], without_traffic(step.world)
    move = max(1, price_of(plain, origin, target))
    return bool(heuristic(aimed(plain, row.goal), origin) <= row.pressed * move)
