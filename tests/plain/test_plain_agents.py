"""Agents with `TIMEBOUND_PLAIN=1`."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_episodes import RECORD, digest
from rtaa_example import EXAMPLE, GOAL, START, TRAJECTORY

import timebound as tb


@pytest.mark.parametrize("agent", ["rtaa unknown", "tbaa unknown", "lrta known"])
def test_episodes_are_those_that_were_recorded(agent: str) -> None:
    assert digest(agent) == json.loads(RECORD.read_text())[agent]


def test_a_golden_example() -> None:
    episode = tb.make("dstar-lite", EXAMPLE, START, GOAL, terrain="unknown").run()
    assert (episode.expansions, episode.searches, episode.cost) == (16, 2, 10)
    assert episode.path == TRAJECTORY


def test_a_deadline() -> None:
    grid = tb.Grid(np.random.default_rng(0).random((1500, 1500)) > 0.2)
    cells = np.argwhere(grid.passable)[:, ::-1].tolist()
    agent = tb.make("tbaa", grid, tuple(cells[0]), tuple(cells[-1]), terrain="unknown")
    agent.plan(ms=0.1)
    began = time.perf_counter()
    agent.plan(ms=20)
    assert 0.01 < time.perf_counter() - began < 0.5


def test_ctrl_c() -> None:
    """Every time, without harm: the next one finds everything usable."""
    walls = np.ones((300, 300), bool)
    walls[150] = False
    agent = tb.make("rtaa", tb.Grid(walls), (0, 0), (299, 299), terrain="unknown")
    agent.step(expansions=5)
    for _ in range(5):
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            agent.run(expansions=5)
        timer.join()
        agent.step(expansions=5)
    assert len(agent.episode().path) == agent.episode().moves + 1


PAGE = Path(__file__).parents[2] / "docs" / "your-own-agent.md"


def test_a_part_of_ones_own() -> None:
    rule, scope = PAGE.read_text().split("```python\n")[2].split("```")[0], dict[str, Any](__name__=__name__)
    exec(rule, scope)
    assert scope["agent"].episode().moves == 643
