"""Slow, obvious twins of the learning real-time agents, written from the papers' pseudocode.

Every value is a whole number of the world's unit, or math.inf. The agents sense at the start and after every move.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any

from naive_agents import Belief, Walk, astar


@dataclass
class LearningWalk(Walk):
    """What a learning agent did, and what it learned."""

    h: dict[int, float] = field(default_factory=dict)  # of the states whose value is above the world's own
    raised: float = 0  # by how much in all
    updates: int = 0  # how many values were computed, raised or not


class Learner:
    """An agent on its walk, with the values that it learns."""

    def __init__(self, belief: Belief, start: int, goal: int, learned: dict[int, float] | None) -> None:
        self.belief, self.goal = belief, goal
        self.own: dict[int, int] = {}
        self.first = dict(learned or {})  # h at the start of the trial
        self.learned = dict(self.first)
        self.walk = LearningWalk([])
        self.step(start)

    @property
    def position(self) -> int:
        return self.walk.path[-1]

    def world_h(self, state: int) -> int:
        if state not in self.own:
            self.own[state] = self.belief.h(state, self.goal)
        return self.own[state]

    def h(self, state: int) -> float:
        return self.learned.get(state, self.world_h(state))

    def h0(self, state: int) -> float:
        return self.first.get(state, self.world_h(state))

    def learn(self, state: int, value: float) -> None:
        self.walk.updates += 1
        if value > self.h(state):
            self.walk.raised += value - self.h(state)
        self.learned[state] = value

    def step(self, state: int) -> None:
        self.walk.path.append(state)
        self.belief.sense(state)

    def rest(self) -> LearningWalk:
        self.walk.solved = self.position == self.goal
        self.walk.h = {state: value for state, value in self.learned.items() if value > self.world_h(state)}
        return self.walk


def trace(parent: dict[int, int], state: int) -> list[int]:
    """The path to a state from the root, which is its own parent."""
    path = [state]
    while parent[path[-1]] != path[-1]:
        path.append(parent[path[-1]])
    return path[::-1]


@dataclass
class Search:
    """Where a bounded search stands when it stops."""

    expanded: list[int]  # in order; a state that was opened again may be there twice
    closed: list[int]  # the expanded states that are not open
    open_: list[int]  # in the order in which they would be expanded
    g: dict[int, int]
    parent: dict[int, int]


def bounded_astar(
    start: int,
    goal: int,
    successors: Callable[[int], Iterable[tuple[int, int]]],
    h: Callable[[int], float],
    lookahead: float,
    weights: tuple[int, int] = (1, 1),
    error: Callable[[int], float] = lambda state: 0,
) -> Search:
    """A* until `lookahead` states were expanded or the goal is next, by the library's rule for ties.

    With weights (a, b) in the order of a g + b h; or of g + h + an error that is expected of h. States with h = inf,
    from which no path leads on, are left out.
    """
    (a, b), number = weights, count()
    g, parent, open_ = {start: 0}, {start: start}, {start: next(number)}
    expanded: list[int] = []

    def key(s: int) -> tuple[float, bool, int, int]:
        return a * g[s] + b * h(s) + error(s), s != goal, -g[s], open_[s]

    while open_ and len(expanded) < lookahead:
        state = min(open_, key=key)
        if state == goal:
            break
        del open_[state]
        expanded.append(state)
        for successor, cost in successors(state):
            if g[state] + cost < g.get(successor, math.inf) and h(successor) < math.inf:
                g[successor], parent[successor], open_[successor] = g[state] + cost, state, next(number)
    closed = [state for state in dict.fromkeys(expanded) if state not in open_]
    return Search(expanded, closed, sorted(open_, key=key), g, parent)


def adaptive(search: Search, h: Callable[[int], float]) -> dict[int, float]:
    """The values of RTAA* (Koenig and Likhachev 2006, Figure 1, lines 6 and 7).

    There, the state about to be expanded has the least f of OPEN. With weights, or with another target, it is the
    least f that keeps h consistent.
    """
    f = min(search.g[state] + h(state) for state in search.open_)
    return {state: max(h(state), f - search.g[state]) for state in search.closed}


def dijkstra(
    search: Search,
    h: Callable[[int], float],
    successors: Callable[[int], Iterable[tuple[int, int]]],
    weight: int = 1,
) -> dict[int, float]:
    """The values of LSS-LRTA*: the least c_Closed(s, t) + h(t) over OPEN (Hernandez, Baier and Asin 2016, Equation 1).

    With a weight those of wLSS-LRTA*: every cost counts `weight` times (Rivera, Baier and Hernandez 2015).

    That is the fixpoint, reached from above, of h(s) = min over the successors of c(s, t) + h(t) (Koenig and
    Likhachev 2006, section 5). It is infinite where no open state can be reached.
    """
    values: dict[int, float] = dict.fromkeys(search.closed, math.inf)
    values.update({state: h(state) for state in search.open_})
    changed = True
    while changed:
        changed = False
        for state in search.closed:
            value = min((weight * cost + values.get(t, math.inf) for t, cost in successors(state)), default=math.inf)
            if value < values[state]:
                values[state], changed = value, True
    return {state: values[state] for state in search.closed}


def choose(target: str, search: Search, h: Callable[[int], float], h0: Callable[[int], float]) -> int:
    """The state of OPEN to walk to; h0: the values at the start of the trial.

    best: the state that would be expanded next (RTAA*, LSS-LRTA*).
    unraised: the best whose value was not raised, or if there is none the best (aRTAA*).
    least-raised: the best of those whose values were raised the least (daRTAA*).
    """
    if target == "unraised":
        return next((state for state in search.open_ if h(state) == h0(state)), search.open_[0])
    if target == "least-raised":
        return min(search.open_, key=lambda state: h(state) - h0(state))
    return search.open_[0]


def local_search(
    belief: Belief,
    start: int,
    goal: int,
    *,
    lookahead: float,
    movements: float,
    learning: str,
    target: str,
    weights: tuple[int, int] = (1, 1),
    update_weight: int = 1,
    learned: dict[int, float] | None = None,
    most_searches: float,
) -> LearningWalk:
    """RTAA* (Koenig and Likhachev 2006, Figure 1) and its kin.

    LSS-LRTA* (Koenig and Sun 2009; here Hernandez, Baier and Asin 2016, Algorithm 3): learning "dijkstra".
    LSS-LRTWA* (Rivera, Baier and Hernandez 2015): weights in the search only.
    aRTAA*, daRTAA* (Hernandez and Baier 2011, 2012): other targets.
    """
    agent = Learner(belief, start, goal, learned)
    while agent.position != goal and agent.walk.searches < most_searches:
        search = bounded_astar(agent.position, goal, belief.successors, agent.h, lookahead, weights)
        agent.walk.searches += 1
        agent.walk.expansions += len(search.expanded)
        if not search.open_:
            break  # lines 4 and 5
        path = trace(search.parent, choose(target, search, agent.h, agent.h0))
        by_dijkstra = learning == "dijkstra"
        values = (
            dijkstra(search, agent.h, belief.successors, update_weight) if by_dijkstra else adaptive(search, agent.h)
        )
        for state, value in values.items():  # lines 6 and 7
            agent.learn(state, value)
        ahead = [(state, following, belief.cost(state, following)) for state, following in pairwise(path)]
        moves = 0
        while ahead and moves < movements and all(belief.cost(s, t) <= cost for s, t, cost in ahead):  # lines 9 to 16
            agent.step(ahead.pop(0)[1])
            moves += 1
    return agent.rest()


def lrta(
    belief: Belief,
    start: int,
    goal: int,
    *,
    depth: int | None = None,
    cost_limit: int | None = None,
    learned: dict[int, float] | None = None,
    most_moves: float,
) -> LearningWalk:
    """LRTA* (Korf 1990) with a lookahead in the order of g; one value and one move per lookahead.

    To a depth: Björnsson, Bulitko and Sturtevant 2009, section 4.2. Up to a cost, gmax: Bulitko, Björnsson and
    Lawrence 2010, Figure 1, where the frontier are the reached states from which a move leads beyond, and the goal.
    A frontier state is worth the largest g + h on the path to it (pathmax).
    """
    agent = Learner(belief, start, goal, learned)
    while agent.position != goal and agent.walk.searches < most_moves:
        s, number = agent.position, count()
        g, moves, parent, inserted, waiting = {s: 0}, {s: 0}, {s: s}, {s: next(number)}, {s}
        frontier = []
        agent.walk.searches += 1
        while waiting:  # line 4
            state = min(waiting, key=lambda t: (g[t], inserted[t]))
            waiting.remove(state)
            if cost_limit is None:
                within = depth is None or moves[state] < depth
            else:
                highest_cost = max((cost for _, cost in belief.successors(state)), default=0)
                within = g[state] + highest_cost <= cost_limit
            if state == goal or not (within or state == s):
                frontier.append(state)
                continue
            agent.walk.expansions += 1
            for t, cost in belief.successors(state):
                if g[state] + cost < g.get(t, math.inf):
                    g[t], moves[t], parent[t] = g[state] + cost, moves[state] + 1, state
                    inserted[t] = next(number)
                    waiting.add(t)
        if not frontier:
            break
        worth = {t: max(g[u] + agent.h(u) for u in trace(parent, t)) for t in frontier}
        best = min(frontier, key=lambda t: (worth[t], t != goal, -g[t], inserted[t]))  # line 5
        agent.learn(s, worth[best])  # line 6; at least h(s), which is on every path
        agent.step(trace(parent, best)[1])  # line 7
    return agent.rest()


class Queue:
    """Which states to update next: at most `size` of them, the largest change first, among equals the earliest."""

    def __init__(self, size: int) -> None:
        self.size, self.number = size, count()
        self.entries: dict[int, tuple[float, int]] = {}  # the negative change, when it was inserted

    def offer(self, state: int, change: float) -> None:
        if state in self.entries:
            if change <= -self.entries[state][0]:
                return
        elif len(self.entries) == self.size:
            last = max(self.entries, key=lambda s: self.entries[s])
            if change <= -self.entries[last][0]:
                return
            del self.entries[last]
        self.entries[state] = -change, next(self.number)

    def take(self) -> int:
        state = min(self.entries, key=lambda s: self.entries[s])
        del self.entries[state]
        return state


def plrta(
    belief: Belief,
    start: int,
    goal: int,
    *,
    queue_size: int,
    updates: int,
    learned: dict[int, float] | None = None,
    most_moves: float,
) -> LearningWalk:
    """Prioritized LRTA* (Rayner, Davison, Bulitko, Anderson and Lu 2007): changes of h spread to the neighbours."""
    agent, queue = Learner(belief, start, goal, learned), Queue(queue_size)

    def best(state: int) -> tuple[int, int] | None:
        """The successor with the least c + h, and c."""
        return min(
            belief.successors(state),
            key=lambda move: (move[1] + agent.h(move[0]), move[0] != goal, -move[1]),
            default=None,
        )

    def update(state: int) -> None:
        agent.walk.expansions += 1
        move = best(state)
        if move is None:
            return
        change = move[1] + agent.h(move[0]) - agent.h(state)
        agent.learn(state, agent.h(state) + max(change, 0))
        if change > 0:
            for successor, _ in belief.successors(state):
                queue.offer(successor, change)

    while agent.position != goal and agent.walk.searches < most_moves:
        agent.walk.searches += 1
        before = agent.walk.expansions
        update(agent.position)
        while queue.entries and agent.walk.expansions - before < updates:
            state = queue.take()
            if state != goal:
                update(state)
        move = best(agent.position)
        if move is None:
            break
        agent.step(move[0])
    return agent.rest()


def optimal_cost(belief: Belief, start: int, goal: int) -> float:
    """The cost of the cheapest path in the true world; infinite if there is none."""
    truth = Belief(belief.world, belief.truth, belief.truth)
    _, g, path = astar(start, goal, truth.successors, lambda state: 0)
    return g[goal] if path else math.inf


def walked_cost(belief: Belief, walk: Walk) -> float:
    """What a walk cost in the true world; infinite if it did not end at the goal."""
    truth = Belief(belief.world, belief.truth, belief.truth)
    return sum(truth.cost(*move) for move in pairwise(walk.path)) if walk.solved else math.inf


def trials(
    walk_function: Callable[..., LearningWalk],
    belief: Belief,
    start: int,
    goal: int,
    *,
    most_trials: int,
    learned: dict[int, float] | None = None,
    **parameters: Any,
) -> list[LearningWalk]:
    """Walk from the start again and again, keeping h and the map, until the walk is as cheap as can be.

    RTAA* comes to that (Koenig and Likhachev 2006, Theorem 4).
    """
    walks: list[LearningWalk] = []
    while len(walks) < most_trials:
        walks.append(walk_function(belief, start, goal, learned=learned, **parameters))
        learned = walks[-1].h
        if walked_cost(belief, walks[-1]) == optimal_cost(belief, start, goal):
            break
    return walks
