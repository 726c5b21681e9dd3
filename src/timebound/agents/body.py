"""What every agent is made of, in compiled code: where it is, what it knows, what it has decided, and the game clock.

The game time model (TBAA* paper, section 8): time is cut into intervals. In each of them the agent makes the move that
it decided before, if it has decided one, observes, and then plans until the interval's budget is spent. So the first
interval only plans, and an agent whose plan is not ready waits.
"""

from typing import Any

import numpy as np

from ..compiled import compiled, generic, mutable, resized
from ..knowledge import sense
from ..search.clock import NEVER, now

NOWHERE = -1
GOING, AT_GOAL, UNREACHABLE, OUT_OF_INTERVALS, OUT_OF_MEMORY = 0, 1, 2, 3, 4
STOPS = {
    GOING: "going",
    AT_GOAL: "goal",
    UNREACHABLE: "unreachable",
    OUT_OF_INTERVALS: "intervals",
    OUT_OF_MEMORY: "memory",
}

Body = mutable(
    __name__,
    "Body",
    [
        "control",  # how this kind of agent decides; see `decide`
        "search",
        "searching",  # is the search under way, or what it has found not taken over yet?
        "root",  # the position that it is for
        "progress",  # once it has found something: how many states were gone through to take that over
        "world",  # what it believes of the world, goal included
        "knowledge",
        "news",  # what it has learned since it last planned
        "goal",
        "fallback",  # if the goal cannot be reached: go to the nearest state that can?
        "refuge",  # that state, the nearest so far while searching; NOWHERE if there is no proof
        "position",
        "decision",  # the state that it will move to next, or NOWHERE
        "stop",
        "path",  # the states that it means to pass, if it knows
        "length",  # of the path, in states; 0 if there is none
        "order",  # order[state]: where on the path a state is, if path[order[state]] is that state
        "trail",  # every position so far
        "moves",
        "back_moves",
        "intervals",  # so far; the last one may end with its move
        "searches",
        "expansions",
        "thinking",  # nanoseconds of planning since the last move
        "thoughts",  # nanoseconds of planning before every move
        "memory_limit",  # bytes that the search may use
    ],
)


@generic
def decide(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Plan within the limits, and set `body.decision`, or `body.stop` if there is no way."""


@generic
def bytes_used(control: Any, body: Any) -> int:  # type: ignore[empty-body]
    """The memory that the agent's search takes up."""


@generic
def states_kept(control: Any, body: Any) -> int:  # type: ignore[empty-body]
    """How many states its search remembers."""


@generic
def fill_path(control: Any, body: Any) -> None:
    """Write the path that the agent means to follow into `body.path`; `body.length` is 0 if it does not know yet."""


@compiled
def new_body(
    control: Any,
    search: Any,
    world: Any,
    knowledge: Any,
    news: Any,
    start: int,
    goal: int,
    fallback: bool,
    order: Any,
    memory_limit: int,
) -> Any:
    """An agent at its start, which has not looked around yet."""
    path, trail, thoughts = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64)
    trail[0] = start
    stop = AT_GOAL if start == goal else GOING
    beginning = (control, search, False, start, 0, world, knowledge, news, goal, fallback)
    return Body(
        *beginning, NOWHERE, start, NOWHERE, stop, path, 0, order, trail, 0, 0, 0, 0, 0, 0, thoughts, memory_limit
    )


@compiled
def observe(body: Any) -> None:
    """Look around."""
    body.news = sense(body.knowledge, body.position, body.news)


@compiled
def plan(body: Any, expansions: int, nanoseconds: int, virtual: int) -> int:
    """Plan within an interval's budget; return the decision."""
    began = now()
    deadline = began + nanoseconds if nanoseconds < NEVER - began else NEVER
    body.intervals += 1
    body.decision = NOWHERE
    decide(body.control, body, expansions, deadline, virtual)
    if body.stop == GOING and bytes_used(body.control, body) > body.memory_limit:
        body.stop, body.decision = OUT_OF_MEMORY, NOWHERE
    body.thinking += now() - began
    return body.decision


@compiled
def arrive(body: Any, state: int) -> None:
    """The agent is at `state` now: where it wanted to go, or where its environment put it."""
    body.decision = NOWHERE
    if state == body.position:
        return
    if body.moves + 1 == len(body.trail):
        body.trail = resized(body.trail, 2 * len(body.trail))
        body.thoughts = resized(body.thoughts, 2 * len(body.thoughts))
    body.back_moves += body.moves > 0 and body.trail[body.moves - 1] == state
    body.thoughts[body.moves] = body.thinking
    body.thinking = 0
    body.moves += 1
    body.trail[body.moves] = state
    body.position = state
    if state == body.goal:
        body.stop = AT_GOAL
    elif state == body.refuge and not body.searching:
        body.stop = UNREACHABLE
    body.intervals += body.stop != GOING


@compiled
def interval(body: Any, expansions: int, nanoseconds: int, virtual: int) -> int:
    """One turn of the game clock: move, observe, plan; return the position."""
    if body.stop == GOING and body.decision != NOWHERE:
        arrive(body, body.decision)
    if body.stop == GOING:
        observe(body)
        plan(body, expansions, nanoseconds, virtual)
    return body.position


@compiled
def run(body: Any, expansions: int, nanoseconds: int, virtual: int, intervals: int) -> None:
    """Intervals until the agent stops, or so many."""
    for _ in range(intervals):
        if body.stop != GOING:
            return
        interval(body, expansions, nanoseconds, virtual)
