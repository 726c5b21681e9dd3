"""The learning agents: against plain Python, by the papers' examples, and by their theorems."""

import math
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, grid, problems
from hypothesis import given, settings
from naive_agents import Belief, reachable
from naive_learning import LearningWalk, local_search, lrta, plrta

import timebound as tb
from timebound.applications.trials import trials
from timebound.worlds.interface import heuristic, successors

FAMILY = ["rtaa", "a-rtaa", "da-rtaa", "da-lss-lrta", "lss-lrta", "lss-lrtwa", "wlss-lrta"]
UNWEIGHTED = {"lss-lrtwa": {"weight": 1.0}, "wlss-lrta": {"update_weight": 1}}
LEARNERS = ["lrta", "plrta", *FAMILY]
MOST = 150  # searches of a naive twin, which is slow
EXAMPLE = grid(".....", ".....", "..#..", "..#..", "...#.", neighbors=4)


def believed(agent: tb.Agent, problem: Problem) -> Belief:
    assumed = problem.world.without_obstacles if agent.terrain == "unknown" else problem.world
    return Belief(problem.world, assumed.passable.copy(), agent.truth.passable)


def compare(problem: Problem, agent: tb.Agent, twin: Any, budget: dict, **options: Any) -> None:
    """Check for the same moves, expansions, searches and values; of an endless walk, compare the beginning."""
    world = problem.world
    belief = believed(agent, problem)
    walk: LearningWalk = twin(belief, world.state(problem.start), world.state(problem.goal), **options)
    endless = not walk.solved and walk.searches >= MOST
    episode = agent.run(**budget, intervals=len(walk.path) if endless else None)
    path = [world.state(cell) for cell in episode.path]
    if endless:
        assert path[: len(walk.path) - 1] == walk.path[: len(path)][: len(walk.path) - 1]
        return
    assert path[: len(walk.path)] == walk.path
    assert episode.solved == walk.solved
    if walk.solved:
        assert (episode.expansions, episode.searches) == (walk.expansions, walk.searches)
        assert episode.updates == walk.updates
        assert round(episode.raise_per_update * episode.updates * world.unit) == walk.raised
        own = world.compiled(world.state(problem.goal))
        values = {int(s): int(h) for s, h in enumerate(agent.h()) if h > heuristic(own, s)}
        assert values == walk.h


parts = st.fixed_dictionaries(
    {
        "lookahead": st.sampled_from([1, 2, 5, 12, math.inf]),
        "movements": st.sampled_from([1, 3, math.inf]),
        "learning": st.sampled_from(["adaptive", "dijkstra"]),
        "target": st.sampled_from(["best", "unraised", "least-raised"]),
    }
)


@given(
    problems(side=9) | problems(side=7, heuristics=("none", "euclidean")),
    st.sampled_from(["known", "unknown", "unknown", "partial"]),
    parts,
)
@settings(max_examples=300)
def test_every_mix_of_parts_equals_its_naive_twin(problem: Problem, terrain: str, parts: dict) -> None:
    """A lookahead that fits into an interval, or one that takes several."""
    agent = problem.make("rtaa", terrain, hidden=0.2, solvable=False, **parts)
    compare(problem, agent, local_search, {"expansions": math.inf}, most_searches=MOST, **parts)


@given(problems(side=8), parts, st.sampled_from([(1, 2.0, (1, 2)), (3, 1.5, (2, 3)), (2, 5.0, (1, 5))]))
@settings(max_examples=150)
def test_weighted_lookaheads_equal_their_naive_twins(problem: Problem, parts: dict, weight: tuple) -> None:
    budget, weight, weights = weight
    agent = problem.make("rtaa", "unknown", weight=weight, **parts)
    belief = believed(agent, problem)
    start, goal = (problem.world.state(cell) for cell in (problem.start, problem.goal))
    walk = local_search(belief, start, goal, most_searches=MOST, weights=weights, **parts)
    episode = agent.run(expansions=None if math.isinf(parts["lookahead"]) else budget, intervals=2000)
    if walk.solved:
        assert [problem.world.state(cell) for cell in episode.path] == walk.path
        assert (episode.expansions, episode.searches) == (walk.expansions, walk.searches)


