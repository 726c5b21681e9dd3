"""Plans of many agents: files, figures, and the check of them."""

from pathlib import Path

import numpy as np
import pytest

from timebound import maps
from timebound.core.errors import MapError

OPEN = np.ones((3, 4), bool)
PLACES = [[[0, 0], [2, 0]], [[1, 0], [2, 1]], [[1, 0], [2, 0]], [[1, 1], [2, 0]]]


def plan(places: list[list[list[int]]], goals: tuple[tuple[int, int], ...] = ((1, 1), (2, 0))) -> maps.Plan:
    return maps.Plan("field", np.array(goals), np.array(places))


def test_files_give_back_what_was_written(tmp_path: Path) -> None:
    maps.write_plan(plan(PLACES), tmp_path / "plan.txt")
    text, again = (tmp_path / "plan.txt").read_text(), maps.read_plan(tmp_path / "plan.txt")
    assert "soc=5\nmakespan=3\nstarts=(0,0),(2,0),\ngoals=(1,1),(2,0),\nsolution=\n0:(0,0),(2,0),\n1:" in text
    assert again.map == "field"
    assert again.places.tolist() == PLACES
    assert again.goals.tolist() == [[1, 1], [2, 0]]


def test_costs() -> None:
    """An agent that leaves its goal has arrived when it is back for good."""
    assert plan(PLACES).costs.tolist() == [3, 2]
    assert plan(PLACES).solved
    assert plan(PLACES[:2]).costs.tolist() == [1, 1]
    assert not plan(PLACES[:2]).solved
    assert plan(PLACES[:1], ((0, 0), (2, 0))).costs.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("places", "neighbors", "fault"),
    [
        ([[[0, 0], [3, 2]], [[1, 1], [3, 2]]], 4, "time 1: agent 0 jumps to (1, 1)"),
        ([[[0, 0], [3, 2]], [[2, 0], [3, 2]]], 8, "time 1: agent 0 jumps to (2, 0)"),
        ([[[0, 0], [1, 0]], [[0, 0], [0, 0]]], 4, "time 1: agents 0 and 1 are both at (0, 0)"),
        ([[[0, 0], [1, 0]], [[1, 0], [0, 0]]], 4, "time 1: agents 0 and 1 exchange cells"),
        ([[[0, 0], [1, 0]], [[0, 0], [4, 0]]], 4, "time 1: agent 1 is in a wall at (4, 0)"),
    ],
)
def test_faults(places: list[list[list[int]]], neighbors: int, fault: str) -> None:
    assert fault in plan(places).faults(OPEN, neighbors)


def test_a_diagonal_move_cuts_no_corner() -> None:
    moved = maps.Plan("", np.array([[1, 1]]), np.array([[[0, 0]], [[1, 1]]]))
    assert moved.faults(OPEN, 8) == []
    walled = OPEN.copy()
    walled[0, 1] = False
    assert moved.faults(walled, 8) == ["time 1: agent 0 jumps to (1, 1)"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no plan"),
        ("goals=(0,0),\n", "no plan"),
        ("goals=(0,0),\n0:(0,0),\n2:(0,0),\n", "step 1 is missing"),
        ("goals=(0,0),\n0:(0,0),(1,1),\n", "every step needs 1 places"),
        ("goals=(0,0),\n0:(0;0),\n", "step 0 is not a list of places"),
    ],
)
def test_what_is_no_plan(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "plan.txt").write_text(text)
    with pytest.raises(MapError, match=told):
        maps.read_plan(tmp_path / "plan.txt")
