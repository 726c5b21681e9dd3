"""How an agent gets and loses a listener, and what a listener that starts late hears first.

Whether there is a listener is part of the types (see `search.listener`). So an agent with a listener has the same parts
as before, in structs of other types.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, making, reading, replacing, resized
from ..knowledge.graph import GraphKnowledge
from ..knowledge.grid import ASSUMED, BLOCKED, UNSEEN, WRITTEN, GridKnowledge
from ..knowledge.terrain import Knowledge
from ..search import listener as events
from ..search.goal_tables import Toward
from ..search.learning import LEARNED, Learned, learned_values
from ..search.listener import BARRED, Listening, Nobody
from ..search.state import SearchState, open_states, reached_by
from ..subgoals.coverage import Regions
from ..worlds.interface import NO_STATE, heuristic, hopeless, states_met
from .algorithms.dstar_lite import ABSENT, INFINITE, Repairs
from .algorithms.knn_lrta import Guide
from .algorithms.lss_lrta import FRONTIER, WAITING
from .algorithms.pr_lrta import Overview, Refined
from .algorithms.safe_rts import Cautious
from .body import Body, look_back
from .interval import Mind, body_of
from .queries import parts_of, search_of, world_of
from .retreat import Retreat

Listener = Listening | Nobody


def listening(tape: Any) -> Listening:
    """Make a listener to the agent's main search and its actions."""
    return Listening(tape, events.MAP, np.empty(0, np.int32))


# ------------------------------------------------------------------ the same parts with another listener


def heard_by(listener: Listener, part: Any) -> Any:
    """Return a part of an agent, or all of it, with another listener. The argument must not be used any more."""
    change = _CHANGES.get(type(part))
    if change is not None:
        return change(part, listener)
    return part._make(heard_by(listener, member) for member in part) if hasattr(part, "_fields") else part


def _told(part: Any, listener: Listener) -> Any:
    return part._replace(listener=listener)


def _beside(listener: Listener, layer: int, cells: np.ndarray) -> Listener:
    return Listening(listener.tape, layer, cells) if isinstance(listener, Listening) else listener


_new_body, _new_mind = making(Body), making(Mind)
_regions_of, _route_of, _nodes_of, _vertices_of = map(reading, ("regions", "route", "nodes", "vertices"))
_reached_of, _queue_of = reading("reached"), reading("queue")


@compiled
def members_of(body: Body) -> tuple[Any, Any, Any, Any]:
    """Return search, world, knowledge and journey of an agent."""
    return body.search, body.world, body.knowledge, body.journey


_with_world = replacing(SearchState, "world")
_overview_with_world, _overview_with_search = replacing(Overview, "world"), replacing(Overview, "search")
_guide_with_regions, _guide_with_route = replacing(Guide, "regions"), replacing(Guide, "route")


def _change_overview(lookahead: Refined, listener: Listener) -> Refined:
    overview, abstract = lookahead.overview, _beside(listener, events.REGIONS, lookahead.middles.astype(np.int32))
    overview = _overview_with_world(overview, heard_by(abstract, world_of(overview)))
    return lookahead._replace(overview=_overview_with_search(overview, heard_by(abstract, search_of(overview))))


def _change_guide(guide: Any, listener: Listener) -> Any:
    abstract = _beside(listener, events.REGIONS, _regions_of(guide).cases.seeds.astype(np.int32))
    guide = _guide_with_regions(guide, heard_by(abstract, _regions_of(guide)))
    return _guide_with_route(guide, heard_by(abstract, _route_of(guide)))


def _change_retreat(retreat: Retreat, listener: Listener) -> Retreat:
    return retreat._replace(mind=heard_by(_beside(listener, events.FALLBACK, np.empty(0, np.int32)), retreat.mind))


def _change_cautious(lookahead: Cautious, listener: Listener) -> Cautious:
    aside = _beside(listener, events.SAFETY, np.empty(0, np.int32))
    return lookahead._replace(proof=heard_by(aside, lookahead.proof))


# Structs, and tuples that hold a listener; all other tuples are changed item by item.
_CHANGES: dict[type, Callable[[Any, Any], Any]] = {
    **dict.fromkeys([Learned, Toward, Regions, GridKnowledge, GraphKnowledge], _told),
    SearchState: lambda search, listener: _with_world(search, heard_by(listener, world_of(search))),
    Refined: _change_overview,
    Guide: _change_guide,
    Retreat: _change_retreat,
    Cautious: _change_cautious,
    Body: lambda body, listener: _new_body(*(heard_by(listener, member) for member in members_of(body))),
    Mind: lambda mind, listener: _new_mind(heard_by(listener, parts_of(mind)), heard_by(listener, body_of(mind))),
}


# ------------------------------------------------------------------ what happened before


