"""What other suites check for agents on grids, checked for every agent in every world.

The number of types that this would compile is agents times worlds; `make test` runs it with the compiler off.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from world_list import WORLDS, Problem, problems, takes

import timebound as tb

AGENTS = [kind.name for kind in tb.catalogue()]
LEARNERS = {kind.name for kind in tb.catalogue() if kind.part("lookahead") == "local" or kind.name == "tbr-wastar"}
PAIRS = [(agent, world) for world in WORLDS for agent in AGENTS if takes(agent, world)]
BUDGETS = [{"expansions": 1}, {"expansions": 5}, {"expansions": math.inf}, {"virtual_ms": 0.001}]
OPTIMAL = {"astar", "repeated-astar", "adaptive-astar", "dstar-lite"}
# On a directed graph some agents step back where that is impossible, and say that they are stuck.
STEPPING_BACK = {kind.name for kind in tb.catalogue() if kind.needs_reversible_moves}

every_world = pytest.mark.parametrize("world", WORLDS)
every_pair = pytest.mark.parametrize(("agent", "world"), PAIRS, ids=[f"{a} on {w}" for a, w in PAIRS])


def check_walk(problem: Problem, episode: tb.Episode) -> None:
    """Every move is one of the world's, and the record is the record of the path."""
    cost = sum(problem.moves(here)[there] for here, there in pairwise(episode.path))
    assert episode.cost == pytest.approx(cost / problem.world.unit, rel=1e-6)
    assert episode.moves == len(episode.path) - 1
    assert episode.path[0] == problem.look.place(problem.look.first(problem.start))
    assert episode.solved == problem.at_goal(episode.path[-1])


def figures(episode: tb.Episode) -> tuple[Any, ...]:
    names = ("solved", "cost", "moves", "intervals", "expansions", "searches", "path", "stop", "updates", "trace_steps")
    return tuple(getattr(episode, name) for name in names)


def test_every_agent_walks_somewhere_else_than_on_grids() -> None:
    walkers = {agent for agent, world in PAIRS if not world.startswith("grid of")}
    assert walkers == {*AGENTS} - GRIDS_ONLY


GRIDS_ONLY = {"knn-lrta", "d-lrta", "pr-lrta"} & {*AGENTS}


@every_world
def test_nothing_is_wrong_with_it(world: str) -> None:
    @given(problems(world))
    @settings(max_examples=3)
    def check(problem: Problem) -> None:
        if problem.world.states <= 10_000 or isinstance(problem.world, tb.CustomWorld):
            found = tb.check_world(problem.world, problem.start, problem.goal, states=200)
            assert [line for line in found if "no goal can be reached" not in line] == []

    check()


@every_pair
def test_agents_arrive_or_prove_that_they_cannot(agent: str, world: str) -> None:
    @given(problems(world), st.sampled_from(BUDGETS))
    @settings(max_examples=8)
    def check(problem: Problem, budget: dict[str, Any]) -> None:
        episode = problem.make(agent).run(**budget, intervals=20_000)
        check_walk(problem, episode)
        costs = {place: cost for place, cost in problem.distances().items() if problem.at_goal(place)}
        if episode.stop == "stuck":
            assert agent in STEPPING_BACK
            assert world == "graph"
            return
        assert episode.stop == ("goal" if costs else "unreachable")
        if costs:
            best = min(costs.values()) / problem.world.unit
            assert episode.cost >= best * (1 - 1e-6)
            waits = world == "movers"  # while it thinks, and that costs time
            assert agent not in OPTIMAL or waits or episode.cost == pytest.approx(best, rel=1e-5)
        assert figures(problem.make(agent).run(**budget, intervals=20_000)) == figures(episode)

    check()


