"""What can be searched: grids and graphs."""

from .graph import Graph
from .grid import Grid
from .world import World

__all__ = ["Graph", "Grid", "World"]
