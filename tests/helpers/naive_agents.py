"""Slow, obvious twins of the complete agents, written from the papers' pseudocode."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count, pairwise

import numpy as np
from naive import DIAGONAL, KNIGHT, STRAIGHT, grid_moves

import timebound as tb
from timebound.worlds.interface import aimed, heuristic


@dataclass
class Walk:
    """What an agent did."""

    path: list[int]
    expansions: int = 0
    searches: int = 0
    solved: bool = False


@dataclass
class Belief:
    """What an agent believes: an assumed map, corrected by what its sensor finds in neighbouring cells."""

    world: tb.Grid  # its rules and costs
    passable: np.ndarray
    truth: np.ndarray
    goals: dict[int, object] = field(default_factory=dict)

    def moves(self, state: int) -> list[tuple[int, int]]:
        x, y = self.world.place(state)
        if not self.passable[y, x]:
            return []
        return list(grid_moves(self.passable, self.world.neighbors, self.world.corners, x, y))

    def successors(self, state: int) -> Iterable[tuple[int, int]]:
        for dx, dy in self.moves(state):
            length = {1: 1.0, 2: self.world.diagonal, 5: math.sqrt(5)}[dx * dx + dy * dy]
            yield state + dy * self.world.width + dx, round(length * self.world.unit)

    def predecessors(self, state: int) -> Iterable[tuple[int, int]]:
        return self.successors(state)

    def cost(self, state: int, successor: int) -> float:
        return dict(self.successors(state)).get(successor, math.inf)

    def h(self, state: int, goal: int) -> int:
        aimed = self.goals.setdefault(goal, self.world.compiled(goal))
        return int(heuristic(aimed, state))

    def sense(self, state: int) -> list[int]:
        """Look around; return the states whose moves changed, in the order of the discoveries."""
        changed = []
        x, y = self.world.place(state)
        for dx, dy in (STRAIGHT + DIAGONAL + KNIGHT)[: self.world.neighbors]:
            cx, cy = x + dx, y + dy
            inside = 0 <= cx < self.world.width and 0 <= cy < self.world.height
            if inside and self.passable[cy, cx] != self.truth[cy, cx]:
                around = [
                    ny * self.world.width + nx
                    for ny in range(max(0, cy - 2), min(self.world.height, cy + 3))
                    for nx in range(max(0, cx - 2), min(self.world.width, cx + 3))
                ]
                before = [self.moves(near) for near in around]
                self.passable[cy, cx] = self.truth[cy, cx]
                changed += [near for near, old in zip(around, before, strict=True) if self.moves(near) != old]
        return changed


@dataclass
class GraphBelief:
    """The same for a graph: some edges turn out to be missing when the agent is at one of their ends."""

    world: tb.Graph
    gone: np.ndarray  # of every edge, in truth
    seen: set[int] = field(default_factory=set)

    def edges(self) -> Iterable[tuple[int, int, int, int]]:
        sources, targets = self.world.ends()
        prices = self.world.compiled_map.edges["price"]
        for edge, ends in enumerate(zip(sources.tolist(), targets.tolist(), prices.tolist(), strict=True)):
            yield edge, *ends

    def believed(self) -> Iterable[tuple[int, int, int]]:
        return ((u, v, price) for edge, u, v, price in self.edges() if edge not in self.seen)

    def successors(self, state: int) -> Iterable[tuple[int, int]]:
        return [(v, price) for u, v, price in self.believed() if u == state]

    def predecessors(self, state: int) -> Iterable[tuple[int, int]]:
        return [(u, price) for u, v, price in self.believed() if v == state]

    def cost(self, state: int, successor: int) -> float:
        return min((price for v, price in self.successors(state) if v == successor), default=math.inf)

    def h(self, state: int, goal: int) -> int:
        return int(heuristic(aimed(self.world.compiled_map, goal), state))

    def sense(self, state: int) -> None:
        self.seen |= {edge for edge, u, v, _ in self.edges() if state in (u, v) and self.gone[edge]}


def astar(
    start: int, goal: int, successors: Callable[[int], Iterable[tuple[int, int]]], h: Callable[[int], int]
) -> tuple[list[int], dict[int, int], list[int]]:
    """The states in order of expansion, g, and the path (empty if there is none), by the library's rule for ties."""
    number = count()
    g, parent, open_ = {start: 0}, {start: start}, {start: next(number)}
    expanded: list[int] = []
    while open_:
        state = min(open_, key=lambda s: (g[s] + h(s), s != goal, -g[s], open_[s]))
        if state == goal:
            path = [goal]
            while path[-1] != start:
                path.append(parent[path[-1]])
            return expanded, g, path[::-1]
        del open_[state]
        expanded.append(state)
        for successor, cost in successors(state):
            if g[state] + cost < g.get(successor, math.inf):
                g[successor], parent[successor], open_[successor] = g[state] + cost, state, next(number)
    return expanded, g, []


