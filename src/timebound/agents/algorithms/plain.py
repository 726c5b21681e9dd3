"""What most algorithms share: best-first order, the best open state as target, following the path, learning nothing."""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled
from ...core.integers import Int
from ...search.orders import AnyOfEquals, Order, RandomTies, order_of
from ..body import Body, place_on_path
from ..journey import NOWHERE
from ..making import limit
from ..parameters import Parameter, a_flag, a_number, a_word, endless, or_none
from ..parts import WITHOUT, Part, Setting
from ..roles import Parts, circles, next_move, on_course, search_ended

# ------------------------------------------------------------------ orders of search


SEARCHES = ("local", "ahead", "safe", "to-the-end", "resumed")


def _weighted(setting: Setting) -> Order | RandomTies:
    reopen = bool(setting.parameters["reopen"]) or setting.parts["learning"].needs_exact_costs
    weight, ties = setting.parameters["weight"], setting.parameters["ties"]
    return order_of(setting.world, weight, reopen=reopen, ties=ties, seed=setting.seed)


TIES = Parameter("fixed", a_word("ties", "fixed", "random"))


def _needs_reopening(setting: Setting) -> str | None:
    weight, reopen = setting.parameters["weight"], setting.parameters["reopen"]
    if weight > 1 and reopen is False and setting.parts["learning"].needs_exact_costs:
        return f"learning {setting.parts['learning'].name!r} needs reopened states: leave out reopen=False"
    return None


WEIGHTED = Part(
    "order",
    "weighted",
    "f = g + weight * h: A* with a weight of 1; paths cost at most `weight` times the optimum",
    _weighted,
    {
        "weight": Parameter(1.0, a_number("the weight must be a number from 1 to a million", 1, 1e6)),
        "reopen": Parameter(None, or_none(a_flag)),
        "ties": TIES,
    },
    lookaheads=(*SEARCHES, "retrieving"),
    needs="only a best-first search has an order; use order='none'",
    objection=_needs_reopening,
    paper="Hart, Nilsson, Raphael 1968; Pohl 1970",
    bounds_cost=True,
)


def _greedy_learns(setting: Setting) -> str | None:
    if setting.parts["learning"].needs_exact_costs:
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
    {"ties": TIES},
    lookaheads=SEARCHES,
    needs="only a best-first search has an order; use order='none'",
    objection=_greedy_learns,
    paper="Doran, Michie 1966",
)
NO_ORDER = Part(
    "order",
    "none",
    "not a best-first search",
    lambda setting: WITHOUT if setting.parameters["ties"] == "fixed" else AnyOfEquals(setting.seed),
    {"ties": TIES},
    lookaheads=("within", "step", "prepared", "repair", "refined"),
    needs="a best-first search needs an order; use order='weighted' or 'greedy'",
    bounds_cost=True,
)


# ------------------------------------------------------------------ learn nothing


class Nothing(NamedTuple):
    """The rule that learns nothing."""

    beacon: np.ndarray  # see `comes_back`


search_ended.of(Nothing)(lambda rule, body: None)
circles.of(Nothing)(lambda rule, body: comes_back(body, rule.beacon, 0))


@compiled
def comes_back(body: Body, beacon: Any, learned: int) -> bool:
    """Is an agent where it has searched before, without news and without having `learned` anything in between?

    From there it repeats itself forever. A beacon is left where a search begins, and moved to the current
    position after 1, 2, 4, 8, ... searches (Brent's algorithm): some beacon will be on the cycle. It holds the state,
    the number of searches at that time, and how much the agent had observed and learned. (A move along an edge from a
    state to itself is no move of the record, and a circle.)
    """
    state, left, known = beacon[0], beacon[1], beacon[2]
    searches, seen = body.searches + 1, body.surprises + learned
    if searches > 1 and state == body.position and known == seen:
        return True
    if searches == 1 or searches >= 2 * left or known != seen:
        beacon[0], beacon[1], beacon[2] = body.position, searches, seen
    return False


def new_beacon() -> np.ndarray:
    """Make the beacon of an agent that has not begun."""
    return np.full(3, -1)


NOTHING = Part("learning", "none", "learn nothing", lambda setting: Nothing(new_beacon()), when="", remembers=True)


# ------------------------------------------------------------------ go to the best open state


class Best(NamedTuple):
    """The state to be expanded next."""

    tag: int = 0


BEST = Part("target", "best", "go to the best open state", lambda setting: Best())


# ------------------------------------------------------------------ follow the path


AS_MANY_AS_SUITS = 0


class FollowPath(NamedTuple):
    """Make the moves of the path, while no cost on it rises."""

    movements: int  # the most moves; AS_MANY_AS_SUITS: one under a clock, otherwise to its end


@on_course.of(FollowPath)
def _on_course(walk: FollowPath, body: Body, clocked: bool) -> bool:
    place, most = place_on_path(body, body.position), body.length - 1
    if walk.movements != AS_MANY_AS_SUITS or clocked:
        most = min(most, max(1, walk.movements))
    return bool(place != NOWHERE and place < most)


@next_move.of(FollowPath)
def _next_move(walk: FollowPath, parts: Parts, body: Body) -> Int:
    """Continue along the old path while an update takes long. Without a path, do what the lookahead decided."""
    place = place_on_path(body, body.position)
    if place != NOWHERE and place < body.length - 1:
        return np.int64(borrow_field(body, "path")[place + 1])
    body.length = 0
    return body.decision


def _make(setting: Setting) -> FollowPath:
    movements = setting.parameters["movements"]
    return FollowPath(AS_MANY_AS_SUITS if movements is None else limit(movements))


def _objection(setting: Setting) -> str | None:
    if setting.parts["lookahead"].one_move and setting.parameters["movements"] not in (None, 1):
        return f"agent {setting.name!r} looks one move ahead, so it makes one: leave out movements"
    return None


PATH = Part(
    "walk",
    "path",
    "follow the path that was found: `movements` moves, or all (by default one under a clock, otherwise all)",
    _make,
    {"movements": Parameter(None, or_none(endless))},
    lookaheads=(
        "local",
        "ahead",
        "risk",
        "to-the-end",
        "within",
        "step",
        "prepared",
        "repair",
        "refined",
        "retrieving",
    ),
    needs="a search that is resumed while the agent walks needs walk 'time-bounded'",
    objection=_objection,
)
