"""Nancy: beliefs, its twin, and the checker."""

import numpy as np
import pytest
from naive_nancy import least_of, nancy, regret
from test_fhat import Town, problem, town

import timebound as tb
from timebound.agents.algorithms import nancy as compiled


def equals(seed: int) -> None:
    world, start, goal = town(seed)
    lookahead = (1, 5, 20)[seed % 3]
    episode = tb.make("nancy", world, start, goal, lookahead=lookahead, k=3).run(intervals=5000)
    belief = Town(world, np.zeros(len(world.compiled_map.edges), bool))
    aimed, target = world.aim(goal)
    expected = nancy(belief, aimed.state(start), target, world.highest_cost, lookahead, 5000)
    assert [aimed.state(place) for place in episode.path] == expected.path, seed
    assert (episode.expansions, episode.searches, episode.solved) == (expected.expansions, expected.searches, True)


@pytest.mark.uncompiled
def test_it_equals_its_naive_twin() -> None:
    for seed in range(90):
        equals(seed)


def test_it_equals_its_naive_twin_compiled() -> None:
    for seed in range(100, 300):
        equals(seed)


@pytest.mark.uncompiled
def test_beliefs_are_what_samples_say() -> None:
    generator = np.random.default_rng(2)
    for _ in range(20):
        mean, other = generator.uniform(5, 9, 2).tolist()
        deviation, other_deviation = generator.uniform(0, 3, 2).tolist()
        one, two = generator.normal(mean, deviation, 400_000), generator.normal(other, other_deviation, 400_000)
        least = compiled.least_of(mean, deviation, other, other_deviation)
        assert least == pytest.approx(least_of((mean, deviation), (other, other_deviation)))
        assert least == pytest.approx((np.minimum(one, two).mean(), np.minimum(one, two).std()), abs=0.03)
        expected = compiled.regret(mean, deviation, other, other_deviation)
        assert expected == pytest.approx(regret((mean, deviation), (other, other_deviation)))
        assert expected == pytest.approx(np.maximum(one - two, 0).mean(), abs=0.03)
    assert compiled.regret(5.0, 0.0, 3.0, 0.0) == 2
    assert compiled.least_of(5.0, 0.0, 3.0, 0.0) == (3, 0)


@pytest.mark.uncompiled
@pytest.mark.parametrize("k", [1, 3])
def test_the_checker_finds_nothing(k: int) -> None:
    assert tb.check_agent(tb.variant("n", like="nancy", k=k), problems=8) == []


@pytest.mark.uncompiled
def test_h_stays_a_lower_bound() -> None:
    for seed in range(25):
        world, start, goal = problem(seed)
        agent = tb.make("nancy", world, start, goal)
        assert (
            agent.run(expansions=1 + seed % 7, intervals=20_000).solved == tb.shortest_path(world, start, goal).solved
        )
        h = agent.h()
        for y, x in np.argwhere(world.passable).tolist():
            path = tb.shortest_path(world, (x, y), goal)
            assert not path.solved or h[world.state((x, y))] <= round(path.cost * world.unit) + 1


@pytest.mark.uncompiled
def test_a_sliding_puzzle_and_a_racetrack() -> None:
    start = (1, 4, 2, 3, 0, 5, 6, 7, 8)
    assert tb.make("nancy", tb.Tiles(3), start, tuple(range(9))).run(expansions=30).solved
    assert tb.make("nancy", tb.Racetrack(np.ones((9, 9), bool)), (0, 0), (8, 8)).run(expansions=30).solved
    with pytest.raises(tb.ProblemError, match="does not work with the lookahead"):
        tb.make("nancy", tb.Tiles(3), start, tuple(range(9)), learning="dijkstra")
