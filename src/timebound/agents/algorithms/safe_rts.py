"""SafeRTS: go only where a way to safety is known (Cserna, Doyle, Ramsdell and Ruml 2018).

A world says which states are safe: those in which an agent can stay, or from which it can surely go on (`is_safe`).
Some states are *comfortable*: a path from them to a safe state, or to the goal, is known. The agent explores as
LSS-LRTA* does, and from time to time tries to prove that the best open state is comfortable, by another search:

    Algorithm 1    explore and prove in turns, the shares growing until a proof succeeds    explore
                   a proof: best-first search for a safe state, here in the order of g      prove
                   what leads to a comfortable state is comfortable                         mark_comfortable
    "safe-toward-best": go to the last comfortable state on the way to the best open one    safe_target
    if there is none, follow the path to safety                                             FollowSafely

Of every comfortable state the next one on its path to safety is kept: an *escape*. So an agent that is comfortable
stays so, whatever its budget, and is never hit if the predictions are right. One that begins in danger first spends its
budget on its own proof. If the proof shows that it is lost, it stops.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined
from ...compiled.clock import NEVER, virtual_ns
from ...compiled.prices import TRACE_STEP
from ...core.integers import Int
from ...search.best_first import advance, best_open
from ...search.budget import Allowance, after, at_most, late
from ...search.learning import INFINITE, learn
from ...search.open_list import EMPTY, NOBODY, Entry, before, entry_at, places
from ...search.orders import Order, open_memory
from ...search.paths import begin_trace, first_move
from ...search.state import FOUND, RUNNING, UNREACHABLE, SearchState, begin_again, is_open, new_search, open_states
from ...search.types import NODE
from ...worlds.interface import heuristic, hopeless, is_goal, is_safe, wrapping
from ..body import Body, proved_unreachable, same_world, search_on, take_path
from ..journey import NOWHERE
from ..journey import UNREACHABLE as NO_WAY
from ..making import search_for
from ..parts import Part, Setting, learns_from_positive_costs
from ..roles import Parts, circles, look, next_move, on_course, prepare, search_ended
from .plain import PATH, FollowPath

FIRST_SHARE = 10  # expansions of the first phase; each time that a proof fails, twice as many
ESCAPES, PROOFS = ("escapes", np.int32), ("proofs", NODE)


@wrapping
class ToSafety(NamedTuple):
    """A world in which every comfortable state is a goal."""

    world: Any
    escapes: np.ndarray  # of every state: the next one on its path to safety, and 1; 0 if none is known


heuristic.of(ToSafety)(lambda world, state: 0)
hopeless.of(ToSafety)(lambda world, state: hopeless(world.world, state))
is_goal.of(ToSafety)(lambda world, state: world.escapes[state] != 0 or is_haven(world.world, state))


@inlined
def is_haven(world: Any, state: Int) -> bool:
    """Need one not go on from here?"""
    return is_safe(world, state) or is_goal(world, state)


class Cautious(NamedTuple):
    """Best-first search from the current position, and proofs that what it finds is safe."""

    escapes: np.ndarray
    proof: Any
    order: Order  # of the proof


@look.of(Cautious)
def _look(lookahead: Cautious, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Search and prove within this interval; then take the path to the last comfortable state on the way."""
    body.length = 0
    prepare(parts.learning, body)
    world, here = borrow_field(body, "world"), body.position
    if not is_comfortable(lookahead, world, here):
        allowance = flee(lookahead, body, allowance)
        if body.stop or body.decision != NOWHERE:
            return
    if proved_unreachable(body):
        body.stop = NO_WAY
        return
    circles(parts.learning, body)
    body.searching, body.root = False, here
    body.searches += 1
    same_world(body)
    begin_again(body.search, here, parts.order)
    explore(lookahead, body, allowance)
    if best_open(body.search) == NOBODY:
        body.stop = NO_WAY
        return
    mark_comfortable(lookahead, body.search, here)
    target = safe_target(lookahead, body.search, here)
    search_ended(parts.learning, body)
    body.debt += TRACE_STEP * body.search.reached
    if target != here:
        begin_trace(body.search, target)
        body.progress = 0
        take_path(body, False, NEVER)


@inlined
def is_comfortable(lookahead: Cautious, world: Any, state: Int) -> bool:
    """Is a path to safety known?"""
    return lookahead.escapes[state] != 0 or is_haven(world, state)


@inlined
def is_spent(allowance: Allowance) -> bool:
    """Is nothing left of the budget?"""
    return allowance.expansions == 0 or allowance.virtual <= 1 or late(allowance)


@inlined
def spent_by(search: SearchState) -> int:
    """Return the virtual nanoseconds of a search so far."""
    return virtual_ns(search.expansions, search.generated, search.queue.order)


@compiled
def flee(lookahead: Cautious, body: Body, allowance: Allowance) -> Allowance:
    """Look for a path to safety from here. If that takes too long, go where one survives longest; if none is, stop."""
    prove(lookahead, body, body.position, allowance)
    proof = lookahead.proof
    if proof.outcome == UNREACHABLE:
        body.stop = NO_WAY
    elif proof.outcome != FOUND:
        body.decision = first_move(proof, best_open(proof))
    return after(allowance, proof.expansions, spent_by(proof))


