"""Reads records as the page does, in the plainest way: what an agent has in mind after each of them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from timebound.studio.frames import AS_BEFORE, CLOSED, FORGOT, HEADER, NOWHERE, OPEN, SEARCHED, WORLD

WORDS, BYTES = ("path", "trace", "cells", "g", "h", "learned", "learned_h", "rise", "seen", "aside"), 3


@dataclass
class PlainMind:
    """One agent."""

    marks: dict[int, int] = field(default_factory=dict)
    g: dict[int, float] = field(default_factory=dict)
    learned: dict[int, float] = field(default_factory=dict)
    seen: dict[int, bool] = field(default_factory=dict)
    expanded: dict[int, int] = field(default_factory=dict)
    path: list[int] = field(default_factory=list)
    head: Any = None

    def apply(self, head: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        self.head = head
        if head["flags"] & SEARCHED:
            self.marks = {}
        if head["flags"] & FORGOT:
            self.learned = {}
        rows = zip(*(columns[name].tolist() for name in ("cells", "g", "marks", "expanded")), strict=True)
        for cell, g, mark, expanded in rows:
            self.g[cell] = g
            self.expanded[cell] = self.expanded.get(cell, 0) + expanded
            if mark != AS_BEFORE:
                self.marks[cell] = mark
        for cell, rise in zip(columns["learned"].tolist(), columns["rise"].tolist(), strict=True):
            self.learned[cell] = self.learned.get(cell, 0.0) + rise
        self.seen.update({told & 0x7FFFFFFF: bool(told >> 31) for told in columns["seen"].tolist()})
        if head["path_kept"] != NOWHERE:
            self.path = [*self.path[: head["path_kept"]], *columns["path"].tolist()]
        self.path = self.path[: head["path_valid"]]

    def marked(self, mark: int) -> set[int]:
        return {cell for cell, own in self.marks.items() if own == mark}

    @property
    def open(self) -> set[int]:
        return self.marked(OPEN)

    @property
    def closed(self) -> set[int]:
        return self.marked(CLOSED)


def records_in(content: bytes) -> list[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """The header and the columns of every record."""
    found, place = [], 0
    while place < len(content):
        head = np.frombuffer(content, HEADER, 1, place)[0]
        found.append((head, _columns(head, content, place + HEADER.itemsize)))
        place += 4 * int(head["words"])
    assert place == len(content)
    return found


def _columns(head: np.ndarray, content: bytes, place: int) -> dict[str, np.ndarray]:
    cells, learned = int(head["cells"]), int(head["learned"])
    plan: list[tuple[str, str, int]]
    if head["agent"] == WORLD:
        plan = [("cells", "<u4", cells), ("codes", "u1", cells)]
    else:
        plan = [
            *(("path", "<u4", int(head["path"])), ("trace", "<u4", int(head["trace"]))),
            *(("cells", "<u4", cells), ("g", "<f4", cells), ("h", "<f4", cells)),
            *(("learned", "<u4", learned), ("learned_h", "<f4", learned), ("rise", "<f4", learned)),
            *(("seen", "<u4", int(head["seen"])), ("aside", "<u4", int(head["aside"]))),
            *(("marks", "u1", cells), ("parents", "u1", cells), ("expanded", "u1", cells)),
        ]
    columns = {}
    for name, kind, count in plan:
        columns[name] = np.frombuffer(content, kind, count, place)
        place += count * columns[name].itemsize
    return columns
