"""LSS-LRTA* with expected costs, f-hat: where a path seems best, not where it might be at best.

h is a lower bound. How far it is below the truth shows while searching: the least cost of a move plus h after it is
more than h before it (Thayer, Dionne and Ruml 2011), and a move seems to bring the goal less than one move nearer. With
b the successor of n that has the least c(n, b) + h(b), and means over all expansions so far:

    e_h(n) = c(n, b) + h(b) - h(n)        measure
    e_d(n) = 1 + d(b) - d(n)              measure
    d-hat = d / (1 - mean e_d)            rate_of
    h-hat = h + d-hat mean e_h            ByExpectedCost
    f-hat = g + h-hat                     ByExpectedCost

LSS-LRTA* expands states in the order of f-hat, and goes to the open state where it is least (Kiesel, Burns and Ruml
2015, section 4). Learning is its own rule for h. What a state learns h from also gives it d, and the d behind the open
state that both come from: only there h may be wrong.

What remains of the guarantees: h stays a consistent lower bound, so a large h still proves that there is no path. The
order of f-hat alone might lead in a circle where h no longer rises. So an agent that searches where it has searched
before, and has learned nothing in between, goes to the open state with the least f until it learns something
(`chosen`). There h falls by the cost of every move, and each time that it learns, some h rises for good: it arrives.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined
from ...compiled.interrupts import cut_short
from ...compiled.prices import SUCCESSOR
from ...core.integers import Int
from ...core.memory import Used
from ...search.best_first import best_open
from ...search.budget import Allowance, after
from ...search.learning import LEARNED, RISES
from ...search.open_list import NOBODY
from ...search.orders import bucket_shift, for_next_search, in_turn, priority, scatter
from ...search.state import SearchState, open_states
from ...worlds.interface import NO_STATE, heuristic, is_goal, moves_to_goal, number_of, successors
from ..body import Body
from ..journey import DUE
from ..parts import Part, Setting
from ..roles import catch_up, choose, circles, search_ended
from .lss_lrta import GLANCE, learn_by_dijkstra, needs_predecessors, value_from
from .plain import TIES, comes_back

# Of a state: d and the moves beyond the open state that h comes from, each plus 1; 0 if nothing is learned.
DISTANCES = ("distances", np.dtype([("moves", np.int32), ("beyond", np.int32)]))
# What an agent knows of its errors: the states measured, the sums of e_h and e_d, the error per move of d in 1/1024;
# the states measured of this search; whether to be careful, and what was learned by then.
COUNT, ERRORS, LOSSES, RATE, PLACE, CAREFUL, KNOWN = range(7)
FRACTION = 10  # bits
FIXED = -1
MOST_LOSS = 4  # d-hat is at most this many times d, and an error this many times the highest cost
MOST_MOVES = 1 << 22


class Expectation(NamedTuple):
    """What the parts of an agent share."""

    distances: np.ndarray
    errors: np.ndarray
    highest_cost: int


def expectation_of(setting: Setting) -> Expectation:
    """Return what the parts of this agent share."""
    errors = setting.memory.setdefault("errors", Used(np.zeros(7, np.int64), 0)).array
    return Expectation(setting.memory["distances"].array, errors, setting.world.highest_cost)


@inlined
def moves_of(known: Expectation, world: Any, state: Int) -> int:
    """Return d: the number of moves to the goal on a path whose cost is h."""
    learned: Any = np.int64(known.distances[state].moves)
    return learned - 1 if learned else unlearned_moves(known, world, state)


@inlined
def moves_beyond(known: Expectation, world: Any, state: Int) -> int:
    """Return how many of them may cost more than h says."""
    learned: Any = np.int64(known.distances[state].beyond)
    return learned - 1 if learned else unlearned_moves(known, world, state)


@inlined
def unlearned_moves(known: Expectation, world: Any, state: Int) -> int:
    """Return d, before anything is learned of it."""
    return min(max(moves_to_goal(world, state), heuristic(world, state) // known.highest_cost), MOST_MOVES)


# ------------------------------------------------------------------ order


class ByExpectedCost(NamedTuple):
    """The least f-hat first: f-hat = g + h + d-hat mean e_h. Thayer, Dionne and Ruml 2011."""

    shift: int
    known: Expectation
    seed: Int  # of random ties; FIXED: the usual ones


@inlined
def expected_cost(known: Expectation, world: Any, state: Int) -> int:
    """Return h-hat."""
    return heuristic(world, state) + (moves_beyond(known, world, state) * known.errors[RATE] >> FRACTION)


@for_next_search.of(ByExpectedCost)
def _for_next_search(order: ByExpectedCost, last: Any) -> ByExpectedCost:
    """Keep the arrays of the last one: a search stores no borrowed ones."""
    return ByExpectedCost(last.shift, last.known, FIXED if last.seed == FIXED else scatter(last.seed + 1) >> 1)


@in_turn.of(ByExpectedCost)
def _in_turn(order: ByExpectedCost, number: Int, state: Int) -> Int:
    return number if order.seed == FIXED else scatter(order.seed + state) >> 32


priority.of(ByExpectedCost)(lambda order, world, g, state: g + expected_cost(order.known, world, state))


# ------------------------------------------------------------------ learning


class Expecting(NamedTuple):
    """Dijkstra's rule, which learns d beside h, and the mean errors of both before."""

    weight: int
    known: Expectation
    beacon: np.ndarray


