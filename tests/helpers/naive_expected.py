"""A slow, obvious twin of LSS-LRTA* with f-hat (Kiesel, Burns and Ruml 2015), for known terrain and random costs."""

import math
from itertools import pairwise
from typing import Any

from naive_learning import Learner, LearningWalk, Search, bounded_astar, dijkstra, trace


class Expecting(Learner):
    """An agent that knows how wrong h and d have been."""

    def __init__(self, belief: Any, start: int, goal: int, highest_cost: int) -> None:
        super().__init__(belief, start, goal, None)
        self.highest_cost = highest_cost
        self.distances: dict[int, tuple[int, int]] = {}  # d, and the moves beyond the open state that h comes from
        self.count = self.errors = self.losses = self.rate = 0
        self.beacon = (-1, -1, -1.0)
        self.careful, self.known = False, 0.0

    def moves(self, state: int) -> tuple[int, int]:
        default = int(self.h(state)) // self.highest_cost
        return self.distances.get(state, (default, default))

    def error(self, state: int) -> int:
        return (self.moves(state)[1] * self.rate) >> 10

    def measure(self, search: Search) -> None:
        for state in search.expanded:
            moves = list(self.belief.successors(state))
            if moves:
                least, best = min((cost + self.h(t), t) for t, cost in moves)
                self.count += 1
                self.errors += min(least - self.h(state), 4 * self.highest_cost)
                self.losses += 1 + self.moves(best)[0] - self.moves(state)[0]
        self.rate = (int(self.errors) << 10) // max(self.count - self.losses, self.count // 4, 1)

    def update(self, search: Search) -> None:
        """h by Dijkstra's rule; and d from the successor that h comes from."""
        before, values = dict(self.learned), dijkstra(search, self.h, self.belief.successors)
        ahead = {**{state: self.h(state) for state in search.open_}, **values}
        new = {state: self.moves(state) for state in search.open_}
        for state in sorted(values, key=lambda s: values[s]):
            if values[state] < math.inf:
                options = [(cost + ahead[t], t) for t, cost in self.belief.successors(state) if t in ahead]
                best = min(options)[1]
                new[state] = new[best][0] + 1, new[best][1]
        self.distances |= {state: new[state] for state in values if state in new}
        self.learned = before
        for state, value in values.items():
            self.learn(state, max(value, self.h(state)))

    def look_out(self) -> None:
        """Brent's marker: has it searched here before, and learned nothing since?"""
        above = [s for s, value in self.learned.items() if value > self.world_h(s)]
        learned = self.walk.raised + len(above)
        state, left, known = self.beacon
        searches = self.walk.searches + 1
        if searches > 1 and state == self.position and known == learned:
            self.careful = True
        else:
            if searches == 1 or searches >= 2 * left or known != learned:
                self.beacon = self.position, searches, learned
            if learned != self.known:
                self.careful = False
        self.known = learned

    def target(self, search: Search) -> int:
        if self.careful and search.open_[0] != self.goal:
            return min(search.open_, key=lambda state: search.g[state] + self.h(state))
        return search.open_[0]


def fhat(
    belief: Any, start: int, goal: int, highest_cost: int, lookahead: int, movements: float, most_searches: int
) -> LearningWalk:
    agent = Expecting(belief, start, goal, highest_cost)
    while agent.position != goal and agent.walk.searches < most_searches:
        agent.look_out()
        search = bounded_astar(agent.position, goal, belief.successors, agent.h, lookahead, error=agent.error)
        agent.walk.searches += 1
        agent.walk.expansions += len(search.expanded)
        if not search.open_:
            break
        path = trace(search.parent, agent.target(search))
        agent.measure(search)
        agent.update(search)
        for moves, (_, after) in enumerate(pairwise(path)):
            if moves < movements:
                agent.step(after)
    return agent.rest()
