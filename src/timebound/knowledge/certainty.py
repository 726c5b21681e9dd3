"""The knowledge of an agent that knows everything."""

from typing import NamedTuple

from .interface import see, sense


class Certainty(NamedTuple):
    """The world is as the agent believes it: nothing is ever news."""

    nothing: int  # Numba has no empty tuples


sense.of(Certainty)(lambda knowledge, state, news: news)
see.of(Certainty)(lambda knowledge, subject, fact, news: news)
