"""Estimate how long an experiment would take: run a few problems of every configuration, and store nothing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import NamedTuple

from .pieces import Piece, run_piece
from .preparation import Knowledge, work_out
from .run import Plan

_FEWEST, _MOST = 3, 12  # problems tried per configuration
_GOLDEN = (math.sqrt(5) - 1) / 2  # the fractions of its multiples are spread evenly
_ENOUGH = 60.0  # seconds after which the fewest are enough
_SHARE = 20  # one in this many records of a random case base is made


class Estimate(NamedTuple):
    """The estimated time of an experiment, in seconds of one processor."""

    pieces: int
    episodes: int
    preparing: float
    running: dict[str, float]  # by agent

    @property
    def seconds(self) -> float:
        """The total."""
        return self.preparing + sum(self.running.values())


def estimate(plan: Plan) -> Estimate:
    """Try an experiment. The times of a few problems give the order of magnitude, not more: some take far longer."""
    of_each: dict[object, list[Piece]] = {}
    for piece in plan.pieces:
        of_each.setdefault(piece.configuration, []).append(piece)
    some = {configuration: _some(pieces) for configuration, pieces in of_each.items()}
    prepared, preparing = _prepare([piece for tried in some.values() for piece in tried[:_FEWEST]], plan.pieces)
    running: dict[str, float] = {}
    for configuration, seconds in _times(some, prepared).items():
        label = some[configuration][0].configuration.label
        episodes = sum(len(piece.problems) for piece in of_each[configuration])
        running[label] = running.get(label, 0.0) + sum(seconds) / len(seconds) * episodes
    return Estimate(len(plan.pieces), sum(len(piece.problems) for piece in plan.pieces), preparing, running)


def _some(pieces: Sequence[Piece]) -> list[Piece]:
    """Return a few pieces of one problem each: the first, the last, the middle one, then others in between."""
    single = [(piece, number) for piece in pieces for number in range(len(piece.problems))]
    shares = (0, 1, 0.5, *(n * _GOLDEN % 1 for n in range(1, _MOST)))
    places = [*dict.fromkeys(round(share * (len(single) - 1)) for share in shares)][:_MOST]
    return [
        replace(piece, first=piece.first + number, problems=(piece.problems[number],))
        for piece, number in (single[place] for place in places)
    ]


def _times(some: Mapping[object, Sequence[Piece]], prepared: dict[str, Knowledge]) -> dict[object, list[float]]:
    """Return the times of some pieces: the fewest, and more as long as that does not take long."""
    times: dict[object, list[float]] = {configuration: [] for configuration in some}
    for turn in range(_MOST):
        if turn >= _FEWEST and sum(map(sum, times.values())) >= _ENOUGH:
            break
        for configuration, pieces in some.items():
            if turn < len(pieces) and all(need.key in prepared for need in pieces[turn].needs()):
                began = process_time()
                run_piece(pieces[turn], prepared)
                times[configuration].append(process_time() - began)
    return times


def _prepare(tried: Sequence[Piece], pieces: Sequence[Piece]) -> tuple[dict[str, Knowledge], float]:
    """Prepare what the tried pieces need; return it, and the time for everything.

    Of random case bases only a small share is made, and their time is multiplied.
    """
    prepared: dict[str, Knowledge] = {}
    times: dict[object, list[float]] = {}
    for need in (need for piece in tried for need in piece.needs()):
        if need.key not in prepared:
            what, share = dict(need.what), 1
            if what.get("coverage") == "random":
                what["records"], share = max(1, what["records"] // _SHARE), _SHARE
            began = process_time()
            prepared[need.key] = work_out(replace(need, what=tuple(what.items())))
            times.setdefault(need.what, []).append((process_time() - began) * share)
    all_needs = {need.key: need.what for piece in pieces for need in piece.needs()}
    return prepared, sum(sum(times[what]) / len(times[what]) for what in all_needs.values())
