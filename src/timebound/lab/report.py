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
_RESULTS = "../results/"  # the page about the report, on the site


class Report(NamedTuple):
    """What was written."""

    page: Path
    """The index."""
    faults: list[str]
    """Runs that are damaged or incomplete: a line for each."""


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
    return [_judged(*newest[key], [*newest.values()]) for key in sorted(newest)], faults


def _judged(run: Run, results: Results, all_runs: Sequence[tuple[Run, Results]]) -> Judged:
    """Add the verdicts on claims; some claims need other runs, of the same scale if possible, else full ones."""
    ranked = sorted(all_runs, key=lambda other: (other[0].scale == run.scale, other[0].scale == "full"))
    others = {other.experiment.name: found for other, found in ranked}
    return Judged(run, results, [judge(claim, results, others) for claim in run.experiment.claims])
