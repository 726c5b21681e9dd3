"""What pages say is true: their commands run, what is generated is up to date, names and captions are right."""

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import reference_pages
from documents import PAGES, ROOT

import timebound as tb
from timebound.agents import registry
from timebound.agents.check import INTERFACE
from timebound.agents.events import KINDS, LAYERS
from timebound.agents.parameters import COMMON
from timebound.applications.trials import visits
from timebound.cli import main

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Not run, only understood: they take hours, need a scheduler or a network, or never end.
LONG = ("lab ", "warmup", "export", "cc ", "studio", "replay", "crowd", "--cluster", "maps download", "advise my.map")
ELSEWHERE = ("docs/lab.md", "docs/worlds.md", "docs/command-line.md")  # other tests run these commands
QUICKER = {"--seconds 20": "--seconds 1 --agents tbaa,rtaa", "--problems 100": "--problems 2"}
WRITTEN = ("--picture", "--picture-learning", "--gif", "--output")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, *languages: str) -> list[str]:
    return [text for language, text in BLOCK.findall(page(name)) if language in languages]


def commands(name: str) -> Iterator[list[str]]:
    """Yield the arguments of every command on a page."""
    for text in blocks(name, "console", "sh"):
        for line in re.findall(r"^timebound (.*?)(?: +#.*)?$", text.replace("\\\n", ""), re.MULTILINE):
            yield shlex.split(line)


NAMES = [str(one.relative_to(ROOT)) for one in PAGES]
WITH_COMMANDS = [name for name in NAMES if any(commands(name))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands run, beside the module of docs/your-own-agent.md."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.delitem(sys.modules, "my_agents", raising=False)
    (module,) = (text for text in blocks("docs/your-own-agent.md", "python") if text.startswith("# my_agents.py"))
    (tmp_path / "my_agents.py").write_text(module)
    return tmp_path


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_commands(name: str, folder: Path) -> None:
    for words in commands(name):
        line = " ".join(words)
        if name in ELSEWHERE or any(line.startswith(word) or word in words for word in LONG):
            if "--help" not in words:
                reference_pages.parser().parse_args(words)
            continue
        for slow, quick in QUICKER.items():
            line = line.replace(slow, quick)
        if "--help" not in words:
            assert main([*shlex.split(line)] if '"' not in line else words) == 0
        files = [words[i + 1] for i, word in enumerate(words) if word in WRITTEN]
        assert [file for file in files if not (folder / file).is_file()] == []


@pytest.mark.parametrize("name", reference_pages.PAGES)
def test_what_is_generated_is_up_to_date(name: str) -> None:
    text = page(f"docs/{name}")
    assert text == reference_pages.written(text), "run: python tools/reference_pages.py"


def test_every_command_has_its_options_on_the_site() -> None:
    names = [name for name, command in reference_pages.commands(reference_pages.parser())]
    single = {name for name in names if not any(other.startswith(f"{name} ") for other in names)}
    source = page("docs/command-line.md")
    assert {*re.findall(r"^## (.*)\n\n<!-- options: \1 -->$", source, re.MULTILINE)} == single
    shown = reference_pages.on_page_markdown(source)
    assert "<!--" not in shown
    assert "- `--speed V`, speed limit along each axis (3)" in shown


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("solve", "harbour --start 12,100 --goal 20,92 --trials 2 --agent rtaa"),
        ("race", "harbour --start 12,100 --goal 20,92 --agents astar"),
        ("race", "harbour --problems 1 --agents astar"),
        ("crowd", "harbour --units 2 --ticks 2 --expansions 100 --storm"),
        ("maps info", "harbour"),
        ("agents", "rtaa"),
        ("advise", "harbour --expansions 50 --agents astar --problems 1"),
    ],
)
def test_the_names_of_json_are_listed(command: str, arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), *arguments.split(), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    section = page("docs/command-line.md").partition(f"\n## {command}\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`(\w+)`", section.partition("JSON")[2]))
    assert set(printed[0] if isinstance(printed, list) else printed) <= listed


def test_the_pages_say_for_whom_they_are() -> None:
    written_otherwise = re.compile(r"algorithms|benchmarks|decisions|results|README")
    mine = [name for name in NAMES if not written_otherwise.search(name)]
    assert len(mine) > 25
    assert [name for name in mine if not page(name).split("\n\n")[1].startswith("For ")] == []


def test_parameters_of_all_agents_are_explained() -> None:
    assert [name for name in COMMON if f"\n| `{name}` |" not in page("docs/agents.md")] == []


def test_every_event_is_explained() -> None:
    text = page("docs/listening.md")
    assert re.findall(r"^- `(\w+)`:", text, re.MULTILINE) == list(KINDS)
    assert [layer for layer in LAYERS if f"`{layer}`" not in text] == []


def test_the_picture_of_scrubbing_has_a_true_caption() -> None:
    world = tb.Grid.load("harbour")
    episode = tb.make("lrta", world, (12, 100), (180, 14), terrain="unknown").run()
    text = page("docs/races.md").replace("\n", " ")
    assert f"in {episode.moves:,} moves" in text
    assert f"up to {visits(world, [episode]).max()} times to the same cell" in text


def test_the_picture_of_regions_has_a_true_caption(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (count,) = re.findall(r"The picture shows the (\d+) regions", page("docs/subgoals.md"))
    assert main(["maps", "picture", "harbour", "regions.png", "--level", "4"]) == 0
    assert f"{count} regions" in capsys.readouterr().out


def test_the_entry_points_are_of_the_group_that_is_looked_up() -> None:
    (text,) = blocks("docs/your-own-agent.md", "toml")
    assert registry.GROUP in tomllib.loads(text)["project"]["entry-points"]


def test_what_an_object_needs_is_told() -> None:
    needed = f"{', '.join(f'`{name}`' for name in INTERFACE[:-1])} and `{INTERFACE[-1]}`"
    assert needed in page("docs/your-own-agent.md").replace("\n", " ")


def test_the_sentence_of_the_check_is_said() -> None:
    class Overspends:
        def __init__(self, *problem: object, **rules: object):
            self.agent = tb.make("repeated-astar", *problem, **rules)

        def __getattr__(self, name: str) -> object:
            return getattr(self.agent, name)

        def step(self, expansions: float = 1, **limits: float) -> object:
            return self.agent.step(expansions=2 * expansions, **limits)

    *_, text = blocks("docs/your-own-agent.md", "text")
    assert tb.check_agent(Overspends, problems=1) == [text.strip()]
