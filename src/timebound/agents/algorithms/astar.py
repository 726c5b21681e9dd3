"""Search to the end: until the path to the goal is found, over as many intervals as necessary.

A* in known terrain; Repeated A*, forward and backward; Adaptive A*, which learns from every search: whenever an
observation invalidates the path, the next search begins at the agent's position (TBAA* paper, section 3). Generalized
Adaptive A* (Sun, Koenig and Yeoh 2008) also searches when a move became cheaper; MPAA* and MPGAA* reuse paths (`mpaa`).
"""

from typing import Any, NamedTuple

from ...compiled import borrow_field, compiled, inlined
from ...compiled.clock import passed
from ...compiled.interrupts import interrupted
from ...search.best_first import best_open
from ...search.budget import Allowance
from ...search.paths import begin_trace
from ...search.state import FOUND, RUNNING, begin, reached_by
from ...worlds import Grid
from ...worlds.interface import Reversed, aimed, heuristic, states_met, turned_like
from ..body import Body, keep_path, keeps_path, search_on, take_news_of_path, take_path
from ..journey import NOWHERE, UNREACHABLE
from ..making import search_for
from ..parameters import Parameter, a_flag, a_word
from ..parts import Part, Setting, needs_any_goal
from ..roles import Parts, at_root, for_search, look, prepare, search_ended, take_news

SCAN = 512  # nodes between two looks at the clock
SEARCHING, KEPT, TAKEN = 0, 1, 2  # and the old path is kept, or a new one taken


class ToTheEnd(NamedTuple):
    """A search that lasts until it has found the goal, or all reachable states."""

    backward: bool  # search from the goal to the agent
    always: bool  # follow a cheapest path at all times, even after a move became cheaper


@take_news.of(ToTheEnd)
def _take_news(lookahead: ToTheEnd, parts: Parts, body: Body) -> None:
    relief = borrow_field(body, "news").relief
    if lookahead.always and relief:
        body.length = 0
    if lookahead.backward and relief:
        # News about a graph names the state that a move leaves; the state that it enters may already be expanded.
        body.searching = False
    take_news_of_path(body)


@look.of(ToTheEnd)
def _look(lookahead: ToTheEnd, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Begin or continue the search for a path from here; take the path once it is found."""
    if not body.searching or not at_root(parts.walk, body):
        begin_anew(parts, body, lookahead.backward)
    if search_on_to_the_end(parts, body, lookahead.backward, allowance) != SEARCHING:
        finish(parts, body)


@inlined
def begin_anew(parts: Parts, body: Body, backward: bool) -> None:
    """Begin to search from here."""
    keep_path(body)
    prepare(parts.learning, body)
    begin_search(body, parts.order, backward)


@inlined
def search_on_to_the_end(parts: Parts, body: Body, backward: bool, allowance: Allowance) -> int:
    """Continue the search; once it is over, take its path, or keep the old one if that is as cheap."""
    body.length = 0
    outcome = search_on(body, for_search(parts.walk, body, allowance))
    if outcome == RUNNING:
        return SEARCHING
    if outcome == FOUND and keeps_path(body, body.root if backward else best_open(body.search)):
        return KEPT
    if not find_end(body, backward, outcome == FOUND, allowance.deadline):
        return SEARCHING
    return TAKEN if take_path(body, backward, allowance.deadline) else SEARCHING


@inlined
def finish(parts: Parts, body: Body) -> None:
    """End the search; learn from it if it has found the goal."""
    body.searching = False
    if body.search.outcome == FOUND:
        search_ended(parts.learning, body)


@compiled
def begin_search(body: Body, order: Any, backward: bool) -> None:
    """Begin a search from the agent to the goal, or the other way round."""
    body.searching, body.root, body.refuge, body.progress = True, body.position, NOWHERE, 0
    body.searches += 1
    start, goal = (body.goal, body.position) if backward else (body.position, body.goal)
    begin(body.search, turned_like(body.search.world, aimed(body.world, goal)), start, order)


@compiled
def find_end(body: Body, backward: bool, found: bool, deadline: int) -> bool:
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
def find_refuge(body: Body, deadline: int) -> bool:
    """Find the reached state with the least h, without learned values, and among equals the least g.

    Return whether all have been checked; if the deadline comes first, the next call continues.
    """
    number = body.search.number
    world, nodes = borrow_field(body, "world"), borrow_field(body.search, "nodes")
    best = body.root if body.refuge == NOWHERE else body.refuge
    least_h, least_g = heuristic(world.world, best), nodes[best].g
    last = states_met(world, len(nodes))
    while body.progress < last:
        following = min(last, body.progress + SCAN)
        for state in range(body.progress, following):
            if reached_by(nodes[state], number):
                h, g = heuristic(world.world, state), nodes[state].g
                if h < least_h or (h == least_h and g < least_g):
                    best, least_h, least_g = state, h, g
        body.refuge, body.progress = best, following
        if passed(deadline) or interrupted():
            break
    return body.progress == last


def _search(setting: Setting, order: Any) -> Any:
    if setting.parameters["reuse"]:
        return _mpaa().LinkedSearch(search_for(setting, order), setting.links)
    # Every move of a grid can be undone at the same cost: no need to compile another type of search.
    turned = setting.parameters["direction"] == "backward" and not isinstance(setting.world, Grid)
    return search_for(setting, order, Reversed(setting.believed) if turned else None)


def _make(setting: Setting) -> Any:
    always = setting.parameters["replan"] == "cheaper"
    if setting.parameters["reuse"]:
        return _mpaa().reusing_for(setting, always)
    return ToTheEnd(setting.parameters["direction"] == "backward", always)


def _mpaa() -> Any:
    from . import mpaa  # which knows this module

    return mpaa


def _objection(setting: Setting) -> str | None:
    if setting.parameters["reuse"]:
        return str(objection) if (objection := _mpaa().objection_to_reuse(setting)) else None
    if setting.parameters["direction"] == "forward":
        return None
    if not needs_any_goal(setting) and setting.parts["learning"].when:
        return "a search from the goal learns nothing about the cost to the goal: use direction='forward'"
    return needs_any_goal(setting)


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
