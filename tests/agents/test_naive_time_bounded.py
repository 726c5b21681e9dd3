"""The naive twins of the time-bounded agents, tested against the papers' figures and theorems."""

import math
import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import pytest
from agent_worlds import Problem, grid, problems
from hypothesis import assume, given, settings
from naive import best_first
from naive_agents import Belief, astar, repeated_astar
from naive_time_bounded import Digraph, Run, Search, equation_1, repeated_runs, rtba, shares, tba, tba_2009, tbr

import timebound as tb

Edges = dict[int, list[tuple[int, int]]]
WEIGHTS = st.sampled_from([(1, 1), (2, 3), (1, 2), (1, 5)])
BUDGETS = st.sampled_from([1, 2, 3, 5, 10])


def known(world: tb.Grid) -> Belief:
    return Belief(world, world.passable.copy(), world.passable)


def unknown(world: tb.Grid) -> Belief:
    return Belief(world, world.without_obstacles.passable.copy(), world.passable)


def ends(problem: Problem) -> tuple[int, int]:
    return problem.world.state(problem.start), problem.world.state(problem.goal)


def obstacles_seen(belief: Belief) -> int:
    return int((~belief.passable).sum())


def expansions_and_cost(problem: Problem, weights: tuple[int, int] = (1, 1)) -> tuple[int, int]:
    """Of weighted A*, without the goal; and of the best path, -1 without any."""
    belief, (start, goal) = known(problem.world), ends(problem)
    weight = Fraction(weights[1], weights[0])
    expanded, _ = best_first(start, goal, belief.successors, lambda state: belief.h(state, goal), weight)
    _, g, _ = astar(start, goal, belief.successors, lambda state: belief.h(state, goal))
    return len(expanded), g.get(goal, -1)


def summary(run: Run) -> tuple[Any, ...]:
    return run.intervals, run.opens, run.spent, run.path, run.cost, run.expansions, run.stop


# Hernández, Baier, Uras and Koenig 2012, Figures 1 and 2: rows A to E, columns 2 to 5; k = 2.

FIGURE_1 = grid("....", "....", "....", ".#..", "..#.", neighbors=4)
FIGURE_2 = grid("....", "....", ".#..", ".#..", "..#.", neighbors=4)
E3, E5 = 17, 19


