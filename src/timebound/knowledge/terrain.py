"""Terrain: the true world, what the agent assumes about it at first, and how it processes reports."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..errors import ProblemError
from ..memory import Pool
from ..values import items, number
from ..wording import shown
from ..worlds import Graph, Grid, World
from ..worlds.compiled_graph import GONE
from ..worlds.grid import OF_CELL, OF_COST
from ..worlds.grid_input import COST_RULE, MOST_COST
from .certainty import Certainty
from .graph import (
    GraphKnowledge,
    check_rises,
    graph_knowledge,
    hidden_blocks,
    hidden_rises,
    nothing_hidden,
    rescaled_graph_knowledge,
    room_for_rises,
)
from .grid import (
    BLOCKED,
    FREE,
    GridKnowledge,
    believed_free,
    forget_all,
    grid_knowledge,
    hidden_obstacles,
    leave_grid_knowledge,
    rescaled_grid_knowledge,
)

Knowledge: TypeAlias = GridKnowledge | GraphKnowledge | Certainty


class Terrain(NamedTuple):
    """The truth about a world, and an agent's belief."""

    truth: World
    knowledge: Knowledge


def lay_out(world: World, terrain: str, start: int, goal: int, seed: int, parameters: Mapping[str, Any]) -> Terrain:
    """Make the terrain for one agent."""
    share, solvable = parameters["hidden"], parameters["solvable"]
    if isinstance(world, Grid):
        if parameters["cost_factor"] is not None:
            raise ProblemError("cost_factor is for graphs; hidden obstacles of a grid are blocked cells")
        assumed = world.without_obstacles if terrain == "unknown" else world
        hiding = hidden_obstacles(world, start, goal, share, seed, solvable) if terrain == "partial" else world
        sight = parameters["line_of_sight"]
        found = None if terrain == "known" else hiding.passable
        cells = grid_knowledge(world, assumed, found, parameters["radius"], sight)
        return Terrain(hiding, cells)
    if isinstance(world, Graph):
        if terrain == "unknown":
            raise ProblemError("a graph cannot be unknown: its edges cannot be guessed; use terrain partial")
        if parameters["radius"] is not None:
            raise ProblemError("radius is for grids; on a graph the agent sees the edges at its node")
        extra = _surprises(world, terrain, start, goal, seed, parameters)
        edges = graph_knowledge(world, extra)
        truth = world if terrain == "known" else world.with_extra(extra)
        return Terrain(truth, edges)
    if terrain != "known":
        raise ProblemError(
            f"a {type(world).__name__} must be known terrain; grids can be unknown or partial, graphs partial"
        )
    return Terrain(world, Certainty(0))


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


def truth_of(world: World, knowledge: Knowledge) -> World:
    """Return a graph with its hidden obstacles, after it has changed."""
    if isinstance(world, Graph) and isinstance(knowledge, GraphKnowledge):
        return world.with_extra(knowledge.truth)
    return world


def _surprises(
    world: Graph, terrain: str, start: int, goal: int, seed: int, parameters: Mapping[str, Any]
) -> np.ndarray:
    """Return the true extra costs of a graph's edges, beyond the map, or `GONE`."""
    if terrain == "known":
        return nothing_hidden(world)
    if parameters["cost_factor"] is not None:
        room = room_for_rises(world, parameters)
        return hidden_rises(world, parameters["hidden"], seed, parameters["cost_factor"], room)
    return hidden_blocks(world, start, goal, parameters["hidden"], seed, parameters["solvable"])


def reports(
    world: World, goal: int, blocked: Iterable[Any], free: Iterable[Any], costs: Mapping[Any, float]
) -> list[tuple[int, int]]:
    """Return a program's reports about cells, or edges `(from, to)`, as pairs for `see`."""
    kind = "edges (from, to)" if isinstance(world, Graph) else "cells"
    blocked, free = items(blocked, f"blocked is a list of {kind}"), items(free, f"free is a list of {kind}")
    if not isinstance(costs, Mapping):
        raise ProblemError(f"costs must be a dictionary from {kind} to their costs, not {shown(costs)}")
    if isinstance(world, Grid):
        facts = [(blocked, BLOCKED), (free, FREE)]
        told = [(2 * world.inside(cell) + OF_CELL, fact) for cells, fact in facts for cell in cells]
        return told + _reported_costs(world, costs)
    if not isinstance(world, Graph):
        raise ProblemError(f"nothing can be observed of a {type(world).__name__}: it is known terrain")
    told = [(edge, GONE) for pair in blocked for edge in world.edges_between(pair)]
    told += [(edge, world.free_price(edge)) for pair in free for edge in world.edges_between(pair)]
    for pair, cost in costs.items():
        told += [(edge, world.extra_price(edge, cost, goal)) for edge in world.edges_between(pair)]
    return told


def _reported_costs(world: Grid, costs: Mapping[Any, float]) -> list[tuple[int, int]]:
    """Return reported travel costs; a grid without any has them from then on."""
    subjects = [2 * world.inside(cell) + OF_COST for cell in costs]
    given = [number(cost, COST_RULE, lambda each: 1 <= each <= MOST_COST) for cost in costs.values()]
    if given:
        world.allow_costs(max(given))
    return [(subject, world.whole_cost(cost)) for subject, cost in zip(subjects, given, strict=True)]


def check_sums(world: World, knowledge: Knowledge, facts: Mapping[int, int], parameters: Mapping[str, Any]) -> None:
    """Refuse reported costs that are too large to add up."""
    if isinstance(world, Graph) and isinstance(knowledge, GraphKnowledge):
        check_rises(world, knowledge, facts, room_for_rises(world, parameters))


def get_ready_to_leave(knowledge: Knowledge) -> None:
    """Compile the cleanup before anything has been seen: when the agent is deleted it is too late."""
    if isinstance(knowledge, GridKnowledge):
        forget_all(knowledge)


def leave_knowledge(pool: Pool, knowledge: Knowledge) -> None:
    """Leave what the next agent on this world can use: this one is deleted."""
    if isinstance(knowledge, GridKnowledge):
        leave_grid_knowledge(pool, knowledge)


def can_be_at(knowledge: Knowledge, state: int) -> bool:
    """Could the agent be there, as far as it knows?"""
    return not isinstance(knowledge, GridKnowledge) or bool(believed_free(knowledge, state))
