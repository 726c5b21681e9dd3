"""Ctrl-C at any line of Python while a fleet works: nothing is half done, and all units continue.

Compiled code does not hear signals, so its lines are left out, and the rest is tried with the compiler off.
"""

import contextlib
import random
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from shares import share_of

import timebound as tb

FILES = "fleet", "kinds", "own_planners", "shared_planner", "state", "tick", "world_changes"
PYTHON = tuple(f"fleet/{name}.py" for name in FILES)
ROOM = """
............
............
..###..###..
............
............
............
..###..###..
............
"""
STARTS = [(0, 0), (11, 7), (0, 7), (11, 0), (5, 3), (6, 4)]


Line = tuple[str, int]


class CtrlC:
    """Press it when this line of the sources is first reached; or record which lines are reached."""

    def __init__(self, line: Line | None = None):
        self._line, self.seen = line, dict[Line, None]()

    def __enter__(self) -> "CtrlC":
        sys.settrace(self._enter)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._trace if frame.f_code.co_filename.replace("\\", "/").endswith(PYTHON) else None

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        line = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and line not in self.seen:
            self.seen[line] = None
            if line == self._line:
                signal.raise_signal(signal.SIGINT)
        return self._trace


def a_fleet(kinds: tuple[str, ...], collisions: str) -> tb.Fleet:
    passable = np.array([[cell == "." for cell in line] for line in ROOM.split()])
    fleet = tb.Fleet(tb.Grid(passable), collisions=collisions)
    for number, start in enumerate(STARTS):
        fleet.add(kinds[number % len(kinds)], start=start, goal=STARTS[number - 1])
    return fleet


def a_tick(fleet: tb.Fleet) -> None:
    fleet.tick(expansions=40)


def a_wall(fleet: tb.Fleet) -> None:
    fleet.world.block([(4, 1), (4, 2)])
    fleet.tick(expansions=40)


def other_goals(fleet: tb.Fleet) -> None:
    fleet.retarget(fleet.units[:3], [(3, 3), (8, 4), (3, 7)])
    fleet.tick(expansions=40)


def another_kind(fleet: tb.Fleet) -> None:
    fleet.add("lss-lrta", start=[(1, 4), (2, 4)], goal=[(10, 4), (9, 4)])
    fleet.tick(expansions=40)


def one_less(fleet: tb.Fleet) -> None:
    fleet.remove(fleet.units[-1])
    fleet.tick(expansions=40)


def check(fleet: tb.Fleet) -> None:
    """All units arrive, and none shares a cell with another or stands in a wall."""
    assert len(fleet) in (5, 6, 8)
    for _ in range(300):
        fleet.tick(expansions=200)
        cells = {tuple(place) for place in fleet.positions.tolist()}
        assert fleet.collisions == "none" or len(cells) == len(fleet)
        assert all(fleet.world.passable[y, x] for x, y in cells)
        if fleet.done:
            break
    assert set(fleet.status()) == {"arrived"}


@pytest.mark.uncompiled
@pytest.mark.parametrize("kinds", [("rtaa",), ("tbaa", "dstar-lite", "rtaa")], ids=["one kind", "three kinds"])
@pytest.mark.parametrize("collisions", ["none", "push"])
@pytest.mark.parametrize("act", [a_tick, a_wall, other_goals, another_kind, one_less])
def test_nothing_is_torn(act: Callable[[tb.Fleet], None], kinds: tuple[str, ...], collisions: str) -> None:
    fleet = a_fleet(kinds, collisions)
    a_tick(fleet)
    with CtrlC() as all_lines:
        act(fleet)
    tries = share_of(len(all_lines.seen), least=4)
    pressed = 0
    for line in random.Random(1).sample(list(all_lines.seen), tries):
        fleet = a_fleet(kinds, collisions)
        a_tick(fleet)
        with contextlib.suppress(KeyboardInterrupt), CtrlC(line):
            act(fleet)
            pressed -= 1
        pressed += 1
        check(fleet)
    assert pressed > 0


@pytest.mark.uncompiled
def test_a_function_of_the_user_hears_it() -> None:
    def forever(units: np.ndarray) -> None:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("Ctrl-C came too late")

    fleet = a_fleet(("rtaa",), "push")
    fleet.on_arrival = forever
    with pytest.raises(KeyboardInterrupt):
        check(fleet)
    fleet.on_arrival = None
    check(fleet)
