"""Queues of goals: units go to one after the other."""

import itertools
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import timebound as tb

pytestmark = pytest.mark.uncompiled


def open_field(width: int, height: int) -> tb.Grid:
    return tb.Grid(np.ones((height, width), bool))


@given(seed=st.integers(0, 10**6), collisions=st.sampled_from(["none", "push", "complete"]), kinds=st.integers(1, 2))
@settings(max_examples=25)
def test_every_unit_visits_its_goals_in_order(seed: int, collisions: str, kinds: int) -> None:
    """Some tasks come with the unit, some later, and nobody else gets them."""
    random = np.random.default_rng(seed)
    fleet, expected, agents = tb.Fleet(open_field(6, 5), collisions=collisions), {}, ["lss-lrta", "tba"]

    def places(count: int) -> list[tuple[int, int]]:
        return [(int(random.integers(6)), int(random.integers(5))) for _ in range(count)]

    for number in range(4):
        start, goal, tasks = (number, 0), places(1)[0], places(int(random.integers(4)))
        unit = fleet.add(agents[number % kinds], start=start, goal=goal, tasks=tasks)
        expected[unit] = [goal, *tasks]
    for unit in list(expected)[:2]:
        more = places(2)
        fleet.give_tasks([unit], [more])
        expected[unit] += more
    assert fleet.tasks_left() == [len(goals) - 1 for goals in expected.values()]
    visited: dict[int, list[Any]] = {unit: [] for unit in expected}
    went = {unit: [goals[0]] for unit, goals in expected.items()}
    while not fleet.done and fleet.ticks < 3000:
        fleet.tick(expansions=50)
        for unit, figures in fleet.figures().items():
            visited[unit].append(figures.position)
            went[unit] += [figures.goal] * (figures.goal != went[unit][-1])
    assert fleet.done
    assert fleet.tasks_left() == [0] * 4
    for unit, goals in expected.items():
        assert went[unit] == [goal for goal, _ in itertools.groupby(goals)]
        if collisions == "none":  # elsewhere it may settle next to another one that is at the same goal
            way = iter(visited[unit])
            assert all(goal in way for goal in went[unit] if goal != (unit, 0))


def test_the_callback_is_asked_about_those_without_tasks() -> None:
    asked: list[list[int]] = []

    def next_goals(arrived: np.ndarray) -> None:
        asked.append(arrived.tolist())

    fleet = tb.Fleet(open_field(4, 2), on_arrival=next_goals)
    fleet.add("lrta", start=[(0, 0), (0, 1)], goal=[(1, 0), (1, 1)], tasks=[[(2, 0)], []])
    for _ in range(4):
        fleet.tick(expansions=20)
    assert asked == [[1], [0, 1], [0, 1]]


def test_a_removed_unit_leaves_no_tasks() -> None:
    fleet = tb.Fleet(open_field(4, 2))
    unit = fleet.add("lrta", start=(0, 0), goal=(1, 0), tasks=[(2, 0)])
    fleet.remove(unit)
    again = fleet.add("lrta", start=(0, 0), goal=(1, 0))
    assert again == unit
    assert fleet.tasks_left() == [0]


def test_tasks_are_saved(tmp_path: Any) -> None:
    fleet = tb.Fleet(open_field(4, 2))
    fleet.add("lrta", start=(0, 0), goal=(1, 0), tasks=[(2, 0), (3, 1)])
    fleet.tick(expansions=20)
    fleet.save(tmp_path / "fleet")
    again = tb.Fleet.load(tmp_path / "fleet")
    assert again.tasks_left() == [2]
    while not again.done:
        again.tick(expansions=20)
    assert again.positions.tolist() == [[3, 1]]


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        (5, "a list of places for each unit, not 5"),
        ([[(1, 1)]], "1 lists of tasks do not match 2 units"),
        ([(1, 1), (2, 1)], "not one place"),
        ([[(1, 1)], [(9, 9)]], "outside"),
    ],
)
def test_bad_tasks(tasks: Any, told: str) -> None:
    fleet = tb.Fleet(open_field(4, 2))
    with pytest.raises(tb.ProblemError, match=told):
        fleet.add("lrta", start=[(0, 0), (0, 1)], goal=[(1, 0), (1, 1)], tasks=tasks)
    assert len(fleet) == 0
    units = fleet.add("lrta", start=[(0, 0), (0, 1)], goal=[(1, 0), (1, 1)])
    with pytest.raises(tb.ProblemError, match=told):
        fleet.give_tasks(units, tasks)
    assert fleet.tasks_left() == [0, 0]
