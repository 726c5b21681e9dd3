"""Pages about runs: our table and the published one, figures, every claim with its verdict; and an index."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ..core.disk import write_files
from .claims import show
from .experiment import UNITS, Beside, Configuration, Experiment, Figure, Named, Shown
from .figures import Drawn, draw
from .files import SUFFIX, names, source_of
from .html import document, number, table, text
from .measures import Measure
from .results import Results, results_in
from .rows import StoreError
from .statistics import TRIMMED, Interval
from .store import Run, find_runs
from .summary import CLAIMS, CLASSES, Judged, claims_page, row_of
from .svg import Styles, compact
from .verdicts import FAILS, HOLDS, judge

INDEX = "index.html"
_FIGURES = "figures"


class Report(NamedTuple):
    """What was written."""

    page: Path
    """The index."""
    faults: list[str]
    """Runs that are damaged or incomplete: a line for each."""


def write_report(runs_folder: Path, output: Path, *, because: str = "") -> Report:
    """Write the pages about all runs in a folder, or nothing.

    Parameters
    ----------
    because
        Why some runs are incomplete: for their pages.
    """
    entries, faults = judged(runs_folder)
    files: dict[Path, bytes] = {}
    for entry in entries:
        files |= _page_files(entry, because)
    try:
        (output / _FIGURES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{output}: cannot be made: {error.strerror}") from None
    files[Path(INDEX)] = index_page(entries).encode()
    files[Path(CLAIMS)] = claims_page(entries).encode()
    write_files({output / name: content for name, content in files.items()})
    return Report(output / INDEX, faults)


def judged(runs_folder: Path) -> tuple[list[Judged], list[str]]:
    """Return the latest run of each experiment and scale, with verdicts on its claims; and faults."""
    latest, faults = _latest(runs_folder)
    if not latest:
        reason = faults[0] if faults else f"{runs_folder}: it contains no runs"
        raise StoreError(f"{reason}; run an experiment first: timebound lab run NAME")
    return _judged(latest), faults


def _latest(runs_folder: Path) -> tuple[list[tuple[Run, Results]], list[str]]:
    """Return the latest run with results of each experiment and scale, in the order of names; and faults."""
    found = find_runs(runs_folder)
    faults = [str(error) for error in found.refused]
    newest: dict[tuple[str, str], tuple[Run, Results]] = {}
    for run in reversed(found.runs):
        key = run.experiment.name, run.scale
        if key in newest:
            continue
        contents = run.contents()
        if contents.tables:
            newest[key] = run, results_in(run, contents)
        if missing := run.missing(contents):
            faults.append(f"{run.directory}: {missing}")
    return [newest[key] for key in sorted(newest)], faults


def _judged(latest: Sequence[tuple[Run, Results]]) -> list[Judged]:
    """Return all runs with verdicts on their claims; some claims need other runs, of the same scale if possible."""
    by_scale = sorted(latest, key=lambda one: one[0].scale == "full")
    judged = []
    for run, results in latest:
        others = {other.experiment.name: found for other, found in by_scale}
        others |= {other.experiment.name: found for other, found in latest if other.scale == run.scale}
        verdicts = [judge(claim, results, others) for claim in run.experiment.claims]
        judged.append(Judged(run, results, verdicts, page_name(run)))
    return judged


def _page_files(entry: Judged, because: str) -> dict[Path, bytes]:
    """Return the page of a run and its figures, by their names."""
    drawn = {figure.id: draw(figure, entry.results) for figure in entry.run.experiment.figures}
    stem, figures = entry.page.removesuffix(".html"), Path(_FIGURES)
    files = {Path(entry.page): page(entry, drawn, because).encode()}
    for name, figure in drawn.items():
        files[figures / f"{stem}-{name}.svg"] = figure.svg
        files[figures / f"{stem}-{name}.png"] = figure.png
    return files


def page_name(run: Run) -> str:
    """Return the file name of a run's page."""
    return f"{run.experiment.name}-{run.scale}.html"


# ------------------------------------------------------------------ the page of a run