@every_world
def test_searches_find_cheapest_paths(world: str) -> None:
    @given(problems(world), st.sampled_from([1, 2, 3]))
    @settings(max_examples=8)
    def check(problem: Problem, weight: int) -> None:
        path = tb.shortest_path(problem.world, problem.start, problem.goal, weight=weight)
        costs = [cost for place, cost in problem.distances().items() if problem.at_goal(place)]
        assert path.solved == bool(costs)
        if costs:
            best = min(costs) / problem.world.unit
            assert best * (1 - 1e-6) <= path.cost <= weight * best * (1 + 1e-6)
            assert problem.at_goal(path.states[-1])
            assert tb.shortest_path(problem.world, problem.start, problem.goal, greedy=True).solved

    check()


@pytest.mark.parametrize(("agent", "world"), [(agent, world) for agent, world in PAIRS if agent in LEARNERS])
def test_learned_estimates_rise_and_stay_consistent(agent: str, world: str) -> None:
    """RTAA* paper, Theorems 1 and 2; the same for all other rules that learn of a whole local space at once.

    With a weighted update, costs are multiplied by the weight.
    """

    @given(problems(world), st.sampled_from([1, 5]))
    @settings(max_examples=4)
    def check(problem: Problem, lookahead: int) -> None:
        walker, before = problem.make(agent), {}
        update_weight = walker.parameters.get("update_weight", 1)
        for _ in range(30):
            if walker.done:
                break
            walker.step(expansions=lookahead)
            values = walker.h()
            h = {walker.world.place(state): int(values[state]) for state in range(len(values)) if usable(walker, state)}
            for place, value in h.items():
                assert value >= before.get(place, 0)
                for after, cost in problem.moves(place).items():
                    assert value <= update_weight * cost + h.get(after, math.inf)
            before = h

    check()


def usable(agent: tb.Agent, state: int) -> bool:
    """Is it a state that an agent can be in? (The numbers of a grid's blocked cells are not.)"""
    try:
        agent.world.state(agent.world.place(state))
    except tb.ProblemError:
        return False
    return True


@pytest.mark.parametrize("world", [world for agent, world in PAIRS if agent == "tb-wastar" and world != "graph"])
def test_the_bound_of_time_bounded_search(world: str) -> None:
    """2016, Theorem 2: floor((N - 1) / k) moves before the goal is found, and a detour of 2 w c* at most after."""

    @given(problems(world), st.sampled_from([1, 2, 3]), st.sampled_from([1, 4, 16]))
    @settings(max_examples=8)
    def check(problem: Problem, weight: int, lookahead: int) -> None:
        best = tb.shortest_path(problem.world, problem.start, problem.goal)
        if not best.solved:
            return
        search = tb.Search(problem.world, problem.start, problem.goal, weight=weight)
        search.advance()
        cost = problem.make("tb-wastar", weight=weight).run(expansions=lookahead).cost
        highest_cost = problem.world.highest_cost / problem.world.unit
        assert cost <= (max(0, search.expansions - 1) // lookahead * highest_cost + 2 * weight * best.cost) * (1 + 1e-6)

    check()


def endless(world: Any, state: int) -> Iterator[tuple[int, int]]:
    while state == world.odd:
        yield state + 1, 1
    yield (state + 1) % 20, 1
    yield (state - 1) % 20, 1


WALKERS = [*((agent, {}) for agent in AGENTS if takes(agent, "pancakes")), ("lrta", {"cost_limit": 2})]


@pytest.mark.parametrize(("agent", "parameters"), WALKERS)
def test_moves_without_an_end_are_an_error(agent: str, parameters: dict[str, Any]) -> None:
    for odd in (3, 5):  # where the agent is, and where it comes to
        world = tb.CustomWorld(
            endless, lambda world, state: 0, data={"odd": odd}, states=20, branching=2, reversible=True
        )
        with pytest.raises(tb.WorldError, match=f"successors yields more than branching=2 moves from {odd}"):
            tb.make(agent, world, 3, 12, **parameters).run(expansions=3, intervals=1000)
