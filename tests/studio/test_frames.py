"""Records say what the library's own trace says."""

import gc
import weakref

import numpy as np
import pytest
from studio.minds import PlainMind, records_in
from studio.settings import KINDS, ROWS, asked

import timebound as tb
from timebound.agents.registry import as_kind
from timebound.applications.race import race
from timebound.studio.contest import Contest
from timebound.studio.setting import setting_of

WATCHED = [name for name, kind in KINDS.items() if "unknown" in kind.terrain]


def contest(*agents: str, **changed: object) -> Contest:
    return Contest(setting_of(asked(*agents, **changed), KINDS))


def grid() -> tb.Grid:
    return tb.Grid(np.array([[c == "." for c in row] for row in ROWS]))


@pytest.mark.parametrize("name", WATCHED)
def test_records_agree_with_the_trace(name: str) -> None:
    watched = contest(name)
    world = grid()
    traced = tb.make(name, world, (0, 2), (9, 2), terrain="unknown").run(expansions=7, trace=True)
    searches = any(len(interval.closed) for interval in traced.trace)  # or it only looks at its neighbours
    mind, learned = PlainMind(), {}
    (first,) = records_in(watched.advance(0))
    mind.apply(*first)
    for number, interval in enumerate(traced.trace, 1):
        ((head, columns),) = records_in(watched.advance(number))
        mind.apply(head, columns)
        assert world.place(int(head["position"])) == interval.position
        if searches:
            assert mind.open == {world.inside(place) for place in interval.open}, number
            assert mind.closed == {world.inside(place) for place in interval.closed}, number
        learned.update(interval.learned)
        new = {world.inside(place) for place, h in interval.learned.items() if h}
        assert new <= set(columns["learned"].tolist())
    assert watched.over
    assert mind.head["expansions"] == traced.expansions
    assert mind.head["cost"] == pytest.approx(traced.cost, rel=1e-6)
    assert set(mind.learned) == {world.inside(place) for place in learned}
    assert sum(mind.expanded.values()) == traced.expansions


@pytest.mark.parametrize("name", ["rtaa", "tbaa", "repeated-astar", "dstar-lite"])
def test_the_path_is_the_one_that_the_agent_follows(name: str) -> None:
    watched = contest(name)
    agent, world, mind = watched.agents[0], watched.world, PlainMind()
    for number in range(12):
        for record in records_in(watched.advance(number)):
            mind.apply(*record)
        position = int(mind.head["position"])
        ahead = mind.path[mind.path.index(position) :] if position in mind.path else []
        wanted = [world.inside(place) for place in agent.path]
        assert ahead == wanted or not wanted, number


def test_results_are_those_of_a_race() -> None:
    names = ["tbaa", "rtaa", "lss-lrta", "dstar-lite"]
    watched = contest(*names)
    watched.advance(10_000)
    result = watched.result()
    raced = race(grid(), names, (0, 2), (9, 2), terrain="unknown", expansions=7)
    assert [row["agent"] for row in result["agents"]] == [episode.agent for episode in raced.episodes]
    assert result["optimal_cost"] == raced.optimal_cost
    for row, episode in zip(result["agents"], raced.episodes, strict=True):
        times = ("time_per_move_us", "planning_us")
        same = {key: value for key, value in episode.as_json().items() if key not in times}
        assert {key: row["episode"][key] for key in same} == same
        assert row["suboptimality"] == raced.suboptimality(episode)


def test_a_limit_of_intervals_ends_a_race() -> None:
    watched = contest("lrta", intervals=5)
    watched.advance(10_000)
    assert watched.interval == 5
    assert watched.result()["agents"][0]["episode"]["stop"] == "intervals"


def test_an_agent_twice_with_other_parameters() -> None:
    agents = [{"name": "rtaa", "parameters": {"lookahead": size}} for size in (2, 40)]
    watched = contest(agents=agents)
    watched.advance(10_000)
    near, far = (agent.episode() for agent in watched.agents)
    assert near.moves > far.moves
    assert [row["number"] for row in watched.result()["agents"]] == [1, 0]


def test_nothing_holds_an_agent_when_its_race_is_dropped() -> None:
    gc.collect()
    gc.disable()  # it would find cycles, but later
    try:
        watched = contest("rtaa", "tbaa", "dstar-lite")
        watched.advance(5)
        agents = [weakref.ref(agent) for agent in watched.agents]
        del watched
        assert [agent() for agent in agents] == [None] * 3
    finally:
        gc.enable()


def test_mud_costs_more() -> None:
    rows = ["....", ".mm.", "...."]
    watched = contest("astar", map={"kind": "rows", "rows": rows}, start=[0, 1], goal=[3, 1], terrain="known")
    watched.advance(1000)
    assert watched.result()["agents"][0]["episode"]["path"] != [[0, 1], [1, 1], [2, 1], [3, 1]]


def test_parents_point_to_neighbours() -> None:
    watched = contest("astar", terrain="known")
    (_, columns) = records_in(watched.advance(1))[-1]
    assert set(columns["parents"].tolist()) <= {*range(8), 255}
    assert (columns["parents"] != 255).any()


class Wanderer:
    """A user's agent that does not support listeners."""

    def __init__(self, world: tb.Grid, start: object, goal: object, **rules: object):
        self.inner = tb.make("rtaa", world, start, goal, terrain="unknown")
        self.goal, self.truth, self.run, self.step = goal, world, self.inner.run, self.inner.step
        self.episode = self.inner.episode

    position = property(lambda self: self.inner.position)
    done = property(lambda self: self.inner.done)


def test_an_agent_that_cannot_be_listened_to() -> None:
    kinds = {"wanderer": as_kind(Wanderer, "wanderer")}
    watched = Contest(setting_of(asked("wanderer"), kinds))
    heads = [head for head, _ in records_in(watched.advance(1000))]
    episode = watched.agents[0].episode()
    assert [int(head["moves"]) for head in heads][-1] == episode.moves
    assert heads[-1]["cost"] == pytest.approx(episode.cost, rel=1e-6)
    assert len({int(head["position"]) for head in heads}) > 10
