"""What an agent believes about a graph: edges may turn out to be blocked, or to cost something else."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.distinct import distinct
from ..core.errors import ProblemError
from ..core.integers import Int
from ..core.memory import untouched
from ..core.wording import shown
from ..search.learning import INFINITE
from ..search.listener import BARRED, OBSERVE, Nobody, hear
from ..search.orders import Order
from ..worlds.compiled_graph import GONE
from ..worlds.graph import Graph
from .interface import News, added_cost, reported, see, sense, without_repeats

DRAWS = 100


class GraphKnowledge(NamedTuple):
    """An agent's belief about a graph."""

    first: np.ndarray  # as in CompiledGraph
    edges: np.ndarray
    last: np.ndarray
    entries: np.ndarray
    extra: np.ndarray  # the believed price is the map's plus this; GONE: there is no such edge
    truth: np.ndarray  # what extra really is; empty if only a program knows
    added: np.ndarray  # one number: the sum of everything above 0 in extra
    listener: Any = Nobody()


@see.of(GraphKnowledge)
@compiled
def learn_edge(knowledge: GraphKnowledge, edge: Int, fact: int, news: News) -> News:
    """Note that an edge is GONE, or costs `extra` more than on the map."""
    before = knowledge.extra[edge]
    if before == fact:
        return news
    knowledge.extra[edge] = fact
    knowledge.added[0] += rise_of(fact) - rise_of(before)
    price = borrow(knowledge.edges)[edge].price
    tell_of_edge(knowledge, edge)
    return compared(knowledge, edge, price + before, price + fact, news)


@inlined
def tell_of_edge(knowledge: Any, edge: Int) -> None:
    """Report the believed cost of an edge to the listener."""
    there, extra = borrow(knowledge.edges)[edge], knowledge.extra[edge]
    cost = BARRED if there.price + extra < 0 else there.price + extra
    hear(knowledge.listener, OBSERVE, source_of(knowledge.first, edge), np.int64(there.target), cost, 0)


@inlined
def compared(knowledge: Any, edge: Int, before: int, now: int, news: News) -> News:
    """Add a changed price of an edge to the news; below 0 it is blocked."""
    if before == now or (before < 0 and now < 0):
        return news
    return reported(news, source_of(knowledge.first, edge), now >= 0 and (before < 0 or now < before))


@inlined
def rise_of(extra: int) -> int:
    """Return how much an edge adds to the cost of the longest path on the map, which includes blocked edges."""
    return extra if 0 < extra < -GONE >> 1 else 0


@compiled
def edges_changed(knowledge: Any, edges: np.ndarray, before: np.ndarray, at_once: bool, news: News) -> News:
    """Process changed edges of the agent's map; it learns of them `at_once`, or keeps its belief.

    Earlier reports about them are void. Its sensor will find what the map says now.
    """
    for i in range(len(edges)):
        edge, old = edges[i], knowledge.extra[edges[i]]
        price, was = borrow(knowledge.edges)[edge].price, before[i] + old
        knowledge.truth[edge] = 0
        knowledge.extra[edge] = 0 if at_once else GONE if was < 0 else was - price
        knowledge.added[0] += rise_of(knowledge.extra[edge]) - rise_of(old)
        if at_once:
            tell_of_edge(knowledge, edge)
            news = compared(knowledge, edge, was, price, news)
    return without_repeats(news, len(knowledge.first))


added_cost.of(GraphKnowledge)(lambda knowledge: knowledge.added[0])


@compiled
def source_of(first: np.ndarray, edge: Int) -> int:
    """Return the state that an edge leaves: the last whose edges begin at or before it."""
    low, high = 0, len(first) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if first[middle] <= edge:
            low = middle
        else:
            high = middle
    return low


@sense.of(GraphKnowledge)
@compiled
def sense_edges(knowledge: GraphKnowledge, state: Int, news: News) -> News:
    """Look at every edge that leaves the state or enters it."""
    if len(knowledge.truth) == 0:
        return news
    edge: Int
    for edge in range(knowledge.first[state], knowledge.first[state + 1]):
        news = learn_edge(knowledge, edge, knowledge.truth[edge], news)
    entries = borrow(knowledge.entries)
    for i in range(knowledge.last[state], knowledge.last[state + 1]):
        edge = np.int64(entries[i].edge)
        news = learn_edge(knowledge, edge, knowledge.truth[edge], news)
    return news


