"""Experiments that are small enough for tests."""

from pathlib import Path
from typing import Any

from timebound.lab.experiment import Experiment
from timebound.lab.files import Source
from timebound.lab.run import Outcome, prepare, run
from timebound.lab.spec import parse

SMALL = """
title = "Small mazes"
terrain = "unknown"

[worlds]
generator = "maze"
width = 21
height = 21

[grid]
neighbors = 4

[budget]
expansions = [5, 50, inf]

[agents.dstar-lite]

[agents.forward]
agent = "repeated-astar"

[agents.backward]
agent = "repeated-astar"
parameters = { direction = "backward" }
budgets = []

[measures]
"expansions" = "cells expanded"
"moves / searches" = "moves per search"

[scale.quick]
worlds = 12

[scale.full]
worlds = 60

[published]
columns = ["agent", "budget", "expansions"]
rows = [
    ["dstar-lite", 5, 1000.5],
    ["backward", inf, 5000],
]

[[figures]]
id = "intervals"
title = "Intervals"
y = "intervals"
log = ["x"]

[[claims]]
id = "fewer"
words = "D* Lite expands fewer cells than backward searches."
less = ["dstar-lite.expansions", "backward.expansions"]

[[claims]]
id = "planted"
words = "D* Lite expands more cells than backward searches."
less = ["backward.expansions", "dstar-lite.expansions"]

[[claims]]
id = "constant"
words = "The moves do not depend on the budget."
constant = ["dstar-lite.moves", "forward.moves"]

[[claims]]
id = "falls"
words = "With larger budgets there are fewer intervals."
decreasing = "forward.intervals"
"""


def small(text: str = SMALL, name: str = "small") -> Experiment:
    """The small experiment, or another text."""
    return parse(name, Source(f"{name}.toml", text))


def lab_run(experiment: Experiment, output: Path, scale: str = "quick", **options: Any) -> Outcome:
    """Prepare and run."""
    prepared = {name: options.pop(name) for name in ("maps", "agents") if name in options}
    return run(prepare(experiment, scale, **prepared), output, **options)
