"""Write the generated parts of docs/results.md from the runs of the lab: verdicts, and our numbers beside the papers'.

    python tools/results_page.py RUNS

RUNS is what `timebound lab run` wrote. The page has marks, and the text from a mark to `<!-- end -->` is replaced:
`<!-- verdicts: all -->`, `<!-- claims: does not hold -->`, `<!-- table: EXPERIMENT MEASURE SETTING -->`
with a column for each value of the setting, and `<!-- measures: EXPERIMENT MEASURE, MEASURE -->` with a column for each
measure. A cell is our number, with the paper's in brackets.
"""

import math
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from timebound.lab.claims import show
from timebound.lab.experiment import Configuration
from timebound.lab.measures import Measure
from timebound.lab.pages import number
from timebound.lab.report import Judged, judged
from timebound.lab.spec import load

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
MARK = re.compile(r"^<!-- (\w+): (.*?) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)


def written(text: str, entries: Sequence[Judged]) -> str:
    """Return the page with new generated parts."""
    makers = {"verdicts": verdicts, "claims": claims, "table": table, "measures": measures}

    def fill(mark: re.Match[str]) -> str:
        lines = makers[mark[1]](entries, mark[2])
        return "\n".join([f"<!-- {mark[1]}: {mark[2]} -->", *lines, "<!-- end -->"])

    return MARK.sub(fill, text)


def verdicts(entries: Sequence[Judged], _: str) -> Iterator[str]:
    """Yield a row for each experiment: its size, and how many claims hold."""
    yield "| experiment | shows | problems | of | holds | does not hold | open |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    sums = [0, 0, 0]
    for entry in entries:
        counts = [*entry.counts.values()]
        sums = [one + more for one, more in zip(sums, counts, strict=True)]
        name, run = entry.run.experiment.name, problems_run(entry)
        cells = (
            f"[`{name}`](report/{entry.page})",
            plain(load(name).shows),
            *map(number_or_none, (run, entry.run.problems)),
        )
        yield f"| {' | '.join((*cells, *map(number_or_none, counts)))} |"
    yield f"| all | | | | {' | '.join(map(number_or_none, sums))} |"


def problems_run(entry: Judged) -> int:
    """Return the number of problems that every configuration was run on."""
    return int(entry.results.shared.sum())


def number_or_none(count: int) -> str:
    """Format a number, 0 as nothing."""
    return f"{count:,}" if count else ""


def claims(entries: Sequence[Judged], outcome: str) -> Iterator[str]:
    """Yield the claims with a verdict, and the reasons."""
    for entry in entries:
        for verdict in (one for one in entry.verdicts if one.outcome == outcome):
            reasons = " ".join(sentence(words) for words in (verdict.reason, verdict.claim.note) if words)
            yield f"- `{entry.run.experiment.name}`: *{plain(verdict.claim.words)}* {plain(reasons)}"


def sentence(words: str) -> str:
    """Return words that begin with a capital and end with a full stop."""
    return f"{words[0].upper()}{words[1:].rstrip('.')}."


def plain(words: str) -> str:
    """Return words in which asterisks are asterisks."""
    return words.replace("*", "\\*")


def table(entries: Sequence[Judged], what: str) -> Iterator[str]:
    """Yield a table of one measure, with a column for each value of a setting."""
    name, measure, column = re.fullmatch(r"(\S+) (.*) (\w+)", what).groups()  # type: ignore[union-attr]
    entry = of(entries, name)
    rows: dict[str, dict[object, Configuration]] = {}
    for one in entry.results.samples:
        rows.setdefault(row_name(entry, one, column), {})[one.settings.get(column)] = one
    values = [*dict.fromkeys(value for row in rows.values() for value in row)]
    yield f"| {column} | {' | '.join('no limit' if value == math.inf else show(value) for value in values)} |"
    yield f"|---|{'--:|' * len(values)}"
    for label, row in rows.items():
        yield f"| {label} | {' | '.join(cell(entry, row.get(value), Measure.parse(measure)) for value in values)} |"


def measures(entries: Sequence[Judged], what: str) -> Iterator[str]:
    """Yield a table of all configurations, with a column for each measure."""
    name, _, rest = what.partition(" ")
    entry, chosen = of(entries, name), [Measure.parse(one) for one in rest.split(",")]
    heads = dict(entry.run.experiment.measures)
    yield f"| | {' | '.join(heads[one] for one in chosen)} | lost |"
    yield f"|---|{'--:|' * (len(chosen) + 1)}"
    for one in entry.results.samples:
        cells = [cell(entry, one, measure) for measure in chosen]
        yield f"| {row_name(entry, one, '')} | {' | '.join(cells)} | {number_or_none(entry.results.unsolved(one))} |"


def of(entries: Sequence[Judged], name: str) -> Judged:
    """Return the run of an experiment."""
    for entry in entries:
        if entry.run.experiment.name == name:
            return entry
    sys.exit(f"there is no run of {name}: timebound lab run {name} --scale full")


def row_name(entry: Judged, one: Configuration, column: str) -> str:
    """Return the agent's title, with its settings but one."""
    title = next(known.title for known in entry.run.experiment.entries if known.label == one.label)
    hidden = (column, "budget") if one.settings["budget"] == math.inf else (column,)
    settings = [f"{name} {show(value)}" for name, value in one.settings.items() if name not in hidden]
    return ", ".join([plain(title), *settings])


def cell(entry: Judged, one: Configuration | None, measure: Measure) -> str:
    """Return our number, with the paper's in brackets."""
    measured = entry.results.estimate(one, measure) if one else None
    if one is None or measured is None:
        return ""
    printed = entry.run.experiment.published.value(one, measure)
    return number(measured.value) + ("" if printed is None else f" ({number(printed)})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found, _ = judged(Path(sys.argv[1]))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
