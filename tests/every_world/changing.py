"""Worlds that change under agents, at random: the drills of `test_changing_worlds` and of `bench/changes.py`.

Nothing here asks the agent what is true: the world is followed in plain Python, and every end is checked by Dijkstra's
algorithm.
"""

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

import timebound as tb

LIMIT = 20_000  # intervals: no end
BUDGETS: list[dict[str, float]] = [{"expansions": 1}, {"expansions": 4}, {"virtual_ms": 0.001}, {}]
KINDS = {kind.name: kind for kind in tb.catalogue()}
MIXES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in KINDS),
    ("repeated-astar", {"direction": "backward"}),
    ("repeated-astar", {"fallback": "nearest"}),
    ("rtaa", {"lookahead": 3, "movements": 1, "weight": 2}),
    ("rtaa", {"lookahead": 5, "learning": "lazy"}),
    ("lrta", {"depth": 3}),
    ("lss-lrta", {"fallback": "nearest"}),
    ("lss-lrta", {"update_weight": 3, "lookahead": 4}),
    ("dstar-lite", {"fallback": "nearest"}),
    ("tba", {"trace_ratio": None, "shortcut": True}),
    ("tba", {"learning": "dijkstra"}),
    ("tbr-wastar", {"learning": "adaptive", "weight": 1}),
]
Cell = tuple[int, int]


class Beliefs:
    """A grid in plain Python: which cells are free, and what they cost."""

    def __init__(self, world: tb.Grid):
        self.world, self.free = world, world.passable.copy()
        self.costs = np.ones(world.shape) if world.travel is None else world.travel.copy()

    def moves(self, here: Cell) -> Iterator[tuple[Cell, float]]:
        """The moves from a cell, and their costs. An agent can leave a blocked cell."""
        (x, y), world = here, self.world
        for dx, dy in [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)][: world.neighbors]:
            needed = [(x + dx, y + dy)]
            if dx and dy and world.corners == "strict":
                needed += [(x + dx, y), (x, y + dy)]
            if all(self.is_free(cell) for cell in needed):
                length = world.diagonal if dx and dy else 1.0
                yield (x + dx, y + dy), length * (self.costs[y, x] + self.costs[y + dy, x + dx]) / 2

    def is_free(self, cell: Cell) -> bool:
        inside = 0 <= cell[0] < self.world.width and 0 <= cell[1] < self.world.height
        return inside and bool(self.free[cell[1], cell[0]])

    def distances(self, start: Cell) -> dict[Cell, float]:
        """Dijkstra's algorithm. Moves between free cells can be undone, so that these are distances to it as well."""
        known: dict[Cell, float] = {}
        waiting = [(0.0, start)]
        while waiting:
            cost, cell = heapq.heappop(waiting)
            if cell not in known:
                known[cell] = cost
                for after, price in self.moves(cell):
                    heapq.heappush(waiting, (cost + price, after))
        return known


def believed(agent: tb.Agent) -> Beliefs:
    """What an agent on a grid believes."""
    from timebound.knowledge.grid import believed_free

    agent.catch_up()
    beliefs = Beliefs(agent.world)
    knowledge = agent._knowledge
    cells = [bool(believed_free(knowledge, cell)) for cell in range(agent.world.states)]
    beliefs.free = np.array(cells).reshape(agent.world.shape)
    if len(knowledge.own):
        own = knowledge.own.reshape(agent.world.shape) * 2.0**-knowledge.travel_bits
        beliefs.costs = np.where(own > 0, own, beliefs.costs)
    return beliefs


class Drill(ABC):
    """One agent, and changes of its world at random."""

    agent: tb.Agent
    generator: np.random.Generator
    longest_walk: int
    """The most intervals between two changes."""

    def run(self, changes: int) -> None:
        """Make that many changes, walk between them, then walk to the end."""
        for _ in range(changes):
            self.change()
            if self.generator.random() < 0.3:
                self.check_h()
            for _ in range(int(self.generator.integers(self.longest_walk + 1))):
                self.walk()
        for _ in range(LIMIT):
            if self.agent.done:
                break
            self.walk()
        self.check_end()

    @abstractmethod
    def change(self) -> None:
        """Change the world, the goal, or what the agent is told."""

    @abstractmethod
    def walk(self) -> None:
        """Run one interval."""

    @abstractmethod
    def check_h(self) -> None:
        """Check that no learned value exceeds the true cost."""

    @abstractmethod
    def check_end(self) -> None:
        """Check that the agent has reached its goal, or has proved that it cannot."""


