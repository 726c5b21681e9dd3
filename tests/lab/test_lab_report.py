"""Reports: self-contained pages that show what was measured, and nothing else."""

import html
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import pytest
from lab_specs import SMALL, lab_run, small

from timebound.cli import main
from timebound.lab.measures import Measure
from timebound.lab.report import write_report
from timebound.lab.results import results_of
from timebound.lab.store import Run

FIVE = (
    SMALL.replace("worlds = 12", "worlds = 15")
    .replace("Small mazes", "Mazes < 30 & more")
    .replace('terrain = "unknown"', 'terrain = "unknown"\ndiffers = "The mazes are smaller here."')
    .replace('id = "fewer"', 'id = "fewer"\nwhere = "Table 7"\nsays = "it expands fewer"\npublished = 0.5')
    .replace('id = "constant"', 'id = "constant"\nours = true')
    .replace(
        'columns = ["agent", "budget", "expansions"]', 'columns = ["agent", "budget", "expansions", "expansions ±"]'
    )
    .replace('["dstar-lite", 5, 1000.5]', '["dstar-lite", 5, 1000.5, 100]')
    .replace('["backward", inf, 5000]', '["backward", inf, 5000, nan]')
)


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
    printed, _, score = rows["dstar-lite", "5"][3].partition(" z = ")
    assert printed in ("1,000", "1,001")
    error = (ours.high - ours.low) / 2 / 1.96
    assert float(score) == pytest.approx((ours.value - 1000.5) / (100**2 + error**2) ** 0.5, abs=0.051)
    assert "of 1 are within ±1.96" in (pages / "small-quick.html").read_text()
    assert rows["backward", "∞"][3] == "5,000"
    assert rows["forward", "50"][3] == "–"


@pytest.mark.parametrize("name", ["small-quick.html", "claims.html"])
def test_verdicts_are_shown(pages: Path, name: str) -> None:
    found = [row for row in Reader((pages / name).read_text()).rows if len(row) == 5]
    rows = {re.split(r"\.|it exp", row[0])[0].removeprefix("Not in the paper: "): row[1:] for row in found}
    where, verdict, effect, printed = rows["D* Lite expands fewer cells than backward searches"]
    assert (where.removesuffix("in each comparison"), verdict, printed) == ("Table 7", "holds", "0.50")
    factors = [float(factor) for factor in effect.removeprefix("× ").split(" to ")]  # one, if all are equal
    assert 0 < factors[0] <= factors[-1] < 1
    assert rows["D* Lite expands more cells than backward searches"][1] == "does not hold"
    assert rows["The moves do not depend on the budget"][1:3] == ["holds", "equal"]


def test_the_page_of_all_claims(pages: Path, finished: Run) -> None:
    text = (pages / "claims.html").read_text()
    assert "The mazes are smaller here." in text
    assert "comparisons are clearly reversed" in text  # why it does not hold
    assert 'href="small-quick.html"' in text
    assert "claims.html" in (pages / "index.html").read_text()
    counts = [row[1:] for row in Reader(text).rows if row[0] == "Our own experiments"]
    assert counts == [["2", "", "1", "", ""]]
    assert [row[1:] for row in Reader(text).rows if "of ours" in row[0]] == [["1", "", "", "", ""]]
    assert '<q class="dim">it expands fewer</q>' in text


def test_lost_agents_are_shown_by_medians(tmp_path: Path) -> None:
    text = FIVE.replace("[worlds]", "[cut_off]\nexpansions = 1\n\n[worlds]", 1)
    lab_run(small("most_intervals = 20\n" + text), tmp_path)
    write_report(tmp_path, tmp_path)
    page = (tmp_path / "small-quick.html").read_text()
    rows = [row for row in Reader(page).rows if row[0].startswith("backward")]
    assert "not solved, above the cut-off" in rows[0][0]
    assert rows[0][2].endswith("not all arrive")  # no mean
    assert rows[0][3:5] == ["5,000", "∞"]  # but the paper's number, and a median
    assert "median: cells expanded" in page


def test_pages_need_nothing_else(pages: Path) -> None:
    for name in ("small-quick.html", "index.html", "claims.html"):
        text = (pages / name).read_text()
        addresses = Reader(text).addresses
        assert all((pages / one).is_file() for one in addresses if not one.startswith("#"))
        assert all(f'id="{one[1:]}"' in text for one in addresses if one.startswith("#"))
        assert "<script" not in text
        assert "http" not in text
    assert "Mazes &lt; 30 &amp; more" in (pages / "small-quick.html").read_text()


def test_figures_are_vector_and_pixels(pages: Path) -> None:
    assert (pages / "figures" / "small-quick-intervals.svg").read_bytes().startswith(b"<?xml")
    assert (pages / "figures" / "small-quick-intervals.png").read_bytes().startswith(b"\x89PNG")


def test_log_axes_have_plain_numbers(pages: Path) -> None:
    for file in (pages / "small-quick.html", pages / "figures" / "small-quick-intervals.svg"):
        (figure,) = re.findall(r"<svg.*</svg>", file.read_text(), re.DOTALL)
        assert "mathdefault" not in figure
        assert ">10<" in figure


def test_pages_of_ones_own_experiments_name_no_paper(pages: Path) -> None:
    text = (pages / "small-quick.html").read_text()
    assert "<h2>Claims</h2>" in text
    assert "What the paper claims" not in text
    assert "Dotted lines: the paper" not in text


def test_the_command_that_repeats_a_run_runs(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = re.findall(r"<h2>How to repeat it</h2>.*", (pages / "small-quick.html").read_text(), re.DOTALL)
    command, note, text = re.search(r"<code>(.*?)</code>(.*?)</p>.*<pre>(.*?)</pre>", page, re.DOTALL).groups()
    assert note == " with the experiment below in a file named small.toml"
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(html.unescape(text))
    assert main([*shlex.split(command)[1:], "--workers", "1", "--agents", "dstar-lite"]) == 0


def test_figures_in_pages_are_small(pages: Path) -> None:
    text = (pages / "small-quick.html").read_text()
    (figure,) = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(figure) < len((pages / "figures" / "small-quick-intervals.svg").read_bytes()) / 2
    assert 'aria-label="Intervals"' in figure
    used = {*re.findall(r'class="(\w+)"', figure)}
    assert used <= {*re.findall(r"\.(f\d+)\{", text)}
    assert "style=" not in figure


def test_the_index_names_what_is_missing(pages: Path) -> None:
    text = (pages / "index.html").read_text()
    assert "small-quick.html" in text
    assert "Not run: " in text
    assert "rtaa-table-1" in text


def test_what_was_not_run_is_called_so(tmp_path: Path) -> None:
    lab_run(small(), tmp_path, agents=["dstar-lite"])
    write_report(tmp_path, tmp_path)
    text = (tmp_path / "small-quick.html").read_text()
    assert "3 of 7 configurations have been run" in text
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
