"""Bodies: places where they fit follow every change of the map, and every agent walks only there."""

import math
import pickle
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import AGENTS
from hypothesis import given, settings

import timebound as tb

Size = Any
SIZES: list[Size] = [1, 2, 3, tb.Disc(0.7), tb.Disc(1.2)]
MOBILITIES = {"land": {0: 1, 1: 3, 3: 1}, "boat": {2: 1, 0: 2}, "bird": {0: 1, 1: 1, 2: 1, 3: 1}}


class PlainMap:
    """The same map as lists, and what a body meets by its definition."""

    def __init__(self, ground: np.ndarray):
        self.height, self.width = ground.shape
        self.ground, self.travel = ground.tolist(), np.ones(ground.shape).tolist()
        self.walls: set[tuple[int, int]] = set()

    def below(self, size: Size, x: int, y: int) -> list[tuple[int, int]]:
        if isinstance(size, int):
            return [(x + i, y + j) for i in range(size) for j in range(size)]
        every = [(i, j) for i in range(x - 5, x + 6) for j in range(y - 5, y + 6)]
        return [cell for cell in every if cell == (x, y) or gap(cell, (x, y)) < size.radius]

    def cost(self, mobility: str, size: Size, x: int, y: int) -> float:
        """What it costs to be there; 0 if the body does not fit."""
        costs = []
        for i, j in self.below(size, x, y):
            if not (0 <= i < self.width and 0 <= j < self.height) or (i, j) in self.walls:
                return 0
            if self.ground[j][i] not in MOBILITIES[mobility]:
                return 0
            costs.append(MOBILITIES[mobility][self.ground[j][i]] * self.travel[j][i])
        return max(costs)


def gap(cell: tuple[int, int], centre: tuple[int, int]) -> float:
    """From the centre of one cell to the nearest point of another."""
    return math.hypot(*(max(0, abs(a - b) - 0.5) for a, b in zip(cell, centre, strict=True)))


cells = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=4)
changes = st.lists(st.tuples(st.sampled_from(["block", "unblock", "set_cost", "set_ground"]), cells, st.integers(0, 3)))


@settings(max_examples=2000)
@given(st.integers(0, 2**31), changes, st.sampled_from(sorted(MOBILITIES)), st.sampled_from(SIZES))
@pytest.mark.uncompiled
def test_a_body_fits_where_its_definition_says(seed: int, sequence: Any, mobility: str, size: Size) -> None:
    ground = np.random.default_rng(seed).integers(0, 4, (5, 7))
    world, plain = tb.Grid(ground, mobilities=MOBILITIES), PlainMap(ground)
    body = world.for_body(mobility, size)
    for what, where, value in sequence:
        if what == "block":
            world.block(where)
            plain.walls |= set(where)
        elif what == "unblock":
            world.unblock(where)
            plain.walls -= set(where)
        else:
            getattr(world, what)(where, value + (what == "set_cost"))
            for x, y in where:
                (plain.travel if what == "set_cost" else plain.ground)[y][x] = value + (what == "set_cost")
    costs = np.array([[plain.cost(mobility, size, x, y) for x in range(7)] for y in range(5)])
    assert (body.passable == (costs > 0)).all()
    travel = np.ones((5, 7)) if body.travel is None else body.travel
    assert (travel[costs > 0] == costs[costs > 0]).all()
    again = tb.Grid(costs > 0, travel=np.maximum(costs, 1))
    assert (body.moves == again.moves).all()
    anybody = [[any(plain.cost(name, 1, x, y) for name in MOBILITIES) for x in range(7)] for y in range(5)]
    assert (world.passable == anybody).all()


