"""What a search remembers about a state: one record of 16 bytes, so that a neighbour costs one cache line.

A node belongs to the current search if its `search` is that search's number. So a new search just takes a new number
and clears nothing: that costs nothing, however large the map.
"""

import numpy as np

from ..core.memory import untouched

NODE = np.dtype([("g", np.int64), ("search", np.int32), ("parent", np.int32)], align=True)
# The same for D* Lite. `seen` is the number of the search that has visited the state.
VERTEX = np.dtype([("g", np.int64), ("rhs", np.int64), ("key", np.int64), ("rank", np.int64), ("seen", np.int64)])


def new_nodes(states: int) -> np.ndarray:
    """Make nodes for `states` states."""
    return untouched(states, NODE)
