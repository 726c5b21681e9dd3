"""Learn nothing: h stays that of the world. An agent that then walks in a circle stops as stuck."""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import compiled
from ..parts import Part
from ..roles import circles, learns, search_ended


class Nothing(NamedTuple):
    """The rule that learns nothing."""

    beacon: np.ndarray  # see `comes_back`


@learns.of(Nothing)
def _learns(rule: Any) -> bool:
    return False


@search_ended.of(Nothing)
def _search_ended(rule: Any, body: Any) -> None:
    return


@circles.of(Nothing)
def _circles(rule: Any, body: Any) -> bool:
    return comes_back(body, rule.beacon, 0)


@compiled
def comes_back(body: Any, beacon: Any, learned: int) -> bool:
    """Is an agent where it has searched before, without news and without having `learned` anything in between?

    From there it repeats itself forever. A beacon is left where a search begins, and moved to the current
    position after 1, 2, 4, 8, ... searches (Brent's algorithm): some beacon will be on the cycle. It holds the state,
    the number of searches at that time, and how much the agent had observed and learned.
    """
    state, left, known = beacon[0], beacon[1], beacon[2]
    searches, seen = body.searches + 1, body.surprises + learned
    if searches > 1 and state == body.position and known == seen:
        return True
    if searches == 1 or searches >= 2 * left or known != seen:
        beacon[0], beacon[1], beacon[2] = body.position, searches, seen
    return False


NOTHING = Part("learning", "none", "learn nothing", lambda setting: Nothing(np.full(3, -1)), when="")