def repeated_astar(
    belief: Belief | GraphBelief, start: int, goal: int, backward: bool = False, adaptive: bool = False
) -> Walk:
    """Search, follow the path, search again when a move ahead is no longer possible.

    Adaptive: after every search, h(s) := f(goal) - g(s) for every expanded state s (Koenig and Likhachev 2005).
    """
    walk, ahead = Walk([start]), []
    learned: dict[int, int] = {}

    def h(state: int) -> int:
        return max(learned.get(state, 0), belief.h(state, start if backward else goal))

    while walk.path[-1] != goal:
        belief.sense(walk.path[-1])
        if not ahead or any(math.isinf(belief.cost(*move)) for move in pairwise(ahead)):
            start = walk.path[-1]
            ends = (goal, start) if backward else (start, goal)
            expanded, g, ahead = astar(*ends, belief.predecessors if backward else belief.successors, h)
            walk.expansions += len(expanded)
            walk.searches += 1
            if not ahead:
                return walk
            if adaptive:
                learned.update({state: max(h(state), g[goal] - g[state]) for state in expanded})
            if backward:
                ahead.reverse()
        ahead.pop(0)
        walk.path.append(ahead[0])
    walk.solved = True
    return walk


def dstar_lite(belief: Belief, start: int, goal: int, larger_g: bool = False) -> Walk:
    """The optimised version (Koenig and Likhachev 2002, Figure 4); among equal keys, the earlier insertion first.

    With `larger_g`, the second key of a state that became cheaper is -rhs, of one that became more expensive -infinity.
    """
    walk, number, modifier, last = Walk([start], searches=1), count(), 0, start
    infinity, planned = math.inf, math.inf
    g: dict[int, float] = {}
    rhs: dict[int, float] = {goal: 0}
    queue: dict[int, tuple[tuple[float, float], int]] = {}

    def key(state: int) -> tuple[float, float]:
        old, new = g.get(state, infinity), rhs.get(state, infinity)
        second = min(old, new) if not larger_g else -new if old > new else -infinity
        return min(old, new) + belief.h(state, start) + modifier, second

    def may_matter(first: float, second: float) -> bool:
        if larger_g and second == -infinity:
            return first <= key(start)[0]
        return first < key(start)[0] if larger_g else (first, second) < key(start)

    def update(state: int) -> None:
        if g.get(state, infinity) == rhs.get(state, infinity):
            queue.pop(state, None)
        elif state not in queue or queue[state][0] != key(state):
            queue[state] = key(state), next(number)

    def look_ahead(state: int) -> float:
        return min((cost + g.get(other, infinity) for other, cost in belief.successors(state)), default=infinity)

    def downhill(state: int) -> int:
        return min(belief.successors(state), key=lambda move: move[1] + g.get(move[0], infinity), default=(goal, 0))[0]

    def path_changed() -> bool:
        """Does the path cost something else, or does it no longer begin with the same move?"""
        through = belief.cost(start, expected) + g.get(expected, infinity)
        return not rhs.get(start, infinity) == through == planned

    def compute_shortest_path() -> None:
        while queue:
            state = min(queue, key=lambda s: queue[s])
            old_key = queue[state][0]
            if not (may_matter(*old_key) or rhs.get(start, infinity) > g.get(start, infinity)):
                return
            if old_key < key(state):
                queue[state] = key(state), next(number)
                continue
            walk.expansions += 1
            del queue[state]
            if g.get(state, infinity) > rhs[state]:
                g[state] = rhs[state]
                for other, cost in belief.successors(state):
                    if cost + g[state] < rhs.get(other, infinity):
                        rhs[other] = cost + g[state]
                        update(other)
            else:
                old, g[state] = g[state], infinity
                update(state)
                for other, cost in belief.successors(state):
                    if other != goal and rhs.get(other, infinity) == cost + old:
                        rhs[other] = look_ahead(other)
                        update(other)

    update(goal)
    belief.sense(start)
    while start != goal:
        compute_shortest_path()
        if len(walk.path) > 1 and path_changed():
            walk.searches += 1
        if rhs.get(start, infinity) == infinity:
            return walk
        start = downhill(start)
        walk.path.append(start)
        expected, planned = downhill(start), g[start]
        changed = belief.sense(start) if start != goal else []
        if changed:
            modifier += belief.h(last, start)
            last = start
            for state in changed:
                if state != goal:
                    rhs[state] = look_ahead(state)
                    update(state)
    walk.solved = True
    return walk


def reachable(world: tb.Grid, start: tuple[int, int]) -> set[tuple[int, int]]:
    """Every cell that can be reached, by breadth-first search."""
    found, queue = {start}, [start]
    while queue:
        x, y = queue.pop()
        for dx, dy in grid_moves(world.passable, world.neighbors, world.corners, x, y):
            if (x + dx, y + dy) not in found:
                found.add((x + dx, y + dy))
                queue.append((x + dx, y + dy))
    return found
