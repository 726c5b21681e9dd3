"""A run in small pieces: some problems, one configuration of an agent. A piece is self-contained."""

import json
import math
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from ..agents import Agent, make
from ..agents.catalogue import KINDS, Kind
from ..agents.episode import Episode
from ..agents.registry import exists, fill_in, find_kind, look_in, names
from ..core.errors import ProblemError, TimeboundError
from ..core.wording import nearest, shown
from ..subgoals.cases import CaseBase
from ..worlds import Grid
from . import puzzles
from .experiment import Configuration, Entrant, Experiment, Made, batches
from .files import Keys
from .measures import EXPENSIVE, FIGURES, OPTIMAL, PACE, PREPARED, Seen, Tempo
from .preparation import Knowledge, Need, need_of, without_need
from .watching import among_walls, hidden_walls, watched
from .worlds import Place, fingerprint_of, obstacles, open_problems, open_world, optimal_cost

Row = dict[str, Any]


@dataclass(frozen=True)
class Piece:
    """Some problems for one configuration."""

    number: int
    configuration: Configuration
    places: tuple[Place, ...]
    first: int  # number of the first problem, counted over all places
    problems: tuple[tuple[int, int], ...]  # the index of the place, and of its problem
    terrain: str
    most_intervals: int
    figures: tuple[str, ...]
    folder: str  # the folder of the user's own modules
    walls: int = 1  # the length of the hidden obstacles of partial terrain, in cells
    known: str = ""  # the characters of obstacles that agents know in unknown terrain

    def need(self, place: int) -> Need | None:
        """Return what must have been prepared for it on one of its places."""
        return need_of(self.configuration, self.places[place], bool({*self.figures} & {*PREPARED}))

    def needs(self) -> list[Need]:
        """Return what must have been prepared for it."""
        needs = (self.need(place) for place in dict.fromkeys(place for place, _ in self.problems))
        return [need for need in needs if need is not None]


def cut(experiment: Experiment, places: Sequence[Place]) -> list[Piece]:
    """Return all pieces of a run. They are ordered by problems, not by agents, so that an interrupted run has results
    of all agents, and progress is even. In each round of the same problems all agents take turns."""
    rules: dict[str, Any] = {
        "terrain": experiment.terrain,
        "most_intervals": experiment.most_intervals,
        "figures": tuple(name for name in FIGURES if name not in EXPENSIVE or name in experiment.measured),
        "folder": experiment.folder,
        "walls": experiment.walls,
        "known": experiment.known,
    }
    pieces: list[Piece] = []
    per_place = places[0].count
    for some, first, count in batches(len(places), per_place):
        numbers = (divmod(number, per_place) for number in range(first, first + count))
        where = tuple(places[some.start : some.stop]), first, tuple((n - some.start, problem) for n, problem in numbers)
        for configuration in experiment.configurations() * experiment.rounds:
            pieces.append(Piece(len(pieces), configuration, *where, **rules))
    return pieces


def run_piece(piece: Piece, prepared: Mapping[str, Knowledge]) -> list[Row]:
    """Run every episode of a piece, with what was prepared."""
    with _in_a_line(piece):
        return [_episode(piece, prepared, piece.first + n, *where) for n, where in enumerate(piece.problems)]


def try_piece(piece: Piece) -> None:
    """Make the first agent of a piece, if it needs no preparation: what cannot be run is rejected here."""
    with _in_a_line(piece):
        place, problem = piece.problems[0]
        open_problems(piece.places[place])
        if piece.need(place) is None:
            _agent(piece, piece.first, place, problem)


@contextmanager
def _in_a_line(piece: Piece) -> Iterator[None]:
    """Report errors in the user's own code in one line."""
    try:
        yield
    except TimeboundError:
        raise
    except Exception as error:
        if piece.configuration.agent in KINDS and piece.places[0].made is None:
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        raise ProblemError(f"{where}, in {piece.configuration}: {type(error).__name__}: {error}") from None


def _agent(piece: Piece, number: int, place: int, problem: int, cases: CaseBase | None = None) -> Any:
    configuration, where = piece.configuration, piece.places[place]
    world = open_world(where, configuration.grid)
    start, goal = open_problems(where)[problem]
    parameters = dict(configuration.parameters) | ({} if cases is None else {"cases": cases})
    if piece.walls > 1:
        parameters["hidden"] = 0.0  # the lab hides the obstacles
    kind = kind_of(configuration.agent, piece.folder)
    agent = make(kind, world, start, goal, terrain=piece.terrain, seed=number, **parameters)
    if known := obstacles(where, piece.known):
        agent.observe(blocked=known)
    return agent