def page(entry: Judged, drawn: Mapping[str, Drawn], because: str = "") -> str:
    """Return everything about a run on one standalone page."""
    run, results = entry.run, entry.results
    experiment, styles = run.experiment, Styles()
    parts = [
        f"<p><a href='{INDEX}'>all experiments</a>, <a href='{CLAIMS}'>all claims</a></p>",
        f"<h1>{text(experiment.title)}</h1>",
        f"<p class='paper'>{text(', '.join(filter(None, (experiment.paper, experiment.shows))))}</p>",
        f"<p>{text(experiment.about)}</p>",
        f"<p><strong>Different from the paper.</strong> {text(experiment.differs)}</p>" if experiment.differs else "",
        _stand_in_note(run),
        _missing_note(results, because),
        f"<p class='dim'>{text(facts(run, results))}</p>",
        _claims(entry),
        _tables(experiment, results),
        _figures(experiment, drawn, styles),
        _how(run),
    ]
    return document(f"{experiment.title}: {experiment.shows or experiment.name}", parts, str(styles))


def facts(run: Run, results: Results) -> str:
    """Return scale, date and machine of a run, in a sentence."""
    machine, versions = run.about["machine"], run.about["versions"]
    done, wanted = len(results.samples), len(run.experiment.configurations())
    rows = "" if done == wanted else f" {done} of {wanted} configurations have been run."
    return (
        f"Scale {run.scale}: {run.problems} problems per configuration.{rows} Started "
        f"{run.about['started'][:10]} on {machine['processor']}, {machine['cores']} cores, {machine['system']}; "
        f"timebound {versions['timebound']}, Numba {versions['numba']}, Python {versions['python']}."
    )


def _stand_in_note(run: Run) -> str:
    worlds = run.experiment.worlds
    if not run.about["stand_ins"]:
        return ""
    theirs = "The paper's" if run.experiment.paper else "Its"
    note = f"{theirs} problems were not available: random ones replace them."
    if isinstance(worlds, Named):
        generated = f"generated maps ({worlds.stand_in.generator}) replace them."
        note = f"The maps {', '.join(worlds.maps)} were not available: {generated}"
    if run.experiment.paper:
        note += " Compare only the order of the numbers with the paper's, not the numbers."
    return f"<aside><p>{text(note)}</p></aside>"


def _missing_note(results: Results, because: str) -> str:
    if not results.missing:
        return ""
    shared = f"Tables and figures have the {int(results.shared.sum()):,} problems that all configurations were run on"
    note = f"This run is {results.missing}. {shared}; a verdict takes all that both of its sides were run on. {because}"
    return f"<aside><p>{text(note.strip())}</p></aside>"


def _claims(entry: Judged) -> str:
    if not entry.verdicts:
        return ""
    head = ("claim", "where", "verdict", "effect", "paper")
    title = "What the paper claims" if entry.run.experiment.paper else "Claims"
    return (
        f"<h2>{title}</h2>{table(head, (row_of(verdict, evidence=True) for verdict in entry.verdicts))}"
        "<p class='dim'>Verdicts are computed. A claim holds if each of its comparisons holds with 95 % "
        "confidence, problem by problem (or the share of them, or their average, if it says so); it does not "
        "hold if comparisons clearly show the opposite, corrected for their number. The effect is the first side "
        "over the second, or the value itself, over all comparisons.</p>"
    )


# ------------------------------------------------------------------ the table


def _tables(experiment: Experiment, results: Results) -> str:
    """Return the tables of the experiment, or one of everything."""
    everything = Shown("The table", tuple(experiment.measures), tuple(entry.label for entry in experiment.entries))
    tables = "".join(
        _table(experiment, results, table) if isinstance(table, Shown) else _ratios(experiment, results, table)
        for table in experiment.tables or (everything,)
    )
    return (
        f"{tables}<p class='dim'>Means over all problems, or totals over totals, ± half of the 95 % confidence "
        "interval. For agents that did not solve all problems, medians, in which unsolved problems count as infinite. "
        f"{_about_times(experiment)}</p>"
    )


def _about_times(experiment: Experiment) -> str:
    if not any(measure.timed for measure in experiment.measures):
        return ""
    rounds = f"The time of an episode is the median of {experiment.rounds} rounds. " if experiment.rounds > 1 else ""
    return f"{rounds}Means of times exclude the lowest and the highest {TRIMMED:.0%} of problems."


