"""Write the measured numbers that the README and the pages quote, from the tables that they come from.

    python tools/quoted_figures.py            # write them
    python tools/quoted_figures.py --check    # only say what is out of date

`quoted_figures.toml` names the figures and their sources, and the sentences that quote them.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SPEC = Path(__file__).with_suffix(".toml")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
HOLE = re.compile(r"\{([\w-]+)(?:\.(least|most))?(?::([^}]*))?\}")


class UnsourcedError(Exception):
    """A figure without a source, or a sentence that is not on its page."""


@cache
def spec() -> Mapping[str, Any]:
    """Return what `quoted_figures.toml` says."""
    return tomllib.loads(SPEC.read_text(encoding="utf-8"))


@cache
def numbers(name: str) -> list[str]:
    """Return the numbers of a figure, as its source has them."""
    try:
        source = spec()["figures"][name]
    except KeyError:
        raise UnsourcedError(f"there is no figure {name!r} in {SPEC.name}") from None
    page = source.get("page", f"bench/results/{source.get('part')}.md")
    part = section((ROOT / page).read_text(encoding="utf-8"), source.get("section"))
    if "text" in source:
        said = re.search(pattern(source["text"]), " ".join(part.split()))
        found = [said[1]] if said else []
    else:
        found = [number for cell in cells(part, source) for number in NUMBER.findall(cell)]
        found = found[source["number"] - 1 :][:1] if "number" in source else found
    if not found:
        raise UnsourcedError(f"{name}: its source is gone: {source}")
    return found


def section(page: str, heading: str | None) -> str:
    """Return the part of a page under a heading, up to the next one of its rank; without a heading, the whole page."""
    if heading is None:
        return page
    marks = re.search(rf"^(#+) {re.escape(heading)}$", page, re.MULTILINE)
    if not marks:
        raise UnsourcedError(f"there is no heading {heading!r}")
    return re.split(rf"^#{{1,{len(marks[1])}}} ", page[marks.end() :], maxsplit=1, flags=re.MULTILINE)[0]


def cells(part: str, source: Mapping[str, Any]) -> Iterator[str]:
    """Yield the cells of a column, in the rows whose first cells begin as `row` says.

    `table` is the beginning of the table's first heading, `after` the first cell of a row before. A row without a first
    cell has that of the row above.
    """
    head: list[str] = []
    label, passed = "", True
    for line in part.splitlines():
        row = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not row:
            head = []
        elif not head:
            head, label, passed = row, "", "after" not in source
        elif head[0].startswith(source.get("table", "")) and not line.startswith("|--"):
            label = row[0] or label
            passed = passed or row[0] == source["after"]
            begins = [tuple(wanted) if isinstance(wanted, list) else wanted for wanted in source["row"]]
            matches = all(map(str.startswith, [label, *row[1:]], begins))
            columns = [i for i, title in enumerate(head) if title == source["column"]]
            if passed and matches and len(columns) >= source.get("nth", 1):
                yield row[columns[source.get("nth", 1) - 1]]
                passed = "after" not in source


def shown(hole: re.Match[str]) -> str:
    """Return a number as a sentence quotes it: as in its source, or in a format of its own, perhaps in another unit."""
    name, which, form = hole.groups()
    source = spec()["figures"].get(name, {})
    found = sorted(numbers(name), key=value)
    if which is None and len(found) > 1:
        raise UnsourcedError(f"{name} has {len(found)} numbers: say {name}.least or {name}.most")
    chosen = found[-1 if which == "most" else 0]
    return chosen if form is None else format(value(chosen) / source.get("per", 1), form)


def value(number: str) -> float:
    """Return a number without the commas between its thousands."""
    return float(number.replace(",", ""))


def pattern(sentence: str) -> str:
    """Return an expression that finds a sentence with any numbers, whatever its line breaks; the numbers are groups."""
    parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in re.split(r"\{[^}]*\}", sentence)]
    return f"({NUMBER.pattern})".join(parts)


def written(page: str, text: str) -> str:
    """Return a page with the numbers that its sentences should have."""
    for sentence in spec()["quotes"].get(page, ()):
        said = re.search(pattern(sentence), text)
        if not said:
            raise UnsourcedError(f"{page} does not say: {sentence}")
        for i, hole in reversed([*enumerate(HOLE.finditer(sentence), 1)]):
            text = text[: said.start(i)] + shown(hole) + text[said.end(i) :]
    return text


def outdated() -> Iterator[tuple[str, str]]:
    """Yield the pages with outdated numbers, and the text that they should have."""
    for page in spec()["quotes"]:
        text = (ROOT / page).read_text(encoding="utf-8")
        if (new := written(page, text)) != text:
            yield page, new


def main() -> None:
    """Write the pages, or name those that are out of date."""
    try:
        pages = dict(outdated())
    except UnsourcedError as error:
        sys.exit(str(error))
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {', '.join(pages)}; run: python tools/quoted_figures.py" if pages else None)
    for page, text in pages.items():
        (ROOT / page).write_text(text, encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()
