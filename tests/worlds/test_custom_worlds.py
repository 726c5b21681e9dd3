"""Custom worlds, right and wrong, compiled and in plain Python."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import timebound as tb
from timebound.compiled import COMPILING

# One world that does anything, right or wrong, as its data say: each other world would have to be compiled.
FINE, NEGATIVE, DEAR, OUTSIDE, MANY, LOW_H, RAISES, DIVIDES, BEYOND, H_RAISES, ENDLESS, UNENDING = range(12)


def successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    if world.fault == MANY and state == 7:
        for _ in range(100):
            yield state, 1
    while world.fault == UNENDING and state == 7:
        yield 8, 1
    if world.fault == RAISES and state == 7:
        raise ValueError("a wrong turn")
    if world.fault == DIVIDES and state == 7:
        yield state // (state - 7), 1
    if world.fault == BEYOND and state == 7:
        yield world.table[state * 1000], 1
    if world.fault == OUTSIDE and state == 7:
        yield 10**12, 1
    if world.fault == NEGATIVE and state == 7:
        yield 8, -1
    if world.fault == DEAR and state == 7:
        yield 8, 99
    if world.fault == ENDLESS or state < world.last:
        yield state + 1, 1
    if state > 0:
        yield state - 1, 1


def heuristic(world: Any, state: int) -> int:
    if world.fault == H_RAISES and state == 8:
        raise ValueError("no idea")
    if world.fault == LOW_H and state == 8:
        return -5
    return abs(world.goal - state)


def line(fault: int = FINE, **options: Any) -> tb.CustomWorld:
    given = {"states": 20, "branching": 4, "highest_cost": 2, "reversible": True, **options}
    return tb.CustomWorld(successors, heuristic, data={"fault": fault, "last": 19, "table": np.arange(5)}, **given)


WRONG = [
    (NEGATIVE, "successors yields a move from 7 that costs -1"),
    (DEAR, "successors yields a move from 7 that costs 99.*highest_cost=2"),
    (OUTSIDE, "1000000000000"),
    (MANY, "successors yields more than branching=4 moves from 7"),
    (UNENDING, "successors yields more than branching=4 moves from 7"),
    (LOW_H, "heuristic gives -5 at"),
    (RAISES, "successors of the world raised ValueError: a wrong turn"),
    (DIVIDES, "successors of the world raised ZeroDivisionError"),
    (BEYOND, "successors of the world raised IndexError"),
    (H_RAISES, "heuristic of the world raised ValueError: no idea"),
]
FORMS = {"dense": {}, "hashed": {"states": None, "capacity": 1000}, "plain": {"compile": False, "capacity": 1000}}
forms = pytest.mark.parametrize("form", FORMS)


@forms
def test_a_world_that_is_right(form: str) -> None:
    if COMPILING and form != "hashed":
        pytest.skip("of the three forms one is compiled; the others run with NUMBA_DISABLE_JIT=1")
    world = line(**FORMS[form])
    path = tb.shortest_path(world, 2, 9)
    assert (path.cost, path.states, path.expansions) == (7, list(range(2, 10)), 7)
    assert tb.check_world(world, 2, 9) == []
    agent = tb.make("rtaa", world, 15, 3)
    episode = agent.run(expansions=2)
    assert (episode.solved, episode.cost, episode.path[-1]) == (True, 12, 3)
    assert agent.goal == 3


@pytest.mark.uncompiled
@forms
@pytest.mark.parametrize(("fault", "complaint"), WRONG)
def test_what_is_wrong_is_said_and_nothing_breaks(form: str, fault: int, complaint: str) -> None:
    if form == "hashed" and fault == OUTSIDE:
        return  # any number is a state there
    world = line(fault, **FORMS[form])
    if form == "plain" and fault == OUTSIDE:
        complaint = "capacity"  # there it goes on from the strange state for ever
        world = line(ENDLESS, **FORMS[form])
    for attempt in (
        lambda: tb.shortest_path(world, 2, 12),
        lambda: tb.make("rtaa", world, 2, 12).run(expansions=3, intervals=5000),
    ):
        if fault == OUTSIDE and form == "plain":
            continue
        with pytest.raises(tb.WorldError, match=complaint):
            attempt()
    found = tb.check_world(world, 2, 12)
    assert found or (fault == OUTSIDE and form == "plain")
    # And another world of the same functions is as good as ever.
    assert tb.shortest_path(line(**FORMS[form]), 2, 9).cost == 7


@pytest.mark.uncompiled
@pytest.mark.parametrize("form", ["hashed", "plain"])
def test_more_states_than_there_is_room_for(form: str) -> None:
    world = line(ENDLESS, **{**FORMS[form], "capacity": 50})
    with pytest.raises(tb.WorldError, match="more than capacity=50 states were met; give a larger capacity"):
        tb.shortest_path(world, 2, 10**6)


@pytest.mark.uncompiled
@forms
def test_moves_without_an_end_at_the_start(form: str) -> None:
    world = line(UNENDING, **FORMS[form])
    with pytest.raises(tb.WorldError, match="more than branching=4 moves from 7"):
        tb.shortest_path(world, 7, 12)
    assert "too many moves: at least 5 from 7, but branching is 4" in tb.check_world(world, 7, 12)


@pytest.mark.uncompiled
def test_predecessors_without_an_end_are_noticed() -> None:
    def before(world: Any, state: int) -> Iterator[tuple[int, int]]:
        while True:
            yield state + 1, 1

    assert tb.check_world(line(compile=False, capacity=1000, predecessors=before), 2, 12, states=20) != []


@pytest.mark.uncompiled
def test_an_interrupt_from_the_keyboard_is_not_lost() -> None:
    def interrupted(world: Any, state: int) -> Iterator[tuple[int, int]]:
        if state == 5:
            raise KeyboardInterrupt
        yield state + 1, 1

    with pytest.raises(KeyboardInterrupt):
        tb.shortest_path(tb.CustomWorld(interrupted, lambda world, state: 0, compile=False), 0, 9)


@pytest.mark.uncompiled
def test_plain_worlds_have_any_states() -> None:
    graph = {"a": [("b", 2), ("c", 5)], "b": [("c", 2)], "c": []}
    world = tb.CustomWorld(
        lambda world, s: iter(world.graph[s]), lambda world, s: 0, data={"graph": graph}, highest_cost=5, compile=False
    )
    assert tb.shortest_path(world, "a", "c").states == ["a", "b", "c"]
    with pytest.raises(tb.ProblemError, match="must be hashable"):
        tb.shortest_path(world, ["a"], "c")


@pytest.mark.uncompiled
def test_goals_that_are_tests() -> None:
    def even_hundreds(world: Any, state: int) -> bool:
        return bool(state % 100 == 0)

    def steps(world: Any, state: int) -> Iterator[tuple[int, int]]:
        yield state + 7, 1
        yield state - 3, 1

    world = tb.CustomWorld(steps, lambda world, state: 0, is_goal=even_hundreds, compile=False)
    path = tb.shortest_path(world, 1, None)
    assert path.states[-1] % 100 == 0
    assert path.cost < 30
    assert tb.make("astar", world, 1, None).run().cost == path.cost


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"branching": 0}, "branching of a world is a whole number from 1"),
        ({"unit": 0.5}, "unit of a world is a whole number"),
        ({"states": -3}, "states of a world is a whole number"),
        ({"predecessors": 3}, "predecessors of a world must be a function"),
        ({"data": [1, 2]}, "is a dictionary or a named tuple"),
        ({"data": {"table": [1, 2]}}, "'table' of a world is a number or a one-dimensional array"),
        ({"data": {"table": np.ones((2, 2))}}, "one-dimensional"),
        ({"data": {"goal": 3}}, "has names like `width`, not 'goal'"),
        ({"data": {"a__b": 3}}, "has names like"),
    ],
)
def test_worlds_that_cannot_be(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(tb.WorldError, match=complaint):
        tb.CustomWorld(successors, heuristic, **options)


@pytest.mark.uncompiled
@pytest.mark.parametrize(("start", "goal"), [(-1, 3), (20, 3), (3, 20), ((1, 2), 3), ("a", 3), (1.5, 2), (True, 3)])
def test_states_that_are_none(start: Any, goal: Any) -> None:
    with pytest.raises(tb.ProblemError, match=r"there is no state|is a whole number"):
        tb.make("rtaa", line(), start, goal)


@pytest.mark.uncompiled
def test_states_of_another_form() -> None:
    with pytest.raises(tb.ProblemError, match="a state of this world is a whole number, not"):
        tb.shortest_path(line(states=None), (1, 2), 3)


@pytest.mark.uncompiled
def test_agents_that_a_world_is_not_for() -> None:
    one_way = line(reversible=False)
    with pytest.raises(tb.ProblemError, match="give the world `predecessors`, or reversible=True"):
        tb.make("lss-lrta", one_way, 1, 5)
    with pytest.raises(tb.ProblemError, match="steps back"):
        tb.make("tba", one_way, 1, 5)
    with pytest.raises(tb.ProblemError, match="searches from the goal"):
        tb.make("dstar-lite", line(), 1, 5)
    with pytest.raises(tb.ProblemError, match="searches from the goal"):
        tb.make("repeated-astar", line(), 1, 5, direction="backward")
    with pytest.raises(tb.ProblemError, match="nothing can be observed of a CustomWorld"):
        tb.make("rtaa", line(), 1, 5).observe(blocked=[3])


@pytest.mark.compiled
def test_what_does_not_compile_is_told_in_one_line() -> None:
    def estimates(world: Any, state: int) -> int:
        return len({"a": str(state)}["a"].split()) - 1 + math.lcm(1, 1) - 1

    def moves(world: Any, state: int) -> Iterator[tuple[int, int]]:
        yield state + 1, 1

    with pytest.raises(tb.WorldError, match=r"does not compile: .*compile=False runs it as plain Python") as caught:
        tb.shortest_path(tb.CustomWorld(moves, estimates, states=9), 0, 3)
    assert "\n" not in str(caught.value)
    assert tb.shortest_path(tb.CustomWorld(moves, estimates, compile=False), 0, 3).cost == 3


def bad_world(**parts: Any) -> tb.CustomWorld:
    given = {"successors": lambda world, s: iter([(s + 1, 1), (s - 1, 1)]), "heuristic": lambda world, s: 0, **parts}
    return tb.CustomWorld(given.pop("successors"), given.pop("heuristic"), compile=False, capacity=5000, **given)


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"heuristic": lambda world, s: 3}, "heuristic is not 0 at a goal: 3 at 9"),
        ({"heuristic": lambda world, s: 2 * abs(9 - s)}, "heuristic is not consistent: 18 at 0"),
        ({"heuristic": lambda world, s: -1}, "heuristic gives -1 at 9; it must be from 0"),
        ({"heuristic": lambda world, s: 0.5}, "estimates are whole numbers"),
        ({"successors": lambda world, s: iter([(s + 1, -1)])}, "a negative cost: -1 from 0 to 1"),
        ({"successors": lambda world, s: iter([(s + 1, 0.5)])}, "costs are whole numbers"),
        ({"successors": lambda world, s: iter([s + 1])}, "it must yield pairs"),
        ({"successors": lambda world, s: iter([(s + 1, 1)] * 9), "branching": 8}, "too many moves: at least 9 from 0"),
        ({"successors": lambda world, s: iter([(s + 1, 3)])}, "a move costs too much: 3 from 0"),
        (
            {"successors": lambda world, s: iter([(min(s + 1, 5), 1)])},
            "no goal can be reached: none of the 6 reachable states",
        ),
        ({"successors": lambda world, s: iter([(s + 1, 1)]), "reversible": True}, "not reversible: no move of cost 1"),
        ({"predecessors": lambda world, s: iter([(s + 2, 1)])}, "predecessors is wrong: no move leads from 2 to 0"),
        ({"predecessors": lambda world, s: iter([(s + 1, 1)])}, "predecessors is incomplete: a move leads from 0 to 1"),
        ({"step_heuristic": lambda world, s, h, after: h + 1}, "step_heuristic differs: it gives 1"),
        ({"is_goal": lambda world, s: s / 0}, "is_goal of the world raised ZeroDivisionError"),
    ],
)
def test_check_world_says_what_is_wrong(parts: dict[str, Any], complaint: str) -> None:
    assert any(complaint in said for said in tb.check_world(bad_world(**parts), 0, 9, states=100))


@pytest.mark.uncompiled
def test_check_world_notices_functions_that_change_their_mind() -> None:
    calls = iter(range(10**6))
    moody = bad_world(successors=lambda world, s: iter([(s + 1, 1 + next(calls) // 7 % 2)]), highest_cost=2)
    assert any("is not repeatable" in said for said in tb.check_world(moody, 0, 9, states=50))


@pytest.mark.uncompiled
def test_check_world_needs_a_place_to_begin_with() -> None:
    assert tb.check_world(bad_world()) == ["give a start: check_world(world, start=...)"]
    assert tb.check_world(tb.Grid(np.ones((3, 3), bool))) == []


@pytest.mark.parametrize("fault", ["whole", "real", "nothing by nothing"])
def test_a_division_by_zero_of_numpys_numbers_is_an_error(fault: str) -> None:
    """NumPy warns and goes on with 0 or infinity: this world would have no moves, and its goal be unreachable."""

    def successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
        speed = {"whole": 6 // world.speeds[state], "real": 6.0 / world.speeds[state]}.get(fault)
        speed = world.nothing[state] / world.nothing[state] if speed is None else speed
        if 0 < speed < 100:
            yield state + 1, 1

    data = {"speeds": np.array([1, 2, 0, 3]), "nothing": np.array([1.0, 1.0, 0.0, 1.0])}
    if fault == "real":
        data["speeds"] = data["speeds"].astype(float)
    elif fault == "nothing by nothing":
        data["speeds"] = np.ones(4)
    world = tb.CustomWorld(successors, lambda world, state: 0, data=data, compile=False, capacity=9, branching=1)
    with pytest.raises(tb.WorldError, match=r"successors of the world raised FloatingPointError: (divide|invalid)"):
        tb.make("astar", world, 0, 3).run()
