"""The documentation site: its reference is whole, and all its pages are in the menu."""

import re
from pathlib import Path

import pytest
import yaml

import timebound as tb
from timebound import maps
from timebound.agents import interval

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_has_every_public_name() -> None:
    listed = re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for name in listed if name.count(".") == 1} == {f"timebound.{name}" for name in tb.__all__} - {
        "timebound.__version__"
    }
    named = [name.rpartition(".")[2] for name in listed if name.startswith("timebound.maps.")]
    assert {*named} == {*maps.__all__} - {"MAX_CELLS", "outputs"}


def test_every_page_is_in_the_menu() -> None:
    def pages(menu: object) -> list[str]:
        if isinstance(menu, str):
            return [menu]
        parts = menu.values() if isinstance(menu, dict) else menu
        return [page for part in parts for page in pages(part)]  # type: ignore[attr-defined]

    site = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    built = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {*site["exclude_docs"].split()}
    assert sorted(pages(site["nav"])) == sorted(built)


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
    assert steps == ["arrive", "observe", "take_news", "plan", "next_move", "catch_up", "aim", "look"]
    assert [name for name in [*steps, "turns"] if not hasattr(interval, name)] == []
    named = re.findall(r"(\w+/\w+\.py)", picture)
    assert [name for name in named if not (DOCS.parent / "src" / "timebound" / name).is_file()] == []
