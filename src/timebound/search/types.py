"""What a search remembers of a state; and the types of its parts, for editors and mypy: annotations compile to nothing.

A node belongs to the current search if its `search` is that search's number. So a new search just takes a new number
and clears nothing: that costs nothing, however large the map.

Every part is a `NamedTuple` with its own implementation of some functions, so that the same search is compiled for any
choice of parts. What is known about all parts of a kind is said here. `SearchState`, the search itself, is in `state`.
"""

from typing import Any, Protocol, TypeAlias

import numpy as np

from ..worlds.interface import CompiledWorld as CompiledWorld

# 16 bytes, so that a neighbour costs one cache line.
NODE = np.dtype([("g", np.int64), ("search", np.int32), ("parent", np.int32)], align=True)
# The same for D* Lite. `seen` is the number of the search that has visited the state.
VERTEX = np.dtype([("g", np.int64), ("rhs", np.int64), ("key", np.int64), ("rank", np.int64), ("seen", np.int64)])

Nodes: TypeAlias = np.ndarray
"""A `NODE` for every state; often borrowed."""
Listener: TypeAlias = tuple[Any, ...]
"""Who hears of the events of a search: see `listener`."""
Ties: TypeAlias = tuple[Any, ...]
"""How a lookahead without an order breaks ties: see `orders`."""


class AnyOrder(Protocol):
    """An order of expansion: see `orders`."""

    @property
    def shift(self) -> int:
        """2**shift is a small difference of f."""
