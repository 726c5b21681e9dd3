"""Terrain: the true world, what the agent assumes about it at first, and how it processes reports."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ..core.errors import ProblemError
from ..core.memory import untouched
from ..core.values import items, number, rows
from ..core.wording import shown
from ..worlds import Graph, Grid, World
from ..worlds.compiled_graph import GONE
from ..worlds.grid import OF_CELL, OF_COST
from ..worlds.grid_input import COST_RULE, MOST_COST
from .graph import (
    GraphKnowledge,
    check_rises,
    graph_knowledge,
    hidden_blocks,
    hidden_rises,
    rescaled_graph_knowledge,
    room_for_rises,
)
from .grid import BLOCKED, FREE, GridKnowledge, grid_knowledge, hidden_obstacles, rescaled_grid_knowledge
from .interface import Certainty

Knowledge: TypeAlias = GridKnowledge | GraphKnowledge | Certainty


def lay_out(
    world: World, terrain: str, start: int, goal: int, seed: int, parameters: Mapping[str, Any]
) -> tuple[World, Knowledge]:
    """Make the terrain for one agent: the truth about the world, and the agent's belief."""
    share, solvable = parameters["hidden"], parameters["solvable"]
    if isinstance(world, Grid):
        if parameters["cost_factor"] is not None:
            raise ProblemError("cost_factor is for graphs; hidden obstacles of a grid are blocked cells")
        assumed = world.without_obstacles if terrain == "unknown" else world
        hiding = hidden_obstacles(world, start, goal, share, seed, solvable) if terrain == "partial" else world
        found = None if terrain == "known" else hiding.passable
        cells = grid_knowledge(world, assumed, found, parameters["radius"], parameters["line_of_sight"])
        return hiding, cells
    if isinstance(world, Graph):
        if terrain == "unknown":
            raise ProblemError("a graph cannot be unknown: its edges cannot be guessed; use terrain partial")
        if parameters["radius"] is not None:
            raise ProblemError("radius is for grids; on a graph the agent sees the edges at its node")
        if terrain == "known":
            extra = untouched(len(world.compiled_map.edges), np.int64)
        elif parameters["cost_factor"] is not None:
            extra = hidden_rises(world, share, seed, parameters["cost_factor"], room_for_rises(world, parameters))
        else:
            extra = hidden_blocks(world, start, goal, share, seed, solvable)
        edges = graph_knowledge(world, extra)
        return world if terrain == "known" else world.with_extra(extra), edges
    if terrain != "known":
        raise ProblemError(
            f"a {type(world).__name__} must be known terrain; grids can be unknown or partial, graphs partial"
        )
    return world, Certainty(0)


def believed_world(world: World, terrain: str, knowledge: Knowledge, goal: int) -> Any:
    """Return the compiled world that an agent plans in: its assumption, corrected by observations."""
    if isinstance(knowledge, GridKnowledge) and isinstance(world, Grid):
        grid = world.without_obstacles if terrain == "unknown" else world
        return grid.believed(goal, knowledge.patch, knowledge.own)
    if isinstance(knowledge, GraphKnowledge) and isinstance(world, Graph):
        return world.compiled(goal)._replace(extra=knowledge.extra)
    return world.compiled(goal)


def assumed_world(world: World, terrain: str, goal: int) -> Any:
    """Return the compiled world that an agent assumes before any observation."""
    if terrain == "unknown" and isinstance(world, Grid):
        return world.without_obstacles.compiled(goal)
    return world.compiled(goal)


def rescaled(world: World, knowledge: Knowledge, factor: float, bits: int) -> Knowledge:
    """Return the same knowledge for another unit of costs."""
    if isinstance(knowledge, GridKnowledge) and isinstance(world, Grid):
        return rescaled_grid_knowledge(world, knowledge, factor, bits)
    if isinstance(knowledge, GraphKnowledge) and isinstance(world, Graph):
        return rescaled_graph_knowledge(world, knowledge, factor)
    return knowledge


