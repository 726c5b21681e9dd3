"""Pages about runs: our table and the published one, figures, every claim with its verdict; and an index.

What they say is in the templates in `templates/`.
"""

import math
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from ..core.disk import write_files
from .claims import Claim, show
from .experiment import UNITS, Configuration, Experiment, Named, RatioTable, Shown
from .figures import Drawn, Styles, compact, draw
from .files import SUFFIX, names, source_of
from .measures import Measure
from .parquet import StoreError
from .results import Results, results_of
from .statistics import TRIMMED, Confidence
from .store import Run, find_runs
from .verdicts import CUT_OFF, EXCEEDS, FAILS, HOLDS, OPEN, Verdict, in_words, judge

_CLASSES = {HOLDS: "holds", EXCEEDS: "holds", FAILS: "fails", CUT_OFF: "open", OPEN: "open"}
OUTCOMES = tuple(_CLASSES)
_Z = 1.96  # standard errors in half of an interval
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
        """The number of the paper's claims with each verdict."""
        return tally([self])


def tally(entries: Sequence[Judged], ours: bool = False) -> dict[str, int]:
    """Return the number of claims with each verdict: of the papers' claims, or of ours."""
    found = Counter(one.outcome for entry in entries for one in entry.verdicts if one.claim.ours == ours)
    return {outcome: found[outcome] for outcome in OUTCOMES}


class Cell(NamedTuple):
    """A text, and what follows it in small print."""

    text: str
    small: str = ""


class TableRow(NamedTuple):
    """A row of a table: for each measure our number, and the paper's if that has a column."""

    name: Cell
    cells: list[tuple[Cell, Cell | None]]
    settings: Sequence[Any] = ()
    first: bool = False  # whether it is the first of an agent


class Sheet(NamedTuple):
    """A table on a page."""

    title: str
    corner: str
    columns: list[tuple[str, bool]]  # headings, and whether the paper has a column, too
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


def limits(claim: Claim) -> str:
    """Say in a few words what a claim is tested for: its limits, its share, what it is averaged over."""
    said = [f"limits {show(claim.between[0])} to {show(claim.between[1])}"] if any(claim.between) else []
    said += [f"at least {claim.share:.0%} of the comparisons"] if claim.share < 1 else []
    said += [f"on average over {' and '.join(claim.average)}"] if claim.average else []
    return ", ".join(said) or "in each comparison"


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
_TEMPLATES.filters |= {"show": show, "number_or": _number_or, "in_words": in_words, "effect": effect, "limits": limits}
_TEMPLATES.globals |= {"classes": _CLASSES, "OUTCOMES": OUTCOMES}


def _rendered(template: str, **content: Any) -> str:
    return _TEMPLATES.get_template(template).render(**content) + "\n"


# ------------------------------------------------------------------ the page of a run


def run_page(entry: Judged, drawn: Mapping[str, Drawn], because: str = "", site: str = "") -> str:
    """Return everything about a run on one standalone page; `site` is the address of a page to go back to."""
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
        site=site,
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
    columns = [(measure, measure in experiment.published.columns) for measure in _means_and_medians(results, table)]
    rows = []
    for entry in entries:
        for n, one in enumerate(experiment.rows(entry)):
            notes = [f"{failures} not solved"] if (failures := results.unsolved(one)) else []
            notes += ["above the cut-off"] if results.above_cut_off(one) else []
            cells = [
                (
                    _measured(experiment, results, one, measure),
                    _printed(experiment, results, one, measure) if paper else None,
                )
                for measure, paper in columns
            ]
            title = Cell(entry.title, f"({', '.join(notes)})" if notes else "")
            rows.append(TableRow(title, cells, [one.settings.get(name, "") for name in settings], n == 0))
    unit = UNITS[experiment.entries[0].unit]
    heads = [unit if name == "budget" else name for name in settings]
    note = _agreement([cell for row in rows for _, cell in row.cells if cell is not None])
    named = [
        (experiment.measures.get(one) or f"median: {experiment.measures[_mean(one)]}", paper) for one, paper in columns
    ]
    return Sheet(table.title, "agent", named, rows, heads, note)


def _mean(measure: Measure) -> Measure:
    return Measure(measure.figure, measure.per)


def _means_and_medians(results: Results, table: Shown) -> list[Measure]:
    """Return the measures of a table; behind a mean that lost agents do not have, the median that all have."""
    lost = [one for one in results.samples if one.label in table.agents and results.unsolved(one)]
    columns = dict[Measure, None]()
    for measure in table.measures:
        columns[measure] = None
        if not measure.median and any(results.by_median([(one, measure)]) for one in lost):
            columns[Measure(measure.figure, measure.per, median=True)] = None
    return list(columns)


def _printed(experiment: Experiment, results: Results, one: Configuration, measure: Measure) -> Cell:
    """Return the paper's number; if it has an error, too, how far ours is from it, in standard errors of both."""
    paper, error = experiment.published.value(one, measure), experiment.published.value(one, f"{measure} ±")
    measured = (
        results.estimate(one, measure) if paper is not None and error is not None and one in results.samples else None
    )
    if paper is None or error is None or measured is None or measure.timed:
        return Cell(_number_or(paper, "–"))
    own = (measured.high - measured.low) / 2 / _Z
    return Cell(number(paper), f"z = {(measured.value - paper) / math.hypot(own, error):.1f}")


