"""Late acting (TBA* paper, section 4.3): pace back and forth at the start until the path is known, then follow it."""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled
from ...compiled.clock import NEVER
from ...core.integers import Int
from ...search.budget import Allowance, at_most
from ...worlds import Graph
from ...worlds.interface import IMPOSSIBLE, NO_STATE, number_of, price_of, successors
from ..body import Body, can_move, place_on_path
from ..journey import NOWHERE
from ..making import fraction
from ..parts import Part, Setting
from ..roles import Parts, at_root, for_search, next_move, on_course
from .time_bounded import TRACE_RATIO, cannot_step_back

LOTS = (1 << 31) - 1  # a prime: no two states have the same lot


class ActLate(NamedTuple):
    """Pace back and forth while the search runs."""

    ratio: tuple[int, int]  # r, as a fraction: an interval makes floor(R r) of R expansions
    lot: int  # decides which neighbour it steps to
    reversible: bool  # is it known that every move can be undone?


@for_search.of(ActLate)
def _for_search(walk: ActLate, body: Body, allowance: Allowance) -> Any:
    """Return N_E = floor(R r), as in TBA*, for comparison; at least one, or nothing would ever happen."""
    if allowance.expansions == NEVER:
        return allowance
    return at_most(allowance, max(1, allowance.expansions * walk.ratio[0] // walk.ratio[1]))


@at_root.of(ActLate)
def _at_root(walk: ActLate, body: Body) -> bool:
    """Is the agent at the start of its search, or a step away? (Not if it was put where more may be reachable.)"""
    if body.position == body.root:
        return True
    return can_move(body, body.position, body.root) and can_move(body, body.root, body.position)


@on_course.of(ActLate)
def _on_course(walk: ActLate, body: Body, clocked: bool) -> bool:
    if place_on_path(body, body.position) != NOWHERE:
        return True
    return body.length > 0 and borrow_field(body, "path")[0] == body.root and can_move(body, body.position, body.root)


@next_move.of(ActLate)
def _next_move(walk: ActLate, parts: Parts, body: Body) -> Int:
    place = place_on_path(body, body.position)
    if body.length:
        return np.int64(borrow_field(body, "path")[0 if place == NOWHERE else place + 1])
    return back_and_forth(body, walk.lot, walk.reversible)


@compiled
def back_and_forth(body: Body, lot: int, reversible: bool) -> Int:
    """Return a random neighbour, or the start of the search; NOWHERE if no neighbour leads back.

    On a graph there may be no edge back, or a report may have blocked it.
    """
    if body.position != body.root:
        return body.root
    step: Int
    step, least = NOWHERE, LOTS
    world = borrow_field(body, "world")
    for given, cost in successors(world, body.position):
        successor = number_of(world, given, body.position, cost)
        drawn = (successor ^ lot) * 0x5E3779B1 % LOTS
        if successor == NO_STATE:
            break
        if drawn < least and (reversible or price_of(world, successor, body.position) != IMPOSSIBLE):
            step, least = successor, drawn
    return step


def _make(setting: Setting) -> ActLate:
    lot = int(np.random.default_rng([setting.seed, setting.start]).integers(LOTS))
    # Unknown for a graph: edges may be one-way, and each direction may be reported blocked separately.
    return ActLate(fraction(setting.parameters["trace_ratio"]), lot, not isinstance(setting.world, Graph))


LATE = Part(
    "walk",
    "late",
    "pace back and forth until the search is complete, then follow the path",
    _make,
    {"trace_ratio": TRACE_RATIO},
    lookaheads=("to-the-end",),
    needs="it waits for a complete search",
    objection=lambda setting: None if setting.world.reversible else cannot_step_back(setting),
    paper="Björnsson, Bulitko, Sturtevant 2009",
    steps_back=True,
)
