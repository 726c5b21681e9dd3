"""Read an experiment from its file, and check every value."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import TimeboundError
from ..core.wording import shown
from ..maps.model import MAX_CELLS, check_size
from ..search.budget import Budget
from ..worlds.grid_input import HEURISTICS
from .claims import Claim, Settings, read_claim, read_measure, read_one
from .experiment import (
    UNITS,
    Beside,
    Configuration,
    Entry,
    Experiment,
    Figure,
    Generated,
    Made,
    Named,
    Options,
    Problems,
    Published,
    Scale,
    Shown,
    Worlds,
)
from .files import source_of
from .measures import FIGURES, SAVED, Measure
from .reading import Source, Table, nearest

SCALES = ("quick", "full")
GENERATORS = {"random": ("share",), "maze": ("corridor",), "rooms": ("room", "doors"), "caves": ()}
TERRAINS = ("known", "unknown", "partial")
_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")

# Limits of an experiment. Everything is counted before anything is made.
MOST_WORLDS = 100_000
MOST_EPISODES = 2_000_000  # in a scale
MOST_CONFIGURATIONS = 1_000
MOST_ROWS = 1_000  # in a published table
MOST_TABLES = 100  # on a page, and as many figures
MOST_CLAIMS = 500
MOST_ROUNDS = 20
LARGEST = 1e18  # number in a file


def load(name: str | Path) -> Experiment:
    """Load an experiment of the package by its name, or the user's own by its file."""
    return parse(*source_of(name))


_TOP = (
    "title", "paper", "shows", "about", "differs", "terrain", "walls", "most_intervals", "rounds", "reference",
)  # fmt: skip
_TABLES = (
    "cut_off", "worlds", "problems", "grid", "budget", "agents", "measures", "scale", "published", "tables", "figures",
    "claims",
)  # fmt: skip


def parse(name: str, source: Source) -> Experiment:
    """Read an experiment from the text of its file."""
    top = Table(source, (), source.parsed())
    top.only(*_TOP, *_TABLES)
    worlds = _worlds(top.table("worlds"))
    grid = _grid(top.table("grid"), worlds, _RULES)
    entries = _entries(top, worlds, grid)
    configurations = sum(entry.count for entry in entries)
    if configurations > MOST_CONFIGURATIONS:
        top.fail(f"{configurations:,} configurations exceed the limit of {MOST_CONFIGURATIONS:,}", "agents")
    settings = {entry.label: entry.settings for entry in entries}
    measures = _measures(top.table("measures"))
    rounds = top.whole("rounds", 1, least=1, most=MOST_ROUNDS)
    experiment = Experiment(
        name=name,
        title=top.text("title"),
        paper=top.text("paper", ""),
        shows=top.text("shows", ""),
        about=top.text("about", ""),
        worlds=worlds,
        problems=_problems(top.table("problems"), worlds),
        grid=tuple(grid.items()),
        terrain=top.choice("terrain", TERRAINS, "known"),
        most_intervals=top.whole("most_intervals", 10_000_000, least=1),
        entries=entries,
        measures=measures,
        scales=_scales(top.table("scale"), worlds, configurations, rounds),
        published=_published(top.table("published"), settings),
        tables=tuple(_shown(table, measures, entries) for table in top.tables("tables", MOST_TABLES)),
        figures=_figures(top, settings),
        claims=_claims(top, settings),
        reference=_one(top, "reference", top.text("reference"), entries) if "reference" in top.values else None,
        differs=top.text("differs", ""),
        cut_off=_cut_off(top.table("cut_off")),
        rounds=rounds,
        walls=_walls(top, worlds),
        source=source,
    )
    if SAVED in experiment.measured and experiment.reference is None:
        top.fail(f'{SAVED} needs a reference to compare with, such as reference = "{entries[0].label}"', token=SAVED)
    return experiment


def _cut_off(table: Table) -> Options:
    """Read the limits on figures of an episode."""
    for name in table.values:
        read_measure(table, name, name)
        if name not in FIGURES:
            table.fail(f"a cut-off is for a figure of an episode, not for {name}", name)
    return tuple((name, table.number(name)) for name in table.values)


def _walls(top: Table, worlds: Worlds) -> int:
    walls = top.whole("walls", 1, least=1, most=1000)
    if walls > 1 and (top.text("terrain", "known") != "partial" or isinstance(worlds, Made)):
        top.fail('walls, the hidden obstacles of maps, need terrain = "partial"', "walls")
    return walls


