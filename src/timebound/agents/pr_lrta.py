"""PR LRTA* (Bulitko et al. 2007): LRTA* on an abstract map, its first move refined by A* on the real one.

As section 4.2 of the TBA* paper describes it. Where the abstract move leads from one region to the next, A* finds a
path inside these two to the middle of the next one; the agent follows it until it is there in the next region. In the
regions beside and around the goal, A* goes for the goal itself.

Lookaheads of more than one move can lead LRTA* in circles without any h rising. So an abstract state that is visited a
second time since h last rose is left by a lookahead of one move, which cannot. And the map may have changed: where
there is no path inside the corridor, or the agent is where the map was blocked, A* searches the whole map for the goal.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, mutable
from ..integers import Int
from ..search.best_first import FOUND, advance, begin, figures
from ..search.best_first import UNREACHABLE as EXHAUSTED
from ..search.breadth_first import look_within
from ..search.clock import NEVER, virtual_ns
from ..search.learning import LEARNED, RISES, learn
from ..search.listener import SUBGOAL
from ..search.paths import begin_trace
from ..search.prices import TRACE_STEP
from ..subgoals.abstraction import NO_REGION
from ..worlds.corridor import Corridor
from ..worlds.interface import NO_STATE, aimed, tell
from .body import GOING, NOWHERE, UNREACHABLE, bytes_used, decide, path_ahead
from .paths import place_on_path, rest_of_path, take_news, take_path

Overview = mutable(
    __name__,
    "Overview",
    [
        "world",  # the abstract map, aimed at the goal's region, with what was learned
        "search",  # of the lookaheads there
        "visited",  # for every abstract state the sum of all rises of h when it was last visited, plus 1
        "regions",  # of every state of the map
        "region",  # where the abstract move leads
        "everywhere",  # is the present search one of the whole map?
        "freer",  # has the map become freer than it was when it was abstracted?
    ],
)


class PrLrta(NamedTuple):
    """How PR LRTA* decides."""

    regions: np.ndarray  # of every state
    middles: np.ndarray  # of every region the state nearest to its middle
    parts: np.ndarray  # of every region the connected part of the map
    depth: int  # of the lookahead on the abstract map
    shift: int  # of the open list's buckets
    abstract_shift: int
    overview: Any


@compiled
def new_overview(world: Any, search: Any, visited: np.ndarray, regions: np.ndarray) -> Any:
    """Of an agent that has not begun."""
    return Overview(world, search, visited, regions, NO_REGION, False, False)


@path_ahead.of(PrLrta)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return rest_of_path(borrow_field(body, "walk"))


@bytes_used.of(PrLrta)
def _bytes_used(control: Any, body: Any) -> int:
    abstract = control.overview
    learned = abstract.world.tally[LEARNED] * abstract.world.h.itemsize
    return figures(body.search)[3] + figures(abstract.search)[3] + learned


@decide.of(PrLrta)
def follow(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Follow the path into the next region; there, or where there is no path, think again."""
    overview = control.overview
    if virtual != NEVER:
        virtual, body.debt = max(1, virtual - body.debt), 0
    if borrow_field(body, "news").count:
        overview.freer |= borrow_field(body, "news").relief
        take_news(body)
    region, goal_region = control.regions[body.position], control.regions[body.goal]
    arrived = region == overview.region != goal_region and not overview.everywhere
    if arrived or place_on_path(body, body.position) == NOWHERE:
        search_on(control, body, expansions, deadline, virtual)
    place = place_on_path(body, body.position)
    if body.stop == GOING and place != NOWHERE:
        body.decision = np.int64(borrow_field(body, "path")[place + 1])


@compiled
def search_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Decide where to go on the abstract map, and find the way there, over several intervals if need be."""
    overview, search, spent = control.overview, body.search, 0
    body.length = 0
    if not body.searching or body.root != body.position:
        spent, virtual = begin_move(control, body, expansions, deadline, virtual)
        if body.stop != GOING:
            return
    done = search.expansions
    outcome = advance(search, expansions - spent, deadline, virtual)
    body.expansions += search.expansions - done
    if outcome == EXHAUSTED and not overview.everywhere:  # the map has changed; the next interval goes on
        begin_refinement(control, body, NO_REGION, body.goal, True)
    elif outcome == EXHAUSTED:
        body.searching, body.stop = False, UNREACHABLE
    elif outcome == FOUND:
        begin_trace(search, search.queue.hand.state)
        body.progress, body.searching = 0, False
        take_path(body, False, NEVER)
        body.debt = TRACE_STEP * body.length


@compiled
def begin_move(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> tuple[int, int]:
    """Choose the next region and begin the search for a way; return the expansions spent and the virtual time left."""
    overview, spent = control.overview, 0
    region, goal_region = np.int64(control.regions[body.position]), np.int64(control.regions[body.goal])
    known = region != NO_REGION and control.parts[region] == control.parts[goal_region]
    if region != NO_REGION and not known and not overview.freer:
        body.searches += 1
        body.stop = UNREACHABLE
        return 0, virtual
    overview.region = goal_region
    if known and region != goal_region:
        overview.region = next_region(control, overview, region, expansions, deadline, virtual)
        spent = overview.search.expansions
        body.expansions += spent
        if virtual != NEVER:
            used = virtual_ns(spent, overview.search.generated, overview.search.queue.order)
            virtual = max(1, virtual - used)
    target = body.goal if overview.region == goal_region else np.int64(control.middles[overview.region])
    begin_refinement(control, body, region, target, not known)
    return spent, virtual


@compiled
def begin_refinement(control: Any, body: Any, region: Int, target: Int, everywhere: bool) -> None:
    """Begin the search for a path to the target, from `region` into the next one, or everywhere."""
    overview = control.overview
    overview.everywhere = everywhere
    body.searching, body.root = True, body.position
    body.searches += 1
    tell(borrow_field(body, "world"), SUBGOAL, target, NO_STATE, 0, 0)
    corridor = Corridor(aimed(body.world, target), overview.regions, region, overview.region, everywhere)
    begin(body.search, corridor, body.position, 1, 1, False, control.shift)


@compiled
def next_region(control: Any, overview: Any, region: Int, expansions: int, deadline: int, virtual: int) -> Int:
    """One step of LRTA* on the abstract map: look ahead, learn, return the first move."""
    search = overview.search
    world = borrow_field(overview, "world")
    now = world.tally[RISES] + 1
    depth = 1 if overview.visited[region] == now else control.depth
    overview.visited[region] = now
    begin(search, overview.world, region, 1, 0, False, control.abstract_shift)
    best = look_within(search, region, depth, NEVER, expansions, deadline, virtual)
    learn(world, region, best.f)
    following = np.int64(best.state)
    nodes = borrow_field(search, "nodes")
    while nodes[following].parent != region:
        following = np.int64(nodes[following].parent)
    return following
