"""Which regions an agent of D LRTA* has passed through, and whether it is lost (see `regions`)."""

from typing import Any

import numpy as np

from ...compiled import compiled, mutable

_UNSETTLED = -2  # no region yet

Itinerary = mutable(
    __name__,
    "Itinerary",
    [
        "region",  # whose subgoal the agent pursues
        "taken",  # for every region, the total rise of h when its subgoal was last taken, plus 1
        "lost",
        "freer",  # has the map become freer since the subgoals were prepared?
    ],
)


@compiled
def new_itinerary(taken: np.ndarray, freer: bool) -> Any:
    """Make the target of an agent that has not begun."""
    return Itinerary(_UNSETTLED, taken, False, freer)


@compiled
def begin_again(itinerary: Any) -> None:
    """Forget which subgoals were taken."""
    itinerary.region, itinerary.lost = _UNSETTLED, False
    itinerary.taken[:] = 0
