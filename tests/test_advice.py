"""Advice: who takes part, who is on the front, what is recommended and why."""

import json
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import timebound as tb
from timebound import maps
from timebound.advice import NOISE, Advice, Candidate, Standing, candidates, dominates
from timebound.cli import main

FIGURES = st.tuples(st.floats(1, 9), st.floats(0.1, 99), st.integers(0, 9), st.sampled_from([0.0, 0.0, 2.0]))


def standing(name: str, ratio: float, us: float, memory: int = 1, preparation: float = 0.0) -> Standing:
    return Standing(Candidate(name), preparation, [ratio], us, 1, us, memory)


def advice(*standings: Standing) -> Advice:
    return Advice(standings, [], 1, {"ms": 1.0}, "known", 1)


@given(st.lists(FIGURES, min_size=1, max_size=12))
@settings(max_examples=200)
def test_the_front_is_who_is_not_worse_in_everything(figures: list[tuple[float, float, int, float]]) -> None:
    given_ = [standing("tba", *one) for one in figures]
    result = advice(*given_)
    for one in given_:
        walk, us, memory, preparation = one.objectives
        beaten = any(
            all(a <= b for a, b in zip(other.objectives, one.objectives, strict=True))
            and (
                other.objectives[0] < walk
                or other.objectives[1] < us / NOISE
                or other.objectives[2] < memory
                or other.objectives[3] < preparation / NOISE
            )
            for other in given_
        )
        assert (one in result.front) != beaten
    assert result.best in result.front
    assert not any(dominates(other, result.best) for other in given_)


def test_who_is_hardly_faster_does_not_beat_its_twin() -> None:
    twins = standing("tb-wastar", 1.1, 1.60), standing("tbr-wastar", 1.1, 1.65)
    assert list(advice(*twins).front) == list(twins)
    assert list(advice(twins[0], standing("tbr-wastar", 1.1, 1.80)).front) == [twins[0]]


def test_of_walks_as_short_the_quickest_is_advised() -> None:
    assert advice(standing("tba", 1.0, 9), standing("gbfs", 1.01, 2)).best.candidate.agent == "gbfs"
    assert advice(standing("tba", 1.0, 9), standing("gbfs", 1.1, 2)).best.candidate.agent == "tba"


def test_preparation_must_be_worth_it() -> None:
    ready, prepared = standing("lrta", 1.5, 1), standing("knn-lrta", 1.1, 1, preparation=3.0)
    assert advice(ready, prepared).best is prepared
    assert advice(standing("lrta", 1.12, 1), prepared).best.candidate.agent == "lrta"


def test_who_fails_is_advised_only_if_all_fail() -> None:
    lost = Standing(Candidate("lrta"), 0.0, [1.0, math.inf], 1, 1)
    assert advice(lost, standing("tba", 3.0, 9)).best.candidate.agent == "tba"
    assert "did not arrive in 1 of 2 problems" in " ".join(advice(lost).reasons)


def test_the_reasons_name_the_alternatives() -> None:
    text = " ".join(advice(standing("tba", 1.0, 900), standing("rtaa", 1.01, 20), standing("lrta", 3.0, 1)).reasons)
    assert text.startswith("rtaa was the best of 3 candidates on 1 problem on this map. Its walks take 1.0 % longer")
    assert "lrta is faster: 1 us per move, for walks that take 200.0 % longer" in text


def test_candidates_take_the_terrain_and_fleets_their_own() -> None:
    for terrain in ("known", "unknown", "partial"):
        assert {one.agent for one in candidates(terrain)} == {
            kind.name for kind in tb.catalogue() if terrain in kind.terrain
        }
    in_fleets = {one.agent for one in candidates("known", units=5)}
    assert {"rtaa", "lrta"} <= in_fleets < {one.agent for one in candidates("known")}
    with pytest.raises(tb.ProblemError, match="supports only known terrain"):
        candidates("unknown", names=["knn-lrta"])


def test_a_tournament_by_expansions_is_repeatable() -> None:
    world = tb.Grid(maps.caves(40, 40, seed=1).passable)
    first, second = (
        tb.advise(world, expansions=10, agents=["lrta", "rtaa", "tba"], problems=4, seconds=600, seed=3)
        for _ in range(2)
    )
    assert {one.candidate: one.ratios for one in first.standings} == {
        one.candidate: one.ratios for one in second.standings
    }
    assert first.problems == 4
    assert all(ratio >= 1 - 1e-9 for one in first.standings for ratio in one.ratios)
    assert not first.left_out


def test_waiting_makes_a_walk_longer() -> None:
    world = tb.Grid(np.ones((30, 30), bool))
    result = tb.advise(world, expansions=5, agents=["astar", "tba"], problems=3, seconds=600)
    length = {one.candidate.agent: one.suboptimality for one in result.standings}
    assert length["tba"] < length["astar"]


def test_it_stops_in_time_and_says_who_is_left_out() -> None:
    world = tb.Grid(maps.caves(60, 60, seed=1).passable)
    names = ["lrta", "rtaa", "tba"]
    tb.advise(world, expansions=9, agents=names, problems=1, seconds=600)  # compiles
    began = time.monotonic()
    result = tb.advise(world, expansions=9, agents=names, seconds=0.2)
    assert time.monotonic() - began < 10
    assert {len(one.ratios) for one in result.standings} <= {result.problems, result.problems + 1, 1, 2, 3}
    none = tb.advise(world, expansions=9, agents=names, seconds=1e-9)
    assert len(none.standings) == 1
    assert len(none.left_out) == len(candidates("known", names=names)) - 1
    assert "There was no time" in none.reasons[-1]


def test_the_lines_of_python_run() -> None:
    world = tb.Grid.load("harbour")
    alone = tb.advise(world, expansions=50, agents=["tba"], problems=1)
    scope = {"start": (12, 100), "goal": (60, 70)}
    exec(alone.code("harbour"), scope)
    assert scope["agent"].stop == "goal"  # type: ignore[attr-defined]
    shared = tb.advise(world, expansions=500, units=2, agents=["rtaa"], problems=1)
    scope = {"starts": [(12, 100), (20, 90)], "goals": [(60, 70), (60, 70)]}
    exec(shared.code("harbour"), scope)
    assert scope["fleet"].ticks == 1  # type: ignore[attr-defined]


def test_the_command_prints_a_table_reasons_and_code(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    picture = tmp_path / "advice.png"
    assert main(f"advise harbour --expansions 50 --agents lrta,tba --problems 2 --picture {picture}".split()) == 0
    output = capsys.readouterr().out
    assert "->  tba" in output
    assert 'agent = tb.make("tba", world, start, goal)' in output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["advise", "harbour", "--expansions", "50", "--agents", "lrta,tba", "--problems", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["best"]["agent"] == "tba"
    assert {row["agent"] for row in told["candidates"]} == {"lrta", "tba"}


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({}, "give a budget"),
        ({"ms": 1, "seconds": 0}, "seconds is a number above 0"),
        ({"ms": 1, "units": 0}, "units is a whole number above 0"),
        ({"ms": 1, "agents": "rtaa"}, "agents is a list of names"),
        ({"ms": 1, "agents": []}, "none of these agents"),
        ({"ms": 1, "units": 3, "agents": ["late-astar"]}, "none of these agents"),
        ({"ms": 1, "progress": 3}, "progress must be a function"),
    ],
)
def test_bad_input_is_refused(given_: dict[str, object], said: str) -> None:
    with pytest.raises(tb.ProblemError, match=said):
        tb.advise(tb.Grid(np.ones((3, 3), bool)), **given_)  # type: ignore[arg-type]
