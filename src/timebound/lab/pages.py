"""The lab's pages: what the templates in `templates/` say about a run, the index, and the claims of all papers."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from .claims import show
from .experiment import UNITS, Configuration, Experiment, Named, RatioTable, Shown
from .figures import Drawn, Styles, compact
from .files import SUFFIX, names, source_of
from .measures import Measure
from .results import Results
from .statistics import TRIMMED, Confidence
from .store import Run
from .verdicts import FAILS, HOLDS, OPEN, Verdict, in_words

_CLASSES = {HOLDS: "holds", FAILS: "fails", OPEN: "open"}
_PLAIN = ("difference", "value")  # tests whose effect is not a factor


class Judged(NamedTuple):
    """A run, its results, and the verdicts on the claims of its experiment."""

    run: Run
    results: Results
    verdicts: list[Verdict]

    @property
    def page(self) -> str:
        """The file of its page."""
        return f"{self.run.experiment.name}-{self.run.scale}.html"

    @property
    def counts(self) -> dict[str, int]:
        """The number of claims with each verdict."""
        return {outcome: sum(verdict.outcome == outcome for verdict in self.verdicts) for outcome in _CLASSES}


class Cell(NamedTuple):
    """A text, and what follows it in small print."""

    text: str
    small: str = ""


class TableRow(NamedTuple):
    """A row of a table: for each measure our number, and the paper's if that has a column."""

    name: Cell
    cells: list[tuple[Cell, str | None]]
    settings: Sequence[Any] = ()
    first: bool = False
    """Whether it is the first of an agent."""


class Sheet(NamedTuple):
    """A table on a page."""

    title: str
    corner: str
    columns: list[tuple[str, bool]]
    """Headings, and whether the paper has a column, too."""
    rows: list[TableRow]
    settings: Sequence[str] = ()
    note: str = ""