def _worlds(table: Table) -> Worlds:
    if "make" in table.values:
        table.only("make", "draw", "seed")
        functions = [table.text(key) for key in ("make", "draw")]
        return Made(functions[0], functions[1], table.whole("seed", 0))
    if "maps" not in table.values:
        return _generated(table)
    table.only("maps", "stand_in")
    maps = table.texts("maps")
    if not maps:
        table.fail("maps is an empty list; name some maps", "maps")
    for name in maps:
        if not name.isprintable() or {"", ".", ".."} & {*name.replace("\\", "/").split("/")}:
            table.fail(f"a map is named as in sc1/Enigma or sc1/*, below the folder of maps, not {shown(name)}", "maps")
    return Named(maps, _generated(table.table("stand_in")))


def _generated(table: Table) -> Generated:
    generator = table.choice("generator", GENERATORS)
    own = GENERATORS[generator]
    table.only("generator", "width", "height", "seed", *own)
    sizes = {name: table.whole(name, least=1) for name in ("width", "height")}
    _check_size(table, sizes)
    others = {name: table.number(name) for name in own if name in table.values}
    return Generated(generator, tuple((sizes | others).items()), table.whole("seed", 0))


def _check_size(table: Table, sizes: Mapping[str, int]) -> None:
    try:
        check_size(sizes["width"], sizes["height"])
    except TimeboundError as error:
        table.fail(str(error), "width")


def _problems(table: Table, worlds: Worlds) -> Problems:
    table.only(*(("seed",) if isinstance(worlds, Made) else ("seed", "shortest", "longest", "scenarios", "apart")))
    scenarios = table.of_type("scenarios", bool, "true or false", False)
    if scenarios and not isinstance(worlds, Named):
        table.fail("only named maps have scenario files", "scenarios")
    bounds = table.number("shortest", 0.0, least=0), table.number("longest", math.inf, least=0)
    if bounds[0] > bounds[1]:
        table.fail(f"the shortest path of {bounds[0]:g} is longer than the longest of {bounds[1]:g}", "shortest")
    return Problems(table.whole("seed", 0), *bounds, scenarios, table.number("apart", 0.0, least=0))


_RULES = {"neighbors": 8, "corners": "strict", "diagonal": math.sqrt(2), "heuristic": "auto"}


def _grid(table: Table, worlds: Worlds, usual: Mapping[str, Any]) -> dict[str, Any]:
    """Read the rules of the grid, with the usual defaults; with a speed it is a racetrack."""
    if isinstance(worlds, Made):
        table.only()
        return {}
    if "speed" in usual or "speed" in table.values:
        table.only("speed")
        return {"speed": table.whole("speed", usual.get("speed"), least=1, most=10)}
    table.only(*_RULES)
    neighbors = table.whole("neighbors", usual["neighbors"])
    if neighbors not in (4, 8, 16):
        table.fail(f"a cell has 4, 8 or 16 neighbors, not {neighbors}", "neighbors")
    heuristics = ("auto", *dict.fromkeys(name for names_ in HEURISTICS.values() for name in names_))
    return {
        "neighbors": neighbors,
        "corners": table.choice("corners", ("strict", "cut"), usual["corners"]),
        "diagonal": table.number("diagonal", usual["diagonal"], least=1),
        "heuristic": table.choice("heuristic", heuristics, usual["heuristic"]),
    }


def _entries(top: Table, worlds: Worlds, grid: Mapping[str, Any]) -> tuple[Entry, ...]:
    agents, budget = top.table("agents"), top.table("budget")
    if not agents.values:
        top.fail("an experiment needs agents: a table [agents.NAME] for each")
    budget.only(*UNITS)
    if len(budget.values) > 1:
        budget.fail(f"one kind of budget at a time: {' or '.join(UNITS)}")
    unit = next(iter(budget.values), "expansions")
    usual = _budgets(budget, unit, unit, [math.inf])
    return tuple(_entry(agents.table(label), label, (unit, usual), worlds, grid) for label in agents.values)


def _entry(
    table: Table, label: str, budget: tuple[str, tuple[float, ...]], worlds: Worlds, grid: Mapping[str, Any]
) -> Entry:
    table.only("agent", "title", "parameters", "budgets", "grid")
    if set(label) & set(".()") or not label.isprintable():
        table.fail(f"the name {shown(label)} must be printable, without dots and brackets")
    unit, usual = budget
    budgets = _budgets(table, "budgets", unit, list(usual)) or (math.inf,)
    own_grid = tuple(_grid(table.table("grid"), worlds, grid).items())
    parameters = _parameters(table)
    return Entry(label, table.text("title", label), table.text("agent", label), parameters, unit, budgets, own_grid)


