"""Maps: read, write, generate and draw them, and problems on them.

Positions are `(x, y)`, x to the right and y down; arrays are indexed `[y, x]`.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach
from .components import components, random_problems
from .formats import builtin, outputs, read, read_ground, write
from .model import MAX_CELLS, Map
from .movingai import Problem, read_scenario, write_scenario
from .npy import from_array
from .plans import Plan, read_plan, write_plan

if TYPE_CHECKING:
    from .drawing import picture, save_picture
    from .generate import caves, maze, random_obstacles, rooms
    from .plots import curve_picture, learning_picture

# Loaded on first use: code that only reads maps loads neither Numba nor what draws pictures.
_LATER = {
    ".generate": ("caves", "maze", "random_obstacles", "rooms"),
    ".drawing": ("picture", "save_picture"),
    ".plots": ("curve_picture", "learning_picture"),
}
__getattr__, __dir__ = attach(__name__, _LATER)

__all__ = [
    "MAX_CELLS",
    "Map",
    "Plan",
    "Problem",
    "builtin",
    "caves",
    "components",
    "curve_picture",
    "from_array",
    "learning_picture",
    "maze",
    "outputs",
    "picture",
    "random_obstacles",
    "random_problems",
    "read",
    "read_ground",
    "read_plan",
    "read_scenario",
    "rooms",
    "save_picture",
    "write",
    "write_plan",
    "write_scenario",
]
