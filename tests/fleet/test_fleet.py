"""Fleets in machine code, and their messages about bad input."""

import gc
import math
import re
import time

import numpy as np
import pytest

import timebound as tb

WORLD = tb.Grid(np.ones((6, 8), bool))


def corridor() -> tb.Grid:
    return tb.Grid(np.array([[True] * 12, [False] * 11 + [True], [True] * 12]), neighbors=4)


@pytest.mark.uncompiled
def test_many_units_of_several_kinds_arrive() -> None:
    generator = np.random.default_rng(5)
    world = tb.Grid(generator.random((60, 60)) >= 0.1)
    chosen = generator.permutation(np.argwhere(world.passable))[:200, ::-1]
    fleet = tb.Fleet(world, collisions="push")
    fleet.add("rtaa", start=chosen[:50], goal=chosen[50:100], lookahead=12)
    fleet.add("lss-lrta", start=chosen[100:150], goal=chosen[150:200], lookahead=12)
    ever = np.zeros(len(fleet), bool)
    for _ in range(400):
        tick = fleet.tick(expansions=3000)
        ever |= tick.reasons[fleet.units] == 5
        assert len(np.unique(tick.positions[fleet.units])) == len(fleet)
    assert ever.mean() > 0.97  # a few are in pockets that nobody gets out of


@pytest.mark.uncompiled
@pytest.mark.parametrize("repair", [False, 15])
def test_a_run_can_be_repeated(repair: bool | int) -> None:
    told = []
    for _ in range(2):
        generator = np.random.default_rng(1)
        cells = np.argwhere(generator.random((40, 40)) >= 0.2)
        world = tb.Grid(np.zeros((40, 40), bool))
        world.unblock([(int(x), int(y)) for y, x in cells])
        chosen = generator.permutation(cells)[:100, ::-1]
        fleet = tb.Fleet(world, collisions="push", guidance=True, repair=repair)
        fleet.add("lss-lrta", start=chosen[:50], goal=chosen[50:], lookahead=20)
        told.append([fleet.tick(expansions=500).positions.tolist() for _ in range(15)])
    assert told[0] == told[1]


@pytest.mark.uncompiled
def test_a_wall_on_a_crowd() -> None:
    """A unit inside a wall may leave it, but not return. One that is closed in says so, and waits for a way out."""
    world = corridor()
    fleet = tb.Fleet(world)
    unit = fleet.add("rtaa", start=(0, 0), goal=(0, 2), lookahead=4)
    for _ in range(5):
        fleet.tick(expansions=10)
    x, y = fleet.positions[0].tolist()
    world.block([(x, y), (x - 1, y)])
    fleet.tick(expansions=10)
    assert fleet.positions[0].tolist() == [x + 1, y]
    world.block([(5, 2)])
    for _ in range(200):
        fleet.tick(expansions=10)
    assert fleet.status(unit) == ["unreachable"]
    world.unblock([(5, 2)])
    for _ in range(200):
        fleet.tick(expansions=10)
    assert fleet.status(unit) == ["arrived"]


@pytest.mark.uncompiled
def test_a_unit_pushed_to_where_it_saw_a_wall_knows_better() -> None:
    """In unknown terrain it does not look at its own cell."""
    passable = np.ones((3, 3), bool)
    passable[1, 2] = False
    world = tb.Grid(passable)
    fleet = tb.Fleet(world, collisions="push")
    fleet.add("rtaa", start=(1, 0), goal=(1, 1), terrain="unknown", lookahead=9)
    for _ in range(3):
        fleet.tick(expansions=20)
    assert fleet.status() == ["arrived"]
    world.unblock([(2, 1)])
    world.block([(x, y) for x in range(3) for y in range(3) if (x, y) not in ((0, 1), (1, 1), (2, 1))])
    fleet.add("rtaa", start=(0, 1), goal=(1, 1), lookahead=9, priority=1)
    for _ in range(4):
        fleet.tick(expansions=20)
    assert fleet.positions.tolist() == [[2, 1], [1, 1]]
    assert fleet.status()[0] != "unreachable"