@pytest.mark.parametrize("size", [2, 3, tb.Disc(1.2)])
@pytest.mark.parametrize("rules", [{"neighbors": 4}, {"corners": "cut"}, {"neighbors": 16}, {"diagonal": 1.4}])
@pytest.mark.uncompiled
def test_paths_are_those_of_the_eroded_map(size: Size, rules: Any) -> None:
    generator, found = np.random.default_rng(3), 0
    for _ in range(20):
        world = tb.Grid(generator.random((12, 16)) < 0.93, **rules)
        body = world.for_body(size=size)
        eroded = tb.Grid(body.passable, **rules)
        free = np.argwhere(body.passable)[:, ::-1].tolist()
        if len(free) < 2:
            continue
        start, goal = free[0], free[-1]
        assert tb.shortest_path(world, start, goal, size=size).cost == tb.shortest_path(eroded, start, goal).cost
        found += tb.shortest_path(world, start, goal, size=size).solved
        paths = body.prepare() if rules.get("neighbors", 8) < 16 and "diagonal" not in rules else None
        if paths is not None:
            assert tb.shortest_path(world, start, goal, size=size).cost == tb.shortest_path(eroded, start, goal).cost
    assert found > 3


@pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS)
@pytest.mark.uncompiled
def test_every_agent_has_a_body(name: str, terrain: str, parameters: Any) -> None:
    world = tb.Grid(np.random.default_rng(8).random((20, 20)) < 0.97)
    world.unblock([(x, y) for x in (0, 1, 18, 19) for y in (0, 1, 18, 19)])
    agent = tb.make(name, world, (0, 0), (18, 18), size=2, terrain=terrain, seed=2, **parameters)
    path = agent.run(expansions=20, intervals=3000).path
    assert agent.stop == "goal"
    assert all(agent.truth.passable[y, x] for x, y in path)  # type: ignore[attr-defined]
    assert all(world.passable[y : y + 2, x : x + 2].all() for x, y in path)


@pytest.mark.parametrize("name", ["tbaa", "dstar-lite", "rtaa", "repeated-astar"])
@pytest.mark.parametrize("size", [2, tb.Disc(0.9)])
@pytest.mark.uncompiled
def test_reports_are_about_cells_of_the_map(name: str, size: Size) -> None:
    """An agent that is told of the cells around it goes where its body fits, and to the goal if that is possible."""
    for seed in range(6):
        truth = tb.Grid(np.random.default_rng(seed).random((14, 14)) < 0.96)
        body = truth.for_body(size=size)
        free = np.argwhere(body.passable)[:, ::-1].tolist()
        start, goal = free[0], free[-1]
        agent = tb.make(name, tb.Grid(np.ones((14, 14), bool)), start, goal, size=size, terrain="unknown")
        for _ in range(2000):
            x, y = agent.position
            seen = [(i, j) for i in range(max(0, x - 2), min(14, x + 4)) for j in range(max(0, y - 2), min(14, y + 4))]
            free = [cell for cell in seen if truth.passable[cell[::-1]]]
            agent.observe(free=free, blocked=[cell for cell in seen if cell not in free])
            x, y = agent.plan(expansions=50)
            assert body.passable[y, x]
            agent.moved((x, y))
            if agent.done:
                break
        assert (agent.stop == "goal") == tb.shortest_path(truth, start, goal, size=size).solved


def test_a_body_with_reports_in_compiled_code() -> None:
    world = tb.Grid(np.ones((6, 9), bool))
    agent = tb.make("dstar-lite", world, (0, 1), (7, 1), size=2, terrain="unknown")
    agent.observe(blocked=[(4, y) for y in range(4)], costs={(1, 4): 5})
    while not agent.done:
        agent.moved(agent.plan())
    places = {(x + i, y + j) for x, y in agent.episode().path for i in (0, 1) for j in (0, 1)}
    assert agent.stop == "goal"
    assert not places & {(4, y) for y in range(4)}
    agent.observe(free=[(4, y) for y in range(4)])
    agent.retarget((0, 1))
    assert agent.run().solved


def test_a_wall_beside_a_body() -> None:
    """It may leave, but not come back."""
    world = tb.Grid(np.ones((4, 8), bool))
    agent = tb.make("dstar-lite", world, (2, 1), (6, 1), size=2)
    agent.step()
    world.block([(3, 2)])
    while not agent.done:
        agent.step()
    assert agent.stop == "goal"
    agent.retarget((1, 0))
    assert agent.run().solved
    with pytest.raises(tb.ProblemError, match=r"a body of size 2 does not fit at \(2, 1\)"):
        agent.retarget((2, 1))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"size": 0}, "the size of a body is a number of cells from 1, or a tb.Disc, not 0"),
        ({"size": 2.5}, "not 2.5"),
        ({"size": 4}, "a body of size 4 is larger than the map, which is 5 x 3"),
        ({"size": True}, "not True"),
        ({"mobility": "hover"}, "this map has no mobilities, not 'hover'"),
    ],
)
def test_bad_bodies(what: Any, message: str) -> None:
    world = tb.Grid(np.ones((3, 5), bool))
    for call in (lambda: tb.make("astar", world, (0, 0), (1, 0), **what), lambda: world.for_body(**what)):
        with pytest.raises(tb.ProblemError, match=message):
            call()


