"""What all agents share: position, decision, the path that an agent intends to follow, and its record.

It is one type for all agents, so its functions are compiled once.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, optional, resized, struct
from ..core.integers import Int
from ..knowledge import News

NOWHERE = -1
GOING, AT_GOAL, UNREACHABLE, OUT_OF_INTERVALS, OUT_OF_MEMORY, STUCK, ILLEGAL, HIT = 0, 1, 2, 3, 4, 5, 6, 7
STOPS = dict(enumerate(("going", "goal", "unreachable", "intervals", "memory", "stuck", "illegal", "hit")))
NOT_DUE, DUE, BEGUN = 0, 1, 2  # an update of h


@struct
class Journey:
    """A journey. One type for all agents."""

    goal: Int  # its number, for agents that need a single goal
    fallback: bool  # go to the nearest reachable state if the goal is unreachable?
    memory_limit: int  # bytes that the search may use
    longest: int  # a bound on path costs on the map: see `body.proved_unreachable`
    steepness: int  # of learned h: see `Part.steepness`
    most_overestimated: int  # by learned h: see `Part.most_overestimated`
    news: News  # what the agent has learned since it last planned
    surprises: int  # how many times there was any
    position: Int
    decision: Int  # the state that it will move to next, or NOWHERE
    stop: int
    searching: bool  # is the search running, or its result not copied yet?
    updating: int  # is the update of h that follows from the search NOT_DUE, DUE or BEGUN?
    root: Int  # the position where the search began
    progress: int  # once it has found something: how many states were copied
    stepping_back: bool  # is the decision a step to the parent in the search tree, to get back to the path?
    refuge: Int  # the state nearest to the goal so far, while searching; NOWHERE if there is no proof
    path: np.ndarray  # the states that it intends to pass, if it knows
    prices: Any  # the costs of the moves to them when the path was found
    length: int  # of the path, in states; 0 if there is none
    old_length: int  # of the path that only a cheaper one is to replace, while the agent searches again; otherwise 0
    order: np.ndarray  # order[state]: where on the path a state is, if path[order[state]] is that state
    trail: np.ndarray  # every position so far
    looked: int  # from how many of them it has looked around, if there was nothing to find
    moves: int
    back_moves: int
    intervals: int  # so far; the last one may end with its move
    searches: int
    expansions: int
    trace_steps: int
    debt: int  # virtual nanoseconds that the last interval spent beyond its budget
    thinking: int  # nanoseconds of planning since the last move
    thoughts: np.ndarray  # nanoseconds of planning before every move


class Task(NamedTuple):
    """The task of an agent and its limits; see the fields of `Journey`."""

    start: int
    goal: int
    fallback: int
    memory_limit: int
    longest: int
    steepness: int
    most_overestimated: int = 1


@compiled
def new_journey(problem: Any, order: Any) -> Any:
    """Make a journey at the start; nothing is decided yet."""
    start = problem.start
    news = News(np.empty(64, np.int32), 0, False)
    path, prices = np.empty(64, np.int32), np.empty(64, np.int64)
    trail, thoughts = np.empty(64, np.int32), np.empty(64, np.int64)
    trail[0] = start
    limits = (problem.goal, problem.fallback != 0, problem.memory_limit, problem.longest)
    trust, here = (problem.steepness, problem.most_overestimated), (news, 0, start, NOWHERE, GOING)
    search, route = (False, NOT_DUE, start, 0, False, NOWHERE), (path, prices, 0, 0, order)
    moves, intervals, searches, debt = (trail, 0, 0, 0), 0, (0, 0, 0), (0, 0)
    rest = (*route, *moves, intervals, *searches, *debt, thoughts)
    return Journey(*limits, *trust, *here, *search, *rest)  # type: ignore[arg-type]  # tuples of several types


class Beginning(NamedTuple):
    """A journey that is about to begin: made together with its agent, which is faster than alone."""

    problem: Task
    order: np.ndarray


@optional
def journey_made(journey: Any) -> Any:
    """Return the journey itself, or one that begins."""
    return journey


journey_made.of(Beginning)(lambda journey: new_journey(journey.problem, journey.order))


@compiled
def begin_journey(journey: Any, start: Int) -> None:
    """Return to the start, with an empty record."""
    journey.looked = 0
    journey.searching, journey.updating, journey.length, journey.old_length = False, NOT_DUE, 0, 0
    journey.refuge, journey.debt = NOWHERE, 0
    journey.position, journey.root, journey.trail[0] = start, start, start
    journey.decision, journey.stepping_back = NOWHERE, False
    journey.stop = GOING
    journey.moves = journey.back_moves = journey.intervals = journey.searches = journey.expansions = 0
    journey.trace_steps = journey.thinking = 0


@compiled
def go_for(journey: Any, goal: Int, longest: int, steepness: int) -> None:
    """Continue from here to another goal, or to the same one with another plan; the record continues."""
    journey.goal, journey.longest, journey.steepness = goal, longest, steepness
    journey.searching, journey.updating, journey.length, journey.old_length = False, NOT_DUE, 0, 0
    journey.refuge, journey.debt = NOWHERE, 0
    journey.root = journey.position  # the decided move stands
    forget_news(journey)


@compiled
def step_to(journey: Any, state: Int) -> bool:
    """Put the agent there, and record it; return whether it moved."""
    back = journey.stepping_back and state == journey.decision
    journey.decision, journey.stepping_back = NOWHERE, False
    if state == journey.position:
        return False
    if journey.moves + 1 == len(borrow_field(journey, "trail")):
        journey.trail = resized(journey.trail, 2 * len(journey.trail))
        journey.thoughts = resized(journey.thoughts, 2 * len(journey.thoughts))
    trail, thoughts = borrow_field(journey, "trail"), borrow_field(journey, "thoughts")
    journey.back_moves += back
    thoughts[journey.moves] = journey.thinking
    journey.thinking = 0
    journey.moves += 1
    trail[journey.moves] = state
    journey.position = state
    return True


@compiled
def forget_news(journey: Any) -> None:
    """Clear the news: all of it has been processed."""
    journey.news = News(journey.news.states, 0, False)


@compiled
def one_move(journey: Any) -> np.ndarray:
    """Return the path of an agent that has no plan beyond its decision."""
    ahead = np.empty(0 if journey.decision == NOWHERE else 2, np.int32)
    if len(ahead):
        ahead[0], ahead[1] = journey.position, journey.decision
    return ahead


class Counts(NamedTuple):
    """What is counted, by the names of `Episode`."""

    moves: int
    intervals: int
    searches: int
    expansions: int
    back_moves: int
    trace_steps: int


@compiled
def record_of(journey: Any) -> tuple[Counts, int, int, np.ndarray, np.ndarray]:
    """Return the counts, the nanoseconds of planning, the stop, the positions, and the planning before every move."""
    path, thoughts = resized(journey.trail, journey.moves + 1), resized(journey.thoughts, journey.moves)
    planning = journey.thinking
    for i in range(len(thoughts)):
        planning += thoughts[i]
    work = journey.searches, journey.expansions, journey.back_moves, journey.trace_steps
    return Counts(journey.moves, journey.intervals, *work), planning, journey.stop, path, thoughts