def _parameters(table: Table) -> dict[str, Any]:
    """Read the parameters of an agent: plain values, or lists of them."""
    parameters: dict[str, Any] = table.of_type("parameters", dict, "a table { NAME = VALUE }", {})
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        if not values or not all(map(_is_plain, values)):
            table.fail(
                f"{name} must be a number, a word, true or false, or a list of these, not {shown(value)}", "parameters"
            )
        if len({*values}) < len(values):
            table.fail(f"a value of {name} is listed twice", "parameters")
    return parameters


def _is_plain(value: Any) -> bool:
    """Can the value be set, stored and drawn?"""
    if isinstance(value, str):
        return value.isprintable()
    return isinstance(value, (int, float)) and not LARGEST < abs(value) < math.inf


def _budgets(table: Table, key: str, unit: str, default: list[float]) -> tuple[float, ...]:
    budgets = table.numbers(key, default)
    for budget in budgets:
        if not (budget > 0 and _is_plain(budget)):
            table.fail(f"a budget is a number above 0 (or inf), not {shown(budget)}", key)
        try:
            Budget(**{unit: budget})
        except TimeboundError as error:
            table.fail(str(error), key)
    if len(set(budgets)) < len(budgets):
        table.fail("a budget is listed twice", key)
    return budgets


def _measures(table: Table) -> dict[Measure, str]:
    if not table.values:
        table.fail('the table [measures] is missing; give it a line such as intervals = "time intervals"')
    return {read_measure(table, text, text): table.text(text) for text in table.values}


def _scales(table: Table, worlds: Worlds, configurations: int, rounds: int) -> dict[str, Scale]:
    table.only(*SCALES)
    scales = {name: _scale(table.table(name), worlds) for name in SCALES}
    for name, scale in scales.items():
        episodes = scale.worlds * scale.problems * configurations * rounds
        if episodes > MOST_EPISODES:
            table.table(name).fail(f"{episodes:,} episodes exceed the limit of {MOST_EPISODES:,}", "problems")
    return scales


_BOUNDS = ("shortest", "longest")


def _scale(table: Table, worlds: Worlds) -> Scale:
    sides = ("width", "height") if isinstance(worlds, Generated) else ()
    own = (*(("free_cells",) if isinstance(worlds, Named) else sides), *(() if isinstance(worlds, Made) else _BOUNDS))
    table.only("worlds", "problems", *own)
    listed = isinstance(worlds, Named) and not any("*" in name for name in worlds.maps)
    all_maps = len(worlds.maps) if isinstance(worlds, Named) and listed else None
    count = table.whole("worlds", all_maps, least=1, most=MOST_WORLDS)
    if all_maps is not None and count > all_maps:
        table.fail(f"there are only {all_maps} maps, not {count}", "worlds")
    own_sides = {name: table.whole(name, least=1) for name in sides if name in table.values}
    if isinstance(worlds, Generated):
        _check_size(table, dict(worlds.options) | own_sides)
    return Scale(
        count,
        table.whole("problems", 1, least=1, most=MOST_EPISODES),
        table.whole("free_cells", 0, most=MAX_CELLS),
        tuple(own_sides.items()),
        tuple((name, table.number(name, least=0)) for name in _BOUNDS if name in table.values),
    )


def _published(table: Table, settings: Settings) -> Published:
    if not table.values:
        return Published()
    table.only("columns", "rows")
    columns = table.texts("columns")
    known = {name for names_ in settings.values() for name in names_}
    for column in columns:
        if column != "agent" and column not in known:
            read_measure(table, column.removesuffix(" ±"), "columns", token=column)
    if "agent" not in columns:
        table.fail('the columns need one called "agent"', "columns")
    rows = table.of_type("rows", list, "a list of rows")
    if len(rows) > MOST_ROWS:
        table.fail(f"{len(rows):,} rows exceed the limit of {MOST_ROWS:,}", "rows")
    for number, row in enumerate(rows, 1):
        _check_row(table, number, row, columns, settings)
    return Published(columns, tuple(map(tuple, rows)))