class GridDrill(Drill):
    """One agent on a random grid that changes while it walks."""

    longest_walk = 4

    def __init__(self, name: str, parameters: dict[str, Any], terrain: str, generator: np.random.Generator):
        self.generator, height, width = generator, int(generator.integers(1, 7)), int(generator.integers(2, 8))
        passable = generator.random((height, width)) >= generator.choice([0.0, 0.2, 0.4])
        passable[0, 0] = passable[-1, -1] = True
        travel = generator.choice([1.0, 1.5, 4.0], passable.shape) if generator.random() < 0.3 else None
        corners = str(generator.choice(["strict", "cut"]))
        self.world = tb.Grid(passable, neighbors=int(generator.choice([4, 8])), corners=corners, travel=travel)
        hidden = {"hidden": 0.2, "solvable": False, "seed": int(generator.integers(99))} if terrain == "partial" else {}
        self.agent = tb.make(name, self.world, (0, 0), (width - 1, height - 1), terrain=terrain, **hidden, **parameters)
        self.budget = BUDGETS[int(generator.integers(len(BUDGETS)))]
        self.own_loop = bool(generator.random() < 0.5)

    def change(self) -> None:
        cells = [self.any_cell() for _ in range(int(self.generator.integers(1, 4)))]
        what = self.generator.choice(["block", "unblock", "put", "refuse", "retarget", "cost", "tell"])
        if what in ("block", "unblock"):
            getattr(self.world, str(what))(cells)
        elif what == "cost":
            self.world.set_cost(cells, float(self.generator.choice([1, 1.5, 4])))
        elif what == "tell":
            self.tell(cells)
        elif what == "retarget":
            if self.world.passable[cells[0][1], cells[0][0]] and cells[0] != self.agent.position:
                self.agent.retarget(cells[0])
        elif not self.agent.done:
            self.meddle(str(what))

    def tell(self, cells: list[Cell]) -> None:
        """Report something, true or false; a wall that is reported free still cannot be crossed."""
        agent = self.agent
        what = self.generator.choice(["blocked", "free", "costs"])
        cells = [cell for cell in cells if cell != agent.position]
        if what == "free":
            cells = [cell for cell in cells if agent.truth.passable[cell[1], cell[0]]]
        if agent.stop in ("going", "unreachable"):
            costs = {cell: float(self.generator.choice([1, 2.5, 6])) for cell in cells}
            agent.observe(**{str(what): costs if what == "costs" else cells})

    def meddle(self, what: str) -> None:
        """Refuse the move that the agent wants to make, or put it elsewhere."""
        agent = self.agent
        wish = agent.plan(**self.budget)
        if agent.done:
            return
        there = agent.position if what == "refuse" else self.any_cell()
        beliefs = believed(agent)
        if there == agent.position or (beliefs.is_free(there) and self.world.passable[there[1], there[0]]):
            agent.moved(there)
        else:
            agent.moved(wish if self.allowed(agent.position, wish) else agent.position)

    def any_cell(self) -> Cell:
        return int(self.generator.integers(self.world.width)), int(self.generator.integers(self.world.height))

    def allowed(self, here: Cell, there: Cell) -> bool:
        truth = Beliefs(self.agent.truth)
        return there == here or there in dict(truth.moves(here))

    def walk(self) -> None:
        """Run one interval, in the library's loop or in a custom one."""
        agent = self.agent
        if agent.done:
            return
        here = agent.position
        if self.own_loop:
            agent.sense()
            wish = agent.plan(**self.budget)
            assert wish == here or wish in dict(believed(agent).moves(here)), "no move into what it knows to be a wall"
            if not agent.done:
                agent.moved(wish if self.allowed(here, wish) else here)
        else:
            there = agent.step(**self.budget)
            assert self.allowed(here, there), f"from {here} to {there}"

    def check_h(self) -> None:
        agent = self.agent
        if not agent._learning:
            return
        away, unit = believed(agent).distances(agent.goal), self.world.unit
        weight, h = agent.parameters.get("update_weight", 1), agent.h()
        for cell, cost in away.items():
            learned = h[cell[1] * self.world.width + cell[0]]
            if cell != agent.goal and believed(agent).is_free(cell) and believed(agent).is_free(agent.goal):
                assert learned <= weight * cost * unit + 1e-6 * unit, f"h of {cell} is {learned / unit}, not {cost}"

    def check_end(self) -> None:
        """The goal, or a proof that Dijkstra's algorithm confirms: in what the agent believes, or in the truth."""
        agent = self.agent
        assert agent.stop in ("goal", "unreachable"), agent.stop
        if agent.stop == "unreachable":
            assert agent.goal not in believed(agent).distances(agent.position) or agent.position == agent.goal
        assert math.isfinite(agent.episode().cost)


Costs = dict[tuple[int, int], float]  # of edges


