"""Units whose search continues from tick to tick, in machine code: each has its own planner."""

import gc
import math
from pathlib import Path

import numpy as np
import pytest

import timebound as tb
from timebound import maps

pytestmark = pytest.mark.compiled


def cave(seed: int = 3, blocked: float = 0.2, size: int = 50) -> tuple[tb.Grid, np.ndarray]:
    generator = np.random.default_rng(seed)
    world = tb.Grid(generator.random((size, size)) >= blocked)
    return world, generator.permutation(np.argwhere(world.passable))[:, ::-1]


@pytest.mark.parametrize("kind", ["tba", "tbaa", "dstar-lite", "knn-lrta"])
def test_a_fleet_of_one_is_the_single_agent(kind: str) -> None:
    for seed in range(6):
        world, cells = cave(seed)
        start, goal = (tuple(cell) for cell in cells[:2].tolist())
        episode = tb.make(kind, world, start, goal).run(expansions=17, intervals=3000)
        fleet = tb.Fleet(world)
        fleet.add(kind, start=start, goal=goal)
        path = [start]
        while not fleet.done and fleet.ticks < 3000:
            fleet.tick(expansions=17)
            place = tuple(fleet.positions[0].tolist())
            path += [place] if place != path[-1] else []
        assert path == list(episode.path)
        (record,) = fleet.records()
        assert (record.moves, record.expansions, record.searches) == (
            episode.moves,
            episode.expansions,
            episode.searches,
        )


@pytest.mark.parametrize("collisions", ["none", "push"])
def test_a_mix_of_kinds_arrives_in_any_number_of_threads(collisions: str) -> None:
    """Walls come and go, and goals change, in the middle of their searches."""
    told = []
    for threads in (1, 2):
        world, cells = cave(blocked=0.1)
        fleet = tb.Fleet(world, collisions=collisions, threads=threads)
        for number, kind in enumerate(("rtaa", "tba", "tbaa", "dstar-lite", "knn-lrta")):
            part = cells[60 * number : 60 * number + 60]
            fleet.add(kind, start=part[:30], goal=part[30:])
        wall, lines, there = [tuple(cell) for cell in cells[1000:1060].tolist()], [], np.zeros(len(fleet), bool)
        for number in range(400):
            if number in (30, 90):
                (world.block if number == 30 else world.unblock)(wall)
            if number == 60:
                fleet.retarget(fleet.units[20:50], cells[400:430])
            tick = fleet.tick(expansions=3000)
            there |= tick.reasons[fleet.units] == 5
            lines.append((tick.positions.tolist(), tick.reasons.tolist(), tick.served, tick.expansions, tick.waiting))
            if collisions != "none":
                assert len(np.unique(tick.positions[fleet.units])) == len(fleet)
        told.append((lines, fleet.records()))
        reachable = [tb.shortest_path(world, *map(tuple, pair)).solved for pair in ends_of(fleet)]
        assert np.mean(there[np.array(reachable)]) > (0.9 if collisions == "push" else 0.999)
    assert told[0] == told[1]


