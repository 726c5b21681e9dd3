"""The case base: solved problems on one map, compressed to subgoals, and an index to find the right one.

A base has one of two coverages. `"random"` is the kNN LRTA* paper's: optimal paths between random cells; an agent uses
the record whose ends are nearest to its own problem. `"even"` has a record between the centres of any two neighbouring
regions (see `coverage`); an agent goes from record to record.
"""

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..core.disk import path_of
from ..core.errors import CaseError, ProblemError
from ..core.values import whole
from ..worlds import Grid, World
from ..worlds.world import a_world
from .kd_tree import NODE, Tree, balanced, depth
from .records import Records

COVERAGES = ("even", "random")
NOTHING = np.empty(0, np.int32)


class Cases(NamedTuple):
    """The compiled form of a base."""

    states: np.ndarray  # of all records, one after the other
    first: np.ndarray  # those of record r begin at first[r], and end before first[r + 1]
    costs: np.ndarray  # of the paths, in the world's unit
    seeds: np.ndarray  # even coverage: the centre of every region
    leaving: np.ndarray  # the records from leaving[z] to before leaving[z + 1] begin at the centre of region z
    arriving: np.ndarray  # and record r ends at the centre of region arriving[r]
    tree: Tree  # of the ends of all records, or of the centres


# The arrays of a base and of its file.
ARRAYS = {
    "states": np.int32,
    "first": np.int32,
    "costs": np.int64,
    "seeds": np.int32,
    "leaving": np.int32,
    "arriving": np.int32,
    "tree": np.int32,  # rows of `NODE`
    "map": np.uint8,  # which cells are free, one bit each, compressed by zlib: to find changes
}

Tell = Callable[[str, int, int], None]