def graph_knowledge(world: Graph, truth: np.ndarray) -> GraphKnowledge:
    """Make the knowledge of an agent whose map is the graph."""
    compiled_world = world.compiled_map
    extra = untouched(len(compiled_world.edges), np.int64)
    edges = (compiled_world.first, compiled_world.edges, compiled_world.last, compiled_world.entries)
    return GraphKnowledge(*edges, extra, truth, np.zeros(1, np.int64))


def rescaled_graph_knowledge(world: Graph, knowledge: GraphKnowledge, factor: float) -> GraphKnowledge:
    """Return the same knowledge for another unit of costs."""
    for extra in (knowledge.extra, knowledge.truth):
        open_on_map, left = np.abs(extra) < -GONE >> 1, extra != GONE
        prices = np.where(open_on_map, extra, np.where(left, extra + GONE, 0))  # for the others, their new cost
        finer = np.ceil(prices * factor).astype(np.int64)
        extra[left] = np.where(open_on_map, finer, finer - GONE)[left]
    knowledge.added[0] = sum(map(rise_of, knowledge.extra[knowledge.extra > 0].tolist()))
    compiled_world = world.compiled_map
    return knowledge._replace(edges=compiled_world.edges)


def room_for_rises(world: Graph, parameters: Mapping[str, Any]) -> int:
    """Return how much may be added to costs while sums stay exact: f fits into 64 bits, and no h gets `INFINITE`."""
    order, overestimate = Order.of(world, parameters.get("weight", 1.0)), parameters.get("update_weight", 1)
    most_f = 2**62 // (order.g_weight + overestimate * order.h_weight)
    return max(0, min((INFINITE - 1) // overestimate, most_f) - world.longest)


def check_rises(world: Graph, knowledge: GraphKnowledge, facts: Mapping[int, int], room: int) -> None:
    """Reject reports that would make sums of costs inexact."""
    added = int(knowledge.added[0])
    for edge, fact in facts.items():
        added += rise_of(fact) - rise_of(int(knowledge.extra[edge]))
        if fact > 0 and added > room:
            raise ProblemError(
                f"the cost of the edge {world.labels.edge(*world.ends_of(edge))} is too large for the others: "
                f"costs may rise by {room / world.unit:.3g} in total while sums stay exact"
            )


def hidden_rises(world: Graph, share: float, seed: int, factor: float, room: int) -> np.ndarray:
    """Return the extra cost of every edge: a share of them cost more by a factor, both directions together.

    The sum must not exceed `room`.
    """
    roads, count = _roads(world)
    expensive = np.zeros(count, bool)
    expensive[np.random.default_rng(seed).choice(count, math.floor(share * count + 0.5), replace=False)] = True
    rises = np.where(expensive[roads], np.ceil(world.compiled_map.edges["price"] * (float(factor) - 1)), 0.0)
    if rises.sum() > room:
        raise ProblemError(
            f"cost_factor={factor!r} makes the costs of this graph too large for exact sums; use a smaller one"
        )
    return rises.astype(np.int64)


def _roads(world: Graph) -> tuple[np.ndarray, int]:
    """Return the road of each edge (edges that join the same two nodes belong together), and the number of roads."""
    ends = np.sort(np.stack(world.ends(), axis=1), axis=1)
    roads = distinct(ends)[1]
    return roads, int(roads.max(initial=-1)) + 1


def hidden_blocks(world: Graph, start: int, goal: int, share: float, seed: int, solvable: bool) -> np.ndarray:
    """Return `GONE` for a share of the edges, both directions together, and 0 for the others."""
    roads, count = _roads(world)
    generator = np.random.default_rng(seed)
    for _ in range(DRAWS):
        blocked = np.zeros(count, bool)
        blocked[generator.choice(count, math.floor(share * count + 0.5), replace=False)] = True
        truth = np.where(blocked[roads], GONE, 0)
        if not solvable or world.has_way(start, goal, ~blocked[roads]):
            return truth
    ends = f"{shown(world.place(start))} to {shown(world.place(goal))}"
    raise ProblemError(
        f"none of {DRAWS} draws of hidden obstacles left a path from {ends}; "
        "try a smaller share, another seed, or solvable=False"
    )
