"""The time-bounded agents: against plain Python, by the papers' figures, and by their theorems."""

import math
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, grid, problems
from hypothesis import given, settings
from naive_agents import Belief, reachable
from naive_time_bounded import Digraph, Run, repeated_runs, rtba, shares, tba, tba_2009, tbr

import timebound as tb
from timebound.applications.trials import trials
from timebound.worlds.interface import heuristic, successors

WEIGHTS = {1.0: (1, 1), 1.5: (2, 3), 2.0: (1, 2), 5.0: (1, 5)}
K = st.sampled_from([1, 2, 3, 7, 20, math.inf])


def believed(agent: tb.Agent, problem: Problem) -> Belief:
    assumed = problem.world.without_obstacles if agent.terrain == "unknown" else problem.world
    return Belief(problem.world, assumed.passable.copy(), agent.truth.passable)


def compare(problem: Problem, agent: tb.Agent, twin: Any, budget: float, **options: Any) -> Run:
    """The same moves and waits, expansions and searches."""
    world = problem.world
    start, goal = (world.state(cell) for cell in (problem.start, problem.goal))
    run: Run = twin(believed(agent, problem), start, goal, **options)
    episode = agent.run(expansions=budget, intervals=50_000)
    assert [world.state(cell) for cell in episode.path] == run.path
    assert episode.stop == run.stop
    assert (episode.expansions, episode.back_moves) == (run.expansions, run.back_moves)
    if start != goal:
        assert episode.searches == run.searches
        # The library's first interval only searches (TBAA* paper, section 8): the last move comes one later.
        assert episode.intervals == len(run.intervals) + run.solved
    return run


@given(problems(side=10) | problems(side=8, heuristics=("none", "euclidean")), K, st.sampled_from(sorted(WEIGHTS)))
@settings(max_examples=250)
def test_in_known_terrain_they_equal_their_naive_twin(problem: Problem, k: float, weight: float) -> None:
    for reopen in (False, True):
        agent = problem.make("tb-wastar", weight=weight, reopen=reopen)
        compare(problem, agent, tba, k, k=k, weights=WEIGHTS[weight], reopen=reopen)


@given(problems(side=10), K)
@settings(max_examples=150)
def test_tba_with_unlimited_traces_equals_its_naive_twin(problem: Problem, k: float) -> None:
    """TBAA* paper, Algorithm 1."""
    compare(problem, problem.make("tba", trace_ratio=None), tba, k, k=k)


@pytest.mark.uncompiled
def test_an_agent_that_catches_up_with_its_search_waits() -> None:
    """GOLDEN A7: only where states are opened again."""
    world = grid("...", ".#.", "..#", "...", "...", diagonal=1.4)
    episode = tb.make("tb-wastar", world, (0, 4), (2, 1), weight=5.0, reopen=True).run(expansions=1, trace=True)
    assert (episode.moves, episode.expansions) == (11, 12)
    assert any(a.position == b.position == (0, 2) for a, b in pairwise(episode.trace))


@given(problems(side=10), K)
@settings(max_examples=100)
def test_greedy_search_equals_its_naive_twin(problem: Problem, k: float) -> None:
    compare(problem, problem.make("tb-gbfs"), tba, k, k=k, weights=(0, 1), reopen=False)


def test_greedy_search_keeps_the_first_parent_of_a_state() -> None:
    """2016, Algorithm 4, line 16: a new parent only if f falls. (2, 2) is found from (3, 3), then from (3, 2)."""
    rows = (".###.", ".....", ".....", ".#...", ".####", "...##", ".....", "#....")
    episode = tb.make("tb-gbfs", grid(*rows, diagonal=1.4), (4, 2), (3, 7)).run(expansions=1)
    assert episode.path[4:9] == [(4, 2), (3, 3), (2, 2), (3, 3), (2, 2)]
    assert (episode.moves, episode.expansions) == (16, 14)


