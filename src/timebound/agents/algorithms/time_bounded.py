"""Time-bounded agents: one search continues from interval to interval; the agent follows the path to its best state.

In every interval the search expands some more states, the path to its best open state is traced, and the agent makes a
move along it; an agent that is not on it steps back toward the root of the search, where all paths begin.

TBA*, RTBA* and TBAA* (Hernández, Baier, Uras and Koenig 2012); MoveToGoal's loop is that of all agents, `interval`:

    Algorithm 1    1-5     InitializeState(s): g            search.best_first.expand, by the number of the search
                   6-14    InitializeSearch()               begin_search
                   15-27   Search()                         search_more, with search.best_first
                   28-32   is OPEN empty? is it the goal?   search_more
                   33      path := from s_root to s_best    trace_path: trace_on, follow_trace
                   40-42   unless goalFoundFlag: Search()   _look
                   43-46   the next state, or the parent    _next_move
    Algorithm 2    5-7     InitializeState(s)               search.best_first.expand
                   8-12    StartNewSearch?()                _take_news, give_up_search
                   22      after a search                   follow_trace: has a cost on the new path risen?
                   30      after a move                     _take_news
    Algorithm 3    5-7     h := pathcost - g                search.learning: `touch` of a learned world
                   13      pathcost := the least f          give_up_search, for the learning rule `lazy`

TBA* with limited traces, its first enhancement and the rule against indecision (Björnsson, Bulitko, Sturtevant 2009):

    Algorithm 1    6-8     A* for N_E expansions            _look, shares
                   10-12   the most promising state         trace_path
                   13      traceBack for N_T steps          trace_on, most_steps
                   14-19   the new path, if it is traced    follow_trace
                   21-29   the next state, or a step back   _next_move, way_back
    Section 3.4            shortcut; indecision             take_shortcut; worth_following

TB(WA*), TB(GBFS) and TBR(WA*) (Hernández, Baier and Asín 2016). Algorithm 4 is Algorithm 1 of 2012 in another order:

    Algorithm 5    10      restart condition                _next_move: no move to the parent, or far_from_path
                   11      h := Equation 1                  give_up_search, for the learning rule `dijkstra`
                   12      InitializeSearch()               begin_search, in `_look`, once h is updated
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined, optional, resized
from ...compiled.clock import NEVER, now, passed
from ...compiled.prices import TRACE_STEP
from ...core.integers import Int
from ...core.memory import untouched
from ...search.best_first import advance, best_open
from ...search.budget import Allowance, after, at_most, late
from ...search.learning import unlearned
from ...search.listener import PATH
from ...search.open_list import NOBODY
from ...search.orders import Order, is_lower_bound, open_memory
from ...search.paths import begin_trace, trace
from ...search.state import FOUND, begin, new_search, reached_by, seed
from ...search.types import NODE
from ...worlds import Grid
from ...worlds.interface import IMPOSSIBLE, NO_STATE, Reversed, aimed, is_goal, price_of, tell, turned_like
from ..body import PACE, Body, can_move, place_on_path, proved_unreachable, search_on, spoiled
from ..journey import GOING, NOT_DUE, NOWHERE, STUCK, UNREACHABLE, forget_news
from ..making import fraction, limit, search_for
from ..parameters import Parameter, Rule, a_count, a_flag, a_number, or_none
from ..parts import WITHOUT, Part, Setting, Without, needs_any_goal
from ..roles import Parts, chosen, give_up, look, next_move, path_ahead, prepare, search_ended, take_news

TRACE_COST = 10  # by default
RESERVE = 40  # nanoseconds set aside for a step of a trace

PURSUIT = np.dtype(
    [
        ("tracing", np.bool_),  # is a trace running?
        ("solved", np.bool_),  # has the path to the goal been traced?
        ("found_before", np.bool_),  # had the search found the goal before this interval?
        ("surprised", np.bool_),  # has anything differed from its belief since its search began? (If it learns: ever?)
        ("expanded", np.int64),  # how many states the agent had expanded before this interval
        ("last_trace", np.int64),  # how many steps the last trace took
    ],
    align=True,
)


class Resumed(NamedTuple):
    """A search that is resumed in every interval."""

    tag: int = 0


class Pursue(NamedTuple):
    """Follow the best path so far."""

    restarts: bool  # search again where no step back exists?
    most_steps_back: int  # and where the path is more steps back than this; NEVER: not then
    limited: bool  # share the budget of an interval between expansions and steps of the trace?
    ratio: tuple[int, int]  # r, as a fraction: N_E = floor(R r)
    trace_cost: int  # c: N_T = (R - N_E) c
    steady: bool  # switch only to a path whose g is at least that of the agent's own state?
    learns: bool  # does h rise?
    shortcut: Any  # does it look for one, once the solution is known?
    state: np.ndarray  # one PURSUIT


@look.of(Resumed)
def _look(lookahead: Resumed, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Begin or continue the search, and trace the path to its best state."""
    pursuit = parts.walk.state[0]
    must_step_back = off_path(body) and body.position != body.root
    if pursuit.surprised and must_step_back and not can_move(body, body.position, way_back(body)):
        give_up_search(parts, body)
    pursuit.found_before, pursuit.expanded = body.searching and body.search.outcome == FOUND, body.expansions
    if body.searching and not reached_by(borrow_field(body.search, "nodes")[body.position], body.search.number):
        give_up_search(parts, body)  # the agent was put where the search has never been
    if body.updating != NOT_DUE:
        return
    if not body.searching:
        prepare(parts.learning, body)
        begin_search(body, parts.walk.state, parts.order)
        # Where no step back exists it searches again, but not forever: every time either h rises or there is news.
        pursuit.surprised = pursuit.surprised and parts.walk.learns
        if proved_unreachable(body):
            body.stop = UNREACHABLE
    if body.stop == GOING and body.search.outcome != FOUND:
        search_more(body, to_search(parts.walk, body, allowance))
    if body.stop == GOING:
        trace_path(parts, body, allowance)