@given(
    problems(side=9),
    st.sampled_from(["known", "unknown", "partial"]),
    parts,
    st.sampled_from([2, 3, 16]),
    st.sampled_from([(1.0, (1, 1)), (1.5, (2, 3)), (3.0, (1, 3))]),
)
@settings(max_examples=150)
def test_weighted_updates_equal_their_naive_twins(
    problem: Problem, terrain: str, parts: dict, update_weight: int, weight: tuple
) -> None:
    """wLSS-LRTA*, also with weighted lookaheads and with other targets."""
    parts = {**parts, "learning": "dijkstra", "update_weight": update_weight}
    agent = problem.make("wlss-lrta", terrain, hidden=0.2, solvable=False, weight=weight[0], **parts)
    compare(problem, agent, local_search, {"expansions": math.inf}, most_searches=MOST, weights=weight[1], **parts)


def test_a_weighted_update_of_a_row() -> None:
    """Of 0 and 1, which are expanded, 1 is 2 x 1 + h(2) = 3 and 0 is 2 x 2 + h(2) = 5."""
    agent = tb.make("wlss-lrta", grid("....", neighbors=4), (0, 0), (3, 0), update_weight=2)
    agent.step(expansions=2)
    assert agent.h().tolist() == [5, 3, 1, 0]


@pytest.mark.parametrize("update_weight", [2, 5])
def test_wlss_lrta_arrives_with_an_h_of_at_most_w_times_the_true_cost(update_weight: int) -> None:
    """Rivera, Baier and Hernández 2015: h never falls, h(s) <= w c(s, t) + h(t), and the agent reaches the goal."""
    for problem in solvable_grids(60):
        agent = problem.make("wlss-lrta", update_weight=update_weight)
        goal, before = problem.world.state(problem.goal), agent.h()
        moves = problem.world.compiled(goal)
        while not agent.done and agent.episode().intervals < 1000:
            agent.step(expansions=3)
            h = agent.h()
            assert (h >= before).all()
            before = h
        assert agent.stop == "goal"
        for state in range(problem.world.states):
            assert all(before[state] <= update_weight * cost + before[t] for t, cost in successors(moves, state))


def test_wlss_lrta_knows_when_there_is_no_way() -> None:
    """h may be w times too high, and the proof must allow for that."""
    for column, stop in ((3, "unreachable"), (0, "goal")):
        rows = ["....#.." for _ in range(4)] + ["." * 7 if column == 0 else "....#.."]
        agent = tb.make("wlss-lrta", grid(*rows, neighbors=4), (3, 0), (6, 0), update_weight=16, movements=1)
        assert agent.run(expansions=1, intervals=100_000).stop == stop


@given(problems(side=9), st.sampled_from(["known", "unknown", "partial"]), st.integers(1, 3))
@settings(max_examples=150)
def test_lrta_equals_its_naive_twin(problem: Problem, terrain: str, depth: int) -> None:
    agent = problem.make("lrta", terrain, depth=depth, hidden=0.2, solvable=False)
    compare(problem, agent, lrta, {}, depth=depth, most_moves=MOST)


@given(problems(side=9), st.sampled_from([1.5, 2, 3.3]))
@settings(max_examples=100)
def test_lrta_to_a_cost_equals_its_naive_twin(problem: Problem, limit: float) -> None:
    agent = problem.make("lrta", "unknown", cost_limit=limit)
    compare(problem, agent, lrta, {}, cost_limit=int(limit * problem.world.unit), most_moves=MOST)