@pytest.mark.parametrize("name", ["rtba", "tbaa"])
@given(problems(side=10), st.sampled_from(["known", "unknown", "unknown", "partial"]), K)
@settings(max_examples=200)
def test_rtba_and_tbaa_equal_their_naive_twins(name: str, problem: Problem, terrain: str, k: float) -> None:
    agent = problem.make(name, terrain, hidden=0.2, solvable=False)
    run = compare(problem, agent, rtba, k, k=k, adaptive=name == "tbaa")
    if name == "tbaa" and run.solved:
        # Lazily or not, h is the same wherever a search would read it.
        own = problem.world.compiled(problem.world.state(problem.goal))
        h = agent.h()
        for state in run.search.g:
            assert h[state] == max(heuristic(own, state), run.learned.get(state, 0))


@given(problems(side=9), st.sampled_from(["unknown", "partial"]), K, st.sampled_from([1.5, 2.0, 5.0]))
@settings(max_examples=150)
def test_weighted_searches_in_unknown_terrain_equal_their_naive_twin(
    problem: Problem, terrain: str, k: float, weight: float
) -> None:
    for reopen in (False, True):
        agent = problem.make("tb-wastar", terrain, hidden=0.2, solvable=False, weight=weight, reopen=reopen)
        compare(problem, agent, rtba, k, k=k, weights=WEIGHTS[weight], reopen=reopen)


@given(
    problems(side=11),
    st.sampled_from([(2, 0.5, 1), (4, 0.5, 1), (10, 0.9, 1), (10, 0.9, 10), (25, 0.9, 10), (7, 0.29, 2)]),
    st.booleans(),
)
@settings(max_examples=250)
def test_tba_with_limited_traces_equals_its_naive_twin(problem: Problem, limits: tuple, steady: bool) -> None:
    limit, ratio, cost = limits
    n_e, n_t = shares(limit, ratio, cost)
    short = problem.make("tba", trace_ratio=ratio, trace_cost=cost, steady=steady, shortcut=True)
    compare(problem, short, tba_2009, limit, limit=limit, ratio=ratio, cost=cost, steady=steady, shortcut=True)
    agent = problem.make("tba", trace_ratio=ratio, trace_cost=cost, steady=steady)
    run = compare(problem, agent, tba_2009, limit, limit=limit, ratio=ratio, cost=cost, steady=steady)
    assert agent.episode().trace_steps == sum(run.traced)
    # Counted, not assumed: never more than the limits in one interval.
    agent = problem.make("tba", trace_ratio=ratio, trace_cost=cost, steady=steady)
    before = agent.episode()
    while not agent.done:
        found = len(list(agent.path)) > 0 and agent.path[-1] == problem.goal
        agent.step(expansions=limit)
        after = agent.episode()
        assert after.expansions - before.expansions <= n_e
        assert after.trace_steps - before.trace_steps <= max(n_t, limit * cost)
        assert after.trace_steps - before.trace_steps <= n_t or after.expansions == before.expansions or found
        before = after


def test_a_shortcut() -> None:
    """TBA* paper, section 3.4: the basic agent steps back to (1, 3), where its branch and the solution part."""
    world = grid("#....", "##...", "#..#.", "...#.", "#.#..", ".#.##", neighbors=4)
    agents = [
        tb.make("tba", world, (1, 4), (4, 2), trace_ratio=0.5, trace_cost=1, shortcut=shortcut)
        for shortcut in (False, True)
    ]
    basic, enhanced = (agent.run(expansions=8) for agent in agents)
    assert basic.path[:5] == [(1, 4), (1, 3), (1, 2), (1, 3), (2, 3)]
    assert enhanced.path[:4] == [(1, 4), (1, 3), (1, 2), (2, 2)]
    assert (basic.cost, enhanced.cost) == (9, 7)


def test_back_moves_and_reversals() -> None:
    """All the way back out of the right corridor: seven steps to the parent, the first of which undoes a move."""
    world = grid("...", ".#.", ".#.", "...", ".#.", ".#.", ".#.", ".#.", "..#", neighbors=4)
    agent = tb.make("tba", world, (1, 0), (1, 8), trace_ratio=0.7, steady=True)
    episode = agent.run(expansions=3)
    assert episode.path[7:15] == [(2, 6), (2, 5), (2, 4), (2, 3), (2, 2), (2, 1), (2, 0), (1, 0)]
    assert (episode.moves, episode.back_moves, episode.reversals) == (24, 7, 1)
    record = episode.as_json()
    assert (record["back_moves"], record["reversals"]) == (7, 1)


