"""Sliding tiles: moves, heuristics, parity, files, and Korf's instances."""

from collections import deque
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from shares import share_of

import timebound as tb
from timebound.worlds.check import look_at

GOAL = tuple(range(16))


def naive_moves(tiles: tuple[int, ...], side: int) -> set[tuple[int, ...]]:
    blank, found = tiles.index(0), set()
    for cell in range(side * side):
        if abs(cell % side - blank % side) + abs(cell // side - blank // side) == 1:
            after = list(tiles)
            after[blank], after[cell] = after[cell], 0
            found.add(tuple(after))
    return found


def naive_manhattan(tiles: tuple[int, ...], goal: tuple[int, ...], side: int) -> int:
    return sum(
        abs(cell % side - goal.index(tile) % side) + abs(cell // side - goal.index(tile) // side)
        for cell, tile in enumerate(tiles)
        if tile
    )


@pytest.mark.parametrize("side", [2, 3, 4, 5, 6])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_moves_and_distances_are_those_of_the_puzzle(side: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    tiles, goal = (tuple(generator.permutation(side * side).tolist()) for _ in range(2))
    look = look_at(tb.Tiles(side), goal)
    state = look.first(tiles)
    assert look.place(state) == tiles
    assert {look.place(after) for after, cost in look.moves(state)} == naive_moves(tiles, side)
    assert look.h(state) == naive_manhattan(tiles, goal, side)
    assert look.at_goal(look.first(goal))


@pytest.mark.parametrize("side", [3, 4, 5])
def test_linear_conflicts_are_consistent_and_stepwise(side: int) -> None:
    """Also where a line has three tiles in reverse order: two of them must leave it."""
    goal = tuple(range(side * side))
    start = list(goal)
    start[side : side + 3] = reversed(start[side : side + 3])
    look = look_at(tb.Tiles(side, heuristic="linear-conflict"), goal)
    assert look.h(look.first(tuple(start))) == naive_manhattan(tuple(start), goal, side) + 4
    assert tb.check_world(tb.Tiles(side, heuristic="linear-conflict"), goal, goal, states=300) == []


def test_half_of_all_arrangements_are_refused() -> None:
    """Exactly those that breadth-first search from the goal does not find."""
    goal = (0, 1, 2, 3, 4, 5)  # too few tiles
    with pytest.raises(tb.ProblemError, match="the numbers 0 to 3, each once"):
        tb.Tiles(2).aim(goal)
    goal = (0, 1, 2, 3)
    reachable, waiting = {goal}, deque([goal])
    while waiting:
        for after in naive_moves(waiting.popleft(), 2) - reachable:
            reachable.add(after)
            waiting.append(after)
    assert len(reachable) == 12
    world, _ = tb.Tiles(2).aim(goal)
    for permutation in np.stack(np.meshgrid(*[range(4)] * 4), -1).reshape(-1, 4).tolist():
        tiles = tuple(permutation)
        if sorted(tiles) == [0, 1, 2, 3]:
            if tiles in reachable:
                world.state(tiles)
            else:
                with pytest.raises(tb.ProblemError, match=r"cannot be reached from that arrangement.*parity"):
                    world.state(tiles)


@pytest.mark.parametrize(
    "bad", [(1, 2, 3), tuple(range(1, 17)), (0,) * 16, "0123456789abcdef", None, 5, (0.5, *range(1, 16))]
)
def test_bad_arrangements(bad: object) -> None:
    with pytest.raises(tb.ProblemError, match="0 to 15, each once"):
        tb.make("astar", tb.Tiles(4), bad, GOAL)


@pytest.mark.parametrize(("side", "heuristic"), [(1, "manhattan"), (7, "manhattan"), ("4", "manhattan"), (4, "octile")])
def test_bad_worlds(side: object, heuristic: str) -> None:
    with pytest.raises(tb.WorldError, match=r"2 to 6 tiles|manhattan or linear-conflict"):
        tb.Tiles(side, heuristic=heuristic)  # type: ignore[arg-type]


def test_files_of_puzzles(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.txt"
    file.write_text("# two of them\n7 31 1 0 2 3 4 5 6 7 8\n1,0,2,3,4,5,6,7,8 # the same\n")
    assert tb.Tiles.read(file) == [(1, 0, 2, 3, 4, 5, 6, 7, 8)] * 2
    for text, complaint in [
        ("1 2 3\n", "line 1: no arrangement of 4, 9"),
        ("0 1 2 3\nx y\n", "line 2: an arrangement is a list of whole numbers"),
        ("", "no arrangement found"),
        ("1 1 2 3 4 5 6 7 8", "line 1: no arrangement"),
    ]:
        file.write_text(text)
        with pytest.raises(tb.MapError, match=complaint):
            tb.Tiles.read(file)
    with pytest.raises(tb.MapError, match="cannot be read"):
        tb.Tiles.read(tmp_path / "missing.txt")


def korf(shared_data: Path) -> list[tuple[tuple[int, ...], int]]:
    file = shared_data / "puzzles" / "korf100.txt"
    lengths = [int(line.split()[1]) for line in file.read_text().splitlines() if not line.startswith("#")]
    return list(zip(tb.Tiles.read(file), lengths, strict=True))


def test_korfs_instances_are_solved_in_real_time(shared_data: Path) -> None:
    instances, world = korf(shared_data)[:: 100 // share_of(100, 25)], tb.Tiles(4)
    assert len(korf(shared_data)) == 100
    costs = {}
    for weight in (2, 5):
        for lookahead in (16, 512):
            episodes = [
                tb.make("tb-wastar", world, start, GOAL, weight=weight).run(expansions=lookahead, intervals=10**6)
                for start, _ in instances
            ]
            assert all(episode.solved for episode in episodes)
            assert all(e.cost >= length for e, (_, length) in zip(episodes, instances, strict=True))
            costs[weight, lookahead] = sum(episode.cost for episode in episodes)
    assert costs[5, 16] < costs[2, 16]


def test_optimal_lengths_of_some_of_korfs_instances(shared_data: Path) -> None:
    """The three easiest, with linear conflicts."""
    world = tb.Tiles(4, heuristic="linear-conflict")
    for start, length in sorted(korf(shared_data), key=lambda instance: instance[1])[:3]:
        assert tb.shortest_path(world, start, GOAL).cost == length
