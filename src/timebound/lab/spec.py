"""Read an experiment from its file: structs say which keys and types there are, functions what fits together."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct
from msgspec.structs import asdict, replace

from ..core.errors import TimeboundError
from ..core.wording import nearest, shown
from ..maps.generate import GENERATORS
from ..maps.model import BLOCKED, LEGEND, check_size
from ..search.budget import Budget
from .claims import Settings, find_one, read_claim
from .experiment import (
    MOST_EPISODES,
    UNITS,
    Configuration,
    Entrant,
    Experiment,
    Figure,
    Generated,
    Made,
    Named,
    Options,
    Problems,
    Published,
    RatioTable,
    Scale,
    Shown,
    Words,
    Worlds,
)
from .files import Number, Positive, Source, Texts, TomlTable, Whole, refuse_unfit, source_of
from .measures import FIGURES, SAVED, Measure

SCALES = ("quick", "full")

# Limits of an experiment. Everything is counted before anything is made.
MOST_CONFIGURATIONS = 1_000

_Tables = Annotated[list[dict[str, Any]], Meta(max_length=100)]  # on a page, and as many figures
_Toml: Any = defstruct(
    "_Toml",
    [
        ("reference", str, ""),
        ("cut_off", dict[str, Number], {}),
        ("measures", dict[str, str], {}),
        *((name, dict[str, Any], {}) for name in ("worlds", "problems", "grid", "budget", "published")),
        *((name, dict[str, dict[str, Any]], {}) for name in ("agents", "scale")),
        *((name, _Tables, []) for name in ("tables", "figures")),
        ("claims", Annotated[list[dict[str, Any]], Meta(max_length=500)], []),
    ],
    bases=(Words,),
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
)


class _Maps(Struct, forbid_unknown_fields=True):
    maps: Texts
    stand_in: dict[str, Any] = {}


class _Generator(Struct):
    generator: Literal["random", "maze", "rooms", "caves"]
    width: Positive
    height: Positive
    share: Number | None = None
    corridor: Number | None = None
    room: Number | None = None
    doors: Number | None = None
    seed: Whole = 0


class _Rules(Struct, forbid_unknown_fields=True):
    neighbors: Literal[4, 8, 16] = 8
    corners: Literal["strict", "cut"] = "strict"
    diagonal: Annotated[int, Meta(ge=1)] | Annotated[float, Meta(ge=1)] = math.sqrt(2)
    heuristic: Literal["auto", "manhattan", "octile", "euclidean", "knight", "none"] = "auto"


class _Track(Struct, forbid_unknown_fields=True):
    speed: Annotated[int, Meta(ge=1, le=10)]


class _Budget(Struct, forbid_unknown_fields=True):
    expansions: tuple[Number, ...] | None = None
    ms: tuple[Number, ...] | None = None
    virtual_ms: tuple[Number, ...] | None = None


class _Agent(Struct, forbid_unknown_fields=True):
    agent: str = ""
    title: str = ""
    parameters: dict[str, Any] = {}
    budgets: tuple[Number, ...] | None = None
    grid: dict[str, Any] = {}


class _Beside(Struct, forbid_unknown_fields=True):
    title: str
    measures: tuple[Measure, ...]
    one: str
    others: Texts
    published: tuple[tuple[Number, ...], ...] = ()


def load(name: str | Path) -> Experiment:
    """Load an experiment of the package by its name, or the user's own by its file."""
    return parse(*source_of(name))


def parse(name: str, source: Source) -> Experiment:
    """Read an experiment from the text of its file."""
    top = TomlTable(source, (), source.content)
    refuse_unfit(top)
    file = top.read(_Toml)
    worlds = _worlds(top.table("worlds"))
    grid = _grid(top.table("grid"), worlds, {})
    entries = _entries(top, worlds, grid)
    configurations = sum(entry.count for entry in entries)
    if configurations > MOST_CONFIGURATIONS:
        top.fail(f"{configurations:,} configurations exceed the limit of {MOST_CONFIGURATIONS:,}", "agents")
    if file.walls > 1 and (file.terrain != "partial" or isinstance(worlds, Made)):
        top.fail('walls, the hidden obstacles of maps, need terrain = "partial"', "walls")
    if file.known and (file.terrain != "unknown" or isinstance(worlds, Made)):
        top.fail('known, the obstacles that agents of maps know, needs terrain = "unknown"', "known")
    if strangers := {*file.known} - {*BLOCKED.decode()}:
        top.fail(f"known has {shown(min(strangers))}, which is no obstacle; {LEGEND}", "known")
    settings = {entry.label: entry.settings for entry in entries}
    if not file.measures:
        missing = 'the table [measures] is missing; give it a line such as intervals = "time intervals"'
        top.table("measures").fail(missing)
    measures = {top.table("measures").measure(text, text): said for text, said in file.measures.items()}
    experiment = Experiment(
        **{name: getattr(file, name) for name in Words.__struct_fields__},
        name=name,
        source=source,
        worlds=worlds,
        problems=_problems(top.table("problems"), worlds),
        grid=tuple(grid.items()),
        entries=entries,
        measures=measures,
        scales=_scales(top.table("scale"), worlds, configurations * file.rounds),
        published=_published(top.table("published"), settings),
        tables=tuple(_shown(table, measures, entries) for table in top.tables("tables")),
        figures=tuple(_figure(table, settings) for table in top.tables("figures")),
        claims=tuple(read_claim(table, settings) for table in top.tables("claims")),
        reference=_one(top, "reference", file.reference, entries) if file.reference else None,
        cut_off=_cut_off(top.table("cut_off")),
    )
    for key in ("figures", "claims"):
        for id_, count in Counter(one.id for one in getattr(experiment, key)).items():
            if count > 1:
                top.fail(f"two {key} are called {shown(id_)}", key, token=f'"{id_}"')
    if SAVED in experiment.measured and experiment.reference is None:
        top.fail(f'{SAVED} needs a reference to compare with, such as reference = "{entries[0].label}"', token=SAVED)
    return experiment