@pytest.mark.uncompiled
def test_next_goals() -> None:
    visited: list[int] = []

    def next_goals(units: np.ndarray) -> list[tuple[int, int]]:
        visited.extend(units.tolist())
        return [(7, 5) if len(visited) % 2 else (0, 0) for _ in units]

    fleet = tb.Fleet(WORLD, on_arrival=next_goals)
    fleet.add("rtaa", start=(3, 3), goal=(0, 0), lookahead=30)
    for _ in range(60):
        fleet.tick(expansions=100)
    assert len(visited) > 6
    assert fleet.records()[0].moves > 50


@pytest.mark.compiled
def test_a_budget_in_milliseconds_is_kept_to() -> None:
    generator = np.random.default_rng(2)
    cells = generator.permutation(256 * 256)[:4000]
    places = np.stack([cells % 256, cells // 256], axis=1)
    fleet = tb.Fleet(tb.Grid(np.ones((256, 256), bool)))
    fleet.add("rtaa", start=places[:2000], goal=places[2000:], lookahead=30)
    ticks = [fleet.tick(ms=0.5) for _ in range(40)]
    assert 0 < ticks[0].served < 2000
    assert min(tick.us for tick in ticks) < 5000
    assert ticks[0].waiting == 2000 - ticks[0].served


@pytest.mark.compiled
@pytest.mark.parametrize("collisions", ["none", "push"])
def test_threads_change_nothing(collisions: str) -> None:
    told = []
    for threads in (1, 2, 3):
        generator = np.random.default_rng(7)
        world = tb.Grid(generator.random((50, 50)) >= 0.2)
        chosen = generator.permutation(np.argwhere(world.passable))[:600, ::-1]
        fleet = tb.Fleet(world, collisions=collisions, threads=threads)
        fleet.add("rtaa", start=chosen[:150], goal=chosen[150:300], lookahead=11)
        fleet.add("lss-lrta", start=chosen[300:450], goal=chosen[450:], lookahead=25)
        places = []
        for number in range(80):
            if number == 20:
                world.block([tuple(place) for place in chosen[:20].tolist()])
            if number == 40:
                fleet.retarget(fleet.units, chosen[300:600])
            tick = fleet.tick(expansions=1 + 97 * number % 2000)
            places.append((tick.positions.tolist(), tick.reasons.tolist(), tick.served, tick.expansions, tick.waiting))
        told.append((places, fleet.records()))
    assert told[0] == told[1] == told[2]


@pytest.mark.compiled
@pytest.mark.parametrize(("kind", "terrain"), [("rtaa", "known"), ("rtaa", "unknown"), ("tbaa", "unknown")])
def test_one_call_of_compiled_code_does_the_same_as_several(kind: str, terrain: str) -> None:
    """A fleet of one kind has a tick of its own; who asks for goals on arrival has the tick of several kinds."""
    told = []
    for on_arrival in (None, lambda units: None):
        generator = np.random.default_rng(7)
        world = tb.Grid(generator.random((40, 40)) >= 0.2)
        chosen = generator.permutation(np.argwhere(world.passable))[:300, ::-1]
        fleet = tb.Fleet(world, collisions="push", on_arrival=on_arrival)
        fleet.add(kind, start=chosen[:100], goal=chosen[100:200], terrain=terrain)
        for number in range(80):
            if number % 20 == 10:
                (world.block if number % 40 == 10 else world.unblock)(
                    [tuple(cell) for cell in chosen[200:240].tolist()]
                )
            if number == 50:
                fleet.add(kind, start=chosen[240:250], goal=chosen[250:260], terrain=terrain)
            told.append(
                [field.tolist() if hasattr(field, "tolist") else field for field in fleet.tick(expansions=700)[:6]]
            )
    assert told[:80] == told[80:]


@pytest.mark.compiled
def test_memory_is_given_back() -> None:
    fleet = tb.Fleet(WORLD, collisions="push")
    for i in range(200):
        units = fleet.add("lss-lrta", start=[(0, 0), (1, 1), (2, 2)], goal=[(7, 5), (6, 5), (5, 5)], lookahead=9)
        for _ in range(6):
            fleet.tick(expansions=60)
        fleet.remove(units)
        if i == 20:
            before = fleet.memory_bytes
    gc.collect()
    assert fleet.memory_bytes == before
    assert len(fleet) == 0


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fleet: fleet.add("rtaa", start=(-1, 0), goal=(0, 0)), "(-1, 0) is outside"),
        (lambda fleet: fleet.add("rtaa", start=(9, 9), goal=(0, 0)), "(9, 9) is outside"),
        (lambda fleet: fleet.add("rtaa", start=(1, 1), goal=[(0, 0)]), "both be one place"),
        (lambda fleet: fleet.add("rtaa", start=[(1, 1)], goal=[(0, 0), (2, 2)]), "1 starts do not match 2 goals"),
        (
            lambda fleet: fleet.add("rtaa", start=[(1, 1), (1, 1)], goal=[(0, 0), (2, 2)]),
            "two units would be at (1, 1)",
        ),
        (lambda fleet: fleet.add("rtaa", start=(0, 1), goal=(0, 0)), "unit 0 is at (0, 1)"),
        (lambda fleet: fleet.add("rtaa", start=np.zeros((3, 3), int), goal=np.zeros((3, 2), int)), "[n, 2]"),
        (lambda fleet: fleet.add("rtaa", start=np.zeros((3, 2)), goal=np.zeros((3, 2), int)), "of whole numbers"),
        (lambda fleet: fleet.add("rtaa", start=(2, 2), goal=(0, 0), colour=3), "no parameter 'colour'"),
        (lambda fleet: fleet.add("rtaa", start=(2, 2), goal=(0, 0), lookahead=[]), "must be numbers or strings"),
        (lambda fleet: fleet.add("nobody", start=(2, 2), goal=(0, 0)), "nobody"),
        (lambda fleet: fleet.add("tbaa", start=(2, 2), goal=(0, 0), fallback="nearest"), "fallback and memory_mb"),
        (lambda fleet: fleet.add("tbaa", start=(2, 2), goal=(0, 0), memory_mb=3), "fallback and memory_mb"),
        (lambda fleet: fleet.add("knn-lrta", start=(2, 2), goal=(0, 0), cases="nowhere.tbc"), "nowhere.tbc"),
        (lambda fleet: fleet.add("knn-lrta", start=(2, 2), goal=(0, 0), cases=7), "cases must be a CaseBase"),
        (lambda fleet: fleet.add("tba", start=(2, 2), goal=(0, 0), terrain="unknown"), "known"),
        (lambda fleet: fleet.add("rtaa", start=(2, 2), goal=(0, 0), terrain="partial"), "not partial"),
        (lambda fleet: fleet.add("rtaa", start=(2, 2), goal=(0, 0), terrain="fog"), "terrain"),
        (lambda fleet: fleet.remove(7), "no unit 7"),
        (lambda fleet: fleet.remove(-1), "whole number from 0"),
        (lambda fleet: fleet.remove("all"), "numbers that `add` gave"),
        (lambda fleet: fleet.retarget([0], [(1, 1), (2, 2)]), "1 units do not match 2 goals"),
        (lambda fleet: fleet.retarget(0, (99, 0)), "(99, 0) is outside"),
        (lambda fleet: fleet.tick(ms=1, expansions=1), "one budget at a time"),
        (lambda fleet: fleet.tick(expansions=0), "above 0"),
        (lambda fleet: fleet.tick(ms=math.nan), "above 0"),
        (lambda fleet: fleet.tick(virtual_ms=-1), "above 0"),
        (lambda fleet: fleet.tick(virtual_ms=1, ms=1), "one budget at a time"),
        (lambda fleet: fleet.bound(virtual_ms=1, expansions=1), "one budget at a time"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, message: str) -> None:
    fleet = tb.Fleet(WORLD, collisions="push")
    fleet.add("rtaa", start=(0, 1), goal=(7, 5), lookahead=9)
    before = fleet.positions.tolist(), fleet.status(), len(fleet)
    with pytest.raises(tb.TimeboundError, match=re.escape(message)) as error:
        call(fleet)
    assert "\n" not in str(error.value)
    assert (fleet.positions.tolist(), fleet.status(), len(fleet)) == before
    fleet.tick(expansions=100)


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"collisions": "bounce"}, "collisions"),
        ({"guidance": 3}, "guidance"),
        ({"guidance": (1, 2, 3)}, "guidance"),
        ({"guidance": (-1, 0)}, "guidance"),
        ({"on_arrival": 5}, "on_arrival"),
        ({"memory_mb": 0}, "memory_mb"),
        ({"threads": 0}, "threads"),
        ({"threads": 2, "guidance": True}, "one after the other"),
        ({"repair": True}, "use collisions='push', not 'none'"),
        ({"repair": 0, "collisions": "push"}, "repair is True, False, or a whole number"),
        ({"repair": "much", "collisions": "push"}, "repair is True, False, or a whole number"),
        ({"repair": 2.5, "collisions": "push"}, "repair is True, False, or a whole number"),
    ],
)
def test_bad_settings(options: dict, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        tb.Fleet(WORLD, **options)


@pytest.mark.uncompiled
def test_repair_needs_known_terrain() -> None:
    fleet = tb.Fleet(WORLD, collisions="push", repair=True)
    with pytest.raises(tb.ProblemError, match="known terrain"):
        fleet.add("rtaa", start=(0, 1), goal=(7, 5), terrain="unknown", lookahead=9)
    assert len(fleet) == 0


@pytest.mark.compiled
def test_repairs_keep_the_deadline() -> None:
    """Whatever the number of attempts; and the plan follows changes, also on graphs."""
    generator = np.random.default_rng(3)
    cells = generator.permutation(40 * 40)[:800]
    places = np.stack([cells % 40, cells // 40], axis=1)
    world = tb.Grid(np.ones((40, 40), bool))
    fleet = tb.Fleet(world, collisions="push", repair=1_000_000)
    units = fleet.add("rtaa", start=places[:400], goal=places[400:], lookahead=30)
    spent = []
    for _ in range(20):
        began = time.thread_time()  # a busy machine may take longer, by the clock on the wall
        fleet.tick(ms=5)
        spent.append(time.thread_time() - began)
    assert np.median(spent) < 0.01
    world.block([tuple(place) for place in places[:20].tolist()])
    fleet.remove(units[::7])
    free = fleet._state.occupied_now[20 * 40 + 20] == 0
    fleet.add("rtaa", start=(20, 20) if free else (39, 39), goal=(0, 0), lookahead=30)
    for _ in range(20):
        tick = fleet.tick(ms=5)
        assert len(np.unique(tick.positions[fleet.units])) == len(fleet)


@pytest.mark.uncompiled
def test_worlds_that_cannot_have_a_fleet() -> None:
    with pytest.raises(tb.ProblemError, match="grid or a graph"):
        tb.Fleet(tb.Tiles(3))


@pytest.mark.uncompiled
def test_the_contract_is_told() -> None:
    fleet = tb.Fleet(WORLD, collisions="push")
    fleet.add("rtaa", start=(0, 1), goal=(7, 5), lookahead=9)
    assert "rtaa (known terrain)" in fleet.describe()
    assert "no two swap places" in fleet.describe()
    assert fleet.bound(expansions=9) == 1
    assert repr(fleet).startswith("Fleet(1 units, collisions 'push'")
    repaired = tb.Fleet(WORLD, collisions="push", repair=7)
    repaired.add("rtaa", start=(0, 1), goal=(7, 5), lookahead=9)
    assert "up to 7 attempts" in repaired.describe()
    assert repaired.bound(expansions=9) == 1
    assert repaired.memory_bytes > fleet.memory_bytes


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"collisions": "wait"}, marks=pytest.mark.compiled),
        pytest.param({"collisions": "push", "repair": True}, marks=pytest.mark.uncompiled),
    ],
)
def test_a_graph_has_units_too(options: dict) -> None:
    graph = tb.Graph.from_edges([("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 9)])
    fleet = tb.Fleet(graph, **options)
    fleet.add("rtaa", start="a", goal="d", lookahead=3)
    for _ in range(10):
        fleet.tick(expansions=10)
    assert fleet.status() == ["arrived"]
