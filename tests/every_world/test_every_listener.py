"""A listener hears what happens, for every agent in every world. `make test` runs it with the compiler off."""

import math
from collections import Counter
from typing import Any

import hypothesis.strategies as st
import pytest
import world_list
from agent_worlds import AGENTS, Problem, grid, problems
from hypothesis import given, settings
from naive_tracing import Replay, WholeWorld

import timebound as tb
from timebound.agents.events import Event
from timebound.agents.listening import members_of
from timebound.agents.queries import costs_of_search
from timebound.search.learning import INFINITE, learned_values

BUDGETS = [{"expansions": 1}, {"expansions": 7}, {"expansions": math.inf}, {"virtual_ms": 0.001}, {"virtual_ms": 0.01}]
SMALL: dict[str, dict[str, Any]] = {"knn-lrta": {"records": 20}, "pr-lrta": {"level": 2}}
VARIANTS: list[tuple[str, str, dict[str, Any]]] = [
    *((name, terrain, {**SMALL.get(name, {}), **parameters}) for name, terrain, parameters in AGENTS),
    ("lrta", "unknown", {"depth": 3}),
    ("tba", "known", {"shortcut": True}),
    ("tb-wastar", "unknown", {"reopen": True}),
    ("tbr-wastar", "unknown", {"most_steps_back": 2}),
    *((name, "unknown", {"fallback": "nearest"}) for name in ("repeated-astar", "dstar-lite", "rtaa", "tbaa", "plrta")),
]
NAMES = [f"{name} {terrain} {' '.join(map(str, given.values()))}".strip() for name, terrain, given in VARIANTS]
every_variant = pytest.mark.parametrize(("name", "terrain", "parameters"), VARIANTS, ids=NAMES)
# What agents of these families mean to do is a path that they keep; that of the others is worked out when asked for.
KEEP_A_PATH = ("to-the-end", "local", "resumed", "refined")
MOST = 40  # intervals


def of(problem: Problem, name: str, terrain: str, parameters: dict[str, Any]) -> tb.Agent:
    solvable = {"solvable": False} if terrain == "partial" else {}
    return problem.make(name, terrain, **solvable, **parameters)


@every_variant
def test_a_trace_is_what_a_comparison_of_the_whole_world_finds(
    name: str, terrain: str, parameters: dict[str, Any]
) -> None:
    @given(problems(), st.sampled_from(BUDGETS), st.sampled_from([0, 3]))
    @settings(max_examples=6)
    def check(problem: Problem, budget: dict[str, Any], late: int) -> None:
        check_trace(*(of(problem, name, terrain, parameters) for _ in "ab"), budget, late)

    check()


def check_trace(traced: tb.Agent, compared: tb.Agent, budget: dict[str, Any], late: int) -> None:
    for _ in range(late):  # before anybody listens
        traced.step(**budget), compared.step(**budget)
    twin, expected = WholeWorld(compared), []
    while not compared.done and len(expected) < MOST:
        expected.append(twin.step(**budget))
    assert list(traced.run(**budget, intervals=MOST, trace=True).trace) == expected


@every_variant
def test_a_replay_of_the_events_is_the_agents_mind(name: str, terrain: str, parameters: dict[str, Any]) -> None:
    @given(problems(), st.sampled_from(BUDGETS), st.sampled_from([0, 3]))
    @settings(max_examples=6)
    def check(problem: Problem, budget: dict[str, Any], late: int) -> None:
        agent, replay = of(problem, name, terrain, parameters), Replay()
        for _ in range(late):
            agent.step(**budget)
        before = agent.episode()
        agent.listen(replay)
        for _ in range(MOST):
            if not agent.done:
                agent.step(**budget)
                check_mind(agent, replay)
        episode = agent.episode()
        assert replay.trail == list(episode.path[before.moves :])
        assert replay.counts["expand"] == episode.expansions - before.expansions
        assert replay.seen == {
            (x, y): bool(known == 2) for y, row in enumerate(agent.knows()) for x, known in enumerate(row) if known
        }

    check()


def check_mind(agent: tb.Agent, replay: Replay) -> None:
    """The agent's position, its plan, and what it has searched and learned."""
    world, kind = agent.world, agent.kind
    assert replay.position == agent.position
    if kind.part("lookahead") in KEEP_A_PATH and agent.parameters["fallback"] == "none" and not agent.done:
        assert replay.path(kind.part("walk") == "time-bounded") == list(agent.path)
    keeps_h = {"dijkstra", "expected"}  # where g was
    if len(costs_of_search(agent._mind)) and agent.parameters["learning"] not in keeps_h:
        reached = {world.place(s): g / world.unit for s, g in enumerate(agent.reached().tolist()) if g >= 0}
        found = {state: g for state, g in replay.g.items() if replay.marks[state] == "closed"}
        assert found.items() <= reached.items()
    learned = {s: h for s, h in enumerate(learned_values(members_of(agent._body)[1]).tolist()) if h}
    assert replay.learned == {world.place(s): math.inf if h >= INFINITE else h / world.unit for s, h in learned.items()}


WALL = grid(*[".....#......"] * 5, "..####......", *["............"] * 3)
NO_WAY = grid(*[".....#......"] * 6)
CORRIDORS = grid("...", ".#.", ".#.", "...", ".#.", ".#.", ".#.", ".#.", "..#", neighbors=4)


@pytest.mark.parametrize(
    ("name", "parameters", "world", "ends", "layer", "k"),
    [
        ("pr-lrta", {"level": 2}, WALL, ((3, 1), (10, 1)), "regions", 10),
        ("knn-lrta", {"records": 20}, WALL, ((3, 1), (10, 1)), "regions", 10),
        ("tba", {"trace_ratio": 0.7, "steady": True, "shortcut": True}, CORRIDORS, ((1, 0), (1, 8)), "shortcut", 3),
        ("rtaa", {"fallback": "nearest"}, NO_WAY, ((3, 1), (10, 1)), "fallback", 100),
    ],
)
def test_layers_beside_the_map(
    name: str, parameters: dict[str, Any], world: tb.Grid, ends: tuple[Any, Any], layer: str, k: int
) -> None:
    """Their searches are heard, in states of the map."""
    heard: list[Event] = []
    agent = tb.make(name, world, *ends, **parameters)
    agent.listen(heard.extend)
    episode = agent.run(expansions=k)
    kinds = Counter(event.kind for event in heard if event.layer == layer)
    assert min(kinds["search"], kinds["generate"], kinds["expand"]) > 0
    assert sum(event.kind == "expand" for event in heard) == episode.expansions
    states = [event.state for event in heard if event.layer == layer and event.state is not None]
    assert all(world.passable[y, x] for x, y in states)


# ------------------------------------------------------------------ other worlds

PAIRS = [
    (agent.name, world)
    for world in world_list.WORLDS
    for agent in tb.catalogue()
    if not world.startswith("grid of") and world_list.takes(agent.name, world)
]


@pytest.mark.parametrize(("name", "world"), PAIRS, ids=[f"{agent} on {world}" for agent, world in PAIRS])
def test_traces_in_every_world(name: str, world: str) -> None:
    @given(world_list.problems(world), st.sampled_from(BUDGETS), st.sampled_from([0, 3]))
    @settings(max_examples=2)
    def check(problem: world_list.Problem, budget: dict[str, Any], late: int) -> None:
        check_trace(problem.make(name), problem.make(name), budget, late)

    check()
