"""PR LRTA* (Bulitko et al. 2007): LRTA* on an abstract map, its first move refined by A* on the real one.

As described in section 4.2 of the TBA* paper. For an abstract move from one region to the next, A* finds a path inside
these two to the middle of the next one; the agent follows it until it is in the next region. In the goal's region and
those next to it, A* searches for the goal itself.

Lookaheads of more than one move can lead LRTA* in circles without any rise of h. So when an abstract state is visited
a second time since h last rose, the agent leaves it with a lookahead of one move, which cannot cycle.

The map may have changed: if there is no path inside the corridor, or the agent is where the map was blocked, A*
searches the whole map for the goal.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, making, struct
from ...compiled.clock import NEVER, virtual_ns
from ...compiled.prices import TRACE_STEP
from ...core.integers import Int
from ...core.memory import Used, untouched
from ...search.breadth_first import look_within
from ...search.budget import Allowance, after
from ...search.learning import LEARNED, RISES, learn
from ...search.listener import SUBGOAL
from ...search.orders import Order, in_search, open_memory, order_of
from ...search.paths import begin_trace, first_move
from ...search.state import FOUND, begin, figures, new_search
from ...search.state import UNREACHABLE as EXHAUSTED
from ...search.types import NODE
from ...subgoals.abstraction import NO_REGION, Abstraction
from ...worlds.interface import NO_STATE, Corridor, aimed, tell
from ..body import Body, search_on, take_news_of_path, take_path
from ..journey import GOING, UNREACHABLE
from ..making import learned_world, search_for
from ..parameters import Parameter, a_count, a_number
from ..parts import Part, Setting
from ..roles import Parts, Size, look, outdated, search_size, take_news

# ------------------------------------------------------------------ LRTA* on the abstract map


@struct
class Overview:
    """LRTA* on the abstract map."""

    world: Any  # the abstract map, aimed at the goal's region, with what was learned
    search: Any  # for the lookaheads there
    visited: np.ndarray  # for every abstract state, the sum of all rises of h when it was last visited, plus 1
    regions: np.ndarray  # the region of every state of the map
    region: Int  # where the abstract move leads
    everywhere: bool  # does the current search cover the whole map?
    freer: bool  # has the map become freer since it was abstracted?


new_overview = making(Overview)


@compiled
def next_region(overview: Any, region: Int, most: int, order: Any, allowance: Allowance, ties: Any) -> Int:
    """Do one step of LRTA* on the abstract map: look ahead, learn, return the first move."""
    search = overview.search
    world = borrow_field(overview, "world")
    now = world.tally[RISES] + 1
    depth = 1 if overview.visited[region] == now else most
    overview.visited[region] = now
    begin(search, overview.world, region, order)
    best = look_within(search, region, depth, NEVER, allowance, ties)
    learn(world, region, best.f)
    return first_move(search, np.int64(best.state))


# ------------------------------------------------------------------ A* on the map


class Refined(NamedTuple):
    """LRTA* on an abstract map, and A* inside the corridor of its first move."""

    regions: np.ndarray  # the region of every state
    middles: np.ndarray  # for every region, the state nearest to its middle
    parts: np.ndarray  # for every region, its connected part of the map
    depth: int  # of the lookahead on the abstract map
    order: Any  # of the refining search
    abstract_order: Any
    overview: Any


@search_size.of(Refined)
def _search_size(lookahead: Refined, body: Body) -> Size:
    abstract = lookahead.overview
    learned = abstract.world.tally[LEARNED] * abstract.world.h.itemsize
    return Size(figures(body.search)[3] + figures(abstract.search)[3] + learned, body.search.reached)


@take_news.of(Refined)
def _take_news(lookahead: Refined, parts: Parts, body: Body) -> None:
    lookahead.overview.freer |= borrow_field(body, "news").relief
    take_news_of_path(body)


@outdated.of(Refined)
def _outdated(lookahead: Refined, body: Body) -> bool:
    """Has it arrived in the next region?"""
    overview, region = lookahead.overview, lookahead.regions[body.position]
    return region == overview.region != lookahead.regions[body.goal] and not overview.everywhere


@look.of(Refined)
def _look(lookahead: Refined, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Decide where to go on the abstract map, and find a path there, over several intervals if necessary."""
    overview, search = lookahead.overview, body.search
    body.length = 0
    if not body.searching or body.root != body.position:
        allowance = begin_move(lookahead, parts, body, allowance)
        if body.stop != GOING:
            return
    outcome = search_on(body, allowance)
    if outcome == EXHAUSTED and not overview.everywhere:  # the map has changed; the next interval continues
        begin_refinement(lookahead, body, NO_REGION, body.goal, True)
    elif outcome == EXHAUSTED:
        body.searching, body.stop = False, UNREACHABLE
    elif outcome == FOUND:
        begin_trace(search, search.queue.hand.state)
        body.progress, body.searching = 0, False
        take_path(body, False, NEVER)
        body.debt = TRACE_STEP * body.length


