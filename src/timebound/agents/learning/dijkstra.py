"""Dijkstra's rule (LSS-LRTA*: Koenig 2004; TB(BFS) paper, Equation 1): h(s) := min w c(s, t) + h(t), t open.

It raises h as far as the search allows, so that h of the expanded states is consistent with that of the open ones. With
a weight w > 1 it is the update of wLSS-LRTA* (Rivera, Baier and Hernández 2015): h is up to w times too high. It takes
two or three passes over the expanded states; see `search.updates`.
"""

from typing import Any, NamedTuple

from ...compiled import compiled
from ...core.limits import SPARE
from ...search.allowance import after
from ...search.learning import INFINITE
from ...search.updates import advance_dijkstra, begin_dijkstra
from ..parameters import Parameter, up_to
from ..parts import Part, Setting
from ..roles import catch_up, most_overestimated
from ..walk import BEGUN, DUE, NOT_DUE


class Dijkstra(NamedTuple):
    """Raise h by Dijkstra's algorithm, over several intervals if necessary."""

    weight: int = 1


@most_overestimated.of(Dijkstra)
def _most_overestimated(rule: Any) -> int:
    return rule.weight


@catch_up.of(Dijkstra)
def _catch_up(rule: Any, body: Any, allowance: Any) -> Any:
    return sweep_on(body, rule.weight, allowance) if body.updating != NOT_DUE else allowance


@compiled
def sweep_on(body: Any, weight: int, allowance: Any) -> Any:
    """Begin or continue the update."""
    if body.updating == DUE:
        begin_dijkstra(body.search, weight)
    done, spent = advance_dijkstra(body.search, weight, allowance.deadline, allowance.virtual)
    body.updating = NOT_DUE if done else BEGUN
    return after(allowance, 0, spent)


def _objection(setting: Setting) -> str | None:
    world, weight = setting.world, setting.parameters["update_weight"]
    if not world.most_predecessors:
        return (
            f"agent {setting.name!r} learns by Dijkstra's rule, which needs the predecessors of a state: "
            "give the world `predecessors`, or reversible=True if moves can be undone; or use learning='adaptive'"
        )
    if weight > 1 and weight * world.longest >= INFINITE:
        return f"an update_weight of {weight} is too large for these costs"
    return None


DIJKSTRA = Part(
    "learning",
    "dijkstra",
    "h(s) := the least update_weight * c(s, t) + h(t) over all open states t, for every expanded state",
    lambda setting: Dijkstra(setting.parameters["update_weight"]),
    {"update_weight": Parameter(1, up_to(SPARE, "update_weight, the weight of costs in the update,"))},
    memory=("h",),
    steepness=lambda setting: int(setting.parameters["update_weight"]),
    reads_closed=True,
    lookaheads=("local", "to-the-end", "resumed"),
    needs="it learns from the states that a best-first search has expanded; use learning='one-state' or 'none'",
    objection=_objection,
    paper="Koenig 2004; Koenig, Sun 2009",
)
