"""Slow, obvious twins of climbs, compression and kNN LRTA*, written from the paper's Figures 1 and 5 to 8."""

import math
from collections.abc import Sequence
from typing import Any

from naive_agents import Belief


def best_successor(belief: Belief, state: int, target: int, h: Any) -> tuple[int, int] | None:
    """The successor of least cost + h, and that sum; ties: the target, the highest_cost move, the order of moves."""
    seen = [(cost + h(s), s != target, -cost, i, s) for i, (s, cost) in enumerate(belief.successors(state))]
    return (min(seen)[4], min(seen)[0]) if seen else None


def climb(belief: Belief, start: int, target: int, cap: float = math.inf) -> list[int]:
    """The states of a climb (Figure 7), the target last if it arrives. It ends where a step does not lower h."""
    path = [start]
    while path[-1] != target and len(path) <= cap:
        best = best_successor(belief, path[-1], target, lambda s: belief.h(s, target))
        if best is None or belief.h(best[0], target) >= belief.h(path[-1], target):
            break
        path.append(best[0])
    return path


def reachable(belief: Belief, start: int, target: int, cap: float = math.inf) -> bool:
    return climb(belief, start, target, cap)[-1] == target


def compress(belief: Belief, path: Sequence[int]) -> list[int]:
    """Figure 6."""
    kept = [0]
    while kept[-1] != len(path) - 1:
        i = kept[-1] + 1
        low, high = i + 1, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if reachable(belief, path[kept[-1]], path[middle]):
                i, low = middle, middle + 1
            else:
                high = middle - 1
        kept.append(i)
    return [path[i] for i in kept]


class KnnLrta:
    """An agent with a base of random coverage."""

    def __init__(self, belief: Belief, start: int, goal: int, records: Sequence[Sequence[int]], **options: Any):
        self.belief, self.goal, self.records = belief, goal, records
        self.cap, self.candidates, self.quota = options["cap"], options["candidates"], options["quota"]
        self.options, self.path = options, [start]

    def can(self, start: int, target: int) -> bool:
        return reachable(self.belief, start, target, self.cap)

    def select(self) -> list[int] | None:
        """Figure 8: the subgoals, the goal last; nothing if the base has none."""
        here = self.path[-1]
        if self.options["goal_first"] and self.can(here, self.goal):
            return [self.goal]

        def unlike(i: int) -> tuple[int, int]:
            record = self.records[i]
            return max(self.belief.h(here, record[0]), self.belief.h(self.goal, record[-1])), i

        for i in sorted(range(len(self.records)), key=unlike)[: self.candidates]:
            record = list(self.records[i])
            if self.can(here, record[0]) and self.can(record[-1], self.goal):
                if self.options["skip_start"] and self.can(here, record[1]):
                    record = record[1:]
                return [*record, self.goal]
        return None

    def go(self, target: int, quota: float = math.inf, h: dict[int, int] | None = None) -> bool:
        """LRTA* (Figure 1), until the target is reached, or the quota used up."""
        learned = {} if h is None else h
        while self.path[-1] != target and quota > 0:
            if self.path[-1] == self.goal:
                return True
            state = self.path[-1]
            best = best_successor(self.belief, state, target, lambda s: learned.get(s, self.belief.h(s, target)))
            assert best is not None
            learned[state] = max(learned.get(state, self.belief.h(state, target)), best[1])
            quota -= self.belief.cost(state, best[0])
            self.path.append(best[0])
        return self.path[-1] == target

    def run(self) -> list[int]:
        subgoals, h = self.select(), {}
        if subgoals is None:
            quota = self.belief.h(self.path[-1], self.goal) * self.quota
            if self.go(self.goal, quota if self.options["interrupt"] else math.inf, h):
                return self.path
            subgoals = self.select()
        if subgoals is None:
            self.go(self.goal, h=h)
            return self.path
        if subgoals == [self.goal]:
            self.go(self.goal, h=h)
            return self.path
        place = 0
        while self.path[-1] != self.goal:
            self.go(subgoals[place])
            place += 1
            last = len(subgoals) - 1
            if self.options["skip_end"] and place == last - 1 and self.can(self.path[-1], self.goal):
                place = last
            if self.options["shortcuts"]:
                while place < last and self.can(self.path[-1], subgoals[place + 1]):
                    place += 1
        return self.path
