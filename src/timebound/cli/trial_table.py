"""What `timebound solve --trials N` says about its trials."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .progress import Progress
from .table import aligned, shortened

if TYPE_CHECKING:
    from ..agents.catalogue import Kind
    from ..episode import Episode

COLUMNS = ("trial", "cost", "cost/optimal", "moves", "expansions", "updates")
_ENDS = 10  # rows of a long table that are shown, at the beginning and at the end


def follow(trials: "Iterator[Episode]", total: int) -> tuple[list["Episode"], bool]:
    """The records of all trials, and whether the user has had enough before they were over."""
    episodes, progress = [], Progress(total, "trials")
    try:
        episodes.append(next(trials))
        for episode in trials:
            episodes.append(episode)
            progress.report(len(episodes))
    except KeyboardInterrupt:
        if not episodes:
            raise
        return episodes, True
    finally:
        progress.clear()
    return episodes, False


def records(episodes: "Sequence[Episode]") -> list[dict[str, Any]]:
    """The figures of every trial, for programs."""
    return [
        {
            "trial": number,
            "solved": episode.solved,
            "stop": episode.stop,
            "cost": episode.cost,
            "suboptimality": episode.suboptimality if episode.solved else None,
            "moves": episode.moves,
            "intervals": episode.intervals,
            "expansions": episode.expansions,
            "searches": episode.searches,
            "updates": episode.updates,
            "planning_us": episode.planning_us,
        }
        for number, episode in enumerate(episodes, 1)
    ]


def table(episodes: "Sequence[Episode]") -> str:
    """A row a trial; if there are many, the first and the last."""
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
    """How many trials there were, and what came of them."""
    from ..trials import is_optimal, is_settled

    last = episodes[-1]
    if not last.solved:
        outcome = "the last did not reach the goal"
    elif is_optimal(last):
        outcome = "the last walked an optimal path"
    elif is_settled(kind, last):
        outcome = "the last needed one search only"
    else:
        outcome = "none walked an optimal path"
    return f"{len(episodes):,}; {outcome}"
