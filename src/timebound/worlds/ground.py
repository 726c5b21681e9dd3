"""What covers the cells of a map, and what it costs each mobility to cross it."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from ..core import values
from ..core.errors import WorldError
from ..core.wording import shown
from .grid_input import MOST_COST

Mobilities: TypeAlias = Mapping[str, Mapping[int | str, float]]


class Ground:
    """What covers every cell of a map, and what it costs each mobility to cross it: 0 if it cannot."""

    def __init__(self, ground: Any, mobilities: Any):
        rule = "ground is an array [y, x] of whole numbers from 0 to 255, or of MovingAI's letters as their codes"
        kinds = values.numeric_array(ground, rule, WorldError)
        if (
            kinds.ndim != 2
            or kinds.dtype.kind not in "iub"
            or (kinds.size and not 0 <= kinds.min() <= kinds.max() < 256)
        ):
            raise WorldError(f"{rule}, not {shown(ground)}")
        self.kinds = np.array(kinds, np.uint8, order="C")
        self.costs = {name: _checked_costs(name, of_kind) for name, of_kind in _checked_mobilities(mobilities)}
        self.highest = float(max(costs.max() for costs in self.costs.values()))
        self._for_anybody = np.any([costs > 0 for costs in self.costs.values()], axis=0)
        self.walled = np.zeros(kinds.shape, bool)  # blocked, whatever the ground is

    def passable(self, cells: Any = ...) -> np.ndarray:
        """Say of some cells, or of all, whether anybody can be there."""
        free: np.ndarray = self._for_anybody[self.kinds.reshape(-1)[cells]] & ~self.walled.reshape(-1)[cells]
        return free

    def check_travel(self, cost: float) -> None:
        """Reject a travel cost that would make a cell too expensive for a mobility."""
        if cost * self.highest > MOST_COST:
            raise WorldError(f"a travel cost of {cost:g} times that of the ground, {self.highest:g}, exceeds a million")


def _checked_mobilities(mobilities: Any) -> list[tuple[str, Any]]:
    if not (isinstance(mobilities, Mapping) and mobilities and all(isinstance(name, str) for name in mobilities)):
        raise WorldError(f"mobilities are a dictionary from names to costs of ground, not {shown(mobilities)}")
    return list(mobilities.items())


def _checked_costs(name: str, of_kind: Any) -> np.ndarray:
    """Return the cost of every kind of ground."""
    if not isinstance(of_kind, Mapping):
        raise WorldError(f"mobility {name!r} is a dictionary from kinds of ground to costs, not {shown(of_kind)}")
    costs = np.zeros(256)
    for kind, cost in of_kind.items():
        rule = f"the cost of ground {shown(kind)} for {name!r} is a number from 1 to a million"
        costs[checked_kind(kind)] = values.number(cost, rule, lambda given: 1 <= given <= MOST_COST, WorldError)
    return costs


def checked_kind(kind: Any) -> int:
    """Return the number of a kind of ground, given as such or as a letter.

    >>> checked_kind(3), checked_kind("W")
    (3, 87)
    """
    if isinstance(kind, str) and len(kind) == 1 and ord(kind) < 256:
        return ord(kind)
    return values.whole(kind, "a kind of ground is a whole number from 0 to 255, or a letter", 0, 255, WorldError)
