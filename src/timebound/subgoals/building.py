"""Build a case base piece by piece: in this process, in several, or on a cluster; interrupted builds can resume."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ..core.disk import path_of
from ..core.errors import CaseError, ProblemError
from ..core.limits import MOST_RECORDS, MOST_WORKERS
from ..core.parallel import results
from ..core.values import flag, one_of, seed_number, whole
from ..core.version import __version__
from ..core.wording import shown
from ..worlds import Grid
from . import coverage as regions
from .case_files import VERSION, are_records, is_row_of_regions
from .cases import COVERAGES, CaseBase, Tell, base_of, identity
from .journal import Arrays, Journal
from .records import FreeGround, Records, joined, random_pairs, records_between, records_far_apart

Piece = TypeVar("Piece")  # of the work

_RANDOM, _LOCAL = 16, 1000  # records per piece: far apart, or between neighbours


def build(works: "Works", records: int, seed: int, coverage: str, output: Any, resume: bool) -> CaseBase:
    """See `CaseBase.build`."""
    records = whole(records, f"a base has from 1 to {MOST_RECORDS:,} records", most=MOST_RECORDS)
    seed, coverage = seed_number(seed), one_of(coverage, COVERAGES, f"coverage is {' or '.join(COVERAGES)}")
    ground = FreeGround.of(works.world)  # rejects a map with nothing to record
    make = _even if coverage == "even" else _random
    if output is None:
        if flag(resume, "resume"):
            raise ProblemError("resume needs an output file: only then is there something to resume")
        return make(works, ground, records, seed)
    what = {"format": VERSION, "version": __version__, "coverage": coverage, "seed": seed, "records": records}
    file = path_of(output, CaseError)
    with closing(Journal(file, {**what, "world": identity(works.world)}, flag(resume, "resume"))) as works.journal:
        base = make(works, ground, records, seed)
        base.save(file)
        works.journal.remove()
    return base


def small_base(world: Grid, records: int, coverage: str) -> CaseBase:
    """Return a base for agents without one; the world keeps it. It is empty if there is nothing to record."""
    key = f"{records} cases, {coverage}"
    base: CaseBase | None = world.prepared.get(key)
    if base is None:
        before: CaseBase | None = world.prepared_before.get(key)  # for an earlier version of the map
        with suppress(CaseError):  # repair may be impossible
            base = before and before.repaired(world)
        try:
            base = base or CaseBase.build(world, records, coverage=coverage)
        except ProblemError:
            base = base_of(world, coverage, 0, joined([]))
        world.prepared[key] = base
    return base


def _random(works: "Works", ground: FreeGround, records: int, seed: int) -> CaseBase:
    """Build the base of the kNN LRTA* paper."""
    world, ends = works.world, [*range(0, records, _RANDOM), records]
    pairs = [random_pairs(world, ground, seed, first, end) for first, end in pairwise(ends)]
    made = works.do("records", 0, records_far_apart, pairs)
    return base_of(world, "random", seed, joined([Records(*one) for one in made]))


def _even(works: "Works", ground: FreeGround, records: int, seed: int) -> CaseBase:
    """Build records between neighbouring regions. Nothing is random: the seed does not matter."""
    world = works.world
    side = regions.side_for(world, records)
    rows = works.do("rows of regions", 0, regions.cut_row, [(side, row) for row in range(regions.rows_of(world, side))])
    count, labels, seeds = 0, [], []
    for row_labels, row_seeds in rows:
        labels.append(np.where(row_labels >= 0, row_labels + count, row_labels))
        seeds.append(row_seeds)
        count += len(row_seeds)
    cells, centres = np.concatenate(labels), np.concatenate(seeds)
    touching = regions.touching(world, cells, len(centres))
    plan = regions.plan(centres, regions.weights(world, cells, centres), touching, records)
    ends = plan.seeds[plan.pairs].astype(np.int32)
    pieces = [ends[first : first + _LOCAL] for first in range(0, len(ends), _LOCAL)]
    made = works.do("pieces of records", len(rows), records_between, pieces)
    kept = joined([Records(*one) for one in made])
    return base_of(world, "even", seed, kept, plan.seeds, plan.pairs[:, 1], side, plan.least)


class Works:
    """The workers of a build, and its journal."""

    journal: Journal | None = None

    def __init__(self, world: Grid, workers: int, cluster: str | None, tell: Tell):
        rule = f"the number of workers is a whole number from 1 to {MOST_WORKERS}"
        self.world, self.workers = world, whole(workers, rule, most=MOST_WORKERS)
        if not (cluster is None or isinstance(cluster, str)):
            raise ProblemError(f"cluster must be the address of a Dask scheduler, not {shown(cluster)}")
        if not callable(tell):
            raise ProblemError(f"tell must be a function that takes the progress, not {shown(tell)}")
        self.cluster, self.tell = cluster, tell

    def do(self, what: str, first: int, work: Callable[[Grid, Piece], Arrays], pieces: Sequence[Piece]) -> list[Arrays]:
        """Return the results of all pieces, in order; `first` is the number of the first in the journal."""
        done = {} if self.journal is None else self.journal.done
        made = {
            number: done[number]
            for number, piece in enumerate(pieces, first)
            if number in done and _SOUND[work](self.world, piece, done[number])
        }
        left = [(number, work, piece) for number, piece in enumerate(pieces, first) if number not in made]
        with closing(results(_numbered, self.world, left, self.workers, self.cluster)) as finished:
            for count, (number, arrays) in enumerate(finished, 1):
                if self.journal is not None:
                    self.journal.note(number, arrays)
                made[number] = arrays
                self.tell(what, count, len(left))
        return [made[number] for number in range(first, first + len(pieces))]


def _numbered(world: Grid, piece: tuple[int, Callable[[Grid, Piece], Arrays], Piece]) -> tuple[int, Arrays]:
    number, work, what = piece
    return number, tuple(work(world, what))


# A journal entry counts only if the work could have made it.
_SOUND: dict[Callable[[Grid, Any], Arrays], Callable[[Grid, Any, Arrays], bool]] = {
    records_between: are_records,
    records_far_apart: are_records,
    regions.cut_row: is_row_of_regions,
}
