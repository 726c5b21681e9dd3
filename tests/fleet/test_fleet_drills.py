"""Random fleets with a plain referee (see `fleet_drills`), and what they found: with the compiler off.

`TIMEBOUND_FLEETS=1000` tries that many sequences, `TIMEBOUND_SEED=7` different ones.
"""

import math
import os
from typing import Any

import numpy as np
import pytest
from agent_worlds import grid
from fleet_drills import Drill, drill

import timebound as tb
from timebound.core.errors import ProblemError
from timebound.fleet.own_planners import OwnPlanners

pytestmark = pytest.mark.uncompiled

SEQUENCES, SEED = int(os.environ.get("TIMEBOUND_FLEETS", "48")), int(os.environ.get("TIMEBOUND_SEED", "0"))
CHUNKS = 4
REPEATED = 6  # every sixth sequence runs twice


def open_field(width: int, height: int, **rules: Any) -> tb.Grid:
    return tb.Grid(np.ones((height, width), bool), **rules)


@pytest.mark.bounds
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_fleets(chunk: int) -> None:
    for number in range(chunk, SEQUENCES, CHUNKS):
        seed = 1_000_000 * SEED + number
        told = drill(seed)
        if number % REPEATED == 0:
            assert drill(seed, threads=2) == told or Drill(seed).by_clock


def test_random_fleets_that_plan_jointly() -> None:
    for number in range(1, SEQUENCES, CHUNKS):
        drill(1_000_000 * SEED + number, collisions="complete")


@pytest.mark.parametrize("seed", [60104, 60978, 61205])
def test_a_unit_that_is_pushed_back_is_not_stuck(seed: int) -> None:
    """It comes back to where it has searched before, without having learned anything: that is not its own circle."""
    drill(seed)


@pytest.mark.parametrize("seed", [11444, 19990, 47409])
def test_a_unit_that_is_resumed_is_not_stuck(seed: int) -> None:
    """A cell is freed and blocked again between two ticks: it searches where it has just searched, and may say why."""
    drill(seed)


def test_the_referee_knows_of_turns_without_expansions() -> None:
    drill(11518)


# ------------------------------------------------------------------ nobody is forgotten


def test_a_unit_inside_a_wall_gets_another_goal() -> None:
    world = open_field(3, 1)
    fleet = tb.Fleet(world, collisions="wait")
    units = fleet.add("rtaa", start=[(0, 0), (1, 0), (2, 0)], goal=[(0, 0), (1, 0), (2, 0)], lookahead=5)
    world.block([(1, 0)])
    fleet.tick(expansions=30)
    fleet.retarget(units[1], (2, 0))
    assert fleet.status(units[1]) == ["moving"]  # out of the wall
    fleet.remove(units[2])
    for _ in range(3):
        fleet.tick(expansions=30)
    assert fleet.status() == ["arrived", "arrived"]


def test_a_unit_on_its_way_out_of_a_wall_does_not_plan() -> None:
    world = open_field(7, 1)
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=(3, 0), goal=(6, 0), terrain="unknown", lookahead=5)
    world.block([(x, 0) for x in range(1, 6)])
    for _ in range(4):
        fleet.tick(expansions=30)
        assert fleet.waiting == 0 or fleet.positions[0].tolist() == [6, 0]
    assert fleet.positions[0].tolist() == [6, 0]
    assert fleet.status() == ["arrived"]


def test_a_wall_over_a_unit_opens_before_it_has_left() -> None:
    world = open_field(3, 3)
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=[(1, 1), (0, 0)], goal=[(1, 1), (2, 2)], lookahead=5)
    world.block([(1, 1), (0, 0)])
    fleet.plan(expansions=30)
    world.unblock([(1, 1), (0, 0)])
    fleet.plan(expansions=30)
    assert fleet.status() == ["arrived", "moving"]
    assert fleet.path(1) == [(0, 0), (1, 1), (2, 2)]


@pytest.mark.parametrize("kind", ["rtaa", "lss-lrta", "lss-lrtwa", "wlss-lrta", "da-rtaa", "a-rtaa"])
def test_a_budget_smaller_than_a_search_is_enough(kind: str) -> None:
    """A lent search leaves nothing behind: it has to end with its turn."""
    fleet = tb.Fleet(open_field(6, 6))
    fleet.add(kind, start=[(0, 0), (5, 0)], goal=[(5, 5), (0, 5)], lookahead=30)
    for _ in range(60):
        assert fleet.tick(expansions=3).expansions <= 3
    assert fleet.status() == ["arrived", "arrived"]


