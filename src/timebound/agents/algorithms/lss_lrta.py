"""LSS-LRTA*: the lookahead of `rtaa`, with Dijkstra's rule for learning (Koenig 2004; Koenig and Sun 2009).

Algorithm 3 of the paper on time-bounded best-first search (Hernández, Baier and Asín 2016):

    3     A* for k expansions                    rtaa._look
    4     the best open state                    rtaa._look; plain.Best
    5-6   h := Equation 1 for expanded states    begin_dijkstra, advance_dijkstra
    7-8   move along the path                    plain.FollowPath

Lines 5 and 6 run when lines 06 and 07 of RTAA* do: see `rtaa`. LSS-LRTWA* searches with weighted A*, wLSS-LRTA* weights
costs in the update (Rivera, Baier and Hernández 2015). TBR(WA*) learns by the same rule (Algorithm 5, line 11).
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined, optional
from ...compiled.interrupts import cut_short
from ...compiled.prices import SUCCESSOR, UPDATE
from ...core.integers import Int
from ...core.limits import SPARE
from ...search.budget import Allowance, after
from ...search.learning import INFINITE, learn
from ...search.orders import expands_once, is_lower_bound
from ...search.state import EXPANDED, SearchState, open_states
from ...worlds.interface import NO_STATE, heuristic, number_of, predecessors, successors
from ..body import Body
from ..journey import BEGUN, DUE, NOT_DUE
from ..parameters import Parameter, up_to
from ..parts import Part, Setting
from ..roles import catch_up

# The role of a state in the update of h after search n: it was expanded and waits for its value, ...
WAITING = 2
FALLEN = 1  # which, as far as known, has just become smaller;
FRONTIER = 3  # or it was open, and the others follow from its h.
GLANCE = 16  # states between two looks at the clock
MARKING, LEARNING = -1, -2  # numbers of the first and the last pass over the expanded states


class Dijkstra(NamedTuple):
    """Dijkstra's rule: raise h as far as the search allows, over several intervals if necessary.

    h(s) := max(h(s), min w k(s, t) + h(t)) for all expanded s, over all open t, with k(s, t) the cost of a cheapest
    path from s to t through expanded states, and w the `update_weight`.

    With w = 1, h stays consistent; otherwise it is up to w times too high. Dijkstra's algorithm would take O(n log n)
    time for n expanded states; the passes made instead take O(n) each, and two or three are usual. Koenig 2004; Koenig
    and Sun 2009; Hernández, Baier and Asín 2016, Equation 1. With weights: Rivera, Baier and Hernández 2015.
    """

    weight: int = 1


@catch_up.of(Dijkstra)
@compiled
def learn_by_dijkstra(rule: Any, body: Body, allowance: Allowance) -> Any:
    """Begin or continue the update that is due, if one is; return the rest of the allowance."""
    if body.updating == NOT_DUE:
        return allowance
    if body.updating == DUE:
        begin_dijkstra(body.search, rule.weight)
    done, spent = advance_dijkstra(body.search, rule, allowance.deadline, allowance.virtual)
    body.updating = NOT_DUE if done else BEGUN
    return after(allowance, 0, spent)


@optional
def value_from(rule: Any, world: Any, state: Int, successor: Int) -> None:
    """Note that the new h of a state is now that of a successor plus the cost of the move, times the weight.

    It is called again whenever a smaller value is found. At the end, the last call for every state holds.
    """


@inlined
def begin_dijkstra(search: SearchState, weight: int) -> None:
    """Begin to raise the h of every expanded state s to the least w c(s, t) + h(t) over all open states t.

    With weight w = 1 this is Equation 1 of the time-bounded best-first search paper, the rule of LSS-LRTA*. The
    search is over after it.
    """
    consistent = is_lower_bound(search.order) and weight == 1
    if not consistent and not expands_once(search.order):  # then expanded states may be open again
        world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
        for open_state in open_states(search):
            state = np.int64(open_state)
            nodes[state].search = search.number + FRONTIER
            nodes[state].g = heuristic(world, state)
    search.sweeps, search.swept, search.falling = MARKING, 0, False


@inlined
def advance_dijkstra(search: SearchState, rule: Any, deadline: int, virtual_limit: int) -> tuple[bool, int]:
    """Continue until `deadline`, or for that many virtual nanoseconds; return whether it is done, and the cost.

    Instead of a queue, this makes passes over the expanded states, alternately from the
    last and from the first. Later states are nearer to the open ones, so most values are right after the
    first pass, nearly all after the second. From the third on, only values that have just fallen make others fall.
    """
    spent = 0
    while True:
        if search.sweeps < 0:
            spent += _mark_or_learn(search, deadline, virtual_limit - spent)
        elif search.sweeps == 0:
            spent += _draw_values(search, True, rule, deadline, virtual_limit - spent)
        elif search.sweeps == 1:
            spent += _draw_values(search, False, rule, deadline, virtual_limit - spent)
        else:
            spent += _spread_falls(search, rule, deadline, virtual_limit - spent)
        if search.swept < search.expansions:
            return False, spent
        if search.sweeps == LEARNING:
            return True, spent
        settled = search.sweeps > 0 and not search.falling
        search.sweeps, search.swept, search.falling = LEARNING if settled else search.sweeps + 1, 0, False


@inlined
def _mark_or_learn(search: SearchState, deadline: int, virtual_limit: int) -> int:
    """Make the first pass, which marks the states that wait for a value; or the last, which learns the values."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    number, marking, first, swept = search.number, search.sweeps == MARKING, search.swept, search.swept
    while swept < search.expansions:
        state = np.int64(closed[swept])
        swept += 1
        node = nodes[state]
        if marking and node.search != number + FRONTIER:
            node.search = number + WAITING
            node.g = INFINITE
        elif not marking and node.search == number + WAITING:
            node.search = number + EXPANDED  # so that it is not learned again, if it was expanded twice
            learn(world, state, min(node.g, INFINITE))  # if it has none, no open state can be reached
        if UPDATE * (swept - first) >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept = swept
    return 0 if marking else UPDATE * (swept - first)


