"""Paths of earlier searches, stored as links from state to state, so that later searches need not find them again.

Multi-Path Adaptive A* (Hernández, Baier and Asín 2014): if h(s) = c(s, t) + h(t) holds for every link from a state to
the goal, and h is consistent, no path from there is cheaper. A search that is about to expand such a state is done.
That equation validates a link. So no link must be removed when a cost rises or the goal moves: useless links fail the
test. Only their costs must be kept up to date (`update_link`).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, mutable, resized
from ..core.integers import Int
from ..worlds.interface import aimed, hopeless, is_goal, touch
from ..worlds.moves import price_of
from ..worlds.reversed import turned_like
from ..worlds.wrapping import wrapping
from .consistency import full_heuristic
from .learning import learn

NO_LINK = 0
UNKNOWN, LEADS, FAILS = 0, 1, 2

# `verdict` was found in the search of that `round`: does the state lead to the goal?
LINK = np.dtype(
    [("cost", np.int64), ("state", np.int32), ("next", np.int32), ("round", np.int32), ("verdict", np.int32)]
)

Links = mutable(
    __name__,
    "Links",
    [
        "slots",  # slots[state]: the place of its link, if links[that].state is the state; reused memory
        "links",
        "count",  # of links; place 0 stays empty
        "round",  # increases with every search: earlier verdicts do not count
    ],
)


@compiled
def new_links(slots: np.ndarray) -> Any:
    """Make an empty collection of links."""
    return Links(slots, np.empty(64, LINK), 1, 0)


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


@compiled
def update_link(links: Any, world: Any, state: Int) -> bool:
    """Update the link of a state whose moves may have changed; return whether it has one."""
    place = place_of(links, state)
    if place != NO_LINK:
        link = borrow_field(links, "links")[place]
        link.cost = price_of(borrow(world), state, np.int64(link.next))
    return place != NO_LINK


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
    keep_verdict(links, state, end, verdict)
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


@compiled
def keep_verdict(links: Any, first: Int, last: Int, verdict: int) -> None:
    """Store the verdict for the states from one to the other."""
    state = first
    while True:
        place = place_of(links, state)
        if place != NO_LINK:
            link = borrow_field(links, "links")[place]
            link.round = links.round
            link.verdict = verdict
        if state == last:
            return
        state = np.int64(borrow_field(links, "links")[place].next)


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
    return Shortened(world, links, nodes, *fields_of(links))


@compiled
def fields_of(links: Any) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return slots, links, how many there are, and the number of the search."""
    return links.slots, links.links, links.count, links.round


@is_goal.of(Shortened)
def _is_goal(world: Any, state: Int) -> bool:
    # Called for every successor of every state: most have no link, and for most others the verdict is known.
    place = np.int64(world.slots[state])
    if place == NO_LINK or place >= world.size or world.known[place].state != state:
        return is_goal(world.world, state)
    link = world.known[place]
    if link.round == world.round and link.verdict != UNKNOWN:
        return bool(link.verdict == LEADS)
    return leads_to_goal(world.links, world.world, world.nodes, state)


@touch.of(Shortened)
def _touch(world: Any, state: Int, search: Int, g: int) -> None:
    touch(world.world, state, search, g)


@hopeless.of(Shortened)
def _hopeless(world: Any, state: Int) -> bool:
    return hopeless(world.world, state)


@learn.of(Shortened)
def _learn(world: Any, state: Int, value: int) -> None:
    learn(world.world, state, value)


@aimed.of(Shortened)
def _aimed(world: Any, goal: Int) -> Shortened:
    return shortened(aimed(world.world, goal), world.links, world.nodes)


@turned_like.of(Shortened)
def _shortened_like(pattern: Any, world: Any) -> Shortened:
    return shortened(world, pattern.links, pattern.nodes)
