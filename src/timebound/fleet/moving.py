"""The moves of a tick: units follow their paths; `pibt` decides who gives way, `window` has planned that ahead."""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, optional
from ..core.integers import Int
from ..worlds.grid import CompiledGrid
from ..worlds.interface import price_of
from .guidance import declare, without_traffic
from .pibt import NONE, is_near, is_taken, joint_step, make_wish, resolve_all
from .turns import enqueue
from .units import ARRIVED, BLOCKED, MOVING, last_rank


@compiled
def move_all(data: Any, window: Any, order: np.ndarray, tick: Int) -> tuple[Int, bool]:
    """Move all units in this tick; return how many moved, and whether others have precedence now.

    `order` has the units, highest precedence first.
    """
    step, plan, rows, queues = joint_step(data), borrow(window), data.units.rows, data.queues
    traffic, cells = borrow_field(data, "units").traffic, step.allocator.cells
    decide(plan, step, order)
    moved, reordered = 0, False
    for i in range(len(order)):
        unit = order[i]
        row, target = step.units[unit], step.moves.wish[unit] if step.mode == NONE else step.moves.following[unit]
        there, rank = row.reason == ARRIVED, row.rank
        moved += make_move(step, rows, queues, plan, unit, target, tick)
        declare(traffic, cells, row)
        reordered = reordered or there != (row.reason == ARRIVED) or rank != row.rank
    return moved, reordered and step.mode != NONE


@inlined
def make_move(step: Any, rows: Any, queues: Any, window: Any, unit: Int, target: Int, tick: Int) -> bool:
    """Put the unit there and update its row; return whether it moved."""
    row = step.units[unit]
    before = row.position
    if step.mode != NONE:
        occupy(step, unit, before, target)
    if target != before:
        row.position = target
        row.moves += 1
        row.cost += max(0, price_of(without_traffic(step.world), before, target))  # leaving a wall costs nothing
        row.buried = row.buried and row.at + 2 < row.length
    was_there = row.reason == ARRIVED
    if target == row.goal or (row.within and is_near_goal(without_traffic(step.world), target, row.goal, row.within)):
        row.reason, row.length = ARRIVED, 0
    elif was_there or row.reason <= BLOCKED:
        go_on(step, rows, queues, window, unit, before, tick)
        if was_there and row.reason != ARRIVED:  # it was pushed away
            row.rank = last_rank(tick, unit)
    if row.reason == ARRIVED and not was_there:
        row.arrived = tick
    return target != before


@inlined
def go_on(step: Any, rows: Any, queues: Any, window: Any, unit: Int, before: Int, tick: Int) -> None:
    """Check whether a unit on its way is still on its path, or needs another one."""
    row, cells = step.units[unit], step.allocator.cells
    on_course = row.length and row.position == step.moves.wish[unit]
    if on_course and (row.position != before or follows_an_edge_to_itself(row, cells)):
        row.at += 1
        row.reason = MOVING
    elif row.length and row.position == before and cells[row.path + row.at] == before:
        wish = step.moves.wish[unit]
        row.reason = ARRIVED if has_settled(step, unit, wish) else BLOCKED
    elif row.length and comes_back(window, step, unit):
        row.reason = MOVING
    else:
        row.length = 0
    if row.length == 0 or row.at + 1 + notice(window, step, unit) >= row.length:
        enqueue(queues, rows, unit, tick)


@inlined
def follows_an_edge_to_itself(row: Any, cells: np.ndarray) -> bool:
    """Is the next state of its path the one where it is? A path on a graph may have such moves."""
    place = row.path + row.at
    return row.at + 1 < row.length and cells[place] == cells[place + 1] == row.position


@optional
def is_near_goal(world: Any, state: Int, goal: Int, within: Int) -> bool:
    """Is a state so near to the goal, in cells?"""
    return False


@is_near_goal.of(CompiledGrid)
@compiled
def _is_near_goal(world: Any, state: Int, goal: Int, within: Int) -> bool:
    rows, columns = state // world.width - goal // world.width, state % world.width - goal % world.width
    return bool(max(abs(rows), abs(columns)) <= within)


@optional
def occupy(step: Any, unit: Int, before: Int, target: Int) -> None:
    """Let a unit that has moved hold its cell."""
    moves = step.moves
    moves.occupied_next[target] = 0
    if moves.occupied_now[before] == unit + 1:
        moves.occupied_now[before] = 0
    moves.occupied_now[target] = unit + 1


@optional
def has_settled(step: Any, unit: Int, wish: Int) -> bool:
    """May a unit stay where it is, because others are at their common goal?"""
    return is_taken(step, unit, wish) and is_near(step, unit, wish)


# ------------------------------------------------------------------ one step, or several planned ahead


@optional
def decide(window: Any, step: Any, order: np.ndarray) -> None:
    """Decide where all units go: in this tick, or as planned (see `window`)."""
    for i in range(len(order)):
        make_wish(step, order[i])
    if step.mode != NONE:
        resolve_all(step, order)


@optional
def comes_back(window: Any, step: Any, unit: Int) -> bool:
    """Does a unit off its path have a plan that leads back to it?"""
    return False


@optional
def notice(window: Any, step: Any, unit: Int) -> Int:
    """Return how many steps before the end of its path a unit asks for another."""
    return 0