def cell(state: int) -> str:
    return "ABCDE"[state // 4] + "2345"[state % 4]


def cells(states: list[int]) -> str:
    return " ".join(cell(state) for state in states)


def opens(run: Run, interval: int) -> dict[str, float]:
    return {cell(state): f for state, f in run.opens[interval - 1].items()}


def test_figure_1_of_2012() -> None:
    run = tba(known(FIGURE_1), E3, E5, k=2)
    assert opens(run, 1) == {"D2": 6}
    assert opens(run, 2) == {"C3": 8, "B2": 10}
    assert run.spent == [2, 2, 2, 2, 0, 0, 0, 0]
    assert "E5" not in opens(run, 3)
    assert min(opens(run, 4).values()) == opens(run, 4)["E5"] == 8
    assert cells(run.path) == "E3 E2 D2 C2 C3 C4 C5 D5 E5"
    assert run.path[1:] == run.intervals
    assert (run.expansions, run.searches, run.cost, run.stop) == (8, 1, 8, "goal")


@pytest.mark.parametrize("adaptive", [False, True])
def test_the_first_search_of_figure_2_of_2012(adaptive: bool) -> None:
    run = rtba(unknown(FIGURE_2), E3, E5, k=2, adaptive=adaptive)
    assert opens(run, 1) == {"D2": 6}
    assert opens(run, 2) == {"C3": 8, "B2": 10}
    assert opens(run, 3)["C5"] == min(opens(run, 3).values()) == 8
    assert cells(run.intervals[:3]) == "E2 D2 C2"
    assert run.pathcost == [8]
    assert (run.searches, cell(run.search.root)) == (2, "C2")


def test_rtba_in_figure_2_of_2012() -> None:
    run = rtba(unknown(FIGURE_2), E3, E5, k=2)
    assert opens(run, 4) == {"E2": 5, "B2": 7}
    assert opens(run, 5) == {"B2": 7}
    assert cells(run.intervals[3:5]) == "D2 C2"
    assert (len(run.path) - 1, run.expansions) == (12, 16)
    assert run.learned == {}


def test_tbaa_in_figure_2_of_2012() -> None:
    run = rtba(unknown(FIGURE_2), E3, E5, k=2, adaptive=True)
    assert opens(run, 4) == {"E2": 9, "B2": 7}
    assert cell(run.intervals[3]) == "B2"
    assert (len(run.path) - 1, run.expansions) == (10, 14)
    assert {name: run.search.h(E3 - 1 - above) for name, above in {"E2": 0, "D2": 4, "C2": 8, "B2": 12}.items()} == {
        "C2": 5,
        "D2": 6,
        "E2": 7,
        "B2": 6,
    }


# The search.


@given(problems(), st.sampled_from([(1, 1), (2, 3), (1, 5), (0, 1)]), BUDGETS)
@settings(max_examples=60)
def test_a_search_in_slices_expands_the_same_states_in_the_same_order(
    problem: Problem, weights: tuple[int, int], k: int
) -> None:
    belief, (start, goal) = known(problem.world), ends(problem)
    assume(start != goal)
    weight = Fraction(weights[1], weights[0] or 1)
    expected, path = best_first(
        start, goal, belief.successors, lambda state: belief.h(state, goal), weight, greedy=weights[0] == 0
    )
    run = tba(belief, start, goal, k=k, weights=weights)
    assert run.search.expanded == expected
    assert run.expansions == len(expected)
    assert run.solved == run.search.goal_found == bool(path)
    if path:
        assert run.search.path_to(goal) == path
    assert tba_2009(belief, start, goal, limit=k + 1, ratio=0.6, weights=weights).search.expanded == expected


# Hernández, Baier and Asín 2016, section 3.1.


@given(problems(), WEIGHTS, BUDGETS)
@settings(max_examples=150)
def test_lemmas_2_and_3_and_theorems_1_and_2_of_2016(problem: Problem, weights: tuple[int, int], k: int) -> None:
    belief, (start, goal) = known(problem.world), ends(problem)
    expansions, best = expansions_and_cost(problem, weights)
    run = tba(belief, start, goal, k=k, weights=weights)
    assert run.stop == ("goal" if best >= 0 else "unreachable")
    assume(best > 0)
    searching = (expansions - 1) // k  # the intervals before the goal is found
    assert run.spent == [k] * searching + [expansions - k * searching] + [0] * (len(run.spent) - searching - 1)
    costs = [
        0 if state == after else int(belief.cost(state, after)) for state, after in pairwise([start, *run.intervals])
    ]
    highest_cost = max(cost for state in range(len(belief.passable.flat)) for _, cost in belief.successors(state))
    cheapest = problem.world.unit
    waits = costs[:searching].count(0)
    assert (searching - waits) * cheapest <= sum(costs[:searching]) <= searching * highest_cost
    assert waits == 0 or weights != (1, 1)
    assert weights[0] * sum(costs[searching:]) <= 2 * weights[1] * best
    assert sum(costs) == run.cost


def test_an_agent_that_has_caught_up_with_the_best_state_waits() -> None:
    world = grid("...", ".#.", "..#", "...", "...", diagonal=1.4)
    run = tba(known(world), world.state((0, 4)), world.state((2, 1)), k=1, weights=(1, 5))
    assert (len(run.path) - 1, run.expansions, len(run.intervals)) == (11, 12, 12)
    waits = [i + 1 for i, (state, after) in enumerate(pairwise([run.path[0], *run.intervals])) if state == after]
    assert waits == [7]
    assert world.place(run.intervals[6]) == (0, 2)


# Hernández, Baier, Uras and Koenig 2012, section 7.


@given(problems(), BUDGETS, st.sampled_from([(1, 1), (1, 1), (1, 2), (1, 5), (0, 1)]), st.booleans())
@settings(max_examples=100)
def test_theorem_1_of_2012(problem: Problem, k: int, weights: tuple[int, int], adaptive: bool) -> None:
    belief, (start, goal) = unknown(problem.world), ends(problem)
    run = rtba(belief, start, goal, k=k, weights=weights, adaptive=adaptive and weights == (1, 1))
    assert run.solved == (expansions_and_cost(problem)[1] >= 0)
    assert run.searches <= 1 + obstacles_seen(belief)
    assert len(run.pathcost) == run.searches - 1
    assert run.cost == sum(known(problem.world).cost(*move) for move in pairwise(run.path)) < math.inf
    assert len(run.intervals) == len(run.opens) == len(run.spent)
    assert sum(run.spent) == run.expansions
    assert max(run.spent, default=0) <= k


@given(problems(), BUDGETS)
@settings(max_examples=60)
def test_h_stays_consistent_and_never_falls_with_tbaa(problem: Problem, k: int) -> None:
    belief, (start, goal) = unknown(problem.world), ends(problem)
    run = rtba(belief, start, goal, k=k, adaptive=True)
    assert all(run.learned[state] > belief.h(state, goal) for state in run.learned)
    for state in range(belief.passable.size):
        assert all(run.search.h(state) <= cost + run.search.h(after) for after, cost in belief.successors(state))


@given(problems(), BUDGETS, st.booleans())
@settings(max_examples=60)
def test_theorem_2_of_2012(problem: Problem, k: int, adaptive: bool) -> None:
    belief, (start, goal) = unknown(problem.world), ends(problem)
    best = expansions_and_cost(problem)[1]
    runs = repeated_runs(belief, start, goal, k=k, adaptive=adaptive)
    assert all(run.solved for run in runs) == (best >= 0)
    if best >= 0:
        assert (runs[-1].search.g[goal], runs[-1].searches) == (best, 1)
        assert sum(run.searches for run in runs) <= len(runs) + obstacles_seen(belief)
    else:
        assert len(runs) == 1
    for run, later in pairwise(runs):
        assert all(later.learned[state] >= h for state, h in run.learned.items())


@given(problems(side=11), st.booleans())
@settings(max_examples=60)
def test_with_unlimited_intervals_they_are_repeated_and_adaptive_astar(problem: Problem, adaptive: bool) -> None:
    start, goal = ends(problem)
    run = rtba(unknown(problem.world), start, goal, k=math.inf, adaptive=adaptive)
    walk = repeated_astar(unknown(problem.world), start, goal, adaptive=adaptive)
    assert (run.path, run.expansions, run.solved) == (walk.path, walk.expansions, walk.solved)
    assert run.searches == (walk.searches or 1)


@given(problems(), BUDGETS, st.booleans())
@settings(max_examples=40)
def test_in_known_terrain_they_are_tba(problem: Problem, k: int, adaptive: bool) -> None:
    start, goal = ends(problem)
    assert summary(rtba(known(problem.world), start, goal, k=k, adaptive=adaptive)) == summary(
        tba(known(problem.world), start, goal, k=k)
    )


class HiddenEdges(Digraph):
    """An undirected graph; edges that do not exist are seen at their ends."""

    missing: frozenset[tuple[int, int]] = frozenset()

    def sense(self, state: int) -> list[int]:
        for a, b in self.missing:
            if state in (a, b):
                for end, other in ((a, b), (b, a)):
                    self.edges[end] = [move for move in self.edges[end] if move[0] != other]
        return []


def undirected(*edges: tuple[int, int, int]) -> Edges:
    found: Edges = {}
    for a, b, cost in edges:
        found.setdefault(a, []).append((b, cost))
        found.setdefault(b, []).append((a, cost))
    return found


def test_no_way_back_to_a_parent_that_the_agent_has_not_come_from() -> None:
    """While the agent is at 2, 2 gets the parent 5, and 5 the parent 4; at 5 the agent sees that 4-5 is missing."""
    edges = undirected((1, 2, 6), (3, 2, 9), (4, 3, 1), (4, 0, 11), (2, 5, 4), (4, 5, 3))
    estimate = {0: 0, 1: 1, 2: 2, 3: 5, 4: 4, 5: 1}
    belief = HiddenEdges(edges, lambda state, goal: estimate[state])
    belief.missing = frozenset({(4, 5)})
    run = rtba(belief, 3, 0, k=3, weights=(1, 5))
    assert (run.stop, run.searches, run.path) == ("goal", 2, [3, 2, 5, 2, 3, 4, 0])
    assert all(math.isfinite(belief.cost(*move)) for move in pairwise(run.path))


# Björnsson, Bulitko and Sturtevant 2009.


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(10, (9, 10)), (25, (22, 30)), (50, (45, 50)), (75, (67, 80)), (100, (90, 100)), (500, (450, 500))],
)
def test_shares_of_2009(limit: int, expected: tuple[int, int]) -> None:
    assert shares(limit, 0.9, 10) == expected
    assert shares(1000, 0.9, 10) == (900, 1000)
    assert shares(100, 0.29, 10) == (29, 710)  # 100 * 0.29 is less than 29