@compiled
def prove(lookahead: Cautious, body: Body, state: Int, allowance: Allowance) -> None:
    """Look for a path from a state to safety, and keep it; or learn that there is none, and so no path to the goal."""
    proof, escapes = lookahead.proof, lookahead.escapes
    begin_again(proof, state, lookahead.order)
    if advance(proof, allowance) == RUNNING and best_open(proof) == NOBODY:
        proof.outcome = UNREACHABLE  # by the last expansion of the budget
    body.expansions += proof.expansions
    if proof.outcome == FOUND:
        end = best_open(proof)
        if escapes[end] == 0:
            escapes[end] = end + 1
        lead_to(escapes, borrow_field(proof, "nodes"), end, state)
    elif proof.outcome == UNREACHABLE:
        learn(borrow_field(body, "world"), state, INFINITE)


@inlined
def lead_to(escapes: Any, nodes: Any, state: Int, root: Int) -> None:
    """Let all states on the way to a comfortable one lead there; those before one that is comfortable already do."""
    while state != root:
        parent = np.int64(nodes[state].parent)
        if escapes[parent]:
            break
        escapes[parent] = state + 1
        state = parent


@compiled
def explore(lookahead: Cautious, body: Body, allowance: Allowance) -> None:
    """Expand states, and try to prove that the best open one is safe, in turns."""
    search, proof, share = body.search, lookahead.proof, FIRST_SHARE
    while True:
        expanded, spent = search.expansions, spent_by(search)
        search_on(body, at_most(allowance, share))
        allowance = after(allowance, search.expansions - expanded, spent_by(search) - spent)
        best: Int = best_open(search)
        if search.outcome == FOUND or best == NOBODY or search.expansions == expanded or is_spent(allowance):
            return
        if not is_comfortable(lookahead, borrow_field(body, "world"), best):
            prove(lookahead, body, best, at_most(allowance, share))
            allowance = after(allowance, proof.expansions, spent_by(proof))
            share = FIRST_SHARE if proof.outcome == FOUND else 2 * share
            if is_spent(allowance):
                return


@compiled
def mark_comfortable(lookahead: Cautious, search: SearchState, root: Int) -> None:
    """Let every state of the search that leads to a haven, or to a comfortable state, lead there."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    for each in open_states(search):
        _mark(lookahead.escapes, world, nodes, np.int64(each), root)
    for i in range(search.expansions):
        _mark(lookahead.escapes, world, nodes, np.int64(closed[i]), root)


@inlined
def _mark(escapes: Any, world: Any, nodes: Any, state: Int, root: Int) -> None:
    if escapes[state] == 0 and is_haven(world, state):
        escapes[state] = state + 1
    if escapes[state]:
        lead_to(escapes, nodes, state, root)


@compiled
def safe_target(lookahead: Cautious, search: SearchState, root: Int) -> Int:
    """Return the last comfortable state on the way to the best open one; if there is none, to the next best.

    The root, if there is none on any way.
    """
    nodes, memory, queue = borrow_field(search, "nodes"), borrow_field(search, "memory"), search.queue
    best_open(search)  # takes it into the hand
    chosen, target = queue.hand, last_comfortable(lookahead.escapes, nodes, queue.hand.state)
    chosen = EMPTY if target == root else chosen
    for i in range(places(memory, queue.store)):
        entry = entry_at(memory, queue.store, i)
        if is_open(entry, nodes, search.number) and before(entry, chosen):
            state = last_comfortable(lookahead.escapes, nodes, np.int64(entry.state))
            if state != root:
                chosen = Entry(entry.f, entry.rank, np.int64(entry.state), np.int64(entry.order))
                target = state
    return target


@inlined
def last_comfortable(escapes: Any, nodes: Any, state: Int) -> Int:
    """Return the last comfortable state on the path to a state, or its root."""
    while escapes[state] == 0 and nodes[state].parent != state:
        state = np.int64(nodes[state].parent)
    return state


def _make(setting: Setting) -> Cautious:
    world, escapes = setting.world, setting.memory["escapes"].array
    kept = (open_memory(), Order.by_cost(world), world.branching, 0, False)
    proof = world.guarded(new_search)(ToSafety(setting.believed, escapes), setting.memory["proofs"].array, *kept)
    return Cautious(escapes, proof, Order.by_cost(world))


def _objection(setting: Setting) -> str | None:
    if not setting.parts["learning"].reads_closed:
        return f"agent {setting.name!r} needs a rule that learns from expanded states: use learning='dijkstra'"
    return learns_from_positive_costs(setting)


SAFE = Part(
    "lookahead",
    "safe",
    "a new best-first search each time, in turns with proofs that what it finds is safe",
    _make,
    memory=("nodes", ESCAPES, PROOFS),
    objection=_objection,
    search=search_for,
    starts_afresh=True,
    paper="Cserna, Doyle, Ramsdell, Ruml 2018",
)


# ------------------------------------------------------------------ walk


class FollowSafely(NamedTuple):
    """Follow the path; without one, the path to safety."""

    movements: int
    escapes: np.ndarray


@on_course.of(FollowSafely)
def _on_course(walk: FollowSafely, body: Body, clocked: bool) -> bool:
    return on_course(FollowPath(walk.movements), body, clocked)


@next_move.of(FollowSafely)
def _next_move(walk: FollowSafely, parts: Parts, body: Body) -> Int:
    """Return the next state on the path, or on that to safety; a haven is left only on a path."""
    move: Int = next_move(FollowPath(walk.movements), parts, body)
    if move == NOWHERE and walk.escapes[body.position]:
        move = walk.escapes[body.position] - 1
    return NOWHERE if move == body.position else np.int64(move)


SAFELY = Part(
    "walk",
    "safe",
    "follow the path that was found; without one, the path to safety",
    lambda setting: FollowSafely(PATH.make(setting).movements, setting.memory["escapes"].array),
    dict(PATH.parameters),
    memory=(ESCAPES,),
    lookaheads=("safe",),
    needs="only a search that proves what is safe knows a path to safety",
)
