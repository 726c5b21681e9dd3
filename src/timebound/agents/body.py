"""What every agent is made of, in compiled code: where it is, what it knows, what it has decided, and the game clock.

The game time model (TBAA* paper, section 8): time is cut into intervals. In each of them the agent makes the move that
it decided before, if it has decided one, observes, and then plans until the interval's budget is spent. So the first
interval only plans, and an agent whose plan is not ready waits.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, generic, inlined, mutable, optional, replacing, resized
from ..integers import Int
from ..knowledge import News, hides, sense, worth_a_look
from ..search.best_first import figures
from ..search.clock import NEVER, now
from ..search.interrupts import interrupted, signalled
from ..search.learning import new_trial
from ..search.listener import DECIDE, MOVE
from ..worlds.interface import NO_STATE, is_goal, tell
from .rules import NOT_DUE

NOWHERE = -1
GOING, AT_GOAL, UNREACHABLE, OUT_OF_INTERVALS, OUT_OF_MEMORY, STUCK = 0, 1, 2, 3, 4, 5
STOPS = {
    GOING: "going",
    AT_GOAL: "goal",
    UNREACHABLE: "unreachable",
    OUT_OF_INTERVALS: "intervals",
    OUT_OF_MEMORY: "memory",
    STUCK: "stuck",
}

AIR = 16  # intervals between two questions whether Ctrl-C was pressed

Walk = mutable(
    __name__,
    "Walk",
    [
        "goal",  # its number, for agents that need just one
        "fallback",  # if the goal cannot be reached: go to the nearest state that can?
        "memory_limit",  # bytes that the search may use
        "news",  # what the agent has learned since it last planned
        "position",
        "decision",  # the state that it will move to next, or NOWHERE
        "stop",
        "searching",  # is the search under way, or what it has found not taken over yet?
        "updating",  # is the update of h that follows from the search NOT_DUE, DUE or BEGUN?
        "root",  # the position that it is for
        "progress",  # once it has found something: how many states were gone through to take that over
        "stepping_back",  # is it a step to the parent of its state in the search tree, to get back to the path?
        "refuge",  # the nearest state to the goal, so far while searching; NOWHERE if there is no proof
        "path",  # the states that it means to pass, if it knows
        "prices",  # what the moves to them cost when the path was found
        "length",  # of the path, in states; 0 if there is none
        "order",  # order[state]: where on the path a state is, if path[order[state]] is that state
        "trail",  # every position so far
        "looked",  # from how many of them it has looked around, if it cannot have found anything
        "moves",
        "back_moves",
        "intervals",  # so far; the last one may end with its move
        "searches",
        "expansions",
        "trace_steps",
        "debt",  # virtual nanoseconds that the last interval spent beyond its budget
        "thinking",  # nanoseconds of planning since the last move
        "thoughts",  # nanoseconds of planning before every move
    ],
)
# What is the same type for all agents is apart, so that what concerns it is compiled once.
Body = mutable(
    __name__,
    "Body",
    [
        "control",  # how this kind of agent decides; see `decide`
        "search",
        "world",  # what it believes of the world, goal included
        "knowledge",
        "walk",
    ],
    part="walk",
    of=Walk,
)


with_control = replacing(Body, "control")


@generic
def decide(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Plan within the limits, and set `body.decision`, or `body.stop` if there is no way."""


@optional
def renewed(control: Any, other: Any) -> Any:
    """Another control in its place."""
    return other


@optional
def follow(control: Any, body: Any) -> bool:
    """Decide without any planning, if there is a path to follow and no clock to regard; return whether it did."""
    return False


@optional
def bytes_used(control: Any, body: Any) -> int:
    """The memory that the agent's search takes up."""
    return figures(body.search)[3]


@compiled
def memory_used(body: Any) -> int:
    """The memory that the agent takes up: its search, and what it has learned."""
    return bytes_used(body.control, body) + borrow_field(body, "world").tally[3] * body.world.h.itemsize


@optional
def states_kept(control: Any, body: Any) -> int:
    """How many states its search remembers."""
    return body.search.reached


@optional
def search_number(control: Any, body: Any) -> int:
    """The number of its last search: no mark in its memory belongs to a later one."""
    return body.search.number


@generic
def path_ahead(control: Any, body: Any) -> np.ndarray:  # type: ignore[empty-body]
    """The states that the agent means to pass, its position first; empty if it does not know yet."""


@inlined
def at_goal(world: Any, goal: Int, state: Int) -> bool:
    """Has the agent arrived? Where the goal is one state, its world may be aimed at subgoals meanwhile."""
    return state == goal or (goal == NO_STATE and is_goal(world, state))


@compiled
def new_walk(start: Int, goal: Int, fallback: bool, order: Any, memory_limit: int) -> Any:
    """At the start; nothing is decided yet."""
    news = News(np.empty(64, np.int32), 0, False)
    path, prices = np.empty(64, np.int32), np.empty(64, np.int64)
    trail, thoughts = np.empty(64, np.int32), np.empty(64, np.int64)
    trail[0] = start
    setting, here = (goal, fallback, memory_limit, news), (start, NOWHERE, GOING)
    search, route = (False, NOT_DUE, start, 0, False, NOWHERE), (path, prices, 0, order)
    moves, intervals, searches, debt = (trail, 0, 0, 0), 0, (0, 0, 0), (0, 0)
    return Walk(*setting, *here, *search, *route, *moves, intervals, *searches, *debt, thoughts)


