"""Metres and cells: where a map lies in the world of a robot."""

import math
from typing import NamedTuple

from .grid_input import Position


class Pose(NamedTuple):
    """A place in metres, in the frame of the map (of ROS: y points up). Grids take it wherever they take a cell."""

    x: float
    y: float


class Frame(NamedTuple):
    """The size of a cell, and where the lower left corner of the map lies: x, y and yaw, as in a ROS map file."""

    resolution: float
    origin: tuple[float, float, float]
    height: int

    def cell(self, x: float, y: float) -> Position:
        """Return the cell (x, y) at a place in metres, on the map or not."""
        dx, dy, (_, _, yaw) = x - self.origin[0], y - self.origin[1], self.origin
        along, up = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
        return math.floor(along / self.resolution), self.height - 1 - math.floor(up / self.resolution)

    def pose(self, cell: Position) -> Pose:
        """Return the middle of a cell in metres."""
        along, up = (cell[0] + 0.5) * self.resolution, (self.height - cell[1] - 0.5) * self.resolution
        x, y, yaw = self.origin
        return Pose(x + along * math.cos(yaw) - up * math.sin(yaw), y + along * math.sin(yaw) + up * math.cos(yaw))