@given(problems(), BUDGETS)
@settings(max_examples=60)
def test_with_unlimited_tracing_it_is_algorithm_1_of_2012(problem: Problem, k: int) -> None:
    belief, (start, goal) = known(problem.world), ends(problem)
    run = tba_2009(belief, start, goal, limit=k + 1, ratio=Fraction(k, k + 1), cost=math.inf)
    assert summary(run) == summary(tba(belief, start, goal, k=k))


@given(
    problems(),
    st.integers(2, 12),
    st.floats(0, 1),
    st.sampled_from([1, 2, 10]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(1, 1), (1, 2), (1, 5), (0, 1)]),
)
@settings(max_examples=150)
def test_tba_of_2009_is_complete_and_keeps_its_limits(
    problem: Problem, limit: int, share: float, cost: int, steady: bool, shortcut: bool, weights: tuple[int, int]
) -> None:
    belief, (start, goal) = known(problem.world), ends(problem)
    n_e = 1 + round(share * (limit - 2))
    n_t = (limit - n_e) * cost
    run = tba_2009(
        belief,
        start,
        goal,
        limit=limit,
        ratio=Fraction(n_e, limit),
        cost=cost,
        steady=steady,
        shortcut=shortcut,
        weights=weights,
    )
    assert run.stop == tba(belief, start, goal, k=1).stop
    assert all(math.isfinite(belief.cost(*move)) for move in pairwise(run.path))
    assert len(run.intervals) == len(run.opens) == len(run.spent) == len(run.traced)
    assert all(spent + math.ceil(traced / cost) <= limit for spent, traced in zip(run.spent, run.traced, strict=True))
    assert run.spent[:1] <= [min(n_e, n_t)]
    finding = -(-max(len(run.search.expanded) - min(n_e, n_t), 0) // n_e)  # the interval that finds the goal
    assert all(spent <= n_e for spent in run.spent[:finding])
    assert all(steps <= n_t for steps in run.traced[: finding + 1])
    if not run.solved:
        return
    assert run.path[1:] == run.intervals
    if not shortcut:
        assert run.expansions == len(run.search.expanded)


def test_a_step_back_as_in_figure_1_of_2009() -> None:
    world = grid("...", "...", "##.", "...", "...", neighbors=4)
    run = tba_2009(known(world), world.state((2, 4)), world.state((0, 1)), limit=3, ratio=0.7)
    assert [world.place(state) for state in run.path[:4]] == [(2, 4), (1, 4), (1, 3), (1, 4)]


def test_the_rule_against_indecision() -> None:
    """At (3, 2) the agent has come two moves; the new path ends after one. Its g is lower: the agent goes on."""
    world = grid("#...", "....", "##..", "#..#", "..#.", "....", neighbors=4)
    start, goal = world.state((3, 0)), world.state((2, 5))
    plain, steady = (tba_2009(known(world), start, goal, limit=3, ratio=0.7, steady=rule) for rule in (False, True))
    assert [world.place(state) for state in plain.path[:5]] == [(3, 0), (3, 1), (3, 2), (3, 1), (3, 2)]
    assert steady.path == plain.path[:2] + plain.path[4:]


def test_a_steady_agent_may_follow_a_path_that_ends_nearer_than_the_old_one() -> None:
    """GOLDEN A23: what counts is how far the agent has come, not how far the old path would have led."""
    world = grid("...", ".#.", "#..", "...", "...", neighbors=4)
    start, goal = world.state((0, 3)), world.state((0, 1))
    steady = tba_2009(known(world), start, goal, limit=3, ratio=0.7, steady=True)
    back_and_forth = [(1, 3), (1, 2)]
    assert [world.place(state) for state in steady.path[1:5]] == back_and_forth * 2


def test_a_shortcut_as_in_figure_2_of_2009() -> None:
    """Two corridors with an opening between them; the agent is in the right one, the solution goes through the left."""
    world = grid("...", ".#.", ".#.", "...", ".#.", ".#.", ".#.", ".#.", "..#", neighbors=4)
    start, goal = world.state((1, 0)), world.state((1, 8))
    plain = tba_2009(known(world), start, goal, limit=3, ratio=0.7, steady=True)
    short = tba_2009(known(world), start, goal, limit=3, ratio=0.7, steady=True, shortcut=True)
    turn = short.path.index(world.state((1, 3)))
    assert [world.place(state) for state in short.path[:turn]] == [
        *((1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6)),
        *((2, 5), (2, 4), (2, 3)),  # the last of them because the limit does not suffice for the first shortcut search
    ]
    assert short.path[:turn] == plain.path[:turn]
    assert [world.place(state) for state in short.path[turn:]] == [
        *((1, 3), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8), (1, 8))
    ]
    assert (plain.cost, short.cost) == (24, 18)
    assert short.searches == 3
    assert short.spent == [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, *([0] * 7)]
    assert short.traced == [2, 3, 4, 5, 1, 3, 5, 7, 9, 10, *([0] * 8)]


