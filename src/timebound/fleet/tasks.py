"""Tasks: further goals of units, which they go to one after the other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Tasks(NamedTuple):
    """The queues of all units, one after the other in one array.

    >>> tasks = more_tasks(more_tasks(no_tasks(4), [1, 3], [[7, 8], [9]]), [1], [[5]])
    >>> tasks, units, goals = next_tasks(tasks, np.array([0, 1, 3]))
    >>> units.tolist(), goals.tolist(), (tasks.last - tasks.first).tolist()
    ([1, 3], [7, 9], [0, 2, 0, 0])
    """

    goals: np.ndarray
    first: np.ndarray  # of every unit: where its next task is
    last: np.ndarray  # and where its tasks end


def no_tasks(units: int) -> Tasks:
    """Return the tasks of that many units, which have none."""
    return Tasks(np.empty(0, np.int64), np.zeros(units, np.int64), np.zeros(units, np.int64))


def for_more_units(tasks: Tasks, units: int) -> Tasks:
    """Return the same tasks, with room for that many units."""
    more = np.zeros(units - len(tasks.first), np.int64)
    return Tasks(tasks.goals, np.concatenate([tasks.first, more]), np.concatenate([tasks.last, more]))


def more_tasks(tasks: Tasks, units: Sequence[int], goals: Sequence[Sequence[int]]) -> Tasks:
    """Return the tasks with these goals behind the others of each unit."""
    first, last, kept = tasks.first.copy(), tasks.last.copy(), []
    new: dict[int, list[int]] = {}
    for unit, queue in zip(units, goals, strict=True):
        new[unit] = [*new.get(unit, ()), *queue]
    queued = set(np.flatnonzero(first < last).tolist()) | new.keys()
    place = 0
    for unit in sorted(queued):
        kept += [tasks.goals[first[unit] : last[unit]], np.asarray(new.get(unit, ()), np.int64)]
        first[unit], place = place, place + len(kept[-1]) + len(kept[-2])
        last[unit] = place
    return Tasks(np.concatenate([np.empty(0, np.int64), *kept]), first, last)


def next_tasks(tasks: Tasks, units: np.ndarray) -> tuple[Tasks, np.ndarray, np.ndarray]:
    """Take the next task of each of these units that has one; return the rest, these units and their goals."""
    units = units[tasks.first[units] < tasks.last[units]]
    goals, first = tasks.goals[tasks.first[units]], tasks.first.copy()
    first[units] += 1
    return Tasks(tasks.goals, first, tasks.last), units, goals


def without(tasks: Tasks, units: np.ndarray) -> Tasks:
    """Return the tasks of all others."""
    first = tasks.first.copy()
    first[units] = tasks.last[units]
    return Tasks(tasks.goals, first, tasks.last)
