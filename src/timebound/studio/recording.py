"""Traces in files: what agents did, interval by interval, for replay in the studio or on a standalone page."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ..agents.journey import STOPS
from ..core.disk import Wanted, path_of, read_bytes, write_files
from ..core.errors import ProblemError
from ..maps.model import GROUND, WALL
from ..search.budget import Budget
from ..worlds import Grid
from .client_limits import MOST_AGENTS
from .frames import CHANGES, COLUMNS, HEADER, WORLD, Scribe
from .ground import Ground, ground_of, pack, unpack
from .json_text import text_of

FORMAT, VERSION = "timebound-trace", 1
_MOST_BYTES = 2**28
_FILE = Wanted("a trace", _MOST_BYTES, ProblemError)


@dataclass(frozen=True)
class Recording:
    """A trace that was read."""

    about: Mapping[str, Any]
    """Everything except the records: `map`, `start`, `goal`, `terrain`, `budget`, `agents`, `result`."""
    ground: Ground
    records: bytes

    def _repr_html_(self) -> str:
        """Return a standalone page, for notebooks."""
        from .standalone import in_notebook, replay_html  # only needed to show it

        return in_notebook(replay_html(self))

    def __iter__(self) -> Iterator[tuple[np.ndarray, bytes]]:
        """Yield the header and the columns of every record."""
        place = 0
        while place < len(self.records):
            head = np.frombuffer(self.records, HEADER, 1, place)[0]
            end = place + 4 * int(head["words"])
            yield head, self.records[place + HEADER.itemsize : end]
            place = end


class Recorder:
    """Listens to an agent on a grid, and records what it does.

    >>> import tempfile, timebound as tb
    >>> agent = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
    >>> recorder = Recorder(agent)
    >>> episode = recorder.run(expansions=50)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     recorder.save(f"{folder}/walk.json")
    ...     sum(1 for _ in read(f"{folder}/walk.json")) == episode.intervals + 1
    True
    """

    def __init__(self, agent: Any, listen: Callable[[Any], None] | None = None):
        if not isinstance(agent.world, Grid):
            raise ProblemError(f"traces are recorded on grids, not on a {type(agent.world).__name__}")
        self.agent, self._scribe = agent, Scribe(agent, agent.world, 0)
        self._start, self._budget = agent.position, Budget()
        self._codes = np.where(agent.truth.passable, np.uint8(GROUND), np.uint8(WALL))
        (listen or agent.listen)(self._scribe.hear)
        self._records = [self._scribe.record(agent, 0)]

    def run(self, *, intervals: int | None = None, **budget: float | None) -> Any:
        """Call `agent.run`, and record it."""
        self._budget = Budget(**budget)
        while not self.agent.done and (intervals is None or len(self._records) < intervals):
            self.step(**budget)
        if not self.agent.done:
            self.agent.run(**vars(self._budget), intervals=1)
            self._records.append(self._scribe.record(self.agent, len(self._records)))
        return self.agent.episode()

    def step(self, **budget: Any) -> None:
        """Call `agent.step`, and record it."""
        self.agent.step(**budget)
        self._records.append(self._scribe.record(self.agent, len(self._records)))

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was recorded so far."""
        agent, episode = self.agent, self.agent.episode()
        suboptimality = episode.suboptimality if episode.solved else None
        about = {
            "map": Ground(self._codes, agent.world.name or "map").packed(),
            "start": self._start,
            "goal": agent.goal,
            "terrain": agent.terrain,
            "budget": {name: value for name, value in vars(self._budget).items() if value is not None},
            "agents": [{"name": agent.name, "parameters": dict(agent.parameters), "learns": bool(agent.kind.learning)}],
            "result": {"optimal_cost": episode.optimal_cost, "agents": [figures(0, episode, suboptimality)]},
        }
        write_files({path_of(path): trace_text(about, b"".join(self._records)).encode()})


def figures(number: int, episode: Any, suboptimality: float | None) -> dict[str, Any]:
    """Return the result of an agent, for a page."""
    return {"number": number, "agent": episode.agent, "suboptimality": suboptimality, "episode": episode.as_json()}


def trace_text(about: Mapping[str, Any], records: bytes) -> str:
    """Return the contents of a file."""
    return text_of({"format": FORMAT, "version": VERSION, **about, "records": pack(records)})


# ------------------------------------------------------------------ reading


def read(path: str | PathLike[str]) -> Recording:
    """Read a trace; errors are reported in one line."""
    file = path_of(path, ProblemError)
    try:
        return parsed(read_bytes(file, _FILE))
    except ProblemError as error:
        text = str(error)
        raise ProblemError(text if text.startswith(str(file)) else f"{file}: {text}") from None


def parsed(content: bytes) -> Recording:
    """Return the trace in the contents of a file."""
    try:
        about = json.loads(content)
    except (ValueError, RecursionError):
        raise ProblemError("not a trace: it is not JSON") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ProblemError("not a timebound trace")
    if about.get("version") != VERSION:
        raise ProblemError(
            f"a trace of version {about.get('version')}; this version of timebound reads version {VERSION}"
        )
    described = about.get("map")
    ground = ground_of({**described, "kind": "cells"} if isinstance(described, dict) else None)
    records = unpack(about.pop("records", None), _MOST_BYTES)
    _check_agents(about)
    _check_records(records, ground.codes.size, len(about["agents"]))
    return Recording(about, ground, records)


def _check_agents(about: Mapping[str, Any]) -> None:
    agents = about.get("agents")
    if not isinstance(agents, list) or not 1 <= len(agents) <= MOST_AGENTS:
        raise ProblemError(f"a trace has 1 to {MOST_AGENTS} agents")
    if not all(isinstance(agent, dict) and isinstance(agent.get("name"), str) for agent in agents):
        raise ProblemError("the agents of a trace must have names")


def _check_records(records: bytes, cells: int, agents: int) -> None:
    """Check that every record has the right length, belongs to an agent, and is on the map."""
    place = 0
    while place < len(records):
        if len(records) - place < HEADER.itemsize:
            raise ProblemError("the records of this trace are truncated")
        head = np.frombuffer(records, HEADER, 1, place)[0]
        size, layout = 4 * int(head["words"]), CHANGES if head["agent"] == WORLD else COLUMNS
        needed = sum(int(head[name]) * kind.itemsize for name, kinds in layout.items() for kind in kinds)
        strange = head["agent"] >= agents or head["position"] >= cells or head["stop"] not in STOPS
        wrong_size = size < HEADER.itemsize + needed or size > len(records) - place
        if wrong_size or (strange and head["agent"] != WORLD):
            raise ProblemError("the records of this trace are damaged")
        place += size
