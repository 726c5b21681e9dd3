"""Episodes that the lab drives itself are those that agents run by themselves; hidden walls are walls."""

import math
from pathlib import Path

import numpy as np
import pytest
from lab_specs import SMALL, lab_run, small

import timebound as tb
from timebound import maps
from timebound.core.errors import ProblemError
from timebound.knowledge.grid import hidden_obstacles
from timebound.lab.files import SpecError
from timebound.lab.pieces import cut
from timebound.lab.results import results_of
from timebound.lab.store import read_rows
from timebound.lab.watching import among_walls, hidden_walls, watched
from timebound.lab.worlds import survey

WORLD = tb.Grid(maps.caves(60, 60, seed=5).passable, neighbors=8, corners="cut")
PROBLEMS = maps.random_problems(maps.caves(60, 60, seed=5), 6, seed=2, corners="cut")
COUNTED = ("solved", "stop", "moves", "intervals", "expansions", "searches", "path")


def counted(episode: tb.Episode) -> list[object]:
    return [list(value) if name == "path" else value for name in COUNTED for value in [getattr(episode, name)]]


@pytest.mark.parametrize("expansions", [True, False])
@pytest.mark.parametrize("most", [100_000, 30])
@pytest.mark.parametrize(("agent", "terrain"), [("tba", "known"), ("astar", "known"), ("dstar-lite", "unknown")])
def test_watching_changes_nothing(agent: str, terrain: str, most: int, expansions: bool) -> None:
    for pair in PROBLEMS:
        plain = tb.make(agent, WORLD, *pair, terrain=terrain).run(expansions=20, intervals=most)
        seen, pace = watched(tb.make(agent, WORLD, *pair, terrain=terrain), {"expansions": 20}, most, expansions)
        assert counted(seen) == counted(plain)
        if expansions:
            assert min(18, plain.expansions) <= pace.most_expansions <= 20  # TBA* keeps a tenth for tracing
        else:
            assert math.isnan(pace.most_expansions)


def test_the_first_move_is_in_the_second_interval_or_after_the_search() -> None:
    for pair in PROBLEMS:
        for agent in ("tba", "astar"):
            seen, pace = watched(tb.make(agent, WORLD, *pair), {"expansions": 20}, 100_000, False)
            assert pace.first_move == seen.intervals - seen.moves + 1
            assert agent == "astar" or pace.first_move == 2


def test_an_agent_that_never_moves_has_no_first_move() -> None:
    seen, pace = watched(tb.make("astar", WORLD, *PROBLEMS[0]), {"expansions": 1}, 5, True)
    assert seen.stop == "intervals"
    assert math.isnan(pace.first_move)
    assert pace.most_expansions == 1


# ------------------------------------------------------------------ hidden walls


@pytest.mark.parametrize("agent", ["rtaa", "da-rtaa", "tbaa", "rtba", "repeated-astar", "adaptive-astar", "dstar-lite"])
@pytest.mark.parametrize("budget", [{"expansions": 10}, {"virtual_ms": 0.01}])
def test_the_lab_drives_as_agents_do(agent: str, budget: dict[str, float]) -> None:
    """With single cells as obstacles it can be compared with the terrain of the library."""
    for seed, pair in enumerate(PROBLEMS[:3]):
        plain = tb.make(agent, WORLD, *pair, terrain="partial", seed=seed).run(**budget)
        truth = hidden_obstacles(WORLD, WORLD.state(pair[0]), WORLD.state(pair[1]), 0.15, seed, True)
        unknowing = tb.make(agent, WORLD, *pair, terrain="partial", hidden=0.0)
        driven, pace = among_walls(unknowing, truth, budget, 100_000)
        assert counted(driven) == counted(plain)
        again = tb.make(agent, WORLD, *pair, terrain="partial", seed=seed)
        assert pace.first_move == watched(again, budget, 100_000, False)[1].first_move


def test_walls_are_straight_and_leave_a_way() -> None:
    start, goal = PROBLEMS[0]
    truth = hidden_walls(WORLD, start, goal, 0.15, 10, 3)
    hidden = WORLD.passable & ~truth.passable
    assert hidden.sum() == round(0.15 * WORLD.passable.sum())
    assert not (truth.passable & ~WORLD.passable).any()
    assert tb.shortest_path(truth, start, goal).solved
    assert np.array_equal(hidden, WORLD.passable & ~hidden_walls(WORLD, start, goal, 0.15, 10, 3).passable)
    assert not np.array_equal(hidden, WORLD.passable & ~hidden_walls(WORLD, start, goal, 0.15, 10, 4).passable)
    empty = tb.Grid(np.ones((40, 40), bool))
    few = ~hidden_walls(empty, (0, 0), (39, 39), 0.005, 8, 1).passable  # a single wall
    ys, xs = np.nonzero(few)
    assert len(xs) == 8
    assert sorted({np.ptp(xs), np.ptp(ys)}) == [0, 7]


