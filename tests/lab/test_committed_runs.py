"""The runs that come with the sources are sound, and the report is made from them."""

import html
import json
import re
from pathlib import Path

from timebound.lab.files import as_stored
from timebound.lab.report import OUTCOMES
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


def test_the_results_page_says_what_the_report_says() -> None:
    """If it does not, run: python tools/results_page.py results."""
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8").replace("\\*", "°")
    report = re.sub(r"<[^>]*>", " ", (ROOT / "docs" / "report" / "claims.html").read_text(encoding="utf-8"))
    claims = " ".join(html.unescape(report).replace("*", "°").split())
    papers = re.findall(r"^\| (.* \(\d{4}\)) \| .*" + r" \| (\d+)" * len(OUTCOMES) + r" \|$", page, re.MULTILINE)
    for paper, *counts in papers:
        assert " ".join([paper, *(count for count in counts if count != "0")]) in claims
    assert len(papers) == 5
    for column, outcome in list(enumerate(OUTCOMES, 1))[1:]:
        listed = page.partition(f"<!-- claims: {outcome} -->")[2].partition("<!-- end -->")[0]
        words = re.findall(r"\*(.*?)\*", listed)
        assert len(words) - listed.count("(ours)") == sum(int(counts[column]) for counts in papers)
        assert [one for one in words if one not in claims] == []