def test_a_step_back_that_is_not_made_is_not_counted() -> None:
    agent = tb.make("rtba", UNKNOWN, START, GOAL, terrain="unknown")
    walk(agent, 5)
    assert agent.plan(expansions=2) == cell("C2")  # back from D2
    assert agent.plan(expansions=2) == cell("C2")
    agent.moved(cell("D2"))  # it was held up
    assert agent.episode().back_moves == 0
    assert agent.plan(expansions=2) == cell("C2")
    agent.moved(cell("C2"))
    assert agent.episode().back_moves == 1


@pytest.mark.parametrize(
    ("limit", "n_e", "n_t"),
    [(10, 9, 10), (25, 22, 30), (50, 45, 50), (75, 67, 80), (100, 90, 100), (500, 450, 500), (1000, 900, 1000)],
)
def test_the_shares_of_a_budget(limit: int, n_e: int, n_t: int) -> None:
    """TBA* paper, section 3.3, with r = 0.9 and c = 10."""
    assert shares(limit, 0.9, 10) == (n_e, n_t)
    agent = tb.make("tba", tb.Grid(np.ones((80, 80), bool), heuristic="none"), (40, 40), (79, 79))
    agent.step(expansions=limit)
    assert agent.episode().expansions == min(n_e, n_t)  # the first move's
    agent.step(expansions=limit)
    assert agent.episode().expansions == min(n_e, n_t) + n_e


# ------------------------------------------------------------------ the figures of the TBAA* paper

KNOWN = grid("....", "....", "....", ".#..", "..#.", neighbors=4)  # Figure 1
UNKNOWN = grid("....", "....", ".#..", ".#..", "..#.", neighbors=4)  # Figure 2
START, GOAL = (1, 4), (3, 4)


def cell(name: str) -> tuple[int, int]:
    """`E3` is in the fifth row, in the column 3; the figures' first column is 2."""
    return int(name[1]) - 2, "ABCDE".index(name[0])


def walk(agent: tb.Agent, intervals: int) -> list[tuple[int, int]]:
    return [agent.step(expansions=2) for _ in range(intervals)]


def test_figure_1() -> None:
    agent = tb.make("tba", KNOWN, START, GOAL, trace_ratio=None)
    assert walk(agent, 3) == [cell("E3"), cell("E2"), cell("D2")]
    assert agent.episode().expansions == 6
    agent.step(expansions=2)
    assert list(agent.path)[-1] == GOAL  # found in the fourth interval
    episode = agent.run(expansions=2)
    assert (episode.moves, episode.expansions, episode.intervals) == (8, 8, 9)
    assert episode.path == [cell(name) for name in ["E3", "E2", "D2", "C2", "C3", "C4", "C5", "D5", "E5"]]


def test_figure_2() -> None:
    rtba_agent, tbaa_agent = (tb.make(name, UNKNOWN, START, GOAL, terrain="unknown") for name in ("rtba", "tbaa"))
    for agent in (rtba_agent, tbaa_agent):
        assert walk(agent, 4) == [cell("E3"), cell("E2"), cell("D2"), cell("C2")]
        assert agent.episode().searches == 2
    # OPEN in the fourth interval, just after the second search has begun at C2.
    assert list(rtba_agent.path) == [cell("C2"), cell("D2"), cell("E2")]
    assert list(tbaa_agent.path) == [cell("C2"), cell("B2")]
    assert tbaa_agent.h().reshape(UNKNOWN.shape)[4, 0] + 2 == 9  # f(E2), four higher than RTBA*'s
    assert [int(tbaa_agent.h()[UNKNOWN.state(cell(name))]) for name in ("C2", "D2", "E2", "B2")] == [5, 6, 7, 6]
    assert walk(rtba_agent, 2) == [cell("D2"), cell("C2")]
    assert walk(tbaa_agent, 1) == [cell("B2")]
    first, second = rtba_agent.run(expansions=2), tbaa_agent.run(expansions=2)
    assert (first.moves, first.expansions, first.back_moves) == (12, 16, 1)  # from D2 to C2
    assert (second.moves, second.expansions, second.back_moves) == (10, 14, 0)


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("name", "world", "terrain", "expected"),
    [
        ("tba", KNOWN, "known", [{"D2": 6}, {"C3": 8, "B2": 10}]),
        ("rtba", UNKNOWN, "unknown", [{"D2": 6}, None, None, {"E2": 5, "B2": 7}, {"B2": 7}]),
        ("tbaa", UNKNOWN, "unknown", [{"D2": 6}, None, None, {"E2": 9, "B2": 7}]),
    ],
)
def test_the_open_lists_of_the_figures(name: str, world: tb.Grid, terrain: str, expected: list) -> None:
    agent = tb.make(name, world, START, GOAL, terrain=terrain, trace_ratio=None)
    own = world.compiled(world.state(GOAL))
    episode = agent.run(expansions=2, intervals=len(expected), trace=True)
    for interval, names in zip(episode.trace, expected, strict=True):
        if names is not None:
            assert sorted(interval.open) == sorted(cell(place) for place in names)
    g = agent.reached()
    h = agent.h() if name == "tbaa" else np.array([heuristic(own, state) for state in range(world.states)])
    last = {place: int(g[world.state(cell(place))] + h[world.state(cell(place))]) for place in expected[-1]}
    assert last == expected[-1]


