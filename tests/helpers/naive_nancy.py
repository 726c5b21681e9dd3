"""A slow, obvious twin of Nancy (Mitchell, Ruml, Spaniol, Hoffmann, Petrik 2019): known terrain, random costs."""

import math
from typing import Any

from naive_expected import Expecting
from naive_learning import LearningWalk, Search, trace

Belief = tuple[float, float]  # mean and deviation


def cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def least_of(one: Belief, other: Belief) -> Belief:
    """The least of two normal costs (Clark 1961)."""
    spread = math.hypot(one[1], other[1])
    if spread == 0:
        return min(one[0], other[0]), 0
    x = (other[0] - one[0]) / spread
    p, q, d = cdf(x), cdf(-x), pdf(x)
    mean = one[0] * p + other[0] * q - spread * d
    square = (one[1] ** 2 + one[0] ** 2) * p + (other[1] ** 2 + other[0] ** 2) * q - (one[0] + other[0]) * spread * d
    return mean, math.sqrt(max(0, square - mean**2))


def regret(chosen: Belief, other: Belief) -> float:
    """How much more the chosen one is expected to cost, where it does."""
    spread, more = math.hypot(chosen[1], other[1]), chosen[0] - other[0]
    if spread == 0:
        return max(0, more)
    return more * cdf(more / spread) + spread * pdf(more / spread)


class Nancy(Expecting):
    """An agent that believes."""

    k = 3

    def look(self, lookahead: int) -> tuple[Search, int | None]:
        """Expand by risk; return the search, and the state to go to."""
        root = self.position
        self.g, self.parent, self.move = {root: 0}, {root: root}, {root: root}
        self.f: dict[int, int] = {}
        self.turn: dict[int, int] = {}
        self.open_: set[int] = set()
        expanded: list[int] = []
        self.expand(root, expanded)
        while True:
            beliefs = {move: self.believe(move) for move in dict.fromkeys(self.move.values()) if self.behind(move)}
            if not beliefs:
                return self.done(expanded), None
            least = min(beliefs, key=lambda move: beliefs[move][0])
            best = self.behind(least)[0]
            if best == self.goal:
                return self.done(expanded), best
            if len(expanded) >= lookahead:
                if self.careful:
                    best = min(self.open_, key=lambda state: self.g[state] + self.h(state))
                return self.done(expanded), best
            left = max(1, lookahead - len(expanded))
            gains = {}  # by how much the risk falls
            for move, (mean, deviation) in beliefs.items():
                if self.behind(move)[0] == self.goal:
                    continue
                share = min(1, left / len(self.behind(move)) / max(1, self.moves(self.behind(move)[0])[0]))
                then = beliefs | {move: (mean, deviation * math.sqrt(1 - share))}
                gains[move] = sum(
                    regret(beliefs[least], beliefs[other]) - regret(then[least], then[other])
                    for other in then
                    if other != least
                )
            move = max(gains, key=lambda each: (gains[each], each == least))
            self.expand(self.behind(move)[0], expanded)

    def done(self, expanded: list[int]) -> Search:
        return Search(expanded, expanded, sorted(self.open_), self.g, self.parent)

    def behind(self, move: int) -> list[int]:
        """The open states behind a move, the best first."""
        states = [state for state in self.open_ if self.move[state] == move]
        return sorted(states, key=lambda state: (self.f[state], -self.turn[state]))

    def believe(self, move: int) -> Belief:
        belief: Belief | None = None
        for state in self.behind(move)[: self.k]:
            own = self.f[state], (self.f[state] - self.g[state] - self.h(state)) / 2
            belief = own if belief is None else least_of(belief, own)
        assert belief is not None
        return belief

    def expand(self, state: int, expanded: list[int]) -> None:
        self.open_.discard(state)
        expanded.append(state)
        for after, cost in self.belief.successors(state):
            if after in expanded or self.g[state] + cost >= self.g.get(after, math.inf):
                continue
            self.g[after], self.parent[after] = self.g[state] + cost, state
            self.open_.discard(after)
            if self.h(after) < math.inf:
                self.move[after] = after if state == self.position else self.move[state]
                self.f[after] = self.g[after] + int(self.h(after)) + self.error(after)
                self.turn[after] = max(self.turn.values(), default=0) + 1
                self.open_.add(after)


def nancy(belief: Any, start: int, goal: int, highest_cost: int, lookahead: int, most_searches: int) -> LearningWalk:
    agent = Nancy(belief, start, goal, highest_cost)
    while agent.position != goal and agent.walk.searches < most_searches:
        agent.look_out()
        search, target = agent.look(lookahead)
        agent.walk.searches += 1
        agent.walk.expansions += len(search.expanded)
        if target is None:
            break
        path = trace(search.parent, target)
        agent.measure(search)
        agent.update(search)
        agent.step(path[1])
    return agent.rest()
