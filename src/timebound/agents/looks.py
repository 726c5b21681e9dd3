"""Small queries and changes of the compiled agent, for Python."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, resized
from ..knowledge import see, without_repeats
from ..search.learning import HIGHEST_RISE, RISES, TOP, UPDATES
from ..search.state import STRIDE
from .interval import Parts, memory_used, states_remembered, with_parts
from .retreat import way_ahead
from .roles import search_costs, search_number
from .walk import OUT_OF_INTERVALS


class Figures(NamedTuple):
    """The counters of an agent."""

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
    """Return the figures, the positions, and the nanoseconds of planning before every move."""
    path, thoughts = resized(walk.trail, walk.moves + 1), resized(walk.thoughts, walk.moves)
    planning = walk.thinking
    for i in range(len(thoughts)):
        planning += thoughts[i]
    counts = (walk.moves, walk.intervals, walk.searches, walk.expansions, walk.back_moves, walk.trace_steps)
    return Figures(*counts, planning, walk.stop), path, thoughts


class Costs(NamedTuple):
    """The memory of an agent, and what it has learned."""

    memory: int
    states: int
    updates: int
    raised: int


def reversals_of(path: np.ndarray) -> int:
    """Return how many times it went straight back to its previous state."""
    return int(np.count_nonzero(path[2:] == path[:-2]))


@compiled
def costs_of(mind: Any) -> Costs:
    """Return the memory in use so far."""
    parts, body = borrow_field(mind, "parts"), mind.body
    tally = borrow_field(body, "world").tally
    return Costs(memory_used(parts, body), states_remembered(parts, body), tally[UPDATES], tally[RISES])


@compiled
def stop_here(walk: Any) -> None:
    """Stop it: it has no intervals left."""
    walk.stop = OUT_OF_INTERVALS


@compiled
def marks_of(mind: Any) -> tuple[int, int, int]:
    """Return a number above that of every search, even one that has not begun; and the highest in h and its rises."""
    body = mind.body
    tally = borrow_field(body, "world").tally
    return search_number(body.search) + STRIDE, tally[TOP], tally[HIGHEST_RISE]


@compiled
def trail_from(walk: Any, first: int) -> np.ndarray:
    """Return its positions from that move on."""
    part = np.empty(walk.moves + 1 - first, np.int64)
    for i in range(len(part)):
        part[i] = walk.trail[first + i]
    return part


@compiled
def keep_steepness(walk: Any, steepness: int) -> None:
    """Set the steepness of h, if the old learning rule keeps the same."""
    if walk.steepness != steepness:
        walk.steepness = 0


@compiled
def begin_rises(body: Any, mark: int) -> None:
    """Count how much h rises from now on, above that number."""
    body.world.tally[HIGHEST_RISE] = mark


@compiled
def lookahead_and_search(mind: Any) -> tuple[Any, Any]:
    """Return its lookahead."""
    return mind.parts.lookahead, mind.body.search


@compiled
def world_of(body: Any) -> Any:
    """Return the world as it believes it."""
    return body.world


@compiled
def with_other_parts(mind: Any, order: Any, lookahead: Any, target: Any, walk: Any) -> Any:
    """Return the same agent with other parts; what it has learned, and its learning rule, stay."""
    return with_parts(mind, Parts(order, lookahead, mind.parts.learning, target, walk, mind.parts.retreat))


@compiled
def with_learning(mind: Any, rule: Any) -> Any:
    """Return the same agent with another learning rule."""
    parts = mind.parts
    return with_parts(mind, Parts(parts.order, parts.lookahead, rule, parts.target, parts.walk, parts.retreat))


@compiled
def costs_of_search(mind: Any) -> np.ndarray:
    """Return the cost of every state that its search has reached."""
    return search_costs(borrow_field(mind, "parts").lookahead, mind.body)


@compiled
def where_is(walk: Any) -> tuple[int, int]:
    """Return its position, and whether and why it has stopped."""
    return walk.position, walk.stop


@compiled
def path_of(mind: Any) -> np.ndarray:
    """Return the path that it intends to follow."""
    parts = borrow_field(mind, "parts")
    return way_ahead(parts.retreat, parts, mind.body)


@compiled
def take_in(body: Any, subjects: np.ndarray, facts: np.ndarray, states: int) -> None:
    """Note what was reported to it, in a world of so many states."""
    for i in range(len(subjects)):
        body.news = see(body.knowledge, subjects[i], facts[i], body.news)
    body.news = without_repeats(body.news, states)
