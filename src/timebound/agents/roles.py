"""The roles of an agent's parts: the functions that compiled code calls, by the type of a part.

A part is a `NamedTuple`; ``@look.of(MyLookahead)`` defines how one of that type looks ahead. The functions here are the
defaults. `interval` has the loop that calls them.

What parts from outside the library decide is checked once an interval: a wrong state would be read beyond arrays. The
checks are compiled only for agents with such a part.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import errors, types

from ..compiled import borrow_field, compiled, generic, inlined, is_own, optional
from ..compiled.backend import when_compiled
from ..core.errors import ProblemError
from ..core.integers import Int
from ..core.wording import shown
from ..search.best_first import best_open
from ..search.breadth_first import best_choice
from ..search.budget import Allowance
from ..search.open_list import NOBODY
from ..search.state import costs_reached, figures, reached_by
from ..search.types import NODE
from ..worlds.interface import IMPOSSIBLE, price_of
from .body import Body, most_cost, rest_of_path, take_news_of_path
from .journey import DUE, ILLEGAL, NOWHERE, UNREACHABLE, forget_news, one_move
from .parts import Without


class Parts(NamedTuple):
    """The parts of an agent: each has a type of its own."""

    order: Any
    lookahead: Any
    learning: Any
    target: Any
    walk: Any
    retreat: Any


# ------------------------------------------------------------------ lookahead: how far it looks


@generic
def look(lookahead: Any, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Look ahead within the allowance, and take the path that was found (see `take_path`).

    If there is no path to the goal, set `body.stop`. A lookahead of one move may set `body.decision` instead.
    """


@optional
def take_news(lookahead: Any, parts: Parts, body: Body) -> None:
    """Process observations (`body.news`): give up a path, or a search, that they invalidate."""
    _take_news(body.search, parts, body)


@optional
def outdated(lookahead: Any, body: Body) -> bool:
    """Must it look ahead again, although the agent is on its path?"""
    return False


@optional
def give_up(lookahead: Any, parts: Parts, body: Body) -> None:
    """End the trial, and with it a running search."""


@optional
def path_ahead(lookahead: Any, body: Body) -> np.ndarray:
    """Return the states that the agent intends to pass, its position first; empty if it does not know yet."""
    return _path_ahead(body.search, body)


@optional
def search_costs(lookahead: Any, body: Body) -> np.ndarray:
    """Return the cost of every state that its search has reached, -1 for the others; empty if it has no search."""
    return _search_costs(body.search)


@optional
def search_size(lookahead: Any, body: Body) -> "Size":
    """Return what its search remembers."""
    return _search_size(body.search)


# What these are by default depends on whether there is a search at all.


@optional
def _take_news(search: Any, parts: Parts, body: Body) -> None:
    take_news_of_path(body)


@_take_news.of(Without)
def take_news_of_one_move(search: Without, parts: Parts, body: Body) -> None:
    """Process observations for a lookahead of one move: there is no path that they could invalidate."""
    take_news_of_target(parts.target, body)
    forget_news(borrow_field(body, "journey"))


@optional
def _path_ahead(search: Any, body: Body) -> np.ndarray:
    return rest_of_path(borrow_field(body, "journey"))


@optional
def _search_costs(search: Any) -> np.ndarray:
    return costs_reached(search)


@optional
def _search_size(search: Any) -> "Size":
    return Size(figures(search)[3], search.reached)


@optional
def search_number(search: Any) -> int:
    """Return the number of an agent's last search: no mark in its memory belongs to a later one."""
    return search.number


_path_ahead.of(Without)(lambda search, body: one_move(borrow_field(body, "journey")))
_search_costs.of(Without)(lambda search: np.empty(0, np.int64))
_search_size.of(Without)(lambda search: Size(0, 0))
search_number.of(Without)(lambda search: 0)


# ------------------------------------------------------------------ learning: what it learns, and when


@optional
def circles(rule: Any, body: Body) -> bool:
    """Is it certain, at the start of a search, that the agent walks in a circle?"""
    return False


@optional
def prepare(rule: Any, body: Body) -> None:
    """Prepare for a search that is about to begin."""


@optional
def search_ended(rule: Any, body: Body) -> None:
    """Note that a search is complete, or abandoned: its open states allow an update."""
    body.updating = DUE


