"""Races in Python: who takes part, what is recorded, what is made of many of them."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

import timebound as tb
from timebound import maps
from timebound.applications.race import (
    Standings,
    entries,
    mean_of,
    race,
    race_film,
    race_picture,
    races,
    student_t,
    takers,
)
from timebound.core.errors import ProblemError
from timebound.maps.trails import Scene, Trail, trails_film, trails_picture

START, GOAL = (12, 100), (60, 70)


@pytest.fixture(scope="module")
def harbour() -> tb.Grid:
    return tb.Grid.load("harbour")


def test_a_race_is_what_its_agents_do_alone(harbour: tb.Grid) -> None:
    for terrain in ("known", "unknown", "partial"):
        for film in (False, True):
            result = race(harbour, None, START, GOAL, terrain=terrain, expansions=40, seed=2, film=film)
            assert [episode.agent for episode in result.episodes] != []
            for episode in result.episodes:
                alone = tb.make(episode.agent, harbour, START, GOAL, terrain=terrain, seed=2).run(expansions=40)
                assert (episode.path, episode.intervals, episode.expansions) == (
                    alone.path,
                    alone.intervals,
                    alone.expansions,
                )
                assert result.suboptimality(episode) == pytest.approx(alone.suboptimality)


def test_a_film_tells_every_position_and_when_cells_were_seen(harbour: tb.Grid) -> None:
    result = race(harbour, ["adaptive-astar"], START, GOAL, terrain="unknown", expansions=40, film=True)
    (episode,), film = result.episodes, result.films["adaptive-astar"]
    assert len(film.moves) == episode.intervals + 1
    assert (film.moves[0], film.moves[-1]) == (0, episode.moves)
    assert set(np.diff(film.moves)) == {0, 1}
    assert film.seen_at[START[1], START[0] + 1] == 1  # the first look is in the first interval
    assert film.seen_at.max() <= episode.intervals
    walked = [film.seen_at[y, x] for x, y in episode.path[1:]]
    assert min(walked) >= 0


@pytest.mark.parametrize("film", [False, True])
def test_a_race_ends_with_its_intervals(harbour: tb.Grid, film: bool) -> None:
    result = race(harbour, ["astar", "dstar-lite"], START, GOAL, expansions=40, intervals=30, film=film)
    assert [(episode.stop, episode.intervals) for episode in result.episodes] == [("intervals", 30)] * 2
    assert all(len(film.moves) == 31 for film in result.films.values())
    with pytest.raises(ProblemError, match="intervals is a whole number above 0, not 0"):
        race(harbour, ["astar"], START, GOAL, intervals=0, film=film)


def test_entries_share_the_parameters_out() -> None:
    assert entries(["lrta", "rtaa"], "unknown", {"weight": 2, "radius": 3}) == {
        "lrta": {"radius": 3},
        "rtaa": {"weight": 2, "radius": 3},
    }
    assert list(entries(None, "partial", {})) == takers("partial")
    assert set(takers("known")) - set(takers("known", on_grid=False)) == {"knn-lrta", "d-lrta", "pr-lrta"}
    with pytest.raises(ProblemError, match="terrain is known, unknown or partial, not 'foggy'"):
        takers("foggy")


def test_races_on_graphs() -> None:
    roads = tb.Graph.from_edges([("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 5.0)])
    result = race(roads, ["astar", "dstar-lite"], "a", "c", expansions=5)
    assert [(episode.cost, episode.path) for episode in result.episodes] == [(2.0, ["a", "b", "c"])] * 2
    with pytest.raises(ProblemError, match="races are filmed on grids, not on a Graph"):
        race(roads, ["astar"], "a", "c", film=True)


def test_hidden_obstacles_differ_between_problems(harbour: tb.Grid) -> None:
    same = [(START, GOAL)] * 3
    truths = [result.truth.passable for result in races(harbour, ["dstar-lite"], same, seed=1, terrain="partial")]
    assert not (truths[0] == truths[1]).all()
    assert not (truths[1] == truths[2]).all()


def test_standings(harbour: tb.Grid) -> None:
    standings = Standings()
    problems = maps.random_problems(maps.read("harbour"), 5, seed=1)
    episodes = []
    for result in races(harbour, ["gbfs", "astar"], problems, expansions=30):
        standings.add(result)
        episodes += [episode for episode in result.episodes if episode.agent == "gbfs"]
    table = {row.agent: row for row in standings.table()}
    assert table["gbfs"].means["intervals"] == mean_of([episode.intervals for episode in episodes])
    assert table["gbfs"].max_us_per_move == max(episode.time_per_move_us["max"] for episode in episodes)
    assert table["astar"].means["suboptimality"] == pytest.approx((1.0, 1.0, 1.0))
    assert [problem[:2] for problem in standings.problems] == problems


def test_confidence_intervals() -> None:
    # The table of every textbook.
    known = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980, 10_000: 1.960}
    assert {freedom: round(student_t(freedom), 3) for freedom in known} == known
    assert all(student_t(freedom) == pytest.approx(stdtrit(freedom, 0.975), rel=1e-6) for freedom in range(1, 2000, 7))
    rng = np.random.default_rng(1)
    inside = [(mean := mean_of(rng.normal(3, 2, 8).tolist())).low <= 3 <= mean.high for _ in range(2000)]
    assert 0.935 <= np.mean(inside) <= 0.965
    assert mean_of([4.0, 4.0]) == (4.0, 4.0, 4.0)
    assert math.isinf(mean_of([4.0]).high)


# ------------------------------------------------------------------ pictures


def test_fog_covers_what_nobody_has_seen() -> None:
    ground = maps.Map.from_passable(np.ones((20, 30), bool))
    seen = np.zeros((20, 30), bool)
    seen[:, :15] = True
    walk = [Trail("a", [(1, 10), (2, 10), (3, 10)], "3 intervals")]

    def brightness(**options: bool) -> tuple[float, float]:
        pixels = np.asarray(trails_picture(Scene(ground, (1, 10), (28, 10), "", **options), walk, seen, scale=20))
        return pixels[20:100, 20:200].mean(), pixels[20:100, 400:560].mean()

    seen_side, unseen_side = brightness(fog=True)
    assert unseen_side < 0.5 * seen_side
    assert brightness() == (seen_side, seen_side)


def test_trails_have_different_colours_and_do_not_hide_each_other() -> None:
    ground = maps.Map.from_passable(np.ones((10, 40), bool))
    path = [(x, 5) for x in range(2, 38)]
    trails = [Trail(name, path, "", style) for style, name in enumerate("abc")]
    pixels = np.asarray(trails_picture(Scene(ground, path[0], path[-1], ""), trails, ground.passable, scale=20))
    column = {tuple(pixel) for pixel in pixels[:200, 400].tolist()}
    assert {(213, 94, 0), (0, 114, 178), (0, 158, 115)} <= column


def test_hidden_obstacles_are_faint_until_seen() -> None:
    ground = maps.Map.from_passable(np.ones((4, 8), bool))
    hidden = np.zeros((4, 8), bool)
    hidden[1, 2] = hidden[1, 6] = True
    seen = np.arange(8) < np.full((4, 1), 4)
    pixels = np.asarray(
        trails_picture(Scene(ground, (0, 3), (7, 3), "", hidden=hidden), [Trail("a", [(0, 3)], "")], seen)
    )
    cell = pixels.shape[1] // 8
    found, secret, plain = (pixels[cell * 3 // 2, cell * x + cell // 2].astype(int).sum() for x in (2, 6, 4))
    assert found < secret < plain


def test_films_have_a_limit_of_frames_and_end_with_the_race() -> None:
    ground = maps.Map.from_passable(np.ones((3, 400), bool))
    path = [(x, 1) for x in range(400)]
    trail = Trail("a", path, "done", moves=[0, *range(400)])
    frames = list(trails_film(Scene(ground, path[0], path[-1], "long"), [trail], np.zeros((3, 400), np.int32)))
    assert len(frames) == 150
    assert len({frame.size for frame in frames}) == 1
    short = Trail("a", path[:3], "done", moves=[0, 0, 1, 2])
    assert len(list(trails_film(Scene(ground, (0, 1), (2, 1), ""), [short], np.zeros((3, 400), np.int32)))) == 4
    assert [short.doing(interval) for interval in range(4)] == ["searching", "walking", "walking", "done"]


def test_more_agents_than_colours_and_every_size_of_map() -> None:
    for shape in ((1, 1), (2, 3), (900, 2000)):
        ground = maps.Map.from_passable(np.ones(shape, bool))
        trails = [Trail(f"agent-{style}", [(0, 0)], "1 interval", style) for style in range(20)]
        image = trails_picture(Scene(ground, (0, 0), (0, 0), "many"), trails, ground.passable)
        assert image.width >= 440


def test_pictures_are_of_races_that_were_filmed(harbour: tb.Grid) -> None:
    result = race(harbour, ["gbfs"], START, GOAL)
    for draw in (race_picture, race_film):
        with pytest.raises(ProblemError, match="only recorded races"):
            draw(maps.read("harbour"), result)
