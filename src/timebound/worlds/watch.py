"""A watch over custom worlds: whatever their functions yield must break nothing, and errors are reported in words."""

from typing import Any

import numpy as np

from ..compiled import inlined
from ..core.integers import Int
from .interface import NO_STATE

# What a watch holds: the first fault, the state and value concerned; and the current state.
FAULT, STATE, VALUE, ASKED, SUCCESSORS = 0, 1, 2, 3, 4
NONE, TOO_CHEAP, TOO_EXPENSIVE, OUTSIDE, TOO_MANY, ESTIMATE, FULL = 0, 1, 2, 3, 4, 5, 6
LARGEST = 1 << 50

REPORTS = {
    TOO_CHEAP: "successors yields a move from {state} that costs {value}; costs must not be negative",
    TOO_EXPENSIVE: "successors yields a move from {state} that costs {value}, above highest_cost={highest_cost}",
    OUTSIDE: "successors yields the state {value} from {state}; the states are 0 to {last}",
    TOO_MANY: "successors yields more than branching={value} moves from {state}; give a larger branching",
    ESTIMATE: "heuristic gives {value} at {state} or at a successor of it; it must be from 0 to 2**50",
    FULL: "more than capacity={value} states were met; give a larger capacity",
}


def new_watch() -> np.ndarray:
    """Return a watch without a fault."""
    return np.zeros(5, np.int64)


@inlined
def ask(watch: np.ndarray, state: Int) -> None:
    """Note that the successors of a state are requested."""
    watch[ASKED], watch[SUCCESSORS] = state, 0


@inlined
def fault(watch: np.ndarray, what: int, state: Int, value: Int) -> int:
    """Note a fault: from now on this world has no moves. (The search ends, and Python reports the fault.)"""
    if watch[FAULT] == NONE:
        watch[FAULT], watch[STATE], watch[VALUE] = what, state, value
    return NO_STATE


@inlined
def acceptable(world: Any, state: Int, cost: int) -> bool:
    """May a move of this cost leave the state?"""
    watch = world.watch
    watch[SUCCESSORS] += 1
    if cost < 0:
        fault(watch, TOO_CHEAP, state, np.int64(cost))
    elif cost > world.highest_cost:
        fault(watch, TOO_EXPENSIVE, state, np.int64(cost))
    elif watch[SUCCESSORS] > world.branching:
        fault(watch, TOO_MANY, state, world.branching)
    return watch[FAULT] == NONE


@inlined
def checked_estimate(watch: np.ndarray, state: Int, h: int) -> Int:
    """Return the estimate of a state, which must not be negative."""
    estimate = np.int64(h)
    if estimate < 0 or estimate >= LARGEST:
        fault(watch, ESTIMATE, state, estimate)
        return 0
    return estimate
