"""Follow the path that the lookahead has found: to its end, or for some moves; then look ahead again."""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, inlined
from ...core.integers import Int
from ..making import limit
from ..parameters import Parameter, endless, or_none
from ..parts import Part, Setting
from ..paths import place_on_path
from ..roles import next_move, on_course
from ..walk import NOWHERE

AS_MANY_AS_SUITS = 0


class FollowPath(NamedTuple):
    """Make the moves of the path, while no cost on it rises."""

    movements: int  # the most moves; AS_MANY_AS_SUITS: one under a clock, otherwise to its end


@on_course.of(FollowPath)
def _on_course(walk: Any, body: Any, clocked: bool) -> bool:
    place = place_on_path(body, body.position)
    return bool(place != NOWHERE and place < moves_on_path(walk, body, clocked))


@inlined
def moves_on_path(walk: Any, body: Any, clocked: bool) -> int:
    """Return how many moves to make along a path before the next search."""
    if walk.movements == AS_MANY_AS_SUITS and not clocked:
        return body.length - 1
    return min(body.length - 1, max(1, walk.movements))


@next_move.of(FollowPath)
def _next_move(walk: Any, parts: Any, body: Any) -> Int:
    """Continue along the old path while an update takes long. Without a path, do what the lookahead decided."""
    place = place_on_path(body, body.position)
    if place != NOWHERE and place < body.length - 1:
        return np.int64(borrow_field(body, "path")[place + 1])
    body.length = 0
    return body.decision


def _make(setting: Setting) -> FollowPath:
    movements = setting.parameters["movements"]
    return FollowPath(AS_MANY_AS_SUITS if movements is None else limit(movements))


def _objection(setting: Setting) -> str | None:
    if setting.has("lookahead", "step", "prepared", "repair") and setting.parameters["movements"] not in (None, 1):
        return f"agent {setting.name!r} looks one move ahead, so it makes one: leave out movements"
    return None


PATH = Part(
    "walk",
    "path",
    "follow the path that was found: `movements` moves, or all (by default one under a clock, otherwise all)",
    _make,
    {"movements": Parameter(None, or_none(endless))},
    lookaheads=("local", "to-the-end", "within", "step", "prepared", "repair", "refined", "retrieving"),
    needs="a search that is resumed while the agent walks needs walk 'time-bounded'",
    objection=_objection,
)
