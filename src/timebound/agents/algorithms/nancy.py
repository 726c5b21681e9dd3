"""Nancy: plan under uncertainty (Mitchell, Ruml, Spaniol, Hoffmann and Petrik 2019).

What h says of an open state is evidence, not the truth. The cost of the best path through a state is believed to be
normally distributed, with f-hat as its mean (see `fhat`), and f two standard deviations below:

    belief of an open state: mean f-hat, deviation (f-hat - f) / 2              believe
    belief of a move: that of the best open state behind it (Nancy backup), or
    of the least of the k best (k-best backup)                                  believe
    risk: the expected regret, if another move than the one with the least
    mean turns out to be the best                                               regret
    expand behind the move after which the risk would be least                  worth_expanding
    make the move with the least mean                                           _look

Where the search is to go on, deviations shrink: by the share of the way to the goal that it can still go with the
expansions that are left, of which each step takes as many as there are open states behind the move (`squished`).

The paper cuts beliefs off at f, and adds them up as samples; here the least of two is normal again, with its exact mean
and variance (Clark 1961), so a belief is two numbers. What is learned is h, d and the errors of both, as in `fhat`: the
belief of an expanded state is that of the open state that its h comes from. A state is expanded once in a search.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined, making, struct
from ...compiled.clock import NEVER, virtual_ns
from ...compiled.interrupts import cut_short
from ...compiled.prices import TRACE_STEP, UPDATE
from ...core.integers import Int
from ...search.best_first import make_room
from ...search.budget import Allowance, at_most
from ...search.listener import CLOSE, EXPAND
from ...search.orders import in_turn
from ...search.paths import begin_trace
from ...search.state import EXPANDED, FOUND, RUNNING, SearchState, begin_again, put_on_open_list
from ...search.state import UNREACHABLE as NOTHING_OPEN
from ...worlds.interface import (
    NO_STATE,
    heuristic,
    hopeless,
    is_goal,
    number_of,
    successors,
    tell,
    touch,
)
from ..body import Body, proved_unreachable, same_world, take_path
from ..journey import UNREACHABLE
from ..making import limit, search_for
from ..parameters import Parameter, a_count, endless, or_none
from ..parts import Part, Setting, learns_from_positive_costs
from ..roles import Parts, circles, look, prepare, search_ended
from .fhat import CAREFUL, DISTANCES, Expectation, expectation_of, expected_cost, moves_of
from .lss_lrta import GLANCE

# Of a state on the open list: the move behind which it is, the next state behind the same move, f-hat, when it came.
BEHIND = ("behind", np.dtype([("f", np.int64), ("move", np.int32), ("next", np.int32), ("turn", np.int32)], align=True))
NONE = -1


@struct
class Moves:
    """The moves from the agent's state, and what is believed of each."""

    count: int
    heads: np.ndarray  # the open states behind each, as a linked list
    best: np.ndarray  # the best of them, or NO_STATE
    means: np.ndarray
    deviations: np.ndarray
    open: np.ndarray  # how many there are
    changed: np.ndarray
    turn: int  # of the last state that came
    few: np.ndarray  # the best k, while a belief is made of them


new_moves = making(Moves)


class ByRisk(NamedTuple):
    """Search that expands where the risk of a wrong move falls most."""

    expansions: int
    known: Expectation
    behind: np.ndarray
    moves: Any


# ------------------------------------------------------------------ beliefs


@inlined
def density(x: float) -> float:
    """Return the density of the standard normal distribution."""
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


