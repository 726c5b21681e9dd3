"""The runs that come with the sources are sound, and the report is made from them."""

import json
from pathlib import Path

from timebound.lab.files import as_stored
from timebound.lab.spec import load
from timebound.lab.store import find_runs

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
    assert pages == {f"{run.experiment.name}-{run.scale}.html" for run in RUNS}


def test_every_run_is_of_the_experiment_as_it_is() -> None:
    for run in RUNS:
        source = load(run.experiment.name).source
        assert run.about["text"] == source.text, f"{run.directory}: run it again, for its words and claims"
        assert run.about["like"] == json.loads(json.dumps(as_stored(source))), run.directory