@inlined
def _draw_values(search: SearchState, first_time: bool, rule: Any, deadline: int, virtual_limit: int) -> int:
    """Make a pass in which every expanded state takes its value from its successors; return the cost.

    The first begins with the last expanded state, and also values open states; the second begins with the first.
    """
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    number, count, first = search.number, search.expansions, search.swept
    falling, looked_at, swept, spent = search.falling, 0, first, 0
    while swept < count:
        state = np.int64(closed[count - 1 - swept if first_time else swept])
        swept += 1
        node = nodes[state]
        if node.search == number + FRONTIER:
            continue
        least = node.g
        for given, cost in successors(world, state):
            successor = number_of(world, given, state, cost)
            looked_at += 1
            if successor == NO_STATE:
                break
            following = nodes[successor]
            if first_time and following.search <= number + EXPANDED:  # it was left open
                following.search = number + FRONTIER
                following.g = heuristic(world, successor)
            if following.g + rule.weight * cost < least:
                least = following.g + rule.weight * cost
                value_from(rule, world, state, successor)
        if least < node.g:
            node.g = least
            if not first_time:
                node.search = number + FALLEN
                falling = True
        spent = SUCCESSOR * looked_at + UPDATE * (swept - first)
        if spent >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept, search.falling = swept, falling
    return spent


@inlined
def _spread_falls(search: SearchState, rule: Any, deadline: int, virtual_limit: int) -> int:
    """Make a pass in which states whose value has fallen update their predecessors; return the cost."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    number, count, first = search.number, search.expansions, search.swept
    forward, falling, looked_at, swept, spent = search.sweeps % 2 == 1, search.falling, 0, first, 0
    while swept < count:
        state = np.int64(closed[swept if forward else count - 1 - swept])
        swept += 1
        node = nodes[state]
        if node.search != number + FALLEN:
            continue
        node.search = number + WAITING
        for given, cost in predecessors(world, state):
            predecessor = number_of(world, given, state, cost)
            looked_at += 1
            if predecessor == NO_STATE:
                break
            other = nodes[predecessor]
            waits = number + FALLEN <= other.search <= number + WAITING
            if waits and node.g + rule.weight * cost < other.g:
                other.g = node.g + rule.weight * cost
                value_from(rule, world, predecessor, state)
                other.search = number + FALLEN
                falling = True
        spent = SUCCESSOR * looked_at + UPDATE * (swept - first)
        if spent >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept, search.falling = swept, falling
    return spent


def needs_predecessors(setting: Setting) -> str | None:
    """Reject worlds that cannot list them."""
    if setting.world.most_predecessors:
        return None
    return (
        f"agent {setting.name!r} learns by Dijkstra's rule, which needs the predecessors of a state: "
        "give the world `predecessors`, or reversible=True if moves can be undone; or use learning='adaptive'"
    )


def _objection(setting: Setting) -> str | None:
    weight = setting.parameters["update_weight"]
    if weight > 1 and weight * setting.world.longest >= INFINITE:
        return f"an update_weight of {weight} is too large for these costs"
    return needs_predecessors(setting)


DIJKSTRA = Part(
    "learning",
    "dijkstra",
    "h(s) := the least update_weight * c(s, t) + h(t) over all open states t, for every expanded state",
    lambda setting: Dijkstra(setting.parameters["update_weight"]),
    {"update_weight": Parameter(1, up_to(SPARE, "update_weight, the weight of costs in the update,"))},
    memory=("h",),
    steepness=lambda setting: int(setting.parameters["update_weight"]),
    most_overestimated=lambda setting: int(setting.parameters["update_weight"]),
    reads_closed=True,
    lookaheads=("local", "ahead", "safe", "to-the-end", "resumed"),
    needs="it learns from the states that a best-first search has expanded; use learning='one-state' or 'none'",
    objection=_objection,
    paper="Koenig 2004; Koenig, Sun 2009",
)