@pytest.mark.parametrize(
    ("ground", "mobilities", "message"),
    [
        ([[0, 1]], {"land": {0: 0.5}}, "the cost of ground 0 for 'land' is a number from 1 to a million, not 0.5"),
        ([[0, 1]], {"land": {300: 1}}, "a kind of ground is a whole number from 0 to 255, or a letter, not 300"),
        ([[0, 1]], {}, "mobilities are a dictionary"),
        ([[0, 1]], {"land": 3}, "mobility 'land' is a dictionary"),
        ([[0, -1]], {"land": {0: 1}}, "ground is an array"),
        ([0, 1], {"land": {0: 1}}, "ground is an array"),
    ],
)
def test_bad_ground(ground: Any, mobilities: Any, message: str) -> None:
    with pytest.raises(tb.WorldError, match=message):
        tb.Grid(ground, mobilities=mobilities)


def test_mobilities_must_be_named() -> None:
    world = tb.Grid([[0, 1, 2]], mobilities={"land": {0: 1}, "boat": {1: 1}})
    with pytest.raises(tb.ProblemError, match="this map's mobilities are 'land', 'boat', not None"):
        tb.make("astar", world, (0, 0), (1, 0))
    with pytest.raises(tb.ProblemError, match=r"'land' body of size 1 does not fit at \(1, 0\), for example"):
        tb.make("astar", world, (0, 0), (1, 0), mobility="land")
    with pytest.raises(tb.ProblemError, match="has no kinds of ground"):
        tb.Grid([[1, 1]]).set_ground([(0, 0)], 1)
    with pytest.raises(tb.ProblemError, match="mobility and size are for grids, not for a Tiles"):
        tb.make("astar", tb.Tiles(2), (1, 0, 2, 3), (0, 1, 2, 3), size=2)
    with pytest.raises(tb.ProblemError, match="this grid is a map as a body meets it; change that one"):
        world.for_body("land").block([(0, 0)])


def test_a_change_that_would_be_too_expensive_changes_nothing() -> None:
    world = tb.Grid([[0, 0]], mobilities={"land": {0: 1000}})
    body = world.for_body("land")
    with pytest.raises(tb.WorldError, match="exceeds a million"):
        world.set_cost([(0, 0)], 5000)
    assert world.travel is None
    assert (body.travel == 1000).all()


def test_copies() -> None:
    world = tb.Grid([[0, 0, 1]], mobilities={"land": {0: 1}, "boat": {1: 2}})
    body = world.for_body("land")
    copied = pickle.loads(pickle.dumps(body))
    copied.whole.block([(0, 0)])
    assert copied.passable.tolist() == [[False, True, False]]
    assert body.passable.tolist() == [[True, True, False]]


def test_letters_are_kinds_of_ground() -> None:
    world = tb.Grid(np.array([list(b".WW"), list(b"..T")], np.uint8), mobilities={"land": {".": 1}, "boat": {"W": 2}})
    assert world.for_body("boat").passable.tolist() == [[False, True, True], [False, False, False]]


def test_a_change_during_a_run_changes_nothing() -> None:
    world = tb.Grid([[0, 0, 1]], mobilities={"land": {0: 1, 1: 2}})
    body = world.for_body("land")
    for change in (lambda: world.block([(0, 0)]), lambda: world.set_ground([(1, 0)], 7)):
        with world.changes.gate.work(), pytest.raises(tb.ProblemError, match="cannot change during a search"):
            change()
    world.unblock([(2, 0)])
    assert body.passable.all()
    assert world.ground is not None
    assert not world.ground.walled.any()
    assert world.ground.kinds.tolist() == [[0, 0, 1]]
