"""What an agent believes of its world, what it observes, and how the two differ from the truth.

The freespace assumption: what has not been seen is as the agent's map has it, and where it has no map, free. Beliefs
change only by observations: those of the agent's own sensor, or those that a program reports.

An agent's belief is kept as differences from a map that all agents share. The arrays of differences are of the map's
size, but the system gives their memory page by page: an agent has as much of it as it has seen, and nothing is copied
or cleared.
"""

from .interface import News, added_cost, hides, see, sense, worth_a_look
from .terrain import Terrain, lay_out

__all__ = ["News", "Terrain", "added_cost", "hides", "lay_out", "see", "sense", "worth_a_look"]
