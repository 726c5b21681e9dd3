"""Racetracks: drives, crashes, goals, files, and the agents that can drive."""

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import timebound as tb
from timebound.worlds.check import look_at

State = tuple[int, int, int, int]


def naive_drive(passable: np.ndarray, x: int, y: int, vx: int, vy: int) -> State:
    """Walk along the line in steps of one cell of its longer side; stop before what is not free."""
    steps, here = max(abs(vx), abs(vy)), (x, y)
    for i in range(1, steps + 1):
        exact = (x + vx * i / steps, y + vy * i / steps)
        ahead = tuple(
            int(np.copysign(np.floor(abs(at - of) + 0.5), at - of)) + of for at, of in zip(exact, (x, y), strict=True)
        )
        inside = 0 <= ahead[0] < passable.shape[1] and 0 <= ahead[1] < passable.shape[0]
        if not (inside and passable[ahead[1], ahead[0]]):
            return (*here, 0, 0)
        here = ahead
    return (*here, vx, vy)


@given(st.integers(0, 2**32), st.integers(1, 3))
@settings(max_examples=40)
def test_moves_are_those_of_the_rules(seed: int, speed: int) -> None:
    generator = np.random.default_rng(seed)
    passable = generator.random((6, 7)) >= 0.3
    passable[0, 0] = True
    look = look_at(tb.Racetrack(passable, speed=speed), (0, 0))
    cells = np.argwhere(passable)
    for _ in range(20):
        y, x = cells[generator.integers(len(cells))].tolist()
        vx, vy = generator.integers(-speed, speed + 1, 2).tolist()
        expected = {
            naive_drive(passable, x, y, vx + ax, vy + ay)
            for ax in (-1, 0, 1)
            for ay in (-1, 0, 1)
            if max(abs(vx + ax), abs(vy + ay)) <= speed
        }
        moves = {look.place(after) for after, _ in look.moves(look.first((x, y, vx, vy)))}
        assert moves == expected - {(x, y, vx, vy)}


def test_a_crash_leaves_the_car_beside_the_obstacle() -> None:
    track = tb.Racetrack(np.array([[True, True, True, False, True]]))
    look = look_at(track, (0, 0))
    assert {look.place(after) for after, _ in look.moves(look.first((1, 0, 2, 0)))} == {(2, 0, 0, 0), (2, 0, 1, 0)} | {
        (1, 0, 0, 0)
    }


def test_an_empty_square_takes_four_moves() -> None:
    """GOLDEN: with Euclid over 3 alone, h of the start would be 4.24."""
    track = tb.Racetrack(np.ones((10, 10), bool))
    path = tb.shortest_path(track, (0, 0), (9, 9))
    assert path.cost == 4
    look = look_at(track, (9, 9))
    assert look.h(look.first((0, 0))) == 3000


def test_several_goals_and_goals_of_the_track(tmp_path: Path) -> None:
    file = tmp_path / "little.track"
    file.write_text("dim: 2 6\ns....g\nxx...g\n")
    track = tb.Racetrack.load(file)
    assert (track.starts, track.goals) == ([(0, 0)], [(5, 0), (5, 1)])
    own = tb.shortest_path(track, (0, 0), None)
    assert own.solved
    assert own.states[-1][:2] in track.goals
    assert tb.shortest_path(track, (0, 0), [(5, 1), (3, 1)]).cost <= tb.shortest_path(track, (0, 0), (5, 1)).cost
    settings_first = tmp_path / "little.racetrack"
    settings_first.write_text("discount 1.0\n---\n@@@@@@@@\n@s    f@\n@@@   f@\n@@@@@@@@\n")
    other = tb.Racetrack.load(settings_first)
    assert tb.shortest_path(other, (1, 1), None).cost == own.cost


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.track", "dims 2 2\n..\n..\n", "line 1: expected 'dim: ROWS COLUMNS'"),
        ("a.track", "dim: 3 2\n..\n..\n", "2 rows, but line 1 says 3"),
        ("a.track", "dim: 2 3\n...\n..\n", "line 3: 2 cells in a row of width 3"),
        ("a.track", "dim: 1 3\n.?.\n", "line 2, column 2: '\\?' is none of 'x', '.', 's', 'g'"),
        ("a.racetrack", "@@@\n", "no line '---'"),
        ("a.racetrack", "---\n", "the file contains no track"),
        ("a.track", "", "line 1: expected"),
    ],
)
def test_malformed_files(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(tb.MapError, match=complaint):
        tb.Racetrack.load(tmp_path / name)


@pytest.mark.parametrize(
    ("start", "goal", "complaint"),
    [
        ((9, 9), (0, 0), "outside the track"),
        ((1, 0), (0, 0), "is blocked"),
        ((0, 0, 4, 0), (0, 1), "above the speed limit of 3"),
        ((0,), (0, 1), r"is \(x, y, vx, vy\)"),
        ((0, 0), None, "needs a goal"),
        ((0, 0), (0, 1, 0), "a goal of a racetrack is a cell"),
        ((0, 0), [(1, 0)], "is blocked"),
    ],
)
def test_bad_problems(start: object, goal: object, complaint: str) -> None:
    with pytest.raises(tb.ProblemError, match=complaint):
        tb.make("astar", tb.Racetrack(np.array([[True, False], [True, True]])), start, goal)


def test_agents_that_step_back_say_so() -> None:
    with pytest.raises(
        tb.ProblemError, match=r"'tba' steps back, but moves of this world cannot be undone; .*tbr-wastar"
    ):
        tb.make("tba", tb.Racetrack(np.ones((3, 3), bool)), (0, 0), (2, 2))
    with pytest.raises(tb.ProblemError, match="must be known terrain"):
        tb.make("rtaa", tb.Racetrack(np.ones((3, 3), bool)), (0, 0), (2, 2), terrain="unknown")


def test_drivers_on_a_real_track(shared_data: Path) -> None:
    track = tb.Racetrack.load(shared_data / "tracks" / "ring-4.track")
    best = tb.shortest_path(track, track.starts[0], None).cost
    for name in ("tbr-wastar", "lss-lrtwa", "rtaa"):
        episode = tb.make(name, track, track.starts[0], None).run(expansions=50, intervals=10_000)
        assert episode.solved
        assert episode.path[-1][:2] in track.goals
        assert best <= episode.cost <= 20 * best
