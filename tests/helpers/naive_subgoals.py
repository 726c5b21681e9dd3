"""Slow, obvious twins of what is prepared for a map."""

import math
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations, count

from naive import grid_moves
from naive_agents import Belief, Walk, astar

import timebound as tb
from timebound.subgoals.abstraction import Abstraction
from timebound.worlds.interface import heuristic

Neighbours = dict[int, list[int]]


def neighbours_of(world: tb.Grid) -> Neighbours:
    """The neighbours of every free cell, in the documented order."""
    free = [int(cell) for cell in world.passable.ravel().nonzero()[0]]
    return {
        cell: [
            cell + dy * world.width + dx
            for dx, dy in grid_moves(world.passable, world.neighbors, world.corners, *world.place(cell))
        ]
        for cell in free
    }


def abstracted(below: Neighbours) -> tuple[dict[int, int], Neighbours]:
    """The abstract state of every state, and the neighbours of the abstract states."""
    cliques: list[set[int]] = []
    unclaimed = set(below)
    for size in (4, 3, 2):
        for state in sorted(below):
            others = [other for other in below[state] if other in unclaimed]
            for chosen in combinations(others, size - 1) if state in unclaimed else ():
                if all(b in below[a] for a, b in combinations(chosen, 2)):
                    cliques.append({state, *chosen})
                    unclaimed -= cliques[-1]
                    break
    for state in sorted(unclaimed):
        if len(below[state]) == 1:
            next(clique for clique in cliques if below[state][0] in clique).add(state)
        else:
            cliques.append({state})
    cliques.sort(key=min)
    parent = {state: number for number, clique in enumerate(cliques) for state in clique}
    above: Neighbours = {number: [] for number in range(len(cliques))}
    for number, clique in enumerate(cliques):
        for state in sorted(clique):
            for other in below[state]:
                if parent[other] not in (number, *above[number]):
                    above[number].append(parent[other])
    return parent, above


def regions_at(world: tb.Grid, level: int) -> list[int]:
    """The region of every cell, -1 of blocked ones."""
    below = neighbours_of(world)
    regions = {cell: cell for cell in below}
    for _ in range(level):
        parent, below = abstracted(below)
        regions = {cell: parent[region] for cell, region in regions.items()}
    return [regions.get(cell, -1) for cell in range(world.states)]


def representatives(world: tb.Grid, regions: list[int]) -> dict[int, int]:
    """The cell nearest to the middle of each region, in whole numbers."""
    cells: dict[int, list[int]] = {}
    for cell, region in enumerate(regions):
        cells.setdefault(region, []).append(cell)
    return {region: nearest_to_middle(world, inside) for region, inside in cells.items() if region >= 0}


def nearest_to_middle(world: tb.Grid, cells: list[int]) -> int:
    places, n = [world.place(cell) for cell in cells], len(cells)
    x, y = (sum(place[axis] for place in places) for axis in (0, 1))
    return min(cells, key=lambda c: (n * world.place(c)[0] - x) ** 2 + (n * world.place(c)[1] - y) ** 2)


def paths_toward(belief: Belief, goal: int) -> tuple[dict[int, int], dict[int, int]]:
    """For every state from which the goal can be reached, the next one on a best path and its cost, by Dijkstra."""
    number = count()
    g, parent, waiting = {goal: 0}, {goal: goal}, {goal: next(number)}
    while waiting:
        state = min(waiting, key=lambda s: (g[s], waiting[s]))
        del waiting[state]
        for other, cost in belief.successors(state):
            if g[state] + cost < g.get(other, math.inf):
                g[other], parent[other], waiting[other] = g[state] + cost, state, next(number)
    return parent, g