def test_units_that_have_stopped_do_not_keep_others_from_planning() -> None:
    """A queue with none but such units is no reason to end the tick."""
    fleet = tb.Fleet(open_field(8, 8))
    stopped = fleet.add("rtaa", start=[(0, 0)] * 3, goal=[(7, 7)] * 3, lookahead=5)
    fleet.add("lss-lrta", start=[(0, 7)] * 3, goal=[(7, 0)] * 3, lookahead=5)
    fleet.retarget(stopped, (0, 0))
    assert fleet.waiting == 3
    assert fleet.tick(expansions=5).served == 1
    fleet.remove(fleet.units[3:])
    assert fleet.waiting == 0
    assert fleet.done


def test_the_number_of_a_removed_unit_is_given_to_one_of_another_kind() -> None:
    """It waits as the newest of its kind, not in the place of the other."""
    fleet = tb.Fleet(open_field(9, 9))
    fleet.add("lss-lrta", start=(4, 4), goal=(4, 4), lookahead=5)
    first = fleet.add("rtaa", start=[(0, 0)] * 4, goal=[(8, 8)] * 4, lookahead=5)
    fleet.tick(expansions=5)
    fleet.remove(first[3])
    again = fleet.add("lss-lrta", start=(0, 8), goal=(8, 0), lookahead=5)
    assert again == first[3]
    waited = 0
    while not fleet.records(again)[0].expansions:
        waited += 1
        fleet.tick(expansions=5)
    assert fleet.records(again)[0].longest_wait == waited <= fleet.bound(expansions=5)


def test_a_unit_behind_one_whose_search_continues_keeps_its_place_among_other_kinds() -> None:
    """After `plan`, that one waits from the next tick on; so does a unit that is added behind it."""
    fleet = tb.Fleet(open_field(7, 4))
    fleet.add("astar", start=(5, 2), goal=(0, 0))
    fleet.plan(expansions=1)
    unit = fleet.add("astar", start=(1, 0), goal=(2, 3))
    others = fleet.add("da-rtaa", start=[(3, 0), (5, 1)], goal=[(6, 3), (1, 0)], lookahead=7)
    fleet.tick(expansions=1)
    fleet.retarget(others[0], (3, 3))
    for _ in range(6):
        fleet.tick(expansions=1)
        assert fleet.records(unit)[0].longest_wait <= fleet.bound(expansions=1) == 4


def test_a_fleet_that_grows_keeps_its_queue() -> None:
    """Also units that follow a path while their search continues."""
    fleet = tb.Fleet(open_field(30, 30))
    fleet.add("tba", start=[(0, 0)] * 4, goal=[(29, 29)] * 4)
    fleet.tick(expansions=40)
    fleet.tick(expansions=40)
    before = fleet.waiting, fleet.status()
    assert before == (4, ["moving"] * 4)
    fleet.add("tba", start=[(0, 0)] * 100, goal=[(0, 0)] * 100)
    assert (fleet.waiting, fleet.status()[:4]) == before
    fleet.add("rtaa", start=(0, 0), goal=(0, 0), lookahead=5)
    assert (fleet.waiting, fleet.status()[:4]) == before


