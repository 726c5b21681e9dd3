"""Slow, obvious twins of the compiled code, written from the papers and from the rules in the documentation."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import count

import numpy as np

STRAIGHT = [(1, 0), (0, 1), (-1, 0), (0, -1)]
DIAGONAL = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
KNIGHT = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]


def grid_moves(passable: np.ndarray, neighbors: int, corners: str, x: int, y: int) -> Iterable[tuple[int, int]]:
    """The legal moves at (x, y), in the documented order."""

    def free(x: int, y: int) -> bool:
        return 0 <= y < passable.shape[0] and 0 <= x < passable.shape[1] and bool(passable[y, x])

    for dx, dy in STRAIGHT + (DIAGONAL if neighbors > 4 else []) + (KNIGHT if neighbors > 8 else []):
        needed = [(x + dx, y + dy)]
        if abs(dx) == abs(dy) == 1 and corners == "strict":
            needed += [(x + dx, y), (x, y + dy)]
        if abs(dx) == 2:
            needed += [(x + dx // 2, y), (x + dx // 2, y + dy)]
        if abs(dy) == 2:
            needed += [(x, y + dy // 2), (x + dx, y + dy // 2)]
        if all(free(*cell) for cell in needed):
            yield dx, dy


def grid_edges(
    passable: np.ndarray,
    neighbors: int = 8,
    corners: str = "strict",
    diagonal: float = math.sqrt(2),
    travel: np.ndarray | None = None,
) -> Iterable[tuple[tuple[int, int], tuple[int, int], float]]:
    """Every move of a grid with its cost."""
    for y, x in np.argwhere(passable).tolist():
        for dx, dy in grid_moves(passable, neighbors, corners, x, y):
            length = {1: 1.0, 2: diagonal, 5: math.sqrt(5)}[dx * dx + dy * dy]
            factor = 1.0 if travel is None else (travel[y, x] + travel[y + dy, x + dx]) / 2
            yield (x, y), (x + dx, y + dy), length * factor


def best_first(
    start: int,
    goal: int,
    successors: Callable[[int], Iterable[tuple[int, int]]],
    h: Callable[[int], int],
    weight: Fraction = Fraction(1),
    greedy: bool = False,
    reopen: bool = False,
) -> tuple[list[int], list[int]]:
    """The states in order of expansion, and the path (empty if there is none), by the library's rule for ties.

    Smaller f; the goal before others; larger g; earlier insertion, where a state whose f falls is inserted anew: in
    greedy search, none.
    """
    number = count()
    g, parent, open_ = {start: 0}, {start: start}, {}
    expanded: list[int] = []

    def key(state: int) -> tuple[Fraction, bool, int, int]:
        f = Fraction(h(state)) if greedy else g[state] + weight * h(state)
        return f, state != goal, -g[state], open_[state]

    open_[start] = next(number)
    while open_:
        state = min(open_, key=key)
        if state == goal:
            path = [goal]
            while path[-1] != start:
                path.append(parent[path[-1]])
            return expanded, path[::-1]
        del open_[state]
        expanded.append(state)
        for successor, cost in successors(state):
            closed = successor in g and successor not in open_
            falls = not greedy and g[state] + cost < g.get(successor, 0)
            if successor not in g or (falls and (reopen or not closed)):
                g[successor] = g[state] + cost
                parent[successor] = state
                open_[successor] = next(number)
    return expanded, []
