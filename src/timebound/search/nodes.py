"""What a search remembers of a state: one record of 16 bytes, so that a look at a neighbour costs one cache line.

A node belongs to the current search if its `search` is that search's number. A new search thus begins by counting up,
not by clearing: it costs nothing, however large the map.
"""

import numpy as np

from ..memory import untouched

NODE = np.dtype([("g", np.int64), ("search", np.int32), ("parent", np.int32)], align=True)


def new_nodes(states: int) -> np.ndarray:
    """Nodes for so many states."""
    return untouched(states, NODE)
