"""MPAA* and MPGAA*: a search to the end that stops early, where a path of an earlier search leads to the goal.

Hernández, Baier and Asín 2014; Hernández, Asín and Baier 2015. Paths are stored as links from state to state: if
h(s) = c(s, t) + h(t) holds for every link from a state to the goal, and h is consistent, no path from there is cheaper.
A search that is about to expand such a state is done. That equation validates a link. So no link must be removed when
a cost rises or the goal moves: useless links fail the test. Only their costs must be kept up to date (`heed_links`).

`astar` has the search itself.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, borrow_field, compiled, inlined, making, resized, struct
from ...compiled.clock import passed
from ...core.integers import Int
from ...search.budget import Allowance
from ...search.consistency import full_heuristic
from ...search.learning import learn
from ...search.listener import PATH
from ...search.state import FOUND, figures
from ...worlds.interface import NO_STATE, aimed, hopeless, is_goal, price_of, tell, touch, turned_like, wrapping
from ..body import PACE, Body, place_on_path, take_news_of_path
from ..interval import search_made
from ..journey import NOWHERE
from ..parts import Setting
from ..roles import Parts, Size, at_root, look, outdated, search_size, take_news
from .astar import SEARCHING, TAKEN, begin_anew, finish, search_on_to_the_end

NO_LINK = 0
UNKNOWN, LEADS, FAILS = 0, 1, 2

# `verdict` was found in the search of that `round`: does the state lead to the goal?
LINK = np.dtype(
    [("cost", np.int64), ("state", np.int32), ("next", np.int32), ("round", np.int32), ("verdict", np.int32)]
)
LINK_BYTES = LINK.itemsize


@struct
class Links:
    """The next state on a path, for every state that has been on one."""

    slots: np.ndarray  # slots[state]: the place of its link, if links[that].state is the state; reused memory
    links: np.ndarray
    count: Int  # of links; place 0 stays empty
    round: Int  # increases with every search: earlier verdicts do not count


new_links = making(Links)


@inlined
def place_of(links: Any, state: Int) -> Int:
    """Return the place of a state's link, or NO_LINK."""
    place = np.int64(borrow_field(links, "slots")[state])
    return place if place < links.count and borrow_field(links, "links")[place].state == state else NO_LINK


@compiled
def set_link(links: Any, state: Int, following: Int, cost: int) -> None:
    """Store the next state on the path, and the cost of the move."""
    place = place_of(links, state)
    if place == NO_LINK:
        place = links.count
        if place == len(borrow_field(links, "links")):
            links.links = resized(links.links, 2 * place)
        borrow_field(links, "links")[place].state = state
        borrow_field(links, "slots")[state] = place
        links.count = place + 1
    link = borrow_field(links, "links")[place]
    link.next = following
    link.cost = cost
    link.round = links.round
    link.verdict = UNKNOWN


@inlined
def link_of(links: Any, state: Int) -> Any:
    """Return the link of a state that has one."""
    return borrow_field(links, "links")[place_of(links, state)]


@compiled
def leads_to_goal(links: Any, world: Any, nodes: np.ndarray, state: Int) -> bool:
    """Does a cheapest path lead from that state to the goal, link by link?

    In one search every link is tested once: the verdict is remembered for all states on the way.
    """
    lent, memory, end = borrow(world), borrow(nodes), state
    verdict, h = known_verdict(links, lent, end), full_heuristic(lent, memory, end)
    while verdict == UNKNOWN:
        link = link_of(links, end)
        following = np.int64(link.next)
        rest = full_heuristic(lent, memory, following)
        # A move that costs nothing proves nothing: it could lead in a circle.
        if link.cost <= 0 or h != link.cost + rest:
            verdict = FAILS
        else:
            end, h = following, rest
            verdict = known_verdict(links, lent, end)
    place = place_of(links, state)
    while place != NO_LINK:
        link = borrow_field(links, "links")[place]
        link.round = links.round
        link.verdict = verdict
        place = NO_LINK if state == end else place_of(links, np.int64(link.next))
        state = np.int64(link.next)
    return verdict == LEADS


@inlined
def known_verdict(links: Any, world: Any, state: Int) -> int:
    """Return what is known about a state in this search: it is the goal, has no link, or was tested before."""
    if is_goal(world, state):
        return LEADS
    place = place_of(links, state)
    if place == NO_LINK:
        return FAILS
    link = borrow_field(links, "links")[place]
    return int(link.verdict) if link.round == links.round else UNKNOWN


# ------------------------------------------------------------------ the world of a search that ends at links


@wrapping
class Shortened(NamedTuple):
    """A world, with learned h, in which the goal is wherever links lead to it on a cheapest path."""

    world: Any
    links: Any
    nodes: np.ndarray  # of the search
    slots: np.ndarray  # from here on, copies of the fields of `links`, for a hot loop: no search changes them
    known: np.ndarray
    size: int
    round: int


@inlined
def shortened(world: Any, links: Any, nodes: np.ndarray) -> Shortened:
    """Return the world of the next search."""
    return Shortened(world, links, nodes, links.slots, links.links, links.count, links.round)


@is_goal.of(Shortened)
def _is_goal(world: Shortened, state: Int) -> bool:
    # Called for every successor of every state: most have no link, and for most others the verdict is known.
    place = np.int64(world.slots[state])
    if place == NO_LINK or place >= world.size or world.known[place].state != state:
        return is_goal(world.world, state)
    link = world.known[place]
    if link.round == world.round and link.verdict != UNKNOWN:
        return bool(link.verdict == LEADS)
    return leads_to_goal(world.links, world.world, world.nodes, state)