def costs_to(costs: Costs, goal: int) -> dict[int, float]:
    """Dijkstra's algorithm, backward: what it costs from every node to the goal."""
    known: dict[int, float] = {}
    waiting = [(0.0, goal)]
    while waiting:
        cost, node = heapq.heappop(waiting)
        if node not in known:
            known[node] = cost
            for (u, v), price in costs.items():
                if v == node:
                    heapq.heappush(waiting, (cost + price, u))
    return known


class GraphDrill(Drill):
    """One agent on a random graph whose edges are blocked, opened, and cost more or less while it walks."""

    longest_walk = 3

    def __init__(self, name: str, parameters: dict[str, Any], terrain: str, generator: np.random.Generator):
        self.generator, self.nodes = generator, int(generator.integers(2, 10))
        one_way = bool(generator.random() < 0.3)
        self.roads: Costs = {}
        for u, v in generator.integers(self.nodes, size=(2 * self.nodes, 2)).tolist():
            self.roads[u, v] = float(generator.integers(1, 10))
            if not one_way:
                self.roads[v, u] = self.roads[u, v]
        places = generator.integers(2, size=(self.nodes, 1)) if generator.random() < 0.5 else None
        edges = [(u, v, cost) for (u, v), cost in self.roads.items()]
        self.world = tb.Graph.from_edges(edges, nodes=range(self.nodes), heuristic=places)
        start, goal = generator.integers(self.nodes, size=2).tolist()
        hidden = {"hidden": 0.3, "solvable": False, "seed": int(generator.integers(99))} if terrain == "partial" else {}
        self.agent = tb.make(name, self.world, start, goal, terrain=terrain, **hidden, **parameters)
        self.budget = BUDGETS[int(generator.integers(len(BUDGETS)))]
        self.costs, self.blocked = dict(self.roads), set[tuple[int, int]]()
        self.moved: list[tuple[int, int]] = []

    def change(self) -> None:
        roads = list(self.roads)
        some = [roads[i] for i in self.generator.integers(len(roads), size=2).tolist()]
        what = self.generator.choice(["block", "unblock", "cost", "retarget", "put"])
        if what == "block":
            self.world.block(some)
            self.blocked.update(some)
        elif what == "unblock":
            self.world.unblock(some)
            self.blocked.difference_update(some)
        elif what == "cost":
            cost = float(self.generator.choice([1, 2.5, 7, 20]))
            self.world.set_cost(some, cost)
            self.costs.update(dict.fromkeys(some, cost))
        else:
            self.meddle(str(what), int(self.generator.integers(self.nodes)))

    def meddle(self, what: str, node: int) -> None:
        if what == "retarget" and node != self.agent.position:
            self.agent.retarget(node)
        elif what == "put" and not self.agent.done:
            self.agent.moved(node)

    def truth(self) -> Costs:
        """What the edges really cost."""
        from timebound.worlds.compiled_graph import GONE

        agent, prices = self.agent, self.world.compiled_map.edges["price"]
        agent.catch_up()
        sources, targets = self.world.ends()
        pairs = zip(sources.tolist(), targets.tolist(), prices, agent._knowledge.truth, strict=True)
        return {(u, v): self.costs[u, v] for u, v, price, extra in pairs if price != GONE and extra != GONE}

    def believed(self) -> Costs:
        """What the agent believes the edges cost."""
        self.agent.catch_up()
        prices = self.world.compiled_map.edges["price"] + self.agent._knowledge.extra
        sources, targets = self.world.ends()
        pairs = zip(sources.tolist(), targets.tolist(), prices, strict=True)
        return {(u, v): float(price) / self.world.unit for u, v, price in pairs if price >= 0}

    def walk(self) -> None:
        agent = self.agent
        if agent.done:
            return
        truth, here = self.truth(), agent.position
        assert {(u, v) for u, v in truth} <= set(self.roads) - self.blocked
        there = agent.step(**self.budget)
        assert there == here or (here, there) in truth, f"no edge from {here} to {there}"

    def check_h(self) -> None:
        agent = self.agent
        if agent._learning:
            h, weight = agent.h() / self.world.unit, agent.parameters.get("update_weight", 1)
            for node, cost in costs_to(self.believed(), agent.goal).items():
                assert h[node] <= weight * cost + 1e-6, f"h of {node} is {h[node]}, not {cost}"

    def check_end(self) -> None:
        agent = self.agent
        one_way = not all((v, u) in self.believed() for u, v in self.believed())
        assert agent.stop in ("goal", "unreachable", *(["stuck"] if one_way else [])), agent.stop
        if agent.stop == "unreachable":
            assert agent.position not in costs_to(self.believed(), agent.goal)
