"""Search to the end: until the path to the goal is found, over as many intervals as necessary.

A* in known terrain; Repeated A*, forward and backward; Adaptive A*, which learns from every search: whenever an
observation invalidates the path, the next search begins at the agent's position (TBAA* paper, section 3). Generalized
Adaptive A* (Sun, Koenig and Yeoh 2008) also searches when a move became cheaper; MPAA* and MPGAA* reuse paths (`mpaa`).
"""

from typing import Any, NamedTuple

from ...compiled import borrow_field, compiled
from ...compiled.clock import passed
from ...compiled.interrupts import interrupted
from ...search.best_first import best_open
from ...search.learning import own_heuristic
from ...search.paths import begin_trace
from ...search.state import FOUND, RUNNING, begin, figures, reached_by
from ...worlds import Grid
from ...worlds.interface import aimed, states_met
from ...worlds.wrapping import Reversed, turned_like
from ..body import search_on
from ..journey import NOWHERE, UNREACHABLE
from ..making import search_for
from ..parameters import Parameter, a_flag, a_word
from ..parts import Part, Setting
from ..paths import keep_path, keeps_path, take_news_of_path, take_path
from ..roles import Size, at_root, for_search, look, outdated, prepare, search_ended, search_size, take_news
from .mpaa import (
    LinkedSearch,
    NoReuse,
    begin_round,
    bytes_of_links,
    heed,
    in_doubt,
    objection_to_reuse,
    reuse_for,
    still_cheapest,
    take_links,
)

SCAN = 512  # nodes between two looks at the clock


class ToTheEnd(NamedTuple):
    """A search that lasts until it has found the goal, or all reachable states."""

    backward: bool  # search from the goal to the agent
    always: bool  # follow a cheapest path at all times, even after a move became cheaper
    reuse: Any = NoReuse()  # of earlier paths


@take_news.of(ToTheEnd)
def _take_news(lookahead: Any, parts: Any, body: Any) -> None:
    heed(lookahead.reuse, body, lookahead.always)
    if lookahead.backward and borrow_field(body, "news").relief:
        # News about a graph names the state that a move leaves; the state that it enters may already be expanded.
        body.searching = False
    take_news_of_path(body)


@outdated.of(ToTheEnd)
def _outdated(lookahead: Any, body: Any) -> bool:
    return in_doubt(lookahead.reuse)


@search_size.of(ToTheEnd)
def _search_size(lookahead: Any, body: Any) -> Size:
    return Size(figures(body.search)[3] + bytes_of_links(lookahead.reuse), body.search.reached)


@look.of(ToTheEnd)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    """Begin or continue the search for a path from here; take the path once it is found."""
    if in_doubt(lookahead.reuse):
        if still_cheapest(lookahead.reuse, body):
            return
        body.length = 0
    if not body.searching or not at_root(parts.walk, body):
        keep_path(body)
        prepare(parts.learning, body)
        begin_round(lookahead.reuse)
        begin_search(body, parts.order, lookahead.backward)
    body.length = 0
    outcome = search_on(body, for_search(parts.walk, body, allowance))
    if outcome == RUNNING:
        return
    if outcome == FOUND and keeps_path(body, body.root if lookahead.backward else best_open(body.search)):
        body.searching = False
        search_ended(parts.learning, body)
    elif find_end(body, lookahead.backward, outcome == FOUND, allowance.deadline):
        taken = take_path(body, lookahead.backward, allowance.deadline)
        if taken and outcome == FOUND:
            taken = take_links(lookahead.reuse, body, allowance.deadline)
        body.searching = not taken
        if outcome == FOUND and taken:
            search_ended(parts.learning, body)


@compiled
def begin_search(body: Any, order: Any, backward: bool) -> None:
    """Begin a search from the agent to the goal, or the other way round."""
    body.searching, body.root, body.refuge, body.progress = True, body.position, NOWHERE, 0
    body.searches += 1
    start, goal = (body.goal, body.position) if backward else (body.position, body.goal)
    begin(body.search, turned_like(body.search.world, aimed(body.world, goal)), start, order)


@compiled
def find_end(body: Any, backward: bool, found: bool, deadline: int) -> bool:
    """End the search: return whether there is a path to trace, and whether there was time to find its end."""
    search = body.search
    if search.traced:
        return True
    if found:
        end = body.root if backward else best_open(search)
    elif not body.fallback or backward:
        end = body.position  # the agent stays where it is
    elif find_refuge(body, deadline):
        end = body.refuge
    else:
        return False
    if end == body.position and not found:
        body.searching, body.stop = False, UNREACHABLE
        return False
    begin_trace(search, end)
    body.progress = 0
    return True


@compiled
def find_refuge(body: Any, deadline: int) -> bool:
    """Find the reached state with the least h, and among equals the least g.

    Return whether all have been checked; if the deadline comes first, the next call continues.
    """
    number = body.search.number
    world, nodes = borrow_field(body, "world"), borrow_field(body.search, "nodes")
    best = body.root if body.refuge == NOWHERE else body.refuge
    least_h, least_g = own_heuristic(world, best), nodes[best].g
    last = states_met(world, len(nodes))
    while body.progress < last:
        following = min(last, body.progress + SCAN)
        for state in range(body.progress, following):
            if reached_by(nodes[state], number):
                h, g = own_heuristic(world, state), nodes[state].g
                if h < least_h or (h == least_h and g < least_g):
                    best, least_h, least_g = state, h, g
        body.refuge, body.progress = best, following
        if passed(deadline) or interrupted():
            break
    return body.progress == last


def _search(setting: Setting, order: Any) -> Any:
    # Every move of a grid can be undone at the same cost: no need to compile another type of search.
    turned = setting.parameters["direction"] == "backward" and not isinstance(setting.world, Grid)
    if setting.parameters["reuse"]:
        return LinkedSearch(search_for(setting, order), setting.links)
    return search_for(setting, order, Reversed(setting.believed) if turned else None)


def _make(setting: Setting) -> ToTheEnd:
    parameters = setting.parameters
    reuse = reuse_for(setting) if parameters["reuse"] else NoReuse()
    return ToTheEnd(parameters["direction"] == "backward", parameters["replan"] == "cheaper", reuse)


def _objection(setting: Setting) -> str | None:
    if setting.parameters["reuse"]:
        return objection_to_reuse(setting)
    if setting.parameters["direction"] == "forward":
        return None
    if not setting.world.aims_anywhere:
        return f"agent {setting.name!r} searches from the goal here, which works only on grids and graphs"
    if setting.parts["learning"].when:
        return "a search from the goal learns nothing about the cost to the goal: use direction='forward'"
    return None


TO_THE_END = Part(
    "lookahead",
    "to-the-end",
    "a best-first search until the goal is found, over as many intervals as necessary",
    _make,
    {
        "direction": Parameter("forward", a_word("the direction", "forward", "backward")),
        "replan": Parameter("spoiled", a_word("replan", "spoiled", "cheaper")),
        "reuse": Parameter(False, a_flag),
    },
    memory=("nodes",),
    objection=_objection,
    search=_search,
    cheapest="at first",
    finds_refuge=lambda parameters: parameters["direction"] == "forward",
)