def _episode(piece: Piece, prepared: Mapping[str, Knowledge], number: int, place: int, problem: int) -> Row:
    configuration, where = piece.configuration, piece.places[place]
    need = piece.need(place)
    known = Knowledge(without_need(configuration)) if need is None else prepared[need.key]
    agent = _agent(piece, number, place, problem, known.cases)
    began, worked = perf_counter(), process_time()
    episode, pace = _run(piece, agent, number, place, problem)
    share = min(1.0, (process_time() - worked) / max(1e-9, perf_counter() - began))
    if isinstance(episode, Episode) and {*piece.figures} & {*OPTIMAL}:
        episode.knowing(optimal_cost(where, configuration.grid, problem))
    start, goal = open_problems(where)[problem]
    interval_us = 1000 * configuration.budget if configuration.unit == "ms" else math.nan
    seen = Seen(episode, known.figures, pace, open_world(where, configuration.grid).states, interval_us, share)
    return {
        "problem": number,
        "world": where.name,
        "fingerprint": fingerprint_of(where),
        "start": json.dumps(start, default=str),
        "goal": json.dumps(goal, default=str),
        "seed": number,
        "label": configuration.label,
        "agent": configuration.agent,
        "parameters": json.dumps(dict(configuration.parameters), sort_keys=True),
        "unit": configuration.unit,
        "budget": float(configuration.budget),
        "settings": configuration.stored_settings,
        "solved": episode.solved,
        "stop": episode.stop,
        **{name: float(FIGURES[name](seen)) for name in piece.figures},
    }


def _run(piece: Piece, agent: Any, number: int, place: int, problem: int) -> tuple[Any, Tempo]:
    """Run the episode of an agent; watch its pace only if requested and possible."""
    configuration, most = piece.configuration, piece.most_intervals
    budget = {} if math.isinf(configuration.budget) else {configuration.unit: configuration.budget}
    world = open_world(piece.places[place], configuration.grid)
    if piece.walls > 1 and isinstance(world, Grid):
        share = fill_in(find_kind(configuration.agent), dict(configuration.parameters))["hidden"]
        truth = hidden_walls(world, *open_problems(piece.places[place])[problem], share, piece.walls, number)
        return among_walls(agent, truth, budget, most)
    if {*piece.figures} & {*PACE} and isinstance(agent, Agent):
        return watched(agent, budget, most, "most_expansions" in piece.figures)
    return agent.run(**budget, intervals=most), Tempo()


def kind_of(agent: str, folder: str, terrain: str | None = None) -> Kind:
    """Return the kind of an agent by its name, or by the user's `module:name`; modules may be in the folder."""
    if ":" in agent:
        look_in(folder)
    return find_kind(agent, terrain)


def check_agents(experiment: Experiment, entries: Sequence[Entrant]) -> None:
    """Reject agents that do not exist, do not support the terrain or lack a parameter, before anything runs."""
    for entry in entries:
        try:
            if not exists(entry.agent):
                raise ProblemError(f"agent {entry.agent!r} is not available; {nearest(entry.agent, names())}")
            kind = kind_of(entry.agent, experiment.folder, experiment.terrain)
            for configuration in entry.configurations():
                fill_in(kind, dict(configuration.parameters))
        except TimeboundError as error:  # at a parameter that it names, or at the agent
            named = next((name for name in entry.parameters if repr(name) in str(error)), "")
            keys = ("agents", entry.label, *(("parameters", named) if named else ("agent",)))
            raise ProblemError(f"{experiment.source.where(keys)}: {str(error)[:500]}") from None


def refuse_code(experiment: Experiment) -> None:
    """Reject an experiment that would run code: functions named by an import path, except the lab's own."""
    named: dict[Keys, str] = {
        ("agents", entry.label, "agent"): entry.agent for entry in experiment.entries if ":" in entry.agent
    }
    if isinstance(experiment.worlds, Made):
        named |= {("worlds", key): getattr(experiment.worlds, key) for key in ("make", "draw")}
    for keys, path in named.items():
        if path.partition(":")[0] != puzzles.__name__:
            where = experiment.source.where(keys)
            raise ProblemError(f"{where}: {shown(path)} names code to import, which --no-code forbids")
