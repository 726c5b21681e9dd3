"""The record of an episode, and its trace."""

import dataclasses
import json
import math
import pickle

import numpy as np
import pytest

import timebound as tb


@pytest.fixture(scope="module")
def world() -> tb.Grid:
    return tb.Grid.load("harbour")


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", ["repeated-astar", "adaptive-astar", "dstar-lite"])
def test_a_trace_tells_of_every_interval(name: str, world: tb.Grid) -> None:
    start, goal = (12, 100), (40, 90)
    traced = tb.make(name, world, start, goal, terrain="unknown").run(expansions=10, trace=True)
    plain = tb.make(name, world, start, goal, terrain="unknown").run(expansions=10)
    assert (traced.path, traced.intervals, traced.expansions) == (plain.path, plain.intervals, plain.expansions)
    assert len(traced.trace) == traced.intervals
    positions = [start, *(interval.position for interval in traced.trace)]
    assert [place for i, place in enumerate(positions) if i == 0 or place != positions[i - 1]] == traced.path
    for interval, following in zip(traced.trace, traced.trace[1:], strict=False):
        assert following.position == (interval.decision or interval.position)
        assert not set(interval.open) & set(interval.closed)
    observed = [cell for interval in traced.trace for cell, _ in interval.observed]
    assert len(observed) == len(set(observed))
    for interval in traced.trace:
        for (x, y), what in interval.observed:
            assert world.passable[y, x] == (what == "free")
    assert any(interval.learned for interval in traced.trace) == (name == "adaptive-astar")


@pytest.mark.uncompiled
def test_a_trace_stops_at_the_limit_of_intervals(world: tb.Grid) -> None:
    episode = tb.make("astar", world, (12, 100), (180, 14)).run(expansions=10, intervals=7, trace=True)
    assert (len(episode.trace), episode.intervals, episode.stop) == (7, 7, "intervals")
    assert len(episode.trace[-1].closed) == 70


def test_figures_per_search(world: tb.Grid) -> None:
    episode = tb.make("adaptive-astar", world, (12, 100), (180, 14), terrain="unknown").run(expansions=50)
    assert episode.moves_per_search == episode.moves / episode.searches
    assert episode.expansions_per_search == episode.expansions / episode.searches
    assert episode.time_per_search_us == episode.planning_us / episode.searches > 0
    assert episode.time_per_move_us["mean"] <= episode.time_per_move_us["max"]
    assert episode.updates > 0
    assert episode.raise_per_update > 0
    assert 0 < episode.states_in_memory <= world.states
    assert episode.optimal_cost == pytest.approx(238.16652)
    assert episode.suboptimality == episode.cost / episode.optimal_cost > 1


def test_suboptimality_at_the_edges() -> None:
    world = tb.Grid(np.array([[1, 1, 0, 1]], bool))
    assert tb.make("astar", world, (0, 0), (0, 0)).run().suboptimality == 1.0
    unreachable = tb.make("astar", world, (0, 0), (3, 0)).run()
    assert (unreachable.optimal_cost, unreachable.cost) == (math.inf, 0.0)
    assert math.isnan(unreachable.suboptimality)


def test_records_as_json_and_as_a_table(world: tb.Grid) -> None:
    episode = tb.make("dstar-lite", world, (12, 100), (40, 90)).run()
    record = json.loads(json.dumps(episode.as_json()))
    assert record["goal"] == record["path"][-1] == [40, 90]
    assert "<caption>dstar-lite</caption>" in episode._repr_html_()


def test_what_is_worked_out_later_is_there_whoever_asks(world: tb.Grid) -> None:
    agent = tb.make("astar", world, (12, 100), (40, 90))
    before, episode = agent.episode(), agent.run()
    assert (before.path, before.cost, before.time_per_move_us["max"]) == ([(12, 100)], 0.0, 0.0)
    copy = pickle.loads(pickle.dumps(episode))
    assert (copy.path, copy.cost, copy.time_per_move_us) == (episode.path, episode.cost, episode.time_per_move_us)
    assert dataclasses.replace(copy, truth=None) == episode
    with pytest.raises(AttributeError, match="an episode has no 'speed'"):
        episode.speed  # noqa: B018