@given(problems(side=9), st.sampled_from(["known", "unknown", "partial"]), st.sampled_from([1, 2, 5, 30]))
@settings(max_examples=150)
def test_plrta_equals_its_naive_twin(problem: Problem, terrain: str, queue: int) -> None:
    agent = problem.make("plrta", terrain, queue=queue, hidden=0.2, solvable=False)
    compare(problem, agent, plrta, {}, queue_size=queue, updates=queue, most_moves=MOST)


# ------------------------------------------------------------------ the example of the RTAA* paper


@pytest.mark.parametrize(
    ("name", "expansions", "cost", "expanded", "searches"),
    [
        ("rtaa", math.inf, 10, 20, 2),
        ("lss-lrta", math.inf, 10, 19, 2),
        ("adaptive-astar", math.inf, 10, 20, 2),
        ("rtaa", 4, 12, 17, 5),
        ("lss-lrta", 4, 12, 17, 5),
    ],
)
def test_the_worked_example(name: str, expansions: float, cost: float, expanded: int, searches: int) -> None:
    """Section 7: Figures 5, 6 and 7."""
    agent = tb.make(name, EXAMPLE, (2, 4), (4, 4), terrain="unknown")
    episode = agent.run(expansions=expansions)
    assert (episode.cost, episode.expansions, episode.searches) == (cost, expanded, searches)


@pytest.mark.parametrize(("name", "lowest", "above"), [("rtaa", [6, 7, 8], [5, 6]), ("lss-lrta", [8, 7, 8], [7, 6])])
def test_what_is_learned_from_the_first_search_of_the_example(name: str, lowest: list, above: list) -> None:
    """Figures 5 and 6, on the right: GOLDEN 3.7 and 3.8."""
    agent = tb.make(name, EXAMPLE, (2, 4), (4, 4), terrain="unknown")
    agent.step()
    h = agent.h().reshape(5, 5)
    assert h[4, :3].tolist() == lowest
    assert h[3, :2].tolist() == above


# ------------------------------------------------------------------ theorems


def check_consistent(agent: tb.Agent, passable: np.ndarray, goal: int) -> None:
    """h(goal) = 0 and h(s) <= c(s, t) + h(t) for every move, exactly."""
    h, world = agent.h(), agent.world.with_map(passable).compiled(goal)
    assert h[goal] == 0
    for state in range(len(h)):
        for successor, cost in successors(world, state):
            assert h[state] <= cost + h[successor]


@pytest.mark.parametrize("name", [*FAMILY[:-1], "lrta", "plrta", "adaptive-astar"])
@given(
    problems(side=7) | problems(side=7, travel=(1.0, 1.5, 4.0)),
    st.sampled_from(["known", "unknown"]),
    st.sampled_from([1, 2, 6, 20]),
    st.integers(1, 3),
)
@settings(max_examples=30)
def test_h_never_falls_and_stays_consistent(
    name: str, problem: Problem, terrain: str, expansions: int, movements: int
) -> None:
    """RTAA* paper, Theorems 1 and 2, after every search, while costs rise (to infinity, in unknown terrain)."""
    agent = problem.make(name, terrain, **({"movements": movements} if name in FAMILY else {}))
    before, goal = agent.h(), problem.world.state(problem.goal)
    for _ in range(60):
        if agent.done:
            break
        agent.step(expansions=expansions)
        h = agent.h()
        assert (h >= before).all()
        before = h
        assumed = problem.world.passable if terrain == "known" else np.ones_like(problem.world.passable)
        check_consistent(agent, (agent.knows() != 2) & assumed, goal)


@given(problems(side=8), st.sampled_from(["known", "unknown", "partial"]))
@settings(max_examples=100)
def test_all_are_the_same_with_a_lookahead_of_one(problem: Problem, terrain: str) -> None:
    """RTAA* paper, Theorem 5; and both are the LRTA* of Korf."""
    episodes = [
        problem.make(name, terrain, solvable=False, **parameters).run(expansions=1, intervals=500)
        for name, parameters in [("rtaa", {}), ("lss-lrta", {}), ("lrta", {}), ("plrta", {"queue": 1})]
    ]
    for other in episodes[1:]:
        assert other.path == episodes[0].path
        assert other.expansions == episodes[0].expansions


