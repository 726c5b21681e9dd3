"""The documentation site: its examples run, its reference is whole, and all its pages are in the menu."""

import re
from pathlib import Path

import pytest
import yaml

import timebound as tb

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["start", "adapters"])
def test_the_examples_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = DOCS / f"{name}.md"
    code = "".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    exec(compile(code, str(page), "exec"), {})
    said = re.findall(r"print\(.*\) +# (.*)", code)
    assert [line.split(":")[0] for line in said] == capsys.readouterr().out.splitlines()


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
