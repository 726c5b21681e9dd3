"""The pages of the algorithms: tables, code and figures are up to date, and every agent has its page and its film."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import algorithm_films
import algorithm_pages
import matplotlib
import pytest
import tradeoffs
from PIL import Image, ImageFont

import timebound as tb
from timebound.agents.catalogue import KINDS
from timebound.applications.race import race
from timebound.maps import random_problems, read

ROOT = Path(__file__).parents[2]
PAGES = sorted(algorithm_pages.PAGES.glob("*.md"))
AGENTS = [kind.name for kind in tb.catalogue()]
MEASURED = json.loads((algorithm_pages.PAGES / "figures.json").read_text(encoding="utf-8"))
SECTIONS = ("Pseudocode", "Guarantees", "Parameters", "When not to use it")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_not_written_by_hand_is_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == algorithm_pages.written(text), "run: python tools/algorithm_pages.py"


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "index"], ids=lambda page: page.stem)
def test_a_page_has_all_sections_for_its_agents(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [name for name in SECTIONS if f"\n## {name}\n" not in text] == []
    assert re.search(r"^## Papers?$", text, re.MULTILINE)
    marks = dict(re.findall(r"^<!-- (\w+): (.*?) -->$", text, re.MULTILINE))
    assert marks["guarantees"] == marks["parts"]
    assert [name for name in marks["parts"].split() if f"images/algorithms/{name}.gif" not in text] == []


def test_every_agent_has_a_page_and_figures() -> None:
    assert set(algorithm_pages.pages_by_agent()) == set(AGENTS)
    index = (algorithm_pages.PAGES / "index.md").read_text(encoding="utf-8")
    assert [name for name in AGENTS if f"| [`{name}`](" not in index] == []


def test_every_agent_is_filmed() -> None:
    assert set(algorithm_films.SCENES) == set(AGENTS)
    films = {name: algorithm_films.FOLDER / f"{name}.gif" for name in AGENTS}
    assert max(film.stat().st_size for film in films.values()) < 150 * 1024
    for film in films.values():
        with Image.open(film) as image:
            assert image.n_frames > 20  # type: ignore[attr-defined]


def test_no_two_films_are_the_same() -> None:
    films = [film.read_bytes() for film in sorted(algorithm_films.FOLDER.glob("*.gif"))]
    assert len({*films}) == len(films)


def test_every_parameter_has_a_meaning() -> None:
    names = {name for kind in tb.catalogue() for name in kind.parameters}
    assert names == set(algorithm_pages.MEANINGS)


def test_the_figures_are_of_every_agent_in_every_terrain_that_it_takes() -> None:
    measured = [(row["agent"], row["terrain"]) for row in MEASURED["rows"]]
    taken = [(name, terrain) for terrain in ("known", "unknown") for name in AGENTS if terrain in KINDS[name].terrain]
    assert measured == taken
    assert all(row["solved"] == MEASURED["about"]["problems"] for row in MEASURED["rows"])


def test_the_figures_can_be_repeated() -> None:
    about, map_ = MEASURED["about"], read(MEASURED["about"]["map"])
    world, problems = tb.Grid(map_.passable), random_problems(map_, about["problems"], seed=about["seed"])
    for name in ("astar", "tbaa"):
        episodes = [race(world, [name], *pair, expansions=about["expansions"]).episodes[0] for pair in problems]
        (row,) = [row for row in MEASURED["rows"] if (row["agent"], row["terrain"]) == (name, "known")]
        assert row["moves"] == round(sum(each.moves for each in episodes) / len(episodes), 1)
        assert row["expansions"] == round(sum(each.expansions for each in episodes) / len(episodes), 1)


def test_the_picture_of_trade_offs_is_up_to_date() -> None:
    assert tradeoffs.PICTURE.read_text(encoding="utf-8") == tradeoffs.picture(), "run: python tools/tradeoffs.py"


def test_the_text_beside_the_picture_is_true() -> None:
    text = (ROOT / "docs" / "which-agent.md").read_text(encoding="utf-8").replace("\n  ", " ")
    rows = {(row["agent"], row["terrain"]): row for row in MEASURED["rows"]}
    known = {name: row for (name, terrain), row in rows.items() if terrain == "known"}
    assert f"{known['astar']['max_us']:.0f} µs for `astar` here, and {known['tba']['max_us']:.0f} µs for `tba`" in text
    assert 1.95 < min(row["suboptimality"] for (_, terrain), row in rows.items() if terrain == "unknown") < 2.05
    assert known["tb-wastar"]["suboptimality"] < known["tba"]["suboptimality"]
    assert 0.4 < known["tb-wastar"]["us_per_move"] / known["tba"]["us_per_move"] < 0.6
    prepared = [known[name] for name in ("knn-lrta", "d-lrta", "pr-lrta")]
    assert max(row["suboptimality"] for row in prepared) < 1.08
    assert max(row["us_per_move"] for row in prepared) < 0.8
    times = sorted(row["prepared_ms"] for row in prepared)
    assert f"for {times[0]:.0f} to {times[-1]:.0f} ms of preparation" in text


def test_which_agent_names_agents_that_exist() -> None:
    page = (ROOT / "docs" / "which-agent.md").read_text(encoding="utf-8")
    picture = (ROOT / "docs" / "images" / "which-agent.svg").read_text(encoding="utf-8")
    drawn = {word for text in re.findall(r'class="b">([^<]*)<', picture) for word in re.findall(r"[a-z-]+", text)}
    named = set(re.findall(r"`([a-z-]+)`", page)) & set(AGENTS)
    assert drawn & set(AGENTS) <= named
    assert len(drawn & set(AGENTS)) > 12


def test_text_in_the_picture_of_which_agent_stays_in_its_box() -> None:
    """With DejaVu Sans, which is wider than most fonts."""
    picture = ET.parse(ROOT / "docs" / "images" / "which-agent.svg").getroot()
    boxes = [[float(one.get(side, 0)) for side in ("x", "y", "width", "height")] for one in picture.iter(SVG + "rect")]
    texts = [one for one in picture.iter(SVG + "text") if one.get("class") != "e"]
    assert len(texts) > 15
    for text in texts:
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        left, top, width, height = min(
            (box for box in boxes if box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]),
            key=lambda box: box[2] * box[3],
        )
        needed = sum(width_of(part, part.get("class") or text.get("class")) for part in text.iter() if part.text)
        begin = x - needed / 2 if text.get("text-anchor") == "middle" else x
        assert left + 5 <= begin, "".join(text.itertext())
        assert begin + needed <= left + width - 5, "".join(text.itertext())
        assert y < top + height


SVG = "{http://www.w3.org/2000/svg}"


def width_of(text: ET.Element, style: str | None) -> float:
    file = "DejaVuSans-Bold.ttf" if style == "b" else "DejaVuSans.ttf"
    path, size = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / file, 110 if style == "s" else 130
    font = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
    return float(font.getlength((text.text or "") + (text.tail or ""))) / 10