def _table(experiment: Experiment, results: Results, table: Shown) -> str:
    entries = [entry for entry in experiment.entries if entry.label in table.agents]
    settings = list(dict.fromkeys(name for entry in entries for name in entry.settings))
    if all(math.isinf(budget) for entry in entries for budget in entry.budgets):
        settings.remove("budget")
    columns = [(measure, str(measure) in experiment.published.columns) for measure in table.measures]
    top = "".join(f"<th colspan='{1 + paper}'>{text(experiment.measures[one])}</th>" for one, paper in columns)
    under = "".join("<th>here</th>" + "<th>paper</th>" * paper for _, paper in columns)
    names_ = "".join(f"<th rowspan='2'>{text(_setting_name(experiment, name))}</th>" for name in settings)
    rows, before = [], ""
    for configuration in (one for entry in entries for one in experiment.rows(entry)):
        first = " class='first'" if configuration.label != before else ""
        before = configuration.label
        values = "".join(f"<td>{text(show(configuration.settings.get(name, '')))}</td>" for name in settings)
        cells = "".join(_cells(experiment, results, configuration, *column) for column in columns)
        name = text(experiment.titles[configuration.label])
        note = f" <small>({notes})</small>" if (notes := _notes(results, configuration)) else ""
        rows.append(f"<tr{first}><td class='word'>{name}{note}</td>{values}{cells}</tr>")
    return (
        f"<h2>{text(table.title)}</h2><div class='wide'><table>"
        f"<tr><th class='word' rowspan='2'>agent</th>{names_}{top}</tr><tr>{under}</tr>{''.join(rows)}</table></div>"
    )


def _notes(results: Results, configuration: Configuration) -> str:
    """Return notes on a row."""
    failures = results.unsolved(configuration)
    notes = [f"{failures} not solved"] if failures else []
    return ", ".join([*notes, *(["above the cut-off"] if results.above_cut_off(configuration) else [])])


def _ratios(experiment: Experiment, results: Results, table: Beside) -> str:
    """Return a table that compares one configuration with others: their measures over its own."""
    paper = bool(table.published)
    top = "".join(f"<th colspan='{1 + paper}'>{text(_named(experiment, other))}</th>" for other in table.others)
    under = "".join("<th>here</th>" + "<th>paper</th>" * paper for _ in table.others)
    rows = []
    for number_, measure in enumerate(table.measures):
        cells = "".join(
            f"<td>{_ratio(results, measure, table.one, other)}</td>"
            + (f"<td class='paper'>{_or_dash(table.published[number_][column])}</td>" if paper else "")
            for column, other in enumerate(table.others)
        )
        rows.append(f"<tr><td class='word'>{text(experiment.measures[measure])}</td>{cells}</tr>")
    return (
        f"<h2>{text(table.title)}</h2><p class='dim'>Ratios to {text(_named(experiment, table.one))}, "
        "with 95 % confidence: above 1 means larger.</p><div class='wide'><table>"
        f"<tr><th class='word' rowspan='2'>measure</th>{top}</tr><tr>{under}</tr>{''.join(rows)}</table></div>"
    )


def _named(experiment: Experiment, one: Configuration) -> str:
    """Return the paper's name of a configuration."""
    return str(replace(one, label=experiment.titles[one.label]))


def _ratio(results: Results, measure: Measure, one: Configuration, other: Configuration) -> str:
    there = one in results.samples and other in results.samples
    both = results.pair([((other, measure), (one, measure))]) if there else None
    if both is None or math.isnan((ratio := both.ratio()).value):
        return "–"
    limits = f" <small>({number(ratio.low)} to {number(ratio.high)})</small>" if ratio.problems > 1 else ""
    return number(ratio.value) + limits


def _or_dash(printed: float | None) -> str:
    return "–" if printed is None or math.isnan(printed) else number(printed)


def _setting_name(experiment: Experiment, name: str) -> str:
    return UNITS[experiment.entries[0].unit] if name == "budget" else name


