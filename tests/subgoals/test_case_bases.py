"""Climbs, compression, the kd-tree, and what a case base must satisfy."""

from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import naive_cases
import numpy as np
import pytest
from agent_worlds import Problem, grid, problems
from hypothesis import given, settings
from naive_agents import Belief

import timebound as tb
from timebound.compiled import borrow, compiled
from timebound.compiled.clock import NEVER
from timebound.core.errors import CaseError
from timebound.subgoals import kd_tree
from timebound.subgoals.cases import CaseBase
from timebound.subgoals.hill_climbing import NO_WAY, climb, compress

EVERYWHERE = problems(side=14, neighbors=(4, 8), heuristics=("auto", "none", "euclidean"))


def belief_of(world: tb.Grid) -> Belief:
    return Belief(world, world.passable.copy(), world.passable)


def ends(problem: Problem) -> tuple[int, int]:
    return problem.world.state(problem.start), problem.world.state(problem.goal)


@compiled
def climbs(world: Any, start: int, target: int, cap: int) -> tuple[int, int]:
    return climb(borrow(world), start, target, cap)


@compiled
def compressed(world: Any, path: np.ndarray) -> np.ndarray:
    return compress(borrow(world), path, NEVER)


# ------------------------------------------------------------------ climbs


@given(EVERYWHERE, st.sampled_from([1, 2, 5, 250]))
@settings(max_examples=300)
def test_climbs_equal_their_naive_twin(problem: Problem, cap: int) -> None:
    start, goal = ends(problem)
    world = problem.world
    path = naive_cases.climb(belief_of(world), start, goal, cap)
    cost, steps = climbs(world.compiled(0), start, goal, cap)
    assert steps == len(path) - 1
    assert (cost != NO_WAY) == (path[-1] == goal)
    if cost != NO_WAY:
        assert cost / world.unit == pytest.approx(world.path_cost(np.array(path)), rel=1e-5)


@given(EVERYWHERE)
@settings(max_examples=300)
def test_theorem_5_where_a_climb_arrives_lrta_goes_the_same_way(problem: Problem) -> None:
    """A climb visits no state twice."""
    start, goal = ends(problem)
    path = naive_cases.climb(belief_of(problem.world), start, goal)
    if path[-1] == goal:
        walk = problem.make("lrta").run().path
        assert [problem.world.state(cell) for cell in walk] == path
        assert len(set(walk)) == len(walk)


def test_theorem_6_a_climb_may_be_dearer_than_the_best_path() -> None:
    rows = [".........." for _ in range(11)]
    rows[9] = ".########."
    world = grid(*rows, corners="cut", diagonal=1.4)
    start, goal = world.state((2, 10)), world.state((9, 0))
    cost, steps = climbs(world.compiled(0), start, goal, 250)
    assert (cost, steps) == (164, 16)
    assert tb.shortest_path(world, (2, 10), (9, 0)).cost == pytest.approx(15)


# ------------------------------------------------------------------ compression


@given(problems(side=14))
@settings(max_examples=300)
def test_compression(problem: Problem) -> None:
    """Subgoals lie on the path, in order and with both ends, each reachable from the last; as in the naive twin."""
    found = tb.shortest_path(problem.world, problem.start, problem.goal)
    if not found.solved:
        return
    path, belief = found.numbers.tolist(), belief_of(problem.world)
    kept = compressed(problem.world.compiled(0), found.numbers).tolist()
    assert kept == naive_cases.compress(belief, path)
    assert kept[0] == path[0]
    assert kept[-1] == path[-1]
    assert [state for state in path if state in kept] == kept
    assert all(naive_cases.reachable(belief, a, b) for a, b in pairwise(kept))


# ------------------------------------------------------------------ the kd-tree

FIGURE_9 = (
    *((4, 5, 8, 9), (3, 7, 6, 6), (7, 5, 6, 4), (4, 5, 4, 5), (2, 8, 3, 3), (8, 3, 6, 4), (5, 9, 4, 6)),
    *((3, 2, 2, 1), (1, 6, 8, 3), (1, 9, 2, 6), (3, 8, 5, 4), (6, 2, 5, 8), (9, 1, 9, 3), (9, 9, 4, 4), (9, 9, 5, 5)),
    *((8, 3, 3, 7), (8, 4, 4, 9)),
)


