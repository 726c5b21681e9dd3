"""What can be searched: grids of two and three dimensions, graphs, tiles, racetracks, custom worlds."""

from .bodies import Disc
from .custom import CustomWorld
from .graph import Graph
from .grid import Grid
from .grid3d import Grid3D
from .movers import Mover
from .moving import Moving
from .poses import Pose
from .racetrack import Racetrack
from .tiles import Tiles
from .world import World

__all__ = ["CustomWorld", "Disc", "Graph", "Grid", "Grid3D", "Mover", "Moving", "Pose", "Racetrack", "Tiles", "World"]