def test_a_state_that_comes_twice_on_a_traced_path() -> None:
    edges = undirected((1, 2, 15), (3, 1, 13), (2, 3, 1), (4, 2, 6), (4, 0, 14), (4, 1, 1), (5, 1, 14))
    estimate = {0: 0, 1: 7, 2: 0, 3: 1, 4: 6, 5: 0}
    graph = Digraph(edges, lambda state, goal: estimate[state])
    run = tba_2009(graph, 1, 0, limit=4, ratio=Fraction(3, 4), cost=1, weights=(1, 5))
    assert run.stop == "goal"
    assert run.path == [1, 5, 1, 5, 1, 4, 0]


def test_nothing_to_expand_or_to_trace_with() -> None:
    for ratio in (0.5, 1):
        with pytest.raises(ValueError, match="something to expand"):
            tba_2009(known(FIGURE_1), E3, E5, limit=1, ratio=ratio)


# Hernández, Baier and Asín 2016, section 3.2.


def random_digraph(seed: int, *, reversible: bool = False, strong: bool = True) -> Digraph:
    """State 0 is the goal. h: the largest consistent one below random numbers."""
    generator = random.Random(seed)
    size = generator.randint(2, 16)
    moves = {tuple(generator.sample(range(size), 2)) for _ in range(generator.randint(size, 3 * size))}
    if strong:
        circle = generator.sample(range(size), size)
        moves |= set(pairwise([*circle, circle[0]]))
    if reversible:
        moves |= {(b, a) for a, b in moves}
    edges: Edges = {state: [] for state in range(size)}
    for a, b in sorted(moves):
        edges[a].append((b, generator.randint(1, 9)))
    h = [0, *(generator.randint(0, 30) for _ in range(size - 1))]
    for _ in range(size):
        h = [min([h[state], *(cost + h[after] for after, cost in edges[state])]) for state in range(size)]
    return Digraph(edges, lambda state, goal: h[state])