def insert(rows: np.ndarray, row: int, span: int, width: int) -> int:
    """Insert an item below its parent, as in the paper; return its level."""
    node = level = 0
    while True:
        axis = level % (2 * span)
        own, divider = (
            kd_tree.coordinate(rows["second" if axis > 1 else "first"][i], axis, width) for i in (row, node)
        )
        side, level = "left" if own <= divider else "right", level + 1
        if rows[side][node] == kd_tree.NONE:
            rows[side][node] = row
            return level
        node = rows[side][node]


def test_the_tree_of_figure_9() -> None:
    """Items inserted one by one end up where the paper draws them; the last one goes right, left, left, right."""
    cells = np.array([(x + 10 * y, u + 10 * v) for x, y, u, v in FIGURE_9], np.int32).ravel()
    rows = np.full(len(FIGURE_9), kd_tree.NONE, kd_tree.NODE)
    rows["first"], rows["second"], rows["number"] = cells[::2], cells[1::2], np.arange(len(rows))
    levels = [insert(rows, item, 2, 10) for item in range(1, len(rows))]
    assert levels == [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4]
    names = dict(enumerate(FIGURE_9))
    below = {names[i]: (names.get(int(row["left"])), names.get(int(row["right"]))) for i, row in enumerate(rows)}
    assert below[4, 5, 8, 9] == ((3, 7, 6, 6), (7, 5, 6, 4))
    assert below[3, 7, 6, 6] == ((4, 5, 4, 5), (2, 8, 3, 3))
    assert below[7, 5, 6, 4] == ((8, 3, 6, 4), (5, 9, 4, 6))
    assert below[8, 3, 6, 4] == ((6, 2, 5, 8), (9, 1, 9, 3))
    assert below[6, 2, 5, 8] == ((8, 3, 3, 7), (8, 4, 4, 9))
    assert below[4, 5, 4, 5] == ((3, 2, 2, 1), (1, 6, 8, 3))


@compiled
def nearest(world: Any, tree: Any, first: int, second: int, found: Any, most: int, through_tree: bool) -> int:
    query = kd_tree.about(borrow(world), first, second)
    if through_tree:
        return kd_tree.search(borrow(tree), query, borrow(found), most)
    return kd_tree.scan(borrow(tree), query, borrow(found), most)


@given(st.integers(0, 2**32), st.sampled_from([4, 8]), st.sampled_from(["auto", "none", "euclidean"]), st.booleans())
@settings(max_examples=300)
def test_the_tree_finds_what_a_look_at_all_finds(seed: int, neighbors: int, heuristic: str, pairs: bool) -> None:
    rng = np.random.default_rng(seed)
    width, height = rng.integers(1, 14, 2).tolist()
    world = tb.Grid(np.ones((height, width), bool), neighbors=neighbors, heuristic=heuristic)
    span, count, most = 1 + pairs, int(rng.integers(0, 60)), int(rng.integers(1, 12))
    cells = rng.integers(0, width * height, count * span).astype(np.int32)
    tree = kd_tree.balanced(cells, span, width)
    first, second = rng.integers(0, width * height, 2).tolist()
    answers = []
    for through_tree in (False, True):
        found = kd_tree.room_for(most, int(kd_tree.depth(tree)))
        size = nearest(world.compiled(0), tree, first, second, found, most, through_tree)
        answers.append([(int(entry["state"]), -int(entry["f"])) for entry in found.heap[:size]])
    belief, rows = belief_of(world), cells.reshape(-1, span).tolist()
    far = [(max(belief.h(a, b) for a, b in zip((first, second), row)), i) for i, row in enumerate(rows)]  # noqa: B905
    assert answers[0] == answers[1] == [(i, distance) for distance, i in sorted(far)[:most]]


# ------------------------------------------------------------------ bases


