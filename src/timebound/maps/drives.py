"""Pictures of drives: the track, the path of the car, and an arrow for its velocity at every state."""

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from .drawing import GOAL_COLOUR, PATH_COLOUR, SMOOTH, bare_picture, centre, disc_radius, draw_ends, drawing_over
from .model import Map, Position

Point = tuple[float, float]
_ARROW = (24, 70, 140)
_CRASH = (20, 20, 24)


def drive_picture(
    passable: np.ndarray,
    drive: Sequence[tuple[int, int, int, int]],
    goals: Sequence[Position] = (),
    scale: float | None = None,
) -> Image.Image:
    """Draw the states `(x, y, vx, vy)` of a drive on a track; a cross marks where an obstacle stopped the car.

    >>> drive_picture(np.ones((4, 8), bool), [(0, 0, 0, 0), (1, 1, 1, 1), (3, 2, 2, 1)], [(3, 2)]).size
    (512, 256)
    """
    image, pixels = bare_picture(Map.from_passable(passable, "track"), scale)
    cell = pixels * SMOOTH
    with drawing_over(image) as draw:
        for x, y in goals:
            draw.rectangle((x * cell, y * cell, (x + 1) * cell, (y + 1) * cell), (*GOAL_COLOUR, 110))
        points = [centre((x, y), cell) for x, y, _, _ in drive]
        if len(points) > 1:
            draw.line(points, (255, 255, 255, 200), round(max(2.0, 0.3 * cell)), joint="curve")
            draw.line(points, (*PATH_COLOUR, 160), round(max(1.0, 0.16 * cell)), joint="curve")
        for i, ((_, _, vx, vy), point) in enumerate(zip(drive, points, strict=True)):
            _draw_velocity(draw, point, (vx * cell * 0.45, vy * cell * 0.45), cell)
            if i and not (vx or vy) and (drive[i - 1][2] or drive[i - 1][3]):
                arm, width = 0.4 * cell, round(max(1.0, 0.12 * cell))
                for slope in (1, -1):
                    ends = (point[0] - arm, point[1] - slope * arm), (point[0] + arm, point[1] + slope * arm)
                    draw.line(ends, (*_CRASH, 255), width)
        if drive:
            draw_ends(draw, cell, disc_radius(pixels) * SMOOTH * 0.6, drive[0][:2], drive[-1][:2])
    return image


def _draw_velocity(draw: ImageDraw.ImageDraw, at: Point, velocity: Point, cell: float) -> None:
    """Draw an arrow from the car, as long as the car is fast."""
    length = math.hypot(*velocity)
    draw.circle(at, 0.16 * cell, (*_ARROW, 255))
    if length == 0:
        return
    dx, dy = velocity[0] / length, velocity[1] / length
    head = min(0.35 * cell, 0.6 * length)
    tip, neck = (at[0] + velocity[0], at[1] + velocity[1]), (at[0] + dx * (length - head), at[1] + dy * (length - head))
    draw.line([at, neck], (*_ARROW, 255), round(max(1.0, 0.12 * cell)))
    wing = 0.5 * head
    draw.polygon([tip, (neck[0] - dy * wing, neck[1] + dx * wing), (neck[0] + dy * wing, neck[1] - dx * wing)], _ARROW)
