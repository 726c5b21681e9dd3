"""Pages of runs: our table beside the published one, the figures, and every claim with its verdict; and an index."""

import base64
import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ..disk import write_files
from .claims import show
from .figures import Drawn, draw
from .files import names
from .measures import Measure
from .results import Results, results_in
from .rows import StoreError
from .spec import UNITS, Beside, Configuration, Experiment, Figure, Named, Shown
from .statistics import pair
from .store import Run, find_runs
from .verdicts import FAILS, HOLDS, OPEN, Verdict, in_words, judge

INDEX = "index.html"
_FIGURES = "figures"
_CLASSES = {HOLDS: "holds", FAILS: "fails", OPEN: "open"}
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p.paper, .dim { color: var(--dim); } p { max-width: 50rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .22rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; } th.word, td.word { text-align: left; white-space: normal; } td.word { min-width: 11rem; }
td.paper { background: var(--soft); } td small { color: var(--dim); }
tr.first td, tr.first th { border-top: 2px solid var(--line); }
.holds, .fails, .open { font-weight: 600; white-space: nowrap; }
.holds { color: #1a7f37; } .fails { color: #c62828; } .open { color: #9a6700; }
figure { margin: 1rem 0; } figure img { max-width: 100%; width: 46rem; background: white; border-radius: 4px; }
summary { cursor: pointer; } ul.small { font-size: .85rem; }
aside { border-left: 3px solid #9a6700; padding-left: .8rem; }
"""


class Report(NamedTuple):
    """What was written."""

    page: Path
    """The index."""
    faults: list[str]
    """Runs that are damaged or not whole: a line for each."""


Entry = tuple[Run, Results, list[Verdict]]


def write_report(runs_folder: Path, output: Path) -> Report:
    """Write the pages of all runs in a folder, or nothing."""
    latest, faults = _latest(runs_folder)
    if not latest:
        reason = faults[0] if faults else f"{runs_folder}: there are no runs in it"
        raise StoreError(f"{reason}; run an experiment first: timebound lab run NAME")
    files: dict[Path, bytes] = {}
    entries: list[Entry] = []
    for run, results in latest:
        verdicts = [judge(claim, results) for claim in run.experiment.claims]
        files |= _page_files(run, results, verdicts)
        entries.append((run, results, verdicts))
    try:
        (output / _FIGURES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{output}: cannot be made: {error.strerror}") from None
    files[Path(INDEX)] = index_page(entries).encode()
    write_files({output / name: content for name, content in files.items()})
    return Report(output / INDEX, faults)


def _latest(runs_folder: Path) -> tuple[list[tuple[Run, Results]], list[str]]:
    """Of each experiment and scale the run that was begun last and has results, in the order of names; and faults."""
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


def _page_files(run: Run, results: Results, verdicts: Sequence[Verdict]) -> dict[Path, bytes]:
    """The page of a run and its figures, by their names."""
    drawn = {figure.id: draw(figure, results) for figure in run.experiment.figures}
    stem, figures = page_name(run).removesuffix(".html"), Path(_FIGURES)
    files = {Path(page_name(run)): page(run, results, verdicts, drawn).encode()}
    for name, figure in drawn.items():
        files[figures / f"{stem}-{name}.svg"] = figure.svg
        files[figures / f"{stem}-{name}.png"] = figure.png
    return files


def page_name(run: Run) -> str:
    """The file of a run's page."""
    return f"{run.experiment.name}-{run.scale}.html"


# ------------------------------------------------------------------ the page of a run


def page(run: Run, results: Results, verdicts: Sequence[Verdict], drawn: dict[str, Drawn]) -> str:
    """Everything about a run on one page that needs nothing else."""
    experiment = run.experiment
    parts = [
        f"<p><a href='{INDEX}'>all experiments</a></p>",
        f"<h1>{_text(experiment.title)}</h1>",
        f"<p class='paper'>{_text(', '.join(filter(None, (experiment.paper, experiment.shows))))}</p>",
        f"<p>{_text(experiment.about)}</p>",
        _stand_in_note(run),
        _missing_note(results),
        f"<p class='dim'>{_text(facts(run, results))}</p>",
        _claims(verdicts),
        _tables(experiment, results),
        _figures(experiment, drawn),
        _how(run),
    ]
    return _document(f"{experiment.title}: {experiment.shows or experiment.name}", parts)


def facts(run: Run, results: Results) -> str:
    """Scale, date and machine of a run, in a sentence."""
    machine, versions = run.about["machine"], run.about["versions"]
    done, wanted = len(results.samples), len(run.experiment.configurations())
    rows = "" if done == wanted else f" {done} of {wanted} configurations were run."
    return (
        f"Scale {run.scale}: {run.problems} problems for each configuration.{rows} Begun "
        f"{run.about['started'][:10]} on {machine['processor']}, {machine['cores']} cores, {machine['system']}; "
        f"timebound {versions['timebound']}, Numba {versions['numba']}, Python {versions['python']}."
    )


def _stand_in_note(run: Run) -> str:
    worlds = run.experiment.worlds
    if not (run.about["stand_ins"] and isinstance(worlds, Named)):
        return ""
    text = (
        f"The maps {', '.join(worlds.maps)} were not at hand: generated maps ({worlds.stand_in.generator}) stand in "
        "for them. The numbers cannot be compared with the paper's, only their order."
    )
    return f"<aside><p>{_text(text)}</p></aside>"


def _missing_note(results: Results) -> str:
    if not results.missing:
        return ""
    return f"<aside><p>This run is {_text(results.missing)}. All numbers are of the rest.</p></aside>"


def _claims(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return ""
    rows = "".join(
        f"<tr><td class='word'>{_text(verdict.claim.words)}{_evidence(verdict)}</td>"
        f"<td class='word {_CLASSES[verdict.outcome]}'>{verdict.outcome}</td></tr>"
        for verdict in verdicts
    )
    return (
        "<h2>What the paper claims</h2><table><tr><th class='word'>claim</th><th class='word'>verdict</th></tr>"
        f"{rows}</table><p class='dim'>Verdicts are computed. A claim holds if each of its comparisons does with 95 % "
        "confidence, problem by problem; it does not hold if one of them is clearly the other way round, "
        "allowing for their number.</p>"
    )


def _evidence(verdict: Verdict) -> str:
    if not verdict.comparisons:
        return f"<br><span class='dim'>{_text(verdict.reason)}</span>"
    items = "".join(
        f"<li><span class='{_CLASSES[one.outcome]}'>{one.outcome}</span> {_text(in_words(one))}</li>"
        for one in verdict.comparisons
    )
    counts = f"{len(verdict.comparisons)} comparisons" if len(verdict.comparisons) > 1 else "1 comparison"
    return f"<details><summary class='dim'>{counts}</summary><ul class='small'>{items}</ul></details>"


# ------------------------------------------------------------------ the table


def _tables(experiment: Experiment, results: Results) -> str:
    """Those that the experiment asks for, or one of everything."""
    everything = Shown("The table", tuple(experiment.measures), tuple(entry.label for entry in experiment.entries))
    tables = "".join(
        _table(experiment, results, table) if isinstance(table, Shown) else _ratios(experiment, results, table)
        for table in experiment.tables or (everything,)
    )
    return (
        f"{tables}<p class='dim'>Means over the problems solved, or totals over totals, ± half of the 95 % confidence "
        "interval.</p>"
    )


def _table(experiment: Experiment, results: Results, table: Shown) -> str:
    entries = [entry for entry in experiment.entries if entry.label in table.agents]
    settings = list(dict.fromkeys(name for entry in entries for name in entry.settings))
    if all(math.isinf(budget) for entry in entries for budget in entry.budgets):
        settings.remove("budget")
    columns = [(measure, str(measure) in experiment.published.columns) for measure in table.measures]
    top = "".join(f"<th colspan='{1 + paper}'>{_text(experiment.measures[one])}</th>" for one, paper in columns)
    under = "".join("<th>here</th>" + "<th>paper</th>" * paper for _, paper in columns)
    names_ = "".join(f"<th rowspan='2'>{_text(_setting_name(experiment, name))}</th>" for name in settings)
    rows, before = [], ""
    for configuration in (one for entry in entries for one in experiment.rows(entry)):
        first = " class='first'" if configuration.label != before else ""
        before = configuration.label
        values = "".join(f"<td>{_text(show(configuration.settings.get(name, '')))}</td>" for name in settings)
        cells = "".join(_cells(experiment, results, configuration, *column) for column in columns)
        name = _text(experiment.titles[configuration.label])
        failures = results.unsolved(configuration)
        note = f" <small>({failures} not solved)</small>" if failures else ""
        rows.append(f"<tr{first}><td class='word'>{name}{note}</td>{values}{cells}</tr>")
    return (
        f"<h2>{_text(table.title)}</h2><div class='wide'><table>"
        f"<tr><th class='word' rowspan='2'>agent</th>{names_}{top}</tr><tr>{under}</tr>{''.join(rows)}</table></div>"
    )


def _ratios(experiment: Experiment, results: Results, table: Beside) -> str:
    """A table of one configuration beside others: how many times its own a measure of theirs is."""
    paper = bool(table.published)
    top = "".join(f"<th colspan='{1 + paper}'>{_text(_named(experiment, other))}</th>" for other in table.others)
    under = "".join("<th>here</th>" + "<th>paper</th>" * paper for _ in table.others)
    rows = []
    for number_, measure in enumerate(table.measures):
        cells = "".join(
            f"<td>{_ratio(results, measure, table.one, other)}</td>"
            + (f"<td class='paper'>{_or_dash(table.published[number_][column])}</td>" if paper else "")
            for column, other in enumerate(table.others)
        )
        rows.append(f"<tr><td class='word'>{_text(experiment.measures[measure])}</td>{cells}</tr>")
    return (
        f"<h2>{_text(table.title)}</h2><p class='dim'>How many times that of {_text(_named(experiment, table.one))}, "
        "with 95 % confidence: above 1, it is larger.</p><div class='wide'><table>"
        f"<tr><th class='word' rowspan='2'>measure</th>{top}</tr><tr>{under}</tr>{''.join(rows)}</table></div>"
    )


def _named(experiment: Experiment, one: Configuration) -> str:
    """A configuration as the paper writes its agent."""
    return str(replace(one, label=experiment.titles[one.label]))


def _ratio(results: Results, measure: Measure, one: Configuration, other: Configuration) -> str:
    samples = [results.samples.get(configuration) for configuration in (other, one)]
    both = None if None in samples else pair(*((measure, sample) for sample in samples if sample is not None))
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
        error = measured.high - measured.value
        ours = number(measured.value) + (
            f" <small>± {number(error)}</small>" if 1e-9 * abs(measured.value) < error < math.inf else ""
        )
    if not paper:
        return f"<td>{ours}</td>"
    printed = experiment.published.value(one, str(measure))
    return f"<td>{ours}</td><td class='paper'>{_or_dash(printed)}</td>"


def number(value: float) -> str:
    """A number with as many digits as mean something.

    >>> number(248537.79), number(26.338), number(1.01), number(0.2), number(0.00308)
    ('248,538', '26.3', '1.01', '0.20', '0.00308')
    """
    if 0 < abs(value) < 0.1:
        return f"{value:.3g}"
    return f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


# ------------------------------------------------------------------ figures, and how it was made


def _figures(experiment: Experiment, drawn: dict[str, Drawn]) -> str:
    parts = [_figure(experiment.name, figure, drawn[figure.id]) for figure in experiment.figures]
    return f"<h2>Figures</h2>{''.join(parts)}" if parts else ""


def _figure(experiment: str, figure: Figure, drawn: Drawn) -> str:
    svg, png, name = _inline(drawn.svg, "svg+xml"), _inline(drawn.png, "png"), _text(f"{experiment}-{figure.id}")
    caption = (
        "Full lines: here, with 95 % confidence, of configurations that solved all problems. "
        "Dotted: the paper, where it prints numbers."
    )
    return (
        f"<figure><img alt='{_text(figure.title)}' src='{svg}'><figcaption class='dim'>{caption} "
        f"<a download='{name}.svg' href='{svg}'>SVG</a> <a download='{name}.png' href='{png}'>PNG</a>"
        "</figcaption></figure>"
    )


def _inline(content: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _how(run: Run) -> str:
    command = f"timebound lab run {run.experiment.name} --scale {run.scale}"
    texts = [run.about["text"], *(f"# {other['file']}\n{other['text']}" for other in run.about["like"])]
    return (
        f"<h2>How to repeat it</h2><p><code>{_text(command)}</code></p>"
        "<details><summary>the experiment as data</summary>"
        f"{''.join(f'<pre>{_text(text)}</pre>' for text in texts)}</details>"
    )


# ------------------------------------------------------------------ the index


def index_page(entries: Sequence[Entry]) -> str:
    """All experiments: those that were run, and those that were not."""
    rows = "".join(_index_row(*entry) for entry in entries)
    missing = [name for name in names() if name not in {run.experiment.name for run, _, _ in entries}]
    not_run = f"<p class='dim'>Not run: {_text(', '.join(missing))}.</p>" if missing else ""
    today = datetime.now(UTC).date().isoformat()
    head = "".join(
        f"<th class='word'>{name}</th>" for name in ("experiment", "paper", "scale", "problems", HOLDS, FAILS, "open")
    )
    return _document(
        "The lab",
        [
            "<h1>The lab</h1>",
            "<p>The papers' experiments, run again: our numbers beside the published ones, and every claim with a "
            "verdict that is computed from the data.</p>",
            f"<div class='wide'><table><tr>{head}</tr>{rows}</table></div>",
            not_run,
            f"<p class='dim'>Written {today}.</p>",
        ],
    )


def _index_row(run: Run, results: Results, verdicts: list[Verdict]) -> str:
    counts = {outcome: sum(verdict.outcome == outcome for verdict in verdicts) for outcome in _CLASSES}
    tallies = "".join(f"<td class='{_CLASSES[one]}'>{count or ''}</td>" for one, count in counts.items())
    notes = {"on generated maps": run.about["stand_ins"], "not whole": results.missing}
    note = "".join(f" <small>{text}</small>" for text, holds in notes.items() if holds)
    return (
        f"<tr><td class='word'><a href='{_text(quote(page_name(run)))}'>{_text(run.experiment.title)}</a>{note}</td>"
        f"<td class='word'>{_text(', '.join(filter(None, (run.experiment.paper, run.experiment.shows))))}</td>"
        f"<td>{_text(run.scale)}</td><td>{run.problems}</td>{tallies}</tr>"
    )


def _document(title: str, parts: Iterable[str]) -> str:
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        f"<title>{_text(title)}</title><style>{_STYLE}</style><body>{''.join(parts)}</body></html>\n"
    )


def _text(text: str) -> str:
    return html.escape(text, quote=True)
