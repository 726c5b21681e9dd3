"""Estimate how long an experiment would take: run a few problems of every configuration, and store nothing."""

from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from typing import NamedTuple

from .pieces import Piece, run_piece
from .preparation import Knowledge, Need, work_out
from .run import Plan

_TRIED = 3  # problems per configuration
_SHARE = 20  # one in this many records of a random case base is made


class Estimate(NamedTuple):
    """The estimated time of an experiment, in seconds of one processor."""

    pieces: int
    episodes: int
    preparing: float
    running: dict[str, float]
    """By agent."""

    @property
    def seconds(self) -> float:
        """In all."""
        return self.preparing + sum(self.running.values())


def estimate(plan: Plan) -> Estimate:
    """Try an experiment. The times of a few problems give the order of magnitude, not more."""
    of_each: dict[object, list[Piece]] = {}
    for piece in plan.pieces:
        of_each.setdefault(piece.configuration, []).append(piece)
    tried = {configuration: _some(pieces) for configuration, pieces in of_each.items()}
    prepared, preparing = _prepare([piece for some in tried.values() for piece in some], plan.pieces)
    running: dict[str, float] = {}
    for configuration, some in tried.items():
        episodes = sum(len(piece.problems) for piece in of_each[configuration])
        seconds = sum(_time(piece, prepared) for piece in some) / len(some)
        label = some[0].configuration.label
        running[label] = running.get(label, 0.0) + seconds * episodes
    return Estimate(len(plan.pieces), sum(len(piece.problems) for piece in plan.pieces), preparing, running)


def _some(pieces: Sequence[Piece]) -> list[Piece]:
    """Return a few pieces of one problem each, from the first to the last."""
    single = [(piece, number) for piece in pieces for number in range(len(piece.problems))]
    places = dict.fromkeys(round(n * (len(single) - 1) / (_TRIED - 1)) for n in range(_TRIED))
    return [
        replace(piece, first=piece.first + number, problems=(piece.problems[number],))
        for piece, number in (single[place] for place in places)
    ]


def _time(piece: Piece, prepared: dict[str, Knowledge]) -> float:
    began = process_time()
    run_piece(piece, prepared)
    return process_time() - began


def _prepare(tried: Sequence[Piece], pieces: Sequence[Piece]) -> tuple[dict[str, Knowledge], float]:
    """Prepare what the tried pieces need, random bases in small; return it, and the time for everything."""
    prepared: dict[str, Knowledge] = {}
    times: dict[object, list[float]] = {}
    for need in (need for piece in tried for need in piece.needs()):
        if need.key not in prepared:
            began = process_time()
            prepared[need.key], share = _in_small(need)
            times.setdefault(need.what, []).append((process_time() - began) * share)
    all_needs = {need.key: need.what for piece in pieces for need in piece.needs()}
    return prepared, sum(sum(times[what]) / len(times[what]) for what in all_needs.values())


def _in_small(need: Need) -> tuple[Knowledge, int]:
    """Return what is needed, or a small share of it, and the factor to the whole."""
    what = dict(need.what)
    if what.get("coverage") != "random":
        return work_out(need), 1
    what["records"] = max(1, what["records"] // _SHARE)
    return work_out(replace(need, what=tuple(what.items()))), _SHARE
