"""What users see of prepared paths: `Paths`, for any number of threads, until the map changes."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ...core.errors import ProblemError
from ...core.memory import Unique
from ...core.wording import shown
from ...search.batch import PathBatch, ends_of, in_threads
from ...search.solver import PREPARED, Path
from ...worlds import Grid, World
from ...worlds.places import places_of
from .corners import why_not
from .far_paths import Roads, moves_between, new_traveller, path_between, prepared_roads

MADE = "corners and landmarks"  # the key under which a world keeps it, for case bases and `prepare`
PIECE = 16  # pairs per piece of work
MUST_BE = "paths can be prepared for a grid of 4 or 8 neighbours without travel costs"
Tell = Callable[[str, int, int], None]


def prepare(world: World, tell: Tell) -> "Paths":
    """See `World.prepare`."""
    if not isinstance(world, Grid):
        raise ProblemError(f"{MUST_BE}, not for a {type(world).__name__}")
    reason = why_not(world)
    if reason:
        raise ProblemError(f"{MUST_BE}; {reason}, so its shortest paths are found by A*")
    if not callable(tell):
        raise ProblemError(f"tell must be a function that takes the progress, not {shown(tell)}")
    paths = Paths.of(world, tell)
    if paths.current:
        world.prepared[PREPARED] = paths
    return paths


class Paths(Unique):
    """All shortest paths of a grid, prepared by `world.prepare()`. They cost exactly what those of A* cost.

    Where several paths cost the same, it may find another one than A*; `expansions` counts corners, not cells. It is
    for one version of the map: after a change, queries raise an error, `tb.shortest_path` is A* again, and
    `world.prepare()` makes a new one. Several threads may use it at the same time.

    Examples
    --------
    >>> import timebound as tb
    >>> paths = tb.Grid.load("harbour").prepare()
    >>> paths
    Paths(1013 corners, 7729 links, 16 landmarks)
    >>> round(paths.shortest_path((12, 100), (180, 14)).cost, 4)
    238.1665
    >>> paths.costs((12, 100), [(180, 14), (60, 70), (12, 100)]).round(4)
    array([238.1665,  60.4264,   0.    ])
    """

    def __init__(self, world: Grid, tell: Tell):
        began = time.perf_counter()
        with world.changes.gate.work():
            self.world, self.version = world, world.version
            self._roads: Roads = prepared_roads(world, told=partial(tell, "landmarks"))
            self._idle: list[Any] = [new_traveller(self._roads)]
        self._slant = 2.0 if world.neighbors == 4 else world.diagonal
        self.seconds = time.perf_counter() - began
        """The time to prepare it."""

    @classmethod
    def of(cls, world: Grid, tell: Tell = lambda what, done, total: None) -> "Paths":
        """Return what is prepared for the world as it is now; made if necessary, and kept by the world.

        `tb.shortest_path` does not use it yet: see `Grid.prepare`.
        """
        kept: Paths | None = world.prepared.get(MADE)
        if kept is None:
            kept = cls(world, tell)
            if kept.current:
                world.prepared[MADE] = kept
        return kept

    def __repr__(self) -> str:
        graph = self._roads.graph
        return f"Paths({len(graph.cells)} corners, {len(graph.edges)} links, {self._roads.landmarks} landmarks)"

    @property
    def current(self) -> bool:
        """Whether the map is still the one that it was prepared for."""
        return self.version == self.world.version

    @property
    def corners(self) -> np.ndarray:
        """The cells at the ends of walls, `[n, 2]` with x and y: paths turn at them."""
        return places_of(self.world, self._roads.graph.cells)

    @property
    def nbytes(self) -> int:
        """Memory of the graph, the landmarks, and of as many searches as there were threads at a time."""
        graph, idle = self._roads.graph, list(self._idle)
        lines = graph.lines
        shared = [lines.stops, graph.cells, graph.parts, graph.first, graph.edges, self._roads.distances]
        twin = [lines.grid.moves] if lines.stairs else []
        node = 16 + 8  # see `search.types` and `CornerQuery.arrival`
        return sum(array.nbytes for array in shared + twin) + len(idle) * node * len(graph.cells)

    def describe(self) -> str:
        """Describe its parts, its preparation time and its memory, in words."""
        share = len(self._roads.graph.cells) / max(1, int(np.count_nonzero(self.world.passable)))
        held = f"{self.nbytes / 1e6:.1f} MB, prepared in {self.seconds:.2f} s"
        state = "" if self.current else "; the map has changed since: prepare it again"
        return f"{self!r}: {share:.1%} of the free cells are corners; {held}{state}"

    def shortest_path(self, start: Any, goal: Any) -> Path:
        """Return a cheapest path from start to goal."""
        ends = self.world.state(start), self.world.state(goal)
        with self._at_work():
            return self.path_between(*ends)

    def path_between(self, start: int, goal: int) -> Path:
        """Return the same between cells with these numbers, for callers that keep changes out."""
        search = self._take()
        straight, diagonal, expansions, cells = path_between(search, start, goal)
        self._idle.append(search)
        cost = math.inf if straight < 0 else float(straight + diagonal * self._slant)
        return Path(self.world, straight >= 0, cost, cells, expansions)

    def shortest_paths(self, starts: Any, goals: Any, *, threads: int = 1) -> PathBatch:
        """Return cheapest paths from each start to its goal; see `tb.shortest_paths`."""
        return self.paths_between(ends_of(self.world, starts, goals), threads)

    def paths_between(self, ends: np.ndarray, threads: int) -> PathBatch:
        """Return the same between pairs of cells with these numbers."""
        return PathBatch([path for piece in self._in_pieces(self._paths, ends, threads) for path in piece])

    def costs(self, starts: Any, goals: Any, *, threads: int = 1) -> np.ndarray:
        """Return the cost of a cheapest path from each start to its goal, infinite if there is none, without paths."""
        ends = ends_of(self.world, starts, goals)
        return np.concatenate([np.empty(0), *self._in_pieces(self._costs, ends, threads)])

    def _take(self) -> Any:
        """Return an idle search, or a new one. If it fails, it is not reused."""
        try:
            return self._idle.pop()
        except IndexError:
            return new_traveller(self._roads)

    @contextmanager
    def traveller(self) -> Iterator[Any]:
        """Lend such a search."""
        found = self._take()
        yield found
        self._idle.append(found)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Keep changes out while this lasts."""
        with self.world.changes.gate.work():
            if not self.current:
                raise ProblemError("the world has changed since these paths were prepared; call world.prepare() again")
            yield

    def _in_pieces(self, work: Callable[[np.ndarray], Any], ends: np.ndarray, threads: int) -> list[Any]:
        pieces = [ends[first : first + PIECE].ravel() for first in range(0, len(ends), PIECE)]
        with self._at_work():
            return in_threads(work, pieces, threads)

    def _costs(self, pairs: np.ndarray) -> np.ndarray:
        with self.traveller() as search:
            straight, diagonal = moves_between(search, pairs).reshape(-1, 2).T
        return np.where(straight < 0, np.inf, straight + diagonal * self._slant)

    def _paths(self, pairs: np.ndarray) -> list[Path]:
        return [self.path_between(*pair) for pair in pairs.reshape(-1, 2).tolist()]
