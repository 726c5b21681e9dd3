"""Every agent, on a hundred problems: the episodes must be those that were recorded, to the last byte.

Algorithms are deterministic, so a change of the machinery that they run on must not show here. A change of an algorithm
that is meant to show does: record it with `python tests/helpers/recorded_episodes.py`, and say why in the commit.
"""

import json
from typing import Any

import pytest
from recorded_episodes import AGENTS, RECORD, digest


def checked(agent: str) -> Any:
    """Bounds are checked for every agent once: in unknown terrain if it takes that."""
    once = not agent.endswith(" known") or "-lrta" in agent
    return pytest.param(agent, marks=pytest.mark.bounds) if once else agent


@pytest.mark.parametrize("agent", [*map(checked, AGENTS)])
def test_episodes_are_those_that_were_recorded(agent: str) -> None:
    assert digest(agent) == json.loads(RECORD.read_text())[agent]
