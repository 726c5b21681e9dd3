"""Bad input: one line that says what is wrong and what to do."""

import copy
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from agent_worlds import grid, nothing_hidden

import timebound as tb

WORLD = grid("....", ".##.", "....")


def make(name: str = "repeated-astar", start: object = (0, 0), goal: object = (3, 2), **given: object) -> tb.Agent:
    return tb.make(name, WORLD, start, goal, **given)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: make("astar", terrain="unknown"),
            "agent 'astar' supports only known terrain; for unknown: repeated-astar",
        ),
        (lambda: make("late-astar", terrain="partial"), "for partial: repeated-astar, adaptive-astar, gaa, "),
        (lambda: make(terrain="foggy"), "terrain is known, unknown or partial, not 'foggy'"),
        (lambda: make("adaptiv-astar"), "there is no agent 'adaptiv-astar'; did you mean 'adaptive-astar'?"),
        (lambda: make("teleport"), "there is no agent 'teleport'; choose from: astar, "),
        (lambda: make(radios=3), "agent 'repeated-astar' has no parameter 'radios'; did you mean 'radius'?"),
        (lambda: make(weight=0.3), "weight"),
        (lambda: make("dstar-lite", direction="backward"), "has no parameter 'direction'; these do: astar, "),
        (lambda: make(direction="sideways"), "the direction is forward or backward, not 'sideways'"),
        (lambda: make("wastar", weight=0.5), "the weight must be a number from 1"),
        (lambda: make(start=(1, 1)), "(1, 1) is blocked; choose a free cell, for example"),
        (lambda: make(goal=(9, 1)), "(9, 1) is outside the map"),
        (lambda: make(start="here"), "a position is two whole numbers (x, y), not 'here'"),
        (lambda: make(radius=0), "the sensor's radius is a whole number from 1 to 1000, not 0"),
        (lambda: make(radius=2.5), "the sensor's radius is a whole number from 1 to 1000, not 2.5"),
        (lambda: make(line_of_sight="yes"), "line_of_sight is True or False, not 'yes'"),
        (
            lambda: make(terrain="partial", hidden=1),
            "the share of hidden obstacles is a number from 0 to below 1, not 1",
        ),
        (lambda: make(terrain="partial", hidden=math.nan), "the share of hidden obstacles is a number"),
        (lambda: make(terrain="partial", solvable=1), "solvable is True or False, not 1"),
        (lambda: make(fallback="near"), "the fallback is none or nearest, not 'near'"),
        (lambda: make(memory_mb=0), "memory_mb is a number above 0, not 0"),
        (lambda: copy.copy(make()), "Agent objects cannot be copied or pickled; make another one"),
        (lambda: copy.deepcopy([make()]), "Agent objects cannot be copied or pickled; make another one"),
        (lambda: pickle.dumps(make()), "Agent objects cannot be copied or pickled; make another one"),
        (lambda: make(memory_mb="much"), "memory_mb is a number above 0, not 'much'"),
        (lambda: make().run(expansions=0), "the budget expansions must be a number above 0"),
        (lambda: make().run(ms=-1), "the budget ms must be a number above 0"),
        (lambda: make().step(virtual_ms=0), "the budget virtual_ms must be a number above 0"),
        (lambda: make().plan(ms=0), "the budget ms must be a number above 0"),
        (lambda: make().plan(ms=1, expansions=1), "one budget at a time"),
        (lambda: make().run(intervals=0), "intervals is a whole number above 0, not 0"),
        (lambda: make().run(intervals=2.5), "intervals is a whole number above 0, not 2.5"),
        (lambda: make().moved((4, 0)), "(4, 0) is outside the map"),
        (lambda: make().moved(None), "a position is two whole numbers (x, y), not None"),
        (lambda: make().observe(blocked=[(1, 0)], free=[(1, 0)]), "cell (1, 0) is reported both blocked and free"),
        (lambda: make().observe(costs=[(1, 0)]), "costs are a dictionary from cells to their costs, or a pair"),
        (lambda: make().observe(costs=([(1, 0)], [2, 3])), "1 cells cannot have 2 costs: give one for each"),
        (lambda: make().observe(costs=([(1, 0)], np.array([0.5]))), "a travel cost is a number from 1 to a million"),
        (lambda: make().observe(blocked=np.array([[0, 1], [4, 0]])), "(4, 0) is outside the map"),
        (lambda: make().observe(free=[(-1, 0)]), "(-1, 0) is outside the map"),
    ],
)
def test_bad_input_is_refused_in_one_line(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(tb.ProblemError) as error:
        wrong()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_refused_report_changes_nothing() -> None:
    agent = make(terrain="unknown")
    with pytest.raises(tb.ProblemError):
        agent.observe(blocked=[(1, 0), (9, 9)])
    with pytest.raises(tb.ProblemError):
        agent.observe(blocked=[(1, 0)], free=[(2, 0), (1, 0)])
    assert not agent.knows().any()
    assert agent.plan() == (1, 1)


def test_numbers_of_numpy_are_positions() -> None:
    agent = make(start=np.array([0, 0]), goal=tuple(np.array([3, 2])))
    agent.observe(blocked=np.array([[1, 0]]))
    assert agent.plan() == (0, 1)
    agent.moved(np.array([0, 1]))
    assert agent.position == (0, 1)


def test_the_catalogue_says_what_can_be_set() -> None:
    for kind in tb.catalogue():
        assert kind.paper
        assert kind.about
        assert set(kind.terrain) <= {"known", "unknown", "partial"}
        for terrain in kind.terrain:
            agent = tb.make(
                kind.name, WORLD, (0, 0), (3, 2), terrain=terrain, **nothing_hidden(terrain), **kind.parameters
            )
            assert agent.run().solved
