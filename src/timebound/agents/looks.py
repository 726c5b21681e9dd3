"""Looks into the compiled agent, and small changes of it: what Python asks of it."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, resized
from ..integers import Int
from ..knowledge import see
from ..search.learning import HIGHEST_RISE, RISES, TOP, UPDATES
from ..search.state import STRIDE
from .interval import (
    Parts,
    memory_used,
    states_remembered,
    with_parts,
)
from .retreat import way_ahead
from .roles import search_costs, search_number
from .walk import OUT_OF_INTERVALS


class Figures(NamedTuple):
    """What is counted."""

    moves: int
    intervals: int
    searches: int
    expansions: int
    back_moves: int
    trace_steps: int
    planning: int
    stop: int


@compiled
def record_of(walk: Any) -> tuple[Figures, np.ndarray, np.ndarray]:
    """The figures, the positions, and the nanoseconds of planning before every move."""
    path, thoughts = resized(walk.trail, walk.moves + 1), resized(walk.thoughts, walk.moves)
    planning = walk.thinking
    for i in range(len(thoughts)):
        planning += thoughts[i]
    counts = (walk.moves, walk.intervals, walk.searches, walk.expansions, walk.back_moves, walk.trace_steps)
    return Figures(*counts, planning, walk.stop), path, thoughts


class Costs(NamedTuple):
    """What an agent has taken up, and what it has learned."""

    memory: int
    states: int
    updates: int
    raised: int


def reversals_of(path: np.ndarray) -> int:
    """How often it went straight back to where it had come from."""
    return int(np.count_nonzero(path[2:] == path[:-2]))


@compiled
def costs_of(mind: Any) -> Costs:
    """What it has taken up so far."""
    parts, body = borrow_field(mind, "parts"), mind.body
    tally = borrow_field(body, "world").tally
    return Costs(memory_used(parts, body), states_remembered(parts, body), tally[UPDATES], tally[RISES])


@compiled
def stop_here(walk: Any) -> None:
    """It may not take any more intervals."""
    walk.stop = OUT_OF_INTERVALS


@compiled
def marks_of(mind: Any) -> tuple[int, int, int]:
    """Above the number of every search, also of one that has not begun; the highest numbers in h and in its rises."""
    parts, body = borrow_field(mind, "parts"), mind.body
    tally = borrow_field(body, "world").tally
    return search_number(parts.lookahead, body) + STRIDE, tally[TOP], tally[HIGHEST_RISE]


@compiled
def trail_from(walk: Any, first: int) -> np.ndarray:
    """Its positions from that move on."""
    part = np.empty(walk.moves + 1 - first, np.int64)
    for i in range(len(part)):
        part[i] = walk.trail[first + i]
    return part


@compiled
def keep_steepness(walk: Any, steepness: int) -> None:
    """Of h, if the rule that it has been learned by so far keeps the same."""
    if walk.steepness != steepness:
        walk.steepness = 0


@compiled
def begin_rises(body: Any, mark: int) -> None:
    """Count how much h rises above that number from now on."""
    body.world.tally[HIGHEST_RISE] = mark


@compiled
def lookahead_and_search(mind: Any) -> tuple[Any, Any]:
    """What it looks ahead with."""
    return mind.parts.lookahead, mind.body.search


@compiled
def world_of(body: Any) -> Any:
    """What it believes of the world."""
    return body.world


@compiled
def with_other_parts(mind: Any, order: Any, lookahead: Any, target: Any, walk: Any) -> Any:
    """The same agent with other parts; what it has learned, and how, stays."""
    return with_parts(mind, Parts(order, lookahead, mind.parts.learning, target, walk, mind.parts.retreat))


@compiled
def with_learning(mind: Any, rule: Any) -> Any:
    """The same agent with another learning rule."""
    parts = mind.parts
    return with_parts(mind, Parts(parts.order, parts.lookahead, rule, parts.target, parts.walk, parts.retreat))


@compiled
def costs_of_search(mind: Any) -> np.ndarray:
    """The cost of every state that its search has reached."""
    return search_costs(borrow_field(mind, "parts").lookahead, mind.body)


@compiled
def where_is(walk: Any) -> tuple[int, int]:
    """Its position, and whether and why it has stopped."""
    return walk.position, walk.stop


@compiled
def path_of(mind: Any) -> np.ndarray:
    """The way that it means to go."""
    parts = borrow_field(mind, "parts")
    return way_ahead(parts.retreat, parts, mind.body)


@compiled
def take_in(body: Any, cell: Int, fact: int) -> None:
    """Something was reported to it."""
    body.news = see(body.knowledge, cell, fact, body.news)