class CaseBase:
    """Solved problems on one map, for agents that use subgoals (`knn-lrta`).

    Made by `build` or `load`, stored by `save`; a base is for one map and one set of grid rules. (Its arrays
    are not copied when it is made: processes that load one file share them.)

    Examples
    --------
    >>> import timebound as tb
    >>> world = tb.Grid.load("harbour")
    >>> cases = tb.CaseBase.build(world, records=200, seed=1)
    >>> cases
    CaseBase(harbour, even coverage, ...)
    >>> tb.make("knn-lrta", world, (12, 100), (180, 14), cases=cases).run().solved
    True
    """

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        self.about, self.arrays = dict(about), dict(arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return CaseBase, (self.about, self.arrays)  # the compiled form is made again

    # ---------------------------------------------------------------- making, reading and writing

    @classmethod
    def build(
        cls,
        world: World,
        records: int = 10_000,
        *,
        seed: int = 0,
        coverage: str = "even",
        workers: int = 1,
        cluster: str | None = None,
        output: str | PathLike[str] | None = None,
        resume: bool = False,
        tell: Tell = lambda what, done, total: None,
    ) -> "CaseBase":
        """Solve problems on a map, and keep what agents can use of the solutions.

        The same seed gives the same base, whatever the number of workers.

        Parameters
        ----------
        records
            The number of records; the most for `"even"` coverage, where more records mean smaller regions.
        coverage
            `"even"`, or `"random"` as in the kNN LRTA* paper.
        workers
            Processes on this machine.
        cluster
            The address of a Dask scheduler, whose workers do the work instead.
        output
            The file to save the base to. A journal next to it records finished work: with `resume`, an interrupted
            build continues from there.
        tell
            Called with what is being made, how many pieces of it are done, and how many there are.
        """
        from .building import Works, build

        works = Works(a_grid(world), workers, cluster, tell)
        return build(works, records, seed, coverage, output, resume)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the base to a file: all of it, or nothing."""
        from .case_files import write

        write(path_of(file, CaseError), self.about, self.arrays)

    @classmethod
    def load(cls, file: str | PathLike[str]) -> "CaseBase":
        """Load a base from a file. Its arrays are mapped into memory: all processes that load it share them."""
        from .case_files import read

        return cls(*read(path_of(file, CaseError)))

    def __len__(self) -> int:
        return len(self.arrays["first"]) - 1

    def __repr__(self) -> str:
        kind = f"{self.coverage} coverage, {len(self)} records"
        regions = f" between {len(self.arrays['seeds'])} regions" if self.coverage == "even" else ""
        return f"CaseBase({self.about['name'] or 'unnamed map'}, {kind}{regions}, {self.nbytes / 1000:.0f} kB)"

    @property
    def coverage(self) -> str:
        """`"even"` or `"random"`."""
        return str(self.about["coverage"])

    @property
    def nbytes(self) -> int:
        """Bytes of memory that agents use."""
        return sum(array.nbytes for name, array in self.arrays.items() if name != "map")

    def record(self, number: int) -> Sequence[tuple[int, int]]:
        """Return the subgoals of a record as (x, y), including its start and end."""
        number = whole(number, f"there are records 0 to {len(self) - 1}", 0, len(self) - 1)
        states = records_in(self.arrays).of(number)
        width = self.about["width"]
        return [(state % width, state // width) for state in states.tolist()]

    @cached_property
    def compiled(self) -> Cases:
        """Its compiled form."""
        values = self.arrays
        span = 1 if self.coverage == "even" else 2
        tree = Tree(values["tree"].view(NODE), span)
        return Cases(**{name: values[name] for name in Cases._fields[:-1]}, tree=tree)

    @cached_property
    def levels(self) -> int:
        """The number of levels of its kd-tree."""
        return int(depth(self.compiled.tree))

    # ---------------------------------------------------------------- the map that it is for

    def check(self, world: World) -> None:
        """Reject a world that the base is not for."""
        expected, given = self.about["world"], identity(a_grid(world))
        for name, value in given.items():
            if expected[name] != value and name != "map":
                raise CaseError(f"the cases are for a grid with {name} {expected[name]}, but this one has {value}")
        if expected["map"] != given["map"]:
            raise CaseError(
                f"the cases are for another map ({self.about['name'] or 'unnamed'}), or it has changed since; "
                "build new ones, or repair these: CaseBase.repaired(world)"
            )
        if self.arrays["costs"].max(initial=0) > world.states * world.highest_cost:
            raise CaseError("a record of these cases costs more than any path on this map; build new ones")

    def map_then(self) -> np.ndarray:
        """Return the map that it was built for: which cells were free."""
        height, width = self.about["height"], self.about["width"]
        return unpacked(self.arrays["map"], height * width)[0].reshape(height, width)

    def repaired(self, world: Grid) -> "CaseBase":
        """Return the base for a map that has changed a little: valid records are kept, others repaired or removed."""
        from .case_repair import repaired

        return repaired(self, a_grid(world))


def a_grid(world: World) -> Grid:
    """Return the world, if it supports cases."""
    grid = a_world(world)
    if not isinstance(grid, Grid):
        raise ProblemError(f"cases are for grids, not for a {type(world).__name__}")
    return grid


def identity(world: Grid) -> dict[str, Any]:
    """Return what a base depends on: if any of these changes, climbs go elsewhere."""
    travel = "" if world.travel is None else hashlib.sha256(world.travel.tobytes()).hexdigest()
    return {
        "width": world.width,
        "height": world.height,
        "neighbours": world.neighbors,
        "corners": world.corners,
        "diagonal": world.diagonal,
        "heuristic": world.heuristic,
        "travel": travel,
        "map": hashlib.sha256(np.packbits(world.passable).tobytes()).hexdigest(),
    }


def base_of(
    world: Grid,
    coverage: str,
    seed: int,
    records: Records,
    seeds: np.ndarray = NOTHING,
    arriving: np.ndarray = NOTHING,
    side: int = 0,
    least: int = 0,
) -> CaseBase:
    """Make a base from its records; for even coverage, in the order of the regions that they leave.

    For repairs, `side` is that of the squares, and `least` the least weight of a region that is not merged.
    """
    index = index_of(coverage, world.width, records, seeds)
    packed = np.frombuffer(zlib.compress(np.packbits(world.passable).tobytes(), 6), np.uint8)
    values = (*records, seeds, index["leaving"], arriving, index["tree"], packed)
    about = {"name": world.name, "coverage": coverage, "seed": seed, "width": world.width, "height": world.height}
    about |= {"side": side, "least": least, "world": identity(world)}
    arrays = {
        name: np.ascontiguousarray(value, kind) for (name, kind), value in zip(ARRAYS.items(), values, strict=True)
    }
    return CaseBase(about, arrays)


def records_in(arrays: Mapping[str, np.ndarray]) -> Records:
    """Return the records of a base."""
    return Records(arrays["states"], arrays["first"], arrays["costs"])


def ends_of(records: Records) -> np.ndarray:
    """Return start and end of every record."""
    return np.stack([records.states[records.first[:-1]], records.states[records.first[1:] - 1]], axis=1)


def index_of(coverage: str, width: int, records: Records, seeds: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of the index."""
    ends, leaving = ends_of(records), np.empty(0, np.int64)
    if coverage == "even":
        leaving = np.searchsorted(np.searchsorted(seeds, ends[:, 0]), np.arange(len(seeds) + 1))
    cells = seeds if coverage == "even" else np.ascontiguousarray(ends).ravel()
    tree = balanced(cells.astype(np.int32), 1 if coverage == "even" else 2, width)
    return {"leaving": leaving, "tree": tree.rows.view(np.int32)}


def unpacked(content: np.ndarray, cells: int) -> tuple[np.ndarray, str]:
    """Return which cells are free, and their fingerprint; reject data that does not unpack to `cells` cells."""
    unpacker, size = zlib.decompressobj(), -(-cells // 8)
    try:
        bits = unpacker.decompress(content.tobytes(), size + 1)
    except zlib.error:
        bits = b""
    if len(bits) != size or not unpacker.eof or unpacker.unused_data:
        raise CaseError(f"its map does not unpack to {cells} cells")
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=cells).astype(bool), hashlib.sha256(bits).hexdigest()
