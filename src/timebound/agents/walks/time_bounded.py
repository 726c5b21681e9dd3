"""Time-bounded walks: follow the path to the best open state of a search that goes on, and step back to it if need be.

In every interval the search expands some more states (`lookaheads.resumed`), the path to its best open state is traced,
and the agent makes a move along it; an agent that is not on it steps back toward the root of the search.

- TBA* (Björnsson, Bulitko and Sturtevant 2009, Algorithm 1) traces so many steps an interval; a long trace takes more.
- TBA*, RTBA* and TBAA* (Hernández, Baier, Uras and Koenig 2012, Algorithms 1 to 3) trace to the end.
- TB(WA*), TB(GBFS) and TBR(WA*) (Hernández, Baier and Asín 2016, Algorithms 4 and 5) search with weights or greedily.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined, mutable, resized
from ...integers import Int
from ...search.allowance import after, at_most, late, until
from ...search.best_first import FOUND
from ...search.clock import NEVER, now, passed
from ...search.orders import is_lower_bound
from ...search.paths import begin_trace, trace
from ...search.prices import TRACE_STEP
from ...values import whole
from ...worlds.interface import is_goal
from ...worlds.moves import IMPOSSIBLE, price_of
from ..lookaheads.resumed import give_up_search
from ..making import fraction, limit
from ..parameters import Parameter, a_count, a_flag, a_number, or_none
from ..parts import Part, Setting
from ..paths import PACE, place_on_path
from ..roles import choose, for_search, next_move, set_out
from ..walk import NOWHERE, STUCK
from .shortcut import shortcut_for, take_shortcut
from .way_back import can_move, far_from_path, off_path, way_back

TRACE_COST = 10  # by default
RESERVE = 40  # nanoseconds that a step of a trace may take, when time is set aside for it

Pursuit = mutable(
    __name__,
    "Pursuit",
    [
        "tracing",  # is a trace under way?
        "solved",  # has the path to the goal been traced?
        "found_before",  # had the search found the goal before this interval?
        "expanded",  # how many states the agent had expanded before it
        "last_trace",  # how many steps the last trace took
        "surprised",  # was anything not as the agent believed, since its search began? (If it learns: ever.)
    ],
)


class Pursue(NamedTuple):
    """Follow the best path so far."""

    restarts: bool  # search anew where no step back exists?
    most_steps_back: int  # and where the path is more steps back than this; NEVER: not then
    limited: bool  # share the budget of an interval between expansions and steps of the trace?
    ratio: tuple[int, int]  # r, as a fraction: N_E = floor(R r)
    trace_cost: int  # c: N_T = (R - N_E) c
    steady: bool  # switch only to a path whose g is at least that of the agent's own state?
    shortcut: Any  # does it look for one, once the solution is known?
    pursuit: Any


@compiled
def new_pursuit() -> Any:
    """An agent that has not begun."""
    return Pursuit(False, False, False, 0, 0, False)


# ------------------------------------------------------------------ the budget


@for_search.of(Pursue)
def _for_search(walk: Any, body: Any, allowance: Any) -> Any:
    """N_E (2009, section 3.3); for the first move no more than N_T, so that its path can be traced to the root.

    The deadline of the search leaves time for a trace like the last one, a tenth of what there is at most.
    """
    if allowance.deadline != NEVER:
        reserve = min((allowance.deadline - now()) // 10, RESERVE * (walk.pursuit.last_trace + PACE))
        allowance = until(allowance, allowance.deadline - reserve)
    if not walk.limited or allowance.expansions == NEVER:
        return allowance
    most, steps = shares(walk, allowance.expansions)
    return at_most(allowance, most if body.search.expansions else min(most, steps))


@inlined
def shares(walk: Any, expansions: int) -> tuple[int, int]:
    """N_E = floor(R r) and N_T = (R - N_E) c; one of each at least, or nothing would ever happen."""
    most = expansions * walk.ratio[0] // walk.ratio[1]
    return max(1, most), max(1, (expansions - most) * walk.trace_cost)


@inlined
def most_steps(walk: Any, expansions: int) -> int:
    """N_T; or all of the budget, if the solution had been found before this interval."""
    if not walk.limited or expansions == NEVER:
        return NEVER
    return expansions * walk.trace_cost if walk.pursuit.found_before else shares(walk, expansions)[1]


# ------------------------------------------------------------------ the path


@set_out.of(Pursue)
def _set_out(walk: Any, parts: Any, body: Any, allowance: Any) -> None:
    """Trace the path to the target and follow it; once it leads to the goal, look for a shortcut to it."""
    pursuit, traced = walk.pursuit, body.trace_steps
    if not has_solution(body, pursuit):
        if walk.limited and place_on_path(body, body.position) == body.length - 1:
            body.length = 0  # at its end, nothing is followed any more
        if not pursuit.tracing:
            begin_trace(body.search, choose(parts.target, body.search))
            pursuit.tracing, pursuit.last_trace = True, 0
        merging = merges(walk, body.search)
        if trace_on(body, pursuit, merging, most_steps(walk, allowance.expansions), allowance.deadline):
            pursuit.tracing = False
            if worth_following(walk.steady, body) and not follow_trace(body, pursuit, merging):
                give_up_search(parts, body)
    if pursuit.solved and off_path(body):
        spent = body.expansions - pursuit.expanded + -((traced - body.trace_steps) // walk.trace_cost)
        if allowance.expansions > spent and not late(allowance):
            take_shortcut(walk.shortcut, body, after(allowance, spent, 0))


@compiled
def has_solution(body: Any, pursuit: Any) -> bool:
    """Does it follow the path to the goal? Not if somebody has put it where no step back leads to that path."""
    if off_path(body) and borrow_field(body, "path")[0] != body.root:
        body.length, pursuit.solved, pursuit.tracing = 0, False, False
    return pursuit.solved


@compiled
def trace_on(body: Any, pursuit: Any, merging: bool, most: int, deadline: int) -> bool:
    """Trace the path as far as the limits allow; is that far enough?"""
    steps, done = 0, trace_is_done(body, merging)
    while not done and steps < most:
        trace(body.search, 1)
        steps += 1
        done = trace_is_done(body, merging)
        if steps % PACE == 0 and passed(deadline):
            break
    body.trace_steps += steps
    body.debt += TRACE_STEP * steps
    pursuit.last_trace += steps
    return done


@inlined
def trace_is_done(body: Any, merging: bool) -> bool:
    """Is it at the root, or at the agent; or, if paths only grow at their ends, at a state of the old path?"""
    search = body.search
    front = np.int64(borrow_field(search, "trail")[search.traced - 1])
    return front == body.root or front == body.position or (merging and place_on_path(body, front) != NOWHERE)


@inlined
def merges(walk: Any, search: Any) -> bool:
    """With A* no expanded state gets another parent, so that a path to one is the same for ever."""
    return not walk.limited and is_lower_bound(search.order)


@compiled
def worth_following(steady: bool, body: Any) -> bool:
    """The rule against indecision (2009, section 3.4): the new path reaches at least as far as the agent has come."""
    if not steady or body.length == 0:
        return True
    nodes, end = borrow_field(body.search, "nodes"), np.int64(borrow_field(body.search, "trail")[0])
    return is_goal(borrow_field(body, "world"), end) or nodes[end].g >= nodes[body.position].g


@compiled
def follow_trace(body: Any, pursuit: Any, merging: bool) -> bool:
    """Follow what was traced, from the agent, the root or the old path on; False if a cost on it has risen meanwhile."""
    search = body.search
    nodes, world, trail, count = borrow_field(search, "nodes"), borrow_field(body, "world"), search.trail, search.traced
    front = np.int64(trail[count - 1])
    first = max(0, place_on_path(body, front)) if merging else 0
    make_room(body, first + count)
    path, prices, order, before = body.path, body.prices, body.order, front
    path[first], order[front] = front, first
    for i in range(1, count):
        state = np.int64(trail[count - 1 - i])
        path[first + i] = state
        prices[first + i] = abs(nodes[state].g - nodes[before].g)
        order[state] = first + i
        if pursuit.surprised:
            price = price_of(world, before, state)
            if price == IMPOSSIBLE or price > prices[first + i]:  # 2012, Algorithm 2, line 22
                return False
        before = state
    body.length = first + count
    pursuit.solved = search.outcome == FOUND and is_goal(world, before)
    return True


@compiled
def make_room(body: Any, length: int) -> None:
    """Room for a path of so many states."""
    if length > len(body.path):
        body.path, body.prices = resized(body.path, 2 * length), resized(body.prices, 2 * length)


# ------------------------------------------------------------------ the move


@next_move.of(Pursue)
def _next_move(walk: Any, parts: Any, body: Any) -> Int:
    """Along the path, or back toward the root (2009, lines 21 to 29; 2012, Algorithm 1, lines 43 to 46)."""
    if not body.searching:
        return NOWHERE
    place = place_on_path(body, body.position)
    if place != NOWHERE and place < body.length - 1:
        return np.int64(borrow_field(body, "path")[place + 1])
    if place != NOWHERE and not walk.limited:  # the agent is at the best open state itself, which is expanded next
        return NOWHERE
    if walk.most_steps_back != NEVER and off_path(body) and far_from_path(body, walk.most_steps_back):
        give_up_search(parts, body)
        return NOWHERE
    back = way_back(body)
    if back == NOWHERE or can_move(body, back):
        body.stepping_back = body.position != body.root
        return back
    if walk.restarts or walk.pursuit.surprised:
        give_up_search(parts, body)
    else:
        body.stop = STUCK
    return NOWHERE


TRACE_RATIO = Parameter(
    None,
    or_none(
        a_number("trace_ratio is a number between 0 and 1 (or None: no limit to traces)", lambda given: 0 < given < 1)
    ),
)


def _make(setting: Setting) -> Pursue:
    parameters = setting.parameters
    return Pursue(
        parameters["restarts"],
        limit(parameters["most_steps_back"]),
        parameters["trace_ratio"] is not None,
        fraction(parameters["trace_ratio"]),
        parameters["trace_cost"] or TRACE_COST,
        parameters["steady"],
        shortcut_for(setting),
        new_pursuit(),
    )


def cannot_step_back(setting: Setting) -> str:
    """Why the agent is not for this world."""
    return (
        f"agent {setting.name!r} steps back, and moves of this world cannot be undone; take restarts=True with a "
        "learning rule, or an agent that never steps back: tbr-wastar, rtaa, lss-lrta"
    )


def _objection(setting: Setting) -> str | None:
    parameters, learns = setting.parameters, setting.parts["learning"].when
    if not setting.world.reversible and not parameters["restarts"]:
        return cannot_step_back(setting)
    if parameters["restarts"] and not learns:
        return "an agent that restarts without learning would walk in circles: give it learning='dijkstra', or restarts=False"
    if parameters["most_steps_back"] is not None and not parameters["restarts"]:
        return "most_steps_back says when to search again: it needs restarts=True"
    if parameters["trace_cost"] is not None and parameters["trace_ratio"] is None:
        return "trace_cost shares a budget between expansions and traces: it needs a trace_ratio"
    if parameters["shortcut"] and not setting.world.aims_anywhere:
        return f"agent {setting.name!r} searches from the goal here, which works on grids and graphs only"
    return None


TIME_BOUNDED = Part(
    "walk",
    "time-bounded",
    "follow the path to the best open state while the search goes on, stepping back to get there",
    _make,
    {
        "trace_ratio": TRACE_RATIO,
        "trace_cost": Parameter(None, or_none(a_count)),
        "steady": Parameter(False, a_flag),
        "shortcut": Parameter(False, a_flag),
        "restarts": Parameter(False, a_flag),
        "most_steps_back": Parameter(
            None, or_none(lambda name, value: whole(value, f"{name} is a whole number from 0", least=0))
        ),
    },
    lookaheads=("resumed",),
    needs="it walks the tree of a search that is resumed in every interval",
    objection=_objection,
    paper="Björnsson, Bulitko, Sturtevant 2009; Hernández, Baier, Asín 2016",
)
