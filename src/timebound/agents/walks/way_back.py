"""The way back: an agent off its path steps toward the root of its search, where all paths begin."""

from typing import Any

import numpy as np

from ...compiled import borrow_field, compiled, inlined, resized
from ...core.integers import Int
from ...search.state import reached_by
from ...worlds.moves import IMPOSSIBLE, price_of
from ..paths import place_on_path
from ..walk import NOWHERE


@inlined
def off_path(body: Any) -> bool:
    """Must the agent step back before it can follow its path?"""
    return body.searching and body.length > 0 and place_on_path(body, body.position) == NOWHERE


@compiled
def far_from_path(body: Any, steps: int) -> bool:
    """Is the path more than `steps` steps back? (The root is on it, or will be.)"""
    nodes, state = borrow_field(body.search, "nodes"), body.position
    for _ in range(steps):
        if state == body.root or place_on_path(body, state) != NOWHERE:
            break
        state = np.int64(nodes[state].parent)
    return state != body.root and place_on_path(body, state) == NOWHERE


@compiled
def way_back(body: Any) -> Int:
    """Return the parent in the search tree; at its root, the agent's previous state, if it can go there; or NOWHERE."""
    if body.position == body.root:
        last = np.int64(borrow_field(body, "trail")[max(0, body.moves - 1)])
        return last if can_move(body, last) else NOWHERE
    return np.int64(borrow_field(body.search, "nodes")[body.position].parent)


@compiled
def can_step_back(body: Any) -> bool:
    """Is there a move to the parent, as far as the agent knows? (It need not step back from the root.)"""
    return body.position == body.root or can_move(body, way_back(body))


@compiled
def can_move(body: Any, state: Int) -> bool:
    """Does a move lead from the agent to `state`, as far as it knows?"""
    return price_of(borrow_field(body, "world"), body.position, state) != IMPOSSIBLE


@compiled
def way_to_go(body: Any) -> np.ndarray:
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
