"""Reports: self-contained pages that show what was measured, and nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from lab_specs import SMALL, lab_run, small

from timebound.lab.measures import Measure
from timebound.lab.report import write_report
from timebound.lab.results import results_of
from timebound.lab.store import Run

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")

FIVE = SMALL.replace("worlds = 12", "worlds = 15").replace("Small mazes", "Mazes < 30 & more")


class Reader(HTMLParser):
    """The rows of all tables, the text, and every address that a page refers to."""

    def __init__(self, text: str):
        super().__init__()
        self.rows: list[list[str]] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.open.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return lab_run(small(FIVE), tmp_path_factory.mktemp("reported")).run


@pytest.fixture(scope="session")
def pages(finished: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("pages")
    assert write_report(finished.directory.parent.parent, output) == (output / "index.html", [])
    return output


def test_our_numbers_stand_beside_the_published(pages: Path, finished: Run) -> None:
    page = Reader((pages / "small-quick.html").read_text())
    rows = {(row[0], row[1]): row for row in page.rows if len(row) == 5}
    ours = results_of(finished).estimate(small(FIVE).configurations()[0], Measure("expansions"))
    assert ours is not None
    cell = rows["dstar-lite", "5"][2]
    assert float(cell.split(" ±")[0].replace(",", "")) == pytest.approx(ours.value, abs=0.51)
    assert rows["dstar-lite", "5"][3] in ("1,000", "1,001")
    assert rows["backward", "∞"][3] == "5,000"
    assert rows["forward", "50"][3] == "–"


def test_verdicts_are_shown(pages: Path) -> None:
    page = Reader((pages / "small-quick.html").read_text())
    verdicts = {row[0].split(".")[0]: row[1] for row in page.rows if len(row) == 2}
    assert verdicts["D* Lite expands fewer cells than backward searches"] == "holds"
    assert verdicts["D* Lite expands more cells than backward searches"] == "does not hold"
    assert verdicts["The moves do not depend on the budget"] == "holds"


def test_pages_need_nothing_else(pages: Path) -> None:
    for name in ("small-quick.html", "index.html"):
        text = (pages / name).read_text()
        outside = [one for one in Reader(text).addresses if not one.startswith("data:")]
        assert all((pages / one).is_file() for one in outside)
        assert "<script" not in text
        assert "http" not in re.sub(r"data:[^']*", "", text)
    assert "Mazes &lt; 30 &amp; more" in (pages / "small-quick.html").read_text()


def test_figures_are_vector_and_pixels(pages: Path) -> None:
    assert (pages / "figures" / "small-quick-intervals.svg").read_bytes().startswith(b"<?xml")
    assert (pages / "figures" / "small-quick-intervals.png").read_bytes().startswith(b"\x89PNG")


def test_the_index_names_what_is_missing(pages: Path) -> None:
    text = (pages / "index.html").read_text()
    assert "small-quick.html" in text
    assert "Not run: " in text
    assert "rtaa-table-1" in text


def test_what_was_not_run_is_called_so(tmp_path: Path) -> None:
    lab_run(small(), tmp_path, agents=["dstar-lite"])
    write_report(tmp_path, tmp_path)
    text = (tmp_path / "small-quick.html").read_text()
    assert "3 of 7 configurations were run" in text
    rows = [row for row in Reader(text).rows if len(row) == 5 and row[0] == "backward"]
    assert rows[0][2:] == ["not run", "5,000", "not run"]
    assert "not decidable at this scale" in text


def test_a_run_without_results_does_not_count(tmp_path: Path) -> None:
    finished = lab_run(small(SMALL.replace("worlds = 12", "worlds = 2")), tmp_path, agents=["backward"]).run
    other = lab_run(small(SMALL.replace("worlds = 12", "worlds = 3")), tmp_path, agents=["backward"]).run
    for file in other.finished().values():
        file.unlink()
    write_report(tmp_path, tmp_path)
    assert "Scale quick: 2 problems" in (tmp_path / "small-quick.html").read_text()
    assert finished.finished()


def test_the_report_repeats_to_the_byte(finished: Run, pages: Path, tmp_path: Path) -> None:
    write_report(finished.directory.parent.parent, tmp_path)
    for file in pages.rglob("*.*"):
        assert (tmp_path / file.relative_to(pages)).read_bytes() == file.read_bytes()
