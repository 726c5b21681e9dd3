"""What parts from outside the library decide is checked once an interval: a wrong state would be read beyond arrays.

The check is compiled only for agents with such a part.
"""

from typing import Any

import numpy as np
from numba import errors, types

from ..compiled import borrow_field, compiled, inlined, is_own
from ..compiled.backend import when_compiled
from ..core.errors import ProblemError
from ..core.integers import Int
from ..core.wording import shown
from ..search.best_first import best_open
from ..search.open_list import NOBODY
from ..search.state import reached_by
from ..worlds.moves import IMPOSSIBLE, price_of
from .roles import choose
from .walk import ILLEGAL, NOWHERE


@inlined
def has_own_part(parts: Any) -> bool:
    """Does the agent have a part from outside the library?"""
    before = is_own(parts.order) or is_own(parts.lookahead) or is_own(parts.learning)
    return before or is_own(parts.target) or is_own(parts.walk)


@compiled
def is_possible(world: Any, position: Int, decision: Int) -> bool:
    """Is it a decision to stay, or a move that the agent believes to be possible?"""
    return decision in (NOWHERE, position) or price_of(world, position, decision) != IMPOSSIBLE


@inlined
def chosen(target: Any, body: Any) -> Int:
    """Return the open state to go to. What a target from outside the library chooses is checked."""
    state = state_number(target, choose(target, body.search))
    if is_own(target) and state != NOBODY and not is_reached(body.search, state):
        body.stop = ILLEGAL
        return best_open(body.search)
    return state


@compiled
def is_reached(search: Any, state: Int) -> bool:
    """Has the search reached a state of that number?"""
    nodes = borrow_field(search, "nodes")
    return bool(0 <= state < len(nodes) and reached_by(nodes[state], search.number))


def state_number(part: Any, state: Any) -> Int:
    """Return the number of the state that a part has decided for; it must be a whole number."""
    if not isinstance(state, (int, np.integer)):
        raise ProblemError(_NOT_WHOLE.format(type(part).__name__, shown(state)))
    return state


_NOT_WHOLE = "a state is a whole number, but {} gives {}"


@when_compiled(state_number)
def _compiled_state_number(part: Any, state: Any) -> Any:
    if not isinstance(state, types.Integer):
        name = part.instance_class.__name__ if hasattr(part, "instance_class") else "a part"
        raise errors.TypingError(_NOT_WHOLE.format(name, state))
    return lambda part, state: state
