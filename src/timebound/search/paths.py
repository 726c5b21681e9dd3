"""Trace paths from their end, parent by parent. A trace may pause after any number of steps and resume later."""

import numpy as np

from ..compiled import Interrupted, borrow_field, compiled, inlined, resized
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..worlds.interface import NO_STATE, tell
from .best_first import advance, best_open
from .budget import UNLIMITED
from .listener import TRACE
from .state import FOUND, RUNNING, SearchState


@compiled
def begin_trace(search: SearchState, end: Int) -> None:
    """Trace the path that leads to `end`."""
    borrow_field(search, "trail")[0] = end
    search.traced = 1
    tell(borrow_field(search, "world"), TRACE, end, NO_STATE, 0, 0)


@compiled
def trace(search: SearchState, steps: int) -> bool:
    """Follow the parents for at most `steps` steps; return whether the root has been reached."""
    nodes, trail, traced = borrow_field(search, "nodes"), search.trail, search.traced
    state, done = np.int64(trail[traced - 1]), False
    for _ in range(steps):
        parent = np.int64(nodes[state].parent)
        done = parent == state
        if done:
            break
        if traced == len(trail):
            trail = resized(trail, 2 * traced)
        trail[traced] = parent
        tell(borrow_field(search, "world"), TRACE, parent, state, traced, 0)
        traced += 1
        state = parent
    search.trail, search.traced = trail, traced
    return done or nodes[state].parent == state


@inlined
def first_move(search: SearchState, end: Int) -> Int:
    """Return the state after the root on the path to `end`."""
    nodes, state, parent = borrow_field(search, "nodes"), end, end
    while nodes[parent].parent != parent:
        state, parent = parent, np.int64(nodes[parent].parent)
    return state


@compiled
def traced_path(search: SearchState) -> np.ndarray:
    """Return what has been traced so far, the end of the path last."""
    path = np.empty(search.traced, np.int32)
    for i in range(len(path)):
        path[i] = borrow_field(search, "trail")[len(path) - 1 - i]
    return path


@compiled
def to_the_end(search: SearchState) -> int:
    """Search without a limit; if interrupted, raise `Interrupted`, and the next call continues."""
    outcome = advance(search, UNLIMITED)
    if outcome == RUNNING:
        raise Interrupted
    return outcome


@compiled
def solve(search: SearchState) -> tuple[bool, int, np.ndarray]:
    """Search to the end; return whether there is a path, the number of expansions, and the path."""
    if to_the_end(search) != FOUND:
        return False, search.expansions, np.empty(0, np.int32)
    begin_trace(search, best_open(search))
    trace(search, NEVER)
    return True, search.expansions, traced_path(search)
