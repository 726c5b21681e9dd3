"""The interface of knowledge to compiled code, and the news that observations make."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, generic, inlined, optional, resized
from ..core.integers import Int


@generic
def sense(knowledge: Any, state: Int, news: Any) -> Any:
    """Observe the truth around `state`; return the news with the states whose moves changed."""


@generic
def see(knowledge: Any, subject: Int, fact: int, news: Any) -> Any:
    """Process a reported observation; return the news with the states whose moves changed."""


@optional
def hides(knowledge: Any) -> bool:
    """Can a look around find anything that differs from the agent's assumptions?"""
    return True


@optional
def worth_a_look(knowledge: Any, state: Int) -> bool:
    """Is there anything around `state` that has not been seen yet?"""
    return True


@optional
def added_cost(knowledge: Any) -> int:
    """Return by how much risen costs can make a path without loops exceed any on the map."""
    return 0


class News(NamedTuple):
    """States whose moves changed since the agent last planned. States may occur more than once."""

    states: np.ndarray
    count: int  # type: ignore[assignment]  # a tuple's method of that name is not needed here
    relief: bool  # some move became possible or cheaper, against the freespace assumption


@inlined
def reported(news: News, state: Int, relief: bool) -> News:
    """Add `state` to the news."""
    states, count = news.states, news.count
    if count == len(states):
        states = resized(states, 2 * count)
    states[count] = state
    return News(states, count + 1, news.relief or relief)


@compiled
def without_repeats(news: News, states: int) -> News:
    """Remove duplicates from the news, if it is longer than the number of states."""
    if news.count <= states:
        return news
    met, count = np.zeros(states, np.bool_), 0
    for i in range(news.count):
        state = news.states[i]
        if not met[state]:
            met[state] = True
            news.states[count] = state
            count += 1
    return News(news.states, count, news.relief)


class Certainty(NamedTuple):
    """The knowledge of an agent that knows everything: the world is as it believes it, and nothing is ever news."""

    nothing: int  # Numba has no empty tuples


sense.of(Certainty)(lambda knowledge, state, news: news)
see.of(Certainty)(lambda knowledge, subject, fact, news: news)