def _cells(experiment: Experiment, results: Results, one: Configuration, measure: Measure, paper: bool) -> str:
    measured = results.estimate(one, measure)
    if one not in experiment.configurations():
        ours = ""
    elif measured is None:
        ours = "not run"
    elif math.isnan(measured.value):
        ours = "–"
    else:
        ours = _with_error(measured, results.by_median([(one, measure)]) and not measure.median)
    if not paper:
        return f"<td>{ours}</td>"
    printed = experiment.published.value(one, str(measure))
    return f"<td>{ours}</td><td class='paper'>{_or_dash(printed)}</td>"


def _with_error(measured: Interval, median: bool) -> str:
    """Format a number with half of its confidence interval."""
    error = measured.high - measured.value
    if median:
        return f"{number(measured.value)} <small>median</small>"
    shown = f" <small>± {number(error)}</small>" if 1e-9 * abs(measured.value) < error < math.inf else ""
    return number(measured.value) + shown


# ------------------------------------------------------------------ figures, and how it was made


def _figures(experiment: Experiment, drawn: Mapping[str, Drawn], styles: Styles) -> str:
    dotted = " Dotted lines: the paper, where it gives numbers." if experiment.paper else ""
    parts = [_figure(figure, drawn[figure.id], styles, dotted) for figure in experiment.figures]
    return f"<h2>Figures</h2>{''.join(parts)}" if parts else ""


def _figure(figure: Figure, drawn: Drawn, styles: Styles, dotted: str) -> str:
    caption = f"Solid lines: here, with 95 % confidence, for configurations that solved all problems.{dotted}"
    image = compact(drawn.svg, styles, text(figure.title))
    return f"<figure>{image}<figcaption class='dim'>{caption}</figcaption></figure>"


def _how(run: Run) -> str:
    name, note = run.experiment.name, ""
    if name not in names() or source_of(name)[1].text != run.about["text"]:  # one's own
        note = f" with the experiment below in a file named {name}{SUFFIX}"
        name = shlex.quote(f"{name}{SUFFIX}")
    files = [run.about["text"], *(f"# {other['file']}\n{other['text']}" for other in run.about["like"])]
    command = f"timebound lab run {name} --scale {run.scale}"
    return (
        f"<h2>How to repeat it</h2><p><code>{text(command)}</code>{text(note)}</p>"
        "<details><summary>the experiment as data</summary>"
        f"{''.join(f'<pre>{text(file)}</pre>' for file in files)}</details>"
    )


# ------------------------------------------------------------------ the index


def index_page(entries: Sequence[Judged]) -> str:
    """Return the index of all experiments: those that were run, and those that were not."""
    missing = [name for name in names() if name not in {entry.run.experiment.name for entry in entries}]
    not_run = f"<p class='dim'>Not run: {text(', '.join(missing))}.</p>" if missing else ""
    head = ("experiment", "paper", "scale", "problems", HOLDS, FAILS, "open")
    parts = [
        "<h1>The lab</h1>",
        "<p>The papers' experiments, repeated: our numbers next to the published ones, and every claim with a verdict "
        f"computed from the data. <a href='{CLAIMS}'>All claims on one page.</a></p>",
        table(head, map(_index_row, entries)),
        not_run,
        f"<p class='dim'>Written {datetime.now(UTC).date().isoformat()}.</p>",
    ]
    return document("The lab", parts)


def _index_row(entry: Judged) -> str:
    run, experiment = entry.run, entry.run.experiment
    tallies = "".join(f"<td class='{CLASSES[one]}'>{count or ''}</td>" for one, count in entry.counts.items())
    notes = {"on generated problems": run.about["stand_ins"], "incomplete": entry.results.missing}
    note = "".join(f" <small>{words}</small>" for words, holds in notes.items() if holds)
    return (
        f"<tr><td class='word'><a href='{text(quote(entry.page))}'>{text(experiment.title)}</a>{note}</td>"
        f"<td class='word'>{text(', '.join(filter(None, (experiment.paper, experiment.shows))))}</td>"
        f"<td>{text(run.scale)}</td><td>{run.problems}</td>{tallies}</tr>"
    )