def reports(
    world: World,
    knowledge: Knowledge,
    parameters: Mapping[str, Any],
    goal: int,
    blocked: Iterable[Any],
    free: Iterable[Any],
    costs: Any,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a program's reports about cells, or edges `(from, to)`, as subjects and facts for `see`."""
    if isinstance(world, Grid):
        return _reports_on_grid(world, blocked, free, *costs_by_place(costs, "cells"))
    if not (isinstance(world, Graph) and isinstance(knowledge, GraphKnowledge)):
        raise ProblemError(f"nothing can be observed of a {type(world).__name__}: it is known terrain")
    blocked, free = items(blocked, f"blocked is a list of {_EDGES}"), items(free, f"free is a list of {_EDGES}")
    told = [(edge, GONE) for pair in blocked for edge in world.edges_between(pair)]
    told += [(edge, world.free_price(edge)) for pair in free for edge in world.edges_between(pair)]
    for pair, cost in zip(*costs_by_place(costs, _EDGES), strict=True):
        told += [(edge, world.extra_price(edge, cost, goal)) for edge in world.edges_between(pair)]
    facts = dict(told)
    both = next((edge for edge, fact in told if facts[edge] != fact), None)
    if both is not None:
        raise ProblemError(f"the edge {world.labels.edge(*world.ends_of(both))} is reported both blocked and free")
    check_rises(world, knowledge, facts, room_for_rises(world, parameters))
    return np.array([*facts], np.int64), np.array([*facts.values()], np.int64)


_EDGES = "edges (from, to)"


def costs_by_place(costs: Any, kind: str) -> tuple[Any, Any]:
    """Return the places and their costs, given as a dictionary or as a pair."""
    if isinstance(costs, Mapping):
        return list(costs), list(costs.values())
    rule = f"costs are a dictionary from {kind} to their costs, or a pair: {kind} and their costs"
    if not (isinstance(costs, tuple) and len(costs) == 2):
        raise ProblemError(f"{rule}, not {shown(costs)}")
    places, prices = rows(costs[0], rule), rows(costs[1], rule)
    if len(places) != len(prices):
        raise ProblemError(f"{len(places)} {kind} cannot have {len(prices)} costs: give one for each")
    return places, prices


def _reports_on_grid(world: Grid, blocked: Any, free: Any, places: Any, prices: Any) -> tuple[np.ndarray, np.ndarray]:
    walls, gaps = walls_and_gaps(world, blocked, free)
    subjects = [2 * walls + OF_CELL, 2 * gaps + OF_CELL, 2 * world.cells(places, "costs are of cells") + OF_COST]
    facts = [np.full(len(walls), BLOCKED), np.full(len(gaps), FREE), _reported_costs(world, prices)]
    return np.concatenate(subjects), np.concatenate(facts)


def walls_and_gaps(world: Grid, blocked: Any, free: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of cells that are reported blocked, and free."""
    walls, gaps = world.cells(blocked, "blocked is a list of cells"), world.cells(free, "free is a list of cells")
    both = walls[np.isin(walls, gaps)] if len(gaps) else gaps
    if len(both):
        raise ProblemError(f"cell {world.place(int(both[0]))} is reported both blocked and free")
    return walls, gaps


def _reported_costs(world: Grid, prices: Any) -> np.ndarray:
    """Return reported travel costs for compiled code; a grid without any has them from then on."""
    given = checked_costs(prices)
    if len(given):
        world.allow_costs(float(given.max()))
    return world.whole_costs(given)


def checked_costs(prices: Any) -> np.ndarray:
    """Return reported travel costs."""
    plain = prices.dtype.kind in "iuf" if isinstance(prices, np.ndarray) else {*map(type, prices)} <= {int, float}
    given = np.array(prices if plain else [math.nan] * len(prices), np.float64)
    for i in np.flatnonzero(~((given >= 1) & (given <= MOST_COST))).tolist():  # NaN is neither
        given[i] = number(prices[i], COST_RULE, lambda each: 1 <= each <= MOST_COST)
    return given
