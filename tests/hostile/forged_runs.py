"""Folders of runs that nobody ran: whole and sound, to be changed."""

from pathlib import Path
from typing import Any

from timebound.lab import store
from timebound.lab.files import Source
from timebound.lab.measures import FIGURES
from timebound.lab.spec import parse
from timebound.lab.worlds import survey

EXPERIMENT = """title = "Forged"
terrain = "unknown"
most_intervals = 1000

[worlds]
generator = "maze"
width = 7
height = 7

[problems]
seed = 3

[budget]
expansions = [5, inf]

[agents.dstar-lite]
[agents.back]
agent = "repeated-astar"
parameters = { direction = ["forward", "backward"] }
budgets = []

[measures]
"expansions" = "cells"
"moves / searches" = "moves per search"

[scale.quick]
worlds = 3
problems = 2
[scale.full]
worlds = 9

[published]
columns = ["agent", "budget", "expansions"]
rows = [["dstar-lite", 5, 1000.5], ["dstar-lite", 7, nan]]

[[claims]]
id = "fewer"
words = "D* Lite expands fewer cells."
less = ["dstar-lite.expansions", "back(direction=backward).expansions"]
"""
FIGURE = '\n[[figures]]\nid = "over"\ntitle = "Over $the budget"\ny = "intervals"\nlog = ["x"]\n'


def run_folder(output: Path, text: str = EXPERIMENT) -> store.Run:
    """A run that is whole, without running anything."""
    experiment = parse("forged", Source("forged.toml", text))
    with store.opened(output, experiment, "quick", survey(experiment, "quick", None)) as run:
        for number, (batch, configuration) in enumerate(run._layout()):
            rows = [row_of(configuration, problem) for problem in range(batch.first, batch.first + batch.size)]
            run.write(number, rows, {"processor": "some"})
    return run


def row_of(configuration: Any, problem: int) -> dict[str, Any]:
    """A row as an episode would give it."""
    words = ("world", "fingerprint", "start", "goal", "agent", "parameters", "unit", "stop")
    return {
        **dict.fromkeys(words, "some"),
        "problem": problem,
        "seed": problem,
        "label": configuration.label,
        "settings": configuration.stored_settings,
        "budget": float(configuration.budget),
        "solved": True,
        **{name: float(problem + 1) for name in FIGURES},
    }


def add_piece(file: Path, content: bytes) -> None:
    """Put a content in place of a piece, under a name with its right checksum."""
    file.unlink()
    (file.parent / f"{file.name[:6]}-{store.checksum(content)}.parquet").write_bytes(content)
