"""A slow, obvious twin of SafeRTS (Cserna, Doyle, Ramsdell and Ruml 2018), over any world that plain Python can ask."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from naive_learning import Search, dijkstra, trace

from timebound.worlds.check import look_at


@dataclass
class BestFirst:
    """A search that goes on; a state keeps the f that it had when it was opened."""

    start: Any
    moves: Callable[[Any], list[tuple[Any, int]]]
    h: Callable[[Any], float]
    at_goal: Callable[[Any], bool]
    hopeless: Callable[[Any], bool]
    expanded: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.number = count()
        self.g, self.parent, self.open_ = {self.start: 0}, {self.start: self.start}, {}
        self.put(self.start)

    def put(self, state: Any) -> None:
        g = self.g[state]
        self.open_[state] = (g + self.h(state), not self.at_goal(state), -g, next(self.number))

    def best(self) -> Any:
        return min(self.open_, key=lambda state: self.open_[state], default=None)

    def advance(self, most: float) -> str:
        for _ in range(int(min(most, 10**6))):
            state = self.best()
            if state is None:
                return "unreachable"
            if self.at_goal(state):
                return "found"
            del self.open_[state]
            self.expanded.append(state)
            for after, cost in self.moves(state):
                if self.g[state] + cost < self.g.get(after, math.inf):
                    self.g[after], self.parent[after] = self.g[state] + cost, state
                    if not self.hopeless(after):
                        self.put(after)
        return "running" if self.open_ else "unreachable"


class Safe:
    """An agent, its escapes and what it has learned."""

    def __init__(self, world: Any, start: Any, goal: Any) -> None:
        self.look = look_at(world, goal)
        self.aimed = self.look.world
        self.position = self.look.first(start)
        self.learned: dict[Any, float] = {}
        self.escapes: dict[Any, Any] = {}
        self.path, self.expansions, self.stop = [self.position], 0, ""

    def h(self, state: Any) -> float:
        return max(self.learned.get(state, 0), self.look.h(state))

    def haven(self, state: Any) -> bool:
        sight: Any = self.aimed.sight
        return bool(self.aimed.functions.safe(sight.data, state)) or self.look.at_goal(state)

    def comfortable(self, state: Any) -> bool:
        return state in self.escapes or self.haven(state)

    def search(self, start: Any, proof: bool) -> BestFirst:
        def hopeless(state: Any) -> bool:
            return self.h(state) == math.inf

        h, at_goal = ((lambda _: 0), self.comfortable) if proof else (self.h, self.look.at_goal)
        return BestFirst(start, self.look.moves, h, at_goal, hopeless)

    def prove(self, state: Any, budget: float) -> tuple[str, BestFirst]:
        proof = self.search(state, proof=True)
        outcome = proof.advance(budget)
        self.expansions += len(proof.expanded)
        if outcome == "found":
            self.escapes.setdefault(proof.best(), proof.best())
            self.lead(proof, proof.best())
        if outcome == "unreachable":
            self.learned[state] = math.inf
        return outcome, proof

    def lead(self, search: BestFirst, state: Any) -> None:
        path = trace(search.parent, state)
        for before, after in zip(path[-2::-1], path[:0:-1], strict=True):
            if before in self.escapes:
                return
            self.escapes[before] = after

    def interval(self, budget: int) -> Any:
        """Plan; return where to go."""
        if not self.comfortable(self.position):
            outcome, proof = self.prove(self.position, budget)
            budget -= len(proof.expanded)
            if outcome == "unreachable":
                self.stop = "unreachable"
                return None
            if outcome == "running":
                return trace(proof.parent, proof.best())[1]
        search, share = self.search(self.position, proof=False), 10
        while True:
            before = len(search.expanded)
            outcome = search.advance(min(budget, share))
            spent = len(search.expanded) - before
            budget, best = budget - spent, search.best()
            if outcome == "found" or best is None or spent == 0 or budget == 0:
                break
            if not self.comfortable(best):
                outcome, proof = self.prove(best, min(budget, share))
                budget -= len(proof.expanded)
                share = 10 if outcome == "found" else 2 * share
                if budget == 0:
                    break
        self.expansions += len(search.expanded)
        if not search.open_:
            self.stop = "unreachable"
            return None
        for state in [*search.open_, *search.expanded]:
            if self.haven(state):
                self.escapes.setdefault(state, state)
        for state in [*search.open_, *search.expanded]:
            if state in self.escapes:
                self.lead(search, state)
        move = self.escape()
        for state in sorted(search.open_, key=lambda s: search.open_[s]):
            path = trace(search.parent, state)
            if any(passed in self.escapes for passed in path[1:]):
                move = path[1]
                break
        closed = [state for state in dict.fromkeys(search.expanded) if state not in search.open_]
        done = Search(search.expanded, closed, [*search.open_], search.g, search.parent)
        self.learned |= {s: max(v, self.h(s)) for s, v in dijkstra(done, self.h, self.look.moves).items()}
        return move

    def escape(self) -> Any:
        after = self.escapes.get(self.position)
        return None if after == self.position else after

    def wait(self) -> Any:
        sight: Any = self.aimed.sight
        after = list(self.aimed.functions.waiting(sight.data, self.position))
        return after[0][0] if after else None

    def run(self, budget: int, most: int) -> None:
        for _ in range(most):
            if self.look.at_goal(self.position):
                self.stop = "goal"
            move = self.interval(budget) if not self.stop else None
            if self.stop:
                return
            after = self.wait() if move is None else move
            if after is None:
                self.stop = "hit"
                return
            if after != self.position:
                self.path.append(after)
            self.position = after
