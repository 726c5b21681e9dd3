"""What Python asks of the compiled agent, and what it tells it: once for all agents."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, reading, writing
from ..core.integers import Int
from ..knowledge import see, without_repeats
from ..knowledge.grid import learn_cell
from ..search.consistency import full_heuristic
from ..search.learning import HIGHEST_RISE, INFINITE, TOP
from ..search.state import STRIDE
from .body import Body
from .journey import AT_GOAL, GOING, NOWHERE, STUCK, UNREACHABLE, Journey
from .retreat import way_ahead
from .roles import search_costs, search_number, waypoint


class JourneyStatus(NamedTuple):
    """How an agent stands."""

    position: Int
    decision: Int  # where it wants to go next, or NOWHERE
    stop: int
    intervals: int
    news: int  # how much of it has not been processed yet
    relief: bool  # has it learned of a move that became possible or cheaper?


@inlined
def has_hope(status: JourneyStatus) -> bool:
    """Has the agent given up, and then learned something that may help?"""
    return status.news > 0 and (status.stop == STUCK or (status.stop == UNREACHABLE and status.relief))


@compiled
def standing(journey: Journey) -> JourneyStatus:
    """Return how it stands."""
    news = borrow_field(journey, "news")
    return JourneyStatus(journey.position, journey.decision, journey.stop, journey.intervals, news.count, news.relief)


set_stop, set_longest, set_news, news_of = writing("stop"), writing("longest"), writing("news"), reading("news")
steepness_of, set_steepness = reading("steepness"), writing("steepness")
parts_of, search_of, world_of = reading("parts"), reading("search"), reading("world")


@compiled
def marks_of(mind: Any) -> tuple[int, int, int]:
    """Return a number above that of every search, even one that has not begun; and the highest in h and its rises."""
    body = mind.body
    tally = borrow_field(body, "world").tally
    return search_number(body.search) + STRIDE, tally[TOP], tally[HIGHEST_RISE]


@compiled
def trail_from(journey: Journey, first: int) -> np.ndarray:
    """Return its positions from that move on."""
    part = np.empty(journey.moves + 1 - first, np.int64)
    for i in range(len(part)):
        part[i] = journey.trail[first + i]
    return part


@compiled
def costs_of_search(mind: Any) -> np.ndarray:
    """Return the cost of every state that its search has reached."""
    return search_costs(borrow_field(mind, "parts").lookahead, mind.body)


@compiled
def path_of(mind: Any) -> np.ndarray:
    """Return the path that it intends to follow."""
    parts = borrow_field(mind, "parts")
    return way_ahead(parts.retreat, parts, mind.body)


@compiled
def take_in(body: Body, subjects: np.ndarray, facts: np.ndarray, states: int) -> None:
    """Note what was reported to it, in a world of so many states."""
    for i in range(len(subjects)):
        body.news = see(body.knowledge, subjects[i], facts[i], body.news)
    body.news = without_repeats(body.news, states)


@compiled
def waypoint_of(mind: Any) -> Int:
    """Return the state that it goes straight to, or NOWHERE."""
    return waypoint(borrow_field(mind, "parts").walk, mind.body)


# ------------------------------------------------------------------ changes of the world


def note_change(
    change: Callable[..., Any], journey: Any, knowledge: Any, subjects: np.ndarray, before: np.ndarray, at_once: bool
) -> None:
    """Process a change of the map: `map_changed`, `costs_changed` or `edges_changed` turns it into news."""
    set_news(journey, change(knowledge, subjects, before, at_once, news_of(journey)))


@compiled
def take_for(journey: Journey, knowledge: Any, cell: Int, fact: int) -> None:
    """Let the agent believe that a cell is FREE or BLOCKED."""
    journey.news = learn_cell(knowledge, cell, fact, journey.news)


@compiled
def value_at(body: Body, nodes: np.ndarray, state: Int) -> int:
    """Return h of one state, with learned values; -1 if h may be inconsistent, or proves a state hopeless."""
    world = borrow_field(body, "world")
    if body.steepness == 0 or world.tally[TOP] - world.base >= INFINITE:
        return -1
    return full_heuristic(world, borrow(nodes), state)


@compiled
def set_out(journey: Journey) -> None:
    """Begin to go to another goal, whatever happened to the old one; it may be there already."""
    journey.stop = GOING
    if journey.position == journey.goal:
        journey.stop, journey.decision = AT_GOAL, NOWHERE


@compiled
def take_along(journey: Journey, state: Int) -> None:
    """Note that the environment puts the agent there, perhaps where it did not want to go.

    What it has concluded where it was does not hold there: that it has arrived, cannot arrive, or goes in a circle. Nor
    does it go in a circle if its move failed, and it searches where it has just searched.
    """
    if state == journey.position or state == journey.decision:
        journey.surprises += state != journey.decision and journey.decision != NOWHERE
        return
    journey.surprises += 1
    if journey.stop == AT_GOAL or journey.stop == UNREACHABLE or journey.stop == STUCK:
        journey.stop = GOING


@compiled
def take_for_now(journey: Journey, state: Int) -> None:
    """Note that the state in which the agent is has become another one, as time has passed."""
    journey.position = journey.trail[journey.moves] = state


@compiled
def take_back(journey: Journey) -> None:
    """Cancel the decision."""
    journey.decision, journey.stepping_back = NOWHERE, False
