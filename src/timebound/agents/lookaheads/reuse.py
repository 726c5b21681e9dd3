"""A complete search that ends early: where a path of an earlier search leads to the goal (MPAA*, MPGAA*).

Hernández, Baier and Asín 2014; Hernández, Asín and Baier 2015. A search without reuse is defined here too.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, optional, resized
from ...compiled.clock import passed
from ...core.integers import Int
from ...search.links import LINK, leads_to_goal, link_of, new_links, set_link, shortened, update_link
from ...search.listener import PATH
from ...worlds.interface import NO_STATE, is_goal, tell
from ..interval import search_made
from ..parts import Setting
from ..paths import PACE, place_on_path
from ..walk import NOWHERE


class NoReuse(NamedTuple):
    """No reuse: every path is found from scratch."""

    tag: int = 0


class Reuse(NamedTuple):
    """Paths are kept as links."""

    links: Any
    counts: np.ndarray  # states that links have added to the new path, links made for it; is it in doubt?


ADDED, LINKED, DOUBT = 0, 1, 2


def reuse_for(setting: Setting) -> Reuse:
    """Make the reuse with its own memory."""
    if "slots" not in setting.memory:
        setting.memory["slots"] = setting.world.pool.take("slots", setting.world.states, np.int32)
    setting.links = new_links(setting.memory["slots"].array)
    return Reuse(setting.links, np.zeros(3, np.int64))


class LinkedSearch(NamedTuple):
    """A recipe for such a search, made in compiled code: see `Recipe`."""

    recipe: Any
    links: Any


@search_made.of(LinkedSearch)
def _search_made(search: Any, world: Any) -> Any:
    recipe, links = search.recipe, search.links
    return search_made(recipe, shortened(world, links, recipe.nodes))


def objection_to_reuse(setting: Setting) -> str | None:
    """Refuse an h that does not learn or stay consistent: the links rely on that."""
    if setting.parameters["direction"] == "backward":
        return "only forward searches reuse paths: use direction='forward'"
    if setting.parts["learning"].steepness(setting) != 1:
        return f"agent {setting.name!r} can reuse paths only with A* (weight 1) and learning that keeps h consistent"
    return None


# ------------------------------------------------------------------ called by a complete search


@optional
def begin_round(reuse: Any) -> None:
    """Prepare for a search that is about to begin."""


@begin_round.of(Reuse)
def _begin_round(reuse: Any) -> None:
    reuse.links.round += 1
    reuse.counts[ADDED] = reuse.counts[LINKED] = 0


@optional
def take_links(reuse: Any, body: Any, deadline: int) -> bool:
    """Extend the path from the end of the search along links to the goal; return whether there was enough time."""
    return True


@take_links.of(Reuse)
def _take_links(reuse: Any, body: Any, deadline: int) -> bool:
    complete = add_links(reuse, body, deadline) and link_path(reuse, body, deadline)
    body.length = body.search.traced + reuse.counts[ADDED] if complete else 0
    return complete


@compiled
def add_links(reuse: Any, body: Any, deadline: int) -> bool:
    """Add states to the path until it ends at the goal."""
    world, length = borrow_field(body, "world"), body.search.traced + reuse.counts[ADDED]
    state: Int = np.int64(body.path[length - 1])
    while not is_goal(world, state):
        if length == len(borrow_field(body, "path")):
            body.path, body.prices = resized(body.path, 2 * length), resized(body.prices, 2 * length)
        link = link_of(reuse.links, state)
        following, price = np.int64(link.next), link.cost
        borrow_field(body, "path")[length] = following
        borrow_field(body, "prices")[length] = price
        borrow_field(body, "order")[following] = length
        tell(world, PATH, following, NO_STATE, length, price)
        state = following
        length += 1
        reuse.counts[ADDED] += 1
        if length % PACE == 0 and passed(deadline):
            return False
    return True


@compiled
def link_path(reuse: Any, body: Any, deadline: int) -> bool:
    """Link the states that the search has found; the others are already linked."""
    path, prices = borrow_field(body, "path"), borrow_field(body, "prices")
    for i in range(reuse.counts[LINKED], body.search.traced - 1):
        set_link(reuse.links, np.int64(path[i]), np.int64(path[i + 1]), prices[i + 1])
        reuse.counts[LINKED] += 1
        if i % PACE == 0 and passed(deadline):
            return False
    return True


@optional
def heed(reuse: Any, body: Any, always: bool) -> None:
    """Process news before the search does; the agent follows a cheapest path `always`, or for now."""
    if always and borrow_field(body, "news").relief:
        body.length = 0


@heed.of(Reuse)
def _heed(reuse: Any, body: Any, always: bool) -> None:
    heed_links(reuse, body)
    if not always:
        reuse.counts[DOUBT] = 0


@compiled
def heed_links(reuse: Any, body: Any) -> None:
    """Start again if a link that a search has tested may have changed; and doubt the path."""
    news = borrow_field(body, "news")
    doubtful = news.relief
    for j in range(news.count):
        state = np.int64(news.states[j])
        doubtful = doubtful or place_on_path(body, state) != NOWHERE
        if update_link(reuse.links, body.world, state):
            body.searching = False
    if doubtful:
        reuse.counts[DOUBT] = 1


@optional
def in_doubt(reuse: Any) -> bool:
    """Is it in doubt whether the path is still a cheapest one?"""
    return False


@in_doubt.of(Reuse)
def _in_doubt(reuse: Any) -> bool:
    return reuse.counts[DOUBT] != 0


@optional
def still_cheapest(reuse: Any, body: Any) -> bool:
    """Is the path still a cheapest one?"""
    return False


@still_cheapest.of(Reuse)
def _still_cheapest(reuse: Any, body: Any) -> bool:
    reuse.counts[DOUBT] = 0
    return path_leads_to_goal(reuse, body)


@compiled
def path_leads_to_goal(reuse: Any, body: Any) -> bool:
    """Is the agent on its path, and do the links prove that no other is cheaper? (2015: then no search is needed.)"""
    if body.refuge != NOWHERE or place_on_path(body, body.position) == NOWHERE:
        return False
    reuse.links.round += 1
    return leads_to_goal(reuse.links, body.world, body.search.nodes, body.position)


@optional
def bytes_of_links(reuse: Any) -> int:
    """Return the memory of the links."""
    return 0


@bytes_of_links.of(Reuse)
def _bytes_of_links(reuse: Any) -> int:
    return reuse.links.count * LINK_BYTES


LINK_BYTES = LINK.itemsize