@pytest.mark.parametrize("threads", [1, 2])
def test_units_that_cannot_have_a_search_do_not_keep_others_from_planning(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = tb.Fleet(open_field(9, 9), threads=threads)
    fleet.add("tba", start=[(0, 0)] * 6, goal=[(8, 8)] * 6)
    fleet.add("rtaa", start=(0, 8), goal=(8, 0), lookahead=5)

    def fail(*_: Any) -> None:
        raise ProblemError("no")

    monkeypatch.setattr(OwnPlanners, "_make", fail)
    tick = fleet.tick(expansions=100)
    assert fleet.status() == ["stuck"] * 6 + ["moving"]
    assert (tick.served, tick.waiting) == (7, 0)


def test_a_unit_that_its_field_stops_has_had_its_turn() -> None:
    """Those of other kinds plan in the same tick."""
    world = open_field(5, 1)
    fleet = tb.Fleet(world)
    world.block([(2, 0)])
    fleet.add("adaptive-astar", start=[(0, 0)] * 2, goal=[(4, 0)] * 2, group="a")
    fleet.add("rtaa", start=(3, 0), goal=(4, 0), lookahead=5)
    tick = fleet.tick(expansions=20)
    assert fleet.status() == ["unreachable", "unreachable", "moving"]
    assert (tick.served, tick.waiting) == (3, 0)


def test_the_search_of_a_group_leaves_units_their_share() -> None:
    fleet = tb.Fleet(open_field(40, 40))
    fleet.add("tba", start=[(0, 0)] * 4, goal=[(39, 39)] * 4, group="a")
    for _ in range(6):
        assert fleet.tick(expansions=80).served == 4
    assert max(record.longest_wait for record in fleet.records()) <= fleet.bound(expansions=80) == 1


def test_units_that_search_on_are_still_blocked() -> None:
    """Two meet in a corridor and wait for each other, planning all the time."""
    fleet = tb.Fleet(open_field(7, 1), collisions="wait")
    fleet.add("pr-lrta", start=[(6, 0), (1, 0)], goal=[(3, 0), (5, 0)], level=1)
    for _ in range(12):
        fleet.tick(expansions=20)
    assert fleet.status() == ["blocked", "blocked"]


@pytest.mark.parametrize("collisions", ["none", "push"])
def test_with_an_unlimited_budget_all_plan(collisions: str) -> None:
    """Also those without a lookahead, of which each may search without end."""
    fleet = tb.Fleet(open_field(6, 6), collisions=collisions)
    fleet.add("rtaa", start=[(0, 0), (1, 0), (2, 0)], goal=[(5, 5), (4, 5), (3, 5)])
    tick = fleet.tick(expansions=math.inf)
    assert (tick.served, fleet.bound(expansions=math.inf)) == (3, 1)
    assert fleet.status() == ["moving"] * 3


@pytest.mark.parametrize("collisions", ["none", "wait", "push"])
@pytest.mark.parametrize(("given", "end"), [({}, "arrived"), ({"learning": "none"}, "stuck")])
def test_an_edge_from_a_node_to_itself_blocks_nobody(collisions: str, given: dict[str, str], end: str) -> None:
    """It is the best move at first: a unit learns, or notices that it walks in a circle."""
    fleet = tb.Fleet(tb.Graph.from_edges([(1, 1, 1), (1, 2, 9), (2, 1, 9)]), collisions=collisions)
    fleet.add("lrta", start=1, goal=2, **given)
    for _ in range(20):
        fleet.tick(expansions=10)
    assert fleet.status() == [end]


def test_a_unit_that_cannot_keep_what_it_learns_says_so() -> None:
    """It would walk in a circle. The last unit shares its memory with the first, and resumes when that is removed."""
    fleet = tb.Fleet(grid("......", "...#..", "...#..", ".###..", "......", neighbors=4), memory_mb=0.01)
    fleet.add("rtaa", start=[(2, 2)] * 33, goal=[(4, 2)] * 33, lookahead=3)
    for _ in range(60):
        fleet.tick(expansions=99)
    assert fleet.status() == ["arrived"] * 32 + ["memory"]
    fleet.remove(0)
    for _ in range(60):
        fleet.tick(expansions=99)
    assert fleet.status() == ["arrived"] * 32


@pytest.mark.parametrize("budget", [1, 2, 5])
def test_with_repair_a_unit_alone_is_never_blocked(budget: int) -> None:
    """Its plan follows each new path at once, also where no expansion is left to look for other steps."""
    fleet = tb.Fleet(grid("......", "..##..", "...#..", "..##..", "......"), collisions="push", repair=True)
    fleet.add("lss-lrta", start=(0, 2), goal=(5, 2), lookahead=4)
    for _ in range(80):
        fleet.tick(expansions=budget)
        assert "blocked" not in fleet.status()
    assert fleet.status() == ["arrived"]


# ------------------------------------------------------------------ goals on arrival


def test_anybody_may_be_removed_added_and_sent_elsewhere_on_arrival() -> None:
    calls: list[list[int]] = []

    def next_goals(arrived: np.ndarray) -> list[tuple[int, int]]:
        calls.append(arrived.tolist())
        if len(calls) == 1:
            fleet.remove(arrived[0])
            assert fleet.add("rtaa", start=(5, 5), goal=(5, 0), lookahead=9) == arrived[0]
            fleet.retarget(3, (0, 1))
            fleet.remove(2)
        return [(3, 3) for _ in arrived]

    fleet = tb.Fleet(open_field(6, 6), on_arrival=next_goals)
    fleet.add("rtaa", start=[(0, 0), (1, 0), (2, 0), (3, 0)], goal=[(0, 0), (1, 0), (5, 0), (5, 5)], lookahead=9)
    fleet.tick(expansions=100)
    assert calls == [[0, 1]]
    assert fleet.units.tolist() == [0, 1, 3]
    goals = {unit: fleet.path(unit)[-1] for unit in (0, 1, 3)}
    assert goals == {0: (5, 0), 1: (3, 3), 3: (0, 1)}  # what was asked for unit 0 is not for the new one


def test_many_are_added_on_arrival() -> None:
    """More than there was room for, and of another kind."""

    def more(arrived: np.ndarray) -> None:
        if len(fleet) == 1:
            fleet.add("astar", start=[(x, y) for x in range(9) for y in range(9)], goal=[(9, 9)] * 81)

    fleet = tb.Fleet(open_field(10, 10), collisions="push", on_arrival=more)
    fleet.add("rtaa", start=(9, 9), goal=(9, 9), lookahead=9)
    for _ in range(60):
        fleet.tick(expansions=20_000)
    assert len(fleet) == 82
    assert fleet.done


def test_on_arrival_all_are_removed() -> None:
    fleet = tb.Fleet(open_field(4, 4), collisions="push", on_arrival=lambda arrived: fleet.remove(arrived))
    fleet.add("rtaa", start=[(0, 0), (3, 3)], goal=[(2, 2), (1, 1)], lookahead=9)
    for _ in range(5):
        fleet.tick(expansions=100)
    assert len(fleet) == 0


# ------------------------------------------------------------------ what it tells


def test_a_unit_is_removed_twice_in_one_call() -> None:
    fleet = tb.Fleet(open_field(4, 4))
    unit = fleet.add("rtaa", start=(0, 0), goal=(3, 3), lookahead=9)
    fleet.remove([unit, unit])
    numbers = fleet.add("rtaa", start=[(0, 0), (1, 1)], goal=[(3, 3), (2, 2)], lookahead=9)
    assert len(set(numbers.tolist())) == len(fleet) == 2


@pytest.mark.parametrize("guidance", [False, True])
def test_travel_costs_may_come_later(guidance: bool) -> None:
    """Costs so far are told in the same unit, and guidance knows the new ones."""
    world = open_field(9, 3, neighbors=4)
    fleet = tb.Fleet(world, guidance=guidance)
    unit = fleet.add("lss-lrta", start=(0, 1), goal=(8, 1), lookahead=40)
    for _ in range(3):
        fleet.tick(expansions=100)
    assert fleet.records(unit)[0].cost == 2.0
    world.set_cost([(5, 1), (6, 1)], 20)
    assert fleet.tick(expansions=100).moved == 1
    assert fleet.records(unit)[0].cost == pytest.approx(3.0)
    fleet.retarget(unit, (7, 1))
    while not fleet.done:
        fleet.tick(expansions=100)
    assert fleet.records(unit)[0].cost == pytest.approx(8.0 - 1 + 2)  # around the mud
    assert fleet.add("rtaa", start=(0, 0), goal=(8, 0), lookahead=5) == 1


@pytest.mark.parametrize("kind", ["lss-lrta", "adaptive-astar"])
def test_repair_knows_what_moves_cost(kind: str) -> None:
    """A move may cost several times as much as the cheapest, which is the cost of a tick: waiting does not save it."""
    steps = [(u, u + 1, 9.0) for u in range(5)] + [(6, 7, 1.0)]
    world = tb.Graph.from_edges([*steps, *((v, u, cost) for u, v, cost in steps)], nodes=range(8))
    fleet = tb.Fleet(world, collisions="push", repair=True)
    fleet.add(kind, start=0, goal=5)
    for _ in range(9):
        fleet.tick(expansions=100)
    assert fleet.status() == ["arrived"]


def test_all_cells_become_walls() -> None:
    world = open_field(2, 1)
    fleet = tb.Fleet(world)
    fleet.add("d-lrta", start=[(0, 0), (1, 0)], goal=[(1, 0), (0, 0)], level=1)
    world.set_cost([(0, 0)], 3)
    world.block([(0, 0), (1, 0)])
    for _ in range(3):
        fleet.tick(expansions=100)
    assert fleet.status() == ["unreachable"] * 2


def test_repairs_keep_to_the_budget() -> None:
    fleet = tb.Fleet(open_field(6, 6), collisions="push", repair=True)
    starts = [(x, y) for y in range(2) for x in range(6)]
    fleet.add("rtaa", start=starts, goal=[(5 - x, 5 - y) for x, y in starts], lookahead=5)
    for budget in (1, 2, 3, 5, 8, 30):
        for _ in range(4):
            assert fleet.tick(expansions=budget).expansions <= budget


def test_calls_need_a_budget() -> None:
    fleet = tb.Fleet(open_field(4, 4))
    fleet.add("rtaa", start=(0, 0), goal=(3, 3), lookahead=9)
    for call in (fleet.tick, fleet.plan, fleet.bound):
        with pytest.raises(tb.ProblemError, match="give ms, expansions or virtual_ms"):
            call()
    assert fleet.ticks == 0
    assert fleet.tick(expansions=math.inf).served == 1
    assert fleet.bound(expansions=math.inf) == 1


def test_the_ways_to_treat_each_other_are_named() -> None:
    with pytest.raises(tb.ProblemError, match="collisions is 'none', 'wait', 'push' or 'complete', not 'avoid'"):
        tb.Fleet(open_field(4, 4), collisions="avoid")
