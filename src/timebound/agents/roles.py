"""The roles of an agent's parts: the functions that compiled code calls, by the type of a part.

A part is a `NamedTuple`; ``@look.of(MyLookahead)`` defines how one of that type looks ahead. The functions here are the
defaults. `interval` has the loop that calls them.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, generic, optional
from ..core.integers import Int
from ..search.best_first import best_open
from ..search.nodes import NODE
from ..search.state import costs_reached, figures
from .paths import rest_of_path, take_news_of_path
from .proof import most_cost
from .walk import DUE, UNREACHABLE

# ------------------------------------------------------------------ lookahead: how far it looks


@generic
def look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    """Look ahead within the allowance, and take the path that was found (see `paths.take_path`).

    If there is no path to the goal, set `body.stop`. A lookahead of one move may set `body.decision` instead.
    """


@optional
def take_news(lookahead: Any, parts: Any, body: Any) -> None:
    """Process observations (`body.news`): give up a path, or a search, that they invalidate."""
    take_news_of_path(body)


@optional
def outdated(lookahead: Any, body: Any) -> bool:
    """Must it look ahead again, although the agent is on its path?"""
    return False


@optional
def give_up(lookahead: Any, parts: Any, body: Any) -> None:
    """End the trial, and with it a running search."""


@optional
def path_ahead(lookahead: Any, body: Any) -> np.ndarray:
    """Return the states that the agent intends to pass, its position first; empty if it does not know yet."""
    return rest_of_path(borrow_field(body, "walk"))


@optional
def search_bytes(lookahead: Any, body: Any) -> int:
    """Return the memory of its search."""
    return figures(body.search)[3]


@optional
def search_states(lookahead: Any, body: Any) -> int:
    """Return how many states its search remembers."""
    return body.search.reached


@optional
def search_costs(lookahead: Any, body: Any) -> np.ndarray:
    """Return the cost of every state that its search has reached, -1 for the others."""
    return costs_reached(body.search)


@optional
def search_number(lookahead: Any, body: Any) -> int:
    """Return the number of its last search: no mark in its memory belongs to a later one."""
    return body.search.number


# ------------------------------------------------------------------ learning: what it learns, and when


@optional
def learns(rule: Any) -> bool:
    """Does h ever rise?"""
    return True


@optional
def circles(rule: Any, body: Any) -> bool:
    """Is it certain, at the start of a search, that the agent walks in a circle?"""
    return False


@optional
def most_overestimated(rule: Any) -> int:
    """Return how many times the true cost h may become."""
    return 1


@optional
def prepare(rule: Any, body: Any) -> None:
    """Prepare for a search that is about to begin."""


@optional
def search_ended(rule: Any, body: Any) -> None:
    """Note that a search is complete, or abandoned: its open states allow an update."""
    body.updating = DUE


@optional
def catch_up(rule: Any, body: Any, allowance: Any) -> Any:
    """Learn what is due (`body.updating`), within the allowance, before the next search; return the rest of it."""
    return allowance


@optional
def learns_first(rule: Any) -> bool:
    """Does it learn before the lookahead, and so check whether there is a path?"""
    return False


@optional
def teach(rule: Any, world: Any, state: Int, value: int) -> None:
    """Learn that `state` is at least `value` from the goal, from a lookahead without a closed list."""


@optional
def forget(rule: Any) -> None:
    """Discard postponed learning: a move became cheaper."""


@optional
def unlearned_yet(rule: Any, body: Any) -> Any:
    """Return the nodes of searches from which `touch` learns, if the rule learns that way; otherwise none."""
    return np.empty(0, NODE)


# ------------------------------------------------------------------ target: where it goes


@optional
def aim(target: Any, body: Any, allowance: Any) -> bool:
    """Choose what to look for, before the lookahead; return whether it is chosen and budget is left."""
    return True


@optional
def view(target: Any, body: Any) -> Any:
    """Return the world in which a lookahead of one move looks for the target."""
    return borrow_field(body, "world")


@optional
def view_again(target: Any, body: Any, before: Any) -> Any:
    """Return the same for a search, which keeps it; `before` is the one that it has kept."""
    return before


@optional
def depth_ahead(target: Any, body: Any) -> int:
    """Return how many moves a lookahead that is prepared for the target should look ahead."""
    return 1


@optional
def farthest(target: Any, body: Any) -> int:
    """Return a bound on h, if there is a path to the target."""
    return most_cost(body)


@optional
def missed(target: Any, body: Any) -> bool:
    """React to a lookahead of one move that finds no path; return whether to choose another target immediately."""
    body.stop = UNREACHABLE
    return False


@optional
def decided(target: Any, body: Any) -> None:
    """Note the decision of a lookahead of one move."""


@optional
def rewind(target: Any) -> None:
    """Begin another trial."""


@optional
def choose(target: Any, search: Any) -> Int:
    """Return the open state to go to."""
    return best_open(search)


@optional
def take_news_of_target(target: Any, body: Any) -> None:
    """Process observations that concern the choice of a target."""


# ------------------------------------------------------------------ walk: how it moves


@optional
def on_course(walk: Any, body: Any, clocked: bool) -> bool:
    """Does it have a path to follow, so that it need not plan?"""
    return False


@optional
def for_search(walk: Any, body: Any, allowance: Any) -> Any:
    """Return the part of the allowance that the search may spend."""
    return allowance


@optional
def at_root(walk: Any, body: Any) -> bool:
    """Is the agent where its search began, or near enough?"""
    return body.position == body.root


@generic
def next_move(walk: Any, parts: Any, body: Any) -> Int:  # type: ignore[empty-body]
    """Return where to go now, or NOWHERE."""


# ------------------------------------------------------------------ memory of parts


@optional
def bytes_used(part: Any, body: Any) -> int:
    """Return the memory of a part, besides the search and learned h-values."""
    return 0


@optional
def states_kept(part: Any, body: Any) -> int:
    """Return how many states it remembers."""
    return 0
