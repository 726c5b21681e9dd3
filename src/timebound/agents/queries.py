"""What Python asks of the compiled agent, and what it tells it: once for all agents."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, resized
from ..core.integers import Int
from ..knowledge import see, without_repeats
from ..knowledge.graph import edges_changed
from ..knowledge.grid import costs_changed, learn_cell, map_changed
from ..search.consistency import full_heuristic
from ..search.learning import HIGHEST_RISE, INFINITE, RISES, TOP, UPDATES
from ..search.state import STRIDE
from .interval import Parts, memory_used, states_remembered, with_parts
from .retreat import way_ahead
from .roles import search_costs, search_number
from .walk import AT_GOAL, GOING, NOWHERE, OUT_OF_INTERVALS, STUCK, UNREACHABLE


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


# ------------------------------------------------------------------ changes of the world


@compiled
def note_cells(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of the map."""
    walk.news = map_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def note_costs(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of a grid's travel costs."""
    walk.news = costs_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def note_edges(walk: Any, knowledge: Any, edges: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of a graph's edges."""
    walk.news = edges_changed(knowledge, edges, before, at_once, walk.news)


@compiled
def set_longest(walk: Any, longest: int) -> None:
    """Set the bound on path costs of the map."""
    walk.longest = longest


@compiled
def take_for(walk: Any, knowledge: Any, cell: Int, fact: int) -> None:
    """Let the agent believe that a cell is FREE or BLOCKED."""
    walk.news = learn_cell(knowledge, cell, fact, walk.news)


@compiled
def value_at(body: Any, nodes: np.ndarray, state: Int) -> int:
    """Return h of one state, with learned values; -1 if h may be inconsistent, or proves a state hopeless."""
    world = borrow_field(body, "world")
    if body.steepness == 0 or world.tally[TOP] - world.base >= INFINITE:
        return -1
    return full_heuristic(world, borrow(nodes), state)


@compiled
def is_at_loss(walk: Any) -> bool:
    """Has the agent given up?"""
    return walk.stop == UNREACHABLE or walk.stop == STUCK


@compiled
def has_hope(walk: Any) -> bool:
    """Has the agent given up, and then learned something that may help?"""
    news = borrow_field(walk, "news")
    return news.count > 0 and (walk.stop == STUCK or (walk.stop == UNREACHABLE and news.relief))


@compiled
def has_begun(walk: Any) -> bool:
    """Has it had any interval?"""
    return walk.intervals > 0


@compiled
def is_relieved(walk: Any) -> bool:
    """Has it learned of a move that became possible or cheaper?"""
    return borrow_field(walk, "news").relief


@compiled
def has_news(walk: Any) -> bool:
    """Is there news that it has not processed yet?"""
    return borrow_field(walk, "news").count > 0


@compiled
def resume(walk: Any) -> None:
    """Resume it."""
    walk.stop = GOING


@compiled
def set_out(walk: Any) -> None:
    """Begin to go to another goal, whatever happened to the old one; it may be there already."""
    walk.stop = GOING
    if walk.position == walk.goal:
        walk.stop, walk.decision = AT_GOAL, NOWHERE


@compiled
def take_along(walk: Any, state: Int) -> bool:
    """Note that the environment puts the agent where it did not want to go; return whether that is so.

    What it has concluded where it was does not hold there: that it has arrived, cannot arrive, or goes in a circle.
    """
    if state == walk.position or state == walk.decision:
        return False
    walk.surprises += 1
    if walk.stop == AT_GOAL or walk.stop == UNREACHABLE or walk.stop == STUCK:
        walk.stop = GOING
    return True


@compiled
def decision_of(walk: Any) -> Int:
    """Return where it wants to go next, or NOWHERE."""
    return walk.decision


@compiled
def take_back(walk: Any) -> None:
    """Cancel the decision."""
    walk.decision, walk.stepping_back = NOWHERE, False