@inlined
def below(x: float) -> float:
    """Return the probability that it is below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@inlined
def regret(mean: float, deviation: float, other: float, other_deviation: float) -> float:
    """Return by how much the first is expected to cost more than the other, where it does."""
    spread = math.sqrt(deviation * deviation + other_deviation * other_deviation)
    more = mean - other
    if spread == 0.0:
        return max(more, 0.0)
    return more * below(more / spread) + spread * density(more / spread)


@inlined
def least_of(mean: float, deviation: float, other: float, other_deviation: float) -> tuple[float, float]:
    """Return mean and deviation of the least of two (Clark 1961)."""
    spread = math.sqrt(deviation * deviation + other_deviation * other_deviation)
    if spread == 0.0:
        return min(mean, other), 0.0
    x = (other - mean) / spread
    least = mean * below(x) + other * below(-x) - spread * density(x)
    squares = (deviation * deviation + mean * mean) * below(x)
    squares += (other_deviation * other_deviation + other * other) * below(-x)
    squares -= (mean + other) * spread * density(x)
    return least, math.sqrt(max(squares - least * least, 0.0))


@compiled
def believe(lookahead: ByRisk, search: SearchState, move: Int) -> None:
    """Make the belief of a move from the k best open states behind it."""
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    moves, behind = lookahead.moves, lookahead.behind
    few, state, found = moves.few, np.int64(moves.heads[move]), 0
    moves.open[move] = 0
    while state != NO_STATE:
        moves.open[move] += 1
        place = found if found < len(few) else found - 1
        if found < len(few) or sooner(behind, state, np.int64(few[place])):
            while place > 0 and sooner(behind, state, np.int64(few[place - 1])):
                few[place] = few[place - 1]
                place -= 1
            few[place] = state
            found = min(found + 1, len(few))
        state = np.int64(behind[state].next)
    moves.best[move], moves.means[move], moves.deviations[move] = NO_STATE, math.inf, 0.0
    moves.changed[move] = False
    for i in range(found):
        state = np.int64(few[i])
        mean = float(behind[state].f)
        deviation = (mean - (nodes[state].g + heuristic(world, state))) / 2.0
        if i == 0:
            moves.best[move], moves.means[move], moves.deviations[move] = state, mean, deviation
        else:
            belief = least_of(moves.means[move], moves.deviations[move], mean, deviation)
            moves.means[move], moves.deviations[move] = belief


@inlined
def sooner(behind: Any, state: Int, other: Int) -> bool:
    """Does a state come before another? The least f-hat does, then the one that came last."""
    f, other_f = behind[state].f, behind[other].f
    return bool(f < other_f or (f == other_f and behind[state].turn > behind[other].turn))


# ------------------------------------------------------------------ where to expand


@inlined
def squished(lookahead: ByRisk, world: Any, move: Int, left: int) -> float:
    """Return the deviation that is expected after the expansions that are left."""
    moves = lookahead.moves
    steps = left / max(1, moves.open[move])
    share = min(1.0, steps / max(1, moves_of(lookahead.known, world, np.int64(moves.best[move]))))
    return float(moves.deviations[move] * math.sqrt(1.0 - share))


@compiled
def least_mean(lookahead: ByRisk, search: SearchState) -> Int:
    """Bring beliefs up to date; return the move with the least mean, or NONE."""
    moves, best = lookahead.moves, lookahead.moves.best
    least: Int = NONE
    for move in range(moves.count):
        if moves.changed[move]:
            believe(lookahead, search, move)
        if best[move] == NO_STATE:
            continue
        if (
            least == NONE
            or moves.means[move] < moves.means[least]
            or (moves.means[move] == moves.means[least] and sooner(lookahead.behind, best[move], best[least]))
        ):
            least = move
    return least


@compiled
def worth_expanding(lookahead: ByRisk, search: SearchState, least: Int, left: int) -> Int:
    """Return the move behind which expanding would leave the least risk."""
    world, moves = borrow_field(search, "world"), lookahead.moves
    mean, deviation = moves.means[least], moves.deviations[least]
    shrunk, own = squished(lookahead, world, least, left), 0.0
    chosen, gain = least, 0.0
    for move in range(moves.count):
        if move == least or moves.best[move] == NO_STATE:
            continue
        risk = regret(mean, deviation, moves.means[move], moves.deviations[move])
        own += risk - regret(mean, shrunk, moves.means[move], moves.deviations[move])
        if not is_goal(world, np.int64(moves.best[move])):
            less = risk - regret(mean, deviation, moves.means[move], squished(lookahead, world, move, left))
            if less > gain:
                chosen, gain = move, less
    return least if own >= gain else chosen


# ------------------------------------------------------------------ the search


@compiled
def expand_behind(lookahead: ByRisk, search: SearchState, state: Int, move: Int) -> None:
    """Expand a state behind a move; what it leads to is behind the same one. At the root, each is a move of its own."""
    if search.expansions == len(search.closed):
        make_room(search)
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    moves, behind, number, order = lookahead.moves, lookahead.behind, search.number, borrow_field(search, "order")
    closed[search.expansions] = state
    search.expansions += 1
    nodes[state].search = number + EXPANDED
    g, parent = nodes[state].g, np.int64(nodes[state].parent)
    tell(world, EXPAND, state, parent, g, 0)
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        search.generated += 1
        if successor == NO_STATE:
            break
        node, own = nodes[successor], move
        if successor == parent or node.search == number + EXPANDED:
            continue
        if node.search != number:
            touch(world, successor, np.int64(node.search), node.g)
            node.search = number
            search.reached += 1
            if move == NONE:
                own = moves.count
                moves.heads[own] = NO_STATE
        elif g + cost >= node.g:
            continue
        else:
            own = np.int64(behind[successor].move) if move == NONE else move
            unlink(moves, behind, successor)
        node.g, node.parent = g + cost, state
        if hopeless(world, successor):
            behind[successor].move = NONE
            tell(world, CLOSE, successor, state, node.g, 0)
            continue
        if move == NONE and own == moves.count:
            moves.count += 1
        moves.turn += 1
        behind[successor].f = node.g + expected_cost(lookahead.known, world, successor)
        behind[successor].move, behind[successor].turn = own, in_turn(order, moves.turn, successor)
        behind[successor].next = moves.heads[own]
        moves.heads[own] = successor
        moves.changed[own] = True
        put_on_open_list(search, successor, state, node.g)  # for learning, and for listeners


@inlined
def unlink(moves: Any, behind: Any, state: Int) -> None:
    """Take a state out of the list of its move, if it is in one."""
    move = np.int64(behind[state].move)
    if move == NONE:
        return
    moves.changed[move] = True
    if moves.heads[move] == state:
        moves.heads[move] = behind[state].next
        return
    at = np.int64(moves.heads[move])
    while behind[at].next != state:
        at = np.int64(behind[at].next)
    behind[at].next = behind[state].next


@compiled
def search_by_risk(lookahead: ByRisk, search: SearchState, root: Int, allowance: Allowance, usual: int) -> Int:
    """Search within the allowance; return the move with the least mean, or NONE if nothing is open."""
    moves = lookahead.moves
    moves.count = moves.turn = 0
    most = usual if allowance.expansions == NEVER else allowance.expansions
    expand_behind(lookahead, search, root, NONE)
    while True:
        least = least_mean(lookahead, search)
        if least == NONE:
            search.outcome = NOTHING_OPEN
            return least
        if is_goal(borrow_field(search, "world"), np.int64(moves.best[least])):
            search.outcome = FOUND
            return least
        spent = virtual_ns(search.expansions, search.generated, moves.turn) + UPDATE * moves.count * search.expansions
        over = search.expansions >= allowance.expansions or spent >= allowance.virtual
        if over or cut_short(search.expansions, GLANCE, allowance.deadline):
            return least
        move = worth_expanding(lookahead, search, least, max(1, most - search.expansions))
        state = np.int64(moves.best[move])
        unlink(moves, lookahead.behind, state)
        expand_behind(lookahead, search, state, move)


@look.of(ByRisk)
def _look(lookahead: ByRisk, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Search within this interval, then make the move with the least mean."""
    body.length = 0
    prepare(parts.learning, body)
    node = borrow_field(body.search, "nodes")[body.position]
    touch(borrow_field(body, "world"), body.position, np.int64(node.search), node.g)
    if proved_unreachable(body):
        body.stop = UNREACHABLE
        return
    circles(parts.learning, body)
    usual = max(1, body.search.expansions)
    body.searching, body.root = False, body.position
    body.searches += 1
    same_world(body)
    begin_again(body.search, body.position, parts.order)
    most = at_most(allowance, lookahead.expansions)
    move = search_by_risk(lookahead, body.search, body.position, most, usual)
    body.expansions += body.search.expansions
    if move == NONE:
        body.stop = UNREACHABLE
        return
    target: Int = np.int64(lookahead.moves.best[move])
    if lookahead.known.errors[CAREFUL] and body.search.outcome == RUNNING:
        target = with_least_f(lookahead, body.search)
    begin_trace(body.search, target)
    body.progress = 0
    search_ended(parts.learning, body)
    take_path(body, False, NEVER)
    body.debt += TRACE_STEP * body.length