def number(value: float) -> str:
    """Format a number with its significant digits.

    >>> number(248537.79), number(26.338), number(1.01), number(0.2), number(0.00308), number(math.inf)
    ('248,538', '26.3', '1.01', '0.20', '0.00308', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if 0 < abs(value) < 0.1:
        return f"{value:.3g}"
    return f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


def _number_or(value: float | None, otherwise: str) -> str:
    return otherwise if value is None or math.isnan(value) else number(value)


def _limits(size: Confidence) -> str:
    return f"({number(size.low)} to {number(size.high)})"


def effect(verdict: Verdict) -> Cell:
    """Return the size of the effect: a factor, difference or value; the range, if there are several comparisons."""
    sizes = [one.size for one in verdict.comparisons if one.size is not None and not math.isnan(one.size.value)]
    if not sizes or verdict.claim.test in ("constant", "same"):
        return Cell("equal" if verdict.outcome == HOLDS and verdict.comparisons else "")
    sign = "" if verdict.claim.test in _PLAIN else "× "
    if len(sizes) == 1:
        limits = _limits(sizes[0]) if math.isfinite(sizes[0].low) and math.isfinite(sizes[0].high) else ""
        return Cell(sign + number(sizes[0].value), limits)
    values = sorted(size.value for size in sizes)
    return Cell(sign + " to ".join(dict.fromkeys((number(values[0]), number(values[-1])))))


_TEMPLATES = Environment(loader=PackageLoader(__package__), autoescape=True, trim_blocks=True, lstrip_blocks=True)
_TEMPLATES.filters |= {"show": show, "number_or": _number_or, "in_words": in_words, "effect": effect}
_TEMPLATES.globals |= {"classes": _CLASSES, "HOLDS": HOLDS, "FAILS": FAILS, "OPEN": OPEN}


def _rendered(template: str, **content: Any) -> str:
    return _TEMPLATES.get_template(template).render(**content) + "\n"


# ------------------------------------------------------------------ the page of a run


def run_page(entry: Judged, drawn: Mapping[str, Drawn], because: str = "") -> str:
    """Return everything about a run on one standalone page."""
    run, experiment, styles = entry.run, entry.run.experiment, Styles()
    everything = Shown("The table", tuple(experiment.measures), tuple(entry.label for entry in experiment.entries))
    figures = experiment.figures
    images = [Markup(compact(drawn[figure.id].svg, styles, escape(figure.title))) for figure in figures]  # made by us
    name, note = experiment.name, ""
    if name not in names() or source_of(name)[1].text != run.about["text"]:  # one's own
        name, note = shlex.quote(f"{name}{SUFFIX}"), f" with the experiment below in a file named {name}{SUFFIX}"
    return _rendered(
        "run.html",
        title=f"{experiment.title}: {experiment.shows or experiment.name}",
        run=run,
        results=entry.results,
        verdicts=entry.verdicts,
        experiment=experiment,
        named_maps=isinstance(experiment.worlds, Named),
        because=because,
        tables=[
            _of_measures(experiment, entry.results, table)
            if isinstance(table, Shown)
            else _of_ratios(experiment, entry.results, table)
            for table in experiment.tables or (everything,)
        ],
        timed=any(measure.timed for measure in experiment.measures),
        trimmed=f"{TRIMMED:.0%}",
        images=images,
        styles=Markup(styles),
        command=f"timebound lab run {name} --scale {run.scale}",
        command_note=note,
        files=[run.about["text"], *(f"# {other['file']}\n{other['text']}" for other in run.about["like"])],
    )


# ------------------------------------------------------------------ tables


def _of_measures(experiment: Experiment, results: Results, table: Shown) -> Sheet:
    entries = [entry for entry in experiment.entries if entry.label in table.agents]
    settings = list(dict.fromkeys(name for entry in entries for name in entry.settings))
    if all(math.isinf(budget) for entry in entries for budget in entry.budgets):
        settings.remove("budget")
    columns = [(measure, measure in experiment.published.columns) for measure in table.measures]
    rows = []
    for entry in entries:
        for n, one in enumerate(experiment.rows(entry)):
            notes = [f"{failures} not solved"] if (failures := results.unsolved(one)) else []
            notes += ["above the cut-off"] if results.above_cut_off(one) else []
            cells = [
                (
                    _measured(experiment, results, one, measure),
                    _number_or(experiment.published.value(one, measure), "–") if paper else None,
                )
                for measure, paper in columns
            ]
            title = Cell(entry.title, f"({', '.join(notes)})" if notes else "")
            rows.append(TableRow(title, cells, [one.settings.get(name, "") for name in settings], n == 0))
    unit = UNITS[experiment.entries[0].unit]
    heads = [unit if name == "budget" else name for name in settings]
    return Sheet(table.title, "agent", [(experiment.measures[one], paper) for one, paper in columns], rows, heads)


def _measured(experiment: Experiment, results: Results, one: Configuration, measure: Measure) -> Cell:
    """Return our number, with half of its confidence interval."""
    if one not in experiment.configurations():
        return Cell("")
    measured = results.estimate(one, measure)
    if measured is None:
        return Cell("not run")
    if math.isnan(measured.value):
        return Cell("–")
    if results.by_median([(one, measure)]) and not measure.median:
        return Cell(number(measured.value), "median")
    error = measured.high - measured.value
    known = 1e-9 * abs(measured.value) < error < math.inf
    return Cell(number(measured.value), f"± {number(error)}" if known else "")


def _of_ratios(experiment: Experiment, results: Results, table: RatioTable) -> Sheet:
    """Return a table that compares one configuration with others: their measures over its own."""
    rows = []
    for n, measure in enumerate(table.measures):
        cells = []
        for column, other in enumerate(table.others):
            there = table.one in results.samples and other in results.samples
            both = results.pair([((other, measure), (table.one, measure))]) if there else None
            cell = Cell("–")
            if both is not None and not math.isnan((ratio := both.ratio()).value):
                cell = Cell(number(ratio.value), _limits(ratio) if ratio.problems > 1 else "")
            cells.append((cell, _number_or(table.published[n][column], "–") if table.published else None))
        rows.append(TableRow(Cell(experiment.measures[measure]), cells))
    names = [str(replace(one, label=experiment.titles[one.label])) for one in (table.one, *table.others)]
    note = f"Ratios to {names[0]}, with 95 % confidence: above 1 means larger."
    return Sheet(table.title, "measure", [(name, bool(table.published)) for name in names[1:]], rows, note=note)


# ------------------------------------------------------------------ all runs


def index_page(entries: Sequence[Judged]) -> str:
    """Return the index of all experiments: those that were run, and those that were not."""
    run = {entry.run.experiment.name for entry in entries}
    not_run, today = [name for name in names() if name not in run], datetime.now(UTC).date().isoformat()
    return _rendered("index.html", title="The lab", entries=entries, not_run=not_run, today=today)


def claims_page(entries: Sequence[Judged]) -> str:
    """Return every claim of every paper; if an experiment was run at both scales, the larger one counts."""
    chosen = {entry.run.experiment.name: entry for entry in sorted(entries, key=lambda one: one.run.scale == "full")}
    papers: dict[str, list[Judged]] = {}
    for _, entry in sorted(chosen.items()):
        if entry.verdicts:
            papers.setdefault(entry.run.experiment.paper or "Our own experiments", []).append(entry)
    tallied = [
        (paper, some, {outcome: sum(entry.counts[outcome] for entry in some) for outcome in _CLASSES})
        for paper, some in papers.items()
    ]
    return _rendered("claims.html", title="The papers' claims, tested again", papers=tallied)