# ------------------------------------------------------------------ theorems


@given(problems(side=10), st.sampled_from([1, 3, 10]), st.sampled_from(sorted(WEIGHTS)))
@settings(max_examples=150)
def test_the_bounds_on_the_cost_of_tb_wastar(problem: Problem, k: int, weight: float) -> None:
    """2016, Lemmas 2 and 3, Theorem 2: N is the number of expansions of WA*, c+ the highest_cost move."""
    best = tb.shortest_path(problem.world, problem.start, problem.goal)
    if not best.solved or problem.start == problem.goal:
        return
    search = tb.Search(problem.world, problem.start, problem.goal, weight=weight)
    search.advance()
    n = search.expansions
    agent = problem.make("tb-wastar", weight=weight)
    episode = agent.run(expansions=k)
    assert episode.expansions == n
    highest_cost = problem.world.highest_cost / problem.world.unit
    assert episode.cost <= (n - 1) // k * highest_cost + 2 * weight * best.cost + 1e-6
    moves = (n - 1) // k
    cost_after = sum(
        problem.world.path_cost(np.array([problem.world.state(place) for place in move]))
        for move in pairwise(episode.path[moves:])
    )
    assert cost_after <= 2 * weight * best.cost + 1e-6


@given(problems(side=10))
@settings(max_examples=100)
def test_with_a_budget_without_limit_they_are_the_complete_agents(problem: Problem) -> None:
    """GOLDEN 2: TBA* is A*, RTBA* Repeated A*, TBAA* Adaptive A*: by their moves and by their expansions."""
    for name, terrain, complete in [
        ("tba", "known", "astar"),
        ("rtba", "unknown", "repeated-astar"),
        ("tbaa", "unknown", "adaptive-astar"),
    ]:
        episodes = [problem.make(agent, terrain).run() for agent in (name, complete)]
        assert episodes[0].path == episodes[1].path
        assert episodes[0].expansions == episodes[1].expansions
        assert episodes[0].searches == episodes[1].searches


@pytest.mark.parametrize("name", ["rtba", "tbaa"])
@given(problems(side=9), st.sampled_from(["unknown", "partial"]), st.sampled_from([1, 4, 30]))
@settings(max_examples=80)
def test_repeated_runs_end_on_a_cheapest_path(name: str, problem: Problem, terrain: str, k: int) -> None:
    """2012, Algorithm 4 and Theorem 2."""
    agent = problem.make(name, terrain, hidden=0.2, solvable=False)
    start, goal = (problem.world.state(place) for place in (problem.start, problem.goal))
    runs = repeated_runs(believed(agent, problem), start, goal, k=k, adaptive=name == "tbaa")
    episodes = list(trials(agent, 1000, expansions=k))
    assert len(episodes) == len(runs)
    for episode, run in zip(episodes, runs, strict=True):
        assert [problem.world.state(place) for place in episode.path] == run.path
        assert episode.expansions == run.expansions
    if runs[-1].solved and start != goal:
        # Which was found, not walked: an agent that acts early may have stepped back on its way.
        assert [problem.world.state(place) for place in agent.solution()] == runs[-1].search.path_to(goal)
        best = tb.shortest_path(agent.truth, problem.start, problem.goal).cost
        assert agent.truth.walk_cost(np.array([problem.world.state(p) for p in agent.solution()])) == pytest.approx(
            best
        )


