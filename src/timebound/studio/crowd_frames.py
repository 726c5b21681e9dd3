"""What happened to a crowd in one tick, as a small binary record: one byte for each unit.

The lower five bits of a unit's byte are its move, the bits above what it did (`REASONS` of fleets). Positions are sent
once, in the beginning. `page/crowdrecords.js` is its other half.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..worlds.grid import STEPS

STAYED = 16  # not the number of a move
FLEET_PLACED, ASTAR_PLACED = 1, 2  # flags: these units are sent with their cells
_REASON_SHIFT = 5
_NO_MOVE = 255
_WORD, _FRACTION = np.dtype("<u4"), np.dtype("<f4")
HEADER = np.dtype(
    [
        ("words", _WORD),  # of the whole record, 4 bytes each
        ("tick", _WORD),
        ("flags", _WORD),
        ("units", _WORD),  # of the fleet; 0 in a record of nothing but changed cells
        ("astar_units", _WORD),  # the same number, or 0
        ("cells", _WORD),  # that have changed
        ("us", _FRACTION),  # the time of the fleet's tick
        ("processor_us", _FRACTION),  # and its processor time
        ("served", _WORD),
        ("waiting", _WORD),
        ("arrived", _WORD),
        ("memory", _FRACTION),
        ("astar_us", _FRACTION),  # the processor time of the current frame so far
        ("astar_planned", _WORD),
        ("astar_waiting", _WORD),
        ("astar_arrived", _WORD),
        ("astar_ended", _WORD),
    ]
)
_MOVES = np.full((5, 5), _NO_MOVE, np.uint8)  # [dy + 2, dx + 2]: which of the moves leads there
_MOVES[STEPS[:, 1] + 2, STEPS[:, 0] + 2] = np.arange(len(STEPS))
_MOVES[2, 2] = STAYED


@dataclass
class Tracker:
    """Where the units of one crowd were, as far as the page knows."""

    width: int
    known: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def moved(self, positions: np.ndarray, reasons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a byte per unit; and their cells, if the page does not know them and cannot compute them."""
        now = positions.astype(np.int64)
        before, self.known = self.known if len(self.known) == len(now) else np.full(len(now), -1), now
        dx, dy = now % self.width - before % self.width, now // self.width - before // self.width
        near = (before >= 0) & (np.abs(dx) <= 2) & (np.abs(dy) <= 2)
        moves = np.where(near, _MOVES[np.clip(dy, -2, 2) + 2, np.clip(dx, -2, 2) + 2], _NO_MOVE)
        lost = bool(np.any(moves == _NO_MOVE))
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
    return _packed(head, [places, astar_places], [bytes_, astar_bytes])


def cells_record(tick: int, cells: np.ndarray, code: int) -> bytes:
    """Return the record of changed cells."""
    head = np.zeros((), HEADER)
    head["tick"], head["cells"] = tick, len(cells)
    return _packed(head, [cells], [np.full(len(cells), code, np.uint8)])


def _packed(head: np.ndarray, numbers: Sequence[np.ndarray], small: Sequence[np.ndarray]) -> bytes:
    """Join numbers first, then bytes, so that everything is aligned."""
    body = b"".join([*(column.astype(_WORD).tobytes() for column in numbers), *(column.tobytes() for column in small)])
    body += bytes(-len(body) % 4)
    head["words"] = (HEADER.itemsize + len(body)) // 4
    return head.tobytes() + body
