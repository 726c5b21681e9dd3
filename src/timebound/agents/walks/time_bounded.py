"""Time-bounded walks: follow the path to the best open state of a running search, and step back to it if necessary.

In every interval the search expands some more states (`lookaheads.resumed`), the path to its best open state is traced,
and the agent makes a move along it; an agent that is not on it steps back toward the root of the search.

- TBA* (Björnsson, Bulitko and Sturtevant 2009, Algorithm 1) traces a limited number of steps per interval.
- TBA*, RTBA* and TBAA* (Hernández, Baier, Uras and Koenig 2012, Algorithms 1 to 3) trace to the end.
- TB(WA*), TB(GBFS) and TBR(WA*) (Hernández, Baier and Asín 2016, Algorithms 4 and 5) search with weights or greedily.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, inlined
from ...compiled.clock import NEVER, now
from ...core.integers import Int
from ...core.values import whole
from ...search.allowance import after, at_most, late, until
from ...search.orders import is_lower_bound
from ...search.paths import begin_trace
from ..lookaheads.resumed import give_up_search
from ..making import fraction, limit
from ..own_parts import chosen
from ..parameters import Parameter, a_count, a_flag, a_number, or_none
from ..parts import Part, Setting
from ..paths import PACE, place_on_path
from ..roles import equipped, for_search, next_move, set_out
from ..walk import NOWHERE, STUCK
from .shortcut import shortcut_for, take_shortcut
from .trace import follow_trace, has_solution, most_steps, new_pursuit, shares, trace_on, worth_following
from .way_back import can_move, far_from_path, off_path, way_back

TRACE_COST = 10  # by default
RESERVE = 40  # nanoseconds set aside for a step of a trace


class Pursue(NamedTuple):
    """Follow the best path so far."""

    restarts: bool  # search again where no step back exists?
    most_steps_back: int  # and where the path is more steps back than this; NEVER: not then
    limited: bool  # share the budget of an interval between expansions and steps of the trace?
    ratio: tuple[int, int]  # r, as a fraction: N_E = floor(R r)
    trace_cost: int  # c: N_T = (R - N_E) c
    steady: bool  # switch only to a path whose g is at least that of the agent's own state?
    shortcut: Any  # does it look for one, once the solution is known?
    pursuit: Any = None


@equipped.of(Pursue)
def _equipped(walk: Any) -> Any:
    back, budget = (walk.restarts, walk.most_steps_back), (walk.limited, walk.ratio, walk.trace_cost)
    return Pursue(*back, *budget, walk.steady, walk.shortcut, new_pursuit())


# ------------------------------------------------------------------ the budget


@for_search.of(Pursue)
def _for_search(walk: Any, body: Any, allowance: Any) -> Any:
    """Return N_E (2009, section 3.3); for the first move at most N_T, so that its path can be traced to the root.

    The deadline of the search leaves time for a trace like the last one, at most a tenth of the interval.
    """
    if allowance.deadline != NEVER:
        reserve = min((allowance.deadline - now()) // 10, RESERVE * (walk.pursuit.last_trace + PACE))
        allowance = until(allowance, allowance.deadline - reserve)
    if not walk.limited or allowance.expansions == NEVER:
        return allowance
    most, steps = shares(walk, allowance.expansions)
    return at_most(allowance, most if body.search.expansions else min(most, steps))


# ------------------------------------------------------------------ the path


@set_out.of(Pursue)
def _set_out(walk: Any, parts: Any, body: Any, allowance: Any) -> None:
    """Trace the path to the target and follow it; once it leads to the goal, look for a shortcut to it."""
    pursuit, traced = walk.pursuit, body.trace_steps
    if not has_solution(body, pursuit):
        if walk.limited and place_on_path(body, body.position) == body.length - 1:
            body.length = 0  # at its end, there is nothing left to follow
        if not pursuit.tracing:
            begin_trace(body.search, chosen(parts.target, body))
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


@inlined
def merges(walk: Any, search: Any) -> bool:
    """Do paths stay the same? With A* no expanded state gets another parent, so they do."""
    return not walk.limited and is_lower_bound(search.order)


# ------------------------------------------------------------------ the move


@next_move.of(Pursue)
def _next_move(walk: Any, parts: Any, body: Any) -> Int:
    """Move along the path, or back toward the root (2009, lines 21 to 29; 2012, Algorithm 1, lines 43 to 46)."""
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
    )


def cannot_step_back(setting: Setting) -> str:
    """Return why the agent does not support this world."""
    return (
        f"agent {setting.name!r} steps back, but moves of this world cannot be undone; use restarts=True with a "
        "learning rule, or an agent that never steps back: tbr-wastar, rtaa, lss-lrta"
    )


def _objection(setting: Setting) -> str | None:
    parameters, learns = setting.parameters, setting.parts["learning"].when
    if not setting.world.reversible and not parameters["restarts"]:
        return cannot_step_back(setting)
    if parameters["restarts"] and not learns:
        return "restarts without learning lead in circles: use learning='dijkstra', or restarts=False"
    if parameters["most_steps_back"] is not None and not parameters["restarts"]:
        return "most_steps_back says when to search again: it needs restarts=True"
    if parameters["trace_cost"] is not None and parameters["trace_ratio"] is None:
        return "trace_cost shares a budget between expansions and traces: it needs a trace_ratio"
    if parameters["shortcut"] and not setting.world.aims_anywhere:
        return f"agent {setting.name!r} searches from the goal here, which works only on grids and graphs"
    return None


TIME_BOUNDED = Part(
    "walk",
    "time-bounded",
    "follow the path to the best open state while the search continues, stepping back if necessary",
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
