"""Repeated trials: an agent keeps what it has learned until it walks an optimal path."""

import numpy as np
import pytest
from PIL import Image

import timebound as tb
from timebound.applications.trials import is_optimal, trials, visits
from timebound.maps.drawing import below
from timebound.maps.plots import curve_picture

WALL = np.ones((9, 12), bool)
WALL[2:8, 8] = WALL[2, 3:8] = WALL[7, 3:8] = False  # a dead end on the way
WORLD = tb.Grid(WALL)
START, GOAL = (1, 5), (11, 5)
# Time-bounded agents do not have to walk an optimal path: among equally good states they may follow one into a dead
# end, of which a search that has found its path teaches nothing. They have to find one.
LEARNERS = [kind.name for kind in tb.catalogue() if kind.learning and kind.part("walk") != "time-bounded"]

KNOWS = {kind.name: kind.terrain for kind in tb.catalogue()}


def learner(name: str = "rtaa", terrain: str = "known", **parameters: object) -> tb.Agent:
    return tb.make(name, WORLD, START, GOAL, terrain=terrain, **parameters)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("terrain", ["known", "unknown"])
def test_trials_end_with_the_first_optimal_path(name: str, terrain: str) -> None:
    if terrain not in KNOWS[name]:
        pytest.skip("a kind for known terrain")
    parameters = {"lss-lrtwa": {"weight": 1.0}, "wlss-lrta": {"update_weight": 1}}.get(name, {})
    episodes = list(trials(learner(name, terrain, **parameters), 300, expansions=3))
    best = tb.shortest_path(WORLD, START, GOAL).cost
    assert episodes[-1].cost == pytest.approx(best)
    assert [episode.solved for episode in episodes] == [True] * len(episodes)
    assert [is_optimal(episode) for episode in episodes] == [False] * (len(episodes) - 1) + [True]
    assert {episode.optimal_cost for episode in episodes} == {best}
    assert all(episode.path[0] == START for episode in episodes)


@pytest.mark.parametrize("name", ["rtba", "tbaa"])
def test_trials_of_time_bounded_agents_end_with_the_first_single_search(name: str) -> None:
    """TBAA* paper, Algorithm 4: until the root of the search is the start."""
    agent = learner(name, "unknown")
    episodes = list(trials(agent, 300, expansions=3))
    assert [episode.searches > 1 for episode in episodes] == [True] * (len(episodes) - 1) + [False]
    assert len(episodes) > 1
    path = agent.solution()
    assert (path[0], path[-1]) == (START, GOAL)
    assert WORLD.walk_cost(np.array([WORLD.state(cell) for cell in path])) == episodes[-1].optimal_cost
    with pytest.raises(tb.ProblemError, match="agent 'rtaa' is not time-bounded"):
        learner("rtaa").solution()
    assert list(learner(name).solution()) == []


def test_trials_are_runs_with_resets_between_them() -> None:
    agent = learner()
    costs = []
    for _ in range(4):
        costs.append(agent.run(expansions=2).cost)
        agent.reset()
    assert [episode.cost for episode in trials(learner(), 4, expansions=2)] == costs


def test_trials_go_on_where_others_ended() -> None:
    whole = [episode.cost for episode in trials(learner(), 6, expansions=2)]
    agent = learner()
    pieces = [episode.cost for _ in range(3) for episode in trials(agent, 2, expansions=2)]
    assert pieces == whole


def test_a_trial_that_fails_is_the_last() -> None:
    cut_off = WALL.copy()
    cut_off[:, 8] = False
    agent = tb.make("rtaa", tb.Grid(cut_off), START, GOAL)
    episodes = list(trials(agent, 50, expansions=20))
    assert [episode.stop for episode in episodes] == ["unreachable"]
    assert [episode.stop for episode in trials(learner(), 50, expansions=1, intervals=3)] == ["intervals"]


def test_nothing_is_to_be_learned_at_the_goal() -> None:
    agent = tb.make("lrta", WORLD, GOAL, GOAL)
    assert [(episode.solved, episode.moves) for episode in trials(agent, 5)] == [(True, 0)]


def test_an_agent_that_does_not_learn_has_one_trial() -> None:
    assert len(list(trials(learner("astar"), 1))) == 1
    with pytest.raises(tb.ProblemError, match=r"'astar' does not learn from trial to trial; .* adaptive-astar, .*rtaa"):
        trials(learner("astar"), 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"most": 0}, "the number of trials is a whole number above 0, not 0"),
        ({"most": 2.5}, "the number of trials is a whole number above 0, not 2.5"),
        ({"most": 2, "intervals": -1}, "intervals is a whole number above 0"),
        ({"most": 2, "ms": 1, "expansions": 1}, "one budget at a time"),
    ],
)
def test_bad_input_is_refused_before_the_first_trial(arguments: dict, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        trials(learner(), **arguments)


def test_visits_are_counted_over_all_trials() -> None:
    episodes = list(trials(learner(), 5, expansions=1))
    counts = visits(WORLD, episodes)
    assert counts.shape == WORLD.shape
    assert counts.sum() == sum(len(episode.path) for episode in episodes)
    assert counts[START[1], START[0]] >= len(episodes)
    assert counts[~WALL].sum() == 0
    assert counts.max() > 1


# ------------------------------------------------------------------ the curve


@pytest.mark.parametrize(
    ("costs", "optimum"),
    [([5.0], 5.0), ([0.0], 0.0), ([3.0, 2.0], 1.5), ([9000.0, 200.0, 12.0], 11.0), ([1e-3] * 500, 1e-3)],
)
def test_curves_of_all_kinds(costs: list[float], optimum: float) -> None:
    image = curve_picture(costs, optimum, width=100)
    assert image.size == (440, 300)
    assert len(image.getcolors(1_000_000)) > 5


def test_a_curve_goes_below_a_picture() -> None:
    curve = curve_picture([3.0, 2.0], 1.5, width=500)
    assert below(Image.new("RGB", (128, 64)), curve).size == (500, 364)
    assert below(Image.new("RGB", (800, 64)), curve).size == (800, 364)