def _agreement(cells: Sequence[Cell]) -> str:
    """Say how many numbers are as near to the paper's as their errors allow."""
    scores = [abs(float(cell.small.partition("= ")[2])) for cell in cells if cell.small]
    if not scores:
        return ""
    near = sum(score < _Z for score in scores)
    return (
        "z is our number minus the paper's, in standard errors of the difference, where the paper prints errors (not "
        f"of times, which depend on the machine): {near} of {len(scores)} are within ±{_Z:g}."
    )


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
        return Cell("–", "not all arrive")
    error = (measured.high - measured.low) / 2
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
            cells.append((cell, Cell(_number_or(table.published[n][column], "–")) if table.published else None))
        rows.append(TableRow(Cell(experiment.measures[measure]), cells))
    names = [str(replace(one, label=experiment.titles[one.label])) for one in (table.one, *table.others)]
    note = f"Ratios to {names[0]}, with 95 % confidence: above 1 means larger."
    return Sheet(table.title, "measure", [(name, bool(table.published)) for name in names[1:]], rows, note=note)


# ------------------------------------------------------------------ all runs


def index_page(entries: Sequence[Judged], site: str = "") -> str:
    """Return the index of all experiments: those that were run, and those that were not."""
    run = {entry.run.experiment.name for entry in entries}
    not_run, today = [name for name in names() if name not in run], datetime.now(UTC).date().isoformat()
    return _rendered("index.html", title="The lab", entries=entries, not_run=not_run, today=today, site=site)


def claims_page(entries: Sequence[Judged], site: str = "") -> str:
    """Return every claim of every paper; if an experiment was run at both scales, the larger one counts."""
    chosen = {entry.run.experiment.name: entry for entry in sorted(entries, key=lambda one: one.run.scale == "full")}
    papers: dict[str, list[Judged]] = {}
    for _, entry in sorted(chosen.items()):
        if entry.verdicts:
            papers.setdefault(entry.run.experiment.paper or "Our own experiments", []).append(entry)
    tallied = [(paper, some, tally(some), tally(some, ours=True)) for paper, some in papers.items()]
    everything, own = tally(entries), tally(entries, ours=True)
    here = sum(one.only_here for entry in entries for one in entry.verdicts)
    title = "The papers' claims, tested again"
    return _rendered("claims.html", title=title, papers=tallied, everything=everything, own=own, here=here, site=site)


# ------------------------------------------------------------------ writing them

_INDEX = Path("index.html")
_FIGURES = Path("figures")
_RESULTS = "../results/"  # the page about the report, on the site


class Report(NamedTuple):
    """What was written."""

    page: Path  # the index
    faults: list[str]  # runs that are damaged or incomplete: a line for each


def write_report(runs_folder: Path, output: Path, *, because: str = "") -> Report:
    """Write the pages about all runs in a folder, or nothing; pages of incomplete ones say why (`because`)."""
    entries, faults = judged(runs_folder)
    site = _RESULTS if (output.absolute().parent / "results.md").exists() else ""
    files = {_INDEX: index_page(entries, site), Path("claims.html"): claims_page(entries, site)}
    pictures: dict[Path, bytes] = {}
    for entry in entries:
        drawn = {figure.id: draw(figure, entry.results) for figure in entry.run.experiment.figures}
        files[Path(entry.page)] = run_page(entry, drawn, because, site)
        for name, figure in drawn.items():
            stem = _FIGURES / f"{Path(entry.page).stem}-{name}"
            pictures |= {Path(f"{stem}.svg"): figure.svg, Path(f"{stem}.png"): figure.png}
    try:
        (output / _FIGURES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{output}: cannot be made: {error.strerror}") from None
    contents = {name: page.encode() for name, page in files.items()} | pictures
    write_files({output / name: content for name, content in contents.items()})
    return Report(output / _INDEX, faults)


def judged(runs_folder: Path) -> tuple[list[Judged], list[str]]:
    """Return the latest run with results of each experiment and scale, with verdicts on its claims; and faults."""
    runs, refused = find_runs(runs_folder)
    faults = [str(error) for error in refused]
    newest: dict[tuple[str, str], tuple[Run, Results]] = {}
    for run in reversed(runs):
        key = run.experiment.name, run.scale
        if key in newest:
            continue
        contents = run.contents()
        if contents.tables:
            newest[key] = run, results_of(run, contents)
        if missing := run.missing(contents):
            faults.append(f"{run.directory}: {missing}")
    if not newest:
        reason = faults[0] if faults else f"{runs_folder}: it contains no runs"
        raise StoreError(f"{reason}; run an experiment first: timebound lab run NAME")
    entries = []
    for _, (run, results) in sorted(newest.items()):  # some claims need other runs, of the same scale or else full ones
        ranked = sorted(newest, key=lambda key: (key[1] == run.scale, key[1] == "full"))
        others = {key[0]: newest[key][1] for key in ranked}
        entries.append(Judged(run, results, [judge(claim, results, others) for claim in run.experiment.claims]))
    return entries, faults
