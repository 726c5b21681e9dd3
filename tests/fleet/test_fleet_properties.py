"""What holds for every fleet, whatever happens to it. `make test` runs it with the compiler off."""

import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from shares import share_of

import timebound as tb
from timebound.fleet.units import REASONS

pytestmark = pytest.mark.uncompiled

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("rtaa", {"lookahead": 5}),
    ("rtaa", {}),
    ("lss-lrta", {"lookahead": 4}),
    ("lss-lrtwa", {"lookahead": 6}),
    ("wlss-lrta", {"lookahead": 3}),
    ("da-rtaa", {"lookahead": 7}),
    ("a-rtaa", {"lookahead": 2}),
    ("lrta", {}),
    ("lrta", {"depth": 2}),
    ("plrta", {"queue": 5}),
    ("rtaa", {"lookahead": 4, "learning": "lazy"}),
    ("rtaa", {"learning": "none"}),
    ("astar", {}),
    ("wastar", {"movements": 2}),
    ("gbfs", {}),
    ("late-astar", {}),
    ("repeated-astar", {"direction": "backward"}),
    ("adaptive-astar", {}),
    ("gaa", {}),
    ("mpaa", {}),
    ("mpgaa", {}),
    ("dstar-lite", {}),
    ("fra", {}),
    ("tba", {}),
    ("tba", {"shortcut": True, "trace_ratio": None}),
    ("rtba", {}),
    ("tbaa", {}),
    ("tb-wastar", {}),
    ("tb-gbfs", {}),
    ("tbr-wastar", {}),
    ("knn-lrta", {"records": 20}),
    ("d-lrta", {"level": 1}),
    ("d-lrta", {"level": 1, "dynamic_depth": True}),
    ("pr-lrta", {"level": 1}),
]
KNOWN = {kind.name for kind in tb.catalogue() if kind.terrain == ("known",)}


def random_grid(seed: int, blocked: float = 0.25) -> tuple[tb.Grid, list[tuple[int, int]]]:
    generator = np.random.default_rng([19, seed])
    passable = generator.random((8, 10)) >= blocked
    cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
    generator.shuffle(cells)
    return tb.Grid(passable, neighbors=(4, 8)[seed % 2]), [tuple(cell) for cell in cells]


@pytest.mark.parametrize("terrain", ["known", "unknown"])
@pytest.mark.parametrize(("name", "parameters"), KINDS, ids=[f"{name} {given}" for name, given in KINDS])
def test_a_fleet_of_one_is_the_single_agent(name: str, parameters: dict[str, Any], terrain: str) -> None:
    if terrain == "unknown" and name in KNOWN:
        pytest.skip("a kind for known terrain")
    for seed in range(share_of(8, 4)):
        world, (start, goal, *_) = random_grid(seed)
        budget = 1 + seed % 9 if "lookahead" not in parameters else 12
        agent = tb.make(name, world, start, goal, terrain=terrain, **parameters)
        episode = agent.run(expansions=budget, intervals=200)
        fleet = tb.Fleet(world)
        fleet.add(name, start=start, goal=goal, terrain=terrain, **parameters)
        path = [start]
        for _ in range(200):
            fleet.tick(expansions=budget)
            place = tuple(fleet.positions[0].tolist())
            if place != path[-1]:
                path.append(place)
            if fleet.done:
                break
        assert path == list(episode.path)
        (row,) = fleet.records()
        assert (row.moves, row.expansions, row.searches) == (episode.moves, episode.expansions, episode.searches)
        ends = {"goal": "arrived", "unreachable": "unreachable", "stuck": "stuck"}
        assert fleet.status()[0] == ends.get(episode.stop, fleet.status()[0])
        assert row.cost == pytest.approx(episode.cost, rel=1e-6)


def reachable(world: tb.Grid, start: tuple[int, int], goal: tuple[int, int]) -> bool:
    return bool(tb.shortest_path(world, start, goal).solved)


