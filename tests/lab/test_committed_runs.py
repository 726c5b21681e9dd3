"""The runs that come with the sources are sound, and the report is made from them."""

from pathlib import Path

import pytest

from timebound.lab.report import page_name
from timebound.lab.store import find_runs

pytest.importorskip("pyarrow")

ROOT = Path(__file__).parents[2]
RUNS, REFUSED = find_runs(ROOT / "results")


def test_all_runs_are_packed_and_sound() -> None:
    assert RUNS
    assert not REFUSED
    for run in RUNS:
        contents = run.contents()
        assert contents.tables, run.directory
        assert not contents.damaged, run.directory
        assert len({*contents.files.values()}) == 1, f"{run.directory}: pack it (timebound lab pack)"


def test_every_page_has_its_run() -> None:
    pages = {page.name for page in (ROOT / "docs" / "report").glob("*.html")} - {"index.html", "claims.html"}
    assert pages == {page_name(run) for run in RUNS}