def so_far(body: Body) -> np.ndarray:
    """Return events that lead to an agent's current state; for a new agent, only its position.

    They are few if it has done little. Otherwise this visits all states: once, when listening begins.
    """
    look_back(body)
    search, world, knowledge, walk = members_of(body)
    position, decision, path = _plan_of(walk)
    return np.concatenate(
        [
            _rows(events.MOVE, np.array([position])),
            _seen(knowledge),
            _learned(world),
            _searched(search),
            _rows(events.PATH, path, g=np.arange(len(path))),
            _rows(events.DECIDE, np.array([decision]), other=position, g=len(path)),
        ]
    )


def what_was_kept(body: Body) -> np.ndarray:
    """Return events of a remade agent: it has no search any more, and these learned values."""
    return np.concatenate([_rows(events.FORGET, np.array([NO_STATE])), _learned(members_of(body)[1])])


def _rows(kind: int, states: np.ndarray, other: Any = NO_STATE, g: Any = 0, h: Any = 0) -> np.ndarray:
    rows = np.zeros(len(states), events.EVENT)
    rows["kind"], rows["state"], rows["other"], rows["g"], rows["h"] = kind, states, other, g, h
    return rows


_NOTHING = np.empty(0, events.EVENT)


@compiled
def _plan_of(walk: Any) -> tuple[int, int, np.ndarray]:
    return walk.position, walk.decision, resized(walk.path, walk.length)


def _seen(knowledge: Knowledge) -> np.ndarray:
    if isinstance(knowledge, GridKnowledge) and knowledge.tally[WRITTEN]:
        cells = np.flatnonzero((knowledge.seen != UNSEEN) & (knowledge.seen < ASSUMED))
        return _rows(events.OBSERVE, cells, g=np.where(knowledge.seen[cells] == BLOCKED, BARRED, 0))
    if isinstance(knowledge, GraphKnowledge):
        edges = np.flatnonzero(knowledge.extra)
        sources = np.searchsorted(knowledge.first, edges, side="right") - 1
        there = knowledge.edges[edges]
        costs = there["price"] + knowledge.extra[edges]
        return _rows(events.OBSERVE, sources, there["target"], np.where(costs < 0, BARRED, costs))
    return _NOTHING


def _learned(world: Learned) -> np.ndarray:
    if world.tally[LEARNED] == 0:
        return _NOTHING
    values = learned_values(world)
    states = np.flatnonzero(values)
    return _rows(events.RAISE, states, h=values[states])


def _searched(search: Any) -> np.ndarray:
    """Return the open and closed states of the current search."""
    if isinstance(search, SearchState) and _reached_of(search):
        marks, nodes = marks_of_search(search), _nodes_of(search)
        states = np.flatnonzero(marks)
        rows = _rows(events.GENERATE, states, nodes["parent"][states], nodes["g"][states], _h_of(search, states))
    elif isinstance(search, Repairs) and _queue_of(search).pushes:
        marks, vertices = marks_of_repair(search), _vertices_of(search)
        states = np.flatnonzero(marks)
        rows = _rows(events.GENERATE, states, g=np.minimum(vertices["g"], vertices["rhs"])[states])
    else:
        return _NOTHING
    rows["kind"][marks[states] == CLOSED] = events.CLOSE
    return np.concatenate([_rows(events.SEARCH, np.array([NO_STATE]), g=1, h=1), rows])


@compiled
def _h_of(search: Any, states: np.ndarray) -> np.ndarray:
    values = np.empty(len(states), np.int64)
    for i in range(len(states)):
        values[i] = heuristic(borrow_field(search, "world"), np.int64(states[i]))
    return values


OPEN, CLOSED, UNSURE = 1, 2, 3


@compiled
def marks_of_search(search: Any) -> np.ndarray:
    """Return OPEN, CLOSED, or 0 (not reached) for every state."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    marks = np.zeros(states_met(world, len(nodes)), np.uint8)
    if search.reached == 0:  # it has not begun
        return marks
    updated = False
    for state in range(len(marks)):
        if reached_by(nodes[state], search.number):
            part = nodes[state].search - search.number
            updated = updated or part >= WAITING
            marks[state] = OPEN if part == FRONTIER else UNSURE if part == 0 else CLOSED
    for i in range(min(len(closed), search.expansions)):  # during an update not all of them are marked
        if marks[closed[i]] == UNSURE:
            marks[closed[i]] = CLOSED
    for state in range(len(marks)):
        if (marks[state] == UNSURE and not updated) or (marks[state] and hopeless(world, state)):
            marks[state] = CLOSED
        elif marks[state] == UNSURE:
            marks[state] = OPEN
    if not updated:
        for state in open_states(search):
            marks[state] = OPEN
    return marks


@compiled
def marks_of_repair(search: Any) -> np.ndarray:
    """Return the same for D* Lite: inconsistent states are open, other states of finite cost are closed."""
    vertices = borrow_field(search, "vertices")
    marks = np.zeros(len(vertices), np.uint8)
    for state in range(len(marks)):
        u = vertices[state]
        seen = u.seen == search.number
        if seen and u.key != ABSENT:
            marks[state] = OPEN
        elif seen and u.g < INFINITE:
            marks[state] = CLOSED
    return marks
