"""What an agent with a body was told about cells of the map, and what follows for the places where it may stand."""

from typing import Any

import numpy as np

from ..core.memory import untouched
from ..worlds.bodies import BodyGrid
from .grid import BLOCKED, FREE
from .terrain import checked_costs, costs_by_place, walls_and_gaps


class Told:
    """Reports about the cells of a map, the latest of each."""

    def __init__(self, grid: BodyGrid, unknown: bool):
        self._grid, self._unknown = grid, unknown
        self._facts, self._costs = untouched(grid.states, np.uint8), untouched(grid.states, np.float64)
        self._prices = untouched(grid.states, np.float64)  # reported costs of places

    @property
    def reports(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All of them, for a file."""
        return self._facts, self._costs, self._prices

    @reports.setter
    def reports(self, reports: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        self._facts, self._costs, self._prices = reports

    def about_places(self, blocked: Any, free: Any, costs: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        """Take reports about cells; return them as reports about places: blocked ones, free ones, and costs."""
        grid, whole = self._grid, self._grid.whole
        walls, gaps = walls_and_gaps(whole, blocked, free)
        priced, prices = costs_by_place(costs, "cells")
        cells, prices = whole.cells(priced, "costs are of cells"), checked_costs(prices)
        self._facts[walls], self._facts[gaps], self._costs[cells] = BLOCKED, FREE, prices
        places = grid.touching(np.concatenate([walls, gaps, cells]))
        places = places[grid.is_possible(places)]
        there = grid.costs_at(places, self._unknown, self._facts, self._costs)
        fits, rows = there > 0, grid.places_in_rows
        differ = fits & (there != self._costs_before(places))
        self._prices[places[differ]] = there[differ]
        return rows(places[~fits]), rows(places[fits]), (rows(places[differ]), there[differ])

    def _costs_before(self, places: np.ndarray) -> np.ndarray:
        """Return what the agent believes that places cost."""
        assumed = 1.0 if self._grid.travel is None else self._grid.travel.ravel()[places]
        return np.where(self._prices[places] > 0, self._prices[places], assumed)