@given(st.integers(0, 2**32), BUDGETS, st.sampled_from([(1, 1), (2, 3), (1, 5), (0, 1)]))
@settings(max_examples=200)
def test_theorem_3_and_lemmas_4_and_5_of_2016(seed: int, k: int, weights: tuple[int, int]) -> None:
    graph = random_digraph(seed)
    start = len(graph.edges) - 1
    run = tbr(graph, start, 0, k=k, weights=weights)
    assert run.stop == "goal"
    assert all(math.isfinite(graph.cost(*move)) for move in pairwise(run.path))
    assert len(run.intervals) >= len(run.path) - 1 + run.searches - 1  # a new search takes its interval
    h = run.search.h
    for state in graph.edges:
        assert h(state) >= graph.h(state, 0)
        assert all(h(state) <= cost + h(after) for after, cost in graph.successors(state))
    without = tba(graph, start, 0, k=k, weights=weights)
    assert without.stop == ("goal" if run.searches == 1 else "stuck")
    shared = len(without.intervals) - (without.stop == "stuck")
    assert without.intervals[:shared] == run.intervals[:shared]


@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from([(1, 1), (1, 2), (1, 5), (0, 1)]), st.booleans())
@settings(max_examples=100)
def test_equation_1(seed: int, k: int, weights: tuple[int, int], strong: bool) -> None:
    graph = random_digraph(seed, strong=strong)
    search = Search({len(graph.edges) - 1: 0}, 0, graph.successors, lambda state: graph.h(state, 0), weights)
    search.expand(k)
    updated = equation_1(search)
    assert set(updated) == set(search.g) - set(search.open)
    for state, h in updated.items():
        assert h >= graph.h(state, 0)
        queue, reached = {state: 0}, set()  # Dijkstra's algorithm from `state` through Closed
        ways = [math.inf]
        while queue:
            near = min(queue, key=lambda s: queue[s])
            cost = queue.pop(near)
            reached.add(near)
            if near in search.open:
                ways.append(cost + graph.h(near, 0))
                continue
            for after, more in graph.successors(near):
                if after not in reached:
                    queue[after] = min(queue.get(after, cost + more), cost + more)
        assert h == min(ways)