@compiled
def begin_move(lookahead: Any, parts: Parts, body: Body, allowance: Allowance) -> Any:
    """Choose the next region and begin the search for a path; return what is left of the allowance."""
    overview = lookahead.overview
    region, goal_region = np.int64(lookahead.regions[body.position]), np.int64(lookahead.regions[body.goal])
    known = region != NO_REGION and goal_region != NO_REGION
    known = known and lookahead.parts[region] == lookahead.parts[goal_region]
    if region != NO_REGION and not known and not overview.freer:
        body.searches += 1
        body.stop = UNREACHABLE
        return allowance
    overview.region = goal_region
    if known and region != goal_region:
        ties = in_search(parts.order, body.searches)
        overview.region = next_region(overview, region, lookahead.depth, lookahead.abstract_order, allowance, ties)
        spent = overview.search.expansions
        body.expansions += spent
        used = virtual_ns(spent, overview.search.generated, overview.search.queue.order)
        allowance = after(allowance, spent, used)
    target = body.goal if overview.region == goal_region else np.int64(lookahead.middles[overview.region])
    begin_refinement(lookahead, body, region, target, not known)
    return allowance


@compiled
def begin_refinement(lookahead: Any, body: Body, region: Int, target: Int, everywhere: bool) -> None:
    """Begin the search for a path to the target, from `region` into the next one, or everywhere."""
    overview = lookahead.overview
    overview.everywhere = everywhere
    body.searching, body.root = True, body.position
    body.searches += 1
    tell(borrow_field(body, "world"), SUBGOAL, target, NO_STATE, 0, 0)
    corridor = Corridor(aimed(body.world, target), overview.regions, region, overview.region, everywhere)
    begin(body.search, corridor, body.position, lookahead.order)


def _refining(setting: Setting) -> Any:
    """Return the order of the search for a path between two regions: A*."""
    return order_of(setting.world, ties=setting.parameters["ties"], seed=setting.seed)


def _make(setting: Setting) -> Refined:
    abstraction, level = Abstraction.of(setting.world), setting.parameters["level"]
    graph, regions = abstraction.graph(level), abstraction.regions(level)
    order, gamma = Order.by_cost(graph), setting.parameters["gamma"]
    abstract = graph.compiled(int(regions[setting.goal]))
    # Weighting costs by gamma is weighting h, a distance, by its inverse: the order of the sums is the same.
    abstract = abstract._replace(coordinates=abstract.coordinates / gamma, farthest=abstract.farthest / gamma)
    learned = learned_world("at once", abstract, {"h": Used(untouched(graph.states, np.int64), 0)})
    search = new_search(learned, untouched(graph.states, NODE), open_memory(), order, graph.branching, 0, False)
    return Refined(
        regions,
        abstraction.representatives(level),
        abstraction.parts(level),
        setting.parameters["depth"],
        _refining(setting),
        order,
        new_overview(learned, search, untouched(graph.states, np.int64), regions, NO_REGION, False, setting.freer),
    )


def _search(setting: Setting, order: Any) -> Any:
    regions = Abstraction.of(setting.world).regions(setting.parameters["level"])
    return search_for(setting, _refining(setting), Corridor(setting.believed, regions, NO_REGION, NO_REGION, True))


REFINED = Part(
    "lookahead",
    "refined",
    "LRTA* on an abstract map, its first move refined by A* inside the two regions that it joins",
    _make,
    {
        "level": Parameter(6, a_count),
        "depth": Parameter(10, a_count),
        "gamma": Parameter(
            1.0,
            a_number("gamma, the weight of costs relative to h on the abstract map, is from 0.01 to 1", 0.01, 1),
        ),
    },
    memory=("nodes",),
    search=_search,
    paper="Bulitko et al. 2007",
    needs_grid=True,
)
