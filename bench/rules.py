"""The rules of movement that packages follow, and the length of a path under them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

import timebound as tb

Position = tuple[int, int]

_STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))
_DIAGONAL = ((1, 1), (-1, 1), (-1, -1), (1, -1))


class WrongAnswerError(Exception):
    """An invalid path, or one that is not the shortest: the benchmark stops."""


@dataclass(frozen=True)
class Rule:
    """How an agent may move on a grid; a straight move costs 1, a diagonal one the square root of 2."""

    name: str
    neighbors: Literal[4, 8]
    corners: Literal["strict", "cut"]

    def world(self, passable: np.ndarray) -> tb.Grid:
        """The grid in timebound that follows this rule."""
        return tb.Grid(passable, neighbors=self.neighbors, corners=self.corners)

    def moves(self) -> tuple[Position, ...]:
        """Return the possible steps (dx, dy)."""
        return _STRAIGHT if self.neighbors == 4 else _STRAIGHT + _DIAGONAL

    def distance(self, dx: int, dy: int) -> float:
        """Return the cost between two cells without obstacles: the best heuristic."""
        if self.neighbors == 4:
            return dx + dy
        return max(dx, dy) + (math.sqrt(2) - 1) * min(dx, dy)


STRICT = Rule("8, strict corners", 8, "strict")
CUT = Rule("8, cuts corners", 8, "cut")
FOUR = Rule("4", 4, "strict")


def edges(passable: np.ndarray, rule: Rule) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """For each kind of move: the cells (y * width + x) it leads from, the cells it leads to, and its cost."""
    width = passable.shape[1]
    free = np.pad(passable, 1)
    for dx, dy in rule.moves():
        legal = passable & _shifted(free, dx, dy)
        if rule.corners == "strict":
            legal &= _shifted(free, dx, 0) & _shifted(free, 0, dy)
        sources = np.flatnonzero(legal)
        yield sources, sources + dy * width + dx, math.hypot(dx, dy)


def _shifted(padded: np.ndarray, dx: int, dy: int) -> np.ndarray:
    height, width = padded.shape
    return padded[1 + dy : height - 1 + dy, 1 + dx : width - 1 + dx]


def path_length(passable: np.ndarray, rule: Rule, start: Position, goal: Position, states: object) -> float:
    """Check that states, a sequence of (x, y), are a legal path from start to goal; return its length."""
    path = np.asarray(states)
    if path.ndim != 2 or tuple(path[0]) != start or tuple(path[-1]) != goal:
        raise WrongAnswerError(f"no path from {start} to {goal}")
    path = path.astype(np.int64)
    before, after = path[:-1], path[1:]
    size = np.abs(after - before)
    if (size.max(axis=1) != 1).any() or (rule.neighbors == 4 and (size.sum(axis=1) != 1).any()):
        raise WrongAnswerError(f"the path from {start} to {goal} jumps")
    if not _all_free(passable, path) or (rule.corners == "strict" and not _corners_free(passable, before, after)):
        raise WrongAnswerError(f"the path from {start} to {goal} runs into a wall")
    diagonal = int((size.sum(axis=1) == 2).sum())
    return len(size) - diagonal + diagonal * math.sqrt(2)


def _corners_free(passable: np.ndarray, before: np.ndarray, after: np.ndarray) -> bool:
    beside = np.column_stack((after[:, 0], before[:, 1])), np.column_stack((before[:, 0], after[:, 1]))
    return all(_all_free(passable, cells) for cells in beside)


def _all_free(passable: np.ndarray, cells: np.ndarray) -> bool:
    return bool(passable[cells[:, 1], cells[:, 0]].all())
