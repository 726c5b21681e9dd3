"""One interval of an agent, which is a body and a mind of parts: written here once for all agents.

The game time model (TBAA* paper, section 8): time is divided into intervals. In each of them the agent makes the move
that it decided before, if any, observes, and then plans until the interval's budget is spent. So the first interval
only plans, and an agent whose plan is not ready waits.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import Interrupted, borrow, borrow_field, compiled, inlined, optional, reading, replacing, struct
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted, signalled
from ..core.integers import Int
from ..knowledge import News
from ..knowledge.interface import Certainty
from ..search.budget import UNLIMITED, Allowance, after, clocked
from ..search.consistency import restore_consistency
from ..search.learning import LEARNED, RISES, UPDATES, new_trial, rises_from_now, without_learned
from ..search.listener import DECIDE, MOVE
from ..search.state import new_search
from ..worlds.interface import tell
from .body import Body, arrive, at_goal, look_back, observe, wait
from .journey import (
    AT_GOAL,
    BEGUN,
    DUE,
    GOING,
    ILLEGAL,
    NOT_DUE,
    NOWHERE,
    OUT_OF_MEMORY,
    UNREACHABLE,
    Beginning,
    Journey,
    begin_journey,
    journey_made,
)
from .roles import (
    Parts,
    Size,
    aim,
    catch_up,
    forget,
    give_up,
    has_own_part,
    is_possible,
    look,
    next_move,
    on_course,
    outdated,
    rewind,
    search_size,
    size,
    state_number,
    take_news,
    unlearned_yet,
)

CHECK = 16  # intervals between two checks for Ctrl-C


@struct
class Mind:
    """An agent: its parts and its body."""

    parts: "Parts"
    body: Body


with_parts, body_of, journey_of = replacing(Mind, "parts"), reading("body"), reading("journey")


class Recipe(NamedTuple):
    """A recipe for the agent's search in the world that it believes in, made in compiled code: see `new_search`.

    Passing such a world from Python takes as long as making the search.
    """

    nodes: np.ndarray
    memory: Any
    order: Any
    branching: int
    number: int
    keep_closed: bool


@optional
def search_made(search: Any, world: Any) -> Any:
    """Return a search that has not begun: the one given, or one by the recipe."""
    return search


@search_made.of(Recipe)
def _search_made(recipe: Recipe, world: Any) -> Any:
    kept = (recipe.branching, recipe.number, recipe.keep_closed)
    return new_search(world, recipe.nodes, recipe.memory, recipe.order, *kept)


@compiled
def new_mind(parts: Parts, search: Any, world: Any, knowledge: Any, journey: Journey | Beginning) -> Any:
    """Make an agent that has not begun to plan."""
    own_journey = journey_made(journey)
    if at_goal(borrow(world), own_journey.goal, own_journey.position):
        own_journey.stop = AT_GOAL
    return Mind(parts, Body(search_made(search, world), world, knowledge, own_journey))  # type: ignore[call-arg]


# ------------------------------------------------------------------ one interval


@compiled
def plan(parts: Parts, body: Body, allowance: Allowance) -> None:
    """Process news; without a path to follow, learn what is due and look ahead; then decide."""
    allowance = after(allowance, 0, body.debt)
    body.debt = 0
    if borrow_field(body, "news").count:
        take_in_news(parts, body)
    if outdated(parts.lookahead, body) or not on_course(parts.walk, body, clocked(allowance)):
        allowance = catch_up(parts.learning, body, allowance)
        ready = body.stop == GOING and body.updating == NOT_DUE and aim(parts.target, body, allowance)
        if ready:
            look(parts.lookahead, parts, body, allowance)
    if body.stop == GOING:
        choose_move(parts, body)
    if body.updating == DUE and not clocked(allowance):
        catch_up(parts.learning, body, UNLIMITED)


@inlined
def take_in_news(parts: Parts, body: Body) -> None:
    """Process news: give up what it invalidates."""
    body.surprises += 1
    if borrow_field(body, "news").relief:
        forget(parts.learning)
    take_news(parts.lookahead, parts, body)


@inlined
def needs_relief(body: Body) -> bool:
    """May what the agent has learned be too high, because a move became possible or cheaper?"""
    return borrow_field(body, "news").relief and len(borrow_field(body, "world").h) > 0


@compiled
def process_news(mind: Any, most: int) -> None:
    """Process news; where moves became cheaper, lower at most `most` h-values that are now too high.

    Python calls it before the agent plans. Few agents ever need it, so it is not compiled into all of them.
    """
    parts, body = borrow_field(mind, "parts"), mind.body
    news, relief, half_learned = body.news, needs_relief(body), body.updating == BEGUN
    if news.count and not takes_news(parts.retreat):
        take_in_news(parts, body)
    if relief:
        relieve(borrow_field(body, "knowledge"), parts.learning, body, news, half_learned, most)
        body.news = News(body.news.states, body.news.count, False)


@optional
def relieve(knowledge: Any, rule: Any, body: Body, news: News, half_learned: bool, most: int) -> None:
    """Lower h-values that are now too high."""
    if len(borrow_field(body, "world").h):
        lower_learned(body, unlearned_yet(rule, body), news, 0 if half_learned else most)


# For an agent that knows everything, nothing is ever news.
relieve.of(Certainty)(lambda knowledge, rule, body, news, half_learned, most: None)


@compiled
def lower_learned(body: Body, nodes: Any, news: News, most: int) -> None:
    """Make h consistent again; or forget all of it, if that takes too long or is impossible."""
    certain = body.steepness > 0 and most > 0
    if certain and restore_consistency(body.world, nodes, news.states, news.count, body.steepness, most):
        body.world = rises_from_now(body.world, body.world.rises)  # from a consistent h
    else:
        body.world = without_learned(body.world)


@inlined
def follow(parts: Parts, body: Body) -> bool:
    """Decide without planning, if there is a path to follow and no news; return whether that was possible."""
    if borrow_field(body, "news").count or outdated(parts.lookahead, body) or not on_course(parts.walk, body, False):
        return False
    body.debt = 0
    choose_move(parts, body)
    return True


@inlined
def choose_move(parts: Parts, body: Body) -> None:
    """Decide where to go now. What parts from outside the library decide is checked."""
    body.decision = state_number(parts.walk, next_move(parts.walk, parts, body))
    if has_own_part(parts) and not is_possible(borrow_field(body, "world"), body.position, body.decision):
        body.stop, body.decision = ILLEGAL, NOWHERE


# ------------------------------------------------------------------ the game clock


class After(NamedTuple):
    """The result of some turns: position, decision, whether and why it has stopped; and how many turns there were."""

    position: int
    decision: int
    stop: int
    turns: int


@compiled
def turns(mind: Any, expansions: int, nanoseconds: int, virtual: int, intervals: int, walking: bool) -> After:
    """Run up to `intervals` intervals, or until the agent stops: move, observe, plan. (Only plan, if not `walking`.)

    Ctrl-C ends the planning of the current interval, and no other begins. Nor does one begin before news of moves that
    became cheaper has been processed.
    """
    body, done = mind.body, 0
    while done < intervals:
        if done and (signalled() or done % CHECK == 0) and interrupted():
            break
        done += 1
        if walking and body.stop == GOING:
            stays = body.decision == NOWHERE or body.decision == body.position
            if body.decision != NOWHERE:
                arrive(body, body.decision)
            if stays and body.intervals:
                wait(body)
        if body.stop != GOING:
            break
        if walking:
            observe(body)
        if needs_relief(body):
            done -= 1
            break  # see `process_news`
        body.intervals += 1
        body.decision, body.stepping_back = NOWHERE, False
        parts = borrow_field(mind, "parts")
        # Just following a path takes less time than reading the clock.
        if nanoseconds != NEVER or virtual != NEVER or not follow(parts, body):
            began = now()
            deadline = began + nanoseconds if nanoseconds < NEVER - began else NEVER
            decide(parts, body, Allowance(expansions, deadline, virtual))
            if body.memory_limit != NEVER and body.stop == GOING and memory_used(parts, body) > body.memory_limit:
                body.stop, body.decision = OUT_OF_MEMORY, NOWHERE
            body.thinking += now() - began
        tell(borrow_field(body, "world"), DECIDE, body.decision, body.position, body.length, 0)
    return After(body.position, body.decision, body.stop, done)


@inlined
def decide(parts: Parts, body: Body, allowance: Allowance) -> None:
    """Plan; once the goal is proved unreachable, let the retreat plan, if there is one."""
    if retreats(parts.retreat, body, allowance):
        return
    plan(parts, body, allowance)
    if body.stop == UNREACHABLE:
        begin_retreat(parts.retreat, body)


@optional
def retreats(retreat: Any, body: Body, allowance: Allowance) -> bool:
    """Let the retreat plan, if it is its turn; return whether it did."""
    return False


@optional
def takes_news(retreat: Any) -> bool:
    """Let the retreat process news, if it has begun; return whether it did."""
    return False


@optional
def begin_retreat(retreat: Any, body: Body) -> None:
    """Stop: the goal is proved unreachable."""


# ------------------------------------------------------------------ memory, and the next trial


@compiled
def memory_used(parts: Parts, body: Body) -> int:
    """Return the memory that the agent uses: its parts, and what it has learned."""
    return size_of_parts(parts, body).bytes + borrow_field(body, "world").tally[LEARNED] * body.world.h.itemsize


@inlined
def size_of_parts(parts: Parts, body: Body) -> Size:
    """Return what its parts remember."""
    search, learning = search_size(parts.lookahead, body), size(parts.learning, body)
    target, walk, retreat = size(parts.target, body), size(parts.walk, body), size(parts.retreat, body)
    return Size(
        search.bytes + learning.bytes + target.bytes + walk.bytes + retreat.bytes,
        search.states + learning.states + target.states + walk.states + retreat.states,
    )


@compiled
def costs_of(mind: Any) -> tuple[int, int, int, int]:
    """Return the bytes in use, the states in memory, the updates of h, and the sum of its rises."""
    parts, body = borrow_field(mind, "parts"), mind.body
    tally = borrow_field(body, "world").tally
    return memory_used(parts, body), size_of_parts(parts, body).states, tally[UPDATES], tally[RISES]


@compiled
def wind_up(mind: Any) -> None:
    """Abandon the running search, and learn what it teaches."""
    parts, body = borrow_field(mind, "parts"), mind.body
    give_up(parts.lookahead, parts, body)
    if body.updating != NOT_DUE:
        catch_up(parts.learning, body, UNLIMITED)
    if body.updating == BEGUN:  # after half an update, h may be inconsistent
        raise Interrupted


@compiled
def start_over(mind: Any, start: Int, rises: Any) -> None:
    """Return to the start for another trial; what was seen and learned is kept, the record starts again.

    `rises` records how much h rises from now on, if that is needed.
    """
    parts, body = borrow_field(mind, "parts"), mind.body
    wind_up(mind)
    rewind(parts.target)
    rewind(parts.retreat)
    look_back(body)
    tell(borrow_field(body, "world"), MOVE, start, body.position, 0, 0)
    begin_journey(borrow_field(body, "journey"), start)
    if at_goal(borrow_field(body, "world"), body.goal, start):
        body.stop = AT_GOAL
    body.world = new_trial(body.world, rises)