@given(problems(side=9), st.sampled_from([1, 4, 30]))
@settings(max_examples=60)
def test_the_heuristic_of_tbaa_stays_consistent_and_never_falls(problem: Problem, k: int) -> None:
    agent = problem.make("tbaa", "unknown")
    goal, before = problem.world.state(problem.goal), agent.h()
    for _ in range(80):
        if agent.done:
            break
        agent.step(expansions=k)
        h = agent.h()
        assert (h >= before).all()
        before = h
        world = problem.world.with_map(agent.knows() != 2).compiled(goal)
        assert h[goal] == 0
        for state in range(len(h)):
            assert all(h[state] <= cost + h[successor] for successor, cost in successors(world, state))


# ------------------------------------------------------------------ moves that cannot be undone


@st.composite
def digraphs(draw: st.DrawFn, strong: bool) -> tuple[tb.Graph, Digraph]:
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = int(generator.integers(3, 12))
    points = generator.integers(0, 8, (count, 2))
    pairs = [tuple(pair) for pair in generator.integers(0, count, (int(generator.integers(2, 3 * count)), 2)).tolist()]
    if strong:
        ring = generator.permutation(count).tolist()
        pairs += list(pairwise([*ring, ring[0]]))
    pairs = list(dict.fromkeys((a, b) for a, b in pairs if a != b))
    lengths = [int(np.abs(points[a] - points[b]).max()) + int(generator.integers(1, 5)) for a, b in pairs]
    values = draw(st.booleans())

    def estimate(state: int, goal: int) -> int:
        return int(np.abs(points[state] - points[goal]).max()) if values else 0

    edges: dict[int, list[tuple[int, int]]] = {state: [] for state in range(count)}
    for (a, b), length in zip(pairs, lengths, strict=True):
        edges[a].append((b, length))
    rows = [(a, b, length) for a in range(count) for b, length in edges[a]]
    indptr = np.cumsum([0, *(len(edges[a]) for a in range(count))])
    graph = tb.Graph(
        indptr, [b for _, b, _ in rows], [length for _, _, length in rows], heuristic=estimate if values else None
    )
    return graph, Digraph(edges, estimate)


@pytest.mark.parametrize("strong", [True, False])
@given(data=st.data(), k=st.sampled_from([1, 2, 4, 50]), weight=st.sampled_from(sorted(WEIGHTS)))
@settings(max_examples=150)
def test_tbr_wastar_on_digraphs(strong: bool, data: st.DataObject, k: int, weight: float) -> None:
    """2016, Theorem 3: where every state can be reached from every other, it arrives; and it equals its naive twin."""
    graph, belief = data.draw(digraphs(strong))
    reopen, most = data.draw(st.booleans()), data.draw(st.sampled_from([None, None, 0, 1, 2]))
    agent = tb.make("tbr-wastar", graph, 0, graph.states - 1, weight=weight, reopen=reopen, most_steps_back=most)
    limits = {"most_steps_back": math.inf if most is None else most, "most_intervals": 300}
    run = tbr(belief, 0, graph.states - 1, k=k, weights=WEIGHTS[weight], reopen=reopen, **limits)
    episode = agent.run(expansions=k, intervals=301 if run.stop == "limit" else 100_000)
    assert run.solved or not strong
    if run.stop == "limit":
        assert list(episode.path) == run.path[: len(episode.path)]
        return
    assert list(episode.path) == run.path
    assert (episode.stop, episode.expansions, episode.searches) == (run.stop, run.expansions, run.searches)
    assert episode.back_moves == run.back_moves
    if run.solved:
        values = {state: h for state, h in run.learned.items() if h > belief.h(state, graph.states - 1)}
        learned = {
            s: int(h) / graph.unit for s, h in enumerate(agent.h()) if h / graph.unit > belief.h(s, graph.states - 1)
        }
        assert {s: h for s, h in learned.items() if h < 1e9} == {s: h for s, h in values.items() if not math.isinf(h)}
        assert {s for s, h in learned.items() if h >= 1e9} == {s for s, h in values.items() if math.isinf(h)}