def ends_of(fleet: tb.Fleet) -> list[tuple[list[int], list[int]]]:
    width, rows = fleet.world.width, fleet._state.rows[fleet.units]
    goals = [[int(goal) % width, int(goal) // width] for goal in rows["goal"]]
    return list(zip(fleet.positions.tolist(), goals, strict=True))


def test_a_unit_moves_while_it_waits_for_its_turn() -> None:
    """TBA* follows the path that it has, however long it must wait to continue its search."""
    world, cells = cave(blocked=0.05)
    fleet = tb.Fleet(world)
    fleet.add("tba", start=cells[:200], goal=cells[200:400])
    ticks = [fleet.tick(expansions=80) for _ in range(60)]
    assert max(tick.served for tick in ticks) < 40
    assert np.mean([tick.moved for tick in ticks[30:]]) > 60
    assert max(record.longest_wait for record in fleet.records()) <= fleet.bound(expansions=80)


def test_planning_between_ticks() -> None:
    """Each unit has one turn per call, also with a new goal, while others continue their searches."""
    world, cells = cave()
    fleet = tb.Fleet(world)
    units = fleet.add("tba", start=cells[:30], goal=cells[30:60])
    fleet.tick(expansions=300)
    fleet.retarget(units[10:20], cells[60:70])
    served = [fleet.plan(expansions=math.inf).served for _ in range(3)]
    assert 10 <= served[0] <= 30
    moved = fleet.tick(expansions=math.inf).moved
    assert moved == 30 - fleet.status().count("unreachable") >= 25


def test_memory_has_a_limit() -> None:
    """A unit without a path stops, and continues when there is memory again."""
    world, cells = cave(size=150)
    fleet = tb.Fleet(world, memory_mb=4)
    units = fleet.add("astar", start=cells[:300], goal=cells[300:600])
    for _ in range(100):
        fleet.tick(expansions=20_000)
    stopped = [unit for unit in units.tolist() if fleet.status(unit) == ["memory"]]
    assert stopped
    assert fleet.memory_bytes < 3 * 4e6  # a tick goes on with all searches before anybody looks
    fleet.remove([unit for unit in units.tolist() if unit != stopped[0]])
    for _ in range(300):
        fleet.tick(expansions=20_000)
    assert fleet.memory_bytes < 4e6
    assert fleet.status() == ["arrived"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much memory is resident")
def test_a_thousand_knn_units_take_less_than_100_mb() -> None:
    level = maps.caves(512, 512, 1)
    ends = maps.random_problems(level, 1000, 1)
    starts, goals = (np.array(places) for places in zip(*ends, strict=True))
    fleet = tb.Fleet(tb.Grid(level.passable))
    fleet.remove(fleet.add("knn-lrta", start=starts[:1], goal=goals[:1]))  # the case base is made, and shared
    gc.collect()
    before = resident()
    units = fleet.add("knn-lrta", start=starts, goal=goals)
    for _ in range(100):
        tick = fleet.tick(expansions=100_000)
    assert tick.moved > 900
    assert resident() - before < 100e6
    assert len(units) == len(fleet._state.kinds[0]._own) == 1000


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_planners_are_given_back() -> None:
    world, cells = cave()
    fleet = tb.Fleet(world)
    for _ in range(20):
        units = fleet.add("tbaa", start=cells[:20], goal=cells[20:40])
        for _ in range(4):
            fleet.tick(expansions=600)
        fleet.retarget(units, cells[40:60])
        fleet.tick(expansions=600)
        fleet.remove(units)
        fleet.tick(expansions=600)
    gc.collect()
    (kind,) = fleet._state.kinds
    assert (len(kind._own), len(kind._gone), kind.memory_bytes) == (0, 0, 0)


def test_many_changes_are_forgotten() -> None:
    """News is kept until there is too much of it; then all units start again."""
    world, cells = cave(size=12)
    fleet = tb.Fleet(world)
    fleet.add("dstar-lite", start=cells[:5], goal=cells[5:10])
    wall = [tuple(cell) for cell in cells[10:30].tolist()]
    for number in range(100):
        (world.unblock if number % 2 else world.block)(wall)
        fleet.tick(expansions=50)
    (kind,) = fleet._state.kinds
    assert kind.planners[0] is not None
    for _ in range(100):
        fleet.tick(expansions=50)
    expected = [tb.shortest_path(world, *map(tuple, pair)).solved for pair in ends_of(fleet)]
    assert fleet.status() == ["arrived" if solved else "unreachable" for solved in expected]


def test_guidance_and_units_with_planners_of_their_own() -> None:
    """They declare their paths, and take the declared paths of others into account."""
    world, cells = cave(blocked=0.1)
    fleet = tb.Fleet(world, guidance=True, collisions="push")
    fleet.add("tba", start=cells[:40], goal=cells[40:80])
    fleet.add("lss-lrta", start=cells[80:120], goal=cells[120:160], lookahead=20)
    for _ in range(30):
        fleet.tick(expansions=900)
    ahead = sum(max(0, len(fleet.path(unit)) - 1) for unit in fleet.units)
    assert fleet._state.traffic.through.sum() == fleet._state.traffic.along.sum() == ahead
    assert fleet._state.traffic.through.min() >= 0


def test_a_case_base_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world, cells = cave(blocked=0.1)
    tb.CaseBase.build(world, 100).save(tmp_path / "cave.cases")
    read, load = [], tb.CaseBase.load
    monkeypatch.setattr(tb.CaseBase, "load", lambda file: read.append(file) or load(file))
    fleet = tb.Fleet(world)
    fleet.add("knn-lrta", start=cells[:50], goal=cells[50:100], cases=str(tmp_path / "cave.cases"))
    for number in range(300):
        if number == 10:
            world.block([tuple(cell) for cell in cells[200:210].tolist()])
            fleet.retarget(fleet.units[:10], cells[100:110])
        fleet.tick(expansions=1000)
    assert len(read) == 1
    assert fleet.status().count("arrived") > 45
    assert "stuck" not in fleet.status()


def test_virtual_time_is_so_many_expansions() -> None:
    told = []
    for budget in ({"virtual_ms": 0.0067}, {"expansions": 100}):
        world, cells = cave()
        fleet = tb.Fleet(world)
        fleet.add("rtaa", start=cells[:40], goal=cells[40:80], lookahead=10)
        assert fleet.bound(**budget) == math.ceil(40 / 10)
        told.append([fleet.tick(**budget).positions.tolist() for _ in range(30)])
    assert told[0] == told[1]


def test_a_thick_wall_on_a_unit() -> None:
    """It leaves through the wall, to the nearest free cell, and does not return."""
    world = tb.Grid(np.ones((15, 15), bool))
    fleet = tb.Fleet(world, collisions="push")
    fleet.add("rtaa", start=[(7, 7), (6, 7)], goal=[(14, 7), (0, 7)], lookahead=9)
    fleet.tick(expansions=100)
    world.block([(x, y) for x in range(4, 11) for y in range(3, 12)])
    for _ in range(60):
        fleet.tick(expansions=100)
    assert fleet.status() == ["arrived", "arrived"]


@pytest.mark.parametrize("kind", ["lrta", "da-rtaa"])
def test_units_that_share_a_planner_are_guided(kind: str) -> None:
    """Those that only look at their neighbours have no search that guidance could tell of others."""
    fleet = tb.Fleet(tb.Grid(np.ones((5, 9), bool)), guidance=True, collisions="push")
    fleet.add(kind, start=[(0, 2), (8, 2)], goal=[(8, 2), (0, 2)])
    for _ in range(40):
        fleet.tick(expansions=50)
    assert fleet.done
