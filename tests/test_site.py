"""The documentation site: its examples run, its reference is whole, and all its pages are in the menu."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

import timebound as tb
from timebound.cli import _parser, main

DOCS = Path(__file__).parents[1] / "docs"


EXECUTED = ("start", "adapters", "concepts", *(f"how-to/{page.stem}" for page in sorted((DOCS / "how-to").glob("*.md"))))


@pytest.mark.parametrize("name", EXECUTED)
def test_the_examples_run(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / f"{name}.md"
    code = "".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    exec(compile(code, str(page), "exec"), {})
    said = re.findall(r"print\(.*\) +# (.*)", code)
    assert [line.split(":")[0] for line in said] == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("*.md")), ids=lambda page: page.stem)
def test_the_commands_of_how_to_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run; those for a cluster, or for hours, are at least understood."""
    monkeypatch.chdir(tmp_path)
    console = "".join(re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    for command in re.findall(r"^timebound (.*?)(?: +#.*)?$", console, re.MULTILINE):
        if "--cluster" in command or "--scale full" in command:
            _parser().parse_args(shlex.split(command))
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