def d_lrta(
    belief: Belief, start: int, goal: int, level: int, most: int, most_depth: int = 1, escape: bool = True
) -> Walk:
    """LRTA* from subgoal to subgoal (Bulitko, Björnsson and Lawrence 2010, Figure 1), by a table of region pairs.

    Where subgoals lead in a circle it stops; or, to escape, heads for the goal until it enters a region whose subgoal
    it has not taken. On its way to a subgoal it looks as far ahead as makes the first move from the region's middle
    best.
    """
    world, regions = belief.world, regions_at(belief.world, level)
    middles = representatives(world, regions)
    toward, costs = paths_toward(belief, middles[regions[goal]])
    walk, h, here, target = Walk([start]), {}, None, None
    taken: set[int] = set()

    def subgoal(region: int) -> int:
        state = middles[region]
        while regions[state] == region:
            state = toward[state]
        return state

    @cache
    def depth(region: int) -> int:
        state, by = middles[region], subgoal(region)
        prices = dict(belief.successors(state))
        best, least = 1, math.inf
        for moves in range(1, most_depth + 1):
            first = look_ahead(state, by, moves, belief.successors, lambda other: belief.h(other, by))[0]
            regret = prices[first] + costs[first] - costs[state]
            if regret < least:
                best, least = moves, regret
        return best

    def estimate(state: int) -> int:
        return max(h.get((target, state), 0), belief.h(state, target))

    while walk.path[-1] != goal and len(walk.path) <= most:
        state = walk.path[-1]
        region = regions[state]
        if middles[region] not in toward:
            walk.searches += 1
            return walk
        escaped = here is None and region not in taken
        if target is None or state == target or escaped:  # line 3
            here = None if region in taken else region
            if here is None and not escape:
                return walk
            taken.add(region)
            target = goal if here in (None, regions[goal]) else subgoal(region)
        walk.searches += 1
        far = 1 if here in (None, regions[goal]) else depth(here)
        move, value, expansions = look_ahead(state, target, far, belief.successors, estimate)  # lines 4 and 5
        walk.expansions += expansions
        h[target, state] = max(value, estimate(state))  # line 6
        walk.path.append(move)  # line 7
    walk.solved = walk.path[-1] == goal
    return walk


def look_ahead(
    root: int, goal: int, depth: int, successors: Callable[[int], Iterable[tuple[int, int]]], h: Callable[[int], int]
) -> tuple[int, int, int]:
    """Breadth first to a depth: the first move toward the best state of the frontier, its value, the expansions.

    The value of a state is the largest g + h on the path to it.
    """
    number = count()
    g, moves, first, inserted, waiting = {root: 0}, {root: 0}, {}, {root: next(number)}, {root}
    parent: dict[int, int] = {}
    frontier, expansions = [], 0
    while waiting:
        state = min(waiting, key=lambda t: (g[t], inserted[t]))
        waiting.remove(state)
        if state == goal or moves[state] >= depth:
            frontier.append(state)
            continue
        expansions += 1
        for t, cost in successors(state):
            if g[state] + cost < g.get(t, math.inf):
                g[t], moves[t], inserted[t] = g[state] + cost, moves[state] + 1, next(number)
                first[t], parent[t] = first.get(state, t), state
                waiting.add(t)

    def value(state: int) -> int:
        f = g[state] + h(state)
        return f if state == root else max(f, value(parent[state]))

    best = min(frontier, key=lambda t: (value(t), t != goal, -g[t], inserted[t]))
    return first[best], value(best), expansions


def pr_lrta(belief: Belief, start: int, goal: int, level: int, depth: int, gamma: float, most: int) -> Walk:
    """LRTA* on the abstract map, moves refined by A*."""
    world, regions = belief.world, regions_at(belief.world, level)
    middles, reached = representatives(world, regions), paths_toward(belief, start)[0]
    graph = Abstraction(world).graph(level)
    abstract = graph.compiled(regions[goal])
    abstract = abstract._replace(coordinates=abstract.coordinates / gamma, farthest=abstract.farthest / gamma)
    walk, learned, visited = Walk([start]), {}, set()

    def joined(region: int) -> Iterable[tuple[int, int]]:
        row = abstract.edges[abstract.first[region] : abstract.first[region + 1]]
        return zip(row["target"].tolist(), row["price"].tolist(), strict=True)

    def h(region: int) -> int:
        return max(learned.get(region, 0), int(heuristic(abstract, region)))

    while walk.path[-1] != goal and len(walk.path) <= most:
        state, here = walk.path[-1], regions[walk.path[-1]]
        walk.searches += 1
        if goal not in reached:
            return walk
        there = here
        if here != regions[goal]:
            there, value, expansions = look_ahead(here, regions[goal], 1 if here in visited else depth, joined, h)
            walk.expansions += expansions
            visited.add(here)
            if value > h(here):
                learned[here] = value
                visited.clear()
        target = goal if there == regions[goal] else middles[there]
        inside = {cell for cell in range(world.states) if regions[cell] in (here, there)}

        def moves(cell: int, inside: set[int] = inside) -> Iterable[tuple[int, int]]:
            return [(t, cost) for t, cost in belief.successors(cell) if t in inside]

        expanded, _, path = astar(state, target, moves, lambda cell, target=target: belief.h(cell, target))
        walk.expansions += len(expanded)
        for cell in path[1:]:
            walk.path.append(cell)
            if regions[cell] == there != regions[goal]:
                break
    walk.solved = walk.path[-1] == goal
    return walk
