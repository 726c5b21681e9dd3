"""Slow, obvious twins of the time-bounded agents, written from the papers' pseudocode.

- Björnsson, Bulitko and Sturtevant 2009, "TBA*: Time-Bounded A*".
- Hernández, Baier, Uras and Koenig 2012, "Time-Bounded Adaptive A*": TBA*, RTBA*, TBAA*.
- Hernández, Baier and Asín 2016, "Time-Bounded Best-First Search ...": TB(BFS), TBR(WA*).

An interval is one turn of the papers' main loop: search, then at most one move, then look around.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, pairwise
from typing import Protocol

from naive_agents import Walk

Successors = Callable[[int], Iterable[tuple[int, int]]]


class AnyBelief(Protocol):
    """What an agent believes; `naive_agents.Belief` is one."""

    def successors(self, state: int) -> Iterable[tuple[int, int]]: ...

    def cost(self, state: int, successor: int) -> float: ...  # infinite where there is no move

    def h(self, state: int, goal: int) -> int: ...

    def sense(self, state: int) -> list[int]: ...


@dataclass
class Digraph:
    """A known graph: the successors of every state with the costs of the moves, and an estimate (state, goal)."""

    edges: dict[int, list[tuple[int, int]]]
    estimate: Callable[[int, int], int] = lambda state, goal: 0

    def successors(self, state: int) -> Iterable[tuple[int, int]]:
        return self.edges.get(state, [])

    def cost(self, state: int, successor: int) -> float:
        return min((cost for other, cost in self.successors(state) if other == successor), default=math.inf)

    def h(self, state: int, goal: int) -> int:
        return self.estimate(state, goal)

    def sense(self, state: int) -> list[int]:
        return []


class Search:
    """A best-first search that can be resumed (2016, Algorithm 4; 2012, Algorithm 1): f = a g + b h for weights (a, b).

    OPEN is ordered by smaller f, the goal before others, larger g, earlier insertion. A state is inserted, with a new
    number, at its first generation and whenever its f falls: in greedy search (0, b), where f stays the same, never.
    A state of infinite h is never inserted. There may be several roots (`seeds`), each with a g of its own.
    """

    def __init__(
        self,
        seeds: dict[int, int],
        goal: int,
        successors: Successors,
        h: Callable[[int], float],
        weights: tuple[int, int] = (1, 1),
        reopen: bool = True,
    ) -> None:
        self.reopen = reopen
        self.root, self.goal, self.successors, self.h, self.weights = next(iter(seeds)), goal, successors, h, weights
        self.number = count()
        self.g: dict[int, int] = {}
        self.parent: dict[int, int | None] = {}
        self.paid: dict[int, int] = {}  # the cost of the move from the parent when it was generated
        self.open: dict[int, tuple[float, bool, int, int]] = {}
        self.expanded: list[int] = []
        self.goal_found = False
        for seed, g in seeds.items():
            self.insert(seed, g)

    def insert(self, state: int, g: int, parent: int | None = None, paid: int = 0) -> None:
        a, b = self.weights
        if self.h(state) < math.inf:
            self.g[state], self.parent[state], self.paid[state] = g, parent, paid
            self.open[state] = (a * g + b * self.h(state), state != self.goal, -g, next(self.number))

    def expand(self, k: float) -> int:
        """Expand up to k states, until the goal is the best in OPEN; return how many."""
        expansions = 0
        while self.open and expansions < k and self.best() != self.goal:
            state = self.best()
            del self.open[state]
            self.expanded.append(state)
            expansions += 1
            for successor, cost in self.successors(state):
                closed = successor in self.g and successor not in self.open
                g = self.g[state] + cost
                falls = successor not in self.g or self.weights[0] * g < self.weights[0] * self.g[successor]
                if falls and (self.reopen or not closed):
                    self.insert(successor, g, state, cost)
        self.goal_found = bool(self.open) and self.best() == self.goal
        return expansions

    def best(self) -> int:
        return min(self.open, key=lambda state: self.open[state])

    def frontier(self) -> dict[int, float]:
        """OPEN, every state with its f."""
        return {state: key[0] for state, key in self.open.items()}

    def path_to(self, state: int) -> list[int]:
        """The states from the root (the seed) to `state`."""
        path = [state]
        while (parent := self.parent[path[0]]) is not None:
            path.insert(0, parent)
        return path

    def back(self, state: int) -> int:
        """The parent of a state that is not the root."""
        parent = self.parent[state]
        assert parent is not None
        return parent


@dataclass
class Run(Walk):
    """What a time-bounded agent did, also interval by interval.

    An interval in which the agent gives up (unreachable, stuck) is recorded like the others, as one without a move.
    """

    cost: float = 0
    back_moves: int = 0  # steps to the parent in the search tree
    stop: str = ""  # "goal", "unreachable": OPEN ran empty, "stuck": no way to step back, "limit": too many intervals
    intervals: list[int] = field(default_factory=list)  # the position after each of them, waits included
    opens: list[dict[int, float]] = field(default_factory=list)  # OPEN after the search: {state: f}
    spent: list[int] = field(default_factory=list)  # expansions
    traced: list[int] = field(default_factory=list)  # trace steps (TBA* of 2009)
    learned: dict[int, float] = field(default_factory=dict)  # h where it differs from the world's
    pathcost: list[float] = field(default_factory=list)  # f(s_best) at the end of each search that was given up
    search: Search = field(kw_only=True)  # the last one

    @property
    def position(self) -> int:
        return self.path[-1]

    def think(self, k: float) -> bool:
        """Begin an interval: Search() of 2012, Algorithm 1; False if OPEN ran empty."""
        self.spent.append(0 if self.search.goal_found else self.search.expand(k))
        self.opens.append(self.search.frontier())
        self.expansions += self.spent[-1]
        return bool(self.search.open)

    def move(self, belief: AnyBelief, state: int) -> None:
        """End an interval at `state`: a wait, if the agent is there already."""
        if state != self.position:
            self.cost += belief.cost(self.position, state)
            self.path.append(state)
        self.intervals.append(state)

    def step_back(self, belief: AnyBelief) -> None:
        """End an interval at the parent."""
        self.back_moves += 1
        self.move(belief, self.search.back(self.position))

    def end(self, stop: str) -> "Run":
        if stop in ("unreachable", "stuck"):
            self.intervals.append(self.position)
        self.stop, self.solved = stop, stop == "goal"
        return self


def step_on(path: list[int], state: int) -> int:
    """The state after `state` on the path; at the end of the path there is none: wait there.

    With A* and consistent h the agent never catches up with s_best; with weights it does, rarely.
    """
    return (path[path.index(state) + 1 :] or [state])[0]


def tba(
    belief: AnyBelief, start: int, goal: int, *, k: float, weights: tuple[int, int] = (1, 1), reopen: bool = True
) -> Run:
    """TBA* (2012, Algorithm 1) and TB(BFS) (2016, Algorithm 4) in known belief."""
    search = Search({start: 0}, goal, belief.successors, lambda state: belief.h(state, goal), weights, reopen)
    run = Run([start], searches=1, search=search)
    while run.position != goal:
        if not run.think(k):
            return run.end("unreachable")
        path = search.path_to(search.best())  # always the same once the goal is found
        if run.position in path:
            run.move(belief, step_on(path, run.position))
        elif math.isinf(belief.cost(run.position, search.back(run.position))):
            return run.end("stuck")
        else:
            run.step_back(belief)
    return run.end("goal")


def give_up_search(run: Run, adaptive: bool) -> None:
    """TBAA* (2012, Algorithm 3, lines 13 and 5 to 7): remember f(s_best), and raise h where it makes h higher.

    Algorithm 3 raises h(s) when a later search comes to s; nothing reads it before: here all of them rise at once.
    """
    run.pathcost.append(min(run.search.frontier().values()))
    for state, g in run.search.g.items():
        if adaptive and run.search.h(state) < run.pathcost[-1] - g:
            run.learned[state] = run.pathcost[-1] - g


def rtba(
    belief: AnyBelief,
    start: int,
    goal: int,
    *,
    k: float,
    weights: tuple[int, int] = (1, 1),
    reopen: bool = True,
    adaptive: bool = False,
    learned: dict[int, float] | None = None,
) -> Run:
    """RTBA* (2012, Algorithm 2); adaptive: TBAA* (Algorithm 3). `learned`: h from earlier runs.

    With weights, a state that was expanded can get another parent, over a move that the agent has not seen yet. If the
    agent must step back and sees that it cannot, lines 9 to 12 apply as if its path had become dearer.
    """
    assert not adaptive or weights == (1, 1)
    known_h = dict(learned or {})

    def search_from(root: int) -> Search:
        def h(state: int) -> float:
            return max(belief.h(state, goal), known_h.get(state, 0))

        return Search({root: 0}, goal, belief.successors, h, weights, reopen)

    def start_new_search(path: list[int]) -> list[int]:
        """StartNewSearch?(): the path, or an empty one; costs are compared with those at the time of generation."""
        dearer = any(belief.cost(state, after) > run.search.paid[after] for state, after in pairwise(path))
        on_path = run.position in path
        if dearer or (not on_path and math.isinf(belief.cost(run.position, run.search.back(run.position)))):
            give_up_search(run, adaptive)
            run.searches += 1
            run.search = search_from(run.position)
            return []
        return path

    run = Run([start], searches=1, search=search_from(start), learned=known_h)
    belief.sense(start)
    path: list[int] = []
    while run.position != goal:
        searching = not run.search.goal_found
        if not run.think(k):
            return run.end("unreachable")
        if searching:
            path = start_new_search(run.search.path_to(run.search.best()))
        if not path:
            run.move(belief, run.position)
            continue
        if run.position in path:
            run.move(belief, step_on(path, run.position))
        else:
            run.step_back(belief)
        belief.sense(run.position)
        path = start_new_search(path)
    return run.end("goal")


def repeated_runs(
    belief: AnyBelief, start: int, goal: int, *, k: float, weights: tuple[int, int] = (1, 1), adaptive: bool = False
) -> list[Run]:
    """Runs from the start until one of them needs a single search (2012, Algorithm 4), or until one fails.

    As Algorithm 4 stands, pathcost(the last search of a run) is never set; here it is f(s_best), as everywhere.
    """
    runs = [rtba(belief, start, goal, k=k, weights=weights, adaptive=adaptive)]
    while runs[-1].solved and runs[-1].search.root != start:
        give_up_search(runs[-1], adaptive)
        runs.append(rtba(belief, start, goal, k=k, weights=weights, adaptive=adaptive, learned=runs[-1].learned))
    return runs


def shares(limit: int, ratio: float | Fraction, cost: float) -> tuple[int, float]:
    """N_E = floor(R r) and N_T = (R - N_E) c (2009, section 3.3); r is the decimal number that is written."""
    expansions = math.floor(limit * Fraction(str(ratio)))
    return expansions, (limit - expansions) * cost


def tba_2009(
    belief: AnyBelief,
    start: int,
    goal: int,
    *,
    limit: int,
    ratio: float | Fraction = 0.9,
    cost: float = 10,
    steady: bool = False,
    shortcut: bool = False,
    weights: tuple[int, int] = (1, 1),
) -> Run:
    """TBA* with its parameters R (limit), r (ratio) and c (cost), in known terrain (2009, Algorithm 1).

    How trace steps are counted: to take the most promising state costs nothing; one step is to follow one parent
    pointer and to put the state found in front of pathNew. A path of n moves thus takes n steps. The trace is done as
    soon as the front is the start or where the agent is now, also if that is seen without a step. In one interval there
    is one trace at most: its steps are N_T, in the interval that finds the solution too, and R c in all later ones. A
    trace that is under way when the solution is found is finished first.

    The first interval expands min(N_E, N_T) states, so that its trace comes to the start.

    pathFollow loses what lies behind the agent. With weights, parents can change while a trace is under way, and a
    state can come twice: then the agent is at the later place. When the agent stands at its end, nothing is followed
    any more. An agent that is not on pathFollow, or is at its end, steps back to its parent; at the start it goes where
    it came from; if it has not moved yet, it waits.

    Steady: a traced path becomes pathFollow only if g of its end is at least as high as g of the state that the agent
    is at; or if it ends at the goal; or if nothing is followed.
    """
    n_e, n_t = shares(limit, ratio, cost)
    if min(n_e, n_t) < 1:
        raise ValueError("there must be something to expand and to trace with in every interval")
    search = Search({start: 0}, goal, belief.successors, lambda state: belief.h(state, goal), weights)
    run = Run([start], searches=1, search=search)
    solution_traced, done_trace = False, True
    path_new: list[int] = []
    path_follow: list[int] = []
    while run.position != goal:
        here, found_before, steps = run.position, search.goal_found, 0
        if not run.think(n_e if run.intervals else min(n_e, n_t)):  # lines 6 to 8
            run.traced.append(0)
            return run.end("unreachable")
        if not solution_traced:  # lines 9 to 20
            if done_trace:
                path_new = [search.best()]
            while path_new[0] not in (here, start) and steps < (limit * cost if found_before else n_t):
                path_new = [search.back(path_new[0]), *path_new]
                steps += 1
            done_trace = path_new[0] in (here, start)
            farther = search.g[path_new[-1]] >= search.g[here]
            if done_trace and (not steady or not path_follow or path_new[-1] == goal or farther):
                path_follow = path_new
                solution_traced = path_follow[-1] == goal
        run.traced.append(steps)
        if shortcut and solution_traced and here not in path_follow:
            left = limit - run.spent[-1] - math.ceil(steps / cost)
            path_follow = find_shortcut(belief, run, path_follow, left) or path_follow
        ahead = behind_last(path_follow, here)
        if ahead:  # lines 21 to 29
            path_follow = ahead
            there = path_follow[0]
        elif here != start:
            there = search.back(here)
        else:
            there = run.path[-2] if len(run.path) > 1 else here
        if here != there and math.isinf(belief.cost(here, there)):
            return run.end("stuck")
        run.back_moves += not ahead and here != start
        run.move(belief, there)
        if path_follow and path_follow[-1] in (here, there):
            path_follow = []
    return run.end("goal")


def behind_last(path: list[int], state: int) -> list[int]:
    """What comes after the last occurrence of `state` on the path; nothing if it is not on it."""
    return path[len(path) - path[::-1].index(state) :] if state in path else []


def find_shortcut(belief: AnyBelief, run: Run, solution: list[int], limit: int) -> list[int]:
    """The first enhancement (2009, section 3.4): a way from the agent to the goal, or [] if the limit does not suffice.

    A* over the moves backward (they are taken to cost the same in both directions), with what is left of R in this
    interval: all of it, unless A* or the trace have worked in it too. Its roots are the states of the solution path
    from the goal to where the agent's branch of the search tree meets that path, both included and inserted in this
    order, each with its distance to the goal along the path as g. Its target is the agent; its weights are always (1,
    1). It begins anew in every interval; its expansions and the search itself are counted with the others.
    """
    if limit < 1:
        return []
    meeting = [state for state in run.search.path_to(run.position) if state in solution][-1]
    tail = solution[solution.index(meeting) :]
    seeds = {tail[-1]: 0}
    for state, after in reversed(list(pairwise(tail))):
        seeds[state] = seeds[after] + int(belief.cost(state, after))
    target = run.position
    search = Search(seeds, target, belief.successors, lambda state: belief.h(state, target))
    expansions = search.expand(limit)
    run.searches += 1
    run.spent[-1] += expansions
    run.expansions += expansions
    if not search.goal_found:
        return []
    way = search.path_to(target)[::-1]
    return way + tail[tail.index(way[-1]) + 1 :]


def equation_1(search: Search) -> dict[int, float]:
    """h(s) = min over t in OPEN of c_Closed(s, t) + h(t) for all s in Closed (2016, Equation 1).

    Closed: the states with a g that are not in OPEN. Infinite where no way leads out of Closed.
    """
    h = {state: math.inf for state in search.g if state not in search.open}
    before = None
    while h != before:
        before = dict(h)
        for state in h:
            ways = [(after, cost) for after, cost in search.successors(state) if after in search.g]
            h[state] = min((cost + h.get(after, search.h(after)) for after, cost in ways), default=math.inf)
    return h


def tbr(
    belief: AnyBelief,
    start: int,
    goal: int,
    *,
    k: float,
    weights: tuple[int, int] = (1, 1),
    reopen: bool = True,
    most_steps_back: float = math.inf,
    most_intervals: float = math.inf,
) -> Run:
    """TBR(WA*) (2016, Algorithm 5): a new search where there is no move back to the parent; it takes the interval.

    The restart condition is free beyond that: here it holds, too, where the path is more than `most_steps_back` away.

    It ends on strongly connected graphs (Theorem 3). On others it can go round for ever where no way leads to the goal
    any more, with h that grows and grows: `most_intervals` is for them.
    """
    learned: dict[int, float] = {}

    def search_from(root: int) -> Search:
        return Search(
            {root: 0}, goal, belief.successors, lambda state: learned.get(state, belief.h(state, goal)), weights, reopen
        )

    def restart() -> bool:
        branch = run.search.path_to(run.position)[::-1]
        steps_back = next(steps for steps, state in enumerate(branch) if state in path)
        return steps_back > most_steps_back or math.isinf(belief.cost(run.position, run.search.back(run.position)))

    run = Run([start], searches=1, search=search_from(start), learned=learned)
    while run.position != goal and len(run.intervals) < most_intervals:
        if not run.think(k):
            return run.end("unreachable")
        path = run.search.path_to(run.search.best())
        if run.position in path:
            run.move(belief, step_on(path, run.position))
        elif restart():
            learned.update(equation_1(run.search))
            run.searches += 1
            run.search = search_from(run.position)
            run.move(belief, run.position)
        else:
            run.step_back(belief)
    return run.end("goal" if run.position == goal else "limit")
