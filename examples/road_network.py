"""The quickest way through a made-up road network: a NetworkX graph, its coordinates as the heuristic.

Run it with ``python examples/road_network.py``; it needs NetworkX (``pip install networkx``).
"""

import math
import random

import networkx as nx

import timebound as tb

BLOCKS, BLOCK_KM = 40, 0.25
TOWN_KMH, MOTORWAY_KMH = 30.0, 100.0


def road_network(seed: int = 7) -> nx.DiGraph:
    """Make crooked streets, some of them missing or one-way, and a motorway along every tenth of them."""
    chance = random.Random(seed)
    roads = nx.DiGraph()
    for crossing in nx.grid_2d_graph(BLOCKS, BLOCKS):
        roads.add_node(crossing, km=tuple(BLOCK_KM * (place + chance.uniform(-0.3, 0.3)) for place in crossing))
    for here, there in nx.grid_2d_graph(BLOCKS, BLOCKS).edges:
        motorway = any(a == b and a % 10 == 5 for a, b in zip(here, there, strict=True))
        if motorway or chance.random() > 0.15:
            one_way = not motorway and chance.random() < 0.2
            add_road(roads, here, there, MOTORWAY_KMH if motorway else TOWN_KMH, one_way)
    return roads


def add_road(roads: nx.DiGraph, here: tuple[int, int], there: tuple[int, int], kmh: float, one_way: bool) -> None:
    """Add a straight road; its cost is the travel time."""
    km = math.dist(roads.nodes[here]["km"], roads.nodes[there]["km"])
    roads.add_edge(here, there, km=km, minutes=60 * km / kmh)
    if not one_way:
        roads.add_edge(there, here, km=km, minutes=60 * km / kmh)


def main() -> None:
    """Find the quickest way, with and without a heuristic, and print it."""
    roads = road_network()
    # Nobody is faster than on the motorway: in this unit every road costs at least the straight-line distance.
    minutes_at_best = {node: tuple(60 / MOTORWAY_KMH * km for km in data["km"]) for node, data in roads.nodes.items()}
    world = tb.Graph.from_networkx(roads, weight="minutes", heuristic=minutes_at_best)
    blind = tb.Graph.from_networkx(roads, weight="minutes")

    start, goal = (2, 3), (37, 30)
    path = tb.shortest_path(world, start, goal)
    km = sum(roads.edges[road]["km"] for road in nx.utils.pairwise(path.states))
    print(world)
    print(f"From {start} to {goal}: {path.cost:.1f} minutes, {km:.1f} km, {len(path.states) - 1} roads.")
    print(
        f"A* looked at {path.expansions} crossings, Dijkstra's algorithm at "
        f"{tb.shortest_path(blind, start, goal).expansions}."
    )
    print("The way:", " ".join(f"{x},{y}" for x, y in path.states))


if __name__ == "__main__":
    main()
