"""Mini-min (Korf 1990; kNN LRTA* paper, Figure 1, line 6): h(s) := min f(s'), of the present state s only."""

from typing import Any, NamedTuple

from ...integers import Int
from ...search.learning import learn
from ..parts import Part, Setting
from ..roles import search_ended, teach


class OneState(NamedTuple):
    """Raise the h of the state that the agent is in to the least f of what the lookahead has not expanded."""

    tag: int = 1


@teach.of(OneState)
def _teach(rule: Any, world: Any, state: Int, value: int) -> None:
    learn(world, state, value)


@search_ended.of(OneState)
def _search_ended(rule: Any, body: Any) -> None:
    return


def is_one_step(setting: Setting) -> bool:
    """Does the lookahead end with the neighbours? Farther ones leave out those in between."""
    if setting.has("lookahead", "step", "prepared"):
        return True
    return setting.parameters["depth"] == 1 and setting.parameters["cost_limit"] is None


ONE_STATE = Part(
    "learning",
    "one-state",
    "raise the h of the current state to the least f that the lookahead has seen",
    lambda setting: OneState(),
    memory=("h",),
    steepness=lambda setting: int(is_one_step(setting)),
    lookaheads=("within", "step", "prepared"),
    needs="a best-first search learns of all states that it expands; take learning='adaptive', 'lazy' or 'dijkstra'",
    paper="Korf 1990",
)
