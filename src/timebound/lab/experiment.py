"""An experiment as data: worlds, problems, agents, budgets, measures, published numbers and claims.

`spec` reads one from its file.
"""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct

from ..maps.model import MAX_CELLS
from .claims import Claim, show
from .files import FromZero, Positive, Source, Texts, Whole
from .measures import EXPENSIVE, Measure

MOST_WORLDS = 100_000
MOST_EPISODES = 2_000_000  # in a scale
_MOST_IN_A_PIECE = 20  # problems
UNITS = {"expansions": "expansions", "ms": "ms", "virtual_ms": "virtual ms"}

Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Generated:
    """Maps from a generator: one for every seed from the first on."""

    generator: str
    options: Options
    seed: int = 0


@dataclass(frozen=True)
class Named:
    """Benchmark maps, such as `sc1/Enigma` or `sc1/*`, and what replaces them on a machine without them."""

    maps: tuple[str, ...]
    stand_in: Generated


class Made(Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own worlds: `make`, a function `module:name` of a seed, and `draw`, a function of a world, a number of
    problems and a seed."""

    make: str
    draw: str
    seed: Whole = 0


Worlds = Generated | Named | Made


class Problems(Struct, frozen=True, forbid_unknown_fields=True):
    """Random pairs from a seed, optionally of bounded length; or those of scenario files next to the maps."""

    seed: Whole = 0
    shortest: FromZero = 0.0
    longest: FromZero = math.inf
    scenarios: bool = False
    apart: FromZero = 0.0  # the least Manhattan distance from start to goal, as a share of the map's width
    hardest: FromZero = math.inf  # the most states that A* expands per move of its path

    def __repr__(self) -> str:
        """Say what decides about results: a bound that is not given does not."""
        return super().__repr__().replace(", hardest=inf", "")


class Scale(Struct, frozen=True):
    """How much to run: the number of worlds, of problems on each, and the size of the worlds."""

    worlds: Annotated[int, Meta(ge=1, le=MOST_WORLDS)] = 0
    problems: Annotated[int, Meta(ge=1, le=MOST_EPISODES)] = 1
    free_cells: Annotated[int, Meta(ge=0, le=MAX_CELLS)] = 0
    """Maps from files are scaled up until they have this many free cells."""
    width: Positive | None = None  # of generated maps, if not the default
    height: Positive | None = None
    shortest: FromZero | None = None  # the lowest optimal cost of problems, if not the default
    longest: FromZero | None = None

    def given(self, *names: str) -> Options:
        """Return those of these options that the file gives."""
        return tuple((name, value) for name in names if (value := getattr(self, name)) is not None)

    def __repr__(self) -> str:
        """Say what decides about results: sizes do so by the maps."""
        bounds = self.given("shortest", "longest")
        return f"Scale(worlds={self.worlds}, problems={self.problems}, bounds={bounds})"


@dataclass(frozen=True)
class Configuration:
    """An agent with all its settings: a row of a table."""

    label: str
    agent: str
    parameters: Options
    unit: str
    budget: float
    grid: Options = ()  # the rules of the grid
    varied: tuple[str, ...] = ()  # the names of the parameters that take several values

    @property
    def settings(self) -> dict[str, Any]:
        """What distinguishes it from other configurations of its agent: the budget, and the varied parameters."""
        return {"budget": self.budget, **{name: value for name, value in self.parameters if name in self.varied}}

    @property
    def stored_settings(self) -> str:
        """The same, as it is stored."""
        return json.dumps(self.settings, sort_keys=True)

    def __str__(self) -> str:
        varied = [f"{name} {show(value)}" for name, value in self.settings.items() if name != "budget"]
        budget = [f"{show(self.budget)} {UNITS[self.unit]}"] if math.isfinite(self.budget) else []
        return " ".join([self.label, *([f"({', '.join(budget + varied)})"] if budget or varied else [])])


@dataclass(frozen=True)
class Entrant:
    """An agent of an experiment, for all its budgets and parameters."""

    label: str
    title: str
    agent: str
    parameters: Mapping[str, Any]
    unit: str
    budgets: tuple[float, ...]
    grid: Options

    @property
    def count(self) -> int:
        """Return the number of its configurations."""
        return math.prod(map(len, self.settings.values()))

    @property
    def settings(self) -> dict[str, Sequence[Any]]:
        """The budget, and the parameters that take several values, with their values."""
        varied = {name: value for name, value in self.parameters.items() if isinstance(value, list)}
        return {"budget": self.budgets, **varied}

    def configurations(self) -> list[Configuration]:
        """Return each budget with each combination of parameters."""
        values = [value if isinstance(value, list) else [value] for value in self.parameters.values()]
        varied = tuple(name for name in self.settings if name != "budget")
        combinations = [tuple(zip(self.parameters, some, strict=True)) for some in itertools.product(*values)]
        return [
            Configuration(self.label, self.agent, parameters, self.unit, budget, self.grid, varied)
            for parameters in combinations
            for budget in self.budgets
        ]


class Published(Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """The paper's numbers: a row has an agent, its settings, and measures; NaN where there is none."""

    columns: tuple[str, ...] = ()
    rows: Annotated[tuple[tuple[Any, ...], ...], Meta(max_length=1000)] = ()

    def value(self, configuration: Configuration, column: str) -> float | None:
        """Return the paper's number for a configuration."""
        for entry in self._entries:
            if _is_of(entry, configuration) and not math.isnan(entry.get(column, math.nan)):
                return float(entry[column])
        return None

    def others(self, entry: Entrant) -> list[Configuration]:
        """Return the rows of an agent with settings that are not run here, as configurations."""
        run = entry.configurations()
        return [
            replace(
                run[0],
                budget=row.get("budget", run[0].budget),
                parameters=tuple((name, row.get(name, value)) for name, value in run[0].parameters),
            )
            for row in self._entries
            if row["agent"] == entry.label and not any(_is_of(row, one) for one in run)
        ]

    @cached_property
    def _entries(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def _is_of(row: Mapping[str, Any], configuration: Configuration) -> bool:
    """Is this row of a published table about this configuration?"""
    here = {"agent": configuration.label, **configuration.settings}
    return all(row.get(name, value) == value for name, value in here.items())


class Shown(Struct, frozen=True, forbid_unknown_fields=True):
    """A table on the page: some measures of some agents."""

    title: str
    measures: tuple[Measure, ...]
    agents: Texts = ()


@dataclass(frozen=True)
class RatioTable:
    """A table on the page: some measures of other configurations, as ratios to one."""

    title: str
    measures: tuple[Measure, ...]
    one: Configuration
    others: tuple[Configuration, ...]
    published: tuple[tuple[float, ...], ...]
    """For every measure, the published ratio of each of the others; NaN where there is none."""


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """A plot: one measure against another, or against a setting; a line for each agent."""

    id: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,60}$")]  # it becomes a file name
    title: str
    y: Measure
    x: str = "budget"
    agents: Texts = ()
    log: tuple[Literal["x", "y"], ...] = ()
    lines: str = ""  # another setting: each of its values gets its own line


class Words(Struct, frozen=True, kw_only=True):
    """The first lines of a file."""

    title: str
    paper: str = ""
    shows: str = ""
    about: str = ""
    differs: str = ""  # what differs from the paper, and why
    terrain: Literal["known", "unknown", "partial"] = "known"
    walls: Annotated[int, Meta(ge=1, le=1000)] = 1  # the length of the hidden obstacles of partial terrain, in cells
    known: str = ""  # the characters of obstacles of map files that agents know in unknown terrain
    most_intervals: Positive = 10_000_000
    rounds: Annotated[int, Meta(ge=1, le=20)] = 1
    """How many times every episode is run, so that times do not depend on one moment."""


class Experiment(Words, frozen=True, kw_only=True, dict=True):
    """The content of an experiment file."""

    name: str
    source: Source
    worlds: Worlds
    problems: Problems
    grid: Options
    entries: tuple[Entrant, ...]
    measures: Mapping[Measure, str]  # measures with their headings
    scales: Mapping[str, Scale]
    published: Published
    tables: tuple[Shown | RatioTable, ...]
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    reference: Configuration | None  # the configuration relative to which memory is saved
    cut_off: Options  # limits of figures: a configuration that exceeds one in some episode does not count

    def configurations(self) -> list[Configuration]:
        """Every row of the table, in the order of the file."""
        return [configuration for entry in self.entries for configuration in entry.configurations()]

    def rows(self, entry: Entrant) -> list[Configuration]:
        """Return the configurations of an agent, and between them those with other settings, only in the paper."""
        others = self.published.others(entry)
        return sorted([*entry.configurations(), *others], key=_order) if others else entry.configurations()

    @cached_property
    def measured(self) -> set[str]:
        """Every figure that the table, the plots and the claims need."""
        measures = [*self.measures, *(term.measure for claim in self.claims for term in claim.terms)]
        measures += [claim.within for claim in self.claims if claim.within is not None]
        measures += [one for figure in self.figures for one in (figure.x, figure.y) if isinstance(one, Measure)]
        return {name for measure in measures for name in measure.figures} | {name for name, _ in self.cut_off}

    @property
    def titles(self) -> dict[str, str]:
        """The paper's names of the agents."""
        return {entry.label: entry.title for entry in self.entries}

    @property
    def folder(self) -> str:
        """The folder of the file, and perhaps of the user's own modules."""
        return str(Path(self.source.name).resolve().parent)

    def what_decides(self, scale: str) -> dict[str, Any]:
        """Return all that the results depend on, in plain values: experiments equal in it have the same results."""
        return {
            "worlds": repr(self.worlds),
            "problems": repr(self.problems),
            "grid": dict(self.grid),
            "terrain": self.terrain,
            "most intervals": self.most_intervals,
            "rounds": self.rounds,
            "walls": self.walls,
            **({"known": self.known} if self.known else {}),
            "agents": [repr(configuration) for configuration in self.configurations()],
            "figures": sorted(self.measured & {*EXPENSIVE}),  # the others are always stored
            "scale": repr(self.scales[scale]),
        }


def _order(configuration: Configuration) -> list[float]:
    return [value if isinstance(value, (int, float)) else 0.0 for value in configuration.settings.values()]


class Batch(NamedTuple):
    """The problems of a piece, numbered over all places: those of the first place come first."""

    places: range
    first: int
    size: int


def batches(places: int, per_place: int) -> Iterator[Batch]:
    """Group problems: those of one place if it has many, otherwise of several places.

    >>> list(batches(3, 8))
    [Batch(places=range(0, 2), first=0, size=16), Batch(places=range(2, 3), first=16, size=8)]
    """
    step = max(1, _MOST_IN_A_PIECE // per_place)
    for start in range(0, places, step):
        some = range(start, min(start + step, places))
        for first in range(some.start * per_place, some.stop * per_place, _MOST_IN_A_PIECE):
            yield Batch(some, first, min(_MOST_IN_A_PIECE, some.stop * per_place - first))
