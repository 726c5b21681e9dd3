"""What an agent with a body was told about cells of the map, and what follows for the places where it may stand."""

from typing import Any

import numpy as np

from ..core.memory import untouched
from ..worlds.bodies import BodyGrid
from .grid import BLOCKED, FREE
from .terrain import checked_costs, costs_by_place, walls_and_gaps

NOTHING = 0


class Told:
    """Reports about the cells of a map, the latest of each."""

    def __init__(self, grid: BodyGrid, terrain: str):
        self._grid, self._unknown = grid, terrain == "unknown"
        self._facts, self._costs = untouched(grid.states, np.uint8), untouched(grid.states, np.float64)

    def about_places(self, blocked: Any, free: Any, costs: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        """Take reports about cells; return them as reports about places: blocked ones, free ones, and costs."""
        grid, whole = self._grid, self._grid.whole
        walls, gaps = walls_and_gaps(whole, blocked, free)
        places, given = costs_by_place(costs, "cells")
        priced, prices = whole.cells(places, "costs are of cells"), checked_costs(given)
        self._facts[walls], self._facts[gaps], self._costs[priced] = BLOCKED, FREE, prices
        changed, dearer = self._possible(np.concatenate([walls, gaps])), self._possible(priced)
        fits, rows = self._is_free(grid.cells_below(changed)).all(axis=1), grid.places_in_rows
        costs_there = rows(dearer), self._costs_of(grid.cells_below(dearer)).max(axis=1, initial=1)
        return rows(changed[~fits]), rows(changed[fits]), costs_there

    def _possible(self, cells: np.ndarray) -> np.ndarray:
        places = self._grid.touching(cells)
        return places[self._grid.is_possible(places)]

    def _is_free(self, cells: np.ndarray) -> np.ndarray:
        facts = self._facts[cells]
        assumed = self._unknown or self._grid.costs_of_map(cells) > 0
        return np.where(facts == NOTHING, assumed, facts == FREE)

    def _costs_of(self, cells: np.ndarray) -> np.ndarray:
        told = self._costs[cells]
        return np.where(told == NOTHING, np.maximum(self._grid.costs_of_map(cells), 1), told)
