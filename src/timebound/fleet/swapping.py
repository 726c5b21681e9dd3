"""Units that meet in a corridor change places: both go back to where one of them can step aside.

The swap operation that Okumura added to PIBT (Improving LaCAM for scalable eventually optimal multi-agent pathfinding,
2023), with exact distances (see `distances`):

    swap_required_and_possible(i)     `swap_partner`
    is_swap_required                  `is_required`: do the two still block each other at the end of the corridor?
    is_swap_possible                  `is_possible`: is there a junction behind the one that has to go back?
    reverse the candidates of i       `begins_swap`: it backs off, as far from its goal as it can
    the partner j takes the place     `pull`: j follows closely
"""

from typing import Any

import numpy as np

from ..compiled import compiled, inlined, optional
from ..core.integers import Int
from ..worlds.interface import NO_STATE, number_of, successors
from .distances import Distances, row_for
from .guidance import without_traffic
from .units import NO_UNIT, UNDECIDED

SEVERAL = -2  # there is more than one way on
RETREAT = 10  # ticks in which no repair changes the steps of units that change places


@optional
def swap_partner(distances: Any, step: Any, unit: Int, wish: Int) -> Int:
    """Return the unit with which one has to change places to get where it wants to go, or NO_UNIT."""
    return NO_UNIT


@swap_partner.of(Distances)
@compiled
def _swap_partner(distances: Any, step: Any, unit: Int, wish: Int) -> Int:
    moves = step.moves
    origin = moves.origin[unit]
    if wish == origin or row_for(distances, step.units[unit].goal) < 0:
        return NO_UNIT
    world, other = without_traffic(step.world), np.int64(moves.occupied_now[wish]) - 1
    meets = other != NO_UNIT and moves.following[other] == UNDECIDED
    if meets and is_required(step, world, unit, other, origin, wish) and is_possible(step, world, wish, origin):
        return other
    for given, price in successors(world, origin):  # or does another one behind need that?
        state = number_of(world, given, origin, price)
        if state == NO_STATE:
            break
        other = np.int64(moves.occupied_now[state]) - 1
        needs = other != NO_UNIT and state != wish and is_required(step, world, other, unit, origin, wish)
        if needs and is_possible(step, world, wish, origin):
            return other
    return NO_UNIT


@compiled
def is_required(step: Any, world: Any, pusher: Int, puller: Int, pusher_at: Int, puller_at: Int) -> bool:
    """Do two units want to pass each other, with no other way, if one pushes the other along a corridor?"""
    rows = step.distances.rows
    to_push = row_for(step.distances, step.units[pusher].goal)
    to_pull = row_for(step.distances, step.units[puller].goal)
    if to_push < 0 or to_pull < 0:
        return False
    while rows[to_push + puller_at] < rows[to_push + pusher_at]:
        on = way_on(step, world, puller_at, pusher_at)
        if on == SEVERAL:
            return False
        if on == NO_STATE:
            break
        pusher_at, puller_at = puller_at, on
    nearer = rows[to_push + puller_at] < rows[to_push + pusher_at]
    return bool(rows[to_pull + pusher_at] < rows[to_pull + puller_at] and (nearer or rows[to_push + pusher_at] == 0))


@compiled
def is_possible(step: Any, world: Any, pusher_at: Int, puller_at: Int) -> bool:
    """Is there a junction behind the one that has to go back, where the other one can pass?"""
    first = pusher_at
    while puller_at != first:
        on = way_on(step, world, puller_at, pusher_at)
        if on < 0:
            return bool(on == SEVERAL)
        pusher_at, puller_at = puller_at, on
    return False


@compiled
def way_on(step: Any, world: Any, state: Int, behind: Int) -> Int:
    """Return where a corridor leads from a state: NO_STATE from its end, SEVERAL from a junction.

    A dead end of one cell whose unit is at its goal there counts as closed.
    """
    count = 0
    found: Int = NO_STATE
    for given, price in successors(world, state):
        successor = number_of(world, given, state, price)
        if successor == NO_STATE:
            break
        if successor != behind and not is_nook(step, world, successor):
            found, count = successor, count + 1
    return SEVERAL if count > 1 else found


@inlined
def is_nook(step: Any, world: Any, state: Int) -> bool:
    """Does a unit rest at its goal there, where only one move leads out?"""
    unit = np.int64(step.moves.occupied_now[state]) - 1
    if unit == NO_UNIT or step.units[unit].goal != state:
        return False
    count = 0
    for given, price in successors(world, state):
        if number_of(world, given, state, price) == NO_STATE:
            break
        count += 1
    return count == 1
