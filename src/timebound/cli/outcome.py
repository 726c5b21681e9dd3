"""The outcome of an episode, as the commands that run one agent print it."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..agents.episode import Episode

_OUTCOMES = {
    "goal": "reached the goal",
    "unreachable": "proved that the goal cannot be reached",
    "intervals": "out of intervals",
    "memory": "out of memory",
    "stuck": "had to step back where no move leads back",
}


def tell(arguments: argparse.Namespace, episode: "Episode", files: Mapping[str, Path | None]) -> int:
    """Print the episode and the files written; return the exit status."""
    print(json.dumps(episode.as_json()) if arguments.json else as_text(rows(episode), files))
    return 0 if episode.solved else 1


def as_text(lines: list[tuple[str, str]], files: Mapping[str, Path | None]) -> str:
    """Return lines of figures, and the files written."""
    named = [(name, str(file)) for name, file in files.items() if file]
    return "\n".join(f"{name:<18} {value}" for name, value in [*lines, *named])


def rows(episode: "Episode") -> list[tuple[str, str]]:
    """Return the most important figures."""
    searches = "1 search" if episode.searches == 1 else f"{episode.searches:,} searches"
    times = episode.time_per_move_us
    return [
        ("agent", episode.agent),
        ("outcome", _OUTCOMES[episode.stop]),
        ("cost", f"{episode.cost:.4f}"),
        ("moves", f"{episode.moves:,}"),
        ("intervals", f"{episode.intervals:,}"),
        ("expansions", f"{episode.expansions:,} in {searches}"),
        ("planning per move", f"{times['mean']:.2f} us on average, {times['max']:,.0f} us at most"),
        ("memory", f"{episode.memory_bytes / 1024:,.0f} KiB"),
    ]
