"""What Python asks of the compiled agent, and what it tells it: once for all agents."""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled
from ..core.integers import Int
from ..knowledge import see, without_repeats
from ..knowledge.graph import edges_changed
from ..knowledge.grid import costs_changed, learn_cell, map_changed
from ..search.consistency import full_heuristic
from ..search.learning import HIGHEST_RISE, INFINITE, TOP
from ..search.state import STRIDE
from .interval import Parts, with_parts
from .journey import AT_GOAL, GOING, NOWHERE, OUT_OF_INTERVALS, STUCK, UNREACHABLE
from .retreat import way_ahead
from .roles import search_costs, search_number


def reversals_of(path: np.ndarray) -> int:
    """Return how many times it went straight back to its previous state."""
    return int(np.count_nonzero(path[2:] == path[:-2]))


@compiled
def stop_here(journey: Any) -> None:
    """Stop it: it has no intervals left."""
    journey.stop = OUT_OF_INTERVALS


@compiled
def marks_of(mind: Any) -> tuple[int, int, int]:
    """Return a number above that of every search, even one that has not begun; and the highest in h and its rises."""
    body = mind.body
    tally = borrow_field(body, "world").tally
    return search_number(body.search) + STRIDE, tally[TOP], tally[HIGHEST_RISE]


@compiled
def trail_from(journey: Any, first: int) -> np.ndarray:
    """Return its positions from that move on."""
    part = np.empty(journey.moves + 1 - first, np.int64)
    for i in range(len(part)):
        part[i] = journey.trail[first + i]
    return part


@compiled
def keep_steepness(journey: Any, steepness: int) -> None:
    """Set the steepness of h, if the old learning rule keeps the same."""
    if journey.steepness != steepness:
        journey.steepness = 0


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
def where_is(journey: Any) -> tuple[int, int]:
    """Return its position, and whether and why it has stopped."""
    return journey.position, journey.stop


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
def note_cells(journey: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of the map."""
    journey.news = map_changed(knowledge, cells, before, at_once, journey.news)


@compiled
def note_costs(journey: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of a grid's travel costs."""
    journey.news = costs_changed(knowledge, cells, before, at_once, journey.news)


@compiled
def note_edges(journey: Any, knowledge: Any, edges: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of a graph's edges."""
    journey.news = edges_changed(knowledge, edges, before, at_once, journey.news)


@compiled
def set_longest(journey: Any, longest: int) -> None:
    """Set the bound on path costs of the map."""
    journey.longest = longest


@compiled
def take_for(journey: Any, knowledge: Any, cell: Int, fact: int) -> None:
    """Let the agent believe that a cell is FREE or BLOCKED."""
    journey.news = learn_cell(knowledge, cell, fact, journey.news)


@compiled
def value_at(body: Any, nodes: np.ndarray, state: Int) -> int:
    """Return h of one state, with learned values; -1 if h may be inconsistent, or proves a state hopeless."""
    world = borrow_field(body, "world")
    if body.steepness == 0 or world.tally[TOP] - world.base >= INFINITE:
        return -1
    return full_heuristic(world, borrow(nodes), state)


@compiled
def is_at_loss(journey: Any) -> bool:
    """Has the agent given up?"""
    return journey.stop == UNREACHABLE or journey.stop == STUCK


@compiled
def has_hope(journey: Any) -> bool:
    """Has the agent given up, and then learned something that may help?"""
    news = borrow_field(journey, "news")
    return news.count > 0 and (journey.stop == STUCK or (journey.stop == UNREACHABLE and news.relief))


@compiled
def has_begun(journey: Any) -> bool:
    """Has it had any interval?"""
    return journey.intervals > 0


@compiled
def is_relieved(journey: Any) -> bool:
    """Has it learned of a move that became possible or cheaper?"""
    return borrow_field(journey, "news").relief


@compiled
def has_news(journey: Any) -> bool:
    """Is there news that it has not processed yet?"""
    return borrow_field(journey, "news").count > 0


@compiled
def resume(journey: Any) -> None:
    """Resume it."""
    journey.stop = GOING


@compiled
def set_out(journey: Any) -> None:
    """Begin to go to another goal, whatever happened to the old one; it may be there already."""
    journey.stop = GOING
    if journey.position == journey.goal:
        journey.stop, journey.decision = AT_GOAL, NOWHERE


@compiled
def take_along(journey: Any, state: Int) -> bool:
    """Note that the environment puts the agent where it did not want to go; return whether that is so.

    What it has concluded where it was does not hold there: that it has arrived, cannot arrive, or goes in a circle. Nor
    does it go in a circle if its move was refused, and it searches where it has just searched.
    """
    if state == journey.position or state == journey.decision:
        journey.surprises += state != journey.decision and journey.decision != NOWHERE
        return False
    journey.surprises += 1
    if journey.stop == AT_GOAL or journey.stop == UNREACHABLE or journey.stop == STUCK:
        journey.stop = GOING
    return True


@compiled
def decision_of(journey: Any) -> Int:
    """Return where it wants to go next, or NOWHERE."""
    return journey.decision


@compiled
def take_back(journey: Any) -> None:
    """Cancel the decision."""
    journey.decision, journey.stepping_back = NOWHERE, False
