"""What happened to a crowd in one tick, as a small binary record: one byte for each unit.

The lower five bits of a unit's byte are its move, the bits above what it did (`REASONS` of fleets). Positions are sent
once, in the beginning. `page/crowdrecords.js` is its other half.
"""

from dataclasses import dataclass, field

import numpy as np

from .frames import FRACTION, NO_MOVE, WORD, fields, moves_between, packed

STAYED = 16  # not the number of a move
FLEET_PLACED, ASTAR_PLACED = 1, 2  # flags: these units are sent with their cells
_REASON_SHIFT = 5
HEADER = np.dtype(
    [
        *fields(WORD, "words tick flags"),  # words: of the whole record, 4 bytes each
        *fields(WORD, "units"),  # of the fleet; 0 in a record of nothing but changed cells
        *fields(WORD, "astar_units"),  # the same number, or 0
        *fields(WORD, "cells"),  # that have changed
        *fields(FRACTION, "us processor_us"),  # the time of the fleet's tick, and its processor time
        *fields(WORD, "served waiting arrived"),
        *fields(FRACTION, "memory astar_us"),  # astar_us: the processor time of the current frame so far
        *fields(WORD, "astar_planned astar_waiting astar_arrived astar_ended"),
    ]
)


@dataclass
class Tracker:
    """Where the units of one crowd were, as far as the page knows."""

    width: int
    known: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def moved(self, positions: np.ndarray, reasons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a byte per unit; and their cells, if the page does not know them and cannot compute them."""
        now = positions.astype(np.int64)
        before, self.known = self.known if len(self.known) == len(now) else np.full(len(now), -1), now
        moves = np.where(now == before, STAYED, moves_between(self.width, before, now))
        lost = bool(np.any(moves == NO_MOVE))
        moves = np.full(len(now), STAYED) if lost else moves
        return (moves | reasons.astype(np.int64) << _REASON_SHIFT).astype(np.uint8), now if lost else now[:0]


def tick_record(
    head: np.ndarray, fleet: tuple[np.ndarray, np.ndarray], astar: tuple[np.ndarray, np.ndarray] | None
) -> bytes:
    """Return the record of a tick: the figures of its header, and the results of `Tracker.moved` for both crowds."""
    bytes_, places = fleet
    astar_bytes, astar_places = astar or (bytes_[:0], places[:0])
    head["units"], head["astar_units"] = len(bytes_), len(astar_bytes)
    head["flags"] = FLEET_PLACED * bool(len(places)) + ASTAR_PLACED * bool(len(astar_places))
    return packed(head, [places, astar_places, bytes_, astar_bytes])


def cells_record(tick: int, cells: np.ndarray, code: int) -> bytes:
    """Return the record of changed cells."""
    head = np.zeros((), HEADER)
    head["tick"], head["cells"] = tick, len(cells)
    return packed(head, [cells, np.full(len(cells), code, np.uint8)])
