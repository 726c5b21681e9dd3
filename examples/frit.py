"""FRIT (Rivera, Illanes, Baier and Hernández 2013): follow an ideal tree to the goal; where it is cut, reconnect.

In the ideal tree every state leads to the successor that is best by h, on the map as it was first assumed: h must be
exact there, as it is on a free grid. Where an obstacle cuts the path, a search from the agent, bounded by the budget,
looks for a state from which the tree still leads to the goal."""

from typing import Any, NamedTuple

import numpy as np

import timebound as tb
from timebound import parts as tp


class IdealTree(NamedTuple):
    """The tree, and the colours of states on checked paths."""

    assumed: Any  # the map as first assumed
    parents: np.ndarray  # of states that were reconnected, plus 1
    colours: np.ndarray
    order: Any


@tp.look.of(IdealTree)
def _look(tree: Any, parts: Any, body: Any, allowance: Any) -> None:
    cut = parent(tree, body, body.position) == tp.NOWHERE
    if cut and (not body.searching or body.root != body.position):
        body.searching, body.root, body.searches = True, body.position, body.searches + 1
        tp.begin_again(body.search, body.position, tree.order)
    spent = 0
    while cut and spent < allowance.expansions and not tp.late(allowance):
        state = tp.best_open(body.search)
        if state == tp.NOBODY:
            body.stop, cut = tp.UNREACHABLE, False
        elif leads_to_goal(tree, body, state):
            reconnect(tree, body, state)
            cut = False
        else:
            tp.advance(body.search, tp.at_most(allowance, 1))
            spent, body.expansions = spent + 1, body.expansions + 1
    body.decision = parent(tree, body, body.position)


@tp.compiled
def parent(tree: Any, body: Any, state: Any) -> Any:
    """Return where the tree leads from a state, or NOWHERE if that move is no longer possible."""
    reconnected = np.int64(tree.parents[state]) - 1
    ahead = reconnected if reconnected >= 0 else np.int64(tp.best_step(tree.assumed, state)[0].state)
    possible = ahead != tp.NOBODY and tp.price_of(tp.borrow_field(body, "world"), state, ahead) != tp.IMPOSSIBLE
    return ahead if possible else tp.NOWHERE


@tp.compiled
def leads_to_goal(tree: Any, body: Any, state: int) -> bool:
    """InTree: follow the tree; a state that was painted in this search does not lead there."""
    while state != body.goal:
        tree.colours[state] = body.searches
        state = parent(tree, body, state)
        if state == tp.NOWHERE or tree.colours[state] == body.searches:
            return False
    return True


@tp.compiled
def reconnect(tree: Any, body: Any, state: Any) -> None:
    """Add the path to the state to the tree."""
    while state != body.root:
        before = np.int64(tp.borrow_field(body.search, "nodes")[state].parent)
        tree.parents[before], state = state + 1, before
    body.searching = False


def _make(setting: tp.Setting) -> IdealTree:
    parents, colours = (tp.untouched(setting.world.states, np.int32) for _ in range(2))
    return IdealTree(setting.assumed, parents, colours, tp.Order.by_cost(setting.world))


TREE = tp.Part("lookahead", "ideal-tree", "follow an ideal tree", _make, memory=("nodes",), search=tp.search_for)
FRIT = tb.variant("frit", like="repeated-astar", lookahead=TREE, terrain=("unknown",), about="FRIT: an ideal tree")
