"""What an agent believes about its world, what it observes, and how both differ from the truth.

The freespace assumption: what has not been seen is as on the agent's map, and free where it has no map. Beliefs change
only through observations: those of the agent's own sensor, or those that a program reports.

An agent's belief is stored as differences from a map that all agents share. The arrays of differences have the map's
size, but the system provides their memory page by page: an agent uses memory only for what it has seen, and nothing is
copied or cleared.
"""

from .interface import News, added_cost, hides, see, sense, without_repeats, worth_a_look
from .terrain import lay_out

__all__ = ["News", "added_cost", "hides", "lay_out", "see", "sense", "without_repeats", "worth_a_look"]