@compiled
def with_least_f(lookahead: ByRisk, search: SearchState) -> Int:
    """Return the open state with the least f: see `fhat`."""
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    best: Int = NO_STATE
    least = 0
    for move in range(lookahead.moves.count):
        state = np.int64(lookahead.moves.heads[move])
        while state != NO_STATE:
            f = nodes[state].g + heuristic(world, state)
            if best == NO_STATE or f < least:
                best, least = state, f
            state = np.int64(lookahead.behind[state].next)
    return best


def _make(setting: Setting) -> ByRisk:
    many, k = setting.world.branching, setting.parameters["k"]
    numbers, few = (np.zeros(many, np.int64) for _ in range(3)), np.zeros(k, np.int64)
    heads, best, opened = numbers
    beliefs = np.zeros(many), np.zeros(many)
    moves = new_moves(0, heads, best, *beliefs, opened, np.zeros(many, np.bool_), 0, few)
    expansions = limit(setting.parameters["lookahead"])
    return ByRisk(expansions, expectation_of(setting), setting.memory["behind"].array, moves)


def _objection(setting: Setting) -> str | None:
    if not setting.has("learning", "expected"):
        return f"agent {setting.name!r} believes what the errors of h say: use learning='expected'"
    return learns_from_positive_costs(setting)


BY_RISK = Part(
    "lookahead",
    "risk",
    "search where the risk of a wrong move falls most, by beliefs about the `k` best open states behind every move",
    _make,
    {"lookahead": Parameter(None, or_none(endless)), "k": Parameter(1, a_count)},
    memory=("nodes", DISTANCES, BEHIND),
    objection=_objection,
    search=search_for,
    starts_afresh=True,
    paper="Mitchell, Ruml, Spaniol, Hoffmann, Petrik 2019",
)
