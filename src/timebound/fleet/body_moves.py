"""One step of units with bodies: PIBT (see `pibt`) where a unit may push several others, none larger than itself.

A unit that wants a place claims its cells, and pushes whoever holds any of them, one after the other. If one of these
cannot make room, the claim is given up. What differs:

- A unit may enter the cells of another that moves away in this step if that one has left by the time it arrives.
  Behind a slower one it waits.
- It may enter those of a unit that pushes it, directly or not, only if all of them go ahead in that case: each of them
  waits for nobody else (`single`). So units still move in a circle.
- Two that move must not pass through each other: halfway, they overlap by no more than half a cell (`collide`).
- Pushed are those that are no larger than the unit that all this is for, those of lower priority, and those at rest.
  Of units with the same priority, larger ones go first.
- Units that were blocked for long go anywhere rather than wait: large ones would wedge each other in for ever.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..core.integers import Int
from ..worlds.interface import NO_STATE
from .bodies import SOON, finish, hold, let_go_of, world_of
from .moving import has_settled, make_move, occupy
from .pibt import (
    NONE,
    PUSH,
    has_arrived,
    is_near,
    joint_step,
    make_wish,
    next_choice,
    pass_on,
    put_wish,
    shares_goal,
)
from .units import ARRIVED, BLOCKED, NO_UNIT, UNDECIDED
from .window import NoWindow

IMPASSABLE = -2
PATIENCE = 6  # ticks


class BodyStep(NamedTuple):
    """A `JointStep` of bodies."""

    world: Any
    mode: int
    distances: Any
    allocator: Any
    units: Any
    moves: Any
    shapes: Any
    motions: Any
    time: float


@compiled
def move_bodies(data: Any, bodies: Any, order: np.ndarray, tick: Int, time: float, length: float) -> tuple[Int, bool]:
    """Move all units that are ready at that time, in a round of that length; return what `move_all` does."""
    motions, shapes = borrow_field(bodies, "motions"), borrow_field(bodies, "shapes")
    plain, rows, queues, ready = joint_step(data), data.units.rows, data.queues, time + SOON
    places = plain.allocator, plain.units, plain.moves
    step = BodyStep(plain.world, plain.mode, plain.distances, *places, shapes, motions, time)
    moves = step.moves
    finish(shapes, moves.occupied_now, motions, step.units, order, ready)
    for i in range(len(order)):
        wish_in_time(step, bodies, order[i], ready)
    if step.mode != NONE:
        for i in range(len(order)):
            moves.place[order[i]] = i
        for i in range(len(order)):
            if moves.following[order[i]] == UNDECIDED:
                resolve_bodies(step, bodies, order, order[i])
    moved, reordered = 0, False
    for i in range(len(order)):
        unit = order[i]
        if motions.due[unit] > ready:
            continue
        row, target = step.units[unit], moves.wish[unit] if step.mode == NONE else moves.following[unit]
        there, rank, before = row.reason == ARRIVED, row.rank, row.position
        if make_move(own_step(step, bodies, unit), rows, queues, NoWindow(), unit, target, tick):
            moved += 1
            motions.came[unit], motions.began[unit] = before, time
            motions.due[unit] = end_of_move(motions, unit, time, length)
        reordered = reordered or there != (row.reason == ARRIVED) or rank != row.rank
    if step.mode != NONE:
        for i in range(len(order)):
            unit = order[i]
            kind, position = np.int64(step.units[unit].kind), step.units[unit].position
            let_go_of(shapes, moves.occupied_next, kind, position, unit + 1)
            let_go_of(shapes, moves.occupied_next, kind, motions.came[unit], unit + 1)
            hold(shapes, moves.occupied_now, kind, position, unit + 1)
    return moved, reordered and step.mode != NONE


@inlined
def own_step(step: Any, bodies: Any, unit: Int) -> BodyStep:
    """Return the step as a unit meets it: in its own world."""
    world = world_of(bodies, np.int64(step.units[unit].kind))
    places = step.allocator, step.units, step.moves
    return BodyStep(world, step.mode, step.distances, *places, step.shapes, step.motions, step.time)


@inlined
def wish_in_time(step: Any, bodies: Any, unit: Int, ready: float) -> None:
    """Let a unit that is ready make its wish; one that still crosses keeps the cells of both places."""
    motions, shapes, row = step.motions, step.shapes, step.units[unit]
    kind, moves = np.int64(row.kind), step.moves
    if motions.due[unit] <= ready:
        make_wish(own_step(step, bodies, unit), unit)
    else:
        put_wish(moves, unit, row.position, row.at, row.position)
        moves.following[unit] = row.position
        if step.mode != NONE:
            hold(shapes, moves.occupied_next, kind, motions.came[unit], unit + 1)
            hold(shapes, moves.occupied_next, kind, row.position, unit + 1)


@inlined
def end_of_move(motions: Any, unit: Int, time: float, length: float) -> float:
    """Return when a move ends that begins now: its time runs from the end of the last one, if that was just now."""
    due = motions.due[unit]
    return (due if due > time - length + SOON else time) + motions.pause[unit]


# ------------------------------------------------------------------ in each other's way


@compiled
def resolve_bodies(step: Any, bodies: Any, order: np.ndarray, first: Int) -> None:
    """Decide where a unit goes, and all that it pushes."""
    moves, motions, stack, depth = step.moves, step.motions, step.moves.stack, 1
    wedged = np.int64(NO_UNIT)
    stack[0], moves.parent[first], motions.depth[first] = first, NO_UNIT, 1
    while depth:
        unit = stack[depth - 1]
        is_first = depth == 1 and moves.considered[unit] == 1
        pushed = proceed(step, bodies, unit)
        failed = is_first and moves.considered[unit] > 1 and wedged != NO_UNIT
        if failed and size_of(step, unit) == size_of(step, wedged):
            pass_on(step, order, unit, wedged)
        if pushed == NO_UNIT:
            depth -= 1
            motions.depth[unit] = 0
            if moves.following[unit] == moves.origin[unit] and depth and wedged == NO_UNIT:
                wedged = unit
        else:
            stack[depth], moves.parent[pushed] = pushed, unit
            depth += 1
            motions.depth[pushed] = depth


@compiled
def proceed(step: Any, bodies: Any, unit: Int) -> Int:
    """Go on with the choice of a unit, or with its next one. Return whom it must push for that; NO_UNIT if decided."""
    moves, shapes = step.moves, step.shapes
    kind = np.int64(step.units[unit].kind)
    while True:
        if moves.following[unit] == UNDECIDED:
            target = chosen(step, bodies, unit)
            if target == NO_STATE:
                stay(step, unit)
                return NO_UNIT
            if not is_free(step, unit, target):
                continue
            moves.following[unit] = target
            hold(shapes, moves.occupied_next, kind, target, unit + 1)
        other = in_the_way(step, unit)
        if other != IMPASSABLE:
            return other
        let_go_of(shapes, moves.occupied_next, kind, moves.following[unit], unit + 1)
        moves.following[unit] = UNDECIDED


@inlined
def stay(step: Any, unit: Int) -> None:
    """Let a unit stay, even if another one wants its place."""
    moves = step.moves
    moves.following[unit] = moves.origin[unit]
    hold(step.shapes, moves.occupied_next, np.int64(step.units[unit].kind), moves.origin[unit], unit + 1)


@compiled
def chosen(step: Any, bodies: Any, unit: Int) -> Int:
    """Return the next choice of a unit; NO_STATE if it has none left, or settles near a goal that others share."""
    moves, own = step.moves, own_step(step, bodies, unit)
    while True:
        target = next_choice(own, unit)
        if target == moves.origin[unit] and is_impatient(step, unit):
            continue
        if target == NO_STATE or not meets_arrived(step, unit, target):
            return target
        is_first = moves.considered[unit] == 1 + (moves.wish[unit] == NO_STATE)
        step.units[unit].pressed += is_first
        if not (is_near(own, unit, target) and shares_goal(step, unit, moves.stack[0])):
            return target
        if is_first:
            return NO_STATE


@inlined
def is_impatient(step: Any, unit: Int) -> bool:
    """Has a unit been blocked for so long that it had better go anywhere else?"""
    blocked = step.units[unit].reason == BLOCKED
    return bool(blocked and step.time - step.motions.due[unit] > PATIENCE and step.mode == PUSH)


@compiled
def meets_arrived(step: Any, unit: Int, target: Int) -> bool:
    """Has a unit with the same goal arrived where this one wants to go, and does it stay there?"""
    moves, shapes, kind = step.moves, step.shapes, np.int64(step.units[unit].kind)
    if target == moves.origin[unit]:
        return False
    for i in range(shapes.first[kind], shapes.first[kind + 1]):
        other = np.int64(moves.occupied_now[target + shapes.cells[i]]) - 1
        if other in (NO_UNIT, unit) or moves.following[other] not in (UNDECIDED, moves.origin[other]):
            continue
        if has_arrived(step, other) and shares_goal(step, other, unit):
            return True
    return False


@compiled
def is_free(step: Any, unit: Int, target: Int) -> bool:
    """May a unit claim a place: has nobody claimed a cell of it, and may those that hold one move away?"""
    moves, shapes, kind = step.moves, step.shapes, np.int64(step.units[unit].kind)
    for i in range(shapes.first[kind], shapes.first[kind + 1]):
        cell = target + shapes.cells[i]
        if moves.occupied_next[cell]:
            return False
        other = np.int64(moves.occupied_now[cell]) - 1
        if other in (unit, NO_UNIT):
            continue
        if moves.following[other] == UNDECIDED:
            if not may_push(step, other):
                return False
        elif not goes_ahead(step, other) or leaves_late(step, unit, other):
            return False
    return target == moves.origin[unit] or not runs_into(step, unit, target)


@inlined
def may_push(step: Any, other: Int) -> bool:
    """See the top of this page."""
    row, first = step.units[other], step.moves.stack[0]
    matters_less = step.units[first].priority > row.priority or row.reason == ARRIVED
    return bool(step.mode == PUSH and (matters_less or size_of(step, other) <= size_of(step, first)))


@inlined
def size_of(step: Any, unit: Int) -> Int:
    """Return the number of cells below a unit."""
    kind = np.int64(step.units[unit].kind)
    return step.shapes.first[kind + 1] - step.shapes.first[kind]


@inlined
def goes_ahead(step: Any, other: Int) -> bool:
    """Is it certain that a unit leaves, if it is one of those that push each other now?"""
    motions, moves = step.motions, step.moves
    depth = motions.depth[other]
    if depth == 0:
        return True
    while True:
        unit = moves.stack[depth - 1]
        if motions.depth[unit] != depth or moves.following[unit] == UNDECIDED:
            return True  # the one that chooses now
        if not motions.single[unit]:
            return False
        depth += 1


@inlined
def leaves_late(step: Any, unit: Int, other: Int) -> bool:
    """Is one that moves away slower than one that follows?"""
    return step.motions.pause[other] > step.motions.pause[unit] + SOON


@compiled
def runs_into(step: Any, unit: Int, target: Int) -> bool:
    """Would a unit pass through another one that moves?"""
    moves, shapes, origin, width = step.moves, step.shapes, step.moves.origin[unit], step.shapes.width
    box = 4 * np.int64(step.units[unit].kind)
    dy = target // width - origin // width
    dx = target % width - origin % width
    left, top = origin % width + shapes.boxes[box], origin // width + shapes.boxes[box + 1]
    right, bottom = left + shapes.boxes[box + 2], top + shapes.boxes[box + 3]
    for y in range(top + min(dy, 0), bottom + max(dy, 0)):
        for x in range(left + min(dx, 0), right + max(dx, 0)):
            other = np.int64(moves.occupied_now[y * width + x]) - 1
            if other in (unit, NO_UNIT) or moves.following[other] == UNDECIDED:
                continue
            if collide(step, unit, target, other):
                return True
    return False


@inlined
def collide(step: Any, unit: Int, target: Int, other: Int) -> bool:
    """Do two bodies, halfway through their moves, overlap by more than half a cell in both directions?"""
    moves, shapes, width = step.moves, step.shapes, step.shapes.width
    one, two = 4 * np.int64(step.units[unit].kind), 4 * np.int64(step.units[other].kind)
    start, origin, following = moves.origin[unit], moves.origin[other], moves.following[other]
    if following == origin:
        return False
    x = origin % width + following % width - start % width - target % width
    y = origin // width + following // width - start // width - target // width
    x += 2 * (shapes.boxes[two] - shapes.boxes[one]) + shapes.boxes[two + 2] - shapes.boxes[one + 2]
    y += 2 * (shapes.boxes[two + 1] - shapes.boxes[one + 1]) + shapes.boxes[two + 3] - shapes.boxes[one + 3]
    wide, high = shapes.boxes[one + 2] + shapes.boxes[two + 2], shapes.boxes[one + 3] + shapes.boxes[two + 3]
    return abs(x) < wide - 1 and abs(y) < high - 1


@compiled
def in_the_way(step: Any, unit: Int) -> Int:
    """Return a unit to push off the cells that a unit claims; NO_UNIT if all leave, IMPASSABLE if one does not.

    Where one that was pushed is slower, the unit waits for now.
    """
    moves, shapes = step.moves, step.shapes
    kind, target, late, single = np.int64(step.units[unit].kind), moves.following[unit], False, True
    found: Int = np.int64(NO_UNIT)
    for i in range(shapes.first[kind], shapes.first[kind + 1]):
        cell = target + shapes.cells[i]
        if moves.occupied_next[cell] != unit + 1:
            return np.int64(IMPASSABLE)
        other = np.int64(moves.occupied_now[cell]) - 1
        if other in (unit, NO_UNIT):
            continue
        late = late or leaves_late(step, unit, other)
        if moves.following[other] == UNDECIDED:
            single = single and found in (NO_UNIT, other)
            found = other
    step.motions.single[unit] = single and not late
    if found == NO_UNIT and late:
        let_go_of(shapes, moves.occupied_next, kind, target, unit + 1)
        stay(step, unit)
    return found


# ------------------------------------------------------------------ after the decision


@occupy.of(BodyStep)
def _occupy(step: Any, unit: Int, before: Int, target: Int) -> None:
    """The cells are marked when all have moved."""


@has_settled.of(BodyStep)
def _has_settled(step: Any, unit: Int, wish: Int) -> bool:
    return meets_arrived(step, unit, wish) and is_near(step, unit, wish)
