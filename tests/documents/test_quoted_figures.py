"""Numbers that the README and the pages quote are those of their sources, and each has one.

`tools/quoted_figures.toml` names the sources. The pages of the algorithms have figures of their own, which
`test_algorithm_pages` compares with `figures.json`; so does it with those of `which-agent.md`.
"""

import re
from collections.abc import Iterator

import pytest
from quoted_figures import HOLE, NUMBER, ROOT, UnsourcedError, numbers, outdated, pattern, spec, written

NAMES = ("results.md", "decisions.md", "which-agent.md")
MEASURED = {ROOT / "docs" / name for name in NAMES}
WRITTEN = {
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "how-to").glob("*.md"),
    *(ROOT / "docs" / "start").glob("*.md"),
}
PAGES = ["README.md", *(str(page.relative_to(ROOT)) for page in sorted(WRITTEN - MEASURED))]
UNITS = r"(?:ms|us|µs|ns|s|seconds?|minutes?|hours?|[kMG]B|times)\b|%"
QUANTITY = re.compile(rf"(?<![\w.]){NUMBER.pattern}(?: to {NUMBER.pattern})? (?:{UNITS})")


def prose(page: str) -> str:
    """A page without code and tables; every character stays where it is."""
    code = r"^```.*?^```|^\|.*?$|`[^`]*`"
    return re.sub(code, lambda found: re.sub(r"[^\n]", " ", found[0]), page, flags=re.MULTILINE | re.DOTALL)


def unsourced(name: str, page: str) -> Iterator[str]:
    """Yield the quantities that no sentence of the list covers."""
    sentences = [*spec()["quotes"].get(name, ()), *spec()["own"].get(name, ()), *spec()["rules"].get(name, ())]
    covered = [found.span() for sentence in sentences for found in re.finditer(pattern(sentence), page)]
    for found in QUANTITY.finditer(prose(page)):
        if not any(begin <= found.start() and found.end() <= end for begin, end in covered):
            yield " ".join(page[max(0, found.start() - 30) : found.end() + 20].split())


def test_quoted_numbers_are_those_of_their_sources() -> None:
    assert dict(outdated()) == {}, "run: python tools/quoted_figures.py"


def test_every_figure_is_quoted() -> None:
    sentences = " ".join(one for page in spec()["quotes"].values() for one in page)
    assert {hole[1] for hole in HOLE.finditer(sentences)} == set(spec()["figures"])


@pytest.mark.parametrize("name", PAGES)
def test_every_measured_number_has_a_source(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert [*unsourced(name, page)] == [], "name its source in tools/quoted_figures.toml"
    for sentence in (*spec()["own"].get(name, ()), *spec()["rules"].get(name, ())):
        assert re.search(pattern(sentence), page), f"{name} does not say it any more: {sentence}"


def test_the_checks_find_what_is_wrong() -> None:
    page = (ROOT / "docs" / "worlds.md").read_text(encoding="utf-8")
    (right,) = numbers("plain-python")
    wrong = page.replace(f"[{right} times]", "[66 times]")
    assert wrong != page
    assert written("docs/worlds.md", wrong) == page
    with pytest.raises(UnsourcedError, match="does not say"):
        written("docs/worlds.md", page.replace("times](benchmarks", "fold](benchmarks"))
    (found,) = unsourced("docs/worlds.md", f"{page}\nIt takes 0.3 ms.\n")
    assert found.endswith("It takes 0.3 ms.")
