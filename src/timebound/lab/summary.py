"""The summary page: every claim of every paper, its verdict and effect, and what was done differently."""

import math
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from .html import document, number, table, text
from .results import Results
from .statistics import Interval
from .store import Run
from .verdicts import FAILS, HOLDS, OPEN, Verdict, in_words

CLAIMS = "claims.html"
CLASSES = {HOLDS: "holds", FAILS: "fails", OPEN: "open"}
_PLAIN = ("difference", "value")  # tests whose effect is not a factor
_SHOWN = 60  # comparisons shown per claim


class Judged(NamedTuple):
    """A run, its results, and the verdicts on the claims of its experiment."""

    run: Run
    results: Results
    verdicts: list[Verdict]
    page: str
    """The file of its page."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of claims with each verdict."""
        return {outcome: sum(verdict.outcome == outcome for verdict in self.verdicts) for outcome in CLASSES}


# ------------------------------------------------------------------ a claim


def row_of(verdict: Verdict, evidence: bool) -> str:
    """Return a claim as a table row: words, place in the paper, verdict, effect, the paper's number."""
    claim = verdict.claim
    remarks = "".join(f"<br><span class='dim'>{text(words)}</span>" for words in (verdict.reason, claim.note) if words)
    details = _evidence(verdict) if evidence else ""
    printed = "" if math.isnan(claim.published) else number(claim.published)
    return (
        f"<tr><td class='word'>{text(claim.words)}{remarks}{details}</td><td class='word'>{text(claim.where)}</td>"
        f"<td class='word {CLASSES[verdict.outcome]}'>{verdict.outcome}</td>"
        f"<td class='effect'>{effect(verdict)}</td><td class='paper'>{printed}</td></tr>"
    )


def effect(verdict: Verdict) -> str:
    """Return the size of the effect: a factor, difference or value; the range, if there are several comparisons."""
    sizes = [one.size for one in verdict.comparisons if one.size is not None and not math.isnan(one.size.value)]
    if not sizes or verdict.claim.test in ("constant", "same"):
        return "equal" if verdict.outcome == HOLDS and verdict.comparisons else ""
    sign = "" if verdict.claim.test in _PLAIN else "× "
    if len(sizes) == 1:
        return f"{sign}{number(sizes[0].value)}{_limits(sizes[0])}"
    values = sorted(size.value for size in sizes)
    extremes = dict.fromkeys((number(values[0]), number(values[-1])))
    return sign + " to ".join(extremes)


def _limits(size: Interval) -> str:
    if not (math.isfinite(size.low) and math.isfinite(size.high)):
        return ""
    return f" <small>({number(size.low)} to {number(size.high)})</small>"


def _evidence(verdict: Verdict) -> str:
    if not verdict.comparisons:
        return ""
    items = "".join(
        f"<li><span class='{CLASSES[one.outcome]}'>{one.outcome}</span> {text(in_words(one))}</li>"
        for one in verdict.comparisons[:_SHOWN]
    )
    more = len(verdict.comparisons) - _SHOWN
    items += f"<li>and {more} more</li>" if more > 0 else ""
    counts = f"{len(verdict.comparisons)} comparisons" if len(verdict.comparisons) > 1 else "1 comparison"
    return f"<details><summary class='dim'>{counts}</summary><ul class='small'>{items}</ul></details>"


# ------------------------------------------------------------------ all of them


def claims_page(entries: Sequence[Judged]) -> str:
    """Return every claim of every paper; if an experiment was run at both scales, the larger one counts."""
    chosen = {entry.run.experiment.name: entry for entry in sorted(entries, key=lambda one: one.run.scale == "full")}
    papers: dict[str, list[Judged]] = {}
    for name in sorted(chosen):
        if chosen[name].verdicts:
            papers.setdefault(chosen[name].run.experiment.paper or "Our own experiments", []).append(chosen[name])
    head = ("paper", HOLDS, FAILS, OPEN)
    parts = [
        "<p><a href='index.html'>all experiments</a></p><h1>The papers' claims, tested again</h1>",
        *(f"<p>{words}</p>" for words in _INTRODUCTION),
        table(head, (_tally(paper, some) for paper, some in papers.items())),
        *(_paper(paper, some) for paper, some in papers.items()),
    ]
    return document("The papers' claims, tested again", parts)


_INTRODUCTION = (
    "This page is for the authors of these papers, and for everyone who builds on them. Each row is a statement that a "
    "paper makes about its experiments, where it makes it, and what an independent implementation, timebound, "
    "found when the experiment was repeated. Every verdict is computed from stored episodes; the page of an "
    "experiment has the tables, the figures, and each comparison behind a verdict.",
    "<strong>How to read a verdict.</strong> <em>Holds</em>: true with 95 % confidence, on the same problems for "
    "all algorithms. <em>Does not hold</em>: the opposite is equally certain. <em>Not decidable</em>: neither, and "
    "the row says why. A statement about all lookaheads or weights is tested for each of them; one about most of "
    "them for that share; where a paper describes a trend, or an average, the average is tested (of a trend, the "
    "change from the first value to the last), because single steps of a curve are within the noise of the papers' own "
    "numbers too. Algorithms that did not solve all problems are compared by medians, and by how many arrive.",
    "<strong>How to read an effect.</strong> With ×, the first side of the comparison over the second: × 0.5 "
    "means half as much. Without it, the value or the difference itself. A range shows the extremes over all "
    "comparisons of a claim; small print is a 95 % confidence interval. The last column has the paper's own "
    "number, where it gives one.",
    "<strong>What we did differently, and why</strong>, is explained above each table. If you find that we have "
    "misread you, we would like to know.",
)


def _tally(paper: str, entries: Sequence[Judged]) -> str:
    counts = {outcome: sum(entry.counts[outcome] for entry in entries) for outcome in CLASSES}
    cells = "".join(f"<td class='{CLASSES[one]}'>{count or ''}</td>" for one, count in counts.items())
    return f"<tr><td class='word'>{text(paper)}</td>{cells}</tr>"


def _paper(paper: str, entries: Sequence[Judged]) -> str:
    return f"<h2>{text(paper)}</h2>{''.join(map(_experiment, entries))}"


def _experiment(entry: Judged) -> str:
    run, experiment = entry.run, entry.run.experiment
    maps = " Generated problems replace the paper's." if run.about["stand_ins"] else ""
    heading = f"{experiment.shows or experiment.name}: {experiment.title}"
    missing = f" This run is {entry.results.missing}." if entry.results.missing else ""
    size = f"Scale {run.scale}, {run.problems} problems.{maps}{missing}"
    head = ("claim", "where", "verdict", "effect", "paper")
    return (
        f"<h3><a href='{text(quote(entry.page))}'>{text(heading)}</a></h3>"
        f"<p>{text(experiment.differs)} <span class='dim'>{text(size)}</span></p>"
        f"{table(head, (row_of(verdict, evidence=False) for verdict in entry.verdicts))}"
    )