@given(st.integers(0, 2**32), BUDGETS, st.sampled_from([(1, 1), (2, 3), (1, 5), (0, 1)]))
@settings(max_examples=100)
def test_on_reversible_graphs_nothing_is_searched_anew(seed: int, k: int, weights: tuple[int, int]) -> None:
    graph = random_digraph(seed, reversible=True)
    start = len(graph.edges) - 1
    run = tbr(graph, start, 0, k=k, weights=weights)
    assert summary(run) == summary(tba(graph, start, 0, k=k, weights=weights))
    assert (run.searches, run.learned) == (1, {})


def test_a_dead_end_is_found_to_be_one() -> None:
    """From 1 there is no way to the goal; h(1) becomes infinite, and the new search has nothing to begin with."""
    graph = Digraph({3: [(1, 1), (2, 1)], 2: [(0, 9)]}, lambda state, goal: {0: 0, 1: 0, 2: 9, 3: 1}[state])
    assert tba(graph, 3, 0, k=1).stop == "stuck"
    run = tbr(graph, 3, 0, k=1)
    assert run.learned[1] == math.inf
    assert (run.stop, run.path, run.intervals, run.spent) == ("unreachable", [3, 1], [1, 1, 1], [1, 1, 0])


def test_where_no_way_leads_to_the_goal_tbr_goes_round_for_ever() -> None:
    graph = Digraph({5: [(4, 1)], 4: [(1, 6), (3, 6)], 3: [(1, 7)], 2: [(4, 4), (5, 4)], 1: [(2, 9)]})
    run = tbr(graph, 5, 0, k=1, most_intervals=500)
    assert (run.stop, run.solved, len(run.intervals)) == ("limit", False, 500)
