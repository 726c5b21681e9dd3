"""Orders of best-first search: A*, weighted A*, greedy (see `search.orders`); and none, for other lookaheads."""

from typing import NamedTuple

from ..core.values import checked_weight
from ..search.orders import Order, RandomTies, order_of
from ..search.ties import AnyOfEquals
from .parameters import Parameter, a_flag, a_word, or_none
from .parts import Part, Setting

SEARCHES = ("local", "to-the-end", "resumed")
_EXACT = ("adaptive", "lazy")  # learning rules that need exact g-values of expanded states


class NoOrder(NamedTuple):
    """No order: there is nothing to order."""

    tag: int = 0


def _weighted(setting: Setting) -> Order | RandomTies:
    reopen = bool(setting.parameters["reopen"]) or setting.has("learning", *_EXACT)
    weight, ties = setting.parameters["weight"], setting.parameters["ties"]
    return order_of(setting.world, weight, reopen=reopen, ties=ties, seed=setting.seed)


_TIES = Parameter("fixed", a_word("ties", "fixed", "random"))


def _needs_reopening(setting: Setting) -> str | None:
    weight, reopen = setting.parameters["weight"], setting.parameters["reopen"]
    if weight > 1 and reopen is False and setting.has("learning", *_EXACT):
        return f"learning {setting.parts['learning'].name!r} needs reopened states: leave out reopen=False"
    return None


WEIGHTED = Part(
    "order",
    "weighted",
    "f = g + weight * h: A* with a weight of 1; paths cost at most `weight` times the optimum",
    _weighted,
    {
        "weight": Parameter(1.0, lambda name, value: checked_weight(value)),
        "reopen": Parameter(None, or_none(a_flag)),
        "ties": _TIES,
    },
    lookaheads=(*SEARCHES, "retrieving"),
    needs="only a best-first search has an order; use order='none'",
    objection=_needs_reopening,
    paper="Hart, Nilsson, Raphael 1968; Pohl 1970",
)


def _greedy_learns(setting: Setting) -> str | None:
    if setting.has("learning", *_EXACT):
        return (
            f"learning {setting.parts['learning'].name!r} needs cheapest paths to expanded states, but a greedy "
            "search keeps the first ones that it finds; use learning='dijkstra' or 'none'"
        )
    return None


GREEDY = Part(
    "order",
    "greedy",
    "f = h: finds some path quickly, whatever its cost",
    lambda setting: order_of(setting.world, greedy=True, ties=setting.parameters["ties"], seed=setting.seed),
    {"ties": _TIES},
    lookaheads=SEARCHES,
    needs="only a best-first search has an order; use order='none'",
    objection=_greedy_learns,
    paper="Doran, Michie 1966",
)
NO_ORDER = Part(
    "order",
    "none",
    "not a best-first search",
    lambda setting: NoOrder() if setting.parameters["ties"] == "fixed" else AnyOfEquals(setting.seed),
    {"ties": _TIES},
    lookaheads=("within", "step", "prepared", "repair", "refined"),
    needs="a best-first search needs an order; use order='weighted' or 'greedy'",
)