@given(problems(side=8), st.sampled_from([1, 2, 7]), st.sampled_from(sorted(WEIGHTS)), st.sampled_from([0, 1, 3]))
@settings(max_examples=60)
def test_tbr_wastar_with_a_restart_condition(problem: Problem, k: int, weight: float, most: int) -> None:
    """2016, section 3.2: the condition is free, and Theorem 3 holds whatever it is. Here moves can be undone, too."""
    if problem.goal not in reachable(problem.world, problem.start):
        return
    agent = problem.make("tbr-wastar", weight=weight, most_steps_back=most)
    run = compare(problem, agent, tbr, k, k=k, weights=WEIGHTS[weight], reopen=False, most_steps_back=most)
    assert run.solved
    assert run.back_moves == 0 or most > 0


def test_restarts_in_place_of_steps_back() -> None:
    """At (2, 3) the path leads through the other corridor, four steps back; a new search finds the opening."""
    world = grid("...", ".#.", ".#.", "...", ".#.", ".#.", ".#.", ".#.", "..#", neighbors=4)
    runs = [
        tb.make("tbr-wastar", world, (1, 0), (1, 8), weight=1.0, most_steps_back=most).run(expansions=2)
        for most in (None, 2, 0)
    ]
    assert [(run.searches, run.back_moves, run.moves) for run in runs] == [(1, 4, 18), (2, 0, 12), (2, 0, 12)]
    with pytest.raises(tb.ProblemError, match="restarts without learning lead in circles"):
        tb.make("tbr-wastar", world, (1, 0), (1, 8), learning="none", most_steps_back=2)


@given(data=st.data(), k=st.sampled_from([1, 2, 4, 50]), weight=st.sampled_from(sorted(WEIGHTS)))
@settings(max_examples=150)
def test_without_restarts_they_get_stuck_where_no_step_back_exists(data: st.DataObject, k: int, weight: float) -> None:
    graph, belief = data.draw(digraphs(False))
    agent = tb.make("tb-wastar", graph, 0, graph.states - 1, weight=weight)
    run = tba(belief, 0, graph.states - 1, k=k, weights=WEIGHTS[weight], reopen=False)
    episode = agent.run(expansions=k, intervals=10_000)
    assert list(episode.path) == run.path
    assert (episode.stop, episode.expansions) == (run.stop, run.expansions)
    assert agent.stop == run.stop


@pytest.mark.parametrize("name", ["tba", "rtba", "tbaa", "tb-wastar", "tb-gbfs", "tbr-wastar"])
@given(problems(side=9), st.sampled_from([1e-5, 0.0005, 0.002]))
@settings(max_examples=30)
def test_under_the_virtual_clock(name: str, problem: Problem, virtual_ms: float) -> None:
    terrain = "known" if name == "tba" else "unknown"
    agent = problem.make(name, terrain)
    episode = agent.run(virtual_ms=virtual_ms, intervals=100_000)
    assert episode.solved == (problem.goal in reachable(problem.world, problem.start))
    again = problem.make(name, terrain).run(virtual_ms=virtual_ms)
    assert (again.path, again.intervals, again.expansions) == (episode.path, episode.intervals, episode.expansions)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"trace_ratio": 1}, "trace_ratio is a number between 0 and 1"),
        ({"trace_ratio": "most"}, "trace_ratio is a number between 0 and 1"),
        ({"trace_cost": 0}, "trace_cost is a whole number above 0"),
        ({"steady": "yes"}, "steady is True or False"),
        ({"learning": "much"}, "there is no learning 'much'; choose from: none, "),
        ({"weight": 0.5}, "weight must be"),
    ],
)
def test_bad_parameters_of_time_bounded_agents(parameters: dict, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        tb.make("tba", KNOWN, START, GOAL, **parameters)
