"""The types that parts of a search have in common, for editors and mypy: annotations compile to nothing.

Every part is a `NamedTuple` with its own implementation of some functions, so that the same search is compiled for any
choice of parts. What is known about all parts of a kind is said here. `SearchState`, the search itself, is in `state`.
"""

from typing import Any, Protocol, TypeAlias

import numpy as np

from ..worlds.interface import CompiledWorld as CompiledWorld

Nodes: TypeAlias = np.ndarray
"""One record for every state (see `nodes`); often borrowed."""
Listener: TypeAlias = tuple[Any, ...]
"""Who hears of the events of a search: see `listener`."""
Ties: TypeAlias = tuple[Any, ...]
"""How a lookahead without an order breaks ties: see `orders`."""


class AnyOrder(Protocol):
    """An order of expansion: see `orders`."""

    @property
    def shift(self) -> int:
        """2**shift is a small difference of f."""
