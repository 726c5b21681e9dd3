"""SafeRTS: its twin, survival, and what becomes of it where nothing is dangerous."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from naive_movers import Traffic
from naive_safe import Safe

import timebound as tb
from bench.safety import lost, problem
from timebound.applications.race import race


def equals(seed: int) -> str:
    world, start, goal = problem(seed)
    budget = (1, 3, 12, 40)[seed % 4]
    episode = tb.make("safe-rts", world, start, goal).run(expansions=budget, intervals=300)
    twin = Safe(world, start, goal)
    twin.run(budget, 300)
    assert list(episode.path) == [twin.look.place(state) for state in twin.path], seed
    assert (episode.stop, episode.expansions) == (twin.stop or "intervals", twin.expansions), seed
    return twin.stop


@pytest.mark.uncompiled
def test_it_equals_its_naive_twin() -> None:
    assert {equals(seed) for seed in range(80)} == {"goal", "unreachable"}


def test_it_equals_its_naive_twin_compiled() -> None:
    for seed in range(100, 500):
        equals(seed)


@pytest.mark.uncompiled
@pytest.mark.parametrize("expansions", [1, 40])
def test_whoever_begins_in_a_bunker_is_never_hit(expansions: int) -> None:
    for seed in range(60):
        world = tb.Moving.traffic(7, 7, movers=0.45, bunkers=0.1, ticks=30, seed=seed)
        agent = tb.make("safe-rts", world, (0, 0), (6, 6))
        assert agent.run(expansions=expansions, intervals=2000).stop == "goal"


def test_whoever_is_not_lost_at_first_is_never_hit() -> None:
    others, starts = 0, 0
    for seed in range(1000):
        world, start, goal = problem(seed)
        if lost(world, start):
            continue
        starts += 1
        safe = tb.make("safe-rts", world, start, goal).run(expansions=40)
        assert safe.stop == "goal" or (safe.stop == "unreachable" and not lost(world, safe.path[-1]))
        others += tb.make("lss-lrta", world, start, goal).run(expansions=40).stop != "goal"
    assert starts > 700
    assert others > 5


@pytest.mark.uncompiled
def test_two_ways_to_find_the_lost_agree() -> None:
    found = set()
    for seed in range(60):
        world, start, _ = problem(seed)
        movers = [tb.Mover(cells, stays=False) for cells in world.movers.values()]
        found.add(lost(world, start))
        assert lost(world, start) == Traffic(world.grid.passable, 4, movers).lost(start), seed
    assert found == {True, False}


@pytest.mark.uncompiled
def test_where_nothing_is_dangerous_it_is_lss_lrta() -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        passable = generator.random((9, 11)) >= 0.3
        cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
        start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
        result: Any = race(tb.Grid(passable), ["safe-rts"], start, goal, expansions=7)
        plain = tb.make("lss-lrta", tb.Grid(passable), start, goal, movements=1).run(expansions=7)
        (safe,) = result.episodes
        assert (safe.path, safe.expansions, safe.stop) == (plain.path, plain.expansions, plain.stop)


@pytest.mark.uncompiled
def test_under_a_clock_it_keeps_its_budget_and_is_safe() -> None:
    for seed in range(40):
        world = tb.Moving.traffic(7, 7, movers=0.45, bunkers=0.1, ticks=30, seed=seed)
        episode = tb.make("safe-rts", world, (0, 0), (6, 6)).run(virtual_ms=0.001, intervals=3000)
        assert episode.stop == "goal"
        for before, after in pairwise(episode.path):
            assert after[2] >= before[2]


@pytest.mark.uncompiled
def test_its_proofs_are_heard() -> None:
    world, start, goal = problem(1)
    heard: list[Any] = []
    agent = tb.make("safe-rts", world, start, goal)
    agent.listen(heard.extend)
    episode = agent.run(expansions=40)
    assert sum(event.kind == "expand" for event in heard) == episode.expansions
    assert any(event.layer == "safety" for event in heard)
    assert episode.path == tb.make("safe-rts", world, start, goal).run(expansions=40).path


@pytest.mark.uncompiled
def test_the_checker_finds_nothing() -> None:
    assert tb.check_agent("safe-rts", problems=8) == []


@pytest.mark.uncompiled
def test_a_world_of_ones_own_says_what_is_safe() -> None:
    """A bridge that is shut behind you: state 3 leads nowhere, and looks nearest to the goal."""

    def successors(world: Any, state: int) -> Any:
        if state < 3:
            yield state + 1, 1
        if state in (1, 2):
            yield state + 3, 1
        if state in (4, 5):
            yield 6, 5

    def heuristic(world: Any, state: int) -> int:
        return 0

    def predecessors(world: Any, state: int) -> Any:
        for before in range(7):
            for after, cost in successors(world, before):
                if after == state:
                    yield before, cost

    def safe(world: Any, state: int) -> bool:
        return state == 0

    rules: dict[str, Any] = {"states": 7, "highest_cost": 5, "predecessors": predecessors, "safe": safe}
    world = tb.CustomWorld(successors, heuristic, **rules)
    assert tb.make("safe-rts", world, 0, 6).run(expansions=20).path[-1] == 6


@pytest.mark.uncompiled
def test_its_parts_go_together() -> None:
    world = tb.Moving.traffic(7, 7)
    for parts, complaint in [
        ({"learning": "none"}, "closed|expanded"),
        ({"walk": "path"}, "walk 'path' does not work"),
    ]:
        with pytest.raises(tb.ProblemError, match=complaint):
            tb.make(tb.variant("x", like="safe-rts", **parts), world, (0, 0), (6, 6))


@pytest.mark.parametrize("given", [{"movers": 2}, {"bunkers": -1}, {"ticks": 0}, {"seed": -1}, {"width": 1}])
def test_bad_traffic(given: dict[str, Any]) -> None:
    with pytest.raises(tb.ProblemError):
        tb.Moving.traffic(**{"width": 7, "height": 7, **given})
