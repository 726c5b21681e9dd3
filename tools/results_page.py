"""Write the generated parts of docs/results.md from the runs of the lab: how many claims hold, and which do not.

    python tools/results_page.py RUNS

RUNS is what `timebound lab run` wrote. The text from a mark to `<!-- end -->` is replaced: `<!-- papers: all -->` by a
row for each paper, `<!-- claims: does not hold -->` by the claims with that verdict.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from timebound.lab.report import OUTCOMES, Judged, effect, judged, tally
from timebound.lab.verdicts import Verdict

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
MARK = re.compile(r"^<!-- (\w+): (.*?) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)


def written(text: str, entries: Sequence[Judged]) -> str:
    """Return the page with new generated parts."""
    makers = {"papers": papers, "claims": claims, "certainty": certainty}

    def fill(mark: re.Match[str]) -> str:
        lines = makers[mark[1]](entries, mark[2])
        return "\n".join([f"<!-- {mark[1]}: {mark[2]} -->", "", *lines, "", "<!-- end -->"])

    return MARK.sub(fill, text)


def papers(entries: Sequence[Judged], _: str) -> Iterator[str]:
    """Yield a row for each paper: its experiments, and how many claims have each verdict."""
    grouped: dict[str, list[Judged]] = {}
    for entry in entries:
        grouped.setdefault(entry.run.experiment.paper, []).append(entry)
    yield f"| paper | experiments | {' | '.join(OUTCOMES)} |"
    yield f"|---|---|{'--:|' * len(OUTCOMES)}"
    for paper, some in grouped.items():
        yield f"| {plain(paper)} | {', '.join(map(link, some))} | {cells(some)} |"
    yield f"| all papers | {len(entries)} experiments | {cells(entries)} |"
    yield f"| claims of ours | | {cells(entries, ours=True)} |"


def certainty(entries: Sequence[Judged], _: str) -> Iterator[str]:
    """Yield a sentence on how many verdicts are certain on these maps only."""
    verdicts = [verdict for entry in entries for verdict in entry.verdicts]
    here = sum(verdict.only_here for verdict in verdicts)
    yield f"Of {len(verdicts)} verdicts, {here} are certain on these maps only. Each is at 95 % by itself:"
    yield "refutations are corrected for the number of comparisons within a claim, not for the number of claims,"
    yield "so chance alone would decide a few the wrong way."


def cells(entries: Sequence[Judged], ours: bool = False) -> str:
    """Return the numbers of claims with each verdict, as cells."""
    return " | ".join(map(str, tally(entries, ours).values()))


def claims(entries: Sequence[Judged], outcome: str) -> Iterator[str]:
    """Yield the claims with a verdict; those of an experiment that have the same explanation share a line."""
    for entry in entries:
        explained: dict[str, list[str]] = {}
        for verdict in (one for one in entry.verdicts if one.outcome == outcome):
            words = f"{'(ours) ' if verdict.claim.ours else ''}*{plain(verdict.claim.words)}*{found_here(verdict)}"
            explained.setdefault(verdict.claim.note, []).append(words)
        for note, said in explained.items():
            yield f"- {link(entry)}: {' '.join(said)} {plain(note)}".rstrip()


def found_here(verdict: Verdict) -> str:
    """Return the size of the effect in brackets, without its confidence interval, and whether it is for these maps."""
    said = [part for part in (effect(verdict).text, "on these maps" if verdict.only_here else "") if part]
    return f" ({', '.join(said)})" if said else ""


def link(entry: Judged) -> str:
    """Return the name of an experiment, with a link to its page."""
    return f"[`{entry.run.experiment.name}`](report/{entry.page})"


def plain(words: str) -> str:
    """Return words in which asterisks are asterisks."""
    return words.replace("*", "\\*")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found, _ = judged(Path(sys.argv[1]))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
