"""An agent in its world, in compiled code: its search, its beliefs and knowledge, and its journey."""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, mutable
from ..core.integers import Int
from ..knowledge import added_cost, hides, sense, worth_a_look
from ..search.best_first import advance
from ..search.listener import MOVE
from ..worlds.interface import NO_STATE, heuristic, hopeless, is_goal, tell
from .journey import AT_GOAL, GOING, UNREACHABLE, Journey, step_to

Body = mutable(
    __name__,
    "Body",
    [
        "search",
        "world",  # the world as it believes it, goal included
        "knowledge",
        "journey",
    ],
    part="journey",
    of=Journey,
)


@inlined
def at_goal(world: Any, goal: Int, state: Int) -> bool:
    """Has the agent arrived? If the goal is one state, its world may currently be aimed at a subgoal."""
    return state == goal or (goal == NO_STATE and is_goal(world, state))


@inlined
def search_on(body: Any, allowance: Any) -> int:
    """Continue its search, and count what it expands; return the outcome."""
    search, before = body.search, body.search.expansions
    outcome = advance(search, allowance)
    body.expansions += search.expansions - before
    return outcome


@compiled
def observe(body: Any) -> None:
    """Look around."""
    knowledge = borrow_field(body, "knowledge")
    if not hides(knowledge):
        body.looked = body.moves + 1
    elif worth_a_look(knowledge, body.position):
        body.news = sense(knowledge, body.position, body.news)


@compiled
def look_back(body: Any) -> None:
    """Record what it has seen where it knew everything before; planning does not need that."""
    for i in range(body.looked):
        state = np.int64(borrow_field(body, "trail")[i])
        body.news = sense(borrow_field(body, "knowledge"), state, body.news)


@compiled
def arrive(body: Any, state: Int) -> None:
    """Put the agent at `state`: where it wanted to go, or where its environment put it."""
    journey = borrow_field(body, "journey")
    before = journey.position
    if step_to(journey, state):
        tell(borrow_field(body, "world"), MOVE, state, before, 0, 0)
        if at_goal(borrow_field(body, "world"), journey.goal, state):
            journey.stop = AT_GOAL
        elif state == journey.refuge and not journey.searching and not borrow_field(journey, "news").relief:
            journey.stop = UNREACHABLE
        journey.intervals += journey.stop != GOING


# ------------------------------------------------------------------ a proof that there is no path


@inlined
def most_cost(body: Any) -> int:
    """Return a bound on path costs, as far as the agent knows."""
    return body.longest + added_cost(borrow_field(body, "knowledge"))


@inlined
def proved_unreachable(body: Any) -> bool:
    """Is h larger than it can be if there is a path? (See `Part.most_overestimated`.)"""
    world = borrow_field(body, "world")
    highest = body.most_overestimated * most_cost(body)
    return hopeless(world, body.position) or heuristic(world, body.position) > highest