@given(problems(side=20, neighbors=(8,)), st.sampled_from(["even", "random"]), st.sampled_from([1, 7, 60]))
@settings(max_examples=60)
def test_records(problem: Problem, coverage: str, records: int) -> None:
    """Each subgoal is reachable from the one before; the ends of a record belong together; the cost is the best."""
    world = problem.world
    try:
        base = CaseBase.build(world, records, coverage=coverage)
    except tb.ProblemError:
        assert tb.maps.components(world.passable, 8, world.corners)[1].max(initial=0) < 4
        return
    assert len(base) == records if coverage == "random" else len(base) <= records
    belief = belief_of(world)
    for number in range(len(base)):
        record = base.record(number)
        states = [world.state(cell) for cell in record]
        assert all(naive_cases.reachable(belief, a, b) for a, b in pairwise(states))
        best = tb.shortest_path(world, record[0], record[-1])
        assert base.arrays["costs"][number] / world.unit == pytest.approx(best.cost, rel=1e-5)
        assert coverage == "even" or len(best.numbers) > 2
    if coverage == "even":
        seeds, cases = base.arrays["seeds"].tolist(), base.compiled
        for region, seed in enumerate(seeds):
            for number in range(cases.leaving[region], cases.leaving[region + 1]):
                assert world.state(base.record(number)[0]) == seed
                assert world.state(base.record(number)[-1]) == seeds[cases.arriving[number]]


def test_even_coverage_covers_everything_if_there_are_records_enough() -> None:
    """Every cell has a climb to a centre and one from a centre, and the centres are connected."""
    world = tb.Grid.load("harbour", corners="cut", diagonal=1.4)
    base = CaseBase.build(world, 100_000)
    seeds, compiled_world = base.arrays["seeds"].tolist(), world.compiled(0)
    rng = np.random.default_rng(1)
    for cell in rng.choice(np.flatnonzero(world.passable), 60).tolist():
        near = sorted(seeds, key=lambda seed: max(abs(np.subtract(world.place(seed), world.place(cell)))))[:60]
        assert any(climbs(compiled_world, cell, seed, 250)[0] != NO_WAY for seed in near)
        assert any(climbs(compiled_world, seed, cell, 250)[0] != NO_WAY for seed in near)


def test_few_records_on_open_ground() -> None:
    """All squares have the same size there; still, as many are kept as there is room for records."""
    base = CaseBase.build(tb.Grid(np.ones((480, 480), bool)), 50)
    assert 40 <= len(base) <= 50


@pytest.mark.parametrize("coverage", ["even", "random"])
def test_the_map_changed(coverage: str) -> None:
    world = tb.Grid.load("harbour", corners="cut", diagonal=1.4)
    base = CaseBase.build(world, 150, coverage=coverage)
    assert base.repaired(world) is base
    passable = world.passable.copy()
    passable[40:60, 100] ^= True
    passable[70:75, 20:22] = False
    now = world.with_map(passable)
    with pytest.raises(CaseError, match=r"another map .*, or it has changed since"):
        tb.make("knn-lrta", now, (12, 100), (180, 14), cases=base)
    repaired = base.repaired(now)
    repaired.check(now)
    belief, old = belief_of(now), {tuple(base.record(number)) for number in range(len(base))}
    records = [tuple(repaired.record(number)) for number in range(len(repaired))]
    assert sum(record in old for record in records) > 0.7 * len(base)
    assert not all(record in old for record in records)
    for record in records:
        assert all(naive_cases.reachable(belief, now.state(a), now.state(b)) for a, b in pairwise(record))
    assert tb.make("knn-lrta", now, (12, 100), (180, 14), cases=repaired).run(intervals=20_000).solved
    with pytest.raises(
        CaseError, match=r"only changes of the map can be repaired, not a change of diagonal from 1\.4 to 1\.5"
    ):
        base.repaired(tb.Grid(passable, corners="cut", diagonal=1.5))


@given(problems(side=20, neighbors=(8,)), st.integers(0, 2**32), st.sampled_from(["even", "random"]))
@settings(max_examples=40)
def test_a_repaired_base_serves_any_change(problem: Problem, seed: int, coverage: str) -> None:
    try:
        base = CaseBase.build(problem.world, 40, coverage=coverage)
    except tb.ProblemError:
        return
    passable, rng = problem.world.passable.copy(), np.random.default_rng(seed)
    passable ^= rng.random(passable.shape) < rng.choice([0.01, 0.1])
    for x, y in (problem.start, problem.goal):
        passable[y, x] = True
    now = problem.world.with_map(passable)
    repaired = base.repaired(now)
    belief = belief_of(now)
    for number in range(len(repaired)):
        states = [now.state(cell) for cell in repaired.record(number)]
        assert all(naive_cases.reachable(belief, a, b) for a, b in pairwise(states))
    episode = tb.make("knn-lrta", now, problem.start, problem.goal, cases=repaired).run(intervals=100_000)
    assert episode.solved == tb.shortest_path(now, problem.start, problem.goal).solved