def _check_row(table: Table, number: int, row: Any, columns: Sequence[str], settings: Mapping[str, Any]) -> None:
    token = f'"{row[0]}"' if isinstance(row, list) and row else ""
    if not isinstance(row, list) or len(row) != len(columns):
        table.fail(f"row {number} needs {len(columns)} values, one for each column", "rows", token=token)
    agent = row[columns.index("agent")]
    for column, value in zip(columns, row, strict=True):
        a_word = column == "agent" or column in settings.get(str(agent), ())
        if not _is_plain(value) or (isinstance(value, str) and not a_word):
            table.fail(f"row {number}: {column} cannot be {shown(value)}", "rows", token=token)
    if agent not in settings:
        hint = nearest(str(agent), settings)
        table.fail(f"row {number}: no agent {agent!r} in this experiment; {hint}", "rows", token=token)


def _shown(table: Table, known: Mapping[Measure, str], entries: Sequence[Entry]) -> Shown | Beside:
    """Read a table of the page: measures, or, with `one` and `others`, their ratios."""
    ratios = "one" in table.values or "others" in table.values
    table.only("title", "measures", *(("one", "others", "published") if ratios else ("agents",)))
    title, measures = table.text("title"), []
    for text in table.texts("measures"):
        measures.append(read_measure(table, text, "measures", token=text))
        if measures[-1] not in known:
            table.fail(f"{text!r} is not in [measures], which has its heading", "measures", token=text)
    if not ratios:
        return Shown(title, tuple(measures), _agents(table, {entry.label: entry for entry in entries}))
    one = _one(table, "one", table.text("one"), entries)
    others = tuple(_one(table, "others", text, entries) for text in table.texts("others"))
    printed = table.of_type("published", list, "a list of rows, one for each measure", [])
    rows = [row for row in printed if isinstance(row, list) and all(isinstance(one, (int, float)) for one in row)]
    if printed and [len(row) for row in rows] != [len(others)] * len(measures):
        table.fail("published needs a row for each of the measures, with a number for each of others", "published")
    return Beside(title, tuple(measures), one, others, tuple(map(tuple, rows)))


def _one(table: Table, key: str, text: str, entries: Sequence[Entry]) -> Configuration:
    """Read a single configuration from its text."""
    label, fixed = read_one(table, key, text, {entry.label: entry.settings for entry in entries})
    entry = next(entry for entry in entries if entry.label == label)
    return next(
        one for one in entry.configurations() if all(one.settings[name] == value for name, value in fixed.items())
    )


def _agents(table: Table, known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return some of the agents; all by default."""
    agents = table.texts("agents", list(known))
    for label in agents:
        if label not in known:
            table.fail(f"no agent {label!r} in this experiment; {nearest(label, known)}", "agents", token=label)
    return agents


def _figures(top: Table, settings: Settings) -> tuple[Figure, ...]:
    figures = tuple(_figure(table, settings) for table in top.tables("figures", MOST_TABLES))
    _check_ids(top, "figures", [figure.id for figure in figures])
    return figures


def _figure(table: Table, settings: Settings) -> Figure:
    table.only("id", "title", "x", "y", "agents", "log", "lines")
    agents = _agents(table, settings)
    varied = {name for label in agents for name in settings[label]}
    x, lines = table.text("x", "budget"), table.text("lines", "")
    if lines and lines not in varied:
        table.fail(f"{lines!r} is not set in this experiment; {nearest(lines, varied)}", "lines")
    log = table.texts("log", [])
    if not set(log) <= {"x", "y"}:
        table.fail('log is a list of axes, ["x", "y"]', "log")
    if any(isinstance(value, str) for label in agents for value in settings[label].get(x, ())):
        table.fail(f"{x!r} has words as values, not numbers; use it for the lines of the figure", "x")
    across = x if x in varied else read_measure(table, x, "x")
    id_ = table.text("id")
    if not _ID.fullmatch(id_):  # it becomes a file name
        table.fail(f"an id is made of letters, digits, - and _, not {shown(id_)}", "id")
    return Figure(id_, table.text("title"), across, read_measure(table, table.text("y"), "y"), agents, log, lines)


def _claims(top: Table, settings: Settings) -> tuple[Claim, ...]:
    claims = tuple(read_claim(table, settings) for table in top.tables("claims", MOST_CLAIMS))
    _check_ids(top, "claims", [claim.id for claim in claims])
    return claims


def _check_ids(top: Table, key: str, ids: Sequence[str]) -> None:
    twice = next((id_ for id_, count in Counter(ids).items() if count > 1), None)
    if twice is not None:
        top.fail(f"two {key} are called {shown(twice)}", key, token=f'"{twice}"')