@given(problems(side=9), st.sampled_from([2, 5, 11]))
@settings(max_examples=100)
def test_dijkstra_learns_no_less_than_the_adaptive_rule_from_one_search(problem: Problem, expansions: int) -> None:
    """RTAA* paper, section 5; for the agent's own state, both learn the same."""
    values = []
    for name in ("rtaa", "lss-lrta"):
        agent = problem.make(name, "unknown")
        agent.step(expansions=expansions)
        values.append(agent.h())
    start = problem.world.state(problem.start)
    assert (values[1] >= values[0]).all()
    assert values[1][start] == values[0][start]


@pytest.mark.parametrize("name", LEARNERS)
@given(problems(side=6), st.sampled_from(["known", "unknown"]), st.sampled_from([1, 4, 15]))
@settings(max_examples=30)
def test_trials_end_on_an_optimal_path(name: str, problem: Problem, terrain: str, expansions: int) -> None:
    """RTAA* paper, Theorem 4."""
    if problem.goal not in reachable(problem.world, problem.start):
        return
    best = tb.shortest_path(problem.world, problem.start, problem.goal).cost
    # A weighted lookahead or update does not have to end there.
    agent = problem.make(name, terrain, **UNWEIGHTED.get(name, {}))
    costs = []
    for _ in range(200):
        episode = agent.run(expansions=expansions)
        assert episode.solved
        costs.append(episode.cost)
        agent.reset()
        assert (agent.position, agent.done, agent.episode().moves) == (problem.start, problem.start == problem.goal, 0)
    assert costs[-1] == pytest.approx(best)


@given(problems(side=8), st.sampled_from(["known", "unknown"]), st.sampled_from(["unraised", "least-raised"]))
@settings(max_examples=150)
def test_lrta_that_avoids_depressions_moves_as_rtaa_with_one_expansion(
    problem: Problem, terrain: str, target: str
) -> None:
    """Its lookahead is the same, and so is what it learns, over several trials."""
    step = tb.variant("step", like="lrta", target=target)
    search = {"unraised": "a-rtaa", "least-raised": "da-rtaa"}[target]
    one, other = (tb.make(name, problem.world, problem.start, problem.goal, terrain=terrain) for name in (step, search))
    for _ in range(3):
        episodes = [agent.run(expansions=1) for agent in (one, other)]
        assert episodes[0].path == episodes[1].path
        assert episodes[0].stop == episodes[1].stop
        assert np.array_equal(one.h(), other.h())
        one.reset(), other.reset()


def solvable_grids(count: int) -> Iterator[Problem]:
    """Small random grids on which the goal can be reached."""
    seed = 0
    while count:
        generator, seed = np.random.default_rng([22, seed]), seed + 1
        passable = generator.random((8, 8)) >= generator.choice([0.25, 0.35, 0.45])
        cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
        start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
        problem = Problem(tb.Grid(passable, neighbors=(4, 8)[seed % 2]), start, goal)
        if start != goal and goal in reachable(problem.world, start):
            count -= 1
            yield problem


def test_lrta_arrives_whatever_its_depth() -> None:
    """GOLDEN A22: without pathmax 34 of these 219 grids are never solved with a depth of 2, 3 or 4."""
    for problem in solvable_grids(219):
        for limit in ({"depth": 2}, {"depth": 3}, {"depth": 4}, {"cost_limit": 3}):
            assert problem.make("lrta", **limit).run(intervals=3000).solved


