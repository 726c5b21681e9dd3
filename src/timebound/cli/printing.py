"""What commands print: tables, and the outcome of an episode."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Arguments

if TYPE_CHECKING:
    from ..agents.episode import Episode

_OUTCOMES = {
    "goal": "reached the goal",
    "unreachable": "proved that the goal cannot be reached",
    "intervals": "out of intervals",
    "memory": "out of memory",
    "stuck": "had to step back where no move leads back",
    "hit": "was hit: it had to wait where others come",
}


def aligned(rows: Sequence[Sequence[str]], words: int) -> str:
    """Rows of equal length as a table: the first columns are words, the others numbers.

    >>> print(aligned([("agent", "moves"), ("rtaa", "7")], words=1))
    agent  moves
    rtaa       7
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:<{width}}" if place < words else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def tell(arguments: Arguments, episode: "Episode", files: Mapping[str, Path | None]) -> int:
    """Print the episode and the files written; return the exit status."""
    print(json.dumps(episode.as_json()) if arguments.json else as_text(episode, files))
    return 0 if episode.solved else 1


def as_text(episode: "Episode", files: Mapping[str, Path | None], trials: str = "") -> str:
    """Return the most important figures, a line on trials if there were any, and the files written."""
    searches = "1 search" if episode.searches == 1 else f"{episode.searches:,} searches"
    times = episode.time_per_move_us
    rows = {
        "agent": episode.agent,
        "trials": trials,
        "outcome": _OUTCOMES[episode.stop],
        "cost": f"{episode.cost:.4f}",
        "moves": f"{episode.moves:,}",
        "intervals": f"{episode.intervals:,}",
        "expansions": f"{episode.expansions:,} in {searches}",
        "planning per move": f"{times['mean']:.2f} us on average, {times['max']:,.0f} us at most",
        "memory": f"{episode.memory_bytes / 1024:,.0f} KiB",
    }
    return "\n".join(f"{name:<18} {value}" for name, value in {**rows, **files}.items() if value)
