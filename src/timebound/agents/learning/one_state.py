"""Mini-min (Korf 1990; kNN LRTA* paper, Figure 1, line 6): h(s) := min f(s'), only for the current state s."""

from typing import Any, NamedTuple

from ...core.integers import Int
from ...search.learning import learn
from ..parts import Part, Setting
from ..roles import search_ended, teach


class OneState(NamedTuple):
    """Raise the h of the agent's state to the least f among states that the lookahead has not expanded."""

    tag: int = 1


@teach.of(OneState)
def _teach(rule: Any, world: Any, state: Int, value: int) -> None:
    learn(world, state, value)


@search_ended.of(OneState)
def _search_ended(rule: Any, body: Any) -> None:
    return


def is_one_step(setting: Setting) -> bool:
    """Does the lookahead end at the neighbours? Deeper ones skip the states in between."""
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
    needs="a best-first search learns about all states that it expands; use learning='adaptive', 'lazy' or 'dijkstra'",
    paper="Korf 1990",
)