@optional
def catch_up(rule: Any, body: Body, allowance: Allowance) -> Any:
    """Learn what is due (`body.updating`), within the allowance, before the next search; return the rest of it."""
    return allowance


@optional
def teach(rule: Any, world: Any, state: Int, value: int) -> None:
    """Learn that `state` is at least `value` from the goal, from a lookahead without a closed list."""


@optional
def forget(rule: Any) -> None:
    """Discard postponed learning: a move became cheaper."""


@optional
def unlearned_yet(rule: Any, body: Body) -> Any:
    """Return the nodes of searches from which `touch` learns, if the rule learns that way; otherwise none."""
    return np.empty(0, NODE)


# ------------------------------------------------------------------ target: where it goes


@optional
def aim(target: Any, body: Body, allowance: Allowance) -> bool:
    """Choose what to look for, before the lookahead; return whether it is chosen and budget is left."""
    return True


@optional
def view(target: Any, body: Body) -> Any:
    """Return the world in which a lookahead of one move looks for the target."""
    return borrow_field(body, "world")


@optional
def farthest(target: Any, body: Body) -> int:
    """Return a bound on h, if there is a path to the target."""
    return most_cost(body)


@optional
def missed(target: Any, body: Body) -> bool:
    """React to a lookahead of one move that finds no path; return whether to choose another target immediately."""
    body.stop = UNREACHABLE
    return False


@optional
def decided(target: Any, body: Body) -> None:
    """Note the decision of a lookahead of one move."""


@optional
def rewind(target: Any) -> None:
    """Begin another trial."""


@optional
def best_neighbor(target: Any, world: Any, state: Int, ties: Any) -> Any:
    """Return the neighbour to go to, as an entry, for a lookahead of one move; its f is the least cost + h of any."""
    return best_choice(world, state, ties)[0]


@optional
def choose(target: Any, search: Any) -> Int:
    """Return the open state to go to."""
    return best_open(search)


@optional
def take_news_of_target(target: Any, body: Body) -> None:
    """Process observations that concern the choice of a target."""


# ------------------------------------------------------------------ walk: how it moves


@optional
def on_course(walk: Any, body: Body, clocked: bool) -> bool:
    """Does it have a path to follow, so that it need not plan?"""
    return False


@optional
def for_search(walk: Any, body: Body, allowance: Allowance) -> Any:
    """Return the part of the allowance that the search may spend."""
    return allowance


@optional
def at_root(walk: Any, body: Body) -> bool:
    """Is the agent where its search began, or near enough?"""
    return body.position == body.root


@generic
def next_move(walk: Any, parts: Parts, body: Body) -> Int:  # type: ignore[empty-body]
    """Return where to go now, or NOWHERE."""


@optional
def waypoint(walk: Any, body: Body) -> Int:
    """Return the state that it goes straight to: by default the next one."""
    return body.decision


# ------------------------------------------------------------------ memory of parts


class Size(NamedTuple):
    """How much a part remembers."""

    bytes: int
    states: int


@optional
def size(part: Any, body: Body) -> Size:
    """Return what a part remembers, besides the search and learned h-values."""
    return Size(0, 0)


# ------------------------------------------------------------------ checks of parts from outside the library


@inlined
def has_own_part(parts: Parts) -> bool:
    """Does the agent have a part from outside the library?"""
    before = is_own(parts.order) or is_own(parts.lookahead) or is_own(parts.learning)
    return before or is_own(parts.target) or is_own(parts.walk)


@compiled
def is_possible(world: Any, position: Int, decision: Int) -> bool:
    """Is it a decision to stay, or a move that the agent believes to be possible?"""
    return decision in (NOWHERE, position) or price_of(world, position, decision) != IMPOSSIBLE


@inlined
def chosen(target: Any, body: Body) -> Int:
    """Return the open state to go to. What a target from outside the library chooses is checked."""
    state = state_number(target, choose(target, body.search))
    if is_own(target) and state != NOBODY:
        nodes = borrow_field(body.search, "nodes")
        if not (0 <= state < len(nodes) and reached_by(nodes[state], body.search.number)):
            body.stop = ILLEGAL
            return best_open(body.search)
    return state


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