@compiled
def new_body(control: Any, search: Any, world: Any, knowledge: Any, walk: Any) -> Any:
    """An agent at its start, which has not looked around yet."""
    if at_goal(borrow(world), walk.goal, walk.position):
        walk.stop = AT_GOAL
    return Body(control, search, world, knowledge, walk)


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
    """Write down what it has seen where it knew everything before; nobody needs that to plan."""
    for i in range(body.looked):
        state = np.int64(borrow_field(body, "trail")[i])
        body.news = sense(borrow_field(body, "knowledge"), state, body.news)


@compiled
def arrive(body: Any, state: Int) -> None:
    """The agent is at `state` now: where it wanted to go, or where its environment put it."""
    walk = borrow_field(body, "walk")
    before = walk.position
    if step_to(walk, state):
        tell(borrow_field(body, "world"), MOVE, state, before, 0, 0)
        if at_goal(borrow_field(body, "world"), walk.goal, state):
            walk.stop = AT_GOAL
        elif state == walk.refuge and not walk.searching:
            walk.stop = UNREACHABLE
        walk.intervals += walk.stop != GOING


@compiled
def step_to(walk: Any, state: Int) -> bool:
    """Put the agent there, and write it down; was it elsewhere before?"""
    back = walk.stepping_back and state == walk.decision
    walk.decision, walk.stepping_back = NOWHERE, False
    if state == walk.position:
        return False
    if walk.moves + 1 == len(borrow_field(walk, "trail")):
        walk.trail = resized(walk.trail, 2 * len(walk.trail))
        walk.thoughts = resized(walk.thoughts, 2 * len(walk.thoughts))
    trail, thoughts = borrow_field(walk, "trail"), borrow_field(walk, "thoughts")
    walk.back_moves += back
    thoughts[walk.moves] = walk.thinking
    walk.thinking = 0
    walk.moves += 1
    trail[walk.moves] = state
    walk.position = state
    return True


@optional
def conclude(control: Any, body: Any) -> None:
    """The trial is over: learn what is still to be learned from its last search."""


@compiled
def start_over(body: Any, start: Int, rises: np.ndarray) -> None:
    """Back to the start, for another trial; what was seen and learned is kept, the record begins anew.

    In `rises` it is kept how much h rises from now on, if anybody will ask.
    """
    conclude(body.control, body)
    look_back(body)
    tell(borrow_field(body, "world"), MOVE, start, body.position, 0, 0)
    begin_walk(borrow_field(body, "walk"), start)
    if at_goal(borrow_field(body, "world"), body.goal, start):
        body.stop = AT_GOAL
    body.world = new_trial(body.world, rises)


@compiled
def begin_walk(walk: Any, start: Int) -> None:
    """At the start again, with an empty record."""
    walk.looked = 0
    walk.searching, walk.updating, walk.length, walk.refuge, walk.debt = False, NOT_DUE, 0, NOWHERE, 0
    walk.position, walk.root, walk.trail[0] = start, start, start
    walk.decision, walk.stepping_back = NOWHERE, False
    walk.stop = GOING
    walk.moves = walk.back_moves = walk.intervals = walk.searches = walk.expansions = 0
    walk.trace_steps = walk.thinking = 0


class After(NamedTuple):
    """After some turns: where the agent is, what it has decided, whether and why it has stopped; how many it had."""

    position: int
    decision: int
    stop: int
    turns: int


@compiled
def turns(body: Any, expansions: int, nanoseconds: int, virtual: int, intervals: int, walking: bool) -> After:
    """So many turns of the game clock, or until the agent stops: move, observe, plan. (Or only plan, if not `walking`.)

    Ctrl-C ends the planning of the present interval, and no other begins.
    """
    done = 0
    while done < intervals:
        if done and (signalled() or done % AIR == 0) and interrupted():
            break
        done += 1
        if walking and body.stop == GOING and body.decision != NOWHERE:
            arrive(body, body.decision)
        if body.stop != GOING:
            break
        if walking:
            observe(body)
        body.intervals += 1
        body.decision, body.stepping_back = NOWHERE, False
        # Whoever can just follow a path does so in less time than it takes to read the clock.
        if nanoseconds != NEVER or virtual != NEVER or not follow(borrow_field(body, "control"), body):
            began = now()
            deadline = began + nanoseconds if nanoseconds < NEVER - began else NEVER
            decide(borrow_field(body, "control"), body, expansions, deadline, virtual)
            if body.memory_limit != NEVER and body.stop == GOING and memory_used(body) > body.memory_limit:
                body.stop, body.decision = OUT_OF_MEMORY, NOWHERE
            body.thinking += now() - began
        tell(borrow_field(body, "world"), DECIDE, body.decision, body.position, body.length, 0)
    return After(body.position, body.decision, body.stop, done)
