"""A crowd for a page: its records, the crowd with A* beside it, and changes while it runs."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from studio.settings import KINDS, asked_crowd

import timebound as tb
from timebound.applications.crowd import fleet_kinds, here
from timebound.core.errors import ProblemError
from timebound.fleet.units import MOVING, UNREACHABLE, WAITING
from timebound.studio.astar_crowd import AStarCrowd
from timebound.studio.crowd_frames import ASTAR_PLACED, FLEET_PLACED, HEADER, STAYED
from timebound.studio.crowd_show import CrowdShow
from timebound.studio.setting import crowd_setting_of
from timebound.worlds.grid import STEPS

FIELD = {"kind": "rows", "rows": ["." * 20] * 12}


def show(map_: dict[str, Any] | None = None, **changed: Any) -> CrowdShow:
    return CrowdShow(crowd_setting_of(asked_crowd(map_, **changed), KINDS))


class Page:
    """What a page knows, from the records alone."""

    def __init__(self, width: int):
        self.width = width
        self.cells = [np.empty(0, np.int64), np.empty(0, np.int64)]
        self.reasons = [np.empty(0, np.int64), np.empty(0, np.int64)]
        self.heads: list[Any] = []
        self.changes: list[tuple[list[int], list[int]]] = []

    def read(self, content: bytes) -> "Page":
        place = 0
        while place < len(content):
            head = np.frombuffer(content, HEADER, 1, place)[0]
            self._take(head, content, place + HEADER.itemsize)
            place += 4 * int(head["words"])
        assert place == len(content)
        return self

    def _take(self, head: Any, content: bytes, at: int) -> None:
        def column(kind: str, count: int) -> np.ndarray:
            nonlocal at
            found = np.frombuffer(content, kind, count, at)
            at += found.nbytes
            return found

        cells, units = int(head["cells"]), (int(head["units"]), int(head["astar_units"]))
        changed = column("<u4", cells)
        placed = [column("<u4", units[i] if head["flags"] & flag else 0) for i, flag in enumerate((1, 2))]
        codes = column("u1", cells)
        if cells:
            self.changes.append((changed.tolist(), codes.tolist()))
            return
        self.heads.append(head)
        for i in range(2):
            told = column("u1", units[i]).astype(np.int64)
            self.reasons[i] = told >> 5
            self.cells[i] = placed[i].astype(np.int64) if len(placed[i]) else self._moved(self.cells[i], told & 31)

    def _moved(self, cells: np.ndarray, moves: np.ndarray) -> np.ndarray:
        offsets = np.append(STEPS[:, 1] * self.width + STEPS[:, 0], 0)
        assert offsets[STAYED] == 0
        return cells[: len(moves)] + offsets[moves]


@pytest.mark.parametrize("collisions", ["none", "wait", "push"])
def test_records_tell_where_everybody_is(collisions: str) -> None:
    crowd = show(FIELD, collisions=collisions, astar=True)
    page = Page(20).read(crowd.advance(0))
    assert [head["tick"] for head in page.heads] == [0]
    assert page.heads[0]["flags"] == FLEET_PLACED | ASTAR_PLACED
    sizes = []
    for tick in range(1, 25):
        content = crowd.advance(tick)
        sizes.append(len(content))
        page.read(content)
        assert page.cells[0].tolist() == here(crowd.world, crowd.fleet).tolist()
        assert crowd.astar is not None
        assert page.cells[1].tolist() == crowd.astar.positions.tolist()
    assert set(sizes) == {HEADER.itemsize + 24}  # a byte for each unit of both crowds
    assert page.heads[-1]["arrived"] == crowd.arrived > 0
    assert page.heads[-1]["astar_arrived"] > 0
    assert all(head["us"] > 0 for head in page.heads[1:])


def test_both_crowds_have_the_same_goals() -> None:
    crowd = show(FIELD, astar=True)
    assert crowd.astar is not None
    units, turns = crowd.units, np.zeros(12, np.int64)
    goals = [crowd._destinations.of(units, turns + turn, np.full(12, -1)) for turn in range(3)]
    assert crowd.astar.goals.tolist() == goals[0].tolist()
    assert len({tuple(each) for each in goals}) == 3
    crowd.storm()
    assert crowd.astar.goals.tolist() == goals[1].tolist()
    assert crowd.astar.waiting == 12
    here = goals[1]  # who is there already is sent elsewhere
    assert np.all(crowd._destinations.of(units, turns + 1, here) != here)


def corridor(rows: list[str], start: int, goal: int) -> tuple[tb.Grid, AStarCrowd]:
    world = tb.Grid(np.array([[c == "." for c in row] for row in rows]))
    return world, AStarCrowd(world, np.array([start]), np.array([goal]))


def test_nobody_moves_before_everybody_has_planned() -> None:
    world = tb.Grid(np.ones((5, 9), bool))
    crowd = AStarCrowd(world, np.array([0, 9, 18]), np.array([8, 17, 26]))
    assert len(crowd.tick(0)) == 0  # no time at all
    assert (crowd.ended, crowd.waiting, crowd.positions.tolist()) == (False, 3, [0, 9, 18])
    crowd._plan(0)
    crowd.tick(0)
    assert (crowd.ended, crowd.waiting, crowd.planned, crowd.positions.tolist()) == (False, 2, 1, [0, 9, 18])
    spent = crowd.frame_us
    crowd.tick(60)
    assert (crowd.ended, crowd.planned, crowd.positions.tolist()) == (True, 3, [1, 10, 19])
    assert crowd.frame_us > spent > 0
    there = [crowd.tick(60).tolist() for _ in range(7)]
    assert there == [[]] * 6 + [[0, 1, 2]]
    assert crowd.frame_us == 0  # a frame in which nobody planned


def test_only_those_plan_again_whose_way_is_cut() -> None:
    world = tb.Grid(np.ones((6, 9), bool))
    crowd = AStarCrowd(world, np.array([0, 45]), np.array([8, 53]))
    crowd.tick(60)
    world.block([(4, y) for y in range(3)])
    crowd.hear(freer=False)
    assert crowd.reasons.tolist() == [WAITING, MOVING]
    while not len(crowd.tick(60)):
        assert np.all(world.passable.ravel()[crowd.positions])
    assert crowd.positions[1] == 53


def test_no_way_until_a_door_opens() -> None:
    world, crowd = corridor(["....."], 0, 4)
    crowd.tick(60)
    world.block([(2, 0)])
    crowd.hear(freer=False)
    crowd.tick(60)
    assert crowd.reasons.tolist() == [UNREACHABLE]
    assert crowd.positions.tolist() == [1]
    crowd.hear(freer=False)
    assert crowd.waiting == 0
    world.unblock([(2, 0)])
    crowd.hear(freer=True)
    for _ in range(3):
        crowd.tick(60)
    assert crowd.positions.tolist() == [4]


def test_a_unit_in_a_wall_leaves_it() -> None:
    world, crowd = corridor([".....", "....."], 0, 4)
    crowd.tick(60)
    world.block([world.place(int(crowd.positions[0]))])
    crowd.hear(freer=False)
    crowd.retarget(np.array([0]), np.array([4]))
    crowd.tick(60)
    assert world.passable.ravel()[crowd.positions[0]]
    while not len(crowd.tick(60)):
        assert world.passable.ravel()[crowd.positions[0]]
    world, crowd = corridor([".@."], 0, 2)
    world.block([(0, 0)])
    crowd.tick(60)
    assert crowd.reasons.tolist() == [UNREACHABLE]


def test_a_goal_under_a_wall() -> None:
    world, crowd = corridor(["....."], 1, 1)
    world.block([(1, 0)])  # and the unit itself
    crowd.goals[0] = 3
    world.block([(3, 0)])
    for _ in range(2):
        crowd.tick(60)
    assert crowd.positions.tolist() == [2]  # it has left, and goes no further
    assert crowd.reasons.tolist() == [UNREACHABLE]


def test_a_wall_on_a_unit_that_has_no_path() -> None:
    world, crowd = corridor(["....."], 1, 3)
    world.block([(3, 0)])
    crowd.tick(60)
    assert crowd.reasons.tolist() == [UNREACHABLE]
    world.block([(1, 0)])
    crowd.hear(freer=False)
    crowd.tick(60)
    assert crowd.positions.tolist() == [2]


def test_paths_are_kept_in_little_memory() -> None:
    crowd = show(FIELD, astar=True)
    crowd.advance(400)
    assert crowd.astar is not None
    assert crowd.astar.arrived > 200  # 200 paths and more have been planned, of ten cells or so
    assert len(crowd.astar._cells) <= 1024


def test_walls_on_a_crowd() -> None:
    crowd = show(FIELD, astar=True)
    page = Page(20).read(crowd.advance(3))
    wall = [y * 20 + 10 for y in range(1, 12)]
    crowd.change({"@": [number for cell in wall for number in (cell, 1)]})
    page.read(crowd.advance(3))
    assert page.changes == [(wall, [ord("@")] * 11)]
    page.read(crowd.advance(40))
    blocked = ~crowd.world.passable.ravel()
    assert blocked.sum() == 11
    assert not blocked[page.cells[0]].any()  # all have left it
    assert not blocked[page.cells[1]].any()
    before = crowd.arrived
    crowd.change({".": [wall[4], 1], "m": [5, 3]})
    page.read(crowd.advance(80))
    assert [codes for _, codes in page.changes[1:]] == [[ord(".")], [ord("m")] * 3]
    assert crowd.arrived > before


def test_a_crowd_under_walls_altogether() -> None:
    crowd = show({"kind": "rows", "rows": ["....", "...."]}, units=3, astar=True)
    crowd.change({"@": [0, 8]})
    for refused in (crowd.storm, lambda: (crowd.compare(False), crowd.compare(True))):
        with pytest.raises(ProblemError, match="open a door"):
            refused()
    crowd.advance(5)
    crowd.change({".": [0, 8]})
    crowd.storm()
    crowd.compare(True)
    crowd.advance(30)
    assert crowd.arrived > 0
    assert crowd.astar is not None
    assert crowd.astar.arrived > 0


def test_tuning() -> None:
    crowd = show(FIELD)
    page = Page(20).read(crowd.advance(5))
    assert page.heads[-1]["astar_units"] == 0
    crowd.tune(ms=0.5, astar=True)
    page.read(crowd.advance(6))
    assert (page.heads[-1]["astar_units"], page.heads[-1]["flags"]) == (12, ASTAR_PLACED)
    assert crowd.ms == 0.5
    crowd.tune(ms=None, astar=False)
    page.read(crowd.advance(7))
    assert page.heads[-1]["astar_units"] == 0
    for bad in (
        {"ms": 0, "astar": None},
        {"ms": "2", "astar": None},
        {"ms": 1e9, "astar": None},
        {"ms": None, "astar": 1},
    ):
        with pytest.raises(ProblemError):
            crowd.tune(**bad)


def test_a_crowd_takes_its_memory_with_it() -> None:
    gc.disable()
    try:
        crowd = show(FIELD, astar=True)
        crowd.advance(3)
        fleet = weakref.ref(crowd.fleet)
        del crowd
        assert fleet() is None  # at once, and not when somebody looks for circles
    finally:
        gc.enable()


REFUSED = {
    "nothing": ({"crowd": None}, "object"),
    "a list": ({"crowd": []}, "object"),
    "no unit": ({"units": 0}, "units"),
    "too many units": ({"units": 10_001}, "10,000"),
    "half a unit": ({"units": 1.5}, "units"),
    "an agent by an import path": ({"agent": {"name": "os:system"}}, "in this studio"),
    "no agent": ({"agent": None}, "in this studio"),
    "an agent that keeps its search": ({"agent": {"name": "tbaa"}}, "fleet"),
    "a parameter of another agent": ({"agent": {"name": "lrta", "parameters": {"lookahead": 3}}}, "no parameter"),
    "another way to collide": ({"collisions": "explode"}, "collisions"),
    "guidance in words": ({"guidance": "yes"}, "guidance"),
    "no budget": ({"ms": None}, "100 ms"),
    "a long budget": ({"ms": 1e6}, "100 ms"),
    "a budget below 0": ({"ms": -1}, "100 ms"),
    "a budget that is no number": ({"ms": float("nan")}, "100 ms"),
    "A* in words": ({"astar": "yes"}, "astar"),
    "no room": ({"units": 60, "collisions": "push"}, "do not fit"),
    "a map without a free cell": ({"map": {"kind": "rows", "rows": ["@@"]}}, "free"),
    "a map of one cell": ({"map": {"kind": "rows", "rows": [".@."]}}, "do not fit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    changed, word = REFUSED[name]
    setting = asked_crowd(**{key: value for key, value in changed.items() if key not in ("map", "crowd")})
    setting.update({key: value for key, value in changed.items() if key in ("map", "crowd")})
    with pytest.raises(tb.TimeboundError, match=word):
        CrowdShow(crowd_setting_of(setting, KINDS))


def test_mud_and_guidance() -> None:
    """Guidance adds to travel costs."""
    crowd = show(FIELD, guidance=True)
    crowd.change({"m": [0, 1]})
    crowd.change({"@": [0, 1]})
    crowd.advance(3)
    assert crowd.fleet.units.tolist() == [*range(len(crowd.units))]


def test_the_last_cell_becomes_a_wall_while_somebody_has_arrived_there() -> None:
    crowd = show({"kind": "rows", "rows": ["...."]}, units=3, astar=True)
    assert crowd.astar
    last = int(crowd.astar.positions[0])
    crowd.change({"@": [run for cell in range(4) if cell != last for run in (cell, 1)]})
    crowd.storm()
    crowd.advance(5)
    crowd.change({"@": [last, 1]})
    crowd.advance(10)
    crowd.change({".": [0, 4]})
    crowd.advance(15)


def test_kinds_that_can_be_in_a_fleet() -> None:
    names = {kind.name for kind in fleet_kinds(KINDS.values())}
    assert {"rtaa", "lrta", "lss-lrta"} <= names
    assert not {"astar", "tbaa", "dstar-lite"} & names
    for name in names:
        show(FIELD, agent={"name": name}, units=3).advance(3)