class Play:
    """A fleet that things happen to, and what must be true of it after each tick."""

    def __init__(self, seed: int, collisions: str, terrain: str):
        self.world, self.cells = random_grid(seed, 0.15)
        self.fleet = tb.Fleet(self.world, collisions=collisions)
        self.collisions, self.terrain = collisions, terrain
        self.generator = np.random.default_rng(seed)
        self.goals: dict[int, tuple[int, int]] = {}
        self.goals_given: list[tuple[int, int]] = []

    def free_cells(self) -> list[tuple[int, int]]:
        taken = {tuple(place) for place in self.fleet.positions.tolist()} if self.collisions != "none" else set()
        return [(x, y) for y, x in np.argwhere(self.world.passable).tolist() if (x, y) not in taken]

    def pick(self, among: list[Any]) -> Any:
        return among[int(self.generator.integers(len(among)))]

    def add(self) -> None:
        if self.free_cells() and len(self.fleet) < 12:
            name, parameters = self.pick([kind for kind in KINDS if self.terrain == "known" or kind[0] not in KNOWN])
            start, goal = self.pick(self.free_cells()), self.pick(self.cells_now())
            group = self.pick([None, "a", "b"]) if self.terrain == "known" else None
            others = [place for place in self.goals.values() if self.world.passable[place[1], place[0]]]
            goal = self.pick([goal, *others]) if group else goal
            unit = self.fleet.add(name, start=start, goal=goal, terrain=self.terrain, group=group, **parameters)
            self.goals[unit] = goal
            self.goals_given.append(goal)

    def cells_now(self) -> list[tuple[int, int]]:
        return [(x, y) for y, x in np.argwhere(self.world.passable).tolist()]

    def remove(self) -> None:
        if self.goals:
            unit = self.pick(list(self.goals))
            self.fleet.remove(unit)
            del self.goals[unit]

    def retarget(self) -> None:
        if self.goals:
            unit, goal = self.pick(list(self.goals)), self.pick(self.cells_now())
            others = [place for place in self.goals.values() if self.world.passable[place[1], place[0]]]
            goal = self.pick([goal, *others])
            self.fleet.retarget(unit, goal)
            self.goals[unit] = goal
            self.goals_given.append(goal)

    def block(self) -> None:
        self.world.block([self.pick(self.cells_now())])

    def unblock(self) -> None:
        walls = [(x, y) for y, x in np.argwhere(~self.world.passable).tolist()]
        if walls:
            self.world.unblock([self.pick(walls)])

    def tick(self) -> None:
        before = self.places()
        self.fleet.tick(expansions=int(self.generator.integers(1, 40)))
        after = self.places()
        assert before.keys() == after.keys()
        for unit, place in after.items():
            x, y = place
            moved = max(abs(x - before[unit][0]), abs(y - before[unit][1]))
            assert moved <= 1
            leaves = not self.world.passable[before[unit][1], before[unit][0]]
            assert moved == 0 or self.world.passable[y, x] or leaves  # it may be under a wall, and not enter one
        if self.collisions != "none":
            assert len(set(after.values())) == len(after)
            swaps = [
                (one, other)
                for one in after
                for other in after
                if one < other and after[one] == before[other] != before[one] == after[other]
            ]
            assert not swaps
        self.check_reasons(after)

    def places(self) -> dict[int, tuple[int, int]]:
        return dict(zip(self.fleet.units.tolist(), map(tuple, self.fleet.positions.tolist()), strict=True))

    def may_settle(self, unit: int) -> bool:
        """Has another unit the same goal, or had it when this one settled beside it?"""
        return self.fleet.collisions != "none" and self.goals_given.count(self.goals[unit]) > 1

    def check_reasons(self, places: dict[int, tuple[int, int]]) -> None:
        for unit, place in places.items():
            (reason,) = self.fleet.status(unit)
            assert reason in REASONS
            assert reason == "arrived" if place == self.goals[unit] else reason != "arrived" or self.may_settle(unit)
            if reason == "unreachable" and self.world.passable[place[1], place[0]]:
                assert not self.world.passable[self.goals[unit][1], self.goals[unit][0]] or not reachable(
                    self.world, place, self.goals[unit]
                )


@pytest.mark.parametrize("terrain", ["known", "unknown"])
@pytest.mark.parametrize("collisions", ["none", "wait", "push"])
@given(seed=st.integers(0, 10**6), events=st.lists(st.sampled_from("aaarmgbutttt"), min_size=5, max_size=40))
@settings(max_examples=25)
def test_whatever_happens(collisions: str, terrain: str, seed: int, events: list[str]) -> None:
    play = Play(seed, collisions, terrain)
    happenings = {"a": play.add, "r": play.remove, "m": play.retarget, "g": play.retarget, "b": play.block}
    happenings |= {"u": play.unblock, "t": play.tick}
    for event in events:
        happenings[event]()
    for _ in range(5):
        play.tick()


