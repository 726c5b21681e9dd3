"""An agent in its world, in compiled code: its search, beliefs and journey; the path that it follows, and its end."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, mutable
from ..compiled.clock import NEVER, passed
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from ..knowledge import added_cost, hides, sense, worth_a_look
from ..search.best_first import advance
from ..search.budget import Allowance
from ..search.learning import same_values
from ..search.listener import MOVE, PATH
from ..search.paths import trace
from ..search.state import reached_by
from ..worlds.interface import IMPOSSIBLE, NO_STATE, after_waiting, heuristic, hopeless, is_goal, price_of, tell
from .journey import AT_GOAL, GOING, HIT, NOT_DUE, NOWHERE, UNREACHABLE, Journey, forget_news, step_to

if TYPE_CHECKING:

    class Body(Journey):
        """An agent in its world. The fields of its journey are also its own."""

        search: Any
        world: Any  # as it believes it, goal included
        knowledge: Any
        journey: Journey

else:
    Body = mutable(__name__, "Body", ["search", "world", "knowledge", "journey"], part="journey", of=Journey)


@inlined
def at_goal(world: Any, goal: Int, state: Int) -> bool:
    """Has the agent arrived? If the goal is one state, its world may currently be aimed at a subgoal."""
    return state == goal or (goal == NO_STATE and is_goal(world, state))


@compiled
def can_move(body: Body, state: Int, after: Int) -> bool:
    """Does a move lead from one state to the other, as far as the agent knows?"""
    return price_of(borrow_field(body, "world"), state, after) != IMPOSSIBLE


@inlined
def search_on(body: Body, allowance: Allowance) -> int:
    """Continue its search, and count what it expands; return the outcome."""
    search, before = body.search, body.search.expansions
    outcome = advance(search, allowance)
    body.expansions += search.expansions - before
    return outcome


@compiled
def observe(body: Body) -> None:
    """Look around."""
    knowledge = borrow_field(body, "knowledge")
    if not hides(knowledge):
        body.looked = body.moves + 1
    elif worth_a_look(knowledge, body.position):
        body.news = sense(knowledge, body.position, body.news)


@compiled
def look_back(body: Body) -> None:
    """Record what it has seen where it knew everything before; planning does not need that."""
    for i in range(body.looked):
        state = np.int64(borrow_field(body, "trail")[i])
        body.news = sense(borrow_field(body, "knowledge"), state, body.news)


@compiled
def arrive(body: Body, state: Int) -> None:
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


@compiled
def wait(body: Body) -> None:
    """Stay for an interval: where time passes, the agent is in another state then, or hit."""
    state = after_waiting(borrow_field(body, "world"), body.position)
    if state == NO_STATE:
        body.stop = HIT
    elif state != body.position:
        arrive(body, state)


# ------------------------------------------------------------------ a proof that there is no path


@inlined
def most_cost(body: Body) -> int:
    """Return a bound on path costs, as far as the agent knows."""
    return body.longest + added_cost(borrow_field(body, "knowledge"))


@inlined
def proved_unreachable(body: Body) -> bool:
    """Is h larger than it can be if there is a path? (See `Part.most_overestimated`.)"""
    world = borrow_field(body, "world")
    highest = body.most_overestimated * most_cost(body)
    return hopeless(world, body.position) or heuristic(world, body.position) > highest


# ------------------------------------------------------------------ the path that it follows


STRETCH = 1 << 16  # states of a path between two checks for Ctrl-C
PACE = 16  # states of a path between two looks at the clock: each may be on an untouched page of memory


@inlined
def same_world(body: Body) -> None:
    """Give the search the agent's world, unless it has it: setting it takes as long as an expansion or two."""
    if not same_values(borrow_field(body.search, "world"), borrow_field(body, "world")):
        body.search.world = body.world