def test_walls_spare_a_path_in_corridors() -> None:
    """A corridor of four cells: any draw of these walls blocks it."""
    passable = np.zeros((30, 200), bool)
    passable[10:14] = True
    corridor = tb.Grid(passable, neighbors=8, corners="cut")
    start, goal = (2, 11), (197, 12)
    for seed in range(5):
        truth = hidden_walls(corridor, start, goal, 0.3, 10, seed)
        assert tb.shortest_path(truth, start, goal).solved
        assert (passable & ~truth.passable).sum() == round(0.3 * passable.sum())
    strict = tb.Grid(np.ones((12, 12), bool), neighbors=8)  # nothing is left beside the path to turn a corner
    with pytest.raises(ProblemError, match="leave no path"):
        hidden_walls(strict, (0, 0), (11, 11), 0.9, 10, 1)


def test_walls_make_detours(tmp_path: Path) -> None:
    text = SMALL[: SMALL.index("[[figures]]")].replace('terrain = "unknown"', 'terrain = "partial"')
    text = text.replace('generator = "maze"\nwidth = 21', 'generator = "caves"\nwidth = 41').replace("= 4\n", "= 8\n")
    cells = results_of(lab_run(small(text), tmp_path, agents=["backward"]).run)
    walls = results_of(lab_run(small("walls = 10\n" + text), tmp_path, agents=["backward"]).run)
    (one,) = cells.samples
    assert walls.samples[one]["moves"].mean() > cells.samples[one]["moves"].mean()
    assert not walls.unsolved(one)
    with pytest.raises(SpecError, match='need terrain = "partial"'):
        small("walls = 10\n" + SMALL)


# ------------------------------------------------------------------ rounds


def test_rounds_go_by_turns() -> None:
    experiment = small("rounds = 3\n" + SMALL.replace("worlds = 12", "worlds = 30"))
    pieces = cut(experiment, survey(experiment, "quick", None).places)
    assert len(pieces) == 2 * 3 * 7
    assert [piece.configuration for piece in pieces[:21]] == experiment.configurations() * 3
    assert {piece.first for piece in pieces[:21]} == {0}


def test_times_are_medians_of_rounds(tmp_path: Path) -> None:
    text = "rounds = 3\n" + SMALL.replace("worlds = 12", "worlds = 4")
    run = lab_run(small(text), tmp_path, agents=["backward"]).run
    rows = read_rows(run).to_pylist()
    assert len(rows) == 12
    results = results_of(run)
    assert results.missing == ""
    ((one, sample),) = results.samples.items()
    assert results.run(one) == 4
    for problem in range(4):
        times = [row["planning_us"] for row in rows if row["problem"] == problem]
        assert sample["planning_us"][problem] == np.median(times)
        assert {row["moves"] for row in rows if row["problem"] == problem} == {sample["moves"][problem]}
    next(iter(run.finished().values())).unlink()
    assert "4 of 12 episodes are missing" in results_of(run).missing
    assert lab_run(small(text), tmp_path, agents=["backward"]).done == 1


def test_pace_is_measured_where_it_is_asked_for(tmp_path: Path) -> None:
    text = SMALL.replace(
        '"moves / searches" = "moves per search"', '"first_move" = "first"\n"most_expansions" = "most"'
    )
    rows = read_rows(lab_run(small(text), tmp_path, agents=["forward"]).run).to_pylist()
    for row in rows:
        assert 2 <= row["first_move"] <= row["waits"] + 1
        assert row["most_expansions"] <= min(row["budget"], row["expansions"])
    timed = text.replace("expansions = [5, 50, inf]", "ms = [0.5]").replace('"most"', '"most"\n"available_us" = "time"')
    timed = small(timed.split("[published]")[0])
    rows = read_rows(lab_run(timed, tmp_path, agents=["forward"]).run).to_pylist()
    assert all(row["available_us"] == 500 * row["intervals"] for row in rows)
