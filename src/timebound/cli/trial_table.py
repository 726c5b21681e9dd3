"""What `timebound solve --trials N` prints about its trials."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .table import aligned, shortened

if TYPE_CHECKING:
    from ..agents.catalogue import Kind
    from ..agents.episode import Episode

COLUMNS = ("trial", "cost", "cost/optimal", "moves", "expansions", "updates")
FIGURES = (
    *("trial", "solved", "stop", "cost", "suboptimality", "moves", "intervals", "expansions", "searches", "updates"),
    "planning_us",
)
_ENDS = 10  # rows shown at the beginning and at the end of a long table


def records(episodes: "Sequence[Episode]") -> list[dict[str, Any]]:
    """Return the figures of every trial, for programs."""
    return [_record(number, episode) for number, episode in enumerate(episodes, 1)]


def _record(number: int, episode: "Episode") -> dict[str, Any]:
    plain = episode.as_json()
    plain |= {"trial": number, "suboptimality": episode.suboptimality if episode.solved else None}
    return {name: plain[name] for name in FIGURES}


def table(episodes: "Sequence[Episode]") -> str:
    """Return a table with a row per trial; if there are many, only the first and the last."""
    rows = [
        (
            f"{number:,}",
            f"{episode.cost:,.4f}",
            f"{episode.suboptimality:.3f}" if episode.solved else "-",
            f"{episode.moves:,}",
            f"{episode.expansions:,}",
            f"{episode.updates:,}",
        )
        for number, episode in enumerate(episodes, 1)
    ]
    return aligned([COLUMNS, *shortened(rows, _ENDS)], words=0)


def verdict(kind: "Kind", episodes: "Sequence[Episode]") -> str:
    """Return the number of trials, and how they ended."""
    from ..applications.trials import is_optimal, is_settled

    last = episodes[-1]
    if not last.solved:
        outcome = "the last did not reach the goal"
    elif is_optimal(last):
        outcome = "the last walked an optimal path"
    elif is_settled(kind, last):
        outcome = "the last needed only one search"
    else:
        outcome = "none walked an optimal path"
    return f"{len(episodes):,}; {outcome}"
