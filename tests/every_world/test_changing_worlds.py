"""Worlds that change while agents walk, goals that move: every agent, in every terrain, on grids and graphs.

A sequence is a random world, an agent, and eight changes of what may change (`changing`). CI runs a few of each kind;
`TIMEBOUND_DRILLS=75` runs 75, more than 10,000 in all. `make test` runs this with the compiler off.
"""

import os
from typing import Any

import numpy as np
import pytest
from changing import KINDS, MIXES, GraphDrill, GridDrill

SEQUENCES = int(os.environ.get("TIMEBOUND_DRILLS", "4"))
CHANGES = 8
ON_GRIDS = [(name, mix, terrain) for name, mix in MIXES for terrain in KINDS[name].terrain]
ON_GRAPHS = [(name, mix, terrain) for name, mix, terrain in ON_GRIDS if terrain != "unknown"]
ON_GRAPHS = [(name, mix, terrain) for name, mix, terrain in ON_GRAPHS if not KINDS[name].needs_grid]


@pytest.mark.parametrize(("name", "parameters", "terrain"), ON_GRIDS)
def test_on_grids(name: str, parameters: dict[str, Any], terrain: str) -> None:
    for seed in range(SEQUENCES):
        GridDrill(name, parameters, terrain, np.random.default_rng(seed)).run(CHANGES)


@pytest.mark.parametrize(("name", "parameters", "terrain"), ON_GRAPHS)
def test_on_graphs(name: str, parameters: dict[str, Any], terrain: str) -> None:
    for seed in range(SEQUENCES):
        GraphDrill(name, parameters, terrain, np.random.default_rng(seed)).run(CHANGES)


def test_what_long_runs_have_found() -> None:
    """A retreat that was not told of a wall; a shortcut along an edge that was blocked in one direction."""
    GridDrill("lss-lrta", {"fallback": "nearest"}, "known", np.random.default_rng(145)).run(CHANGES)
    GraphDrill("tba", {"trace_ratio": None, "shortcut": True}, "known", np.random.default_rng(229)).run(CHANGES)
