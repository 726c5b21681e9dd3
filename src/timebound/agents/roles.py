"""What the parts of an agent do, each in its role: the functions that compiled code calls, by the type of a part.

A part is a `NamedTuple`; ``@look.of(MyLookahead)`` says how one of that type looks ahead. Whatever a part does not say
is as it is here. `interval` has the loop that calls them.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, generic, optional
from ..integers import Int
from ..search.best_first import best_open
from ..search.nodes import NODE
from ..search.state import costs_reached, figures
from .paths import rest_of_path, take_news_of_path
from .proof import most_cost
from .walk import DUE, UNREACHABLE

# ------------------------------------------------------------------ lookahead: how far it looks


@generic
def look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> bool:  # type: ignore[empty-body]
    """Look ahead within the allowance; is there something to set out for?

    If there is no way, set `body.stop`. A lookahead of one move may set `body.decision` at once.
    """


@optional
def take_news(lookahead: Any, parts: Any, body: Any) -> None:
    """Take in what was observed (`body.news`): give up a path, or a search, that is spoiled by it."""
    take_news_of_path(body)


@optional
def outdated(lookahead: Any, body: Any) -> bool:
    """Is it time to look again, although the agent is on its path?"""
    return False


@optional
def give_up(lookahead: Any, parts: Any, body: Any) -> None:
    """The trial is over, and with it a search that is under way."""


@optional
def path_ahead(lookahead: Any, body: Any) -> np.ndarray:
    """The states that the agent means to pass, its position first; empty if it does not know yet."""
    return rest_of_path(borrow_field(body, "walk"))


@optional
def search_bytes(lookahead: Any, body: Any) -> int:
    """The memory that its search takes up."""
    return figures(body.search)[3]


@optional
def search_states(lookahead: Any, body: Any) -> int:
    """How many states its search remembers."""
    return body.search.reached


@optional
def search_costs(lookahead: Any, body: Any) -> np.ndarray:
    """The cost of every state that its search has reached, -1 for the others."""
    return costs_reached(body.search)


@optional
def search_number(lookahead: Any, body: Any) -> int:
    """The number of its last search: no mark in its memory belongs to a later one."""
    return body.search.number


# ------------------------------------------------------------------ learning: what it learns, and when


@optional
def learns(rule: Any) -> bool:
    """Does h ever rise?"""
    return True


@optional
def circles(rule: Any, body: Any) -> bool:
    """Is it certain, at the beginning of a search, that the agent walks in a circle?"""
    return False


@optional
def most_overestimated(rule: Any) -> int:
    """How many times the true cost may h become?"""
    return 1


@optional
def prepare(rule: Any, body: Any) -> None:
    """A search is about to begin."""


@optional
def search_ended(rule: Any, body: Any) -> None:
    """A search has found what it was for, or is given up: what it left open will teach something."""
    body.updating = DUE


@optional
def catch_up(rule: Any, body: Any, allowance: Any) -> Any:
    """Learn what is due (`body.updating`), within the allowance, before the next search; return what is left of it."""
    return allowance


@optional
def learns_first(rule: Any) -> bool:
    """Does it learn before the lookahead, and has it asked whether there is a way?"""
    return False


@optional
def teach(rule: Any, world: Any, state: Int, value: int) -> None:
    """A lookahead that keeps no list of what it expanded found that `state` is at least `value` from the goal."""


@optional
def forget(rule: Any) -> None:
    """A move became cheaper: what waits to be learned is void."""


@optional
def unlearned_yet(rule: Any, body: Any) -> Any:
    """The nodes of searches from which `touch` will learn, if that is how it learns; else none."""
    return np.empty(0, NODE)


# ------------------------------------------------------------------ target: where it goes


@optional
def aim(target: Any, body: Any, allowance: Any) -> bool:
    """Choose what to look for, before the lookahead; is it chosen, and anything left to spend?"""
    return True


@optional
def view(target: Any, body: Any) -> Any:
    """The world in which a lookahead of one move looks for the target."""
    return borrow_field(body, "world")


@optional
def view_again(target: Any, body: Any, before: Any) -> Any:
    """The same, for a search, which keeps it; `before` is the one that it has kept."""
    return before


@optional
def depth_ahead(target: Any, body: Any) -> int:
    """How many moves a lookahead that was prepared for the target should look ahead."""
    return 1


@optional
def farthest(target: Any, body: Any) -> int:
    """No h is larger if there is a way to the target."""
    return most_cost(body)


@optional
def missed(target: Any, body: Any) -> bool:
    """A lookahead of one move says that there is no way to the target; is another one to be looked for at once?"""
    body.stop = UNREACHABLE
    return False


@optional
def decided(target: Any, body: Any) -> None:
    """A lookahead of one move has decided."""


@optional
def rewind(target: Any) -> None:
    """Another trial begins."""


@optional
def choose(target: Any, search: Any) -> Int:
    """Of all open states the one to go to."""
    return best_open(search)


@optional
def take_news_of_target(target: Any, body: Any) -> None:
    """What was observed may concern the choice of a target as well."""


# ------------------------------------------------------------------ walk: how it moves


@optional
def on_course(walk: Any, body: Any, clocked: bool) -> bool:
    """Has it a path to follow, so that it need not plan?"""
    return False


@optional
def for_search(walk: Any, body: Any, allowance: Any) -> Any:
    """What part of the allowance the search may spend."""
    return allowance


@optional
def at_root(walk: Any, body: Any) -> bool:
    """Is the agent where its search began, or near enough?"""
    return body.position == body.root


@optional
def set_out(walk: Any, parts: Any, body: Any, allowance: Any) -> None:
    """The lookahead has found something: what path follows from it?"""


@generic
def next_move(walk: Any, parts: Any, body: Any) -> Int:  # type: ignore[empty-body]
    """Where to go now, or NOWHERE."""


# ------------------------------------------------------------------ what the other parts have, and take up


@optional
def equipped(part: Any) -> Any:
    """The part with its memory, if that is a struct. (To hand one over from Python, in a tuple, takes 80 us.)"""
    return part


@optional
def bytes_used(part: Any, body: Any) -> int:
    """The memory that a part takes up, beside the search and learned values of h."""
    return 0


@optional
def states_kept(part: Any, body: Any) -> int:
    """How many states it remembers."""
    return 0
