"""The documentation site: its commands run, its reference is whole, and all its pages are in the menu."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

import timebound as tb
from timebound.agents import interval
from timebound.cli import main, parser_for

DOCS = Path(__file__).parents[1] / "docs"


HOW_TO = sorted((DOCS / "how-to").glob("*.md"))


@pytest.mark.parametrize("page", HOW_TO, ids=lambda page: page.stem)
def test_the_commands_of_how_to_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run; those for a cluster, or for hours, are at least understood."""
    monkeypatch.chdir(tmp_path)
    console = "".join(re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    for command in re.findall(r"^timebound (.*?)(?: +#.*)?$", console, re.MULTILINE):
        if "--cluster" in command or "--scale full" in command:
            parser_for(shlex.split(command)).parse_args(shlex.split(command))
        else:
            assert main(shlex.split(command)) == 0


def test_the_reference_has_every_public_name() -> None:
    listed = re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    public = [getattr(tb, name) for name in tb.__all__]
    assert sorted(listed) == sorted(f"{thing.__module__}.{thing.__qualname__}" for thing in public)


def test_every_page_is_in_the_menu() -> None:
    def pages(menu: object) -> list[str]:
        if isinstance(menu, str):
            return [menu]
        parts = menu.values() if isinstance(menu, dict) else menu
        return [page for part in parts for page in pages(part)]  # type: ignore[attr-defined]

    site = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(pages(site["nav"])) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


ACCIDENT = re.compile(r"[AD)]\*[:,;.)'/-](?:(?!\n\s*\n)[^|])*?[AD)]\*")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_the_stars_of_algorithms_are_no_emphasis(page: Path) -> None:
    """Markdown would print what is between two names like A* in italics, if the first is followed by a comma, say."""
    code = r"^```.*?^```|`[^`\n]*`|<!--.*?-->"
    prose = re.sub(code, "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert ACCIDENT.findall(prose) == []


def test_the_picture_of_a_tick_names_functions_that_exist() -> None:
    picture = (DOCS / "images" / "tick.svg").read_text(encoding="utf-8")
    steps = re.findall(r">\d  (\w+)[<,]", picture) + re.findall(r'<text x="44" y="\d+">(\w+)<', picture)
    assert steps == ["arrive", "observe", "take_news", "plan", "next_move", "catch_up", "aim", "look", "set_out"]
    assert [name for name in [*steps, "turns"] if not hasattr(interval, name)] == []
    named = re.findall(r"(\w+/\w+\.py)", picture)
    assert [name for name in named if not (DOCS.parent / "src" / "timebound" / name).is_file()] == []
