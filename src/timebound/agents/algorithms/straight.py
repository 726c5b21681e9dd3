"""An any-angle walk: along straight lines from corner to corner of the path, instead of from cell to cell.

At every corner the agent goes for the farthest state of its path that it can see (see `search.any_angle`), and makes
the grid moves nearest to the straight line there. They replace that part of the path, and cost no more than it. So
every lookahead whose path is followed can have such a walk: where it looks, and what it learns, is not changed.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled
from ...core.integers import Int
from ...core.memory import untouched
from ...knowledge.grid import GridKnowledge, believed_free
from ...search.any_angle import is_free, sees
from ...worlds import Grid
from ...worlds.grid import CompiledGrid
from ...worlds.interface import IMPOSSIBLE, price_of
from ..body import Body, place_on_path
from ..journey import NOWHERE
from ..parts import Part, Setting
from ..roles import Parts, next_move, on_course, waypoint
from .plain import PATH, FollowPath

REACH = 256  # states of the path at which it looks from a corner
MOST_CORNERS = 1 << 20  # are kept; their memory is touched as they are met
MISSES = 8  # it looks no farther when it has not seen that many in a row

is_free.of(GridKnowledge)(believed_free)


class AnyAngle(NamedTuple):
    """Go straight to the farthest state of the path in sight."""

    follow: FollowPath
    strict: bool
    corner: np.ndarray  # where the line ends, a state, and its place on the path; and how many lines began so far
    corners: np.ndarray  # where they began


@on_course.of(AnyAngle)
def _on_course(walk: AnyAngle, body: Body, clocked: bool) -> bool:
    return on_course(walk.follow, body, clocked)


@next_move.of(AnyAngle)
def _next_move(walk: AnyAngle, parts: Parts, body: Body) -> Int:
    place = place_on_path(body, body.position)
    if place == NOWHERE or not is_ahead(walk, body, place):
        note_corner(walk, body)
        if place != NOWHERE and place < body.length - 1:
            straighten(walk, body, place)
    return next_move(walk.follow, parts, body)


@waypoint.of(AnyAngle)
def _waypoint(walk: AnyAngle, body: Body) -> Int:
    place = place_on_path(body, body.position)
    return walk.corner[0] if place != NOWHERE and is_ahead(walk, body, place) else NOWHERE


@compiled
def note_corner(walk: AnyAngle, body: Body) -> None:
    """Note that a line begins here."""
    count = walk.corner[2] if body.moves else 0
    if count < len(walk.corners) and (count == 0 or walk.corners[count - 1] != body.position):
        walk.corners[count] = body.position
        count += 1
    walk.corner[2] = count


@compiled
def is_ahead(walk: AnyAngle, body: Body, place: Int) -> bool:
    """Is the end of the line still ahead on the path?"""
    state, end = walk.corner[0], walk.corner[1]
    return bool(place < end < body.length and borrow_field(body, "path")[end] == state)


@compiled
def straighten(walk: AnyAngle, body: Body, place: Int) -> None:
    """Find the next corner, and lead the path straight to it."""
    knowledge, grid = borrow_field(body, "knowledge"), borrow_field(body, "world").world
    path, here = borrow_field(body, "path"), np.int64(borrow_field(body, "path")[place])
    best, misses = place + 1, 0
    for i in range(place + 2, min(body.length, place + REACH)):
        if sees(grid, knowledge, walk.strict, here, np.int64(path[i])):
            best, misses = i, 0
        else:
            misses += 1
            if misses == MISSES:
                break
    end = np.int64(path[best])
    if best > place + 1 and is_line(grid, here, end, best - place):
        best = lead_straight(body, grid, place, best)
    walk.corner[0], walk.corner[1] = end, best


@compiled
def is_line(grid: CompiledGrid, here: Int, end: Int, most: Int) -> bool:
    """Are all moves along the line possible, and no more than those of the path?"""
    count, state = moves_between(grid, here, end), here
    for i in range(1, count + 1):
        following = cell_on_line(grid, here, end, i, count)
        if price_of(grid, state, following) == IMPOSSIBLE:
            return False
        state = following
    return bool(count <= most)


@compiled
def moves_between(grid: CompiledGrid, here: Int, end: Int) -> Int:
    """Return the number of moves of a line."""
    dx, dy = abs(end % grid.width - here % grid.width), abs(end // grid.width - here // grid.width)
    return dx + dy if len(grid.offsets) == 4 else max(dx, dy)


@compiled
def cell_on_line(grid: CompiledGrid, here: Int, end: Int, i: Int, count: Int) -> Int:
    """Return the cell after that many moves of a line."""
    dx: Any = end % grid.width - here % grid.width
    dy: Any = end // grid.width - here // grid.width
    across: Any = nearest(dx, i, count)
    down: Any = nearest(dy, i, count) if len(grid.offsets) != 4 else (i - abs(across)) * (1 if dy > 0 else -1)
    return here + down * grid.width + across


@compiled
def nearest(length: Any, i: Int, count: Int) -> Any:
    """Return length * i / count, rounded to the nearest whole number."""
    share: Any = (2 * abs(length) * i + count) // (2 * count)
    return share if length > 0 else -share


@compiled
def lead_straight(body: Body, grid: CompiledGrid, place: Int, end: Int) -> Int:
    """Replace that part of the path by the moves along a straight line; return the place where it ends now."""
    path, prices, order = borrow_field(body, "path"), borrow_field(body, "prices"), borrow_field(body, "order")
    world, here, there = borrow_field(body, "world"), np.int64(path[place]), np.int64(path[end])
    count = moves_between(grid, here, there)
    for i in range(1, count + 1):
        state = cell_on_line(grid, here, there, i, count)
        price = price_of(world, np.int64(path[place + i - 1]), state)
        path[place + i], prices[place + i], order[state] = state, price, place + i
    shift = end - place - count
    for i in range(end + 1, body.length if shift else 0):
        state = np.int64(path[i])
        path[i - shift], prices[i - shift], order[state] = state, prices[i], i - shift
    body.length -= shift
    return place + count


def _make(setting: Setting) -> AnyAngle:
    corners = np.array([NOWHERE, NOWHERE, 0]), untouched(MOST_CORNERS, np.int64)
    return AnyAngle(PATH.make(setting), setting.world.corners == "strict", *corners)


def _objection(setting: Setting) -> str | None:
    world = setting.world
    if isinstance(world, Grid) and (world.travel is not None or world.neighbors == 16):
        return "walk 'any-angle' is for grids with 4 or 8 neighbours and no travel costs"
    return PATH.objection(setting)


@compiled
def corners_of(walk: Any, end: Int) -> np.ndarray:
    """Return the corners of a walk that ends there."""
    count = walk.corner[2]
    corners = np.empty(count + 1, np.int64)
    for i in range(count):
        corners[i] = walk.corners[i]
    corners[count] = end
    return corners


ANY_ANGLE = Part(
    "walk",
    "any-angle",
    "go straight to the farthest state of the path in sight",
    _make,
    PATH.parameters,
    lookaheads=PATH.lookaheads,
    needs="the agent must leave the states that its search has found",
    objection=_objection,
    needs_grid=True,
    paper="Nash, Koenig, Tovey 2010",
)