@catch_up.of(Expecting)
def _catch_up(rule: Expecting, body: Body, allowance: Allowance) -> Any:
    """Measure the errors, then learn; over several intervals if necessary."""
    if body.updating == DUE:
        looked_at, complete = measure(rule.known, body.search, allowance.deadline, allowance.virtual)
        allowance = after(allowance, 0, SUCCESSOR * looked_at)
        if not complete:
            return allowance
    return learn_by_dijkstra(rule, body, allowance)


@compiled
def measure(known: Expectation, search: SearchState, deadline: int, virtual: int) -> tuple[int, bool]:
    """Measure the errors of h and d at the expanded states; return the moves looked at, and whether it is done."""
    world, closed, errors = borrow_field(search, "world"), borrow_field(search, "closed"), known.errors
    looked_at, place = 0, errors[PLACE]
    while place < search.expansions:
        state = np.int64(closed[place])
        place += 1
        best: Int = NO_STATE
        least = 0
        for given, cost in successors(world, state):
            successor = number_of(world, given, state, cost)
            looked_at += 1
            if successor == NO_STATE:
                break
            value = cost + heuristic(world, successor)
            if best == NO_STATE or value < least:
                best, least = successor, value
        if best != NO_STATE:
            errors[COUNT] += 1
            errors[ERRORS] += min(least - heuristic(world, state), known.highest_cost * MOST_LOSS)
            errors[LOSSES] += 1 + moves_of(known, world, best) - moves_of(known, world, state)
        if SUCCESSOR * looked_at >= virtual or cut_short(place, GLANCE, deadline):
            break
    complete = place == search.expansions
    errors[PLACE] = place
    errors[RATE] = rate_of(errors) if complete else errors[RATE]
    return looked_at, complete


@inlined
def rate_of(errors: Any) -> int:
    """Return by how much a move of d makes h-hat larger than h, in 1/1024."""
    gained = max(errors[COUNT] - errors[LOSSES], errors[COUNT] // MOST_LOSS, 1)
    return (errors[ERRORS] << FRACTION) // gained


@value_from.of(Expecting)
def _value_from(rule: Expecting, world: Any, state: Int, successor: Int) -> None:
    known = rule.known
    moves, beyond = moves_of(known, world, successor), moves_beyond(known, world, successor)
    known.distances[state].moves, known.distances[state].beyond = moves + 2, beyond + 1


@search_ended.of(Expecting)
def _search_ended(rule: Expecting, body: Body) -> None:
    body.updating, rule.known.errors[PLACE] = DUE, 0


@circles.of(Expecting)
def _circles(rule: Expecting, body: Body) -> bool:
    """Be careful in a circle, until something is learned; no circle is certain."""
    errors, tally = rule.known.errors, borrow_field(body, "world").tally
    learned = tally[RISES] + tally[LEARNED]
    if comes_back(body, rule.beacon, learned):
        errors[CAREFUL] = 1
    elif learned != errors[KNOWN]:
        errors[CAREFUL] = 0
    errors[KNOWN] = learned
    return False


# ------------------------------------------------------------------ target


class LeastExpected(NamedTuple):
    """The open state with the least f-hat; with the least f, if the agent has walked in a circle."""

    known: Expectation


@choose.of(LeastExpected)
@compiled
def chosen(target: LeastExpected, search: SearchState) -> Int:
    """Return the open state to go to."""
    best: Int = best_open(search)
    if best == NOBODY or not target.known.errors[CAREFUL]:
        return best
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    least = nodes[best].g + heuristic(world, best)
    for each in open_states(search):
        state = np.int64(each)
        f = nodes[state].g + heuristic(world, state)
        if f < least or (f == least and is_goal(world, state)):
            best, least = state, f
    return best


def _all_or_none(setting: Setting) -> str | None:
    if all(setting.has(role, "expected") for role in ("order", "learning", "target")):
        return None
    return f"agent {setting.name!r}: order, learning and target 'expected' go together; choose all of them"


def _by_expected_cost(setting: Setting) -> ByExpectedCost:
    seed = FIXED if setting.parameters["ties"] == "fixed" else setting.seed % 2**62
    return ByExpectedCost(bucket_shift(setting.world, 2), expectation_of(setting), seed)


_FITS: dict[str, Any] = {"lookaheads": ("local", "ahead", "risk"), "memory": (DISTANCES,), "objection": _all_or_none}
_PAPER = "Thayer, Dionne, Ruml 2011"
EXPECTED_COST = Part(
    "order",
    "expected",
    "f-hat = g + h + the error of h that is expected on the way, by the mean error of a move so far",
    _by_expected_cost,
    {"ties": TIES},
    paper=_PAPER,
    **_FITS,
)
EXPECTING = Part(
    "learning",
    "expected",
    "Dijkstra's rule, which learns the number of moves beside h, and the mean errors of both",
    lambda setting: Expecting(1, expectation_of(setting), np.full(3, -1)),
    steepness=lambda setting: 1,
    reads_closed=True,
    paper=_PAPER,
    **(
        _FITS
        | {
            "memory": ("h", DISTANCES),
            "objection": lambda setting: _all_or_none(setting) or needs_predecessors(setting),
        }
    ),
)
LEAST_EXPECTED = Part(
    "target",
    "expected",
    "go to the open state with the least f-hat; in a circle, with the least f",
    lambda setting: LeastExpected(expectation_of(setting)),
    paper="Kiesel, Burns, Ruml 2015",
    **_FITS,
)