@compiled
def take_path(body: Body, backward: bool, deadline: int) -> bool:
    """Trace the path that the search has found, and copy it; a backward search has its root at the goal.

    Return whether the path is complete; if the deadline comes first, the next call continues.
    """
    search, pace = body.search, STRETCH if deadline == NEVER else PACE
    while not trace(search, pace):
        if passed(deadline) or interrupted():
            return False
    length, trail = search.traced, borrow_field(search, "trail")
    if length > len(borrow_field(body, "path")):
        body.path, body.prices = np.empty(2 * length, np.int32), np.empty(2 * length, np.int64)
    nodes, order = borrow_field(search, "nodes"), borrow_field(body, "order")
    path, prices = borrow_field(body, "path"), borrow_field(body, "prices")
    while True:
        following = body.progress + min(pace, length - body.progress)
        for i in range(body.progress, following):
            state = np.int64(trail[i if backward else length - 1 - i])
            path[i] = state
            prices[i] = abs(nodes[state].g - nodes[path[max(0, i - 1)]].g)
            order[state] = i
            tell(borrow_field(body, "world"), PATH, state, NO_STATE, i, prices[i])
        body.progress = following
        if following == length:
            body.length = length
            return True
        if passed(deadline) or interrupted():
            return False


@compiled
def rest_of_path(journey: Journey) -> np.ndarray:
    """Return the path from the agent's place on it."""
    place = place_on_path(journey, journey.position)
    if place == NOWHERE or place == journey.length - 1:
        return np.empty(0, np.int32)
    ahead = np.empty(journey.length - place, np.int32)
    for i in range(len(ahead)):
        ahead[i] = journey.path[place + i]
    return ahead


@inlined
def place_on_path(journey: Journey, state: Int) -> Int:
    """Return the place of a state on an agent's path, or NOWHERE; in constant time."""
    i = np.int64(borrow_field(journey, "order")[state])
    return i if i < journey.length and borrow_field(journey, "path")[i] == state else NOWHERE


@compiled
def keep_path(body: Body) -> None:
    """Keep the path to the goal that the agent is on, until the search that begins finds a cheaper one.

    Otherwise an agent that searches again before its path ends might walk in a circle: greedy and weighted searches
    from two places may send it from each to the other, as may moves that cost nothing.
    """
    place = place_on_path(body, body.position)
    body.old_length = body.length if place != NOWHERE and body.refuge == NOWHERE else 0


@compiled
def keeps_path(body: Body, end: Int) -> bool:
    """Return to the path that was kept, if the one that the search has found, to or from `end`, is not cheaper."""
    search, before = body.search, body.old_length
    body.old_length = 0
    if before == 0:
        return False
    found = borrow_field(search, "nodes")[end].g + heuristic(borrow_field(search, "world"), end)
    body.length = before
    first = place_on_path(body, body.position)
    for i in range(first + 1, before):
        found -= body.prices[i]
    body.length = 0
    if found < 0:
        return False
    # Drop what is behind the agent: it makes as many moves as along a new path before it searches again.
    path, prices, order = borrow_field(body, "path"), borrow_field(body, "prices"), borrow_field(body, "order")
    for i in range(first, before):
        state = np.int64(path[i])
        path[i - first], prices[i - first], order[state] = state, prices[i], i - first
    body.length = before - first
    return True


@compiled
def take_news_of_path(body: Body) -> None:
    """Give up the path, or the running search, if news invalidates it."""
    body.old_length, news = 0, borrow_field(body, "news")
    if body.length and (spoiled(body) or (news.relief and body.refuge != NOWHERE)):
        body.length = 0
    if body.searching:
        nodes = borrow_field(body.search, "nodes")
        for j in range(news.count):
            if reached_by(nodes[news.states[j]], body.search.number):  # perhaps expanded with its old moves
                body.searching = False
    if news.relief and len(body.world.h):
        body.searching, body.updating = False, NOT_DUE
    forget_news(borrow_field(body, "journey"))


@compiled
def spoiled(body: Body) -> bool:
    """Has a move that is still ahead on the path become more expensive?

    What is invalid behind the agent is cut off: its environment may put it back there.
    """
    world, news = borrow_field(body, "world"), borrow_field(body, "news")
    ahead = place_on_path(body, body.position)
    for j in range(news.count):
        state = np.int64(news.states[j])
        i = place_on_path(body, state)
        if i != NOWHERE and i < body.length - 1:
            following = np.int64(borrow_field(body, "path")[i + 1])
            price = price_of(world, state, following)
            if price == IMPOSSIBLE or price > body.prices[i + 1]:
                if ahead <= i:
                    return True
                while i >= 0 and body.path[i] != NOWHERE:  # cut off what is behind the agent
                    body.path[i] = NOWHERE
                    i -= 1
    return False