@pytest.mark.parametrize("depth", [2, 5])
def test_trials_of_lrta_end_on_an_optimal_path_whatever_its_depth(depth: int) -> None:
    """h stays below the true cost; once no h rises, every move lowers h by the cost of the move."""
    for problem in solvable_grids(30):
        *_, last = trials(problem.make("lrta", "unknown", depth=depth), 300)
        assert last.suboptimality == pytest.approx(1)


# ------------------------------------------------------------------ under the clock


@pytest.mark.parametrize("name", FAMILY)
@given(problems(side=9), st.sampled_from(["known", "unknown"]), st.sampled_from([1e-5, 0.0005, 0.002]))
@settings(max_examples=30)
def test_one_move_an_interval_under_the_clock(name: str, problem: Problem, terrain: str, virtual_ms: float) -> None:
    """TBAA* paper, section 8: the first interval only searches, and every later one moves once."""
    if problem.goal not in reachable(problem.world, problem.start) or problem.start == problem.goal:
        return
    agent = problem.make(name, terrain)
    episode = agent.run(virtual_ms=virtual_ms, intervals=100_000)
    assert episode.solved
    if name.endswith("rtaa"):  # Dijkstra's rule may take longer than an interval
        assert episode.intervals == episode.moves + 1
        assert episode.searches == episode.moves


def test_parameters_change_from_one_interval_to_the_next() -> None:
    """Figure 1 of the RTAA* paper leaves lookahead and movements free, search by search."""
    agent = tb.make("rtaa", tb.Grid(np.ones((1, 30), bool)), (0, 0), (29, 0))
    agent.step(expansions=6)
    assert list(agent.path) == [(x, 0) for x in range(7)]
    agent.set(movements=2, lookahead=3)
    positions = [agent.step(expansions=100) for _ in range(4)]
    assert positions == [(1, 0), (2, 0), (3, 0), (4, 0)]
    assert agent.episode().searches == 3
    assert agent.episode().expansions == 12
    with pytest.raises(tb.ProblemError, match="agent 'rtaa' has no parameter 'depth'; these do: lrta, pr-lrta"):
        agent.set(depth=3)
    with pytest.raises(tb.ProblemError, match="update_weight is fixed"):
        agent.set(update_weight=2, learning="dijkstra")
    with pytest.raises(tb.ProblemError, match="learning 'adaptive' cannot become 'lazy' during an episode"):
        agent.set(learning="lazy")
    agent.set(learning="dijkstra", target="least-raised")
    assert agent.run(expansions=100).solved


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("rtaa", {"lookahead": 0}, "lookahead is a whole number above 0"),
        ("rtaa", {"movements": "some"}, "movements is a whole number above 0"),
        ("rtaa", {"learning": "no"}, "there is no learning 'no'; choose from: none, one-state"),
        ("rtaa", {"update_weight": 2}, "has no parameter 'update_weight' with these parts; it belongs to"),
        (
            "wlss-lrta",
            {"update_weight": 1.5},
            "update_weight, the weight of costs in the update, is a whole number from 1 to 16",
        ),
        ("rtaa", {"target": "goal"}, "there is no target 'goal'; choose from: best, unraised"),
        ("lrta", {"target": "unraised", "depth": 2}, "a target of raised states needs depth=1"),
        ("lrta", {"depth": 1.5}, "depth is a whole number above 0"),
        ("lrta", {"cost_limit": -1}, "cost_limit of the lookahead is a number above 0"),
        ("plrta", {"queue": 0}, "is a whole number from 1 to 100000, not 0"),
        ("plrta", {"queue": 10**9}, "is a whole number from 1 to 100000, not 1000000000"),
    ],
)
def test_bad_parameters(name: str, parameters: dict, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        tb.make(name, EXAMPLE, (2, 4), (4, 4), **parameters)


def test_the_heuristic_of_an_agent_that_does_not_learn() -> None:
    with pytest.raises(tb.ProblemError, match="learns no heuristic"):
        tb.make("astar", EXAMPLE, (2, 4), (4, 4)).h()