def _cut_off(table: TomlTable) -> Options:
    for name in table.values:
        table.measure(name, name)
        if name not in FIGURES:
            table.fail(f"a cut-off is for a figure of an episode, not for {name}", name)
    return tuple(table.values.items())


def _worlds(table: TomlTable) -> Worlds:
    if "make" in table.values:
        return table.read(Made)
    if "maps" not in table.values:
        return _generated(table)
    maps = table.read(_Maps).maps
    if not maps:
        table.fail("maps is an empty list; name some maps", "maps")
    for name in maps:
        if {"", ".", ".."} & {*name.replace("\\", "/").split("/")}:
            table.fail(f"a map is named as in sc1/Enigma or sc1/*, below the folder of maps, not {shown(name)}", "maps")
    return Named(maps, _generated(table.table("stand_in")))


def _generated(table: TomlTable) -> Generated:
    read = table.read(_Generator)
    table.only("generator", "width", "height", "seed", *GENERATORS[read.generator][1])
    _check_size(table, read.width, read.height)
    options = {name: value for name, value in asdict(read).items() if value is not None}
    del options["generator"], options["seed"]
    return Generated(read.generator, tuple(options.items()), read.seed)


def _check_size(table: TomlTable, width: int, height: int) -> None:
    try:
        check_size(width, height)
    except TimeboundError as error:
        table.fail(str(error), "width")


def _problems(table: TomlTable, worlds: Worlds) -> Problems:
    if isinstance(worlds, Made):
        table.only("seed")
    problems = table.read(Problems)
    if problems.scenarios and not isinstance(worlds, Named):
        table.fail("only named maps have scenario files", "scenarios")
    if problems.shortest > problems.longest:
        bounds = f"the shortest path of {problems.shortest:g} is longer than the longest of {problems.longest:g}"
        table.fail(bounds, "shortest")
    return problems


def _grid(table: TomlTable, worlds: Worlds, usual: Mapping[str, Any]) -> dict[str, Any]:
    """Read the rules of the grid, with the usual defaults; with a speed it is a racetrack."""
    if isinstance(worlds, Made):
        table.only()
        return {}
    track = "speed" in usual or "speed" in table.values
    own = table.values if track and "speed" not in usual else {**usual, **table.values}
    return asdict(TomlTable(table.source, table.keys, own).read(_Track if track else _Rules))


def _entries(top: TomlTable, worlds: Worlds, grid: Mapping[str, Any]) -> tuple[Entrant, ...]:
    agents, budget = top.table("agents"), top.table("budget")
    if not agents.values:
        top.fail("an experiment needs agents: a table [agents.NAME] for each")
    given = budget.read(_Budget)
    if len(budget.values) > 1:
        budget.fail(f"one kind of budget at a time: {' or '.join(UNITS)}")
    unit = next(iter(budget.values), "expansions")
    usual = getattr(given, unit) if budget.values else (math.inf,)
    _check_budgets(budget, unit, unit, usual)
    entries = []
    for label in agents.values:
        table = agents.table(label)
        read = table.read(_Agent)
        if set(label) & set(".()"):
            table.fail(f"the name {shown(label)} must be without dots and brackets")
        budgets = usual if read.budgets is None else read.budgets
        _check_budgets(table, "budgets", unit, budgets)
        _check_parameters(table, read.parameters)
        rules = tuple(_grid(table.table("grid"), worlds, grid).items())
        agent, title = read.agent or label, read.title or label
        entries.append(Entrant(label, title, agent, read.parameters, unit, budgets or (math.inf,), rules))
    return tuple(entries)


def _check_parameters(table: TomlTable, parameters: Mapping[str, Any]) -> None:
    """Reject parameters that are not plain values, or lists of them."""
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(one, (int, float, str)) for one in values):
            plain = "a number, a word, true or false, or a list of these"
            table.fail(f"{name} must be {plain}, not {shown(value)}", "parameters")
        if len({*values}) < len(values):
            table.fail(f"a value of {name} is listed twice", "parameters")