touch.of(Shortened)(lambda world, state, search, g: touch(world.world, state, search, g))
hopeless.of(Shortened)(lambda world, state: hopeless(world.world, state))
learn.of(Shortened)(lambda world, state, value: learn(world.world, state, value))
aimed.of(Shortened)(lambda world, goal: shortened(aimed(world.world, goal), world.links, world.nodes))
turned_like.of(Shortened)(lambda pattern, world: shortened(world, pattern.links, pattern.nodes))


# ------------------------------------------------------------------ the lookahead


class Reusing(NamedTuple):
    """A search to the end that keeps its paths as links."""

    always: bool  # follow a cheapest path at all times, even after a move became cheaper
    links: Any
    counts: np.ndarray  # states that links have added to the new path, links made for it; is it in doubt?


ADDED, LINKED, DOUBT = 0, 1, 2


@take_news.of(Reusing)
@compiled
def heed_links(lookahead: Reusing, parts: Parts, body: Body) -> None:
    """Update links whose moves may have changed, and start again, as the search has tested them; and doubt the path."""
    links, news, world = lookahead.links, borrow_field(body, "news"), borrow_field(body, "world")
    doubtful = news.relief
    for j in range(news.count):
        state = np.int64(news.states[j])
        doubtful = doubtful or place_on_path(body, state) != NOWHERE
        if place_of(links, state) != NO_LINK:
            link = link_of(links, state)
            link.cost = price_of(world, state, np.int64(link.next))
            body.searching = False
    if doubtful and lookahead.always:
        lookahead.counts[DOUBT] = 1
    take_news_of_path(body)


outdated.of(Reusing)(lambda lookahead, body: lookahead.counts[DOUBT] != 0)


@look.of(Reusing)
def _look(lookahead: Reusing, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Search as `astar` does, unless the path is still a cheapest one; then extend the new path along links."""
    links, counts = lookahead.links, lookahead.counts
    if counts[DOUBT]:
        counts[DOUBT] = 0
        if body.refuge == NOWHERE and place_on_path(body, body.position) != NOWHERE:
            links.round += 1
            if leads_to_goal(links, body.world, body.search.nodes, body.position):  # 2015: then no search is needed
                return
        body.length = 0
    if not body.searching or not at_root(parts.walk, body):
        links.round += 1
        counts[ADDED] = counts[LINKED] = 0
        begin_anew(parts, body, False)
    ended = search_on_to_the_end(parts, body, False, allowance)
    if ended == TAKEN and body.search.outcome == FOUND:
        complete = add_links(lookahead, body, allowance.deadline) and link_path(lookahead, body, allowance.deadline)
        body.length = body.search.traced + counts[ADDED] if complete else 0
        ended = TAKEN if complete else SEARCHING
    if ended != SEARCHING:
        finish(parts, body)


@compiled
def add_links(lookahead: Any, body: Body, deadline: int) -> bool:
    """Add states to the path until it ends at the goal; return whether there was enough time."""
    world, length = borrow_field(body, "world"), body.search.traced + lookahead.counts[ADDED]
    state: Int = np.int64(body.path[length - 1])
    while not is_goal(world, state):
        if length == len(borrow_field(body, "path")):
            body.path, body.prices = resized(body.path, 2 * length), resized(body.prices, 2 * length)
        link = link_of(lookahead.links, state)
        following, price = np.int64(link.next), link.cost
        borrow_field(body, "path")[length] = following
        borrow_field(body, "prices")[length] = price
        borrow_field(body, "order")[following] = length
        tell(world, PATH, following, NO_STATE, length, price)
        state = following
        length += 1
        lookahead.counts[ADDED] += 1
        if length % PACE == 0 and passed(deadline):
            return False
    return True


@compiled
def link_path(lookahead: Any, body: Body, deadline: int) -> bool:
    """Link the states that the search has found; the others are already linked."""
    path, prices = borrow_field(body, "path"), borrow_field(body, "prices")
    for i in range(lookahead.counts[LINKED], body.search.traced - 1):
        set_link(lookahead.links, np.int64(path[i]), np.int64(path[i + 1]), prices[i + 1])
        lookahead.counts[LINKED] += 1
        if i % PACE == 0 and passed(deadline):
            return False
    return True


@search_size.of(Reusing)
def _search_size(lookahead: Reusing, body: Body) -> Size:
    return Size(figures(body.search)[3] + lookahead.links.count * LINK_BYTES, body.search.reached)


class LinkedSearch(NamedTuple):
    """A recipe for such a search, made in compiled code: see `Recipe`."""

    recipe: Any
    links: Any


search_made.of(LinkedSearch)(lambda it, world: search_made(it.recipe, shortened(world, it.links, it.recipe.nodes)))


def reusing_for(setting: Setting, always: bool) -> Reusing:
    """Make the lookahead with its own memory."""
    if "slots" not in setting.memory:
        setting.memory["slots"] = setting.world.pool.take("slots", setting.world.states, np.int32)
    setting.links = new_links(setting.memory["slots"].array, np.zeros(64, LINK), 1, 0)
    return Reusing(always, setting.links, np.zeros(3, np.int64))


def objection_to_reuse(setting: Setting) -> str | None:
    """Reject an h that does not learn or stay consistent: the links rely on that."""
    if setting.parameters["direction"] == "backward":
        return "only forward searches reuse paths: use direction='forward'"
    if setting.parts["learning"].steepness(setting) != 1:
        return f"agent {setting.name!r} can reuse paths only with A* (weight 1) and learning that keeps h consistent"
    return None
