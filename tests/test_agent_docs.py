"""The commands of docs/agents.md run, and its tables are the catalogue."""

import math
import re
import shlex
from pathlib import Path

import pytest

import timebound as tb
from timebound.agents.catalogue import EVERYWHERE, Kind
from timebound.agents.parameters import COMMON
from timebound.agents.parts import PARTS, ROLES, find_part
from timebound.applications.race import race
from timebound.applications.trials import visits
from timebound.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
TEXT = PAGE.read_text(encoding="utf-8")
PLAIN = TEXT.replace("\\*", "*")  # as it is shown
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    console = "".join(text for language, text in BLOCKS if language == "console").replace("\\\n", "")
    commands = console.splitlines()
    assert len(commands) == 5
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"race.png", "race.gif", "curve.png", "scrubbing.png"}


def test_the_picture_of_scrubbing_has_a_true_caption() -> None:
    world = tb.Grid.load("harbour")
    episode = tb.make("lrta", world, (12, 100), (180, 14), terrain="unknown").run()
    text = TEXT.replace("\n", " ")
    assert f"in {episode.moves:,} moves" in text
    assert f"up to {visits(world, [episode]).max()} times to the same cell" in text


def test_every_parameter_of_the_learning_agents_is_explained() -> None:
    learners = [kind for kind in tb.catalogue() if kind.part("lookahead") in ("local", "within", "step")]
    names = {name for kind in learners if not kind.needs_grid for name in kind.parameters}
    assert [name for name in sorted(names) if f"\n| `{name}` |" not in TEXT] == []


def shown(value: object) -> str:
    return "all" if value == math.inf else str(value)


def table_row(*cells: str) -> str:
    return re.sub(" +", " ", f"| {' | '.join(cells)} |")


def test_the_table_is_the_catalogue() -> None:
    def row(kind: Kind) -> str:
        terrain = "all" if kind.terrain == EVERYWHERE else ", ".join(kind.terrain)
        defaults = ", ".join(f"`{name}` {shown(value)}" for name, value in kind.defaults.items())
        return table_row(f"`{kind.name}`", kind.about, *map(kind.part, ROLES), defaults, terrain, kind.paper)

    assert [row(kind) for kind in tb.catalogue() if row(kind) not in PLAIN] == []
    assert [name for name in COMMON if f"\n| `{name}` |" not in TEXT] == []


@pytest.mark.parametrize("role", ROLES)
def test_the_table_of_parts_is_complete(role: str) -> None:
    def row(name: str) -> str:
        part = find_part(role, name)
        parameters = ", ".join(f"`{given}` {shown(of.default)}" for given, of in part.parameters.items())
        return table_row(role, f"`{name}`", part.about, parameters, ", ".join(part.lookaheads), part.paper)

    assert [row(name) for name in PARTS[role] if row(name) not in PLAIN] == []


def test_the_picture_in_the_readme_has_a_true_caption() -> None:
    caption = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    demo = (PAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert "--virtual-ms 0.002 \\\n\t\t--agents tbaa,rtaa,dstar-lite \\\n" in demo
    assert "--param radius=8 --param line_of_sight=true" in demo
    world, sensor = tb.Grid.load("harbour"), {"radius": 8, "line_of_sight": True}
    agents = ["dstar-lite", "rtaa", "tbaa"]
    result = race(world, agents, (12, 100), (180, 14), terrain="unknown", virtual_ms=0.002, **sensor)
    first, second, third = (episode.intervals for episode in result.episodes)
    assert f"TBAA\\* arrives after {first} intervals, RTAA\\* after {second}, D\\* Lite after {third:,}" in caption
    assert [episode.agent for episode in result.episodes] == ["tbaa", "rtaa", "dstar-lite"]
    assert min(result.episodes, key=lambda episode: episode.cost).agent == "dstar-lite"