# ------------------------------------------------------------------ the search


@compiled
def begin_search(body: Body, state: Any, order: Any) -> None:
    """InitializeSearch()."""
    body.searching, body.root, body.length = True, body.position, 0
    state[0].tracing = state[0].solved = False
    body.searches += 1
    begin(body.search, body.world, body.position, order)


@compiled
def search_more(body: Body, allowance: Allowance) -> None:
    """Continue the search; if no open states are left, there is no path."""
    search_on(body, allowance)
    best = best_open(body.search)
    if best == NOBODY:
        body.stop = UNREACHABLE
    elif is_goal(borrow_field(body, "world"), best):
        body.search.outcome = FOUND  # the search itself would find it when it continues


@inlined
def to_search(walk: Any, body: Body, allowance: Allowance) -> Any:
    """Return N_E (2009, section 3.3); for the first move at most N_T, so that its path can be traced to the root.

    The deadline of the search leaves time for a trace like the last one, at most a tenth of the interval.
    """
    if allowance.deadline != NEVER:
        reserve = min((allowance.deadline - now()) // 10, RESERVE * (walk.state[0].last_trace + PACE))
        allowance = Allowance(allowance.expansions, allowance.deadline - reserve, allowance.virtual)
    if not walk.limited or allowance.expansions == NEVER:
        return allowance
    most, steps = shares(walk, allowance.expansions)
    return at_most(allowance, most if body.search.expansions else min(most, steps))


@inlined
def shares(walk: Any, expansions: int) -> tuple[int, int]:
    """Return N_E = floor(R r) and N_T = (R - N_E) c; at least one of each, or nothing would ever happen."""
    most = expansions * walk.ratio[0] // walk.ratio[1]
    return max(1, most), max(1, (expansions - most) * walk.trace_cost)


@inlined
def most_steps(walk: Any, expansions: int) -> int:
    """Return N_T; or the whole budget, if the solution was found before this interval."""
    if not walk.limited or expansions == NEVER:
        return NEVER
    return expansions * walk.trace_cost if walk.state[0].found_before else shares(walk, expansions)[1]


# ------------------------------------------------------------------ a new search, and learning


@take_news.of(Resumed)
def _take_news(lookahead: Resumed, parts: Parts, body: Body) -> None:
    """StartNewSearch?(): search again if a cost on the path has risen, or a move became possible or cheaper."""
    parts.walk.state[0].surprised = True
    relief = borrow_field(body, "news").relief
    if body.searching and (relief or (body.length and spoiled(body))):
        give_up_search(parts, body)
    if relief:
        body.updating = NOT_DUE
    forget_news(borrow_field(body, "journey"))


@inlined
def give_up_search(parts: Parts, body: Body) -> None:
    """End the search; its open states raise h (2012, Algorithm 3, line 13; 2016, Algorithm 5, line 11)."""
    body.searching, body.length, parts.walk.state[0].tracing = False, 0, False
    search_ended(parts.learning, body)


@give_up.of(Resumed)
def _give_up(lookahead: Resumed, parts: Parts, body: Body) -> None:
    if body.searching:
        give_up_search(parts, body)


# ------------------------------------------------------------------ the path


@inlined
def trace_path(parts: Parts, body: Body, allowance: Allowance) -> None:
    """Trace the path to the target and follow it; once it leads to the goal, look for a shortcut to it."""
    walk, pursuit, traced = parts.walk, parts.walk.state[0], body.trace_steps
    if off_path(body) and borrow_field(body, "path")[0] != body.root:  # put where no step back leads to the path
        body.length, pursuit.solved, pursuit.tracing = 0, False, False
    if not pursuit.solved:
        if walk.limited and place_on_path(body, body.position) == body.length - 1:
            body.length = 0  # at its end, there is nothing left to follow
        if not pursuit.tracing:
            begin_trace(body.search, chosen(parts.target, body))
            pursuit.tracing, pursuit.last_trace = True, 0
        # With A* no expanded state gets another parent, so paths stay the same, and a new one may join the old.
        merging = not walk.limited and is_lower_bound(body.search.order)
        if trace_on(body, walk.state, merging, most_steps(walk, allowance.expansions), allowance.deadline):
            pursuit.tracing = False
            if worth_following(walk.steady, body) and not follow_trace(body, walk.state, merging):
                give_up_search(parts, body)
    if pursuit.solved and off_path(body):
        spent = body.expansions - pursuit.expanded + -((traced - body.trace_steps) // walk.trace_cost)
        if allowance.expansions > spent and not late(allowance):
            take_shortcut(walk.shortcut, body, after(allowance, spent, 0))


@compiled
def trace_on(body: Body, state: Any, merging: bool, most: int, deadline: int) -> bool:
    """Trace the path as far as the limits allow; return whether that is far enough."""
    steps, done = 0, trace_is_done(body, merging)
    while not done and steps < most:
        trace(body.search, 1)
        steps += 1
        done = trace_is_done(body, merging)
        if steps % PACE == 0 and passed(deadline):
            break
    body.trace_steps += steps
    body.debt += TRACE_STEP * steps
    state[0].last_trace += steps
    return done


@inlined
def trace_is_done(body: Body, merging: bool) -> bool:
    """Has it reached the root, or the agent; or, if paths only grow at their ends, a state of the old path?"""
    search = body.search
    front = np.int64(borrow_field(search, "trail")[search.traced - 1])
    return front == body.root or front == body.position or (merging and place_on_path(body, front) != NOWHERE)


@compiled
def worth_following(steady: bool, body: Body) -> bool:
    """Check the rule against indecision (2009, section 3.4): the new path reaches at least as far as the agent."""
    if not steady or body.length == 0:
        return True
    nodes, end = borrow_field(body.search, "nodes"), np.int64(borrow_field(body.search, "trail")[0])
    return is_goal(borrow_field(body, "world"), end) or nodes[end].g >= nodes[body.position].g


@compiled
def follow_trace(body: Body, pursuit: Any, merging: bool) -> bool:
    """Follow what was traced, from the agent, the root or the old path on; False if a cost on it has risen."""
    search = body.search
    nodes, world, trail, count = borrow_field(search, "nodes"), borrow_field(body, "world"), search.trail, search.traced
    front = np.int64(trail[count - 1])
    first = max(0, place_on_path(body, front)) if merging else 0
    if first + count > len(body.path):
        body.path, body.prices = resized(body.path, 2 * (first + count)), resized(body.prices, 2 * (first + count))
    path, prices, order, before = body.path, body.prices, body.order, front
    path[first], order[front] = front, first
    tell(world, PATH, front, NO_STATE, first, 0)
    for i in range(1, count):
        state = np.int64(trail[count - 1 - i])
        path[first + i] = state
        prices[first + i] = abs(nodes[state].g - nodes[before].g)
        order[state] = first + i
        tell(world, PATH, state, NO_STATE, first + i, prices[first + i])
        if pursuit[0].surprised:
            price = price_of(world, before, state)
            if price == IMPOSSIBLE or price > prices[first + i]:  # 2012, Algorithm 2, line 22
                return False
        before = state
    body.length = first + count
    pursuit[0].solved = search.outcome == FOUND and is_goal(world, before)
    return True


# ------------------------------------------------------------------ the move


@next_move.of(Pursue)
def _next_move(walk: Pursue, parts: Parts, body: Body) -> Int:
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
    if back == NOWHERE or can_move(body, body.position, back):
        body.stepping_back = body.position != body.root
        return back
    if walk.restarts or walk.state[0].surprised:
        give_up_search(parts, body)
    else:
        body.stop = STUCK
    return NOWHERE


@inlined
def off_path(body: Body) -> bool:
    """Must the agent step back before it can follow its path?"""
    return body.searching and body.length > 0 and place_on_path(body, body.position) == NOWHERE


@compiled
def far_from_path(body: Body, steps: int) -> bool:
    """Is the path more than `steps` steps back? (The root is on it, or will be.)"""
    nodes, state = borrow_field(body.search, "nodes"), body.position
    for _ in range(steps):
        if state == body.root or place_on_path(body, state) != NOWHERE:
            break
        state = np.int64(nodes[state].parent)
    return state != body.root and place_on_path(body, state) == NOWHERE


@compiled
def way_back(body: Body) -> Int:
    """Return the parent in the search tree; at its root, the agent's previous state, if it can go there; or NOWHERE."""
    if body.position == body.root:
        last = np.int64(borrow_field(body, "trail")[max(0, body.moves - 1)])
        return last if can_move(body, body.position, last) else NOWHERE
    return np.int64(borrow_field(body.search, "nodes")[body.position].parent)


@path_ahead.of(Resumed)
@compiled
def _path_ahead(lookahead: Resumed, body: Body) -> np.ndarray:
    """Return the states back to the path, if the agent is off it, and along it; empty if there is no path."""
    nodes, state, count = borrow_field(body.search, "nodes"), body.position, 0
    if off_path(body) and not reached_by(nodes[state], body.search.number):
        return np.empty(0, np.int32)  # it was put where the search has never been
    way = np.empty(64, np.int32)
    while body.length and body.searching and place_on_path(body, state) == NOWHERE and state != body.root:
        if count == len(way):
            way = resized(way, 2 * count)
        way[count] = state
        count += 1
        state = np.int64(nodes[state].parent)
    place = place_on_path(body, state)
    if place == NOWHERE or (count == 0 and place == body.length - 1):
        return np.empty(0, np.int32)
    ahead = resized(way, count + body.length - place)
    for i in range(count, len(ahead)):
        ahead[i] = borrow_field(body, "path")[place + i - count]
    return ahead


@compiled
def solution_found(body: Body) -> np.ndarray:
    """Return the path from the root of the current search to the goal; empty until it has found one."""
    search = body.search
    if not body.searching or search.outcome != FOUND:
        return np.empty(0, np.int32)
    state: Int
    goal, count = best_open(search), 1
    nodes, state = borrow_field(search, "nodes"), goal
    while state != body.root:
        state, count = np.int64(nodes[state].parent), count + 1
    path = np.empty(count, np.int32)
    state = goal
    for i in range(count):
        path[count - 1 - i] = state
        state = np.int64(nodes[state].parent)
    return path


# ------------------------------------------------------------------ a shortcut

# Section 3.4 of 2009, the first enhancement. The agent is off the path to the goal. A search from that path looks for
# the agent: its roots are the states between the goal and the point where the way back would meet the path, each with
# its distance to the goal. So it finds the shortest path to the goal, not just to the old path. It has its own nodes,
# and lasts for one interval.


class Shortcut(NamedTuple):
    """The agent looks for a shortcut."""

    search: Any
    order: Any


@optional
def take_shortcut(shortcut: Any, body: Body, allowance: Allowance) -> None:
    """Look for a shortcut, within the limits, and follow it; by default step back instead."""


@take_shortcut.of(Shortcut)
@compiled
def _look_for_shortcut(shortcut: Shortcut, body: Body, allowance: Allowance) -> None:
    detour, nodes, state = shortcut.search, borrow_field(body.search, "nodes"), body.position
    while place_on_path(body, state) == NOWHERE:
        state = np.int64(nodes[state].parent)
    meeting = place_on_path(body, state)
    begin(detour, turned_like(detour.world, aimed(unlearned(body.world), body.position)), body.goal, shortcut.order)
    g = 0
    for i in range(body.length - 2, meeting - 1, -1):
        g += body.prices[i + 1]
        seed(detour, np.int64(borrow_field(body, "path")[i]), g)
    advance(detour, allowance)
    body.searches += 1
    body.expansions += detour.expansions
    if best_open(detour) == body.position:
        follow_shortcut(body, detour)


@compiled
def follow_shortcut(body: Body, detour: Any) -> None:
    """Take the new path: from the agent to a state of the old one, and then along that."""
    begin_trace(detour, body.position)
    trace(detour, NEVER)
    way, count = detour.trail, detour.traced
    nodes, joint = borrow_field(detour, "nodes"), place_on_path(body, np.int64(way[count - 1]))
    length = count + body.length - 1 - joint
    path, prices = np.empty(2 * length, np.int32), np.empty(2 * length, np.int64)
    for i in range(length):
        path[i] = way[i] if i < count else borrow_field(body, "path")[joint + 1 + i - count]
        # Its g is the distance to the goal, even for the states that the search began with.
        prices[i] = body.prices[joint + 1 + i - count] if i >= count else nodes[way[max(0, i - 1)]].g - nodes[way[i]].g
    for i in range(length):
        body.order[path[i]] = i
        tell(borrow_field(body, "world"), PATH, np.int64(path[i]), NO_STATE, i, prices[i])
    body.path, body.prices, body.length = path, prices, length


def shortcut_for(setting: Setting) -> Without | Shortcut:
    """Make a separate search, if shortcuts are wanted."""
    if not setting.parameters["shortcut"]:
        return WITHOUT
    world, order = setting.world, Order.of(setting.world)
    # Every move of a grid can be undone at the same cost; an edge may be blocked in one direction, or cost more.
    believed = setting.believed if isinstance(world, Grid) else Reversed(setting.believed)
    most = max(world.branching, world.most_predecessors)
    search = new_search(believed, untouched(world.states, NODE), open_memory(), order, most, 0, False)
    return Shortcut(search, order)


# ------------------------------------------------------------------ the parts


RESUMED = Part(
    "lookahead",
    "resumed",
    "one best-first search that continues in every interval",
    lambda setting: Resumed(),
    memory=("nodes",),
    search=search_for,
    solution=solution_found,
)
_RATIO = "trace_ratio is a number between 0 and 1 (or None: no limit to traces)"
TRACE_RATIO = Parameter(None, or_none(a_number(_RATIO, 0, 1, "()")))


def _make(setting: Setting) -> Pursue:
    parameters = setting.parameters
    return Pursue(
        parameters["restarts"],
        limit(parameters["most_steps_back"]),
        parameters["trace_ratio"] is not None,
        fraction(parameters["trace_ratio"]),
        parameters["trace_cost"] or TRACE_COST,
        parameters["steady"],
        bool(setting.parts["learning"].when),
        shortcut_for(setting),
        np.zeros(1, PURSUIT),
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
    return needs_any_goal(setting) if parameters["shortcut"] else None


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
        "most_steps_back": Parameter(None, or_none(Rule("whole", "{} is a whole number from 0", least=0))),
    },
    lookaheads=("resumed",),
    needs="it walks the tree of a search that is resumed in every interval",
    objection=_objection,
    paper="Björnsson, Bulitko, Sturtevant 2009; Hernández, Baier, Asín 2016",
    steps_back=True,
)