@given(units=st.integers(1, 30), lookahead=st.integers(1, 9), turns=st.integers(1, 6))
@settings(max_examples=15)
def test_nobody_waits_longer_than_the_bound(units: int, lookahead: int, turns: int) -> None:
    world = tb.Grid(np.ones((12, 12), bool))
    generator = np.random.default_rng(units)
    cells = generator.permutation(144)[: 2 * units].reshape(2, units)
    starts, goals = (np.stack([row % 12, row // 12], axis=1) for row in cells)
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=starts, goal=goals, lookahead=lookahead)
    for _ in range(30):
        tick = fleet.tick(expansions=turns * lookahead)
        assert tick.served >= min(turns, tick.served + tick.waiting)
    assert max(record.longest_wait for record in fleet.records()) <= math.ceil(units / turns)
    assert fleet.bound(expansions=turns * lookahead) == math.ceil(units / turns)


def test_a_crowd_arrives_by_pushing() -> None:
    """In a corridor with one bay, units that wait for each other never pass; those that push do."""
    rows = ["#########", "#...#...#", "#.......#", "#########"]
    world = tb.Grid(np.array([[cell == "." for cell in row] for row in rows]), neighbors=4)
    ends = {}
    for collisions in ("wait", "push"):
        fleet = tb.Fleet(world, collisions=collisions)
        fleet.add("lss-lrta", start=[(1, 2), (7, 2)], goal=[(7, 2), (1, 2)], lookahead=20)
        for _ in range(60):
            fleet.tick(expansions=100)
        ends[collisions] = fleet.status()
    assert ends["push"] == ["arrived", "arrived"]
    assert "arrived" not in ends["wait"] or ends["wait"].count("arrived") < 2


@pytest.mark.parametrize("neighbors", [4, 8])
@given(seed=st.integers(0, 10**6), events=st.lists(st.sampled_from("aaarmbuttttt"), min_size=5, max_size=40))
@settings(max_examples=20)
def test_what_is_declared_is_what_lies_ahead(neighbors: int, seed: int, events: list[str]) -> None:
    play = Play(seed, "push", "known")
    play.world = tb.Grid(play.world.passable, neighbors=neighbors)
    fleet = play.fleet = tb.Fleet(play.world, collisions="push", guidance=True)
    happenings = {"a": play.add, "r": play.remove, "m": play.retarget, "b": play.block, "u": play.unblock}
    for event in events:
        (happenings | {"t": play.tick})[event]()
    play.tick()
    ahead = sum(len(fleet.path(unit)) - 1 for unit in fleet.units if fleet.path(unit))
    assert fleet._state.traffic.through.sum() == fleet._state.traffic.along.sum() == ahead
    assert fleet._state.traffic.through.min() >= 0
    assert fleet._state.traffic.along.min() >= 0


def test_units_go_around_a_crowd() -> None:
    """Two ways of the same length: without guidance all take one of them, with it they share both."""
    rows = [".......", ".#####.", "......."]
    world = tb.Grid(np.array([[cell == "." for cell in row] for row in rows]), neighbors=4)
    taken = {}
    for guidance in (False, True):
        fleet = tb.Fleet(world, guidance=guidance)
        fleet.add("lss-lrta", start=[(0, 1)] * 10, goal=[(6, 1)] * 10, lookahead=100)
        fleet.tick(expansions=math.inf)
        taken[guidance] = {fleet.path(unit)[1] for unit in fleet.units}
    assert (len(taken[False]), len(taken[True])) == (1, 2)


@given(counts=st.tuples(*[st.integers(1, 12)] * 3), turns=st.integers(1, 4))
@settings(max_examples=10)
def test_no_kind_is_served_before_others(counts: tuple[int, ...], turns: int) -> None:
    """Whatever kinds there are, and however much their searches take."""
    world = tb.Grid(np.ones((12, 12), bool))
    generator, fleet = np.random.default_rng(counts[0]), tb.Fleet(world)
    for (name, parameters), count in zip(KINDS[2:5], counts, strict=True):
        cells = generator.permutation(144)[: 2 * count].reshape(2, count)
        starts, goals = (np.stack([row % 12, row // 12], axis=1) for row in cells)
        fleet.add(name, start=starts, goal=goals, **parameters)
    for _ in range(30):
        fleet.tick(expansions=6 * turns)  # 6 is the largest lookahead of these
    assert max(record.longest_wait for record in fleet.records()) <= fleet.bound(expansions=6 * turns)
    assert fleet.bound(expansions=6 * turns) == math.ceil(sum(counts) / turns)


def test_an_agent_that_learns_nothing_may_be_stuck() -> None:
    rows = ["........", ".######.", "......#.", "......#.", ".######.", "........"]
    world = tb.Grid(np.array([[cell == "." for cell in row] for row in rows]))
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=(3, 2), goal=(7, 3), learning="none", lookahead=2)
    for _ in range(100):
        fleet.tick(expansions=20)
    assert fleet.status() == ["stuck"]
    assert tb.make("rtaa", world, (3, 2), (7, 3), learning="none", lookahead=2).run(expansions=20).stop == "stuck"
    world.unblock([(6, 2), (6, 3)])
    for _ in range(30):
        fleet.tick(expansions=20)
    assert fleet.status() == ["arrived"]


def test_streets_of_a_graph_are_closed_and_opened_again() -> None:
    """In the middle of a search."""
    generator = np.random.default_rng(4)
    edges = [(i, int(j), 1 + float(generator.random())) for i in range(60) for j in generator.choice(60, 3)]
    graph = tb.Graph.from_edges([edge for edge in edges if edge[0] != edge[1]])
    fleet = tb.Fleet(graph)
    fleet.add("dstar-lite", start=list(range(20)), goal=list(range(40, 60)), group="a")
    fleet.add("adaptive-astar", start=list(range(20)), goal=[59] * 20, group="a")
    closed = [(edge[0], edge[1]) for edge in edges[:60] if edge[0] != edge[1]]
    for number in range(100):
        if number in (1, 4):
            (graph.block if number == 1 else graph.unblock)(closed)
        fleet.tick(expansions=60)
    expected = [tb.shortest_path(graph, *pair).solved for pair in zip(range(20), range(40, 60), strict=True)]
    assert fleet.status()[:20] == ["arrived" if solved else "unreachable" for solved in expected]
    assert "arrived" in fleet.status()[20:]
