"""The README is short, and its tables and captions are true."""

import re
from pathlib import Path

import timebound as tb

PAGE = Path(__file__).parents[2] / "README.md"


def test_how_long_it_is() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) <= 1300
    assert f"implements {len(tb.catalogue())} published algorithms" in PAGE.read_text(encoding="utf-8")


def test_the_first_screen_has_the_two_commands() -> None:
    text = PAGE.read_text(encoding="utf-8")
    first = text[: text.index("![")]
    assert re.findall(r"^make (\w+) ", first, re.MULTILINE) == ["demo", "test"]


def test_the_speed_table_is_that_of_the_benchmarks() -> None:
    """The README's times are the means, in the last column of the first table of docs/benchmarks.md."""
    readme = PAGE.read_text(encoding="utf-8").partition("## Speed")[2].partition("## ")[0]
    times = re.findall(r"^\| (\w[\w-]*), .*\| ([\d.]+) \|$", readme, re.MULTILINE)
    table = (PAGE.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8").partition("## How cost grows")[0]
    assert len(times) == 8
    for package, time in times:
        rows = re.findall(rf"^\| {package}[ ,].*\| ([\d.]+) \|$", table, re.MULTILINE | re.IGNORECASE)
        assert rows[0] == time


def test_the_advice_is_that_of_which_agent() -> None:
    """The README's table, the list in docs/which-agent.md and its picture name the same agents."""
    readme = PAGE.read_text(encoding="utf-8").partition("## Which agent when")[2].partition("\n\n`timebound")[0]
    pages = PAGE.parent / "docs"
    listed = (pages / "which-agent.md").read_text(encoding="utf-8").partition("These are rules of thumb")[0]
    drawn = " ".join(
        re.findall(r'class="b">([^<]*)<', (pages / "images" / "which-agent.svg").read_text(encoding="utf-8"))
    )
    names = [kind.name for kind in tb.catalogue()]
    advised = [{name for name in names if f"`{name}`" in text} for text in (readme, listed)]
    assert advised[0] == advised[1] == {name for name in names if name in re.findall(r"[a-z-]+", drawn)}


def test_the_picture_has_a_true_caption() -> None:
    caption = PAGE.read_text(encoding="utf-8").replace("\n", " ")
    demo = (PAGE.parent / "Makefile").read_text(encoding="utf-8")
    assert "--virtual-ms 0.002 \\\n\t\t--agents tbaa,rtaa,dstar-lite \\\n" in demo
    assert "--param radius=8 --param line_of_sight=true" in demo
    world, sensor = tb.Grid.load("harbour"), {"radius": 8, "line_of_sight": True}
    agents = ["dstar-lite", "rtaa", "tbaa"]
    result = tb.race(world, agents, (12, 100), (180, 14), terrain="unknown", virtual_ms=0.002, **sensor)
    first, second, third = (episode.intervals for episode in result.episodes)
    assert f"TBAA\\* arrives after {first} intervals, RTAA\\* after {second}, D\\* Lite after {third:,}" in caption
    assert [episode.agent for episode in result.episodes] == ["tbaa", "rtaa", "dstar-lite"]
    assert min(result.episodes, key=lambda episode: episode.cost).agent == "dstar-lite"
