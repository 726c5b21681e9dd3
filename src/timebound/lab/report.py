"""Pages about runs: our table and the published one, figures, every claim with its verdict; and an index."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.disk import write_files
from .figures import draw
from .pages import Judged, claims_page, index_page, run_page
from .parquet import StoreError
from .results import Results, results_of
from .store import Run, find_runs
from .verdicts import judge

_INDEX = Path("index.html")
_FIGURES = Path("figures")


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
    files[_INDEX] = index_page(entries).encode()
    files[Path("claims.html")] = claims_page(entries).encode()
    write_files({output / name: content for name, content in files.items()})
    return Report(output / _INDEX, faults)


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
            newest[key] = run, results_of(run, contents)
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
        judged.append(Judged(run, results, verdicts))
    return judged


def _page_files(entry: Judged, because: str) -> dict[Path, bytes]:
    """Return the page of a run and its figures, by their names."""
    drawn = {figure.id: draw(figure, entry.results) for figure in entry.run.experiment.figures}
    files = {Path(entry.page): run_page(entry, drawn, because).encode()}
    for name, figure in drawn.items():
        stem = _FIGURES / f"{Path(entry.page).stem}-{name}"
        files |= {Path(f"{stem}.svg"): figure.svg, Path(f"{stem}.png"): figure.png}
    return files