def _check_budgets(table: TomlTable, key: str, unit: str, budgets: Sequence[float]) -> None:
    for budget in budgets:
        try:
            Budget(**{unit: budget})
        except TimeboundError as error:
            table.fail(str(error), key)
    if len(set(budgets)) < len(budgets):
        table.fail("a budget is listed twice", key)


def _scales(table: TomlTable, worlds: Worlds, episodes_each: int) -> dict[str, Scale]:
    table.only(*SCALES)
    scales = {name: _scale(table.table(name), worlds) for name in SCALES}
    for name, scale in scales.items():
        episodes = scale.worlds * scale.problems * episodes_each
        if episodes > MOST_EPISODES:
            table.fail(f"{episodes:,} episodes exceed the limit of {MOST_EPISODES:,}", name, "problems")
    return scales


def _scale(table: TomlTable, worlds: Worlds) -> Scale:
    sides = ("width", "height") if isinstance(worlds, Generated) else ()
    bounds = () if isinstance(worlds, Made) else ("shortest", "longest")
    table.only("worlds", "problems", *(("free_cells",) if isinstance(worlds, Named) else sides), *bounds)
    scale = table.read(Scale)
    if isinstance(worlds, Named) and not any("*" in name for name in worlds.maps):
        scale = replace(scale, worlds=scale.worlds or len(worlds.maps))
        if scale.worlds > len(worlds.maps):
            table.fail(f"there are only {len(worlds.maps)} maps, not {scale.worlds}", "worlds")
    if not scale.worlds:
        table.fail("worlds is missing; add a line worlds = ...")
    if isinstance(worlds, Generated):
        _check_size(table, **(dict(worlds.options[:2]) | dict(scale.given("width", "height"))))
    return scale


def _published(table: TomlTable, settings: Settings) -> Published:
    published = table.read(Published)
    known = {"agent"}.union(*settings.values())
    for column in published.columns:
        if column not in known:
            table.measure(column.removesuffix(" ±"), "columns", token=column)
    if table.values and "agent" not in published.columns:
        table.fail('the columns need one called "agent"', "columns")
    for number, row in enumerate(published.rows, 1):
        token = f'"{row[0]}"' if row else ""
        if len(row) != len(published.columns):
            needed = f"row {number} needs {len(published.columns)} values, one for each column"
            table.fail(needed, "rows", token=token)
        agent = row[published.columns.index("agent")]
        for column, value in zip(published.columns, row, strict=True):
            a_word = column == "agent" or column in settings.get(str(agent), ())
            if not isinstance(value, (int, float, str) if a_word else (int, float)):
                table.fail(f"row {number}: {column} cannot be {shown(value)}", "rows", token=token)
        if agent not in settings:
            hint = nearest(str(agent), settings)
            table.fail(f"row {number}: no agent {agent!r} in this experiment; {hint}", "rows", token=token)
    return published


def _shown(table: TomlTable, known: Mapping[Measure, str], entries: Sequence[Entrant]) -> Shown | RatioTable:
    """Read a table of the page: measures, or, with `one` and `others`, their ratios."""
    read = table.read(_Beside) if {"one", "others"} & table.values.keys() else table.read(Shown)
    for measure in read.measures:
        if measure not in known:
            table.fail(f"{measure!r} is not in [measures], which has its heading", "measures", token=measure)
    if isinstance(read, Shown):
        return replace(read, agents=_agents(table, read.agents, [entry.label for entry in entries]))
    others = tuple(_one(table, "others", text, entries) for text in read.others)
    if read.published and [len(row) for row in read.published] != [len(others)] * len(read.measures):
        table.fail("published needs a row for each of the measures, with a number for each of others", "published")
    return RatioTable(read.title, read.measures, _one(table, "one", read.one, entries), others, read.published)


def _one(table: TomlTable, key: str, text: str, entries: Sequence[Entrant]) -> Configuration:
    """Read a single configuration from its text."""
    label, fixed = find_one(table, key, text, {entry.label: entry.settings for entry in entries})
    entry = next(entry for entry in entries if entry.label == label)
    return next(one for one in entry.configurations() if fixed.items() <= one.settings.items())


def _agents(table: TomlTable, given: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return some of the agents; all by default."""
    for label in given:
        if label not in known:
            table.fail(f"no agent {label!r} in this experiment; {nearest(label, known)}", "agents", token=label)
    return tuple(given or known)


def _figure(table: TomlTable, settings: Settings) -> Figure:
    figure = table.read(Figure)
    agents = _agents(table, figure.agents, list(settings))
    varied = {name for label in agents for name in settings[label]}
    if figure.lines and figure.lines not in varied:
        table.fail(f"{figure.lines!r} is not set in this experiment; {nearest(figure.lines, varied)}", "lines")
    if any(isinstance(value, str) for label in agents for value in settings[label].get(figure.x, ())):
        table.fail(f"{figure.x!r} has words as values, not numbers; use it for the lines of the figure", "x")
    across = figure.x if figure.x in varied else table.measure(figure.x, "x")
    return replace(figure, x=across, agents=agents)
