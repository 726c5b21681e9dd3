"""Clique abstraction: its invariants over random maps, and a plain twin."""

import pickle

import numpy as np
import pytest
from agent_worlds import Problem, grid, problems
from hypothesis import given, settings
from naive_subgoals import abstracted, neighbours_of

import timebound as tb
from timebound.maps import components
from timebound.subgoals.abstraction import NO_REGION, Abstraction, Neighbours


def rows(links: Neighbours) -> list[list[int]]:
    return [links.targets[links.first[i] : links.first[i + 1]].tolist() for i in range(len(links.first) - 1)]


@given(problems(side=14))
@settings(max_examples=150)
def test_the_same_as_the_plain_twin(problem: Problem) -> None:
    below = neighbours_of(problem.world)
    for level in Abstraction(problem.world).levels:
        parent, above = abstracted(below)
        states = len(level.parent)
        assert level.parent.tolist() == [parent.get(state, NO_REGION) for state in range(states)]
        assert rows(level.links) == [above[number] for number in range(level.states)]
        below = above


@given(problems(side=14, neighbors=(4, 8, 16)))
@settings(max_examples=150)
def test_invariants(problem: Problem) -> None:
    world = problem.world
    abstraction = Abstraction(world)
    below = neighbours_of(world)
    for level in abstraction.levels:
        members: dict[int, list[int]] = {}
        for state in below:  # every state has one parent, and no other cell has any
            members.setdefault(int(level.parent[state]), []).append(state)
        assert sorted(members) == list(range(level.states))
        assert np.count_nonzero(level.parent != NO_REGION) == len(below)
        for region, inside in members.items():
            orphans = [state for state in inside if len(below[state]) == 1]
            core = [state for state in inside if state not in orphans]
            # An orphan is a member from the beginning or has joined later; the others are all joined to each other.
            assert len(core) <= 4
            assert all(b in below[a] for a in core for b in core if a != b)
            assert all(below[orphan][0] in inside for orphan in orphans if len(inside) > 1)
            outside = {int(level.parent[b]) for a in inside for b in below[a]} - {region}
            assert set(rows(level.links)[region]) == outside
        assert all(region in rows(level.links)[other] for region, row in enumerate(rows(level.links)) for other in row)
        if level is not abstraction.levels[0]:
            assert level.states < len(below)
        below = dict(enumerate(rows(level.links)))
    assert not len(abstraction.levels[-1].links.targets)


@given(problems(side=14))
@settings(max_examples=100)
def test_regions_keep_the_parts_of_the_map(problem: Problem) -> None:
    world = problem.world
    abstraction = Abstraction(world)
    labels = components(world.passable, world.neighbors, world.corners)[0].ravel()
    free = np.flatnonzero(world.passable)
    for level in range(1, abstraction.top + 1):
        regions, chosen = abstraction.regions(level), abstraction.level(level)
        parts = abstraction.parts(level)[regions[free]]
        assert len({*zip(parts.tolist(), labels[free].tolist(), strict=True)}) == len(set(labels[free].tolist()))
        assert (np.bincount(regions[free], minlength=chosen.states) == chosen.sizes).all()
        for region, cell in enumerate(abstraction.representatives(level).tolist()):
            cells = np.flatnonzero(regions == region)
            xy = np.stack([cells % world.width, cells // world.width], axis=1)
            assert chosen.positions[region] == pytest.approx(xy.mean(axis=0))
            away = ((xy - chosen.positions[region]) ** 2).sum(axis=1)
            assert cell == cells[away.argmin()]


@given(problems(side=14))
@settings(max_examples=50)
def test_a_level_is_a_world(problem: Problem) -> None:
    abstraction = Abstraction(problem.world)
    start, goal = problem.world.state(problem.start), problem.world.state(problem.goal)
    for level in (1, 2):
        regions = abstraction.regions(level)
        ends = int(regions[start]), int(regions[goal])
        found = tb.shortest_path(abstraction.graph(level), *ends)  # which checks that the heuristic is consistent
        assert found.solved == (abstraction.parts(level)[ends[0]] == abstraction.parts(level)[ends[1]])
        assert found.solved == tb.shortest_path(problem.world, problem.start, problem.goal).solved


def test_by_hand() -> None:
    # Two squares, a corridor, and a dead end that joins the clique of its only neighbour.
    world = grid("..#####", "......#", "####..#", "#####.#", corners="strict")
    abstraction = Abstraction(world)
    assert abstraction.regions(1).reshape(world.shape).tolist() == [
        [0, 0, -1, -1, -1, -1, -1],
        [0, 0, 1, 1, 2, 2, -1],
        [-1, -1, -1, -1, 2, 2, -1],
        [-1, -1, -1, -1, -1, 2, -1],
    ]
    assert rows(abstraction.level(1).links) == [[1], [0, 2], [1]]
    assert abstraction.top == 2
    assert abstraction.level(2).states == abstraction.level(99).states == 1
    assert abstraction.level(2).sizes.tolist() == [11]


def test_once_per_world_and_the_same_again() -> None:
    world = tb.Grid.load("harbour")
    first = Abstraction.of(world)
    assert Abstraction.of(world) is first
    again = Abstraction.of(pickle.loads(pickle.dumps(world)))  # not sent along with the world
    assert again is not first
    for ours, theirs in zip(first.levels, again.levels, strict=True):
        assert (ours.parent == theirs.parent).all()
        assert (ours.links.targets == theirs.links.targets).all()


def test_all_blocked_but_one() -> None:
    abstraction = Abstraction(grid("##", "#."))
    assert abstraction.top == 1
    assert abstraction.regions(5).tolist() == [-1, -1, -1, 0]
    assert abstraction.representatives(1).tolist() == [3]


def test_bad_input() -> None:
    with pytest.raises(tb.ProblemError, match="a level of abstraction is a whole number above 0, not 0"):
        Abstraction(grid("..")).level(0)
    with pytest.raises(tb.WorldError, match=r"clique abstraction is for grids, not for Graph"):
        Abstraction.of(tb.Graph([0, 1, 2], [1, 0], [1.0, 1.0]))
