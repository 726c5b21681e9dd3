"""Crowds: what they do to the world, and what they record."""

import numpy as np
import pytest

import timebound as tb
from timebound import maps
from timebound.applications.crowd import LATE, STORM_SHARE, WALL_TICKS, Crowd, CrowdRecord, percentiles, ticks_of, wait

ROOMS = maps.rooms(40, 30, room=9, seed=2)


def crowd(units: int = 30, **rules: object) -> Crowd:
    return Crowd(tb.Grid(ROOMS.passable), units, lookahead=12, seed=3, **rules)


def walked(given: Crowd, ticks: int, **limits: object) -> CrowdRecord:
    record = CrowdRecord(limits.get("ms"))
    for _ in ticks_of(given, record, ticks, **(limits or {"expansions": 2000})):
        pass
    return record


@pytest.mark.uncompiled
def test_units_that_arrive_go_on() -> None:
    given = crowd()
    record = walked(given, 150)
    assert len(record.tick_us) == 150
    assert given.arrived > 30  # each of them more than once, on the whole
    assert not given.fleet.done


@pytest.mark.uncompiled
def test_one_shot_ends_when_all_are_there() -> None:
    given = crowd(lifelong=False)
    record = walked(given, 2000)
    assert given.arrived == 30
    assert given.fleet.done
    assert len(record.tick_us) < 2000
    assert record.moved[-1] >= 1  # the last tick was the one in which the last unit arrived


@pytest.mark.uncompiled
def test_by_expansions_a_crowd_repeats_itself() -> None:
    def trail() -> list[list[int]]:
        given = crowd(walls=3, collisions="push")
        record = CrowdRecord(None)
        return [tick.positions.tolist() for tick in ticks_of(given, record, 60, expansions=500, storm=30)]

    assert trail() == trail()


@pytest.mark.uncompiled
def test_another_seed_is_another_crowd() -> None:
    others = [Crowd(tb.Grid(ROOMS.passable), 30, lookahead=12, seed=seed).fleet.positions for seed in (1, 2)]
    assert not np.array_equal(*others)


@pytest.mark.uncompiled
@pytest.mark.parametrize("collisions", ["wait", "push"])
def test_no_two_are_in_a_cell(collisions: str) -> None:
    given = crowd(60, collisions=collisions, walls=4)
    for _ in range(50):
        given.tick(expansions=800)
        assert len(np.unique(given.fleet.positions, axis=0)) == 60


@pytest.mark.uncompiled
def test_walls_come_and_go_and_leave_the_map_as_it_was() -> None:
    given, before = crowd(10, walls=5), ROOMS.passable
    seen = set()
    for _ in range(10 * WALL_TICKS):
        given.tick(expansions=400)
        now = given.world.passable
        assert not np.any(now & ~before)  # nothing is opened that was blocked on the map
        seen.add(now.tobytes())
    assert len(seen) == 10  # another set of walls every ten ticks
    while given.walls._standing:
        given.world.unblock(given.world.places(given.walls._standing.popleft()))
    assert np.array_equal(given.world.passable, before)


@pytest.mark.uncompiled
def test_no_wall_is_built_on_a_unit() -> None:
    given = crowd(200, walls=6)
    for _ in range(5 * WALL_TICKS):
        given.tick(expansions=400)
        x, y = given.fleet.positions.T
        assert given.world.passable[y, x].all()


@pytest.mark.uncompiled
def test_a_storm_changes_cells_and_goals_and_everybody_moves_again() -> None:
    given = crowd(40)
    walked(given, 20)
    before, goals = given.world.passable.copy(), given.fleet._state.rows["goal"][given.units].copy()
    cells = given.storm()
    assert cells == np.count_nonzero(before != given.world.passable) == int(STORM_SHARE * before.size) // 2 * 2
    assert np.count_nonzero(goals != given.fleet._state.rows["goal"][given.units]) > 35
    record = CrowdRecord(None)
    for _ in ticks_of(given, record, 60, expansions=12 * 10, storm=10):  # ten units plan a tick
        pass
    assert record.storm is not None
    assert record.storm.tick == 10
    assert record.storm.us == record.tick_us[9]
    assert record.storm.moved_again is not None
    assert 1 <= record.storm.moved_again <= given.fleet.bound(expansions=12 * 10) + 1


@pytest.mark.uncompiled
def test_the_longest_wait_is_within_the_bound_of_the_fleet() -> None:
    given = crowd(50)
    walked(given, 80, expansions=12 * 5)
    assert 1 < given.longest_wait <= given.fleet.bound(expansions=12 * 5)


@pytest.mark.uncompiled
def test_a_record_beside_bare_waits() -> None:
    given = crowd(20)
    record = walked(given, 30, ms=2.0)
    assert len(record.wait_us) == len(record.tick_us) == 30
    assert min(record.wait_us) >= 2000
    assert record.late([2000 * LATE + 1, 2000 * LATE, 1.0]) == 1
    assert CrowdRecord(None).late([1e9]) == 0


@pytest.mark.uncompiled
def test_endless_budgets_have_no_bare_waits() -> None:
    assert walked(crowd(5), 3, ms=float("inf")).wait_us == []


@pytest.mark.uncompiled
def test_wait_lasts_as_long_as_it_is_told() -> None:
    assert 3_000_000 <= wait(3_000_000) < 1_000_000_000


@pytest.mark.uncompiled
def test_percentiles() -> None:
    found = percentiles([float(value) for value in range(1001)])
    assert found == pytest.approx({"p50": 500.0, "p99": 990.0, "p99.9": 999.0, "max": 1000.0})
    assert percentiles([])["max"] == 0


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"units": 0}, "the number of units is a whole number above 0, not 0"),
        ({"units": 100_000, "collisions": "push"}, "100,000 units do not fit: "),
        ({"walls": -1}, "the number of walls is a whole number from 0, not -1"),
        ({"agent": "tbaa", "fallback": "nearest"}, "fallback and memory_mb are for single agents"),
        ({"seed": -1}, "seed"),
        ({"collisions": "bounce"}, "collisions"),
    ],
)
def test_bad_input(given: dict[str, object], said: str) -> None:
    with pytest.raises(tb.ProblemError, match=said):
        Crowd(tb.Grid(ROOMS.passable), **{"units": 5, **given})


@pytest.mark.uncompiled
def test_only_grids() -> None:
    with pytest.raises(tb.ProblemError, match="a crowd needs a grid, not a Tiles"):
        Crowd(tb.Tiles(3), 5)
    with pytest.raises(tb.ProblemError, match="this map has no free cell"):
        Crowd(tb.Grid(np.zeros((3, 3), bool)), 1)
